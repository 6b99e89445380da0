--top-module tb_tb_sched
-GNumSms=2 -GNumKernels=4 -GNumSched=1 -GWarpsPerSm=8 -GMaxTbs=8 -GNumImages=16 -GLineBytes=64
-CFLAGS "-DNUM_SMS=2 -DNUM_KERNELS=4 -DNUM_SCHED=1 -DWARPS_PER_SM=8 -DMAX_TBS=8 -DNUM_IMAGES=16 -DLINE_BYTES=64"
rtl/qsm_lint.vlt
tb/unit/tb_sched/job.vlt
rtl/qsm_enums_pkg.sv
rtl/qsm_rr_arb.sv
rtl/tb_sched/qsm_preempt.sv
rtl/tb_sched/qsm_preempt_exam.sv
rtl/tb_sched/qsm_run_fit.sv
rtl/tb_sched/qsm_run_mask.sv
rtl/tb_sched/qsm_tb_adjust.sv
rtl/tb_sched/qsm_tb_ages.sv
rtl/tb_sched/qsm_tb_alloc.sv
rtl/tb_sched/qsm_tb_claim.sv
rtl/tb_sched/qsm_tb_dispatch.sv
rtl/tb_sched/qsm_tb_images.sv
rtl/tb_sched/qsm_tb_kernel.sv
rtl/tb_sched/qsm_tb_late.sv
rtl/tb_sched/qsm_tb_need.sv
rtl/tb_sched/qsm_tb_resources.sv
rtl/tb_sched/qsm_tb_sched.sv
rtl/tb_sched/qsm_tb_tickets.sv
rtl/tb_sched/qsm_tb_trial.sv
tb/unit/tb_sched/tb_tb_sched.sv

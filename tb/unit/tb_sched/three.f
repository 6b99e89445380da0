--top-module tb_tb_sched
-GNumSms=4 -GNumKernels=8 -GNumSched=3 -GWarpsPerSm=12 -GMaxTbs=7 -GNumImages=3 -GLineBytes=32
-CFLAGS "-DNUM_SMS=4 -DNUM_KERNELS=8 -DNUM_SCHED=3 -DWARPS_PER_SM=12 -DMAX_TBS=7 -DNUM_IMAGES=3 -DLINE_BYTES=32"
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

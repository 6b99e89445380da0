--top-module tb_tb_sched
-GNumSms=1 -GNumKernels=1 -GNumSched=1 -GWarpsPerSm=1 -GMaxTbs=1 -GNumImages=1 -GLineBytes=8
-CFLAGS "-DNUM_SMS=1 -DNUM_KERNELS=1 -DNUM_SCHED=1 -DWARPS_PER_SM=1 -DMAX_TBS=1 -DNUM_IMAGES=1 -DLINE_BYTES=8"
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

--top-module qsm_tb_adjust
-GNumSms=1 -GNumKernels=1 -GNumSched=1 -GWarpsPerSm=1 -GMaxTbs=1
-CFLAGS "-DNUM_SMS=1 -DNUM_KERNELS=1 -DNUM_SCHED=1 -DWARPS_PER_SM=1 -DMAX_TBS=1 -DN_ROUNDS=20"
rtl/qsm_lint.vlt
tb/unit/tb_adjust/events.vlt
rtl/qsm_rr_arb.sv
rtl/tb_sched/qsm_run_mask.sv
rtl/tb_sched/qsm_tb_adjust.sv
rtl/tb_sched/qsm_tb_claim.sv
rtl/tb_sched/qsm_tb_late.sv
rtl/tb_sched/qsm_tb_need.sv
rtl/tb_sched/qsm_tb_trial.sv

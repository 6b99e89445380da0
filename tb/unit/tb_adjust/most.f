--top-module qsm_tb_adjust
-GNumSms=5 -GNumKernels=8 -GNumSched=3 -GWarpsPerSm=24 -GMaxTbs=7
-CFLAGS "-DNUM_SMS=5 -DNUM_KERNELS=8 -DNUM_SCHED=3 -DWARPS_PER_SM=24 -DMAX_TBS=7 -DN_ROUNDS=20"
rtl/qsm_lint.vlt
tb/unit/tb_adjust/events.vlt
rtl/qsm_rr_arb.sv
rtl/tb_sched/qsm_run_mask.sv
rtl/tb_sched/qsm_tb_adjust.sv
rtl/tb_sched/qsm_tb_claim.sv
rtl/tb_sched/qsm_tb_late.sv
rtl/tb_sched/qsm_tb_need.sv
rtl/tb_sched/qsm_tb_trial.sv

--top-module qsm_tb_adjust
-GNumSms=3 -GNumKernels=3 -GNumSched=2 -GWarpsPerSm=6 -GMaxTbs=5
-CFLAGS "-DNUM_SMS=3 -DNUM_KERNELS=3 -DNUM_SCHED=2 -DWARPS_PER_SM=6 -DMAX_TBS=5 -DN_ROUNDS=200"
rtl/qsm_lint.vlt
tb/unit/tb_adjust/events.vlt
rtl/qsm_rr_arb.sv
rtl/tb_sched/qsm_run_mask.sv
rtl/tb_sched/qsm_tb_adjust.sv
rtl/tb_sched/qsm_tb_claim.sv
rtl/tb_sched/qsm_tb_late.sv
rtl/tb_sched/qsm_tb_need.sv
rtl/tb_sched/qsm_tb_trial.sv

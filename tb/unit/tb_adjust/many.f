--top-module qsm_tb_adjust
-GNumSms=2 -GNumKernels=3 -GNumSched=3 -GWarpsPerSm=48 -GMaxTbs=32
-CFLAGS "-DNUM_SMS=2 -DNUM_KERNELS=3 -DNUM_SCHED=3 -DWARPS_PER_SM=48 -DMAX_TBS=32 -DN_ROUNDS=40"
rtl/qsm_lint.vlt
tb/unit/tb_adjust/events.vlt
rtl/qsm_rr_arb.sv
rtl/tb_sched/qsm_run_mask.sv
rtl/tb_sched/qsm_tb_adjust.sv
rtl/tb_sched/qsm_tb_claim.sv
rtl/tb_sched/qsm_tb_late.sv
rtl/tb_sched/qsm_tb_need.sv
rtl/tb_sched/qsm_tb_trial.sv

--top-module qsm_tb_adjust
-GNumSms=4 -GNumKernels=4 -GNumSched=1 -GWarpsPerSm=8 -GMaxTbs=8
-CFLAGS "-DNUM_SMS=4 -DNUM_KERNELS=4 -DNUM_SCHED=1 -DWARPS_PER_SM=8 -DMAX_TBS=8 -DN_ROUNDS=200"
rtl/qsm_lint.vlt
tb/unit/tb_adjust/events.vlt
rtl/qsm_rr_arb.sv
rtl/tb_sched/qsm_run_mask.sv
rtl/tb_sched/qsm_tb_adjust.sv
rtl/tb_sched/qsm_tb_claim.sv
rtl/tb_sched/qsm_tb_late.sv
rtl/tb_sched/qsm_tb_need.sv
rtl/tb_sched/qsm_tb_trial.sv

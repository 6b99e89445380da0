--top-module qsm_tb_adjust
-GNumSms=16 -GNumKernels=4 -GNumSched=4 -GWarpsPerSm=64 -GMaxTbs=32
-CFLAGS "-DNUM_SMS=16 -DNUM_KERNELS=4 -DNUM_SCHED=4 -DWARPS_PER_SM=64 -DMAX_TBS=32 -DN_ROUNDS=16"
rtl/qsm_lint.vlt
tb/unit/tb_adjust/events.vlt
rtl/qsm_rr_arb.sv
rtl/tb_sched/qsm_run_mask.sv
rtl/tb_sched/qsm_tb_adjust.sv
rtl/tb_sched/qsm_tb_claim.sv
rtl/tb_sched/qsm_tb_late.sv
rtl/tb_sched/qsm_tb_need.sv
rtl/tb_sched/qsm_tb_trial.sv

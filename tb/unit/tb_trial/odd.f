--top-module qsm_tb_trial
-GNumKernels=3 -GNumSched=3 -GWarpsPerSched=3 -GMaxTbs=5 -GGranules=32
-CFLAGS "-DNUM_KERNELS=3 -DNUM_SCHED=3 -DWARPS_PER_SM=9 -DMAX_TBS=5"
rtl/tb_sched/qsm_run_mask.sv
rtl/tb_sched/qsm_tb_need.sv
rtl/tb_sched/qsm_tb_trial.sv

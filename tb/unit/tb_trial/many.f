--top-module qsm_tb_trial
-GNumKernels=4 -GNumSched=3 -GWarpsPerSched=16 -GMaxTbs=32 -GGranules=32
-CFLAGS "-DNUM_KERNELS=4 -DNUM_SCHED=3 -DWARPS_PER_SM=48 -DMAX_TBS=32"
rtl/tb_sched/qsm_run_mask.sv
rtl/tb_sched/qsm_tb_need.sv
rtl/tb_sched/qsm_tb_trial.sv

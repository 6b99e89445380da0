--top-module qsm_tb_resources
-GNumKernels=3 -GNumSched=3 -GWarpsPerSched=16 -GMaxTbs=32 -GGranules=32 -GTicketW=6
-CFLAGS "-DNUM_KERNELS=3 -DNUM_SCHED=3 -DWARPS_PER_SCHED=16 -DMAX_TBS=32 -DGRANULES=32 -DTICKET_W=6"
rtl/tb_sched/qsm_run_mask.sv
rtl/tb_sched/qsm_tb_need.sv
rtl/tb_sched/qsm_tb_resources.sv

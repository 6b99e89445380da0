--top-module qsm_tb_resources
-GNumKernels=1 -GNumSched=1 -GWarpsPerSched=1 -GMaxTbs=1 -GGranules=2 -GTicketW=1
-CFLAGS "-DNUM_KERNELS=1 -DNUM_SCHED=1 -DWARPS_PER_SCHED=1 -DMAX_TBS=1 -DGRANULES=2 -DTICKET_W=1"
rtl/tb_sched/qsm_run_mask.sv
rtl/tb_sched/qsm_tb_need.sv
rtl/tb_sched/qsm_tb_resources.sv

--top-module qsm_tb_alloc
-GNumSms=1 -GNumKernels=1 -GWarpsPerSm=1 -GMaxTbs=1
-CFLAGS "-DNUM_SMS=1 -DNUM_KERNELS=1 -DWARPS_PER_SM=1 -DMAX_TBS=1"
rtl/tb_sched/qsm_tb_alloc.sv

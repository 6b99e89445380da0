--top-module qsm_tb_alloc
-GNumSms=5 -GNumKernels=8 -GWarpsPerSm=12 -GMaxTbs=3
-CFLAGS "-DNUM_SMS=5 -DNUM_KERNELS=8 -DWARPS_PER_SM=12 -DMAX_TBS=3"
rtl/tb_sched/qsm_tb_alloc.sv

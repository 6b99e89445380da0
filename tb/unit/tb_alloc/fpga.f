--top-module qsm_tb_alloc
-GNumSms=4 -GNumKernels=4 -GWarpsPerSm=8 -GMaxTbs=8
-CFLAGS "-DNUM_SMS=4 -DNUM_KERNELS=4 -DWARPS_PER_SM=8 -DMAX_TBS=8"
rtl/tb_sched/qsm_tb_alloc.sv

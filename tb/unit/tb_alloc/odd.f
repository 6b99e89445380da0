--top-module qsm_tb_alloc
-GNumSms=3 -GNumKernels=3 -GWarpsPerSm=6 -GMaxTbs=5
-CFLAGS "-DNUM_SMS=3 -DNUM_KERNELS=3 -DWARPS_PER_SM=6 -DMAX_TBS=5"
rtl/tb_sched/qsm_tb_alloc.sv

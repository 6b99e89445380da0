--top-module qsm_tb_alloc
-GNumSms=16 -GNumKernels=4 -GWarpsPerSm=64 -GMaxTbs=32
-CFLAGS "-DNUM_SMS=16 -DNUM_KERNELS=4 -DWARPS_PER_SM=64 -DMAX_TBS=32"
rtl/tb_sched/qsm_tb_alloc.sv

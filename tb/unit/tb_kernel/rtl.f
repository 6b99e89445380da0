--top-module qsm_tb_kernel
--public-flat-rw
-GNumSms=5 -GOutW=7
-CFLAGS "-DNUM_SMS=5 -DMAX_OUT=127"
rtl/tb_sched/qsm_tb_kernel.sv

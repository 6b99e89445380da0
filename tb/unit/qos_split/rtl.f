--top-module qsm_qos_split
-GNumSms=20 -GNumKernels=3 -GTbW=3 -GTbSumW=7
-CFLAGS "-DNUM_SMS=20 -DNUM_KERNELS=3 -DTB_W=3 -DTB_SUM_W=7 -DMAX_TBS=5"
rtl/qos_mgr/qsm_qos_split.sv

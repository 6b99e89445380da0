--top-module qsm_quota
--public-flat-rw
-GNumKernels=1 -GNumSched=1 -GWarpSize=2
-CFLAGS "-DNUM_KERNELS=1 -DNUM_SCHED=1 -DWARP_SIZE=2"
rtl/qsm_enums_pkg.sv
rtl/warp_sched/qsm_elastic.sv
rtl/warp_sched/qsm_quota.sv

--top-module qsm_quota
--public-flat-rw
-GNumKernels=3 -GNumSched=2 -GWarpSize=4
-CFLAGS "-DNUM_KERNELS=3 -DNUM_SCHED=2 -DWARP_SIZE=4"
rtl/qsm_enums_pkg.sv
rtl/warp_sched/qsm_elastic.sv
rtl/warp_sched/qsm_quota.sv

--top-module qsm_quota
--public-flat-rw
-GNumKernels=4 -GNumSched=4 -GWarpSize=32
-CFLAGS "-DNUM_KERNELS=4 -DNUM_SCHED=4 -DWARP_SIZE=32"
rtl/qsm_enums_pkg.sv
rtl/warp_sched/qsm_elastic.sv
rtl/warp_sched/qsm_quota.sv

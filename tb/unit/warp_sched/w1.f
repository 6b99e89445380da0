--top-module qsm_warp_sched
-GNumWarps=1
-GNumKernels=1
-CFLAGS "-DNUM_WARPS=1 -DNUM_KERNELS=1"
rtl/qsm_enums_pkg.sv
rtl/warp_sched/qsm_first.sv
rtl/warp_sched/qsm_warp_age.sv
rtl/warp_sched/qsm_two_level.sv
rtl/warp_sched/qsm_qaws.sv
rtl/warp_sched/qsm_warp_sched.sv

--top-module qsm_idle_sampler
-GNumKernels=3 -GNumSched=2 -GNumWarps=3
-CFLAGS "-DNUM_KERNELS=3 -DNUM_SCHED=2 -DNUM_WARPS=3"
rtl/qsm_enums_pkg.sv
rtl/warp_sched/qsm_idle_sampler.sv

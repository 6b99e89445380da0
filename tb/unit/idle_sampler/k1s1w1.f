--top-module qsm_idle_sampler
-GNumKernels=1 -GNumSched=1 -GNumWarps=1
-CFLAGS "-DNUM_KERNELS=1 -DNUM_SCHED=1 -DNUM_WARPS=1"
rtl/qsm_enums_pkg.sv
rtl/warp_sched/qsm_idle_sampler.sv

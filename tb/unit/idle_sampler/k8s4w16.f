--top-module qsm_idle_sampler
-GNumKernels=8 -GNumSched=4 -GNumWarps=16
-CFLAGS "-DNUM_KERNELS=8 -DNUM_SCHED=4 -DNUM_WARPS=16"
rtl/qsm_enums_pkg.sv
rtl/warp_sched/qsm_idle_sampler.sv

--top-module qsm_first
-GN=16 -GWidth=6
-CFLAGS "-DN_PLACES=16"
rtl/warp_sched/qsm_first.sv

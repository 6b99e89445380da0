--top-module qsm_first
-GN=5 -GWidth=6
-CFLAGS "-DN_PLACES=5"
rtl/warp_sched/qsm_first.sv

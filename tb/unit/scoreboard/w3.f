--top-module qsm_scoreboard
-GNumWarps=3 -GEntries=3 -GPartsW=4 -GSources=3
-CFLAGS "-DNUM_WARPS=3 -DENTRIES=3 -DMAX_PARTS=15 -DSOURCES=3"
rtl/warp_sched/qsm_scoreboard.sv

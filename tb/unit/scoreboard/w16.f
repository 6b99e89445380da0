--top-module qsm_scoreboard
-GNumWarps=16 -GEntries=4 -GPartsW=3 -GSources=2
-CFLAGS "-DNUM_WARPS=16 -DENTRIES=4 -DMAX_PARTS=7 -DSOURCES=2"
rtl/warp_sched/qsm_scoreboard.sv

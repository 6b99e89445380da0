--assert
--top-module qsm_select_turn
-GNumWarps=3
-CFLAGS "-DNUM_WARPS=3"
rtl/sm/qsm_select_turn.sv

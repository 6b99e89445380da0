--assert
--top-module qsm_select_turn
-GNumWarps=16
-CFLAGS "-DNUM_WARPS=16"
rtl/sm/qsm_select_turn.sv

--top-module qsm_l2
-GSets=2 -GWays=8 -GMshrs=3 -GWaiters=5 -GBytesPerLine=16 -GLineW=9 -GIdW=8 -GSlotW=2
-CFLAGS "-DSETS=2 -DWAYS=8 -DMSHRS=3 -DWAITERS=5 -DBYTES=16 -DLINE_BITS=9"
rtl/qsm_lint.vlt
build/cfg/tiny/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
rtl/qsm_fifo.sv
rtl/qsm_amo_alu.sv
rtl/mem/qsm_l2_credits.sv
rtl/mem/qsm_l2_data.sv
rtl/mem/qsm_l2_flush.sv
rtl/mem/qsm_l2_mshrs.sv
rtl/mem/qsm_tree.sv
rtl/mem/qsm_l2_tags.sv
rtl/mem/qsm_l2.sv

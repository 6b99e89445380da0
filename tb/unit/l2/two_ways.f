--top-module qsm_l2
-GSets=8 -GWays=2 -GMshrs=4 -GWaiters=5 -GBytesPerLine=16 -GLineW=10 -GIdW=8 -GSlotW=2
-CFLAGS "-DSETS=8 -DWAYS=2 -DMSHRS=4 -DWAITERS=5 -DBYTES=16 -DLINE_BITS=10"
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

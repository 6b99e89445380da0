--top-module qsm_l2
-GSets=1 -GWays=1 -GMshrs=1 -GWaiters=1 -GBytesPerLine=8 -GLineW=6 -GIdW=8 -GSlotW=2
-CFLAGS "-DSETS=1 -DWAYS=1 -DMSHRS=1 -DWAITERS=1 -DBYTES=8 -DLINE_BITS=6"
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

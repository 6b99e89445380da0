--top-module qsm_axi
-GBytesPerLine=32 -GDataW=64 -GIdW=4 -GInOrder="1'b1"
-CFLAGS "-DLINE_BYTES=32 -DDATA_W=64 -DID_W=4 -DIN_ORDER=1"
rtl/qsm_lint.vlt
rtl/qsm_fifo.sv
rtl/qsm_rr_arb.sv
rtl/mem/qsm_axi_table.sv
rtl/mem/qsm_axi.sv

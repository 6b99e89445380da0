--top-module qsm_axi
-GBytesPerLine=8 -GDataW=32 -GIdW=1 -GInOrder="1'b1"
-CFLAGS "-DLINE_BYTES=8 -DDATA_W=32 -DID_W=1 -DIN_ORDER=1"
rtl/qsm_lint.vlt
rtl/qsm_fifo.sv
rtl/qsm_rr_arb.sv
rtl/mem/qsm_axi_table.sv
rtl/mem/qsm_axi.sv

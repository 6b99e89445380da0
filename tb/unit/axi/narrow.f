--top-module qsm_axi
-GBytesPerLine=16 -GDataW=32 -GIdW=2 -GInOrder="1'b0"
-CFLAGS "-DLINE_BYTES=16 -DDATA_W=32 -DID_W=2 -DIN_ORDER=0"
rtl/qsm_lint.vlt
rtl/qsm_fifo.sv
rtl/qsm_rr_arb.sv
rtl/mem/qsm_axi_table.sv
rtl/mem/qsm_axi.sv

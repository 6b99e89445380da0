--top-module qsm_axi
-GBytesPerLine=128 -GDataW=512 -GIdW=3 -GInOrder="1'b0"
-CFLAGS "-DLINE_BYTES=128 -DDATA_W=512 -DID_W=3 -DIN_ORDER=0"
rtl/qsm_lint.vlt
rtl/qsm_fifo.sv
rtl/qsm_rr_arb.sv
rtl/mem/qsm_axi_table.sv
rtl/mem/qsm_axi.sv

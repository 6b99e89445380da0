--top-module qsm_dram
-GColumns=8 -GBanks=16 -GQueue=13 -GRcd=20 -GRp=255 -GRas=40 -GCl=90 -GWr=60 -GBurst=5 -GSlotW=2 -GLineW=28 -GReqW=32 -GRspW=32
-CFLAGS "-DCOLUMNS=8 -DBANKS=16 -DQUEUE=13 -DRCD=20 -DRP=255 -DRAS=40 -DCL=90 -DWR=60 -DBURST=5"
rtl/qsm_lint.vlt
rtl/qsm_fifo.sv
rtl/mem/qsm_dram_banks.sv
rtl/mem/qsm_dram_queue.sv
rtl/mem/qsm_dram_return.sv
rtl/mem/qsm_dram.sv

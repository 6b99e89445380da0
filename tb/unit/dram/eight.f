--top-module qsm_dram
-GColumns=4 -GBanks=8 -GQueue=8 -GRcd=5 -GRp=6 -GRas=21 -GCl=5 -GWr=7 -GBurst=2 -GSlotW=2 -GLineW=28 -GReqW=32 -GRspW=32
-CFLAGS "-DCOLUMNS=4 -DBANKS=8 -DQUEUE=8 -DRCD=5 -DRP=6 -DRAS=21 -DCL=5 -DWR=7 -DBURST=2"
rtl/qsm_lint.vlt
rtl/qsm_fifo.sv
rtl/mem/qsm_dram_banks.sv
rtl/mem/qsm_dram_queue.sv
rtl/mem/qsm_dram_return.sv
rtl/mem/qsm_dram.sv

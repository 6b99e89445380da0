--top-module qsm_dram
-GColumns=1 -GBanks=1 -GQueue=1 -GRcd=3 -GRp=2 -GRas=4 -GCl=2 -GWr=3 -GBurst=1 -GSlotW=2 -GLineW=28 -GReqW=32 -GRspW=32
-CFLAGS "-DCOLUMNS=1 -DBANKS=1 -DQUEUE=1 -DRCD=3 -DRP=2 -DRAS=4 -DCL=2 -DWR=3 -DBURST=1"
rtl/qsm_lint.vlt
rtl/qsm_fifo.sv
rtl/mem/qsm_dram_banks.sv
rtl/mem/qsm_dram_queue.sv
rtl/mem/qsm_dram_return.sv
rtl/mem/qsm_dram.sv

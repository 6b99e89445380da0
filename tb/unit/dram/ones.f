--top-module qsm_dram
-GColumns=2 -GBanks=2 -GQueue=5 -GRcd=1 -GRp=1 -GRas=1 -GCl=1 -GWr=1 -GBurst=1 -GSlotW=2 -GLineW=28 -GReqW=32 -GRspW=32
-CFLAGS "-DCOLUMNS=2 -DBANKS=2 -DQUEUE=5 -DRCD=1 -DRP=1 -DRAS=1 -DCL=1 -DWR=1 -DBURST=1"
rtl/qsm_lint.vlt
rtl/qsm_fifo.sv
rtl/mem/qsm_dram_banks.sv
rtl/mem/qsm_dram_queue.sv
rtl/mem/qsm_dram_return.sv
rtl/mem/qsm_dram.sv

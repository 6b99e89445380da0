--top-module qsm_xbar
-CFLAGS "-DNUM_SMS=4 -DNUM_SCHED=1 -DWARP_SIZE=8 -DNUM_KERNELS=4 -DMEM_TXNS=16 -DNUM_CHANNELS=2 -DNOC_LAT=4"
rtl/qsm_lint.vlt
build/cfg/demo/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
rtl/qsm_delay_msg.sv
rtl/qsm_fifo.sv
rtl/qsm_rr_arb.sv
rtl/mem/qsm_xbar.sv

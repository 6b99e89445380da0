--top-module qsm_xbar
-CFLAGS "-DNUM_SMS=1 -DNUM_SCHED=1 -DWARP_SIZE=4 -DNUM_KERNELS=4 -DMEM_TXNS=8 -DNUM_CHANNELS=1 -DNOC_LAT=1"
rtl/qsm_lint.vlt
build/cfg/tiny/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
rtl/qsm_delay_msg.sv
rtl/qsm_fifo.sv
rtl/qsm_rr_arb.sv
rtl/mem/qsm_xbar.sv

--top-module qsm_ctrl_pins
-CFLAGS "-DNUM_SMS=1 -DNUM_SCHED=1 -DWARPS_PER_SM=4 -DWARP_SIZE=4 -DNUM_KERNELS=4 -DMAX_TBS=4 -DNUM_CHANNELS=1"
-CFLAGS "-DSHARED_BYTES=4096 -DNOC_LAT=1 -DQOS_LAT=200 -DNUM_GROUPS=4 -DNUM_IMAGES=2"
rtl/qsm_lint.vlt
build/cfg/tiny/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
rtl/qsm_regs_pkg.sv
rtl/qsm_gpu_regs.sv
rtl/qsm_slot_rules.sv
rtl/qsm_slot_regs.sv
rtl/qsm_ctrl.sv
tb/unit/ctrl/qsm_ctrl_pins.sv

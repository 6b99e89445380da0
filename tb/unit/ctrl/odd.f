--top-module qsm_ctrl_pins
-CFLAGS "-DNUM_SMS=3 -DNUM_SCHED=2 -DWARPS_PER_SM=6 -DWARP_SIZE=4 -DNUM_KERNELS=3 -DMAX_TBS=5 -DNUM_CHANNELS=1"
-CFLAGS "-DSHARED_BYTES=6144 -DNOC_LAT=3 -DQOS_LAT=200 -DNUM_GROUPS=2 -DNUM_IMAGES=2"
rtl/qsm_lint.vlt
build/cfg/odd/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
rtl/qsm_regs_pkg.sv
rtl/qsm_gpu_regs.sv
rtl/qsm_slot_rules.sv
rtl/qsm_slot_regs.sv
rtl/qsm_ctrl.sv
tb/unit/ctrl/qsm_ctrl_pins.sv

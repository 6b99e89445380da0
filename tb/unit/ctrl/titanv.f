--top-module qsm_ctrl_pins
-CFLAGS "-DNUM_SMS=80 -DNUM_SCHED=4 -DWARPS_PER_SM=64 -DWARP_SIZE=32 -DNUM_KERNELS=4 -DMAX_TBS=32 -DNUM_CHANNELS=16"
-CFLAGS "-DSHARED_BYTES=98304 -DNOC_LAT=8 -DQOS_LAT=530 -DNUM_GROUPS=4 -DNUM_IMAGES=8"
rtl/qsm_lint.vlt
build/cfg/titanv/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
rtl/qsm_regs_pkg.sv
rtl/qsm_gpu_regs.sv
rtl/qsm_slot_rules.sv
rtl/qsm_slot_regs.sv
rtl/qsm_ctrl.sv
tb/unit/ctrl/qsm_ctrl_pins.sv

--assert
--top-module tb_subcore
-y rtl
-y rtl/sm
-y rtl/warp_sched
build/cfg/tiny/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
tb/unit/subcore/tb_subcore.sv

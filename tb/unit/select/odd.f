--assert
--top-module tb_select
build/cfg/odd/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
rtl/sm/qsm_min_tree.sv
rtl/sm/qsm_select.sv
tb/unit/select/tb_select.sv

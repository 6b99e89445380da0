--top-module tb_tb_save
build/cfg/tiny/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
rtl/sm/qsm_tb_ram.sv
rtl/sm/qsm_save_steps.sv
rtl/sm/qsm_tb_save.sv
tb/unit/tb_save/tb_tb_save.sv

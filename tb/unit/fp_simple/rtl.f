--top-module tb_fp_simple
build/cfg/tiny/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
rtl/sm/qsm_alu.sv
rtl/sm/qsm_decode.sv
rtl/sm/qsm_fp_simple.sv
tb/unit/fp_simple/tb_fp_simple.sv

--top-module tb_fp_div
build/cfg/tiny/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
rtl/sm/qsm_decode.sv
rtl/sm/qsm_fp_round.sv
rtl/sm/qsm_fp_div_lane.sv
rtl/sm/qsm_fp_div.sv
tb/unit/fp_div/tb_fp_div.sv

--top-module tb_fp_fma
build/cfg/tiny/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
rtl/sm/qsm_decode.sv
rtl/sm/qsm_mul.sv
rtl/sm/qsm_fp_align.sv
rtl/sm/qsm_fp_normalise.sv
rtl/sm/qsm_fp_round.sv
rtl/sm/qsm_fp_fma.sv
rtl/sm/qsm_fpu.sv
tb/unit/fp_fma/tb_fp_fma.sv

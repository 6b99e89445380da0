--top-module tb_decode
-GFpu=1
-CFLAGS "-DFPU=1"
build/cfg/tiny/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
rtl/sm/qsm_decode.sv
tb/unit/decode/tb_decode.sv

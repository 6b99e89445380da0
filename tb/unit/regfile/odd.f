--top-module qsm_regfile
-CFLAGS "-DLANES=4 -DWARPS=3 -DFPU=0"
build/cfg/odd/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
rtl/sm/qsm_written.sv
rtl/sm/qsm_regfile.sv

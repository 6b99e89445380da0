--top-module qsm_axil_bench
rtl/qsm_lint.vlt
rtl/qsm_axil.sv
tb/cosim/qsm_axil_checker.sv
tb/unit/axil/qsm_axil_bench.sv

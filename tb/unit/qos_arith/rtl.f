--top-module qsm_qos_arith
rtl/qos_mgr/qsm_qos_arith.sv

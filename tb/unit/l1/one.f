--top-module tb_l1
-GSets=1 -GWays=1
-CFLAGS "-DSETS=1 -DWAYS=1"
build/cfg/odd/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
rtl/qsm_lru_arb.sv
rtl/mem/qsm_slot_counters.sv
rtl/mem/qsm_tree.sv
rtl/mem/qsm_l1_data.sv
rtl/mem/qsm_l1_gens.sv
rtl/mem/qsm_l1_tags.sv
rtl/mem/qsm_l1.sv
rtl/sm/qsm_txn_table.sv
rtl/sm/qsm_lsu_return.sv
tb/unit/l1/tb_l1.sv

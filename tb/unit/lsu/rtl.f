build/cfg/odd/qsm_cfg_pkg.sv
rtl/qsm_pkg.sv
rtl/qsm_rr_arb.sv
rtl/qsm_lru_arb.sv
rtl/sm/qsm_lsu_classify.sv
rtl/sm/qsm_coalesce.sv
rtl/sm/qsm_lane_scatter.sv
rtl/qsm_amo_alu.sv
rtl/sm/qsm_shared_pass.sv
rtl/sm/qsm_shared_bank.sv
rtl/sm/qsm_shared_mem.sv
rtl/sm/qsm_txn_table.sv
rtl/sm/qsm_lsu_return.sv
rtl/sm/qsm_tb_ram.sv
rtl/sm/qsm_stacks.sv
rtl/sm/qsm_lsu.sv
tb/unit/lsu/tb_lsu.sv
--top-module tb_lsu

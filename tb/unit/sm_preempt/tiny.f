--assert
--top-module tb_sm_preempt
-y rtl
-y rtl/sm
-y rtl/mem
-y rtl/warp_sched
build/cfg/tiny/qsm_cfg_pkg.sv
rtl/qsm_enums_pkg.sv
rtl/qsm_pkg.sv
tb/unit/sm_preempt/tb_sm_preempt.sv

--top-module tb_qos_mgr
-GNumSms=3 -GNumKernels=3 -GMaxTbs=5 -GNocLat=3 -GQosLat=117 -GEpochReset=150
-CFLAGS "-DNUM_SMS=3 -DNUM_KERNELS=3 -DMAX_TBS=5 -DNOC_LAT=3 -DQOS_LAT=117 -DEPOCH_RESET=150"
tb/unit/qos_mgr/registers.vlt
rtl/qsm_enums_pkg.sv
rtl/qos_mgr/qsm_epoch_timer.sv
rtl/qos_mgr/qsm_qos_arith.sv
rtl/qos_mgr/qsm_qos_goal.sv
rtl/qos_mgr/qsm_qos_mgr.sv
rtl/qos_mgr/qsm_qos_split.sv
rtl/qos_mgr/qsm_qos_sum.sv
tb/unit/qos_mgr/tb_qos_mgr.sv

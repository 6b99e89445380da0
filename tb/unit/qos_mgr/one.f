--top-module tb_qos_mgr
-GNumSms=1 -GNumKernels=1 -GMaxTbs=1 -GNocLat=1 -GQosLat=82 -GEpochReset=100
-CFLAGS "-DNUM_SMS=1 -DNUM_KERNELS=1 -DMAX_TBS=1 -DNOC_LAT=1 -DQOS_LAT=82 -DEPOCH_RESET=100"
tb/unit/qos_mgr/registers.vlt
rtl/qsm_enums_pkg.sv
rtl/qos_mgr/qsm_epoch_timer.sv
rtl/qos_mgr/qsm_qos_arith.sv
rtl/qos_mgr/qsm_qos_goal.sv
rtl/qos_mgr/qsm_qos_mgr.sv
rtl/qos_mgr/qsm_qos_split.sv
rtl/qos_mgr/qsm_qos_sum.sv
tb/unit/qos_mgr/tb_qos_mgr.sv

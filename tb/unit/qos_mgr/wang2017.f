--top-module tb_qos_mgr
-GNumSms=16 -GNumKernels=4 -GMaxTbs=32 -GNocLat=8 -GQosLat=195 -GEpochReset=250
-CFLAGS "-DNUM_SMS=16 -DNUM_KERNELS=4 -DMAX_TBS=32 -DNOC_LAT=8 -DQOS_LAT=195 -DEPOCH_RESET=250"
tb/unit/qos_mgr/registers.vlt
rtl/qsm_enums_pkg.sv
rtl/qos_mgr/qsm_epoch_timer.sv
rtl/qos_mgr/qsm_qos_arith.sv
rtl/qos_mgr/qsm_qos_goal.sv
rtl/qos_mgr/qsm_qos_mgr.sv
rtl/qos_mgr/qsm_qos_split.sv
rtl/qos_mgr/qsm_qos_sum.sv
tb/unit/qos_mgr/tb_qos_mgr.sv

--top-module qsm_preempt_exam
-GNumSms=3 -GNumKernels=3 -GMaxTbs=5 -GNumImages=6 -GLineBytes=128
-CFLAGS "-DNUM_SMS=3 -DNUM_KERNELS=3 -DMAX_TBS=5 -DNUM_IMAGES=6 -DLINE_BYTES=128 -DN_CYCLES=60000"
rtl/qsm_enums_pkg.sv
rtl/qsm_rr_arb.sv
rtl/tb_sched/qsm_preempt_exam.sv

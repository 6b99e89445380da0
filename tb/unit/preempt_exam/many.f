--top-module qsm_preempt_exam
-GNumSms=5 -GNumKernels=8 -GMaxTbs=32 -GNumImages=16 -GLineBytes=8
-CFLAGS "-DNUM_SMS=5 -DNUM_KERNELS=8 -DMAX_TBS=32 -DNUM_IMAGES=16 -DLINE_BYTES=8 -DN_CYCLES=20000"
rtl/qsm_enums_pkg.sv
rtl/qsm_rr_arb.sv
rtl/tb_sched/qsm_preempt_exam.sv

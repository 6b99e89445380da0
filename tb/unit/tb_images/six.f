--top-module qsm_tb_images
-GNumKernels=3 -GNumImages=6 -GTicketW=5
-CFLAGS "-DNUM_KERNELS=3 -DNUM_IMAGES=6 -DTICKET_W=5"
rtl/tb_sched/qsm_tb_images.sv

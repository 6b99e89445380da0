--top-module qsm_tb_images
-GNumKernels=1 -GNumImages=1 -GTicketW=1
-CFLAGS "-DNUM_KERNELS=1 -DNUM_IMAGES=1 -DTICKET_W=1"
rtl/tb_sched/qsm_tb_images.sv

// SPDX-License-Identifier: Apache-2.0
// Types between qsm_tb_sched and qsm_preempt. Included where NumSms, NumKernels, MaxTbs, KernelW,
// TbW, ImageW and TicketW are known and qsm_enums_pkg is imported.
typedef struct packed {  // resident TBs, the youngest first
  logic [NumSms-1:0][MaxTbs-1:0] valid;
  logic [NumSms-1:0][MaxTbs-1:0][TbW-1:0] tb;
  logic [NumSms-1:0][MaxTbs-1:0][KernelW-1:0] kernel;
} ages_t;
typedef struct packed {  // launches: a register and pulses
  logic [NumKernels-1:0] killed, launch, kill;
} launches_t;
typedef struct packed {  // what the TB adjuster, or moves of SMs, ask for
  logic [NumSms-1:0][NumKernels-1:0] blocks;
  technique_e technique;
} evict_t;
typedef struct packed {  // next saved block of the kernel whose block has a place
  logic [ImageW-1:0] image;
  logic fresh;
  logic [TicketW-1:0] spare;
} next_t;
typedef struct packed {  // it is dispatched to this SM (at most one bit)
  logic [NumSms-1:0] sms;
  logic [TbW-1:0] tb;
  logic [TicketW-1:0] ticket;
} restore_t;
typedef struct packed {  // a ticket that comes back by clean-up
  logic [NumSms-1:0] sms;
  logic [KernelW-1:0] kernel;
  logic [TicketW-1:0] ticket;
} return_t;
typedef struct packed {  // save or flush message
  logic decision;
  logic [NumSms-1:0] sms;
  logic [KernelW-1:0] kernel;
  logic [TbW-1:0] tb;
  logic [ImageW-1:0] image;
  logic flush;
} save_t;

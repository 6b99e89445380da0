// SPDX-License-Identifier: Apache-2.0
// Types of the ports of qsm_tb_sched, which hands some on to qsm_preempt, with just the members
// that they read or set, for a module of a GPU that has no types of its own, as benches and proofs:
// it includes this file where NumSms, NumKernels, SmW, KernelW, SubW, TbW, GranW and TicketW are
// known and qsm_enums_pkg is imported.
typedef struct packed {
  struct packed {
    logic [1:0] level;
    logic qos;
    logic valid;
  } ctx;
  logic [NumSms-1:0] sm_mask;
  logic [19:0] save_base;
  logic [19:0] save_limit;
  logic idempotent;
  logic preempt_hold;
  logic [6:0] warp_cap;
} slot_regs_t;
typedef struct packed {
  logic [31:0] base;
  logic [31:0] limit;
  logic w;
  logic r;
} window_t;
typedef struct packed {
  logic [2:0][15:0] grid;
  logic [6:0] warps;
  logic [GranW:0] granules;
  logic [18:0] shared;
  window_t [1:0] win;
} desc_t;
typedef struct packed {
  scheme_e scheme;
  logic adjust;
  technique_e adjust_technique;
  struct packed {logic on;} latecomers;
  technique_e move_technique;
  logic [0:0] sm_gating;
} gpu_regs_t;
`include "qsm_sm_owner_types.svh"
typedef struct packed {
  logic valid;
  logic [SmW-1:0] sm;
  logic [KernelW-1:0] kernel;
  logic [TbW-1:0] tb;
  logic by_slot;
  technique_e technique;
} preempt_req_t;
typedef struct packed {
  preempt_code_e code;
  logic [SmW-1:0] sm;
  logic [TbW-1:0] tb;
  logic [3:0] image;
} preempt_status_t;
typedef struct packed {
  logic [2:0] kind;
  logic [KernelW-1:0] kernel;
  logic [TbW-1:0] tb;
  logic [3:0] image;
  logic [2:0] result;
} job_t;
typedef struct packed {
  logic [4:0] images;
  logic [4:0] queued;
} saved_t;
typedef struct packed {
  logic [NumKernels-1:0] busy, killed, yielded, ended, faulted, had_tb;
  logic [NumKernels-1:0][2:0][15:0] walk_block;
  logic [NumKernels-1:0][31:0] walk_linear;
  logic [NumKernels-1:0][31:0] launches;
  logic [NumKernels-1:0][SmW-1:0] fault_sm;
  logic [NumSms-1:0][NumKernels-1:0][5:0] cnt, target, staying;
  logic alloc_busy, adjust_busy;
  preempt_status_t preempt;
  job_t [NumSms-1:0] job;
  saved_t [NumKernels-1:0] saved;
  sm_owner_t [NumSms-1:0] owner;
  logic [NumKernels-1:0] part;
} status_t;
typedef struct packed {
  logic [NumKernels-1:0][12:0] snap_idle;
} figures_t;
typedef struct packed {
  logic valid;
  logic [1:0] op;
  logic [KernelW-1:0] kernel;
  logic [TbW-1:0] tb;
  logic [SubW-1:0] first;
  logic [GranW-1:0] base;
  logic [2:0][15:0] block;
  logic [31:0] linear;
  logic [3:0] image;
  logic fresh;
  logic [TicketW-1:0] ticket;
} dispatch_t;
typedef struct packed {
  struct packed {
    logic valid;
    logic [TbW-1:0] tb;
    logic saved;
  } retire;
  logic restored;
  logic [NumKernels-1:0] fault;
  struct packed {
    logic on;
    logic off;
  } power;
} from_sm_t;

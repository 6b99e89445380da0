// SPDX-License-Identifier: Apache-2.0
// Types of the ports of qsm_qos_mgr with just the members that it reads or sets, for a module of a
// GPU that has no types of its own, as benches and proofs: it includes this file where NumSms,
// NumKernels, KernelW and SnapW are known and qsm_enums_pkg is imported.
typedef struct packed {
  scheme_e scheme;
  logic [19:0] epoch_len;
  logic [21:0] alpha_cap;
  logic [7:0] rollover_cap;
  struct packed {
    logic [2:0] margin;
    logic no_floor, pooled, all_cycles, carried, unfed, alpha_en;
  } quota_rules;
  logic [3:0] nonqos_quota;
} gpu_regs_t;
typedef struct packed {
  struct packed {
    logic qos;
    logic valid;
  } ctx;
  logic [31:0] goal;
  logic [31:0] iso_ipc;
} slot_regs_t;
typedef struct packed {
  logic [NumKernels-1:0] arrival, launch, deadline, work;
  logic [31:0] data;
} due_write_t;
typedef struct packed {
  sm_use_e usage;
  logic moving;
} owner_t;
typedef struct packed {
  owner_t [NumSms-1:0] owner;
  logic [NumKernels-1:0] busy, had_tb;
  logic [NumSms-1:0][NumKernels-1:0][5:0] staying;
} tb_status_t;
typedef struct packed {
  logic [NumKernels-1:0][SnapW-1:0] snap_insn;
  logic [NumKernels-1:0][31:0] snap_c;
} figures_t;
typedef struct packed {
  logic valid;
  logic [KernelW-1:0] kernel;
  logic [30:0] quota;
  logic [30:0] credit;
} quota_word_t;
typedef struct packed {
  logic valid;
  scheme_e scheme;
  logic [NumKernels-1:0] keep;
} quota_load_t;
typedef struct packed {
  logic busy;
  logic [31:0] epoch_count, epoch_e_lo;
  logic [NumKernels-1:0][47:0] insn, cycles;
  logic [NumKernels-1:0][30:0] epoch_insn, epoch_quota;
  logic [NumKernels-1:0][21:0] alpha, ratio;
} status_t;

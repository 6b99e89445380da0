// SPDX-License-Identifier: Apache-2.0
// The ports of qsm_sm, gathered: what the shim carries between the two Verilated models, qsm_cosim
// and qsm_sm_block.
package qsm_sm_pins_pkg;
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;

  typedef struct packed {
    logic [SmW-1:0] sm_id;
    logic [63:0] cycle;
    desc_t [NumKernels-1:0] desc;
    policy_e policy;
    policy_param_t policy_param;
    logic [NumKernels-1:0] qos;
    logic [30:0] first_quota;
    logic [31:12] save_base;
    logic [19:0] epoch_len;
    logic [NumKernels-1:0] skip_l1;
    logic [NumKernels-1:0] start;
    logic [NumKernels-1:0] kill;
    dispatch_t dispatch;
    logic icache_inv;
    logic tick;
    logic sample;
    quota_word_t quota_word;
    quota_load_t quota_load;
    logic [KernelW-1:0] fault_kernel;
    logic [SubW-1:0] stall_sub;
    logic [KernelW-1:0] stall_kernel;
    logic [2:0] stall_reason;
    logic [KernelW-1:0] l1_slot;
    logic [2:0] l1_counter;
    mem_rsp_t rsp;
  } to_sm_t;

  typedef struct packed {
    retire_t retire;
    logic restored;
    logic [NumKernels-1:0] fault;
    fault_t fault_record;
    logic [NumKernels-1:0][31:0] snap_c;
    logic [NumKernels-1:0][31:0] snap_insn;
    logic [NumKernels-1:0][30:0] quota;
    logic [NumKernels-1:0][12:0] snap_idle;
    logic [31:0] stall_value;
    logic [31:0] l1_value;
    logic [3:0] save_phase;
    qaws_front_t [NumSched-1:0] qaws_front;
    mem_req_t req;
  } from_sm_t;

  localparam int unsigned ToSmW = $bits(to_sm_t);
  localparam int unsigned FromSmW = $bits(from_sm_t);
endpackage

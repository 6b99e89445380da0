// SPDX-License-Identifier: Apache-2.0
// Types of the ports of qsm_sm_owner, which the SM manager has too, for a module of a GPU that has
// no types of its own, as benches and proofs: it includes this file where NumSms, NumKernels, SmW
// and KernelW are known and qsm_enums_pkg is imported.
typedef struct packed {
  logic valid;
  logic [SmW-1:0] sm;
  sm_use_e usage;
  logic [KernelW-1:0] owner;
} sm_request_t;
typedef struct packed {
  sm_power_e power;
  logic [KernelW-1:0] next_owner;
  sm_use_e next_usage;
  logic moving;
  logic [KernelW-1:0] owner;
  sm_use_e usage;
} sm_owner_t;

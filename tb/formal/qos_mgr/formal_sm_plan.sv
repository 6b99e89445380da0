// SPDX-License-Identifier: Apache-2.0
// qsm_sm_plan: whatever the SMs are when a plan begins, each request changes its SM's destination,
// towards the counts that are wanted; no SM is asked for twice, but for a free one that becomes
// shared; after NumSms requests at most, and that one, the plan ends, and then every slot has what
// it shall have, the rest is free, but for one SM where one stays shared; or all SMs are shared.
module formal_sm_plan
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumSms = 3,
  parameter int unsigned NumKernels = 2,
  localparam int unsigned CountW = $clog2(NumSms + 1),
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1
) (
  input logic                              clk_i,
  input logic                              start_i,
  input logic                              stop_i,
  input logic                              managed_i,
  input logic                              keep_i,    // an SM stays shared
  input logic [NumKernels-1:0][CountW-1:0] n_i,
  input logic [NumSms-1:0][1:0]            usage_i,   // destinations when a plan begins
  input logic [NumSms-1:0][KernelW-1:0]    owner_i,
  input logic [NumSms-1:0]                 moving_i,  // any in every cycle, as the next three
  input logic [NumSms-1:0][1:0]            other_usage_i,
  input logic [NumSms-1:0][KernelW-1:0]    other_owner_i,
  input logic [NumSms-1:0][1:0]            power_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  `include "qsm_sm_owner_types.svh"

  // ---- Destinations: any when a plan begins, then what was asked for ----
  logic [NumSms-1:0][1:0]            usage_q;
  logic [NumSms-1:0][KernelW-1:0]    owner_q;
  logic [NumKernels-1:0][CountW-1:0] n_q;
  logic                              managed_q, keep_q, planning;
  logic [NumSms-1:0]                 asked_q;
  logic                              shares, shared_q;  // keep: the request for the shared one
  sm_owner_t [NumSms-1:0]            owner;
  sm_request_t                       request;
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      owner[i].power = sm_power_e'(power_i[i]);
      owner[i].moving = moving_i[i];
      owner[i].usage = sm_use_e'(moving_i[i] ? other_usage_i[i] : usage_q[i]);
      owner[i].owner = moving_i[i] ? other_owner_i[i] : owner_q[i];
      owner[i].next_usage = sm_use_e'(moving_i[i] ? usage_q[i] : other_usage_i[i]);
      owner[i].next_owner = moving_i[i] ? owner_q[i] : other_owner_i[i];
    end
  end
  qsm_sm_plan #(.NumSms(NumSms), .NumKernels(NumKernels), .owner_t(sm_owner_t),
      .request_t(sm_request_t))
      u_dut (
    .clk_i, .rst_ni, .start_i, .stop_i, .managed_i(managed_q), .keep_i(keep_q), .n_i(n_q),
    .owner_i(owner), .planning_o(planning), .request_o(request)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      usage_q <= '0;
      owner_q <= '0;
      n_q <= '0;
      managed_q <= 1'b0;
      keep_q <= 1'b0;
      asked_q <= '0;
      shared_q <= 1'b0;
    end else if (start_i) begin
      usage_q <= usage_i;
      owner_q <= owner_i;
      n_q <= n_i;
      managed_q <= managed_i;
      keep_q <= keep_i;
      asked_q <= '0;
      shared_q <= 1'b0;
    end else if (request.valid) begin
      usage_q[request.sm] <= request.usage;
      owner_q[request.sm] <= request.owner;
      asked_q[request.sm] <= 1'b1;
      if (shares) shared_q <= 1'b1;
    end
  end
  assign shares = request.valid && managed_q && request.usage == UseShared;

  // ---- Who has how many, counted anew ----
  function automatic logic [CountW-1:0] have(logic [KernelW-1:0] k);
    have = '0;
    for (int unsigned i = 0; i < NumSms; i++)
      have += CountW'(usage_q[i] == UseOwned && owner_q[i] == k);
  endfunction
  logic [CountW+2:0] wanted;
  logic [CountW-1:0] n_shared;
  logic              proper, met, all_shared, rest;  // rest: as many are shared as must be
  always_comb begin
    wanted = '0;
    met = 1'b1;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      wanted += (CountW + 3)'(n_i[k]);
      met = met && have(KernelW'(k)) == n_q[k];
    end
    proper = 1'b1;
    all_shared = 1'b1;
    n_shared = '0;
    for (int unsigned i = 0; i < NumSms; i++) begin
      proper = proper && usage_i[i] != 2'd3 && 32'(owner_i[i]) < NumKernels;
      all_shared = all_shared && usage_q[i] == UseShared;
      n_shared += CountW'(usage_q[i] == UseShared);
    end
    rest = n_shared == CountW'(keep_q);
  end

  logic ended_q;  // a plan has ended by itself
  always_ff @(posedge clk_i) ended_q <= rst_ni && planning && !request.valid;

  logic [KernelW-1:0] from;
  assign from = owner_q[request.sm];
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!start_i || (!planning && 32'(wanted) + 32'(keep_i) <= NumSms && proper));
      if (request.valid) in_a_plan: assert (planning && 32'(request.sm) < NumSms);
      if (request.valid)
        changes: assert (usage_q[request.sm] != request.usage ||
            (request.usage == UseOwned && from != request.owner));
      if (request.valid && !shares) once: assert (!asked_q[request.sm]);
      if (shares) free_one: assert (keep_q && !shared_q && n_shared == '0 &&
          usage_q[request.sm] == UseFree);
      if (request.valid && managed_q && keep_q && usage_q[request.sm] == UseShared)
        one_is_left: assert (n_shared > CountW'(1));
      if (shared_q) done_with_it: assert (!request.valid);
      if (request.valid && managed_q && request.usage == UseOwned)
        to_the_needy: assert (have(request.owner) < n_q[request.owner]);
      if (request.valid && managed_q && usage_q[request.sm] == UseOwned)
        from_the_rich: assert (have(from) > n_q[from]);
      if (request.valid && !managed_q) back: assert (request.usage == UseShared);
      if (planning && asked_q == '1) ends: assert (!request.valid || shares);
      if (ended_q && !start_i)
        reached: assert (!planning && (managed_q ? met && rest : all_shared));
      if (!planning) rests: assert (!request.valid);
      // For the engine: a request is made as long as anything is to be done.
      if (planning && request.valid == 1'b0)
        nothing_left: assert (managed_q ? met && rest : all_shared);
      whole_machine: cover (ended_q && managed_q && asked_q == '1);
      taken: cover (request.valid && managed_q && usage_q[request.sm] == UseOwned &&
          request.usage == UseOwned);
      freed: cover (request.valid && managed_q && usage_q[request.sm] == UseOwned &&
          request.usage == UseFree);
      kept: cover (ended_q && managed_q && keep_q && !shared_q && asked_q != '0);
      longest: cover (ended_q && shared_q && asked_q == '1);
      given_back: cover (ended_q && !managed_q && asked_q == '1);
    end
  end
endmodule

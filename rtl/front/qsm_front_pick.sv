// SPDX-License-Identifier: Apache-2.0
// First request circular from a place, for many requests: first of groups of eight, then in one.
// Contract: R-GEN-5; idx_o means nothing without valid_o. Combinational.
// Cost: for 64 requests under half of qsm_rr_pick, which answers sooner.
module qsm_front_pick #(
  parameter int unsigned N = 16,
  localparam int unsigned IdxW = (N > 1) ? $clog2(N) : 1,
  localparam int unsigned Groups = (N + 7) / 8,
  localparam int unsigned GroupW = (Groups > 1) ? $clog2(Groups) : 1
) (
  input  logic [IdxW-1:0] from_i,   // below N
  input  logic [N-1:0]    req_i,
  output logic            valid_o,
  output logic [IdxW-1:0] idx_o
);
  logic [Groups-1:0][7:0] reqs;
  logic [Groups-1:0] any, grant_unused;
  logic [7:0] head;                 // requests of the group of from_i from there on
  logic [GroupW-1:0] from, after, later, group, after_unused;
  logic [2:0] place;

  function automatic logic [2:0] first_of(input logic [7:0] group_reqs);
    first_of = '0;
    for (int n = 7; n >= 0; n--) if (group_reqs[n]) first_of = 3'(n);
  endfunction

  always_comb begin
    reqs = (8 * Groups)'(req_i);
    for (int unsigned g = 0; g < Groups; g++) any[g] = reqs[g] != '0;
    from = GroupW'(8'(from_i) >> 3);
    after = (from == GroupW'(Groups - 1)) ? '0 : from + GroupW'(1);
    head = reqs[from] & (8'hFF << 3'(from_i));
  end
  always_comb begin
    group = (head != '0) ? from : later;
    place = (head != '0) ? first_of(head) : first_of(reqs[later]);
  end
  qsm_rr_pick #(.N(Groups)) u_group (
    .from_i(after), .req_i(any), .valid_o, .grant_o(grant_unused), .idx_o(later),
    .after_o(after_unused)
  );
  assign idx_o = IdxW'({group, place});
endmodule

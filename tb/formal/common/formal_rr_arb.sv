// SPDX-License-Identifier: Apache-2.0
// qsm_rr_arb: the grant is the first request circular from the one after the last grant, and a
// request that stays waits for at most N - 1 others.
module formal_rr_arb #(
  parameter int unsigned N = 5,
  localparam int unsigned IdxW = (N > 1) ? $clog2(N) : 1
) (
  input logic         clk_i,
  input logic [N-1:0] req_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic            valid;
  logic [N-1:0]    grant;
  logic [IdxW-1:0] idx;
  qsm_rr_arb #(.N(N)) u_dut (.clk_i, .rst_ni, .req_i, .valid_o(valid), .grant_o(grant),
      .idx_o(idx));

  // The place to look first, and what is found from there on.
  logic [IdxW-1:0] from_q, expected;
  logic [N-1:0]    expected_grant;
  function automatic logic [IdxW-1:0] after(logic [IdxW-1:0] place);
    return (32'(place) == N - 1) ? '0 : place + 1'b1;
  endfunction
  always_comb begin
    logic [IdxW-1:0] place;
    place = from_q;
    expected = '0;
    expected_grant = '0;
    for (int unsigned d = 0; d < N; d++) begin
      if (req_i[place] && expected_grant == '0) begin
        expected = place;
        expected_grant[place] = 1'b1;
      end
      place = after(place);
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) from_q <= '0;
    else if (req_i != '0) from_q <= after(expected);
  end

  // Grants to others since the request has been there.
  logic [N-1:0][IdxW:0] others_q;
  logic [N-1:0]         patient;
  always_comb for (int unsigned n = 0; n < N; n++) patient[n] = 32'(others_q[n]) < N;
  always_ff @(posedge clk_i) begin
    for (int unsigned n = 0; n < N; n++)
      others_q[n] <= (!rst_ni || !req_i[n] || grant[n]) ? '0 : others_q[n] + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_grant: assert ($onehot0(grant));
      requested: assert ((grant & ~req_i) == '0);
      someone: assert (valid == (req_i != '0) && valid == (grant != '0));
      in_turn: assert (grant == expected_grant);
      index: assert (idx == expected);
      fair: assert (&patient);
      last_wait: cover (32'(others_q[0]) == N - 1 && grant[0]);
      idle: cover (!valid && 32'(from_q) == N - 1);
    end
  end
endmodule

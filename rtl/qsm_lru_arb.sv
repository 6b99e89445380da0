// SPDX-License-Identifier: Apache-2.0
// Least-recently-granted arbiter: of the requests of a cycle it grants the one whose last grant was
// longest ago, in the same cycle.
// Contract: after reset as if they had been served in ascending order. Fair: a request that stays
// is granted after at most N - 1 others.
// Cost: a register per pair, N*(N-1)/2.
// Observed by the lockstep monitor: older_q (full state).
module qsm_lru_arb #(
  parameter int unsigned N = 2  // requests, 2..
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [N-1:0] req_i,
  output logic [N-1:0] grant_o  // at most one bit
);
  // Of each pair i < j: i was served longer ago.
  logic [N*(N-1)/2-1:0] older_q;
  function automatic int unsigned pair(input int unsigned i, input int unsigned j);
    return j * (j - 1) / 2 + i;
  endfunction

  for (genvar i = 0; i < N; i++) begin : g_request
    logic [N-1:0] ahead;  // requests that go before this one
    for (genvar j = 0; j < N; j++) begin : g_pair
      if (i < j) begin : g_register
        assign ahead[j] = req_i[j] && !older_q[pair(i, j)];
        always_ff @(posedge clk_i or negedge rst_ni) begin
          if (!rst_ni) older_q[pair(i, j)] <= 1'b1;
          else if (grant_o[i] || grant_o[j]) older_q[pair(i, j)] <= grant_o[j];
        end
      end else if (i > j) begin : g_known
        assign ahead[j] = req_i[j] && older_q[pair(j, i)];
      end else begin : g_itself
        assign ahead[j] = 1'b0;
      end
    end
    assign grant_o[i] = req_i[i] && ahead == '0;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0(grant_o) && (grant_o == '0) == (req_i == '0))
    else $error("qsm_lru_arb: not exactly one request is granted");
`endif
endmodule

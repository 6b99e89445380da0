// SPDX-License-Identifier: Apache-2.0
// A run of granules as a mask: len_i from base_i on. Combinational.
module qsm_run_mask #(
  parameter int unsigned N = 32,  // granules, power of two
  localparam int unsigned PosW = $clog2(N),
  localparam int unsigned LenW = $clog2(N + 1)
) (
  input  logic [PosW-1:0] base_i,
  input  logic [LenW-1:0] len_i,
  output logic [N-1:0]    run_o
);
  logic [LenW:0] behind;  // first position after the run
  assign behind = (LenW+1)'(base_i) + (LenW+1)'(len_i);
  always_comb begin
    for (int unsigned p = 0; p < N; p++) run_o[p] = PosW'(p) >= base_i && (LenW+1)'(p) < behind;
  end
endmodule

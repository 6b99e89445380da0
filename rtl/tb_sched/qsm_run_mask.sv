// SPDX-License-Identifier: Apache-2.0
// A run of granules as a mask: len_i from base_i on. Combinational.
// Positions are compared in two halves of their bits, decoded once for all: two LUT4 per granule,
// where compares of whole positions take a carry chain each.
module qsm_run_mask #(
  parameter int unsigned N = 32,  // granules, power of two
  localparam int unsigned PosW = $clog2(N),
  localparam int unsigned LenW = $clog2(N + 1)
) (
  input  logic [PosW-1:0] base_i,
  input  logic [LenW-1:0] len_i,
  output logic [N-1:0]    run_o
);
  localparam int unsigned LowW = (PosW + 1) / 2;
  typedef logic [PosW:0] pos_t;  // base_i + len_i is less than 2 * N
  typedef logic [PosW-LowW:0] high_t;

  // Bit p: position p is below this one.
  function automatic logic [N-1:0] below(input pos_t pos);
    high_t high;
    logic [LowW-1:0] low;
    {high, low} = pos;
    for (int unsigned p = 0; p < N; p++) begin
      below[p] = high_t'(p >> LowW) < high || (high_t'(p >> LowW) == high && LowW'(p) < low);
    end
  endfunction

  pos_t behind;  // first position after the run
  assign behind = pos_t'(base_i) + pos_t'(len_i);
  assign run_o = below(behind) & ~below(pos_t'(base_i));
endmodule

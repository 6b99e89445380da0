// SPDX-License-Identifier: Apache-2.0
// Warps that a thread block has on each sub-core: its warp w is on sub-core (first + w) mod
// NumSched. Combinational. docs/tb_sched.md R-TB-10.
module qsm_tb_need #(
  parameter int unsigned NumSched = 1,       // sub-cores, 1..4
  parameter int unsigned WarpsPerSched = 8,  // 1..16
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned FreeW = $clog2(WarpsPerSched + 1)
) (
  input  logic [FreeW-1:0] whole_i,  // warps of the TB = whole_i * NumSched + rest_i
  input  logic [SubW-1:0]  rest_i,
  input  logic [SubW-1:0]  first_i,  // sub-core of its warp 0
  output logic [NumSched-1:0][FreeW-1:0] need_o
);
  always_comb begin
    for (int unsigned j = 0; j < NumSched; j++) begin
      logic [SubW:0] turn;  // (j - first) mod NumSched
      turn = (SubW+1)'(j) + ((SubW'(j) >= first_i) ? '0 : (SubW+1)'(NumSched)) - (SubW+1)'(first_i);
      need_o[j] = whole_i + FreeW'(turn < (SubW+1)'(rest_i));
    end
  end
endmodule

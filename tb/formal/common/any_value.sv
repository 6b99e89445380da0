// SPDX-License-Identifier: Apache-2.0
// A value that may be anything in every cycle, where proofs.txt opens this module (open:any_value).
module any_value #(
  parameter int unsigned Width = 1
) (
  input  logic             clk_i,
  output logic [Width-1:0] value_o
);
  always_ff @(posedge clk_i) value_o <= '0;
endmodule

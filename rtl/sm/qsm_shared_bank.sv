// SPDX-License-Identifier: Apache-2.0
// One bank of shared memory: single port, 32 bits, byte writes, synchronous read. A cycle reads or writes, never both,
// so it is a plain block RAM without read-during-write logic.
// Observed by the lockstep monitor: mem (state).
module qsm_shared_bank #(
  parameter int unsigned Rows = 256,
  parameter int unsigned RowW = 8
) (
  input  logic            clk_i,
  input  logic            read_i,
  input  logic [3:0]      write_i,  // by byte
  input  logic [RowW-1:0] row_i,
  input  logic [31:0]     wdata_i,
  output logic [31:0]     rdata_o   // the cycle after read_i; stays until the next read
);
  logic [3:0][7:0] mem [Rows];

  initial begin
    for (int unsigned r = 0; r < Rows; r++) mem[r] = '0;
  end

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      rdata_o <= mem[row_i];
    end else begin
      for (int unsigned b = 0; b < 4; b++) begin
        if (write_i[b]) mem[row_i][b] <= wdata_i[8*b +: 8];
      end
    end
  end

`ifndef SYNTHESIS
  a_one_port: assert property (@(posedge clk_i) !(read_i && write_i != '0))
    else $error("R-LS-8: a bank is read and written in one cycle");
`endif
endmodule

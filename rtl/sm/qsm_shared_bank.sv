// SPDX-License-Identifier: Apache-2.0
// One bank of shared memory: a port of 32 bits with byte writes and synchronous read, and one that
// clears rows (docs/sm.md R-SM-10).
// A cycle reads or writes at the first, never both, and never the row that the second one clears:
// so it is a plain block RAM with two ports, without logic for reads and writes that meet. (Two
// processes write the memory: in one, its writes would have an order, which costs logic.)
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
  output logic [31:0]     rdata_o,  // the cycle after read_i; stays until the next read
  input  logic            wipe_i,
  input  logic [RowW-1:0] wipe_row_i
);
  (* no_rw_check *) logic [3:0][7:0] mem [Rows];

  initial begin
    for (int unsigned r = 0; r < Rows; r++) mem[r] = '0;
  end

  always @(posedge clk_i) begin
    if (read_i) begin
      rdata_o <= mem[row_i];
    end else begin
      for (int unsigned b = 0; b < 4; b++) begin
        if (write_i[b]) mem[row_i][b] <= wdata_i[8*b +: 8];
      end
    end
  end

  always @(posedge clk_i) begin
    if (wipe_i) mem[wipe_row_i] <= '0;
  end

`ifndef SYNTHESIS
  a_wipe_alone: assert property (@(posedge clk_i) !(wipe_i && (read_i || write_i != '0) &&
      row_i == wipe_row_i))
    else $error("R-SM-10: an access to a row that is wiped");
  a_one_port: assert property (@(posedge clk_i) !(read_i && write_i != '0))
    else $error("R-LS-8: a bank is read and written in one cycle");
`endif
endmodule

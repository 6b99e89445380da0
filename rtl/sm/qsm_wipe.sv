// SPDX-License-Identifier: Apache-2.0
// Clears the shared memory of a thread block whose warps have finished, row by row, before the
// block retires. docs/sm.md (R-SM-10).
// Contract: over_i of a block, its base and SHARED of its launch are stable until the block
// retires. It retires only when clean_o is set.
// Latency: over in t: its first row is cleared in t + 1, n rows by t + n, clean in t + n + 1, if no
// other block is being wiped.
// Cost: MaxTbs + TbW + RowW + RowCountW flip-flops, a division by the bytes of a row (a constant:
// an increment).
// Observed by the lockstep monitor: valid_q, tb_q, row_q, left_q, clean_q (state).
module qsm_wipe
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
#(
  localparam int unsigned RowCountW = $clog2(SharedRows + 1)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  desc_t [NumKernels-1:0]  desc_i,
  input  tb_info_t [MaxTbs-1:0]   tb_info_i,
  input  dispatch_t               arrive_i,  // R-SM-1
  input  logic [MaxTbs-1:0]       over_i,    // R-SM-4
  output logic [MaxTbs-1:0]       clean_o,
  // The second port of the banks
  output logic                    wipe_o,
  output logic [RowW-1:0]         row_o
);
  logic                 valid_q;
  logic [TbW-1:0]       tb_q;
  logic [RowW-1:0]      row_q;
  logic [RowCountW-1:0] left_q;
  logic [MaxTbs-1:0]    clean_q;

  // The lowest block that waits
  logic [MaxTbs-1:0] waits;
  logic [TbW-1:0]    next;
  assign waits = over_i & ~clean_q;
  always_comb begin
    next = '0;
    for (int s = int'(MaxTbs) - 1; s >= 0; s--) if (waits[s]) next = TbW'(s);
  end

  // A granule is a whole number of rows.
  logic [18:0] shared;
  assign shared = desc_i[tb_info_i[next].kernel].shared;

  logic last;
  assign last = valid_q && left_q == RowCountW'(1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      tb_q    <= '0;
      row_q   <= '0;
      left_q  <= '0;
      clean_q <= '0;
    end else begin
      if (valid_q) begin
        valid_q <= !last;
        row_q   <= row_q + RowW'(1);
        left_q  <= left_q - RowCountW'(1);
      end else begin
        valid_q <= waits != '0;
        tb_q    <= next;
        row_q   <= RowW'(tb_info_i[next].base) * RowW'(GranuleBytes / LineBytes);
        left_q  <= RowCountW'(shared >> LineOffW) + RowCountW'(|shared[LineOffW-1:0]);
      end
      if (last) clean_q[tb_q] <= 1'b1;
      if (arrive_i.valid) clean_q[arrive_i.tb] <= desc_i[arrive_i.kernel].shared == '0;
    end
  end

  assign clean_o = clean_q;
  assign wipe_o  = valid_q;
  assign row_o   = row_q;

  logic unused;
  assign unused = ^{desc_i, arrive_i};

`ifndef SYNTHESIS
  a_rows: assert property (@(posedge clk_i) disable iff (!rst_ni) !valid_q || left_q != '0)
    else $error("R-SM-10: a wipe without rows");
  a_over: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !valid_q || (over_i[tb_q] && !clean_q[tb_q]))
    else $error("R-SM-10: a block is wiped that is not over, or is clean");
`endif
endmodule

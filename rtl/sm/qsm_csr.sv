// SPDX-License-Identifier: Apache-2.0
// Value of a CSR for one instruction in EX1: what all lanes share; lanes add their index where
// add_lane_o says so (the shared value then has zeros there). Combinational. Doc: docs/isa.md
// (CSRs).
module qsm_csr
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned Sub = 0
) (
  input  logic [7:0]         num_i,      // lower bits of the number of a CSR that there is
  input  op_t                op_i,
  input  logic [63:0]        cycle_i,
  input  logic [SmW-1:0]     sm_id_i,
  input  desc_t [NumKernels-1:0] desc_i,
  input  logic [2:0][15:0]   block_i,    // index of the warp's thread block
  input  logic [TicketW-1:0] ticket_i,   // of that block
  output logic [31:0]        value_o,
  output logic               add_lane_o
);
  desc_t desc;
  logic [31:0] hw_warp;

  assign desc = desc_i[op_i.kernel];
  assign hw_warp = 32'(sm_id_i) * WarpsPerSm + Sub * WarpsPerSched + 32'(op_i.warp);

  always_comb begin
    add_lane_o = 1'b0;
    if (!num_i[6]) begin  // 0xC00, 0xC80
      value_o = num_i[7] ? cycle_i[63:32] : cycle_i[31:0];
    end else if (num_i[4]) begin  // 0xCD0, 0xCD1
      value_o = num_i[0] ? 32'(ticket_i) : WarpSize;
    end else begin
      unique case (num_i[3:0])  // 0xCC0 ..
        4'h0: begin
          value_o = 32'(op_i.widx) << LaneW;
          add_lane_o = 1'b1;
        end
        4'h1: value_o = 32'(block_i[0]);
        4'h2: value_o = 32'(block_i[1]);
        4'h3: value_o = 32'(block_i[2]);
        4'h4: value_o = 32'(desc.block[0]);
        4'h5: value_o = 32'(desc.block[1]);
        4'h6: value_o = 32'(desc.block[2]);
        4'h7: value_o = 32'(desc.grid[0]);
        4'h8: value_o = 32'(desc.grid[1]);
        4'h9: value_o = 32'(desc.grid[2]);
        4'hA: begin
          value_o = '0;
          add_lane_o = 1'b1;
        end
        4'hB: value_o = 32'(sm_id_i);
        4'hC: value_o = desc.arg;
        4'hD: begin
          value_o = hw_warp << LaneW;
          add_lane_o = 1'b1;
        end
        4'hE: value_o = 32'(op_i.kernel);
        default: value_o = 32'(op_i.split.mask);
      endcase
    end
  end

  logic unused;
  assign unused = ^{desc, op_i, num_i[5]};
endmodule

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
  input  logic [11:0]        num_i,
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
    case (num_i)
      12'hC00: value_o = cycle_i[31:0];
      12'hC80: value_o = cycle_i[63:32];
      12'hCC0: begin
        value_o = 32'(op_i.widx) << LaneW;
        add_lane_o = 1'b1;
      end
      12'hCC1: value_o = 32'(block_i[0]);
      12'hCC2: value_o = 32'(block_i[1]);
      12'hCC3: value_o = 32'(block_i[2]);
      12'hCC4: value_o = 32'(desc.block[0]);
      12'hCC5: value_o = 32'(desc.block[1]);
      12'hCC6: value_o = 32'(desc.block[2]);
      12'hCC7: value_o = 32'(desc.grid[0]);
      12'hCC8: value_o = 32'(desc.grid[1]);
      12'hCC9: value_o = 32'(desc.grid[2]);
      12'hCCA: begin
        value_o = '0;
        add_lane_o = 1'b1;
      end
      12'hCCB: value_o = 32'(sm_id_i);
      12'hCCC: value_o = desc.arg;
      12'hCCD: begin
        value_o = hw_warp << LaneW;
        add_lane_o = 1'b1;
      end
      12'hCCE: value_o = 32'(op_i.kernel);
      12'hCCF: value_o = 32'(op_i.split.mask);
      12'hCD0: value_o = WarpSize;
      12'hCD1: value_o = 32'(ticket_i);
      default: value_o = '0;
    endcase
  end

  logic unused;
  assign unused = ^{desc, op_i};
endmodule

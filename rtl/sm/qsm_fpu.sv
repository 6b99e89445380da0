// SPDX-License-Identifier: Apache-2.0
// FMA unit of a sub-core: all lanes, an instruction per cycle, from EX1 (t+2) to F5 (t+6), whose
// result WB takes. Doc: docs/fpu.md (R-FP-1, -2).
// What the lanes share: the instruction on its way, in which they are told what to do in EX1 and
// F5.
module qsm_fpu
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // EX1.
  input  logic                      valid_i,
  input  op_t                       op_i,
  input  dec_t                      dec_i,
  input  lanes_t                    a_i,
  input  lanes_t                    b_i,
  input  lanes_t                    c_i,
  input  logic [WarpSize-1:0][47:0] product_i,  // EX2
  // F5.
  output sb_done_t                  done_o,     // R-FP-2
  output wb_t                       result_o
);
  localparam int unsigned Stages = 4;  // EX2 .. F5: registers

  typedef struct packed {
    logic [WarpW-1:0] warp;
    logic [4:0] rd;
    mask_t mask;
    logic [SbW-1:0] entry;
    fp_t fp;
  } flight_t;

  logic [Stages:0] valid;
  logic [Stages:1] valid_q;
  flight_t [Stages:0] flight;
  flight_t [Stages:1] flight_q;
  assign valid = {valid_q, valid_i};
  assign flight = {flight_q, flight_t'{warp: op_i.warp, rd: dec_i.rd, mask: op_i.split.mask,
      entry: op_i.entry, fp: dec_i.fp}};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= valid[Stages-1:0];
  end
  for (genvar s = 1; s <= Stages; s++) begin : g_stage
    always_ff @(posedge clk_i) if (valid[s-1]) flight_q[s] <= flight[s-1];
  end

  lanes_t data;
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    qsm_fp_fma u_fma (
      .clk_i, .go_i(valid), .ex1_fp_i(flight[0].fp), .a_i(a_i[l]), .b_i(b_i[l]), .c_i(c_i[l]),
      .product_i(product_i[l]),
      .f5_fp_i(flight[Stages].fp), .result_o(data[l])
    );
  end

  logic writes;
  assign writes = valid[Stages] && flight[Stages].rd != '0;
  assign done_o = '{valid: writes, warp: flight[Stages].warp, entry: flight[Stages].entry};
  assign result_o = '{valid: writes, warp: flight[Stages].warp, rd: flight[Stages].rd,
      mask: flight[Stages].mask, data: data};

  logic unused;
  assign unused = ^{op_i, dec_i};
endmodule

// SPDX-License-Identifier: Apache-2.0
// Memory accesses of the front end: loads of 1 to 32 words, a line after the other, one word per
// cycle; stores within a line. One at a time.
// Contract: docs/front.md R-FR-8. go_i is high in an access's first cycle, in which its first
// request is sent; what describes the access stays as it is until done_o, its last cycle. Responses
// are those to its requests; addresses are the channel's, before R-XB-6.
// Latency: a word per cycle from the cycle after that in which the response is seen.
// Cost: a line's register.
module qsm_front_mem
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  input  logic              go_i,
  input  logic              write_i,
  input  logic [31:0]       addr_i,   // multiple of 4 times the words, or of a line
  input  logic [4:0]        last_i,   // words - 1; of a store 0 or 3
  input  logic [3:0][31:0]  wdata_i,  // a store's words by bits 3:2 of their address

  output logic              valid_o,  // a word of a load is here
  output logic [4:0]        index_o,  // which
  output logic [31:0]       word_o,
  output logic              done_o,

  output mem_req_t          req_o,
  input  mem_rsp_t          rsp_i
);
  localparam int unsigned OffW = (LaneW > 5) ? LaneW : 5;

  logic load_q, taking_q, next_q;   // a line is asked for; its words are taken; the next is sent
  logic [4:0] index_q;              // of the next word
  lanes_t line_q;
  logic line_end;
  logic [31:0] addr;                // of the next word
  logic [LaneW-1:0] lane;

  assign addr = addr_i | (go_i ? '0 : 32'(index_q) << 2);
  assign lane = addr[2 +: LaneW];
  assign line_end = lane == LaneW'(WarpSize - 1);
  assign valid_o = taking_q;
  assign index_o = index_q;
  assign word_o = line_q[lane];
  assign done_o = (taking_q && index_q == last_i) || (rsp_i.valid && !load_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load_q <= 1'b0;
      taking_q <= 1'b0;
      next_q <= 1'b0;
      index_q <= '0;
    end else begin
      if (go_i) load_q <= !write_i;
      next_q <= taking_q && line_end && !done_o;
      if (rsp_i.valid && load_q) taking_q <= 1'b1;
      else if (done_o || line_end) taking_q <= 1'b0;
      if (go_i) index_q <= '0;
      else if (taking_q) index_q <= index_q + 5'd1;
    end
  end
  always_ff @(posedge clk_i) if (rsp_i.valid) line_q <= rsp_i.data;

  always_comb begin
    req_o = '{valid: go_i || next_q, kind: write_i ? MemWrite : MemRead, amo: AmoSwap,
        addr: {addr[31:LineOffW], LineOffW'(0)}, default: '0};
    for (int unsigned l = 0; l < WarpSize; l++) begin
      req_o.data[l] = wdata_i[l % 4];
      req_o.bytes[4*l +: 4] = (write_i && LaneW'(l) >= lane &&
          OffW'(l) <= OffW'(lane) + OffW'(last_i)) ? '1 : '0;
    end
  end

  logic unused;
  assign unused = ^{rsp_i.tag, addr[1:0]};

`ifndef SYNTHESIS
  // By a register of its own: of all responses of the crossbar Verilator would keep a sample.
  logic astray_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) astray_q <= 1'b0;
    else astray_q <= rsp_i.valid && (taking_q || go_i);
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) !astray_q)
    else $error("R-FR-8: a response that nobody waits for");
`endif
endmodule

// SPDX-License-Identifier: Apache-2.0
// Monitor of the lockstep at the GPU's ports: all that a netlist has to be compared by
// (docs/netlist.md), and a part of what the RTL has.
module qsm_port_monitor
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_lockstep_pkg::*;
  import qsm_monitor_pkg::*;
#(
  parameter int RequestLate = 0  // 1: requests, and whether they were taken, of the cycle before
) (
  input logic clk_i,
  input logic rst_ni,
  input logic irq,
  input port_req_t [NumChannels-1:0] req,
  input logic      [NumChannels-1:0] req_ready,
  input port_rsp_t [NumChannels-1:0] rsp,
  input logic      [NumChannels-1:0] rsp_ready
);
  localparam int unsigned MaskWords = (LineBytes + 31) / 32;

  // Gathered only when there is something to report. What means nothing is 0.
  function automatic bit [2047:0] line_words(input port_req_t r);
    automatic bytes_t bytes = (r.kind == MemRead) ? '0 : r.bytes;
    automatic logic [LineBytes-1:0][7:0] data = r.data;
    for (int b = 0; b < LineBytes; b++) if (!bytes[b]) data[b] = '0;
    return 2048'({data, (32 * MaskWords)'(bytes), 32'(r.slot)});
  endfunction

  logic irq_q;  // of the cycle before
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) irq_q <= 1'b0;
    else irq_q <= irq;
  end

  always @(posedge clk_i) if (rst_ni) begin
    if (irq != irq_q) qsm_dpi_event(EvIrq, 0, 0, 0, 1, 256'(irq));
    for (int c = 0; c < NumChannels; c++) begin
      if (req[c].valid && req_ready[c]) begin
        qsm_dpi_event(EvMemReq, c, 0, RequestLate, 4,
                      256'({32'(req[c].tag), 32'(req[c].sm), req[c].addr, 26'd0, req[c].kind,
                          req[c].kind == MemAmo ? req[c].amo : 4'd0}));
        qsm_dpi_event_wide(EvMemLine, c, 0, RequestLate, 1 + MaskWords + WarpSize,
                           line_words(req[c]));
      end
      if (rsp[c].valid && rsp_ready[c])
        qsm_dpi_event(EvMemRsp, c, 0, 0, 2, 256'({32'(rsp[c].tag), 32'(rsp[c].sm)}));
    end
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// Which access of the registers is done next: the host's where it has one, else the front end's
// write. It is kept in a register, so that address, range and rules are looked at in a cycle of
// their own.
// Contract: docs/control_port.md R-CP-14. Latency: chosen in a cycle, done in the next; one per
// cycle.
module qsm_ctrl_choice
  import qsm_pkg::*;
(
  input  logic     clk_i,
  input  logic     rst_ni,
  input  ctl_req_t host_i,
  input  ctl_req_t front_i,  // taken in a cycle without one of the host's
  output ctl_req_t req_o,    // done in this cycle
  output logic     host_o    // it is the host's; only with valid
);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) req_o.valid <= 1'b0;
    else req_o.valid <= host_i.valid || front_i.valid;
  end
  always_ff @(posedge clk_i) begin
    host_o <= host_i.valid;
    req_o.we <= host_i.valid ? host_i.we : front_i.we;
    req_o.addr <= host_i.valid ? host_i.addr : front_i.addr;
    req_o.wdata <= host_i.valid ? host_i.wdata : front_i.wdata;
  end
endmodule

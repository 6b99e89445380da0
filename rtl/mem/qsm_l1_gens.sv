// SPDX-License-Identifier: Apache-2.0
// Generations of an L1's lines, one per slot (docs/l1.md R-L1-11). Events of a cycle take effect
// once, at its end.
module qsm_l1_gens #(
  parameter int unsigned Slots = 4,
  parameter int unsigned Subs = 1,
  localparam int unsigned SlotW = (Slots > 1) ? $clog2(Slots) : 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  logic [Slots-1:0]           start_i,
  input  logic                       restore_i,
  input  logic [SlotW-1:0]           restore_slot_i,
  input  logic [Subs-1:0]            fence_i,       // a device fence is issued
  input  logic [Subs-1:0][SlotW-1:0] fence_slot_i,
  output logic [Slots-1:0][3:0]      gen_o,
  output logic                       wrap_o         // a generation of that number may have lines
);
  logic [Slots-1:0] renew;
  logic [Slots-1:0][3:0] gen_q, gen_d;

  always_comb begin
    renew = start_i;
    if (restore_i) renew[restore_slot_i] = 1'b1;
    for (int unsigned s = 0; s < Subs; s++) if (fence_i[s]) renew[fence_slot_i[s]] = 1'b1;
  end
  always_comb begin
    wrap_o = 1'b0;
    for (int unsigned k = 0; k < Slots; k++) begin
      gen_d[k] = gen_q[k] + 4'(renew[k]);
      wrap_o |= renew[k] && gen_q[k] == '1;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) gen_q <= '0;
    else gen_q <= gen_d;
  end
  assign gen_o = gen_q;
endmodule

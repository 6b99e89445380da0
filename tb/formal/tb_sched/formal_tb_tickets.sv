// SPDX-License-Identifier: Apache-2.0
// qsm_tb_tickets of all SMs, as R-PE-9 uses them for one kernel: no ticket is given to two blocks,
// none exceeds the range, and a block that comes gets one though all others are out. Blocks wander
// between the SMs (images), so tickets come back elsewhere than they were taken. A save is told in
// the cycle of its clean-up: until then no block of the kernel comes to that SM (R-PE-8).
module formal_tb_tickets #(
  parameter int unsigned NumSms = 2,
  parameter int unsigned MaxTbs = 2,
  parameter int unsigned NumImages = 2,
  localparam int unsigned Tickets = NumImages + NumSms * MaxTbs,
  localparam int unsigned TicketW = $clog2(Tickets),
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned ImageW = (NumImages > 1) ? $clog2(NumImages) : 1
) (
  input logic               clk_i,
  input logic               launch_i,
  // In one cycle: a block comes to an SM, new or out of an image; and from each SM one goes, for
  // good or into an image.
  input logic               come_i,
  input logic [SmW-1:0]     come_sm_i,
  input logic               restore_i,
  input logic [ImageW-1:0]  restore_image_i,
  input logic [NumSms-1:0]  retire_i,
  input logic               save_i,
  input logic [SmW-1:0]     save_sm_i,
  input logic [ImageW-1:0]  save_image_i,
  input logic [TicketW-1:0] any_i,  // any ticket
  input logic [NumSms-1:0][TicketW-1:0] retire_ticket_i,
  input logic [TicketW-1:0] save_ticket_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // ---- Where every ticket is: out with a resident block (of which SM), the spare one of an image,
  // with a saved block in it, or with the stacks ----
  logic [Tickets-1:0]                 out_q;
  logic [Tickets-1:0][SmW-1:0]        at_q;
  logic [NumImages-1:0][TicketW-1:0]  spare_q;
  logic [NumImages-1:0]               full_q;
  logic [NumSms-1:0][$clog2(MaxTbs+1)-1:0] n_q;  // resident blocks

  logic [NumSms-1:0][TicketW-1:0] ticket, push_ticket;
  logic [NumSms-1:0]              take, push;
  logic [TicketW-1:0]             given;
  always_comb begin
    take = '0;
    if (come_i) take[come_sm_i] = 1'b1;
    push = retire_i;
    push_ticket = retire_ticket_i;
    if (save_i) begin
      push[save_sm_i] = 1'b1;
      push_ticket[save_sm_i] = spare_q[save_image_i];
    end
    given = restore_i ? spare_q[restore_image_i] : ticket[come_sm_i];
  end

  for (genvar i = 0; i < NumSms; i++) begin : g_sm
    qsm_tb_tickets #(.NumKernels(1), .MaxTbs(MaxTbs), .FirstTicket(NumImages + i), .Step(NumSms),
        .TicketW(TicketW)) u_dut (
      .clk_i, .rst_ni, .launch_i, .kernel_i('0), .ticket_o(ticket[i]), .take_i(take[i]),
      .push_i(push[i]), .push_kernel_i('0), .push_ticket_i(push_ticket[i])
    );
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || launch_i) begin
      out_q <= '0;
      full_q <= '0;
      n_q <= '0;
      for (int unsigned v = 0; v < NumImages; v++) spare_q[v] <= TicketW'(v);
    end else begin
      for (int unsigned i = 0; i < NumSms; i++) begin
        n_q[i] <= n_q[i] + take[i] - retire_i[i] - (save_i && 32'(save_sm_i) == i);
        if (retire_i[i]) out_q[retire_ticket_i[i]] <= 1'b0;
      end
      if (save_i) begin  // the block keeps its ticket, the image's spare one goes to the stack
        out_q[save_ticket_i] <= 1'b0;
        spare_q[save_image_i] <= save_ticket_i;
        full_q[save_image_i] <= 1'b1;
      end
      if (come_i && restore_i) begin
        spare_q[restore_image_i] <= ticket[come_sm_i];
        full_q[restore_image_i] <= 1'b0;
      end
      if (come_i) begin
        out_q[given] <= 1'b1;
        at_q[given] <= come_sm_i;
      end
    end
  end

  logic [NumSms-1:0]    retires_ok;
  logic [NumImages-1:0] spare_apart;
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++) begin
      retires_ok[i] = !retire_i[i] || (32'(retire_ticket_i[i]) < Tickets &&
          out_q[retire_ticket_i[i]] && 32'(at_q[retire_ticket_i[i]]) == i);
    end
    for (int unsigned v = 0; v < NumImages; v++) begin
      spare_apart[v] = 32'(spare_q[v]) < Tickets && !out_q[spare_q[v]];
      for (int unsigned u = 0; u < v; u++) if (spare_q[u] == spare_q[v]) spare_apart[v] = 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    assume (32'(come_sm_i) < NumSms && 32'(save_sm_i) < NumSms &&
        32'(restore_image_i) < NumImages && 32'(save_image_i) < NumImages);
    if (rst_ni) begin
      assume (!launch_i || (out_q == '0 && full_q == '0 && !come_i && !save_i && retire_i == '0));
      assume (!come_i || 32'(n_q[come_sm_i]) < MaxTbs);
      // R-PE-7: never in the cycle of a clean-up
      assume (!restore_i || (come_i && full_q[restore_image_i] && !save_i));
      assume (&retires_ok);
      assume (!save_i || (!full_q[save_image_i] && 32'(save_ticket_i) < Tickets &&
          out_q[save_ticket_i] && at_q[save_ticket_i] == save_sm_i
              && !retire_i[save_sm_i]));
      if (come_i) in_range: assert (32'(given) < Tickets && 32'(ticket[come_sm_i]) < Tickets);
      if (come_i) nobody_has_it: assert (!out_q[given] && !out_q[ticket[come_sm_i]]);
      spares: assert (&spare_apart);
      moved: cover (come_i && restore_i && given == 2 && 32'(come_sm_i) == 1);
      all_out: cover (&out_q[Tickets-1:NumImages] && full_q == '0);
    end
  end
endmodule

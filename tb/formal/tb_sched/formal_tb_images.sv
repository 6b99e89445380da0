// SPDX-License-Identifier: Apache-2.0
// qsm_tb_images: every image is free, being written, saved, being restored or (its kernel was
// killed) dropped, never two of these; saved blocks come back in the order in which they were
// saved, each with the ticket that lies with its image; all is free when a launch ends (R-PE-7 to
// -10).
module formal_tb_images #(
  parameter int unsigned NumKernels = 2,
  parameter int unsigned NumImages = 3,
  parameter int unsigned TicketW = 3,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned ImageW = (NumImages > 1) ? $clog2(NumImages) : 1,
  localparam int unsigned CountW = $clog2(NumImages + 1)
) (
  input logic                  clk_i,
  input logic [NumKernels-1:0] launch_i,
  input logic [NumKernels-1:0] kill_i,
  input logic [NumKernels-1:0] ending_i,
  input logic                  claim_i,
  input logic [KernelW-1:0]    claim_kernel_i,
  input logic [ImageW-1:0]     claim_image_i,
  input logic                  free_i,
  input logic                  saved_i,
  input logic [KernelW-1:0]    done_kernel_i,
  input logic [ImageW-1:0]     done_image_i,
  input logic                  done_fresh_i,
  input logic [TicketW-1:0]    done_ticket_i,
  input logic [KernelW-1:0]    kernel_i,
  input logic                  resume_i,
  input logic [TicketW-1:0]    resume_ticket_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [NumKernels-1:0][NumImages-1:0] used;
  logic [NumKernels-1:0][CountW-1:0]    queued;
  logic [TicketW-1:0]                   done_spare, spare;
  logic [ImageW-1:0]                    image;
  logic                                 fresh;
  qsm_tb_images #(.NumKernels(NumKernels), .NumImages(NumImages), .TicketW(TicketW)) u_dut (
    .clk_i, .rst_ni, .launch_i, .kill_i, .ending_i, .used_o(used), .queued_o(queued), .claim_i,
    .claim_kernel_i, .claim_image_i,
    .free_i, .saved_i, .done_kernel_i, .done_image_i, .done_fresh_i, .done_ticket_i,
    .done_spare_o(done_spare),
    .kernel_i, .image_o(image), .fresh_o(fresh), .spare_o(spare), .resume_i, .resume_ticket_i
  );

  // ---- What the page says of a launch and its images ----
  typedef enum logic [2:0] { Free, Written, Saved, Restored, Dropped } place_e;
  typedef struct packed {
    logic [ImageW-1:0] image;
    logic fresh;
  } block_t;
  logic [NumKernels-1:0]                             busy_q, killed_q;
  place_e [NumKernels-1:0][NumImages-1:0]            place_q, place_d;
  // saved blocks, that which waits longest first
  block_t [NumKernels-1:0][NumImages-1:0]            line_q;
  logic [NumKernels-1:0][CountW-1:0]                 len_q;
  logic [NumKernels-1:0][NumImages-1:0][TicketW-1:0] spare_q;
  always_comb begin
    place_d = place_q;
    if (claim_i) place_d[claim_kernel_i][claim_image_i] = Written;
    if (free_i) place_d[done_kernel_i][done_image_i] = Free;
    if (saved_i) place_d[done_kernel_i][done_image_i] = Saved;
    if (resume_i) place_d[kernel_i][line_q[kernel_i][0].image] = Restored;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned v = 0; v < NumImages; v++) begin
        if (kill_i[k] && place_d[k][v] == Saved) place_d[k][v] = Dropped;
        if (ending_i[k]) place_d[k][v] = Free;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {busy_q, killed_q, place_q, len_q} <= '0;
      for (int unsigned k = 0; k < NumKernels; k++)
        for (int unsigned v = 0; v < NumImages; v++) spare_q[k][v] <= TicketW'(v);
    end else begin
      place_q <= place_d;
      if (saved_i) begin
        line_q[done_kernel_i][len_q[done_kernel_i]] <= '{image: done_image_i, fresh: done_fresh_i};
        len_q[done_kernel_i] <= len_q[done_kernel_i] + 1'b1;
        spare_q[done_kernel_i][done_image_i] <= done_ticket_i;
      end
      if (resume_i) begin
        for (int unsigned n = 1; n < NumImages; n++) line_q[kernel_i][n-1] <= line_q[kernel_i][n];
        len_q[kernel_i] <= len_q[kernel_i] - 1'b1;
        spare_q[kernel_i][line_q[kernel_i][0].image] <= resume_ticket_i;
      end
      for (int unsigned k = 0; k < NumKernels; k++) begin
        if (kill_i[k]) begin
          len_q[k] <= '0;
          killed_q[k] <= 1'b1;
        end
        if (ending_i[k]) busy_q[k] <= 1'b0;
        if (launch_i[k]) begin
          {busy_q[k], killed_q[k]} <= 2'b10;
          for (int unsigned v = 0; v < NumImages; v++) spare_q[k][v] <= TicketW'(v);
        end
      end
    end
  end

  logic [NumKernels-1:0]            launches_ok, kills_ok, endings_ok, counted, in_order, all_free,
      ring, spares;
  logic [NumKernels-1:0][CountW-1:0] n_saved;
  logic [NumKernels-1:0][NumImages-1:0] in_use;
  always_comb begin
    n_saved = '0;
    ring = '1;
    spares = '1;
    in_order = '1;
    for (int unsigned k = 0; k < NumKernels; k++) begin
      logic under_way, any;
      {under_way, any} = '0;
      for (int unsigned v = 0; v < NumImages; v++) begin
        in_use[k][v] = place_q[k][v] != Free;
        n_saved[k] += CountW'(place_q[k][v] == Saved);
        under_way |= place_q[k][v] inside {Written, Restored};
        any |= in_use[k][v];
        if (spare_q[k][v] != (u_dut.changed_q[k][v] ? u_dut.spare_mem[k << ImageW | v]
            : TicketW'(v))) spares[k] = 1'b0;
      end
      counted[k] = queued[k] == n_saved[k] && queued[k] == len_q[k] &&
          32'(queued[k]) <= NumImages && !(killed_q[k] && queued[k] != '0);
      for (int unsigned n = 0; n < NumImages; n++) begin
        if (n < 32'(len_q[k])) begin
          if (32'(line_q[k][n].image) >= NumImages || place_q[k][line_q[k][n].image] != Saved)
            in_order[k] = 1'b0;
          for (int unsigned m = 0; m < n; m++)
            if (line_q[k][m].image == line_q[k][n].image) in_order[k] = 1'b0;
          if (u_dut.queue_mem[k << ImageW | (32'(u_dut.head_q[k]) + n) % NumImages] != line_q[k][n])
            ring[k] = 1'b0;
        end
      end
      if (32'(u_dut.head_q[k]) >= NumImages) ring[k] = 1'b0;
      all_free[k] = busy_q[k] || !any;
      launches_ok[k] = !launch_i[k] || !busy_q[k];
      kills_ok[k] = !kill_i[k] || (busy_q[k] && !killed_q[k]);
      // R-TB-3, R-PE-10
      endings_ok[k] = !ending_i[k] || (busy_q[k] && !under_way && (killed_q[k] || !any) &&
          !kill_i[k]);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (32'(kernel_i) < NumKernels && 32'(claim_kernel_i) < NumKernels &&
          32'(done_kernel_i) < NumKernels);
      assume (32'(claim_image_i) < NumImages && 32'(done_image_i) < NumImages);
      assume (&launches_ok && &kills_ok && &endings_ok);
      assume (!claim_i || (busy_q[claim_kernel_i] && !killed_q[claim_kernel_i] &&
          !ending_i[claim_kernel_i] && place_q[claim_kernel_i][claim_image_i] == Free));
      assume (!free_i || place_q[done_kernel_i][done_image_i] inside {Written, Restored});
      assume (!saved_i || (!free_i && place_q[done_kernel_i][done_image_i] == Written &&
          !killed_q[done_kernel_i]));
      assume (!resume_i || (!free_i && !saved_i && len_q[kernel_i] != '0 && !killed_q[kernel_i]));
      used_if_not_free: assert (used == in_use);
      queue_is_saved: assert (&counted);
      one_block_each: assert (&in_order);
      if (len_q[kernel_i] != '0)
        longest_wait: assert ({image, fresh} == line_q[kernel_i][0] &&
            spare == spare_q[kernel_i][image]);
      if (saved_i) spare_goes: assert (done_spare == spare_q[done_kernel_i][done_image_i]);
      all_back: assert (&all_free);
      // For the induction: how the block keeps it.
      kept_in_order: assert (&ring && &spares);
      full: cover (32'(queued[0]) == NumImages && u_dut.head_q[0] == 2);
      turned: cover (resume_i && image == 0 && line_q[kernel_i][1].image == 2 &&
          len_q[kernel_i] == 2 && place_q[kernel_i][1] == Restored);
      dropped: cover (ending_i[1] && place_q[1][0] == Dropped && place_q[1][2] == Dropped);
      again: cover (launch_i[0] && killed_q[0] && u_dut.changed_q[0] != '0);
    end
  end
endmodule

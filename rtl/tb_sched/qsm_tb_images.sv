// SPDX-License-Identifier: Apache-2.0
// Context images of saved thread blocks: which images are in use, which blocks wait in them (a
// queue per kernel), and the spare ticket of each image.
// Contract: docs/preemption.md R-PE-7 to R-PE-10. Everything shows from the next cycle on. A resume
// and a clean-up do not coincide.
// Cost: a bit for use and one for "spare changed" per image, head and length per queue; queues and
// spares in distributed RAM.
module qsm_tb_images #(
  parameter int unsigned NumKernels = 4,  // 1..8
  parameter int unsigned NumImages = 8,   // per kernel, 1..16
  parameter int unsigned TicketW = 6,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned ImageW = (NumImages > 1) ? $clog2(NumImages) : 1,
  localparam int unsigned CountW = $clog2(NumImages + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Kernel table: pulses.
  input  logic [NumKernels-1:0] launch_i,
  input  logic [NumKernels-1:0] kill_i,
  input  logic [NumKernels-1:0] ending_i,

  output logic [NumKernels-1:0][NumImages-1:0] used_o,
  output logic [NumKernels-1:0][CountW-1:0]    queued_o,  // blocks that wait

  // A save or flush is accepted.
  input  logic               claim_i,
  input  logic [KernelW-1:0] claim_kernel_i,
  input  logic [ImageW-1:0]  claim_image_i,

  // Clean-up of a job: its image is free again, or holds a block from now on, whose ticket changes
  // places with the spare one.
  input  logic               free_i,
  input  logic               saved_i,
  input  logic [KernelW-1:0] done_kernel_i,
  input  logic [ImageW-1:0]  done_image_i,
  input  logic               done_fresh_i,
  input  logic [TicketW-1:0] done_ticket_i,
  output logic [TicketW-1:0] done_spare_o,

  // The block that waits longest.
  input  logic [KernelW-1:0] kernel_i,
  output logic [ImageW-1:0]  image_o,
  output logic               fresh_o,
  output logic [TicketW-1:0] spare_o,         // what the block gets
  input  logic               resume_i,        // it leaves the queue,
  input  logic [TicketW-1:0] resume_ticket_i  // and this is the image's spare ticket now
);
  typedef struct packed {
    logic [ImageW-1:0] image;
    logic fresh;
  } saved_t;

  logic [NumKernels-1:0][NumImages-1:0] used_q;
  logic [NumKernels-1:0][ImageW-1:0] head_q;
  logic [NumKernels-1:0][CountW-1:0] queued_q;
  saved_t queue_mem[1 << (KernelW + ImageW)];

  // ---- queue: tail = (head + length) mod NumImages ----
  logic [CountW:0] behind;
  logic [ImageW-1:0] tail;
  saved_t head;
  assign behind = (CountW+1)'(head_q[done_kernel_i]) + (CountW+1)'(queued_q[done_kernel_i]);
  assign tail = ImageW'((behind >= (CountW+1)'(NumImages)) ? behind - (CountW+1)'(NumImages)
      : behind);
  assign head = queue_mem[{kernel_i, head_q[kernel_i]}];
  always_ff @(posedge clk_i)
    if (saved_i) queue_mem[{done_kernel_i, tail}] <= '{image: done_image_i, fresh: done_fresh_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      queued_q <= '0;
    end else begin
      if (saved_i) queued_q[done_kernel_i] <= queued_q[done_kernel_i] + CountW'(1);
      if (resume_i) begin
        queued_q[kernel_i] <= queued_q[kernel_i] - CountW'(1);
        head_q[kernel_i] <= (head_q[kernel_i] == ImageW'(NumImages - 1)) ? '0 : head_q[kernel_i] +
            ImageW'(1);
      end
      for (int unsigned k = 0; k < NumKernels; k++) if (kill_i[k]) queued_q[k] <= '0;
    end
  end

  // ---- images in use ----
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
    end else begin
      if (claim_i) used_q[claim_kernel_i][claim_image_i] <= 1'b1;
      if (free_i) used_q[done_kernel_i][done_image_i] <= 1'b0;
      for (int unsigned k = 0; k < NumKernels; k++) if (ending_i[k]) used_q[k] <= '0;
    end
  end

  // ---- spare tickets, R-PE-9: the image's own number until it has changed ----
  logic [NumKernels-1:0][NumImages-1:0] changed_q;
  logic [TicketW-1:0] spare_mem[1 << (KernelW + ImageW)];
  logic [KernelW-1:0] spare_kernel;
  logic [ImageW-1:0] spare_image;
  assign spare_kernel = resume_i ? kernel_i : done_kernel_i;
  assign spare_image = resume_i ? head.image : done_image_i;
  always_ff @(posedge clk_i) begin
    if (saved_i || resume_i)
      spare_mem[{spare_kernel, spare_image}] <= resume_i ? resume_ticket_i : done_ticket_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      changed_q <= '0;
    end else begin
      if (saved_i || resume_i) changed_q[spare_kernel][spare_image] <= 1'b1;
      for (int unsigned k = 0; k < NumKernels; k++) if (launch_i[k]) changed_q[k] <= '0;
    end
  end

  assign spare_o = changed_q[kernel_i][head.image] ? spare_mem[{kernel_i, head.image}] :
    TicketW'(head.image);
  assign done_spare_o = changed_q[done_kernel_i][done_image_i]
      ? spare_mem[{done_kernel_i, done_image_i}] : TicketW'(done_image_i);
  assign image_o = head.image;
  assign fresh_o = head.fresh;
  assign used_o = used_q;
  assign queued_o = queued_q;

`ifndef SYNTHESIS
  // R-PE-7
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(resume_i && (saved_i || free_i)));
  // R-PE-8
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(resume_i && queued_q[kernel_i] == '0));
  // no overflow
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(saved_i && queued_q[done_kernel_i] == CountW'(NumImages)));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(claim_i && used_q[claim_kernel_i][claim_image_i]));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !((saved_i || free_i) && !used_q[done_kernel_i][done_image_i]));
`endif
endmodule

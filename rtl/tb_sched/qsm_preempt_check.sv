// SPDX-License-Identifier: Apache-2.0
// Checks requests of the host, of the TB adjuster and of moves of SMs to preempt a thread block:
// one request at a time is checked and decided.
// Contract: docs/preemption.md R-PE-1, 2, 3, 11, docs/sm_owner.md R-SO-5. A request latched in c is
// decided in c+1 (drain, or no image is free) or c+2+v (image v).
// Observed by the lockstep monitor: decided, code, from_host_q, sm_o, kernel_o, tb_o, technique_o,
// image_o (PREEMPT).
// Cost: the image's address is compared by subtracting the image size from the save area, v+1 times
// one subtractor.
module qsm_preempt_check
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumSms = 4,      // 1..96
  parameter int unsigned NumKernels = 4,  // 1..8
  parameter int unsigned MaxTbs = 8,      // 1..32
  parameter int unsigned NumImages = 8,   // 1..16
  parameter int unsigned LineBytes = 16,  // power of two, 8..128
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned ImageW = (NumImages > 1) ? $clog2(NumImages) : 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Host: a request in the cycle of its write (none while code_o = 1), and the last decision of
  // one.
  input  logic               host_i,
  input  logic [SmW-1:0]     host_sm_i,
  input  logic [KernelW-1:0] host_kernel_i,
  input  logic               host_by_slot_i,
  input  logic [TbW-1:0]     host_tb_i,
  input  technique_e         host_technique_i,
  output preempt_code_e      code_o,
  output logic [SmW-1:0]     code_sm_o,
  output logic [TbW-1:0]     code_tb_o,
  output logic [ImageW-1:0]  code_image_o,
  // TB adjuster.
  input  logic [NumSms-1:0][NumKernels-1:0] evict_i,          // falls when the request is over
  input  technique_e                        evict_technique_i,
  output logic [NumSms-1:0][NumKernels-1:0] evict_refused_o,  // pulse
  // Moves of SMs, in the same way.
  input  logic [NumSms-1:0][NumKernels-1:0] move_i,
  input  technique_e                        move_technique_i,
  output logic [NumSms-1:0][NumKernels-1:0] move_refused_o,   // pulse

  // Launches: save area, windows in pages of 4096 bytes.
  input  logic [NumKernels-1:0]            killed_i,
  input  logic [NumKernels-1:0][19:0]      save_base_i,
  input  logic [NumKernels-1:0][19:0]      save_limit_i,
  input  logic [NumKernels-1:0]            idempotent_i,
  input  logic [NumKernels-1:0][1:0]       win_rw_i,     // both rights
  input  logic [NumKernels-1:0][1:0][19:0] win_base_i,
  input  logic [NumKernels-1:0][1:0][19:0] win_limit_i,
  input  logic [NumKernels-1:0][6:0]       warps_i,      // per TB
  input  logic [NumKernels-1:0][18:0]      shared_i,     // bytes per TB
  // Locations of blocks.
  // resident TBs, the youngest first
  input  logic [NumSms-1:0][MaxTbs-1:0]                 age_valid_i,
  input  logic [NumSms-1:0][MaxTbs-1:0][TbW-1:0]        age_tb_i,
  input  logic [NumSms-1:0][MaxTbs-1:0][KernelW-1:0]    age_kernel_i,
  input  logic [NumSms-1:0]                             retire_i,
  input  logic [NumSms-1:0][TbW-1:0]                    retire_tb_i,
  input  logic [NumSms-1:0]                             job_i,        // some job is there
  input  logic [NumKernels-1:0][NumImages-1:0]          used_i,

  // Decision.
  output logic               decision_o,  // in this cycle, whatever it is
  output logic               accept_o,
  output logic               for_host_o,
  output logic [SmW-1:0]     sm_o,
  output logic [KernelW-1:0] kernel_o,
  output logic [TbW-1:0]     tb_o,
  output technique_e         technique_o,
  output logic [ImageW-1:0]  image_o
);
  localparam int unsigned LineOffW = $clog2(LineBytes);
  // bytes of an area in lines, signed; minus up to 16 images
  localparam int unsigned LeftW = 34 - LineOffW;
  localparam int unsigned LinesW = 16;            // an image has at most 3 + 33*64 + 262144/8 lines

  typedef enum logic [1:0] { StIdle, StLook, StSize } state_e;  // c; c+1; from c+2 on
  typedef struct packed {
    logic [SmW-1:0] sm;
    logic [KernelW-1:0] kernel;
    logic by_slot;
    logic [TbW-1:0] tb;
    technique_e technique;
  } request_t;

  state_e state_q;
  request_t host_q;          // H; valid while its code is "examined"
  request_t req_q;           // the one that is examined
  logic from_host_q, from_move_q;
  preempt_code_e code_q, code;

  // ---- latch, R-PE-1 ----
  logic host_waits, evict_valid;
  logic [NumSms-1:0] evict_sms, evict_grant;
  logic [SmW-1:0] evict_sm;
  logic [KernelW-1:0] evict_kernel;
  logic [NumSms-1:0][NumKernels-1:0] flags;  // evict flags of both
  logic for_move;
  assign flags = evict_i | move_i;
  assign host_waits = code_q == CodeExamined;
  always_comb begin
    for (int unsigned i = 0; i < NumSms; i++)
      evict_sms[i] = flags[i] != '0 && !job_i[i] && state_q == StIdle && !host_waits;
  end
  qsm_rr_arb #(.N(NumSms)) u_evict_arb (
    .clk_i, .rst_ni, .req_i(evict_sms), .valid_o(evict_valid), .grant_o(evict_grant),
    .idx_o(evict_sm)
  );
  always_comb begin
    logic [NumKernels-1:0] evicts;
    evicts = '0;
    for (int unsigned i = 0; i < NumSms; i++) if (evict_grant[i]) evicts |= flags[i];
    evict_kernel = '0;
    for (int k = NumKernels - 1; k >= 0; k--) if (evicts[k]) evict_kernel = KernelW'(k);
  end
  assign for_move = move_i[evict_sm][evict_kernel];

  // ---- look, R-PE-2: lowest free image, lines of the area and of an image ----
  logic any_image;
  logic [ImageW-1:0] free_image, image_q, steps_q;
  logic [20:0] area_pages;
  logic [LinesW-1:0] lines, lines_q;
  logic signed [LeftW-1:0] left_q, left;
  logic in_window, in_window_q;
  logic saves;
  assign saves = technique_saves(req_q.technique);
  always_comb begin
    any_image = 1'b0;
    free_image = '0;
    for (int v = NumImages - 1; v >= 0; v--) begin
      if (!used_i[req_q.kernel][v]) begin
        any_image = saves;
        free_image = saves ? ImageW'(v) : '0;
      end
    end
    in_window = 1'b0;
    for (int unsigned w = 0; w < 2; w++) begin
      if (win_rw_i[req_q.kernel][w] && win_base_i[req_q.kernel][w] <= save_base_i[req_q.kernel] &&
          save_limit_i[req_q.kernel] <= win_limit_i[req_q.kernel][w]) in_window = 1'b1;
    end
  end
  assign area_pages = 21'(save_limit_i[req_q.kernel]) - 21'(save_base_i[req_q.kernel]);
  assign lines = LinesW'({warps_i[req_q.kernel], 5'd0}) + LinesW'(warps_i[req_q.kernel])
               + LinesW'(shared_i[req_q.kernel][18:LineOffW]) +
                   LinesW'(|shared_i[req_q.kernel][LineOffW-1:0]) + LinesW'(3);
  assign left = left_q - LeftW'(lines_q);

  assign decision_o = (state_q == StLook && !any_image) || (state_q == StSize && steps_q == '0);

  // ---- decision, R-PE-3 ----
  logic [MaxTbs-1:0] match;
  logic [TbW-1:0] youngest;
  logic gone, dropped, decided, refused;
  always_comb begin
    youngest = '0;
    gone = 1'b0;  // it leaves: found beside it
    for (int r = MaxTbs - 1; r >= 0; r--) begin
      match[r] = age_valid_i[req_q.sm][r] && age_kernel_i[req_q.sm][r] == req_q.kernel
              && (!req_q.by_slot || age_tb_i[req_q.sm][r] == req_q.tb);
      if (match[r]) begin
        youngest = age_tb_i[req_q.sm][r];
        gone = retire_i[req_q.sm] && retire_tb_i[req_q.sm] == age_tb_i[req_q.sm][r];
      end
    end
  end
  assign tb_o = req_q.by_slot ? req_q.tb : youngest;
  assign dropped = !from_host_q && (!flags[req_q.sm][req_q.kernel] || job_i[req_q.sm]);

  always_comb begin
    // A kernel with a TB out is busy and not ending.
    if (match == '0 || killed_i[req_q.kernel] || gone) code = CodeNoTb;
    else if (job_i[req_q.sm]) code = CodeBusy;
    else if (!saves) code = CodeAccepted;
    else if (req_q.technique == TechniqueFlush && !idempotent_i[req_q.kernel])
      code = CodeNotIdempotent;
    else if (save_limit_i[req_q.kernel] == '0) code = CodeNoArea;
    else if (state_q == StLook) code = CodeNoImage;
    else if (left < 0 || !in_window_q) code = CodeTooSmall;
    else code = CodeAccepted;
  end

  assign decided = decision_o && !dropped;
  assign accept_o = decided && code == CodeAccepted;
  assign refused = decided && !from_host_q && code != CodeAccepted;
  always_comb begin
    evict_refused_o = '0;
    move_refused_o = '0;
    evict_refused_o[req_q.sm][req_q.kernel] = refused && !from_move_q;
    move_refused_o[req_q.sm][req_q.kernel] = refused && from_move_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      host_q <= '0;
      req_q <= '0;
      from_host_q <= 1'b0;
      from_move_q <= 1'b0;
      code_q <= CodeNone;
      code_sm_o <= '0;
      code_tb_o <= '0;
      code_image_o <= '0;
    end else begin
      if (host_i) begin
        code_q <= CodeExamined;
        host_q <= '{sm: host_sm_i, kernel: host_kernel_i, by_slot: host_by_slot_i, tb: host_tb_i,
            technique: host_technique_i};
      end
      case (state_q)
        StIdle: begin
          from_host_q <= host_waits;
          from_move_q <= for_move;
          req_q <= host_waits ? host_q : '{sm: evict_sm, kernel: evict_kernel, by_slot: 1'b0,
              tb: '0, technique: for_move ? move_technique_i : evict_technique_i};
          if (host_waits || evict_valid) state_q <= StLook;
        end
        StLook: state_q <= StSize;
        default: ;
      endcase
      if (decision_o) begin
        state_q <= StIdle;
        if (from_host_q) begin
          code_q <= code;
          code_sm_o <= req_q.sm;
          code_tb_o <= tb_o;
          code_image_o <= image_o;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StLook) begin
      image_q <= free_image;
      steps_q <= free_image;
      lines_q <= lines;
      left_q <= LeftW'(signed'({area_pages, (12 - LineOffW)'(0)}));
      in_window_q <= in_window;
    end else begin
      steps_q <= steps_q - ImageW'(1);
      left_q <= left;
    end
  end

  assign image_o = (state_q == StLook) ? '0 : image_q;
  assign for_host_o = from_host_q;
  assign sm_o = req_q.sm;
  assign kernel_o = req_q.kernel;
  assign technique_o = req_q.technique;
  assign code_o = code_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(host_i && host_waits));  // R-PE-11
`endif
endmodule

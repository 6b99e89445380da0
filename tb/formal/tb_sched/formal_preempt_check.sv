// SPDX-License-Identifier: Apache-2.0
// qsm_preempt_check: which request is examined next, when it is decided, and that the decision is
// the first cause in the order of the page that holds (R-PE-1 to -3, R-PE-11). Everything around it
// changes at any time; of a launch with a block out the save area stands.
module formal_preempt_check
  import qsm_enums_pkg::*;
#(
  parameter int unsigned NumSms = 2,
  parameter int unsigned NumKernels = 2,
  parameter int unsigned MaxTbs = 2,
  parameter int unsigned NumImages = 3,
  parameter int unsigned LineBytes = 16,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned ImageW = (NumImages > 1) ? $clog2(NumImages) : 1
) (
  input logic                                        clk_i,
  input logic                                        host_i,
  input logic [SmW-1:0]                              host_sm_i,
  input logic [KernelW-1:0]                          host_kernel_i,
  input logic                                        host_by_slot_i,
  input logic [TbW-1:0]                              host_tb_i,
  input technique_e                                  host_technique_i,
  input logic [NumSms-1:0][NumKernels-1:0]           evict_i,
  input technique_e                                  evict_technique_i,
  input logic [NumSms-1:0][NumKernels-1:0]           move_i,
  input technique_e                                  move_technique_i,
  input logic [NumKernels-1:0]                       killed_i,
  input logic [NumKernels-1:0][19:0]                 save_base_i,
  input logic [NumKernels-1:0][19:0]                 save_limit_i,
  input logic [NumKernels-1:0]                       idempotent_i,
  input logic [NumKernels-1:0][1:0]                  win_rw_i,
  input logic [NumKernels-1:0][1:0][19:0]            win_base_i,
  input logic [NumKernels-1:0][1:0][19:0]            win_limit_i,
  input logic [NumKernels-1:0][6:0]                  warps_i,
  input logic [NumKernels-1:0][18:0]                 shared_i,
  input logic [NumSms-1:0][MaxTbs-1:0]               age_valid_i,
  input logic [NumSms-1:0][MaxTbs-1:0][TbW-1:0]      age_tb_i,
  input logic [NumSms-1:0][MaxTbs-1:0][KernelW-1:0]  age_kernel_i,
  input logic [NumSms-1:0]                           retire_i,
  input logic [NumSms-1:0][TbW-1:0]                  retire_tb_i,
  input logic [NumSms-1:0]                           job_i,
  input logic [NumKernels-1:0][NumImages-1:0]        used_i
);

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [3:0]                        code;
  logic [SmW-1:0]                    code_sm, sm;
  logic [TbW-1:0]                    code_tb, tb;
  logic [ImageW-1:0]                 code_image, image;
  logic [NumSms-1:0][NumKernels-1:0] refused, move_refused;
  logic                              decision, accept, for_host;
  logic [KernelW-1:0]                kernel;
  technique_e                        technique;
  qsm_preempt_check #(.NumSms(NumSms), .NumKernels(NumKernels), .MaxTbs(MaxTbs),
      .NumImages(NumImages), .LineBytes(LineBytes)) u_dut (
    .clk_i, .rst_ni, .host_i, .host_sm_i, .host_kernel_i, .host_by_slot_i, .host_tb_i,
    .host_technique_i,
    .code_o(code), .code_sm_o(code_sm), .code_tb_o(code_tb), .code_image_o(code_image), .evict_i,
    .evict_technique_i, .evict_refused_o(refused), .move_i, .move_technique_i,
    .move_refused_o(move_refused),
    .killed_i, .save_base_i, .save_limit_i, .idempotent_i, .win_rw_i, .win_base_i, .win_limit_i,
    .warps_i, .shared_i,
    .age_valid_i, .age_tb_i, .age_kernel_i, .retire_i, .retire_tb_i, .job_i, .used_i,
    .decision_o(decision), .accept_o(accept), .for_host_o(for_host), .sm_o(sm), .kernel_o(kernel),
    .tb_o(tb), .technique_o(technique), .image_o(image)
  );

  typedef struct packed {
    logic [SmW-1:0] sm;
    logic [KernelW-1:0] kernel;
    logic by_slot;
    logic [TbW-1:0] tb;
    technique_e technique;
  } request_t;
  typedef struct packed {  // what is looked at in c+1
    logic [19:0] base;
    logic [19:0] limit;
    logic [1:0] rw;
    logic [1:0][19:0] win_base;
    logic [1:0][19:0] win_limit;
    logic [6:0] warps;
    logic [18:0] shared;
  } area_t;

  // ---- R-PE-1: the host's request before those of the adjuster, its SMs in turn, on an SM the
  // lowest slot ----
  logic           host_q, busy_q, from_host_q;
  request_t       host_req_q, req_q, evict_req;
  logic [SmW-1:0] served_q;
  logic           some_evict, moves, from_move_q;
  always_comb begin
    some_evict = 1'b0;
    moves = 1'b0;
    evict_req = '0;
    // the last one found is the first after the one that was served
    for (int unsigned n = NumSms; n > 0; n--) begin
      for (int unsigned k = NumKernels; k > 0; k--) begin
        logic [SmW-1:0] i;
        i = SmW'((32'(served_q) + n) % NumSms);
        if ((evict_i[i][k-1] || move_i[i][k-1]) && !job_i[i]) begin
          some_evict = 1'b1;
          evict_req = '{sm: i, kernel: KernelW'(k - 1), by_slot: 1'b0, tb: '0,
              technique: move_i[i][k-1] ? move_technique_i : evict_technique_i};
          moves = move_i[i][k-1];
        end
      end
    end
  end

  // ---- R-PE-2: which image, and in which cycle the decision falls ----
  logic              look_q, has_image, has_image_q, decides;  // look: this is c+1
  logic [ImageW-1:0] v, v_q;
  logic [ImageW:0]   since_q;                                  // cycles since c+1
  area_t             now, area_q;
  always_comb begin
    has_image = 1'b0;
    v = '0;
    for (int unsigned u = NumImages; u > 0; u--) begin
      if (!used_i[req_q.kernel][u-1] && req_q.technique != TechniqueDrain) begin
        has_image = 1'b1;
        v = ImageW'(u - 1);
      end
    end
    now = '{base: save_base_i[req_q.kernel], limit: save_limit_i[req_q.kernel],
        rw: win_rw_i[req_q.kernel], win_base: win_base_i[req_q.kernel],
            win_limit: win_limit_i[req_q.kernel], warps: warps_i[req_q.kernel], shared:
              shared_i[req_q.kernel]};
  end
  assign decides = busy_q && (look_q ? !has_image : 32'(since_q) == 32'(v_q) + 1);

  // ---- R-PE-3: the causes, each by itself, then the first that holds ----
  area_t              area;
  logic               slot_valid, of_kernel, drops, in_window, wrong_tb, fits;
  logic [TbW-1:0]     which;
  logic [KernelW-1:0] slot_kernel;
  logic [39:0]        size, sum;
  logic [3:0]         says;
  logic [ImageW-1:0]  shown;
  assign area = look_q ? now : area_q;
  always_comb begin
    slot_valid = 1'b0;
    slot_kernel = '0;
    of_kernel = 1'b0;
    which = req_q.by_slot ? req_q.tb : '0;
    for (int unsigned r = MaxTbs; r > 0; r--) begin  // from the oldest to the youngest
      if (age_valid_i[req_q.sm][r-1]) begin
        if (age_tb_i[req_q.sm][r-1] == req_q.tb)
          {slot_valid, slot_kernel} = {1'b1, age_kernel_i[req_q.sm][r-1]};
        if (age_kernel_i[req_q.sm][r-1] == req_q.kernel) begin
          of_kernel = 1'b1;
          if (!req_q.by_slot) which = age_tb_i[req_q.sm][r-1];
        end
      end
    end
    wrong_tb = killed_i[req_q.kernel] || (req_q.by_slot ? !slot_valid || slot_kernel != req_q.kernel
        : !of_kernel)
               || (retire_i[req_q.sm] && retire_tb_i[req_q.sm] == which);
    size = 40'(LineBytes) * (40'd3 + 40'd33 * 40'(area.warps) +
        (40'(area.shared) + 40'(LineBytes) - 40'd1) / 40'(LineBytes));
    sum = {8'd0, area.base, 12'd0};
    for (int unsigned u = 0; u < NumImages; u++) if (32'(v_q) >= u) sum += size;
    in_window = 1'b0;
    for (int unsigned w = 0; w < 2; w++)
      if (area.rw[w] && area.win_base[w] <= area.base && area.limit <= area.win_limit[w])
        in_window = 1'b1;
    fits = sum <= {8'd0, area.limit, 12'd0} && in_window;
    drops = !from_host_q && (!(evict_i[req_q.sm][req_q.kernel] || move_i[req_q.sm][req_q.kernel]) ||
        job_i[req_q.sm]);
    shown = look_q ? '0 : v_q;

    if (wrong_tb) says = CodeNoTb;
    else if (job_i[req_q.sm]) says = CodeBusy;
    else if (req_q.technique == TechniqueFlush && !idempotent_i[req_q.kernel])
      says = CodeNotIdempotent;
    else if (req_q.technique != TechniqueDrain && area.limit == '0) says = CodeNoArea;
    else if (req_q.technique != TechniqueDrain && look_q) says = CodeNoImage;
    else if (req_q.technique != TechniqueDrain && !fits) says = CodeTooSmall;
    else says = CodeAccepted;
  end

  logic [3:0]        said_q;
  logic [SmW-1:0]    said_sm_q;
  logic [TbW-1:0]    said_tb_q;
  logic [ImageW-1:0] said_image_q;
  logic [3:0]        waited_q;  // cycles that the host's request has waited
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {host_q, busy_q, look_q} <= '0;
      served_q <= SmW'(NumSms - 1);
      {said_q, said_sm_q, said_tb_q, said_image_q} <= '0;
    end else begin
      look_q <= 1'b0;
      since_q <= since_q + 1'b1;
      waited_q <= waited_q + 1'b1;
      if (look_q) begin
        {has_image_q, v_q} <= {has_image, v};
        area_q <= now;
      end
      if (!busy_q) begin
        from_host_q <= host_q;
        req_q <= host_q ? host_req_q : evict_req;
        from_move_q <= !host_q && moves;
        busy_q <= host_q || some_evict;
        look_q <= host_q || some_evict;
        since_q <= '0;
        if (!host_q && some_evict) served_q <= evict_req.sm;
      end
      if (decides) begin
        busy_q <= 1'b0;
        if (from_host_q) begin
          host_q <= 1'b0;
          {said_q, said_sm_q, said_tb_q, said_image_q} <= {says, req_q.sm, which, shown};
        end
      end
      if (host_i) begin
        {host_q, said_q} <= {1'b1, CodeExamined};
        host_req_q <= '{sm: host_sm_i, kernel: host_kernel_i, by_slot: host_by_slot_i,
            tb: host_tb_i, technique: host_technique_i};
        waited_q <= '0;
      end
    end
  end

  logic [NumSms-1:0][NumKernels-1:0] refuses;
  logic [NumSms-1:0]                 listed_once;
  logic [NumKernels-1:0]             shaped;
  always_comb begin
    refuses = '0;
    if (decides && !drops && !from_host_q && says != CodeAccepted)
      refuses[req_q.sm][req_q.kernel] = 1'b1;
    for (int unsigned i = 0; i < NumSms; i++) begin
      listed_once[i] = 1'b1;
      for (int unsigned r = 0; r < MaxTbs; r++) begin
        for (int unsigned s = 0; s < r; s++)
          if (age_valid_i[i][r] && age_valid_i[i][s] && age_tb_i[i][r] == age_tb_i[i][s])
            listed_once[i] = 1'b0;
      end
    end
    for (int unsigned k = 0; k < NumKernels; k++)
      shaped[k] = warps_i[k] >= 1 && warps_i[k] <= 7'd64 && shared_i[k] <= 19'd262144;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!host_i || !host_q);
      assume (host_technique_i <= TechniqueFlush && evict_technique_i <= TechniqueFlush &&
          move_technique_i <= TechniqueFlush);
      assume (&listed_once && &shaped);
      if (decides && !wrong_tb) assume (area == now);
      status: assert (code == said_q && code_sm == said_sm_q && code_tb == said_tb_q &&
          code_image == said_image_q);
      in_its_cycle: assert (decision == decides);
      accepted: assert (accept == (decides && !drops && says == CodeAccepted));
      if (accept)
        what: assert (for_host == from_host_q && sm == req_q.sm && kernel == req_q.kernel &&
            tb == which
                                && technique == req_q.technique && image == shown);
      if (accept && technique != TechniqueDrain) free_image: assert (has_image_q);
      adjuster_told: assert (refused == (from_move_q ? '0 : refuses));
      move_told: assert (move_refused == (from_move_q ? refuses : '0));
      if (host_q)
        host_waits_no_longer: assert (32'(waited_q) <= 2 * NumImages + 2 && code == CodeExamined);
      if (!host_q) answered: assert (code != CodeExamined);
      // For the induction: what the block keeps.
      rests: assert (u_dut.state_q == (!busy_q ? 0 : look_q ? 1 : 2));
      turn: assert (32'(u_dut.u_evict_arb.from_q) == (32'(served_q) + 1) % NumSms);
      if (host_q) host_kept: assert (u_dut.host_q == host_req_q &&
          host_req_q.technique <= TechniqueFlush);
      if (busy_q) req_kept: assert (u_dut.req_q == req_q && u_dut.from_host_q == from_host_q
                                    && (!from_host_q || (host_q && host_req_q == req_q)) &&
                                        req_q.technique <= TechniqueFlush);
      if (busy_q && !from_host_q) move_kept: assert (u_dut.from_move_q == from_move_q);
      if (busy_q && look_q) begins: assert (since_q == '0);
      if (busy_q && !look_q) begin
        counts: assert (32'(since_q) + 32'(u_dut.steps_q) == 32'(v_q) + 1 && since_q != '0
                        && u_dut.image_q == v_q && 32'(v_q) < NumImages && has_image_q &&
                            req_q.technique != TechniqueDrain);
        lines: assert (40'(u_dut.lines_q) * 40'(LineBytes) == size &&
            u_dut.in_window_q == in_window);
        left: assert (40'(signed'(u_dut.left_q)) * 40'(LineBytes)
                      == {8'd0, area_q.limit, 12'd0} - {8'd0, area_q.base, 12'd0} - size *
                          40'(v_q - u_dut.steps_q));
        area_shaped: assert (area_q.warps >= 1 && area_q.warps <= 7'd64 &&
            area_q.shared <= 19'd262144);
      end
      if (host_q && !(busy_q && from_host_q))
        waits_first: assert (32'(waited_q) <= (!busy_q ? NumImages + 1 : look_q ? 0
            : 32'(since_q)));
      if (host_q && busy_q && from_host_q)
        waits_second: assert (32'(waited_q) <= NumImages + 2 + (look_q ? 0 : 32'(since_q)));
      too_small: cover (decides && from_host_q && says == CodeTooSmall && in_window && v_q == 2);
      last_image: cover (accept && v_q == 2 && !from_host_q && sm == 1);
      no_image: cover (decides && from_host_q && says == CodeNoImage);
      fell: cover (decides && drops);
      busy: cover (decides && from_host_q && says == CodeBusy && host_q);
      move_refused_now: cover (move_refused != '0 && says == CodeNoArea);
      not_idempotent: cover (refused != '0 && says == CodeNotIdempotent);
    end
  end
endmodule

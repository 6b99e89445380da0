// SPDX-License-Identifier: Apache-2.0
// Execution, stages RR, EX1, EX2 of one instruction per cycle, all lanes. Doc: docs/subcore.md
// (R-EX-1 to -5), docs/warp_state.md (R-WS-2); of injected instructions docs/preemption.md, of
// floating point docs/fpu.md.
//   RR (t+1) decode, register addresses   EX1 (t+2) ALU, branch, target, address, CSR   EX2 (t+3)
//   product, shift, resolve, fault, memory queue
// What all lanes share (CSR, link, lui, auipc, a line's address) joins the ALU's result, so the
// operands need no multiplexer for it.
// Leaves for WB a fixed result or one of the FMA unit (registered here), a division's result, and
// the memory queue.
//
// Observed by the lockstep monitor: resolve_o (RESOLVE, with the warp state's signals).
module qsm_exec
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned Sub = 0
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic [SmW-1:0]          sm_id_i,
  input  logic [63:0]             cycle_i,
  input  desc_t [NumKernels-1:0]  desc_i,
  input  tb_index_t               tb_index_i,
  // From issue, in RR.
  input  logic                    valid_i,
  input  logic                    mem_i,          // of class MEM, from a register
  input  op_t                     op_i,
  // kernels that had a goal in the cycle before, that of its issue
  input  logic [NumKernels-1:0]   qos_was_i,
  output issue_event_t            event_o,        // in RR, R-IS-5
  // Register file: address in RR, data in EX1.
  output logic [WarpW-1:0]        read_warp_o,
  output logic [4:0]              rs1_o,
  output logic [4:0]              rs2_o,
  output logic [4:0]              rs3_o,
  input  lanes_t                  rs1_data_i,
  input  lanes_t                  rs2_data_i,
  input  lanes_t                  rs3_data_i,
  // EX2: what a ctl word does to its warp. Threads of the warp in EX1.
  output logic [WarpW-1:0]        ex1_warp_o,
  input  mask_t                   ex1_live_i,
  output logic [KernelW-1:0]      ex2_kernel_o,
  input  logic                    ex2_alive_i,    // threads in EX2, and its kernel is not killed
  output resolve_t                resolve_o,
  output fault_event_t            fault_o,
  output sb_done_t                fixed_done_o,   // R-SB-3, end of EX2; R-FP-2
  // Memory queue.
  output logic                    mq_valid_o,
  output mem_op_t                 mq_o,           // popped last
  output who_t                    mq_who_o,       // of the oldest
  input  logic                    mq_pop_i,
  // Write-back.
  // WB: a result that is always written; data are 0 but in its lanes, also without one
  output wb_t                     fixed_o,
  output logic                    div_ready_o,
  output wb_t                     div_o,          // data are 0 but in its lanes when it is popped
  output logic [SbW-1:0]          div_entry_o,
  input  logic                    div_pop_i
);
  // ---- RR ----
  dec_t rr_decoded, rr_dec;

  qsm_decode u_decode (.instr_i(op_i.word.instr), .dec_o(rr_decoded));

  // Injected: the pc field is the address or the value, the immediate counts as 0 (R-PE-16,
  // R-PE-19).
  always_comb begin
    rr_dec = rr_decoded;
    if (op_i.injected) begin
      rr_dec.imm[4:1] = '0;  // the others are: only JMP has an immediate
      if (rr_decoded.cls == ClsMem) begin  // a line
        rr_dec.alu = AluNone;
        rr_dec.common = CommonTarget;
      end
    end
  end
  assign read_warp_o = op_i.warp;

  // What counts issues. Of the registers that an instruction has only energy counters ask.
  class_e energy_class;
  logic [1:0] operands;
  logic counts, writes, rr_away;
  assign counts = valid_i && !op_i.injected;
  assign rr_away = mem_i && !op_i.injected && !qos_was_i[op_i.kernel];  // R-PA-19
  if (EnergyCounters != 0) begin : g_energy
    logic [NumSources-1:0][4:0] sources;
    logic [NumSources-1:0] reads;
    assign sources = (NumSources * 5)'({rr_decoded.rs3, rr_decoded.rs2, rr_decoded.rs1});
    for (genvar n = 0; n < NumSources; n++) begin : g_source
      assign reads[n] = sources[n] != '0;  // 0 is x0, or not there
    end
    assign energy_class = rr_decoded.cls;
    assign operands = 2'($countones(reads));
    assign writes = rr_decoded.rd != '0;
  end else begin : g_no_energy
    assign energy_class = ClsAlu;
    assign {operands, writes} = '0;
  end
  assign event_o = '{valid: counts, kernel: op_i.kernel,
      lanes: LanesW'($countones(op_i.split.mask)),
      device_fence: counts && rr_decoded.fence && op_i.word.instr[21],
      cls: energy_class, operands: operands, writes: writes, away: rr_away};

  // not rr_dec.rs1: if the field is not a register, the value that is read is not used
  assign rs1_o = op_i.word.instr[19:15];
  assign rs2_o = op_i.word.instr[24:20];

  // ---- EX1 ----
  logic ex1_valid, ex1_is_div, ex1_uses_mul, ex1_is_shift, ex1_is_line, ex1_is_fma;
  logic ex1_is_jalr, ex1_inverts, ex1_away;
  op_t ex1_op;
  dec_t ex1_dec;
  logic [1:0] ex1_funct, ex1_mul_funct;
  logic [31:0] ex1_csr, ex1_target;
  logic [2:0][15:0] ex1_block;
  logic [TicketW-1:0] ex1_ticket;
  logic ex1_add_lane;
  logic [31:0] ex1_pc4, ex1_common;
  lanes_t ex1_sum, ex1_result;
  mask_t ex1_taken;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ex1_valid <= 1'b0;
      ex1_op <= '0;
      ex1_dec <= '0;
      ex1_away <= 1'b0;
    end else begin
      ex1_valid <= valid_i;
      if (valid_i) begin
        ex1_op <= op_i;
        ex1_dec <= rr_dec;
        ex1_away <= rr_away;
      end
    end
  end

  // The ALU gives 0 for these operations, the multiplier for all others. (A division's product is
  // never used.)
  assign ex1_uses_mul = ex1_valid && ex1_dec.alu inside {AluSll, AluSrl, AluSra};
  assign ex1_is_shift = ex1_dec.cls == ClsAlu;
  assign ex1_mul_funct = !ex1_is_shift ? ex1_funct : (ex1_dec.alu == AluSll) ? 2'd0 :
    (ex1_dec.alu == AluSra) ? 2'd2 : 2'd3;
  assign ex1_is_line = ex1_op.injected && ex1_dec.cls == ClsMem;
  assign ex1_is_jalr = ex1_dec.ctl == CtlJalr;
  assign ex1_inverts = !(ex1_dec.alu inside {AluAdd, AluTarget});
  assign ex1_is_div = ex1_valid && ex1_dec.cls == ClsDiv;
  assign ex1_is_fma = ex1_dec.cls == ClsFma;
  assign ex1_funct = ex1_op.word.instr[13:12];
  assign ex1_target = ex1_op.split.pc + ex1_dec.imm;
  assign ex1_pc4 = ex1_op.split.pc + 32'd4;

  qsm_tb_ram #(.Width(TicketW + 48)) u_tb_block (
    .clk_i, .write_i(tb_index_i.valid), .write_tb_i(tb_index_i.tb),
    .data_i({tb_index_i.ticket, tb_index_i.block}),
    .read_i(valid_i), .read_tb_i(op_i.tb), .data_o({ex1_ticket, ex1_block})
  );
  qsm_csr #(.Sub(Sub)) u_csr (
    .num_i(ex1_dec.imm[11:0]), .op_i(ex1_op), .cycle_i, .sm_id_i, .desc_i, .block_i(ex1_block),
    .ticket_i(ex1_ticket),
    .value_o(ex1_csr), .add_lane_o(ex1_add_lane)
  );

  always_comb begin
    case (ex1_dec.common)
      CommonImm:    ex1_common = ex1_dec.imm;
      CommonTarget: ex1_common = ex1_target;
      CommonLink:   ex1_common = ex1_pc4;
      CommonCsr:    ex1_common = ex1_csr;
      default:      ex1_common = '0;
    endcase
  end

  lanes_t ex2_product, ex1_b;
  logic [WarpSize-1:0][47:0] ex2_fp_product;

  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    logic [31:0] b, b_alu, common, alu, simple;
    logic eq, lt;

    always_comb begin
      b = ex1_dec.opb_imm ? ex1_dec.imm : rs2_data_i[l];
      b_alu = b ^ {32{ex1_inverts}};
      // The lane's index where the bits are 0: of a CSR, and 4 * lane in a line.
      common = ex1_common;
      if (ex1_dec.common == CommonCsr && ex1_add_lane) common[LaneW-1:0] |= LaneW'(l);
      if (ex1_is_line) common[LaneW+1:2] |= LaneW'(l);
    end
    assign ex1_b[l] = b;

    qsm_alu u_alu (
      .op_i(ex1_dec.alu), .a_i(rs1_data_i[l]), .b_i(b_alu), .or_i(common),
      .sum_o(ex1_sum[l]), .result_o(alu), .eq_o(eq), .lt_o(lt)
    );
    assign ex1_result[l] = alu | simple;
    assign ex1_taken[l] = ex1_dec.ctl == CtlJal ||
                          (ex1_dec.ctl == CtlBranch &&
                              (ex1_op.word.instr[14] ? lt : eq) != ex1_op.word.instr[12]);

    // Of floating point the significands are multiplied.
    logic [31:0] factor_a, factor_b;
    if (Fpu != 0) begin : g_fp
      assign factor_a = ex1_is_fma ? {8'd0, fp_significand(rs1_data_i[l][30:0])} : rs1_data_i[l];
      assign factor_b = ex1_is_fma ? {8'd0, fp_significand(b[30:0])} : rs2_data_i[l];
      qsm_fp_simple u_simple (
        .op_i(ex1_dec.fp.op), .funct_i(ex1_funct), .a_i(rs1_data_i[l]), .b_i(rs2_data_i[l]),
        .equal_i(eq), .less_i(lt), .result_o(simple)
      );
    end else begin : g_no_fp
      assign factor_a = rs1_data_i[l];
      assign factor_b = rs2_data_i[l];
      assign simple = '0;
    end

    qsm_mul u_mul (
      .clk_i, .valid_i(ex1_uses_mul), .shift_i(ex1_is_shift), .funct_i(ex1_mul_funct),
      .a_i(factor_a), .b_i(factor_b), .places_i(b[4:0]),
      .result_o(ex2_product[l]), .product_o(ex2_fp_product[l])
    );
  end

  logic int_ready, fp_ready, fp_pop, wb_next;
  wb_t int_div, fp_div, late;
  logic [SbW-1:0] int_entry, fp_entry;
  sb_done_t late_done;

  qsm_div u_div (
    .clk_i, .rst_ni, .start_i(ex1_is_div && ex1_dec.fp.op == FpNone), .funct_i(ex1_funct),
    .a_i(rs1_data_i), .b_i(rs2_data_i),
    .warp_i(ex1_op.warp), .rd_i(ex1_dec.rd), .mask_i(ex1_op.split.mask), .entry_i(ex1_op.entry),
    .ready_o(int_ready), .next_i(!wb_next), .result_o(int_div), .entry_o(int_entry),
    .pop_i(div_pop_i && !fp_ready)
  );

  // Floating point: what an addition adds is its rs2, a conversion converts rs1, a multiplication
  // adds x0.
  if (Fpu != 0) begin : g_fpu
    always_comb begin
      unique case (rr_dec.fp.op)
        FpFused: rs3_o = op_i.word.instr[31:27];
        FpAdd:   rs3_o = op_i.word.instr[24:20];
        FpMul:   rs3_o = '0;
        default: rs3_o = op_i.word.instr[19:15];
      endcase
    end
    qsm_fpu u_fpu (
      .clk_i, .rst_ni, .valid_i(ex1_valid && ex1_is_fma), .op_i(ex1_op), .dec_i(ex1_dec),
      .a_i(rs1_data_i), .b_i(ex1_b), .c_i(rs3_data_i),
      .product_i(ex2_fp_product), .done_o(late_done), .result_o(late)
    );
    qsm_fp_div u_fp_div (
      .clk_i, .rst_ni, .start_i(ex1_is_div && ex1_dec.fp.op != FpNone), .fp_i(ex1_dec.fp),
      .a_i(rs1_data_i), .b_i(rs2_data_i),
      .warp_i(ex1_op.warp), .rd_i(ex1_dec.rd), .mask_i(ex1_op.split.mask), .entry_i(ex1_op.entry),
      .ready_o(fp_ready), .result_o(fp_div), .entry_o(fp_entry), .pop_i(fp_pop)
    );
    assign fp_pop = div_pop_i && fp_ready;
  end else begin : g_no_fpu
    logic unused_fp;
    assign unused_fp = ^{rs3_data_i, ex1_b, ex1_is_fma, ex2_fp_product, fp_pop};
    assign rs3_o = '0;
    assign {late_done, late, fp_ready, fp_div, fp_entry, fp_pop} = '0;
  end
  assign div_ready_o = int_ready || fp_ready;  // never both: R-IS-4
  always_comb begin
    div_o = fp_ready ? fp_div : int_div;
    div_o.data = int_div.data;
    for (int unsigned l = 0; l < WarpSize; l++)
      if (fp_pop && fp_div.mask[l]) div_o.data[l] |= fp_div.data[l];
  end
  assign div_entry_o = fp_ready ? fp_entry : int_entry;

  // Lanes that fault in EX2, if the warp has threads then: all of an instruction that does, else
  // those whose target is misaligned. Of a JMP (R-PE-19) only lanes that it leaves live.
  mask_t ex1_faults;
  logic ex1_jmp;
  assign ex1_jmp = ex1_op.injected && ex1_op.word.ctl;
  for (genvar l = 0; l < WarpSize; l++) begin : g_fault
    logic odd, misaligned;  // odd: of a word
    assign odd = ex1_is_jalr ? ex1_sum[l][1] : ex1_taken[l] ? ex1_target[1] : ex1_pc4[1];
    assign misaligned = odd && !(ex1_jmp && !(rs2_data_i[l][5] && ex1_live_i[l]));
    assign ex1_faults[l] = ex1_op.split.mask[l] && (ex1_dec.ctl == CtlFault || misaligned);
  end

  // ---- EX2 ----
  logic ex2_valid, ex2_away;
  op_t ex2_op;
  dec_t ex2_dec;
  lanes_t ex2_jalr, ex2_result, ex2_rs2;
  logic [31:0] ex2_target, ex2_pc4;
  mask_t ex2_taken, ex2_faults;
  logic [31:0] ex2_linear;

  qsm_tb_ram #(.Width(32)) u_tb_linear (
    .clk_i, .write_i(tb_index_i.valid), .write_tb_i(tb_index_i.tb), .data_i(tb_index_i.linear),
    .read_i(ex1_valid), .read_tb_i(ex1_op.tb), .data_o(ex2_linear)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ex2_valid <= 1'b0;
      ex2_op <= '0;
      ex2_dec <= '0;
      ex2_away <= 1'b0;
      ex2_taken <= '0;
      ex2_faults <= '0;
    end else begin
      ex2_valid <= ex1_valid;
      if (ex1_valid) begin
        ex2_op <= ex1_op;
        ex2_dec <= ex1_dec;
        ex2_away <= ex1_away;
        ex2_taken <= ex1_taken;
        ex2_faults <= ex1_faults;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (ex1_valid) begin
      ex2_result <= ex1_result;
      ex2_rs2 <= rs2_data_i;
      // one of them is 0, so resolve needs no multiplexer
      ex2_target <= ex1_is_jalr ? '0 : ex1_target;
      ex2_pc4 <= ex1_is_jalr ? '0 : ex1_pc4;
      ex2_jalr <= ex1_is_jalr ? ex1_sum : '0;
    end
  end

  assign ex1_warp_o = ex1_op.warp;
  assign ex2_kernel_o = ex2_op.kernel;

  qsm_resolve u_resolve (
    .valid_i(ex2_valid), .op_i(ex2_op), .dec_i(ex2_dec), .alive_i(ex2_alive_i),
    .taken_i(ex2_taken), .target_i(ex2_target), .pc4_i(ex2_pc4),
    .jalr_i(ex2_jalr), .rs2_i(ex2_rs2), .faults_i(ex2_faults), .linear_i(ex2_linear), .resolve_o,
    .fault_o
  );

  // Results of fixed latency. Memory operations, divisions and FMA instructions return on their
  // own. Entries and results of FMA instructions use the ports in cycles in which no fixed
  // instruction does (R-FP-3).
  logic ex2_is_fixed;
  sb_done_t ex2_done;
  assign ex2_is_fixed = ex2_valid && !(ex2_dec.cls inside {ClsMem, ClsDiv, ClsFma});
  assign ex2_done = '{valid: ex2_is_fixed && ex2_op.has_entry, warp: ex2_op.warp,
      entry: ex2_op.entry};
  assign fixed_done_o = late_done.valid ? late_done : ex2_done;

  logic mq_push, mq_full;
  mem_op_t mq_data;
  assign mq_push = ex2_valid && ex2_dec.cls == ClsMem;
  // Of the instruction the LSU looks at all but bits 26:15, and what is constant has no place in a
  // block RAM: neither have these, nor the lowest two, which are ones in all of class MEM.
  assign mq_data = '{
    warp: ex2_op.warp, injected: EnergyCounters != 0 && ex2_op.injected,
    away: ex2_away, pc: ex2_op.split.pc,
    instr: {ex2_op.word.instr[31:27], 12'd0, ex2_op.word.instr[14:2], 2'b11},
    mask: ex2_op.split.mask, entry: ex2_op.entry, addr: ex2_result, data: ex2_rs2
  };
  qsm_fifo #(.Width($bits(mem_op_t)), .Depth(MqDepth), .Popped(1'b1)) u_mq (
    .clk_i, .rst_ni, .push_i(mq_push), .data_i(mq_data), .pop_i(mq_pop_i), .valid_o(mq_valid_o),
    .full_o(mq_full), .data_o(mq_o)
  );
  // Whose it is, the LSU knows in the cycle of the pop, as a block RAM gives the rest late in N.
  logic unused_valid, unused_full;
  qsm_fifo #(.Width($bits(who_t)), .Depth(MqDepth)) u_mq_who (
    .clk_i, .rst_ni, .push_i(mq_push),
    .data_i({ex2_op.kernel, ex2_op.tb, ex2_op.widx}), .pop_i(mq_pop_i),
    .valid_o(unused_valid), .full_o(unused_full), .data_o(mq_who_o)
  );

  logic unused_dec;  // EX2 needs little of it
  assign unused_dec = ^ex2_dec;

  // ---- WB register of fixed results: 0 but in the lanes of one ----
  logic wb_valid, ex2_writes;
  logic [WarpW-1:0] wb_warp;
  logic [4:0] wb_rd;
  mask_t wb_mask, wb_lanes;
  lanes_t wb_data;
  assign wb_next = late.valid || ex2_writes;
  assign wb_lanes = (late.valid ? late.mask : ex2_op.split.mask) & {WarpSize{wb_next}};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wb_valid <= 1'b0;
    else wb_valid <= wb_next;
  end
  always_ff @(posedge clk_i) begin
    wb_warp <= late.valid ? late.warp : ex2_op.warp;
    wb_rd <= late.valid ? late.rd : ex2_dec.rd;
    wb_mask <= late.valid ? late.mask : ex2_op.split.mask;
    for (int unsigned l = 0; l < WarpSize; l++) begin
      if (!wb_lanes[l]) wb_data[l] <= '0;
      else wb_data[l] <= late.valid ? late.data[l] : ex2_product[l] | ex2_result[l];
    end
  end
  assign ex2_writes = ex2_is_fixed && ex2_dec.rd != '0 && !fault_o.valid;
  assign fixed_o = '{valid: wb_valid, warp: wb_warp, rd: wb_rd, mask: wb_mask, data: wb_data};

`ifndef SYNTHESIS
  // R-FP-3: claims keep results apart.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(late.valid && ex2_writes));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(late_done.valid && ex2_done.valid));
  // R-WB-2: as the divider was told in the cycle before.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      div_pop_i == (div_ready_o && !wb_valid));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      mem_i == (valid_i && rr_decoded.cls == ClsMem))
    else $error("R-IS-4, R-PA-19: a memory instruction issues as another, or one as such");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(ex2_valid && ex2_away && (ex2_op.injected || ex2_dec.cls != ClsMem)))
    else $error("R-PA-19: a step counts as away, or what is no memory instruction");
  // R-EX-1: a line's address leaves room for the lanes.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(ex1_valid && ex1_is_line && ex1_op.split.pc[LaneW+1:2] != '0));
  // R-IS-4: mem_credit keeps the queue from overflowing. A class CTL word is always ctl.
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(mq_push && mq_full));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(mq_push && ex2_op.word.instr[1:0] != 2'b11));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(ex2_valid && ex2_dec.cls == ClsCtl && !ex2_op.word.ctl));
`endif
endmodule

// SPDX-License-Identifier: Apache-2.0
// Energy counters of one SM: events that take energy, counted per kernel slot. docs/energy.md
// (R-EN-1, R-EN-2). The instance stands under EnergyCounters.
// Contract: what happens in t counts from t + 1 on; 32 bit, wrap, never cleared but by the reset,
// which is that of what is kept while the SM is gated (R-PG-3).
// Latency: value_o is combinational from what is selected.
// Cost: each sub-core has counters of its own in distributed RAM, so that instructions of any slots
// may issue at once: four adders and RAMs of 32 bits each, one more for the LSU; reading adds those
// of the sub-cores up.
//
// Observed by the lockstep monitor: g_sub[*] (u_issues, u_lanes, u_reads, u_writes), u_passes
//   (state).
module qsm_energy
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  issue_event_t [NumSched-1:0] issue_i,
  input  pass_event_t                 pass_i,
  input  logic [KernelW-1:0]          read_slot_i,   // < NumKernels
  input  energy_event_e               read_event_i,
  output logic [31:0]                 value_o
);
  // Counters of lanes: those of events 1 to 5, from 0.
  localparam int unsigned Classes = 32'(EnergyMem) - 32'(EnergyAlu) + 1;
  localparam int unsigned ClassW = $clog2(Classes);
  localparam int unsigned ReadsW = LanesW + 2;

  function automatic logic [ClassW-1:0] counter_of(input class_e cls);
    unique case (cls)
      ClsMul:  return ClassW'(EnergyMul - EnergyAlu);
      ClsDiv:  return ClassW'(EnergyDiv - EnergyAlu);
      ClsFma:  return ClassW'(EnergyFma - EnergyAlu);
      ClsMem:  return ClassW'(EnergyMem - EnergyAlu);
      default: return '0;  // alu and ctl
    endcase
  endfunction

  logic [ClassW-1:0] read_class;
  assign read_class = ClassW'(read_event_i - EnergyAlu);

  logic [NumSched-1:0][31:0] issues, lanes, reads, writes;
  logic [31:0] passes;
  for (genvar s = 0; s < NumSched; s++) begin : g_sub
    issue_event_t e;
    assign e = issue_i[s];

    // lanes x operands, 0 to 3, without a multiplier
    logic [ReadsW-1:0] read_lanes;
    assign read_lanes = (e.operands[0] ? ReadsW'(e.lanes) : '0) +
        (e.operands[1] ? ReadsW'({e.lanes, 1'b0}) : '0);

    qsm_slot_counters #(.NumSlots(NumKernels), .PerSlot(1)) u_issues (
      .clk_i, .rst_ni, .clear_i('0), .add_i(e.valid), .slot_i(e.kernel), .which_i(1'b0),
      .amount_i(1'b1), .read_slot_i, .read_which_i(1'b0), .value_o(issues[s])
    );
    qsm_slot_counters #(.NumSlots(NumKernels), .PerSlot(Classes), .AmountW(LanesW)) u_lanes (
      .clk_i, .rst_ni, .clear_i('0), .add_i(e.valid), .slot_i(e.kernel),
      .which_i(counter_of(e.cls)), .amount_i(e.lanes), .read_slot_i, .read_which_i(read_class),
      .value_o(lanes[s])
    );
    qsm_slot_counters #(.NumSlots(NumKernels), .PerSlot(1), .AmountW(ReadsW)) u_reads (
      .clk_i, .rst_ni, .clear_i('0), .add_i(e.valid), .slot_i(e.kernel), .which_i(1'b0),
      .amount_i(read_lanes), .read_slot_i, .read_which_i(1'b0), .value_o(reads[s])
    );
    qsm_slot_counters #(.NumSlots(NumKernels), .PerSlot(1), .AmountW(LanesW)) u_writes (
      .clk_i, .rst_ni, .clear_i('0), .add_i(e.valid && e.writes), .slot_i(e.kernel),
      .which_i(1'b0), .amount_i(e.lanes), .read_slot_i, .read_which_i(1'b0), .value_o(writes[s])
    );
    logic unused;
    assign unused = ^{e.device_fence, e.away};
  end
  qsm_slot_counters #(.NumSlots(NumKernels), .PerSlot(2), .AmountW(LanesW)) u_passes (
    .clk_i, .rst_ni, .clear_i('0), .add_i(pass_i.valid), .slot_i(pass_i.kernel),
    .which_i(!pass_i.shared), .amount_i(pass_i.shared ? pass_i.lanes : LanesW'(1)), .read_slot_i,
    .read_which_i(read_event_i == EnergyLines), .value_o(passes)
  );

  always_comb begin
    value_o = '0;
    case (read_event_i)
      EnergyShared, EnergyLines: value_o = passes;
      default: begin
        for (int unsigned s = 0; s < NumSched; s++) begin
          case (read_event_i)
            EnergyIssues:    value_o += issues[s];
            EnergyRegReads:  value_o += reads[s];
            EnergyRegWrites: value_o += writes[s];
            default:         value_o += lanes[s];
          endcase
        end
      end
    endcase
  end

`ifndef SYNTHESIS
  // For the SM's assertion of R-EN-3: lanes of all classes, of the slots in turn.
  logic [KernelW-1:0] sum_slot_q;
  logic [NumSched-1:0][31:0] sum_sub;
  logic [31:0] sum_lanes;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sum_slot_q <= '0;
    else sum_slot_q <= (32'(sum_slot_q) == NumKernels - 1) ? '0 : sum_slot_q + KernelW'(1);
  end
  for (genvar s = 0; s < NumSched; s++) begin : g_sum
    always_comb begin
      sum_sub[s] = '0;
      for (int unsigned c = 0; c < Classes; c++) begin
        if (!g_sub[s].u_lanes.zero_q[sum_slot_q][c])
          sum_sub[s] += g_sub[s].u_lanes.count_mem[{sum_slot_q, ClassW'(c)}];
      end
    end
  end
  always_comb begin
    sum_lanes = '0;
    for (int unsigned s = 0; s < NumSched; s++) sum_lanes += sum_sub[s];
  end
`endif
endmodule

// SPDX-License-Identifier: Apache-2.0
// Models of the ECP5's cells for a DDR memory, for simulation, in quarters of the memory's clock:
// QSM_SIM_TOP.quarter_pin changes in the midst of each, when all clocks and what depends on them
// have settled; the models look at pins then. How many quarters a cell takes is not published: the
// constants below are those that LiteDRAM's PHY is right with. Contract: docs/board.md R-BD-21,
// R-BD-22.

// verilator lint_off DECLFILENAME
package ecp5_ddr_pkg;
  // Quarters from the edge of SCLK with which a word comes to its first bit: of commands, of
  // strobes, and of data, which are a quarter behind, so that edges of strobes are in the midst of
  // them.
  localparam int unsigned CommandLatency = 16;
  localparam int unsigned StrobeLatency = 8;
  localparam int unsigned DataLatency = 9;
  // From READ to where reads begin to be looked for with READCLKSEL 0; from the first edge of a
  // read's strobe to the first pair of bits in ECLK's time.
  localparam int unsigned GateLatency = 8;
  localparam int unsigned FifoLatency = 25;
  localparam int unsigned LockCycles = 64;
  localparam int unsigned QuarterPs = 2604;  // of 96 MHz
endpackage

// Four bits of a cycle of SCLK one after the other, two quarters each; so many quarters after it.
module ecp5_serial #(
  parameter int unsigned Latency = 8
) (
  input  logic       sclk_i,
  input  logic       rst_i,
  input  logic [3:0] d_i,
  output logic       q_o
);
  logic quarter, sclk_q;
  logic [Latency+7:0] bits_q;  // the next ones, a quarter each
  assign quarter = `QSM_SIM_TOP.quarter_pin;
  initial {bits_q, sclk_q} = '0;
  always_ff @(posedge quarter or negedge quarter) begin
    sclk_q <= sclk_i;
    bits_q <= bits_q >> 1;
    if (sclk_i && !sclk_q)
      bits_q[Latency +: 8] <= {{2{d_i[3]}}, {2{d_i[2]}}, {2{d_i[1]}}, {2{d_i[0]}}};
    if (rst_i) bits_q <= '0;
  end
  assign q_o = bits_q[0];
endmodule

module ODDRX2F (
  input  logic D0, D1, D2, D3, SCLK, ECLK, RST,
  output logic Q
);
  ecp5_serial #(.Latency(ecp5_ddr_pkg::CommandLatency)) u_serial (
    .sclk_i(SCLK), .rst_i(RST), .d_i({D3, D2, D1, D0}), .q_o(Q)
  );
  logic unused;
  assign unused = ECLK;
endmodule

module ODDRX2DQSB (
  input  logic D0, D1, D2, D3, SCLK, ECLK, DQSW, RST,
  output logic Q
);
  ecp5_serial #(.Latency(ecp5_ddr_pkg::StrobeLatency)) u_serial (
    .sclk_i(SCLK), .rst_i(RST), .d_i({D3, D2, D1, D0}), .q_o(Q)
  );
  logic unused;
  assign unused = ^{ECLK, DQSW};
endmodule

module ODDRX2DQA (
  input  logic D0, D1, D2, D3, SCLK, ECLK, DQSW270, RST,
  output logic Q
);
  ecp5_serial #(.Latency(ecp5_ddr_pkg::DataLatency)) u_serial (
    .sclk_i(SCLK), .rst_i(RST), .d_i({D3, D2, D1, D0}), .q_o(Q)
  );
  logic unused;
  assign unused = ^{ECLK, DQSW270};
endmodule

// Direction of a pad; 1: not driven, as after a reset.
module TSHX2DQSA (
  input  logic T0, T1, SCLK, ECLK, DQSW, RST,
  output logic Q
);
  logic drives;
  ecp5_serial #(.Latency(ecp5_ddr_pkg::StrobeLatency)) u_serial (
    .sclk_i(SCLK), .rst_i(RST), .d_i(~{T1, T1, T0, T0}), .q_o(drives)
  );
  assign Q = !drives;
  logic unused;
  assign unused = ^{ECLK, DQSW};
endmodule

module TSHX2DQA (
  input  logic T0, T1, SCLK, ECLK, DQSW270, RST,
  output logic Q
);
  logic drives;
  ecp5_serial #(.Latency(ecp5_ddr_pkg::DataLatency)) u_serial (
    .sclk_i(SCLK), .rst_i(RST), .d_i(~{T1, T1, T0, T0}), .q_o(drives)
  );
  assign Q = !drives;
  logic unused;
  assign unused = ^{ECLK, DQSW270};
endmodule

// A delay of DEL_VALUE times 25 ps, to the next quarter; or the one that suits DQSR90, with which
// the model of IDDRX2DQA reckons.
module DELAYG #(
  parameter DEL_MODE = "USER_DEFINED",
  parameter int unsigned DEL_VALUE = 0
) (
  input  logic A,
  output logic Z
);
  localparam int unsigned QuarterPs = ecp5_ddr_pkg::QuarterPs;
  localparam int unsigned N = (DEL_VALUE * 25 + QuarterPs / 2) / QuarterPs;
  if (N == 0) begin : g_none
    assign Z = A;
  end else begin : g_delay
    logic quarter;
    logic [N-1:0] late_q;
    assign quarter = `QSM_SIM_TOP.quarter_pin;
    always_ff @(posedge quarter or negedge quarter) late_q <= N'({late_q, A});
    assign Z = late_q[N-1];
  end
  logic unused;
  assign unused = DEL_MODE != "USER_DEFINED";
endmodule

// The delay that the memory's clock needs for a quarter: locks after a while, is handed on by a
// pulse of UDDCNTLN.
module DDRDLLA (
  input  logic CLK, RST, UDDCNTLN, FREEZE,
  output logic DDRDEL, LOCK
);
  int unsigned cycles_q = 0;
  logic known_q = 1'b0;
  always_ff @(posedge CLK or posedge RST) begin
    if (RST) cycles_q <= 0;
    else if (!FREEZE && !LOCK) cycles_q <= cycles_q + 1;
  end
  always_ff @(posedge CLK or posedge RST) begin
    if (RST) known_q <= 1'b0;
    else if (!UDDCNTLN && LOCK) known_q <= 1'b1;
  end
  assign LOCK = cycles_q == ecp5_ddr_pkg::LockCycles;
  assign DDRDEL = known_q;
endmodule

// Strobes of a lane. The gate, through which a read's strobe goes, opens with READ, so many
// quarters later as READCLKSEL says and the cell takes; then the strobe must be low and driven (in
// the midst of its preamble). It closes with the edge that ends the last pulse. Each pulse moves
// the pointer with which bits are written. The one with which they are read begins a while after
// the gate's first edge and moves as often as READ has asked for: a gate that opened at a wrong
// time leaves the two apart, until PAUSE. A new READCLKSEL is taken while PAUSE is 1 only.
module DQSBUFM #(
  parameter DQS_LI_DEL_ADJ = "PLUS",
  parameter int unsigned DQS_LI_DEL_VAL = 0,
  parameter DQS_LO_DEL_ADJ = "PLUS",
  parameter int unsigned DQS_LO_DEL_VAL = 0
) (
  input  logic DQSI, READ1, READ0, READCLKSEL2, READCLKSEL1, READCLKSEL0, DDRDEL, ECLK, SCLK, RST,
      PAUSE, RDLOADN, RDMOVE, RDDIRECTION, WRLOADN, WRMOVE, WRDIRECTION,
  output logic DQSR90, DQSW, DQSW270, RDPNTR2, RDPNTR1, RDPNTR0, WRPNTR2, WRPNTR1, WRPNTR0,
      DATAVALID, BURSTDET
);
  import ecp5_ddr_pkg::*;
  localparam int unsigned WantW = GateLatency + 13;
  logic quarter;
  assign quarter = `QSM_SIM_TOP.quarter_pin;
  logic sclk_q, eclk_q, dqs_q, read_q, gate_q, bad_q, strobe_q, fetching_q;
  logic [WantW-1:0] wants_q;  // READ so many quarters ago
  logic [2:0] select_q, write_q, fetch_q;
  int unsigned asked_q[4], rises_q;  // of a gate: quarters; pulses that have come
  logic [3:0] closed_q;
  logic [1:0] gate_at_q, fetch_at_q;           // gates that are open, that are read
  int unsigned fetched_q;
  logic [FifoLatency-1:0] first_q;             // first edge of a gate so many quarters ago
  logic [7:0] seen_q;

  logic read, want, ends, rises, falls, closes, fetches;
  assign read = (SCLK && !sclk_q) ? READ0 && READ1 : read_q;
  assign want = wants_q[32'(select_q) + GateLatency];
  assign ends = !wants_q[32'(select_q) + GateLatency - 1];
  assign rises = gate_q && DQSI && !dqs_q;
  assign falls = gate_q && !DQSI && dqs_q && rises_q != 0;
  assign closes = gate_q && ends && (falls || (!want && !wants_q[32'(select_q) + GateLatency + 4]));
  assign fetches = fetching_q && ECLK && !eclk_q;
  initial begin
    {sclk_q, eclk_q, dqs_q, read_q, gate_q, bad_q, strobe_q, fetching_q} = '0;
    {wants_q, select_q, write_q, fetch_q, closed_q, gate_at_q, fetch_at_q, first_q, seen_q} = '0;
    {rises_q, fetched_q} = '0;
    for (int g = 0; g < 4; g++) asked_q[g] = 0;
  end
  always_ff @(posedge quarter or negedge quarter) begin
    sclk_q <= SCLK;
    eclk_q <= ECLK;
    dqs_q <= DQSI;
    read_q <= read;
    wants_q <= {wants_q[WantW-2:0], read};
    strobe_q <= (gate_q && DQSI) || (strobe_q && DQSI);
    first_q <= {first_q[FifoLatency-2:0], rises && rises_q == 0};
    seen_q <= seen_q << 1;
    assert (!read || DDRDEL) else $error("R-BD-22: a read before the delay of a quarter is known");
    assert (!read || !PAUSE) else $error("R-BD-22: a read while the strobes pause");

    if (want) asked_q[gate_at_q] <= asked_q[gate_at_q] + 1;
    if (want && !gate_q) begin
      gate_q <= 1'b1;
      rises_q <= 0;
      bad_q <= DQSI || !`QSM_SIM_TOP.dqs_driven;
    end
    if (rises) begin
      rises_q <= rises_q + 1;
      write_q <= write_q + 3'd1;
    end
    if (closes) begin
      gate_q <= 1'b0;
      if (falls && !bad_q && rises_q == (asked_q[gate_at_q] + 3) / 4) seen_q <= '1;
      if (rises_q != 0) begin  // else nothing of it is to be read
        closed_q[gate_at_q] <= 1'b1;
        gate_at_q <= gate_at_q + 2'd1;
        asked_q[gate_at_q + 2'd1] <= 0;
        closed_q[gate_at_q + 2'd1] <= 1'b0;
      end else begin
        asked_q[gate_at_q] <= 0;
      end
    end

    if (first_q[FifoLatency-1]) fetching_q <= 1'b1;
    if (fetches) begin
      fetch_q <= fetch_q + 3'd1;
      fetched_q <= fetched_q + 1;
      if (closed_q[fetch_at_q] && fetched_q + 1 >= (asked_q[fetch_at_q] + 3) / 4) begin
        fetching_q <= 1'b0;
        fetched_q <= 0;
        fetch_at_q <= fetch_at_q + 2'd1;
      end
    end
    if (PAUSE || RST) begin
      select_q <= {READCLKSEL2, READCLKSEL1, READCLKSEL0};
      {wants_q, write_q, fetch_q, gate_q, closed_q, gate_at_q, fetch_at_q, fetching_q} <= '0;
      {first_q, strobe_q} <= '0;
      fetched_q <= 0;
      for (int g = 0; g < 4; g++) asked_q[g] <= 0;
    end
  end
  assign DQSR90 = strobe_q;
  assign {WRPNTR2, WRPNTR1, WRPNTR0} = write_q;
  assign {RDPNTR2, RDPNTR1, RDPNTR0} = fetch_q;
  assign DATAVALID = fetching_q;
  assign BURSTDET = seen_q[7];
  assign DQSW = ECLK;
  assign DQSW270 = ECLK;
  initial assert (DQS_LI_DEL_ADJ == "MINUS" && DQS_LO_DEL_ADJ == "MINUS");
  logic unused;
  assign unused = ^{RDLOADN, RDMOVE, RDDIRECTION, WRLOADN, WRMOVE, WRDIRECTION, DQS_LI_DEL_VAL != 0,
      DQS_LO_DEL_VAL != 0};
endmodule

// A bit that comes with a strobe: taken with both of its edges, a pair at a time, kept in eight
// places; pairs come out in ECLK's time, two of them with an edge of SCLK.
module IDDRX2DQA (
  input  logic D, DQSR90, ECLK, SCLK, RST, RDPNTR2, RDPNTR1, RDPNTR0, WRPNTR2, WRPNTR1, WRPNTR0,
  output logic Q0, Q1, Q2, Q3
);
  logic quarter, strobe_q, eclk_q, eclk_late_q, sclk_q;
  logic [1:0] pairs_q[8];
  logic [3:0] word_q, q_q;
  logic [2:0] fetch, fetch_q;
  assign quarter = `QSM_SIM_TOP.quarter_pin;
  assign fetch = {RDPNTR2, RDPNTR1, RDPNTR0};
  initial begin
    {strobe_q, eclk_q, eclk_late_q, sclk_q, word_q, q_q, fetch_q} = '0;
    for (int p = 0; p < 8; p++) pairs_q[p] = '0;
  end
  always_ff @(posedge quarter or negedge quarter) begin
    strobe_q <= DQSR90;
    {eclk_late_q, eclk_q} <= {eclk_q, ECLK};
    sclk_q <= SCLK;
    fetch_q <= fetch;
    if (DQSR90 != strobe_q) pairs_q[{WRPNTR2, WRPNTR1, WRPNTR0}][strobe_q] <= D;
    if (eclk_q && !eclk_late_q)
      word_q <= {(fetch != fetch_q) ? pairs_q[fetch] : 2'b00, word_q[3:2]};
    if (SCLK && !sclk_q) q_q <= word_q;
    if (RST) q_q <= '0;
  end
  assign {Q3, Q2, Q1, Q0} = q_q;
endmodule

// Clocks: one of two, stopped, halved.
module ECLKBRIDGECS (
  input  logic CLK0, CLK1, SEL,
  output logic ECSOUT
);
  assign ECSOUT = SEL ? CLK1 : CLK0;
endmodule

module ECLKSYNCB (
  input  logic ECLKI, STOP,
  output logic ECLKO
);
  logic runs_q;
  always_latch if (!ECLKI) runs_q = !STOP;
  assign ECLKO = ECLKI & runs_q;
endmodule

module CLKDIVF #(
  parameter DIV = "2.0"
) (
  input  logic CLKI, RST, ALIGNWD,
  output logic CDIVX
);
  logic half_q = 1'b0;
  always_ff @(posedge CLKI or posedge RST) half_q <= RST ? 1'b0 : !half_q;
  assign CDIVX = half_q;
  initial assert (DIV == "2.0");
  logic unused;
  assign unused = ALIGNWD;
endmodule

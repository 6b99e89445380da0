// SPDX-License-Identifier: Apache-2.0
// Model of a 16 bit wide SDR SDRAM of 32 MB (4 banks, 8192 rows, 512 columns; MT48LC16M16A2-7E and
// its like), for simulation: does what its commands say and checks that they may come: the start,
// the times of the data sheet, open and closed banks, refresh. Bursts of one word. Contract:
// docs/board.md R-BD-14, R-BD-15.
module qsm_sdram_chip #(
  parameter int unsigned RowW = 13,            // of a row's number so many bits count
  parameter int unsigned ClkPs = 20_000,       // a cycle, picoseconds
  parameter longint unsigned RcdPs = 64'd20_000,
  parameter longint unsigned RpPs = 64'd20_000,
  parameter longint unsigned RasPs = 64'd44_000,
  parameter longint unsigned RcPs = 64'd66_000,
  parameter longint unsigned RfcPs = 64'd66_000,
  parameter longint unsigned RrdPs = 64'd15_000,
  parameter longint unsigned WrPs = 64'd15_000,
  parameter int unsigned MrdCycles = 2,
  parameter longint unsigned RasMostPs = 64'd120_000_000,
  parameter longint unsigned StartPs = 64'd100_000_000,  // of clock before the first command
  parameter longint unsigned RefreshPs = 64'd7_812_500,  // on the average: 64 ms / 8192
  parameter int unsigned RefreshOwed = 8                 // at most
) (
  input  logic        clk_i,
  input  logic        cke_i,
  input  logic        cs_ni,
  input  logic        ras_ni,
  input  logic        cas_ni,
  input  logic        we_ni,
  input  logic [12:0] a_i,
  input  logic [1:0]  ba_i,
  input  logic [1:0]  dm_i,
  input  logic [15:0] dq_i,
  input  logic        dq_driven_i,  // by the controller
  output logic [15:0] dq_o,
  output logic        dq_oe_o
);
  // Cycles that a time takes.
  function automatic longint unsigned cycles(input longint unsigned ps);
    return (ps + 64'(ClkPs) - 64'd1) / 64'(ClkPs);
  endfunction
  localparam longint unsigned Rcd = cycles(RcdPs);
  localparam longint unsigned Rp = cycles(RpPs);
  localparam longint unsigned Ras = cycles(RasPs);
  localparam longint unsigned Rc = cycles(RcPs);
  localparam longint unsigned Rfc = cycles(RfcPs);
  localparam longint unsigned Rrd = cycles(RrdPs);
  localparam longint unsigned Wr = cycles(WrPs);
  localparam longint unsigned RasMost = RasMostPs / 64'(ClkPs);
  localparam longint unsigned Start = cycles(StartPs);
  localparam longint unsigned RefreshEach = RefreshPs / 64'(ClkPs);

  localparam int unsigned AtW = RowW + 11;
  logic [15:0] mem[1 << AtW];

  typedef enum logic [2:0] {CmdMode, CmdRefresh, CmdPrecharge, CmdActive, CmdWrite, CmdRead,
      CmdStop, CmdNop} command_e;
  command_e command;
  assign command = (cs_ni || !cke_i) ? CmdNop : command_e'({ras_ni, cas_ni, we_ni});

  // Cycle numbers; 0: never.
  longint unsigned now_q;
  logic [3:0] open_q;
  logic [12:0] row_q[4];
  longint unsigned active_q[4], precharge_q[4], write_q[4];
  longint unsigned refresh_q, mode_q, any_active_q;
  int unsigned n_refresh_q;
  longint unsigned owed_at_q;  // cycle of the last refresh that came to be owed
  int unsigned owed_q;
  logic started_q, precharged_q, mode_set_q;
  logic latency3_q;  // CAS latency 3, not 2
  // Reads on their way: taken so many cycles ago; the masks of the last two cycles.
  logic [1:0] read_q;
  logic [AtW-1:0] read_at_q[2];
  logic [1:0] dm_q[2];

  logic [AtW-1:0] at;
  assign at = {row_q[ba_i][RowW-1:0], ba_i, a_i[8:0]};
  logic [3:0] which;  // banks of a precharge
  assign which = a_i[10] ? 4'hF : 4'b1 << ba_i;

  // A time since an event; the event never was: long.
  function automatic logic after(input longint unsigned event_at, input longint unsigned n);
    return event_at == 0 || now_q >= event_at + n;
  endfunction

  initial begin
    now_q = 1;
    {open_q, started_q, precharged_q, mode_set_q, read_q} = '0;
    {refresh_q, mode_q, any_active_q, n_refresh_q, owed_at_q, owed_q} = '0;
    latency3_q = 1'b0;
    for (int b = 0; b < 4; b++) begin
      active_q[b] = 0;
      precharge_q[b] = 0;
      write_q[b] = 0;
    end
  end

  always_ff @(posedge clk_i) begin
    now_q <= now_q + 1;
    dm_q <= '{dm_i, dm_q[0]};
    read_q <= {read_q[0], command == CmdRead};
    read_at_q <= '{at, read_at_q[0]};
    // Data of a read come CAS latency cycles after it: driven from the edge before on.
    dq_oe_o <= read_q[latency3_q] && dm_q[0] != 2'b11;
    dq_o <= mem[read_at_q[latency3_q]];
    assert (!(dq_oe_o && dq_driven_i)) else $error("R-BD-14: controller and chip drive the data");

    if (command != CmdNop) begin
      assert (started_q || now_q > Start)
        else $error("R-BD-15: a command %0d cycles after the start", now_q);
      started_q <= 1'b1;
      assert (after(refresh_q, Rfc)) else $error("R-BD-15: tRFC");
      assert (after(mode_q, 64'(MrdCycles))) else $error("R-BD-15: tMRD");
      assert (mode_set_q || (command != CmdActive && command != CmdRead && command != CmdWrite))
        else $error("R-BD-15: an access before the mode is set");
    end
    // Refreshes are owed from the first mode on; none can be paid before it is owed.
    if (mode_set_q) begin
      if (now_q - owed_at_q >= RefreshEach) begin
        owed_at_q <= now_q;
        if (command != CmdRefresh) begin
          owed_q <= owed_q + 1;
          assert (owed_q < RefreshOwed)
            else $error("R-BD-15: %0d refreshes are owed", owed_q + 1);
        end
      end else if (command == CmdRefresh && owed_q != 0) begin
        owed_q <= owed_q - 1;
      end
    end

    unique case (command)
      CmdMode: begin
        assert (open_q == '0) else $error("R-BD-15: mode with a bank open");
        assert (precharged_q && n_refresh_q >= 2)
          else $error("R-BD-15: mode before precharge and two refreshes");
        assert (a_i[2:0] == 3'd0 && (a_i[6:4] == 3'd2 || a_i[6:4] == 3'd3) && a_i[12:10] == '0 &&
            a_i[8:7] == '0 && ba_i == '0)
          else $error("R-BD-14: mode %h is none that the model has", a_i);
        for (int b = 0; b < 4; b++)
          assert (after(precharge_q[b], Rp)) else $error("R-BD-15: tRP before a mode");
        latency3_q <= a_i[4];
        mode_q <= now_q;
        mode_set_q <= 1'b1;
        if (!mode_set_q) owed_at_q <= now_q;
      end
      CmdRefresh: begin
        assert (open_q == '0) else $error("R-BD-15: refresh with a bank open");
        for (int b = 0; b < 4; b++)
          assert (after(precharge_q[b], Rp)) else $error("R-BD-15: tRP before a refresh");
        refresh_q <= now_q;
        n_refresh_q <= n_refresh_q + 1;
      end
      CmdPrecharge: begin
        for (int b = 0; b < 4; b++) begin
          if (which[b] && open_q[b]) begin
            assert (after(active_q[b], Ras)) else $error("R-BD-15: tRAS");
            assert (after(write_q[b], Wr)) else $error("R-BD-15: tWR");
            precharge_q[b] <= now_q;
          end
        end
        open_q <= open_q & ~which;
        if (a_i[10]) precharged_q <= 1'b1;
      end
      CmdActive: begin
        assert (!open_q[ba_i]) else $error("R-BD-14: an open bank is opened");
        assert (after(precharge_q[ba_i], Rp)) else $error("R-BD-15: tRP");
        assert (after(active_q[ba_i], Rc)) else $error("R-BD-15: tRC");
        assert (after(any_active_q, Rrd)) else $error("R-BD-15: tRRD");
        open_q[ba_i] <= 1'b1;
        row_q[ba_i] <= a_i;
        active_q[ba_i] <= now_q;
        any_active_q <= now_q;
      end
      CmdRead, CmdWrite: begin
        assert (open_q[ba_i]) else $error("R-BD-14: an access of a closed bank");
        assert (after(active_q[ba_i], Rcd)) else $error("R-BD-15: tRCD");
        if (command == CmdWrite) begin
          assert (dq_driven_i) else $error("R-BD-14: a write without data");
          if (!dm_i[0]) mem[at][7:0] <= dq_i[7:0];
          if (!dm_i[1]) mem[at][15:8] <= dq_i[15:8];
          write_q[ba_i] <= now_q;
        end
        if (a_i[10]) begin  // and closes the bank, as soon as it may
          open_q[ba_i] <= 1'b0;
          precharge_q[ba_i] <= (now_q + Wr > active_q[ba_i] + Ras) ? now_q + Wr :
              active_q[ba_i] + Ras;
        end
      end
      default: assert (command == CmdNop) else $error("R-BD-14: a burst is stopped");
    endcase
    for (int b = 0; b < 4; b++)
      assert (!open_q[b] || now_q - active_q[b] <= RasMost)
        else $error("R-BD-15: bank %0d is open for %0d cycles", b, now_q - active_q[b]);
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// Model of a 16 bit wide DDR3 SDRAM (8 banks, 1024 columns; MT41K64M16, MT41K256M16 and their
// like), for simulation: does what its commands say and checks that they may come: the start, the
// modes, the times of the data sheet, refresh, commands and data at the right edges. It looks at
// its pins once in each quarter of its clock, when quarter_i changes, and answers from then on.
// Bursts of eight. Contract: docs/board.md R-BD-23 to R-BD-25.
module qsm_ddr3_chip #(
  parameter int unsigned RowW = 13,           // of a row's number so many bits count
  parameter int unsigned ClkPs = 10_416,      // a cycle, picoseconds
  parameter logic [14:0] Mode1 = 15'h002,     // as the board needs them: 34 ohm, no termination but
  parameter logic [14:0] Mode2 = 15'h200,     // 60 ohm when written; CWL 5
  parameter longint unsigned RcdPs = 64'd13_750,
  parameter longint unsigned RpPs = 64'd13_750,
  parameter longint unsigned RasPs = 64'd37_500,
  parameter longint unsigned RcPs = 64'd50_625,
  parameter longint unsigned RrdPs = 64'd10_000,  // and four cycles
  parameter longint unsigned FawPs = 64'd50_000,
  parameter longint unsigned WrPs = 64'd15_000,
  parameter longint unsigned WtrPs = 64'd7_500,   // and four cycles
  parameter longint unsigned RtpPs = 64'd7_500,   // and four cycles
  parameter longint unsigned RfcPs = 64'd260_000,
  parameter longint unsigned RasMostPs = 64'd70_200_000,
  parameter longint unsigned ResetPs = 64'd200_000_000,  // RESET# low
  parameter longint unsigned CkePs = 64'd500_000_000,    // then CKE low
  parameter longint unsigned RefreshPs = 64'd7_812_500,  // on the average
  parameter int unsigned RefreshOwed = 8                 // at most
) (
  input  logic        quarter_i,
  input  logic        reset_ni,
  input  logic        clk_i,
  input  logic        cke_i,
  input  logic        cs_ni,
  input  logic        ras_ni,
  input  logic        cas_ni,
  input  logic        we_ni,
  input  logic [14:0] a_i,
  input  logic [2:0]  ba_i,
  input  logic [1:0]  dm_i,
  input  logic [15:0] dq_i,
  input  logic        dq_driven_i,   // by the controller
  input  logic [1:0]  dqs_i,
  input  logic        dqs_driven_i,
  output logic [15:0] dq_o,
  output logic        dq_oe_o,
  output logic [1:0]  dqs_o,
  output logic        dqs_oe_o
);
  // Cycles that a time takes, and at least so many.
  function automatic longint unsigned cycles(input longint unsigned ps, input longint unsigned n);
    longint unsigned c = (ps + 64'(ClkPs) - 64'd1) / 64'(ClkPs);
    return (c > n) ? c : n;
  endfunction
  localparam longint unsigned Rcd = cycles(RcdPs, 0);
  localparam longint unsigned Rp = cycles(RpPs, 0);
  localparam longint unsigned Ras = cycles(RasPs, 0);
  localparam longint unsigned Rc = cycles(RcPs, 0);
  localparam longint unsigned Rrd = cycles(RrdPs, 4);
  localparam longint unsigned Faw = cycles(FawPs, 0);
  localparam longint unsigned Wr = cycles(WrPs, 0);
  localparam longint unsigned Wtr = cycles(WtrPs, 4);
  localparam longint unsigned Rtp = cycles(RtpPs, 4);
  localparam longint unsigned Rfc = cycles(RfcPs, 0);
  localparam longint unsigned Xpr = cycles(RfcPs + 64'd10_000, 5);
  localparam longint unsigned RasMost = RasMostPs / 64'(ClkPs);
  localparam longint unsigned ResetLeast = 4 * cycles(ResetPs, 0);  // quarters
  localparam longint unsigned CkeLeast = 4 * cycles(CkePs, 0);
  localparam longint unsigned RefreshEach = RefreshPs / 64'(ClkPs);
  localparam longint unsigned Ccd = 4;
  localparam longint unsigned Mrd = 4;
  localparam longint unsigned Mod = 12;   // from a mode to another command
  localparam longint unsigned Lock = 512; // of its DLL; a calibration, at the start and later
  localparam longint unsigned Zq = 512;
  localparam longint unsigned ZqShort = 64;

  localparam int unsigned AtW = RowW + 13;
  logic [15:0] mem[1 << AtW];

  typedef enum logic [2:0] {CmdMode, CmdRefresh, CmdPrecharge, CmdActive, CmdWrite, CmdRead,
      CmdCalibrate, CmdNop} command_e;

  // ---- What has happened; quarters and cycles are counted from 1, 0: never ----
  longint unsigned t_q, now_q;            // quarters, cycles
  longint unsigned reset_q, cke_low_q;    // quarters since which RESET# is 0, is 1
  longint unsigned cke_q;                 // cycle in which CKE became 1
  logic clk_q, cke_was_q, reset_was_q;
  logic [23:0] pins, pins_q;              // of a command
  logic hold_q;                           // a clock's edge was a quarter ago
  logic [7:0] open_q;
  logic [14:0] row_q[8];
  longint unsigned active_q[8], precharge_q[8], write_end_q[8], read_q[8];
  longint unsigned active4_q[4];          // the last four of all banks
  longint unsigned refresh_q, mode_q, calibrate_q, access_q, last_write_end_q, last_read_q;
  longint unsigned lock_q;                // cycle of the DLL's reset
  longint unsigned calibrate_for_q;
  longint unsigned owed_q, owed_at_q;     // refreshes; cycle of the last one that came to be owed
  logic [3:0] modes_q;                    // that have been set
  logic calibrated_q;
  int unsigned cl_q, cwl_q;

  // ---- Bursts on their way: quarter of their first edge ----
  logic [AtW-1:0] write_at_q[4], read_at_q[4];
  longint unsigned write_start_q[2][4], read_start_q[4];  // of each lane
  logic [1:0] write_tail_q, read_tail_q;
  logic [1:0] write_head_q[2];            // of each lane
  int unsigned beat_q[2];
  logic [1:0] dqs_q;
  logic [15:0] dq_q;
  logic [1:0] dm_q;
  logic dq_driven_q;
  int unsigned low_q[2];                  // quarters for which a driven strobe is 0

  function automatic logic after(input longint unsigned event_at, input longint unsigned n);
    return event_at == 0 || now_q >= event_at + n;
  endfunction

  assign pins = {cke_i, cs_ni, ras_ni, cas_ni, we_ni, 1'b0, a_i, ba_i};
  command_e command;
  assign command = (cs_ni || !cke_i) ? CmdNop : command_e'({ras_ni, cas_ni, we_ni});
  logic edges;
  assign edges = clk_i && !clk_q;
  logic [AtW-1:0] at;
  assign at = {row_q[ba_i][RowW-1:0], ba_i, a_i[9:0]};
  logic [7:0] which;  // banks of a precharge
  assign which = a_i[10] ? 8'hFF : 8'b1 << ba_i;

  initial begin
    {clk_q, cke_was_q, reset_was_q, hold_q, open_q, modes_q, calibrated_q} = '0;
    {write_tail_q, read_tail_q, dqs_q, dq_q, dm_q, dq_driven_q, pins_q} = '0;
    {reset_q, cke_low_q, cke_q, refresh_q, mode_q, calibrate_q, access_q, last_write_end_q} = '0;
    {last_read_q, lock_q, calibrate_for_q, owed_q, owed_at_q} = '0;
    t_q = 1;
    now_q = 1;
    cl_q = 0;
    cwl_q = 0;
    for (int b = 0; b < 8; b++) begin
      active_q[b] = 0;
      precharge_q[b] = 0;
      write_end_q[b] = 0;
      read_q[b] = 0;
    end
    for (int n = 0; n < 4; n++) begin
      active4_q[n] = 0;
      write_start_q[0][n] = 0;
      write_start_q[1][n] = 0;
      read_start_q[n] = 0;
    end
    for (int l = 0; l < 2; l++) begin
      write_head_q[l] = '0;
      beat_q[l] = 0;
      low_q[l] = 0;
    end
  end

  // ---- Commands ----
  always_ff @(posedge quarter_i or negedge quarter_i) begin
    t_q <= t_q + 1;
    clk_q <= clk_i;
    pins_q <= pins;
    hold_q <= edges && reset_ni;
    reset_was_q <= reset_ni;

    // Reset and CKE, which need no clock.
    if (!reset_ni) begin
      if (reset_was_q || reset_q == 0) reset_q <= t_q;
      assert (!cke_i || reset_was_q) else $error("R-BD-24: CKE is 1 in the reset");
      cke_low_q <= 0;
      {open_q, modes_q, calibrated_q, cke_was_q} <= '0;
      {cke_q, owed_q, refresh_q, mode_q, calibrate_q, access_q} <= '0;
      {last_read_q, last_write_end_q, lock_q} <= '0;
      for (int b = 0; b < 8; b++) {active_q[b], precharge_q[b], write_end_q[b], read_q[b]} <= '0;
      for (int n = 0; n < 4; n++) active4_q[n] <= 0;
    end else if (!reset_was_q) begin
      assert (reset_q != 0 && t_q - reset_q >= ResetLeast)
        else $error("R-BD-24: a reset of %0d quarters", t_q - reset_q);
      assert (!cke_i) else $error("R-BD-24: CKE is 1 at the end of the reset");
      cke_low_q <= t_q;
    end

    if (hold_q && reset_ni)
      assert (pins == pins_q) else $error("R-BD-25: a command changes at the clock's edge");
    if (edges && reset_ni) begin
      now_q <= now_q + 1;
      cke_was_q <= cke_i;
      assert (pins == pins_q) else $error("R-BD-25: a command changes before the clock's edge");
      if (cke_i && !cke_was_q) begin
        assert (cke_low_q != 0 && t_q - cke_low_q >= CkeLeast)
          else $error("R-BD-24: CKE %0d quarters after the reset", t_q - cke_low_q);
        cke_q <= now_q;
      end
      assert (cke_i || !cke_was_q) else $error("R-BD-23: CKE becomes 0, which the model has not");

      // Refreshes are owed from the end of the start on.
      if (calibrated_q) begin
        if (now_q - owed_at_q >= RefreshEach) begin
          owed_at_q <= now_q;
          if (command != CmdRefresh) begin
            owed_q <= owed_q + 1;
            assert (owed_q < 64'(RefreshOwed))
              else $error("R-BD-24: %0d refreshes are owed", owed_q + 1);
          end
        end else if (command == CmdRefresh && owed_q != 0) begin
          owed_q <= owed_q - 1;
        end
      end
      for (int b = 0; b < 8; b++)
        assert (!open_q[b] || now_q - active_q[b] <= RasMost)
          else $error("R-BD-24: bank %0d is open for %0d cycles", b, now_q - active_q[b]);

      if (command != CmdNop) begin
        assert (cke_was_q && after(cke_q, Xpr)) else $error("R-BD-24: tXPR");
        assert (after(refresh_q, Rfc)) else $error("R-BD-24: tRFC");
        assert (after(mode_q, (command == CmdMode) ? Mrd : Mod)) else $error("R-BD-24: tMRD, tMOD");
        assert (after(calibrate_q, calibrate_for_q)) else $error("R-BD-24: tZQ");
        assert ((modes_q == '1 && calibrated_q) || command == CmdMode || command == CmdCalibrate ||
            command == CmdPrecharge)
          else $error("R-BD-24: a command before all modes and the calibration, modes %b", modes_q);
      end

      unique case (command)
        CmdMode: begin
          assert (open_q == '0) else $error("R-BD-24: a mode with a bank open");
          for (int b = 0; b < 8; b++)
            assert (after(precharge_q[b], Rp)) else $error("R-BD-24: tRP before a mode");
          unique case (ba_i)
            3'd0: begin
              assert (a_i[14:13] == '0 && a_i[12] == 1'b0 && a_i[7] == 1'b0 && a_i[3:0] == '0 &&
                  a_i[6:4] != '0 && a_i[8])
                else $error("R-BD-23: mode register 0 %h is none that the model has", a_i);
              assert (a_i[11:9] != '0 && a_i[11:9] <= 3'd4 && 64'(a_i[11:9]) + 64'd4 >= Wr)
                else $error("R-BD-24: a write recovery of %0d cycles", a_i[11:9] + 4);
              assert (modes_q[3:1] == '1) else $error("R-BD-24: mode register 0 before the others");
              cl_q <= 32'(a_i[6:4]) + 4;
              lock_q <= now_q;
            end
            3'd1: assert (a_i == Mode1) else $error("R-BD-23: mode register 1 is %h", a_i);
            3'd2: begin
              assert (a_i == Mode2) else $error("R-BD-23: mode register 2 is %h", a_i);
              cwl_q <= 32'(a_i[5:3]) + 5;
            end
            3'd3: assert (a_i == '0) else $error("R-BD-23: mode register 3 is %h", a_i);
            default: assert (1'b0) else $error("R-BD-23: mode register %0d", ba_i);
          endcase
          modes_q[ba_i[1:0]] <= 1'b1;
          mode_q <= now_q;
        end
        CmdCalibrate: begin
          assert (open_q == '0) else $error("R-BD-24: a calibration with a bank open");
          assert (modes_q == '1) else $error("R-BD-24: a calibration before the modes");
          assert (a_i[10] || calibrated_q) else $error("R-BD-24: a short calibration at the start");
          calibrate_q <= now_q;
          calibrate_for_q <= a_i[10] ? Zq : ZqShort;
          if (!calibrated_q) begin
            owed_q <= 0;
            owed_at_q <= now_q;
          end
          calibrated_q <= 1'b1;
        end
        CmdRefresh: begin
          assert (open_q == '0) else $error("R-BD-24: a refresh with a bank open");
          for (int b = 0; b < 8; b++)
            assert (after(precharge_q[b], Rp)) else $error("R-BD-24: tRP before a refresh");
          refresh_q <= now_q;
        end
        CmdPrecharge: begin
          for (int b = 0; b < 8; b++) begin
            if (which[b] && open_q[b]) begin
              assert (after(active_q[b], Ras)) else $error("R-BD-24: tRAS");
              assert (after(write_end_q[b], Wr)) else $error("R-BD-24: tWR");
              assert (after(read_q[b], Rtp)) else $error("R-BD-24: tRTP");
              precharge_q[b] <= now_q;
            end
          end
          open_q <= open_q & ~which;
        end
        CmdActive: begin
          assert (!open_q[ba_i]) else $error("R-BD-23: an open bank is opened");
          assert (a_i >> RowW == '0) else $error("R-BD-23: row %h, which the model has not", a_i);
          assert (after(precharge_q[ba_i], Rp)) else $error("R-BD-24: tRP");
          assert (after(active_q[ba_i], Rc)) else $error("R-BD-24: tRC");
          assert (after(active4_q[0], Rrd)) else $error("R-BD-24: tRRD");
          assert (after(active4_q[3], Faw)) else $error("R-BD-24: tFAW");
          open_q[ba_i] <= 1'b1;
          row_q[ba_i] <= a_i;
          active_q[ba_i] <= now_q;
          active4_q <= '{now_q, active4_q[0], active4_q[1], active4_q[2]};
        end
        CmdRead, CmdWrite: begin
          assert (open_q[ba_i]) else $error("R-BD-23: an access of a closed bank");
          assert (after(active_q[ba_i], Rcd)) else $error("R-BD-24: tRCD");
          assert (after(lock_q, Lock)) else $error("R-BD-24: an access before the DLL has locked");
          assert (after(access_q, Ccd)) else $error("R-BD-24: tCCD");
          assert (a_i[2:0] == '0 && a_i[14:11] == '0)
            else $error("R-BD-23: a burst that begins with column %0d", a_i[9:0]);
          access_q <= now_q;
          if (command == CmdRead) begin
            assert (after(last_write_end_q, Wtr)) else $error("R-BD-24: tWTR");
            read_q[ba_i] <= now_q;
            last_read_q <= now_q;
          end else begin
            assert (after(last_read_q, 64'(cl_q) + Ccd + 64'd2 - 64'(cwl_q)))
              else $error("R-BD-24: a write right behind a read");
            write_end_q[ba_i] <= now_q + 64'(cwl_q) + 64'd4;
            last_write_end_q <= now_q + 64'(cwl_q) + 64'd4;
          end
          if (a_i[10]) begin  // and closes the bank, as soon as it may
            open_q[ba_i] <= 1'b0;
            if (command == CmdWrite) precharge_q[ba_i] <= now_q + 64'(cwl_q) + 64'd4 + Wr;
            else precharge_q[ba_i] <= (now_q + Rtp > active_q[ba_i] + Ras) ? now_q + Rtp :
                active_q[ba_i] + Ras;
          end
        end
        default: ;
      endcase
    end
  end

  // ---- Data, a quarter at a time ----
  logic [3:0] reads, reads_strobe;  // bursts that show data; that drive their strobes
  logic [15:0] read_data;
  logic read_strobe;
  always_comb begin
    read_data = '0;
    read_strobe = 1'b0;
    for (int unsigned n = 0; n < 4; n++) begin
      reads[n] = read_start_q[n] != 0 && t_q >= read_start_q[n] && t_q < read_start_q[n] + 16;
      reads_strobe[n] = read_start_q[n] != 0 && t_q + 4 >= read_start_q[n] &&
          t_q < read_start_q[n] + 18;
      if (reads[n]) begin
        read_data = mem[{read_at_q[n][AtW-1:3], 3'((t_q - read_start_q[n]) >> 1)}];
        read_strobe = 2'(t_q - read_start_q[n]) < 2'd2;
      end
    end
  end
  longint unsigned first[2];  // edge of the burst that a lane is at
  always_comb for (int unsigned l = 0; l < 2; l++) first[l] = write_start_q[l][write_head_q[l]];

  always_ff @(posedge quarter_i or negedge quarter_i) begin
    dq_o <= read_data;
    dq_oe_o <= reads != '0;
    dqs_o <= {2{read_strobe}};
    dqs_oe_o <= reads_strobe != '0;
    assert (!(dq_oe_o && dq_driven_i) && !(dqs_oe_o && dqs_driven_i))
      else $error("R-BD-25: controller and chip drive the data");

    if (edges && reset_ni && command == CmdRead) begin
      read_at_q[read_tail_q] <= at;
      read_start_q[read_tail_q] <= t_q + 64'(4 * cl_q);
      read_tail_q <= read_tail_q + 2'd1;
    end
    if (edges && reset_ni && command == CmdWrite) begin
      write_at_q[write_tail_q] <= at;
      for (int l = 0; l < 2; l++) write_start_q[l][write_tail_q] <= t_q + 64'(4 * cwl_q);
      write_tail_q <= write_tail_q + 2'd1;
    end

    dqs_q <= dqs_i;
    dq_q <= dq_i;
    dm_q <= dm_i;
    dq_driven_q <= dq_driven_i;
    for (int l = 0; l < 2; l++) begin
      low_q[l] <= (dqs_driven_i && !dqs_i[l]) ? low_q[l] + 1 : 0;
      if (first[l] != 0) begin
        // Each beat comes with an edge; the first one a quarter early or late at most.
        if (t_q + 1 >= first[l] && dqs_driven_i && dqs_i[l] != dqs_q[l]) begin
          assert (dqs_i[l] == !beat_q[l][0])
            else $error("R-BD-25: beat %0d comes with the wrong edge", beat_q[l]);
          if (beat_q[l] == 0)
            assert (low_q[l] >= 2 && t_q <= first[l] + 1)
              else $error("R-BD-25: the strobe of a write begins %0d quarters late, %0d after 0",
                  t_q - first[l], low_q[l]);
          assert (dq_driven_i && dq_driven_q && dq_i[8*l +: 8] == dq_q[8*l +: 8] &&
              dm_i[l] == dm_q[l])
            else $error("R-BD-25: data change at their strobe's edge");
          if (!dm_i[l])
            mem[{write_at_q[write_head_q[l]][AtW-1:3], 3'(beat_q[l])}][8*l +: 8] <= dq_i[8*l +: 8];
          beat_q[l] <= (beat_q[l] + 1) % 8;
          if (beat_q[l] == 7) begin
            write_start_q[l][write_head_q[l]] <= 0;
            write_head_q[l] <= write_head_q[l] + 2'd1;
          end
        end
        assert (t_q <= first[l] + 64'(2 * beat_q[l]) + 1)
          else $error("R-BD-25: beat %0d of a write does not come", beat_q[l]);
      end
    end
    if (!reset_ni) begin
      {write_tail_q, read_tail_q} <= '0;
      write_head_q <= '{default: '0};
      for (int n = 0; n < 4; n++)
        {write_start_q[0][n], write_start_q[1][n], read_start_q[n]} <= '0;
      for (int l = 0; l < 2; l++) beat_q[l] <= 0;
    end
  end
endmodule

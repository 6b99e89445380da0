// SPDX-License-Identifier: Apache-2.0
// DP16KD, block RAM of an ECP5: 1024 words of 18 bits, two ports, one clock, without the output
// registers. From Lattice's guide of its memories (FPGA-TN-02204) and the rules by which Yosys maps
// memories to it (techlibs/lattice/brams_16kd.txt, brams_map_16kd.v).
// - A port of 9 bits is addressed by AD[13:3], of 18 by AD[13:4], of 36 by AD[13:5]. A write of 18
//   bits has byte enables at AD[1:0], of 36 at AD[3:0]; a byte has nine bits.
// - 36 bits: port A writes {DIB, DIA}, port B reads {DOB, DOA}; there is no other use of either.
// - CE enables reads and writes; RST clears what was read, with and without CE, and bars a write
//   (RESETMODE SYNC; where it is ASYNC, RST is not used).
// - A port's write leaves what it reads (NORMAL), shows the new word (WRITETHROUGH) or the old one
//   (READBEFOREWRITE).
// - Where one port reads what the other writes in the same cycle, the word read is unknown: here it
//   is the complement of the old one (R-NL-4).
// - Contents are those of the bitstream, which are zeros, or unknown before the first write.
// Anything else is refused: here where a parameter says it, else by scripts/netlist.py.
module qsm_dp16kd #(
  parameter int DATA_WIDTH_A = 18,
  parameter int DATA_WIDTH_B = 18,
  parameter REGMODE_A = "NOREG",
  parameter REGMODE_B = "NOREG",
  parameter RESETMODE = "SYNC",
  parameter ASYNC_RESET_RELEASE = "SYNC",
  parameter CSDECODE_A = "0b000",
  parameter CSDECODE_B = "0b000",
  parameter WRITEMODE_A = "NORMAL",
  parameter WRITEMODE_B = "NORMAL",
  parameter CLKAMUX = "CLKA",
  parameter CLKBMUX = "CLKB",
  parameter GSR = "ENABLED",
  // Of scripts/netlist.py, from all INITVAL: begins with zeros; with something else.
  parameter bit HasZeros = 1'b0,
  parameter bit HasContents = 1'b0
) (
  input  logic DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5,
  input  logic DIA4, DIA3, DIA2, DIA1, DIA0,
  input  logic ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1,
  input  logic ADA0, CEA, OCEA, CLKA, WEA, RSTA,
  output logic DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5,
  output logic DOA4, DOA3, DOA2, DOA1, DOA0,
  input  logic DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5,
  input  logic DIB4, DIB3, DIB2, DIB1, DIB0,
  input  logic ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1,
  input  logic ADB0, CEB, OCEB, CLKB, WEB, RSTB,
  output logic DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
  output logic DOB4, DOB3, DOB2, DOB1, DOB0,
  input  logic gsr_ni
);
  localparam bit Wide = DATA_WIDTH_A == 36;
  if (!(DATA_WIDTH_A inside {9, 18, 36})) $error("DP16KD: DATA_WIDTH_A %0d", DATA_WIDTH_A);
  if (!(DATA_WIDTH_B inside {9, 18, 36})) $error("DP16KD: DATA_WIDTH_B %0d", DATA_WIDTH_B);
  if (DATA_WIDTH_B == 36 && !Wide) $error("DP16KD: a read of 36 bits beside port A's %0d",
                                          DATA_WIDTH_A);
  if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG") $error("DP16KD: output registers");
  if (RESETMODE != "SYNC" && RESETMODE != "ASYNC") $error("DP16KD: RESETMODE %s", RESETMODE);
  if (CSDECODE_A != "0b000" || CSDECODE_B != "0b000") $error("DP16KD: CSDECODE");
  if (CLKAMUX != "CLKA" || CLKBMUX != "CLKB") $error("DP16KD: an inverted clock");
  if (HasContents) $error("DP16KD: contents are not modelled");

  logic [13:0] ada, adb;
  logic [17:0] dia, dib, doa_q, dob_q;
  assign ada = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1,
      ADA0};
  assign adb = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1,
      ADB0};
  assign dia = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6,
      DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
  assign dib = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6,
      DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};

  // Rows of 36 bits: four bytes, of which a port of 18 bits sees two, one of 9 bits one.
  logic [3:0][8:0] mem[512];
  if (HasZeros) begin : g_zeros
    initial for (int i = 0; i < 512; i++) mem[i] = '0;
  end

  // The bytes of its row that a port writes, the row's new bytes, and those that it reads.
  function automatic logic [3:0] write_mask(input int width, input logic [13:0] ad);
    return width == 36 ? ad[3:0] : width == 18 ? (ad[4] ? {ad[1:0], 2'b00} : {2'b00, ad[1:0]})
                                               : 4'b0001 << ad[4:3];
  endfunction
  function automatic logic [3:0] read_mask(input int width, input logic [13:0] ad);
    return width == 36 ? 4'b1111 : width == 18 ? (ad[4] ? 4'b1100 : 4'b0011) : 4'b0001 << ad[4:3];
  endfunction
  function automatic logic [3:0][8:0] write_row(input int width, input logic [35:0] data);
    return width == 36 ? data : width == 18 ? {2{data[17:0]}} : {4{data[8:0]}};
  endfunction
  function automatic logic [3:0][8:0] merged(input logic [3:0][8:0] old, input logic [3:0] mask,
                                             input logic [3:0][8:0] row);
    for (int b = 0; b < 4; b++) merged[b] = mask[b] ? row[b] : old[b];
  endfunction
  function automatic logic [35:0] shown(input int width, input logic [13:0] ad,
                                        input logic [3:0][8:0] row);
    return width == 36 ? row : width == 18 ? 36'(ad[4] ? row[3:2] : row[1:0]) : 36'(row[ad[4:3]]);
  endfunction

  // Mode of a port: what it reads in a cycle in which it writes.
  localparam bit HoldA = WRITEMODE_A == "NORMAL", NewA = WRITEMODE_A == "WRITETHROUGH";
  localparam bit HoldB = WRITEMODE_B == "NORMAL", NewB = WRITEMODE_B == "WRITETHROUGH";
  if (!HoldA && !NewA && WRITEMODE_A != "READBEFOREWRITE") $error("DP16KD: %s", WRITEMODE_A);
  if (!HoldB && !NewB && WRITEMODE_B != "READBEFOREWRITE") $error("DP16KD: %s", WRITEMODE_B);

  logic write_a, write_b;
  logic [3:0] mask_a, mask_b;
  logic [3:0][8:0] old_a, old_b, new_a, new_b, row_a, row_b;
  assign write_a = CEA && WEA && !RSTA;
  assign write_b = CEB && WEB && !RSTB && !Wide;
  assign mask_a = write_a ? write_mask(DATA_WIDTH_A, ada) : '0;
  assign mask_b = write_b ? write_mask(DATA_WIDTH_B, adb) : '0;
  assign old_a = mem[ada[13:5]];
  assign old_b = mem[adb[13:5]];
  assign row_a = write_row(DATA_WIDTH_A, {dib, dia});
  assign row_b = write_row(DATA_WIDTH_B, {18'd0, dib});
  assign new_a = merged(old_a, mask_a, row_a);
  assign new_b = merged(old_b, mask_b, row_b);

  logic same_row, clash_a, clash_b;  // a port reads what the other writes
  assign same_row = ada[13:5] == adb[13:5];
  assign clash_a = same_row && (mask_b & read_mask(DATA_WIDTH_A, ada)) != '0;
  assign clash_b = same_row && (mask_a & read_mask(DATA_WIDTH_B, adb)) != '0;

  always_ff @(posedge CLKA) begin
    for (int b = 0; b < 4; b++) begin
      if (mask_a[b]) mem[ada[13:5]][b] <= row_a[b];
      if (mask_b[b]) mem[adb[13:5]][b] <= row_b[b];
    end
  end

  logic [35:0] read_a, read_b;
  assign read_a = shown(DATA_WIDTH_A, ada, write_a && NewA ? new_a : clash_a ? ~old_a : old_a);
  assign read_b = shown(DATA_WIDTH_B, adb, write_b && NewB ? new_b : clash_b ? ~old_b : old_b);
  logic [17:0] doa, dob;
  assign doa = Wide ? read_b[17:0] : read_a[17:0];
  assign dob = Wide && DATA_WIDTH_B == 36 ? read_b[35:18] : read_b[17:0];
  logic read_b_now, clear_a, load_a;
  assign read_b_now = CEB && !(write_b && HoldB);
  assign clear_a = Wide ? RSTB : RSTA;
  assign load_a = Wide ? read_b_now : CEA && !(write_a && HoldA);

  always_ff @(posedge CLKA or negedge gsr_ni) begin
    if (!gsr_ni) begin
      doa_q <= '0;
      dob_q <= '0;
    end else begin
      if (clear_a) doa_q <= '0;
      else if (load_a) doa_q <= doa;
      if (RSTB) dob_q <= '0;
      else if (read_b_now) dob_q <= dob;
    end
  end

  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5,
      DOA4, DOA3, DOA2, DOA1, DOA0} = doa_q;
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5,
      DOB4, DOB3, DOB2, DOB1, DOB0} = dob_q;

  logic unused;
  assign unused = ^{CLKB, OCEA, OCEB};
endmodule

// SPDX-License-Identifier: Apache-2.0
// Models of cells: LUT4, flip-flops and distributed RAM beside Yosys' own models, and block RAM and
// multiplier with their pins as vectors, for test_cells.cpp, which has their references.
module qsm_cells_bench #(
  localparam int unsigned Rams = 7,
  localparam int unsigned Luts = 128
) (
  input  logic clk_i,
  input  logic gsr_ni,
  // LUT4, flip-flops, distributed RAM: differences between the two models.
  input  logic [3:0]      lut_i,
  output logic [Luts-1:0] lut_differs_o,
  input  logic            lsr_i, ce_i, di_i,
  output logic [11:0]     ff_differs_o,
  output logic            ff_reset_o,      // of those with the value 0 some is 1, or the other way
  input  logic [3:0]      dpr_di_i, dpr_wad_i, dpr_rad_i,
  input  logic            dpr_wre_i,
  output logic [3:0]      dpr_o, dpr_yosys_o,
  // Multiplier.
  input  logic [17:0] a_i, b_i,
  input  logic [1:0]  signed_i,
  output logic [35:0] product_o,
  // Block RAM: all with the same inputs.
  input  logic [13:0] ada_i, adb_i,
  input  logic [17:0] dia_i, dib_i,
  input  logic        cea_i, wea_i, rsta_i, ceb_i, web_i, rstb_i,
  output logic [Rams-1:0][17:0] doa_o, dob_o
);
  for (genvar i = 0; i < Luts; i++) begin : g_lut
    localparam logic [15:0] Init = 16'(i * 40503 + i * i * 9973 + (i >> 4));
    logic ours, theirs;
    qsm_lut4 #(.INIT(Init)) u_ours (.A(lut_i[0]), .B(lut_i[1]), .C(lut_i[2]), .D(lut_i[3]),
                                    .Z(ours));
    LUT4 #(.INIT(Init)) u_theirs (.A(lut_i[0]), .B(lut_i[1]), .C(lut_i[2]), .D(lut_i[3]),
                                  .Z(theirs));
    assign lut_differs_o[i] = ours != theirs;
  end

  // Yosys' model knows no global reset: it stands still while there is one, and is compared once
  // both have been written.
  logic [11:0] ff_wrong;
  assign ff_reset_o = ff_wrong != '0;
  for (genvar i = 0; i < 12; i++) begin : g_ff
    localparam bit Set = i % 2 == 1, Async = i / 2 % 2 == 1;
    localparam int Ce = i / 4;
    logic ours, theirs;
    if (Ce == 0) begin : g_always
      qsm_trellis_ff #(.CEMUX("1"), .SRMODE(Async ? "ASYNC" : "LSR_OVER_CE"),
                       .REGSET(Set ? "SET" : "RESET")) u_ours
        (.CLK(clk_i), .LSR(lsr_i), .CE(ce_i), .DI(di_i), .gsr_ni, .Q(ours));
      TRELLIS_FF #(.CEMUX("1"), .SRMODE(Async ? "ASYNC" : "LSR_OVER_CE"),
                   .REGSET(Set ? "SET" : "RESET")) u_theirs
        (.CLK(clk_i), .LSR(lsr_i), .CE(ce_i), .DI(di_i), .M(1'b0), .Q(theirs));
    end else if (Ce == 1) begin : g_enabled
      qsm_trellis_ff #(.CEMUX("CE"), .SRMODE(Async ? "ASYNC" : "LSR_OVER_CE"),
                       .REGSET(Set ? "SET" : "RESET"), .LSRMUX("INV")) u_ours
        (.CLK(clk_i), .LSR(lsr_i), .CE(ce_i), .DI(di_i), .gsr_ni, .Q(ours));
      TRELLIS_FF #(.CEMUX("CE"), .SRMODE(Async ? "ASYNC" : "LSR_OVER_CE"),
                   .REGSET(Set ? "SET" : "RESET"), .LSRMUX("INV")) u_theirs
        (.CLK(clk_i), .LSR(lsr_i), .CE(ce_i), .DI(di_i), .M(1'b0), .Q(theirs));
    end else begin : g_inverted
      qsm_trellis_ff #(.CEMUX("INV"), .SRMODE(Async ? "ASYNC" : "LSR_OVER_CE"),
                       .REGSET(Set ? "SET" : "RESET")) u_ours
        (.CLK(clk_i), .LSR(lsr_i), .CE(ce_i), .DI(di_i), .gsr_ni, .Q(ours));
      TRELLIS_FF #(.CEMUX("INV"), .SRMODE(Async ? "ASYNC" : "LSR_OVER_CE"),
                   .REGSET(Set ? "SET" : "RESET")) u_theirs
        (.CLK(clk_i), .LSR(lsr_i), .CE(ce_i), .DI(di_i), .M(1'b0), .Q(theirs));
    end
    assign ff_differs_o[i] = ours != theirs;
    assign ff_wrong[i] = ours != Set;
  end

  qsm_trellis_dpr16x4 u_dpr (.DI(dpr_di_i), .WAD(dpr_wad_i), .RAD(dpr_rad_i), .WRE(dpr_wre_i),
                             .WCK(clk_i), .DO(dpr_o));
  TRELLIS_DPR16X4 u_dpr_yosys (.DI(dpr_di_i), .WAD(dpr_wad_i), .RAD(dpr_rad_i), .WRE(dpr_wre_i),
                               .WCK(clk_i), .DO(dpr_yosys_o));

  `define QSM_PINS18(name, bus) \
    .``name``17(bus[17]), .``name``16(bus[16]), .``name``15(bus[15]), .``name``14(bus[14]), \
    .``name``13(bus[13]), .``name``12(bus[12]), .``name``11(bus[11]), .``name``10(bus[10]), \
    .``name``9(bus[9]), .``name``8(bus[8]), .``name``7(bus[7]), .``name``6(bus[6]), \
    .``name``5(bus[5]), .``name``4(bus[4]), .``name``3(bus[3]), .``name``2(bus[2]), \
    .``name``1(bus[1]), .``name``0(bus[0])
  `define QSM_PINS14(name, bus) \
    .``name``13(bus[13]), .``name``12(bus[12]), .``name``11(bus[11]), .``name``10(bus[10]), \
    .``name``9(bus[9]), .``name``8(bus[8]), .``name``7(bus[7]), .``name``6(bus[6]), \
    .``name``5(bus[5]), .``name``4(bus[4]), .``name``3(bus[3]), .``name``2(bus[2]), \
    .``name``1(bus[1]), .``name``0(bus[0])

  qsm_mult18x18d u_mult (
    .A(a_i), .B(b_i), .SIGNEDA(signed_i[0]), .SIGNEDB(signed_i[1]), .gsr_ni, .P(product_o)
  );

  // As test_cells.cpp has them: widths of both ports, and what a port reads while it writes.
  `define QSM_RAM(n, width_a, width_b, mode_a, mode_b) \
    qsm_dp16kd #(.DATA_WIDTH_A(width_a), .DATA_WIDTH_B(width_b), .WRITEMODE_A(mode_a), \
                 .WRITEMODE_B(mode_b)) u_ram``n ( \
      `QSM_PINS18(DIA, dia_i), `QSM_PINS14(ADA, ada_i), .CEA(cea_i), .OCEA(1'b1), .CLKA(clk_i), \
      .WEA(wea_i), .RSTA(rsta_i), `QSM_PINS18(DOA, doa_o[n]), \
      `QSM_PINS18(DIB, dib_i), `QSM_PINS14(ADB, adb_i), .CEB(ceb_i), .OCEB(1'b1), .CLKB(clk_i), \
      .WEB(web_i), .RSTB(rstb_i), `QSM_PINS18(DOB, dob_o[n]), .gsr_ni \
    );
  `QSM_RAM(0, 9, 9, "NORMAL", "NORMAL")
  `QSM_RAM(1, 18, 18, "WRITETHROUGH", "READBEFOREWRITE")
  `QSM_RAM(2, 9, 18, "READBEFOREWRITE", "WRITETHROUGH")
  `QSM_RAM(3, 18, 9, "NORMAL", "WRITETHROUGH")
  `QSM_RAM(4, 36, 36, "NORMAL", "NORMAL")
  `QSM_RAM(5, 36, 18, "NORMAL", "NORMAL")
  `QSM_RAM(6, 36, 9, "NORMAL", "NORMAL")
endmodule

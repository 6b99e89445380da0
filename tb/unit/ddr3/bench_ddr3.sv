// SPDX-License-Identifier: Apache-2.0
// Start of a DDR3 memory, LiteDRAM with its PHY for an ECP5, models of the cells and the chip; the
// bench has the controller's port, and can leave out an access of the start. The times of the start
// that last long are a fiftieth of the real ones; those of the chip, too.
module bench_ddr3 #(
  parameter int unsigned RowW = 4,
  parameter int unsigned WayMost = 8
) (
  input  logic         pll_clk_pin,
  input  logic         init_clk_pin,
  input  logic         quarter_pin,
  input  logic         rst_ni,
  input  logic [3:0]   way_i,      // quarters that a read takes more, to WayMost
  input  logic [15:0]  leave_out_i,  // the n-th access of the start, from 1; 0: none
  input  logic [12:0]  never_i,    // all writes of this register, 1: none
  input  logic [31:0]  never_data_i,  // that are of this
  input  logic         any_data_i,    // or whatever they are of
  output logic         clk_o,
  output logic         ready_o,
  output logic         failed_o,
  output logic [15:0]  accesses_o,  // of the start so far
  output logic [12:0]  addr_o,      // the last one
  output logic [31:0]  data_o,
  output logic [2:0]   delay_o[2],  // that each lane has got
  input  logic         cmd_valid_i,
  output logic         cmd_ready_o,
  input  logic         cmd_we_i,
  input  logic [24:0]  cmd_addr_i,
  input  logic         wdata_valid_i,
  output logic         wdata_ready_o,
  input  logic [15:0]  wdata_we_i,
  input  logic [127:0] wdata_i,
  output logic         rdata_valid_o,
  output logic [127:0] rdata_o
);
  localparam int unsigned Shorter = 50;
  logic mem_clk, clk, phy_stop, phy_reset, rst_n, rst_init_n;
  ECLKSYNCB u_stop (.ECLKI(pll_clk_pin), .STOP(phy_stop), .ECLKO(mem_clk));
  CLKDIVF #(.DIV("2.0")) u_half (
    .CLKI(mem_clk), .RST(phy_reset), .ALIGNWD(1'b0), .CDIVX(clk)
  );
  qsm_board_reset u_reset (.clk_i(clk), .async_ni(rst_ni & !phy_reset), .rst_no(rst_n));
  qsm_board_reset #(.Cycles(16)) u_reset_init (
    .clk_i(init_clk_pin), .async_ni(rst_ni), .rst_no(rst_init_n)
  );
  assign clk_o = clk;

  logic wb_cyc, wb_stb, wb_we, wb_ack, core_ack, left_out, left_out_q;
  logic [29:0] wb_adr;
  logic [31:0] wb_dat, wb_read;
  logic [3:0] wb_sel;
  qsm_ddr3_start #(.ClkHz(48_000_000 / Shorter)) u_start (
    .clk_i(clk), .rst_ni(rst_n), .ready_o, .failed_o, .wb_cyc_o(wb_cyc), .wb_stb_o(wb_stb),
    .wb_we_o(wb_we), .wb_adr_o(wb_adr), .wb_dat_o(wb_dat), .wb_sel_o(wb_sel), .wb_dat_i(wb_read),
    .wb_ack_i(wb_ack)
  );
  logic [15:0] accesses_q;
  assign left_out = wb_cyc && (accesses_q + 16'd1 == leave_out_i || (wb_we &&
      {wb_adr, 2'b00} == 32'(never_i) && (any_data_i || wb_dat == never_data_i)));
  assign wb_ack = left_out ? left_out_q : core_ack;
  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      accesses_q <= '0;
      left_out_q <= 1'b0;
    end else begin
      left_out_q <= left_out && !left_out_q;
      if (wb_cyc && wb_ack) begin
        accesses_q <= accesses_q + 16'd1;
        addr_o <= 13'({wb_adr, 2'b00});
        data_o <= wb_dat;
      end
    end
  end
  assign accesses_o = accesses_q;
  assign delay_o = '{u_dram.ddrphy_rdly0, u_dram.ddrphy_rdly1};

  logic ddr_clk, reset_n, cke, cs_n, ras_n, cas_n, we_n, odt, chip_dq_oe, chip_dqs_oe;
  logic [14:0] a;
  logic [2:0] ba;
  logic [1:0] dm, chip_dqs, dqs_in, dqs_out, dqs_oe_n;
  logic [15:0] chip_dq, dq_in, dq_out, dq_oe_n;
  litedram_core u_dram (
    .clk(clk), .rst(!rst_n), .clk_sys2x(mem_clk), .clk_init(init_clk_pin), .rst_init(!rst_init_n),
    .phy_stop(phy_stop), .phy_reset(phy_reset), .user_clk(), .user_rst(), .init_done(),
    .init_error(),
    .ddram_a(a), .ddram_ba(ba), .ddram_cas_n(cas_n), .ddram_cke(cke), .ddram_clk_p(ddr_clk),
    .ddram_cs_n(cs_n), .ddram_dm(dm), .ddram_odt(odt), .ddram_ras_n(ras_n),
    .ddram_reset_n(reset_n), .ddram_we_n(we_n),
    .ddram_dq(dq_in), .ddram_dq_o(dq_out), .ddram_dq_oe_n(dq_oe_n),
    .ddram_dqs_p(dqs_in), .ddram_dqs_p_o(dqs_out), .ddram_dqs_p_oe_n(dqs_oe_n),
    .user_port_native_0_cmd_addr(cmd_addr_i), .user_port_native_0_cmd_ready(cmd_ready_o),
    .user_port_native_0_cmd_valid(cmd_valid_i), .user_port_native_0_cmd_we(cmd_we_i),
    .user_port_native_0_rdata_data(rdata_o), .user_port_native_0_rdata_ready(1'b1),
    .user_port_native_0_rdata_valid(rdata_valid_o), .user_port_native_0_wdata_data(wdata_i),
    .user_port_native_0_wdata_ready(wdata_ready_o), .user_port_native_0_wdata_valid(wdata_valid_i),
    .user_port_native_0_wdata_we(wdata_we_i),
    .wb_ctrl_ack(core_ack), .wb_ctrl_adr(wb_adr), .wb_ctrl_bte('0), .wb_ctrl_cti('0),
    .wb_ctrl_cyc(wb_cyc && !left_out), .wb_ctrl_dat_r(wb_read), .wb_ctrl_dat_w(wb_dat),
    .wb_ctrl_err(), .wb_ctrl_sel(wb_sel), .wb_ctrl_stb(wb_stb && !left_out), .wb_ctrl_we(wb_we)
  );

  logic dqs_driven;
  qsm_ddr3_way #(.Most(WayMost)) u_way (
    .quarter_i(quarter_pin), .quarters_i(way_i), .dq_to_chip_i(!dq_oe_n[0]),
    .dq_to_chip_data_i(dq_out), .dqs_to_chip_i(!dqs_oe_n[0]), .dqs_to_chip_data_i(dqs_out),
    .chip_dq_oe_i(chip_dq_oe), .chip_dq_i(chip_dq), .chip_dqs_oe_i(chip_dqs_oe),
    .chip_dqs_i(chip_dqs), .dq_o(dq_in), .dqs_o(dqs_in), .dqs_driven_o(dqs_driven)
  );
  qsm_ddr3_chip #(
    .RowW(RowW), .ClkPs(10_416), .ResetPs(200_000_000 / Shorter), .CkePs(500_000_000 / Shorter)
  ) u_chip (
    .quarter_i(quarter_pin), .reset_ni(reset_n), .clk_i(ddr_clk), .cke_i(cke), .cs_ni(cs_n),
    .ras_ni(ras_n), .cas_ni(cas_n), .we_ni(we_n), .a_i(a), .ba_i(ba), .dm_i({dm[0], dm[1]}),
    .dq_i(dq_out), .dq_driven_i(!dq_oe_n[0]), .dqs_i(dqs_out), .dqs_driven_i(!dqs_oe_n[0]),
    .dq_o(chip_dq), .dq_oe_o(chip_dq_oe), .dqs_o(chip_dqs), .dqs_oe_o(chip_dqs_oe)
  );
endmodule

// SPDX-License-Identifier: Apache-2.0
// A design for the test of the netlist's simulation: each kind of cell that the GPU's netlist has,
// and block RAM in all widths and ways that the models know (tb/netlist). No word is looked at that
// two ports read and write in one cycle.
module qsm_sample_blocks
  import qsm_sample_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  input  inputs_t in_i,
  output outputs_t out_o
);
  // ---- flip-flops: reset to 0 and to 1, enabled, cleared and set by data ----
  logic [15:0] count_q, ones_q, held_q, cleared_q, preset_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      ones_q <= '1;
    end else begin
      count_q <= count_q + {15'd0, in_i.go} + {8'd0, in_i.a[7:0]};
      if (in_i.go) ones_q <= {ones_q[14:0], ^in_i.b[3:0]};
    end
  end
  always_ff @(posedge clk_i) begin
    if (in_i.go) held_q <= in_i.a[15:0] ^ in_i.b[15:0];
    if (in_i.clear) cleared_q <= '0;
    else if (in_i.go) cleared_q <= in_i.b[15:0] - in_i.a[15:0];
    if (in_i.clear) preset_q <= '1;
    else preset_q <= in_i.b[15:0];
  end
  assign out_o.count = count_q;
  assign out_o.ones = ones_q;
  assign out_o.held = held_q;
  assign out_o.cleared = cleared_q;
  assign out_o.preset = preset_q;

  // ---- multipliers ----
  logic [35:0] unsigned_q, signed_q;
  logic [63:0] long_q;
  always_ff @(posedge clk_i) begin
    unsigned_q <= in_i.a[17:0] * in_i.b[17:0];
    signed_q <= 36'($signed(in_i.a[17:0])) * 36'($signed(in_i.b[17:0]));
    long_q <= in_i.a * in_i.b;
  end
  assign out_o.unsigned_product = unsigned_q;
  assign out_o.signed_product = signed_q;
  assign out_o.long_product = long_q;

  // ---- distributed RAM; Yosys makes the register behind the output a part of it ----
  logic [5:0] small_mem[32];
  always_ff @(posedge clk_i) if (in_i.small_write) small_mem[in_i.write_addr[4:0]] <= in_i.a[5:0];
  assign out_o.small_word = small_mem[in_i.read_addr[4:0]];

  // ---- block RAM with a port to write and one to read, of 36, 18 and 9 bits ----
  logic [3:0][8:0] wide_mem[512];
  logic [17:0] half_mem[1024];
  logic [8:0] byte_mem[2048];
  logic [35:0] wide_q;
  logic [17:0] half_q;
  logic [8:0] byte_q;
  logic read_wide, read_half, read_byte;
  assign read_wide = in_i.read && in_i.read_addr[8:0] != in_i.write_addr[8:0];
  assign read_half = in_i.read && in_i.read_addr[9:0] != in_i.write_addr[9:0];
  assign read_byte = in_i.read && in_i.read_addr[10:0] != in_i.write_addr[10:0];
  always_ff @(posedge clk_i) begin
    for (int b = 0; b < 4; b++)
      if (in_i.write[b]) wide_mem[in_i.write_addr[8:0]][b] <= in_i.row[9*b+:9];
    if (in_i.write[0]) half_mem[in_i.write_addr[9:0]] <= in_i.row[17:0];
    if (in_i.write[1]) byte_mem[in_i.write_addr[10:0]] <= in_i.row[8:0];
    if (in_i.clear) wide_q <= '0;
    else if (read_wide) wide_q <= wide_mem[in_i.read_addr[8:0]];
    if (read_half) half_q <= half_mem[in_i.read_addr[9:0]];
    if (read_byte) byte_q <= byte_mem[in_i.read_addr[10:0]];
  end

  // ---- block RAM with two ports that read and write ----
  logic [1:0][8:0] both_mem[1024];
  logic [17:0] both_a_q, both_b_q;
  logic use_b;
  assign use_b = in_i.read_addr[9:0] != in_i.write_addr[9:0];
  always_ff @(posedge clk_i) begin  // what is written is not read
    if (in_i.read) begin
      if (in_i.write[2]) both_mem[in_i.write_addr[9:0]] <= in_i.row[17:0];
      else both_a_q <= both_mem[in_i.write_addr[9:0]];
    end
  end
  always_ff @(posedge clk_i) begin
    if (in_i.go && use_b) begin
      if (in_i.write[3]) both_mem[in_i.read_addr[9:0]] <= in_i.row[35:18];
      else both_b_q <= both_mem[in_i.read_addr[9:0]];
    end
  end

  assign out_o.wide_word = wide_q;
  assign out_o.half_word = half_q;
  assign out_o.byte_word = byte_q;
  assign out_o.both_a_word = both_a_q;
  assign out_o.both_b_word = both_b_q;
endmodule

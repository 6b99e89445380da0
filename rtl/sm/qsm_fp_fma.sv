// SPDX-License-Identifier: Apache-2.0
// Sum of a product and an addend with one rounding, and conversions, of one lane. Doc: docs/fpu.md
// (R-FP-1, R-FP-7).
//   EX1 exponents, distance of the addend   EX2 product (qsm_mul), addend aligned   F3 sum   F4
//   normalised   F5 rounded: result_o
// The sum lies in a window of 76 bits: 24 for an addend above all of the product, 2 between, 48 of
// the product, 2 below; what is lower is one bit, `lost`. Addition multiplies by 1, multiplication
// adds 0 of the product's sign. Of an integer, and for one, the product is 0; the integer is bits
// 75:44 of the window. A negative sum stays in two's complement up to F5, where -x is ~x + 1.
module qsm_fp_fma
  import qsm_pkg::*;
(
  input  logic        clk_i,
  input  logic [4:0]  go_i,       // EX1 .. F5 hold an instruction; of other stages nothing counts
  input  fp_t         ex1_fp_i,
  input  logic [31:0] a_i,        // EX1: factors; 0 as the second one for conversions
  input  logic [31:0] b_i,
  input  logic [31:0] c_i,        // EX1: addend, or what is converted
  input  logic [47:0] product_i,  // EX2: of the significands
  input  fp_t         f5_fp_i,
  output logic [31:0] result_o    // F5
);
  // exponent of 2**31, the window's top bit for integers
  localparam logic signed [9:0] IntTop = 10'sd158;
  // exponent field of a float whose significand counts units
  localparam logic signed [9:0] IntUnit = 10'sd150;

  // ---- EX1 ----
  fp_kind_t ka, kb, kc;
  logic to_int, from_int, converts, p_sign, c_sign, subtract, p_inf, c_inf, nan, beyond,
      beyond_sign, c_leads;
  logic signed [9:0] p_top, c_top, distance, room;
  always_comb begin
    {ka, kb, kc, to_int, from_int, converts, p_sign, c_sign, subtract, p_inf, c_inf, nan, beyond,
        beyond_sign, c_leads} = 'x;
    {p_top, c_top, distance, room} = 'x;
    if (go_i[0]) begin
      ka = fp_kind(a_i[30:0]);
      kb = fp_kind(b_i[30:0]);
      kc = fp_kind(c_i[30:0]);
      to_int = ex1_fp_i.op == FpToInt;
      from_int = ex1_fp_i.op == FpFromInt;
      converts = to_int || from_int;

      p_sign = !converts && (a_i[31] ^ b_i[31] ^ ex1_fp_i.negate_p);
      c_sign = c_i[31] ^ ex1_fp_i.negate_c;
      if (ex1_fp_i.op == FpMul) c_sign = p_sign;
      if (from_int) c_sign = 1'b0;
      subtract = p_sign ^ c_sign;
      p_inf = !converts && (ka.inf || kb.inf);
      c_inf = !from_int && kc.inf;
      nan = (!converts && (ka.nan || kb.nan || (ka.inf && kb.zero) || (ka.zero && kb.inf) ||
          (p_inf && c_inf && subtract))) ||
            (!from_int && kc.nan);

      // Exponents of the window's top bit, as product and addend would have it. The greater one
      // counts, if the product is not 0; an addend above the window stands at its top, the product
      // is lost in its rounding wherever it is.
      p_top = converts ? IntTop : 10'(fp_exponent(a_i[30:23])) + 10'(fp_exponent(b_i[30:23])) -
          10'sd100;
      c_top = from_int ? IntUnit : 10'(fp_exponent(c_i[30:23]));
      distance = p_top - c_top;
      c_leads = distance < 0 || (!converts && (ka.zero || kb.zero));
      room = to_int ? '0 : (c_leads ? c_top : p_top) - 10'sd1;
      beyond = p_inf || c_inf || (to_int && distance < 0);
      beyond_sign = p_inf ? p_sign : c_sign;
    end
  end

  typedef struct packed {
    logic nan;
    logic beyond;
    logic beyond_sign;
    logic p_sign;
    logic subtract;
    logic [8:0] room;  // exponent of the window's top bit, less 1: so far may be shifted
  } lane_t;

  lane_t ex2_q;
  logic [31:0] c_q;
  logic [6:0] distance_q;
  logic extend_q;
  always_ff @(posedge clk_i) begin
    if (go_i[0]) begin
      ex2_q <= '{nan: nan, beyond: beyond, beyond_sign: beyond_sign, p_sign: p_sign,
          subtract: subtract, room: room[8:0]};
      c_q <= from_int ? c_i : {8'd0, fp_significand(c_i[30:0])};
      distance_q <= c_leads ? '0 : (distance > 10'sd127) ? '1 : distance[6:0];
      extend_q <= from_int && !ex1_fp_i.is_unsigned && c_i[31];
    end
  end

  // ---- EX2 ----
  logic [75:0] window;
  logic lost;
  qsm_fp_align u_align (.valid_i(go_i[1]), .significand_i(c_q), .distance_i(distance_q),
      .invert_i(ex2_q.subtract), .window_o(window), .lost_o(lost));

  lane_t f3_q;
  logic [47:0] f3_product_q;
  logic [76:0] f3_addend_q;
  logic f3_lost_q, f3_carry_q;
  always_ff @(posedge clk_i) begin
    if (go_i[1]) begin
      f3_q <= ex2_q;
      f3_product_q <= product_i;
      f3_addend_q <= {ex2_q.subtract || extend_q, window};
      f3_lost_q <= lost;
      f3_carry_q <= ex2_q.subtract && !lost;  // of the negation
    end
  end

  // ---- F3 ----
  logic [76:0] sum;
  logic carry_in;
  always_comb begin
    {sum, carry_in} = 'x;
    if (go_i[2]) {sum, carry_in} = {27'd0, f3_product_q, 2'd0, 1'b1} + {f3_addend_q, f3_carry_q};
  end

  lane_t f4_q;
  logic [76:0] f4_sum_q;
  logic f4_lost_q;
  always_ff @(posedge clk_i) begin
    if (go_i[2]) begin
      f4_q <= f3_q;
      f4_sum_q <= sum;
      f4_lost_q <= f3_lost_q;
    end
  end

  // ---- F4 ----
  logic f4_negative, f4_all_leading, f4_sticky;
  logic [6:0] f4_shift;
  logic [32:0] f4_top;
  assign f4_negative = f4_sum_q[76];
  qsm_fp_normalise u_normalise (
    .valid_i(go_i[3]), .sum_i(f4_sum_q[75:0]), .negative_i(f4_negative), .room_i(f4_q.room),
    .shift_o(f4_shift), .zero_o(f4_all_leading), .top_o(f4_top),
    .sticky_o(f4_sticky)
  );

  logic [32:0] f5_top_q;
  logic [8:0] f5_exponent_q;
  logic f5_sticky_q, f5_negative_q, f5_sign_q, f5_vanished_q, f5_nan_q, f5_beyond_q;
  always_ff @(posedge clk_i) begin
    if (go_i[3]) begin
      f5_top_q <= f4_top;
      f5_exponent_q <= f4_q.room + 9'd1 - 9'(f4_shift);
      f5_sticky_q <= f4_sticky || f4_lost_q;
      f5_negative_q <= f4_negative;
      f5_sign_q <= f4_q.beyond ? f4_q.beyond_sign : f4_q.p_sign ^ f4_negative;
      f5_vanished_q <= f4_q.subtract && f4_all_leading && !f4_q.beyond;
      f5_nan_q <= f4_q.nan;
      f5_beyond_q <= f4_q.beyond;
    end
  end

  // ---- F5 ----
  // An integer is as it stands, with guard and sticky bit below it. Of a float's sum the upper 24
  // bits count, complemented if it is negative: what is below them then is complemented too, plus
  // 1, which carries up if nothing is below.
  logic f5_to_int, f5_below, f5_guard, f5_sticky;
  logic [23:0] f5_significand;
  logic [8:0] f5_exponent;
  assign f5_to_int = f5_fp_i.op == FpToInt;
  assign f5_significand = f5_top_q[32:9] ^ {24{f5_negative_q}};
  assign f5_exponent = f5_exponent_q & {9{f5_significand[23]}};
  assign f5_below = f5_top_q[7:0] != '0 || f5_sticky_q;
  assign f5_guard = f5_to_int ? f5_top_q[0] : f5_top_q[8] ^ (f5_negative_q && f5_below);
  assign f5_sticky = f5_to_int ? f5_sticky_q : f5_below;

  qsm_fp_round u_round (
    .valid_i(go_i[4]), .rm_i(f5_fp_i.rm), .integer_i(f5_to_int), .unsigned_i(f5_fp_i.is_unsigned),
    .sign_i((f5_vanished_q && !f5_to_int) ? f5_fp_i.rm == RmDown : f5_sign_q),
    .value_i(f5_to_int ? f5_top_q[32:1] : {f5_exponent, f5_significand[22:0]}), .guard_i(f5_guard),
    .sticky_i(f5_sticky),
    .carry_i(!f5_to_int && f5_negative_q && !f5_top_q[8] && !f5_below), .nan_i(f5_nan_q),
    .beyond_i(f5_beyond_q), .result_o
  );

  logic unused;
  assign unused = ^{carry_in, room[9], ka, kb, kc, ex1_fp_i, f5_fp_i};
endmodule

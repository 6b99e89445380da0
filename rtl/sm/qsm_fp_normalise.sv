// SPDX-License-Identifier: Apache-2.0
// Normaliser of one lane's FMA: shifts the sum left by its leading zeros, or ones if it is
// negative, but at most by `room_i`, which keeps the exponent from falling below that of
// subnormals. Combinational (F4). Doc: docs/fpu.md (R-FP-7).
// Cost: a test per power of two for the count, then shifts from the largest down, which need ever
// fewer bits below the result.
module qsm_fp_normalise (
  input  logic        valid_i,      // else the result is undefined
  input  logic [75:0] sum_i,
  input  logic        negative_i,
  input  logic [8:0]  room_i,
  output logic [6:0]  shift_o,
  output logic        zero_o,       // leading bits all the way
  output logic [32:0] top_o,        // bits 75:43 of the shifted sum
  output logic        sticky_o      // one below them is not 0
);
  function automatic logic [41:0] normalised();  // {shift_o, zero_o, top_o, sticky_o}
    logic [6:0] leading, shift;  // leading: bits, of the sum with ones below: never more than 76
    logic [127:0] tested;
    logic [75:0] shifted, below;
    logic sticky;
    tested = {sum_i ^ {76{negative_i}}, {52{1'b1}}};
    for (int k = 6; k >= 0; k--) begin
      leading[k] = tested >> (128 - (1 << k)) == '0;
      if (leading[k]) tested = tested << (1 << k);
    end
    shift = (9'(leading) > room_i) ? room_i[6:0] : leading;

    shifted = sum_i;
    sticky = 1'b0;
    for (int k = 6; k >= 0; k--) begin
      if (shift[k]) shifted = shifted << (1 << k);
      // All shifts to come cannot bring these up to bit 43.
      below = (76'd1 << ((44 > (1 << k)) ? 44 - (1 << k) : 0)) - 76'd1;
      sticky |= (shifted & below) != '0;
      shifted &= ~below;
    end
    return {shift, leading == 7'd76, shifted[75:43], sticky};
  endfunction

  always_comb begin
    {shift_o, zero_o, top_o, sticky_o} = 'x;
    if (valid_i) {shift_o, zero_o, top_o, sticky_o} = normalised();
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// Aligner of one lane's FMA: the addend's significand, shifted right into the sum's window of 76
// bits. Combinational (EX2). Doc: docs/fpu.md (R-FP-7).
// At distance 0 bit 23 of the significand is bit 75 of the window; bits 31:24 are there in integers
// only, whose distance is 8.
// Cost: multiplexers of 2 for the distance modulo 16, then an AND-OR of the five multiples of 16
// that leave something.
module qsm_fp_align (
  input  logic        valid_i,     // else the result is undefined
  input  logic [31:0] significand_i,
  input  logic [6:0]  distance_i,
  input  logic        invert_i,
  output logic [75:0] window_o,    // inverted, if asked to be
  output logic        lost_o       // something fell out below the window
);
  function automatic logic [76:0] aligned();  // {window_o, lost_o}
    logic [31:0] by_8;
    logic [38:0] fine;
    logic [102:0] coarse;  // the window, 27 bits below it
    by_8 = distance_i[3] ? significand_i : {significand_i[23:0], 8'd0};
    fine = {by_8, 7'd0} >> distance_i[2:0];
    coarse = '0;
    for (int unsigned k = 0; k < 5; k++) begin
      coarse |= ({fine, 64'd0} >> (16 * k)) & {103{distance_i[6:4] == 3'(k)}};
    end
    return {coarse[102:27] ^ {76{invert_i}}, coarse[26:0] != '0 ||
        (distance_i[6:4] > 3'd4 && fine != '0)};
  endfunction

  always_comb begin
    {window_o, lost_o} = 'x;
    if (valid_i) {window_o, lost_o} = aligned();
  end
endmodule

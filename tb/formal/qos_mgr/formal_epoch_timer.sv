// SPDX-License-Identifier: Apache-2.0
// qsm_epoch_timer: an epoch ends every T cycles, T as it was written when the epoch before ended;
// it has Samples samples, evenly spaced, the last one in its last cycle (R-QM-1, R-SP-1).
module formal_epoch_timer #(
  parameter int unsigned EpochReset = 9,
  parameter int unsigned Samples = 4
) (
  input logic        clk_i,
  input logic [19:0] epoch_len_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [19:0] len;
  logic        tick, sample;
  qsm_epoch_timer #(.EpochReset(EpochReset), .Samples(Samples)) u_dut (.clk_i, .rst_ni,
      .epoch_len_i, .epoch_len_o(len), .tick_o(tick), .sample_o(sample));

  logic [19:0] len_q, cycle_q;  // T of this epoch; its cycles so far
  logic [2:0]  taken_q;         // its samples so far
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      len_q <= 20'(EpochReset);
      cycle_q <= '0;
      taken_q <= '0;
    end else begin
      cycle_q <= cycle_q + 1'b1;
      taken_q <= taken_q + 3'(sample);
      if (cycle_q + 1'b1 == len_q) begin
        len_q <= epoch_len_i;
        cycle_q <= '0;
        taken_q <= '0;
      end
    end
  end

  function automatic logic [22:0] times(logic [2:0] n, logic [19:0] value);
    times = '0;
    for (int unsigned b = 0; b < 3; b++) if (n[b]) times += 23'(value) << b;
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (32'(epoch_len_i) >= Samples && epoch_len_i != '1);
      length: assert (len == len_q);
      in_time: assert (tick == (cycle_q + 1'b1 == len_q));
      // Sample n, from 1 on, is in the first cycle c, from 0 on, with (c + 1) * Samples >= n * T.
      evenly: assert (sample == (23'(Samples) * 23'(cycle_q + 1'b1) >=
          times(taken_q + 1'b1, len_q)));
      if (tick) last_sample: assert (sample && 32'(taken_q) == Samples - 1);
      // For the induction.
      count: assert (u_dut.cnt_q == cycle_q && cycle_q < len_q && 32'(len_q) >= Samples &&
          32'(taken_q) < Samples);
      phase: assert (23'(u_dut.acc_q) + times(taken_q, len_q) == 23'(Samples) * 23'(cycle_q) &&
          u_dut.acc_q < len_q);
      each_cycle: cover (tick && 32'(len_q) == Samples);
      uneven: cover (tick && len_q == 11);
    end
  end
endmodule

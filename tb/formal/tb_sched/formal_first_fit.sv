// SPDX-License-Identifier: Apache-2.0
// qsm_first_fit and qsm_run_mask: the lowest run of free granules that is long enough,
// against a search of every place.
module formal_first_fit #(
  parameter int unsigned N = 16,
  localparam int unsigned PosW = $clog2(N),
  localparam int unsigned LenW = $clog2(N + 1)
) (
  input logic            clk_i,
  input logic [N-1:0]    free_i,
  input logic [LenW-1:0] len_i
);
  logic            found;
  logic [PosW-1:0] base;
  logic [N-1:0]    run;
  qsm_first_fit #(.N(N)) u_dut (.free_i, .len_i, .found_o(found), .base_o(base));
  qsm_run_mask #(.N(N)) u_run (.base_i(base), .len_i, .run_o(run));

  logic         fits;
  logic [N-1:0] expected;
  always_comb begin
    logic [N-1:0] here;
    fits = 1'b0;
    expected = '0;
    for (int unsigned p = 0; p < N; p++) begin
      for (int unsigned g = 0; g < N; g++) here[g] = g >= p && g < p + 32'(len_i);
      if (!fits && p + 32'(len_i) <= N && (here & ~free_i) == '0) begin
        fits = 1'b1;
        expected = here;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    assume (32'(len_i) <= N);
    finds: assert (found == fits);
    if (fits) lowest: assert (run == expected);
    if (fits && len_i != '0)
      base_of_run: assert (run[base] && (run & ((N'(1) << base) - N'(1))) == '0);
    if (len_i == '0) nothing: assert (found && base == '0 && run == '0);
    top: cover (found && len_i == 3 && 32'(base) == N - 3 && $countones(free_i) > N / 2);
    whole: cover (found && 32'(len_i) == N);
    none: cover (!found && len_i == 2 && $countones(free_i) == N / 2);
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// First-fit search: the lowest position with len_i consecutive free granules. Combinational. A run
// of length 2^j at p is two runs of 2^(j-1); the bits of len_i, low to high, chain such runs:
// log2(N) levels. docs/tb_sched.md R-TB-10.
module qsm_first_fit #(
  parameter int unsigned N = 32,  // granules, power of two
  localparam int unsigned PosW = $clog2(N),
  localparam int unsigned LenW = $clog2(N + 1)
) (
  input  logic [N-1:0]    free_i,
  input  logic [LenW-1:0] len_i,    // 0..N; 0 fits everywhere
  output logic            found_o,
  output logic [PosW-1:0] base_o    // lowest position; 0 when len_i = 0
);
  if (N != 1 << PosW || N < 2) begin : g_illegal
    $fatal(1, "qsm_first_fit: N = %0d, must be a power of two from 2 on", N);
  end

  logic [LenW-1:0][N-1:0] run_of;  // [j][p]: 2^j free granules from p on
  // [j][p]: as many as the low j bits of len_i say, from p on; p = N: none are left
  logic [LenW:0][N:0] fits;

  always_comb begin
    run_of = '0;
    fits = '0;
    run_of[0] = free_i;
    for (int unsigned j = 1; j < LenW; j++) begin
      for (int unsigned p = 0; p + (1 << j) <= N; p++)
        run_of[j][p] = run_of[j-1][p] & run_of[j-1][p+(1<<(j-1))];
    end
    fits[0] = '1;
    for (int unsigned j = 0; j < LenW; j++) begin
      fits[j+1] = len_i[j] ? '0 : fits[j];
      for (int unsigned p = 0; p + (1 << j) <= N; p++)
        if (len_i[j]) fits[j+1][p] = run_of[j][p] & fits[j][p+(1<<j)];
    end
  end

  // The lowest position, by halves: a tree of [level][place], of which the low `level` bits of the
  // position are known.
  logic [PosW:0][N-1:0] some;
  logic [PosW:0][N-1:0][PosW-1:0] lowest;
  always_comb begin
    some = '0;
    lowest = '0;
    some[0] = fits[LenW][N-1:0];
    for (int unsigned j = 0; j < PosW; j++) begin
      for (int unsigned p = 0; p < (N >> (j + 1)); p++) begin
        some[j+1][p] = some[j][2*p] || some[j][2*p+1];
        lowest[j+1][p] = some[j][2*p] ? lowest[j][2*p] : lowest[j][2*p+1] | (PosW'(1) << j);
      end
    end
  end
  assign found_o = some[PosW][0];
  assign base_o = lowest[PosW][0];
endmodule

// SPDX-License-Identifier: Apache-2.0
// On which sub-cores a thread block fits: its warp 0 goes to the first one, circular from first_i
// on, with which every sub-core has the warps that it needs. Combinational. docs/tb_sched.md
// R-TB-10.
// Timing: a TB needs whole_i warps everywhere and one more on rest_i sub-cores in a row. So two
// compares per sub-core and ANDs of the second ones say of every place whether it serves; behind
// them is the pick of one.
module qsm_tb_place #(
  parameter int unsigned NumSched = 1,       // sub-cores, 1..4
  parameter int unsigned WarpsPerSched = 8,  // 1..16
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned FreeW = $clog2(WarpsPerSched + 1)
) (
  input  logic [NumSched-1:0][FreeW-1:0] free_i,   // warps
  input  logic [FreeW-1:0]               whole_i,  // warps of the TB = whole_i * NumSched + rest_i
  input  logic [SubW-1:0]                rest_i,
  input  logic [SubW-1:0]                first_i,  // below NumSched
  output logic                           fits_o,
  // If it fits:
  output logic [SubW-1:0]                place_o,  // sub-core of its warp 0
  output logic [NumSched-1:0]            more_o,   // sub-cores with one warp more than whole_i
  output logic [SubW-1:0]                after_o   // sub-core after that of its last warp
);
  logic [NumSched-1:0] enough, spare;  // has whole_i warps; one more
  logic [NumSched-1:0] serves, place;  // for warp 0; the one taken
  logic some;
  always_comb begin
    logic [NumSched-1:0] in_row;       // spare on n sub-cores from here on
    for (int unsigned j = 0; j < NumSched; j++) begin
      enough[j] = free_i[j] >= whole_i;
      spare[j] = free_i[j] > whole_i;
    end
    serves = '0;
    in_row = '1;
    for (int unsigned n = 0; n < NumSched; n++) begin
      if (rest_i == SubW'(n)) serves = in_row;
      for (int unsigned f = 0; f < NumSched; f++) in_row[f] &= spare[(f+n)%NumSched];
    end
  end
  assign fits_o = some && enough == '1;

  logic [SubW-1:0] after_unused;
  qsm_rr_pick #(.N(NumSched)) u_pick (
    .from_i(first_i), .req_i(serves), .valid_o(some), .grant_o(place), .idx_o(place_o),
    .after_o(after_unused)
  );
  always_comb begin
    more_o = '0;
    after_o = '0;
    for (int unsigned j = 0; j < NumSched; j++) begin
      for (int unsigned n = 0; n < NumSched; n++) begin
        if (place[j] && SubW'(n) < rest_i) more_o[(j+n)%NumSched] = 1'b1;
        if (place[j] && SubW'(n) == rest_i) after_o |= SubW'((j + n) % NumSched);
      end
    end
  end
endmodule

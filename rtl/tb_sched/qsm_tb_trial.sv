// SPDX-License-Identifier: Apache-2.0
// Tests whether a thread block would fit into an SM if other blocks were removed. A shadow copy of
// the SM's free resources (W), and a second one for trials (V) in which TBs are removed one by one.
// Contract: docs/tb_adjust.md R-TA-2 to R-TA-4, R-TA-11. fits_o is about V as it was in the cycle
// before, so it counts where neither V nor the TB that asks has changed since; both copies are
// equal except during a trial. TB slots are counted as places of the age order (qsm_tb_ages): a
// trial needs only their number.
// The places must not change between a load and the next one: no TB may arrive.
// Cost: two copies in flip-flops; the parent's qsm_first_fit finds the run of granules.
module qsm_tb_trial #(
  parameter int unsigned NumKernels = 4,    // 1..8
  parameter int unsigned NumSched = 1,      // sub-cores, 1..4
  parameter int unsigned WarpsPerSched = 8, // 1..16
  parameter int unsigned MaxTbs = 8,        // 1..32
  parameter int unsigned Granules = 32,     // power of two
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned CountW = $clog2(MaxTbs + 1),
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned FreeW = $clog2(WarpsPerSched + 1),
  localparam int unsigned GranW = $clog2(Granules)
) (
  input  logic clk_i,
  input  logic rst_ni,

  // The SM: its TBs, the youngest first; free warps and granules.
  input  logic [MaxTbs-1:0]              age_valid_i,
  input  logic [MaxTbs-1:0][TbW-1:0]     age_tb_i,
  input  logic [MaxTbs-1:0][KernelW-1:0] age_kernel_i,
  input  logic [NumSched-1:0][FreeW-1:0] warps_i,
  input  logic [Granules-1:0]            granules_i,
  input  logic [SubW-1:0]                first_i,
  // At most one of load_i, restart_i, take_i, free_i.
  input  logic                           load_i,      // W, V := the SM, nothing freed
  input  logic                           restart_i,   // V := W, nothing freed

  // The TB that asks.
  input  logic [FreeW-1:0]    whole_i,
  input  logic [SubW-1:0]     rest_i,
  output logic [Granules-1:0] granules_o,  // of V, in which its run is to be found;
  input  logic                found_i,     // the answer, a cycle later
  input  logic [Granules-1:0] run_i,
  output logic                fits_o,
  input  logic                take_i,      // W, V give it up

  // The TB that would go: the youngest of a kernel that is not freed yet.
  input  logic [KernelW-1:0]  kernel_i,
  output logic                some_o,      // there is one
  output logic [TbW-1:0]      tb_o,
  output logic [CountW-1:0]   freed_o,     // TBs freed so far
  input  logic                free_i,      // V gets it back; where it is:
  input  logic [FreeW-1:0]    freed_whole_i,
  input  logic [SubW-1:0]     freed_rest_i,
  input  logic [SubW-1:0]     freed_first_i,
  input  logic [GranW-1:0]    freed_base_i,
  input  logic [GranW:0]      freed_granules_i
);
  typedef struct packed {
    logic [MaxTbs-1:0] slots;
    logic [NumSched-1:0][FreeW-1:0] warps;
    logic [Granules-1:0] granules;
  } left_t;
  left_t left_q, trial_q;           // W, V
  logic [SubW-1:0] first_q;
  logic [MaxTbs-1:0] freed_q;       // places
  logic [CountW-1:0] n_freed_q;

  logic [MaxTbs-1:0] candidates, youngest;
  always_comb begin
    for (int unsigned p = 0; p < MaxTbs; p++)
      candidates[p] = age_valid_i[p] && age_kernel_i[p] == kernel_i && !freed_q[p];
    youngest = candidates & (~candidates + MaxTbs'(1));
    tb_o = '0;
    for (int unsigned p = 0; p < MaxTbs; p++) if (youngest[p]) tb_o |= age_tb_i[p];
  end
  assign some_o = candidates != '0;
  assign freed_o = n_freed_q;

  logic has_warps, has_warps_q;
  logic [NumSched-1:0] needs_more, needs_more_q;
  logic [NumSched-1:0][FreeW-1:0] freed_warps;
  logic [SubW-1:0] first_next, first_next_q, place_unused;
  qsm_tb_place #(.NumSched(NumSched), .WarpsPerSched(WarpsPerSched)) u_place (
    .free_i(trial_q.warps), .whole_i, .rest_i, .first_i(first_q), .fits_o(has_warps),
    .place_o(place_unused), .more_o(needs_more), .after_o(first_next)
  );
  qsm_tb_need #(.NumSched(NumSched), .WarpsPerSched(WarpsPerSched)) u_freed (
    .whole_i(freed_whole_i), .rest_i(freed_rest_i), .first_i(freed_first_i), .need_o(freed_warps)
  );

  always_ff @(posedge clk_i)
    {has_warps_q, needs_more_q, first_next_q} <= {has_warps, needs_more, first_next};
  assign fits_o = has_warps_q && trial_q.slots != '0 && found_i;

  logic [Granules-1:0] freed_run;
  qsm_run_mask #(.N(Granules)) u_freed_run (.base_i(freed_base_i), .len_i(freed_granules_i),
      .run_o(freed_run));

  left_t taken, freed;
  always_comb begin
    taken.slots = trial_q.slots & (trial_q.slots - MaxTbs'(1));
    taken.granules = trial_q.granules & ~run_i;
    freed.slots = trial_q.slots | youngest;
    freed.granules = trial_q.granules | freed_run;
    for (int unsigned j = 0; j < NumSched; j++) begin
      taken.warps[j] = trial_q.warps[j] - whole_i - FreeW'(needs_more_q[j]);
      freed.warps[j] = trial_q.warps[j] + freed_warps[j];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      trial_q <= '0;
      first_q <= '0;
      freed_q <= '0;
      n_freed_q <= '0;
    end else begin
      if (load_i) begin
        left_q <= '{slots: ~age_valid_i, warps: warps_i, granules: granules_i};
        trial_q <= '{slots: ~age_valid_i, warps: warps_i, granules: granules_i};
        first_q <= first_i;
      end
      if (take_i) begin
        left_q <= taken;
        trial_q <= taken;
        first_q <= first_next_q;
      end
      if (restart_i) trial_q <= left_q;
      if (load_i || restart_i) begin
        freed_q <= '0;
        n_freed_q <= '0;
      end
      if (free_i) begin
        trial_q <= freed;
        freed_q <= freed_q | youngest;
        n_freed_q <= n_freed_q + CountW'(1);
      end
    end
  end

  assign granules_o = trial_q.granules;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({load_i, take_i, restart_i, free_i}));
  // R-TA-3
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(take_i && !(fits_o && trial_q == left_q)));
  // R-TA-4
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(free_i && (!some_o || (trial_q.slots & youngest) != '0)));
  for (genvar j = 0; j < NumSched; j++) begin : g_assert
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        trial_q.warps[j] <= FreeW'(WarpsPerSched));
  end
`endif
endmodule

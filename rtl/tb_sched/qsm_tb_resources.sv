// SPDX-License-Identifier: Apache-2.0
// Free resources of one SM for thread blocks: warps per sub-core, granules, TB slots, TBs per
// kernel. What each TB has: qsm_tb_held.
// Contract: docs/tb_sched.md R-TB-10 (taking), R-TB-11 (freeing). Both show in the outputs from the
// next cycle on; they never coincide (R-TB-18).
// Cost: TB slot and granule maps, counters in flip-flops, with a LUT per bit.
module qsm_tb_resources #(
  parameter int unsigned NumKernels = 4,    // 1..8
  parameter int unsigned NumSched = 1,      // sub-cores, 1..4
  parameter int unsigned WarpsPerSched = 8, // 1..16
  parameter int unsigned MaxTbs = 8,        // 1..32
  parameter int unsigned Granules = 32,     // power of two
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned TbW = (MaxTbs > 1) ? $clog2(MaxTbs) : 1,
  localparam int unsigned SubW = (NumSched > 1) ? $clog2(NumSched) : 1,
  localparam int unsigned CountW = $clog2(MaxTbs + 1),
  // free warps of a sub-core, and what a TB needs there
  localparam int unsigned FreeW = $clog2(WarpsPerSched + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Shape of each kernel's TBs, stable while one of them is resident: warps = whole_i * NumSched +
  // rest_i.
  input  logic [NumKernels-1:0][FreeW-1:0] whole_i,
  input  logic [NumKernels-1:0][SubW-1:0]  rest_i,

  // Whether a TB of this kernel fits (granules not considered), and its place.
  input  logic [KernelW-1:0]  look_kernel_i,
  output logic                fits_o,
  output logic [TbW-1:0]      tb_o,     // lowest free TB slot
  output logic [SubW-1:0]     place_o,  // sub-core of its warp 0, if it fits
  output logic [SubW-1:0]     first_o,  // from which on that is looked for
  output logic [Granules-1:0] free_granules_o,
  // A TB of a kernel takes a place that is free: TB slot, the sub-core after that of its last warp,
  // warps of each sub-core, granules.
  input  logic                take_i,
  input  logic [KernelW-1:0]  take_kernel_i,
  input  logic [TbW-1:0]      take_tb_i,
  input  logic [SubW-1:0]     take_after_i,
  input  logic [NumSched-1:0][FreeW-1:0] take_warps_i,
  input  logic [Granules-1:0] take_granules_i,
  // A TB retires: what it gives back.
  input  logic                retire_i,
  input  logic [KernelW-1:0]  retire_kernel_i,
  input  logic [TbW-1:0]      retire_tb_i,
  input  logic [NumSched-1:0][FreeW-1:0] retire_warps_i,
  input  logic [Granules-1:0] retire_granules_i,

  output logic [NumKernels-1:0][5:0]      cnt_o,
  output logic [NumSched-1:0][FreeW-1:0]  free_warps_o
);
  logic [MaxTbs-1:0] used_q;
  logic [Granules-1:0] free_granules_q;
  logic [NumSched-1:0][FreeW-1:0] free_warps_q;
  logic [SubW-1:0] first_q;
  logic [NumKernels-1:0][CountW-1:0] cnt_q;

  logic has_warps;
  logic [NumSched-1:0] unused_more;
  logic [SubW-1:0] unused_after;
  qsm_tb_place #(.NumSched(NumSched), .WarpsPerSched(WarpsPerSched)) u_place (
    .free_i(free_warps_q), .whole_i(whole_i[look_kernel_i]), .rest_i(rest_i[look_kernel_i]),
    .first_i(first_q), .fits_o(has_warps), .place_o, .more_o(unused_more), .after_o(unused_after)
  );
  assign fits_o = has_warps && used_q != '1;
  always_comb begin
    tb_o = '0;
    for (int s = MaxTbs - 1; s >= 0; s--) if (!used_q[s]) tb_o = TbW'(s);
  end

  // One of the two, by retire_i.
  logic change;
  logic [MaxTbs-1:0] tb;
  logic [NumKernels-1:0] kernel;
  assign change = take_i || retire_i;
  always_comb begin
    tb = MaxTbs'(1) << (retire_i ? retire_tb_i : take_tb_i);
    kernel = NumKernels'(1) << (retire_i ? retire_kernel_i : take_kernel_i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
      free_granules_q <= '1;
      free_warps_q <= {NumSched{FreeW'(WarpsPerSched)}};
      first_q <= '0;
      cnt_q <= '0;
    end else begin
      if (change) begin
        used_q <= retire_i ? used_q & ~tb : used_q | tb;
        free_granules_q <= retire_i ? free_granules_q | retire_granules_i
                                    : free_granules_q & ~take_granules_i;
        for (int unsigned j = 0; j < NumSched; j++) begin
          free_warps_q[j] <= retire_i ? free_warps_q[j] + retire_warps_i[j]
                                      : free_warps_q[j] - take_warps_i[j];
        end
        for (int unsigned k = 0; k < NumKernels; k++) begin
          if (kernel[k]) cnt_q[k] <= retire_i ? cnt_q[k] - CountW'(1) : cnt_q[k] + CountW'(1);
        end
      end
      if (take_i) first_q <= take_after_i;
    end
  end

  assign free_warps_o = free_warps_q;
  assign free_granules_o = free_granules_q;
  assign first_o = first_q;
  always_comb for (int unsigned k = 0; k < NumKernels; k++) cnt_o[k] = 6'(cnt_q[k]);

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(take_i && retire_i))
    else $error("R-TB-18: a block retires from an SM while one is dispatched to it");
  // R-TB-10: only free resources are taken; R-TB-11: only a used slot retires.
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !take_i || ((tb & used_q) == '0 && (take_granules_i & ~free_granules_q) == '0));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !retire_i || ((tb & ~used_q) == '0 && (retire_granules_i & free_granules_q) == '0));
  for (genvar j = 0; j < NumSched; j++) begin : g_assert
    assert property (@(posedge clk_i) disable iff (!rst_ni)
        free_warps_q[j] <= FreeW'(WarpsPerSched));
  end
`endif
endmodule

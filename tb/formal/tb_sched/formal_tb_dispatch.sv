// SPDX-License-Identifier: Apache-2.0
// qsm_tb_dispatch: at most one block per cycle, to an SM with room where it fits, with the lowest
// run of free granules there; no kernel that keeps asking is passed over more than NumKernels - 1
// times, and none of its SMs more than NumSms - 1 times in its turns (R-TB-9, R-TB-10).
module formal_tb_dispatch #(
  parameter int unsigned NumSms = 3,
  parameter int unsigned NumKernels = 3,
  parameter int unsigned Granules = 4,
  localparam int unsigned SmW = (NumSms > 1) ? $clog2(NumSms) : 1,
  localparam int unsigned KernelW = (NumKernels > 1) ? $clog2(NumKernels) : 1,
  localparam int unsigned GranW = $clog2(Granules)
) (
  input logic                                clk_i,
  input logic                                closed_i,
  input logic [NumKernels-1:0]               ready_i,
  input logic [NumKernels-1:0][NumSms-1:0]   room_i,
  input logic [NumKernels-1:0][GranW:0]      granules_i,
  input logic [NumSms-1:0]                   fits_i,
  input logic [NumSms-1:0][Granules-1:0]     free_granules_i
);
  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [KernelW-1:0]    kernel;
  logic [SmW-1:0]        sm;
  logic [NumKernels-1:0] dispatched;
  logic [NumSms-1:0]     started;
  logic [GranW-1:0]      base;
  logic [Granules-1:0]   run;
  logic                  found;
  qsm_tb_dispatch #(.NumSms(NumSms), .NumKernels(NumKernels), .Granules(Granules)) u_dut (
    .clk_i, .rst_ni, .closed_i, .ready_i, .room_i, .granules_i, .kernel_o(kernel), .sm_o(sm),
    .fits_i, .free_granules_i,
    .dispatched_o(dispatched), .started_o(started), .base_o(base), .run_o(run), .lent_i(1'b0),
    .lent_granules_i('0), .lent_len_i('0), .found_o(found)
  );

  function automatic logic [4:0] circle(logic [4:0] place, int unsigned n);
    return (32'(place) >= n) ? place - 5'(n) : place;
  endfunction

  // Who asks, and where kp and the sp stand.
  logic [NumKernels-1:0] asks, shapes;
  logic [KernelW-1:0]    kp_q, expected_kernel;
  logic [SmW-1:0]        expected_sm;
  logic [NumKernels-1:0][SmW-1:0] sp_q;
  logic                  candidate;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      asks[k] = ready_i[k] && room_i[k] != '0 && !closed_i;
      shapes[k] = 32'(granules_i[k]) <= Granules;
    end
    candidate = asks != '0;
    expected_kernel = '0;
    for (int unsigned d = NumKernels; d > 0; d--) begin
      if (asks[KernelW'(circle(5'(kp_q) + 5'(d - 1), NumKernels))])
        expected_kernel = KernelW'(circle(5'(kp_q) + 5'(d - 1), NumKernels));
    end
    expected_sm = '0;
    for (int unsigned d = NumSms; d > 0; d--) begin
      if (room_i[expected_kernel][SmW'(circle(5'(sp_q[expected_kernel]) + 5'(d - 1), NumSms))])
        expected_sm = SmW'(circle(5'(sp_q[expected_kernel]) + 5'(d - 1), NumSms));
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      kp_q <= '0;
      sp_q <= '0;
    end else if (candidate) begin  // whether it fits or not
      kp_q <= (32'(expected_kernel) == NumKernels - 1) ? '0 : expected_kernel + 1'b1;
      sp_q[expected_kernel] <= (32'(expected_sm) == NumSms - 1) ? '0 : expected_sm + 1'b1;
    end
  end

  // Lowest run of granules.
  logic                fit;
  logic [Granules-1:0] lowest;
  always_comb begin
    logic [Granules-1:0] here;
    fit = 1'b0;
    lowest = '0;
    for (int unsigned p = 0; p < Granules; p++) begin
      for (int unsigned g = 0; g < Granules; g++)
        here[g] = g >= p && g < p + 32'(granules_i[expected_kernel]);
      if (!fit && p + 32'(granules_i[expected_kernel]) <= Granules &&
          (here & ~free_granules_i[expected_sm]) == '0) begin
        fit = 1'b1;
        lowest = here;
      end
    end
  end

  // Other candidates since a kernel asks.
  logic [NumKernels-1:0][KernelW:0] others_q;
  logic [NumKernels-1:0]            patient;
  always_comb for (int unsigned k = 0; k < NumKernels; k++) patient[k] = 32'(others_q[k]) <
      NumKernels;
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      others_q[k] <= (!rst_ni || !asks[k] || kernel == KernelW'(k)) ? '0 : others_q[k] + 1'b1;
    end
  end

  // Turns of a kernel that went to another SM since this one has room for it.
  logic [NumKernels-1:0][NumSms-1:0][SmW:0] elsewhere_q;
  logic [NumKernels-1:0][NumSms-1:0]        reached;
  always_comb begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned i = 0; i < NumSms; i++) reached[k][i] = 32'(elsewhere_q[k][i]) < NumSms;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < NumKernels; k++) begin
      for (int unsigned i = 0; i < NumSms; i++) begin
        if (!rst_ni || !room_i[k][i]) elsewhere_q[k][i] <= '0;
        else if (candidate && kernel == KernelW'(k))
          elsewhere_q[k][i] <= (sm == SmW'(i)) ? '0 : elsewhere_q[k][i] + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (&shapes);
      one: assert ($onehot0(started) && $onehot0(dispatched) &&
          (started != '0) == (dispatched != '0));
      goes: assert ((started != '0) == (candidate && fits_i[expected_sm] && fit));
      if (candidate) who: assert (kernel == expected_kernel);
      if (candidate) to_whom: assert (sm == expected_sm);
      if (started != '0)
        there: assert (started[expected_sm] && dispatched[expected_kernel] &&
            room_i[expected_kernel][expected_sm] && run == lowest);
      if (closed_i) nothing: assert (started == '0);
      fair: assert (&patient);
      round: assert (&reached);
      second: cover (started[NumSms-1] && dispatched[1] && base == 2 && run != '0);
      passed_over: cover (32'(elsewhere_q[0][1]) == NumSms - 1);
      misfit: cover (candidate && fits_i[sm] && !found);
    end
  end
endmodule

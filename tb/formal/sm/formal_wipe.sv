// SPDX-License-Identifier: Apache-2.0
// qsm_wipe: any row of any block is zeros when the block retires, whatever the block had written,
// and only rows of a block that is over are cleared; a wipe takes as many cycles as the block has
// rows (R-SM-10). Blocks come, end and retire (R-SM-4) at any time.
module formal_wipe
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input logic                        clk_i,
  input logic [NumKernels-1:0][18:0] shared_i,  // of each launch
  input dispatch_t                   arrive_i,
  input logic [MaxTbs-1:0]           ends_i,    // the last warp of its block finishes
  input logic [TbW-1:0]              tb_i,      // any slot
  input logic [RowW-1:0]             row_i,     // any row
  input logic                        write_i    // by a block that is not over
);
  localparam int unsigned CountW = $clog2(SharedRows + 1);
  localparam int unsigned GranuleRows = SharedRows / SharedGranules;
  typedef logic [CountW-1:0] count_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // ---- Launches and blocks ----
  logic     [NumKernels-1:0][18:0] shared_q;
  desc_t    [NumKernels-1:0]       desc;
  tb_info_t [MaxTbs-1:0]           info_q;
  logic     [MaxTbs-1:0]           valid_q, over_q, clean, retires;
  always_comb begin
    desc = '0;
    for (int unsigned k = 0; k < NumKernels; k++) desc[k].shared = shared_q[k];
    retires = over_q & clean;
    retires &= ~retires + 1'b1;  // R-SM-4: the lowest
  end

  function automatic count_t rows(input logic [KernelW-1:0] kernel);
    return count_t'((20'(shared_q[kernel]) + 20'(LineBytes) - 20'd1) / 20'(LineBytes));
  endfunction

  logic            wipe;
  logic [RowW-1:0] row;
  qsm_wipe u_dut (
    .clk_i, .rst_ni, .desc_i(desc), .tb_info_i(info_q), .arrive_i, .over_i(over_q), .clean_o(clean),
    .wipe_o(wipe), .row_o(row)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {valid_q, over_q} <= '0;
      shared_q <= shared_i;
    end else begin
      valid_q <= valid_q & ~retires;
      over_q <= (over_q | (ends_i & valid_q)) & ~retires;
      if (arrive_i.valid) begin
        valid_q[arrive_i.tb] <= 1'b1;
        info_q[arrive_i.tb] <= '{kernel: arrive_i.kernel, base: arrive_i.base};
      end
    end
  end

  logic all_fit, none_waits;  // no block without shared memory is wiped
  always_comb begin
    {all_fit, none_waits} = '1;
    for (int unsigned k = 0; k < NumKernels; k++)
      if (32'(shared_q[k]) > SharedBytes) all_fit = 1'b0;
    for (int unsigned s = 0; s < MaxTbs; s++) begin
      if (valid_q[s] && 32'(info_q[s].base) * GranuleRows +
          32'(rows(info_q[s].kernel)) > SharedRows) all_fit = 1'b0;
      if (valid_q[s] && rows(info_q[s].kernel) == '0 && !clean[s]) none_waits = 1'b0;
    end
  end

  // ---- Any row of any block ----
  logic [TbW-1:0]  tb_q;
  logic [RowW-1:0] row_q;
  logic            zero_q, own;
  count_t          first, n;
  always_comb begin
    first = count_t'(info_q[tb_q].base) * count_t'(GranuleRows);
    n = rows(info_q[tb_q].kernel);
    own = valid_q[tb_q] && count_t'(row_q) >= first && count_t'(row_q) < first + n;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {tb_q, row_q, zero_q} <= {tb_i, row_i, 1'b0};
    end else begin
      if (write_i && !(own && over_q[tb_q])) zero_q <= 1'b0;
      if (wipe && row == row_q) zero_q <= 1'b1;
    end
  end

  // ---- The wipe as the page tells it: whose, how much is left ----
  logic [TbW-1:0]  whose, found;
  count_t          whose_first, whose_rows;
  logic            some, starts_q;
  logic [TbW-1:0]  found_q;
  count_t          left_q;
  assign whose = u_dut.tb_q;
  assign whose_first = count_t'(info_q[whose].base) * count_t'(GranuleRows);
  assign whose_rows = rows(info_q[whose].kernel);
  always_comb begin
    {some, found} = '0;
    for (int unsigned s = MaxTbs; s-- > 0;)
      if (over_q[s] && !clean[s]) {some, found} = {1'b1, TbW'(s)};
  end
  always_ff @(posedge clk_i) begin
    starts_q <= rst_ni && !wipe && some;
    {found_q, left_q} <= {found, u_dut.left_q};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned k = 0; k < NumKernels; k++) assume (32'(shared_i[k]) <= SharedBytes);
    end else begin
      assume (!arrive_i.valid || !valid_q[arrive_i.tb]);
      assume (!arrive_i.valid || 32'(arrive_i.base) * GranuleRows +
          32'(rows(arrive_i.kernel)) <= SharedRows);
      wiped: assert (!(own && retires[tb_q]) || zero_q);
      stays: assert (!(own && over_q[tb_q] && clean[tb_q]) || zero_q);
      so_far: assert (!(own && wipe && whose == tb_q && row_q < row) || zero_q);
      only_over: assert (!wipe || (valid_q[whose] && over_q[whose] && !clean[whose]));
      only_own: assert (!wipe || (count_t'(row) >= whose_first && count_t'(row) < whose_first +
          whose_rows));
      in_order: assert (!wipe || count_t'(row) + u_dut.left_q == whose_first + whose_rows &&
          u_dut.left_q <= whose_rows);
      begins: assert (!starts_q || (wipe && whose == found_q && u_dut.left_q == whose_rows));
      goes_on: assert (!wipe || starts_q || u_dut.left_q == left_q - 1'b1);
      none_needed: assert (none_waits);
      needed: assert (!(valid_q[tb_q] && n != '0 && !over_q[tb_q]) || !clean[tb_q]);
      over_is_there: assert ((over_q & ~valid_q) == '0);
      fits: assert (all_fit);
      second: cover (own && retires[tb_q] && zero_q && row_q != first[RowW-1:0] &&
          info_q[tb_q].base != '0);
      waits: cover (wipe && $countones(over_q & ~clean) > 1);
      passes: cover (wipe && retires != '0);
    end
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// qsm_lsu_classify: which lanes of a load, store or AMO fault, for every address and all windows (I-MEM-1, I-MEM-2, I-FLT-1), and which are shared.
// Local addresses (I-MEM-6) are left out.
module formal_lsu_classify
  import qsm_cfg_pkg::*;
  import qsm_pkg::*;
(
  input logic             clk_i,
  input mem_op_t          op_i,
  input logic [SubW-1:0]  sub_i,
  input window_t [1:0]    win_i,
  input logic [18:0]      shared_i,
  input logic [GranW-1:0] base_i,
  input logic [LaneW-1:0] lane_i  // any
);
  lsu_op_t op;
  mask_t   shared_lanes;
  qsm_lsu_classify u_dut (.op_i, .sub_i, .win_i, .shared_i, .base_i, .op_o(op), .shared_o(shared_lanes));

  logic        is_store, is_amo, is_load;
  logic [2:0]  size;  // bytes
  logic [31:0] addr;
  logic [32:0] last;  // its last byte, which may be behind the last address
  assign is_store = op_i.instr[6:0] == 7'h23;
  assign is_amo   = op_i.instr[6:0] == 7'h2f;
  assign is_load  = op_i.instr[6:0] == 7'h03;
  assign size     = 3'd1 << op_i.instr[13:12];
  assign addr     = op_i.addr[lane_i];
  assign last     = 33'(addr) + 33'(size) - 33'd1;

  logic [1:0] holds, grants;
  for (genvar w = 0; w < 2; w++) begin : g_win
    assign holds[w] = win_i[w].base <= addr && last < 33'(win_i[w].limit);
    assign grants[w] = holds[w] && (is_store ? win_i[w].w : is_load ? win_i[w].r : win_i[w].w && win_i[w].r);
  end

  logic active, aligned, shared, device, faults;
  assign active  = op_i.mask[lane_i];
  assign aligned = (addr & (32'(size) - 32'd1)) == 32'd0;
  assign shared  = addr >= 32'h1000_0000 && addr < 32'h2000_0000;
  assign device  = !shared && addr < 32'hc000_0000;
  assign faults  = op.fault[lane_i];

  always_ff @(posedge clk_i) begin
    assume (is_load || is_store || is_amo);
    assume (op_i.instr[13:12] != 2'd3 && (!is_amo || op_i.instr[14:12] == 3'd2));  // others are illegal instructions
    assume (win_i[0].base[11:0] == '0 && win_i[0].limit[11:0] == '0 && win_i[1].base[11:0] == '0 && win_i[1].limit[11:0] == '0);
    assume (32'(shared_i) <= SharedBytes && 32'(lane_i) < WarpSize);

    window: assert (!(active && aligned && device) || faults == (grants == '0));
    offset: assert (!(active && aligned && shared) || faults == (addr - 32'h1000_0000 >= 32'(shared_i)));
    misaligned: assert (op.misaligned[lane_i] == !aligned && (!active || aligned || faults));
    inactive: assert (active || !faults);
    shared_lane: assert (shared_lanes[lane_i] == shared);
    kind: assert (op.kind == (is_store ? MemWrite : is_amo ? MemAmo : MemRead));

    low_window: cover (active && !faults && device && win_i[1].limit[31] == 1'b0 && grants == 2'b10);
    across: cover (active && !faults && device && !win_i[0].base[31] && win_i[0].limit[31] && addr[31] && grants == 2'b01);
    other_half: cover (active && aligned && faults && device && addr[31] && win_i[0].limit == 32'h0001_0000 && win_i[0].base == 32'h0000_f000
                       && addr[30:0] == 31'h0000_f000);
    last_shared: cover (active && !faults && shared && addr[27:0] == 28'(shared_i) - 28'd1 && size == 3'd1);
    upside_down: cover (active && aligned && faults && device && win_i[0].base > win_i[0].limit && addr < win_i[0].base && addr >= win_i[0].limit);
  end
endmodule

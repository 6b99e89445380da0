// SPDX-License-Identifier: Apache-2.0
// qsm_lsu_classify: which lanes of a load, store or AMO fault, for every address and all windows
// (I-MEM-1, I-MEM-2, I-MEM-6, I-FLT-1), which are shared, and the device addresses of those on the
// stack.
module formal_lsu_classify
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input logic             clk_i,
  input mem_op_t          op_i,
  input who_t             who_i,
  input logic [SubW-1:0]  sub_i,
  input window_t [1:0]    win_i,
  input logic [18:0]      shared_i,
  input logic [GranW-1:0] base_i,
  input logic [4:0]       stack_log2_i,
  input logic [31:StackW] stacks_i,
  input logic [LaneW-1:0] lane_i  // any
);
  lsu_op_t op;
  mask_t   shared_lanes;
  qsm_lsu_classify u_dut (.op_i, .who_i, .sub_i, .win_i, .shared_i, .base_i, .stack_log2_i,
      .stacks_i, .op_o(op), .shared_o(shared_lanes));

  logic        is_store, is_amo, is_load;
  logic [2:0]  size;  // bytes
  logic [31:0] addr;
  logic [32:0] last;  // its last byte, which may be behind the last address
  assign is_store = op_i.instr[6:0] == 7'h23;
  assign is_amo   = op_i.instr[6:0] == 7'h2f;
  assign is_load  = op_i.instr[6:0] == 7'h03;
  assign size     = 3'd1 << op_i.instr[13:12];
  assign addr     = op_i.addr[lane_i];

  // I-MEM-6: bytes of a stack; the address from the stack's lower end; the device address. The base
  // is a multiple of what a warp's stacks take, so its sum with the offset is an OR, which is
  // easier to prove.
  logic [32:0] stack_bytes;
  logic [31:0] in_stack, device_addr;
  logic        local_lane, on_stack;
  assign stack_bytes = (stack_log2_i == 5'd0) ? 33'd0 : 33'd1 << stack_log2_i;
  assign in_stack    = addr & (stack_bytes[31:0] - 32'd1);
  assign local_lane  = addr >= 32'hc000_0000;
  assign on_stack    = local_lane && 33'h1_0000_0000 - 33'(addr) <= stack_bytes;
  assign device_addr = {stacks_i, StackW'(0)} | {in_stack[31-LaneW:2], lane_i, in_stack[1:0]};

  logic [1:0]  holds, grants;
  logic [31:0] looked_up;
  assign looked_up = on_stack ? device_addr : addr;
  assign last      = 33'(looked_up) + 33'(size) - 33'd1;
  for (genvar w = 0; w < 2; w++) begin : g_win
    assign holds[w] = win_i[w].base <= looked_up && last < 33'(win_i[w].limit);
    assign grants[w] = holds[w] && (is_store ? win_i[w].w : is_load ? win_i[w].r : win_i[w].w &&
        win_i[w].r);
  end

  logic active, aligned, shared, device, faults;
  assign active  = op_i.mask[lane_i];
  assign aligned = (addr & (32'(size) - 32'd1)) == 32'd0;
  assign shared  = addr >= 32'h1000_0000 && addr < 32'h2000_0000;
  assign device  = !shared && addr < 32'hc000_0000;
  assign faults  = op.mask[lane_i] && (op.misaligned[lane_i] || op.overflow[lane_i] ||
      op.access[lane_i]);

  always_ff @(posedge clk_i) begin
    assume (is_load || is_store || is_amo);
    // others are illegal instructions
    assume (op_i.instr[13:12] != 2'd3 && (!is_amo || op_i.instr[14:12] == 3'd2));
    assume (win_i[0].base[11:0] == '0 && win_i[0].limit[11:0] == '0 && win_i[1].base[11:0] == '0 &&
        win_i[1].limit[11:0] == '0);
    assume (32'(shared_i) <= SharedBytes && 32'(lane_i) < WarpSize);
    assume (stack_log2_i == 5'd0 || (stack_log2_i >= 5'd4 && stack_log2_i <= 5'd16));  // STACK
    assume (({stacks_i, StackW'(0)} & (32'(stack_bytes) * 32'(WarpSize) - 32'd1)) == '0 ||
        stack_log2_i == 5'd0);

    window: assert (!(active && aligned && device) || faults == (grants == '0));
    offset: assert (!(active && aligned && shared) ||
        faults == (addr - 32'h1000_0000 >= 32'(shared_i)));
    stack: assert (!(active && aligned && local_lane) || faults == (!on_stack || grants == '0));
    overflow: assert (!aligned || op.overflow[lane_i] == (local_lane && !on_stack));
    stack_place: assert (!(active && aligned && on_stack) || op.addr[lane_i] == device_addr);
    elsewhere: assert ((aligned && on_stack) || op.addr[lane_i] == addr);
    misaligned: assert (op.misaligned[lane_i] == !aligned && (!active || aligned || faults));
    inactive: assert (op.mask == op_i.mask);
    shared_lane: assert (shared_lanes[lane_i] == shared);
    kind: assert (op.kind == (is_store ? MemWrite : is_amo ? MemAmo : MemRead));

    low_window: cover (active && !faults && device && win_i[1].limit[31] == 1'b0 &&
        grants == 2'b10);
    across: cover (active && !faults && device && !win_i[0].base[31] && win_i[0].limit[31] &&
        addr[31] && grants == 2'b01);
    other_half: cover (active && aligned && faults && device && addr == 32'h8000_f000 &&
        win_i[0].base == 32'h0000_f000 &&
                       win_i[0].limit == 32'h0001_0000);
    last_shared: cover (active && !faults && shared && addr[27:0] == 28'(shared_i) - 28'd1 &&
        size == 3'd1);
    stack_end: cover (active && !faults && on_stack && in_stack == '0 && stack_log2_i == 5'd16 &&
        stacks_i[31]);
    stack_outside: cover (active && aligned && faults && on_stack);
    upside_down: cover (active && aligned && faults && device && win_i[0].base > win_i[0].limit &&
        addr < win_i[0].base && addr >= win_i[0].limit);
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// Stage N of the load/store unit: decodes a memory instruction and classifies its lanes.
// docs/lsu.md (R-LS-2), docs/isa.md (I-MEM-1, I-MEM-2, I-MEM-6, I-FLT-1). Purely combinational.
// Cost: four 20-bit comparators and one row adder per lane, and a multiplexer of two addresses.
module qsm_lsu_classify
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  mem_op_t             op_i,
  input  who_t                who_i,     // of its warp
  input  logic [SubW-1:0]     sub_i,
  input  window_t [1:0]       win_i,     // of the instruction's kernel
  input  logic [18:0]         shared_i,  // bytes of shared memory of its launch, as written
  input  logic [GranW-1:0]    base_i,    // first granule of its thread block
  input  logic [4:0]          stack_log2_i,  // of its launch
  input  logic [31:StackW]    stacks_i,  // where the stacks of its warp begin, from qsm_stack_base
  output lsu_op_t             op_o,
  output mask_t               shared_o   // lanes with a shared address, active or not
);
  localparam logic [6:0] OpcodeStore = 7'h23, OpcodeAmo = 7'h2f;

  mem_type_e  kind;
  logic [2:0] funct3;
  assign funct3 = op_i.instr[14:12];
  always_comb begin
    unique case (op_i.instr[6:0])
      OpcodeStore: kind = MemWrite;
      OpcodeAmo:   kind = MemAmo;
      default:     kind = MemRead;
    endcase
  end

  function automatic amo_e amo_of(input logic [4:0] funct5);
    unique case (funct5)
      5'h00:   return AmoAdd;
      5'h04:   return AmoXor;
      5'h0c:   return AmoAnd;
      5'h08:   return AmoOr;
      5'h10:   return AmoMin;
      5'h14:   return AmoMax;
      5'h18:   return AmoMinu;
      5'h1c:   return AmoMaxu;
      default: return AmoSwap;
    endcase
  endfunction

  // The window grants what the instruction needs; bounds are multiples of 4096 bytes.
  logic [1:0] right;
  for (genvar w = 0; w < 2; w++) begin : g_right
    assign right[w] = (win_i[w].r || kind == MemWrite) && (win_i[w].w || kind == MemRead);
  end

  logic [RowW-1:0] base_row;  // a granule is a whole number of rows
  assign base_row = RowW'(base_i) * RowW'(GranuleBytes / LineBytes);

  // Address bits that count bytes within the stack. In a stack address all bits above them are
  // ones, so the device address is an AND of both parts.
  localparam int unsigned MostStackW = 16;
  logic [MostStackW-1:2] offset_bits;
  logic [31:2+LaneW] stack_bits;
  for (genvar b = 2; b < MostStackW; b++) begin : g_offset_bit
    assign offset_bits[b] = 5'(b) < stack_log2_i;
  end
  assign stack_bits = (32 - 2 - LaneW)'({stacks_i, 2'd0}) | (32 - 2 - LaneW)'(offset_bits);

  // Below the upper bits, which are 0 for every size.
  localparam int unsigned SizeW = $clog2(SharedBytes + 1);
  mask_t shared, misaligned, overflow, access;
  // device addresses of the lanes, but where it is the instruction's that the fault records
  lanes_t addr;
  logic [WarpSize-1:0][RowW-1:0] row;
  for (genvar l = 0; l < WarpSize; l++) begin : g_lane
    logic [31:0] a;
    logic [1:0]  hit;
    logic        on_stack;
    assign a = op_i.addr[l];
    // I-MEM-6. The least stack has 16 bytes: offset_bits[3] says whether there is one.
    assign on_stack    = offset_bits[3] && (&a[31:MostStackW]) &&
        (&(a[MostStackW-1:4] | offset_bits[MostStackW-1:4]));
    assign overflow[l] = (&a[31:30]) && !on_stack;
    assign addr[l] = (on_stack && !misaligned[l]) ? {a[31-LaneW:2] & stack_bits, LaneW'(l), a[1:0]}
        : a;
    for (genvar w = 0; w < 2; w++) begin : g_win
      assign hit[w] = right[w] && addr[l][31:12] >= win_i[w].base[31:12] &&
          addr[l][31:12] < win_i[w].limit[31:12];
    end
    assign shared[l]     = a[31:28] == 4'h1;
    assign misaligned[l] = (funct3[1:0] == 2'd1 && a[0]) || (funct3[1:0] == 2'd2 && a[1:0] != 2'd0);
    assign access[l]     = shared[l] ? a[27:SizeW] != '0 || a[SizeW-1:0] >= shared_i[SizeW-1:0] :
      hit == 2'd0;
    assign row[l]        = a[LineOffW +: RowW] + base_row;
  end

  assign shared_o = shared;
  assign op_o = '{
    sub: sub_i, warp: op_i.warp, kernel: who_i.kernel, widx: who_i.widx, injected: op_i.injected,
    away: op_i.away, pc: op_i.pc, entry: op_i.entry,
    kind: kind, amo: amo_of(op_i.instr[31:27]), funct3: funct3,
    rd: (kind == MemWrite) ? 5'd0 : op_i.instr[11:7],
    mask: op_i.mask, misaligned: misaligned, overflow: overflow, access: access,
    row: row, addr: addr, data: op_i.data
  };

  logic unused;
  assign unused = ^{op_i.instr[26:15], who_i.tb, shared_i, win_i[0].x, win_i[1].x,
      win_i[0].base[11:0], win_i[1].base[11:0],
                    win_i[0].limit[11:0], win_i[1].limit[11:0]};
endmodule

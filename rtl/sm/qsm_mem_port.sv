// SPDX-License-Identifier: Apache-2.0
// Memory port of an SM: instruction misses before the load/store unit, and responses to where they
// belong. A request leaves with the address that its line has behind a partition.
// docs/sm.md (R-SM-8, R-SM-9), docs/xbar.md R-XB-6. Purely combinational; the port has no
// back-pressure.
// Observed by the lockstep monitor: req_o (REQ), rsp_i (RSP).
module qsm_mem_port
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic     [NumKernels-1:0][SplitW-1:0] split_i,     // MEM_SPLIT
  input  logic     [NumSched-1:0]              miss_valid_i,
  input  logic     [NumSched-1:0][31:0]        miss_addr_i,
  input  logic     [NumSched-1:0][KernelW-1:0] miss_slot_i,
  output logic     [NumSched-1:0]              miss_grant_o,
  output logic                                 lsu_free_o,   // the LSU may send in this cycle
  input  mem_req_t                             lsu_req_i,
  output mem_req_t                             req_o,
  input  mem_rsp_t                             rsp_i,
  output logic     [NumSched-1:0]              fill_valid_o,
  output logic                                 lsu_rsp_valid_o,
  output logic     [TxnW-1:0]                  lsu_rsp_txn_o,
  output lanes_t                               rsp_data_o
);
  assign lsu_free_o   = miss_valid_i == '0;
  assign miss_grant_o = miss_valid_i & (~miss_valid_i + 1'b1);  // lowest sub-core

  mem_req_t req;
  logic [31:0] addr;
  always_comb begin
    req = lsu_req_i;
    for (int unsigned s = 0; s < NumSched; s++) begin
      if (miss_grant_o[s]) begin
        req.valid = 1'b1;
        req.kind  = MemRead;
        req.addr  = miss_addr_i[s];
        req.tag   = TagW'(MemTxns + s);
        req.slot  = miss_slot_i[s];
      end
    end
  end
  always_comb begin
    req_o = req;
    req_o.addr = addr;
  end
  qsm_mem_split #(
    .MemBits(PartitionBits), .LineBits(LineOffW), .ChanBits($clog2(NumChannels))
  ) u_split (
    .split_i(split_i[req.slot]), .addr_i(req.addr), .addr_o(addr)
  );

  for (genvar s = 0; s < NumSched; s++) begin : g_fill
    assign fill_valid_o[s] = rsp_i.valid && rsp_i.tag == TagW'(MemTxns + s);
  end
  assign lsu_rsp_valid_o = rsp_i.valid && rsp_i.tag < TagW'(MemTxns);
  assign lsu_rsp_txn_o   = rsp_i.tag[TxnW-1:0];
  assign rsp_data_o      = rsp_i.data;
endmodule

// SPDX-License-Identifier: Apache-2.0
// Memory port of an SM: instruction misses before the load/store unit, and responses to where they
// belong.
// docs/sm.md (R-SM-8, R-SM-9). Purely combinational; the port has no back-pressure.
// Observed by the lockstep monitor: req_o (REQ), rsp_i (RSP).
module qsm_mem_port
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
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

  always_comb begin
    req_o = lsu_req_i;
    for (int unsigned s = 0; s < NumSched; s++) begin
      if (miss_grant_o[s]) begin
        req_o.valid = 1'b1;
        req_o.kind  = MemRead;
        req_o.addr  = miss_addr_i[s];
        req_o.tag   = TagW'(MemTxns + s);
        req_o.slot  = miss_slot_i[s];
      end
    end
  end

  for (genvar s = 0; s < NumSched; s++) begin : g_fill
    assign fill_valid_o[s] = rsp_i.valid && rsp_i.tag == TagW'(MemTxns + s);
  end
  assign lsu_rsp_valid_o = rsp_i.valid && rsp_i.tag < TagW'(MemTxns);
  assign lsu_rsp_txn_o   = rsp_i.tag[TxnW-1:0];
  assign rsp_data_o      = rsp_i.data;
endmodule

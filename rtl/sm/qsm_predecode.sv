// SPDX-License-Identifier: Apache-2.0
// What fetch and issue need to know of a word beside its register fields: its class, and which of
// the fields name a register. Combinational. Doc: docs/subcore.md (Fetch, Classes).
// Found when a line arrives and kept with it, so that no decoder is behind the instruction cache.
// Cost: a decoder without immediates, for each word of a line.
module qsm_predecode
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
(
  input  logic [31:0] instr_i,
  output kind_t       kind_o
);
  dec_t dec;
  qsm_decode u_decode (.instr_i, .dec_o(dec));

  logic writes;
  assign writes = dec.rd != '0;
  assign kind_o = '{
    ctl: dec.cls == ClsCtl, mem: dec.cls == ClsMem, div: dec.cls == ClsDiv, writes: writes,
    late_or_fence: dec.fence || (dec.cls == ClsFma && writes), reads: dec.reads[NumSources-1:0]
  };

  logic unused;  // the rest is for RR
  assign unused = ^dec;
endmodule

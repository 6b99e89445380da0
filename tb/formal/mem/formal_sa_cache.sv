// SPDX-License-Identifier: Apache-2.0
// qsm_sa_cache around its banks, which are left open: of any transaction of any member, from the
// head of its ingress queue to the answer that the member sees. It goes to one bank, to that bank's
// channel under its own number, address and tag; the channel's response goes back to that bank; and
// what the bank answers is seen by that member once, NocLat cycles later. So what formal_sa_bank
// assumes of who asks and who answers holds, and what it proves of a bank holds of the array.
// What is assumed of banks is proved there: an answer, and a request to the channels, only of what
// the bank has been asked and has not answered, or sent, yet, with the request's own line; of the
// channels that a response comes where the request went. Heads stay until they are taken.
module formal_sa_cache
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned Index = 1,
  parameter int unsigned Members = 2,
  localparam int unsigned MemberW = idx_w(Members),
  localparam int unsigned GenW = 8
) (
  input logic                                  clk_i,
  input mem_req_t [Members-1:0]                head_i,
  input logic     [SaBanks-1:0]                granted_i,
  input port_rsp_t [NumChannels-1:0]           rsp_i,
  input logic [NumKernels-1:0]                 skip_i,
  input logic [NumKernels-1:0]                 start_i,
  input logic [Members-1:0][NumKernels-1:0]    restore_i,
  input logic [Members-1:0][NumKernels-1:0]    fence_i,
  input mem_select_t                           select_i,
  input logic [MemberW-1:0]                    who_i,  // any member, transaction, slot
  input logic [SmTagW-1:0]                     txn_i,
  input logic [KernelW-1:0]                    slot_i
);
  localparam int unsigned BankBits = $clog2(SaBanks);
  localparam int unsigned BankW = idx_w(SaBanks);

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [MemberW-1:0] who_q;
  logic [SmTagW-1:0] txn_q;
  logic [KernelW-1:0] slot_q;
  always_ff @(posedge clk_i) if (!rst_ni) {who_q, txn_q, slot_q} <= {who_i, txn_i, slot_i};

  logic [Members-1:0] taken;
  mem_rsp_t [Members-1:0] rsp;
  port_req_t [SaBanks-1:0] req;
  logic [NumChannels-1:0] rsp_taken;
  logic [31:0] value_unused;
  qsm_sa_cache #(.Index(Index), .Members(Members)) u_dut (
    .clk_i, .rst_ni, .head_i, .taken_o(taken), .rsp_o(rsp), .req_o(req), .granted_i, .rsp_i,
    .rsp_taken_o(rsp_taken), .skip_i, .start_i, .restore_i, .fence_i, .select_i,
    .value_o(value_unused)
  );

  function automatic logic [BankW-1:0] bank_of(input logic [31:0] addr);
    return (SaBanks == 1) ? '0 : addr[LineOffW +: BankW];
  endfunction
  function automatic logic [ChanW-1:0] channel_of(input logic [31:0] addr);
    return (NumChannels == 1) ? '0 : addr[LineOffW +: ChanW];
  endfunction
  function automatic logic [PortSmW-1:0] sm_of(input logic [MemberW-1:0] member);
    return PortSmW'(Index + 32'(member) * NumSas);
  endfunction

  // ---- the request ----
  mem_req_t head;
  logic asked_q, sent_q, heard_q, answered_q;
  mem_req_t request_q;
  logic takes;
  assign head = head_i[who_q];
  assign takes = taken[who_q] && head.tag[SmTagW-1:0] == txn_q;

  // ---- what each bank is given and has, of this transaction ----
  logic [SaBanks-1:0] given, right_given, sends, right_sent, has, hears, right_heard, left, offers;
  logic [SaBanks-1:0][Members-1:0] given_of;
  lanes_t [SaBanks-1:0] answer;
  for (genvar b = 0; b < SaBanks; b++) begin : g_bank
    // Given: a member's head, unchanged.
    assign given_of[b] = u_dut.grant[b];
    assign given[b] = u_dut.g_bank[b].req_valid && u_dut.g_bank[b].from == who_q &&
        u_dut.g_bank[b].req.tag[SmTagW-1:0] == txn_q;
    assign right_given[b] = u_dut.g_bank[b].req_ready && bank_of(head.addr) == BankW'(b) &&
        {u_dut.g_bank[b].req.kind, u_dut.g_bank[b].req.amo, u_dut.g_bank[b].req.addr,
         u_dut.g_bank[b].req.bytes, u_dut.g_bank[b].req.data, u_dut.g_bank[b].req.slot} ==
        {head.kind, head.amo, head.addr, head.bytes, head.data, head.slot};
    // Sent: the bank's, with its line, to the channel.
    assign offers[b] = u_dut.g_bank[b].out_valid && u_dut.g_bank[b].out_member == who_q &&
        u_dut.g_bank[b].out_txn == txn_q;
    assign sends[b] = offers[b] && granted_i[b];
    assign right_sent[b] = req[b].valid && req[b].sm == sm_of(who_q) &&
        req[b].tag == PortTagW'(txn_q) && {req[b].kind, req[b].amo, req[b].addr, req[b].bytes,
        req[b].data, req[b].slot} == {request_q.kind, request_q.amo, request_q.addr,
        request_q.bytes, request_q.data, request_q.slot};
    // Heard: a response for it.
    assign hears[b] = u_dut.g_bank[b].rsp_valid && u_dut.g_bank[b].rsp_ready &&
        u_dut.to_member[u_dut.g_bank[b].channel] == who_q &&
        rsp_i[u_dut.g_bank[b].channel].tag[SmTagW-1:0] == txn_q;
    assign right_heard[b] = rsp_taken[u_dut.g_bank[b].channel] &&
        u_dut.g_bank[b].channel == channel_of(request_q.addr) &&
        bank_of(request_q.addr) == BankW'(b);
    // Left: its answer.
    assign has[b] = u_dut.g_bank[b].back_valid && u_dut.g_bank[b].back_member == who_q &&
        u_dut.back_txn[b] == txn_q;
    assign left[b] = has[b] && u_dut.back_taken[b] != '0;
    assign answer[b] = u_dut.back_data[b];

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // Of the bank, and of qsm_fifo behind its outputs.
        members: assume (32'(u_dut.g_bank[b].out_member) < Members &&
            32'(u_dut.g_bank[b].back_member) < Members);
        if (offers[b])
          sends_what_it_has: assume (asked_q && !sent_q && bank_of(request_q.addr) == BankW'(b) &&
              u_dut.g_bank[b].out_line == request_q.addr[31 -: 32-LineOffW-BankBits] &&
              {u_dut.g_bank[b].out_kind, u_dut.g_bank[b].out_amo, u_dut.g_bank[b].out_bytes,
               u_dut.g_bank[b].out_data, u_dut.g_bank[b].out_slot} == {request_q.kind,
               request_q.amo, request_q.bytes, request_q.data, request_q.slot});
        if (has[b])
          answers_what_it_has: assume (asked_q && !answered_q && (!sent_q || heard_q) &&
              bank_of(request_q.addr) == BankW'(b));
        granted: assume (!granted_i[b] || req[b].valid);

        if (given[b]) given_as_it_was: assert (right_given[b] && given_of[b][who_q]);
        one_member: assert ($onehot0(given_of[b]) && $onehot0(u_dut.back_taken[b]));
        if (offers[b]) sent_as_it_was: assert (right_sent[b]);
        if (hears[b]) heard_where_it_was_sent: assert (right_heard[b] && sent_q && !heard_q);
      end
    end
  end

  // ---- the answer, on its way to the member ----
  logic [NocLat-1:0] way_q;
  lanes_t way_data_q[NocLat];
  logic there;
  assign there = way_q[NocLat-1];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) way_q <= '0;
    else way_q <= NocLat'({way_q, |left});
    for (int unsigned s = NocLat - 1; s > 0; s--) way_data_q[s] <= way_data_q[s-1];
    for (int unsigned b = 0; b < SaBanks; b++) if (left[b]) way_data_q[0] <= answer[b];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {asked_q, sent_q, heard_q, answered_q} <= '0;
    end else begin
      if (takes) asked_q <= 1'b1;
      if (|sends) sent_q <= 1'b1;
      if (|hears) heard_q <= 1'b1;
      if (|left) answered_q <= 1'b1;
      if (there) {asked_q, sent_q, heard_q, answered_q} <= '0;
    end
    if (takes) request_q <= head;
  end

  // ---- heads stay; responses come where the request went ----
  mem_req_t [Members-1:0] head_q;
  logic [Members-1:0] stays_q, head_changed;
  port_rsp_t [NumChannels-1:0] rsp_q;
  logic [NumChannels-1:0] rsp_stays_q, rsp_changed, of_it, ours;
  always_ff @(posedge clk_i) begin
    head_q <= head_i;
    rsp_q <= rsp_i;
    for (int unsigned m = 0; m < Members; m++)
      stays_q[m] <= rst_ni && head_i[m].valid && !taken[m];
    for (int unsigned c = 0; c < NumChannels; c++)
      rsp_stays_q[c] <= rst_ni && rsp_i[c].valid && !rsp_taken[c];
  end
  always_comb for (int unsigned m = 0; m < Members; m++) head_changed[m] = head_i[m] != head_q[m];
  always_comb for (int unsigned c = 0; c < NumChannels; c++) begin
    rsp_changed[c] = rsp_i[c] != rsp_q[c];
    of_it[c] = rsp_i[c].valid && rsp_i[c].sm == sm_of(who_q) &&
        rsp_i[c].tag[SmTagW-1:0] == txn_q;
    ours[c] = 1'b0;
    for (int unsigned m = 0; m < Members; m++)
      if (rsp_i[c].sm == sm_of(MemberW'(m))) ours[c] = rsp_i[c].valid;
  end

  // ---- generations: of any slot ----
  logic [GenW-1:0] gen_q;
  logic renews;
  always_comb begin
    renews = start_i[slot_q];
    for (int unsigned m = 0; m < Members; m++)
      renews |= restore_i[m][slot_q] | fence_i[m][slot_q];
  end
  always_ff @(posedge clk_i) gen_q <= !rst_ni ? '0 : gen_q + GenW'(renews);

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_member: assume (32'(who_q) < Members && 32'(slot_q) < NumKernels);
      heads_stay: assume ((stays_q & head_changed) == '0);
      responses_stay: assume ((rsp_stays_q & rsp_changed) == '0);
      if (of_it != '0)
        comes_where_it_went: assume (sent_q && !heard_q &&
            of_it == NumChannels'(1) << channel_of(request_q.addr));
      if (head.valid && head.tag[SmTagW-1:0] == txn_q) asks_once: assume (!asked_q);
      if (head.valid) a_line: assume (head.addr[LineOffW-1:0] == '0);

      taken_by_a_bank: assert (takes == |given && $onehot0(given));
      if (|rsp_taken) only_ours: assert ((rsp_taken & ~ours) == '0);
      it_is_heard: assert ((|(of_it & rsp_taken)) == |hears && $onehot0(hears));
      leaves_once: assert ($onehot0(left));
      seen: assert (there == (rsp[who_q].valid && rsp[who_q].tag == TagW'(txn_q)));
      if (there) as_it_left: assert (rsp[who_q].data == way_data_q[NocLat-1]);
      generation: assert (u_dut.gens_q[slot_q] == gen_q);
      if (renews && gen_q == '1) wraps: assert (u_dut.wrap);
      // For the induction.
      of_a_line: assert (!asked_q || request_q.addr[LineOffW-1:0] == '0);
      in_order: assert ((asked_q || !(sent_q || heard_q || answered_q)) && (sent_q || !heard_q) &&
          answered_q == (way_q != '0) && $onehot0(way_q));

      answered: cover (there && sent_q);
      a_hit: cover (there && !sent_q);
      again: cover (takes && way_q == '0 && stays_q[who_q] && !asked_q && gen_q != '0);
    end
  end
endmodule

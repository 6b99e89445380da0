// SPDX-License-Identifier: Apache-2.0
// DMA engine of the front end: copies between any byte addresses and fills, several lines under way
// at a time; a job may be bound to the rate of the host link.
// Contract: docs/dma.md. start_i only while busy_o = 0. A request is sent in a cycle with
// req_valid_o and req_free_i; one that is not sent may be another in the next cycle. Addresses are
// those of the job: the port permutes them by req_split_o (docs/xbar.md R-XB-6).
// Latency: the first request in the cycle after the start, a line is written two cycles after it
// was seen at the earliest; two cycles per line of a copy, one of a fill, where memory keeps pace.
// A read goes before a write.
// Cost: log2(LineBytes) multiplexers per bit of a line, one line of flip-flops, block RAM for
// NumEntries lines.
// Observed by the lockstep monitor: busy_q, used_q, under_way_q, reads_left_q, writes_left_q,
// credit_q (DMA).
module qsm_dma #(
  parameter int unsigned LineBytes = 16,  // a power of two, 8..128
  parameter int unsigned NumEntries = 4,  // lines under way: a power of two, 2..16
  parameter int unsigned TagW = 3,        // holds 1 + NumEntries
  parameter int unsigned SplitW = 2,
  localparam int unsigned LineBits = 8 * LineBytes
) (
  input  logic clk_i,
  input  logic rst_ni,

  // Job.
  input  logic              start_i,
  input  logic              job_fill_i,
  input  logic [31:0]       job_src_i,
  input  logic [31:0]       job_dst_i,
  input  logic [31:0]       job_bytes_i,
  input  logic [31:0]       job_pattern_i,
  input  logic [SplitW-1:0] job_split_i,
  input  logic              job_link_i,
  output logic              busy_o,
  output logic              done_o,

  // Cycles per line of the host link, Q16.8, 1..
  input  logic [23:0]       link_interval_i,

  // Port of the front end.
  output logic                 req_valid_o,
  input  logic                 req_free_i,  // does not depend on req_valid_o
  output logic                 req_write_o,
  output logic [31:0]          req_addr_o,
  output logic [LineBytes-1:0] req_bytes_o,
  output logic [LineBits-1:0]  req_data_o,
  output logic [TagW-1:0]      req_tag_o,
  output logic [SplitW-1:0]    req_split_o,
  input  logic                 rsp_valid_i,
  input  logic [TagW-1:0]      rsp_tag_i,
  input  logic [LineBits-1:0]  rsp_data_i
);
  localparam int unsigned OffW = $clog2(LineBytes);
  localparam int unsigned LineW = 32 - OffW;
  localparam int unsigned LeftW = LineW + 1;  // lines of a job
  localparam int unsigned EntryW = $clog2(NumEntries);
  localparam int unsigned CountW = $clog2(NumEntries + 1);
  localparam int unsigned CreditW = 25;
  typedef logic [OffW-1:0] offset_t;
  typedef logic [EntryW-1:0] entry_t;
  typedef logic [LineBits-1:0] line_t;
  typedef logic [LineBytes-1:0] bytes_t;

  if (LineBytes < 8 || LineBytes > 128 || (LineBytes & (LineBytes - 1)) != 0) begin :
    g_illegal_line
    $fatal(1, "qsm_dma: LineBytes = %0d, must be a power of two of 8 to 128", LineBytes);
  end
  if (NumEntries < 2 || NumEntries > 16 || (NumEntries & (NumEntries - 1)) != 0) begin :
    g_illegal_entries
    $fatal(1, "qsm_dma: NumEntries = %0d, must be a power of two of 2 to 16", NumEntries);
  end
  if (TagW < $clog2(NumEntries + 2)) begin : g_illegal_tag
    $fatal(1, "qsm_dma: TagW = %0d does not hold tag %0d", TagW, NumEntries + 1);
  end

  // ---- job ----
  logic busy_q, fill_q, link_q;
  logic [SplitW-1:0] split_q;
  logic [LineW-1:0] src_line_q, dst_line_q;      // the next
  logic [LeftW-1:0] reads_left_q, writes_left_q;
  offset_t turn_q, begin_q, end_q;  // d; first byte in the first destination line, last in the last
  logic skip_q, first_q;            // source line 0 is to be used up yet; no line is written yet

  offset_t src_off, dst_off, turn;
  logic skip;
  assign src_off = job_src_i[OffW-1:0];
  assign dst_off = job_dst_i[OffW-1:0];
  assign turn = dst_off - src_off;  // means nothing in a fill, nor does skip
  assign skip = dst_off < src_off;  // src_off + d reaches the next line

  // Lines that are left: those that the bytes fill, and with the first byte at an offset up to two
  // more; then one less with each that is sent.
  function automatic logic [LeftW-1:0] lines_left(input logic start, input logic none,
      input offset_t offset, input logic [31:0] n_bytes, input logic [LeftW-1:0] left);
    logic [1:0] more;
    offset_t rest_unused;
    {more, rest_unused} = (OffW + 2)'(offset) + (OffW + 2)'(n_bytes[OffW-1:0]) +
        (OffW + 2)'(LineBytes - 1);
    lines_left = start ? (none ? '0 : LeftW'(n_bytes >> OffW)) : left;
    lines_left += start ? (none ? '0 : LeftW'(more)) : '1;
  endfunction

  logic [LineW-1:0] line, line_next;
  logic read, ready, write, sent_read, sent_write, used_up;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      reads_left_q <= '0;
      writes_left_q <= '0;
    end else begin
      if (start_i) busy_q <= 1'b1;
      else if (done_o) busy_q <= 1'b0;
      if (start_i || sent_read)
        reads_left_q <= lines_left(start_i, job_fill_i, src_off, job_bytes_i, reads_left_q);
      if (start_i || sent_write)
        writes_left_q <= lines_left(start_i, 1'b0, dst_off, job_bytes_i, writes_left_q);
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      fill_q <= job_fill_i;
      link_q <= job_link_i;
      split_q <= job_split_i;
      turn_q <= turn;
      begin_q <= dst_off;
      end_q <= dst_off + job_bytes_i[OffW-1:0] - offset_t'(1);
      src_line_q <= job_src_i[31:OffW];
      dst_line_q <= job_dst_i[31:OffW];
      skip_q <= skip;
      first_q <= 1'b1;
    end else begin
      if (sent_read) src_line_q <= line_next;
      if (sent_write) dst_line_q <= line_next;
      if (used_up) skip_q <= 1'b0;
      if (sent_write) first_q <= 1'b0;
    end
  end
  assign busy_o = busy_q;

  // ---- which request (R-DM-2 to R-DM-4) ----
  entry_t head_q;
  logic [CountW-1:0] used_q, under_way_q;
  logic [NumEntries-1:0] there_q;
  logic completes, skipped, tail, link_ok;
  always_comb begin
    completes = there_q[head_q] && !skip_q;
    skipped = there_q[head_q] && skip_q;
    tail = reads_left_q == '0 && used_q == '0;
    ready = writes_left_q != '0 && under_way_q != CountW'(NumEntries) &&
        (fill_q ? link_ok : completes || tail);
    read = reads_left_q != '0 && used_q != CountW'(NumEntries) && link_ok;
    write = ready && !read;
    sent_write = write && req_free_i;
    sent_read = read && req_free_i;
    used_up = skipped || (completes && sent_write);
  end
  assign done_o = busy_q && writes_left_q == '0 && under_way_q == '0;

  // ---- entries and writes under way (R-DM-3, R-DM-6) ----
  logic rsp_read, rsp_write, came_q;  // came_q: an entry's line was seen in the cycle before
  entry_t rsp_entry, came_entry_q, head_next;
  assign rsp_read = rsp_valid_i && rsp_tag_i != '0 && rsp_tag_i <= TagW'(NumEntries);
  assign rsp_write = rsp_valid_i && rsp_tag_i == TagW'(NumEntries + 1);
  assign rsp_entry = entry_t'(rsp_tag_i - TagW'(1));
  assign head_next = head_q + entry_t'(used_up);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      used_q <= '0;
      under_way_q <= '0;
      there_q <= '0;
      came_q <= 1'b0;
    end else begin
      head_q <= head_next;
      if (used_up) there_q[head_q] <= 1'b0;
      came_q <= rsp_read;
      if (came_q) there_q[came_entry_q] <= 1'b1;
      used_q <= used_q + CountW'(sent_read) - CountW'(used_up);
      under_way_q <= under_way_q + CountW'(sent_write) - CountW'(rsp_write);
    end
  end

  // ---- lines (R-DM-5): turned as they come; the line before holds the pattern of a fill ----
  line_t turned, head_line, before_q;
  (* ram_style = "block", no_rw_check *) line_t lines[NumEntries];
  always_comb begin
    // as an ECP5's multipliers do it (scripts/rotate_map.v)
    turned = LineBits'({rsp_data_i, rsp_data_i} >> {offset_t'(-turn_q), 3'd0});
  end
  always_ff @(posedge clk_i) begin
    came_entry_q <= rsp_entry;
    if (rsp_read) lines[rsp_entry] <= turned;
    head_line <= lines[head_next];
    if (start_i) before_q <= {(LineBytes / 4) {job_pattern_i}};
    else if (used_up) before_q <= head_line;
  end

  // ---- request ----
  bytes_t bytes, from_head;
  always_comb begin
    for (int unsigned j = 0; j < LineBytes; j++) begin
      bytes[j] = (!first_q || offset_t'(j) >= begin_q) &&
          (writes_left_q != LeftW'(1) || offset_t'(j) <= end_q);
      from_head[j] = !fill_q && offset_t'(j) >= turn_q;
    end
  end

  assign req_valid_o = ready || read;
  assign req_write_o = write;
  assign line = read ? src_line_q : dst_line_q;
  assign line_next = line + LineW'(1);
  assign req_addr_o = {line, OffW'(0)};
  assign req_tag_o = read ? TagW'(entry_t'(32'(head_q) + 32'(used_q))) + TagW'(1)
                          : TagW'(NumEntries + 1);
  assign req_split_o = split_q;
  assign req_bytes_o = write ? bytes : '0;
  always_comb begin
    for (int unsigned j = 0; j < LineBytes; j++) begin
      req_data_o[8*j +: 8] = from_head[j] ? head_line[8*j +: 8] : before_q[8*j +: 8];
      if (!req_bytes_o[j]) req_data_o[8*j +: 8] = '0;
    end
  end

  // ---- host link (R-DM-7) ----
  // With credit for a line, 256 more is above the limit in any case: so `counts`, which comes late,
  // only chooses.
  logic [CreditW-1:0] credit_q, credit_d, interval, limit, spare;
  logic short, credit_ok, counts;
  assign interval = CreditW'(link_interval_i);
  assign {short, spare} = {1'b0, credit_q} - {1'b0, interval};
  assign credit_ok = !short;
  assign link_ok = !link_q || credit_ok;
  assign counts = link_q && (fill_q ? sent_write : sent_read);
  assign limit = interval - CreditW'(1);  // less 256
  always_comb begin
    // all less 256
    if (short) credit_d = credit_q;
    else if (counts && spare < limit) credit_d = spare;
    else credit_d = limit;
    credit_d = start_i ? interval : {credit_d[CreditW-1:8] + 17'd1, credit_d[7:0]};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) credit_q <= '0;
    else credit_q <= credit_d;
  end

`ifndef SYNTHESIS
  entry_t rsp_place;  // of the answered entry, from the head on
  logic [32:0] src_end, dst_end;
  logic [LineW-1:0] src_last_q, dst_last_q;  // last lines
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      src_last_q <= LineW'((src_end - 33'd1) >> OffW);
      dst_last_q <= LineW'((dst_end - 33'd1) >> OffW);
    end
  end
  assign rsp_place = rsp_entry - head_q;
  assign src_end = 33'(job_src_i) + 33'(job_bytes_i);
  assign dst_end = 33'(job_dst_i) + 33'(job_bytes_i);
  assert property (@(posedge clk_i) disable iff (!rst_ni) !start_i || !busy_q)
    else $error("R-DM-1: a job is given to a busy engine");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !start_i || (job_bytes_i != '0 &&
      dst_end <= {1'b1, 32'b0} && (job_fill_i || src_end <= {1'b1, 32'b0})))
    else $error("docs/dma.md: a job without bytes, or beyond the last address");
  // By a register of its own: of all responses of the crossbar Verilator would keep a sample.
  logic astray_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) astray_q <= 1'b0;
    else
      astray_q <= (rsp_read && (32'(rsp_place) >= 32'(used_q) || there_q[rsp_entry] ||
                      (came_q && came_entry_q == rsp_entry))) ||
          (rsp_write && under_way_q == '0);
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni) !astray_q)
    else $error("R-DM-6: an answer to nothing that was sent");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(used_q) <= NumEntries && 32'(under_way_q) <= NumEntries)
    else $error("R-DM-3, R-DM-4: more than NumEntries lines under way");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !sent_write || req_bytes_o != '0)
    else $error("R-DM-4: a write without bytes");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(busy_q && !fill_q && tail) || writes_left_q <= LeftW'(1))
    else $error("R-DM-5: more than one line is left when the source is used up");
  assert property (@(posedge clk_i) disable iff (!rst_ni)
      writes_left_q != '0 || (reads_left_q == '0 && used_q == '0))
    else $error("R-DM-8: all is written, and something is still read");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !busy_q ||
      (LineW'(writes_left_q) == dst_last_q - dst_line_q + LineW'(1) &&
       (fill_q || LineW'(reads_left_q) == src_last_q - src_line_q + LineW'(1))))
    else $error("R-DM-3, R-DM-4: what is left does not end with the last line");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !counts || credit_ok)
    else $error("R-DM-7: a line goes over the link without credit");
`endif
endmodule

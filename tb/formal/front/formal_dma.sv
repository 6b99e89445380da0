// SPDX-License-Identifier: Apache-2.0
// qsm_dma: any byte of memory is written exactly once by a job that has it in its destination, with
// the byte that the job says, and never by another; at most NumEntries lines are under way each
// way; a job never stands still without somebody that it waits for, and what it waits for makes it
// shorter. Answers at any time and in any order; lengths below 2**AddrW, addresses in the first and
// the last 2**AddrW bytes.
module formal_dma #(
  parameter int unsigned LineBytes = 8,
  parameter int unsigned NumEntries = 2,
  parameter int unsigned TagW = 3,
  parameter int unsigned SplitW = 1,
  parameter int unsigned AddrW = 7,
  localparam int unsigned LineBits = 8 * LineBytes
) (
  input logic                clk_i,
  input logic                start_i,
  input logic                job_fill_i,
  input logic [31:0]         job_src_i,
  input logic [31:0]         job_dst_i,
  input logic [31:0]         job_bytes_i,
  input logic [31:0]         job_pattern_i,
  input logic [SplitW-1:0]   job_split_i,
  input logic                job_link_i,
  input logic [23:0]         link_interval_i,
  input logic                free_i,
  input logic                rsp_valid_i,
  input logic [TagW-1:0]     rsp_tag_i,
  input logic [LineBits-1:0] rsp_data_i,
  input logic [31:0]         at_i  // any byte
);
  localparam int unsigned OffW = $clog2(LineBytes);
  localparam int unsigned LineW = 32 - OffW;
  localparam int unsigned LeftW = LineW + 1;
  localparam int unsigned EntryW = $clog2(NumEntries);
  localparam int unsigned CountW = $clog2(NumEntries + 1);
  typedef logic [LeftW-1:0] lines_t;
  typedef logic [LineW-1:0] line_t;
  typedef logic [OffW-1:0] offset_t;
  typedef logic [7:0] byte_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic busy, done, req_valid, req_write;
  logic [31:0] req_addr;
  logic [LineBytes-1:0] req_bytes;
  logic [LineBits-1:0] req_data;
  logic [TagW-1:0] req_tag;
  logic [SplitW-1:0] req_split;
  qsm_dma #(.LineBytes(LineBytes), .NumEntries(NumEntries), .TagW(TagW), .SplitW(SplitW)) u_dut (
    .clk_i, .rst_ni, .start_i, .job_fill_i, .job_src_i, .job_dst_i, .job_bytes_i, .job_pattern_i,
    .job_split_i, .job_link_i, .busy_o(busy), .done_o(done), .link_interval_i,
    .req_valid_o(req_valid), .req_free_i(free_i), .req_write_o(req_write), .req_addr_o(req_addr),
    .req_bytes_o(req_bytes), .req_data_o(req_data), .req_tag_o(req_tag), .req_split_o(req_split),
    .rsp_valid_i, .rsp_tag_i, .rsp_data_i
  );

  function automatic logic near_end(input logic [31:0] address);
    return address[31:AddrW] == '0 || address[31:AddrW] == '1;
  endfunction

  // ---- The job, and what it shall do with the byte: worked out at the start, and kept ----
  function automatic lines_t lines_of(input logic [31:0] from, input logic [31:0] n_bytes);
    logic [32:0] last;
    last = 33'(from) + 33'(n_bytes) - 33'd1;
    return lines_t'(last[31:OffW]) - lines_t'(from[31:OffW]) + 1'b1;
  endfunction

  typedef struct packed {
    logic        fill;
    logic        link;
    logic [31:0] src;
    logic [31:0] dst;
    logic [SplitW-1:0] split;
    lines_t      reads;         // R, W of the page
    lines_t      writes;
    offset_t     turn;          // d
    logic        skip;
    offset_t     last;          // byte of the last line
    logic        hit;           // the byte is in the destination
    offset_t     from;          // where it is in its source line
    lines_t      source_place;  // which source line, which line of the destination
    lines_t      place;
    byte_t       filler;
  } job_t;
  job_t job_d, job_q;
  logic [31:0] at_q, from;
  assign from = at_q - job_dst_i + job_src_i;
  always_comb begin
    job_d.fill = job_fill_i;
    job_d.link = job_link_i;
    job_d.src = job_src_i;
    job_d.dst = job_dst_i;
    job_d.split = job_split_i;
    job_d.reads = job_fill_i ? '0 : lines_of(job_src_i, job_bytes_i);
    job_d.writes = lines_of(job_dst_i, job_bytes_i);
    job_d.turn = job_fill_i ? '0 : job_dst_i[OffW-1:0] - job_src_i[OffW-1:0];
    job_d.skip = !job_fill_i &&
        (OffW + 1)'(job_src_i[OffW-1:0]) + (OffW + 1)'(job_d.turn) >= (OffW + 1)'(LineBytes);
    job_d.last = offset_t'(job_dst_i + job_bytes_i - 1'b1);
    job_d.hit = at_q >= job_dst_i && at_q - job_dst_i < job_bytes_i;
    job_d.from = from[OffW-1:0];
    job_d.source_place = lines_t'(line_t'(from[31:OffW] - job_src_i[31:OffW]));
    job_d.place = lines_t'(line_t'(at_q[31:OffW] - job_dst_i[31:OffW]));
    job_d.filler = job_pattern_i[8 * at_q[1:0] +: 8];
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) at_q <= at_i;
    if (start_i) job_q <= job_d;
  end

  // What follows for each job, by arithmetic alone: proved of every start, and kept.
  function automatic logic holds(input job_t job, input offset_t at);
    logic in_lines, copied;
    in_lines = job.place < job.writes && (job.place != '0 || at >= job.dst[OffW-1:0]) &&
        (job.place + 1'b1 != job.writes || at <= job.last);
    copied = job.fill ||
        (job.reads != '0 && 32'(job.reads) <= 2 ** LineW && offset_t'(job.from + job.turn) == at &&
         (job.writes == job.reads - lines_t'(job.skip) ||
          (job.writes == job.reads - lines_t'(job.skip) + 1'b1 && job.turn != '0)) &&
         (!job.hit || (job.source_place < job.reads &&
          job.place + lines_t'(job.skip) == job.source_place + lines_t'(at < job.turn))));
    return job.hit == in_lines && copied && job.writes != '0 && 32'(job.writes) <= 2 ** LineW &&
        (!job.fill || (job.reads == '0 && !job.skip && job.turn == '0)) &&
        (job.writes != 1 || job.dst[OffW-1:0] <= job.last);
  endfunction

  // ---- What is seen at the port ----
  function automatic logic source_line(input line_t number);
    return number == job_q.src[31:OffW] + line_t'(job_q.source_place);
  endfunction
  logic sends_read, sends_write, gets_read, gets_write, gets_byte;
  logic [EntryW-1:0] sent_entry, rsp_entry;
  logic [NumEntries-1:0] waits_q;            // reads that are not answered
  logic comes_q;                             // an answer was seen in the cycle before (R-DM-6)
  logic [EntryW-1:0] come_entry_q;
  line_t line_q[NumEntries];                 // of these, and of entries in use
  logic [CountW-1:0] under_way_q;            // writes
  logic written_q, got_q;
  byte_t source_q, wanted;                   // what the answer had of the byte; what is written
  assign sends_read = req_valid && free_i && !req_write;
  assign sends_write = req_valid && free_i && req_write;
  assign sent_entry = EntryW'(req_tag - 1'b1);
  assign rsp_entry = EntryW'(rsp_tag_i - 1'b1);
  assign gets_read = rsp_valid_i && rsp_tag_i != '0 && 32'(rsp_tag_i) <= NumEntries;
  assign gets_write = rsp_valid_i && 32'(rsp_tag_i) == NumEntries + 1;
  assign gets_byte = gets_read && source_line(line_q[rsp_entry]);
  assign wanted = job_q.fill ? job_q.filler : source_q;
  always_ff @(posedge clk_i) begin
    comes_q <= rst_ni && gets_read;
    come_entry_q <= rsp_entry;
    if (!rst_ni) begin
      waits_q <= '0;
      under_way_q <= '0;
    end else begin
      if (sends_read) begin
        waits_q[sent_entry] <= 1'b1;
        line_q[sent_entry] <= req_addr[31:OffW];
      end
      if (gets_read) waits_q[rsp_entry] <= 1'b0;
      under_way_q <= under_way_q + CountW'(sends_write) - CountW'(gets_write);
    end
    if (!rst_ni || start_i) begin
      {written_q, got_q} <= '0;
    end else begin
      if (sends_write && req_addr[31:OffW] == at_q[31:OffW] && req_bytes[at_q[OffW-1:0]])
        written_q <= 1'b1;
      if (gets_byte) begin
        got_q <= 1'b1;
        source_q <= rsp_data_i[8 * job_q.from +: 8];
      end
    end
  end

  // ---- Credit (R-DM-7) ----
  logic [25:0] credit_q, grown, most;
  assign grown = credit_q + 26'd256 - ((job_q.link && (job_q.fill ? sends_write : sends_read))
      ? 26'(link_interval_i) : '0);
  assign most = 26'(link_interval_i) + 26'd255;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) credit_q <= '0;
    else if (start_i) credit_q <= 26'(link_interval_i);
    else credit_q <= (grown > most) ? most : grown;
  end

  // ---- Where the job is, from registers ----
  lines_t asked, used_up, written;
  logic [NumEntries-1:0] in_use, comes, entry_ok;
  always_comb begin
    asked = job_q.reads - u_dut.reads_left_q;
    used_up = asked - lines_t'(u_dut.used_q);
    written = job_q.writes - u_dut.writes_left_q;
    for (int unsigned e = 0; e < NumEntries; e++) begin
      logic [EntryW-1:0] behind;
      behind = EntryW'(e) - u_dut.head_q;
      in_use[e] = 32'(behind) < 32'(u_dut.used_q);
      comes[e] = comes_q && come_entry_q == EntryW'(e);
      entry_ok[e] = waits_q[e] == (in_use[e] && !u_dut.there_q[e] && !comes[e]) &&
          !((u_dut.there_q[e] || comes[e]) && !in_use[e]) && !(u_dut.there_q[e] && comes[e]) &&
          (!in_use[e] || line_q[e] == job_q.src[31:OffW] + line_t'(used_up) + line_t'(behind)) &&
          (!(u_dut.there_q[e] || comes[e]) || !job_q.hit || !source_line(line_q[e]) ||
           (got_q && u_dut.lines[e][8 * at_q[OffW-1:0] +: 8] == source_q));
    end
  end
  logic head_ok;  // the line that was read is the head's
  assign head_ok = !u_dut.there_q[u_dut.head_q] || !job_q.hit ||
      !source_line(line_q[u_dut.head_q]) || u_dut.head_line[8 * at_q[OffW-1:0] +: 8] == source_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!start_i || !busy);
      assume (!start_i || (job_bytes_i != '0 &&
          33'(job_dst_i) + 33'(job_bytes_i) <= {1'b1, 32'b0} &&
          (job_fill_i || 33'(job_src_i) + 33'(job_bytes_i) <= {1'b1, 32'b0})));
      assume (!start_i || (near_end(job_src_i) && near_end(job_dst_i) &&
          job_bytes_i[31:AddrW] == '0));
      assume (link_interval_i != '0);
      assume (!gets_read || waits_q[rsp_entry]);
      assume (!gets_write || under_way_q != '0);

      if (start_i) arithmetic: assert (holds(job_d, at_q[OffW-1:0]));

      // What is written, and what with.
      if (sends_write && req_addr[31:OffW] == at_q[31:OffW]) begin
        only_inside: assert (req_bytes[at_q[OffW-1:0]] == job_q.hit);
        once: assert (!written_q);
        if (job_q.hit) right: assert (req_data[8 * at_q[OffW-1:0] +: 8] == wanted &&
            (job_q.fill || got_q));
        if (!job_q.hit) zero: assert (req_data[8 * at_q[OffW-1:0] +: 8] == '0);
      end
      if (done) all_written: assert (written_q == job_q.hit);
      if (req_valid) begin
        whole_lines: assert (req_addr[OffW-1:0] == '0 && req_split == job_q.split && busy);
        only_source: assert (req_write || (!job_q.fill && req_bytes == '0 && req_data == '0 &&
            line_t'(req_addr[31:OffW] - job_q.src[31:OffW]) < job_q.reads));
        tags: assert (req_write ? 32'(req_tag) == NumEntries + 1
                                : req_tag != '0 && 32'(req_tag) <= NumEntries);
        if (!req_write && free_i) own_tag: assert (!waits_q[sent_entry]);
      end
      reads_under_way: assert ($countones(waits_q) <= NumEntries);
      writes_under_way: assert (32'(under_way_q) <= NumEntries);
      // An end: a job that goes on waits for the port, for an answer, which is there a cycle after
      // it was seen, or for credit, which grows, or uses a line up; each makes less what is left,
      // and nothing makes it more.
      if (busy && !done) waits_for: assert (req_valid || waits_q != '0 || comes_q ||
          under_way_q != '0 || u_dut.skipped ||
          (job_q.link && credit_q < 26'(link_interval_i)));
      credit: assert (26'(u_dut.credit_q) == credit_q && credit_q <= 26'(2 ** 24 + 254));
      if (sends_read && job_q.link) paid_read: assert (credit_q >= 26'(link_interval_i));
      if (sends_write && job_q.link && job_q.fill)
        paid_write: assert (credit_q >= 26'(link_interval_i));

      // For the induction.
      if (busy) begin
        near: assert (near_end(job_q.src) && near_end(job_q.dst) &&
            32'(job_q.reads) <= 2 ** (AddrW - OffW) + 1 &&
            32'(job_q.writes) <= 2 ** (AddrW - OffW) + 1);
        kept: assert (holds(job_q, at_q[OffW-1:0]) &&
            job_q.place == lines_t'(line_t'(at_q[31:OffW] - job_q.dst[31:OffW])));
        job: assert (u_dut.fill_q == job_q.fill && u_dut.link_q == job_q.link &&
            (job_q.fill || u_dut.turn_q == job_q.turn) && u_dut.split_q == job_q.split &&
            u_dut.begin_q == job_q.dst[OffW-1:0] && u_dut.end_q == job_q.last);
        left: assert (u_dut.reads_left_q <= job_q.reads && u_dut.writes_left_q <= job_q.writes &&
            lines_t'(u_dut.used_q) <= asked);
        next_lines: assert (u_dut.dst_line_q == job_q.dst[31:OffW] + line_t'(written) &&
            (job_q.fill || u_dut.src_line_q == job_q.src[31:OffW] + line_t'(asked)));
        first: assert (u_dut.first_q == (written == '0));
        last_lines: assert (u_dut.dst_last_q == job_q.dst[31:OffW] + line_t'(job_q.writes) - 1'b1 &&
            (job_q.fill ||
             u_dut.src_last_q == job_q.src[31:OffW] + line_t'(job_q.reads) - 1'b1));
        skips: assert (job_q.fill || u_dut.skip_q == (job_q.skip && used_up == '0));
        if (!job_q.fill && used_up != job_q.reads)
          in_step: assert (written == used_up - lines_t'(job_q.skip && used_up != '0));
        if (!job_q.fill && used_up == job_q.reads)
          at_end: assert (written == job_q.writes ||
              written == job_q.reads - lines_t'(job_q.skip));
        byte_so_far: assert (written_q == (job_q.hit && job_q.place < written));
        if (!job_q.fill && job_q.hit && used_up > job_q.source_place) got: assert (got_q);
        if (job_q.hit && (job_q.fill || used_up == job_q.source_place + 1'b1))
          line_before: assert (u_dut.before_q[8 * at_q[OffW-1:0] +: 8] == wanted);
      end else begin
        rests: assert (u_dut.reads_left_q == '0 && u_dut.writes_left_q == '0 &&
            u_dut.used_q == '0 && under_way_q == '0);
      end
      at_near: assert (near_end(at_q));
      entries: assert (entry_ok == '1 && head_ok);
      coming: assert (u_dut.came_q == comes_q && (!comes_q || u_dut.came_entry_q == come_entry_q));
      acknowledged: assert (u_dut.under_way_q == under_way_q);

      copied: cover (done && !job_q.fill && job_q.hit && job_q.skip && job_q.reads == 3 &&
          job_q.writes == 3 && job_q.place == 1);
      tail: cover (done && !job_q.fill && job_q.hit && !job_q.skip && job_q.writes == 3 &&
          job_q.reads == 2 && job_q.place == 2);
      filled: cover (done && job_q.fill && job_q.link && job_q.hit && job_q.writes == 3 &&
          job_q.filler == 8'h5a);
      top: cover (done && job_q.hit && at_q == '1 && !job_q.fill && job_q.reads == 2);
      early: cover (gets_read && waits_q == '1 && rsp_entry != u_dut.head_q);
      full: cover (32'(under_way_q) == NumEntries && busy && u_dut.completes);
    end else begin
      assume (near_end(at_i));
    end
  end
endmodule

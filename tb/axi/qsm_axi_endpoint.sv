// SPDX-License-Identifier: Apache-2.0
// AXI4 subordinate in front of the simulated memory of a channel: takes accesses at random times,
// performs and answers them in a random order, with the beats of reads in turns. For simulation:
// the other way round than qsm_axi, and from IHI 0022 alone.
module qsm_axi_endpoint
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
#(
  parameter int unsigned DataW = 64,
  parameter int unsigned IdW = 3,
  parameter logic [31:0] Seed = 32'd1,  // not 0
  localparam int unsigned StrbW = DataW / 8
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic             awvalid_i,
  output logic             awready_o,
  input  logic [IdW-1:0]   awid_i,
  input  logic [31:0]      awaddr_i,
  input  logic             wvalid_i,
  output logic             wready_o,
  input  logic [DataW-1:0] wdata_i,
  input  logic [StrbW-1:0] wstrb_i,
  input  logic             wlast_i,
  output logic             bvalid_o,
  input  logic             bready_i,
  output logic [IdW-1:0]   bid_o,
  input  logic             arvalid_i,
  output logic             arready_o,
  input  logic [IdW-1:0]   arid_i,
  input  logic [31:0]      araddr_i,
  output logic             rvalid_o,
  input  logic             rready_i,
  output logic [IdW-1:0]   rid_o,
  output logic [DataW-1:0] rdata_o,
  output logic             rlast_o,

  // Simulated memory.
  output port_req_t req_o,
  input  logic      req_ready_i,
  input  port_rsp_t rsp_i,
  output logic      rsp_ready_o
);
  localparam int unsigned Beats = 8 * LineBytes / DataW;
  localparam int unsigned Ids = 1 << IdW;
  localparam int unsigned PortIdW = PortSmW + PortTagW;
  if (PortIdW < IdW + 1) begin : g_illegal
    $fatal(1, "qsm_axi_endpoint: tags of %0d bits cannot name a read or write of an ID of %0d",
        PortIdW, IdW);
  end
  typedef logic [Ids-1:0] set_t;
  typedef logic [IdW-1:0] id_t;
  typedef logic [Beats-1:0][DataW-1:0] data_t;
  typedef logic [Beats-1:0][StrbW-1:0] strb_t;

  logic [31:0] random_q;
  function automatic logic [31:0] after(input logic [31:0] x);
    after = x ^ (x << 13);
    after = after ^ (after >> 17);
    after = after ^ (after << 5);
  endfunction

  // Some member of a set, another one each time.
  function automatic id_t some(input set_t set, input id_t from);
    some = from;
    for (int unsigned n = 0; n < Ids; n++) if (!set[some]) some = some + id_t'(1);
  endfunction

  // Accesses: taken, not asked for; with their answer.
  set_t read_wanted_q, read_here_q, write_wanted_q, write_here_q;
  logic [31:0] read_addr[Ids], write_addr[Ids];
  data_t read_data[Ids], write_data[Ids];
  strb_t write_bytes[Ids];
  int unsigned read_beat[Ids];

  // The write that comes.
  logic aw_q, w_q;  // its address, its data are there
  id_t aw_id_q;
  logic [31:0] aw_addr_q;
  data_t w_data_q;
  strb_t w_bytes_q;
  int unsigned w_beat_q;

  id_t r_id, b_id, read_id, write_id, answer_id;
  logic asks, asks_write, answers_write;
  assign r_id = some(read_here_q, random_q[8 +: IdW]);
  assign b_id = some(write_here_q, random_q[12 +: IdW]);
  assign read_id = some(read_wanted_q, random_q[16 +: IdW]);
  assign write_id = some(write_wanted_q, random_q[20 +: IdW]);
  assign asks_write = read_wanted_q == '0 || (write_wanted_q != '0 && random_q[3]);
  assign asks = (read_wanted_q != '0 || write_wanted_q != '0) && random_q[4] &&
      (!req_o.valid || req_ready_i);
  logic [PortIdW-1:0] answer;
  assign answer = {rsp_i.sm, rsp_i.tag};
  assign answer_id = answer[IdW-1:0];
  assign answers_write = answer[IdW];
  assign arready_o = random_q[0];
  assign awready_o = !aw_q && random_q[1];
  assign wready_o = !w_q && random_q[2];
  assign rsp_ready_o = 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      random_q <= Seed;
      {aw_q, w_q, rvalid_o, bvalid_o} <= '0;
      w_beat_q <= 0;
      {read_wanted_q, read_here_q, write_wanted_q, write_here_q} <= '0;
      req_o <= '0;
    end else begin
      random_q <= after(random_q);

      if (arvalid_i && arready_o) begin
        read_wanted_q[arid_i] <= 1'b1;
        read_addr[arid_i] <= araddr_i;
        read_beat[arid_i] <= 0;
      end
      if (awvalid_i && awready_o) begin
        aw_q <= 1'b1;
        aw_id_q <= awid_i;
        aw_addr_q <= awaddr_i;
      end
      if (wvalid_i && wready_o) begin
        w_q <= wlast_i;
        w_data_q[w_beat_q] <= wdata_i;
        w_bytes_q[w_beat_q] <= wstrb_i;
        w_beat_q <= wlast_i ? 0 : w_beat_q + 1;
      end
      if (aw_q && w_q) begin
        {aw_q, w_q} <= '0;
        write_wanted_q[aw_id_q] <= 1'b1;
        write_addr[aw_id_q] <= aw_addr_q;
        write_data[aw_id_q] <= w_data_q;
        write_bytes[aw_id_q] <= w_bytes_q;
      end

      if (req_ready_i) req_o.valid <= 1'b0;
      if (asks) begin
        if (asks_write) write_wanted_q[write_id] <= 1'b0;
        else read_wanted_q[read_id] <= 1'b0;
        {req_o.sm, req_o.tag} <= PortIdW'({asks_write, asks_write ? write_id : read_id});
        req_o.valid <= 1'b1;
        req_o.kind <= asks_write ? MemWrite : MemRead;
        req_o.addr <= asks_write ? write_addr[write_id] : read_addr[read_id];
        req_o.bytes <= write_bytes[write_id];
        req_o.data <= write_data[write_id];
      end
      if (rsp_i.valid) begin
        if (answers_write) write_here_q[answer_id] <= 1'b1;
        else read_here_q[answer_id] <= 1'b1;
        read_data[answer_id] <= rsp_i.data;
      end

      if (rready_i) rvalid_o <= 1'b0;
      if (read_here_q != '0 && random_q[5] && (!rvalid_o || rready_i)) begin
        rvalid_o <= 1'b1;
        rid_o <= r_id;
        rdata_o <= read_data[r_id][read_beat[r_id]];
        rlast_o <= read_beat[r_id] == Beats - 1;
        read_beat[r_id] <= read_beat[r_id] + 1;
        if (read_beat[r_id] == Beats - 1) read_here_q[r_id] <= 1'b0;
      end
      if (bready_i) bvalid_o <= 1'b0;
      if (write_here_q != '0 && random_q[6] && (!bvalid_o || bready_i)) begin
        bvalid_o <= 1'b1;
        bid_o <= b_id;
        write_here_q[b_id] <= 1'b0;
      end
    end
  end
endmodule

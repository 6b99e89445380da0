// SPDX-License-Identifier: Apache-2.0
// qsm_front: the commands of any channel are done once and in order, each as it was fetched, none
// before its semaphore (R-FR-6, -7, -9, -11, -12, -14, -19, -23, -26); GET and PUT change by these
// alone, and GET never passes PUT. What a command does is seen at the ports: a LAUNCH that is
// accepted, a store of the sequencer's, a job of the DMA engine.
// Induction needs more, from registers; below.
`include "front_holds.svh"
module formal_front
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;
  import qsm_regs_pkg::*;
#(
  parameter bit AnyState = 1'b0,  // begins in any state in which all that is proved holds
  localparam int unsigned ChW = idx_w(NumCmd)
) (
  input logic                  clk_i,
  input logic [ChW-1:0]        chan_i,
  input logic [3:0]            number_i,  // any number of a command since the channel was enabled
  input logic [63:0]           cycle_i,
  input ctl_req_t              host_i,
  input logic                  concurrent_i,
  input logic                  take_back_i,
  input logic [NumKernels-1:0] slots_i,
  input logic [2:0]            irq_write_i,
  input logic [NumKernels-1:0] busy_i,
  input logic [NumKernels-1:0] killed_i,
  input logic [NumKernels-1:0] yielded_i,
  input logic [4:0]            cause_i,
  input logic [2:0][31:0]      walk_i,
  input logic                  reg_ready_i,
  input logic                  reg_err_i,
  input logic                  reg_again_i,
  input mem_rsp_t              mem_rsp_i
);
  logic rst_ni = AnyState, starts = AnyState;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;
  always_ff @(posedge clk_i) starts <= 1'b0;

  ctl_rsp_t host_rsp;
  front_figures_t figures;
  ctl_req_t reg_req;
  mem_req_t mem_req;
  logic [ChW-1:0] c;
  logic ctrl, put, enabled, suspended, held, fresh, rise, put_ok, mine, command, asked;
  logic [1:0] level_unused;
  front_state_e state;
  logic [31:0][31:0] row;
  logic [31:0] row_we, row_wdata;
  front_flags_t flags;
  front_env u_env (
    .clk_i, .rst_ni, .starts_i(starts), .chan_i, .cycle_i, .host_i, .concurrent_i, .take_back_i,
        .slots_i,
    .irq_write_i, .busy_i, .killed_i, .yielded_i, .cause_i, .walk_i, .reg_ready_i, .reg_err_i,
    .reg_again_i, .mem_rsp_i, .host_o(host_rsp), .figures_o(figures), .reg_o(reg_req),
    .mem_req_o(mem_req),
    .c_o(c), .ctrl_o(ctrl), .put_o(put), .enabled_o(enabled), .suspended_o(suspended),
    .held_o(held), .priority_o(level_unused), .fresh_o(fresh), .rise_o(rise), .put_ok_o(put_ok),
    .flags_o(flags), .state_o(state), .mine_o(mine), .command_o(command), .row_o(row),
    .row_we_o(row_we), .row_wdata_o(row_wdata), .asked_o(asked)
  );

  // ---- The row as it was read, the command as it came ----
  logic [31:0] ring_q, context_q;                // words 0 to 3
  logic [15:0] get_q, put_q;
  logic [4:0] step;
  logic reads_row, my_command;
  logic since_q;                                 // PUT was written since it was read
  logic [7:0][31:0] words_q;
  logic line_q;                                  // which of its two lines is next
  logic answers, sem_here;
  logic [31:0] sem_q;                            // what a semaphore had
  assign step = u_env.u_dut.u_seq.step_q;
  assign reads_row = state == FrontRow && mine && u_env.u_dut.table_done;
  assign my_command = mine && command;
  assign answers = mem_rsp_i.valid && mem_rsp_i.tag == '0;
  assign sem_here = my_command && state == FrontAccess && answers;
  always_ff @(posedge clk_i) begin
    since_q <= mine && state == FrontCheck && (since_q || (put && put_ok));
    if (reads_row) begin
      case (step[1:0])
        2'd0: ring_q <= row[0];
        2'd1: context_q <= row[1];
        2'd2: get_q <= row[2][15:0];
        2'd3: put_q <= row[3][15:0];
      endcase
    end
    if (state == FrontFetch && mine && answers) begin
      words_q[{line_q, 2'd0} +: 4] <= mem_rsp_i.data;
      line_q <= !line_q;
    end else if (!(state == FrontFetch && mine)) begin
      line_q <= 1'b0;
    end
    if (sem_here) sem_q <= mem_rsp_i.data[words_q[1][3:2]];
  end

  front_opcode_e opcode;
  logic stamped;
  logic [31:0] ahead;
  logic reached;
  assign opcode = front_opcode_e'(words_q[0][2:0]);
  assign stamped = words_q[0][9] && opcode == CmdRelease;
  assign ahead = sem_q - words_q[2];
  assign reached = !ahead[31];

  function automatic logic [15:0] behind(input logic [15:0] get, input logic [3:0] log2_n);
    return (get + 1'b1) & ~(16'hFFFF << log2_n);
  endfunction
  logic [15:0] next_get;
  assign next_get = behind(get_q, ring_q[3:0]);

  logic [4:0] set_word;  // of the context, that a set changes (R-FR-12)
  always_comb begin
    case (words_q[1][2:0])
      3'd0: set_word = 5'd1;
      3'd1: set_word = 5'd13;
      3'd2: set_word = 5'd3;
      3'd3: set_word = 5'd4;
      3'd4: set_word = 5'd5;
      default: set_word = 5'd18;
    endcase
  end

  // ---- What a command does, seen at the ports ----
  logic reg_taken;
  assign reg_taken = reg_req.valid && reg_ready_i;
  // A write of LAUNCH was chosen; it was done, and this is its answer; of this slot.
  logic launch_chosen_q, launch_q;
  logic [KernelW-1:0] launch_slot_q;
  logic launches, stores, copies, effect;
  assign launches = launch_q && !reg_again_i && !reg_err_i &&
      u_env.u_dut.owner_q[launch_slot_q] == c;
  assign stores = mem_req.valid && mem_req.tag == '0 && mem_req.kind != MemRead && mine;
  assign copies = u_env.u_dut.done.given && mine;
  assign effect = launches || stores || copies;
  always_ff @(posedge clk_i) begin
    launch_chosen_q <= 1'b0;
    launch_q <= rst_ni && launch_chosen_q;
    if (rst_ni) begin
      for (int unsigned k = 0; k < NumKernels; k++) begin
        if (reg_taken && reg_req.we && reg_req.wdata == 32'd1 &&
            reg_req.addr == SlotBase + 20'(k) * SlotStride + SlotLaunch) begin
          launch_chosen_q <= 1'b1;
          launch_slot_q <= KernelW'(k);
        end
      end
    end
  end

  // Of a slot's launch: it was asked to yield, by a write of YIELD that was taken; it is of an
  // earlier life of the channel (R-FR-26).
  logic asks_chosen_q, asks_q, clear_ends;
  logic [KernelW-1:0] asks_slot_q;
  logic [NumKernels-1:0] asked_q, old_q;
  assign clear_ends = row_we[13] && state == FrontClear && mine;
  always_ff @(posedge clk_i) begin
    asks_chosen_q <= 1'b0;
    asks_q <= rst_ni && asks_chosen_q;
    if (!rst_ni) begin
      {asked_q, old_q} <= '0;
    end else begin
      for (int unsigned k = 0; k < NumKernels; k++) begin
        if (reg_taken && reg_req.we && reg_req.wdata == 32'd1 &&
            reg_req.addr == SlotBase + 20'(k) * SlotStride + SlotYield) begin
          asks_chosen_q <= 1'b1;
          asks_slot_q <= KernelW'(k);
        end
        if (launch_q && !reg_again_i && !reg_err_i && launch_slot_q == KernelW'(k))
          asked_q[k] <= 1'b0;
        else if (asks_q && !reg_again_i && asks_slot_q == KernelW'(k)) asked_q[k] <= 1'b1;
        if (rise && u_env.u_dut.owner_q[k] == c) old_q[k] <= 1'b1;
        else if (launches && launch_slot_q == KernelW'(k)) old_q[k] <= 1'b0;
        else if (clear_ends && u_env.u_dut.owner_q[k] == c) old_q[k] <= 1'b1;
      end
    end
  end

  // ---- Where the channel is ----
  // GET goes on with a command that is done, goes back to a launch that has yielded, and is 0 when
  // the channel was enabled.
  logic clears, advances, returns;
  assign clears = row_we[2] && state == FrontClear;
  assign advances = row_we[2] && state == FrontFinish;
  assign returns = row_we[2] && state == FrontEnd;
  logic done_q;      // the command at hand has done what it does
  logic back_q;      // the command before was a launch, at this place
  logic [15:0] back_get_q;
  logic [3:0] number_q, n_q;  // how many are done, up to 15; any number below that
  logic many_q;               // 15 or more: which one is told no more
  logic at_n, n_done_q, n_waits_q, n_reached_q;
  logic went_back_q;          // GET has gone back, to this command
  logic known_q;              // GET is not what the memory had at the beginning
  // Commands in the ring, while the tenant only adds some, and leaves a place free; told from the
  // clearing on until RING is written.
  logic tame_q, adds;
  logic [12:0] level_q, n_ring, n_new;
  assign n_ring = 13'd1 << row[0][3:0];
  assign n_new = 13'(host_i.wdata[15:0] - row[3][15:0]) & (n_ring - 1'b1);
  assign adds = host_i.wdata[15:0] < 16'(n_ring) && (n_new == '0 || level_q + n_new < n_ring);
  assign at_n = number_q == n_q && !many_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {known_q, done_q, back_q, went_back_q, many_q, n_done_q, n_waits_q, n_reached_q} <= '0;
      number_q <= '0;
      n_q <= number_i;
    end else begin
      if (effect) begin
        done_q <= 1'b1;
        if (at_n) n_done_q <= 1'b1;
      end
      if (my_command && state == FrontDecode && at_n) n_waits_q <= opcode == CmdAcquire;
      if (my_command && state == FrontCompare && at_n && reached) n_reached_q <= 1'b1;
      if (advances) begin
        {done_q, went_back_q} <= '0;
        back_q <= opcode == CmdLaunch;
        back_get_q <= get_q;
        if (number_q == 4'd14) many_q <= 1'b1;
        else number_q <= number_q + 4'd1;
      end
      if (returns) begin
        back_q <= 1'b0;
        went_back_q <= 1'b1;
        if (!many_q) number_q <= number_q - 4'd1;
        if (!many_q && number_q == n_q + 4'd1) n_done_q <= 1'b0;
      end
      if (clears) begin
        known_q <= 1'b1;
        {back_q, went_back_q} <= '0;
        number_q <= '0;
        {many_q, n_done_q, n_waits_q, n_reached_q} <= '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      tame_q <= 1'b0;
    end else begin
      if (put && put_ok) begin
        if (!adds) tame_q <= 1'b0;
        level_q <= level_q + n_new;
      end
      if (advances) level_q <= level_q - 1'b1;
      if (returns) level_q <= level_q + 1'b1;
      if (row_we[0] || clears) tame_q <= 1'b0;
      if (row_we[3] && state == FrontClear && mine && !put) begin
        tame_q <= row[0][3:0] inside {[4'd1:4'd12]};
        level_q <= '0;
      end
    end
  end

  // ---- What the host sees ----
  logic sees_get_q, sees_put_q, puts_q, refused_q;
  logic [31:0] seen_q;
  always_ff @(posedge clk_i) begin
    {sees_get_q, sees_put_q, puts_q} <= '0;
    if (rst_ni && host_i.valid) begin
      sees_get_q <= !host_i.we && host_i.addr == PageBase + 20'(c) * PageStride + PageGet;
      sees_put_q <= !host_i.we && host_i.addr == PageBase + 20'(c) * PageStride + PagePut;
      puts_q <= put;
    end
    refused_q <= !put_ok;
    seen_q <= fresh ? '0 : (host_i.addr[2]) ? row[2] : row[3];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      assume (number_i < 4'd14);
    end else begin
      // Once, in order, as fetched.
      if (effect) begin
        `FRONT_HOLDS(its_own, my_command && !done_q)
        `FRONT_HOLDS(n_once, !at_n || !n_done_q)
        `FRONT_HOLDS(n_before, (number_q <= n_q && !many_q) || n_reached_q || !n_waits_q)
      end
      if (launch_q && !reg_again_i && !reg_err_i && mine) `FRONT_HOLDS(own_slot, launches)
      if (launches) `FRONT_HOLDS(launch_is, opcode == CmdLaunch && words_q[0][7:0] == 8'(CmdLaunch))
      if (copies) begin
        `FRONT_HOLDS(copy_is, words_q[0][7:0] inside {8'(CmdCopy), 8'(CmdFill)} &&
            u_env.u_dut.job.src == words_q[1] &&
            u_env.u_dut.job.fill == (opcode == CmdFill) &&
            u_env.u_dut.job.dst == words_q[(opcode == CmdFill) ? 1 : 2] &&
            u_env.u_dut.job.bytes == words_q[(opcode == CmdFill) ? 2 : 3] &&
            (opcode != CmdFill || u_env.u_dut.job.pattern == words_q[3]))
      end
      if (stores) begin
        `FRONT_HOLDS(store_is, mem_req.kind == MemWrite &&
            mem_req.data[mem_req.addr[3:2]] == words_q[2] &&
            mem_req.addr[LineOffW-1:0] == '0)
        if (opcode == CmdRelease) begin
          `FRONT_HOLDS(release_to, state == FrontAccess &&
              mem_req.addr[31:LineOffW] == words_q[1][31:LineOffW] &&
              words_q[1][1:0] == '0 && (!stamped || words_q[1][3:2] == '0) &&
              mem_req.bytes == (stamped ? 16'hFFFF : 16'hF << (4 * words_q[1][3:2])))
          if (stamped) `FRONT_HOLDS(stamps, mem_req.data[2] == cycle_i[31:0] &&
              mem_req.data[3] == cycle_i[63:32])
          if (!stamped) `FRONT_HOLDS(stores_value, mem_req.data[words_q[1][3:2]] == words_q[2])
        end else begin
          `FRONT_HOLDS(set_to, state == FrontSetStore && words_q[0][7:0] == 8'(CmdSet) &&
              mem_req.addr[31:7] == context_q[31:7] && mem_req.addr[6:4] == set_word[4:2] &&
              mem_req.bytes == 16'hF << (4 * set_word[1:0]))
        end
      end
      if (my_command && mem_req.valid && mem_req.tag == '0 && mem_req.kind == MemRead) begin
        if (state == FrontFetch)
          `FRONT_HOLDS(fetch_at, mem_req.addr == {ring_q[31:12], 12'd0} + 32'({get_q, line_q,
              4'd0}))
        if (state == FrontAccess)
          `FRONT_HOLDS(acquire_at, words_q[0][7:0] == 8'(CmdAcquire) &&
              mem_req.addr == {words_q[1][31:4], 4'd0})
      end
      // A command is behind when it has done what it does; and nothing is done of one that is not
      // behind then.
      if (advances) begin
        `FRONT_HOLDS(ends, my_command && words_q[0][31:10] == '0 &&
            (done_q ? !(opcode inside {CmdNop, CmdAcquire})
                    : opcode == CmdNop || (opcode == CmdAcquire && reached)))
        `FRONT_HOLDS(n_ends, !at_n || n_done_q || opcode == CmdNop || n_reached_q)
        `FRONT_HOLDS(on, row_wdata == 32'(next_get) && row[2] == 32'(get_q))
        `FRONT_HOLDS(not_past, (get_q != put_q || went_back_q) && 32'(get_q) >> ring_q[3:0] == '0 &&
            32'(put_q) >> ring_q[3:0] == '0)
      end
      if (!command) `FRONT_HOLDS(none_done, !done_q)
      if (row_we[7] && state == FrontStop) `FRONT_HOLDS(stopped, !done_q)

      // GET never passes PUT, and an empty ring is one that is empty.
      if (tame_q) begin
        if (advances) `FRONT_HOLDS(some_left, level_q != '0)
        if (my_command && state == FrontFetch) `FRONT_HOLDS(some_there, level_q != '0)
        if (my_command && state == FrontCheck && u_env.u_dut.done.empty && !since_q && enabled &&
            !fresh)
          `FRONT_HOLDS(empty, level_q == '0)
        `FRONT_HOLDS(level, 32'(row[3]) == ((row[2] + 32'(level_q)) & (32'(n_ring) - 1)) &&
            level_q <= n_ring)
      end
      if (sees_get_q || sees_put_q) `FRONT_HOLDS(seen, !host_rsp.err && host_rsp.rdata == seen_q)
      if (puts_q) `FRONT_HOLDS(answered, host_rsp.err == refused_q)

      // GET and PUT.
      if (row_we[2]) `FRONT_HOLDS(get_by, mine && (advances || returns || (clears &&
          row_wdata == '0)))
      if (returns) `FRONT_HOLDS(again, back_q && row_wdata == 32'(back_get_q))
      if (returns) `FRONT_HOLDS(as_asked, asked_q[u_env.u_dut.u_seq.slot_q] &&
          !old_q[u_env.u_dut.u_seq.slot_q])
      if (row_we[3]) `FRONT_HOLDS(put_by, put ? put_ok && row_wdata == host_i.wdata
                                         : mine && state == FrontClear && row_wdata == '0)
      if (!put && row_we[3]) `FRONT_HOLDS(put_cleared, fresh || state == FrontClear)
    end
  end


  // ---- For the induction: registers ----
  front_state_e after_q;  // the state before, of the sequencer's way
  logic first, got, binding;
  logic [4:0] got_word;
  logic [31:0] rdata;
  logic [KernelW-1:0] slot;
  logic [15:0] seq_get;
  logic [4:0] index;
  logic taking, next_line, load;
  assign first = u_env.u_dut.u_seq.first_q;
  assign got = u_env.u_dut.u_seq.got_q;
  assign got_word = u_env.u_dut.u_seq.got_word_q;
  assign binding = u_env.u_dut.u_seq.binding_q;
  assign rdata = u_env.u_dut.u_table.rdata_o;
  assign slot = u_env.u_dut.u_seq.slot_q;
  assign seq_get = u_env.u_dut.u_seq.get_q;
  assign index = u_env.u_dut.u_seq.u_words.u_mem.index_q;
  assign taking = u_env.u_dut.u_seq.u_words.u_mem.taking_q;
  assign next_line = u_env.u_dut.u_seq.u_words.u_mem.next_q;
  assign load = u_env.u_dut.u_seq.u_words.u_mem.load_q;

  // The row's registers: what was read last is on its way yet.
  logic [2:0] row_same, row_read;  // ring, context, GET
  logic here;                      // a word that is not on its way
  always_comb begin
    row_same[0] = u_env.u_dut.u_seq.log2_q == ring_q[3:0] &&
        u_env.u_dut.u_seq.base_q == ring_q[31:12];
    row_same[1] = u_env.u_dut.u_seq.context_q == context_q[31:7];
    row_same[2] = seq_get == get_q;
    if (got && got_word == 5'd0) row_same[0] = rdata == ring_q;
    if (got && got_word == 5'd1) row_same[1] = rdata == context_q;
    if (got && got_word == 5'd2) row_same[2] = rdata[15:0] == get_q;
    row_read = '1;
    if (state == FrontRow) row_read = {step > 5'd2, step > 5'd1, step > 5'd0};
    here = got && state == FrontRow;
  end

  // The command's words: those that were taken are where they belong.
  logic [3:0] taken;
  logic [7:0] used_same;
  logic regs_same;
  logic [31:0] n_bytes;
  logic fetched;  // all of them
  assign fetched = my_command && !(state inside {FrontRow, FrontCheck, FrontFetch}) &&
      !(state == FrontStop && u_env.u_dut.u_seq.stop_q == StopBadPut);
  always_comb begin
    taken = fetched ? 4'd8 : (state == FrontFetch && !first) ? index[3:0] : 4'd0;
    for (int unsigned w = 0; w < 8; w++)
      used_same[w] = 32'(taken) <= w ||
          u_env.u_dut.u_seq.u_words.used_q[w] == (words_q[w] != '0);
    n_bytes = (opcode == CmdLaunch) ? 32'd64 : stamped ? 32'd16 : 32'd4;
    if (opcode == CmdFill && taken > 4'd2) n_bytes = words_q[2];
    if (opcode == CmdCopy && taken > 4'd3) n_bytes = words_q[3];
    regs_same = (taken == 4'd0 || (u_env.u_dut.u_seq.u_words.opcode_q == opcode &&
        u_env.u_dut.u_seq.u_words.stamp_q == words_q[0][9] &&
        u_env.u_dut.u_seq.u_words.irq_q == words_q[0][8] &&
        u_env.u_dut.u_seq.u_words.known_q == (words_q[0][31:10] == '0 &&
            words_q[0][7:0] <= 8'(CmdFill)) &&
        u_env.u_dut.u_seq.u_words.bytes_q == n_bytes)) &&
        (taken <= 4'd1 || u_env.u_dut.u_seq.u_words.address_q == words_q[1]) &&
        (taken <= 4'd2 || u_env.u_dut.u_seq.u_words.value_q == words_q[2]) &&
        (taken <= 4'd3 || u_env.u_dut.u_seq.u_words.pattern_q == words_q[3]);
  end

  // Which states a command of a kind comes to.
  logic kind_ok, aligned, known;
  assign known = words_q[0][31:10] == '0 && words_q[0][7:0] <= 8'(CmdFill);
  assign aligned = words_q[1][1:0] == '0 && (!stamped || words_q[1][3:2] == '0);
  always_comb begin
    kind_ok = 1'b1;
    case (state)
      FrontSlot, FrontBind, FrontLoad, FrontLook, FrontProduct, FrontLimit, FrontStart, FrontYield,
      FrontCount:  kind_ok = opcode == CmdLaunch;
      FrontRange, FrontEngine: kind_ok = opcode inside {CmdCopy, CmdFill};
      FrontAddress: kind_ok = opcode inside {CmdAcquire, CmdRelease};
      FrontAccess:  kind_ok = opcode inside {CmdAcquire, CmdRelease} && aligned;
      FrontCompare: kind_ok = opcode == CmdAcquire;
      FrontSet:     kind_ok = opcode == CmdSet;
      FrontSetReg, FrontSetStore: kind_ok = opcode == CmdSet && words_q[1] <= 32'd5;
      FrontContext: kind_ok = opcode != CmdNop;
      default: ;
    endcase
    if (!(state inside {FrontDecode, FrontStop, FrontUnbind})) kind_ok = kind_ok && known;
  end

  // Whether it has done what it does.
  logic shall_be_done;
  always_comb begin
    shall_be_done = 1'b0;
    if (my_command) begin
      if (state == FrontFinish)
        shall_be_done = step == '0 && !(opcode inside {CmdNop, CmdAcquire});
      if (state == FrontAccess) shall_be_done = opcode == CmdRelease && !first;
      if (state == FrontSetStore) shall_be_done = !first;
    end
  end

  // Who has something of the channel under way.
  logic [NumKernels-1:0] active, active_young, index_ok;
  logic copy_active, finishing;
  logic [2:0] n_active;
  assign copy_active = (u_env.u_dut.copying || u_env.u_dut.copied_q) &&
      u_env.u_dut.copy_owner_q == c;
  assign finishing = my_command && state == FrontFinish && step == '0;
  always_comb begin
    n_active = 3'(copy_active);
    for (int unsigned k = 0; k < NumKernels; k++) begin
      active[k] = (u_env.u_dut.runs_q[k] || u_env.u_dut.ended_q[k]) && u_env.u_dut.owner_q[k] == c;
      active_young[k] = active[k] && !u_env.u_dut.old_q[k];
      n_active += 3'(active[k]);
      index_ok[k] = u_env.u_dut.launch_mem[k].index == (finishing ? get_q : back_get_q);
    end
  end
  logic at_slot;  // the sequencer has a slot for a launch, of whatever channel
  assign at_slot = state inside {FrontBind, FrontLoad, FrontLook, FrontProduct, FrontLimit,
      FrontStart} ||
      (state == FrontCount && binding) || (state == FrontUnbind && binding) ||
      (state == FrontStop && binding);

  for (genvar k = 0; k < NumKernels; k++) begin : g_slot
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        if (active[k]) `FRONT_HOLDS(one_of, !(u_env.u_dut.runs_q[k] && u_env.u_dut.ended_q[k]))
        if (!u_env.u_dut.bound_q[k]) `FRONT_HOLDS(unbound, !u_env.u_dut.runs_q[k] &&
            !u_env.u_dut.ended_q[k])
        if (at_slot && slot == KernelW'(k)) `FRONT_HOLDS(rests, !active[k] &&
            ((!binding && !mine) || (!u_env.u_dut.runs_q[k] && !u_env.u_dut.ended_q[k])))
        if (at_slot && slot == KernelW'(k) && state != FrontStop && state != FrontUnbind &&
            (state != FrontBind || step > 5'd13))
          `FRONT_HOLDS(bound_to, u_env.u_dut.bound_q[k] &&
              u_env.u_dut.owner_q[k] == u_env.u_dut.u_seq.channel_q)
        if (state inside {FrontEnd, FrontCount} && !binding && slot == KernelW'(k))
          `FRONT_HOLDS(ends_of, u_env.u_dut.ended_q[k] &&
              u_env.u_dut.owner_q[k] == u_env.u_dut.u_seq.channel_q)
        if (state == FrontUnbind && !binding && slot == KernelW'(k))
          `FRONT_HOLDS(unbinds, !u_env.u_dut.runs_q[k] && !u_env.u_dut.ended_q[k])
        if (active_young[k] && !(state == FrontClear && mine) &&
            !(state == FrontEnd && mine && slot == KernelW'(k) && step >= 5'd16))
          `FRONT_HOLDS(young, index_ok[k] && (back_q || finishing) &&
              (!finishing || opcode == CmdLaunch))
        if (active[k] && flags.resumes && !(state == FrontClear && mine))
          `FRONT_HOLDS(resumes, active_young[k] && finishing)
        `FRONT_HOLDS(asked_is, asked_q[k] == u_env.u_dut.yield_sent_q[k])
        if (active[k]) `FRONT_HOLDS(old_is, old_q[k] == u_env.u_dut.old_q[k])
        if (state == FrontYield && slot == KernelW'(k) && u_env.u_dut.owner_q[k] == c)
          `FRONT_HOLDS(yields, active[k])
        if (state == FrontEnd && slot == KernelW'(k))
          `FRONT_HOLDS(index_here, u_env.u_dut.launch.index == u_env.u_dut.launch_mem[k].index)
        if (state == FrontCount && !first && slot == KernelW'(k))
          `FRONT_HOLDS(index_comes, u_env.u_dut.launch.index == u_env.u_dut.launch_mem[k].index)
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The sequencer's way.
      case (state)
        FrontRow:    `FRONT_HOLDS(steps_row, step <= 5'd3)
        FrontFinish: `FRONT_HOLDS(steps_finish, !mine ||
            step <= ((opcode inside {CmdLaunch, CmdCopy, CmdFill}) ? 5'd0 : 5'd2))
        FrontBind:   `FRONT_HOLDS(steps_bind, step <= 5'd22)
        FrontStart:  `FRONT_HOLDS(steps_start, step <= FrontStepLaunch)
        FrontEnd:    `FRONT_HOLDS(steps_end, step <= 5'd18 && step != 5'd15)
        FrontClear:  `FRONT_HOLDS(steps_clear, step <= 5'd11)
        FrontCopyEnd: `FRONT_HOLDS(steps_copy_end, step <= 5'd5)
        default: ;
      endcase
      if (state == FrontStop &&
          binding) `FRONT_HOLDS(stopped_late, u_env.u_dut.u_seq.stop_q != StopBadPut)
      if (state inside {FrontBind, FrontSetReg, FrontStart}) begin
        `FRONT_HOLDS(no_yield, u_env.u_dut.u_seq.u_steps.offset_q != SlotYield[7:0])
        `FRONT_HOLDS(one_launch, (u_env.u_dut.u_seq.u_steps.offset_q == SlotLaunch[7:0]) ==
            (state == FrontStart && step == FrontStepLaunch))
      end
      // R-FR-28: which register a step with own settings writes, and where they are to be written.
      if (state == FrontStart && step inside {[FrontStepMask:FrontStepPolicy]}) begin
        `FRONT_HOLDS(own_register, u_env.u_dut.u_seq.u_steps.offset_q ==
            ((step == FrontStepPolicy) ? SlotCachePolicy[7:0]
             : (step == FrontStepMask) ? SlotSmMaskLo[7:0]
             : (step == FrontStepMask + 5'd1) ? SlotSmMaskHi[7:0] : SlotSmMask2[7:0]))
        `FRONT_HOLDS(own_written, step == FrontStepPolicy ? u_env.u_dut.own_q[slot][1]
                                                          : u_env.u_dut.own_q[slot][0])
      end
      if (state == FrontStart && !first)
        `FRONT_HOLDS(own_known, (u_env.u_dut.launch_own & ~u_env.u_dut.own_q[slot]) == '0)

      // The row.
      if (my_command && row_read[0]) `FRONT_HOLDS(ring_read, row_same[0])
      if (my_command && row_read[1]) `FRONT_HOLDS(context_read, row_same[1])
      if (my_command && row_read[2]) `FRONT_HOLDS(get_read, row_same[2] &&
          (row[2] == 32'(get_q) || (state == FrontFinish && step != '0) ))
      if (my_command && state == FrontRow) begin
        `FRONT_HOLDS(on_its_way, !got || got_word == step - 5'd1)
      end
      if (state == FrontCheck) `FRONT_HOLDS(put_read, !mine || ((!got || got_word == 5'd3) &&
          u_env.u_dut.u_seq.got[15:0] == put_q))
      if (my_command && !(state inside {FrontRow, FrontCheck}) &&
          !(state == FrontStop && u_env.u_dut.u_seq.stop_q == StopBadPut))
        `FRONT_HOLDS(a_command, (get_q != put_q || went_back_q || (state == FrontFinish &&
            step != '0)) &&
            32'(get_q) >> ring_q[3:0] == '0 && 32'(put_q) >> ring_q[3:0] == '0)

      if (my_command && got && !(state inside {FrontRow, FrontCheck}))
        `FRONT_HOLDS(other_word, got_word >= 5'd4)

      if (known_q) `FRONT_HOLDS(get_width, row[2][31:16] == '0)
      if (flags.clean || my_command || (state == FrontClear && mine && step != '0))
        `FRONT_HOLDS(is_known, known_q)

      // The command.
      if (my_command) `FRONT_HOLDS(words_same, used_same == '1 && regs_same)
      if (state == FrontFetch && mine) begin
        case (1'b1)
          first: ;
          asked: `FRONT_HOLDS(fetch_asked, index == {2'd0, line_q, 2'd0} && load)
          next_line: `FRONT_HOLDS(fetch_next, index == 5'd4 && line_q && load)
          default: `FRONT_HOLDS(fetch_taking, index[4:2] == {2'd0, !line_q} && load &&
              u_env.u_dut.u_seq.u_words.u_mem.line_q == words_q[{!line_q, 2'd0} +: 4])
        endcase
        if (first) `FRONT_HOLDS(fetch_first, !line_q)
      end else begin
        `FRONT_HOLDS(no_line, !line_q || (my_command && state == FrontDecode))
      end
      if (fetched) `FRONT_HOLDS(kinds, kind_ok)
      if (state inside {FrontAccess, FrontSetStore} && !first)
        `FRONT_HOLDS(loads, load == (state == FrontAccess &&
            u_env.u_dut.u_seq.u_words.opcode_q != CmdRelease) && index == '0 && !next_line &&
                (load || !taking))
      if (state inside {FrontContext, FrontLoad, FrontFetch} &&
          !first) `FRONT_HOLDS(loads_all, load)
      if (my_command && state == FrontAccess &&
          taking) `FRONT_HOLDS(semaphore_line,
              u_env.u_dut.u_seq.u_words.u_mem.line_q[words_q[1][3:2]] == sem_q)
      if (my_command &&
          state == FrontCompare) `FRONT_HOLDS(semaphore, u_env.u_dut.u_seq.u_words.loaded_q ==
              sem_q)
      if (finishing && opcode == CmdAcquire) `FRONT_HOLDS(was_reached, reached)

      // What it has done.
      `FRONT_HOLDS(done_is, done_q == shall_be_done)
      `FRONT_HOLDS(launch_is_sent, launch_q == (state == FrontStart && step == FrontStepLaunch &&
          u_env.u_dut.u_seq.answer_q) && (!launch_q || launch_slot_q == slot))
      `FRONT_HOLDS(launch_is_written, launch_chosen_q == (state == FrontStart &&
          step == FrontStepLaunch && u_env.u_dut.u_seq.writes_q) &&
          (!launch_chosen_q || launch_slot_q == slot))
      `FRONT_HOLDS(yield_is_written, asks_chosen_q == (state == FrontYield &&
          u_env.u_dut.u_seq.writes_q) && (!asks_chosen_q || asks_slot_q == slot))
      `FRONT_HOLDS(yield_is_sent, asks_q == (state == FrontYield && u_env.u_dut.u_seq.answer_q) &&
          (!asks_q || asks_slot_q == slot))

      // The engine.
      if (state == FrontCopyEnd) `FRONT_HOLDS(copy_ends_of, u_env.u_dut.copied_q &&
          u_env.u_dut.copy_owner_q == u_env.u_dut.u_seq.channel_q)
      `FRONT_HOLDS(one_copy, !(u_env.u_dut.copying && u_env.u_dut.copied_q))
      `FRONT_HOLDS(busy_is, n_active == 3'(flags.busy || (finishing &&
          opcode inside {CmdLaunch, CmdCopy, CmdFill})))
      if (my_command) `FRONT_HOLDS(free, !flags.busy)
      if (state == FrontEnd && mine && step >= 5'd16) `FRONT_HOLDS(goes_back, went_back_q)
      if (flags.resumes && !(state == FrontClear && mine)) `FRONT_HOLDS(went_back, went_back_q)
      // The sequencer's channel, from CHECK to LIMIT, in which it is looked at.
      if (state inside {FrontCheck, FrontFetch, FrontDecode, FrontContext, FrontSlot, FrontBind,
          FrontCount, FrontLoad, FrontLook, FrontProduct, FrontLimit} &&
          u_env.u_dut.u_seq.has_turn_q)
        `FRONT_HOLDS(goes_on, u_env.u_dut.resumes_q ==
            u_env.u_dut.u_flags.all[u_env.u_dut.u_seq.channel_q].resumes)

      // Numbers.
      `FRONT_HOLDS(numbers, number_q <= 4'd14 && n_q < 4'd14)
      if (back_q) `FRONT_HOLDS(not_first, many_q || number_q != '0)
      if (number_q < n_q && !many_q) `FRONT_HOLDS(n_before_it, !n_done_q && !n_waits_q &&
          !n_reached_q)
      if (at_n) `FRONT_HOLDS(n_here, n_done_q == done_q && (!n_reached_q ||
          (finishing && opcode == CmdAcquire)))
      if (at_n && fetched && state != FrontDecode)
        `FRONT_HOLDS(n_kind, n_waits_q == (opcode == CmdAcquire) ||
            state inside {FrontStop, FrontUnbind} ||
            (state == FrontFinish && step != '0))
      if (at_n && finishing && opcode == CmdAcquire) `FRONT_HOLDS(n_acquired, n_reached_q)
      if (many_q || number_q > n_q) `FRONT_HOLDS(n_behind, n_reached_q || !n_waits_q)
      if (at_n && (active_young != '0) && !finishing && !(state == FrontClear && mine) &&
          !(state == FrontEnd && mine && step >= 5'd16))
        `FRONT_HOLDS(n_untouched, !n_waits_q && !n_reached_q)
      if (back_q && !many_q && number_q == n_q + 4'd1 && (active_young != '0) &&
          !finishing) `FRONT_HOLDS(n_launch, !n_waits_q && !n_reached_q)

      // Levels.
      if (state == FrontCheck && mine && !since_q) `FRONT_HOLDS(put_is, row[3][15:0] == put_q)
      if (tame_q) begin
        if (state == FrontCheck && mine) `FRONT_HOLDS(level_read, (13'(put_q - row[2][15:0]) &
            (n_ring - 1'b1)) <= level_q)
        if (my_command && !(state inside {FrontRow, FrontCheck, FrontStop, FrontUnbind}) &&
            !(state == FrontFinish && step != '0)) `FRONT_HOLDS(not_none, level_q != '0)
        if ((flags.resumes || (state == FrontEnd && mine && step >= 5'd16)) &&
            !(state == FrontClear && mine))
          `FRONT_HOLDS(one_to_go_on, level_q != '0)
      end
      if (state == FrontClear && mine) begin
        `FRONT_HOLDS(no_life, !flags.clean)
        if (step != '0) `FRONT_HOLDS(cleared, row[2] == '0)
        if (step == 5'd1) `FRONT_HOLDS(told_anew, !tame_q)
        if (step > 5'd1 && tame_q) `FRONT_HOLDS(level_cleared, level_q == '0)
      end
      if (my_command && state != FrontUnbind) `FRONT_HOLDS(not_stopped, !flags.stopped)
      if (tame_q) begin
        `FRONT_HOLDS(ring_kept, row[0][3:0] inside {[4'd1:4'd12]} && row[2] < 32'(n_ring) &&
            row[3] < 32'(n_ring) && known_q)
        if (my_command && row_read[0]) `FRONT_HOLDS(same_ring, ring_q[3:0] == row[0][3:0])
        if ((active_young != '0) && !finishing && !(state == FrontClear && mine) &&
            !(state == FrontEnd && mine && step >= 5'd16))
          `FRONT_HOLDS(one_back, row[2] == 32'(behind(back_get_q, row[0][3:0])) &&
              back_get_q < 16'(n_ring))
        if (level_q == n_ring) `FRONT_HOLDS(full, !(my_command && state == FrontFinish &&
            step != '0) &&
            (flags.resumes || (state == FrontEnd && mine && step >= 5'd16) ||
            flags.stopped || fresh || !enabled) && (n_active == '0 || finishing ||
            (state == FrontEnd && mine && step >= 5'd16)))
      end

      // There is something to prove; the rest is far from reset.
      nop: cover (advances && opcode == CmdNop && number_q == 4'd0);
    end
  end
  if (AnyState) begin : g_far
    always_ff @(posedge clk_i) begin
  launched: cover (launches && number_q == 4'd1);
        copied: cover (advances && opcode == CmdCopy);
        released: cover (advances && opcode == CmdRelease && stamped && number_q == n_q);
        acquired: cover (advances && opcode == CmdAcquire && n_waits_q && at_n);
        waited: cover (my_command && state == FrontCompare && !reached && tame_q);
        went_on: cover (launches && went_back_q && tame_q && level_q == n_ring);
        has_yielded: cover (returns && tame_q && level_q == n_ring - 1'b1 && n_ring == 13'd4);
        old_one: cover (u_env.u_dut.done.asked && active != '0 && active_young == '0 && tame_q &&
            level_q > 13'd1 && u_env.u_dut.owner_q[slot] == c);
        refused: cover (puts_q && refused_q && suspended && tame_q);
    end
  end
endmodule

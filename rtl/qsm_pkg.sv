// SPDX-License-Identifier: Apache-2.0
// Types shared by the blocks of the GPU. Widths follow the configuration (qsm_cfg_pkg);
// docs/machine.md explains the messages.
// Blocks of warp_sched/, qos_mgr/ and tb_sched/ do not import it, so that another GPU can use them:
// they take numbers, and types of ports, as parameters (docs/style.md).
package qsm_pkg;
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;

  // Index width of n things; at least 1 bit.
  function automatic int unsigned idx_w(input int unsigned n);
    return (n > 1) ? $clog2(n) : 1;
  endfunction

  localparam int unsigned WarpsPerSched = WarpsPerSm / NumSched;
  localparam int unsigned LineBytes = 4 * WarpSize;
  localparam int unsigned SharedGranules = 32;
  localparam int unsigned GranuleBytes = SharedBytes / SharedGranules;
  localparam int unsigned SharedRows = SharedBytes / LineBytes;

  localparam int unsigned SmW = idx_w(NumSms);
  localparam int unsigned SubW = idx_w(NumSched);
  localparam int unsigned WarpW = idx_w(WarpsPerSched);  // warp slot within a sub-core
  localparam int unsigned WidxW = idx_w(WarpsPerSm);     // warp within a thread block
  localparam int unsigned LaneW = idx_w(WarpSize);
  localparam int unsigned KernelW = idx_w(NumKernels);
  localparam int unsigned SmCounterW = $clog2(5 + NumKernels);  // of SM ownership
  localparam int unsigned TbW = idx_w(MaxTbs);
  localparam int unsigned ChanW = idx_w(NumChannels);
  localparam int unsigned SplitW = idx_w($clog2(NumChannels) + 1);  // MEM_SPLIT
  localparam int unsigned TicketW = idx_w(NumImages + NumSms * MaxTbs);
  localparam int unsigned SbW = idx_w(SbEntries);
  localparam int unsigned TxnW = idx_w(MemTxns);
  // LSU transactions, then one per sub-core for fetches
  localparam int unsigned SmTagW = $clog2(MemTxns + NumSched);
  // of the front end: 0 its sequencer, then entries of its DMA engine, then that one's writes
  localparam int unsigned DmaTagW = $clog2(DmaEntries + 2);
  localparam int unsigned TagW = (NumCmd != 0 && DmaTagW > SmTagW) ? DmaTagW : SmTagW;
  // Requesters of the crossbar: SMs, and behind them the front end (docs/front.md).
  localparam int unsigned NumReqs = NumSms + ((NumCmd != 0) ? 1 : 0);
  localparam int unsigned RequesterW = idx_w(NumReqs);
  // Memory port: with L2 slices there is one requester more, whose transactions are its MSHRs and
  // its own writes (docs/l2.md R-L2-12).
  localparam int unsigned PortSmW = (L2Kib != 0) ? idx_w(NumReqs + 1) : RequesterW;
  localparam int unsigned PortTagW = (L2Kib != 0 && $clog2(L2Mshrs + 2) > TagW)
      ? $clog2(L2Mshrs + 2) : TagW;
  // What a flush of the L2 slices can tell apart (docs/l2.md R-L2-10): sets, or units of them.
  localparam int unsigned L2Sets = L2Kib * 1024 / (L2Ways * LineBytes);
  localparam int unsigned L2UnitSets = (L2Sets > 4096) ? L2Sets / 4096 : 1;
  localparam int unsigned L2UnitW = idx_w(L2Sets / L2UnitSets);
  localparam int unsigned RowW = idx_w(SharedRows);
  localparam int unsigned LineOffW = $clog2(LineBytes);
  // log2 of the least bytes of a warp's stacks (docs/isa.md I-MEM-6)
  localparam int unsigned StackW = 4 + LaneW;
  localparam int unsigned PartsW = $clog2(WarpSize + 1);
  localparam int unsigned LanesW = $clog2(WarpSize + 1);
  localparam int unsigned GranW = 5;
  localparam int unsigned DepthW = 5;

  localparam int unsigned MqDepth = 4;    // memory queue of a sub-core, R-EX-4
  localparam int unsigned ResDepth = 4;   // LSU result queue of a sub-core, R-WB-2
  localparam int unsigned IbufDepth = 4;  // instruction buffer of a warp
  localparam int unsigned WbStarveLimit = 8; // R-WB-3
  localparam int unsigned DivLat = 38;    // R-EX-3: all lanes at once; else DivRest and the turns
  localparam int unsigned DivTurn = 19;
  localparam int unsigned DivShort = 8;   // cycles that a turn is shorter with short dividends
  localparam int unsigned DivRest = 5;
  localparam int unsigned DivGroup = (DivLanes == 0) ? WarpSize : DivLanes;  // lanes of a turn
  localparam int unsigned FpDivLat = 34;  // R-FP-6
  localparam int unsigned FpLat = (Fpu != 0) ? 3 : 0;         // R-FP-1, R-FP-3
  // registers that an instruction may read
  localparam int unsigned NumSources = (Fpu != 0) ? 3 : 2;
  localparam int unsigned EndDelay = 16;  // R-TB-3

  typedef logic [WarpSize-1:0] mask_t;
  typedef logic [WarpSize-1:0][31:0] lanes_t;  // one word per lane; also a memory line
  typedef logic [LineBytes-1:0] bytes_t;       // byte mask of a line

  typedef struct packed {
    logic [31:0] base;   // multiple of 4096
    logic [31:0] limit;  // exclusive, multiple of 4096
    logic x;
    logic w;
    logic r;
  } window_t;

  // Launch of a kernel slot, direct from the control registers.
  typedef struct packed {
    window_t [1:0] win;
    logic [31:0] entry;
    logic [31:0] arg;
    logic [2:0][15:0] grid;   // [0] = x
    logic [2:0][10:0] block;
    logic [10:0] threads;     // per block
    logic [6:0] warps;        // per block, 1..64
    logic [18:0] shared;      // bytes, as written
    logic [5:0] granules;     // 0..32
    logic [4:0] stack_log2;   // of a thread's stack in bytes: 0 (none) or 4..16
    logic [31:12] stack_base;
  } desc_t;

  typedef struct packed {
    logic valid;
    logic [KernelW-1:0] kernel;
    logic [TbW-1:0] tb;
    logic [SubW-1:0] first;
    logic [GranW-1:0] base;
    logic [2:0][15:0] block;
    logic [31:0] linear;
    tb_op_e op;
    logic [3:0] image;
    logic fresh;
    logic [TicketW-1:0] ticket;
  } dispatch_t;

  typedef struct packed {
    logic valid;
    logic [TbW-1:0] tb;
    logic saved;  // its state lies in an image
  } retire_t;

  typedef struct packed {
    logic [4:0] cause;
    logic [31:0] pc;
    logic [9:0] tid;
    logic [31:0] block;
    logic [31:0] value;
  } fault_t;

  // Parameters of the policies with groups or an active set, directly from the control registers
  // (docs/qaws.md, R-PO-8).
  typedef struct packed {
    logic [NumKernels-1:0][7:0] budget;
    logic [NumKernels-1:0][NumKernels-1:0] above;  // of qsm_budget_order
    logic [NumKernels-1:0]      restart;       // pulse: the cycle after a write
    logic [4:0]                 active_warps;
  } policy_param_t;

  typedef struct packed {  // front of QAWS in a sub-core (R-QW-9)
    logic valid;
    logic [7:0] budget;
    logic [7:0] ncs;
  } qaws_front_t;

  // ---- preemption, as the control port sees it (docs/control_port.md) ----

  typedef struct packed {  // the host's request, in the cycle of its write
    logic valid;
    logic [SmW-1:0] sm;
    logic [KernelW-1:0] kernel;
    logic [TbW-1:0] tb;
    logic by_slot;
    technique_e technique;
  } preempt_req_t;

  typedef struct packed {  // PREEMPT_STATUS
    preempt_code_e code;
    logic [TbW-1:0] tb;
    logic [3:0] image;
    logic [SmW-1:0] sm;
  } preempt_status_t;

  typedef struct packed {  // SMSEL_JOB, but for the phase, which the SM shows
    logic [2:0] kind;
    logic [KernelW-1:0] kernel;
    logic [TbW-1:0] tb;
    logic [3:0] image;
    logic [2:0] result;
  } job_t;

  typedef struct packed {  // SAVED, 0..NumImages each
    logic [4:0] images;
    logic [4:0] queued;
  } saved_t;

  // ---- SM ownership (docs/sm_owner.md) ----

  typedef struct packed {  // an SM gets another use, R-SO-1
    logic valid;
    logic [SmW-1:0] sm;
    sm_use_e usage;
    logic [KernelW-1:0] owner;
  } sm_request_t;

  typedef struct packed {  // SMSEL_OWNER
    sm_power_e power;
    logic [KernelW-1:0] next_owner;
    sm_use_e next_usage;
    logic moving;
    logic [KernelW-1:0] owner;
    sm_use_e usage;
  } sm_owner_t;

  typedef struct packed {  // SM_RECORD
    eval_e eval;
    logic lower;
    logic upper;
    logic [6:0] opt;
    logic [6:0] count;
  } sm_record_t;

  typedef struct packed {  // what the TB scheduler shows
    logic [NumKernels-1:0] busy;
    logic [NumKernels-1:0] killed;
    logic [NumKernels-1:0] yielded;
    logic [NumKernels-1:0][2:0][15:0] walk_block;      // [0] = x
    logic [NumKernels-1:0][31:0] walk_linear;
    logic [NumKernels-1:0] ended;                      // pulse: last busy cycle
    logic [NumKernels-1:0][31:0] launches;
    logic [NumKernels-1:0] faulted;                    // killed by a fault, not by the host
    logic [NumKernels-1:0][SmW-1:0] fault_sm;          // which SM has its record, while faulted
    logic [NumKernels-1:0] had_tb;                     // had a block since the last E
    logic [NumSms-1:0][NumKernels-1:0][5:0] cnt;
    logic [NumSms-1:0][NumKernels-1:0][5:0] target;
    logic [NumSms-1:0][NumKernels-1:0][5:0] staying;   // cnt without those being saved (B8)
    logic alloc_busy;
    logic adjust_busy;
    preempt_status_t preempt;
    job_t [NumSms-1:0] job;
    saved_t [NumKernels-1:0] saved;
    sm_owner_t [NumSms-1:0] owner;
    logic [NumKernels-1:0] part;                       // valid and active, R-TB-14
  } tb_status_t;

  typedef struct packed {
    logic valid;
    logic [KernelW-1:0] kernel;
    logic [30:0] quota;
    logic [30:0] credit;
  } quota_word_t;

  typedef struct packed {  // what deadlines.md needs: pulses, of one slot in a cycle
    logic [NumKernels-1:0] arrival;
    logic [NumKernels-1:0] launch;
    logic [NumKernels-1:0] deadline;
    logic [NumKernels-1:0] work;
    logic [31:0] data;               // what is written to these two
  } due_write_t;

  typedef struct packed {
    logic valid;
    scheme_e scheme;
    logic [NumKernels-1:0] keep;  // kernels without a block where they have quotas keep their rest
  } quota_load_t;

  typedef struct packed {  // what the QoS manager shows
    logic busy;
    logic [31:0] epoch_count;
    logic [31:0] epoch_e_lo;
    logic [NumKernels-1:0][47:0] insn;    // history: thread instructions, cycles
    logic [NumKernels-1:0][47:0] cycles;
    logic [NumKernels-1:0][30:0] epoch_insn;
    logic [NumKernels-1:0][30:0] epoch_quota;
    logic [NumKernels-1:0][21:0] alpha;   // Q6.16
    logic [NumKernels-1:0][21:0] ratio;   // goal / IPC of the history, Q6.16
  } qos_status_t;

  typedef struct packed {
    logic valid;
    mem_type_e kind;
    amo_e amo;
    logic [31:0] addr;  // multiple of LineBytes
    bytes_t bytes;
    lanes_t data;
    logic [TagW-1:0] tag;
    logic [KernelW-1:0] slot;
  } mem_req_t;

  typedef struct packed {
    logic valid;
    logic [TagW-1:0] tag;
    lanes_t data;
  } mem_rsp_t;

  // ---- boundary of an SM (docs/sm.md): besides these, launches and memory port ----

  typedef struct packed {  // direct from the GPU level (R-GEN-3), the same for all SMs
    logic [63:0] cycle;
    policy_e policy;
    policy_param_t policy_param;
    logic [NumKernels-1:0] qos;
    logic [NumKernels-1:0] skip_l1;    // CACHE_POLICY bit 0
    logic [NumKernels-1:0][SplitW-1:0] mem_split;
    logic [19:0] epoch_len;
    logic [15:0] wake_lat;
    logic [30:0] first_quota;          // of the kernel of the dispatch message that is seen
    logic [31:12] save_base;           // likewise
    // which figure is shown where an SM shows one of many
    logic [KernelW-1:0] fault_kernel;
    logic [KernelW-1:0] front_kernel;
    logic [SubW-1:0] stall_sub;
    logic [KernelW-1:0] stall_kernel;
    logic [2:0] stall_reason;
    logic [KernelW-1:0] l1_slot;
    logic [2:0] l1_counter;
    logic [KernelW-1:0] energy_slot;
    energy_event_e energy_event;
  } sm_direct_t;

  typedef struct packed {  // messages that all SMs get
    logic [NumKernels-1:0] start;
    logic [NumKernels-1:0] kill;
    logic icache_inv;
    logic tick;
    logic sample;
    quota_load_t quota_load;
  } sm_broadcast_t;

  typedef struct packed {  // power, to an SM (R-SO-6, R-SO-7)
    logic wake;
    logic gate;
  } power_order_t;

  typedef struct packed {  // and its answer (R-PG-2, R-PG-4)
    logic on;
    logic off;
  } power_answer_t;

  typedef struct packed {  // messages to an SM, in the cycle in which they are seen
    sm_broadcast_t broadcast;
    dispatch_t dispatch;
    quota_word_t quota_word;
    power_order_t power;
  } to_sm_t;

  typedef struct packed {  // messages from an SM, in the cycle in which they are sent
    retire_t retire;
    logic restored;
    logic [NumKernels-1:0] fault;
    logic [NumKernels-1:0] fence;  // a sub-core issues a device fence of the slot (R-SA-14)
    power_answer_t power;
  } from_sm_t;

  // Figures of an SM, direct to the GPU level. A new one is a field here, which qsm_sm sets and
  // who needs it reads; a register shows it by naming it (`figure` in qsm_regs.rdl).
  typedef struct packed {
    fault_t fault_record;                // of fault_kernel
    logic [NumKernels-1:0] snap_spent;
    logic [NumKernels-1:0][31:0] snap_c;
    logic [NumKernels-1:0][31:0] snap_insn;
    logic [NumKernels-1:0][30:0] quota;
    logic [NumKernels-1:0][12:0] snap_idle;
    logic [31:0] stall_value;
    logic [31:0] l1_value;
    logic [31:0] energy_value;
    qaws_front_t [NumSched-1:0] qaws_front;
    logic [3:0] save_phase;
    logic [4:0] fault_cause;             // of front_kernel, for the front end
    logic [39:0] insn;                   // likewise (R-IS-7)
  } sm_figures_t;

  typedef struct packed {  // MEM_SELECT: a counter of an L2 slice, a memory controller, an L1 or a
                           // shader array's cache
    logic [ChanW-1:0] channel;  // of the latter a bank
    logic [KernelW-1:0] slot;
    logic [4:0] counter;  // from 16 on of the selected SM's L1, from 24 on of its array
  } mem_select_t;

  typedef struct packed {  // L2_FLUSH is written: from which to which unit of sets
    logic valid;
    logic [L2UnitW-1:0] first;
    logic [L2UnitW-1:0] last;
  } l2_flush_t;

  // Memory port of a channel: the same with the SM in the tag.
  typedef struct packed {
    logic valid;
    mem_type_e kind;
    amo_e amo;
    logic [31:0] addr;
    bytes_t bytes;
    lanes_t data;
    logic [PortSmW-1:0] sm;
    logic [PortTagW-1:0] tag;
    logic [KernelW-1:0] slot;
  } port_req_t;

  typedef struct packed {
    logic valid;
    logic [PortSmW-1:0] sm;
    logic [PortTagW-1:0] tag;
    lanes_t data;
  } port_rsp_t;

  typedef struct packed {
    logic valid;
    logic we;
    logic [19:0] addr;
    logic [31:0] wdata;
  } ctl_req_t;

  typedef struct packed {
    logic err;
    logic [31:0] rdata;
  } ctl_rsp_t;

  // What is known of an access as one of a slot's register, without any other register: there is
  // such a register; it may be written; with this value; only while the slot is idle; only while
  // the manager does not compute; it is LAUNCH, KILL or YIELD, BUDGET, WARP_CAP, MEM_SPLIT, which
  // need more.
  typedef struct packed {
    logic known;
    logic writable;
    logic value_ok;
    logic idle;
    logic quiet;
    logic launch;
    logic ends;
    logic budget;
    logic cap;
    logic split;
  } slot_rules_t;

  // Control port, AXI4-Lite (docs/control_port.md); protection bits mean nothing here.
  typedef struct packed {
    logic [19:0] awaddr;
    logic        awvalid;
    logic [31:0] wdata;
    logic [3:0]  wstrb;
    logic        wvalid;
    logic        bready;
    logic [19:0] araddr;
    logic        arvalid;
    logic        rready;
  } axil_req_t;

  typedef struct packed {
    logic        awready;
    logic        wready;
    logic [1:0]  bresp;
    logic        bvalid;
    logic        arready;
    logic [31:0] rdata;
    logic [1:0]  rresp;
    logic        rvalid;
  } axil_rsp_t;

  // ---- front end (docs/front.md) ----

  typedef struct packed {  // what its registers show
    logic [95:0] irq;
    logic [95:0] snap_busy;
    logic [63:0] snap_cycle;
    logic snap_runs;
    logic [7:0] snap_channel;
    logic snap_copying;
    logic [7:0] snap_copy_channel;
    logic [NumKernels-1:0] runs;
    logic [NumKernels-1:0] bound;
    logic [NumKernels-1:0][7:0] owner;
  } front_figures_t;

  typedef struct packed {  // for the DMA engine (docs/dma.md), without the split
    logic fill;
    logic [31:0] src;
    logic [31:0] dst;
    logic [31:0] bytes;
    logic [31:0] pattern;
    logic link;
  } front_job_t;

  typedef struct packed {  // of a command channel
    logic resumes;
    logic busy;
    logic pending;
    logic stopped;
    logic clean;  // enabled, and its row was cleared since; so fresh is enabled without it
    logic [1:0] level;  // priority
    logic held;
    logic suspended;
    logic enabled;
  } front_flags_t;

  // Steps of START, behind the descriptor's words, where a launch goes on, and its shape: own
  // settings (R-FR-28), then the start.
  localparam logic [4:0] FrontStepMask = 5'd15, FrontStepPolicy = 5'd18, FrontStepIrq = 5'd19,
      FrontStepLaunch = 5'd20;

  typedef struct packed {  // what the sequencer has done at the end of a cycle
    logic cleared;   // the channel's row is 0
    logic empty;     // the channel has no command
    logic waits;     // its command cannot be done yet
    logic wake;      // nobody waits any more
    logic stopped;   // the channel is
    logic advanced;  // the channel's GET is that of its next command
    logic later;     // likewise, and the command ends later
    logic finished;  // a command with an interrupt is done
    logic turn;      // the channel had its turn
    logic settled;   // the slot's registers are those of the channel's context
    logic unbound;   // the slot is
    logic bound;     // likewise, to the channel
    logic launched;  // its launch has begun
    logic ended;     // a launch that has ended is accounted for
    logic yielded;   // likewise, and it shall go on
    logic asked;     // the launch of the slot is asked to yield
    logic given;     // the DMA engine has a job of the channel
    logic copied;    // a job that has ended is accounted for
  } front_done_t;

  // ---- inside an SM ----

  // State of a thread block in the SM, one per TB slot (sm.md). The index of the block is stored
  // where it is used (qsm_tb_ram).
  typedef struct packed {
    logic [KernelW-1:0] kernel;
    logic [GranW-1:0] base;
  } tb_info_t;

  // index of a thread block, for the RAMs that store it per TB slot: sent when the block arrives,
  // or read from its image
  typedef struct packed {
    logic valid;
    logic [TbW-1:0] tb;
    logic [TicketW-1:0] ticket;
    logic [2:0][15:0] block;
    logic [31:0] linear;
  } tb_index_t;

  typedef struct packed {  // SM to sub-core, R-WS-1
    logic valid;
    logic [KernelW-1:0] kernel;
    logic [TbW-1:0] tb;
    logic [WidxW-1:0] widx;
    mask_t live;
    logic restored;  // its split comes from an image
  } warp_start_t;

  typedef struct packed {  // sub-core to SM: arrivals (R-WS-4), finishes (R-WS-10)
    logic valid;
    logic [TbW-1:0] tb;
  } tb_event_t;

  // sub-core to quota counters, R-IS-5, and energy counters, R-EN-1, in the cycle after the issue
  typedef struct packed {
    logic valid;
    logic [KernelW-1:0] kernel;
    logic [LanesW-1:0] lanes;
    logic device_fence;      // it is one: to the L1, R-L1-11
    logic away;              // it counts as away from now on (R-PA-19)
    class_e cls;             // what follows is 0 without energy counters
    logic [1:0] operands;    // registers other than x0 that it reads
    logic writes;            // it writes one
  } issue_event_t;

  typedef struct packed {  // LSU to energy counters: a pass that counts, R-EN-1
    logic valid;
    logic shared;            // its kind: shared, else device
    logic [KernelW-1:0] kernel;
    logic [LanesW-1:0] lanes;
  } pass_event_t;

  typedef struct packed {  // fault raised in this cycle by a sub-core or the LSU, R-SM-6
    logic valid;
    logic [KernelW-1:0] kernel;
    fault_t record;
  } fault_event_t;

  typedef struct packed {  // what a warp is from its start on
    logic [KernelW-1:0] kernel;
    logic [TbW-1:0] tb;
    logic [WidxW-1:0] widx;
  } who_t;

  // Entry of a sub-core's memory queue, R-EX-4, beside its warp's who_t
  typedef struct packed {
    logic [WarpW-1:0] warp;
    logic injected;        // R-PE-16; 0 without energy counters
    logic away;            // it counts as away (R-PA-19)
    logic [31:0] pc;
    logic [31:0] instr;
    mask_t mask;
    logic [SbW-1:0] entry;
    lanes_t addr;
    lanes_t data;
  } mem_op_t;

  typedef struct packed {  // LSU to scoreboard: parts of a memory instruction, R-SB-3
    logic part;            // +1
    logic last;            // all_sent := 1
    logic [SubW-1:0] sub;
    logic [WarpW-1:0] warp;
    logic [SbW-1:0] entry;
  } sb_pass_t;

  typedef struct packed {  // LSU to qsm_share: of what counts as away, R-PA-19
    logic finish;          // C finishes an instruction
    logic take;            // a transaction is taken
    logic serve;           // a response is served
  } away_event_t;

  typedef struct packed {  // LSU to scoreboard: store acknowledged, -1
    logic valid;
    logic [SubW-1:0] sub;
    logic [WarpW-1:0] warp;
    logic [SbW-1:0] entry;
  } sb_ack_t;

  typedef struct packed {  // LSU to a sub-core's result queue, R-LS-12
    logic valid;
    logic [WarpW-1:0] warp;
    logic [4:0] rd;
    mask_t mask;
    logic [SbW-1:0] entry;
    lanes_t data;
  } mem_result_t;

  // ---- saving and restoring a thread block (preemption.md) ----

  typedef struct packed {  // the one slot of the SM that is saved, flushed or restored, R-PE-12
    logic valid;
    logic [TbW-1:0] tb;
    logic [KernelW-1:0] kernel;
  } freeze_t;

  // save sequencer to sub-cores, R-PE-16, in the cycle in which it chooses a step
  typedef struct packed {
    logic keep;            // at its end the slot of this warp is that of the step
    logic [WidxW-1:0] widx;
  } step_find_t;

  typedef struct packed {  // the step that waits to issue in this sub-core, from registers
    logic valid;
    logic whole;           // its operands are there
    logic asks;            // for the lane store, R-WS-8
    step_e kind;
    logic [4:0] xreg;      // 31 of JMP
  } step_t;

  // what the step's lane has in the lane store
  typedef struct packed {
    logic given;           // in this cycle
    logic [31:2] pc;
    logic [DepthW-1:0] depth;
  } step_lane_t;

  // its instruction and operands, from registers: in the cycle in which it issues and in the next
  typedef struct packed {
    step_e kind;
    logic [4:0] xreg;
    logic path_pc;         // SET: the value is the pc of the warp's split, the mask is the split's
    logic path_depth;      // SET: so is the mask, and the split's depth is added to the value
    logic [31:0] pc;
    mask_t mask;
  } step_op_t;

  // sub-core to save sequencer, at the start of the cycle
  typedef struct packed {
    logic found;           // the warp of step_find_t is resident
    // of the step's warp
    logic empty;           // its scoreboard
    logic split_valid;
    mask_t live;
    mask_t bar;
  } step_warp_t;

  typedef struct packed {  // sub-core to sequencer: lane 0 of a write to a register of that warp
    logic valid;
    logic [4:0] xreg;
    logic [31:0] word;
  } step_word_t;

  // ---- inside a sub-core (subcore.md, warp_state.md) ----

  typedef enum logic [3:0] {
    AluAdd = 4'b0000, AluSub = 4'b1000, AluSll = 4'b0001, AluSlt = 4'b0010, AluSltu = 4'b0011,
    AluXor = 4'b0100, AluSrl = 4'b0101, AluSra = 4'b1101, AluOr = 4'b0110, AluAnd = 4'b0111,
    AluNone = 4'b1010,   // result 0
    AluTarget = 4'b1001  // result 0, the sum is a jump's target
  } alu_e;  // bit 30 and funct3 of OP, but for the last two

  typedef enum logic [2:0] {
    CtlFault = 3'd0, CtlBranch = 3'd1, CtlJal = 3'd2, CtlJalr = 3'd3, CtlBar = 3'd4, CtlExit = 3'd5,
        CtlNext = 3'd6
  // effect of a ctl instruction on the split; CtlNext: the split ends at its reconvergence point
  } ctl_e;

  typedef enum logic [2:0] {
    CommonNone = 3'd0, CommonImm = 3'd1, CommonTarget = 3'd2, CommonLink = 3'd3, CommonCsr = 3'd4
  } common_e;  // what is the same in all lanes of a result: imm, pc + imm, pc + 4, the CSR

  // ---- floating point (fpu.md) ----

  typedef enum logic [3:0] {
    // class ALU
    FpNone = 4'd0, FpSgnj = 4'd1, FpMinMax = 4'd2, FpCompare = 4'd3, FpClass = 4'd4,
    // FMA; DIV
    FpAdd = 4'd5, FpMul = 4'd6, FpFused = 4'd7, FpToInt = 4'd8, FpFromInt = 4'd9, FpDiv = 4'd10,
        FpSqrt = 4'd11
  } fp_e;

  typedef enum logic [2:0] { RmNearEven = 3'd0, RmZero = 3'd1, RmDown = 3'd2, RmUp = 3'd3,
      RmNearAway = 3'd4 } rm_e;

  typedef struct packed {
    fp_e op;
    rm_e rm;
    logic negate_p;     // product
    logic negate_c;     // addend
    logic is_unsigned;  // the integer of a conversion
  } fp_t;

  localparam logic [31:0] FpNan = 32'h7FC0_0000;

  typedef struct packed {
    logic nan;
    logic inf;
    logic zero;
    logic tiny;   // subnormal or zero
  } fp_kind_t;

  function automatic fp_kind_t fp_kind(input logic [30:0] x);
    return '{nan: x[30:23] == '1 && x[22:0] != '0, inf: x[30:23] == '1 && x[22:0] == '0,
        zero: x == '0, tiny: x[30:23] == '0};
  endfunction

  // subnormals have that of the least normals
  function automatic logic [7:0] fp_exponent(input logic [7:0] field);
    return (field == '0) ? 8'd1 : field;
  endfunction

  function automatic logic [23:0] fp_significand(input logic [30:0] x);
    return {x[30:23] != '0, x[22:0]};
  endfunction

  // ---- decoded instructions ----

  typedef struct packed {  // of qsm_decode
    class_e cls;
    ctl_e ctl;             // CtlNext unless cls = ClsCtl
    logic [4:0] cause;     // of CtlFault
    logic fence;
    alu_e alu;
    common_e common;
    logic opb_imm;         // second operand is imm, else rs2
    logic [31:0] imm;
    fp_t fp;
    logic [2:0] reads;     // rs1, rs2, rs3 name a register
    logic [4:0] rs1;       // 0 if not read
    logic [4:0] rs2;
    logic [4:0] rs3;
    logic [4:0] rd;        // 0 if none is written
  } dec_t;

  typedef struct packed {  // of a word in the instruction cache, kept beside it (qsm_predecode)
    logic ctl;                     // of class CTL, MEM, DIV
    logic mem;
    logic div;
    logic writes;                  // rd names a register that it writes, not x0
    logic late_or_fence;           // if it writes, of class FMA, else a fence
    logic [NumSources-1:0] reads;  // rs1, rs2, rs3 name a register
  } kind_t;
  typedef kind_t [WarpSize-1:0] kinds_t;  // of the words of a line

  typedef struct packed {  // what issue needs to know of a buffered word
    logic ctl;             // last word of its split
    logic mem;             // class MEM, DIV
    logic div;
    logic writes;          // rd is not 0
    logic late_or_fence;   // as in kind_t
    logic [NumSources-1:0][4:0] rs;
    logic [4:0] rd;
  } pre_t;

  typedef struct packed {  // what issue keeps of a warp's head: pre_t and what follows from it
    pre_t pre;
    logic fence;
    logic needs_entry;       // R-SB-1
    logic writes_fixed;      // uses the write port of R-WB-1, and as an FMA instruction
    logic writes_late;
  } head_t;

  // Words that become the head of their warp or the one behind it: the registers that they name,
  // rd first.
  typedef struct packed {
    // By warp, one-hot: a pushed word is its head from now on; one is the word behind the head,
    // with `two` the second of two, else the first.
    logic [WarpsPerSched-1:0] first;
    logic [WarpsPerSched-1:0] second;
    logic two;
    logic [WarpW-1:0] warp;               // the warp that is pushed to
    logic [1:0][NumSources:0][4:0] pushed;
    logic [4:0] head_rd;                  // of the head that this warp has
    logic behind;                         // a warp's head issued in the cycle before: the word
    logic [WarpW-1:0] behind_warp;        // behind its new head, and that head's rd
    logic [NumSources:0][4:0] behind_regs;
    logic [4:0] behind_head_rd;
  } new_words_t;

  typedef struct packed {  // word in the instruction buffer, besides pre_t
    logic ctl;
    logic ifault;
    logic [31:0] instr;
  } word_t;

  typedef struct packed {
    logic [31:0] pc;
    logic [DepthW-1:0] depth;
    mask_t mask;
  } split_t;

  // The path of a step's instruction, given that of its warp (R-PE-16).
  // verilator lint_off UNUSEDSIGNAL
  function automatic split_t step_path(step_op_t op, split_t path);
  // verilator lint_on UNUSEDSIGNAL
    step_path = '{pc: op.pc, depth: '0, mask: (op.path_pc || op.path_depth) ? path.mask : op.mask};
    if (op.path_pc) step_path.pc |= path.pc;
    if (op.path_depth) step_path.pc |= 32'(path.depth);
  endfunction

  typedef struct packed {  // an issued instruction on its way through RR, EX1, EX2
    logic [WarpW-1:0] warp;
    logic [KernelW-1:0] kernel;
    logic [TbW-1:0] tb;
    logic [WidxW-1:0] widx;
    split_t split;
    word_t word;
    logic injected;  // a step of the SM's sequencer, R-PE-16
    logic has_entry;
    logic [SbW-1:0] entry;
  } op_t;

  typedef struct packed {  // EX2 to warp state, R-WS-2
    logic valid;
    logic [WarpW-1:0] warp;
    logic [TbW-1:0] tb;
    mask_t mask;
    logic selects;   // a split selection follows in any case
    mask_t exits;
    mask_t bars;
    lanes_t next_pc;
    logic [31:0] lead_pc;  // of the lowest lane of the mask
    logic [WarpSize-1:0][DepthW-1:0] next_depth;
  } resolve_t;

  typedef struct packed {  // a result on its way to the register file
    logic valid;
    logic [WarpW-1:0] warp;
    logic [4:0] rd;
    mask_t mask;
    lanes_t data;
  } wb_t;

  typedef struct packed {  // release of a scoreboard entry, or return of one part, R-SB-3
    logic valid;
    logic [WarpW-1:0] warp;
    logic [SbW-1:0] entry;
  } sb_done_t;

  // ---- inside the load/store unit ----

  typedef struct packed {  // instruction in C: classified and decoded (lsu.md)
    logic [SubW-1:0] sub;
    logic [WarpW-1:0] warp;
    logic [KernelW-1:0] kernel;
    logic [WidxW-1:0] widx;
    logic injected;
    logic away;
    logic [31:0] pc;
    logic [SbW-1:0] entry;
    mem_type_e kind;
    amo_e amo;
    logic [2:0] funct3;
    logic [4:0] rd;
    mask_t mask;         // active lanes
    mask_t misaligned;
    mask_t overflow;     // of the stack
    mask_t access;       // no window, or too far: with the two above, lanes that fault
    logic [WarpSize-1:0][RowW-1:0] row;  // row of the banks, where shared
    lanes_t addr;
    lanes_t data;
  } lsu_op_t;

  typedef struct packed {  // state that a pass stores for its return
    logic store;
    logic away;
    logic [SubW-1:0] sub;
    logic [WarpW-1:0] warp;
    logic [SbW-1:0] entry;
    logic [2:0] funct3;
    logic [4:0] rd;
    mask_t mask;                             // lanes of the pass
    // byte offset of each lane in the line, or in the row of banks
    logic [WarpSize-1:0][LineOffW-1:0] offs;
  } lsu_part_t;

  // Control of an atomic unit. Decoded before the register, so that each result bit depends on few
  // inputs.
  typedef struct packed {
    logic add;        // the old word is added to `bits`
    logic [1:0] bits; // 0 operand, 1 xor, 2 and, 3 or
    logic min;
    logic max;
    logic is_signed;
  } amo_control_t;

  function automatic amo_control_t amo_control(input amo_e amo);
    return '{add: amo == AmoAdd, bits: {amo inside {AmoAnd, AmoOr}, amo inside {AmoXor, AmoOr}},
             min: amo inside {AmoMin, AmoMinu}, max: amo inside {AmoMax, AmoMaxu}, is_signed: amo
                 inside {AmoMin, AmoMax}};
  endfunction

  // Bytes of its aligned word that a lane's access of 2**size bytes covers, and its data at every
  // such place.
  function automatic logic [3:0] lane_strobe(input logic [1:0] offset, input logic [1:0] size);
    unique case (size)
      2'd0:    return 4'b0001 << offset;
      2'd1:    return offset[1] ? 4'b1100 : 4'b0011;
      default: return 4'b1111;
    endcase
  endfunction

  function automatic logic [31:0] lane_word(input logic [31:0] data, input logic [1:0] size);
    logic [7:0] second;
    second = (size == 2'd0) ? data[7:0] : data[15:8];
    return {size[1] ? data[31:16] : {second, data[7:0]}, second, data[7:0]};
  endfunction

  // What a load of funct3 makes of the aligned word at its address (R-LS-12). A word's offset is 0.
  function automatic logic [31:0] load_value(input logic [31:0] word, input logic [1:0] offset,
      input logic [2:0] funct3);
    logic [15:0] half;
    logic [7:0]  low;
    logic        is_byte, sign;
    half    = offset[1] ? word[31:16] : word[15:0];
    low     = offset[0] ? half[15:8] : half[7:0];
    is_byte = funct3[1:0] == 2'd0;
    sign    = !funct3[2] && (is_byte ? low[7] : half[15]);
    return {funct3[1] ? word[31:16] : {16{sign}}, is_byte ? {8{sign}} : half[15:8], low};
  endfunction
endpackage

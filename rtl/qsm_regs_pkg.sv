// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_regs.rdl by `make registers`; do not edit. Meaning: docs/registers.md.
package qsm_regs_pkg;
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;

  // GPU registers.
  localparam logic [19:0] RegId = 20'h00000;
  localparam logic [19:0] RegConfig0 = 20'h00004;
  localparam logic [19:0] RegConfig1 = 20'h00008;
  localparam logic [19:0] RegConfig2 = 20'h0000C;
  localparam logic [19:0] RegCycleLo = 20'h00010;
  localparam logic [19:0] RegCycleHi = 20'h00014;
  localparam logic [19:0] RegIrq = 20'h00018;
  localparam logic [19:0] RegIcacheInv = 20'h0001C;
  localparam logic [19:0] RegPolicy = 20'h00020;
  localparam logic [19:0] RegScheme = 20'h00024;
  localparam logic [19:0] RegEpochLen = 20'h00028;
  localparam logic [19:0] RegAlphaCap = 20'h0002C;
  localparam logic [19:0] RegRolloverCap = 20'h00030;
  localparam logic [19:0] RegQuotaRules = 20'h00034;
  localparam logic [19:0] RegEpochCount = 20'h00038;
  localparam logic [19:0] RegEpochELo = 20'h0003C;
  localparam logic [19:0] RegSmSelect = 20'h00040;
  localparam logic [19:0] RegAllocBusy = 20'h00044;
  localparam logic [19:0] RegStallSelect = 20'h00048;
  localparam logic [19:0] RegStallValue = 20'h0004C;
  localparam logic [19:0] RegMgrBusy = 20'h00050;
  localparam logic [19:0] RegActiveWarps = 20'h00054;
  localparam logic [19:0] RegAdjust = 20'h00058;
  localparam logic [19:0] RegAdjustTechnique = 20'h0005C;
  localparam logic [19:0] RegPreempt = 20'h00060;
  localparam logic [19:0] RegPreemptStatus = 20'h00064;
  localparam logic [19:0] RegAdjustBusy = 20'h00068;
  localparam logic [19:0] RegSmselJob = 20'h0006C;
  localparam logic [19:0] RegConfig3 = 20'h00070;
  localparam logic [19:0] RegNonqosQuota = 20'h00074;
  localparam logic [19:0] RegMemSelect = 20'h00078;
  localparam logic [19:0] RegMemValue = 20'h0007C;
  localparam logic [19:0] RegL2Flush = 20'h00080;
  localparam logic [19:0] RegLatecomers = 20'h00084;
  localparam logic [19:0] RegSmMove = 20'h00088;
  localparam logic [19:0] RegMoveTechnique = 20'h0008C;
  localparam logic [19:0] RegSmGating = 20'h00090;
  localparam logic [19:0] RegWakeLat = 20'h00094;
  localparam logic [19:0] RegSmThreshold = 20'h00098;
  localparam logic [19:0] RegSmStep = 20'h0009C;
  localparam logic [19:0] RegMoves = 20'h000A0;
  localparam logic [19:0] RegMoveCyclesLo = 20'h000A4;
  localparam logic [19:0] RegMoveCyclesHi = 20'h000A8;
  localparam logic [19:0] RegGatedCyclesLo = 20'h000AC;
  localparam logic [19:0] RegGatedCyclesHi = 20'h000B0;
  localparam logic [19:0] RegSmselOwner = 20'h000B4;
  localparam logic [19:0] RegEnergySelect = 20'h000B8;
  localparam logic [19:0] RegEnergyValue = 20'h000BC;
  localparam logic [19:0] RegSharedCyclesLo = 20'h000C0;
  localparam logic [19:0] RegSharedCyclesHi = 20'h000C4;
  localparam logic [19:0] RegWakes = 20'h000C8;
  localparam logic [19:0] RegFrontMode = 20'h000CC;
  localparam logic [19:0] RegFrontSlots = 20'h000D0;
  localparam logic [19:0] RegFrontIrq0 = 20'h000D4;
  localparam logic [19:0] RegFrontIrq1 = 20'h000D8;
  localparam logic [19:0] RegFrontIrq2 = 20'h000DC;
  localparam logic [19:0] RegFrontSnap = 20'h000E0;
  localparam logic [19:0] RegSnapEngine = 20'h000E4;
  localparam logic [19:0] RegSnapCycleLo = 20'h000E8;
  localparam logic [19:0] RegSnapCycleHi = 20'h000EC;
  localparam logic [19:0] RegSnapBusy0 = 20'h000F0;
  localparam logic [19:0] RegSnapBusy1 = 20'h000F4;
  localparam logic [19:0] RegSnapBusy2 = 20'h000F8;
  localparam logic [19:0] RegLinkInterval = 20'h000FC;
  localparam logic [19:0] RegSmselIdle = 20'h00200;  // + 4 * k
  localparam logic [19:0] RegSmselFront = 20'h00240;  // + 4 * k

  // State of the selected SM for one slot: SmselBase + k * SmselStride + register.
  localparam logic [19:0] SmselBase = 20'h00100;
  localparam logic [19:0] SmselStride = 20'h00010;
  localparam logic [19:0] SmselC = 20'h00000;
  localparam logic [19:0] SmselInsn = 20'h00004;
  localparam logic [19:0] SmselQuota = 20'h00008;
  localparam logic [19:0] SmselTbs = 20'h0000C;

  // Kernel slot: SlotBase + k * SlotStride + register.
  localparam logic [19:0] SlotBase = 20'h01000;
  localparam logic [19:0] SlotStride = 20'h00100;
  localparam logic [19:0] SlotCtx = 20'h00000;
  localparam logic [19:0] SlotGoal = 20'h00004;
  localparam logic [19:0] SlotFirstQuota = 20'h00008;
  localparam logic [19:0] SlotSmMaskLo = 20'h0000C;
  localparam logic [19:0] SlotSmMaskHi = 20'h00010;
  localparam logic [19:0] SlotWin0Base = 20'h00014;
  localparam logic [19:0] SlotWin0Limit = 20'h00018;
  localparam logic [19:0] SlotWin0Rights = 20'h0001C;
  localparam logic [19:0] SlotWin1Base = 20'h00020;
  localparam logic [19:0] SlotWin1Limit = 20'h00024;
  localparam logic [19:0] SlotWin1Rights = 20'h00028;
  localparam logic [19:0] SlotEntry = 20'h0002C;
  localparam logic [19:0] SlotArg = 20'h00030;
  localparam logic [19:0] SlotGridX = 20'h00034;
  localparam logic [19:0] SlotGridY = 20'h00038;
  localparam logic [19:0] SlotGridZ = 20'h0003C;
  localparam logic [19:0] SlotBlockX = 20'h00040;
  localparam logic [19:0] SlotBlockY = 20'h00044;
  localparam logic [19:0] SlotBlockZ = 20'h00048;
  localparam logic [19:0] SlotBlockThreads = 20'h0004C;
  localparam logic [19:0] SlotShared = 20'h00050;
  localparam logic [19:0] SlotBlockWarps = 20'h00054;
  localparam logic [19:0] SlotSharedGran = 20'h00058;
  localparam logic [19:0] SlotLaunch = 20'h0005C;
  localparam logic [19:0] SlotStatus = 20'h00060;
  localparam logic [19:0] SlotFaultCause = 20'h00064;
  localparam logic [19:0] SlotFaultPc = 20'h00068;
  localparam logic [19:0] SlotFaultTid = 20'h0006C;
  localparam logic [19:0] SlotFaultBlock = 20'h00070;
  localparam logic [19:0] SlotFaultValue = 20'h00074;
  localparam logic [19:0] SlotLaunches = 20'h00078;
  localparam logic [19:0] SlotInsnLo = 20'h0007C;
  localparam logic [19:0] SlotInsnHi = 20'h00080;
  localparam logic [19:0] SlotHcycLo = 20'h00084;
  localparam logic [19:0] SlotHcycHi = 20'h00088;
  localparam logic [19:0] SlotHistClear = 20'h0008C;
  localparam logic [19:0] SlotEpochInsn = 20'h00090;
  localparam logic [19:0] SlotEpochQuota = 20'h00094;
  localparam logic [19:0] SlotAlpha = 20'h00098;
  localparam logic [19:0] SlotKill = 20'h0009C;
  localparam logic [19:0] SlotBudget = 20'h000A0;
  localparam logic [19:0] SlotIsoIpc = 20'h000A4;
  localparam logic [19:0] SlotSaveBase = 20'h000A8;
  localparam logic [19:0] SlotSaveLimit = 20'h000AC;
  localparam logic [19:0] SlotIdempotent = 20'h000B0;
  localparam logic [19:0] SlotPreemptHold = 20'h000B4;
  localparam logic [19:0] SlotSaved = 20'h000B8;
  localparam logic [19:0] SlotRatio = 20'h000BC;
  localparam logic [19:0] SlotCachePolicy = 20'h000C0;
  localparam logic [19:0] SlotSmMask2 = 20'h000C4;
  localparam logic [19:0] SlotStack = 20'h000C8;
  localparam logic [19:0] SlotSmCount = 20'h000CC;
  localparam logic [19:0] SlotSmRecord = 20'h000D0;
  localparam logic [19:0] SlotOwnedCyclesLo = 20'h000D4;
  localparam logic [19:0] SlotOwnedCyclesHi = 20'h000D8;
  localparam logic [19:0] SlotWarpCap = 20'h000DC;
  localparam logic [19:0] SlotMemSplit = 20'h000E0;
  localparam logic [19:0] SlotChannel = 20'h000E4;
  localparam logic [19:0] SlotYield = 20'h000E8;
  localparam logic [19:0] SlotWalkXy = 20'h000EC;
  localparam logic [19:0] SlotWalkZ = 20'h000F0;
  localparam logic [19:0] SlotWalkLinear = 20'h000F4;
  localparam logic [19:0] SlotDeadline = 20'h000F8;
  localparam logic [19:0] SlotWork = 20'h000FC;

  // Command channel, for the driver: ChBase + k * ChStride + register.
  localparam logic [19:0] ChBase = 20'h08000;
  localparam logic [19:0] ChStride = 20'h00040;
  localparam logic [19:0] ChCtrl = 20'h00000;
  localparam logic [19:0] ChRing = 20'h00004;
  localparam logic [19:0] ChContext = 20'h00008;
  localparam logic [19:0] ChBusyLo = 20'h0000C;
  localparam logic [19:0] ChBusyHi = 20'h00010;
  localparam logic [19:0] ChDone = 20'h00014;
  localparam logic [19:0] ChError = 20'h00018;
  localparam logic [19:0] ChLimit = 20'h0001C;
  localparam logic [19:0] ChSmLo = 20'h00020;
  localparam logic [19:0] ChSmHi = 20'h00024;
  localparam logic [19:0] ChInsnLo = 20'h00028;
  localparam logic [19:0] ChInsnHi = 20'h0002C;
  localparam logic [19:0] ChCopyLo = 20'h00030;
  localparam logic [19:0] ChCopyHi = 20'h00034;

  // Command channel, page of the tenant: PageBase + k * PageStride + register.
  localparam logic [19:0] PageBase = 20'h40000;
  localparam logic [19:0] PageStride = 20'h01000;
  localparam logic [19:0] PagePut = 20'h00000;
  localparam logic [19:0] PageGet = 20'h00004;
  localparam logic [19:0] PageState = 20'h00008;
  localparam logic [19:0] PageWhere = 20'h0000C;

  function automatic int unsigned least_of(input int unsigned a, input int unsigned b);
    return (a < b) ? a : b;
  endfunction

  // Bits of a number from 0 to `most`.
  function automatic int unsigned bits_of(input int unsigned most);
    return (most > 1) ? $clog2(most + 1) : 1;
  endfunction

  // value <= most, for a constant: as gates, which are a third of a carry chain.
  function automatic logic at_most(input logic [31:0] value, input logic [31:0] most);
    logic fits;
    fits = 1'b1;
    for (int unsigned b = 0; b < 32; b++)
      fits = most[b] ? (!value[b] || fits) : (!value[b] && fits);
    return fits;
  endfunction

  localparam int unsigned RegSmSelectW = bits_of(NumSms - 1);
  localparam int unsigned RegStallSelectSlotW = bits_of(NumKernels - 1);
  localparam int unsigned RegStallSelectSubcoreW = bits_of(NumSched - 1);
  localparam int unsigned RegMemSelectChannelW = bits_of(NumChannels - 1);
  localparam int unsigned RegMemSelectSlotW = bits_of(NumKernels - 1);
  localparam int unsigned RegSmGatingW = bits_of(PowerGating);
  localparam int unsigned RegEnergySelectSlotW = bits_of(NumKernels - 1);
  localparam int unsigned SlotBlockThreadsW = bits_of(least_of(1024, WarpsPerSm * WarpSize));
  localparam int unsigned SlotSharedW = bits_of(SharedBytes);
  localparam int unsigned SlotBlockWarpsW = bits_of(WarpsPerSm);
  localparam int unsigned SlotSmCountW = bits_of(NumSms);
  localparam int unsigned SlotWarpCapW = bits_of(WarpsPerSm);
  localparam int unsigned SlotMemSplitW = bits_of(least_of($clog2(NumChannels), PartitionBits));

  // GPU registers: registers, as blocks see them.
  typedef struct packed {
    struct packed {
      logic [NumKernels-1:0] ended;
    } irq;
    policy_e policy;
    scheme_e scheme;
    logic [19:0] epoch_len;
    logic [21:0] alpha_cap;
    logic [7:0] rollover_cap;
    struct packed {
      logic [2:0] margin;
      logic no_floor;
      logic pooled;
      logic all_cycles;
      logic carried;
      logic unfed;
      logic alpha_en;
    } quota_rules;
    logic [RegSmSelectW-1:0] sm_select;
    struct packed {
      logic [RegStallSelectSubcoreW-1:0] subcore;
      logic [RegStallSelectSlotW-1:0] slot;
      stall_e reason;
    } stall_select;
    logic [4:0] active_warps;
    logic adjust;
    technique_e adjust_technique;
    logic [3:0] nonqos_quota;
    struct packed {
      logic [4:0] counter;
      logic [RegMemSelectSlotW-1:0] slot;
      logic [RegMemSelectChannelW-1:0] channel;
    } mem_select;
    struct packed {
      logic on;
    } latecomers;
    technique_e move_technique;
    logic [RegSmGatingW-1:0] sm_gating;
    logic [15:0] wake_lat;
    logic [15:0] sm_threshold;
    logic [2:0] sm_step;
    struct packed {
      logic [RegEnergySelectSlotW-1:0] slot;
      energy_event_e what;
    } energy_select;
    struct packed {
      logic take_back;
      logic concurrent;
    } front_mode;
    logic [NumKernels-1:0] front_slots;
    logic [23:0] link_interval;
  } gpu_regs_t;

  // GPU registers: an accepted write in this cycle.
  typedef struct packed {
    logic icache_inv;
    logic policy;
    logic preempt;
    logic l2_flush;
    logic sm_move;
    logic front_irq0;
    logic front_irq1;
    logic front_irq2;
    logic front_snap;
  } gpu_writes_t;

  // GPU registers: values that other blocks have.
  typedef struct packed {
    logic [31:0] epoch_count;
    logic [31:0] epoch_e_lo;
    logic alloc_busy;
    logic mgr_busy;
    struct packed {
      logic [idx_w(NumSms)-1:0] sm;
      logic [3:0] image;
      logic [idx_w(MaxTbs)-1:0] tb;
      preempt_code_e code;
    } preempt_status;
    logic adjust_busy;
    logic l2_flush;
    logic [31:0] moves;
    logic [47:0] move_cycles;
    logic [47:0] gated_cycles;
    logic [47:0] shared_cycles;
    logic [31:0] wakes;
    logic [31:0] front_irq0;
    logic [31:0] front_irq1;
    logic [31:0] front_irq2;
    struct packed {
      logic copying;
      logic [7:0] copy_channel;
      logic busy;
      logic [7:0] channel;
    } snap_engine;
    logic [63:0] snap_cycle;
    logic [31:0] snap_busy0;
    logic [31:0] snap_busy1;
    logic [31:0] snap_busy2;
  } gpu_figures_t;

  // GPU registers: values that the control port makes.
  typedef struct packed {
    logic [63:0] cycle;
    struct packed {
      job_result_e result;
      logic [3:0] image;
      logic [idx_w(MaxTbs)-1:0] tb;
      logic [idx_w(NumKernels)-1:0] slot;
      job_kind_e kind;
    } smsel_job;
    logic [31:0] mem_value;
    struct packed {
      sm_power_e power;
      logic [idx_w(NumKernels)-1:0] next_slot;
      sm_use_e next_usage;
      logic moving;
      logic [idx_w(NumKernels)-1:0] slot;
      sm_use_e usage;
    } smsel_owner;
  } gpu_own_t;

  // Kernel slot: registers, as blocks see them.
  typedef struct packed {
    struct packed {
      logic [1:0] level;
      logic qos;
      logic valid;
    } ctx;
    logic [31:0] goal;
    logic [30:0] first_quota;
    logic [NumSms-1:0] sm_mask;
    logic [19:0] win0_base;
    logic [19:0] win0_limit;
    struct packed {
      logic execute;
      logic write;
      logic read;
    } win0_rights;
    logic [19:0] win1_base;
    logic [19:0] win1_limit;
    struct packed {
      logic execute;
      logic write;
      logic read;
    } win1_rights;
    logic [29:0] entry;
    logic [31:0] arg;
    logic [15:0] grid_x;
    logic [15:0] grid_y;
    logic [15:0] grid_z;
    logic [10:0] block_x;
    logic [10:0] block_y;
    logic [10:0] block_z;
    logic [SlotBlockThreadsW-1:0] block_threads;
    logic [SlotSharedW-1:0] shared;
    logic [SlotBlockWarpsW-1:0] block_warps;
    logic [5:0] shared_gran;
    logic [7:0] budget;
    logic [31:0] iso_ipc;
    logic [19:0] save_base;
    logic [19:0] save_limit;
    logic idempotent;
    logic preempt_hold;
    logic [1:0] cache_policy;
    struct packed {
      logic [19:0] base;
      logic [4:0] log2;
    } stack_reg;
    logic [SlotSmCountW-1:0] sm_count;
    logic [SlotWarpCapW-1:0] warp_cap;
    logic [SlotMemSplitW-1:0] mem_split;
    logic [30:0] deadline;
    logic [31:0] work;
  } slot_regs_t;

  // Kernel slot: an accepted write in this cycle.
  typedef struct packed {
    logic ctx;
    logic sm_mask_lo;
    logic sm_mask_hi;
    logic launch;
    logic hist_clear;
    logic kill;
    logic budget;
    logic sm_mask_2;
    logic warp_cap;
    logic yield;
    logic walk_xy;
    logic walk_z;
    logic walk_linear;
    logic deadline;
    logic work;
  } slot_writes_t;

  // Kernel slot: values that other blocks have.
  typedef struct packed {
    struct packed {
      logic yielded;
      logic killed;
      logic busy;
    } status;
    logic [31:0] launches;
    logic [47:0] hist_insn;
    logic [47:0] hist_cycles;
    logic [30:0] epoch_insn;
    logic [30:0] epoch_quota;
    logic [21:0] alpha;
    struct packed {
      logic [4:0] images;
      logic [4:0] queued;
    } saved;
    logic [21:0] ratio;
    struct packed {
      eval_e eval;
      logic lower;
      logic upper;
      logic [6:0] opt;
      logic [6:0] count;
    } sm_record;
    logic [47:0] owned_cycles;
    struct packed {
      logic runs;
      logic bound;
      logic [7:0] owner;
    } channel;
    struct packed {
      logic [15:0] y;
      logic [15:0] x;
    } walk_xy;
    logic [15:0] walk_z;
    logic [31:0] walk_linear;
  } slot_figures_t;

  // State of the selected SM for one slot: values that other blocks have.
  typedef struct packed {
    struct packed {
      logic [5:0] target;
      logic [5:0] resident;
    } tbs;
  } smsel_figures_t;
endpackage

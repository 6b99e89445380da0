// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_regs.rdl by `make registers`; do not edit. Meaning: docs/registers.md.
package qsm_regs_pkg;
  import qsm_cfg_pkg::*;
  import qsm_enums_pkg::*;
  import qsm_pkg::*;

  // GPU registers.
  localparam logic [15:0] RegId = 16'h0000;
  localparam logic [15:0] RegConfig0 = 16'h0004;
  localparam logic [15:0] RegConfig1 = 16'h0008;
  localparam logic [15:0] RegConfig2 = 16'h000C;
  localparam logic [15:0] RegCycleLo = 16'h0010;
  localparam logic [15:0] RegCycleHi = 16'h0014;
  localparam logic [15:0] RegIrq = 16'h0018;
  localparam logic [15:0] RegIcacheInv = 16'h001C;
  localparam logic [15:0] RegPolicy = 16'h0020;
  localparam logic [15:0] RegScheme = 16'h0024;
  localparam logic [15:0] RegEpochLen = 16'h0028;
  localparam logic [15:0] RegAlphaCap = 16'h002C;
  localparam logic [15:0] RegRolloverCap = 16'h0030;
  localparam logic [15:0] RegAlphaEn = 16'h0034;
  localparam logic [15:0] RegEpochCount = 16'h0038;
  localparam logic [15:0] RegEpochELo = 16'h003C;
  localparam logic [15:0] RegSmSelect = 16'h0040;
  localparam logic [15:0] RegAllocBusy = 16'h0044;
  localparam logic [15:0] RegStallSelect = 16'h0048;
  localparam logic [15:0] RegStallValue = 16'h004C;
  localparam logic [15:0] RegMgrBusy = 16'h0050;
  localparam logic [15:0] RegActiveWarps = 16'h0054;
  localparam logic [15:0] RegAdjust = 16'h0058;
  localparam logic [15:0] RegAdjustTechnique = 16'h005C;
  localparam logic [15:0] RegPreempt = 16'h0060;
  localparam logic [15:0] RegPreemptStatus = 16'h0064;
  localparam logic [15:0] RegAdjustBusy = 16'h0068;
  localparam logic [15:0] RegSmselJob = 16'h006C;
  localparam logic [15:0] RegConfig3 = 16'h0070;
  localparam logic [15:0] RegNonqosQuota = 16'h0074;
  localparam logic [15:0] RegMemSelect = 16'h0078;
  localparam logic [15:0] RegMemValue = 16'h007C;
  localparam logic [15:0] RegL2Flush = 16'h0080;
  localparam logic [15:0] RegLatecomers = 16'h0084;
  localparam logic [15:0] RegSmMove = 16'h0088;
  localparam logic [15:0] RegMoveTechnique = 16'h008C;
  localparam logic [15:0] RegSmGating = 16'h0090;
  localparam logic [15:0] RegWakeLat = 16'h0094;
  localparam logic [15:0] RegSmThreshold = 16'h0098;
  localparam logic [15:0] RegSmStep = 16'h009C;
  localparam logic [15:0] RegMoves = 16'h00A0;
  localparam logic [15:0] RegMoveCyclesLo = 16'h00A4;
  localparam logic [15:0] RegMoveCyclesHi = 16'h00A8;
  localparam logic [15:0] RegGatedCyclesLo = 16'h00AC;
  localparam logic [15:0] RegGatedCyclesHi = 16'h00B0;
  localparam logic [15:0] RegSmselOwner = 16'h00B4;
  localparam logic [15:0] RegEnergySelect = 16'h00B8;
  localparam logic [15:0] RegEnergyValue = 16'h00BC;
  localparam logic [15:0] RegSharedCyclesLo = 16'h00C0;
  localparam logic [15:0] RegSharedCyclesHi = 16'h00C4;
  localparam logic [15:0] RegWakes = 16'h00C8;
  localparam logic [15:0] RegSmselIdle = 16'h0200;  // + 4 * k
  localparam logic [15:0] RegSmselFront = 16'h0240;  // + 4 * k

  // State of the selected SM for one slot: SmselBase + k * SmselStride + register.
  localparam logic [15:0] SmselBase = 16'h0100;
  localparam logic [15:0] SmselStride = 16'h0010;
  localparam logic [15:0] SmselC = 16'h0000;
  localparam logic [15:0] SmselInsn = 16'h0004;
  localparam logic [15:0] SmselQuota = 16'h0008;
  localparam logic [15:0] SmselTbs = 16'h000C;

  // Kernel slot: SlotBase + k * SlotStride + register.
  localparam logic [15:0] SlotBase = 16'h1000;
  localparam logic [15:0] SlotStride = 16'h0100;
  localparam logic [15:0] SlotCtx = 16'h0000;
  localparam logic [15:0] SlotGoal = 16'h0004;
  localparam logic [15:0] SlotFirstQuota = 16'h0008;
  localparam logic [15:0] SlotSmMaskLo = 16'h000C;
  localparam logic [15:0] SlotSmMaskHi = 16'h0010;
  localparam logic [15:0] SlotWin0Base = 16'h0014;
  localparam logic [15:0] SlotWin0Limit = 16'h0018;
  localparam logic [15:0] SlotWin0Rights = 16'h001C;
  localparam logic [15:0] SlotWin1Base = 16'h0020;
  localparam logic [15:0] SlotWin1Limit = 16'h0024;
  localparam logic [15:0] SlotWin1Rights = 16'h0028;
  localparam logic [15:0] SlotEntry = 16'h002C;
  localparam logic [15:0] SlotArg = 16'h0030;
  localparam logic [15:0] SlotGridX = 16'h0034;
  localparam logic [15:0] SlotGridY = 16'h0038;
  localparam logic [15:0] SlotGridZ = 16'h003C;
  localparam logic [15:0] SlotBlockX = 16'h0040;
  localparam logic [15:0] SlotBlockY = 16'h0044;
  localparam logic [15:0] SlotBlockZ = 16'h0048;
  localparam logic [15:0] SlotBlockThreads = 16'h004C;
  localparam logic [15:0] SlotShared = 16'h0050;
  localparam logic [15:0] SlotBlockWarps = 16'h0054;
  localparam logic [15:0] SlotSharedGran = 16'h0058;
  localparam logic [15:0] SlotLaunch = 16'h005C;
  localparam logic [15:0] SlotStatus = 16'h0060;
  localparam logic [15:0] SlotFaultCause = 16'h0064;
  localparam logic [15:0] SlotFaultPc = 16'h0068;
  localparam logic [15:0] SlotFaultTid = 16'h006C;
  localparam logic [15:0] SlotFaultBlock = 16'h0070;
  localparam logic [15:0] SlotFaultValue = 16'h0074;
  localparam logic [15:0] SlotLaunches = 16'h0078;
  localparam logic [15:0] SlotInsnLo = 16'h007C;
  localparam logic [15:0] SlotInsnHi = 16'h0080;
  localparam logic [15:0] SlotHcycLo = 16'h0084;
  localparam logic [15:0] SlotHcycHi = 16'h0088;
  localparam logic [15:0] SlotHistClear = 16'h008C;
  localparam logic [15:0] SlotEpochInsn = 16'h0090;
  localparam logic [15:0] SlotEpochQuota = 16'h0094;
  localparam logic [15:0] SlotAlpha = 16'h0098;
  localparam logic [15:0] SlotKill = 16'h009C;
  localparam logic [15:0] SlotBudget = 16'h00A0;
  localparam logic [15:0] SlotIsoIpc = 16'h00A4;
  localparam logic [15:0] SlotSaveBase = 16'h00A8;
  localparam logic [15:0] SlotSaveLimit = 16'h00AC;
  localparam logic [15:0] SlotIdempotent = 16'h00B0;
  localparam logic [15:0] SlotPreemptHold = 16'h00B4;
  localparam logic [15:0] SlotSaved = 16'h00B8;
  localparam logic [15:0] SlotRatio = 16'h00BC;
  localparam logic [15:0] SlotCachePolicy = 16'h00C0;
  localparam logic [15:0] SlotSmMask2 = 16'h00C4;
  localparam logic [15:0] SlotStack = 16'h00C8;
  localparam logic [15:0] SlotSmCount = 16'h00CC;
  localparam logic [15:0] SlotSmRecord = 16'h00D0;
  localparam logic [15:0] SlotOwnedCyclesLo = 16'h00D4;
  localparam logic [15:0] SlotOwnedCyclesHi = 16'h00D8;
  localparam logic [15:0] SlotWarpCap = 16'h00DC;
  localparam logic [15:0] SlotMemSplit = 16'h00E0;

  function automatic int unsigned least_of(input int unsigned a, input int unsigned b);
    return (a < b) ? a : b;
  endfunction

  // Bits of a number from 0 to `most`.
  function automatic int unsigned bits_of(input int unsigned most);
    return (most > 1) ? $clog2(most + 1) : 1;
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
    logic [18:0] alpha_cap;
    logic [7:0] rollover_cap;
    logic alpha_en;
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
  } gpu_regs_t;

  // GPU registers: an accepted write in this cycle.
  typedef struct packed {
    logic icache_inv;
    logic policy;
    logic preempt;
    logic l2_flush;
    logic sm_move;
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
  } slot_writes_t;

  // Kernel slot: values that other blocks have.
  typedef struct packed {
    struct packed {
      logic killed;
      logic busy;
    } status;
    logic [31:0] launches;
    logic [47:0] hist_insn;
    logic [47:0] hist_cycles;
    logic [30:0] epoch_insn;
    logic [30:0] epoch_quota;
    logic [18:0] alpha;
    struct packed {
      logic [4:0] images;
      logic [4:0] queued;
    } saved;
    logic [18:0] ratio;
    struct packed {
      eval_e eval;
      logic lower;
      logic upper;
      logic [6:0] opt;
      logic [6:0] count;
    } sm_record;
    logic [47:0] owned_cycles;
  } slot_figures_t;

  // State of the selected SM for one slot: values that other blocks have.
  typedef struct packed {
    struct packed {
      logic [5:0] target;
      logic [5:0] resident;
    } tbs;
  } smsel_figures_t;
endpackage

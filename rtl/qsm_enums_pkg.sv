// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_enums.rdl by `make enums`; do not edit.
// Enumerations of the GPU; of no configuration, so that every block can use them.
// Meaning: docs/enumerations.md.
package qsm_enums_pkg;
  // Warp scheduling policies (warp_sched.md, qaws.md).
  typedef enum logic [2:0] {
    // Loose round robin: the last issued warp until it stalls, then the next slot
    PolicyLrr = 3'd0,
    PolicyGto = 3'd1,  // Greedy, then oldest: the last issued warp until it stalls, then the oldest
    PolicyLrrRotate = 3'd2,  // Round robin: the next slot after the last issued warp
    PolicyTwoLevel = 3'd3,  // Loose round robin among the active warps; stalled ones are demoted
    PolicyQaws = 3'd4,  // QoS-aware groups of warps, by budget (Algorithm 1 of the paper)
    PolicyQawsProse = 3'd5  // The same as the paper's text has it
  } policy_e;
  localparam int unsigned PolicyCount = 6;  // above every number
  function automatic logic policy_valid(input logic [31:0] value);
    return value inside {32'd0, 32'd1, 32'd2, 32'd3, 32'd4, 32'd5};
  endfunction
  function automatic logic policy_has_groups(input policy_e value);
    return value inside {PolicyQaws, PolicyQawsProse};
  endfunction
  function automatic logic policy_has_state(input policy_e value);
    return value inside {PolicyTwoLevel, PolicyQaws, PolicyQawsProse};
  endfunction
  function automatic logic policy_takes_oldest(input policy_e value);
    return value inside {PolicyGto, PolicyQaws, PolicyQawsProse};
  endfunction

  // QoS schemes (schemes.md).
  typedef enum logic [3:0] {
    SchemeNone = 4'd0,  // No quotas
    SchemeNaive = 4'd1,  // The goal's quota in every epoch
    SchemeNaiveHistory = 4'd2,  // The same, corrected by the history
    SchemeElastic = 4'd3,  // An SM's epoch ends as soon as all quotas are spent
    SchemeRollover = 4'd4,  // What a kernel with a goal has left is carried into the next epoch
    SchemeRolloverTime = 4'd5,  // The same; kernels without a goal wait for those with quota left
    SchemeFair = 4'd6,  // Equal slowdown: quotas by the IPCs of the kernels alone
    SchemeSmStatic = 4'd7,  // SMs of its own for each kernel, by register
    SchemeSpart = 4'd8,  // Whole SMs, by a linear model of IPC per SM
    SchemeSmqos = 4'd9,  // Whole SMs, one at a time, and the best number for kernels without a goal
    // Whole SMs for the bulk of a goal, quotas on one shared SM for the rest
    SchemeSmRollover = 4'd10,
    // A quota is due in instalments; while a kernel is late, all that are not are closed
    SchemePace = 4'd11
  } scheme_e;
  localparam int unsigned SchemeCount = 12;  // above every number
  function automatic logic scheme_valid(input logic [31:0] value);
    return value inside {32'd0, 32'd1, 32'd2, 32'd3, 32'd4, 32'd5, 32'd6, 32'd7, 32'd8, 32'd9,
        32'd10, 32'd11};
  endfunction
  function automatic logic scheme_uses_history(input scheme_e value);
    return value inside {SchemeNaiveHistory, SchemeElastic, SchemeRollover, SchemeRolloverTime,
        SchemeSmRollover};
  endfunction
  function automatic logic scheme_carries_over(input scheme_e value);
    return value inside {SchemeRollover, SchemeRolloverTime, SchemeSmRollover};
  endfunction
  function automatic logic scheme_holds_all(input scheme_e value);
    return value inside {SchemeFair};
  endfunction
  function automatic logic scheme_whole_sms(input scheme_e value);
    return value inside {SchemeSmStatic, SchemeSpart, SchemeSmqos, SchemeSmRollover};
  endfunction
  function automatic logic scheme_open(input scheme_e value);
    return value inside {SchemeNone, SchemeSmStatic, SchemeSpart, SchemeSmqos};
  endfunction

  // How a thread block is taken from an SM (preemption.md).
  typedef enum logic [1:0] {
    // The block's state is saved, and restored later on any SM; needs a save area
    TechniqueSwitch = 2'd0,
    // The block runs to its end; no new one of its kernel comes to the SM until then
    TechniqueDrain = 2'd1,
    // The block starts from its beginning later; needs a save area and an idempotent kernel
    TechniqueFlush = 2'd2
  } technique_e;
  localparam int unsigned TechniqueCount = 3;  // above every number
  function automatic logic technique_valid(input logic [31:0] value);
    return value inside {32'd0, 32'd1, 32'd2};
  endfunction
  function automatic logic technique_saves(input technique_e value);
    return value inside {TechniqueSwitch, TechniqueFlush};
  endfunction

  // Why a resident warp did not issue (subcore.md, R-IS-6).
  typedef enum logic [2:0] {
    StallSelected = 3'd0,  // The warp issued
    StallBarrier = 3'd1,  // It waits at a barrier
    StallNoInstruction = 3'd2,  // Its buffer is empty, its kernel killed or its block frozen
    StallLongScoreboard = 3'd3,  // It waits for a load, or a fence for what is under way in memory
    StallShortScoreboard = 3'd4,  // It waits for another result, or no scoreboard entry is free
    StallQuota = 3'd5,  // Its kernel's gate is closed
    StallPipeThrottle = 3'd6,  // The unit or the write port is taken, or a step is injected
    StallNotSelected = 3'd7  // It could issue, and another warp did
  } stall_e;
  localparam int unsigned StallCount = 8;  // above every number
  function automatic logic stall_valid(input logic [31:0] value);
    return value inside {32'd0, 32'd1, 32'd2, 32'd3, 32'd4, 32'd5, 32'd6, 32'd7};
  endfunction
  function automatic logic stall_is_long_latency(input stall_e value);
    return value inside {StallBarrier, StallLongScoreboard, StallQuota};
  endfunction

  // Events that take energy (energy.md, R-EN-1).
  typedef enum logic [3:0] {
    EnergyIssues = 4'd0,  // Warp instructions issued
    EnergyAlu = 4'd1,  // Lanes of integer, control and simple floating-point instructions
    EnergyMul = 4'd2,  // Lanes of integer multiplications
    EnergyDiv = 4'd3,  // Lanes of divisions and square roots
    EnergyFma = 4'd4,  // Lanes of floating-point additions, multiplications and conversions
    EnergyMem = 4'd5,  // Lanes of loads, stores and atomics
    EnergyRegReads = 4'd6,  // Registers read, in lanes
    EnergyRegWrites = 4'd7,  // Registers written, in lanes
    EnergyShared = 4'd8,  // Words of shared memory
    EnergyLines = 4'd9  // Lines of device memory that loads, stores and atomics access
  } energy_event_e;
  localparam int unsigned EnergyEventCount = 10;  // above every number
  function automatic logic energy_event_valid(input logic [31:0] value);
    return value inside {32'd0, 32'd1, 32'd2, 32'd3, 32'd4, 32'd5, 32'd6, 32'd7, 32'd8, 32'd9};
  endfunction

  // Causes of faults (isa.md).
  typedef enum logic [4:0] {
    CauseJumpTarget = 5'd0,  // jump target misaligned
    CauseFetchAccess = 5'd1,  // instruction access fault (no window with x)
    CauseIllegal = 5'd2,  // illegal instruction
    CauseBreakpoint = 5'd3,  // breakpoint (ebreak; what assert in a kernel compiles to)
    CauseLoadMisaligned = 5'd4,  // load misaligned
    CauseLoadAccess = 5'd5,  // load access fault
    CauseStoreMisaligned = 5'd6,  // store or AMO misaligned
    CauseStoreAccess = 5'd7,  // store or AMO access fault
    CauseEcall = 5'd8,  // ecall
    CauseHost = 5'd24,  // killed by the host
    CauseStackOverflow = 5'd25  // a local address below the thread's stack; load, store or AMO
  } cause_e;
  localparam int unsigned CauseCount = 26;  // above every number

  // Decision on a request for a preemption (preemption.md, R-PE-3).
  typedef enum logic [3:0] {
    CodeNone = 4'd0,  // nothing has been asked for
    CodeExamined = 4'd1,  // the request is being examined
    CodeAccepted = 4'd2,  // the preemption has begun
    CodeNoTb = 4'd5,  // no thread block of the context is there
    CodeBusy = 4'd6,  // another preemption is under way there
    CodeNotIdempotent = 4'd7,  // the kernel is not marked idempotent
    CodeNoArea = 4'd8,  // the context has no save area
    CodeNoImage = 4'd9,  // all images are in use
    CodeTooSmall = 4'd10  // the save area has no room for this image
  } preempt_code_e;
  localparam int unsigned PreemptCodeCount = 11;  // above every number

  // Preemption under way on an SM.
  typedef enum logic [2:0] {
    JobNone = 3'd0,  // No preemption is under way on the SM
    JobSave = 3'd1,  // A block is saved, or leaves to start anew
    JobDrain = 3'd2,  // A block runs to its end
    JobRestore = 3'd3,  // A block comes back
    JobSaved = 3'd4,  // A block has been saved; tables are cleaned up
    JobFreed = 3'd5  // An image has been freed; tables are cleaned up
  } job_kind_e;
  localparam int unsigned JobKindCount = 6;  // above every number

  // What became of a preemption that the host asked for.
  typedef enum logic [2:0] {
    ResultNone = 3'd0,  // Nothing has been asked for
    ResultRunning = 3'd1,  // It goes on
    ResultDone = 3'd2,  // The block was taken away
    ResultEndedBefore = 3'd3,  // The block ended by itself before it was saved
    ResultKilled = 3'd4  // The kernel was killed
  } job_result_e;
  localparam int unsigned JobResultCount = 5;  // above every number

  // Phase of the sequencer that saves and restores blocks (preemption.md).
  typedef enum logic [3:0] {
    PhIdle = 4'd0,  // has not begun
    PhAddress = 4'd1,  // computes the image's address
    PhQuiet = 4'd2,  // waits until the block is quiet or launched
    PhFind = 4'd3,  // looks for a warp
    PhRegisters = 4'd4,  // moves registers
    PhState = 4'd5,  // moves the warps' state
    PhFinished = 4'd6,  // marks finished warps
    PhShared = 4'd7,  // moves shared memory
    PhHeader = 4'd8,  // moves the block's index
    PhWait = 4'd9  // waits for memory
  } save_phase_e;
  localparam int unsigned SavePhaseCount = 10;  // above every number

  // What an SM is to do with a thread block.
  typedef enum logic [1:0] {
    OpNew = 2'd0,  // A block begins
    OpRestore = 2'd1,  // A block comes back from its image
    OpSave = 2'd2,  // A block's state is saved
    OpFlush = 2'd3  // A block leaves, to start from its beginning later
  } tb_op_e;
  localparam int unsigned TbOpCount = 4;  // above every number

  // Instructions that the sequencer injects (preemption.md, R-PE-16).
  typedef enum logic [2:0] {
    StepSt = 3'd0,  // A register to the image
    StepLd = 3'd1,  // A register from the image
    StepSts = 3'd2,  // A register to shared memory
    StepLds = 3'd3,  // A register from shared memory
    StepSet = 3'd4,  // A constant to a register
    StepJmp = 3'd5  // The split's PC from a register
  } step_e;
  localparam int unsigned StepCount = 6;  // above every number

  // Who uses an SM (sm_owner.md).
  typedef enum logic [1:0] {
    UseShared = 2'd0,  // All kernels share the SM
    UseOwned = 2'd1,  // It belongs to one kernel
    UseFree = 2'd2  // Nobody uses it
  } sm_use_e;
  localparam int unsigned SmUseCount = 3;  // above every number
  function automatic logic sm_use_valid(input logic [31:0] value);
    return value inside {32'd0, 32'd1, 32'd2};
  endfunction

  // Power of an SM (sm_owner.md).
  typedef enum logic [1:0] {
    PowerOn = 2'd0,  // The SM runs
    PowerStopping = 2'd1,  // It was told to stop
    PowerOff = 2'd2,  // It is gated
    PowerWaking = 2'd3  // It was told to start
  } sm_power_e;
  localparam int unsigned SmPowerCount = 4;  // above every number

  // What is being learned of a kernel's number of SMs (sm_mgr.md).
  typedef enum logic [1:0] {
    EvalNone = 2'd0,  // Nothing to judge
    EvalMoving = 2'd1,  // An SM of the kernel moves
    EvalSettling = 2'd2  // The first whole epoch after the move runs
  } eval_e;
  localparam int unsigned EvalCount = 3;  // above every number

  // Instruction classes: the unit that executes it.
  typedef enum logic [2:0] {
    ClsAlu = 3'd0,  // Integer, and what passes the integer pipeline
    ClsMul = 3'd1,  // Multiplier and shifter
    ClsDiv = 3'd2,  // Dividers and square root
    ClsMem = 3'd3,  // Load/store unit
    ClsCtl = 3'd4,  // Ends its split: branches, jumps, barriers, exits, faults
    ClsFma = 3'd5  // Floating-point multiply and add
  } class_e;
  localparam int unsigned ClassCount = 6;  // above every number

  // Memory accesses.
  typedef enum logic [1:0] {
    MemRead = 2'd0,  // Load or fetch
    MemWrite = 2'd1,  // Store
    MemAmo = 2'd2  // Atomic memory operation
  } mem_type_e;
  localparam int unsigned MemTypeCount = 3;  // above every number

  // Atomic memory operations.
  typedef enum logic [3:0] {
    AmoSwap = 4'd0,  // The operand
    AmoAdd = 4'd1,  // Sum
    AmoXor = 4'd2,  // Exclusive or
    AmoAnd = 4'd3,  // And
    AmoOr = 4'd4,  // Or
    AmoMin = 4'd5,  // Signed minimum
    AmoMax = 4'd6,  // Signed maximum
    AmoMinu = 4'd7,  // Unsigned minimum
    AmoMaxu = 4'd8  // Unsigned maximum
  } amo_e;
  localparam int unsigned AmoCount = 9;  // above every number

  // What became of a fetch.
  typedef enum logic [1:0] {
    FetchHit = 2'd0,  // The pair is in the cache
    FetchMiss = 2'd1,  // It is asked for
    FetchFault = 2'd2,  // The kernel may not execute there
    FetchDropped = 2'd3  // The warp's split has changed meanwhile
  } fetch_outcome_e;
  localparam int unsigned FetchOutcomeCount = 4;  // above every number

  // Operations of an L2 slice (l2.md).
  typedef enum logic [2:0] {
    L2Request = 3'd0,  // A request of the crossbar
    L2Fill = 3'd1,  // A line has come
    L2Replay = 3'd2,  // A waiter of that line
    L2Walk = 3'd3,  // A step of the flush
    L2Pass = 3'd4  // A response that goes past the tags
  } l2_op_e;
  localparam int unsigned L2OpCount = 5;  // above every number

  // What became of a request at an L2 slice.
  typedef enum logic [2:0] {
    L2Hit = 3'd0,  // The line is there
    L2Merged = 3'd1,  // The line is on its way
    L2Bypassed = 3'd2,  // Bypassed: no line is allocated
    L2Whole = 3'd3,  // A write of a whole line allocates without asking for it
    L2Miss = 3'd4  // The line is asked for
  } l2_outcome_e;
  localparam int unsigned L2OutcomeCount = 5;  // above every number

  // States of the front end's sequencer (front.md).
  typedef enum logic [4:0] {
    FrontIdle = 5'd0,  // Chooses what comes next
    FrontEnd = 5'd1,  // A launch has ended: counters and DONE of its channel
    FrontClear = 5'd2,  // A channel was enabled: its row becomes 0
    FrontUnbind = 5'd3,  // A channel leaves a slot
    FrontRow = 5'd4,  // A channel's row is read
    FrontCheck = 5'd5,  // Is there a command?
    FrontFetch = 5'd6,  // A command is read
    FrontDecode = 5'd7,  // Is it one?
    FrontContext = 5'd8,  // The channel's context is read
    FrontSlot = 5'd9,  // A launch looks for a slot
    FrontBind = 5'd10,  // The context goes to the slot's registers
    FrontLoad = 5'd11,  // A launch's descriptor is read
    FrontLook = 5'd12,  // Is it one?
    FrontProduct = 5'd13,  // Threads, warps and granules of a block
    FrontStart = 5'd14,  // The launch goes to the slot's registers
    FrontAddress = 5'd15,  // May the channel use the semaphore?
    FrontAccess = 5'd16,  // The semaphore is read or written
    FrontCompare = 5'd17,  // Has it reached the value?
    FrontSet = 5'd18,  // May the channel change the setting?
    FrontSetReg = 5'd19,  // The setting goes to the slot's register
    FrontSetStore = 5'd20,  // The setting goes to the context
    FrontStop = 5'd21,  // The channel is stopped
    FrontFinish = 5'd22,  // GET and DONE
    FrontCount = 5'd23,  // A slot's thread instructions are added up
    FrontCopyEnd = 5'd24,  // A copy has ended: time and DONE of its channel
    FrontLimit = 5'd25,  // The limit of a launch is read
    FrontRange = 5'd26,  // May the channel copy there?
    FrontEngine = 5'd27,  // A copy looks for the DMA engine
    FrontYield = 5'd28  // A launch of a lower priority shall yield
  } front_state_e;
  localparam int unsigned FrontStateCount = 29;  // above every number

  // Commands of a channel.
  typedef enum logic [2:0] {
    CmdNop = 3'd0,  // Nothing
    CmdLaunch = 3'd1,  // A launch
    CmdSet = 3'd2,  // A setting of the context
    CmdAcquire = 3'd3,  // Waits until a word of memory has a value
    CmdRelease = 3'd4,  // Gives a word of memory a value
    CmdCopy = 3'd5,  // The DMA engine copies
    CmdFill = 3'd6  // The DMA engine fills
  } front_opcode_e;
  localparam int unsigned FrontOpcodeCount = 7;  // above every number

  // Settings that a command changes.
  typedef enum logic [2:0] {
    SettingGoal = 3'd0,  // GOAL
    SettingBudget = 3'd1,  // BUDGET
    SettingSmMaskLo = 3'd2,  // SM_MASK_LO
    SettingSmMaskHi = 3'd3,  // SM_MASK_HI
    SettingSmMask2 = 3'd4,  // SM_MASK_2
    SettingCachePolicy = 3'd5  // CACHE_POLICY
  } front_setting_e;
  localparam int unsigned FrontSettingCount = 6;  // above every number

  // Why a channel was stopped (front.md, R-FR-16).
  typedef enum logic [3:0] {
    StopNone = 4'd0,  // it was not
    StopBadPut = 4'd1,  // PUT or GET is outside of the ring
    StopBadCommand = 4'd2,  // no such command
    StopBadAddress = 4'd3,  // an address that the context does not allow
    StopBadLaunch = 4'd4,  // a word of the descriptor that must be 0
    StopRefused = 4'd5,  // a register refused a value
    StopNoRight = 4'd6,  // a setting that the channel may not change
    StopFault = 4'd7,  // a launch was killed
    StopTimeout = 4'd8  // a launch took longer than its limit
  } front_stop_e;
  localparam int unsigned FrontStopCount = 9;  // above every number
endpackage

// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_enums.rdl by `make enums`; do not edit.
// What the monitors report.
// Meaning: docs/enumerations.md.
package qsm_lockstep_pkg;
  // Events of the lockstep.
  typedef enum int {
    EvFetch = 0,  // fetch: warp pc outcome
    EvTbop = 1,  // tb_save: op tb phase
    EvInject = 2,  // tb_save: warp step reg pc mask entry
    EvIssue = 3,  // issue: warp kernel pc mask instr entry
    EvTwoLevel = 4,  // warp_sched: active
    EvQaws = 5,  // warp_sched: front budget ncs
    EvResolve = 6,  // warp_state: warp live bar selects
    EvSplit = 7,  // warp_state: warp pc depth mask
    EvWb = 8,  // exec: warp rd mask data[]
    EvStart = 9,  // tb_launch: warp kernel tb widx live
    EvFinish = 10,  // warp_state: warp tb
    EvL1Op = 11,  // l1: kind line outcome way txn
    EvLsuPass = 12,  // lsu: sub warp kind mask
    EvReq = 13,  // lsu: op addr tag slot bytes_data[]
    EvRsp = 14,  // xbar: tag
    EvL1Fill = 15,  // l1: set way txn valid
    EvL1Gen = 16,  // l1: gens
    EvReturn = 17,  // lsu: tag
    EvRelease = 18,  // barrier: tbs
    EvArrive = 19,  // tb_launch: tb kernel linear first base op image ticket
    EvRetire = 20,  // barrier: tb saved
    EvResumed = 21,  // tb_save: tb
    EvFault = 22,  // fault: kernel cause pc tid block value
    // qos_mgr: quota[] alpha[] insn[] hist_insn_lo[] hist_insn_hi[] hist_cycles_lo[]
    // hist_cycles_hi[] ratio[]
    EvEpoch = 23,
    EvQuota = 24,  // quota: c[]
    EvQload = 25,  // quota: scheme granted dcnt early quota[]
    EvSample = 26,  // idle_sampler: idle_sum[]
    EvPreempt = 27,  // preempt: sm kernel tb technique image code host
    EvAsk = 28,  // tb_adjust: sm ask idle[]
    EvAdjust = 29,  // tb_adjust: sm kernel victim n class target
    EvEvict = 30,  // tb_adjust: kernels
    EvClaim = 31,  // tb_adjust: sm kernel fits left[]
    EvDispatch = 32,  // tb_sched: sm tb kernel linear op image ticket
    EvTargets = 33,  // tb_alloc: sm target[]
    EvEnd = 34,  // tb_sched: ended killed
    EvL2Op = 35,  // l2: op line outcome way mshr victim
    EvDram = 36,  // dram: kind bank row column passed
    EvMemReq = 37,  // xbar: op addr sm txn
    EvMemRsp = 38,  // xbar: sm txn
    EvRecord = 39,  // sm_mgr: insn[] learned[]
    EvPlan = 40,  // sm_mgr: n[]
    EvMove = 41,  // sm_owner: use owner moving next_use next_owner
    EvPower = 42,  // sm_owner: power
    EvChannel = 43,  // front: state channel slot
    EvCommand = 44,  // front: channel get word[]
    EvSaOp = 45,  // sa: kind line outcome way txn
    EvSaFill = 46,  // sa: set way txn valid last
    EvSaGen = 47,  // sa: slots
    EvMemLine = 48,  // xbar: slot bytes_data[]
    EvIrq = 49  // ctrl: level
  } event_kind_e;

  // Kinds of compared state.
  typedef enum int {
    StReg = 0,  // sm, sub, index = warp * 32 + reg, word = lane
    StShared = 1,  // sm, index = row, word = bank
    // sm, sub, index = warp, word = lane; meaningful for live lanes outside the split
    StLanePc = 2,
    StLaneDepth = 3,  // as lane_pc
    // sm, sub, index = warp: word 0 resident, 1 live, 2 bar, 3 path.valid, 4 path.pc, 5 path.mask,
    // 6 selcnt, 7 rot, 8 depth, 9 selpend
    StWarp = 4,
    StSplitSelect = 5,  // sm, sub, index 0: word 0 sel_last
    // sm, sub, index = warp, word = entry: valid | mem<<1 | all_sent<<2 | rd<<8 | parts<<16; 0 if
    // not valid
    StScoreboard = 6,
    // sm, index = kernel: word 0 C, 1 quota, 2 granted, 3 insn, 4 fresh, 5 due, 6 behind |
    // spared<<1 | to_pace<<2 | to_judge<<3 | tight<<4 | kept<<5; index NumKernels: word 0 dcnt, 1
    // early, 2 away
    StQuota = 7,
    // sm, index = tb slot: word 0 valid, 1 kernel, 2 left, 3 arrived; 0 unless valid: 4 ticket, 5
    // saved, 6 block x | y<<16, 7 z, 8 linear, 9 clean
    StTbs = 8,
    StStall = 9,  // sm, sub, index = kernel, word = reason
    // index = kernel slot: word 0 busy, 1 killed, 2 linear of the walk, 3 out, 4 launches, 5 wait |
    // late<<1 | active<<2 | used<<3, 6 yield | yielded<<1, 7 x of the walk | y<<16, 8 z
    StSlot = 10,
    StFault = 11,  // sm, index = kernel: word 0 killed, 1 cause, 2 pc, 3 tid, 4 block, 5 value
    StTarget = 12,  // sm, index = kernel: word 0 target, 1 evict flag
    // sm, sub, index 0: word 0 active, 1 front.valid<<16 | front.budget<<8 | ncs, 2 prev<<1 |
    // head_ok, 3 mark
    StPolicy = 13,
    StIdle = 14,  // sm, index = kernel: word 0 idle_sum, 1 snap_idle
    // sm, index 0: word 0 kind | result<<4, 1 kernel | tb<<8 | image<<16 | fresh<<24 | host<<25
    // (kind none: 0), 2 ticket (kind saved)
    StJob = 15,
    // index = kernel slot: word 0 images used, 1 queue length, 2+n queue image | fresh<<8,
    // 2+NumImages+v spare ticket
    StSaved = 16,
    // sm, index = kernel: word 0 fresh_cnt, 1 stack height, 2+n ticket n from the bottom
    StTickets = 17,
    // sm, index 0: word 0 op | phase<<4; 0 while idle: 1 tb | image<<8 | fresh<<16, 2 base
    StTbSave = 18,
    // sm, sub, index 0: word 0 wb_wait + 16 * claim; bit n-1 of claim: claim[n] of R-FP-3
    StWriteBack = 19,
    // sm, index 0: word 0 A full; 0 unless full: 1 line address, 2 lanes, 3 sub | warp<<8 |
    // entry<<16 | kind<<24; 4 kinds of return op in order of service, longest ago first, 2 bits
    // each (0 pass, 1 response, 2 hit), 5 gens, 4 bits each
    StL1 = 20,
    // sm, index = set: word w, way w: valid | pending<<1 | poison<<2 | gen<<4 | slot<<8 | txn<<16
    // (0 unless pending); L1Ways + w: tag; both 0 unless valid or pending; word 2*L1Ways: tree, bit
    // n: node n
    StL1Set = 21,
    // sm = channel, index 0: word 0 credits of rsp, 1 of out, 2 of mshr, 3 of waiter, 4 entries of
    // rsp, 5 of out, 6 unacked of colour 0 | of 1 <<16, 7 flushing | walking<<1 | colour<<2, 0
    // unless walking: 8 set, 9 way; index 1 + j, MSHR j: word 0 valid | filled<<1, 0 unless valid:
    // 1 address of its line, 2 slot, 3 waiters in its list
    StL2 = 22,
    // sm = channel, index = set: word w, way w: valid | dirty<<1 | tag<<2, 0 unless valid; word
    // L2Ways: tree, bit n: node n
    StL2Set = 23,
    // sm = channel, index = bank: word 0 open, 1 row (0 when closed), 2 busy, 3 keep; index
    // DramBanks: word 0 bus, 1 passed, 2 entries, 3 accesses on the way (R-DR-7)
    StDram = 24,
    // sm, index 0: word 0 use | owner<<2 | moving<<6 | next_use<<7 | next_owner<<9, 1 refused, 2
    // power | rested<<2
    StOwner = 26,
    // index = kernel slot: word 0 n | opt<<8 | upper<<16 | lower<<17 | eval<<18 | run<<20 |
    // seen<<21 | out<<22, 1 and 2 lead, 3 i, 4 i_last, 5 sm_last; index NumKernels: word 0 managed
    // | planning<<1 | splitting<<2 | stale<<3
    StSmRecord = 27,
    StEnergy = 29,  // sm, index = kernel, word = event
    StPower = 28,  // sm, index 0: word 0 power, 1 wait
    // index = channel: word 0 enabled | stopped<<1 | suspended<<2 | held<<3 | pending<<4 | waits<<5
    // | busy<<6 | irq<<7 | priority<<8 | resumes<<10; index NumCmd: word 0 state, 1 next of each
    // priority p <<8p, 2+k of slot k: owner | bound<<8 | runs<<9 | ended<<10 | overdue<<11 |
    // kill_sent<<12 | yield_sent<<13 | old<<14, 10 of the DMA engine: owner | copying<<8 |
    // copied<<9
    StFront = 30,
    // index 0: word 0 busy | entries in use<<1 | writes under way<<8, 1 lines left to be asked for,
    // 2 lines left to be written, 3 credit; 0 to 2 are 0 while not busy
    StDma = 31,
    StInsn = 32,  // index = sm: word 2k low 32 bits of slot k's counter, 2k+1 its high 8 bits
    // sm = array, sub = bank, index 0: word 0 credits of rsp | of out<<4 | entries of rsp<<8 | of
    // out<<12 | serving<<16 | arrived<<17 | walk<<18 | first<<19, 1 set of the walk (0 unless it is
    // on), 2 transaction served last | last<<16 (0 unless serving), 3 transaction in arrived (0
    // unless it is full), 4+k gen of slot k; a transaction is member * (MemTxns + NumSched) + txn
    StSa = 33,
    // sm = array, sub = bank, index = set: word w, way w: valid | pending<<1 | poison<<2 | gen<<8 |
    // slot<<16; SaWays + w: tag; 2*SaWays + w: last (0 unless pending); all 0 unless valid or
    // pending; 3*SaWays: tree, bit n: node n
    StSaSet = 34,
    // sm = channel (L2, memory controller), SM (L1) or an SM of the array, index = slot | bank<<4,
    // word = counter as MEM_SELECT has it; of the model, for tools
    StMemory = 35,
    StWipe = 25  // sm, index 0: word 0 valid | slot<<8; 0 unless valid: 1 row, 2 left
  } state_kind_e;
endpackage

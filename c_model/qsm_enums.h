// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/qsm_enums.rdl by `make enums`; do not edit.
// Enumerations that RTL, model, library and tools share, with the names of their values. Constants
// that begin with `qsm` are for users of the library (sw/libqsm/qsm_runtime.h).
// Meaning: docs/enumerations.md.
#ifndef QSM_ENUMS_H
#define QSM_ENUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if __STDC_HOSTED__
#include <stdio.h>
#include <string.h>
#else  // for the numbers alone; whoever wants names brings these
int snprintf(char *text, size_t text_len, const char *format, ...);
int strcmp(const char *a, const char *b);
#endif

// Of all names and numbers here: what was built from others is refused.
#define QSM_ENUMS_DIGEST "d17158ebc895a940"

// All names, for messages: "lrr, gto".
static inline void qsm_enum_list(const char *(*name_of)(uint32_t), uint32_t count, char *text,
                                 size_t text_len) {
  size_t at = 0;
  for (uint32_t i = 0; i < count && at < text_len; i++)
    at += (size_t)snprintf(text + at, text_len - at, "%s%s", i ? ", " : "", name_of(i));
}

// The value of that name; false: none has it. No value is called "?".
static inline bool qsm_enum_parse(const char *(*name_of)(uint32_t), uint32_t count,
                                  const char *name, uint32_t *value) {
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(name_of(i), name) != 0 || strcmp(name, "?") == 0) continue;
    *value = i;
    return true;
  }
  return false;
}

// Warp scheduling policies (warp_sched.md, qaws.md).
typedef enum qsm_policy {
  qsmPolicyLrr = 0,  // Loose round robin: the last issued warp until it stalls, then the next slot
  qsmPolicyGto = 1,  // Greedy, then oldest: the last issued warp until it stalls, then the oldest
  qsmPolicyLrrRotate = 2,  // Round robin: the next slot after the last issued warp
  qsmPolicyTwoLevel = 3,  // Loose round robin among the active warps; stalled ones are demoted
  qsmPolicyQaws = 4,  // QoS-aware groups of warps, by budget (Algorithm 1 of the paper)
  qsmPolicyQawsProse = 5,  // The same as the paper's text has it
  QSM_POLICY_LRR = qsmPolicyLrr,
  QSM_POLICY_GTO = qsmPolicyGto,
  QSM_POLICY_LRR_ROTATE = qsmPolicyLrrRotate,
  QSM_POLICY_TWO_LEVEL = qsmPolicyTwoLevel,
  QSM_POLICY_QAWS = qsmPolicyQaws,
  QSM_POLICY_QAWS_PROSE = qsmPolicyQawsProse,
} qsmPolicy;
enum { QSM_POLICY_COUNT = 6 };  // above every number
static inline const char *qsm_policy_name(uint32_t value) {
  switch (value) {
    case QSM_POLICY_LRR: return "lrr";
    case QSM_POLICY_GTO: return "gto";
    case QSM_POLICY_LRR_ROTATE: return "lrr_rotate";
    case QSM_POLICY_TWO_LEVEL: return "two_level";
    case QSM_POLICY_QAWS: return "qaws";
    case QSM_POLICY_QAWS_PROSE: return "qaws_prose";
    default: return "?";
  }
}
static inline bool qsm_policy_valid(uint32_t value) {
  return value < QSM_POLICY_COUNT;
}
static inline bool qsm_policy_parse(const char *name, uint32_t *value) {
  return qsm_enum_parse(qsm_policy_name, QSM_POLICY_COUNT, name, value);
}
static inline bool qsm_policy_has_groups(uint32_t value) {
  switch (value) {
    case QSM_POLICY_QAWS:
    case QSM_POLICY_QAWS_PROSE: return true;
    default: return false;
  }
}
static inline bool qsm_policy_has_state(uint32_t value) {
  switch (value) {
    case QSM_POLICY_TWO_LEVEL:
    case QSM_POLICY_QAWS:
    case QSM_POLICY_QAWS_PROSE: return true;
    default: return false;
  }
}
static inline bool qsm_policy_takes_oldest(uint32_t value) {
  switch (value) {
    case QSM_POLICY_GTO:
    case QSM_POLICY_QAWS:
    case QSM_POLICY_QAWS_PROSE: return true;
    default: return false;
  }
}

// QoS schemes (schemes.md).
typedef enum qsm_scheme {
  qsmSchemeNone = 0,  // No quotas
  qsmSchemeNaive = 1,  // The goal's quota in every epoch
  qsmSchemeNaiveHistory = 2,  // The same, corrected by the history
  qsmSchemeElastic = 3,  // An SM's epoch ends as soon as all quotas are spent
  qsmSchemeRollover = 4,  // What a kernel with a goal has left is carried into the next epoch
  qsmSchemeRolloverTime = 5,  // The same; kernels without a goal wait for those with quota left
  qsmSchemeFair = 6,  // Equal slowdown: quotas by the IPCs of the kernels alone
  qsmSchemeSmStatic = 7,  // SMs of its own for each kernel, by register
  qsmSchemeSpart = 8,  // Whole SMs, by a linear model of IPC per SM
  qsmSchemeSmqos = 9,  // Whole SMs, one at a time, and the best number for kernels without a goal
  // Whole SMs for the bulk of a goal, quotas on one shared SM for the rest
  qsmSchemeSmRollover = 10,
  // A quota is due in instalments; while a kernel is late, all that are not are closed
  qsmSchemePace = 11,
  QSM_SCHEME_NONE = qsmSchemeNone,
  QSM_SCHEME_NAIVE = qsmSchemeNaive,
  QSM_SCHEME_NAIVE_HISTORY = qsmSchemeNaiveHistory,
  QSM_SCHEME_ELASTIC = qsmSchemeElastic,
  QSM_SCHEME_ROLLOVER = qsmSchemeRollover,
  QSM_SCHEME_ROLLOVER_TIME = qsmSchemeRolloverTime,
  QSM_SCHEME_FAIR = qsmSchemeFair,
  QSM_SCHEME_SM_STATIC = qsmSchemeSmStatic,
  QSM_SCHEME_SPART = qsmSchemeSpart,
  QSM_SCHEME_SMQOS = qsmSchemeSmqos,
  QSM_SCHEME_SM_ROLLOVER = qsmSchemeSmRollover,
  QSM_SCHEME_PACE = qsmSchemePace,
} qsmScheme;
enum { QSM_SCHEME_COUNT = 12 };  // above every number
static inline const char *qsm_scheme_name(uint32_t value) {
  switch (value) {
    case QSM_SCHEME_NONE: return "none";
    case QSM_SCHEME_NAIVE: return "naive";
    case QSM_SCHEME_NAIVE_HISTORY: return "naive_history";
    case QSM_SCHEME_ELASTIC: return "elastic";
    case QSM_SCHEME_ROLLOVER: return "rollover";
    case QSM_SCHEME_ROLLOVER_TIME: return "rollover_time";
    case QSM_SCHEME_FAIR: return "fair";
    case QSM_SCHEME_SM_STATIC: return "sm_static";
    case QSM_SCHEME_SPART: return "spart";
    case QSM_SCHEME_SMQOS: return "smqos";
    case QSM_SCHEME_SM_ROLLOVER: return "sm_rollover";
    case QSM_SCHEME_PACE: return "pace";
    default: return "?";
  }
}
static inline bool qsm_scheme_valid(uint32_t value) {
  return value < QSM_SCHEME_COUNT;
}
static inline bool qsm_scheme_parse(const char *name, uint32_t *value) {
  return qsm_enum_parse(qsm_scheme_name, QSM_SCHEME_COUNT, name, value);
}
static inline bool qsm_scheme_uses_history(uint32_t value) {
  switch (value) {
    case QSM_SCHEME_NAIVE_HISTORY:
    case QSM_SCHEME_ELASTIC:
    case QSM_SCHEME_ROLLOVER:
    case QSM_SCHEME_ROLLOVER_TIME:
    case QSM_SCHEME_SM_ROLLOVER: return true;
    default: return false;
  }
}
static inline bool qsm_scheme_carries_over(uint32_t value) {
  switch (value) {
    case QSM_SCHEME_ROLLOVER:
    case QSM_SCHEME_ROLLOVER_TIME:
    case QSM_SCHEME_SM_ROLLOVER: return true;
    default: return false;
  }
}
static inline bool qsm_scheme_holds_all(uint32_t value) {
  switch (value) {
    case QSM_SCHEME_FAIR: return true;
    default: return false;
  }
}
static inline bool qsm_scheme_whole_sms(uint32_t value) {
  switch (value) {
    case QSM_SCHEME_SM_STATIC:
    case QSM_SCHEME_SPART:
    case QSM_SCHEME_SMQOS:
    case QSM_SCHEME_SM_ROLLOVER: return true;
    default: return false;
  }
}
static inline bool qsm_scheme_open(uint32_t value) {
  switch (value) {
    case QSM_SCHEME_NONE:
    case QSM_SCHEME_SM_STATIC:
    case QSM_SCHEME_SPART:
    case QSM_SCHEME_SMQOS: return true;
    default: return false;
  }
}

// How a thread block is taken from an SM (preemption.md).
typedef enum qsm_technique {
  // The block's state is saved, and restored later on any SM; needs a save area
  qsmTechniqueSwitch = 0,
  // The block runs to its end; no new one of its kernel comes to the SM until then
  qsmTechniqueDrain = 1,
  // The block starts from its beginning later; needs a save area and an idempotent kernel
  qsmTechniqueFlush = 2,
  QSM_TECHNIQUE_SWITCH = qsmTechniqueSwitch,
  QSM_TECHNIQUE_DRAIN = qsmTechniqueDrain,
  QSM_TECHNIQUE_FLUSH = qsmTechniqueFlush,
} qsmTechnique;
enum { QSM_TECHNIQUE_COUNT = 3 };  // above every number
static inline const char *qsm_technique_name(uint32_t value) {
  switch (value) {
    case QSM_TECHNIQUE_SWITCH: return "switch";
    case QSM_TECHNIQUE_DRAIN: return "drain";
    case QSM_TECHNIQUE_FLUSH: return "flush";
    default: return "?";
  }
}
static inline bool qsm_technique_valid(uint32_t value) {
  return value < QSM_TECHNIQUE_COUNT;
}
static inline bool qsm_technique_parse(const char *name, uint32_t *value) {
  return qsm_enum_parse(qsm_technique_name, QSM_TECHNIQUE_COUNT, name, value);
}
static inline bool qsm_technique_saves(uint32_t value) {
  switch (value) {
    case QSM_TECHNIQUE_SWITCH:
    case QSM_TECHNIQUE_FLUSH: return true;
    default: return false;
  }
}

// Adjustment of thread blocks at run time (tb_adjust.md), with the technique that takes blocks
// away.
typedef enum qsm_adjustment {
  qsmAdjustOff = 0,  // Thread blocks stay as they were allocated
  qsmAdjustSwitch = 1,  // Adjusted at run time; blocks are taken away by switching
  qsmAdjustDrain = 2,  // By draining
  qsmAdjustFlush = 3,  // By flushing
  QSM_ADJUST_OFF = qsmAdjustOff,
  QSM_ADJUST_SWITCH = qsmAdjustSwitch,
  QSM_ADJUST_DRAIN = qsmAdjustDrain,
  QSM_ADJUST_FLUSH = qsmAdjustFlush,
} qsmAdjustment;
enum { QSM_ADJUSTMENT_COUNT = 4 };  // above every number
static inline const char *qsm_adjustment_name(uint32_t value) {
  switch (value) {
    case QSM_ADJUST_OFF: return "off";
    case QSM_ADJUST_SWITCH: return "switch";
    case QSM_ADJUST_DRAIN: return "drain";
    case QSM_ADJUST_FLUSH: return "flush";
    default: return "?";
  }
}
static inline bool qsm_adjustment_valid(uint32_t value) {
  return value < QSM_ADJUSTMENT_COUNT;
}
static inline bool qsm_adjustment_parse(const char *name, uint32_t *value) {
  return qsm_enum_parse(qsm_adjustment_name, QSM_ADJUSTMENT_COUNT, name, value);
}

// Caches that a launch does not allocate in.
typedef enum qsm_cache_policy {
  qsmCacheUseAll = 0,  // Loads and stores allocate in the L1 and the L2
  qsmCacheSkipL1 = 1,  // Not in the L1
  qsmCacheSkipL2 = 2,  // Not in the L2
  qsmCacheSkipL1AndL2 = 3,  // In neither
  QSM_CACHE_USE_ALL = qsmCacheUseAll,
  QSM_CACHE_SKIP_L1 = qsmCacheSkipL1,
  QSM_CACHE_SKIP_L2 = qsmCacheSkipL2,
  QSM_CACHE_SKIP_L1_AND_L2 = qsmCacheSkipL1AndL2,
} qsmCachePolicy;
enum { QSM_CACHE_POLICY_COUNT = 4 };  // above every number
static inline const char *qsm_cache_policy_name(uint32_t value) {
  switch (value) {
    case QSM_CACHE_USE_ALL: return "s0";
    case QSM_CACHE_SKIP_L1: return "s1";
    case QSM_CACHE_SKIP_L2: return "s2";
    case QSM_CACHE_SKIP_L1_AND_L2: return "s12";
    default: return "?";
  }
}
static inline bool qsm_cache_policy_valid(uint32_t value) {
  return value < QSM_CACHE_POLICY_COUNT;
}
static inline bool qsm_cache_policy_parse(const char *name, uint32_t *value) {
  return qsm_enum_parse(qsm_cache_policy_name, QSM_CACHE_POLICY_COUNT, name, value);
}

// Why a resident warp did not issue (subcore.md, R-IS-6).
typedef enum qsm_stall {
  qsmStallSelected = 0,  // The warp issued
  qsmStallBarrier = 1,  // It waits at a barrier
  qsmStallNoInstruction = 2,  // Its buffer is empty, its kernel killed or its block frozen
  qsmStallLongScoreboard = 3,  // It waits for a load, or a fence for what is under way in memory
  qsmStallShortScoreboard = 4,  // It waits for another result, or no scoreboard entry is free
  qsmStallQuota = 5,  // Its kernel's gate is closed
  qsmStallPipeThrottle = 6,  // The unit or the write port is taken, or a step is injected
  qsmStallNotSelected = 7,  // It could issue, and another warp did
  QSM_STALL_SELECTED = qsmStallSelected,
  QSM_STALL_BARRIER = qsmStallBarrier,
  QSM_STALL_NO_INSTRUCTION = qsmStallNoInstruction,
  QSM_STALL_LONG_SCOREBOARD = qsmStallLongScoreboard,
  QSM_STALL_SHORT_SCOREBOARD = qsmStallShortScoreboard,
  QSM_STALL_QUOTA = qsmStallQuota,
  QSM_STALL_PIPE_THROTTLE = qsmStallPipeThrottle,
  QSM_STALL_NOT_SELECTED = qsmStallNotSelected,
} qsmStall;
enum { QSM_STALL_COUNT = 8 };  // above every number
static inline const char *qsm_stall_name(uint32_t value) {
  switch (value) {
    case QSM_STALL_SELECTED: return "selected";
    case QSM_STALL_BARRIER: return "barrier";
    case QSM_STALL_NO_INSTRUCTION: return "no_instruction";
    case QSM_STALL_LONG_SCOREBOARD: return "long_scoreboard";
    case QSM_STALL_SHORT_SCOREBOARD: return "short_scoreboard";
    case QSM_STALL_QUOTA: return "quota";
    case QSM_STALL_PIPE_THROTTLE: return "pipe_throttle";
    case QSM_STALL_NOT_SELECTED: return "not_selected";
    default: return "?";
  }
}
static inline bool qsm_stall_valid(uint32_t value) {
  return value < QSM_STALL_COUNT;
}
static inline bool qsm_stall_parse(const char *name, uint32_t *value) {
  return qsm_enum_parse(qsm_stall_name, QSM_STALL_COUNT, name, value);
}
static inline const char *qsm_stall_text(uint32_t value) {
  switch (value) {
    case QSM_STALL_SELECTED: return "The warp issued";
    case QSM_STALL_BARRIER: return "It waits at a barrier";
    case QSM_STALL_NO_INSTRUCTION:
      return "Its buffer is empty, its kernel killed or its block frozen";
    case QSM_STALL_LONG_SCOREBOARD:
      return "It waits for a load, or a fence for what is under way in memory";
    case QSM_STALL_SHORT_SCOREBOARD:
      return "It waits for another result, or no scoreboard entry is free";
    case QSM_STALL_QUOTA: return "Its kernel's gate is closed";
    case QSM_STALL_PIPE_THROTTLE:
      return "The unit or the write port is taken, or a step is injected";
    case QSM_STALL_NOT_SELECTED: return "It could issue, and another warp did";
    default: return "?";
  }
}
static inline bool qsm_stall_is_long_latency(uint32_t value) {
  switch (value) {
    case QSM_STALL_BARRIER:
    case QSM_STALL_LONG_SCOREBOARD:
    case QSM_STALL_QUOTA: return true;
    default: return false;
  }
}

// Events that take energy (energy.md, R-EN-1).
typedef enum qsm_energy_event {
  qsmEnergyIssues = 0,  // Warp instructions issued
  qsmEnergyAlu = 1,  // Lanes of integer, control and simple floating-point instructions
  qsmEnergyMul = 2,  // Lanes of integer multiplications
  qsmEnergyDiv = 3,  // Lanes of divisions and square roots
  qsmEnergyFma = 4,  // Lanes of floating-point additions, multiplications and conversions
  qsmEnergyMem = 5,  // Lanes of loads, stores and atomics
  qsmEnergyRegReads = 6,  // Registers read, in lanes
  qsmEnergyRegWrites = 7,  // Registers written, in lanes
  qsmEnergyShared = 8,  // Words of shared memory
  qsmEnergyLines = 9,  // Lines of device memory that loads, stores and atomics access
  QSM_ENERGY_ISSUES = qsmEnergyIssues,
  QSM_ENERGY_ALU = qsmEnergyAlu,
  QSM_ENERGY_MUL = qsmEnergyMul,
  QSM_ENERGY_DIV = qsmEnergyDiv,
  QSM_ENERGY_FMA = qsmEnergyFma,
  QSM_ENERGY_MEM = qsmEnergyMem,
  QSM_ENERGY_REG_READS = qsmEnergyRegReads,
  QSM_ENERGY_REG_WRITES = qsmEnergyRegWrites,
  QSM_ENERGY_SHARED = qsmEnergyShared,
  QSM_ENERGY_LINES = qsmEnergyLines,
} qsmEnergyEvent;
enum { QSM_ENERGY_EVENT_COUNT = 10 };  // above every number
static inline const char *qsm_energy_event_name(uint32_t value) {
  switch (value) {
    case QSM_ENERGY_ISSUES: return "issues";
    case QSM_ENERGY_ALU: return "alu";
    case QSM_ENERGY_MUL: return "mul";
    case QSM_ENERGY_DIV: return "div";
    case QSM_ENERGY_FMA: return "fma";
    case QSM_ENERGY_MEM: return "mem";
    case QSM_ENERGY_REG_READS: return "reg_reads";
    case QSM_ENERGY_REG_WRITES: return "reg_writes";
    case QSM_ENERGY_SHARED: return "shared";
    case QSM_ENERGY_LINES: return "lines";
    default: return "?";
  }
}
static inline bool qsm_energy_event_valid(uint32_t value) {
  return value < QSM_ENERGY_EVENT_COUNT;
}
static inline bool qsm_energy_event_parse(const char *name, uint32_t *value) {
  return qsm_enum_parse(qsm_energy_event_name, QSM_ENERGY_EVENT_COUNT, name, value);
}
static inline const char *qsm_energy_event_text(uint32_t value) {
  switch (value) {
    case QSM_ENERGY_ISSUES: return "Warp instructions issued";
    case QSM_ENERGY_ALU: return "Lanes of integer, control and simple floating-point instructions";
    case QSM_ENERGY_MUL: return "Lanes of integer multiplications";
    case QSM_ENERGY_DIV: return "Lanes of divisions and square roots";
    case QSM_ENERGY_FMA:
      return "Lanes of floating-point additions, multiplications and conversions";
    case QSM_ENERGY_MEM: return "Lanes of loads, stores and atomics";
    case QSM_ENERGY_REG_READS: return "Registers read, in lanes";
    case QSM_ENERGY_REG_WRITES: return "Registers written, in lanes";
    case QSM_ENERGY_SHARED: return "Words of shared memory";
    case QSM_ENERGY_LINES: return "Lines of device memory that loads, stores and atomics access";
    default: return "?";
  }
}

// Causes of faults (isa.md).
typedef enum qsm_cause {
  qsmCauseJumpTarget = 0,  // jump target misaligned
  qsmCauseFetchAccess = 1,  // instruction access fault (no window with x)
  qsmCauseIllegal = 2,  // illegal instruction
  qsmCauseBreakpoint = 3,  // breakpoint (ebreak; what assert in a kernel compiles to)
  qsmCauseLoadMisaligned = 4,  // load misaligned
  qsmCauseLoadAccess = 5,  // load access fault
  qsmCauseStoreMisaligned = 6,  // store or AMO misaligned
  qsmCauseStoreAccess = 7,  // store or AMO access fault
  qsmCauseEcall = 8,  // ecall
  qsmCauseHost = 24,  // killed by the host
  qsmCauseStackOverflow = 25,  // a local address below the thread's stack; load, store or AMO
  QSM_CAUSE_JUMP_TARGET = qsmCauseJumpTarget,
  QSM_CAUSE_FETCH_ACCESS = qsmCauseFetchAccess,
  QSM_CAUSE_ILLEGAL = qsmCauseIllegal,
  QSM_CAUSE_BREAKPOINT = qsmCauseBreakpoint,
  QSM_CAUSE_LOAD_MISALIGNED = qsmCauseLoadMisaligned,
  QSM_CAUSE_LOAD_ACCESS = qsmCauseLoadAccess,
  QSM_CAUSE_STORE_MISALIGNED = qsmCauseStoreMisaligned,
  QSM_CAUSE_STORE_ACCESS = qsmCauseStoreAccess,
  QSM_CAUSE_ECALL = qsmCauseEcall,
  QSM_CAUSE_HOST = qsmCauseHost,
  QSM_CAUSE_STACK_OVERFLOW = qsmCauseStackOverflow,
} qsmCause;
enum { QSM_CAUSE_COUNT = 26 };  // above every number
static inline const char *qsm_cause_name(uint32_t value) {
  switch (value) {
    case QSM_CAUSE_JUMP_TARGET: return "jump_target";
    case QSM_CAUSE_FETCH_ACCESS: return "fetch_access";
    case QSM_CAUSE_ILLEGAL: return "illegal";
    case QSM_CAUSE_BREAKPOINT: return "breakpoint";
    case QSM_CAUSE_LOAD_MISALIGNED: return "load_misaligned";
    case QSM_CAUSE_LOAD_ACCESS: return "load_access";
    case QSM_CAUSE_STORE_MISALIGNED: return "store_misaligned";
    case QSM_CAUSE_STORE_ACCESS: return "store_access";
    case QSM_CAUSE_ECALL: return "ecall";
    case QSM_CAUSE_HOST: return "host";
    case QSM_CAUSE_STACK_OVERFLOW: return "stack_overflow";
    default: return "?";
  }
}
static inline const char *qsm_cause_text(uint32_t value) {
  switch (value) {
    case QSM_CAUSE_JUMP_TARGET: return "jump target misaligned";
    case QSM_CAUSE_FETCH_ACCESS: return "instruction access fault (no window with x)";
    case QSM_CAUSE_ILLEGAL: return "illegal instruction";
    case QSM_CAUSE_BREAKPOINT: return "breakpoint (ebreak; what assert in a kernel compiles to)";
    case QSM_CAUSE_LOAD_MISALIGNED: return "load misaligned";
    case QSM_CAUSE_LOAD_ACCESS: return "load access fault";
    case QSM_CAUSE_STORE_MISALIGNED: return "store or AMO misaligned";
    case QSM_CAUSE_STORE_ACCESS: return "store or AMO access fault";
    case QSM_CAUSE_ECALL: return "ecall";
    case QSM_CAUSE_HOST: return "killed by the host";
    case QSM_CAUSE_STACK_OVERFLOW:
      return "a local address below the thread's stack; load, store or AMO";
    default: return "?";
  }
}

// Causes that only the library gives.
typedef enum qsm_library_cause {
  qsmCauseNotStarted = 63,  // the library could not start the launch; the GPU never gives it
  QSM_CAUSE_NOT_STARTED = qsmCauseNotStarted,
} qsmLibraryCause;
enum { QSM_LIBRARY_CAUSE_COUNT = 64 };  // above every number
static inline const char *qsm_library_cause_name(uint32_t value) {
  switch (value) {
    case QSM_CAUSE_NOT_STARTED: return "not_started";
    default: return "?";
  }
}

// Profiles of instances: SMs, channels and memory of a context's own (libqsm.md).
typedef enum qsm_instance {
  qsmInstanceOneSeventh = 0,  // A seventh of the SMs, an eighth of the memory
  qsmInstanceTwoSevenths = 1,  // Two sevenths of the SMs, two eighths of the memory
  qsmInstanceThreeSevenths = 2,  // Three sevenths of the SMs, half of the memory
  qsmInstanceFourSevenths = 3,  // Four sevenths of the SMs, half of the memory
  qsmInstanceSevenSevenths = 4,  // All SMs, all of the memory
  QSM_INSTANCE_ONE_SEVENTH = qsmInstanceOneSeventh,
  QSM_INSTANCE_TWO_SEVENTHS = qsmInstanceTwoSevenths,
  QSM_INSTANCE_THREE_SEVENTHS = qsmInstanceThreeSevenths,
  QSM_INSTANCE_FOUR_SEVENTHS = qsmInstanceFourSevenths,
  QSM_INSTANCE_SEVEN_SEVENTHS = qsmInstanceSevenSevenths,
} qsmInstance;
enum { QSM_INSTANCE_COUNT = 5 };  // above every number
static inline const char *qsm_instance_name(uint32_t value) {
  switch (value) {
    case QSM_INSTANCE_ONE_SEVENTH: return "1/7";
    case QSM_INSTANCE_TWO_SEVENTHS: return "2/7";
    case QSM_INSTANCE_THREE_SEVENTHS: return "3/7";
    case QSM_INSTANCE_FOUR_SEVENTHS: return "4/7";
    case QSM_INSTANCE_SEVEN_SEVENTHS: return "7/7";
    default: return "?";
  }
}
static inline bool qsm_instance_valid(uint32_t value) {
  return value < QSM_INSTANCE_COUNT;
}
static inline bool qsm_instance_parse(const char *name, uint32_t *value) {
  return qsm_enum_parse(qsm_instance_name, QSM_INSTANCE_COUNT, name, value);
}

// Decision on a request for a preemption (preemption.md, R-PE-3).
enum qsm_preempt_code {
  QSM_PREEMPT_NONE = 0,  // nothing has been asked for
  QSM_PREEMPT_EXAMINED = 1,  // the request is being examined
  QSM_PREEMPT_ACCEPTED = 2,  // the preemption has begun
  QSM_PREEMPT_NO_TB = 5,  // no thread block of the context is there
  QSM_PREEMPT_BUSY = 6,  // another preemption is under way there
  QSM_PREEMPT_NOT_IDEMPOTENT = 7,  // the kernel is not marked idempotent
  QSM_PREEMPT_NO_AREA = 8,  // the context has no save area
  QSM_PREEMPT_NO_IMAGE = 9,  // all images are in use
  QSM_PREEMPT_TOO_SMALL = 10,  // the save area has no room for this image
};
enum { QSM_PREEMPT_CODE_COUNT = 11 };  // above every number
static inline const char *qsm_preempt_code_name(uint32_t value) {
  switch (value) {
    case QSM_PREEMPT_NONE: return "none";
    case QSM_PREEMPT_EXAMINED: return "examined";
    case QSM_PREEMPT_ACCEPTED: return "accepted";
    case QSM_PREEMPT_NO_TB: return "no_tb";
    case QSM_PREEMPT_BUSY: return "busy";
    case QSM_PREEMPT_NOT_IDEMPOTENT: return "not_idempotent";
    case QSM_PREEMPT_NO_AREA: return "no_area";
    case QSM_PREEMPT_NO_IMAGE: return "no_image";
    case QSM_PREEMPT_TOO_SMALL: return "too_small";
    default: return "?";
  }
}
static inline const char *qsm_preempt_code_text(uint32_t value) {
  switch (value) {
    case QSM_PREEMPT_NONE: return "nothing has been asked for";
    case QSM_PREEMPT_EXAMINED: return "the request is being examined";
    case QSM_PREEMPT_ACCEPTED: return "the preemption has begun";
    case QSM_PREEMPT_NO_TB: return "no thread block of the context is there";
    case QSM_PREEMPT_BUSY: return "another preemption is under way there";
    case QSM_PREEMPT_NOT_IDEMPOTENT: return "the kernel is not marked idempotent";
    case QSM_PREEMPT_NO_AREA: return "the context has no save area";
    case QSM_PREEMPT_NO_IMAGE: return "all images are in use";
    case QSM_PREEMPT_TOO_SMALL: return "the save area has no room for this image";
    default: return "?";
  }
}

// Preemption under way on an SM.
enum qsm_job_kind {
  QSM_JOB_NONE = 0,  // No preemption is under way on the SM
  QSM_JOB_SAVE = 1,  // A block is saved, or leaves to start anew
  QSM_JOB_DRAIN = 2,  // A block runs to its end
  QSM_JOB_RESTORE = 3,  // A block comes back
  QSM_JOB_SAVED = 4,  // A block has been saved; tables are cleaned up
  QSM_JOB_FREED = 5,  // An image has been freed; tables are cleaned up
};
enum { QSM_JOB_KIND_COUNT = 6 };  // above every number
static inline const char *qsm_job_kind_name(uint32_t value) {
  switch (value) {
    case QSM_JOB_NONE: return "none";
    case QSM_JOB_SAVE: return "save";
    case QSM_JOB_DRAIN: return "drain";
    case QSM_JOB_RESTORE: return "restore";
    case QSM_JOB_SAVED: return "saved";
    case QSM_JOB_FREED: return "freed";
    default: return "?";
  }
}

// What became of a preemption that the host asked for.
typedef enum qsm_job_result {
  qsmPreemptNone = 0,  // Nothing has been asked for
  qsmPreemptRunning = 1,  // It goes on
  qsmPreemptDone = 2,  // The block was taken away
  qsmPreemptEndedBefore = 3,  // The block ended by itself before it was saved
  qsmPreemptKilled = 4,  // The kernel was killed
  QSM_RESULT_NONE = qsmPreemptNone,
  QSM_RESULT_RUNNING = qsmPreemptRunning,
  QSM_RESULT_DONE = qsmPreemptDone,
  QSM_RESULT_ENDED_BEFORE = qsmPreemptEndedBefore,
  QSM_RESULT_KILLED = qsmPreemptKilled,
} qsmJobResult;
enum { QSM_JOB_RESULT_COUNT = 5 };  // above every number
static inline const char *qsm_job_result_name(uint32_t value) {
  switch (value) {
    case QSM_RESULT_NONE: return "none";
    case QSM_RESULT_RUNNING: return "running";
    case QSM_RESULT_DONE: return "done";
    case QSM_RESULT_ENDED_BEFORE: return "ended_before";
    case QSM_RESULT_KILLED: return "killed";
    default: return "?";
  }
}

// Phase of the sequencer that saves and restores blocks (preemption.md).
enum qsm_save_phase {
  QSM_PHASE_IDLE = 0,  // has not begun
  QSM_PHASE_ADDRESS = 1,  // computes the image's address
  QSM_PHASE_QUIET = 2,  // waits until the block is quiet or launched
  QSM_PHASE_FIND = 3,  // looks for a warp
  QSM_PHASE_REGISTERS = 4,  // moves registers
  QSM_PHASE_STATE = 5,  // moves the warps' state
  QSM_PHASE_FINISHED = 6,  // marks finished warps
  QSM_PHASE_SHARED = 7,  // moves shared memory
  QSM_PHASE_HEADER = 8,  // moves the block's index
  QSM_PHASE_WAIT = 9,  // waits for memory
};
enum { QSM_SAVE_PHASE_COUNT = 10 };  // above every number
static inline const char *qsm_save_phase_name(uint32_t value) {
  switch (value) {
    case QSM_PHASE_IDLE: return "idle";
    case QSM_PHASE_ADDRESS: return "address";
    case QSM_PHASE_QUIET: return "quiet";
    case QSM_PHASE_FIND: return "find";
    case QSM_PHASE_REGISTERS: return "registers";
    case QSM_PHASE_STATE: return "state";
    case QSM_PHASE_FINISHED: return "finished";
    case QSM_PHASE_SHARED: return "shared";
    case QSM_PHASE_HEADER: return "header";
    case QSM_PHASE_WAIT: return "wait";
    default: return "?";
  }
}
static inline const char *qsm_save_phase_text(uint32_t value) {
  switch (value) {
    case QSM_PHASE_IDLE: return "has not begun";
    case QSM_PHASE_ADDRESS: return "computes the image's address";
    case QSM_PHASE_QUIET: return "waits until the block is quiet or launched";
    case QSM_PHASE_FIND: return "looks for a warp";
    case QSM_PHASE_REGISTERS: return "moves registers";
    case QSM_PHASE_STATE: return "moves the warps' state";
    case QSM_PHASE_FINISHED: return "marks finished warps";
    case QSM_PHASE_SHARED: return "moves shared memory";
    case QSM_PHASE_HEADER: return "moves the block's index";
    case QSM_PHASE_WAIT: return "waits for memory";
    default: return "?";
  }
}

// What an SM is to do with a thread block.
enum qsm_tb_op {
  QSM_TB_NEW = 0,  // A block begins
  QSM_TB_RESTORE = 1,  // A block comes back from its image
  QSM_TB_SAVE = 2,  // A block's state is saved
  QSM_TB_FLUSH = 3,  // A block leaves, to start from its beginning later
};
enum { QSM_TB_OP_COUNT = 4 };  // above every number
static inline const char *qsm_tb_op_name(uint32_t value) {
  switch (value) {
    case QSM_TB_NEW: return "new";
    case QSM_TB_RESTORE: return "restore";
    case QSM_TB_SAVE: return "save";
    case QSM_TB_FLUSH: return "flush";
    default: return "?";
  }
}

// Instructions that the sequencer injects (preemption.md, R-PE-16).
enum qsm_step {
  QSM_STEP_ST = 0,  // A register to the image
  QSM_STEP_LD = 1,  // A register from the image
  QSM_STEP_STS = 2,  // A register to shared memory
  QSM_STEP_LDS = 3,  // A register from shared memory
  QSM_STEP_SET = 4,  // A constant to a register
  QSM_STEP_JMP = 5,  // The split's PC from a register
};
enum { QSM_STEP_COUNT = 6 };  // above every number
static inline const char *qsm_step_name(uint32_t value) {
  switch (value) {
    case QSM_STEP_ST: return "st";
    case QSM_STEP_LD: return "ld";
    case QSM_STEP_STS: return "sts";
    case QSM_STEP_LDS: return "lds";
    case QSM_STEP_SET: return "set";
    case QSM_STEP_JMP: return "jmp";
    default: return "?";
  }
}

// Who uses an SM (sm_owner.md).
typedef enum qsm_sm_use {
  qsmSmShared = 0,  // All kernels share the SM
  qsmSmOwned = 1,  // It belongs to one kernel
  qsmSmFree = 2,  // Nobody uses it
  QSM_USE_SHARED = qsmSmShared,
  QSM_USE_OWNED = qsmSmOwned,
  QSM_USE_FREE = qsmSmFree,
} qsmSmUse;
enum { QSM_SM_USE_COUNT = 3 };  // above every number
static inline const char *qsm_sm_use_name(uint32_t value) {
  switch (value) {
    case QSM_USE_SHARED: return "shared";
    case QSM_USE_OWNED: return "owned";
    case QSM_USE_FREE: return "free";
    default: return "?";
  }
}
static inline bool qsm_sm_use_valid(uint32_t value) {
  return value < QSM_SM_USE_COUNT;
}
static inline bool qsm_sm_use_parse(const char *name, uint32_t *value) {
  return qsm_enum_parse(qsm_sm_use_name, QSM_SM_USE_COUNT, name, value);
}

// Power of an SM (sm_owner.md).
enum qsm_sm_power {
  QSM_POWER_ON = 0,  // The SM runs
  QSM_POWER_STOPPING = 1,  // It was told to stop
  QSM_POWER_OFF = 2,  // It is gated
  QSM_POWER_WAKING = 3,  // It was told to start
};
enum { QSM_SM_POWER_COUNT = 4 };  // above every number
static inline const char *qsm_sm_power_name(uint32_t value) {
  switch (value) {
    case QSM_POWER_ON: return "on";
    case QSM_POWER_STOPPING: return "stopping";
    case QSM_POWER_OFF: return "off";
    case QSM_POWER_WAKING: return "waking";
    default: return "?";
  }
}

// What is being learned of a kernel's number of SMs (sm_mgr.md).
enum qsm_eval {
  QSM_EVAL_NONE = 0,  // Nothing to judge
  QSM_EVAL_MOVING = 1,  // An SM of the kernel moves
  QSM_EVAL_SETTLING = 2,  // The first whole epoch after the move runs
};
enum { QSM_EVAL_COUNT = 3 };  // above every number
static inline const char *qsm_eval_name(uint32_t value) {
  switch (value) {
    case QSM_EVAL_NONE: return "none";
    case QSM_EVAL_MOVING: return "moving";
    case QSM_EVAL_SETTLING: return "settling";
    default: return "?";
  }
}

// Instruction classes: the unit that executes it.
enum qsm_class {
  QSM_CLASS_ALU = 0,  // Integer, and what passes the integer pipeline
  QSM_CLASS_MUL = 1,  // Multiplier and shifter
  QSM_CLASS_DIV = 2,  // Dividers and square root
  QSM_CLASS_MEM = 3,  // Load/store unit
  QSM_CLASS_CTL = 4,  // Ends its split: branches, jumps, barriers, exits, faults
  QSM_CLASS_FMA = 5,  // Floating-point multiply and add
};
enum { QSM_CLASS_COUNT = 6 };  // above every number
static inline const char *qsm_class_name(uint32_t value) {
  switch (value) {
    case QSM_CLASS_ALU: return "alu";
    case QSM_CLASS_MUL: return "mul";
    case QSM_CLASS_DIV: return "div";
    case QSM_CLASS_MEM: return "mem";
    case QSM_CLASS_CTL: return "ctl";
    case QSM_CLASS_FMA: return "fma";
    default: return "?";
  }
}

// Memory accesses.
enum qsm_mem_type {
  QSM_MEM_READ = 0,  // Load or fetch
  QSM_MEM_WRITE = 1,  // Store
  QSM_MEM_AMO = 2,  // Atomic memory operation
};
enum { QSM_MEM_TYPE_COUNT = 3 };  // above every number
static inline const char *qsm_mem_type_name(uint32_t value) {
  switch (value) {
    case QSM_MEM_READ: return "read";
    case QSM_MEM_WRITE: return "write";
    case QSM_MEM_AMO: return "amo";
    default: return "?";
  }
}

// Atomic memory operations.
enum qsm_amo {
  QSM_AMO_SWAP = 0,  // The operand
  QSM_AMO_ADD = 1,  // Sum
  QSM_AMO_XOR = 2,  // Exclusive or
  QSM_AMO_AND = 3,  // And
  QSM_AMO_OR = 4,  // Or
  QSM_AMO_MIN = 5,  // Signed minimum
  QSM_AMO_MAX = 6,  // Signed maximum
  QSM_AMO_MINU = 7,  // Unsigned minimum
  QSM_AMO_MAXU = 8,  // Unsigned maximum
};
enum { QSM_AMO_COUNT = 9 };  // above every number
static inline const char *qsm_amo_name(uint32_t value) {
  switch (value) {
    case QSM_AMO_SWAP: return "swap";
    case QSM_AMO_ADD: return "add";
    case QSM_AMO_XOR: return "xor";
    case QSM_AMO_AND: return "and";
    case QSM_AMO_OR: return "or";
    case QSM_AMO_MIN: return "min";
    case QSM_AMO_MAX: return "max";
    case QSM_AMO_MINU: return "minu";
    case QSM_AMO_MAXU: return "maxu";
    default: return "?";
  }
}

// What became of a fetch.
enum qsm_fetch_outcome {
  QSM_FETCH_HIT = 0,  // The pair is in the cache
  QSM_FETCH_MISS = 1,  // It is asked for
  QSM_FETCH_FAULT = 2,  // The kernel may not execute there
  QSM_FETCH_DROPPED = 3,  // The warp's split has changed meanwhile
};
enum { QSM_FETCH_OUTCOME_COUNT = 4 };  // above every number
static inline const char *qsm_fetch_outcome_name(uint32_t value) {
  switch (value) {
    case QSM_FETCH_HIT: return "hit";
    case QSM_FETCH_MISS: return "miss";
    case QSM_FETCH_FAULT: return "fault";
    case QSM_FETCH_DROPPED: return "dropped";
    default: return "?";
  }
}

// Operations of an L2 slice (l2.md).
enum qsm_l2_op {
  QSM_L2_OP_REQUEST = 0,  // A request of the crossbar
  QSM_L2_OP_FILL = 1,  // A line has come
  QSM_L2_OP_REPLAY = 2,  // A waiter of that line
  QSM_L2_OP_WALK = 3,  // A step of the flush
  QSM_L2_OP_PASS = 4,  // A response that goes past the tags
};
enum { QSM_L2_OP_COUNT = 5 };  // above every number
static inline const char *qsm_l2_op_name(uint32_t value) {
  switch (value) {
    case QSM_L2_OP_REQUEST: return "request";
    case QSM_L2_OP_FILL: return "fill";
    case QSM_L2_OP_REPLAY: return "replay";
    case QSM_L2_OP_WALK: return "walk";
    case QSM_L2_OP_PASS: return "pass";
    default: return "?";
  }
}

// What became of a request at an L2 slice.
enum qsm_l2_outcome {
  QSM_L2_HIT = 0,  // The line is there
  QSM_L2_MERGED = 1,  // The line is on its way
  QSM_L2_BYPASSED = 2,  // Bypassed: no line is allocated
  QSM_L2_WHOLE = 3,  // A write of a whole line allocates without asking for it
  QSM_L2_MISS = 4,  // The line is asked for
};
enum { QSM_L2_OUTCOME_COUNT = 5 };  // above every number
static inline const char *qsm_l2_outcome_name(uint32_t value) {
  switch (value) {
    case QSM_L2_HIT: return "hit";
    case QSM_L2_MERGED: return "merged";
    case QSM_L2_BYPASSED: return "bypassed";
    case QSM_L2_WHOLE: return "whole";
    case QSM_L2_MISS: return "miss";
    default: return "?";
  }
}

// States of the front end's sequencer (front.md).
enum qsm_front_state {
  QSM_FRONT_IDLE = 0,  // Chooses what comes next
  QSM_FRONT_END = 1,  // A launch has ended: counters and DONE of its channel
  QSM_FRONT_CLEAR = 2,  // A channel was enabled: its row becomes 0
  QSM_FRONT_UNBIND = 3,  // A channel leaves a slot
  QSM_FRONT_ROW = 4,  // A channel's row is read
  QSM_FRONT_CHECK = 5,  // Is there a command?
  QSM_FRONT_FETCH = 6,  // A command is read
  QSM_FRONT_DECODE = 7,  // Is it one?
  QSM_FRONT_CONTEXT = 8,  // The channel's context is read
  QSM_FRONT_SLOT = 9,  // A launch looks for a slot
  QSM_FRONT_BIND = 10,  // The context goes to the slot's registers
  QSM_FRONT_LOAD = 11,  // A launch's descriptor is read
  QSM_FRONT_LOOK = 12,  // Is it one?
  QSM_FRONT_PRODUCT = 13,  // Threads, warps and granules of a block
  QSM_FRONT_START = 14,  // The launch goes to the slot's registers
  QSM_FRONT_ADDRESS = 15,  // May the channel use the semaphore?
  QSM_FRONT_ACCESS = 16,  // The semaphore is read or written
  QSM_FRONT_COMPARE = 17,  // Has it reached the value?
  QSM_FRONT_SET = 18,  // May the channel change the setting?
  QSM_FRONT_SET_REG = 19,  // The setting goes to the slot's register
  QSM_FRONT_SET_STORE = 20,  // The setting goes to the context
  QSM_FRONT_STOP = 21,  // The channel is stopped
  QSM_FRONT_FINISH = 22,  // GET and DONE
  QSM_FRONT_COUNT = 23,  // A slot's thread instructions are added up
  QSM_FRONT_COPY_END = 24,  // A copy has ended: time and DONE of its channel
  QSM_FRONT_LIMIT = 25,  // The limit of a launch is read
  QSM_FRONT_RANGE = 26,  // May the channel copy there?
  QSM_FRONT_ENGINE = 27,  // A copy looks for the DMA engine
  QSM_FRONT_YIELD = 28,  // A launch of a lower priority shall yield
};
enum { QSM_FRONT_STATE_COUNT = 29 };  // above every number
static inline const char *qsm_front_state_name(uint32_t value) {
  switch (value) {
    case QSM_FRONT_IDLE: return "idle";
    case QSM_FRONT_END: return "end";
    case QSM_FRONT_CLEAR: return "clear";
    case QSM_FRONT_UNBIND: return "unbind";
    case QSM_FRONT_ROW: return "row";
    case QSM_FRONT_CHECK: return "check";
    case QSM_FRONT_FETCH: return "fetch";
    case QSM_FRONT_DECODE: return "decode";
    case QSM_FRONT_CONTEXT: return "context";
    case QSM_FRONT_SLOT: return "slot";
    case QSM_FRONT_BIND: return "bind";
    case QSM_FRONT_LOAD: return "load";
    case QSM_FRONT_LOOK: return "look";
    case QSM_FRONT_PRODUCT: return "product";
    case QSM_FRONT_START: return "start";
    case QSM_FRONT_ADDRESS: return "address";
    case QSM_FRONT_ACCESS: return "access";
    case QSM_FRONT_COMPARE: return "compare";
    case QSM_FRONT_SET: return "set";
    case QSM_FRONT_SET_REG: return "set_reg";
    case QSM_FRONT_SET_STORE: return "set_store";
    case QSM_FRONT_STOP: return "stop";
    case QSM_FRONT_FINISH: return "finish";
    case QSM_FRONT_COUNT: return "count";
    case QSM_FRONT_COPY_END: return "copy_end";
    case QSM_FRONT_LIMIT: return "limit";
    case QSM_FRONT_RANGE: return "range";
    case QSM_FRONT_ENGINE: return "engine";
    case QSM_FRONT_YIELD: return "yield";
    default: return "?";
  }
}
static inline const char *qsm_front_state_text(uint32_t value) {
  switch (value) {
    case QSM_FRONT_IDLE: return "Chooses what comes next";
    case QSM_FRONT_END: return "A launch has ended: counters and DONE of its channel";
    case QSM_FRONT_CLEAR: return "A channel was enabled: its row becomes 0";
    case QSM_FRONT_UNBIND: return "A channel leaves a slot";
    case QSM_FRONT_ROW: return "A channel's row is read";
    case QSM_FRONT_CHECK: return "Is there a command?";
    case QSM_FRONT_FETCH: return "A command is read";
    case QSM_FRONT_DECODE: return "Is it one?";
    case QSM_FRONT_CONTEXT: return "The channel's context is read";
    case QSM_FRONT_SLOT: return "A launch looks for a slot";
    case QSM_FRONT_BIND: return "The context goes to the slot's registers";
    case QSM_FRONT_LOAD: return "A launch's descriptor is read";
    case QSM_FRONT_LOOK: return "Is it one?";
    case QSM_FRONT_PRODUCT: return "Threads, warps and granules of a block";
    case QSM_FRONT_START: return "The launch goes to the slot's registers";
    case QSM_FRONT_ADDRESS: return "May the channel use the semaphore?";
    case QSM_FRONT_ACCESS: return "The semaphore is read or written";
    case QSM_FRONT_COMPARE: return "Has it reached the value?";
    case QSM_FRONT_SET: return "May the channel change the setting?";
    case QSM_FRONT_SET_REG: return "The setting goes to the slot's register";
    case QSM_FRONT_SET_STORE: return "The setting goes to the context";
    case QSM_FRONT_STOP: return "The channel is stopped";
    case QSM_FRONT_FINISH: return "GET and DONE";
    case QSM_FRONT_COUNT: return "A slot's thread instructions are added up";
    case QSM_FRONT_COPY_END: return "A copy has ended: time and DONE of its channel";
    case QSM_FRONT_LIMIT: return "The limit of a launch is read";
    case QSM_FRONT_RANGE: return "May the channel copy there?";
    case QSM_FRONT_ENGINE: return "A copy looks for the DMA engine";
    case QSM_FRONT_YIELD: return "A launch of a lower priority shall yield";
    default: return "?";
  }
}

// Commands of a channel.
enum qsm_front_opcode {
  QSM_CMD_NOP = 0,  // Nothing
  QSM_CMD_LAUNCH = 1,  // A launch
  QSM_CMD_SET = 2,  // A setting of the context
  QSM_CMD_ACQUIRE = 3,  // Waits until a word of memory has a value
  QSM_CMD_RELEASE = 4,  // Gives a word of memory a value
  QSM_CMD_COPY = 5,  // The DMA engine copies
  QSM_CMD_FILL = 6,  // The DMA engine fills
};
enum { QSM_FRONT_OPCODE_COUNT = 7 };  // above every number
static inline const char *qsm_front_opcode_name(uint32_t value) {
  switch (value) {
    case QSM_CMD_NOP: return "nop";
    case QSM_CMD_LAUNCH: return "launch";
    case QSM_CMD_SET: return "set";
    case QSM_CMD_ACQUIRE: return "acquire";
    case QSM_CMD_RELEASE: return "release";
    case QSM_CMD_COPY: return "copy";
    case QSM_CMD_FILL: return "fill";
    default: return "?";
  }
}

// Settings that a command changes.
enum qsm_front_setting {
  QSM_SETTING_GOAL = 0,  // GOAL
  QSM_SETTING_BUDGET = 1,  // BUDGET
  QSM_SETTING_SM_MASK_LO = 2,  // SM_MASK_LO
  QSM_SETTING_SM_MASK_HI = 3,  // SM_MASK_HI
  QSM_SETTING_SM_MASK_2 = 4,  // SM_MASK_2
  QSM_SETTING_CACHE_POLICY = 5,  // CACHE_POLICY
};
enum { QSM_FRONT_SETTING_COUNT = 6 };  // above every number
static inline const char *qsm_front_setting_name(uint32_t value) {
  switch (value) {
    case QSM_SETTING_GOAL: return "goal";
    case QSM_SETTING_BUDGET: return "budget";
    case QSM_SETTING_SM_MASK_LO: return "sm_mask_lo";
    case QSM_SETTING_SM_MASK_HI: return "sm_mask_hi";
    case QSM_SETTING_SM_MASK_2: return "sm_mask_2";
    case QSM_SETTING_CACHE_POLICY: return "cache_policy";
    default: return "?";
  }
}

// Why a channel was stopped (front.md, R-FR-16).
enum qsm_front_stop {
  QSM_STOP_NONE = 0,  // it was not
  QSM_STOP_BAD_PUT = 1,  // PUT or GET is outside of the ring
  QSM_STOP_BAD_COMMAND = 2,  // no such command
  QSM_STOP_BAD_ADDRESS = 3,  // an address that the context does not allow
  QSM_STOP_BAD_LAUNCH = 4,  // a word of the descriptor that must be 0
  QSM_STOP_REFUSED = 5,  // a register refused a value
  QSM_STOP_NO_RIGHT = 6,  // a setting that the channel may not change
  QSM_STOP_FAULT = 7,  // a launch was killed
  QSM_STOP_TIMEOUT = 8,  // a launch took longer than its limit
};
enum { QSM_FRONT_STOP_COUNT = 9 };  // above every number
static inline const char *qsm_front_stop_name(uint32_t value) {
  switch (value) {
    case QSM_STOP_NONE: return "none";
    case QSM_STOP_BAD_PUT: return "bad_put";
    case QSM_STOP_BAD_COMMAND: return "bad_command";
    case QSM_STOP_BAD_ADDRESS: return "bad_address";
    case QSM_STOP_BAD_LAUNCH: return "bad_launch";
    case QSM_STOP_REFUSED: return "refused";
    case QSM_STOP_NO_RIGHT: return "no_right";
    case QSM_STOP_FAULT: return "fault";
    case QSM_STOP_TIMEOUT: return "timeout";
    default: return "?";
  }
}
static inline const char *qsm_front_stop_text(uint32_t value) {
  switch (value) {
    case QSM_STOP_NONE: return "it was not";
    case QSM_STOP_BAD_PUT: return "PUT or GET is outside of the ring";
    case QSM_STOP_BAD_COMMAND: return "no such command";
    case QSM_STOP_BAD_ADDRESS: return "an address that the context does not allow";
    case QSM_STOP_BAD_LAUNCH: return "a word of the descriptor that must be 0";
    case QSM_STOP_REFUSED: return "a register refused a value";
    case QSM_STOP_NO_RIGHT: return "a setting that the channel may not change";
    case QSM_STOP_FAULT: return "a launch was killed";
    case QSM_STOP_TIMEOUT: return "a launch took longer than its limit";
    default: return "?";
  }
}

// Events of the lockstep.
enum qsm_event_kind {
  QSM_EV_FETCH = 0,  // fetch: warp pc outcome
  QSM_EV_TBOP = 1,  // tb_save: op tb phase
  QSM_EV_INJECT = 2,  // tb_save: warp step reg pc mask entry
  QSM_EV_ISSUE = 3,  // issue: warp kernel pc mask instr entry
  QSM_EV_TWO_LEVEL = 4,  // warp_sched: active
  QSM_EV_QAWS = 5,  // warp_sched: front budget ncs
  QSM_EV_RESOLVE = 6,  // warp_state: warp live bar selects
  QSM_EV_SPLIT = 7,  // warp_state: warp pc depth mask
  QSM_EV_WB = 8,  // exec: warp rd mask data[]
  QSM_EV_START = 9,  // tb_launch: warp kernel tb widx live
  QSM_EV_FINISH = 10,  // warp_state: warp tb
  QSM_EV_L1_OP = 11,  // l1: kind line outcome way txn
  QSM_EV_LSU_PASS = 12,  // lsu: sub warp kind mask
  QSM_EV_REQ = 13,  // lsu: op addr tag slot bytes_data[]
  QSM_EV_RSP = 14,  // xbar: tag
  QSM_EV_L1_FILL = 15,  // l1: set way txn valid
  QSM_EV_L1_GEN = 16,  // l1: gens
  QSM_EV_RETURN = 17,  // lsu: tag
  QSM_EV_RELEASE = 18,  // barrier: tbs
  QSM_EV_ARRIVE = 19,  // tb_launch: tb kernel linear first base op image ticket
  QSM_EV_RETIRE = 20,  // barrier: tb saved
  QSM_EV_RESUMED = 21,  // tb_save: tb
  QSM_EV_FAULT = 22,  // fault: kernel cause pc tid block value
  // qos_mgr: quota[] alpha[] insn[] hist_insn_lo[] hist_insn_hi[] hist_cycles_lo[] hist_cycles_hi[]
  // ratio[]
  QSM_EV_EPOCH = 23,
  QSM_EV_QUOTA = 24,  // quota: c[]
  QSM_EV_QLOAD = 25,  // quota: scheme granted dcnt early quota[]
  QSM_EV_SAMPLE = 26,  // idle_sampler: idle_sum[]
  QSM_EV_PREEMPT = 27,  // preempt: sm kernel tb technique image code host
  QSM_EV_ASK = 28,  // tb_adjust: sm ask idle[]
  QSM_EV_ADJUST = 29,  // tb_adjust: sm kernel victim n class target
  QSM_EV_EVICT = 30,  // tb_adjust: kernels
  QSM_EV_CLAIM = 31,  // tb_adjust: sm kernel fits left[]
  QSM_EV_DISPATCH = 32,  // tb_sched: sm tb kernel linear op image ticket
  QSM_EV_TARGETS = 33,  // tb_alloc: sm target[]
  QSM_EV_END = 34,  // tb_sched: ended killed
  QSM_EV_L2_OP = 35,  // l2: op line outcome way mshr victim
  QSM_EV_DRAM = 36,  // dram: kind bank row column passed
  QSM_EV_MEM_REQ = 37,  // xbar: op addr sm txn
  QSM_EV_MEM_RSP = 38,  // xbar: sm txn
  QSM_EV_RECORD = 39,  // sm_mgr: insn[] learned[]
  QSM_EV_PLAN = 40,  // sm_mgr: n[]
  QSM_EV_MOVE = 41,  // sm_owner: use owner moving next_use next_owner
  QSM_EV_POWER = 42,  // sm_owner: power
  QSM_EV_CHANNEL = 43,  // front: state channel slot
  QSM_EV_COMMAND = 44,  // front: channel get word[]
  QSM_EV_SA_OP = 45,  // sa: kind line outcome way txn
  QSM_EV_SA_FILL = 46,  // sa: set way txn valid last
  QSM_EV_SA_GEN = 47,  // sa: slots
  QSM_EV_MEM_LINE = 48,  // xbar: slot bytes_data[]
  QSM_EV_IRQ = 49,  // ctrl: level
};
enum { QSM_EVENT_KIND_COUNT = 50 };  // above every number
static inline const char *qsm_event_kind_name(uint32_t value) {
  switch (value) {
    case QSM_EV_FETCH: return "FETCH";
    case QSM_EV_TBOP: return "TBOP";
    case QSM_EV_INJECT: return "INJECT";
    case QSM_EV_ISSUE: return "ISSUE";
    case QSM_EV_TWO_LEVEL: return "TWOLEVEL";
    case QSM_EV_QAWS: return "QAWS";
    case QSM_EV_RESOLVE: return "RESOLVE";
    case QSM_EV_SPLIT: return "SPLIT";
    case QSM_EV_WB: return "WB";
    case QSM_EV_START: return "START";
    case QSM_EV_FINISH: return "FINISH";
    case QSM_EV_L1_OP: return "L1OP";
    case QSM_EV_LSU_PASS: return "LSUPASS";
    case QSM_EV_REQ: return "REQ";
    case QSM_EV_RSP: return "RSP";
    case QSM_EV_L1_FILL: return "L1FILL";
    case QSM_EV_L1_GEN: return "L1GEN";
    case QSM_EV_RETURN: return "RETURN";
    case QSM_EV_RELEASE: return "RELEASE";
    case QSM_EV_ARRIVE: return "ARRIVE";
    case QSM_EV_RETIRE: return "RETIRE";
    case QSM_EV_RESUMED: return "RESUMED";
    case QSM_EV_FAULT: return "FAULT";
    case QSM_EV_EPOCH: return "EPOCH";
    case QSM_EV_QUOTA: return "QUOTA";
    case QSM_EV_QLOAD: return "QLOAD";
    case QSM_EV_SAMPLE: return "SAMPLE";
    case QSM_EV_PREEMPT: return "PREEMPT";
    case QSM_EV_ASK: return "ASK";
    case QSM_EV_ADJUST: return "ADJUST";
    case QSM_EV_EVICT: return "EVICT";
    case QSM_EV_CLAIM: return "CLAIM";
    case QSM_EV_DISPATCH: return "DISPATCH";
    case QSM_EV_TARGETS: return "TARGETS";
    case QSM_EV_END: return "END";
    case QSM_EV_L2_OP: return "L2OP";
    case QSM_EV_DRAM: return "DRAM";
    case QSM_EV_MEM_REQ: return "MEMREQ";
    case QSM_EV_MEM_RSP: return "MEMRSP";
    case QSM_EV_RECORD: return "RECORD";
    case QSM_EV_PLAN: return "PLAN";
    case QSM_EV_MOVE: return "MOVE";
    case QSM_EV_POWER: return "POWER";
    case QSM_EV_CHANNEL: return "CHANNEL";
    case QSM_EV_COMMAND: return "COMMAND";
    case QSM_EV_SA_OP: return "SAOP";
    case QSM_EV_SA_FILL: return "SAFILL";
    case QSM_EV_SA_GEN: return "SAGEN";
    case QSM_EV_MEM_LINE: return "MEMLINE";
    case QSM_EV_IRQ: return "IRQ";
    default: return "?";
  }
}
static inline const char *qsm_event_kind_block(uint32_t value) {
  switch (value) {
    case QSM_EV_FETCH: return "fetch";
    case QSM_EV_TBOP: return "tb_save";
    case QSM_EV_INJECT: return "tb_save";
    case QSM_EV_ISSUE: return "issue";
    case QSM_EV_TWO_LEVEL: return "warp_sched";
    case QSM_EV_QAWS: return "warp_sched";
    case QSM_EV_RESOLVE: return "warp_state";
    case QSM_EV_SPLIT: return "warp_state";
    case QSM_EV_WB: return "exec";
    case QSM_EV_START: return "tb_launch";
    case QSM_EV_FINISH: return "warp_state";
    case QSM_EV_L1_OP: return "l1";
    case QSM_EV_LSU_PASS: return "lsu";
    case QSM_EV_REQ: return "lsu";
    case QSM_EV_RSP: return "xbar";
    case QSM_EV_L1_FILL: return "l1";
    case QSM_EV_L1_GEN: return "l1";
    case QSM_EV_RETURN: return "lsu";
    case QSM_EV_RELEASE: return "barrier";
    case QSM_EV_ARRIVE: return "tb_launch";
    case QSM_EV_RETIRE: return "barrier";
    case QSM_EV_RESUMED: return "tb_save";
    case QSM_EV_FAULT: return "fault";
    case QSM_EV_EPOCH: return "qos_mgr";
    case QSM_EV_QUOTA: return "quota";
    case QSM_EV_QLOAD: return "quota";
    case QSM_EV_SAMPLE: return "idle_sampler";
    case QSM_EV_PREEMPT: return "preempt";
    case QSM_EV_ASK: return "tb_adjust";
    case QSM_EV_ADJUST: return "tb_adjust";
    case QSM_EV_EVICT: return "tb_adjust";
    case QSM_EV_CLAIM: return "tb_adjust";
    case QSM_EV_DISPATCH: return "tb_sched";
    case QSM_EV_TARGETS: return "tb_alloc";
    case QSM_EV_END: return "tb_sched";
    case QSM_EV_L2_OP: return "l2";
    case QSM_EV_DRAM: return "dram";
    case QSM_EV_MEM_REQ: return "xbar";
    case QSM_EV_MEM_RSP: return "xbar";
    case QSM_EV_RECORD: return "sm_mgr";
    case QSM_EV_PLAN: return "sm_mgr";
    case QSM_EV_MOVE: return "sm_owner";
    case QSM_EV_POWER: return "sm_owner";
    case QSM_EV_CHANNEL: return "front";
    case QSM_EV_COMMAND: return "front";
    case QSM_EV_SA_OP: return "sa";
    case QSM_EV_SA_FILL: return "sa";
    case QSM_EV_SA_GEN: return "sa";
    case QSM_EV_MEM_LINE: return "xbar";
    case QSM_EV_IRQ: return "ctrl";
    default: return "?";
  }
}
static inline const char *qsm_event_kind_words(uint32_t value) {
  switch (value) {
    case QSM_EV_FETCH: return "warp pc outcome";
    case QSM_EV_TBOP: return "op tb phase";
    case QSM_EV_INJECT: return "warp step reg pc mask entry";
    case QSM_EV_ISSUE: return "warp kernel pc mask instr entry";
    case QSM_EV_TWO_LEVEL: return "active";
    case QSM_EV_QAWS: return "front budget ncs";
    case QSM_EV_RESOLVE: return "warp live bar selects";
    case QSM_EV_SPLIT: return "warp pc depth mask";
    case QSM_EV_WB: return "warp rd mask data[]";
    case QSM_EV_START: return "warp kernel tb widx live";
    case QSM_EV_FINISH: return "warp tb";
    case QSM_EV_L1_OP: return "kind line outcome way txn";
    case QSM_EV_LSU_PASS: return "sub warp kind mask";
    case QSM_EV_REQ: return "op addr tag slot bytes_data[]";
    case QSM_EV_RSP: return "tag";
    case QSM_EV_L1_FILL: return "set way txn valid";
    case QSM_EV_L1_GEN: return "gens";
    case QSM_EV_RETURN: return "tag";
    case QSM_EV_RELEASE: return "tbs";
    case QSM_EV_ARRIVE: return "tb kernel linear first base op image ticket";
    case QSM_EV_RETIRE: return "tb saved";
    case QSM_EV_RESUMED: return "tb";
    case QSM_EV_FAULT: return "kernel cause pc tid block value";
    case QSM_EV_EPOCH:
      return "quota[] alpha[] insn[] hist_insn_lo[] hist_insn_hi[] hist_cycles_lo[] "
             "hist_cycles_hi[] ratio[]";
    case QSM_EV_QUOTA: return "c[]";
    case QSM_EV_QLOAD: return "scheme granted dcnt early quota[]";
    case QSM_EV_SAMPLE: return "idle_sum[]";
    case QSM_EV_PREEMPT: return "sm kernel tb technique image code host";
    case QSM_EV_ASK: return "sm ask idle[]";
    case QSM_EV_ADJUST: return "sm kernel victim n class target";
    case QSM_EV_EVICT: return "kernels";
    case QSM_EV_CLAIM: return "sm kernel fits left[]";
    case QSM_EV_DISPATCH: return "sm tb kernel linear op image ticket";
    case QSM_EV_TARGETS: return "sm target[]";
    case QSM_EV_END: return "ended killed";
    case QSM_EV_L2_OP: return "op line outcome way mshr victim";
    case QSM_EV_DRAM: return "kind bank row column passed";
    case QSM_EV_MEM_REQ: return "op addr sm txn";
    case QSM_EV_MEM_RSP: return "sm txn";
    case QSM_EV_RECORD: return "insn[] learned[]";
    case QSM_EV_PLAN: return "n[]";
    case QSM_EV_MOVE: return "use owner moving next_use next_owner";
    case QSM_EV_POWER: return "power";
    case QSM_EV_CHANNEL: return "state channel slot";
    case QSM_EV_COMMAND: return "channel get word[]";
    case QSM_EV_SA_OP: return "kind line outcome way txn";
    case QSM_EV_SA_FILL: return "set way txn valid last";
    case QSM_EV_SA_GEN: return "slots";
    case QSM_EV_MEM_LINE: return "slot bytes_data[]";
    case QSM_EV_IRQ: return "level";
    default: return "?";
  }
}

// Kinds of compared state.
enum qsm_state_kind {
  QSM_STATE_REG = 0,  // sm, sub, index = warp * 32 + reg, word = lane
  QSM_STATE_SHARED = 1,  // sm, index = row, word = bank
  // sm, sub, index = warp, word = lane; meaningful for live lanes outside the split
  QSM_STATE_LANE_PC = 2,
  QSM_STATE_LANE_DEPTH = 3,  // as lane_pc
  // sm, sub, index = warp: word 0 resident, 1 live, 2 bar, 3 path.valid, 4 path.pc, 5 path.mask, 6
  // selcnt, 7 rot, 8 depth, 9 selpend
  QSM_STATE_WARP = 4,
  QSM_STATE_SPLIT_SELECT = 5,  // sm, sub, index 0: word 0 sel_last
  // sm, sub, index = warp, word = entry: valid | mem<<1 | all_sent<<2 | rd<<8 | parts<<16; 0 if not
  // valid
  QSM_STATE_SCOREBOARD = 6,
  // sm, index = kernel: word 0 C, 1 quota, 2 granted, 3 insn, 4 fresh, 5 due, 6 behind | spared<<1
  // | to_pace<<2 | to_judge<<3 | tight<<4 | kept<<5; index NumKernels: word 0 dcnt, 1 early, 2 away
  QSM_STATE_QUOTA = 7,
  // sm, index = tb slot: word 0 valid, 1 kernel, 2 left, 3 arrived; 0 unless valid: 4 ticket, 5
  // saved, 6 block x | y<<16, 7 z, 8 linear, 9 clean
  QSM_STATE_TBS = 8,
  QSM_STATE_STALL = 9,  // sm, sub, index = kernel, word = reason
  // index = kernel slot: word 0 busy, 1 killed, 2 linear of the walk, 3 out, 4 launches, 5 wait |
  // late<<1 | active<<2 | used<<3, 6 yield | yielded<<1, 7 x of the walk | y<<16, 8 z
  QSM_STATE_SLOT = 10,
  // sm, index = kernel: word 0 killed, 1 cause, 2 pc, 3 tid, 4 block, 5 value
  QSM_STATE_FAULT = 11,
  QSM_STATE_TARGET = 12,  // sm, index = kernel: word 0 target, 1 evict flag
  // sm, sub, index 0: word 0 active, 1 front.valid<<16 | front.budget<<8 | ncs, 2 prev<<1 |
  // head_ok, 3 mark
  QSM_STATE_POLICY = 13,
  QSM_STATE_IDLE = 14,  // sm, index = kernel: word 0 idle_sum, 1 snap_idle
  // sm, index 0: word 0 kind | result<<4, 1 kernel | tb<<8 | image<<16 | fresh<<24 | host<<25 (kind
  // none: 0), 2 ticket (kind saved)
  QSM_STATE_JOB = 15,
  // index = kernel slot: word 0 images used, 1 queue length, 2+n queue image | fresh<<8,
  // 2+NumImages+v spare ticket
  QSM_STATE_SAVED = 16,
  // sm, index = kernel: word 0 fresh_cnt, 1 stack height, 2+n ticket n from the bottom
  QSM_STATE_TICKETS = 17,
  // sm, index 0: word 0 op | phase<<4; 0 while idle: 1 tb | image<<8 | fresh<<16, 2 base
  QSM_STATE_TB_SAVE = 18,
  // sm, sub, index 0: word 0 wb_wait + 16 * claim; bit n-1 of claim: claim[n] of R-FP-3
  QSM_STATE_WRITE_BACK = 19,
  // sm, index 0: word 0 A full; 0 unless full: 1 line address, 2 lanes, 3 sub | warp<<8 | entry<<16
  // | kind<<24; 4 kinds of return op in order of service, longest ago first, 2 bits each (0 pass, 1
  // response, 2 hit), 5 gens, 4 bits each
  QSM_STATE_L1 = 20,
  // sm, index = set: word w, way w: valid | pending<<1 | poison<<2 | gen<<4 | slot<<8 | txn<<16 (0
  // unless pending); L1Ways + w: tag; both 0 unless valid or pending; word 2*L1Ways: tree, bit n:
  // node n
  QSM_STATE_L1_SET = 21,
  // sm = channel, index 0: word 0 credits of rsp, 1 of out, 2 of mshr, 3 of waiter, 4 entries of
  // rsp, 5 of out, 6 unacked of colour 0 | of 1 <<16, 7 flushing | walking<<1 | colour<<2, 0 unless
  // walking: 8 set, 9 way; index 1 + j, MSHR j: word 0 valid | filled<<1, 0 unless valid: 1 address
  // of its line, 2 slot, 3 waiters in its list
  QSM_STATE_L2 = 22,
  // sm = channel, index = set: word w, way w: valid | dirty<<1 | tag<<2, 0 unless valid; word
  // L2Ways: tree, bit n: node n
  QSM_STATE_L2_SET = 23,
  // sm = channel, index = bank: word 0 open, 1 row (0 when closed), 2 busy, 3 keep; index
  // DramBanks: word 0 bus, 1 passed, 2 entries, 3 accesses on the way (R-DR-7)
  QSM_STATE_DRAM = 24,
  // sm, index 0: word 0 use | owner<<2 | moving<<6 | next_use<<7 | next_owner<<9, 1 refused, 2
  // power | rested<<2
  QSM_STATE_OWNER = 26,
  // index = kernel slot: word 0 n | opt<<8 | upper<<16 | lower<<17 | eval<<18 | run<<20 | seen<<21
  // | out<<22, 1 and 2 lead, 3 i, 4 i_last, 5 sm_last; index NumKernels: word 0 managed |
  // planning<<1 | splitting<<2 | stale<<3
  QSM_STATE_SM_RECORD = 27,
  QSM_STATE_ENERGY = 29,  // sm, index = kernel, word = event
  QSM_STATE_POWER = 28,  // sm, index 0: word 0 power, 1 wait
  // index = channel: word 0 enabled | stopped<<1 | suspended<<2 | held<<3 | pending<<4 | waits<<5 |
  // busy<<6 | irq<<7 | priority<<8 | resumes<<10; index NumCmd: word 0 state, 1 next of each
  // priority p <<8p, 2+k of slot k: owner | bound<<8 | runs<<9 | ended<<10 | overdue<<11 |
  // kill_sent<<12 | yield_sent<<13 | old<<14, 10 of the DMA engine: owner | copying<<8 | copied<<9
  QSM_STATE_FRONT = 30,
  // index 0: word 0 busy | entries in use<<1 | writes under way<<8, 1 lines left to be asked for, 2
  // lines left to be written, 3 credit; 0 to 2 are 0 while not busy
  QSM_STATE_DMA = 31,
  QSM_STATE_INSN = 32,  // index = sm: word 2k low 32 bits of slot k's counter, 2k+1 its high 8 bits
  // sm = array, sub = bank, index 0: word 0 credits of rsp | of out<<4 | entries of rsp<<8 | of
  // out<<12 | serving<<16 | arrived<<17 | walk<<18 | first<<19, 1 set of the walk (0 unless it is
  // on), 2 transaction served last | last<<16 (0 unless serving), 3 transaction in arrived (0
  // unless it is full), 4+k gen of slot k; a transaction is member * (MemTxns + NumSched) + txn
  QSM_STATE_SA = 33,
  // sm = array, sub = bank, index = set: word w, way w: valid | pending<<1 | poison<<2 | gen<<8 |
  // slot<<16; SaWays + w: tag; 2*SaWays + w: last (0 unless pending); all 0 unless valid or
  // pending; 3*SaWays: tree, bit n: node n
  QSM_STATE_SA_SET = 34,
  // sm = channel (L2, memory controller), SM (L1) or an SM of the array, index = slot | bank<<4,
  // word = counter as MEM_SELECT has it; of the model, for tools
  QSM_STATE_MEMORY = 35,
  QSM_STATE_WIPE = 25,  // sm, index 0: word 0 valid | slot<<8; 0 unless valid: 1 row, 2 left
};
enum { QSM_STATE_KIND_COUNT = 36 };  // above every number
static inline const char *qsm_state_kind_name(uint32_t value) {
  switch (value) {
    case QSM_STATE_REG: return "exec registers";
    case QSM_STATE_SHARED: return "lsu shared memory";
    case QSM_STATE_LANE_PC: return "warp_state lane pc";
    case QSM_STATE_LANE_DEPTH: return "warp_state lane depth";
    case QSM_STATE_WARP: return "warp_state warp";
    case QSM_STATE_SPLIT_SELECT: return "warp_state split selection";
    case QSM_STATE_SCOREBOARD: return "issue scoreboard";
    case QSM_STATE_QUOTA: return "quota counters";
    case QSM_STATE_TBS: return "barrier tb slots";
    case QSM_STATE_STALL: return "issue stall counters";
    case QSM_STATE_SLOT: return "tb_sched slots";
    case QSM_STATE_FAULT: return "fault records";
    case QSM_STATE_TARGET: return "tb_alloc targets and evict flags";
    case QSM_STATE_POLICY: return "warp_sched policy";
    case QSM_STATE_IDLE: return "idle_sampler sums";
    case QSM_STATE_JOB: return "preempt jobs";
    case QSM_STATE_SAVED: return "preempt saved blocks";
    case QSM_STATE_TICKETS: return "preempt tickets";
    case QSM_STATE_TB_SAVE: return "tb_save sequencer";
    case QSM_STATE_WRITE_BACK: return "exec write port";
    case QSM_STATE_L1: return "l1 pass and generations";
    case QSM_STATE_L1_SET: return "l1 set";
    case QSM_STATE_L2: return "l2 slice";
    case QSM_STATE_L2_SET: return "l2 set";
    case QSM_STATE_DRAM: return "dram bank";
    case QSM_STATE_OWNER: return "sm_owner";
    case QSM_STATE_SM_RECORD: return "sm_mgr records";
    case QSM_STATE_ENERGY: return "energy counters";
    case QSM_STATE_POWER: return "sm_power controller";
    case QSM_STATE_FRONT: return "front channels";
    case QSM_STATE_DMA: return "DMA engine";
    case QSM_STATE_INSN: return "thread instructions";
    case QSM_STATE_SA: return "sa bank";
    case QSM_STATE_SA_SET: return "sa set";
    case QSM_STATE_MEMORY: return "memory counters";
    case QSM_STATE_WIPE: return "barrier wipe";
    default: return "?";
  }
}

#endif

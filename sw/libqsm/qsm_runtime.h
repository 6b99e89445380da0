// SPDX-License-Identifier: Apache-2.0
// libqsm: the host runtime. It speaks like the CUDA runtime its users know, plus quality of
// service.
//
// A *device* is one GPU behind a backend (model, rtl, lockstep). A *context* is a tenant: one
// kernel slot of the GPU with its own memory, module and QoS goal; tenants cannot reach each
// other's memory. A context runs its launches one after another, in the order of submission;
// contexts run concurrently. Contexts on command channels have streams instead of a slot
// (docs/streams.md). Time is GPU time: it passes only in calls that say so.
//
// Every function returns qsmSuccess or an error; results go through out-parameters that stay
// untouched on error; qsmGetLastErrorText() tells what and where. A NULL where something is needed
// is qsmErrorInvalidValue. Not thread-safe per device; different devices may be used by different
// threads: the list of live handles, which is all that they share, is behind a mutex.
#ifndef QSM_RUNTIME_H
#define QSM_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Policies, schemes, techniques and all else that has numbers in the GPU (docs/enumerations.md).
#include "qsm_enums.h"

#ifdef __cplusplus
extern "C" {
#endif

struct qsm_backend;
struct qsm_backend_options;
struct qsm_config;

typedef enum {
  qsmSuccess = 0,
  qsmErrorInvalidValue,      // an argument is out of its range
  qsmErrorMemoryAllocation,  // no room in the context's memory (or in the host's)
  qsmErrorInvalidImage,      // not a qsm program: wrong machine, class or layout
  qsmErrorNoRoom,            // the program does not fit its area
  qsmErrorNotFound,          // no such file or kernel
  qsmErrorInvalidLaunch,     // grid, block or shared memory that this GPU cannot run
  qsmErrorNoSlot,            // more contexts than the GPU has kernel slots
  qsmErrorGoal,  // a goal of nothing, or above what is possible; isolated IPC unknown under scheme
                 // fair; the text has the numbers
  qsmErrorKernelFault,  // the kernel was killed; the text has cause, PC and thread
  qsmErrorTimeout,      // the cycle limit ended the wait
  qsmErrorBackend,      // the backend failed (lockstep: a difference was found)
  qsmErrorBusy,         // not while launches are pending
  qsmErrorGroups,       // more distinct budgets at a time than the GPU has groups (num_groups)
  qsmErrorSaveArea,     // the save area does not hold the images asked for; the text has needed and
                        // given bytes
  qsmErrorPreempt,      // the GPU refused a preemption; the text says why
  qsmErrorInvalidHandle,  // the device, context, stream or event is NULL, or has been closed or
                          // destroyed; no device has a text of it
  qsmErrorInstance,   // an instance does not fit beside what there is, or cannot be; the text says
                      // why
  qsmErrorStream,     // a stream of another context, or what contexts on channels do not have, or
                      // others than these
  qsmErrorNoChannel,  // no command channel left for a stream or context, or none at all
  qsmErrorNotReady,   // a stream or event is not at its end: no failure
} qsmError_t;

// Handles are numbers in the shape of pointers: nothing lies where they point. A number is used
// once: a handle of what has been closed or destroyed stays invalid (qsmErrorInvalidHandle),
// whatever is opened or created later. NULL is never one.
typedef struct qsm_device_handle *qsmDevice_t;
typedef struct qsm_context_handle *qsmContext_t;
typedef struct qsm_stream_handle *qsmStream_t;
typedef struct qsm_event_handle *qsmEvent_t;

typedef struct {
  uint32_t x, y, z;
} qsmDim3;

// SMs, bit i for SM i; a GPU has up to 96.
__extension__ typedef unsigned __int128 qsmSmMask;

// What became of a launch.
typedef struct {
  bool killed;     // by a fault or qsmContextKill
  uint32_t cause;  // qsmCause or qsmLibraryCause, docs/isa.md "Faults"
  uint32_t pc, tid, block, value;
  bool needs_fpu;           // the fault is a floating-point instruction on a GPU without FPU
  uint64_t end_cycle;       // GPU cycle in which the host saw the end
  uint64_t deadline_cycle;  // GPU cycle up to which it should have ended; 0: it had no deadline
  bool missed;              // it had one, and was killed or ended later
} qsmLaunchResult;

// Launches with deadlines that have ended, since the context's creation or qsmClearDeadlines. Slack
// is the deadline's cycle less end_cycle: below 0 of a launch that is late.
typedef struct {
  uint64_t n_met, n_missed;  // of launches that were not killed
  uint64_t n_killed;
  int64_t least_slack, slack_sum;  // of those met and missed; 0 without one
} qsmDeadlines;

typedef enum { qsmGoalNone, qsmGoalIpc, qsmGoalShare, qsmGoalDeadline, qsmGoalRate } qsmGoalKind;

// What a context's launches shall reach, as users say it (docs/goals.md). Fields that a kind does
// not name mean nothing to it.
typedef struct {
  qsmGoalKind kind;
  uint64_t value;  // Ipc: thread instructions per GPU cycle, Q16.16; Share: millionths of the
                   // isolated IPC; Deadline: ns per launch; Rate: launches per 1000 s
  uint64_t instructions;      // Deadline, Rate: thread instructions of a launch
  uint32_t isolated_ipc_q16;  // Share; the others: no goal may be above it, 0 = not known
  uint64_t bytes;   // Deadline, Rate: transferred for each launch over the host's link ...
  uint32_t copies;  // ... in so many copies
  bool overlapped;  // Deadline, Rate: copies run beside the kernel, so they take none of its time
} qsmGoal;

// When goals of several tenants are refused together (docs/goals.md R-GO-8).
typedef enum {
  qsmAdmissionOff,      // never
  qsmAdmissionSure,     // where SMs are asked for more than they can issue: no scheme holds that
  qsmAdmissionCautious  // also where goals are more than all of what their tenants reach alone,
                        // each in parts of its own, or that is not known
} qsmAdmission;
const char *qsmAdmissionName(qsmAdmission admission);  // as scenarios have it; NULL: there is none

// A goal among several.
typedef struct {
  const char *name;           // in texts; NULL: its number
  uint32_t goal_ipc_q16;      // thread instructions per cycle, Q16.16; 0: none, it asks for nothing
  uint32_t isolated_ipc_q16;  // what the tenant reaches alone; 0: not known
  qsmSmMask sm_mask;          // SMs that it may use; 0: all
} qsmAskedGoal;

// An argument of a kernel: its value, of the parameter's own type and size. It is copied when the
// launch is submitted.
typedef struct {
  const void *value;
  uint32_t bytes;
} qsmArgument;

// A launch. Its arguments are words, one for each parameter of up to 4 bytes, or values of any
// size, as many as the kernel has parameters: one of the two numbers is 0.
typedef struct {
  const char *kernel;
  qsmDim3 grid, block;
  const uint32_t *args;
  uint32_t n_args, shared_bytes;
  const qsmArgument *arguments;
  uint32_t n_arguments;
  uint32_t stack_bytes;  // of a thread, its arguments left out; 0: what the program says it needs.
                         // Overflows are faults (qsmCauseStackOverflow)
  qsmStream_t stream;    // NULL: the default stream; on a context with a slot only that
  qsmSmMask sm_mask;     // in a stream: SMs that this launch alone may use; 0: the context's
  // A deadline (docs/deadlines.md): GPU cycles from the submission in which the launch shall have
  // ended, 1 .. 2^31 - 1; 0: none. Under scheme pace, in a context with a goal, which is the most
  // that the launch gets; elsewhere it is only measured. On contexts with a slot, without workers
  // (else qsmErrorStream, qsmErrorInvalidValue). The GPU makes what is left of work and deadline
  // the goal of each epoch. It is told an epoch less, at most an eighth of the deadline, since the
  // last blocks of a launch do not fill it.
  uint64_t deadline_cycles;
  uint64_t work;  // of a launch with a deadline: its thread instructions, up to 2^32 - 1. 0: blocks
                  // x those of a block of the same kernel as qsmMeasureIsolated counted them last;
                  // qsmErrorGoal where it was not measured
} qsmLaunch;

// What the module says of a kernel.
typedef struct {
  const char *signature;  // as in its source, good until another module is loaded; NULL: nothing is
                          // known of its arguments
  uint32_t n_arguments;   // 0 where they are not known
  uint32_t stack_bytes;   // of a thread
  bool stack_known;       // by the compiler
} qsmKernelAttributes;

// What became of a preemption.
typedef struct {
  qsmJobResult how;   // qsmPreemptDone, qsmPreemptEndedBefore or qsmPreemptKilled
  uint32_t tb;        // its slot on the SM
  uint64_t n_cycles;  // from the request on, as the host saw it
} qsmPreemptResult;

// Of one launch.
typedef struct {
  uint64_t l1_loads, l1_hits, l1_merged, l1_misses, l1_stores,
      l1_atomics;  // of the L1s of all SMs, parts of instructions: merged with a miss under way;
                   // misses that allocate
  uint64_t sa_loads, sa_hits, sa_merged, sa_misses, sa_stores,
      sa_atomics;  // likewise, of the caches of all shader arrays
  uint64_t requests, hits, merged, misses, bypassed,
      atomics;                       // of the L2: merged with a miss under way; bypassed
  uint64_t victims;                  // lines that it made the L2 write back
  uint64_t dram_reads, dram_writes;  // lines
  uint64_t row_hits, rows_opened;
} qsmMemoryCounters;

// Who uses an SM (docs/sm_owner.md).
typedef struct {
  qsmSmUse use;
  uint32_t slot;  // of the owner, where it is owned
  bool moving;    // to the next use and owner
  qsmSmUse next_use;
  uint32_t next_slot;
  bool gated;
} qsmSmState;

// Since the GPU's reset, summed over the SMs.
typedef struct {
  uint32_t moves;  // that have ended; wraps
  uint32_t wakes;  // of gated SMs; wraps
  uint64_t move_cycles, gated_sm_cycles;
  uint64_t shared_sm_cycles;  // of shared SMs that hold a block
} qsmSmCounters;

// Energy of a context (docs/energy.md), since its creation or qsmMarkEnergy: events, and joules by
// the energies of the configuration. What L2 and memory took is in qsmMemoryEnergy, launch by
// launch; SMs that are shared are in qsmDeviceEnergy.
typedef struct {
  uint64_t events[QSM_ENERGY_EVENT_COUNT];  // by qsmEnergyEvent
  uint64_t owned_sm_cycles;                 // of SMs of its own
  double event_joules;                      // of its instructions, and the L1s
  double sm_joules;                         // of its own SMs: clock and leakage
} qsmEnergy;

// Of the device since its reset, without L2 and memory.
typedef struct {
  uint64_t events[QSM_ENERGY_EVENT_COUNT];  // of all contexts that there were
  uint64_t sm_cycles;                       // all, gated or not
  qsmSmCounters sms;
  double event_joules, sm_joules;
} qsmDeviceEnergy;

// What the SM manager knows of a kernel (docs/sm_mgr.md).
typedef struct {
  uint32_t sms;          // it shall have so many; 0 under other schemes
  uint32_t best_sms;     // as far as is known, of a kernel without a goal
  bool more_is_no_gain;  // of an SM more than the best number
  bool less_is_a_loss;   // of one less
  bool judging;          // it waits for what the last SM that came or went brings
} qsmSmRecord;

// Forms of persistent workers (docs/workers.md).
typedef enum { qsmWorkersOff, qsmWorkersRh, qsmWorkersSlate, qsmWorkersPersistent } qsmWorkers;
enum { QSM_WORKERS_COUNT = 4 };
// Instead of a number of workers per SM: as many as half of an SM holds, launch by launch.
#define QSM_WORKERS_HALF UINT32_MAX
// "off", "rh", "slate", "persistent"; NULL: there is no such form.
const char *qsm_workers_name(uint32_t form);

typedef void (*qsmLaunchCallback)(void *user, const qsmLaunchResult *result);

const char *qsmFaultNote(
    const qsmLaunchResult *result);  // to put behind the numbers of a fault: what they mean, where
                                     // they do not say it, or ""
const char *qsmGetErrorString(qsmError_t error);      // e.g. "invalid launch"
const char *qsmGetLastErrorText(qsmDevice_t device);  // of the last call that failed on this device

// ---- Device ----
// backend: "model", "rtl", "lockstep", "serial:DEVICE", "checked:serial:DEVICE"; config: a name in
// configs/ or a path. On error *msg tells why.
qsmError_t qsmDeviceOpen(const char *backend, const char *config,
                         const struct qsm_backend_options *options, qsmDevice_t *device, char *msg,
                         size_t msg_len);
void qsmDeviceClose(qsmDevice_t device);  // closes its contexts too; NULL is fine
// NULL and 0 of an invalid handle.
const struct qsm_config *qsmDeviceConfig(qsmDevice_t device);
struct qsm_backend *qsmDeviceBackend(qsmDevice_t device);
uint64_t qsmDeviceCycle(qsmDevice_t device);
// Calls that must let time pass by themselves (a flush of the L2 before the host reads or writes
// memory that a kernel may have in it) call `watch` every now and then, for hosts that look at
// registers at certain times. It may read and write registers, and nothing else. NULL: off.
void qsmSetWatch(qsmDevice_t device, void (*watch)(void *user), void *user);
// Lets time pass until `cycle`, serving launches that end (results read, callbacks called, next
// launch started).
qsmError_t qsmDeviceRunUntil(qsmDevice_t device, uint64_t cycle);
// Runs until no launch of any context is pending; qsmErrorTimeout after max_cycles.
qsmError_t qsmDeviceSynchronize(qsmDevice_t device, uint64_t max_cycles);
// Control register access (docs/registers.md); two cycles each (control_port.md R-CP-12).
qsmError_t qsmRegisterWrite(qsmDevice_t device, uint32_t address, uint32_t value);
qsmError_t qsmRegisterRead(qsmDevice_t device, uint32_t address, uint32_t *value);
// Scheduling for all contexts; epoch length in cycles. Scheme and epoch take effect at the next
// epoch. qsmErrorInvalidValue, with the names in the text: there is no such policy or scheme.
// qsmErrorGoal: fair, and the isolated IPC of a context is not known (qsmSetIsolatedIpc).
qsmError_t qsmSetScheduling(qsmDevice_t device, qsmPolicy policy, qsmScheme scheme,
                            uint32_t epoch_cycles);

// How goals become quotas in the schemes that use history (docs/qos_mgr.md R-QM-6 to R-QM-13).
typedef struct {
  uint32_t alpha_cap_q16;  // largest factor on the goal of a kernel that is behind, 1 to below 64
                           // (0x10000..0x3FFFFF); 0: none
  uint32_t rollover_cap;   // epochs of quota that may be carried over, at most 255; 0: no limit
  uint32_t rules;          // QUOTA_RULES: QSM_REG_QUOTA_RULES_*_MASK, with the margin
} qsmController;
// As after reset; and rollover_paper: with scheme rollover what comes nearest to FGQ's figures
// (docs/decisions.md B19).
extern const qsmController qsmControllerReset, qsmControllerRolloverPaper;
// From the next epoch on. qsmErrorInvalidValue: a value out of its range.
qsmError_t qsmSetController(qsmDevice_t device, const qsmController *controller);

// From the next epoch on: a context behind its goal gets more thread blocks on the SMs, if need be
// in place of others' (those without a goal first). Where the technique is refused (no save area,
// not idempotent) those blocks run to their ends. Off at first; what was reached stays when it is
// turned off.
qsmError_t qsmSetAdjustment(qsmDevice_t device, qsmAdjustment adjustment);
// On at first: a launch that has waited for its first block for an epoch gets room on an SM, whose
// blocks are taken away with the technique of the adjustment, also while that is off (switch at
// first); where the technique is refused they run to their ends.
qsmError_t qsmSetLatecomers(qsmDevice_t device, bool on);

// By what a goal is refused beside the goals of the device's other contexts; sure at first. For
// goals that are set from now on. A context's isolated IPC is the one that its goal was said by
// (qsmGoal), else that of qsmSetIsolatedIpc.
qsmError_t qsmSetAdmission(qsmDevice_t device, qsmAdmission admission);

// How blocks leave an SM that moves: by running to their ends (drain, at first), by a switch or a
// flush; where the technique is refused they run to their ends.
qsmError_t qsmSetMoveTechnique(qsmDevice_t device, qsmTechnique technique);
// Free SMs lose their clock and state, and take `cycles` (1..65535, 500 at first) to wake up. Off
// at first. qsmErrorInvalidValue where the configuration has no power_gating.
qsmError_t qsmSetSmGating(qsmDevice_t device, bool on);
qsmError_t qsmSetWakeLatency(qsmDevice_t device, uint32_t cycles);
// Under smqos: the part by which a kernel's IPC must change for an SM to count, Q0.16 (0..65535,
// 655 at first: 0.01). Under spart: SMs that a kernel gets or loses in an epoch at most (1..4, 2 at
// first).
qsmError_t qsmSetSmThreshold(qsmDevice_t device, uint32_t threshold_q16);
qsmError_t qsmSetSmStep(qsmDevice_t device, uint32_t sms);
// Gives an SM another use; `owner` counts where it is to be owned. Returns at once: qsmGetSmState
// says when its blocks have left. qsmErrorBusy under the schemes of the SM manager, which moves the
// SMs itself; qsmErrorInvalidValue if a context would be left without an SM.
qsmError_t qsmMoveSm(qsmDevice_t device, uint32_t sm, qsmSmUse use, qsmContext_t owner);
qsmError_t qsmGetSmState(qsmDevice_t device, uint32_t sm, qsmSmState *state);
qsmError_t qsmReadSmCounters(qsmDevice_t device, qsmSmCounters *counters);
// Energy of what ran so far. qsmErrorInvalidValue where the configuration has no energy_counters.
// The library reads the counters of all SMs: two cycles each pass.
qsmError_t qsmReadDeviceEnergy(qsmDevice_t device, qsmDeviceEnergy *energy);
// Joules by a configuration's energies: of events (an array of QSM_ENERGY_EVENT_COUNT), of what L2
// and memory did, of cycles of SMs that are on or gated and of waking them.
double qsmEventEnergy(const struct qsm_config *config, const uint64_t *events);
double qsmMemoryEnergy(const struct qsm_config *config, const qsmMemoryCounters *counters);
double qsmSmEnergy(const struct qsm_config *config, double on_cycles, double gated_cycles,
                   double wakes);

// ---- Context (tenant) ----
qsmError_t qsmContextCreate(qsmDevice_t device, qsmContext_t *context);
// A context in an instance of its own, in the manner of MIG: SMs, channels with their L2 slices,
// and memory that no other context has (docs/libqsm.md, "Instances"). Needs scheme sm_static, a
// configuration with partition_bits, and that all contexts of the device are in instances;
// qsmErrorInstance where that is not so, or the instance does not fit beside the others.
qsmError_t qsmContextCreateInInstance(qsmDevice_t device, qsmInstance profile,
                                      qsmContext_t *context);
// Kills what runs, calling the callbacks, and clears the memory: a new context finds zeros in all
// of its own. NULL is fine.
void qsmContextDestroy(qsmContext_t context);
uint32_t qsmContextSlot(
    qsmContext_t context);  // UINT32_MAX: an invalid handle, or a context on command channels
// Sets the context's goal, qsmGoalNone for none; qsmErrorGoal if it is impossible (R-GO-4), or
// refused beside the goals that other contexts have (qsmSetAdmission), and nothing has changed
// then. May be changed while a launch runs, but for between some goal and none
// (qsmErrorBusy). A changed goal forgets the average reached under the one before and acts from the
// next epoch on; the call takes as many cycles as the QoS manager keeps its registers closed, at
// most qos_lat.
qsmError_t qsmSetGoal(qsmContext_t context, const qsmGoal *goal);
// The same with a goal of kind Ipc, 0 for none.
qsmError_t qsmSetQoS(qsmContext_t context, uint32_t goal_ipc_q16);
// The same with a goal of so many percent of the context's isolated IPC (qsmSetIsolatedIpc), 0 for
// none; qsmErrorGoal where that is not known.
qsmError_t qsmSetQoSPercent(qsmContext_t context, uint32_t percent);
// Which of the contexts with goals goes first where the blocks are adjusted and not all goals can
// be held: 3 before 0 (as at first). One that is behind its goal may take the blocks of those of
// lower priority, to their last. Not while launches are pending.
qsmError_t qsmSetPriority(qsmContext_t context, uint32_t priority);
// The goal in thread instructions per cycle, Q16.16 (0: none), on a GPU of this configuration; or
// the error, with its text in *msg.
qsmError_t qsmTranslateGoal(const struct qsm_config *config, const qsmGoal *goal,
                            uint32_t *goal_ipc_q16, char *msg, size_t msg_len);
// Whether these goals may be held together on a GPU of this configuration, by this admission:
// qsmSuccess, or qsmErrorGoal with which goals, their sum and what there is in *msg. It goes by
// these numbers alone; that each goal is within what its tenant reaches alone is
// qsmTranslateGoal's.
qsmError_t qsmCheckGoals(const struct qsm_config *config, qsmAdmission admission,
                         const qsmAskedGoal *goals, uint32_t n_goals, char *msg, size_t msg_len);
// Fills `instructions` and `isolated_ipc_q16` of *into: runs the launch alone on a GPU of its own
// (model, same configuration and policy), on a copy of the context's memory as it is now.
// qsmErrorTimeout if it takes more than max_cycles. The context itself stays as it is.
qsmError_t qsmMeasureIsolated(qsmContext_t context, const qsmLaunch *launch, uint64_t max_cycles,
                              qsmGoal *into);
// What became of the context's launches with deadlines. On contexts with a kernel slot.
qsmError_t qsmReadDeadlines(qsmContext_t context, qsmDeadlines *deadlines);
qsmError_t qsmClearDeadlines(qsmContext_t context);  // counts from 0 again
// IPC of the context's kernels when they run alone, Q16.16: their shares under scheme fair; 0 at
// first: not known. Refused above the GPU's peak. Under scheme fair a context without it launches
// nothing (qsmErrorGoal), and it cannot be taken back.
qsmError_t qsmSetIsolatedIpc(qsmContext_t context, uint32_t ipc_q16);
// Budget of the context's kernels under the QAWS policies, 1..255 (docs/qaws.md), 1 at first: how
// often a sub-core may switch between their warps before the next group has its turn. Kernels of
// equal budget form one group; qsmErrorGroups if the contexts with launches pending would have more
// budgets than the GPU has groups (a launch is refused so too). May be changed while kernels run.
qsmError_t qsmSetBudget(qsmContext_t context, uint32_t budget);
// SMs of the context under sm_static and sm_rollover, 0 at first: an equal part of what the others
// leave; under sm_rollover with a goal of a share s of a known isolated IPC: floor(s * num_sms), at
// least 1 and at most num_sms - 1. Counts from the next split on: when the scheme, or who takes
// part, changes.
qsmError_t qsmSetSmCount(qsmContext_t context, uint32_t sms);
qsmError_t qsmReadSmRecord(qsmContext_t context, qsmSmRecord *record);
// What the context launches from now on runs in persistent workers, `per_sm` of them on each of
// `count` SMs from SM `first` on; its program must be made by qsm-cc --workers. While launches are
// pending only the range may change (else qsmErrorBusy): under slate at once, which behind an L2
// takes a flush, under rh from the next launch on. Under persistent the range is all SMs, and
// per_sm may be QSM_WORKERS_HALF. qsmErrorInvalidValue: no such SMs, or the context's SM mask
// leaves some of them out.
qsmError_t qsmSetWorkers(qsmContext_t context, qsmWorkers form, uint32_t first, uint32_t count,
                         uint32_t per_sm);
// Restricts the context to the SMs whose bits are set.
qsmError_t qsmSetSmMask(qsmContext_t context, qsmSmMask mask);
// Memory for `images` thread blocks that are saved at a time, 0 (none, as at first) to the GPU's
// num_images. It is taken from the context's memory when a launch is submitted, as much as that
// launch needs, and grows with later ones; a launch that needs more than there is or than fits, or
// more while others are pending, is refused with qsmErrorSaveArea. Not while launches are pending.
qsmError_t qsmSetSaveArea(qsmContext_t context, uint32_t images);
// The context's kernels may be restarted in mid-block: they read nothing that they have written.
// Not while launches are pending.
qsmError_t qsmSetIdempotent(qsmContext_t context, bool idempotent);
// Which caches the loads and stores of the launches submitted from now on do not allocate in: the
// kernel streams through its data and would only take the room of others. A line that is there is
// used. Caches that the GPU does not have make no difference.
qsmError_t qsmSetCachePolicy(qsmContext_t context, qsmCachePolicy policy);
// In the manner of MPS: of each SM's threads the context's blocks have at most so many percent,
// rounded down to warps, and take them as they come free; 0, at first: a fair share instead. Blocks
// that are there stay. A launch whose blocks are larger is qsmErrorInvalidLaunch; a limit below one
// warp qsmErrorInvalidValue, below a block of a pending launch qsmErrorBusy.
qsmError_t qsmSetThreadLimit(qsmContext_t context, uint32_t percent);
// What the L2 and the memory controllers did for the running launch, or the last one, over all
// channels; 0 where the GPU has none.
qsmError_t qsmReadMemoryCounters(qsmContext_t context, qsmMemoryCounters *counters);
// Energy of the context since its creation, or the last mark; refused as qsmReadDeviceEnergy.
qsmError_t qsmReadEnergy(qsmContext_t context, qsmEnergy *energy);
qsmError_t qsmMarkEnergy(qsmContext_t context);
// Holds saved thread blocks of the context back (their launch does not end), or lets them go on.
qsmError_t qsmSetPreemptHold(qsmContext_t context, bool hold);
// Takes the context's youngest thread block from an SM and waits until that is done (or the block
// ended by itself, or was killed). qsmErrorPreempt if the GPU refuses; qsmErrorTimeout after
// max_cycles: the text says where it stands, and it goes on.
qsmError_t qsmPreempt(qsmDevice_t device, uint32_t sm, qsmContext_t context, qsmTechnique technique,
                      uint64_t max_cycles, qsmPreemptResult *result);
// Loads a program made by qsm-cc. One module per context; loading another replaces it when the
// context is idle.
qsmError_t qsmModuleLoad(qsmContext_t context, const char *path);
// Bytes of the context's memory that are free, maybe in pieces, and all of them; a pointer may be
// NULL.
qsmError_t qsmMemGetInfo(qsmContext_t context, uint64_t *free_bytes, uint64_t *total_bytes);
qsmError_t qsmMalloc(qsmContext_t context, size_t bytes,
                     uint32_t *address);  // aligned to 256; zeros, but where something was freed
qsmError_t qsmFree(qsmContext_t context, uint32_t address);
// Copies take no GPU time; on a context on command channels they are qsmMemcpy(). A copy lies
// within one allocation, in the bytes asked for; of 0 bytes it does nothing.
qsmError_t qsmMemcpyHtoD(qsmContext_t context, uint32_t dst, const void *src, size_t bytes);
qsmError_t qsmMemcpyDtoH(qsmContext_t context, void *dst, uint32_t src, size_t bytes);
// Submits a launch; returns at once. args: a word for each parameter, each of up to 4 bytes.
// shared_bytes: dynamic shared memory, on top of what the program declares. callback (may be NULL)
// is called when the launch has ended; it may submit further launches and kill. In it, calls that
// wait or let time pass are refused (qsmErrorBusy), and qsmContextDestroy and qsmDeviceClose do
// nothing. stream: where the launch goes, NULL on a context with a kernel slot.
qsmError_t qsmLaunchKernel(qsmContext_t context, const char *kernel, qsmDim3 grid, qsmDim3 block,
                           const uint32_t *args, uint32_t n_args, uint32_t shared_bytes,
                           qsmStream_t stream, qsmLaunchCallback callback, void *user);
// The same with arguments of any type (docs/programming.md): in C, of x and y, {{&x, sizeof x},
// {&y, sizeof y}}. A launch whose arguments do not fit the kernel's in number and sizes is
// qsmErrorInvalidLaunch, by words too; the text has both signatures. All of them are at most 256
// bytes.
qsmError_t qsmLaunchKernelEx(qsmContext_t context, const qsmLaunch *launch,
                             qsmLaunchCallback callback, void *user);
// Writes all that the GPU must know of a launch, but starts nothing: the same launch, submitted
// next on an idle context, is then one register write, and so starts in a cycle that the host can
// say. qsmErrorBusy while the context has launches pending. On contexts with a kernel slot.
qsmError_t qsmPrepareLaunch(qsmContext_t context, const qsmLaunch *launch);
qsmError_t qsmGetKernelAttributes(qsmContext_t context, const char *kernel,
                                  qsmKernelAttributes *attributes);
// Runs until the context's launches have ended. qsmErrorKernelFault if one was killed since the
// last call.
qsmError_t qsmContextSynchronize(qsmContext_t context, uint64_t max_cycles);
// What the context's launch is waiting for when it does not end (a wait's qsmErrorTimeout): names
// the block of the hardware that keeps it, from register reads and a thousand cycles of watching,
// in which the GPU runs on.
qsmError_t qsmExplainWait(qsmContext_t context, char *text, size_t text_len);
// Kills the running launch and drops the pending ones; their callbacks are called with killed set
// when they end. A launch that has ended already, unseen by the host so far, counts as ended.
qsmError_t qsmContextKill(qsmContext_t context);

// ---- Command channels and streams (docs/streams.md) ----

// What channels share of the GPU: exclusive, one launch at a time on all SMs; concurrent, as many
// as the front end has slots.
typedef enum { qsmChannelsExclusive, qsmChannelsConcurrent } qsmChannelMode;
// Of a stream: it takes no part in the default stream's order.
enum { qsmStreamDefault = 0, qsmStreamNonBlocking = 1 };
typedef enum {
  qsmMemcpyHostToDevice = 1,
  qsmMemcpyDeviceToHost = 2,
  qsmMemcpyDeviceToDevice = 3
} qsmMemcpyKind;

// Gives the highest `slots` kernel slots, which no context has, with their memory to contexts on
// channels. qsmErrorNoChannel where the configuration has no cmd_channels.
qsmError_t qsmDeviceUseChannels(qsmDevice_t device, uint32_t slots, qsmChannelMode mode);
// How many cycles a call that puts something into a stream waits, where there is no room for it, at
// most; qsmErrorTimeout then. 2^24 at first.
qsmError_t qsmSetSubmitLimit(qsmDevice_t device, uint64_t cycles);
// Off at first: a launch of a stream of a higher priority that finds no slot takes one from a
// launch of a lower one, which dispatches no more blocks and goes on later.
qsmError_t qsmSetTakeBack(qsmDevice_t device, bool on);
// A tenant without a slot of its own, with so many bytes of memory, whole pages.
qsmError_t qsmContextCreateOnChannels(qsmDevice_t device, size_t bytes, qsmContext_t *context);
// Priorities of its streams: 0 .. `priority`, at most 3, 0 at first. Streams that are there keep
// theirs. A channel of a higher priority goes before all others of
// the device.
qsmError_t qsmContextSetMaxPriority(qsmContext_t context, uint32_t priority);
// Off at first: launches of its streams may have masks of their own (qsmLaunch.sm_mask), of any
// SMs. Whoever can write the tenant's rings can choose them then, so qsmSetSmMask is no bound for
// its kernels any more. Before its first stream is created.
qsmError_t qsmContextAllowLaunchMasks(qsmContext_t context, bool allow);
// A pointer may be NULL.
qsmError_t qsmContextGetStreamPriorityRange(qsmContext_t context, uint32_t *least,
                                            uint32_t *greatest);
// A launch that takes more cycles is killed and ends its stream; 0, as at first: any number. For
// launches that start from now on.
qsmError_t qsmContextSetLaunchLimit(qsmContext_t context, uint32_t cycles);

// What is put into a stream runs in order, what is in several side by side. A stream takes a
// command channel of the device: qsmErrorNoChannel where none is left. priority is cut to what the
// context may have.
qsmError_t qsmStreamCreate(qsmContext_t context, qsmStream_t *stream);
qsmError_t qsmStreamCreateWithFlags(qsmContext_t context, qsmStream_t *stream, uint32_t flags);
qsmError_t qsmStreamCreateWithPriority(qsmContext_t context, qsmStream_t *stream, uint32_t flags,
                                       uint32_t priority);
// A handle of the stream that NULL names.
qsmError_t qsmContextDefaultStream(qsmContext_t context, qsmStream_t *stream);
// Returns at once; what is in it is done first. Not the default stream.
qsmError_t qsmStreamDestroy(qsmStream_t stream);
// Runs until the stream is at its end. qsmErrorKernelFault, qsmErrorInvalidLaunch if a command of
// it went wrong since the last call; qsmErrorTimeout after max_cycles.
qsmError_t qsmStreamSynchronize(qsmStream_t stream, uint64_t max_cycles);
// The same without waiting: qsmErrorNotReady. Takes some cycles, for registers.
qsmError_t qsmStreamQuery(qsmStream_t stream);
// What is put into the stream from now on waits for the event's last record, at this time; an event
// that was never recorded is no wait. NULL: the default stream of the event's context.
qsmError_t qsmStreamWaitEvent(qsmStream_t stream, qsmEvent_t event);

qsmError_t qsmEventCreate(qsmContext_t context, qsmEvent_t *event);
qsmError_t qsmEventDestroy(qsmEvent_t event);
// NULL: the default stream of the event's context.
qsmError_t qsmEventRecord(qsmEvent_t event, qsmStream_t stream);
qsmError_t qsmEventQuery(qsmEvent_t event);  // qsmErrorNotReady
qsmError_t qsmEventSynchronize(qsmEvent_t event, uint64_t max_cycles);
// Between what two events were recorded with last, at the configuration's clock.
qsmError_t qsmEventElapsedTime(float *milliseconds, qsmEvent_t start, qsmEvent_t end);
qsmError_t qsmEventCycles(qsmEvent_t start, qsmEvent_t end, int64_t *cycles);

// An address of the device as a copy takes it.
static inline void *qsmDevicePointer(uint32_t address) { return (void *)(uintptr_t)address; }
// Memory of the host with a place of its own in the context's host window, zeros at first.
qsmError_t qsmMallocHost(qsmContext_t context, size_t bytes, void **pointer);
// qsmErrorBusy while copies use it. NULL is fine.
qsmError_t qsmFreeHost(qsmContext_t context, void *pointer);
// On the device a copy lies within one allocation. From the host: what is there in this call; to
// the host: is there when the host has seen the copy to be at its end (a wait, a query). Of 0 bytes
// it does nothing.
qsmError_t qsmMemcpyAsync(qsmContext_t context, void *dst, const void *src, size_t bytes,
                          qsmMemcpyKind kind, qsmStream_t stream);
qsmError_t qsmMemsetAsync(qsmContext_t context, uint32_t dst, int value, size_t bytes,
                          qsmStream_t stream);
// In the default stream, with a wait.
qsmError_t qsmMemcpy(qsmContext_t context, void *dst, const void *src, size_t bytes,
                     qsmMemcpyKind kind);

#ifdef __cplusplus
}
#endif

#endif

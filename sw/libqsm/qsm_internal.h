// SPDX-License-Identifier: Apache-2.0
// Within libqsm: devices and contexts as its files share them.
#ifndef QSM_INTERNAL_H
#define QSM_INTERNAL_H

#include "qsm_arguments.h"
#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_observer.h"
#include "qsm_runtime.h"
#include "qsm_stacks.h"

// A context's memory: the argument blocks, the program, the heap, the stacks.
enum {
  QSM_PAGE_BYTES = 4096,
  QSM_ARGUMENT_AREA_BYTES = 32 * 1024,
  QSM_PROGRAM_AREA_BYTES = 256 * 1024,
  QSM_ARGUMENT_STRIDE = 128,       // a line of the widest machine: none has two blocks
  QSM_ARGUMENT_BLOCK_BYTES = 512,  // more than any takes
  QSM_MAX_ARGUMENT_BLOCKS = QSM_ARGUMENT_AREA_BYTES / QSM_ARGUMENT_STRIDE,
  QSM_BLOCK_THREADS_MAX = 1024,
  QSM_BUDGET_MAX = 255,
  QSM_PRIORITY_MAX = 3,
  QSM_SLOT_REGISTERS = 64,
};
#define QSM_MEMORY_BASE 0x80000000u

// Tenants are numbered: those with a kernel slot by their slot, behind them those on command
// channels (docs/streams.md).
enum { QSM_MOST_SLOTS = 8, QSM_MOST_TENANTS = QSM_MOST_SLOTS + QSM_MAX_CMD };
typedef unsigned __int128 qsm_tenants;  // bit i for tenant i
#define QSM_TENANT(i) ((qsm_tenants)1 << (i))

struct qsm_channels;
struct qsm_context_streams;
struct qsm_heap;
struct qsm_program;

// A launch in persistent workers is one of the workers and one that closes it, maybe several times.
enum qsm_worker_phase { QSM_WORKERS_NONE, QSM_WORKERS_WAITS, QSM_WORKERS_WORK, QSM_WORKERS_CLOSE };

// How a context's launches run in persistent workers (qsmSetWorkers).
struct qsm_workers {
  qsmWorkers form;
  uint32_t first, count, per_sm;
  uint32_t state;  // address of what workers share, 0: none yet
  bool used;       // it is not as a launch must find it
};

// Memory of a slot as its kernels and the host's programs know it; the GPU's memory port and
// qsm_memory.c know where it lies (docs/xbar.md, R-XB-6).
struct qsm_arena {
  uint32_t base, limit;
  uint32_t split;       // MEM_SPLIT
  uint32_t n_sms;       // of an instance; 0: it is none
  uint32_t host_bytes;  // at its end: the host window, on channels
};

// A launch that has not ended.
struct qsm_pending {
  uint32_t function;  // address
  qsmDim3 grid, block;
  uint32_t shared_bytes;
  qsmCachePolicy cache_policy;
  qsmSmMask sm_mask;  // of its own, 0: none
  struct qsm_entry_arguments arguments;
  struct qsm_stacks *stacks;
  uint32_t stack;  // STACK
  enum qsm_worker_phase worker_phase;
  uint32_t worker_first, worker_count;  // the range of the workers that run
  bool unwanted;                        // killed: where it has yielded it does not go on
  uint32_t deadline_cycles;             // 0: none
  uint32_t work;                        // of one with a deadline
  uint64_t deadline_cycle;              // of the device
  qsmLaunchCallback callback;
  void *user;
  struct qsm_pending *prev, *next;
};

// What launches have put at the start of a context's memory, one block behind the other, and
// nothing else writes: kernels may only read it. On channels it is used in halves (qsm_submit.c).
struct qsm_argument_blocks {
  uint32_t to;  // end of the part of the area that is in use
  uint32_t n, used_bytes;
  struct {
    uint32_t at, bytes;
  } block[QSM_MAX_ARGUMENT_BLOCKS];
  uint8_t content[QSM_ARGUMENT_AREA_BYTES];
};

// What a launch of a kernel took, as measured alone. No blocks: nothing is known.
enum { QSM_KNOWN_WORK = 16 };
struct qsm_kernel_work {
  uint32_t function;  // address
  uint64_t blocks, instructions;
};

struct qsm_context {
  qsmContext_t handle;
  struct qsm_device *device;
  uint32_t slot;         // or number of the tenant
  char name[24];         // in texts
  uint32_t base, limit;  // of its memory, for kernels
  struct qsm_heap *heap;
  struct qsm_stacks *stacks;  // of its last launch with some
  struct qsm_argument_blocks argument_blocks;
  qsmCachePolicy cache_policy;     // of the next launches
  uint32_t thread_limit;           // percent, 0: none
  uint32_t priority;               // among contexts with goals, 3 before 0
  uint32_t warp_cap;               // what that is in warps
  uint32_t n_images;               // that the save area shall hold
  uint32_t area;                   // its allocation, 0: none
  uint32_t save_base, save_limit;  // the pages in it
  struct qsm_program *program;
  uint32_t program_at;        // address of its image
  struct qsm_pending *queue;  // head runs when `running`
  bool running;
  struct qsm_workers workers;
  qsmMemoryCounters kept;  // of the launches that a launch in workers has taken so far
  bool counts;             // what the GPU's counters show is not among them, and part of the launch
  bool closing;            // it is being destroyed: nothing new is launched
  qsmError_t ended_with;   // of launches since the last wait for them, with its text
  char ended_text[512];
  uint32_t goal_q16;
  bool has_history;       // something was launched since the GPU's history was cleared
  uint32_t isolated_q16;  // 0: not known
  uint32_t part_of_q16;   // the isolated IPC that the goal was said by, 0: none
  uint32_t sm_count;      // as the host asked for; 0: nothing
  uint32_t budget;
  bool timed;  // the slot's DEADLINE is not 0
  qsmDeadlines deadlines;
  struct qsm_kernel_work work[QSM_KNOWN_WORK];
  uint32_t next_work;
  qsmSmMask sm_mask;
  uint32_t shadow[QSM_SLOT_REGISTERS];  // last values written, to skip writes that change nothing
  bool shadow_valid[QSM_SLOT_REGISTERS];
  struct qsm_context_streams *streams;  // NULL: it has a slot
};

struct qsm_device {
  qsmDevice_t handle;
  struct qsm_config config;
  struct qsm_backend *backend;
  struct qsm_context *context[QSM_MOST_TENANTS];
  qsmScheme scheme;
  qsmAdmission admission;
  uint32_t epoch_cycles;
  qsm_tenants cached;                       // the L2 may hold lines of their memory
  uint32_t flushed_sets[QSM_MOST_TENANTS];  // in parts, since its last launch
  qsm_tenants dead;    // they could not be freed, and what they have is not given away again
  qsm_tenants used;    // their memory may hold something
  qsm_tenants walked;  // of slots: their walk may be behind the first block (R-TB-16)
  struct qsm_arena arena[QSM_MOST_TENANTS];  // of each that is there, dead or used
  struct qsm_channels *channels;             // NULL: all slots are the host's
  uint32_t n_callbacks;                      // under way
  bool watching;
  void (*watch)(void *user);
  void *watch_user;
  const struct qsm_observer *observer;  // never NULL
  struct qsm_energy_sums *energy;       // NULL: not counted
  char error[512];
};

#define QSM_OBSERVE(device, what, ...)                                 \
  do {                                                                 \
    const struct qsm_observer *observer_ = (device)->observer;         \
    if (observer_->what) observer_->what(observer_->ctx, __VA_ARGS__); \
  } while (0)

// ---- Deadlines (qsm_deadline.c) ----
// Of a launch of a kernel with so many blocks, measured alone.
// Blocks of a grid, 2^64 - 1 at most.
static inline uint64_t qsm_count_blocks(qsmDim3 grid) {
  unsigned __int128 n = (unsigned __int128)grid.x * grid.y * grid.z;
  return n < UINT64_MAX ? (uint64_t)n : UINT64_MAX;
}
void qsm_deadline_learn(struct qsm_context *context, uint32_t function, qsmDim3 grid,
                        uint64_t instructions);
void qsm_deadline_forget(struct qsm_context *context);  // another program
// Takes the deadline over, from now on, or refuses it.
qsmError_t qsm_deadline_describe(struct qsm_context *context, const qsmLaunch *what,
                                 struct qsm_pending *launch);
// Before LAUNCH: DEADLINE and WORK. Nothing is written where no deadline was and is.
qsmError_t qsm_deadline_write(struct qsm_context *context, const struct qsm_pending *launch);
// Counts it and completes its result.
void qsm_deadline_ended(struct qsm_context *context, const struct qsm_pending *launch,
                        qsmLaunchResult *result);

// ---- Energy (qsm_energy.c), cycles of SMs (qsm_sms.c) ----
#define QSM_WIDE_MASK ((UINT64_C(1) << 48) - 1)  // of counters with a low and a high word
qsmError_t qsm_energy_open(struct qsm_device *device);
qsmError_t qsm_energy_begin(struct qsm_context *context);  // of one that is new in its slot
// From this cycle on the counters must be read; reads them if it has come.
qsmError_t qsm_energy_use(struct qsm_device *device, uint32_t slots);  // that have no context
uint64_t qsm_energy_due(const struct qsm_device *device);
qsmError_t qsm_energy_keep_up(struct qsm_device *device);
qsmError_t qsm_read_owned_cycles(struct qsm_device *device, uint32_t slot, uint64_t *cycles);

// ---- Handles, errors and registers (qsm_device.c) ----

// What a handle stands for; NULL: nothing, or something that has gone.
// All SMs of a GPU, 1..QSM_MAX_SMS; how many a mask has.
static inline qsmSmMask qsm_all_sms(const struct qsm_config *config) {
  return ((qsmSmMask)1 << config->num_sms) - 1;
}
static inline uint32_t qsm_count_sms(qsmSmMask mask) {
  return (uint32_t)(__builtin_popcountll((uint64_t)mask) +
                    __builtin_popcountll((uint64_t)(mask >> 64)));
}

struct qsm_device *qsm_device_of(qsmDevice_t handle);
struct qsm_context *qsm_context_of(qsmContext_t handle);

// Fails a call on this device with a text.
__attribute__((format(printf, 3, 4))) qsmError_t qsm_fail(struct qsm_device *device,
                                                          qsmError_t error, const char *format,
                                                          ...);
// Fails for a NULL.
qsmError_t qsm_check_pointer(struct qsm_device *device, const void *pointer, const char *what);
// With what went wrong on another.
qsmError_t qsm_device_take_error(struct qsm_device *device, qsmError_t error,
                                 struct qsm_device *other);
// With what went wrong in its backend.
qsmError_t qsm_backend_failed(struct qsm_device *device);
qsmError_t qsm_device_open(const char *backend, const struct qsm_config *config,
                           const struct qsm_backend_options *options, struct qsm_device **device,
                           char *msg, size_t msg_len);
void qsm_device_close(struct qsm_device *device);
uint64_t qsm_device_cycle(struct qsm_device *device);
qsmError_t qsm_register_read(struct qsm_device *device, uint32_t address, uint32_t *value);
qsmError_t qsm_register_write(struct qsm_device *device, uint32_t address, uint32_t value);

// Registers of a context's slot (QSM_SLOT_...).
struct qsm_register_value {
  uint32_t offset, value;
};
uint32_t qsm_slot_register(const struct qsm_context *context, uint32_t offset);
qsmError_t qsm_slot_read(struct qsm_context *context, uint32_t offset, uint32_t *value);
// Skips writes that would not change the register.
qsmError_t qsm_slot_write(struct qsm_context *context, uint32_t offset, uint32_t value);
qsmError_t qsm_slot_write_all(struct qsm_context *context, const struct qsm_register_value *list,
                              size_t n);
#define QSM_SLOT_WRITE_ALL(context, list) \
  qsm_slot_write_all(context, list, sizeof(list) / sizeof((list)[0]))
// A field of a register's value.
static inline uint32_t qsm_field(uint32_t value, uint32_t mask, uint32_t shift) {
  return (value & mask) >> shift;
}

static inline bool qsm_on_channels(const struct qsm_context *context) { return context->streams; }
// qsmErrorStream for a context on channels: the call is about a slot.
qsmError_t qsm_check_has_slot(const struct qsm_context *context, const char *what);
// Launches or other commands of it have not ended, as far as the host has seen.
bool qsm_context_has_work(const struct qsm_context *context);

// A write that is not tried again; *accepted says whether the GPU took it.
qsmError_t qsm_register_try(struct qsm_device *device, uint32_t address, uint32_t value,
                            bool *accepted);
// Lets some cycles pass without seeing to launches that end: their callbacks might want what the
// caller is at.
qsmError_t qsm_device_step(struct qsm_device *device);
// In a callback no time may pass and nothing may go away that its caller still needs.
qsmError_t qsm_check_outside(struct qsm_device *device);

// ---- Memory (qsm_memory.c) ----

// Writes what the GPU does not have in its L2; no time passes.
void qsm_memory_put(const struct qsm_context *context, uint32_t dst, const void *src, size_t bytes);
// Reads what is in memory, whatever the L2 has; no time passes.
void qsm_memory_get(const struct qsm_context *context, void *dst, uint32_t src, size_t bytes);

// The context has launched something, which may bring lines into the L2.
void qsm_memory_launched(const struct qsm_context *context);
// What lies in the L2 goes to memory: the host sees it, and no later eviction takes back what the
// host writes.
qsmError_t qsm_memory_settle(const struct qsm_context *context);
// It lies within one allocation, in the bytes asked for.
qsmError_t qsm_check_range(struct qsm_context *context, uint32_t address, size_t bytes);
// Copies: of what lies in the L2 they settle the sets that their own lines are in.
qsmError_t qsm_memory_write(const struct qsm_context *context, uint32_t dst, const void *src,
                            size_t bytes);
qsmError_t qsm_memory_read(const struct qsm_context *context, void *dst, uint32_t src,
                           size_t bytes);
// Clears what tenants that have gone could not.
qsmError_t qsm_memory_clear_free(struct qsm_device *device);
// Clears all of a slot's for the next tenant.
qsmError_t qsm_memory_clear(struct qsm_device *device, uint32_t slot);

// ---- Contexts (qsm_context.c, qsm_module.c, qsm_instance.c) ----

// In the first slot that is free.
qsmError_t qsm_context_find_slot(struct qsm_device *device, uint32_t *slot);
qsmError_t qsm_context_create_in(struct qsm_device *device, uint32_t slot,
                                 const struct qsm_arena *arena, struct qsm_context **context);
// Somebody has the slot, be it what could not be killed, or the front end.
bool qsm_slot_taken(const struct qsm_device *device, uint32_t slot);
// qsmErrorInstance, with this text behind: there are contexts in instances (or others than such).
qsmError_t qsm_check_instances(struct qsm_device *device, bool instances, const char *why);

void qsm_context_free(struct qsm_context *context);  // on the host; NULL is fine
// Takes the program over.
qsmError_t qsm_module_install(struct qsm_context *context, struct qsm_program *program);
// A device of its own on the model, with nothing on it but a copy of the context: same slot, SMs,
// module, policy and scheme none. Reads registers of the context's device. Close *device when done;
// on error the context's device has the text.
qsmError_t qsm_context_clone(struct qsm_context *context, struct qsm_device **device,
                             struct qsm_context **clone);
// Copies what a context's kernels and the host have written into its clone's memory: all but the
// arguments, which are the clone's own.
qsmError_t qsm_context_copy_memory(struct qsm_context *context, struct qsm_context *clone);

// ---- Counters (qsm_counters.c) ----

// A launch begins; what the counters show from now on is of it, or (`counts` false) is not told.
void qsm_counters_begin(struct qsm_context *context, bool anew, bool counts);
// Adds up what the launch that has just ended counted.
qsmError_t qsm_counters_keep(struct qsm_context *context);

// ---- Persistent workers (qsm_workers.c) ----

enum { QSM_WORKER_JOB_WORDS = 16 };
// The program was made by qsm-cc --workers.
bool qsm_workers_in(const struct qsm_program *program);
// The mask leaves the context's workers their range.
qsmError_t qsm_workers_check_mask(const struct qsm_context *context, qsmSmMask mask);
// A launch may be submitted.
qsmError_t qsm_workers_admit(struct qsm_context *context, const qsmLaunch *what,
                             uint32_t shared_bytes);
// The launch at the head of the queue is started, for the first time or again.
qsmError_t qsm_workers_begin(struct qsm_context *context, struct qsm_pending *launch);
// The job of a launch, and what the GPU gets instead of it: *step, a copy of it.
void qsm_workers_job(const struct qsm_context *context, const struct qsm_pending *launch,
                     uint32_t job[QSM_WORKER_JOB_WORDS]);
void qsm_workers_step(struct qsm_context *context, struct qsm_pending *step);
// The running launch has ended and was not killed: it is to be started *again.
qsmError_t qsm_workers_ended(struct qsm_context *context, bool *again);

// ---- Launches and settings (qsm_launch.c, qsm_settings.c, qsm_save_area.c) ----

qsmError_t qsm_device_run_until(struct qsm_device *device, uint64_t cycle);
// Runs to `cycle`, or to the first interrupt before it, which is served.
qsmError_t qsm_device_advance(struct qsm_device *device, uint64_t cycle);
uint64_t qsm_device_limit(struct qsm_device *device, uint64_t max_cycles);
// Puts a block at the start of the context's memory, where kernels may only read it.
qsmError_t qsm_launch_place(struct qsm_context *context, const void *content, uint32_t bytes,
                            uint32_t *address);
qsmError_t qsm_launch_place_arguments(struct qsm_context *context, const struct qsm_pending *launch,
                                      const uint32_t job[QSM_WORKER_JOB_WORDS], uint32_t *address);
// The fault is an instruction that this GPU lacks.
bool qsm_lacks_fpu(const struct qsm_device *device, const qsmLaunchResult *result);
qsmError_t qsm_launch(struct qsm_context *context, const qsmLaunch *what,
                      qsmLaunchCallback callback, void *user);
qsmError_t qsm_context_synchronize(struct qsm_context *context, uint64_t max_cycles);
qsmError_t qsm_set_sm_mask(struct qsm_context *context, qsmSmMask mask);
qsmError_t qsm_check_sm_mask(const struct qsm_context *context, qsmSmMask mask);
// Ends the context's launches: those that wait are dropped, the running one is killed. On success
// nothing of it is on the GPU.
qsmError_t qsm_launch_stop(struct qsm_context *context);
qsmError_t qsm_write_first_quota(struct qsm_context *context);
// A context came, went or changed its share.
qsmError_t qsm_share_anew(struct qsm_device *device);
// qsmErrorInvalidValue, with the range and the names: `value` is none of an enumeration.
qsmError_t qsm_check_value(struct qsm_device *device, const char *what, uint32_t value,
                           const char *(*name_of)(uint32_t), uint32_t count);
// R-GO-8: this goal beside those that the other contexts have.
qsmError_t qsm_check_admission(struct qsm_context *context, uint32_t goal_q16,
                               uint32_t part_of_q16);
// Scheme fair needs the isolated IPC.
qsmError_t qsm_check_share(const struct qsm_context *context, uint32_t scheme,
                           uint32_t isolated_q16);
// The contexts with launches pending, this one among them, have few enough budgets.
qsmError_t qsm_check_groups(const struct qsm_context *context, uint32_t budget);
// The allocation that holds the area, and the whole pages in it: allocations are aligned to less.
struct qsm_save_area {
  uint32_t allocation, base, limit;
};
// Bytes that the context's images of blocks of this shape need; 0: it has no save area.
uint64_t qsm_save_area_bytes(const struct qsm_context *context, qsmDim3 block,
                             uint32_t shared_bytes);
// One of this size in the place of *area, which nothing uses. None, and an error, where there is no
// room.
qsmError_t qsm_save_area_replace(struct qsm_context *context, const char *kernel, uint64_t bytes,
                                 struct qsm_save_area *area);
// Before a launch with blocks of this shape is queued.
qsmError_t qsm_grow_save_area(struct qsm_context *context, const char *kernel, qsmDim3 block,
                              uint32_t shared_bytes);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "api.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_regs.h"
#include "qsm_runtime.h"

enum {
  N_CONTEXTS = 6,  // handles of hostile contexts, live and stale
  N_ADDRESSES = 8,
  N_STREAMS = 4,  // and events, and pieces of host memory
  CHANNEL_MEMORY = 112 * 4096,
  MAX_CALLS = 96,
  MAX_CYCLES = 60000,  // that the hostile calls let pass
  PATIENCE = 400000,   // cycles for the honest tenant, once the others are gone
  BLOCKS = 2,
  THREADS = 8,
  WORDS = BLOCKS * THREADS,
};

struct reader {
  const uint8_t *bytes;
  size_t n, at;
};

struct sequence {
  struct reader in;
  qsmDevice_t device, closed;  // the one in use; one that was closed
  qsmContext_t honest;
  qsmContext_t contexts[N_CONTEXTS];
  uint32_t addresses[N_ADDRESSES];
  uint32_t honest_in, honest_out, input[WORDS], salt;
  uint32_t lie;  // 1: the negative control, which expects what is not computed
  bool honest_runs;
  bool instances;  // all contexts are in some
  bool channels;   // hostile ones may be on command channels
  qsmStream_t streams[N_STREAMS];
  qsmEvent_t events[N_STREAMS];
  void *pinned[N_STREAMS];
  qsmContext_t pinned_of[N_STREAMS];
  uint64_t n_cycles;
  uint32_t depth;  // of callbacks that submit
  char wrong[512];
};

static uint64_t n_calls;

uint64_t api_calls(void) { return n_calls; }

__attribute__((format(printf, 2, 3))) static void complain(struct sequence *s, const char *format,
                                                           ...) {
  if (s->wrong[0]) return;
  va_list args;
  va_start(args, format);
  vsnprintf(s->wrong, sizeof s->wrong, format, args);
  va_end(args);
}

// ---- Bytes ----

static uint32_t u8(struct sequence *s) { return s->in.at < s->in.n ? s->in.bytes[s->in.at++] : 0; }
static uint32_t below(struct sequence *s, uint32_t n) { return u8(s) % n; }
static uint32_t u32(struct sequence *s) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < 4; i++) value = value << 8 | u8(s);
  return value;
}

// Small, or at an edge, or anything.
static uint32_t number(struct sequence *s) {
  static const uint32_t edges[] = {0,     1,     UINT32_MAX, INT32_MAX, 0x80000000u,
                                   65535, 65536, 1024,       1025,      4096};
  uint32_t kind = u8(s);
  if (kind < 160) return kind % 20;
  if (kind < 240) return edges[kind % (sizeof edges / sizeof *edges)];
  return u32(s);
}

static uint32_t address(struct sequence *s) {
  uint32_t kind = u8(s);
  if (kind < 180)
    return s->addresses[kind % N_ADDRESSES] + (kind < 100 ? 0 : 4 * (kind / N_ADDRESSES - 12));
  if (kind < 200) return s->honest_out;
  if (kind < 220) return 0x80000000u + 4096 * u8(s);
  return number(s);
}

static size_t size(struct sequence *s) {
  uint32_t kind = u8(s);
  if (kind < 200) return 4 * (kind % 70);
  if (kind < 230) return number(s);
  return kind < 240 ? SIZE_MAX - number(s) : (size_t)number(s) << 12;
}

static uint64_t cycles(struct sequence *s) {
  uint64_t n = 1u << below(s, 12);
  if (s->n_cycles + n > MAX_CYCLES) n = 0;
  s->n_cycles += n;
  return n;
}

static qsmContext_t context(struct sequence *s) {
  uint32_t which = below(s, N_CONTEXTS + 2);
  return which < N_CONTEXTS ? s->contexts[which] : which == N_CONTEXTS ? NULL : s->contexts[0];
}

static bool lives(qsmContext_t of) { return qsmMemGetInfo(of, NULL, NULL) == qsmSuccess; }

static qsmStream_t stream(struct sequence *s) {
  uint32_t which = s->channels ? below(s, N_STREAMS + 2) : N_STREAMS;
  return which < N_STREAMS ? s->streams[which] : NULL;
}

// ---- What holds after every call ----

static void check(struct sequence *s, const char *call, qsmError_t error) {
  if (getenv("QSM_FUZZ_CALLS"))
    fprintf(stderr, "%s: %s%s%s\n", call, qsmGetErrorString(error), error ? ", " : "",
            error ? qsmGetLastErrorText(s->device) : "");
  n_calls++;
  if (strcmp(qsmGetErrorString(error), "unknown error") == 0)
    complain(s, "%s: error %d", call, (int)error);
  const char *text = qsmGetLastErrorText(s->device);
  if (error && error != qsmErrorInvalidHandle && !text[0])
    complain(s, "%s: %s without a text", call, qsmGetErrorString(error));
  if (error == qsmErrorBackend) complain(s, "%s: %s", call, text);
}
#define CHECK(s, call) check(s, #call, call)

// ---- The honest tenant ----

static uint32_t expected(const struct sequence *s, uint32_t thread) {
  static const uint32_t table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
  uint32_t other = thread / THREADS * THREADS + THREADS - 1 - thread % THREADS;
  return (s->input[other] + table[other % THREADS % 8] * s->salt) ^
         (s->input[thread] + table[7] * s->salt) ^ s->lie;
}

static void check_result(struct sequence *s) {
  uint32_t out[WORDS];
  s->honest_runs = false;
  qsmError_t error = qsmMemcpyDtoH(s->honest, out, s->honest_out, sizeof out);
  if (error) complain(s, "the honest tenant's copy: %s", qsmGetLastErrorText(s->device));
  for (uint32_t i = 0; !error && i < WORDS; i++)
    if (out[i] != expected(s, i))
      complain(s, "the honest tenant's word %" PRIu32 " is 0x%08" PRIX32 " instead of 0x%08" PRIX32,
               i, out[i], expected(s, i));
}

static void honest_starts(struct sequence *s) {
  if (s->honest_runs) return;
  s->salt++;
  const uint32_t args[] = {s->honest_out, s->honest_in, s->salt};
  const qsmDim3 grid = {BLOCKS, 1, 1}, block = {THREADS, 1, 1};
  qsmError_t error =
      qsmLaunchKernel(s->honest, "honest", grid, block, args, 3, 4 * THREADS, NULL, NULL, NULL);
  if (error && error != qsmErrorGroups)
    complain(s, "the honest tenant's launch: %s", qsmGetLastErrorText(s->device));
  s->honest_runs = !error;
}

static void honest_looks(struct sequence *s) {
  if (!s->honest_runs) return;
  qsmError_t error = qsmContextSynchronize(s->honest, cycles(s));
  if (!error)
    check_result(s);
  else if (error != qsmErrorTimeout)
    complain(s, "the honest tenant's wait: %s", qsmGetLastErrorText(s->device));
}

// Once the others are killed its launch comes to its end.
static void honest_ends(struct sequence *s) {
  for (uint32_t i = 0; i < N_CONTEXTS; i++)
    if (lives(s->contexts[i])) CHECK(s, qsmContextKill(s->contexts[i]));
  qsmSetScheduling(s->device, qsmPolicyGto, s->instances ? qsmSchemeSmStatic : qsmSchemeNone, 5000);
  qsmSetAdjustment(s->device, qsmAdjustOff);
  for (uint32_t n = 0; n < 2; n++) {
    honest_starts(s);
    qsmError_t error = s->honest_runs ? qsmContextSynchronize(s->honest, PATIENCE) : qsmSuccess;
    if (error) {
      char why[200] = "", text[128] = "";
      snprintf(text, sizeof text, "%s", qsmGetLastErrorText(s->device));
      qsmExplainWait(s->honest, why, sizeof why);
      complain(s, "the honest tenant at the end: %s; %s", text, why);
    } else if (s->honest_runs)
      check_result(s);
    else
      qsmDeviceRunUntil(s->device, qsmDeviceCycle(s->device) +
                                       20000);  // its group is free when the killed have ended
  }
}

// ---- Hostile calls ----

static void create(struct sequence *s) {
  uint32_t place = below(s, N_CONTEXTS);
  // Who lives can be killed at the end.
  for (uint32_t tries = 0; lives(s->contexts[place]); tries++) {
    if (tries == N_CONTEXTS) return;
    place = (place + 1) % N_CONTEXTS;
  }
  qsmContext_t *into = &s->contexts[place], before = *into;
  // odd has two channels: halves of it fit.
  static const uint8_t profiles[] = {qsmInstanceThreeSevenths, qsmInstanceThreeSevenths,
                                     qsmInstanceFourSevenths,  qsmInstanceFourSevenths,
                                     qsmInstanceSevenSevenths, QSM_INSTANCE_COUNT};
  qsmError_t error =
      s->instances ? qsmContextCreateInInstance(
                         s->device, (qsmInstance)profiles[below(s, sizeof profiles)], into)
      : s->channels && below(s, 3) ? qsmContextCreateOnChannels(s->device, CHANNEL_MEMORY, into)
                                   : qsmContextCreate(s->device, into);
  CHECK(s, error);
  if (error && *into != before) complain(s, "creation of a context: an error and a result");
  if (!error && u8(s) < 230) CHECK(s, qsmModuleLoad(*into, "build/fuzz/kernels.elf"));
  if (!error && s->channels) CHECK(s, qsmContextAllowLaunchMasks(*into, u8(s) < 200));
}

static void load_module(struct sequence *s) {
  static const char *const paths[] = {"build/fuzz/kernels.elf", "build/fuzz/big.elf",
                                      "build/fuzz/cut.elf",     "Makefile",
                                      "no/such/file",           NULL};
  CHECK(s, qsmModuleLoad(context(s), paths[below(s, sizeof paths / sizeof *paths)]));
}

static void allocate(struct sequence *s) {
  uint32_t *into = &s->addresses[below(s, N_ADDRESSES)], before = *into;
  qsmError_t error = qsmMalloc(context(s), size(s), u8(s) ? into : NULL);
  CHECK(s, error);
  if (error && *into != before) complain(s, "qsmMalloc: an error and a result");
}

static void copy(struct sequence *s) {
  enum { ROOM = 4096 };
  static uint8_t bytes[ROOM + 8];
  qsmContext_t of = context(s);
  uint32_t at = address(s);
  size_t n = size(s);
  void *host = u8(s) < 10 ? NULL : bytes;
  if (n > ROOM && n < (size_t)1 << 27) n = ROOM;  // what may succeed
  memset(bytes + ROOM, 0x5A, 8);
  if (u8(s) % 2)
    CHECK(s, qsmMemcpyHtoD(of, at, host, n));
  else
    CHECK(s, qsmMemcpyDtoH(of, host, at, n));
  for (uint32_t i = 0; i < 8; i++)
    if (bytes[ROOM + i] != 0x5A) complain(s, "a copy of %zu bytes went further", n);
}

static void launch_any(struct sequence *s);

static void ended(void *user, const qsmLaunchResult *result) {
  struct sequence *s = user;
  (void)result;
  if (s->depth >= 3) return;
  s->depth++;
  switch (below(s, 8)) {
    case 0: launch_any(s); break;
    case 1: CHECK(s, qsmContextKill(context(s))); break;
    case 2: qsmContextDestroy(context(s)); break;
    case 3: qsmDeviceClose(s->device); break;
    case 4: CHECK(s, qsmContextSynchronize(context(s), UINT64_MAX)); break;
    case 5: copy(s); break;
    case 6: CHECK(s, qsmDeviceRunUntil(s->device, UINT64_MAX)); break;
    default: break;
  }
  s->depth--;
}

// Most often some of the few SMs that there are.
static qsmSmMask sm_mask(struct sequence *s) {
  uint32_t kind = u8(s);
  return kind < 60 ? 0 : kind < 235 ? kind % 8 : (qsmSmMask)number(s) << below(s, 128);
}

static void launch_any(struct sequence *s) {
  static const char *const kernels[] = {"store",
                                        "load",
                                        "endless",
                                        "illegal",
                                        "jump",
                                        "add",
                                        "alone_at_the_barrier",
                                        "shared_too_far",
                                        "overflow",
                                        "over_arguments",
                                        "honest",
                                        "nothing",
                                        "",
                                        NULL};
  qsmContext_t of = context(s);
  const char *kernel = kernels[below(s, sizeof kernels / sizeof *kernels)];
  uint32_t args[9], n_args = u8(s) < 245 ? below(s, 9) : number(s);
  qsmKernelAttributes attributes;
  if (u8(s) < 220 && qsmGetKernelAttributes(of, kernel, &attributes) == qsmSuccess &&
      attributes.signature)
    n_args = attributes.n_arguments;
  qsmDim3 grid = {1 + below(s, 3), 1, 1}, block = {1 + below(s, 24), 1, 1};
  uint32_t odd = u8(s), shared_bytes = odd < 100 ? 0 : odd < 230 ? 16 * (odd - 100) : number(s);
  if (u8(s) > 240) grid = (qsmDim3){number(s), number(s), number(s)};
  if (u8(s) > 240) block = (qsmDim3){number(s), number(s), number(s)};
  for (uint32_t i = 0; i < 9; i++) args[i] = i < n_args ? address(s) : 0;
  qsmLaunchCallback callback = u8(s) % 2 ? ended : NULL;
  if (u8(s) < (s->channels ? 100 : 200)) {
    CHECK(s, qsmLaunchKernel(of, kernel, grid, block, u8(s) < 250 ? args : NULL, n_args,
                             shared_bytes, stream(s), callback, s));
    return;
  }
  qsmArgument values[9];
  for (uint32_t i = 0; i < 9; i++)
    values[i] = (qsmArgument){u8(s) < 250 ? &args[i] : NULL, u8(s) < 240 ? 4 : number(s)};
  const qsmLaunch what = {.kernel = kernel,
                          .grid = grid,
                          .block = block,
                          .shared_bytes = shared_bytes,
                          .arguments = values,
                          .n_arguments = n_args % 10,
                          .stream = stream(s),
                          .sm_mask = s->channels ? sm_mask(s) : 0};
  if (s->channels && u8(s) < 150) CHECK(s, qsmSetCachePolicy(of, (qsmCachePolicy)below(s, 5)));
  CHECK(s, qsmLaunchKernelEx(of, u8(s) < 250 ? &what : NULL, callback, s));
}

static void set_goal(struct sequence *s) {
  qsmGoal goal = {.kind = (qsmGoalKind)below(s, 7),
                  .value = (uint64_t)number(s) << below(s, 33),
                  .instructions = number(s),
                  .isolated_ipc_q16 = number(s),
                  .bytes = (uint64_t)number(s) << below(s, 33),
                  .copies = number(s),
                  .overlapped = u8(s) % 2};
  CHECK(s, qsmSetGoal(context(s), u8(s) < 250 ? &goal : NULL));
}

static void measure(struct sequence *s) {
  static const char *const kernels[] = {"store", "endless", "illegal", "nothing"};
  const uint32_t args[] = {address(s), address(s)};
  const qsmLaunch what = {.kernel = kernels[below(s, 4)],
                          .grid = {1, 1, 1},
                          .block = {1 + below(s, 8), 1, 1},
                          .args = args,
                          .n_args = 2};
  qsmGoal goal = {0};
  CHECK(s, qsmMeasureIsolated(context(s), &what, cycles(s), u8(s) < 250 ? &goal : NULL));
}

static void set_something(struct sequence *s) {
  qsmContext_t of = context(s);
  switch (below(s, 12)) {
    case 0: CHECK(s, qsmSetQoS(of, number(s))); break;
    case 1: CHECK(s, qsmSetIsolatedIpc(of, number(s))); break;
    case 2: CHECK(s, qsmSetBudget(of, number(s))); break;
    case 3: CHECK(s, qsmSetSmMask(of, (qsmSmMask)number(s) << below(s, 100))); break;
    case 4: CHECK(s, qsmSetSaveArea(of, number(s))); break;
    case 5: CHECK(s, qsmSetIdempotent(of, u8(s) % 2)); break;
    case 6: CHECK(s, qsmSetCachePolicy(of, (qsmCachePolicy)below(s, 8))); break;
    case 7: CHECK(s, qsmSetPreemptHold(of, u8(s) % 2)); break;
    case 8:
      CHECK(s, qsmSetScheduling(s->device, (qsmPolicy)below(s, QSM_POLICY_COUNT + 1),
                                (qsmScheme)below(s, QSM_SCHEME_COUNT + 1),
                                u8(s) < 200 ? 1000 + 40 * u8(s) : number(s) % 4096));
      break;
    case 9: CHECK(s, qsmSetThreadLimit(of, number(s))); break;
    case 10: CHECK(s, qsmSetSmCount(of, number(s))); break;
    default: CHECK(s, qsmSetAdjustment(s->device, (qsmAdjustment)below(s, 5))); break;
  }
}

static void ask_something(struct sequence *s) {
  qsmContext_t of = context(s);
  char text[64];
  uint32_t value;
  uint64_t bytes;
  qsmMemoryCounters counters;
  qsmKernelAttributes attributes;
  qsmEnergy energy;
  qsmDeviceEnergy device_energy;
  switch (below(s, 10)) {
    case 7: CHECK(s, qsmReadEnergy(of, &energy)); break;
    case 8: CHECK(s, qsmMarkEnergy(of)); break;
    case 9: CHECK(s, qsmReadDeviceEnergy(s->device, &device_energy)); break;
    case 5:
      CHECK(s, qsmGetKernelAttributes(of, below(s, 2) ? "store" : "nothing", &attributes));
      break;
    case 0: CHECK(s, qsmRegisterRead(s->device, (uint16_t)number(s), &value)); break;
    case 1: CHECK(s, qsmMemGetInfo(of, &bytes, NULL)); break;
    case 2: CHECK(s, qsmReadMemoryCounters(of, &counters)); break;
    case 3:
      if (s->n_cycles + 1500 < MAX_CYCLES)
        CHECK(s, qsmExplainWait(of, text, below(s, sizeof text + 1)));
      s->n_cycles += 1500;
      break;
    case 4:
      CHECK(s, qsmContextSynchronize(s->closed ? (qsmContext_t)(void *)s->closed : NULL, 10));
      break;
    default: CHECK(s, qsmDeviceSynchronize(s->closed, 10)); break;
  }
}

static void preempt(struct sequence *s) {
  qsmPreemptResult result;
  qsmContext_t of = u8(s) < 30 ? s->honest : context(s);
  CHECK(s, qsmPreempt(s->device, number(s), of, (qsmTechnique)below(s, 4), cycles(s), &result));
}

// Registers of a hostile slot, as a host may write them that goes past the library.
static void write_register(struct sequence *s) {
  uint32_t slot = qsmContextSlot(context(s)), offset = 4 * below(s, 64);
  if (slot == UINT32_MAX || slot == 0) return;
  // Which parts go together is the host's to see to (docs/xbar.md, R-XB-6).
  if (offset == QSM_SLOT_MEM_SPLIT && s->instances) return;
  CHECK(s, qsmRegisterWrite(s->device, (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + offset),
                            number(s)));
}

// ---- Streams ----

static void use_stream(struct sequence *s) {
  uint32_t which = below(s, N_STREAMS);
  switch (below(s, 5)) {
    case 0: CHECK(s, qsmStreamDestroy(s->streams[which])); break;
    case 1: CHECK(s, qsmStreamSynchronize(s->streams[which], cycles(s))); break;
    case 2: CHECK(s, qsmStreamQuery(s->streams[which])); break;
    default:
      CHECK(s, qsmStreamCreateWithPriority(context(s), u8(s) < 250 ? &s->streams[which] : NULL,
                                           u8(s) < 240 ? below(s, 2) : number(s), number(s)));
      break;
  }
}

static void use_event(struct sequence *s) {
  uint32_t which = below(s, N_STREAMS);
  float time;
  switch (below(s, 7)) {
    case 0: CHECK(s, qsmEventCreate(context(s), &s->events[which])); break;
    case 1: CHECK(s, qsmEventDestroy(s->events[which])); break;
    case 2: CHECK(s, qsmEventSynchronize(s->events[which], cycles(s))); break;
    case 3: CHECK(s, qsmStreamWaitEvent(stream(s), s->events[which])); break;
    case 4:
      CHECK(s, qsmEventElapsedTime(&time, s->events[which], s->events[below(s, N_STREAMS)]));
      break;
    case 5: CHECK(s, qsmEventQuery(s->events[which])); break;
    default: CHECK(s, qsmEventRecord(s->events[which], stream(s))); break;
  }
}

// What may end later ends in memory that stays.
static void copy_later(struct sequence *s) {
  enum { ROOM = 2048 };
  static uint8_t bytes[ROOM];
  qsmContext_t of = context(s);
  uint32_t which = below(s, N_STREAMS);
  void *here = bytes;
  if (u8(s) >= 200 && lives(s->pinned_of[which])) {
    here = s->pinned[which];
    of = s->pinned_of[which];
  }
  void *there = qsmDevicePointer(address(s)), *other = qsmDevicePointer(address(s));
  size_t n = size(s);
  if (n > ROOM && n < (size_t)1 << 27) n = ROOM;  // what may succeed
  switch (below(s, 5)) {
    case 0: CHECK(s, qsmMemcpyAsync(of, there, here, n, qsmMemcpyHostToDevice, stream(s))); break;
    case 1: CHECK(s, qsmMemcpyAsync(of, here, there, n, qsmMemcpyDeviceToHost, stream(s))); break;
    case 2:
      CHECK(s, qsmMemcpyAsync(of, there, other, n, qsmMemcpyDeviceToDevice, stream(s)));
      break;
    case 3:
      CHECK(s, qsmMemcpyAsync(of, there, here, n, (qsmMemcpyKind)(below(s, 2) * 4), stream(s)));
      break;
    default: CHECK(s, qsmMemsetAsync(of, address(s), (int)number(s), n, stream(s))); break;
  }
}

static void use_host_memory(struct sequence *s) {
  uint32_t which = below(s, N_STREAMS);
  qsmContext_t of = context(s);
  switch (below(s, 5)) {
    case 4: CHECK(s, qsmContextAllowLaunchMasks(of, u8(s) % 2)); break;
    case 0: CHECK(s, qsmContextSetMaxPriority(of, number(s))); break;
    case 1: CHECK(s, qsmContextSetLaunchLimit(of, number(s))); break;
    case 2:
      CHECK(s, qsmFreeHost(of, s->pinned[which]));
      if (!lives(s->pinned_of[which])) break;
      CHECK(s, qsmFreeHost(s->pinned_of[which], s->pinned[which]));
      s->pinned_of[which] = NULL;  // if copies use it: it is not found again
      break;
    default:
      if (!lives(s->pinned_of[which]) && qsmMallocHost(of, 2048, &s->pinned[which]) == qsmSuccess)
        s->pinned_of[which] = of;
      break;
  }
}

static void stream_step(struct sequence *s) {
  switch (below(s, 4)) {
    case 0: use_stream(s); break;
    case 1: use_event(s); break;
    case 2: copy_later(s); break;
    default: use_host_memory(s); break;
  }
}

static void step(struct sequence *s) {
  if (s->channels && below(s, 3)) {
    stream_step(s);
    return;
  }
  switch (below(s, 22)) {
    case 0: create(s); break;
    case 1: qsmContextDestroy(context(s)); break;
    case 2: load_module(s); break;
    case 3:
    case 4: allocate(s); break;
    case 5: CHECK(s, qsmFree(context(s), address(s))); break;
    case 6:
    case 7: copy(s); break;
    case 8:
    case 9:
    case 10:
    case 11: launch_any(s); break;
    case 12: CHECK(s, qsmContextKill(context(s))); break;
    case 13: CHECK(s, qsmContextSynchronize(context(s), cycles(s))); break;
    case 14: CHECK(s, qsmDeviceRunUntil(s->device, qsmDeviceCycle(s->device) + cycles(s))); break;
    case 15: set_something(s); break;
    case 16: set_goal(s); break;
    case 17: ask_something(s); break;
    case 18: preempt(s); break;
    case 19: honest_starts(s); break;
    case 20: honest_looks(s); break;
    default: u8(s) < 200 ? write_register(s) : measure(s); break;
  }
}

// ---- A sequence ----

// The honest tenant comes first: slot 0.
static bool open_all(struct sequence *s, const char *backend) {
  char msg[256] = "";
  // With small memories where there need be no RTL of it: that is faster.
  static const char *const configs[2][2] = {
      {"tiny", "odd"}, {"tiny+mem_bytes-8388608", "odd+mem_bytes-4194304+partition_bits-22"}};
  static qsmDevice_t closed;
  const uint32_t kind = u8(s), is_odd = kind % 2;
  const char *config = configs[strcmp(backend, "model") == 0][is_odd];
  if (!closed && qsmDeviceOpen("model", "tiny", NULL, &closed, msg, sizeof msg))
    complain(s, "%s", msg);
  qsmDeviceClose(closed);
  s->closed = closed;
  if (qsmDeviceOpen(backend, config, &(struct qsm_backend_options){.state_interval = 1000},
                    &s->device, msg, sizeof msg)) {
    complain(s, "%s", msg);
    return false;
  }
  for (uint32_t i = 0; i < WORDS; i++) s->input[i] = 0x01010101u * i + u8(s);
  s->lie = getenv("QSM_FUZZ_DISHONEST") != NULL;
  s->instances = is_odd && kind & 2;
  qsmError_t error = s->instances
                         ? qsmSetScheduling(s->device, qsmPolicyGto, qsmSchemeSmStatic, 5000)
                         : qsmSuccess;
  if (!error)
    error = s->instances
                ? qsmContextCreateInInstance(s->device, qsmInstanceFourSevenths, &s->honest)
                : qsmContextCreate(s->device, &s->honest);
  if (!error) error = qsmModuleLoad(s->honest, "build/fuzz/kernels.elf");
  if (!error) error = qsmSetIsolatedIpc(s->honest, 1 << 16);
  if (!error) error = qsmMalloc(s->honest, 4 * WORDS, &s->honest_in);
  if (!error) error = qsmMalloc(s->honest, 4 * WORDS, &s->honest_out);
  if (!error) error = qsmMemcpyHtoD(s->honest, s->honest_in, s->input, sizeof s->input);
  s->channels = !s->instances && (kind & 4);
  bool exclusive = strcmp(backend, "model") == 0 && kind % 16 == 15;  // its ends take long
  if (!error && s->channels)
    error = qsmDeviceUseChannels(s->device, 1 + (kind >> 3 & 1),
                                 exclusive ? qsmChannelsExclusive : qsmChannelsConcurrent);
  if (!error && s->channels) error = qsmSetSubmitLimit(s->device, 1000);
  if (error) complain(s, "set-up: %s", qsmGetLastErrorText(s->device));
  return !error;
}

const char *api_sequence(const char *backend, const uint8_t *bytes, size_t n_bytes) {
  static struct sequence s;
  s = (struct sequence){.in = {.bytes = bytes, .n = n_bytes}};
  if (open_all(&s, backend)) {
    for (uint32_t n = 0; n < MAX_CALLS && s.in.at < n_bytes && !s.wrong[0]; n++) step(&s);
    if (!s.wrong[0]) honest_ends(&s);
  }
  s.in.n = 0;  // callbacks from here on do the harmless
  for (uint32_t i = 0; i < N_CONTEXTS; i += 2) qsmContextDestroy(s.contexts[i]);
  qsmDeviceClose(s.device);
  return s.wrong[0] ? s.wrong : NULL;
}

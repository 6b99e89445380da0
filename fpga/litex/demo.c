// SPDX-License-Identifier: Apache-2.0
#include "demo.h"

#include <stddef.h>

#include "qsm_enums.h"
#include "qsm_regs.h"

enum {
  MEMORY_BASE = (int)0x80000000,
  TENANT_BYTES = 128 * 1024,
  EPOCH_CYCLES = 2000,
  CHUNK_WORDS = 64,
  GOAL_PART = 3,         // of what the other tenant takes
  MISSED_PERMILLE = 50,  // of the goal, at most
  N_ADDED = 1600,        // elements
  ADD_THREADS = 8,
  ADD_BLOCKS = 25,
  N_MATRIX = 16,  // rows and columns
  TILE_X = 4,
  TILE_Y = 2
};

// Of qsm-image.
extern const struct qsm_bare_program vadd_program, matmul_program;

struct demo {
  const struct demo_platform *platform;
  struct qsm_bare gpu;
  uint32_t n_failed;
};

// ---- Console ----

static void print(const struct demo *demo, const char *text) { demo->platform->print(text); }

static void print_number(const struct demo *demo, uint32_t number) {
  char text[11], *at = text + sizeof text - 1;
  *at = 0;
  do *--at = (char)('0' + number % 10);
  while (number /= 10);
  print(demo, at);
}

static void print_count(const struct demo *demo, const char *what, uint32_t number) {
  print(demo, what);
  print_number(demo, number);
}

// Q16.16, three digits.
static void print_q16(const struct demo *demo, uint32_t value) {
  uint32_t permille = ((value & 0xFFFF) * 1000) >> 16;
  print_number(demo, value >> 16);
  print(demo, permille < 10 ? ".00" : permille < 100 ? ".0" : ".");
  print_number(demo, permille);
}

static bool check(struct demo *demo, bool holds, const char *what) {
  if (holds) return true;
  print(demo, "  FAILED: ");
  print(demo, what);
  print(demo, "\n");
  demo->n_failed++;
  return false;
}

// Each step runs when those before it succeeded.
static bool succeeded(struct demo *demo, const char *error) { return check(demo, !error, error); }

// ---- Memory ----

// Word i of an array, whatever the array is: inputs and what must come out are made when needed.
typedef uint32_t (*word_at)(uint32_t i);

static uint32_t mixed(uint32_t i, uint32_t seed) {
  uint32_t x = (i + 1) * 0x9E3779B9u ^ seed;
  x ^= x >> 15;
  return x * 0x85EBCA6Bu;
}

static void fill(const struct demo *demo, uint32_t address, uint32_t n_words, word_at value) {
  const struct qsm_bare_bus *bus = demo->platform->bus;
  uint32_t chunk[CHUNK_WORDS];
  for (uint32_t from = 0, n; from < n_words; from += n) {
    n = n_words - from < CHUNK_WORDS ? n_words - from : CHUNK_WORDS;
    for (uint32_t i = 0; i < n; i++) chunk[i] = value(from + i);
    bus->put(bus->context, address + 4 * from, chunk, 4 * n);
  }
}

static uint32_t count_wrong(const struct demo *demo, uint32_t address, uint32_t n_words,
                            word_at value) {
  const struct qsm_bare_bus *bus = demo->platform->bus;
  uint32_t chunk[CHUNK_WORDS], n_wrong = 0;
  for (uint32_t from = 0, n; from < n_words; from += n) {
    n = n_words - from < CHUNK_WORDS ? n_words - from : CHUNK_WORDS;
    bus->get(bus->context, address + 4 * from, chunk, 4 * n);
    for (uint32_t i = 0; i < n; i++) n_wrong += chunk[i] != value(from + i);
  }
  return n_wrong;
}

// ---- The two programs ----

static uint32_t addend_a(uint32_t i) { return mixed(i, 1); }
static uint32_t addend_b(uint32_t i) { return mixed(i, 2); }
static uint32_t sum(uint32_t i) { return addend_a(i) + addend_b(i); }
static uint32_t matrix_a(uint32_t i) { return mixed(i, 3) >> 22; }
static uint32_t matrix_b(uint32_t i) { return mixed(i, 4) >> 22; }
static uint32_t nothing(uint32_t i) { return i - i; }

static uint32_t product(uint32_t i) {
  uint32_t row = i / N_MATRIX, column = i % N_MATRIX, total = 0;
  for (uint32_t k = 0; k < N_MATRIX; k++)
    total += matrix_a(row * N_MATRIX + k) * matrix_b(k * N_MATRIX + column);
  return total;
}

struct job {
  const char *name;
  struct qsm_bare_tenant tenant;
  struct qsm_bare_launch launch;
  uint32_t result, n_words;  // what it writes
  word_at expected;
  uint32_t n_launches;
};

// Arrays a, b and the result, of n words each.
static const char *place(struct demo *demo, struct job *job, uint32_t slot,
                         const struct qsm_bare_program *program, word_at a, word_at b) {
  uint32_t base = (uint32_t)MEMORY_BASE + slot * TENANT_BYTES, bytes = 4 * job->n_words;
  const char *error =
      qsm_bare_arrive(&job->tenant, &demo->gpu, slot, base, base + TENANT_BYTES, program);
  if (error) return error;
  uint32_t at_a = qsm_bare_alloc(&job->tenant, bytes), at_b = qsm_bare_alloc(&job->tenant, bytes);
  job->result = qsm_bare_alloc(&job->tenant, bytes);
  if (!job->result) return "no room for the arrays";
  fill(demo, at_a, job->n_words, a);
  fill(demo, at_b, job->n_words, b);
  job->launch.args[0] = at_a;
  job->launch.args[1] = at_b;
  job->launch.args[2] = job->result;
  return NULL;
}

static const char *place_vadd(struct demo *demo, struct job *job, uint32_t slot) {
  *job = (struct job){.name = "vadd",
                      .launch = {.kernel = "vadd",
                                 .grid = {ADD_BLOCKS, 1, 1},
                                 .block = {ADD_THREADS, 1, 1},
                                 .args = {0, 0, 0, N_ADDED},
                                 .n_args = 4},
                      .n_words = N_ADDED,
                      .expected = sum};
  return place(demo, job, slot, &vadd_program, addend_a, addend_b);
}

static const char *place_matmul(struct demo *demo, struct job *job, uint32_t slot) {
  *job = (struct job){.name = "matmul",
                      .launch = {.kernel = "matmul",
                                 .grid = {N_MATRIX / TILE_X, N_MATRIX / TILE_Y, 1},
                                 .block = {TILE_X, TILE_Y, 1},
                                 .shared_bytes = (TILE_Y + TILE_X) * TILE_X * 4,
                                 .args = {0, 0, 0, N_MATRIX, N_MATRIX, N_MATRIX},
                                 .n_args = 6},
                      .n_words = N_MATRIX * N_MATRIX,
                      .expected = product};
  return place(demo, job, slot, &matmul_program, matrix_a, matrix_b);
}

// ---- Launches ----

static const char *start(struct job *job) {
  job->n_launches++;
  return qsm_bare_start(&job->tenant, &job->launch);
}

static const char *has_ended(const struct demo *demo, const struct job *job, uint32_t slots,
                             bool *ended) {
  bool killed = false;
  struct qsm_bare_fault fault;
  *ended = (slots >> job->tenant.slot & 1) != 0;
  const char *error = *ended ? qsm_bare_result(&job->tenant, &killed, &fault) : NULL;
  if (error || !killed) return error;
  print(demo, job->name);
  print_count(demo, " was killed: cause ", fault.cause);
  print_count(demo, " at PC ", fault.pc);
  print_count(demo, ", thread ", fault.thread);
  print_count(demo, " of block ", fault.block);
  print(demo, "\n");
  return "a kernel was killed";
}

static const char *wait(struct demo *demo, uint32_t *slots) {
  if (!demo->platform->wait(demo->platform->bus->context)) return "no interrupt comes";
  return qsm_bare_ended(&demo->gpu, slots);
}

static const char *read_cycle(const struct demo *demo, uint32_t *cycle) {
  const struct qsm_bare_bus *bus = demo->platform->bus;
  return bus->read(bus->context, QSM_REG_CYCLE_LO, cycle) ? NULL : "no cycle counter";
}

static void check_result(struct demo *demo, const struct job *job) {
  uint32_t n_wrong = count_wrong(demo, job->result, job->n_words, job->expected);
  print(demo, "  ");
  print(demo, job->name);
  print_count(demo, ": words ", job->n_words);
  print_count(demo, ", wrong ", n_wrong);
  print(demo, "\n");
  check(demo, n_wrong == 0, "wrong words in the result");
}

// What follows counts anew, and does not see what was computed before.
static const char *begin(struct demo *demo, struct job *job) {
  const char *error = qsm_bare_flush(&demo->gpu);
  fill(demo, job->result, job->n_words, nothing);
  job->n_launches = 0;
  return error ? error : qsm_bare_clear_history(&job->tenant);
}

// Thread instructions per cycle in Q16.16, by long division.
static const char *read_ipc(const struct job *job, uint32_t *ipc_q16) {
  uint32_t n_instructions = 0, n_cycles = 0;
  const char *error = qsm_bare_history(&job->tenant, &n_instructions, &n_cycles);
  if (error) return error;
  if (!n_cycles) return "too short for an epoch";
  uint32_t value = n_instructions / n_cycles, rest = n_instructions % n_cycles;
  for (uint32_t bit = 0; bit < 16; bit++) {
    rest *= 2;
    value = 2 * value + (rest >= n_cycles);
    if (rest >= n_cycles) rest -= n_cycles;
  }
  *ipc_q16 = value;
  return NULL;
}

static const char *time_register(struct demo *demo) {
  uint32_t from = 0, to = 0;
  const char *error = read_cycle(demo, &from);
  if (!error) error = read_cycle(demo, &to);
  if (error) return error;
  print_count(demo, "register read: cycles ", to - from);
  print(demo, "\n");
  return NULL;
}

// How long it takes from the first register of a launch to the interrupt's end, of a block that
// does nothing.
static const char *run_empty(struct demo *demo, struct job *job) {
  uint32_t from = 0, to = 0, slots = 0;
  struct qsm_bare_launch launch = job->launch;
  launch.grid = (struct qsm_bare_dim3){1, 1, 1};
  launch.args[3] = 0;
  const char *error = read_cycle(demo, &from);
  if (!error) error = qsm_bare_start(&job->tenant, &launch);
  if (!error) error = wait(demo, &slots);
  if (!error) error = read_cycle(demo, &to);
  if (error) return error;
  print_count(demo, "empty launch: cycles ", to - from);
  print(demo, "\n");
  return NULL;
}

static const char *run_alone(struct demo *demo, struct job *job, uint32_t *ipc_q16) {
  uint32_t from = 0, to = 0, slots = 0;
  bool ended = false;
  const char *error = begin(demo, job);
  if (!error) error = read_cycle(demo, &from);
  if (!error) error = start(job);
  if (!error) error = wait(demo, &slots);
  if (!error) error = read_cycle(demo, &to);
  if (!error) error = has_ended(demo, job, slots, &ended);
  if (!error && !ended) error = "the interrupt is of another slot";
  if (!error) error = qsm_bare_flush(&demo->gpu);
  if (!error) error = read_ipc(job, ipc_q16);
  if (error) return error;
  print(demo, job->name);
  print_count(demo, " alone: cycles ", to - from);
  print(demo, ", IPC ");
  print_q16(demo, *ipc_q16);
  print(demo, "\n");
  check_result(demo, job);
  return NULL;
}

// One launch of `main` beside as many of `other` as there is time for.
static const char *run_beside(struct demo *demo, struct job *main, struct job *other,
                              uint32_t *ipc_q16) {
  uint32_t slots = 0;
  bool runs = true, other_runs = true, ended = false;
  const char *error = begin(demo, main);
  if (!error) error = begin(demo, other);
  if (!error) error = start(main);
  if (!error) error = start(other);
  while (!error && (runs || other_runs)) {
    error = wait(demo, &slots);
    if (!error) error = has_ended(demo, main, slots, &ended);
    if (ended) runs = false;
    if (!error) error = has_ended(demo, other, slots, &ended);
    if (error || !ended) continue;
    other_runs = runs;
    if (runs) error = start(other);
  }
  if (!error) error = qsm_bare_flush(&demo->gpu);
  if (!error) error = read_ipc(main, ipc_q16);
  if (error) return error;
  check_result(demo, main);
  check_result(demo, other);
  return NULL;
}

static void print_pair(struct demo *demo, const char *what, uint32_t ipc_q16,
                       const struct job *other) {
  print(demo, what);
  print_q16(demo, ipc_q16);
  print_count(demo, ", launches of vadd meanwhile ", other->n_launches);
  print(demo, "\n");
}

static const char *run_pair(struct demo *demo, struct job *matmul, struct job *vadd,
                            uint32_t alone_q16) {
  uint32_t without_q16 = 0, with_q16 = 0;
  const char *error = run_beside(demo, matmul, vadd, &without_q16);
  if (error) return error;
  print_pair(demo, "matmul beside vadd: IPC ", without_q16, vadd);
  if (!check(demo, without_q16 < alone_q16, "the other tenant takes nothing")) return NULL;
  uint32_t goal_q16 = without_q16 + (alone_q16 - without_q16) / GOAL_PART;
  error = qsm_bare_schedule(&demo->gpu, QSM_POLICY_GTO, QSM_SCHEME_ROLLOVER, EPOCH_CYCLES);
  if (!error) error = qsm_bare_adjust(&demo->gpu, QSM_TECHNIQUE_DRAIN);
  if (!error) error = qsm_bare_set_goal(&matmul->tenant, goal_q16);
  if (!error) error = run_beside(demo, matmul, vadd, &with_q16);
  if (error) return error;
  print(demo, "the same with a goal of ");
  print_q16(demo, goal_q16);
  print_pair(demo, ": IPC ", with_q16, vadd);
  check(demo, with_q16 >= goal_q16 - goal_q16 / 1000 * MISSED_PERMILLE, "the goal is not reached");
  return NULL;
}

static const char *run_all(struct demo *demo) {
  struct job matmul, vadd;
  uint32_t matmul_q16 = 0, vadd_q16 = 0;
  const struct qsm_config *config = &demo->gpu.config;
  const char *error = qsm_bare_open(&demo->gpu, demo->platform->bus);
  if (error) return error;
  print_count(demo, "GPU: SMs ", config->num_sms);
  print_count(demo, ", warps of each ", config->warps_per_sm);
  print_count(demo, ", lanes ", config->warp_size);
  print(demo, "\n");
  const struct qsm_bare_bus *bus = demo->platform->bus;
  check(demo, !bus->write(bus->context, QSM_REG_POLICY, QSM_POLICY_COUNT),
        "a value that no policy has is not refused");
  if (demo->platform->memory_bytes < 2 * TENANT_BYTES) return "the SoC has too little memory";
  error = qsm_bare_schedule(&demo->gpu, QSM_POLICY_GTO, QSM_SCHEME_NONE, EPOCH_CYCLES);
  if (!error) error = place_matmul(demo, &matmul, 0);
  if (!error) error = place_vadd(demo, &vadd, 1);
  for (int i = 0; !error && i < 2; i++) error = time_register(demo);
  if (!error) error = run_empty(demo, &vadd);
  if (!error) error = run_empty(demo, &vadd);  // what it needs is now in caches, the CPU's too
  if (!error) error = run_alone(demo, &vadd, &vadd_q16);
  if (!error) error = run_alone(demo, &matmul, &matmul_q16);
  if (!error) error = run_pair(demo, &matmul, &vadd, matmul_q16);
  if (!error) error = qsm_bare_leave(&matmul.tenant);
  if (!error) error = qsm_bare_leave(&vadd.tenant);
  return error;
}

uint32_t demo_run(const struct demo_platform *platform) {
  struct demo demo = {.platform = platform};
  succeeded(&demo, run_all(&demo));
  return demo.n_failed;
}

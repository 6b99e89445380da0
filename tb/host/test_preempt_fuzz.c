// SPDX-License-Identifier: Apache-2.0
// The property of preemption on random programs: several tenants at a time whose memory at the end
// does not depend on the order of threads run undisturbed, and with requests of every kind at
// random moments, some of them killed, some made to yield and launched again (R-TB-16); their
// memory must be the same. What the requests met (barriers, divergence, loads, atomics) is counted,
// so that the test cannot pass by missing the cases.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "qsm_config_yaml.h"
#include "qsm_fuzz_program.h"
#include "qsm_model.h"
#include "qsm_regs.h"

enum {
  CODE_BYTES = 0x4000,
  DATA_BYTES = QSM_FUZZ_DATA_BYTES,
  SAVE_OFFSET = CODE_BYTES + DATA_BYTES,
  MAX_SLOTS = 8,
  MAX_SUBS = 4,
  MAX_WARPS = 16,
  LONGEST_RUN = 3000000
};
#define MEMORY_BASE 0x80000000u

static uint64_t test_seed(uint64_t usual) {
  const char *text = getenv("QSM_TEST_SEED");
  return text ? strtoull(text, NULL, 0) : usual;
}

// ---- What a request meets: kept from the events ----

enum met { MET_BARRIER, MET_DIVERGENCE, MET_LOAD, MET_ATOMIC, MET_FINISHED_WARP, MET_COUNT };
static const char *const met_names[MET_COUNT] = {"barrier", "divergence", "load under way",
                                                 "atomic under way", "finished warp"};

struct warp_watch {
  bool resident;
  uint32_t tb, live, bar, loads, atomics;  // loads, atomics: registers that wait for one
  bool apart;
};

struct watch {
  struct warp_watch warp[64][MAX_SUBS][MAX_WARPS];
  uint32_t finished[64][32];  // warps of a block
  uint64_t met[MET_COUNT], n_saved, n_restored, n_adjusted, n_yielded;
};

static void note_freeze(struct watch *watch, const struct qsm_event *event) {
  uint32_t tb = event->word[1];
  bool met[MET_COUNT] = {false};
  for (uint32_t sub = 0; sub < MAX_SUBS; sub++) {
    for (uint32_t w = 0; w < MAX_WARPS; w++) {
      const struct warp_watch *warp = &watch->warp[event->sm][sub][w];
      if (!warp->resident || warp->tb != tb) continue;
      met[MET_BARRIER] |= warp->bar != 0;
      met[MET_DIVERGENCE] |= warp->apart;
      met[MET_LOAD] |= warp->loads != 0;
      met[MET_ATOMIC] |= warp->atomics != 0;
    }
  }
  met[MET_FINISHED_WARP] = watch->finished[event->sm][tb] != 0;
  for (uint32_t i = 0; i < MET_COUNT; i++) watch->met[i] += met[i];
}

static void watch_event(void *ctx, const struct qsm_event *event) {
  struct watch *watch = ctx;
  const uint32_t *word = event->word;
  struct warp_watch *warp = event->sub < MAX_SUBS && word[0] < MAX_WARPS
                                ? &watch->warp[event->sm][event->sub][word[0]]
                                : NULL;
  switch (event->kind) {
    case QSM_EV_ARRIVE: watch->finished[event->sm][word[0]] = 0; break;
    case QSM_EV_START:
      *warp = (struct warp_watch){.resident = true, .tb = word[2], .live = word[4]};
      break;
    case QSM_EV_FINISH:
      warp->resident = false;
      watch->finished[event->sm][word[1]]++;
      break;
    case QSM_EV_RESOLVE:
      warp->live = word[1];
      warp->bar = word[2];
      warp->apart = false;
      break;
    case QSM_EV_SPLIT:
      warp->bar = 0;
      warp->apart = word[3] != warp->live;
      break;
    case QSM_EV_ISSUE: {
      uint32_t opcode = word[4] & 0x7F, rd = 1u << (word[4] >> 7 & 31);
      if (opcode == 0x03) warp->loads |= rd;
      if (opcode == 0x2F) warp->atomics |= rd;
      break;
    }
    case QSM_EV_WB:
      warp->loads &= ~(1u << word[1]);
      warp->atomics &= ~(1u << word[1]);
      break;
    case QSM_EV_TBOP:
      if (word[0] >= 2 && word[2] <= 2) note_freeze(watch, event);
      break;
    case QSM_EV_RETIRE: watch->n_saved += word[1]; break;
    case QSM_EV_RESUMED: watch->n_restored++; break;
    case QSM_EV_ADJUST: watch->n_adjusted++; break;
    default: break;
  }
}

// ---- A run ----

struct tenant {
  uint32_t words[QSM_FUZZ_MAX_WORDS], n_words;
  uint32_t threads, blocks, shared_bytes, stack;
  enum qsm_fuzz_order order;
};

struct round {
  struct qsm_config config;
  struct qsm_random random;
  uint32_t arena;  // bytes of a slot
  struct tenant tenant[MAX_SLOTS];
  uint8_t inputs[MAX_SLOTS][DATA_BYTES];
  uint32_t policy, scheme, qos, killed;  // the last two: bit per slot
  uint32_t adjust;                       // 1 + technique; 0: off
  bool spoils;                           // flips bits of saved registers: the checks must see it
  struct qsm_model *model;
  uint64_t n_requests, n_accepted;
  struct watch watch;
};

static uint32_t below(struct round *round, uint32_t n) {
  return qsm_random_below(&round->random, n);
}
static uint32_t slot_register(uint32_t k, uint32_t offset) {
  return QSM_SLOT_BASE + QSM_SLOT_STRIDE * k + offset;
}
static uint32_t base_of(const struct round *round, uint32_t k) {
  return MEMORY_BASE + round->arena * k;
}

static void put(struct round *round, uint32_t address, uint32_t value) {
  if (qsm_model_write(round->model, (uint16_t)address, value))
    fail_msg("write of 0x%x to 0x%04x was refused", value, address);
}

static uint32_t get(struct round *round, uint32_t address) {
  uint32_t value;
  assert_int_equal(qsm_model_read(round->model, (uint16_t)address, &value), 0);
  return value;
}

static uint8_t *memory(const struct round *round, uint32_t address) {
  return qsm_model_memory(round->model) + (address - MEMORY_BASE);
}

static void draw_tenant(struct round *round, uint32_t k) {
  struct tenant *tenant = &round->tenant[k];
  const struct qsm_config *config = &round->config;
  uint32_t most = config->warps_per_sm * config->warp_size,
           grid_most = QSM_FUZZ_INPUT_OFFSET / QSM_FUZZ_OWN_BYTES;
  if (most > grid_most / 2) most = grid_most / 2;
  tenant->threads = 1 + below(round, below(round, 3) ? (most + 1) / 2 : most);
  tenant->blocks = 1 + below(round, grid_most / tenant->threads);
  tenant->order = below(round, 3) ? QSM_FUZZ_ORDERLESS : QSM_FUZZ_IDEMPOTENT;
  uint32_t own = 16 + QSM_FUZZ_OWN_BYTES * tenant->threads;
  if (own < 64) own = 64;
  tenant->shared_bytes =
      own > config->shared_bytes || below(round, 4) == 0 ? 0 : own + below(round, 40);
  if (tenant->shared_bytes > config->shared_bytes) tenant->shared_bytes = config->shared_bytes;
  uint32_t block_warps = (tenant->threads + config->warp_size - 1) / config->warp_size;
  tenant->stack =
      qsm_fuzz_stack(&round->random, config, block_warps, base_of(round, k) + round->arena,
                     (round->arena - SAVE_OFFSET) / 2);
  const struct qsm_fuzz_request request = {.data = base_of(round, k) + CODE_BYTES,
                                           .shared_bytes = tenant->shared_bytes,
                                           .order = tenant->order,
                                           .block_threads = tenant->threads,
                                           .fpu = config->fpu,
                                           .log2_stack = tenant->stack & QSM_SLOT_STACK_LOG2_MASK};
  tenant->n_words = qsm_fuzz_program(&round->random, &request, tenant->words);
  for (uint32_t i = 0; i < DATA_BYTES; i++)
    round->inputs[k][i] = (uint8_t)qsm_random_next(&round->random);
}

static void launch(struct round *round, uint32_t k) {
  const struct tenant *tenant = &round->tenant[k];
  const struct qsm_config *config = &round->config;
  uint32_t base = base_of(round, k), granule = qsm_config_granule_bytes(config);
  uint32_t save_limit =
      tenant->stack ? tenant->stack & QSM_SLOT_STACK_BASE_MASK : base + round->arena;
  memcpy(memory(round, base), tenant->words, tenant->n_words * sizeof *tenant->words);
  memcpy(memory(round, base + CODE_BYTES), round->inputs[k], DATA_BYTES);
  const uint32_t settings[][2] = {
      {QSM_SLOT_GOAL, 1u << 15 << k},
      {QSM_SLOT_CTX, 1 | (round->qos >> k & 1) << 1},
      {QSM_SLOT_WIN0_BASE, base},
      {QSM_SLOT_WIN0_LIMIT, base + CODE_BYTES},
      {QSM_SLOT_WIN0_RIGHTS, 4},
      {QSM_SLOT_WIN1_BASE, base + CODE_BYTES},
      {QSM_SLOT_WIN1_LIMIT, base + round->arena},
      {QSM_SLOT_WIN1_RIGHTS, 3},
      {QSM_SLOT_ENTRY, base},
      {QSM_SLOT_GRID_X, tenant->blocks},
      {QSM_SLOT_BLOCK_X, tenant->threads},
      {QSM_SLOT_BLOCK_THREADS, tenant->threads},
      {QSM_SLOT_BLOCK_WARPS, (tenant->threads + config->warp_size - 1) / config->warp_size},
      {QSM_SLOT_SHARED, tenant->shared_bytes},
      {QSM_SLOT_SHARED_GRAN, (tenant->shared_bytes + granule - 1) / granule},
      {QSM_SLOT_SAVE_BASE, base + SAVE_OFFSET},
      {QSM_SLOT_SAVE_LIMIT, save_limit},
      {QSM_SLOT_STACK, tenant->stack},
      {QSM_SLOT_IDEMPOTENT, tenant->order == QSM_FUZZ_IDEMPOTENT},
      {QSM_SLOT_LAUNCH, 1}};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    put(round, slot_register(k, settings[i][0]), settings[i][1]);
}

static void request(struct round *round) {
  const struct qsm_config *config = &round->config;
  static const uint8_t techniques[] = {0, 0, 0, 0, 1, 2, 2};
  uint32_t value = below(round, config->num_sms) |
                   below(round, config->num_kernels) << QSM_REG_PREEMPT_SLOT_SHIFT |
                   (uint32_t)techniques[below(round, sizeof techniques)]
                       << QSM_REG_PREEMPT_TECHNIQUE_SHIFT;
  if (below(round, 3))
    value |=
        below(round, config->max_tbs) << QSM_REG_PREEMPT_TB_SHIFT | QSM_REG_PREEMPT_BY_SLOT_MASK;
  put(round, QSM_REG_PREEMPT, value);
  uint32_t code;
  do code = get(round, QSM_REG_PREEMPT_STATUS) & QSM_REG_PREEMPT_STATUS_CODE_MASK;
  while (code == 1);
  round->n_requests++;
  round->n_accepted += code == 2;
}

// A bit of a register of random data (x6 .. x15), in a line of image 0 that may be one of a saved
// block.
static void spoil(struct round *round, uint32_t k) {
  uint32_t line_bytes = qsm_config_line_bytes(&round->config), line = 3 + 6 + below(round, 10);
  memory(round, base_of(round, k) + SAVE_OFFSET + line * line_bytes)[below(round, line_bytes)] ^=
      (uint8_t)(1u << below(round, 8));
}

static void meddle(struct round *round, uint32_t pause) {
  uint32_t n_slots = round->config.num_kernels, k = below(round, n_slots);
  uint64_t n_cycles = 1 + below(round, below(round, 4) ? pause : 6 * pause);
  qsm_model_run(round->model, n_cycles, false);
  if (round->spoils) spoil(round, k);
  switch (below(round, 24)) {
    case 0: put(round, slot_register(k, QSM_SLOT_PREEMPT_HOLD), 1); break;
    case 1:
    case 2:
      for (k = 0; k < n_slots; k++) put(round, slot_register(k, QSM_SLOT_PREEMPT_HOLD), 0);
      break;
    case 3:
      if (below(round, 6) == 0 &&
          !qsm_model_write(round->model, (uint16_t)slot_register(k, QSM_SLOT_KILL), 1))
        round->killed |= 1u << k;
      break;
    case 4:
      put(round, slot_register(k, QSM_SLOT_SM_MASK_LO),
          1 + below(round, (1u << round->config.num_sms) - 1));
      break;
    case 5:
      if (below(round, 3) == 0)
        (void)qsm_model_write(round->model, slot_register(k, QSM_SLOT_YIELD), 1);
      break;
    default: request(round); break;
  }
}

// What the L2 has of it goes to memory.
static void flush(struct round *round) {
  put(round, QSM_REG_L2_FLUSH, 1);
  while (get(round, QSM_REG_L2_FLUSH)) {}
}

// A launch has ended. True: it had only yielded, and runs again.
static bool goes_on(struct round *round, uint32_t k) {
  if (!(get(round, slot_register(k, QSM_SLOT_STATUS)) & QSM_SLOT_STATUS_YIELDED_MASK)) return false;
  assert_int_equal(get(round, slot_register(k, QSM_SLOT_SAVED)), 0);
  put(round, QSM_REG_IRQ, 1u << k);
  put(round, slot_register(k, QSM_SLOT_LAUNCH), 1);
  round->watch.n_yielded++;
  return true;
}

// A launch has ended: its tenant leaves, so that the others have room.
static void leave(struct round *round, uint32_t k, uint8_t *data, uint64_t seed) {
  if (get(round, slot_register(k, QSM_SLOT_STATUS)) && !(round->killed >> k & 1)) {
    fail_msg("QSM_TEST_SEED=%llu on %s: slot %u was killed: cause %u, pc 0x%x, value 0x%x",
             (unsigned long long)seed, round->config.name, k,
             get(round, slot_register(k, QSM_SLOT_FAULT_CAUSE)),
             get(round, slot_register(k, QSM_SLOT_FAULT_PC)),
             get(round, slot_register(k, QSM_SLOT_FAULT_VALUE)));
  }
  assert_int_equal(get(round, slot_register(k, QSM_SLOT_SAVED)), 0);
  flush(round);
  memcpy(data, memory(round, base_of(round, k) + CODE_BYTES), DATA_BYTES);
  put(round, QSM_REG_IRQ, 1u << k);
  while (qsm_model_write(round->model, (uint16_t)slot_register(k, QSM_SLOT_CTX), 0)) {
  }  // the manager may keep it closed
}

static void check_rest(struct round *round) {
  for (uint32_t i = 0; i < round->config.num_sms; i++) {
    put(round, QSM_REG_SM_SELECT, i);
    assert_int_equal(get(round, QSM_REG_SMSEL_JOB) &
                         (QSM_REG_SMSEL_JOB_KIND_MASK | QSM_REG_SMSEL_JOB_PHASE_MASK),
                     0);
  }
}

// Runs all tenants to their ends; `pause` 0: undisturbed. Returns their data, to be freed.
static uint8_t *run(struct round *round, uint32_t pause, uint64_t seed) {
  char msg[256];
  uint32_t n_slots = round->config.num_kernels, left = (1u << n_slots) - 1;
  uint8_t *data = malloc((size_t)n_slots * DATA_BYTES);
  assert_non_null(data);
  assert_int_equal(qsm_model_create(&round->config, &round->model, msg, sizeof msg), 0);
  if (pause) qsm_model_set_sink(round->model, watch_event, &round->watch);
  put(round, QSM_REG_POLICY, round->policy);
  put(round, QSM_REG_SCHEME, round->scheme);
  put(round, QSM_REG_EPOCH_LEN, qsm_config_epoch_min(&round->config));
  if (pause && round->adjust) {
    put(round, QSM_REG_ADJUST, 1);
    put(round, QSM_REG_ADJUST_TECHNIQUE, round->adjust - 1);
  }
  for (uint32_t k = 0; k < n_slots; k++) launch(round, k);
  while (left) {
    if (qsm_model_cycle(round->model) > LONGEST_RUN) {
      fail_msg("QSM_TEST_SEED=%llu on %s: launches 0x%x have not ended", (unsigned long long)seed,
               round->config.name, left);
    }
    if (pause)
      meddle(round, pause);
    else
      qsm_model_run(round->model, 1000, true);
    uint32_t ended = get(round, QSM_REG_IRQ);
    for (uint32_t k = 0; k < n_slots; k++) {
      if (!(ended >> k & 1)) continue;
      if (goes_on(round, k))
        ended &= ~(1u << k);
      else
        leave(round, k, data + k * DATA_BYTES, seed);
    }
    left &= ~ended;
  }
  check_rest(round);
  qsm_model_destroy(round->model);
  return data;
}

// Whether the memory of all tenants that were not killed is the same; else `where` says what is
// not.
static bool play(const char *config, uint64_t seed, bool spoils, struct round *round, char *where,
                 size_t where_len) {
  char msg[256];
  memset(round, 0, offsetof(struct round, watch));
  assert_int_equal(qsm_config_load(config, &round->config, msg, sizeof msg), 0);
  round->random = qsm_random_seed(seed);
  round->spoils = spoils;
  round->arena = round->config.mem_bytes / round->config.num_kernels / 4096 * 4096;
  if (round->arena > 1 << 20) round->arena = 1 << 20;
  static const uint8_t schemes[] = {QSM_SCHEME_NONE, QSM_SCHEME_NONE, QSM_SCHEME_NAIVE,
                                    QSM_SCHEME_NAIVE_HISTORY, QSM_SCHEME_ROLLOVER};
  round->policy = below(round, QSM_POLICY_COUNT);
  round->scheme = schemes[below(round, sizeof schemes)];
  round->qos = below(round, 1u << round->config.num_kernels);
  for (uint32_t k = 0; k < round->config.num_kernels; k++) draw_tenant(round, k);
  round->adjust = below(round, 4);
  uint8_t *calm = run(round, 0, seed), *disturbed = run(round, 20 + below(round, 300), seed);
  bool same = true;
  for (uint32_t i = 0; i < round->config.num_kernels * DATA_BYTES && same; i++) {
    if ((round->killed >> i / DATA_BYTES & 1) || calm[i] == disturbed[i]) continue;
    same = false;
    snprintf(where, where_len,
             "QSM_TEST_SEED=%llu on %s: slot %u, data byte 0x%x is 0x%x, undisturbed 0x%x",
             (unsigned long long)seed, config, i / DATA_BYTES, i % DATA_BYTES, disturbed[i],
             calm[i]);
  }
  free(calm);
  free(disturbed);
  return same;
}

static void play_rounds(const char *config, uint32_t n_rounds, uint64_t first_seed) {
  struct round *round = calloc(1, sizeof *round);
  assert_non_null(round);
  uint64_t n_requests = 0, n_accepted = 0;
  char where[256];
  if (getenv("QSM_TEST_FULL")) n_rounds *= 30;
  if (getenv("QSM_TEST_BRIEF")) n_rounds /= 2;
  for (uint64_t seed = first_seed; seed < first_seed + n_rounds; seed++) {
    if (!play(config, seed, false, round, where, sizeof where)) fail_msg("%s", where);
    n_requests += round->n_requests;
    n_accepted += round->n_accepted;
  }
  const struct watch *watch = &round->watch;
  printf(
      "# %s: %u rounds from QSM_TEST_SEED=%llu, %llu requests, %llu accepted, %llu blocks saved, %llu restored, %llu targets adjusted, %llu launches yielded; met",
      config, n_rounds, (unsigned long long)first_seed, (unsigned long long)n_requests,
      (unsigned long long)n_accepted, (unsigned long long)watch->n_saved,
      (unsigned long long)watch->n_restored, (unsigned long long)watch->n_adjusted,
      (unsigned long long)watch->n_yielded);
  if (!watch->n_adjusted && round->config.num_sms < 4)
    fail_msg("no target was adjusted");  // four SMs take all blocks of these launches at once
  if (!watch->n_yielded) fail_msg("no launch yielded");
  for (uint32_t i = 0; i < MET_COUNT; i++)
    printf(" %s %llu%s", met_names[i], (unsigned long long)watch->met[i],
           i + 1 < MET_COUNT ? "," : "\n");
  for (uint32_t i = 0; i < MET_COUNT; i++) {
    if (!watch->met[i]) fail_msg("no request met a %s", met_names[i]);
  }
  free(round);
}

static void memory_is_the_same_on_tiny(void **state) {
  (void)state;
  play_rounds("tiny", 40, test_seed(1));
}

static void memory_is_the_same_on_odd(void **state) {
  (void)state;
  play_rounds("odd", 40, test_seed(1001));
}

static void memory_is_the_same_on_demo(void **state) {
  (void)state;
  play_rounds("demo", 20, test_seed(2011));
}

static void a_spoiled_image_is_noticed(void **state) {
  (void)state;
  struct round *round = calloc(1, sizeof *round);
  assert_non_null(round);
  uint32_t n_noticed = 0, n_rounds = getenv("QSM_TEST_BRIEF") ? 3 : 10;
  char where[256];
  for (uint64_t seed = 1; seed <= n_rounds; seed++)
    n_noticed += !play("tiny", seed, true, round, where, sizeof where);
  printf("# spoiled images: %u of %u rounds differ\n", n_noticed, n_rounds);
  assert_true(n_noticed >= n_rounds / 3);
  free(round);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_the_same_on_tiny),
      cmocka_unit_test(memory_is_the_same_on_odd),
      cmocka_unit_test(memory_is_the_same_on_demo),
      cmocka_unit_test(a_spoiled_image_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

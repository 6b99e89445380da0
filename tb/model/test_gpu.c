// SPDX-License-Identifier: Apache-2.0
// The whole model: results of launches, exactness of the look-ahead (pieces, interrupts, instances
// side by side), faults, the negative control of every block.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model_program.h"
#include "model_support.h"
#include "qsm_mem.h"
#include "qsm_model.h"
#include "qsm_preempt.h"
#include "qsm_regs.h"

static struct qsm_model *create(const struct qsm_config *config) {
  struct qsm_model *model;
  char msg[256];
  if (qsm_model_create(config, &model, msg, sizeof msg) != 0) fail_msg("%s", msg);
  qsm_model_enable_hash(model);
  return model;
}

enum { N_CONFIGS = 4, ENOUGH_CYCLES = 400000 };

static struct qsm_config config_number(uint32_t n) {
  switch (n) {
    case 0: return model_tiny();
    case 1: return model_odd();
    case 2: return model_demo();
    default: return model_wide();
  }
}

// In a brief run, each of several things that are done on all machines is done on one.
static bool on_turn(uint32_t config, uint32_t thing) {
  return !model_brief_run() || thing % N_CONFIGS == config;
}

// ---- Results ----

static void check_counts(struct qsm_model *model, uint32_t n_threads, uint32_t loops) {
  assert_int_equal(program_word(model, 0, 0), n_threads / 2 * loops);
  for (uint32_t i = 0; i < n_threads; i++)
    assert_int_equal(program_word(model, 0, 1 + i), i * loops);
}

static void a_launch_computes_its_results_and_interrupts(void **state) {
  (void)state;
  for (uint32_t n = 0; n < N_CONFIGS; n++) {
    struct qsm_config config = config_number(n);
    struct qsm_model *model = create(&config);
    uint32_t threads = 2 * config.warp_size;
    program_load(model, &config, 0, 1, PROGRAM_COUNT, 10, 12, threads);
    program_launch(model, 0);
    assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_STATUS)), 1);
    assert_true(qsm_model_run(model, ENOUGH_CYCLES, true) < ENOUGH_CYCLES);
    assert_int_equal(port_read(model, QSM_REG_IRQ), 1);
    assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_STATUS)), 0);
    assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_LAUNCHES)), 1);
    check_counts(model, 12 * threads, 10);
    qsm_model_destroy(model);
  }
}

static void a_fault_kills_one_tenant_and_leaves_the_other(void **state) {
  (void)state;
  struct qsm_config config = model_demo();
  struct qsm_model *model = create(&config);
  program_load(model, &config, 0, 1, PROGRAM_COUNT, 10, 12, 16);
  program_load(model, &config, 1, 1, PROGRAM_FAULT, 1000, 12, 16);
  program_launch(model, 0);
  program_launch(model, 1);
  qsm_model_run(model, ENOUGH_CYCLES, false);
  assert_int_equal(port_read(model, QSM_REG_IRQ), 3);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_STATUS)), 0);
  assert_int_equal(port_read(model, slot_register(1, QSM_SLOT_STATUS)),
                   QSM_SLOT_STATUS_KILLED_MASK);
  assert_int_equal(port_read(model, slot_register(1, QSM_SLOT_FAULT_CAUSE)), 7);
  assert_int_equal(port_read(model, slot_register(1, QSM_SLOT_FAULT_PC)),
                   QSM_MEM_BASE + PROGRAM_CODE + 4096 + 4 * 13);
  assert_int_equal(port_read(model, slot_register(1, QSM_SLOT_FAULT_TID)), 3);
  assert_int_equal(port_read(model, slot_register(1, QSM_SLOT_FAULT_BLOCK)), 2);
  assert_int_equal(port_read(model, slot_register(1, QSM_SLOT_FAULT_VALUE)), 0);
  assert_int_equal(port_read(model, slot_register(1, QSM_SLOT_LAUNCHES)), 0);
  check_counts(model, 12 * 16, 10);
  qsm_model_destroy(model);
}

static void a_killed_launch_ends_and_its_slot_can_launch_again(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct qsm_model *model = create(&config);
  program_load(model, &config, 0, 1, PROGRAM_SPIN, 2000, 1000, 8);
  program_launch(model, 0);
  qsm_model_run(model, 1000, false);
  port_write(model, slot_register(0, QSM_SLOT_KILL), 1);
  assert_true(qsm_model_run(model, 1000, true) < 1000);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_STATUS)),
                   QSM_SLOT_STATUS_KILLED_MASK);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_FAULT_CAUSE)), 24);
  port_write(model, QSM_REG_IRQ, 1);
  program_load(model, &config, 0, 1, PROGRAM_COUNT, 3, 4, 8);
  port_write(model, QSM_REG_ICACHE_INV, 1);
  program_launch(model, 0);
  assert_true(qsm_model_run(model, ENOUGH_CYCLES, true) < ENOUGH_CYCLES);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_STATUS)), 0);
  check_counts(model, 32, 3);
  qsm_model_destroy(model);
}

// ---- Exactness ----

// Two tenants, one with a goal, over several epochs; a second launch of slot 0 when the first ends.
static void load_pair_under(struct qsm_model *model, const struct qsm_config *config,
                            uint32_t scheme) {
  uint32_t threads = 2 * config->warp_size;
  port_write(model, QSM_REG_EPOCH_LEN, 2000);
  port_write(model, QSM_REG_SCHEME, scheme);
  program_load(model, config, 0, 3, PROGRAM_COUNT, 20, 60, threads);
  program_load(model, config, 1, 1, PROGRAM_DIVIDE, 30, 60, threads);
  port_write(model, slot_register(0, QSM_SLOT_GOAL), config->warp_size << 14);
  port_write(model, slot_register(0, QSM_SLOT_FIRST_QUOTA), 2000);
  port_write(model, slot_register(1, QSM_SLOT_FIRST_QUOTA), 500);
  program_launch(model, 0);
  program_launch(model, 1);
}

static void load_pair(struct qsm_model *model, const struct qsm_config *config) {
  load_pair_under(model, config, QSM_SCHEME_ROLLOVER);
}

static uint64_t run_pair(const struct qsm_config *config, uint64_t piece, uint64_t n_cycles) {
  struct qsm_model *model = create(config);
  load_pair(model, config);
  for (uint64_t n = 0; n < n_cycles;)
    n += qsm_model_run(model, piece < n_cycles - n ? piece : n_cycles - n, false);
  uint64_t hash = qsm_model_hash(model);
  qsm_model_destroy(model);
  return hash;
}

static void pieces_of_any_length_give_the_same_run(void **state) {
  (void)state;
  for (uint32_t n = 0; n < N_CONFIGS; n++) {
    struct qsm_config config = config_number(n);
    uint64_t hash = run_pair(&config, UINT64_MAX, 20000);
    assert_true(run_pair(&config, 1, 20000) == hash);
    assert_true(run_pair(&config, 7, 20000) == hash);
    assert_true(run_pair(&config, 1000, 20000) == hash);
    assert_true(run_pair(&config, UINT64_MAX, 19000) != hash);
  }
}

// A sum over all events, whatever their order: what a lockstep run compares.
static void sum_event(void *ctx, const struct qsm_event *event) {
  uint64_t *sum = ctx, hash = event->cycle * 64 + event->kind;
  for (uint32_t i = 0; i < event->n_words; i++)
    hash = (hash ^ event->word[i] ^ (uint64_t)event->sm << 32) * UINT64_C(0x9E3779B97F4A7C15);
  *sum += hash ^ hash >> 31;
}

static void run_in_pieces(struct qsm_model *model, uint64_t piece, uint64_t n_cycles) {
  for (uint64_t n = 0; n < n_cycles;)
    n += qsm_model_run(model, piece < n_cycles - n ? piece : n_cycles - n, false);
}

// The sum of a pair under a policy with groups, with the host's mind changing in between.
static uint64_t sum_policy(const struct qsm_config *config, uint32_t policy, uint64_t piece) {
  struct qsm_model *model = create(config);
  uint64_t sum = 0;
  qsm_model_set_sink(model, sum_event, &sum);
  load_pair(model, config);
  port_write(model, slot_register(0, QSM_SLOT_BUDGET), 2);
  port_write(model, QSM_REG_POLICY, policy);
  run_in_pieces(model, piece, 4000);
  port_write(model, slot_register(1, QSM_SLOT_BUDGET), 5);
  port_write(model, QSM_REG_ACTIVE_WARPS, 1);
  run_in_pieces(model, piece, 4000);
  port_write(model, QSM_REG_POLICY, QSM_POLICY_GTO);
  run_in_pieces(model, piece, 1000);
  port_write(model, QSM_REG_POLICY, policy);
  run_in_pieces(model, piece, 3000);
  qsm_model_destroy(model);
  return sum;
}

static void policies_with_groups_give_the_same_run_in_pieces_too(void **state) {
  (void)state;
  for (uint32_t n = 0; n < N_CONFIGS; n++) {
    struct qsm_config config = config_number(n);
    uint64_t sums[QSM_POLICY_COUNT];
    for (uint32_t policy = 0; policy < QSM_POLICY_COUNT; policy++) {
      sums[policy] = sum_policy(&config, policy, UINT64_MAX);
      if (!on_turn(n, policy)) continue;
      assert_true(sum_policy(&config, policy, 1) == sums[policy]);
      assert_true(sum_policy(&config, policy, 13) == sums[policy]);
    }
    // The modes of QAWS may agree where groups have a warp or two.
    assert_true(sums[QSM_POLICY_TWO_LEVEL] != sums[QSM_POLICY_QAWS] &&
                sums[QSM_POLICY_TWO_LEVEL] != sums[QSM_POLICY_QAWS_PROSE]);
  }
}

// The sum of a pair under a scheme whose epochs change in between, with isolated IPCs of 1 and 2.
static uint64_t sum_scheme(const struct qsm_config *config, uint32_t scheme, uint64_t piece) {
  struct qsm_model *model = create(config);
  uint64_t sum = 0;
  qsm_model_set_sink(model, sum_event, &sum);
  load_pair_under(model, config, scheme);
  port_write(model, slot_register(0, QSM_SLOT_GOAL), 1 << 15);
  for (uint32_t k = 0; k < 2; k++)
    port_write(model, slot_register(k, QSM_SLOT_ISO_IPC), 1 << (16 + k));
  run_in_pieces(model, piece, 13000);
  port_write(model, QSM_REG_EPOCH_LEN, 1234);
  run_in_pieces(model, piece, 5000);
  qsm_model_destroy(model);
  return sum;
}

static void schemes_give_the_same_run_in_pieces_too(void **state) {
  (void)state;
  for (uint32_t n = 0; n < N_CONFIGS; n++) {
    struct qsm_config config = config_number(n);
    for (uint32_t scheme = 0; scheme < QSM_SCHEME_COUNT; scheme++) {
      if (!on_turn(n, scheme)) continue;
      uint64_t sum = sum_scheme(&config, scheme, UINT64_MAX);
      assert_true(sum_scheme(&config, scheme, 1) == sum);
      assert_true(sum_scheme(&config, scheme, 13) == sum);
      assert_true(sum_scheme(&config, (scheme + 1) % 7, UINT64_MAX) != sum);
    }
  }
}

// ---- Adjustment at run time ----

struct adjusting {
  uint64_t sum;
  uint32_t n_asks, n_adjustments, n_accepted, n_refused, n_restored;
  uint64_t first_ask;
};

static void count_adjusting(void *ctx, const struct qsm_event *event) {
  struct adjusting *seen = ctx;
  sum_event(&seen->sum, event);
  if (event->kind == QSM_EV_ASK && seen->n_asks++ == 0) seen->first_ask = event->cycle;
  seen->n_adjustments += event->kind == QSM_EV_ADJUST;
  if (event->kind == QSM_EV_PREEMPT)
    ++*(event->word[5] == 2 ? &seen->n_accepted : &seen->n_refused);
  seen->n_restored += event->kind == QSM_EV_RESUMED;
}

// Slot 0 is far behind its goal, slot 1 has none, slot 2's is easy. In epochs as short as they may
// be a pass meets the next snapshot.
static struct adjusting run_adjusting(const struct qsm_config *config, uint32_t technique,
                                      uint64_t piece) {
  struct qsm_model *model = create(config);
  struct adjusting seen = {0};
  static const enum program programs[] = {PROGRAM_COUNT, PROGRAM_DIVIDE, PROGRAM_SPIN};
  const uint32_t n_blocks[] = {30 + 10 * config->num_sms, 12 * config->num_sms,
                               12 * config->num_sms};
  uint32_t threads = config->warp_size,
           save_base = QSM_MEM_BASE + PROGRAM_DATA + PROGRAM_DATA_BYTES / 2;
  qsm_model_set_sink(model, count_adjusting, &seen);
  port_write(model, QSM_REG_ADJUST, 1);
  port_write(model, QSM_REG_ADJUST_TECHNIQUE, technique);
  for (uint32_t k = 0; k < 3; k++) {
    program_load(model, config, k, k == 1 ? 1 : 3, programs[k], 20, n_blocks[k], threads);
    port_write(model, slot_register(k, QSM_SLOT_GOAL), k ? 1 : config->warp_size << 20);
    port_write(model, slot_register(k, QSM_SLOT_SAVE_BASE), save_base + k * PROGRAM_DATA_BYTES);
    port_write(model, slot_register(k, QSM_SLOT_SAVE_LIMIT),
               save_base + k * PROGRAM_DATA_BYTES + PROGRAM_DATA_BYTES / 2);
    port_write(model, slot_register(k, QSM_SLOT_IDEMPOTENT), k == 1);
  }
  port_write(model, QSM_REG_EPOCH_LEN, qsm_config_epoch_min(config));
  run_in_pieces(model, piece, 10000);
  for (uint32_t k = 0; k < 3; k++) program_launch(model, k);
  run_in_pieces(model, piece, 8000);
  while (qsm_model_write(model, QSM_REG_EPOCH_LEN, 1234)) {}  // refused while the manager computes
  for (uint32_t n = 0; n < 30 && port_read(model, QSM_REG_IRQ) != 7; n++)
    run_in_pieces(model, piece, 5000);
  assert_int_equal(port_read(model, QSM_REG_IRQ), 7);
  check_counts(model, n_blocks[0] * threads, 20);
  qsm_model_destroy(model);
  return seen;
}

static void adjustment_gives_right_results_and_the_same_run_in_pieces(void **state) {
  (void)state;
  for (uint32_t n = 0; n < N_CONFIGS; n++) {
    struct qsm_config config = config_number(n);
    for (uint32_t technique = 0; technique <= 2; technique++) {
      if (!on_turn(n, technique + 1)) continue;
      struct adjusting seen = run_adjusting(&config, technique, UINT64_MAX);
      assert_true(seen.n_adjustments > 0 && seen.n_accepted > 0);
      assert_int_equal(seen.n_restored > 0, technique != QSM_TECHNIQUE_DRAIN);
      assert_true(run_adjusting(&config, technique, 1).sum == seen.sum);
      assert_true(run_adjusting(&config, technique, 13).sum == seen.sum);
    }
  }
}

static void the_first_pass_follows_the_load_of_an_epoch_with_a_history(void **state) {
  (void)state;
  struct qsm_config config = model_demo();
  struct adjusting seen = {0};
  struct qsm_model *model = create(&config);
  qsm_model_set_sink(model, count_adjusting, &seen);
  program_load(model, &config, 0, 3, PROGRAM_SPIN, 20000, 100, 4 * config.warp_size);
  port_write(model, slot_register(0, QSM_SLOT_GOAL), 100 << 16);  // more than the peak
  program_launch(model, 0);
  qsm_model_run(model, 15000, false);
  assert_int_equal(seen.n_asks, 0);  // ADJUST = 0
  port_write(model, QSM_REG_ADJUST, 1);
  qsm_model_run(model, 15000, false);
  // Epochs end in 10000 n - 1 + NocLat = E; QosLat later is the first cycle, then one for the
  // set-up; two idle blocks are counted in three.
  uint64_t load = 20000 - 1 + config.noc_lat + config.qos_lat;
  assert_true(seen.first_ask > load + 2 && seen.first_ask <= load + 5);
  assert_int_equal(seen.n_asks, config.num_sms);
  qsm_model_destroy(model);
}

// R-SP-4. Warps that compute only: of those that are resident all but the issuing one are idle,
// most of the time.
static void idle_warps_and_the_ratio_show_in_their_registers(void **state) {
  (void)state;
  struct qsm_config config = model_demo();
  struct qsm_model *model = create(&config);
  program_load(model, &config, 0, 3, PROGRAM_SPIN, 20000, 8, 4 * config.warp_size);
  port_write(model, slot_register(0, QSM_SLOT_GOAL), 40 << 16);  // more than the peak
  program_launch(model, 0);
  qsm_model_run(model, 31000, false);  // the third epoch's end is over
  port_write(model, QSM_REG_SM_SELECT, 2);
  uint32_t idle = port_read(model, QSM_REG_SMSEL_IDLE);
  if (idle < 100 || idle > 700) fail_msg("%u of 100 samples of 8 warps", idle);
  assert_int_equal(port_read(model, QSM_REG_SMSEL_IDLE + 4), 0);
  uint64_t insn = port_read(model, slot_register(0, QSM_SLOT_INSN_LO)),
           cycles = port_read(model, slot_register(0, QSM_SLOT_HCYC_LO));
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_RATIO)),
                   (cycles * (40 << 16) + insn - 1) / insn);
  qsm_model_destroy(model);
}

// R-TB-14: an idle slot drops out at the end of its second E, and a LAUNCH asks for targets then;
// in that E it keeps the slot active.
static void a_launch_in_a_snapshot_asks_for_no_targets_and_one_after_it_does(void **state) {
  (void)state;
  enum { RESET_EPOCH = 10000, EPOCH = 2000 };
  for (uint64_t late = 0; late < 2; late++) {
    struct qsm_config config = model_tiny();
    struct qsm_model *model = create(&config);
    uint32_t shares = 0;
    port_write(model, QSM_REG_EPOCH_LEN, EPOCH);
    program_load(model, &config, 0, 1, PROGRAM_COUNT, 10, 2, config.warp_size);
    port_write(model, slot_register(0, QSM_SLOT_SHARED_GRAN),
               0);  // of the shape that a slot arrives with
    uint64_t second = RESET_EPOCH - 1 + config.noc_lat + EPOCH + late;
    qsm_model_run(model, second - 1 - qsm_model_cycle(model), false);
    program_launch(model, 0);
    assert_int_equal(qsm_model_peek(model, QSM_REG_ALLOC_BUSY), late);
    assert_true(qsm_model_state(model, QSM_STATE_SLOT, 0, 0, 0, 5, &shares));
    assert_int_equal(shares, 4 | 8);
    qsm_model_destroy(model);
  }
}

static void count_claims(void *ctx, const struct qsm_event *event) {
  uint32_t *n_claims = ctx;
  *n_claims += event->kind == QSM_EV_CLAIM;
}

// R-TA-11, R-TB-14: blocks for more than a machine of their tenant, which others' claims switch
// out.
static uint64_t run_crowd(const struct qsm_config *config, uint64_t piece, uint64_t n_cycles,
                          uint32_t *n_claims) {
  struct qsm_model *model = create(config);
  uint32_t threads = config->warps_per_sm * config->warp_size;
  qsm_model_set_sink(model, count_claims, n_claims);
  port_write(model, QSM_REG_EPOCH_LEN, 2000);
  for (uint32_t k = 0; k < 2; k++)
    program_load(model, config, k, 1, PROGRAM_SPIN, 60000, 12, threads);
  for (uint32_t k = 0; k < 2; k++) program_launch(model, k);
  for (uint64_t n = 0; n < n_cycles;)
    n += qsm_model_run(model, piece < n_cycles - n ? piece : n_cycles - n, false);
  uint64_t hash = qsm_model_hash(model);
  qsm_model_destroy(model);
  return hash;
}

static void machines_with_latecomers_give_the_same_run_in_pieces_too(void **state) {
  (void)state;
  for (uint32_t n = 0; n < N_CONFIGS - 1; n++) {
    struct qsm_config config = config_number(n);
    uint32_t n_claims = 0, again = 0;
    uint64_t hash = run_crowd(&config, UINT64_MAX, 30000, &n_claims);
    assert_true(n_claims > 0);
    assert_true(run_crowd(&config, 1, 30000, &again) == hash);
    assert_true(run_crowd(&config, 77, 30000, &again) == hash);
  }
}

static void stop_on_irq_stops_before_the_first_cycle_with_an_interrupt(void **state) {
  (void)state;
  for (uint32_t n = 0; n < N_CONFIGS; n++) {
    struct qsm_config config = config_number(n);
    struct qsm_model *stopping = create(&config), *stepping = create(&config);
    load_pair(stopping, &config);
    load_pair(stepping, &config);
    uint64_t ran = qsm_model_run(stopping, ENOUGH_CYCLES, true);
    assert_true(ran < ENOUGH_CYCLES);
    for (uint64_t c = 0; c < ran; c++) assert_int_equal(qsm_model_run(stepping, 1, true), 1);
    assert_int_equal(qsm_model_run(stepping, 1, true), 0);
    assert_int_equal(qsm_model_run(stopping, 1, true), 0);
    assert_true(qsm_model_hash(stopping) == qsm_model_hash(stepping));
    assert_int_not_equal(port_read(stopping, QSM_REG_IRQ), 0);
    qsm_model_destroy(stopping);
    qsm_model_destroy(stepping);
  }
}

static void instances_side_by_side_do_as_alone(void **state) {
  (void)state;
  struct qsm_model *model[N_CONFIGS];
  struct qsm_config config[N_CONFIGS];
  for (uint32_t n = 0; n < N_CONFIGS; n++) {
    config[n] = config_number(n);
    model[n] = create(&config[n]);
    load_pair(model[n], &config[n]);
  }
  for (uint32_t c = 0; c < 20000; c += 50) {
    for (uint32_t n = 0; n < N_CONFIGS; n++) qsm_model_run(model[n], 50, false);
  }
  for (uint32_t n = 0; n < N_CONFIGS; n++) {
    assert_true(qsm_model_hash(model[n]) == run_pair(&config[n], UINT64_MAX, 20000));
    qsm_model_destroy(model[n]);
  }
}

struct order {
  uint64_t last[1 + 64];  // GPU level, then SMs
  uint64_t n_events;
};

static bool of_gpu_level(uint8_t kind) { return kind == QSM_EV_EPOCH || kind >= QSM_EV_PREEMPT; }

static void check_order(void *ctx, const struct qsm_event *event) {
  struct order *order = ctx;
  uint64_t *last = &order->last[of_gpu_level(event->kind) ? 0 : 1 + event->sm];
  assert_true(event->cycle >= *last);
  *last = event->cycle;
  order->n_events++;
}

static void events_come_in_order_and_change_nothing(void **state) {
  (void)state;
  for (uint32_t n = 0; n < N_CONFIGS; n++) {
    struct order order = {0};
    struct qsm_config config = config_number(n);
    struct qsm_model *model = create(&config);
    qsm_model_set_sink(model, check_order, &order);
    load_pair(model, &config);
    qsm_model_run(model, 20000, false);
    assert_true(order.n_events > 1000);
    assert_true(qsm_model_hash(model) == run_pair(&config, UINT64_MAX, 20000));
    qsm_model_destroy(model);
  }
}

static void an_idle_machine_passes_a_thousand_million_cycles(void **state) {
  (void)state;
  struct qsm_config config = model_wide();
  struct qsm_model *model = create(&config);
  port_write(model, QSM_REG_EPOCH_LEN, (1 << 20) - 1);
  uint64_t before = qsm_model_cycle(model);
  assert_true(qsm_model_run(model, 1000000000, false) == 1000000000);
  assert_true(qsm_model_cycle(model) == before + 1000000000);
  qsm_model_destroy(model);
}

// ---- History ----

static void history_counts_the_cycles_from_launch_to_interrupt(void **state) {
  (void)state;
  struct qsm_config config = model_demo();
  struct qsm_model *model = create(&config);
  program_load(model, &config, 0, 3, PROGRAM_SPIN, 10, 4, 8);
  program_launch(model, 0);
  uint64_t busy_cycles = qsm_model_run(model, ENOUGH_CYCLES, true);
  qsm_model_run(model, 12000, false);
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_HCYC_LO)), busy_cycles);
  // 32 threads with 9 instructions before, 5 in each round of the loop, 1 after.
  assert_int_equal(port_read(model, slot_register(0, QSM_SLOT_INSN_LO)), 32 * (9 + 10 * 5 + 1));
  qsm_model_destroy(model);
}

// ---- Instruction caches ----

static void new_code_shows_after_an_invalidation(void **state) {
  (void)state;
  struct qsm_config config = model_demo();
  struct qsm_model *model = create(&config);
  program_load(model, &config, 0, 1, PROGRAM_COUNT, 1, 4, 8);
  program_launch(model, 0);
  qsm_model_run(model, ENOUGH_CYCLES, true);
  port_write(model, QSM_REG_IRQ, 1);
  program_load(model, &config, 0, 1, PROGRAM_COUNT, 5, 4, 8);  // 1 + 5 in all
  port_write(model, QSM_REG_ICACHE_INV, 1);
  program_launch(model, 0);
  qsm_model_run(model, ENOUGH_CYCLES, true);
  check_counts(model, 32, 6);
  qsm_model_destroy(model);
}

// ---- Negative control ----

// The sum of 20000 cycles of a pair; with a block, one of its bits is flipped in between.
static uint64_t sum_pair(const struct qsm_config *config, const char *block, uint64_t seed) {
  struct qsm_model *model = create(config);
  uint64_t sum = 0;
  char what[256];
  int status = block ? -1 : 0;
  qsm_model_set_sink(model, sum_event, &sum);
  load_pair(model, config);
  uint64_t end = qsm_model_cycle(model) + 20000;
  qsm_model_run(model, 3000 + seed % 512, false);
  while (status == -1 && qsm_model_cycle(model) < end) {
    status = qsm_model_inject(model, block, seed, what, sizeof what);
    if (status == -1) qsm_model_run(model, 1, false);
  }
  if (status != 0) fail_msg("nothing of %s was live in 20000 cycles", block);
  qsm_model_run(model, end - qsm_model_cycle(model), false);
  qsm_model_destroy(model);
  return sum;
}

static void a_flipped_bit_of_every_block_changes_the_events(void **state) {
  (void)state;
  static const char *const blocks[] = {"fetch",     "issue",    "warp_state", "exec",
                                       "tb_launch", "lsu",      "xbar",       "barrier",
                                       "quota",     "tb_sched", "qos_mgr",    "idle_sampler"};
  struct qsm_config config = model_demo();
  uint64_t seed = model_seed("test_gpu"), right = sum_pair(&config, NULL, 0);
  assert_true(sum_pair(&config, NULL, 100) == right);
  uint32_t n_flips = model_brief_run() ? 2 : 8;
  for (uint32_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
    uint32_t n_shown = 0;
    for (uint32_t n = 0; n < n_flips; n++)
      n_shown += sum_pair(&config, blocks[b], seed * 31 + n * 7919) != right;
    if (n_shown < n_flips / 2)
      fail_msg("%u of %u flips in %s were seen", n_shown, n_flips, blocks[b]);
  }
}

static void an_unknown_block_is_named_as_such(void **state) {
  (void)state;
  struct qsm_config config = model_tiny();
  struct qsm_model *model = create(&config);
  char what[64];
  assert_int_equal(qsm_model_inject(model, "nonsense", 1, what, sizeof what), -2);
  qsm_model_destroy(model);
}

static void a_bad_configuration_is_refused_with_a_message(void **state) {
  (void)state;
  struct qsm_config config = model_tiny();
  struct qsm_model *model = NULL;
  char msg[256] = "";
  config.num_sms = 0;
  assert_int_equal(qsm_model_create(&config, &model, msg, sizeof msg), -1);
  assert_null(model);
  assert_non_null(strstr(msg, "num_sms"));
  qsm_model_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_launch_computes_its_results_and_interrupts),
      cmocka_unit_test(a_fault_kills_one_tenant_and_leaves_the_other),
      cmocka_unit_test(a_killed_launch_ends_and_its_slot_can_launch_again),
      cmocka_unit_test(pieces_of_any_length_give_the_same_run),
      cmocka_unit_test(policies_with_groups_give_the_same_run_in_pieces_too),
      cmocka_unit_test(schemes_give_the_same_run_in_pieces_too),
      cmocka_unit_test(adjustment_gives_right_results_and_the_same_run_in_pieces),
      cmocka_unit_test(the_first_pass_follows_the_load_of_an_epoch_with_a_history),
      cmocka_unit_test(idle_warps_and_the_ratio_show_in_their_registers),
      cmocka_unit_test(a_launch_in_a_snapshot_asks_for_no_targets_and_one_after_it_does),
      cmocka_unit_test(machines_with_latecomers_give_the_same_run_in_pieces_too),
      cmocka_unit_test(stop_on_irq_stops_before_the_first_cycle_with_an_interrupt),
      cmocka_unit_test(instances_side_by_side_do_as_alone),
      cmocka_unit_test(events_come_in_order_and_change_nothing),
      cmocka_unit_test(an_idle_machine_passes_a_thousand_million_cycles),
      cmocka_unit_test(history_counts_the_cycles_from_launch_to_interrupt),
      cmocka_unit_test(new_code_shows_after_an_invalidation),
      cmocka_unit_test(a_flipped_bit_of_every_block_changes_the_events),
      cmocka_unit_test(an_unknown_block_is_named_as_such),
      cmocka_unit_test(a_bad_configuration_is_refused_with_a_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

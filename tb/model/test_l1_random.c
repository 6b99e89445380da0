// SPDX-License-Identifier: Apache-2.0
// Random programs on an SM of the model with an L1 (docs/l1.md): against the same SM without, in
// windows and without sleep, and what must hold in every cycle.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_support.h"
#include "sm_rig.h"

enum { LOADS = 0, PASSES_BY = 3, HIT_RETURNS = 0xFFFFFFFE, PASS_RETURNS = 0xFFFFFFFF };

// Threads use words of their own, of lines that they share: what they read and leave does not
// depend on the times.
static uint32_t random_program(uint64_t *random, uint32_t threads, uint32_t *words) {
  // x2: DATA + 4 * (thread % 4 * threads / 4 + thread / 4); x10: a word of shared memory; x11:
  // rounds
  const uint32_t begin[] = {csrr(3, 0xCC0),
                            enc_i(0x13, 7, 5, 3, 3),
                            enc_i(0x13, 5, 6, 3, 2),
                            slli(5, 5, threads == 16 ? 2 : 3),
                            add(5, 5, 6),
                            slli(5, 5, 2),
                            lui(2, DATA),
                            add(2, 2, 5),
                            lui(10, 0x10000000),
                            slli(3, 3, 2),
                            add(10, 10, 3),
                            addi(11, 0, 3)};
  memcpy(words, begin, sizeof begin);
  uint32_t n = sizeof begin / sizeof *begin, loop = n;
  for (uint32_t i = 0; i < 30; i++) {
    bool shared = model_random(random, 8) == 0;
    uint32_t rd = 12 + model_random(random, 12), base = shared ? 10 : 2,
             offset = shared ? 0 : 4 * threads * model_random(random, 12);
    switch (model_random(random, 12)) {
      case 0: words[n++] = sw(rd, base, (int32_t)offset); break;
      case 1: words[n++] = store(0, rd, base, (int32_t)(offset + model_random(random, 4))); break;
      case 2:
        words[n++] = store(1, rd, base, (int32_t)(offset + 2 * model_random(random, 2)));
        break;
      case 3:
        words[n++] = enc_i(3, 4, rd, base, (int32_t)(offset + model_random(random, 4)));
        break;
      case 4:
        words[n++] = enc_i(3, 1, rd, base, (int32_t)(offset + 2 * model_random(random, 2)));
        break;
      case 5: words[n++] = amoadd(rd, base, 12 + model_random(random, 12)); break;
      case 6: words[n++] = add(rd, rd, 12 + model_random(random, 12)); break;
      case 7: words[n++] = model_random(random, 3) ? FENCE : DEVICE_FENCE; break;
      default: words[n++] = lw(rd, base, (int32_t)offset); break;
    }
  }
  words[n++] = addi(11, 11, -1);
  words[n] = branch(BNE, 11, 0, -4 * (int32_t)(n - loop));
  n++;
  words[n++] = EXIT;
  return n;
}

static uint32_t random_delay(struct rig *rig, const struct qsm_mem_req *req) {
  uint64_t mixed =
      (req->cycle * 0x9E3779B97F4A7C15u) ^ req->addr * 0xC2B2AE3D27D4EB4Fu ^ rig->config.l1_ways;
  return 2 * rig->config.noc_lat + (uint32_t)(mixed >> 33) % (mixed >> 20 & 1 ? 12 : 90);
}

struct trial {
  uint32_t n, words[64], subs, warps, lanes, ways, txns, skips, icache_lines;
  uint64_t start_at[12];  // of slot 3, whose generations only count
};

static struct trial random_trial(uint64_t *random) {
  struct trial trial = {.subs = 1u << model_random(random, 2),
                        .lanes = model_random(random, 4) ? 4 : 8,
                        .ways = 1u << model_random(random, 4),
                        .txns = 1u << (1 + model_random(random, 3)),
                        .skips = model_random(random, 6) == 0,
                        .icache_lines = model_random(random, 3) ? 64 : 8};
  trial.warps = 4 * trial.subs;
  trial.n = random_program(random, 4 * trial.lanes, trial.words);
  for (uint32_t i = 0; i < 12; i++)
    trial.start_at[i] = model_random(random, 4) ? 0 : model_random(random, 2000);
  return trial;
}

enum watch { WATCH_NOTHING, KEEP_AWAKE, CHECK_STATE };

static void check_state(const struct rig *rig, uint32_t ways) {
  uint32_t n_sets = 1024 / (ways * 4 * rig->config.warp_size),
           all = state(rig, QSM_STATE_L1, 0, 0, 5);
  for (uint32_t set = 0; set < n_sets; set++) {
    for (uint32_t w = 0; w < ways; w++) {
      uint32_t word = state(rig, QSM_STATE_L1_SET, 0, set, w),
               tag = state(rig, QSM_STATE_L1_SET, 0, set, ways + w);
      assert_int_not_equal(word & 3, 3);
      if (word & 2) assert_false(rig->sm->lsu.txn_free[0] >> (word >> 16) & 1);
      bool is_current = (word & 3) && (word >> 4 & 15) == (all >> 4 * (word >> 8 & 15) & 15);
      for (uint32_t v = 0; is_current && v < w; v++) {
        uint32_t other = state(rig, QSM_STATE_L1_SET, 0, set, v);
        bool same = (other & 3) && (other & 0xFF0) == (word & 0xFF0) &&
                    state(rig, QSM_STATE_L1_SET, 0, set, ways + v) == tag;
        assert_false(same);
      }
    }
  }
}

static void run_trial(struct rig *rig, const struct trial *trial, bool has_l1, uint32_t window,
                      enum watch watch) {
  struct qsm_config config = rig_config(trial->subs, trial->warps, trial->lanes);
  config.icache_lines = trial->icache_lines;
  config.mem_txns = trial->txns;
  config.l1_kib = has_l1;
  config.l1_ways = trial->ways;
  rig_open_config(rig, &config);
  rig->delay = random_delay;
  rig->window = window;
  rig->shared.desc[0].threads = 4 * trial->lanes;
  rig->shared.desc[0].warps = 4;
  rig->shared.cache_policy[0] = trial->skips ? QSM_CACHE_SKIP_L1 : 0;
  for (uint32_t i = 0; i < MEM_BYTES / 8; i++) *mem_word(rig, DATA + 4 * i) = 0x9E3779B9u * i;
  load_program(rig, trial->words, trial->n);
  dispatch(rig, 0, 0);
  while (rig->n_retired == 0 && rig->cycle < 100000) {
    for (uint32_t i = 0; i < 12; i++) {
      if (trial->start_at[i] / 4 * 4 == rig->cycle && rig->cycle)
        rig_send(rig, (struct qsm_sm_msg){.kind = QSM_MSG_START, .kernel = 3});
    }
    for (uint32_t i = 0; i < 4; i += window) {
      if (watch == KEEP_AWAKE) rig->sm->lsu.awake = true;
      run(rig, window);
      if (watch == CHECK_STATE) check_state(rig, trial->ways);
    }
  }
  assert_int_equal(rig->n_retired, 1);
  assert_int_equal(rig->faulted, 0);
}

static void programs_read_and_leave_what_they_do_without_an_l1(void **unused) {
  (void)unused;
  static struct rig with, without;
  uint64_t random = model_seed("test_l1_random");
  uint32_t counts[6] = {0}, n_poisoned = 0, n_passed_by = 0;
  for (uint32_t round = 0; round < 60; round++) {
    const struct trial trial = random_trial(&random);
    run_trial(&with, &trial, true, 1, CHECK_STATE);
    run_trial(&without, &trial, false, 4, WATCH_NOTHING);
    assert_memory_equal(with.mem, without.mem, sizeof with.mem);
    for (uint32_t sub = 0; sub < trial.subs; sub++) {
      for (uint32_t w = 0; w < 4; w++) {
        for (uint32_t r = 12; r < 24; r++) {
          for (uint32_t l = 0; l < trial.lanes; l++) {
            assert_int_equal(state(&with, QSM_STATE_REG, sub, w * 32 + r, l),
                             state(&without, QSM_STATE_REG, sub, w * 32 + r, l));
          }
        }
      }
    }
    assert_int_equal(with.sm->lsu.txn_free[0], (1u << trial.txns) - 1);
    assert_int_equal(count_events(&without, QSM_EV_L1_OP), 0);
    for (uint32_t i = 0; i < 6; i++) counts[i] += qsm_sm_l1_counter(with.sm, 0, 16 + i);
    for (uint32_t i = 0; i < with.n_events; i++) {
      n_poisoned += with.events[i].kind == QSM_EV_L1_FILL && !with.events[i].word[3];
      n_passed_by += with.events[i].kind == QSM_EV_L1_OP && with.events[i].word[0] == LOADS &&
                     with.events[i].word[2] == PASSES_BY;
    }
    rig_close(&with);
    rig_close(&without);
  }
  for (uint32_t i = 0; i < 6; i++) assert_true(counts[i] > 100);
  assert_true(n_poisoned > 20);
  assert_true(n_passed_by > 20);
}

static void expect_same_events(const struct rig *a, const struct rig *b) {
  assert_int_equal(a->n_events, b->n_events);
  for (uint32_t i = 0; i < a->n_events; i++) {
    const struct qsm_event *x = &a->events[i], *y = &b->events[i];
    bool same = x->cycle == y->cycle && x->kind == y->kind && x->sub == y->sub &&
                x->n_words == y->n_words &&
                memcmp(x->word, y->word, x->n_words * sizeof *x->word) == 0;
    if (!same)
      fail_msg("event %u: cycle %u kind %u, cycle %u kind %u", i, (unsigned)x->cycle, x->kind,
               (unsigned)y->cycle, y->kind);
  }
}

static void neither_windows_nor_sleep_change_anything(void **unused) {
  (void)unused;
  static struct rig asleep, awake;
  uint64_t random = model_seed("test_l1_random");
  for (uint32_t round = 0; round < 30; round++) {
    const struct trial trial = random_trial(&random);
    run_trial(&asleep, &trial, true, 4, WATCH_NOTHING);
    run_trial(&awake, &trial, true, 1, KEEP_AWAKE);
    expect_same_events(&asleep, &awake);
    rig_close(&asleep);
    rig_close(&awake);
  }
}

// R-L1-9, seen from the events: the kind that was served goes to the end of the order, and all six
// orders occur.
static void the_kind_of_return_op_served_longest_ago_comes_first(void **unused) {
  (void)unused;
  static struct rig rig;
  uint64_t random = model_seed("test_l1_random");
  uint32_t orders = 0;
  for (uint32_t round = 0; round < 10; round++) {
    const struct trial trial = random_trial(&random);
    run_trial(&rig, &trial, true, 1, WATCH_NOTHING);
    uint8_t turn[3] = {1, 2, 0};
    for (uint32_t i = 0; i < rig.n_events; i++) {
      if (rig.events[i].kind != QSM_EV_RETURN) continue;
      uint32_t served = rig.events[i].word[0];
      uint8_t op = served == PASS_RETURNS ? 0 : served == HIT_RETURNS ? 2 : 1, at = 0;
      while (turn[at] != op) at++;
      for (; at < 2; at++) turn[at] = turn[at + 1];
      turn[2] = op;
      orders |= 1u << (turn[0] * 3 + turn[1]);
    }
    assert_int_equal(state(&rig, QSM_STATE_L1, 0, 0, 4), turn[0] | turn[1] << 2 | turn[2] << 4);
    rig_close(&rig);
  }
  assert_int_equal(orders, 1u << 1 | 1u << 2 | 1u << 3 | 1u << 5 | 1u << 6 | 1u << 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(programs_read_and_leave_what_they_do_without_an_l1),
      cmocka_unit_test(neither_windows_nor_sleep_change_anything),
      cmocka_unit_test(the_kind_of_return_op_served_longest_ago_comes_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

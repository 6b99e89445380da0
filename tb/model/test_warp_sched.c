// SPDX-License-Identifier: Apache-2.0
// Scheduling policies of the model, alone and in a sub-core.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model_support.h"
#include "sm_rig.h"

// R-PO-2 .. R-PO-4 as they are written.
static uint32_t circular(uint32_t eligible, uint32_t from, uint32_t n) {
  while (!(eligible >> from % n & 1)) from++;
  return from % n;
}

static uint32_t pick_by_the_page(uint32_t policy, uint32_t eligible, uint32_t last, bool gone,
                                 const uint8_t *order, uint32_t n) {
  if (policy == QSM_POLICY_LRR) return circular(eligible, gone ? last + 1 : last, n);
  if (policy == QSM_POLICY_LRR_ROTATE) return circular(eligible, last + 1, n);
  if (!gone && (eligible >> last & 1)) return last;
  for (uint32_t i = 0;; i++) {
    if (eligible >> order[i] & 1) return order[i];
  }
}

// R-IS-2.
static void a_policy_picks_what_its_rule_says(void **unused) {
  (void)unused;
  static const uint32_t policies[] = {QSM_POLICY_LRR, QSM_POLICY_GTO, QSM_POLICY_LRR_ROTATE};
  uint64_t seed = model_seed("test_warp_sched");
  for (uint32_t n = 1; n <= QSM_MAX_WARPS; n++) {
    struct qsm_warp_sched ws;
    qsm_warp_sched_reset(&ws, n);
    for (uint32_t i = 0; i < 500; i++) {
      uint32_t started = model_random(&seed, n), policy = policies[i % 3],
               eligible = 1 + model_random(&seed, (1u << n) - 1);
      qsm_warp_sched_started(&ws, started);
      assert_int_equal(ws.order[n - 1], started);
      ws.last = (uint8_t)model_random(&seed, n);
      ws.gone = model_random(&seed, 2);
      assert_int_equal(qsm_warp_sched_pick(&ws, policy, eligible),
                       pick_by_the_page(policy, eligible, ws.last, ws.gone, ws.order, n));
    }
  }
}

// ---- in a sub-core ----

// What the host does in mid-run: everything that the warp schedulers see at once.
static void meddle(struct rig *rig, uint32_t i) {
  static const uint32_t with_state[] = {QSM_POLICY_TWO_LEVEL, QSM_POLICY_QAWS,
                                        QSM_POLICY_QAWS_PROSE};
  rig->shared.policy = i % 5 == 4 ? (uint32_t)QSM_POLICY_GTO : with_state[i / 2 % 3];
  rig->shared.budget[i % 4] = 1 + i % 3;
  rig->shared.active_warps = 1 + i % 4;
  rig->shared.restart = i % 2 ? 15 : 1u << i % 4;
  rig->shared.resched_at = rig->cycle;
}

// Sub-cores that sleep through stalled stretches end as those that are stepped in every cycle: the
// same events, the same state.
static void a_policy_with_groups_may_sleep_and_miss_nothing(void **unused) {
  (void)unused;
  uint64_t expected = 0;
  for (uint32_t awake = 0; awake < 2; awake++) {
    struct rig rig;
    rig_open(&rig, 2, 8, 4);
    start_mixed_work(&rig);
    rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_QUOTA_LOAD, .scheme = QSM_SCHEME_NAIVE});
    rig.window = awake ? 1 : 4;
    for (uint32_t i = 0; i < 60; i++) {
      meddle(&rig, i);
      if (i % 4 == 3) {
        for (uint8_t k = 0; k < 4; k++)
          rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_QUOTA_WORD,
                                             .kernel = k,
                                             .quota = k == (i / 4 + 2) % 4 ? 0 : 40 + 7 * k});
        rig_send(&rig,
                 (struct qsm_sm_msg){.kind = QSM_MSG_QUOTA_LOAD,
                                     .scheme = i % 8 == 3 ? QSM_SCHEME_ROLLOVER : QSM_SCHEME_NONE});
      }
      for (uint32_t c = 0; c < 200; c += rig.window) {
        run(&rig, rig.window);
        // A write that changes nothing wakes every sub-core.
        if (awake) {
          rig.shared.restart = 0;
          rig.shared.resched_at = rig.cycle;
        }
      }
    }
    assert_true(count_events(&rig, QSM_EV_TWO_LEVEL) > 100);
    assert_true(count_events(&rig, QSM_EV_QAWS) > 40);
    uint64_t hash = hash_events(&rig);
    for (uint32_t i = 0; i < 8; i++)
      hash = hash * 31 + state(&rig, QSM_STATE_POLICY, i / 4, 0, i % 4);
    if (!awake) expected = hash;
    assert_int_equal(hash, expected);
    rig_close(&rig);
  }
}

// Two machines, one of which is hit: what differs first, and in the next cycle, is what the
// scheduler reports.
static void a_flip_in_the_warp_scheduler_shows_as_its_event(void **unused) {
  (void)unused;
  for (uint32_t policy = 0; policy < QSM_POLICY_COUNT; policy++) {
    struct rig hit, whole;
    struct rig *rigs[] = {&hit, &whole};
    char what[80];
    uint64_t at = 0;
    for (uint32_t i = 0; i < 2; i++) {
      rig_open(rigs[i], 2, 8, 4);
      rigs[i]->shared.policy = policy;
      rigs[i]->shared.budget[2] = 4;
      start_mixed_work(rigs[i]);
      rigs[i]->shared.qos_mask = 0;
      rigs[i]->shared.restart = 15;
      rigs[i]->shared.resched_at =
          300;  // when all warps are there: the group of more than one warp comes to the front
    }
    for (uint32_t c = 0; c < 4000; c++) {
      if (!at && qsm_sm_inject(hit.sm, "warp_sched", 7, what, sizeof what) == 0) at = hit.cycle;
      for (uint32_t i = 0; i < 2; i++) run(rigs[i], 1);
    }
    uint8_t kind = QSM_EVENT_KIND_COUNT;
    assert_int_equal(first_difference(&hit, &whole, &kind), at);
    assert_int_equal(kind, policy == QSM_POLICY_TWO_LEVEL  ? QSM_EV_TWO_LEVEL
                           : qsm_policy_has_groups(policy) ? QSM_EV_QAWS
                                                           : QSM_EVENT_KIND_COUNT);
    assert_int_equal(at != 0, qsm_policy_has_state(policy));
    for (uint32_t i = 0; i < 2; i++) rig_close(rigs[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_policy_picks_what_its_rule_says),
      cmocka_unit_test(a_policy_with_groups_may_sleep_and_miss_nothing),
      cmocka_unit_test(a_flip_in_the_warp_scheduler_shows_as_its_event),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// The model's idle-warp sampler, on an SM.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model_support.h"
#include "sm_rig.h"

static uint32_t idle_reasons(const struct rig *rig, uint32_t k) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < rig->sm->n_subs; i++) {
    n += qsm_sm_stall(rig->sm, rig->cycle, i, k, QSM_STALL_PIPE_THROTTLE) +
         qsm_sm_stall(rig->sm, rig->cycle, i, k, QSM_STALL_NOT_SELECTED);
  }
  return n;
}

// R-SP-2 against the stall counters, which count the same warps in another way.
static void a_sample_adds_the_warps_of_reasons_6_and_7_one_cycle_later(void **unused) {
  (void)unused;
  uint64_t seed = model_seed("test_idle_sampler");
  for (uint32_t policy = 0; policy < QSM_POLICY_COUNT; policy++) {
    struct rig rig;
    uint32_t sum[4] = {0}, snap[4] = {0}, sampled[4] = {0}, n_idle = 0, n_samples = 0;
    bool adds = false, ends = false;  // the sample of the cycle before
    rig_open(&rig, 2, 8, 4);
    rig.shared.policy = policy;
    start_mixed_work(&rig);
    for (uint32_t c = 0; c < 3000; c++) {
      bool sample = model_random(&seed, 3) == 0, tick = sample && model_random(&seed, 20) == 0;
      uint32_t before[4];
      for (uint32_t k = 0; k < 4; k++) before[k] = idle_reasons(&rig, k);
      if (c == 1000) {  // so that gates close now and then
        send_quota_word(&rig, 0, 60);
        send_quota_word(&rig, 2, 40);
      }
      if (c == 1001) send_quota_load(&rig, QSM_SCHEME_NAIVE);
      if (sample) rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_SAMPLE});
      if (tick) rig_send(&rig, (struct qsm_sm_msg){.kind = QSM_MSG_TICK});
      run(&rig, 1);
      for (uint32_t k = 0; k < 4; k++) {
        if (adds) sum[k] += sampled[k];
        sampled[k] = idle_reasons(&rig, k) - before[k];
        if (ends) {
          snap[k] = sum[k];
          sum[k] = 0;
          n_idle += snap[k];
        }
        assert_int_equal(state(&rig, QSM_STATE_IDLE, 0, k, 0), sum[k]);
        assert_int_equal(qsm_sm_snap_idle(rig.sm, k), snap[k]);
      }
      n_samples += adds;
      if (adds)
        assert_memory_equal(event(&rig, QSM_EV_SAMPLE, n_samples - 1)->word, sum, sizeof sum);
      adds = sample;
      ends = tick;
    }
    assert_int_equal(count_events(&rig, QSM_EV_SAMPLE), n_samples);
    assert_true(n_idle > 100);
    rig_close(&rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sample_adds_the_warps_of_reasons_6_and_7_one_cycle_later),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

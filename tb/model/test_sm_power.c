// SPDX-License-Identifier: Apache-2.0
// Power gating, R-PG-1 to R-PG-5: an SM alone, with exact cycles and what it keeps and loses; then
// the whole model, with R-SO-6, R-SO-7 and R-SO-11 around it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_program.h"
#include "qsm_model.h"
#include "qsm_regs.h"
#include "sm_rig.h"

enum { LAT = 20 };

static void open_rig(struct rig *rig) {
  struct qsm_config config = rig_config(2, 8, 4);
  config.l1_kib = 1;
  config.l1_ways = 2;
  rig_open_config(rig, &config);
  rig->shared.wake_lat = LAT;
}

static void send(struct rig *rig, enum qsm_sm_msg_kind kind, uint8_t kernel) {
  rig_send(rig, (struct qsm_sm_msg){.kind = (uint8_t)kind, .kernel = kernel});
}

static uint32_t power(const struct rig *rig) { return state(rig, QSM_STATE_POWER, 0, 0, 0); }

// Runs until the SM sends off or on, in the cycle that is returned.
static uint64_t await_message(struct rig *rig, bool on) {
  for (uint32_t n = 0; n < 2000; n++) {
    run(rig, 1);
    const struct qsm_sm_out *out = qsm_sm_out(rig->sm);
    if (!out->told_power) continue;
    assert_int_equal(out->power_on, on);
    assert_int_equal(out->power_at, rig->cycle - 1);
    return out->power_at;
  }
  fail_msg("the SM does not answer");
  return 0;
}

static uint64_t cut(struct rig *rig) {
  send(rig, QSM_MSG_GATE, 0);
  return await_message(rig, false);
}

static void wake(struct rig *rig) {
  send(rig, QSM_MSG_WAKE, 0);
  await_message(rig, true);
}

// R-PG-2: gate seen in a, the SM quiet in a + 1.
static void a_quiet_sm_is_off_two_cycles_after_the_message(void **unused) {
  (void)unused;
  struct rig rig;
  open_rig(&rig);
  run(&rig, 10);
  uint64_t a = rig.cycle;
  send(&rig, QSM_MSG_GATE, 0);
  run(&rig, 1);
  assert_int_equal(power(&rig), QSM_POWER_STOPPING);
  assert_int_equal(await_message(&rig, false), a + 1);
  assert_int_equal(power(&rig), QSM_POWER_OFF);
  assert_true(qsm_sm_next_event(rig.sm) == QSM_NEVER);
  rig_close(&rig);
}

// R-PG-4: wake seen in w; on is sent WAKE_LAT cycles later. The register is that of w.
static void a_wake_takes_its_latency(void **unused) {
  (void)unused;
  static const uint16_t lats[] = {1, 2, 500};
  for (uint32_t i = 0; i < 3; i++) {
    struct rig rig;
    open_rig(&rig);
    cut(&rig);
    run(&rig, 100);
    rig.shared.wake_lat = lats[i];
    uint64_t w = rig.cycle;
    send(&rig, QSM_MSG_WAKE, 0);
    run(&rig, 1);
    rig.shared.wake_lat = 7;
    assert_int_equal(power(&rig), QSM_POWER_WAKING);
    assert_int_equal(state(&rig, QSM_STATE_POWER, 0, 0, 1), lats[i]);
    assert_int_equal(await_message(&rig, true), w + lats[i]);
    assert_int_equal(power(&rig), QSM_POWER_ON);
    assert_int_equal(state(&rig, QSM_STATE_POWER, 0, 0, 1), 0);
    rig_close(&rig);
  }
}

// R-PG-1: a block, the wipe of its shared memory, and a miss of a sub-core.
static void an_sm_that_works_goes_off_when_it_is_quiet(void **unused) {
  (void)unused;
  struct rig rig;
  open_rig(&rig);
  LOAD(&rig, addi(1, 0, 3), EXIT);
  dispatch(&rig, 0, 0);
  run(&rig, 1);
  uint64_t off = cut(&rig), retired = event(&rig, QSM_EV_RETIRE, 0)->cycle;
  // The fetch behind EXIT is answered before the block retires: the wipe takes 64 rows.
  assert_int_equal(off, retired + 1);
  rig_close(&rig);

  open_rig(&rig);
  rig.shared.desc[0].shared_bytes = 0;
  uint32_t nops[16];
  for (uint32_t i = 0; i < 16; i++) nops[i] = addi(0, 0, 0);
  nops[3] = EXIT;  // at the end of a line: the next one is fetched for nothing
  load_program(&rig, nops, 16);
  dispatch(&rig, 0, 0);
  run(&rig, 1);
  off = cut(&rig);
  retired = event(&rig, QSM_EV_RETIRE, 0)->cycle;
  uint64_t filled = 0;
  for (uint32_t i = 0; i < rig.n_events; i++)
    if (rig.events[i].kind == QSM_EV_RSP) filled = rig.events[i].cycle;
  assert_int_equal(off, (filled > retired ? filled : retired) + 1);
  rig_close(&rig);
}

// R-PG-3: ticks, samples, words and loads are lost while off and waking; a dispatch after on is
// not.
static void messages_without_a_clock_are_lost(void **unused) {
  (void)unused;
  struct rig rig;
  open_rig(&rig);
  cut(&rig);
  uint32_t n = rig.n_events;
  for (uint32_t i = 0; i < 2 * LAT; i++) {
    if (i == 5) send(&rig, QSM_MSG_WAKE, 0);
    send(&rig, QSM_MSG_TICK, 0);
    send(&rig, QSM_MSG_SAMPLE, 0);
    send_quota_word(&rig, 0, 77);
    if (i < 5 + LAT) send_quota_load(&rig, QSM_SCHEME_NAIVE);
    run(&rig, 1);
  }
  uint32_t n_samples = 0;
  for (uint32_t i = n; i < rig.n_events; i++) {
    assert_int_not_equal(rig.events[i].kind, QSM_EV_QLOAD);
    n_samples += rig.events[i].kind == QSM_EV_SAMPLE;
  }
  assert_int_equal(n_samples, 2 * LAT - (5 + LAT + 1) - 1);  // the last is added in the next cycle
  rig_close(&rig);
}

// R-PG-5, R-PG-3: the SM behaves as one out of reset, with other programs in its caches before, and
// what it counted before is still there.
static void the_state_after_waking_is_that_of_reset(void **unused) {
  (void)unused;
  for (uint32_t policy = 0; policy < QSM_POLICY_COUNT; policy++) {
    struct rig fresh, used;
    open_rig(&fresh);
    open_rig(&used);
    fresh.shared.policy = used.shared.policy = policy;
    fresh.shared.resched_at = used.shared.resched_at = 0;
    start_mixed_work(&used);
    send_quota_word(&used, 0, 50);
    send_quota_load(&used, QSM_SCHEME_NAIVE);
    run(&used, 3000);
    send_quota_load(&used, QSM_SCHEME_NONE);
    run(&used, 10000);
    send(&used, QSM_MSG_TICK, 0);
    run(&used, 1);
    assert_int_not_equal(qsm_sm_l1_counter(used.sm, 0, QSM_L1_FIRST_COUNTER), 0);
    uint32_t loads = qsm_sm_l1_counter(used.sm, 0, QSM_L1_FIRST_COUNTER),
             issued = qsm_sm_stall(used.sm, used.cycle, 0, 0, QSM_STALL_SELECTED);
    cut(&used);
    run(&used, 7);
    assert_int_equal(qsm_sm_l1_counter(used.sm, 0, QSM_L1_FIRST_COUNTER), loads);
    assert_int_equal(qsm_sm_stall(used.sm, used.cycle, 0, 0, QSM_STALL_SELECTED), issued);
    assert_int_not_equal(issued, 0);
    assert_int_equal(qsm_sm_snap_insn(used.sm, 0), 0);
    assert_int_equal(state(&used, QSM_STATE_QUOTA, 0, 0, 0), 0);
    for (uint32_t i = 0; i < 4 * 32; i++) assert_int_equal(reg(&used, i / 32, i % 32, 0), 0);
    wake(&used);
    memset(used.mem, 0, sizeof used.mem);
    memset(fresh.mem, 0, sizeof fresh.mem);
    struct rig *rigs[] = {&fresh, &used};
    uint32_t first[2];
    uint64_t begin[2];
    for (uint32_t i = 0; i < 2; i++) {
      first[i] = rigs[i]->n_events;
      begin[i] = rigs[i]->cycle;
      start_mixed_work(rigs[i]);
      run(rigs[i], 3000);
    }
    assert_int_equal(fresh.n_events - first[0], used.n_events - first[1]);
    for (uint32_t i = 0; i < fresh.n_events - first[0]; i++) {
      const struct qsm_event *x = &fresh.events[first[0] + i], *y = &used.events[first[1] + i];
      assert_int_equal(x->cycle - begin[0], y->cycle - begin[1]);
      assert_int_equal(x->kind, y->kind);
      assert_int_equal(x->sub, y->sub);
      assert_memory_equal(x->word, y->word, x->n_words * sizeof *x->word);
    }
    for (uint32_t k = 0; k < 4; k++)
      for (uint32_t reason = 0; reason < QSM_STALL_COUNT; reason++)
        assert_int_equal(qsm_sm_stall(used.sm, used.cycle, 0, k, reason) >=
                             qsm_sm_stall(fresh.sm, fresh.cycle, 0, k, reason),
                         1);
    rig_close(&fresh);
    rig_close(&used);
  }
}

// R-PG-5: words from before the first tick, and in its cycle, are lost; so a load leaves what the
// first block brought. Behind the tick they count.
static void words_are_lost_from_waking_to_the_first_tick(void **unused) {
  (void)unused;
  static const struct {
    bool sleeps, tick_before;
    uint32_t quota;
  } cases[] = {{false, false, 77}, {true, false, 1}, {true, true, 77}};
  for (uint32_t i = 0; i < 3; i++) {
    struct rig rig;
    open_rig(&rig);
    rig.shared.qos_mask = 1;
    if (cases[i].sleeps) {
      cut(&rig);
      wake(&rig);
      run(&rig, 1);
    }
    if (cases[i].tick_before) {
      send(&rig, QSM_MSG_TICK, 0);
      run(&rig, 1);
    }
    send_quota_word(&rig, 0, 77);
    if (cases[i].sleeps && !cases[i].tick_before) {
      run(&rig, 1);
      send_quota_word(&rig, 0, 78);
      send(&rig, QSM_MSG_TICK, 0);
    }
    LOAD(&rig, branch(BEQ, 0, 0, 0));
    dispatch(&rig, 0, 0);
    run(&rig, 10);
    send_quota_load(&rig, QSM_SCHEME_NAIVE);
    run(&rig, 20);
    assert_int_equal(state(&rig, QSM_STATE_QUOTA, 0, 0, 1), cases[i].quota);
    rig_close(&rig);
  }
}

// R-PG-3, R-SM-7: flags see kill and start, a kill wins; R-L1-13: the L1's counters see start.
static void a_gated_sm_sees_kill_and_start(void **unused) {
  (void)unused;
  struct rig rig;
  open_rig(&rig);
  start_mixed_work(&rig);
  run(&rig, 10000);
  uint32_t loads = qsm_sm_l1_counter(rig.sm, 2, QSM_L1_FIRST_COUNTER);
  assert_int_not_equal(loads, 0);
  cut(&rig);
  send(&rig, QSM_MSG_KILL, 0);
  run(&rig, 1);
  assert_int_equal(state(&rig, QSM_STATE_FAULT, 0, 0, 0), 1);
  send(&rig, QSM_MSG_START, 0);
  send(&rig, QSM_MSG_START, 1);
  send(&rig, QSM_MSG_KILL, 1);
  run(&rig, 1);
  assert_int_equal(state(&rig, QSM_STATE_FAULT, 0, 0, 0), 0);
  assert_int_equal(state(&rig, QSM_STATE_FAULT, 0, 1, 0), 1);
  assert_int_equal(qsm_sm_l1_counter(rig.sm, 0, QSM_L1_FIRST_COUNTER), 0);
  assert_int_equal(qsm_sm_l1_counter(rig.sm, 2, QSM_L1_FIRST_COUNTER), loads);
  wake(&rig);
  assert_int_equal(state(&rig, QSM_STATE_FAULT, 0, 1, 0), 1);
  rig_close(&rig);
}

static void fault_records_are_kept(void **unused) {
  (void)unused;
  struct rig rig;
  open_rig(&rig);
  LOAD(&rig, EBREAK);
  dispatch(&rig, 1, 0);
  run(&rig, 300);
  assert_int_equal(state(&rig, QSM_STATE_FAULT, 0, 1, 0), 1);
  uint32_t cause = state(&rig, QSM_STATE_FAULT, 0, 1, 1);
  cut(&rig);
  run(&rig, 5);
  wake(&rig);
  assert_int_equal(state(&rig, QSM_STATE_FAULT, 0, 1, 0), 1);
  assert_int_equal(state(&rig, QSM_STATE_FAULT, 0, 1, 1), cause);
  assert_int_equal(state(&rig, QSM_STATE_FAULT, 0, 1, 2), CODE);
  rig_close(&rig);
}

// A policy or a goal that changed meanwhile is seen as after reset.
static void a_policy_written_meanwhile_counts_after_waking(void **unused) {
  (void)unused;
  uint64_t hash[2];
  for (uint32_t i = 0; i < 2; i++) {
    struct rig rig;
    open_rig(&rig);
    if (i == 1) rig.shared.policy = QSM_POLICY_QAWS;
    cut(&rig);
    rig.shared.policy = QSM_POLICY_QAWS;
    rig.shared.resched_at = rig.cycle;
    run(&rig, 10);
    wake(&rig);
    start_mixed_work(&rig);
    run(&rig, 3000);
    hash[i] = hash_events(&rig);
    rig_close(&rig);
  }
  assert_int_equal(hash[0], hash[1]);
}

// ---- The whole model ----

struct log {
  uint64_t off_at, moved_at;
  uint64_t hash;
  uint32_t n_gated, n_moved;
};

static void note(void *ctx, const struct qsm_event *event) {
  struct log *log = ctx;
  if (event->kind == QSM_EV_POWER && event->word[0] == QSM_POWER_OFF) {
    log->off_at = event->cycle;
    log->n_gated++;
  }
  if (event->kind != QSM_EV_MOVE || event->word[2]) return;
  log->moved_at = event->cycle;
  log->n_moved++;
}

static void move(struct qsm_model *model, uint32_t sm, uint32_t usage, uint32_t slot) {
  port_write(model, QSM_REG_SM_MOVE, sm | slot << 8 | usage << 16);
}

static struct qsm_model *open_model(const struct qsm_config *config, struct log *log) {
  struct qsm_model *model;
  char msg[256];
  if (qsm_model_create(config, &model, msg, sizeof msg)) fail_msg("%s", msg);
  qsm_model_set_sink(model, note, log);
  port_write(model, QSM_REG_EPOCH_LEN, qsm_config_epoch_min(config) + 100);
  qsm_model_run(model, config->epoch * 10, false);
  return model;
}

// A program, from a cycle on in which the manager has just computed: it is closed to settings soon
// again.
static void load(struct qsm_model *model, const struct qsm_config *config, uint32_t k, uint32_t ctx,
                 enum program program, uint32_t loops, uint32_t blocks, uint32_t threads) {
  while (!qsm_model_peek(model, QSM_REG_MGR_BUSY)) qsm_model_run(model, 1, false);
  while (qsm_model_peek(model, QSM_REG_MGR_BUSY)) qsm_model_run(model, 1, false);
  program_load(model, config, k, ctx, program, loops, blocks, threads);
}

// The whole way of an SM with NocLat = 3 and WAKE_LAT = 40: free, gated, woken up, in use.
static void an_sm_is_gated_and_woken_up_for_work(void **unused) {
  (void)unused;
  struct qsm_config config = model_odd();
  struct log log = {0};
  struct qsm_model *model = open_model(&config, &log);
  load(model, &config, 0, 1, PROGRAM_COUNT, 4, 30, 8);
  port_write(model, QSM_REG_SM_GATING, 1);
  port_write(model, QSM_REG_WAKE_LAT, 40);
  for (uint32_t i = 0; i < 3; i++) move(model, i, QSM_USE_FREE, 0);
  qsm_model_run(model, 3000, false);
  assert_int_equal(log.n_gated, 3);
  port_write(model, QSM_REG_SM_SELECT, 1);
  assert_int_equal(port_read(model, QSM_REG_SMSEL_OWNER),
                   QSM_USE_FREE | QSM_POWER_OFF << QSM_REG_SMSEL_OWNER_POWER_SHIFT);
  uint64_t at = qsm_model_cycle(model) + 1;  // LO is read in this cycle
  assert_int_equal(port_read(model, QSM_REG_GATED_CYCLES_LO), 3 * (at - log.off_at - 1));
  program_launch(model, 0);
  qsm_model_run(model, 5000, true);
  assert_int_equal(port_read(model, QSM_REG_IRQ), 0);  // nobody takes its blocks
  at = qsm_model_cycle(model) + 1;                     // SM_MOVE is written
  move(model, 1, QSM_USE_OWNED, 0);
  qsm_model_run(model, 100000, true);
  // Requested in at + 1; wake sent in at + 2, seen 3 later; on 40 later, seen 3 later; the move
  // ends in the cycle that starts with it.
  assert_int_equal(log.moved_at, at + 2 + 3 + 40 + 3 + 1);
  assert_int_equal(port_read(model, QSM_REG_IRQ), 1);
  assert_int_equal(port_read(model, QSM_REG_MOVES), 4);
  assert_int_equal(port_read(model, QSM_REG_MOVE_CYCLES_HI), 0);
  assert_int_equal(port_read(model, QSM_REG_MOVE_CYCLES_LO), 3 * 1 + log.moved_at - (at + 1));
  for (uint32_t i = 0; i < 30 * 8; i++) assert_int_equal(program_word(model, 0, 1 + i), 4 * i);
  qsm_model_destroy(model);
}

// R-IS-7: they never fall, not with the power either.
static void check_insns(const struct qsm_model *model, uint32_t *last) {
  for (uint32_t i = 0; i < 4 * 3; i++) {
    uint32_t value = 0;
    assert_true(qsm_model_state(model, QSM_STATE_INSN, 0, 0, i / 3, 2 * (i % 3), &value));
    assert_true(value >= last[i]);
    last[i] = value;
  }
}

// Look-ahead and skipping change nothing: the same run in windows of a cycle.
static uint64_t run_gated(uint64_t step, uint32_t technique) {
  struct qsm_config config = model_demo();
  uint32_t insns[4 * 3] = {0};
  config.cmd_channels = 1;
  struct log log = {0};
  struct qsm_model *model = open_model(&config, &log);
  qsm_model_set_sink(model, NULL, NULL);
  qsm_model_enable_hash(model);
  for (uint32_t k = 0; k < 3; k++)
    load(model, &config, k, 1 | (k & 1) << 1, k == 1 ? PROGRAM_SPIN : PROGRAM_COUNT, 9, 300, 16);
  port_write(model, QSM_REG_SM_GATING, 1);
  port_write(model, QSM_REG_WAKE_LAT, 33);
  port_write(model, QSM_REG_MOVE_TECHNIQUE, technique);
  port_write(model, QSM_REG_SCHEME, QSM_SCHEME_ROLLOVER);
  for (uint32_t i = 1; i < 4; i++) move(model, i, QSM_USE_FREE, 0);
  qsm_model_run(model, 2000, false);
  for (uint32_t k = 0; k < 3; k++) program_launch(model, k);
  uint64_t seed = 5, begin = qsm_model_cycle(model);
  for (uint32_t n = 0; n < 40; n++) {
    uint32_t sm = model_random(&seed, 4), usage = model_random(&seed, 3),
             k = model_random(&seed, 3);
    move(model, sm, usage, usage == QSM_USE_OWNED ? k : 0);
    if (n % 8 == 7) port_write(model, QSM_REG_POLICY, n / 8);
    if (n == 20) port_write(model, slot_register(2, QSM_SLOT_KILL), 1);
    uint64_t end = begin + (n + 1) * 701;
    while (qsm_model_cycle(model) < end)
      qsm_model_run(
          model, step < end - qsm_model_cycle(model) ? step : end - qsm_model_cycle(model), false);
    check_insns(model, insns);
  }
  for (uint32_t i = 1; i < 4; i++) move(model, i, QSM_USE_FREE, 0);
  qsm_model_run(model, 60000, false);
  check_insns(model, insns);
  assert_true(insns[3] | insns[4] | insns[5]);
  uint32_t off = 0;
  for (uint32_t i = 1; i < 4; i++) {
    uint32_t value = 0;
    assert_true(qsm_model_state(model, QSM_STATE_POWER, i, 0, 0, 0, &value));
    off += value == QSM_POWER_OFF;
  }
  assert_int_equal(off, 3);
  assert_true(port_read(model, QSM_REG_GATED_CYCLES_LO) > 1000);
  uint64_t hash = qsm_model_hash(model) ^ port_read(model, QSM_REG_GATED_CYCLES_LO) ^
                  port_read(model, QSM_REG_MOVE_CYCLES_LO);
  qsm_model_destroy(model);
  return hash;
}

static void windows_of_any_length_give_the_same_run(void **unused) {
  (void)unused;
  for (uint32_t technique = 0; technique < QSM_TECHNIQUE_COUNT; technique++) {
    uint64_t expected = run_gated(1, technique);
    assert_true(run_gated(3, technique) == expected);
    assert_true(run_gated(10000, technique) == expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_quiet_sm_is_off_two_cycles_after_the_message),
      cmocka_unit_test(a_wake_takes_its_latency),
      cmocka_unit_test(an_sm_that_works_goes_off_when_it_is_quiet),
      cmocka_unit_test(messages_without_a_clock_are_lost),
      cmocka_unit_test(the_state_after_waking_is_that_of_reset),
      cmocka_unit_test(words_are_lost_from_waking_to_the_first_tick),
      cmocka_unit_test(a_gated_sm_sees_kill_and_start),
      cmocka_unit_test(fault_records_are_kept),
      cmocka_unit_test(a_policy_written_meanwhile_counts_after_waking),
      cmocka_unit_test(an_sm_is_gated_and_woken_up_for_work),
      cmocka_unit_test(windows_of_any_length_give_the_same_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

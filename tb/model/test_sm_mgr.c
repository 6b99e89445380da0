// SPDX-License-Identifier: Apache-2.0
// The SM manager, R-SG-1 to R-SG-17: beside a second implementation of the page (sm_mgr_ref.c),
// which sees every cycle while the manager is stepped where it asks for it only. SM ownership is
// played: moves take as long as the test says.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model_program.h"
#include "model_support.h"
#include "qsm_ctrl.h"
#include "qsm_model.h"
#include "qsm_regs.h"
#include "qsm_sm_mgr.h"
#include "sm_mgr_ref.h"

enum { MAX_REQUESTS = 1024, FOR_EVER = 1 << 30 };

struct noted_request {
  uint64_t cycle;
  uint32_t sm, usage, owner;
};

struct bench {
  struct qsm_config config;
  struct qsm_ctrl ctrl;
  struct notes *notes;
  struct qsm_sm_mgr *mgr;
  struct sm_mgr_ref ref;
  uint64_t cases[REF_N_CASES];
  uint64_t cycle;  // next
  uint32_t active;
  struct qsm_sm_usage usage[QSM_MAX_SMS];
  uint64_t moving_cycles;  // of all SMs up to now
  uint32_t tbs[QSM_MAX_SMS][QSM_MAX_KERNELS];
  uint32_t left[QSM_MAX_SMS];  // cycles of a move
  uint32_t move_cycles;        // of the moves to come
  bool requested;              // in this cycle
  uint32_t n_requests;         // noted in all, the last MAX_REQUESTS of them kept
  struct noted_request request[MAX_REQUESTS];
  // Epochs
  uint64_t tick_at;
  uint32_t ep_len, had_tb;
  uint64_t epoch_insn[QSM_MAX_KERNELS];  // of the next snapshot, on all SMs together
  uint64_t own_insn[QSM_MAX_KERNELS];    // of these on an SM of its own, under sm_rollover
  uint64_t insn[QSM_MAX_KERNELS];        // of the last
  uint64_t e, d;                         // of the last
  uint32_t n_plans;
  uint32_t before[QSM_MAX_KERNELS];  // have at the last PLAN
};

// ---- The TB scheduler, played ----

static const struct qsm_sm_usage *play_usage(void *ctx, uint32_t sm) {
  const struct bench *bench = ctx;
  assert_true(sm < bench->config.num_sms);
  return &bench->usage[sm];
}

static uint32_t part(const struct bench *bench) {
  return bench->active & bench->ctrl.regs.valid_mask;
}

static uint32_t play_part(void *ctx) { return part(ctx); }

static uint32_t play_tbs(void *ctx, uint32_t sm, uint32_t kernel) {
  const struct bench *bench = ctx;
  return bench->tbs[sm][kernel];
}

static uint32_t count_moving(const struct bench *bench) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < bench->config.num_sms; i++) n += bench->usage[i].moving;
  return n;
}

// To the end of this cycle, or of the one before.
static uint64_t play_move_cycles(void *ctx, uint64_t cycle) {
  const struct bench *bench = ctx;
  uint32_t n_moving = count_moving(bench);
  assert_true(!n_moving || cycle == bench->cycle || cycle == bench->cycle + 1);
  return bench->moving_cycles + (cycle - bench->cycle) * n_moving;
}

static void play_request(void *ctx, uint64_t cycle, uint32_t sm, uint32_t usage, uint32_t owner) {
  struct bench *bench = ctx;
  assert_int_equal(cycle, bench->cycle);
  assert_false(bench->requested);
  bench->requested = true;
  bench->request[bench->n_requests++ % MAX_REQUESTS] =
      (struct noted_request){cycle, sm, usage, owner};
}

static const struct noted_request *request(const struct bench *bench, uint32_t n) {
  assert_true(n < bench->n_requests);
  return &bench->request[n % MAX_REQUESTS];
}

// ---- Beside the reference ----

static void bench_open(struct bench *bench, uint32_t n_sms, uint32_t n_kernels) {
  memset(bench, 0, sizeof *bench);
  bench->config = model_wide();
  bench->config.num_sms = n_sms;
  bench->config.num_kernels = n_kernels;
  bench->config.num_groups = 1;
  bench->config.noc_lat = 2;
  bench->config.qos_lat = qsm_config_qos_lat_min(&bench->config);
  bench->config.epoch = 10000;
  char msg[256];
  if (qsm_config_check(&bench->config, msg, sizeof msg) != 0) fail_msg("%s", msg);
  qsm_ctrl_reset(&bench->ctrl, &bench->config);
  bench->ep_len = bench->ctrl.regs.shared.epoch_len = 2000;
  bench->tick_at = bench->ep_len - 1;
  bench->move_cycles = 3;
  bench->d = UINT64_MAX;
  bench->notes = notes_create();
  const struct qsm_sm_ports ports = {.ctx = bench,
                                     .usage = play_usage,
                                     .part = play_part,
                                     .tbs = play_tbs,
                                     .move_cycles = play_move_cycles,
                                     .request = play_request};
  bench->mgr = qsm_sm_mgr_create(&bench->ctrl.regs, &ports, &bench->notes->bus);
  assert_non_null(bench->mgr);
  bench->ref = (struct sm_mgr_ref){.n_sms = n_sms,
                                   .n_kernels = n_kernels,
                                   .sm_lat = qsm_config_sm_lat(&bench->config),
                                   .t_e = bench->ep_len,
                                   .cases = bench->cases};
}

static void bench_close(struct bench *bench) {
  qsm_sm_mgr_destroy(bench->mgr);
  notes_destroy(bench->notes);
}

static uint32_t state_word(const struct bench *bench, uint32_t index, uint32_t word) {
  uint32_t value = 0;
  assert_true(qsm_sm_mgr_state(bench->mgr, bench->cycle, index, word, &value));
  return value;
}

static void compare(const struct bench *bench, const char *what, uint32_t k, uint64_t got,
                    uint64_t wanted) {
  if (got != wanted)
    fail_msg("cycle %llu, %s of slot %u: 0x%llx, by the page 0x%llx",
             (unsigned long long)bench->cycle, what, k, (unsigned long long)got,
             (unsigned long long)wanted);
}

static void compare_states(const struct bench *bench) {
  const struct sm_mgr_ref *ref = &bench->ref;
  uint32_t n = ref->n_kernels, value;
  for (uint32_t k = 0; k < n; k++) {
    const struct ref_slot *slot = &ref->slot[k];
    uint32_t shown = (uint32_t)slot->n | (uint32_t)slot->opt << 8 | (uint32_t)slot->upper << 16 |
                     (uint32_t)slot->lower << 17 | (uint32_t)slot->eval << 18;
    bool judged = slot->eval != QSM_EVAL_NONE;
    compare(bench, "SM_RECORD", k, qsm_sm_mgr_record(bench->mgr, k), shown);
    compare(bench, "word 0", k, state_word(bench, k, 0),
            shown | (uint32_t)slot->run << 20 | (uint32_t)slot->seen << 21 |
                (uint32_t)(judged && slot->out) << 22 | (uint32_t)slot->ample << 23);
    compare(bench, "ample", k, qsm_sm_mgr_ample(bench->mgr) >> k & 1, slot->ample);
    compare(bench, "apart", k, *qsm_sm_mgr_apart(bench->mgr) >> k & 1,
            ref->managed && ref->known_scheme == QSM_SCHEME_SM_ROLLOVER &&
                (ref->known_part & ref->known_qos) >> k & 1 && 2 * slot->n > (int)ref->n_sms &&
                !slot->ample);  // R-SG-18
    compare(bench, "lead", k, state_word(bench, k, 1) | (uint64_t)state_word(bench, k, 2) << 32,
            (uint64_t)slot->lead);
    compare(bench, "i", k, state_word(bench, k, 3), slot->insn);
    compare(bench, "i_last", k, state_word(bench, k, 4), judged ? slot->insn_last : 0);
    compare(bench, "sm_last", k, state_word(bench, k, 5), judged ? (uint32_t)slot->sm_last : 0);
    assert_false(qsm_sm_mgr_state(bench->mgr, bench->cycle, k, 6, &value));
  }
  assert_true(qsm_sm_mgr_state(bench->mgr, bench->cycle + 1, n, 0, &value));
  compare(bench, "managed, planning, splitting, stale, moved", n, value,
          (uint32_t)ref->managed | (uint32_t)ref->planning << 1 | (uint32_t)ref->splitting << 2 |
              (uint32_t)ref->stale << 3 | (uint32_t)ref->moved << 4);
  assert_int_equal(qsm_sm_mgr_busy(bench->mgr), ref->managed || ref->planning || ref->splitting);
}

static void compare_events(const struct bench *bench, const struct ref_out *out) {
  const struct sm_mgr_ref *ref = &bench->ref;
  const struct notes *notes = bench->notes;
  assert_int_equal(notes->n_events, out->record + out->plan);
  const struct qsm_event *event = notes->event;
  if (out->record) {
    assert_int_equal(event->kind, QSM_EV_RECORD);
    assert_int_equal(event->cycle, bench->cycle);
    assert_int_equal(event->n_words, 2 * ref->n_kernels);
    for (uint32_t k = 0; k < ref->n_kernels; k++) {
      const struct ref_slot *slot = &ref->slot[k];
      compare(bench, "RECORD i", k, event->word[2 * k], slot->insn);
      compare(bench, "RECORD learned", k, event->word[2 * k + 1],
              (uint32_t)slot->opt | (uint32_t)slot->upper << 8 | (uint32_t)slot->lower << 9 |
                  (uint32_t)slot->eval << 10);
    }
    event++;
  }
  if (!out->plan) return;
  assert_int_equal(event->kind, QSM_EV_PLAN);
  assert_int_equal(event->cycle, bench->cycle);
  assert_int_equal(event->n_words, ref->n_kernels);
  for (uint32_t k = 0; k < ref->n_kernels; k++)
    compare(bench, "PLAN n", k, event->word[k], (uint32_t)ref->slot[k].n);
}

static uint32_t n_of(const struct bench *bench, uint32_t k) {
  return qsm_sm_mgr_record(bench->mgr, k) & QSM_SLOT_SM_RECORD_COUNT_MASK;
}

static uint32_t opt_of(const struct bench *bench, uint32_t k) {
  return qsm_sm_mgr_record(bench->mgr, k) >> QSM_SLOT_SM_RECORD_OPT_SHIFT & 0xff;
}

static bool upper_of(const struct bench *bench, uint32_t k) {
  return qsm_sm_mgr_record(bench->mgr, k) & QSM_SLOT_SM_RECORD_UPPER_MASK;
}

static bool lower_of(const struct bench *bench, uint32_t k) {
  return qsm_sm_mgr_record(bench->mgr, k) & QSM_SLOT_SM_RECORD_LOWER_MASK;
}

static uint32_t eval_of(const struct bench *bench, uint32_t k) {
  return qsm_sm_mgr_record(bench->mgr, k) >> QSM_SLOT_SM_RECORD_EVAL_SHIFT & 3;
}

static int64_t lead_of(const struct bench *bench, uint32_t k) {
  return (int64_t)(state_word(bench, k, 1) | (uint64_t)state_word(bench, k, 2) << 32);
}

static bool is_managed(const struct bench *bench) {
  return state_word(bench, bench->config.num_kernels, 0) & 1;
}

static bool is_planning(const struct bench *bench) {
  return state_word(bench, bench->config.num_kernels, 0) & 2;
}

static bool is_splitting(const struct bench *bench) {
  return state_word(bench, bench->config.num_kernels, 0) & 4;
}

static uint32_t have(const struct bench *bench, uint32_t k) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < bench->config.num_sms; i++) {
    const struct qsm_sm_usage *sm = &bench->usage[i];
    n += sm->moving ? sm->next_usage == QSM_USE_OWNED && sm->next_owner == k
                    : sm->usage == QSM_USE_OWNED && sm->owner == k;
  }
  return n;
}

static uint32_t count_usage(const struct bench *bench, uint32_t usage) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < bench->config.num_sms; i++)
    n += !bench->usage[i].moving && bench->usage[i].usage == usage;
  return n;
}

// R-SG-7: nobody need count the SMs, unless a change waits.
static void check_have(const struct bench *bench) {
  const struct sm_mgr_ref *ref = &bench->ref;
  const struct qsm_regs *regs = &bench->ctrl.regs;
  if (ref->splitting || ref->planning || !ref->managed || regs->scheme != ref->known_scheme ||
      part(bench) != ref->known_part)
    return;
  for (uint32_t k = 0; k < bench->config.num_kernels; k++)
    assert_int_equal(have(bench, k), n_of(bench, k));
}

// What the page promises of every plan.
static void check_plan(struct bench *bench, bool decided) {
  uint32_t sum = 0, batch_moves = 0, taking = part(bench);
  bool beside = bench->ref.managed && bench->ref.known_scheme == QSM_SCHEME_SM_ROLLOVER;
  bench->n_plans++;
  for (uint32_t k = 0; k < bench->config.num_kernels; k++) {
    uint32_t n = n_of(bench, k);
    sum += n;
    if (decided && taking >> k & 1 && !beside) assert_true(n >= 1);
    if (!(bench->ctrl.regs.shared.qos_mask >> k & 1)) batch_moves += n != have(bench, k);
  }
  assert_true(sum <= bench->config.num_sms - beside);
  if (decided && bench->ctrl.regs.scheme == QSM_SCHEME_SMQOS) assert_true(batch_moves <= 1);
}

static bool is_valid(const struct bench *bench, uint32_t k) {
  return bench->ctrl.regs.valid_mask >> k & 1;
}

// R-SO-1, R-SO-4, R-SO-10, as far as the manager sees them.
static void end_sm_cycle(struct bench *bench, uint32_t sm, bool asked) {
  struct qsm_sm_usage *use = &bench->usage[sm];
  if (asked) {
    const struct noted_request *to = request(bench, bench->n_requests - 1);
    if (!use->moving) bench->left[sm] = bench->move_cycles;
    use->moving = 1;
    use->next_usage = (uint8_t)to->usage;
    use->next_owner = (uint8_t)to->owner;
  } else if (use->moving && use->next_usage == QSM_USE_OWNED && !is_valid(bench, use->next_owner)) {
    use->next_usage = QSM_USE_SHARED;
    use->next_owner = 0;
  } else if (use->moving && (bench->left[sm] == 0 || --bench->left[sm] == 0)) {
    if (use->next_usage != QSM_USE_FREE) use->power = QSM_POWER_ON;
    *use = (struct qsm_sm_usage){
        .usage = use->next_usage, .owner = use->next_owner, .power = use->power};
  } else if (!use->moving && use->usage == QSM_USE_OWNED && !is_valid(bench, use->owner)) {
    use->usage = QSM_USE_SHARED;
    use->owner = 0;
  }
}

static uint32_t first_shared(const struct bench *bench) {
  uint32_t i = 0;
  while (i < bench->config.num_sms &&
         (bench->usage[i].usage != QSM_USE_SHARED || bench->usage[i].moving))
    i++;
  return i;
}

// What is not its own is on the SM that all share, as much of it as an SM can issue.
static void snapshot_beside(struct bench *bench, uint32_t k) {
  enum { MOST_OF_AN_SM = 1 << 27 };
  uint64_t own = bench->own_insn[k], rest = bench->epoch_insn[k] - own;
  uint32_t n = bench->config.num_sms, shared = first_shared(bench);
  assert_true(own <= bench->epoch_insn[k]);
  bench->insn[k] = bench->epoch_insn[k];
  for (uint32_t i = 0; i < n; i++) bench->notes->insn[i][k] = 0;
  if (rest > MOST_OF_AN_SM || shared == n) {
    own += rest;
    rest = 0;
  }
  bench->notes->insn[shared == 0 ? n - 1 : 0][k] += (uint32_t)own;
  if (shared < n) bench->notes->insn[shared][k] += (uint32_t)rest;
}

// Spread unevenly over the SMs, as they come.
static void snapshot(struct bench *bench) {
  uint32_t n = bench->config.num_sms;
  for (uint32_t k = 0; k < bench->config.num_kernels; k++) {
    if (bench->ctrl.regs.scheme == QSM_SCHEME_SM_ROLLOVER) {
      snapshot_beside(bench, k);
      continue;
    }
    uint64_t left = bench->insn[k] = bench->epoch_insn[k];
    for (uint32_t i = 0; i < n; i++) {
      uint64_t here = i + 1 == n ? left : left / 2;
      bench->notes->insn[i][k] = (uint32_t)here;
      left -= here;
    }
  }
}

static void run_cycle(struct bench *bench) {
  uint64_t c = bench->cycle;
  const struct qsm_regs *regs = &bench->ctrl.regs;
  struct ref_in in = {.cycle = c,
                      .scheme = regs->scheme,
                      .valid = regs->valid_mask,
                      .part = part(bench),
                      .qos = regs->shared.qos_mask,
                      .threshold = regs->sm_threshold,
                      .step = regs->sm_step,
                      .goal = regs->goal,
                      .sm_count = regs->sm_count,
                      .usage = bench->usage,
                      .tbs = (const uint32_t(*)[QSM_MAX_KERNELS])bench->tbs,
                      .sm_insn = (const uint32_t(*)[QSM_MAX_KERNELS])bench->notes->insn,
                      .sm_c = (const int32_t(*)[QSM_MAX_KERNELS])bench->notes->c};
  if (c == bench->tick_at) {
    bench->ep_len = regs->shared.epoch_len;
    bench->tick_at = c + bench->ep_len;
    bench->e = c + bench->config.noc_lat;
  }
  if (c == bench->e && c != 0) {
    in.e = true;
    in.ep_len = bench->ep_len;
    in.had_tb = bench->had_tb;
    bench->d = c + qsm_config_sm_lat(&bench->config);
    snapshot(bench);
    qsm_sm_mgr_end_epoch(bench->mgr, c, bench->ep_len, bench->had_tb);
  }
  memcpy(in.insn, bench->insn, sizeof in.insn);
  bench->notes->n_events = 0;
  bench->requested = false;
  bool told = false;
  if (qsm_sm_mgr_next(bench->mgr, c) == c) {
    told = qsm_sm_mgr_step(bench->mgr, c);
    qsm_sm_mgr_end_cycle(bench->mgr);
  }
  assert_int_equal(told, bench->requested);
  struct ref_out out;
  sm_mgr_ref_cycle(&bench->ref, &in, &out);
  assert_int_equal(bench->requested, out.requests);
  if (out.requests) {
    const struct noted_request *got = request(bench, bench->n_requests - 1);
    compare(bench, "SM asked for", 0, got->sm, out.sm);
    compare(bench, "usage asked for", 0, got->usage, out.usage);
    compare(bench, "owner asked for", 0, got->owner, out.owner);
  }
  check_have(bench);
  compare_states(bench);
  compare_events(bench, &out);
  if (out.plan) check_plan(bench, out.record);
  bench->moving_cycles += count_moving(bench);
  for (uint32_t i = 0; i < bench->config.num_sms; i++)
    end_sm_cycle(bench, i, out.requests && out.sm == i);
  bench->cycle++;
}

static void run_to(struct bench *bench, uint64_t to) {
  while (bench->cycle < to) run_cycle(bench);
}

// ---- The host, at the end of a cycle ----

static void arrive(struct bench *bench, uint32_t k, bool qos, uint32_t goal) {
  struct qsm_regs *regs = &bench->ctrl.regs;
  regs->valid_mask |= 1u << k;
  regs->shared.qos_mask = (regs->shared.qos_mask & ~(1u << k)) | (uint32_t)qos << k;
  regs->goal[k] = goal;
  regs->sm_count[k] = 0;
  bench->active |= 1u << k;
  qsm_sm_mgr_arrive(bench->mgr, k);
  sm_mgr_ref_arrive(&bench->ref, k);
}

static void leave(struct bench *bench, uint32_t k) {
  bench->ctrl.regs.valid_mask &= ~(1u << k);
  bench->ctrl.regs.shared.qos_mask &= ~(1u << k);
}

static void clear_history(struct bench *bench, uint32_t k) {
  qsm_sm_mgr_clear_history(bench->mgr, k);
  sm_mgr_ref_clear(&bench->ref, k);
}

// To the end of the split and plan that are under way or begin now, and of the moves.
static void settle(struct bench *bench) {
  run_to(bench, bench->cycle + 1);
  while (is_splitting(bench) || is_planning(bench)) run_cycle(bench);
  run_to(bench, bench->cycle + bench->move_cycles + 1);
}

// One epoch with these instructions, to the end of D and of what it led to.
static void run_epoch(struct bench *bench, const uint64_t *insn) {
  memcpy(bench->epoch_insn, insn, bench->config.num_kernels * sizeof *insn);
  uint64_t last = bench->d;
  while (bench->d == last) run_cycle(bench);
  run_to(bench, bench->d + 1);
  while (is_planning(bench)) run_cycle(bench);
}

static uint32_t slots_bits(uint32_t n) { return (1u << n) - 1; }

// ---- Splits (R-SG-2, R-SG-3) ----

static void open_scheme(struct bench *bench, uint32_t n_sms, uint32_t n_kernels, uint32_t scheme) {
  bench_open(bench, n_sms, n_kernels);
  bench->ctrl.regs.scheme = scheme;
  bench->had_tb = slots_bits(n_kernels);
}

static void expect_split(struct bench *bench, uint32_t n_slots, uint32_t qos) {
  uint32_t n_sms = bench->config.num_sms, sum = 0, more = n_sms % n_slots;
  for (uint32_t k = 0; k < n_slots; k++) sum += n_of(bench, k);
  assert_int_equal(sum, n_sms);
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (uint32_t k = 0; k < n_slots; k++) {
      if ((qos >> k & 1) == pass) continue;
      assert_int_equal(n_of(bench, k), n_sms / n_slots + (more > 0));
      assert_int_equal(opt_of(bench, k), n_of(bench, k));
      assert_int_equal(have(bench, k), n_of(bench, k));
      more -= more > 0;
    }
  }
}

// R-SG-3, R-SG-10: 1 to 8 slots on 1 to 96 SMs.
static void a_split_gives_everybody_an_equal_part_and_the_rest_to_goals_first(void **state) {
  (void)state;
  uint64_t seed = model_seed("test_sm_mgr");
  for (uint32_t n_sms = 1; n_sms <= QSM_MAX_SMS; n_sms++) {
    for (uint32_t n_slots = 1; n_slots <= QSM_MAX_KERNELS; n_slots++) {
      struct bench bench;
      uint32_t qos = model_random(&seed, 1u << n_slots);
      open_scheme(&bench, n_sms, QSM_MAX_KERNELS,
                  model_random(&seed, 2) ? QSM_SCHEME_SMQOS : QSM_SCHEME_SPART);
      for (uint32_t k = 0; k < n_slots; k++) arrive(&bench, k, qos >> k & 1, 1 << 16);
      settle(&bench);
      if (n_slots <= n_sms) {
        assert_true(is_managed(&bench));
        expect_split(&bench, n_slots, qos);
        assert_int_equal(count_usage(&bench, QSM_USE_OWNED), n_sms);
      } else {  // S15
        assert_false(is_managed(&bench));
        assert_int_equal(count_usage(&bench, QSM_USE_SHARED), n_sms);
        assert_int_equal(bench.n_requests, 0);
      }
      bench_close(&bench);
    }
  }
}

// Four slots whose SM_COUNT is `count` have `n` of so many SMs.
struct split_row {
  uint32_t n_sms, count[4], n[4];
};

// The split of the row, checked. `qos`: slots with a goal. SMs that are owned.
static uint32_t open_split(struct bench *bench, const struct split_row *row, uint32_t scheme,
                           uint32_t qos) {
  uint32_t sum = 0;
  open_scheme(bench, row->n_sms, 4, scheme);
  for (uint32_t k = 0; k < 4; k++) {
    arrive(bench, k, qos >> k & 1, 1 << 16);
    bench->ctrl.regs.sm_count[k] = row->count[k];
  }
  settle(bench);
  for (uint32_t k = 0; k < 4; k++) {
    assert_int_equal(n_of(bench, k), row->n[k]);
    assert_int_equal(have(bench, k), row->n[k]);
    sum += row->n[k];
  }
  return sum;
}

static void a_static_split_follows_the_registers_and_keeps_one_for_everybody(void **state) {
  (void)state;
  static const struct split_row rows[] = {
      {8, {3, 2, 1, 2}, {3, 2, 1, 2}},   // all as asked for
      {8, {2, 2, 1, 1}, {2, 2, 1, 1}},   // two are left over
      {8, {0, 0, 0, 0}, {2, 2, 2, 2}},   // nobody asks
      {10, {0, 0, 0, 0}, {3, 3, 2, 2}},  // the remainder to lower slots
      {8, {0, 3, 0, 0}, {2, 3, 2, 1}},   // the rest to those that do not ask
      {8, {8, 8, 8, 8}, {5, 1, 1, 1}},   // one for each that is not yet served
      {8, {0, 8, 0, 8}, {1, 5, 1, 1}},   // those that do not ask, too
      {8, {0, 4, 3, 0}, {1, 4, 2, 1}},  {4, {4, 4, 4, 4}, {1, 1, 1, 1}},
      {5, {0, 1, 0, 2}, {1, 1, 1, 2}},
  };
  for (uint32_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
    struct bench bench;
    uint32_t sum = open_split(&bench, &rows[row], QSM_SCHEME_SM_STATIC, 0xa);
    assert_int_equal(count_usage(&bench, QSM_USE_FREE), rows[row].n_sms - sum);
    run_to(&bench, 6000);  // no decision follows
    assert_int_equal(bench.n_plans, 1);
    bench_close(&bench);
  }
}

// R-SG-2
static void a_split_takes_its_time_and_reads_each_count_in_its_cycle(void **state) {
  (void)state;
  struct bench bench;
  open_scheme(&bench, 8, 3, QSM_SCHEME_SM_STATIC);
  run_to(&bench, 40);  // without tenants nothing is managed, and nothing is given back
  assert_false(qsm_sm_mgr_busy(bench.mgr));
  for (uint32_t k = 0; k < 3; k++) arrive(&bench, k, false, 0);
  uint64_t c = bench.cycle;
  run_cycle(&bench);
  assert_true(is_splitting(&bench));
  run_cycle(&bench);
  for (uint32_t k = 0; k < 3; k++) {  // as if written just before, and just after
    bench.ctrl.regs.sm_count[k] = 2;
    run_cycle(&bench);
    bench.ctrl.regs.sm_count[k] = 5;
  }
  run_to(&bench, c + 3 * 3 + 10);
  assert_int_equal(n_of(&bench, 0), 0);
  run_cycle(&bench);
  assert_true(is_planning(&bench));
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(n_of(&bench, k), 2);
  settle(&bench);
  assert_int_equal(request(&bench, 0)->cycle, c + 3 * 3 + 11);
  assert_int_equal(bench.n_requests, 8);
  bench_close(&bench);
}

static void a_change_in_mid_run_splits_anew_and_forgets_what_was_learned(void **state) {
  (void)state;
  struct bench bench;
  open_scheme(&bench, 8, 4, QSM_SCHEME_SMQOS);
  arrive(&bench, 0, true, 1 << 16);
  arrive(&bench, 1, false, 0);
  settle(&bench);
  uint64_t insn[4] = {1000, 5000};
  for (uint32_t i = 0; i < 2; i++) run_epoch(&bench, insn);
  assert_int_equal(n_of(&bench, 1), 3);
  assert_int_equal(eval_of(&bench, 1), QSM_EVAL_MOVING);
  run_to(&bench, bench.e + bench.config.qos_lat + 1);
  arrive(&bench, 3, false, 0);
  settle(&bench);
  assert_int_equal(n_of(&bench, 0), 3);
  assert_int_equal(n_of(&bench, 1), 3);
  assert_int_equal(n_of(&bench, 3), 2);
  assert_int_equal(eval_of(&bench, 1), QSM_EVAL_NONE);
  bench.active &= ~2u;  // falls idle
  settle(&bench);
  assert_int_equal(n_of(&bench, 1), 0);
  assert_int_equal(have(&bench, 3), 4);
  bench.ctrl.regs.scheme = QSM_SCHEME_SM_STATIC;
  bench.ctrl.regs.sm_count[3] = 6;
  settle(&bench);
  assert_int_equal(n_of(&bench, 0), 2);
  bench.ctrl.regs.scheme = QSM_SCHEME_ROLLOVER;
  settle(&bench);
  assert_false(qsm_sm_mgr_busy(bench.mgr));
  assert_int_equal(count_usage(&bench, QSM_USE_SHARED), 8);
  bench_close(&bench);
}

static void with_more_kernels_than_sms_they_are_given_back_and_shared(void **state) {
  (void)state;
  struct bench bench;
  open_scheme(&bench, 2, 4, QSM_SCHEME_SMQOS);
  arrive(&bench, 0, true, 1 << 16);
  arrive(&bench, 2, false, 0);
  settle(&bench);
  assert_int_equal(count_usage(&bench, QSM_USE_OWNED), 2);
  arrive(&bench, 3, false, 0);
  settle(&bench);
  assert_false(is_managed(&bench));
  assert_int_equal(count_usage(&bench, QSM_USE_SHARED), 2);
  for (uint32_t k = 0; k < 4; k++) assert_int_equal(n_of(&bench, k), 0);
  leave(&bench, 2);
  settle(&bench);
  assert_int_equal(have(&bench, 0), 1);
  assert_int_equal(have(&bench, 3), 1);
  bench_close(&bench);
}

static void one_sm_is_owned_by_one_kernel_and_shared_by_two(void **state) {
  (void)state;
  struct bench bench;
  open_scheme(&bench, 1, 2, QSM_SCHEME_SPART);
  arrive(&bench, 1, true, 1 << 16);
  settle(&bench);
  assert_int_equal(have(&bench, 1), 1);
  arrive(&bench, 0, false, 0);
  settle(&bench);
  assert_int_equal(count_usage(&bench, QSM_USE_SHARED), 1);
  bench_close(&bench);
}

// The second tenant of a slot comes while the split for the first is worked out, or planned.
static void a_new_tenant_gets_a_split_of_its_own(void **state) {
  (void)state;
  for (uint32_t when = 0; when < 40; when++) {
    struct bench bench;
    open_scheme(&bench, 4, 4, QSM_SCHEME_SM_STATIC);
    arrive(&bench, 0, false, 0);
    arrive(&bench, 1, false, 0);
    run_to(&bench, 1 + when);
    leave(&bench, 1);
    run_cycle(&bench);
    arrive(&bench, 1, false, 0);
    settle(&bench);
    settle(&bench);
    assert_int_equal(have(&bench, 0), 2);
    assert_int_equal(have(&bench, 1), 2);
    bench_close(&bench);
  }
}

// ---- Records (R-SG-4, R-SG-5) ----

// R-SG-2: who takes part is as before, but the old tenant's SM_COUNT was read.
static void a_tenant_that_comes_in_a_split_gets_its_own_number(void **state) {
  (void)state;
  struct bench bench;
  open_scheme(&bench, 8, 2, QSM_SCHEME_SM_STATIC);
  arrive(&bench, 0, false, 0);
  arrive(&bench, 1, false, 0);
  bench.ctrl.regs.sm_count[0] = 2;
  settle(&bench);
  assert_int_equal(n_of(&bench, 0), 2);
  bench.ctrl.regs.shared.qos_mask = 2;  // a change
  run_to(&bench, bench.cycle + 4);      // the counts are read
  assert_true(is_splitting(&bench));
  leave(&bench, 0);
  run_to(&bench, bench.cycle + 2);
  arrive(&bench, 0, false, 0);
  bench.ctrl.regs.sm_count[0] = 5;
  settle(&bench);
  assert_int_equal(bench.cases[REF_CHANGE_STALE], 1);
  assert_int_equal(n_of(&bench, 0), 5);
  assert_int_equal(n_of(&bench, 1), 3);
  assert_int_equal(have(&bench, 0), 5);
  assert_int_equal(have(&bench, 1), 3);
  bench_close(&bench);
}

static void records_are_kept_in_every_scheme_from_the_epoch_after_the_first_block(void **state) {
  (void)state;
  for (uint32_t scheme = 0; scheme < QSM_SCHEME_COUNT; scheme++) {
    struct bench bench;
    open_scheme(&bench, 4, 2, scheme);
    bench.had_tb = 1;
    arrive(&bench, 0, true, 3 << 15);
    arrive(&bench, 1, true, 3 << 15);
    run_epoch(&bench, (uint64_t[]){7000, 8000});
    assert_int_equal(lead_of(&bench, 0), 0);
    run_epoch(&bench, (uint64_t[]){4000, 0});
    assert_int_equal(lead_of(&bench, 0), (4000 - 3000) * 65536);
    assert_int_equal(lead_of(&bench, 1), 0);
    bench.had_tb = 3;
    run_epoch(&bench, (uint64_t[]){1000, 9000});
    bench.had_tb = 0;  // once seen it counts
    run_epoch(&bench, (uint64_t[]){1001, 2});
    assert_int_equal(lead_of(&bench, 0), (4000 + 1000 + 1001 - 9000) * 65536);
    assert_int_equal(lead_of(&bench, 1), (2 - 3000) * 65536);
    clear_history(&bench, 0);
    bench.had_tb = 3;
    run_epoch(&bench, (uint64_t[]){5000, 0});
    run_epoch(&bench, (uint64_t[]){5000, 0});
    assert_int_equal(lead_of(&bench, 0), 2000 * 65536);
    bench_close(&bench);
  }
}

static void the_goal_of_an_epoch_is_that_of_its_length_and_of_the_register_at_its_end(
    void **state) {
  (void)state;
  struct bench bench;
  open_scheme(&bench, 4, 1, QSM_SCHEME_NONE);
  arrive(&bench, 0, true, 1 << 16);
  run_epoch(&bench, (uint64_t[]){0});
  bench.ctrl.regs.shared.epoch_len = 3000;  // from the epoch after the one that runs
  run_epoch(&bench, (uint64_t[]){2500});
  assert_int_equal(lead_of(&bench, 0), 500 * 65536);
  run_to(&bench, bench.e + bench.config.qos_lat + 1);
  bench.ctrl.regs.goal[0] = 1;
  run_epoch(&bench, (uint64_t[]){0});
  assert_int_equal(lead_of(&bench, 0), 500 * 65536 - 3000);
  bench_close(&bench);
}

static void counts_are_clipped_and_the_lead_wraps(void **state) {
  (void)state;
  struct bench bench;
  open_scheme(&bench, 4, 2, QSM_SCHEME_NONE);
  bench.ctrl.regs.shared.epoch_len = 0xfffff;
  arrive(&bench, 0, true, 0);
  arrive(&bench, 1, true, UINT32_MAX);
  uint64_t lead[2] = {0, 0}, t = 2000, cycle = 2001;
  // By the manager alone: it names two cycles of an epoch.
  for (uint32_t i = 0; i < 9000; i++) {
    for (uint32_t sm = 0; sm < 4; sm++) bench.notes->insn[sm][0] = 0x60000000;
    qsm_sm_mgr_end_epoch(bench.mgr, cycle, 0xfffff, 3);
    uint64_t d = cycle + qsm_config_sm_lat(&bench.config);
    assert_int_equal(qsm_sm_mgr_next(bench.mgr, cycle), d);
    qsm_sm_mgr_step(bench.mgr, d);
    assert_true(qsm_sm_mgr_next(bench.mgr, d + 1) == QSM_NEVER);
    if (i > 0) {
      assert_int_equal(state_word(&bench, 0, 3), 0x7fffffff);
      lead[0] += UINT64_C(0x7fffffff) << 16;
      lead[1] -= (uint64_t)UINT32_MAX * t;
    }
    assert_true((uint64_t)lead_of(&bench, 0) == lead[0]);
    assert_true((uint64_t)lead_of(&bench, 1) == lead[1]);
    t = 0xfffff;
    cycle += 0xfffff;
  }
  assert_true(UINT32_MAX * UINT64_C(0xfffff) > UINT64_MAX / 9000);  // it did wrap
  bench_close(&bench);
}

// ---- SMQoS (R-SG-6 to R-SG-8) ----

enum { T = 2000 };

// Slot 0 with a goal of 1 instruction per cycle, the others without, all with records; moves end
// within the epoch.
static void open_smqos(struct bench *bench, uint32_t n_sms, uint32_t n_batch) {
  open_scheme(bench, n_sms, 1 + n_batch, QSM_SCHEME_SMQOS);
  arrive(bench, 0, true, 1 << 16);
  for (uint32_t k = 1; k <= n_batch; k++) arrive(bench, k, false, 0);
  run_epoch(bench, (uint64_t[QSM_MAX_KERNELS]){0});
}

// An epoch in which slot 0 issues so much, and the others so much each.
static void epoch(struct bench *bench, uint64_t own, uint64_t others) {
  uint64_t insn[QSM_MAX_KERNELS] = {own};
  for (uint32_t k = 1; k < QSM_MAX_KERNELS; k++) insn[k] = others;
  run_epoch(bench, insn);
}

// Slot 0 gets an SM of slot 1 (out) or gives it one, for which slot 1 had i_last; then nothing
// moves while it settles, and slot 1 issues x in the epoch that counts.
static void move_and_judge(struct bench *bench, bool out, uint32_t i_last, uint32_t x) {
  epoch(bench, out ? T - 100 : 3 * T, i_last);
  assert_int_equal(eval_of(bench, 1), QSM_EVAL_MOVING);
  epoch(bench, out ? T + 100 : T, 1);  // not behind any more, and not ahead by an epoch
  assert_int_equal(eval_of(bench, 1), QSM_EVAL_SETTLING);
  epoch(bench, T, x);
  assert_int_equal(eval_of(bench, 1), QSM_EVAL_NONE);
}

static void algorithm_2_learns_as_its_table_says_at_exactly_the_threshold(void **state) {
  (void)state;
  // 65,536 instructions before: the threshold of 655/65,536 is 655 of them.
  static const struct {
    bool out;
    uint32_t x, n, opt;
    bool upper, lower;
  } rows[] = {
      {false, 65536 + 656, 5, 5, false, true}, {false, 65536 + 655, 5, 4, true, false},
      {false, 0, 5, 4, true, false},           {true, 65536 - 656, 3, 4, false, true},
      {true, 65536 - 655, 3, 3, true, false},  {true, 99999, 3, 3, true, false},
  };
  for (uint32_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
    struct bench bench;
    open_smqos(&bench, 8, 1);
    assert_int_equal(opt_of(&bench, 1), 4);
    move_and_judge(&bench, rows[row].out, 65536, rows[row].x);
    assert_int_equal(n_of(&bench, 1), rows[row].n);
    assert_int_equal(opt_of(&bench, 1), rows[row].opt);
    assert_int_equal(upper_of(&bench, 1), rows[row].upper);
    assert_int_equal(lower_of(&bench, 1), rows[row].lower);
    bench_close(&bench);
  }
}

static void opt_is_frozen_once_both_bounds_are_known(void **state) {
  (void)state;
  struct bench bench;
  open_smqos(&bench, 10, 1);
  move_and_judge(&bench, false, 65536, 80000);  // 5 -> 6: more
  assert_int_equal(opt_of(&bench, 1), 6);
  epoch(&bench, 3 * T, 65536);  // 6 -> 7: not more
  epoch(&bench, T, 1);
  epoch(&bench, T, 65536);
  assert_int_equal(opt_of(&bench, 1), 6);
  assert_true(upper_of(&bench, 1) && lower_of(&bench, 1));
  epoch(&bench, 0, 65536);  // taken away again, to 6: sm_last is 7, which is not opt
  assert_int_equal(n_of(&bench, 1), 6);
  epoch(&bench, T, 1);
  epoch(&bench, T, 0);
  assert_int_equal(bench.cases[REF_ELSE_NOT_OPT], 1);
  clear_history(&bench, 0);
  epoch(&bench, T, 65536);
  epoch(&bench, T - 1, 65536);  // to 5: from opt, but it is frozen
  epoch(&bench, T + 1, 1);
  epoch(&bench, T, 70000);
  assert_int_equal(bench.cases[REF_ELSE_BOTH], 1);
  assert_int_equal(n_of(&bench, 1), 5);
  assert_int_equal(opt_of(&bench, 1), 6);
  bench_close(&bench);
}

// R-SG-6, R-SG-7: S4
static void a_move_of_several_epochs_is_judged_by_the_first_whole_one_after_it(void **state) {
  (void)state;
  struct bench bench;
  open_smqos(&bench, 8, 1);
  bench.move_cycles = 3 * T + 100;
  epoch(&bench, T - 100, 65536);
  assert_int_equal(n_of(&bench, 1), 3);
  for (uint32_t i = 0; i < 3; i++) {
    epoch(&bench, T, 1);  // behind, but nothing is decided
    assert_int_equal(eval_of(&bench, 1), QSM_EVAL_MOVING);
    assert_int_equal(n_of(&bench, 0), 5);
  }
  epoch(&bench, T + 100, 1);  // the first E without a move
  assert_int_equal(eval_of(&bench, 1), QSM_EVAL_SETTLING);
  assert_int_equal(opt_of(&bench, 1), 4);
  epoch(&bench, T, 65536);
  assert_int_equal(eval_of(&bench, 1), QSM_EVAL_NONE);
  assert_int_equal(opt_of(&bench, 1), 3);
  bench_close(&bench);
}

// S13
static void a_kernel_that_is_behind_takes_an_sm_that_is_being_learned_from(void **state) {
  (void)state;
  struct bench bench;
  open_smqos(&bench, 8, 1);
  epoch(&bench, 3 * T, 65536);
  assert_int_equal(eval_of(&bench, 1), QSM_EVAL_MOVING);
  epoch(&bench, T - 1, 65536);  // needs, but is ahead
  assert_int_equal(eval_of(&bench, 1), QSM_EVAL_SETTLING);
  assert_int_equal(n_of(&bench, 1), 5);
  assert_int_equal(bench.cases[REF_NEEDS_NOBODY], 1);
  bench_close(&bench);

  open_smqos(&bench, 8, 1);
  epoch(&bench, T - 1, 65536);  // behind: 4 -> 5, slot 1 4 -> 3
  epoch(&bench, T, 77777);      // still behind: it takes another one while the first settles
  assert_int_equal(bench.cases[REF_NEEDS_UNJUDGED], 1);
  assert_int_equal(n_of(&bench, 1), 2);
  assert_int_equal(eval_of(&bench, 1), QSM_EVAL_MOVING);
  assert_int_equal(state_word(&bench, 1, 4), 77777);  // i_last
  assert_int_equal(state_word(&bench, 1, 5), 3);      // sm_last
  bench_close(&bench);
}

static void equality_moves_nothing(void **state) {
  (void)state;
  struct bench bench;
  open_smqos(&bench, 8, 1);
  for (uint32_t i = 0; i < 4; i++) epoch(&bench, T, 100);  // exactly the goal
  assert_int_equal(n_of(&bench, 0), 4);
  epoch(&bench, 2 * T, 100);  // lead = g, not above
  assert_int_equal(n_of(&bench, 0), 4);
  epoch(&bench, T, 100);  // e = 0
  assert_int_equal(n_of(&bench, 0), 4);
  epoch(&bench, T + 1, 100);
  assert_int_equal(n_of(&bench, 0), 3);
  bench_close(&bench);
}

static void a_kernel_in_need_takes_free_sms_first_then_of_who_is_furthest_above_opt(void **state) {
  (void)state;
  struct bench bench;
  open_smqos(&bench, 9, 2);
  assert_int_equal(n_of(&bench, 0), 3);
  // Both have opt: of equals the lowest.
  epoch(&bench, T - 1, 65536);
  assert_int_equal(n_of(&bench, 1), 2);
  assert_int_equal(n_of(&bench, 2), 3);
  // Slot 1 is below opt now, and being learned from; slot 2 is furthest above.
  epoch(&bench, T - 1, 65536);
  assert_int_equal(n_of(&bench, 1), 2);
  assert_int_equal(n_of(&bench, 2), 2);
  for (uint32_t i = 0; i < 8; i++) epoch(&bench, 0, 65536);
  assert_int_equal(n_of(&bench, 0), 7);  // one for each of the others
  assert_int_equal(n_of(&bench, 1), 1);
  assert_int_equal(n_of(&bench, 2), 1);
  assert_true(bench.cases[REF_NEEDS_AT_MOST] > 0);
  bench_close(&bench);

  open_scheme(&bench, 6, 2, QSM_SCHEME_SMQOS);  // two with goals: what one gives the other gets
  arrive(&bench, 0, true, 1 << 16);
  arrive(&bench, 1, true, 1 << 16);
  run_epoch(&bench, (uint64_t[]){0, 0});
  run_epoch(&bench, (uint64_t[]){3 * T, T});
  assert_int_equal(n_of(&bench, 0), 2);
  assert_int_equal(count_usage(&bench, QSM_USE_FREE) + 1, 1 + !bench.usage[2].moving);
  run_to(&bench, bench.cycle + 10);
  assert_int_equal(count_usage(&bench, QSM_USE_FREE), 1);
  run_epoch(&bench, (uint64_t[]){T, T - 1});
  assert_int_equal(n_of(&bench, 1), 4);
  assert_int_equal(bench.cases[REF_NEEDS_FREE], 1);
  run_epoch(&bench, (uint64_t[]){T, T - 1});  // nobody without a goal to take from
  assert_int_equal(n_of(&bench, 1), 4);
  bench_close(&bench);
}

static void what_a_kernel_gives_goes_to_who_is_short_then_to_who_may_grow_then_is_free(
    void **state) {
  (void)state;
  struct bench bench;
  open_smqos(&bench, 12, 2);  // 4, 4, 4
  // Nobody is short; both may grow: the fewest, of equals the lowest.
  epoch(&bench, 3 * T, 65536);
  assert_int_equal(n_of(&bench, 0), 3);
  assert_int_equal(n_of(&bench, 1), 5);
  epoch(&bench, T, 1);
  epoch(&bench, T, 65536);  // an SM more brought slot 1 nothing: upper
  assert_true(upper_of(&bench, 1));
  // Behind: slot 1 is furthest above opt.
  epoch(&bench, 0, 65536);
  epoch(&bench, 0, 65536);
  epoch(&bench, 0, 65536);
  assert_int_equal(n_of(&bench, 0), 6);
  assert_int_equal(n_of(&bench, 1), 3);
  assert_int_equal(n_of(&bench, 2), 3);
  clear_history(&bench, 0);
  for (uint32_t i = 0; i < 3; i++) epoch(&bench, T, 60000);  // both miss it
  assert_int_equal(opt_of(&bench, 1), 4);
  assert_int_equal(opt_of(&bench, 2), 4);
  epoch(&bench, 3 * T, 60000);  // both are short: of equals the lowest
  assert_int_equal(bench.cases[REF_GIVES_SHORT], 1);
  assert_int_equal(n_of(&bench, 1), 4);
  epoch(&bench, T + 1, 60000);  // the one that is short now
  assert_int_equal(bench.cases[REF_GIVES_SHORT], 2);
  assert_int_equal(n_of(&bench, 2), 4);
  bench_close(&bench);

  open_smqos(&bench, 8, 1);
  move_and_judge(&bench, false, 65536, 65536);  // 3, 5; opt 4, upper
  epoch(&bench, T + 1, 65536);                  // gives: free, and slot 1 loses one, to learn lower
  run_to(&bench, bench.cycle + 10);
  assert_int_equal(bench.cases[REF_GIVES_FREE_TWO], 1);
  assert_int_equal(n_of(&bench, 0), 2);
  assert_int_equal(n_of(&bench, 1), 4);
  assert_int_equal(count_usage(&bench, QSM_USE_FREE), 2);
  epoch(&bench, T, 1);
  epoch(&bench, T, 65536);  // sm_last was 5, opt is 4: nothing learned
  assert_false(lower_of(&bench, 1));
  epoch(&bench, T + 1, 65536);
  epoch(&bench, T, 1);
  epoch(&bench, T, 60000);  // from 4 to 3: less
  assert_true(lower_of(&bench, 1));
  run_to(&bench, bench.cycle + 10);
  assert_int_equal(n_of(&bench, 0), 1);
  assert_int_equal(n_of(&bench, 1), 3);
  assert_int_equal(count_usage(&bench, QSM_USE_FREE), 4);
  epoch(&bench, 9 * T, 65536);  // its last one it keeps
  assert_int_equal(n_of(&bench, 0), 1);
  assert_int_equal(bench.cases[REF_GIVES_LAST], 1);
  bench_close(&bench);
}

static void two_kernels_with_goals_move_one_batch_sm_in_an_epoch_at_most(void **state) {
  (void)state;
  struct bench bench;
  open_scheme(&bench, 12, 4, QSM_SCHEME_SMQOS);
  arrive(&bench, 0, true, 1 << 16);
  arrive(&bench, 1, true, 1 << 16);
  arrive(&bench, 2, false, 0);
  arrive(&bench, 3, false, 0);
  run_epoch(&bench, (uint64_t[]){0, 0, 0, 0});
  run_epoch(&bench, (uint64_t[]){T - 1, T - 1, 500, 500});
  assert_int_equal(n_of(&bench, 0), 4);
  assert_int_equal(n_of(&bench, 1), 3);  // nobody is left to take from
  assert_int_equal(n_of(&bench, 2), 2);
  assert_int_equal(n_of(&bench, 3), 3);
  assert_int_equal(bench.cases[REF_NEEDS_NOBODY], 1);
  clear_history(&bench, 0);
  clear_history(&bench, 1);
  for (uint32_t i = 0; i < 3; i++) run_epoch(&bench, (uint64_t[]){T, T, 500, 500});
  run_epoch(&bench, (uint64_t[]){3 * T, 3 * T, 500, 500});
  assert_int_equal(bench.cases[REF_GIVES_MOVED], 1);
  assert_int_equal(n_of(&bench, 0), 3);
  assert_int_equal(n_of(&bench, 1), 2);
  run_to(&bench, bench.cycle + 10);
  assert_int_equal(count_usage(&bench, QSM_USE_FREE), 1);
  bench_close(&bench);
}

// ---- Spart (R-SG-9) ----

static void open_spart(struct bench *bench, uint32_t n_sms, uint32_t n_ls, uint32_t n_others,
                       uint32_t goal) {
  open_scheme(bench, n_sms, n_ls + n_others, QSM_SCHEME_SPART);
  for (uint32_t k = 0; k < n_ls + n_others; k++) arrive(bench, k, k < n_ls, goal);
  bench->ctrl.regs.sm_step = 4;
  run_epoch(bench, (uint64_t[QSM_MAX_KERNELS]){0});
}

static void spart_rounds_up_exactly(void **state) {
  (void)state;
  // 8 SMs, 4 each. Slot 0 wants 2,000 instructions: with i of them on 4 SMs it needs 8,000 / i.
  static const struct {
    uint32_t goal, insn, n;
  } rows[] = {{65536, 2000, 4}, {65536, 1999, 5},   {65536, 2001, 4}, {65536, 2667, 3},
              {65536, 2666, 4}, {65536, 1600, 5},   {65536, 1599, 6}, {65536, 4000, 2},
              {65536, 8000, 1}, {65536, 9000, 1},   {65536, 1, 7},    {65536, 0, 4},
              {65537, 2000, 5}, {65535, 2000, 4},   {32768, 1000, 4}, {32769, 1000, 5},
              {0, 1000, 1},     {UINT32_MAX, 1, 7}, {65536, 7999, 2}, {65536, 1143, 7}};
  for (uint32_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
    struct bench bench;
    open_spart(&bench, 8, 1, 1, rows[row].goal);
    run_epoch(&bench, (uint64_t[]){rows[row].insn, 100});
    assert_int_equal(n_of(&bench, 0), rows[row].n);
    assert_int_equal(n_of(&bench, 1), 8 - rows[row].n);
    bench_close(&bench);
  }
}

static void spart_moves_by_at_most_its_step(void **state) {
  (void)state;
  for (uint32_t step = 1; step <= 4; step++) {
    struct bench bench;
    open_spart(&bench, 20, 1, 2, 1 << 16);  // 7, 7, 6
    bench.ctrl.regs.sm_step = step;
    run_epoch(&bench, (uint64_t[]){1, 100, 100});
    assert_int_equal(n_of(&bench, 0), 7 + step);
    run_epoch(&bench, (uint64_t[]){1000000, 100, 100});
    assert_int_equal(n_of(&bench, 0), 7);
    run_epoch(&bench, (uint64_t[]){1000000, 100, 100});
    assert_int_equal(n_of(&bench, 0), 7 - step);
    bench_close(&bench);
  }
}

static void spart_serves_goals_that_exceed_the_sms_in_slot_order(void **state) {
  (void)state;
  struct bench bench;
  open_spart(&bench, 12, 3, 2, 100 << 16);  // 3, 3, 2, 2, 2
  assert_int_equal(n_of(&bench, 3), 2);
  for (uint32_t i = 0; i < 4; i++) run_epoch(&bench, (uint64_t[]){10, 10, 10, 10, 10});
  assert_int_equal(n_of(&bench, 0), 8);
  for (uint32_t k = 1; k < 5; k++) assert_int_equal(n_of(&bench, k), 1);
  assert_true(bench.cases[REF_SPART_YIELDS] > 0);
  // The first needs less: the second gets it.
  for (uint32_t i = 0; i < 4; i++) run_epoch(&bench, (uint64_t[]){UINT32_MAX, 10, 10, 10, 10});
  assert_int_equal(n_of(&bench, 0), 1);
  assert_int_equal(n_of(&bench, 1), 8);
  bench_close(&bench);
}

static void spart_leaves_the_rest_over_without_others(void **state) {
  (void)state;
  struct bench bench;
  open_spart(&bench, 8, 2, 0, 1 << 16);
  run_epoch(&bench, (uint64_t[]){2 * T, T});
  run_to(&bench, bench.cycle + 10);
  assert_int_equal(n_of(&bench, 0), 2);
  assert_int_equal(n_of(&bench, 1), 4);
  assert_int_equal(count_usage(&bench, QSM_USE_FREE), 2);
  bench_close(&bench);
}

// ---- Plans (R-SG-10) ----

static void expect_request(const struct bench *bench, uint32_t n, uint32_t sm, uint32_t usage,
                           uint32_t owner) {
  const struct noted_request *got = request(bench, n);
  assert_int_equal(got->sm, sm);
  assert_int_equal(got->usage, usage);
  assert_int_equal(got->owner, owner);
  if (n > 0) assert_true(got->cycle > request(bench, n - 1)->cycle);
}

static void the_first_plan_hands_out_shared_sms_upwards(void **state) {
  (void)state;
  struct bench bench;
  open_scheme(&bench, 4, 2, QSM_SCHEME_SM_STATIC);
  arrive(&bench, 0, false, 0);
  arrive(&bench, 1, false, 0);
  bench.ctrl.regs.sm_count[0] = 1;
  bench.ctrl.regs.sm_count[1] = 2;
  settle(&bench);
  assert_int_equal(bench.n_requests, 4);
  expect_request(&bench, 0, 0, QSM_USE_OWNED, 0);
  expect_request(&bench, 1, 1, QSM_USE_OWNED, 1);
  expect_request(&bench, 2, 2, QSM_USE_OWNED, 1);
  expect_request(&bench, 3, 3, QSM_USE_FREE, 0);  // what nobody asks for
  bench_close(&bench);
}

static void a_plan_takes_free_sms_that_are_on_then_gated_ones_then_of_who_has_too_many(
    void **state) {
  (void)state;
  struct bench bench;
  open_scheme(&bench, 8, 3, QSM_SCHEME_SM_STATIC);
  for (uint32_t k = 0; k < 3; k++) arrive(&bench, k, false, 0);
  bench.ctrl.regs.sm_count[0] = 1;
  bench.ctrl.regs.sm_count[1] = 1;
  bench.ctrl.regs.sm_count[2] = 3;
  settle(&bench);  // 0 | 1 | 2 3 4 | free 5 6 7
  bench.usage[5].power = QSM_POWER_OFF;
  uint32_t first = bench.n_requests;
  bench.ctrl.regs.sm_count[1] = 3;
  bench.ctrl.regs.sm_count[0] = 4;
  bench.ctrl.regs.sm_count[2] = 1;
  bench.ctrl.regs.shared.qos_mask = 1;  // a change
  settle(&bench);
  expect_request(&bench, first + 0, 6, QSM_USE_OWNED, 0);  // on
  expect_request(&bench, first + 1, 7, QSM_USE_OWNED, 0);
  expect_request(&bench, first + 2, 5, QSM_USE_OWNED, 0);  // gated
  expect_request(&bench, first + 3, 4, QSM_USE_OWNED, 1);  // the highest of who has too many
  expect_request(&bench, first + 4, 3, QSM_USE_OWNED, 1);
  assert_int_equal(bench.n_requests, first + 5);
  bench.ctrl.regs.sm_count[0] = 2;
  bench.ctrl.regs.sm_count[1] = 2;
  bench.ctrl.regs.shared.qos_mask = 2;
  settle(&bench);
  expect_request(&bench, first + 5, 7, QSM_USE_FREE, 0);  // the highest of the lowest slot
  expect_request(&bench, first + 6, 6, QSM_USE_FREE, 0);
  expect_request(&bench, first + 7, 4, QSM_USE_FREE, 0);
  assert_int_equal(bench.n_requests, first + 8);
  bench.ctrl.regs.scheme = QSM_SCHEME_NONE;
  settle(&bench);
  for (uint32_t i = 0; i < 8; i++) expect_request(&bench, first + 8 + i, i, QSM_USE_SHARED, 0);
  assert_int_equal(bench.n_requests, first + 16);
  bench_close(&bench);
}

// R-SG-2: R-SO-10 would take back what the plan gives.
static void a_change_ends_a_plan(void **state) {
  (void)state;
  struct bench bench;
  open_scheme(&bench, 8, 2, QSM_SCHEME_SPART);
  arrive(&bench, 0, false, 0);
  arrive(&bench, 1, true, 1 << 16);
  while (!is_planning(&bench)) run_cycle(&bench);
  run_to(&bench, bench.cycle + 2);
  leave(&bench, 1);
  run_cycle(&bench);
  assert_true(is_splitting(&bench) && !is_planning(&bench));
  settle(&bench);
  assert_int_equal(have(&bench, 0), 8);
  bench_close(&bench);
}

// R-SG-2 against R-SG-7
static void a_drain_that_never_ends_bars_decisions_and_not_changes(void **state) {
  (void)state;
  struct bench bench;
  open_smqos(&bench, 8, 1);
  bench.move_cycles = FOR_EVER;
  epoch(&bench, T - 1, 100);
  uint32_t plans = bench.n_plans;
  for (uint32_t i = 0; i < 3; i++) epoch(&bench, 0, 100);
  assert_int_equal(bench.n_plans, plans);
  leave(&bench, 1);
  run_to(&bench, bench.cycle + 60);
  assert_int_equal(bench.n_plans, plans + 1);
  assert_int_equal(have(&bench, 0), 8);
  bench_close(&bench);
}

static void a_slot_that_falls_idle_at_e_bars_the_decision_of_that_epoch(void **state) {
  (void)state;
  struct bench bench;
  open_smqos(&bench, 8, 2);
  uint64_t insn[3] = {0, 100, 100};
  memcpy(bench.epoch_insn, insn, sizeof insn);
  run_to(&bench, bench.e + T + 1);
  bench.active &= ~4u;  // at the end of E
  run_to(&bench, bench.d + 1);
  assert_false(is_planning(&bench));
  assert_int_equal(bench.cases[REF_BARRED_KNOWN], 1);
  settle(&bench);
  assert_int_equal(have(&bench, 0), 4);
  bench_close(&bench);
}

// ---- Control and lockstep ----

static void nothing_happens_where_no_scheme_of_whole_sms_runs_but_the_records(void **state) {
  (void)state;
  struct bench bench;
  open_scheme(&bench, 4, 4, QSM_SCHEME_ROLLOVER);
  for (uint32_t k = 0; k < 4; k++) arrive(&bench, k, k & 1, 1 << 16);
  assert_true(qsm_sm_mgr_next(bench.mgr, 0) == QSM_NEVER);
  qsm_sm_mgr_end_epoch(bench.mgr, 100, 2000, 15);
  assert_int_equal(qsm_sm_mgr_next(bench.mgr, 100), 100 + qsm_config_sm_lat(&bench.config));
  bench_close(&bench);
}

static void a_flipped_bit_shows_in_the_records_of_a_valid_slot(void **state) {
  (void)state;
  struct bench bench;
  open_scheme(&bench, 4, 4, QSM_SCHEME_NONE);
  char what[80];
  assert_int_equal(qsm_sm_mgr_inject(bench.mgr, 5, what, sizeof what), -1);
  arrive(&bench, 2, true, 1 << 16);
  bool opt = false, lead = false;
  for (uint64_t seed = 0; seed < 200; seed++) {
    uint32_t record = qsm_sm_mgr_record(bench.mgr, 2);
    int64_t ahead = lead_of(&bench, 2);
    assert_int_equal(qsm_sm_mgr_inject(bench.mgr, seed, what, sizeof what), 0);
    assert_non_null(strstr(what, "sm_mgr: bit "));
    assert_non_null(strstr(what, "slot 2"));
    bool opt_now = record != qsm_sm_mgr_record(bench.mgr, 2);
    assert_true(opt_now != (ahead != lead_of(&bench, 2)));
    opt |= opt_now;
    lead |= !opt_now;
  }
  assert_true(opt && lead);
  bench_close(&bench);
}

// ---- At random ----

struct world {
  uint32_t rate[QSM_MAX_KERNELS];  // instructions per SM and epoch
  uint32_t most[QSM_MAX_KERNELS];  // SMs that it can make use of
};

// R-QM-3: the cycle that was run last took a write of a quiet register.
static bool quiet_is_open(const struct bench *bench) {
  uint64_t cycle = bench->cycle - 1;
  return bench->e == 0 || cycle < bench->e || cycle > bench->e + bench->config.qos_lat;
}

static void set_goal(struct bench *bench, const struct world *world, uint64_t *seed, uint32_t k) {
  uint64_t sms = 1 + model_random(seed, bench->config.num_sms);
  uint64_t insn = world->rate[k] * sms;
  bench->ctrl.regs.goal[k] = (uint32_t)((insn << 16) / bench->ctrl.regs.shared.epoch_len);
}

static void random_write(struct bench *bench, struct world *world, uint64_t *seed) {
  struct qsm_regs *regs = &bench->ctrl.regs;
  uint32_t k = model_random(seed, bench->config.num_kernels);
  switch (model_random(seed, 9)) {
    case 0:
      if (is_valid(bench, k)) {
        leave(bench, k);
      } else {
        arrive(bench, k, model_random(seed, 2), 0);
        world->rate[k] = 50 + model_random(seed, 2000);
        world->most[k] = 1 + model_random(seed, bench->config.num_sms);
        set_goal(bench, world, seed, k);
      }
      break;
    case 1:
      if (is_valid(bench, k)) regs->shared.qos_mask ^= 1u << k;
      break;
    case 2: set_goal(bench, world, seed, k); break;
    case 3:
      if (model_random(seed, 3) == 0)
        regs->scheme = model_random(seed, 8) ? QSM_SCHEME_SM_STATIC + model_random(seed, 4)
                                             : model_random(seed, QSM_SCHEME_COUNT);
      break;
    case 4: regs->sm_count[k] = model_random(seed, bench->config.num_sms + 1); break;
    case 5: regs->sm_step = 1 + model_random(seed, 4); break;
    case 6: regs->sm_threshold = model_random(seed, 2) ? 655 : model_random(seed, 65536); break;
    case 7: clear_history(bench, k); break;
    case 8: {
      uint32_t least = qsm_config_epoch_min(&bench->config);
      regs->shared.epoch_len = least + model_random(seed, 2) * model_random(seed, 3000);
      break;
    }
    default: break;
  }
}

// A tenant leaves, and another one comes while nobody looks.
static void replace_tenant(struct bench *bench, uint64_t *seed) {
  uint32_t k = model_random(seed, bench->config.num_kernels);
  if (!is_valid(bench, k)) return;
  leave(bench, k);
  for (uint32_t i = 0; i <= model_random(seed, 4); i++) run_cycle(bench);
  if (quiet_is_open(bench)) arrive(bench, k, model_random(seed, 2), 1000);
}

// The same in a split that begins just before an epoch ends.
static void replace_before_e(struct bench *bench, uint64_t *seed) {
  uint32_t k = model_random(seed, bench->config.num_kernels);
  if (!is_valid(bench, k) || !quiet_is_open(bench)) return;
  bool qos = !(bench->ctrl.regs.shared.qos_mask >> k & 1);
  bench->ctrl.regs.shared.qos_mask ^= 1u << k;
  for (uint32_t i = 0; i < 3; i++) run_cycle(bench);
  leave(bench, k);
  for (uint32_t i = 0; i < 3; i++) run_cycle(bench);
  arrive(bench, k, qos, 1000);
}

static void random_insn(struct bench *bench, const struct world *world, uint64_t *seed) {
  for (uint32_t k = 0; k < bench->config.num_kernels; k++) {
    uint64_t sms = have(bench, k);
    if (sms > world->most[k]) sms = world->most[k];
    uint64_t insn = sms * world->rate[k];
    if (model_random(seed, 3) == 0) insn += model_random(seed, 1 + world->rate[k]);
    if (model_random(seed, 40) == 0) insn = 0;
    if (model_random(seed, 200) == 0) insn = UINT64_C(3) << 30;
    bench->epoch_insn[k] = insn;
    bench->own_insn[k] = insn * model_random(seed, 17) / 16;
    for (uint32_t i = 0; i < bench->config.num_sms; i++) {
      bench->tbs[i][k] = model_random(seed, 4);
      bench->notes->c[i][k] = (int32_t)model_random(seed, 5) - 3;
    }
  }
}

static void random_power(struct bench *bench, uint64_t *seed) {
  uint32_t i = model_random(seed, bench->config.num_sms);
  struct qsm_sm_usage *sm = &bench->usage[i];
  if (!sm->moving && sm->usage == QSM_USE_FREE)
    sm->power = (uint8_t)(model_random(seed, 2) ? QSM_POWER_OFF : QSM_POWER_STOPPING);
}

static void run_at_random(uint64_t *seed, uint64_t *cases, uint32_t n_epochs) {
  struct bench bench;
  struct world world;
  static const uint32_t schemes[] = {
      QSM_SCHEME_SMQOS, QSM_SCHEME_SMQOS,     QSM_SCHEME_SMQOS,       QSM_SCHEME_SMQOS,
      QSM_SCHEME_SPART, QSM_SCHEME_SM_STATIC, QSM_SCHEME_SM_ROLLOVER, QSM_SCHEME_SM_ROLLOVER};
  uint32_t n_sms = 1 + model_random(seed, model_random(seed, 4) ? 16 : QSM_MAX_SMS);
  uint32_t busyness = model_random(seed, 6) % 4, most_moves = 1 + model_random(seed, 3) * 900;
  open_scheme(&bench, n_sms, 1 + model_random(seed, QSM_MAX_KERNELS),
              schemes[model_random(seed, sizeof schemes / sizeof schemes[0])]);
  for (uint32_t k = 0; k < bench.config.num_kernels; k++) {
    world.rate[k] = 50 + model_random(seed, 2000);
    world.most[k] = 1 + model_random(seed, n_sms);
    if (model_random(seed, 3) == 0) continue;
    arrive(&bench, k, model_random(seed, 2), 0);
    if (model_random(seed, 2)) bench.ctrl.regs.sm_count[k] = model_random(seed, n_sms + 1);
    set_goal(&bench, &world, seed, k);
  }
  if (busyness == 0) n_epochs *= 4;  // time to learn
  uint64_t last = bench.d;
  for (uint32_t n = 0; n < n_epochs;) {
    run_cycle(&bench);
    bench.move_cycles = 1 + model_random(seed, most_moves);
    if (bench.d != last) {
      last = bench.d;
      n++;
    }
    if (bench.cycle + 1 == bench.tick_at) {
      random_insn(&bench, &world, seed);
      bench.had_tb = model_random(seed, 8) ? slots_bits(8) : model_random(seed, 256);
    }
    if (model_random(seed, 200) == 0) random_power(&bench, seed);
    if (model_random(seed, 4000) == 0)
      bench.active ^= model_random(seed, 2) << model_random(seed, bench.config.num_kernels);
    if (!quiet_is_open(&bench)) continue;
    if (model_random(seed, 4000) == 0)  // other goals are no change (R-SG-2)
      set_goal(&bench, &world, seed, model_random(seed, bench.config.num_kernels));
    if (busyness == 3 && bench.cycle + 10 == bench.tick_at && model_random(seed, 4) == 0)
      replace_before_e(&bench, seed);
    if (busyness && model_random(seed, 20000 / (busyness * busyness)) == 0)
      random_write(&bench, &world, seed);
    if (busyness == 3 && (is_splitting(&bench) || is_planning(&bench)) &&
        model_random(seed, 60) == 0)
      replace_tenant(&bench, seed);
  }
  for (uint32_t i = 0; i < REF_N_CASES; i++) cases[i] += bench.cases[i];
  bench_close(&bench);
}

static uint32_t first_unmet(const uint64_t *cases) {
  uint32_t i = 0;
  while (i < REF_N_CASES && cases[i]) i++;
  return i;
}

// R-SG-1 to R-SG-17, every case of the tables and every first match.
static void at_random_it_does_what_a_second_implementation_does_in_every_case(void **state) {
  (void)state;
  uint64_t seed = model_seed("test_sm_mgr"), cases[REF_N_CASES] = {0};
  if (model_brief_run()) {
    for (uint32_t i = 0; i < 20; i++) run_at_random(&seed, cases, 80);
    return;
  }
  for (uint32_t i = 0; i < 400 && (i < 80 || first_unmet(cases) < REF_N_CASES); i++)
    run_at_random(&seed, cases, 80);
  if (first_unmet(cases) < REF_N_CASES)
    fail_msg("case %u of enum ref_case was not met", first_unmet(cases));
}

// ---- Both schools together (R-SG-13 to R-SG-17) ----

// Slot 0 with a goal, `n_others` without, the first epochs over: each has its record.
static void open_both(struct bench *bench, uint32_t n_sms, uint32_t n_others, uint32_t goal,
                      uint32_t sm_count) {
  open_scheme(bench, n_sms, 1 + n_others, QSM_SCHEME_SM_ROLLOVER);
  for (uint32_t k = 0; k <= n_others; k++) arrive(bench, k, k == 0, k == 0 ? goal : 0);
  bench->ctrl.regs.sm_count[0] = sm_count;
  run_epoch(bench, (uint64_t[QSM_MAX_KERNELS]){0});
}

// Blocks of slot 0 on all SMs, with this C at the end of each epoch.
static void hold_back(struct bench *bench, int32_t c) {
  for (uint32_t i = 0; i < bench->config.num_sms; i++) {
    bench->tbs[i][0] = 1;
    bench->notes->c[i][0] = c;
  }
}

// R-SG-13: with one SM there is nothing to own, and more kernels than SMs are no hindrance.
static void both_manage_from_two_sms_on_whatever_the_number_of_kernels(void **state) {
  (void)state;
  for (uint32_t n_sms = 1; n_sms <= 4; n_sms++) {
    for (uint32_t n_slots = 1; n_slots <= 6; n_slots++) {
      struct bench bench;
      open_scheme(&bench, n_sms, 6, QSM_SCHEME_SM_ROLLOVER);
      for (uint32_t k = 0; k < n_slots; k++) arrive(&bench, k, false, 0);
      settle(&bench);
      assert_int_equal(is_managed(&bench), n_sms >= 2);
      assert_int_equal(count_usage(&bench, QSM_USE_SHARED), 1);
      for (uint32_t k = 0; k < n_slots; k++) {
        uint32_t n = (n_sms - 1) / n_slots + (k < (n_sms - 1) % n_slots);
        assert_int_equal(n_of(&bench, k), n);
        assert_int_equal(have(&bench, k), n);
        assert_int_equal(opt_of(&bench, k), n);
      }
      bench_close(&bench);
    }
  }
}

static void check_split_of_both(const struct split_row *row, uint32_t qos) {
  struct bench bench;
  uint32_t sum = open_split(&bench, row, QSM_SCHEME_SM_ROLLOVER, qos);
  assert_int_equal(count_usage(&bench, QSM_USE_SHARED), 1);
  assert_int_equal(count_usage(&bench, QSM_USE_FREE), row->n_sms - 1 - sum);
  bench_close(&bench);
}

// R-SG-14.
static void a_split_of_both_keeps_an_sm_for_all_and_follows_the_registers(void **state) {
  (void)state;
  static const struct split_row rows[] = {
      {9, {3, 2, 1, 2}, {3, 2, 1, 2}},
      {9, {5, 2, 0, 0}, {5, 2, 1, 0}},  // nobody has a claim to one
      {9, {8, 8, 0, 0}, {8, 0, 0, 0}},
      {9, {9, 0, 0, 0}, {8, 0, 0, 0}},
      {9, {0, 0, 0, 0}, {2, 2, 2, 2}},
      {10, {0, 0, 0, 0}, {3, 2, 2, 2}},
      {9, {0, 6, 0, 6}, {0, 6, 0, 2}},  // those that ask come first
      {9, {1, 1, 1, 1}, {1, 1, 1, 1}},  // the rest is free
      {2, {0, 0, 0, 0}, {1, 0, 0, 0}},
      {2, {0, 0, 3, 0}, {0, 0, 1, 0}},
  };
  static const struct split_row goals_on_1_and_3[] = {
      {9, {0, 0, 0, 0}, {0, 4, 0, 4}},   // they begin with all
      {10, {0, 0, 0, 0}, {0, 5, 0, 4}},  //
      {9, {3, 0, 0, 0}, {3, 3, 0, 2}},   // that nobody asks for
      {9, {0, 2, 0, 0}, {0, 2, 0, 6}},   //
      {9, {0, 2, 0, 3}, {2, 2, 1, 3}},   // both say how many: the others share
      {9, {5, 5, 0, 0}, {5, 3, 0, 0}},
  };
  for (uint32_t row = 0; row < sizeof rows / sizeof rows[0]; row++)
    check_split_of_both(&rows[row], 0);
  for (uint32_t row = 0; row < sizeof goals_on_1_and_3 / sizeof goals_on_1_and_3[0]; row++)
    check_split_of_both(&goals_on_1_and_3[row], 0xa);
}

// R-SG-16: 2,000 instructions are the goal of an epoch (T = 2000, GOAL = 1.0), slot 0 has 4 of 8,
// and has issued `before` in the first epoch that counts, on the shared SM.
static void both_move_an_sm_where_the_table_says_and_nowhere_else(void **state) {
  (void)state;
  static const struct {
    uint32_t before, insn, own, n;
    int32_t c;
  } rows[] = {
      {2000, 1999, 1999, 5, 1},   // behind, and its quota is not spent
      {2000, 1999, 1999, 4, 0},   // its quota held it back
      {2000, 1999, 1999, 4, -7},  //
      {2000, 2000, 2000, 4, 1},   // not behind; its own SMs are just at the goal
      {5000, 2285, 2285, 4, 1},   // 2 * 4 * 285 = 2280 < 2285
      {5000, 2286, 2286, 3, 1},   // 2 * 4 * 286 = 2288 >= 2286: half an SM's part
      {5000, 2286, 2286, 3, -7},  // a spent quota has no say in this
      {3714, 2286, 2286, 4, 1},   // an epoch ahead, and no more
      {3715, 2286, 2286, 3, 1},
      {2000, 9000, 2285, 4, 1},  // what the shared one gives does not
                                 // count
      {2000, 9000, 1000, 4, 1},
      {2000, 9000, 0, 4, 1},
      {2000, 9000, 9000, 3, 1},
  };
  for (uint32_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
    struct bench bench;
    open_both(&bench, 9, 1, 1 << 16, 4);
    assert_int_equal(n_of(&bench, 0), 4);
    hold_back(&bench, rows[row].c);
    run_epoch(&bench, (uint64_t[]){rows[row].before, 100});
    assert_int_equal(n_of(&bench, 0), 4);
    bench.own_insn[0] = rows[row].own;
    run_epoch(&bench, (uint64_t[]){rows[row].insn, 100});
    assert_int_equal(n_of(&bench, 0), rows[row].n);
    assert_int_equal(n_of(&bench, 1), 8 - rows[row].n);  // the rest, with one for all
    bench_close(&bench);
  }
}

// R-SG-15: only the SM that is shared says that it was held back, if it has blocks there.
static void who_has_no_blocks_on_a_shared_sm_was_not_held_back(void **state) {
  (void)state;
  for (uint32_t there = 0; there < 2; there++) {
    struct bench bench;
    open_both(&bench, 9, 1, 1 << 16, 4);
    hold_back(&bench, -1);
    for (uint32_t i = 0; i < 9; i++)
      if (bench.usage[i].usage == QSM_USE_SHARED) bench.tbs[i][0] = there;
    run_epoch(&bench, (uint64_t[]){1000, 100});
    assert_int_equal(n_of(&bench, 0), there ? 4 : 5);
    bench_close(&bench);
  }
}

// R-SG-16: behind over all, but ahead in this epoch; ahead over all, but behind in this one.
static void both_look_at_the_lead_and_at_the_epoch(void **state) {
  (void)state;
  struct bench bench;
  open_both(&bench, 9, 1, 1 << 16, 4);
  hold_back(&bench, -1);
  run_epoch(&bench, (uint64_t[]){100, 100});
  run_epoch(&bench, (uint64_t[]){100, 100});
  hold_back(&bench, 1);
  bench.own_insn[0] = 3000;
  for (uint32_t i = 0; i < 5; i++) {  // from -3,800 to 1,200
    run_epoch(&bench, (uint64_t[]){3000, 100});
    assert_true(lead_of(&bench, 0) < 2000 << 16);
    assert_int_equal(n_of(&bench, 0), 4);  // neither more nor less
  }
  run_epoch(&bench, (uint64_t[]){3000, 100});
  assert_true(lead_of(&bench, 0) > 2000 << 16);
  assert_int_equal(n_of(&bench, 0), 3);
  run_epoch(&bench, (uint64_t[]){3000, 100});  // the move is under way in this one
  run_epoch(&bench, (uint64_t[]){3000, 100});
  assert_int_equal(n_of(&bench, 0), 2);
  run_epoch(&bench, (uint64_t[]){3000, 100});
  bench.own_insn[0] = 1500;
  run_epoch(&bench, (uint64_t[]){1500, 100});  // behind in it, with a lead
  assert_true(lead_of(&bench, 0) >= 0);
  assert_int_equal(n_of(&bench, 0), 2);
  bench_close(&bench);
}

// R-SG-16: the last SM goes too, and the goals take turns at what there is.
static void a_kernel_may_be_left_the_shared_sm_alone(void **state) {
  (void)state;
  struct bench bench;
  open_both(&bench, 4, 1, 1 << 16, 1);
  hold_back(&bench, 1);
  run_epoch(&bench, (uint64_t[]){4000, 100});
  bench.own_insn[0] = 4000;  // 2 * 1 * (4000 - 2000) >= 4000
  run_epoch(&bench, (uint64_t[]){4000, 100});
  assert_int_equal(n_of(&bench, 0), 0);
  assert_int_equal(n_of(&bench, 1), 3);
  bench.own_insn[0] = 0;
  run_epoch(&bench, (uint64_t[]){2000, 100});
  run_epoch(&bench, (uint64_t[]){2000, 100});
  assert_int_equal(n_of(&bench, 0), 0);
  for (uint32_t i = 0; i < 24; i++) run_epoch(&bench, (uint64_t[]){10, 100});
  assert_int_equal(n_of(&bench, 0), 3);  // never the shared one
  assert_int_equal(n_of(&bench, 1), 0);
  assert_int_equal(count_usage(&bench, QSM_USE_SHARED), 1);
  assert_true(bench.cases[REF_BESIDE_AT_MOST] > 0);
  bench_close(&bench);
}

// R-SG-16: an epoch in which an SM has moved decides nothing, even if none moves at its end.
static void both_wait_for_an_epoch_without_a_move(void **state) {
  (void)state;
  struct bench bench;
  open_both(&bench, 9, 1, 1 << 16, 2);
  hold_back(&bench, 1);
  for (uint32_t i = 0; i < 3; i++) {
    run_epoch(&bench, (uint64_t[]){1000, 100});
    assert_int_equal(n_of(&bench, 0), 3 + i);
    run_epoch(&bench, (uint64_t[]){1000, 100});
    assert_int_equal(n_of(&bench, 0), 3 + i);
  }
  assert_true(bench.cases[REF_BARRED_MOVED] >= 3);
  bench_close(&bench);
}

// R-SG-17: from a scheme that owns every SM.
static void a_plan_of_both_shares_an_sm_again(void **state) {
  (void)state;
  struct bench bench;
  open_scheme(&bench, 4, 2, QSM_SCHEME_SMQOS);
  arrive(&bench, 0, true, 1 << 16);
  settle(&bench);
  assert_int_equal(have(&bench, 0), 4);
  uint32_t n = bench.n_requests;
  bench.ctrl.regs.scheme = QSM_SCHEME_SM_ROLLOVER;
  settle(&bench);
  assert_int_equal(bench.n_requests, n + 2);
  expect_request(&bench, n, 3, QSM_USE_FREE, 0);
  expect_request(&bench, n + 1, 3, QSM_USE_SHARED, 0);
  assert_int_equal(have(&bench, 0), 3);
  // A tenant takes its place: SMs change hands, and the shared one stays.
  leave(&bench, 0);
  arrive(&bench, 1, true, 1 << 16);
  n = bench.n_requests;
  settle(&bench);
  assert_int_equal(have(&bench, 1), 3);
  assert_int_equal(count_usage(&bench, QSM_USE_SHARED), 1);
  bench_close(&bench);
}

// ---- In the whole model ----

enum { WHOLE_EPOCH = 1000, WHOLE_CYCLES = 40000 };

struct whole {
  struct qsm_config config;
  struct qsm_model *model;
};

// Slot 0 with a goal, slots 1 and 2 without, on four SMs, under a scheme of whole SMs.
static void open_whole(struct whole *whole, uint32_t scheme) {
  char msg[256];
  whole->config = model_demo();
  whole->config.power_gating = 1;
  if (qsm_model_create(&whole->config, &whole->model, msg, sizeof msg) != 0) fail_msg("%s", msg);
  struct qsm_model *model = whole->model;
  qsm_model_enable_hash(model);
  port_write(model, QSM_REG_EPOCH_LEN, WHOLE_EPOCH);
  port_write(model, QSM_REG_SM_GATING, 1);
  port_write(model, QSM_REG_WAKE_LAT, 40);
  port_write(model, QSM_REG_SCHEME, scheme);
  for (uint32_t k = 0; k < 3; k++)
    program_load(model, &whole->config, k, k == 0 ? 3 : 1, k == 1 ? PROGRAM_COUNT : PROGRAM_SPIN,
                 200, 400, 16);
  port_write(model, slot_register(0, QSM_SLOT_GOAL), 6 << 16);
  port_write(model, slot_register(2, QSM_SLOT_SM_COUNT), 1);
  for (uint32_t k = 0; k < 3; k++) program_launch(model, k);
}

static uint32_t count_owned(const struct whole *whole, uint32_t k) {
  uint32_t n = 0, word;
  for (uint32_t i = 0; i < whole->config.num_sms; i++) {
    assert_true(qsm_model_state(whole->model, QSM_STATE_OWNER, i, 0, 0, 0, &word));
    n += !(word >> 6 & 1) && (word & 3) == QSM_USE_OWNED && (word >> 2 & 15) == k;
  }
  return n;
}

// Skipped cycles are those in which nothing happens, whatever the window.
static void the_whole_model_moves_sms_alike_in_windows_of_any_length(void **state) {
  (void)state;
  for (uint32_t scheme = QSM_SCHEME_SM_STATIC; scheme <= QSM_SCHEME_SM_ROLLOVER; scheme++) {
    static const uint32_t windows[] = {WHOLE_CYCLES, 1, 7};
    uint64_t hash = 0;
    for (uint32_t w = 0; w < sizeof windows / sizeof windows[0]; w++) {
      struct whole whole;
      open_whole(&whole, scheme);
      uint64_t end = qsm_model_cycle(whole.model) + WHOLE_CYCLES;
      while (qsm_model_cycle(whole.model) < end) {
        uint64_t left = end - qsm_model_cycle(whole.model);
        qsm_model_run(whole.model, left < windows[w] ? left : windows[w], false);
      }
      if (w == 0) hash = qsm_model_hash(whole.model);
      assert_true(qsm_model_hash(whole.model) == hash);
      qsm_model_destroy(whole.model);
    }
  }
}

static void the_whole_model_gives_each_kernel_its_sms_and_takes_them_back(void **state) {
  (void)state;
  for (uint32_t scheme = QSM_SCHEME_SM_STATIC; scheme <= QSM_SCHEME_SM_ROLLOVER; scheme++) {
    struct whole whole;
    open_whole(&whole, scheme);
    qsm_model_run(whole.model, 9 * WHOLE_EPOCH, false);
    for (uint32_t k = 0; k < 3; k++) {
      uint32_t record = port_read(whole.model, slot_register(k, QSM_SLOT_SM_RECORD));
      uint32_t least =
          scheme == QSM_SCHEME_SM_ROLLOVER && k != 0 ? 0 : 1;  // the shared one is left
      assert_true((record & QSM_SLOT_SM_RECORD_COUNT_MASK) >= least);
      assert_true(count_owned(&whole, k) >= least);
    }
    if (scheme == QSM_SCHEME_SM_STATIC) assert_int_equal(count_owned(&whole, 2), 1);
    assert_int_not_equal(qsm_model_write(whole.model, QSM_REG_SM_MOVE, 0), 0);  // the manager's
    uint32_t tries = 0;
    while (qsm_model_write(whole.model, QSM_REG_SCHEME, QSM_SCHEME_NONE) != 0)
      assert_true(tries++ < 1000);
    assert_int_not_equal(qsm_model_write(whole.model, QSM_REG_SM_MOVE, 0), 0);  // to give back
    qsm_model_run(whole.model, 60, false);
    qsm_model_run(whole.model, 20000, false);
    for (uint32_t k = 0; k < 4; k++) assert_int_equal(count_owned(&whole, k), 0);
    uint32_t n_moved = scheme == QSM_SCHEME_SM_ROLLOVER ? 3 : 4;  // one stays shared
    assert_true(port_read(whole.model, QSM_REG_MOVES) >= 2 * n_moved);
    port_write(whole.model, QSM_REG_SM_MOVE, 0);
    qsm_model_destroy(whole.model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_split_gives_everybody_an_equal_part_and_the_rest_to_goals_first),
      cmocka_unit_test(a_static_split_follows_the_registers_and_keeps_one_for_everybody),
      cmocka_unit_test(a_split_takes_its_time_and_reads_each_count_in_its_cycle),
      cmocka_unit_test(a_change_in_mid_run_splits_anew_and_forgets_what_was_learned),
      cmocka_unit_test(with_more_kernels_than_sms_they_are_given_back_and_shared),
      cmocka_unit_test(one_sm_is_owned_by_one_kernel_and_shared_by_two),
      cmocka_unit_test(a_new_tenant_gets_a_split_of_its_own),
      cmocka_unit_test(a_tenant_that_comes_in_a_split_gets_its_own_number),
      cmocka_unit_test(records_are_kept_in_every_scheme_from_the_epoch_after_the_first_block),
      cmocka_unit_test(the_goal_of_an_epoch_is_that_of_its_length_and_of_the_register_at_its_end),
      cmocka_unit_test(counts_are_clipped_and_the_lead_wraps),
      cmocka_unit_test(algorithm_2_learns_as_its_table_says_at_exactly_the_threshold),
      cmocka_unit_test(opt_is_frozen_once_both_bounds_are_known),
      cmocka_unit_test(a_move_of_several_epochs_is_judged_by_the_first_whole_one_after_it),
      cmocka_unit_test(a_kernel_that_is_behind_takes_an_sm_that_is_being_learned_from),
      cmocka_unit_test(equality_moves_nothing),
      cmocka_unit_test(a_kernel_in_need_takes_free_sms_first_then_of_who_is_furthest_above_opt),
      cmocka_unit_test(what_a_kernel_gives_goes_to_who_is_short_then_to_who_may_grow_then_is_free),
      cmocka_unit_test(two_kernels_with_goals_move_one_batch_sm_in_an_epoch_at_most),
      cmocka_unit_test(spart_rounds_up_exactly),
      cmocka_unit_test(spart_moves_by_at_most_its_step),
      cmocka_unit_test(spart_serves_goals_that_exceed_the_sms_in_slot_order),
      cmocka_unit_test(spart_leaves_the_rest_over_without_others),
      cmocka_unit_test(the_first_plan_hands_out_shared_sms_upwards),
      cmocka_unit_test(a_plan_takes_free_sms_that_are_on_then_gated_ones_then_of_who_has_too_many),
      cmocka_unit_test(a_change_ends_a_plan),
      cmocka_unit_test(a_drain_that_never_ends_bars_decisions_and_not_changes),
      cmocka_unit_test(a_slot_that_falls_idle_at_e_bars_the_decision_of_that_epoch),
      cmocka_unit_test(nothing_happens_where_no_scheme_of_whole_sms_runs_but_the_records),
      cmocka_unit_test(a_flipped_bit_shows_in_the_records_of_a_valid_slot),
      cmocka_unit_test(both_manage_from_two_sms_on_whatever_the_number_of_kernels),
      cmocka_unit_test(a_split_of_both_keeps_an_sm_for_all_and_follows_the_registers),
      cmocka_unit_test(both_move_an_sm_where_the_table_says_and_nowhere_else),
      cmocka_unit_test(who_has_no_blocks_on_a_shared_sm_was_not_held_back),
      cmocka_unit_test(both_look_at_the_lead_and_at_the_epoch),
      cmocka_unit_test(a_kernel_may_be_left_the_shared_sm_alone),
      cmocka_unit_test(both_wait_for_an_epoch_without_a_move),
      cmocka_unit_test(a_plan_of_both_shares_an_sm_again),
      cmocka_unit_test(the_whole_model_moves_sms_alike_in_windows_of_any_length),
      cmocka_unit_test(the_whole_model_gives_each_kernel_its_sms_and_takes_them_back),
      cmocka_unit_test(at_random_it_does_what_a_second_implementation_does_in_every_case),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

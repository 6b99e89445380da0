// SPDX-License-Identifier: Apache-2.0
// Quota gate and counters (enhanced warp scheduler): docs/quota_gate.md, docs/schemes.md,
// docs/guarantee.md.
#include "qsm_quota.h"

#include <string.h>

#include "qsm_sm_blocks.h"

enum { WELL_BEHIND = 4 };  // instalments (R-PA-7)

void qsm_quota_reset(struct qsm_quota *q, uint32_t n_kernels) {
  struct qsm_quota anew = {.open = (1u << n_kernels) - 1, .timed_start_at = QSM_NEVER};
  memcpy(anew.total, q->total, sizeof anew.total);
  *q = anew;
}

void qsm_quota_take_word(struct qsm_quota *q, const struct qsm_sm_msg *msg) {
  uint32_t k = msg->kernel;
  q->shadow_has |= 1u << k;
  q->shadow_quota[k] = msg->quota;
  q->shadow_credit[k] = msg->credit;
}

static uint32_t loads(const struct qsm_quota *q) { return q->to_load | q->fresh; }

static bool held(const struct qsm_sm *sm) {
  return qsm_quota_held(&sm->quota, sm->shared->qos_mask);
}

// R-QC-5, R-SC-3: kernels due for a refill, by the registers as they are.
static uint32_t refills(const struct qsm_sm *sm) {
  const struct qsm_quota *q = &sm->quota;
  if (!held(sm) || q->to_load) return 0;
  if (q->scheme == QSM_SCHEME_ELASTIC || q->scheme == QSM_SCHEME_PACE) return 0;
  uint32_t runnable = sm->launch.runnable, waiting = q->to_refill & runnable;
  if (waiting) return waiting;
  if (q->issued || (runnable & q->positive)) return 0;
  return qsm_scheme_holds_all(q->scheme) ? runnable : runnable & ~sm->shared->qos_mask;
}

// R-SC-6 under scheme elastic, but for the load message and dcnt.
static bool may_start_early(const struct qsm_sm *sm) {
  const struct qsm_quota *q = &sm->quota;
  uint32_t runnable = sm->launch.runnable;
  return held(sm) && !loads(q) && !q->issued && runnable && !(runnable & q->positive);
}

bool qsm_quota_busy(const struct qsm_sm *sm) {
  const struct qsm_quota *q = &sm->quota;
  if (loads(q) | q->to_refill | q->to_pace | q->to_judge) return true;
  return q->scheme == QSM_SCHEME_ELASTIC ? may_start_early(sm) : refills(sm) != 0;
}

uint32_t qsm_quota_dcnt(const struct qsm_sm *sm, uint64_t cycle) {
  return sm->quota.scheme == QSM_SCHEME_ELASTIC ? (uint32_t)(sm->quota.timed_start_at - cycle) : 0;
}

static void flip_gate(struct qsm_sm *sm, uint32_t kernel, uint64_t from) {
  bool open = qsm_quota_is_open(&sm->quota, kernel);
  for (uint32_t i = 0; i < sm->n_subs; i++) qsm_subcore_set_gate(sm->sub[i], kernel, open, from);
}

static void wake_subs(struct qsm_sm *sm, uint64_t from) {
  for (uint32_t i = 0; i < sm->n_subs; i++) qsm_subcore_wake(sm->sub[i], from);
}

// Whether a group counts (R-QW-2) can change without a change of the gate: the gate of a kernel
// that loads is closed in any case.
static void throttle_groups(struct qsm_sm *sm, uint32_t kernels, uint64_t from) {
  sm->quota.throttled = kernels;
  if (qsm_policy_has_groups(sm->shared->policy)) wake_subs(sm, from);
}

static uint32_t late_kernels(const struct qsm_sm *sm) {
  const struct qsm_quota *q = &sm->quota;
  if (!held(sm) || q->scheme != QSM_SCHEME_PACE) return 0;
  return q->qos_mask & sm->launch.runnable & q->positive & q->behind;
}

// R-PA-18: a block is taken off this SM.
static bool saves(const struct qsm_sm *sm) {
  return sm->save.op == QSM_TB_SAVE || sm->save.op == QSM_TB_FLUSH;
}

// Who may issue while kernels are held, but for those that have spent their quotas: R-SC-2, R-PA-8.
static uint32_t favoured(const struct qsm_sm *sm, uint32_t late, uint32_t all) {
  const struct qsm_quota *q = &sm->quota;
  if (q->scheme == QSM_SCHEME_ROLLOVER_TIME && (q->qos_mask & sm->launch.runnable & q->positive))
    return q->qos_mask;
  if (late & q->tight) return late;
  return q->scheme == QSM_SCHEME_PACE && saves(sm) ? q->qos_mask : all;
}

// R-PA-19.
static uint32_t without_a_share(const struct qsm_sm *sm) {
  const struct qsm_quota *q = &sm->quota;
  bool limits = held(sm) && q->scheme == QSM_SCHEME_PACE && sm->share.full;
  return limits ? ((1u << sm->n_kernels) - 1) & ~q->qos_mask : 0;
}

// Sub-cores that sleep count what has waited by the gaps that there were.
static void set_gaps(struct qsm_sm *sm, uint32_t gaps, uint32_t keeps_off, uint64_t from) {
  struct qsm_quota *q = &sm->quota;
  uint32_t no_mem = keeps_off | without_a_share(sm);
  if (gaps != q->gaps || no_mem != q->no_mem) wake_subs(sm, from);
  q->gaps = gaps;
  q->keeps_off = keeps_off;
  q->no_mem = no_mem;
}

void qsm_quota_share_changed(struct qsm_sm *sm, uint64_t from) {
  set_gaps(sm, sm->quota.gaps, sm->quota.keeps_off, from);
}

// R-SC-2, R-PA-8, R-PA-15.
void qsm_quota_gate(struct qsm_sm *sm, uint64_t from) {
  struct qsm_quota *q = &sm->quota;
  q->qos_mask = sm->shared->qos_mask;
  uint32_t all = (1u << sm->n_kernels) - 1;
  uint32_t loading = loads(q) & -loads(q);
  uint32_t counted = q->scheme == QSM_SCHEME_PACE ? q->qos_mask : all;  // C means something
  uint32_t spent = held(sm) ? counted & ~q->positive : 0;
  uint32_t late = late_kernels(sm);
  uint32_t open = all & ~spent & ~loading & (held(sm) ? favoured(sm, late, all) : all);
  uint32_t flipped = open ^ q->open;
  uint32_t gaps = late && !(late & q->tight) ? all & ~late : 0;
  set_gaps(sm, gaps, late & q->well_behind ? gaps : 0, from);
  q->open = open;
  if (spent != q->throttled) throttle_groups(sm, spent, from);
  for (; flipped; flipped &= flipped - 1) flip_gate(sm, qsm_ctz(flipped), from);
}

void qsm_quota_runnable_changed(struct qsm_sm *sm, uint64_t from) {
  uint32_t scheme = sm->quota.scheme;
  if (scheme == QSM_SCHEME_ROLLOVER_TIME || scheme == QSM_SCHEME_PACE) qsm_quota_gate(sm, from);
}

// R-PA-5 beside what its callers' rules say.
static void grant(struct qsm_quota *q, uint32_t k, int32_t c, uint32_t quota) {
  q->c[k] = c;
  q->quota[k] = q->due[k] = quota;
  q->spared |= 1u << k;
  q->behind &= ~(1u << k);
  q->well_behind &= ~(1u << k);
  q->tight &= ~(1u << k);
  q->kept &= ~(1u << k);
}

static int32_t add_saturated(int32_t c, uint32_t quota) {
  int64_t sum = (int64_t)c + quota;
  return sum > INT32_MAX ? INT32_MAX : (int32_t)sum;
}

// R-SC-5, of a kernel that is here.
static void load_elastic(struct qsm_quota *q, uint32_t k) {
  uint32_t bit = 1u << k;
  uint32_t quota = q->fresh & bit ? q->shadow_quota[k] : q->quota[k];
  int32_t c = q->c[k];
  if (q->to_load & bit) c = q->early ? add_saturated(c, quota) : (int32_t)quota;
  q->granted |= q->fresh & bit;
  grant(q, k, c, quota);
}

// R-PA-17: all of its quota is due at once.
static void keep_behind(struct qsm_quota *q, uint32_t kernel) {
  uint32_t k = qsm_ctz(kernel);
  q->behind |= kernel;
  q->well_behind |= kernel;
  q->kept |= kernel;
  q->spared &= ~kernel;
  q->due[k] = 0;
}

// R-QC-4, R-PA-4, R-PA-16, R-PA-17, of a kernel that is here and has a word. `late`: well behind,
// with quota left.
static void load_word(struct qsm_quota *q, uint32_t k, uint32_t late) {
  uint32_t rest = q->c[k] > 0 ? (uint32_t)q->c[k] : 0;
  uint32_t kept = rest < q->shadow_credit[k] ? rest : q->shadow_credit[k];
  int32_t c = (int32_t)(q->shadow_quota[k] + kept);
  if (q->scheme == QSM_SCHEME_PACE) c = (int32_t)(q->shadow_quota[k] - q->insn[k]);
  q->granted |= 1u << k;
  grant(q, k, c, q->shadow_quota[k]);
  q->tight |= late & 1u << k;
  if (late & q->keep & 1u << k) keep_behind(q, 1u << k);
}

// Second cycle of a load; `here`: present, or a block arrives.
static void load(struct qsm_quota *q, uint32_t k, bool here, uint32_t late) {
  uint32_t bit = 1u << k;
  bool elastic = q->scheme == QSM_SCHEME_ELASTIC;
  if (!here) {
    if (!(q->keep & bit) || q->c[k] <= 0) {
      q->granted &= ~bit;
      grant(q, k, 0, 0);
    }
  } else if (elastic) {
    load_elastic(q, k);
  } else if (q->shadow_has & bit) {
    load_word(q, k, late);
  }
  q->shadow_has &= ~(elastic ? q->fresh & bit : bit);
  q->to_load &= ~bit;
  q->fresh &= ~bit;
}

// R-QC-9: at most one kernel is granted anything. C is already c1; `due` is R-QC-5's, `counted` are
// the kernels of which something was counted, `late` R-PA-16's.
static void grant_one(struct qsm_sm *sm, uint32_t arrive, uint32_t due, uint32_t counted,
                      uint32_t late) {
  struct qsm_quota *q = &sm->quota;
  uint32_t first = arrive & ~sm->launch.present & ~q->granted;
  bool second = q->load_second;
  q->to_refill = due;
  uint32_t next = loads(q) & -loads(q);
  q->load_second = !first && next && !second && !(next & counted);
  if (first) {
    uint32_t k = qsm_ctz(first);  // R-QC-6
    q->granted |= first;
    grant(q, k, (int32_t)sm->shared->first_quota[k], sm->shared->first_quota[k]);
  } else if (loads(q)) {
    uint32_t k = qsm_ctz(loads(q));
    if (second) load(q, k, (sm->launch.present | arrive) >> k & 1, late);
  } else if (due) {
    uint32_t k = qsm_ctz(due);
    q->to_refill &= due - 1;
    q->c[k] += (int32_t)q->quota[k];
  }
}

static void load_all(struct qsm_sm *sm) {
  sm->quota.to_load = (1u << sm->n_kernels) - 1;
  sm->quota.load_second = false;
}

// ---- Pace (docs/guarantee.md) ----

static uint32_t instalment(const struct qsm_quota *q, uint32_t k) {
  return (q->quota[k] >> 7) + (q->quota[k] >> 9) + 2;
}

// R-PA-7, for the kernel that has its turn in this cycle, by the registers as they are.
static void judge(struct qsm_quota *q) {
  if (!q->to_judge) return;
  uint32_t k = qsm_ctz(q->to_judge);
  uint32_t rest = q->c[k] > 0 ? (uint32_t)q->c[k] : 0;
  uint32_t beyond = rest > q->due[k] ? rest - q->due[k] : 0;
  bool well = beyond > WELL_BEHIND * instalment(q, k) || (beyond && q->kept >> k & 1);
  q->behind = (q->behind & ~q->to_judge) | (uint32_t)(beyond > 0) << k;
  q->well_behind = (q->well_behind & ~q->to_judge) | (uint32_t)well << k;
  q->to_judge = 0;
}

// R-PA-6, of the next kernel.
static void take_instalment(struct qsm_quota *q) {
  if (!q->to_pace) return;
  uint32_t bit = q->to_pace & -q->to_pace, k = qsm_ctz(bit), part = instalment(q, k);
  if (q->spared & bit)
    q->spared &= ~bit;
  else
    q->due[k] = q->due[k] > part ? q->due[k] - part : 0;
  q->to_pace &= ~bit;
  q->to_judge = bit;
}

// What pacing does in a cycle, before anything of it is counted or granted: that wins.
static void step_pace(struct qsm_sm *sm, bool sample) {
  struct qsm_quota *q = &sm->quota;
  bool begins = sample && !q->to_pace && q->scheme == QSM_SCHEME_PACE;
  judge(q);
  take_instalment(q);
  if (begins) q->to_pace = sm->shared->qos_mask;
}

static void stop_pace(struct qsm_quota *q) {
  q->behind = q->well_behind = q->tight = q->to_pace = q->to_judge = 0;
}

// ---- Messages ----

enum start { START_NONE, START_TIMED, START_EARLY };

// R-SC-4, decided at the start of cycle c.
static enum start find_start(const struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c) {
  if (sm->quota.scheme != QSM_SCHEME_ELASTIC)
    return in->load && in->scheme == QSM_SCHEME_ELASTIC ? START_TIMED : START_NONE;
  if (in->load && in->scheme != QSM_SCHEME_ELASTIC) return START_NONE;
  if (c == sm->quota.timed_start_at) return START_TIMED;
  return !in->load && may_start_early(sm) ? START_EARLY : START_NONE;
}

static void start_epoch(struct qsm_sm *sm, bool early, uint64_t c) {
  struct qsm_quota *q = &sm->quota;
  load_all(sm);
  q->early = early;
  q->timed_start_at = c + sm->shared->epoch_len;  // dcnt := EPOCH_LEN - 1, as of the next cycle
}

// The load message: R-QC-4, R-SC-4. `has`: the shadows that were filled at the start of the cycle.
static void take_load(struct qsm_sm *sm, const struct qsm_inbox *in, uint32_t has) {
  struct qsm_quota *q = &sm->quota;
  uint32_t scheme = in->scheme;
  q->loaded = in->scheme;
  q->keep = scheme == QSM_SCHEME_ELASTIC ? 0 : in->keep;
  q->scheme = qsm_scheme_open(scheme) ? QSM_SCHEME_NONE : q->loaded;
  q->load_second = false;
  if (q->scheme != QSM_SCHEME_PACE) stop_pace(q);  // R-PA-10
  if (scheme == QSM_SCHEME_ELASTIC) {
    q->fresh = has;
    return;
  }
  q->fresh = 0;
  q->early = false;
  q->timed_start_at = QSM_NEVER;
  load_all(sm);
  if (q->scheme == QSM_SCHEME_NONE) q->to_load = q->shadow_has = 0;
}

// R-QC-8, R-IS-7 and R-QC-2: C becomes c1. Without a tick there is nothing to do for a kernel that
// did not issue.
static void count(struct qsm_quota *q, uint32_t k, int32_t debt_max, bool tick) {
  uint32_t insn = q->insn[k] + q->lanes[k];
  q->insn[k] = tick ? 0 : insn;
  q->total[k] += q->lanes[k];
  if (tick) {
    q->snap_c[k] = q->c[k];
    q->snap_insn[k] = insn;
  }
  if (q->c[k] >= -debt_max) q->c[k] -= (int32_t)q->lanes[k];
  q->lanes[k] = 0;
}

static void count_issued(struct qsm_sm *sm, uint64_t c) {
  struct qsm_quota *q = &sm->quota;
  uint32_t positive = q->positive;
  for (; q->issued; q->issued &= q->issued - 1) {
    uint32_t k = qsm_ctz(q->issued);
    count(q, k, sm->debt_max, false);
    if (q->c[k] <= 0) positive &= ~(1u << k);
  }
  if (positive == q->positive) return;
  q->positive = positive;
  qsm_quota_gate(sm, c + 1);
}

static uint32_t positive_counters(const struct qsm_quota *q, uint32_t kernels) {
  uint32_t positive = 0;
  for (; kernels; kernels &= kernels - 1)
    positive |= (uint32_t)(q->c[qsm_ctz(kernels)] > 0) << qsm_ctz(kernels);
  return positive;
}

static void report(struct qsm_sm *sm, bool changed, bool loaded, uint64_t c) {
  const struct qsm_quota *q = &sm->quota;
  enum { HEAD = 4 };
  uint32_t words[HEAD + QSM_MAX_KERNELS] = {q->loaded, q->granted, qsm_quota_dcnt(sm, c + 1),
                                            q->early};
  for (uint32_t k = 0; k < sm->n_kernels; k++) words[HEAD + k] = q->quota[k];
  if (loaded) qsm_sm_record(sm, c, QSM_EV_QLOAD, 0, words, HEAD + sm->n_kernels);
  if (!changed) return;
  for (uint32_t k = 0; k < sm->n_kernels; k++) words[k] = (uint32_t)q->c[k];
  qsm_sm_record(sm, c, QSM_EV_QUOTA, 0, words, sm->n_kernels);
}

// A step in which something may be granted or start; true if a load has ended.
static bool step_grants(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c) {
  struct qsm_quota *q = &sm->quota;
  uint32_t behind = q->behind, well_behind = q->well_behind, late = well_behind & q->positive;
  uint32_t due = in->load ? 0 : refills(sm), loading = loads(q), has = q->shadow_has;
  enum start start = find_start(sm, in, c);
  bool grants = (in->arrive | due | loading | q->to_refill) || in->load || start;
  uint32_t issued = q->issued;
  uint32_t changed = in->tick || grants ? (1u << sm->n_kernels) - 1 : q->issued;
  uint32_t counted = in->tick ? changed : q->issued;
  // A message that ends pace wins over what it would do (R-PA-10).
  if (!in->load || in->scheme == QSM_SCHEME_PACE) step_pace(sm, in->sample);
  for (; counted; counted &= counted - 1) count(q, qsm_ctz(counted), sm->debt_max, in->tick);
  q->issued = 0;
  if (grants) grant_one(sm, in->arrive, due, issued, late);
  if (in->load) take_load(sm, in, has);
  if (start) start_epoch(sm, start == START_EARLY, c);

  uint32_t positive = (q->positive & ~changed) | positive_counters(q, changed);
  if (positive != q->positive || behind != q->behind || well_behind != q->well_behind || in->load ||
      loading || start) {
    q->positive = positive;
    qsm_quota_gate(sm, c + 1);
  }
  return (loading && !loads(q)) || (in->load && q->scheme == QSM_SCHEME_NONE);
}

// Runs before the TB table changes: `present` is that of the start of the cycle.
void qsm_quota_step(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c) {
  int32_t before[QSM_MAX_KERNELS];
  bool loaded = false;
  if (sm->trace.watched) memcpy(before, sm->quota.c, sizeof before);
  bool paces = in->sample && sm->quota.scheme == QSM_SCHEME_PACE;
  if (!(in->arrive | in->load | in->tick | paces) &&
      qsm_quota_only_counts(&sm->quota, sm->launch.runnable, sm->shared->qos_mask))
    count_issued(sm, c);
  else
    loaded = step_grants(sm, in, c);
  if (sm->trace.watched) report(sm, memcmp(before, sm->quota.c, sizeof before) != 0, loaded, c);
}

// ---- State and flips ----

static uint32_t pace_bits(const struct qsm_quota *q, uint32_t k) {
  return (q->behind >> k & 1) | (q->spared >> k & 1) << 1 | (q->to_pace >> k & 1) << 2 |
         (q->to_judge >> k & 1) << 3 | (q->tight >> k & 1) << 4 | (q->kept >> k & 1) << 5 |
         (q->well_behind >> k & 1) << 6;
}

bool qsm_quota_word(const struct qsm_sm *sm, uint64_t cycle, uint32_t k, uint32_t word,
                    uint32_t *value) {
  const struct qsm_quota *q = &sm->quota;
  const uint32_t of_sm[] = {qsm_quota_dcnt(sm, cycle), q->early, sm->share.away};
  if (k == sm->n_kernels) return qsm_give_word(word, of_sm, 3, value);
  if (k > sm->n_kernels) return false;
  const uint32_t of_kernel[] = {(uint32_t)q->c[k], q->quota[k], q->granted >> k & 1, q->insn[k],
                                q->fresh >> k & 1, q->due[k],   pace_bits(q, k)};
  return qsm_give_word(word, of_kernel, 7, value);
}

// While the loads of an epoch are under way, because their event shows dcnt. Only low bits, so that
// dcnt does not reach 0 earlier.
static bool flip_dcnt(struct qsm_flip *flip, struct qsm_sm *sm) {
  if (sm->quota.scheme != QSM_SCHEME_ELASTIC || !sm->quota.to_load) return false;
  uint32_t dcnt = qsm_quota_dcnt(sm, sm->next_cycle);
  qsm_flip_bit(flip, &dcnt, qsm_flip_draw(flip, 5), "dcnt of sm", sm->index);
  sm->quota.timed_start_at = sm->next_cycle + dcnt;
  return true;
}

// Only of a kernel that may issue under a scheme: if C is spent or not used, the next load or
// launch overwrites the flip.
bool qsm_quota_flip(struct qsm_flip *flip, struct qsm_sm *sm) {
  struct qsm_quota *q = &sm->quota;
  if (flip_dcnt(flip, sm)) return true;
  uint32_t spending = q->scheme == QSM_SCHEME_NONE ? 0 : sm->launch.present & q->positive;
  if (!spending) return false;
  uint32_t k = qsm_flip_draw_bit(flip, spending), value = (uint32_t)q->c[k];
  qsm_flip_bit(flip, &value, qsm_flip_draw(flip, 16), "C", k);
  q->c[k] = (int32_t)value;
  return true;
}

// SPDX-License-Identifier: Apache-2.0
#include "sm_mgr_ref.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "qsm_enums.h"

typedef unsigned __int128 wide;  // wraps, as two's complement does

static void met(struct sm_mgr_ref *ref, enum ref_case which) { ref->cases[which]++; }

static bool is_part(const struct ref_in *in, uint32_t k) { return in->part >> k & 1; }
static bool is_ls(const struct ref_in *in, uint32_t k) {
  return is_part(in, k) && in->qos >> k & 1;
}
static bool is_batch(const struct ref_in *in, uint32_t k) {
  return is_part(in, k) && !(in->qos >> k & 1);
}

static bool is_whole(uint32_t scheme) {
  return scheme == QSM_SCHEME_SM_STATIC || scheme == QSM_SCHEME_SPART ||
         scheme == QSM_SCHEME_SMQOS || scheme == QSM_SCHEME_SM_ROLLOVER;
}

static uint32_t count_part(const struct sm_mgr_ref *ref, const struct ref_in *in) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < ref->n_kernels; k++) n += is_part(in, k);
  return n;
}

static uint32_t to_use(const struct qsm_sm_usage *sm) {
  return sm->moving ? sm->next_usage : sm->usage;
}

static bool goes_to(const struct qsm_sm_usage *sm, uint32_t k) {
  return to_use(sm) == QSM_USE_OWNED && (sm->moving ? sm->next_owner : sm->owner) == k;
}

static int count_have(const struct sm_mgr_ref *ref, const struct ref_in *in, uint32_t k) {
  int have = 0;
  for (uint32_t i = 0; i < ref->n_sms; i++) have += goes_to(&in->usage[i], k);
  return have;
}

static bool some_moving(const struct sm_mgr_ref *ref, const struct ref_in *in) {
  for (uint32_t i = 0; i < ref->n_sms; i++)
    if (in->usage[i].moving) return true;
  return false;
}

// ---- R-SG-2, R-SG-3 ----

// One SM after the other to the slots of an order, in turn.
static void deal_out(struct sm_mgr_ref *ref, const uint32_t *order, uint32_t n, int n_sms) {
  for (int i = 0; i < n_sms && n > 0; i++) ref->slot[order[(uint32_t)i % n]].n++;
}

static bool in_known(const struct sm_mgr_ref *ref, uint32_t k) { return ref->known_part >> k & 1; }

static void split_even(struct sm_mgr_ref *ref) {
  uint32_t order[QSM_MAX_KERNELS], n = 0;
  for (uint32_t k = 0; k < ref->n_kernels; k++)
    if (in_known(ref, k) && ref->known_qos >> k & 1) order[n++] = k;
  for (uint32_t k = 0; k < ref->n_kernels; k++)
    if (in_known(ref, k) && !(ref->known_qos >> k & 1)) order[n++] = k;
  deal_out(ref, order, n, (int)ref->n_sms);
}

static void split_static(struct sm_mgr_ref *ref) {
  uint32_t zeros[QSM_MAX_KERNELS], n_zeros = 0, order[QSM_MAX_KERNELS], n = 0;
  for (uint32_t k = 0; k < ref->n_kernels; k++)
    if (in_known(ref, k) && ref->sm_count[k]) order[n++] = k;
  for (uint32_t k = 0; k < ref->n_kernels; k++)
    if (in_known(ref, k) && !ref->sm_count[k]) zeros[n_zeros++] = k;
  int left = (int)ref->n_sms;
  for (uint32_t i = 0; i < n; i++) {
    int later = (int)(n - i - 1 + n_zeros), want = (int)ref->sm_count[order[i]];
    while (want > left - later) want--;
    ref->slot[order[i]].n = want;
    left -= want;
  }
  deal_out(ref, zeros, n_zeros, left);
}

// ---- R-SG-13, R-SG-14 ----

static bool manages(const struct sm_mgr_ref *ref, uint32_t scheme, uint32_t p) {
  if (!is_whole(scheme) || p == 0) return false;
  return scheme == QSM_SCHEME_SM_ROLLOVER ? ref->n_sms > 1 : p <= ref->n_sms;
}

static void split_beside(struct sm_mgr_ref *ref) {
  uint32_t others[QSM_MAX_KERNELS], n_others = 0, n_goals = 0;
  int left = (int)ref->n_sms - 1;
  for (uint32_t k = 0; k < ref->n_kernels; k++)
    n_goals += in_known(ref, k) && ref->sm_count[k] == 0 && (ref->known_qos >> k & 1);
  for (uint32_t k = 0; k < ref->n_kernels; k++) {
    if (!in_known(ref, k)) continue;
    if (ref->sm_count[k] == 0) {
      if (n_goals == 0 || (ref->known_qos >> k & 1)) others[n_others++] = k;
      continue;
    }
    int want = (int)ref->sm_count[k];
    if (want > left) met(ref, REF_BESIDE_CUT);
    ref->slot[k].n = want > left ? left : want;
    left -= ref->slot[k].n;
  }
  deal_out(ref, others, n_others, left);
  for (uint32_t k = 0; k < ref->n_kernels; k++)
    if (in_known(ref, k) && ref->slot[k].n == 0) met(ref, REF_BESIDE_NONE);
}

static bool now_is_known(const struct sm_mgr_ref *ref, const struct ref_in *in) {
  return in->scheme == ref->known_scheme && in->part == ref->known_part &&
         (in->part & in->qos) == ref->known_qos;
}

static void change(struct sm_mgr_ref *ref, const struct ref_in *in) {
  uint32_t p = count_part(ref, in);
  if (now_is_known(ref, in)) met(ref, REF_CHANGE_STALE);
  ref->stale = false;
  ref->known_scheme = in->scheme;
  ref->known_part = in->part;
  ref->known_qos = in->part & in->qos;
  ref->managed = manages(ref, in->scheme, p);
  if (ref->managed && p > ref->n_sms) met(ref, REF_MANY_MANAGED);
  for (uint32_t k = 0; k < ref->n_kernels; k++) {
    struct ref_slot *slot = &ref->slot[k];
    slot->eval = QSM_EVAL_NONE;
    slot->upper = slot->lower = false;
  }
  if (ref->planning) met(ref, REF_PLAN_CUT);
  ref->planning = false;
  ref->splitting = true;
  ref->c = in->cycle;
}

static void split(struct sm_mgr_ref *ref, const struct ref_in *in, struct ref_out *out) {
  for (uint32_t k = 0; k < ref->n_kernels; k++)
    if (in->cycle == ref->c + 2 + k) ref->sm_count[k] = in->sm_count[k];
  if (in->cycle != ref->c + 3 * (uint64_t)ref->n_kernels + 10) return;
  for (uint32_t k = 0; k < ref->n_kernels; k++) ref->slot[k].n = 0;
  if (!ref->managed) {
    met(ref, REF_CHANGE_UNMANAGED);
  } else if (ref->known_scheme == QSM_SCHEME_SM_STATIC) {
    met(ref, REF_CHANGE_STATIC);
    split_static(ref);
  } else if (ref->known_scheme == QSM_SCHEME_SM_ROLLOVER) {
    met(ref, REF_CHANGE_BESIDE);
    split_beside(ref);
  } else {
    met(ref, REF_CHANGE_EVEN);
    split_even(ref);
  }
  for (uint32_t k = 0; k < ref->n_kernels; k++) ref->slot[k].opt = ref->slot[k].n;
  ref->splitting = false;
  ref->planning = true;
  out->plan = true;
}

// ---- R-SG-5, R-SG-6 ----

static void record(struct sm_mgr_ref *ref, const struct ref_in *in, uint32_t k, uint32_t x) {
  struct ref_slot *slot = &ref->slot[k];
  if (!slot->seen) {
    if (ref->had_tb >> k & 1) slot->seen = true;
    return;
  }
  slot->run = true;
  wide ahead = (wide)slot->lead + ((wide)x << 16) - (wide)in->goal[k] * ref->t_ended;
  slot->lead = (int64_t)(uint64_t)ahead;
  slot->insn = x;
  slot->ample = slot->lead > (int64_t)in->goal[k] * ref->t_ended;
}

static void evaluate(struct sm_mgr_ref *ref, const struct ref_in *in, uint32_t k, uint32_t x) {
  struct ref_slot *slot = &ref->slot[k];
  wide now = (wide)x << 16, last = slot->insn_last;
  if (slot->eval == QSM_EVAL_MOVING) {
    met(ref, ref->still ? REF_SETTLES : REF_MOVING_ON);
    if (ref->still) slot->eval = QSM_EVAL_SETTLING;
    return;
  }
  if (slot->eval != QSM_EVAL_SETTLING) return;
  slot->eval = QSM_EVAL_NONE;
  if (slot->sm_last != slot->opt) {
    met(ref, REF_ELSE_NOT_OPT);
  } else if (slot->upper && slot->lower) {
    met(ref, REF_ELSE_BOTH);
  } else if (!slot->out && now > last * 65536 + last * in->threshold) {
    met(ref, REF_CAME_GREATER);
    slot->lower = true;
    slot->opt = slot->n;
  } else if (!slot->out) {
    met(ref, REF_CAME_NOT_GREATER);
    slot->upper = true;
  } else if (now < last * 65536 - last * in->threshold) {
    met(ref, REF_WENT_LESS);
    slot->lower = true;
  } else {
    met(ref, REF_WENT_NOT_LESS);
    slot->upper = true;
    slot->opt = slot->n;
  }
}

// ---- R-SG-8 ----

// A slot's place in a choice: the smallest wins, of equals the lowest slot.
typedef int (*rank_fn)(const struct ref_slot *);
static int by_excess(const struct ref_slot *slot) { return slot->opt - slot->n; }
static int by_lack(const struct ref_slot *slot) { return slot->n - slot->opt; }
static int by_number(const struct ref_slot *slot) { return slot->n; }

typedef bool (*wants_fn)(const struct ref_slot *);
static bool can_lose(const struct ref_slot *slot) { return slot->n > 1; }
static bool is_short(const struct ref_slot *slot) { return slot->n < slot->opt; }
static bool may_grow(const struct ref_slot *slot) { return !slot->upper; }
static bool may_shrink(const struct ref_slot *slot) { return !slot->lower && slot->n > 1; }
static bool any(const struct ref_slot *slot) { return slot || true; }

static int choose(const struct sm_mgr_ref *ref, const struct ref_in *in, bool unjudged_too,
                  wants_fn wants, rank_fn rank) {
  int best = -1;
  for (uint32_t k = 0; k < ref->n_kernels; k++) {
    const struct ref_slot *slot = &ref->slot[k];
    if (!is_batch(in, k) || !wants(slot)) continue;
    if (slot->eval != QSM_EVAL_NONE && !unjudged_too) continue;
    if (best < 0 || rank(slot) < rank(&ref->slot[best])) best = (int)k;
  }
  return best;
}

static void batch_move(struct sm_mgr_ref *ref, int k, const uint32_t *x, bool out) {
  struct ref_slot *slot = &ref->slot[k];
  slot->eval = QSM_EVAL_MOVING;
  slot->sm_last = slot->n;
  slot->insn_last = x[k];
  slot->out = out;
  slot->n += out ? -1 : 1;
  ref->n_batch_moves++;
}

static void serve_needs(struct sm_mgr_ref *ref, const struct ref_in *in, uint32_t k,
                        const uint32_t *x, int *n_free, bool behind) {
  struct ref_slot *slot = &ref->slot[k];
  if (slot->n >= (int)(ref->n_sms - (count_part(ref, in) - 1))) {
    met(ref, REF_NEEDS_AT_MOST);
    return;
  }
  if (*n_free > 0) {
    met(ref, REF_NEEDS_FREE);
    slot->n++;
    --*n_free;
    return;
  }
  int b = ref->n_batch_moves ? -1 : choose(ref, in, behind, can_lose, by_excess);
  if (b < 0) {
    met(ref, REF_NEEDS_NOBODY);
    return;
  }
  met(ref, ref->slot[b].eval == QSM_EVAL_NONE ? REF_NEEDS_BATCH : REF_NEEDS_UNJUDGED);
  batch_move(ref, b, x, true);
  slot->n++;
}

static void serve_gives(struct sm_mgr_ref *ref, const struct ref_in *in, uint32_t k,
                        const uint32_t *x, int *n_free) {
  if (ref->slot[k].n <= 1) {
    met(ref, REF_GIVES_LAST);
    return;
  }
  ref->slot[k].n--;
  if (ref->n_batch_moves || choose(ref, in, false, any, by_number) < 0) {
    met(ref, ref->n_batch_moves ? REF_GIVES_MOVED : REF_GIVES_NO_BATCH);
    ++*n_free;
    return;
  }
  int b;
  if ((b = choose(ref, in, false, is_short, by_lack)) >= 0) {
    met(ref, REF_GIVES_SHORT);
    batch_move(ref, b, x, false);
  } else if ((b = choose(ref, in, false, may_grow, by_number)) >= 0) {
    met(ref, REF_GIVES_NOT_UPPER);
    batch_move(ref, b, x, false);
  } else {
    ++*n_free;
    b = choose(ref, in, false, may_shrink, by_excess);
    met(ref, b >= 0 ? REF_GIVES_FREE_TWO : REF_GIVES_FREE_ONE);
    if (b < 0) return;
    batch_move(ref, b, x, true);
    ++*n_free;
  }
}

static void decide_smqos(struct sm_mgr_ref *ref, const struct ref_in *in, const uint32_t *x) {
  int n_free = (int)ref->n_sms;
  for (uint32_t k = 0; k < ref->n_kernels; k++) n_free -= ref->slot[k].n;
  for (uint32_t k = 0; k < ref->n_kernels; k++) {
    const struct ref_slot *slot = &ref->slot[k];
    if (!is_ls(in, k)) continue;
    if (!slot->run) {
      met(ref, REF_NOT_RUN);
      continue;
    }
    __int128 g = (__int128)in->goal[k] * ref->t_ended, got = (__int128)slot->insn * 65536;
    bool behind = slot->lead < 0, needs = behind || got < g;
    if (needs)
      serve_needs(ref, in, k, x, &n_free, behind);
    else if (slot->lead > g && got > g)
      serve_gives(ref, in, k, x, &n_free);
    else
      met(ref, REF_NEUTRAL);
  }
}

// ---- R-SG-9 ----

// The least number m with m * i * 2^16 >= n * GOAL * T, at least 1 and at most `most`.
static int least_number(wide wanted, uint32_t insn, int most) {
  int m = 1;
  while (m < most && (wide)m * ((wide)insn << 16) < wanted) m++;
  return m;
}

static void decide_spart(struct sm_mgr_ref *ref, const struct ref_in *in) {
  uint32_t others[QSM_MAX_KERNELS], n_others = 0, n_ls = 0, p = count_part(ref, in);
  for (uint32_t k = 0; k < ref->n_kernels; k++) {
    if (is_batch(in, k)) others[n_others++] = k;
    n_ls += is_ls(in, k);
  }
  int left = (int)(ref->n_sms - n_others), most = (int)(ref->n_sms - (p - 1)), sum = 0;
  for (uint32_t k = 0; k < ref->n_kernels; k++) {
    struct ref_slot *slot = &ref->slot[k];
    if (!is_ls(in, k)) continue;
    n_ls--;
    int need = slot->n;
    if (slot->run && slot->insn) {
      need = least_number((wide)slot->n * in->goal[k] * ref->t_ended, slot->insn, most);
    } else {
      met(ref, REF_SPART_STAYS);
    }
    int n = slot->n;
    for (uint32_t i = 0; i < in->step && n != need; i++) n += n < need ? 1 : -1;
    met(ref, n == need ? REF_SPART_NEED : n < need ? REF_SPART_STEP_UP : REF_SPART_STEP_DOWN);
    if (n > left - (int)n_ls) {
      met(ref, REF_SPART_YIELDS);
      n = left - (int)n_ls;
    }
    slot->n = n;
    left -= n;
    sum += n;
  }
  for (uint32_t i = 0; i < n_others; i++) ref->slot[others[i]].n = 0;
  deal_out(ref, others, n_others, (int)ref->n_sms - sum);
  if (!n_others) met(ref, REF_SPART_ALONE);
}

// ---- R-SG-15, R-SG-16 ----

// The one that all share.
static uint32_t the_common_sm(const struct sm_mgr_ref *ref) {
  uint32_t n = 0, found = 0;
  for (uint32_t i = 0; i < ref->n_sms; i++) {
    n += ref->common[i];
    if (ref->common[i]) found = i;
  }
  assert_int_equal(n, 1);
  return found;
}

// Added to n[k].
static int step_beside(struct sm_mgr_ref *ref, const struct ref_in *in, uint32_t k) {
  const struct ref_slot *slot = &ref->slot[k];
  __int128 g = (__int128)in->goal[k] * ref->t_ended, e = (__int128)slot->insn * 65536 - g;
  uint32_t common = the_common_sm(ref);
  uint32_t x = in->insn[k] > 0x7fffffff ? 0x7fffffff : (uint32_t)in->insn[k];
  __int128 o = (__int128)(x - in->sm_insn[common][k]) * 65536;
  bool limited = ref->tbs[common][k] > 0 && in->sm_c[common][k] <= 0;
  if (slot->run && slot->lead < 0 && e < 0 && !limited) {
    met(ref, REF_BESIDE_GROWS);
    return 1;
  }
  if (slot->run && slot->lead > g && slot->n > 0 && 2 * slot->n * (o - g) >= o) {
    met(ref, REF_BESIDE_FALLS);
    return -1;
  }
  met(ref, !slot->run || slot->n == 0 ? REF_BESIDE_STAYS
           : slot->lead >= 0          ? REF_BESIDE_ENOUGH
           : e < 0                    ? REF_BESIDE_LIMITED
                                      : REF_BESIDE_AHEAD);
  return 0;
}

static void decide_beside(struct sm_mgr_ref *ref, const struct ref_in *in) {
  uint32_t others[QSM_MAX_KERNELS], n_others = 0;
  int left = (int)ref->n_sms - 1;
  for (uint32_t k = 0; k < ref->n_kernels; k++) {
    struct ref_slot *slot = &ref->slot[k];
    if (is_batch(in, k)) {
      slot->n = 0;
      others[n_others++] = k;
    }
    if (!is_ls(in, k)) continue;
    slot->n += step_beside(ref, in, k);
    if (slot->n > left) {
      met(ref, REF_BESIDE_AT_MOST);
      slot->n = left;
    }
    left -= slot->n;
  }
  deal_out(ref, others, n_others, left);
}

static void note_e(struct sm_mgr_ref *ref, const struct ref_in *in) {
  for (uint32_t i = 0; i < ref->n_sms; i++) {
    const struct qsm_sm_usage *sm = &in->usage[i];
    ref->common[i] = sm->usage == QSM_USE_SHARED && !sm->moving;
    for (uint32_t k = 0; k < ref->n_kernels; k++) ref->tbs[i][k] = in->tbs[i][k];
  }
}

// ---- D ----

static bool barred(struct sm_mgr_ref *ref, bool beside) {
  if (beside && ref->steady && !ref->calm) {
    if (ref->still) met(ref, REF_BARRED_MOVED);
    return true;
  }
  if (!ref->steady) met(ref, REF_BARRED_PLAN);
  if (!ref->still) met(ref, REF_BARRED_MOVING);
  return !ref->steady || !ref->still;
}

static void day_d(struct sm_mgr_ref *ref, const struct ref_in *in, struct ref_out *out) {
  uint32_t x[QSM_MAX_KERNELS];
  for (uint32_t k = 0; k < ref->n_kernels; k++)
    x[k] = in->insn[k] > 0x7fffffff ? 0x7fffffff : (uint32_t)in->insn[k];
  for (uint32_t k = 0; k < ref->n_kernels; k++)
    if (in->valid >> k & 1) record(ref, in, k, x[k]);
  ref->computing = false;
  out->record = true;
  if (!ref->managed || in->scheme == QSM_SCHEME_SM_STATIC || !is_whole(in->scheme)) return;
  if (ref->stale || !now_is_known(ref, in)) {
    met(ref, REF_BARRED_KNOWN);
    return;
  }
  for (uint32_t k = 0; k < ref->n_kernels; k++)
    if (in->scheme == QSM_SCHEME_SMQOS && is_batch(in, k)) evaluate(ref, in, k, x[k]);
  if (barred(ref, in->scheme == QSM_SCHEME_SM_ROLLOVER)) return;
  ref->n_batch_moves = 0;
  if (in->scheme == QSM_SCHEME_SM_ROLLOVER)
    decide_beside(ref, in);
  else if (in->scheme == QSM_SCHEME_SMQOS)
    decide_smqos(ref, in, x);
  else
    decide_spart(ref, in);
  ref->planning = true;
  out->plan = true;
}

// ---- R-SG-10 ----

static void ask(struct ref_out *out, uint32_t sm, uint32_t usage, uint32_t owner) {
  *out = (struct ref_out){true, out->plan, out->record, sm, usage, owner};
}

// R-SG-17
static bool keeps_last(const struct sm_mgr_ref *ref, const struct ref_in *in) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < ref->n_sms; i++) n += to_use(&in->usage[i]) == QSM_USE_SHARED;
  return ref->known_scheme == QSM_SCHEME_SM_ROLLOVER && n == 1;
}

static bool find_sm_for(struct sm_mgr_ref *ref, const struct ref_in *in, uint32_t k,
                        struct ref_out *out) {
  for (uint32_t i = 0; i < ref->n_sms; i++) {
    if (to_use(&in->usage[i]) != QSM_USE_FREE || in->usage[i].power != QSM_POWER_ON) continue;
    met(ref, REF_PLAN_FREE_ON);
    ask(out, i, QSM_USE_OWNED, k);
    return true;
  }
  for (uint32_t i = 0; i < ref->n_sms; i++) {
    if (to_use(&in->usage[i]) != QSM_USE_FREE) continue;
    met(ref, REF_PLAN_FREE_OFF);
    ask(out, i, QSM_USE_OWNED, k);
    return true;
  }
  if (keeps_last(ref, in)) met(ref, REF_PLAN_KEEPS);
  for (uint32_t i = 0; i < ref->n_sms && !keeps_last(ref, in); i++) {
    if (to_use(&in->usage[i]) != QSM_USE_SHARED) continue;
    met(ref, REF_PLAN_OF_SHARED);
    ask(out, i, QSM_USE_OWNED, k);
    return true;
  }
  for (uint32_t j = 0; j < ref->n_kernels; j++) {
    if (count_have(ref, in, j) <= ref->slot[j].n) continue;
    uint32_t i = ref->n_sms - 1;
    while (!goes_to(&in->usage[i], j)) i--;
    met(ref, REF_PLAN_OF_OTHER);
    ask(out, i, QSM_USE_OWNED, k);
    return true;
  }
  return false;
}

// False: nothing is left to ask for.
static bool plan(struct sm_mgr_ref *ref, const struct ref_in *in, struct ref_out *out) {
  for (uint32_t i = 0; !ref->managed && i < ref->n_sms; i++) {
    if (to_use(&in->usage[i]) == QSM_USE_SHARED) continue;
    met(ref, REF_PLAN_SHARED);
    ask(out, i, QSM_USE_SHARED, 0);
    return true;
  }
  if (!ref->managed) return false;
  for (uint32_t k = 0; k < ref->n_kernels; k++)
    if (count_have(ref, in, k) < ref->slot[k].n) return find_sm_for(ref, in, k, out);
  for (uint32_t k = 0; k < ref->n_kernels; k++) {
    if (count_have(ref, in, k) <= ref->slot[k].n) continue;
    uint32_t i = ref->n_sms - 1;
    while (!goes_to(&in->usage[i], k)) i--;
    met(ref, REF_PLAN_RELEASE);
    ask(out, i, QSM_USE_FREE, 0);
    return true;
  }
  bool any_shared = false;
  for (uint32_t i = 0; i < ref->n_sms; i++) {
    if (to_use(&in->usage[i]) != QSM_USE_SHARED) continue;
    any_shared = true;
    if (keeps_last(ref, in)) break;
    met(ref, REF_PLAN_UNSHARE);
    ask(out, i, QSM_USE_FREE, 0);
    return true;
  }
  if (ref->known_scheme != QSM_SCHEME_SM_ROLLOVER || any_shared) return false;
  for (uint32_t i = 0; i < ref->n_sms; i++) {
    if (to_use(&in->usage[i]) != QSM_USE_FREE) continue;
    met(ref, REF_PLAN_SHARES);
    ask(out, i, QSM_USE_SHARED, 0);
    return true;
  }
  return false;
}

// ---- A cycle ----

void sm_mgr_ref_cycle(struct sm_mgr_ref *ref, const struct ref_in *in, struct ref_out *out) {
  bool was_planning = ref->planning, was_computing = ref->computing;
  bool was_splitting = ref->splitting;
  *out = (struct ref_out){0};
  if (in->e) {
    if (was_planning) met(ref, REF_E_IN_PLAN);
    if (was_splitting) met(ref, REF_E_IN_SPLIT);
    ref->t_ended = ref->t_e;
    ref->t_e = in->ep_len;
    ref->had_tb = in->had_tb;
    ref->still = !some_moving(ref, in);
    ref->calm = !ref->moved && ref->still;
    note_e(ref, in);
    ref->steady = !was_planning && !was_splitting;
    ref->computing = true;
    ref->d = in->cycle + ref->sm_lat;
  }
  ref->moved = !in->e && (ref->moved || some_moving(ref, in));
  bool more = was_planning && plan(ref, in, out);
  if (was_computing && in->cycle == ref->d) day_d(ref, in, out);
  if (was_splitting) split(ref, in, out);
  if (was_planning && !more) {
    met(ref, REF_PLAN_DONE);
    ref->planning = false;
  }
  if (!was_splitting && !was_computing && !in->e && (is_whole(in->scheme) || ref->managed) &&
      (ref->stale || !now_is_known(ref, in)))
    change(ref, in);
}

void sm_mgr_ref_clear(struct sm_mgr_ref *ref, uint32_t k) {
  struct ref_slot *slot = &ref->slot[k];
  slot->run = slot->seen = slot->ample = false;
  slot->lead = 0;
  slot->insn = 0;
}

void sm_mgr_ref_arrive(struct sm_mgr_ref *ref, uint32_t k) {
  sm_mgr_ref_clear(ref, k);
  ref->stale = true;
}

// SPDX-License-Identifier: Apache-2.0
// Quota gate and counters (enhanced warp scheduler): docs/quota_gate.md.
#include "qsm_sm_blocks.h"

#include <string.h>

void qsm_quota_word(struct qsm_sm *sm, const struct qsm_sm_msg *msg) {
  struct qsm_quota *q = &sm->quota;
  uint32_t k = msg->kernel;
  q->shadow_has |= 1u << k;
  q->shadow_quota[k] = msg->quota;
  q->shadow_credit[k] = msg->credit;
}

// R-QC-5: kernels due for a refill, by the registers as they are.
static uint32_t refills(const struct qsm_sm *sm) {
  const struct qsm_quota *q = &sm->quota;
  uint32_t qos = sm->shared->qos_mask, waiting = q->to_refill & sm->runnable;
  if (q->scheme == QSM_SCHEME_NONE || !qos || q->to_load) return 0;
  if (waiting) return waiting;
  return sm->runnable & q->positive ? 0 : sm->runnable & ~qos;
}

bool qsm_quota_busy(const struct qsm_sm *sm) { return sm->quota.to_load || sm->quota.to_refill || refills(sm); }

static void flip_gate(struct qsm_sm *sm, uint32_t kernel, uint64_t from) {
  bool open = sm->quota.open >> kernel & 1;
  for (uint32_t i = 0; i < sm->n_subs; i++) {
    struct qsm_subcore *sc = sm->sub[i];
    uint32_t warps = sc->of_kernel[kernel] & sc->resident;
    if (!warps) continue;
    qsm_subcore_wake(sc, from);
    sc->shut = open ? sc->shut & ~warps : sc->shut | warps;
    for (; warps; warps &= warps - 1) qsm_subcore_refresh(sc, qsm_ctz(warps), from);
  }
}

// A group may count or not (R-QW-2) though no gate flips: one that loads is closed in any case.
static void shut_groups(struct qsm_sm *sm, uint32_t kernels, uint64_t from) {
  sm->quota.spent = kernels;
  if (sm->shared->policy < QSM_POLICY_QAWS) return;
  for (uint32_t i = 0; i < sm->n_subs; i++) qsm_subcore_wake(sm->sub[i], from);
}

// R-QC-1.
void qsm_quota_gate(struct qsm_sm *sm, uint64_t from) {
  struct qsm_quota *q = &sm->quota;
  q->qos_mask = sm->shared->qos_mask;
  uint32_t all = (1u << sm->n_kernels) - 1;
  uint32_t loads = q->to_load & -q->to_load;
  uint32_t spent = q->scheme == QSM_SCHEME_NONE || q->qos_mask == 0 ? 0 : all & ~q->positive;
  uint32_t open = all & ~spent & ~loads;
  uint32_t flipped = open ^ q->open;
  q->open = open;
  if (spent != q->spent) shut_groups(sm, spent, from);
  for (; flipped; flipped &= flipped - 1) flip_gate(sm, qsm_ctz(flipped), from);
}

static void grant(struct qsm_quota *q, uint32_t k, int32_t c, uint32_t quota) {
  q->c[k] = c;
  q->quota[k] = quota;
}

// Second cycle of R-QC-4; `here`: present, or a block arrives.
static void load(struct qsm_quota *q, uint32_t k, bool here) {
  uint32_t bit = 1u << k;
  if (!here) {
    q->granted &= ~bit;
    grant(q, k, 0, 0);
  } else if (q->shadow_has & bit) {
    uint32_t rest = q->c[k] > 0 ? (uint32_t)q->c[k] : 0;
    uint32_t kept = rest < q->shadow_credit[k] ? rest : q->shadow_credit[k];
    q->granted |= bit;
    grant(q, k, (int32_t)(q->shadow_quota[k] + kept), q->shadow_quota[k]);
  }
  q->to_load &= ~bit;
  q->shadow_has &= ~bit;
}

// R-QC-9: at most one kernel is granted anything. C is already c1; `due` is R-QC-5's.
static void grant_one(struct qsm_sm *sm, uint32_t arrive, uint32_t due) {
  struct qsm_quota *q = &sm->quota;
  uint32_t first = arrive & ~sm->present & ~q->granted;
  bool second = q->load_second;
  q->to_refill = due;
  q->load_second = !first && q->to_load && !second;
  if (first) {
    uint32_t k = qsm_ctz(first);  // R-QC-6
    q->granted |= first;
    grant(q, k, sm->shared->first_quota[k], (uint32_t)sm->shared->first_quota[k]);
  } else if (q->to_load) {
    uint32_t k = qsm_ctz(q->to_load);
    if (second) load(q, k, (sm->present | arrive) >> k & 1);
  } else if (due) {
    uint32_t k = qsm_ctz(due);
    q->to_refill &= due - 1;
    q->c[k] += (int32_t)q->quota[k];
  }
}

// The message of R-QC-4.
static void begin_load(struct qsm_sm *sm, uint32_t scheme) {
  struct qsm_quota *q = &sm->quota;
  q->scheme = (uint8_t)scheme;
  if (scheme == QSM_SCHEME_NONE) {
    q->shadow_has = 0;
  } else {
    q->to_load = (1u << sm->n_kernels) - 1;
  }
}

// R-QC-8 and R-QC-2: C becomes c1.
static void count(struct qsm_quota *q, uint32_t k, int32_t debt_max, bool tick) {
  uint32_t insn = q->insn[k] + q->lanes[k];
  q->insn[k] = tick ? 0 : insn;
  if (tick) {
    q->snap_c[k] = q->c[k];
    q->snap_insn[k] = insn;
  }
  if (q->c[k] >= -debt_max) q->c[k] -= (int32_t)q->lanes[k];
  q->lanes[k] = 0;
}

static void report(struct qsm_sm *sm, bool changed, bool loaded, uint64_t c) {
  const struct qsm_quota *q = &sm->quota;
  uint32_t words[2 + QSM_MAX_KERNELS] = {q->scheme, q->granted};
  for (uint32_t k = 0; k < sm->n_kernels; k++) words[2 + k] = q->quota[k];
  if (loaded && sm->sink) qsm_sm_event(sm, c, QSM_EV_QLOAD, 0, words, 2 + sm->n_kernels);
  if (loaded && sm->hashing) qsm_sm_hash_words(sm, words, 2 + sm->n_kernels);
  if (!changed) return;
  for (uint32_t k = 0; k < sm->n_kernels; k++) words[k] = (uint32_t)q->c[k];
  if (sm->sink) qsm_sm_event(sm, c, QSM_EV_QUOTA, 0, words, sm->n_kernels);
  if (sm->hashing) qsm_sm_hash_words(sm, words, sm->n_kernels);
}

// Runs before the TB table changes: `present` is that of the start of the cycle.
void qsm_quota_step(struct qsm_sm *sm, const struct qsm_inbox *in, uint64_t c) {
  struct qsm_quota *q = &sm->quota;
  uint32_t due = in->load ? 0 : refills(sm), to_load = q->to_load;
  if (!(q->issued | in->arrive | due | to_load | q->to_refill) && !in->load && !in->tick) return;
  int32_t before[QSM_MAX_KERNELS];
  memcpy(before, q->c, sizeof before);
  for (uint32_t k = 0; k < sm->n_kernels; k++) count(q, k, sm->debt_max, in->tick);
  q->issued = 0;
  grant_one(sm, in->arrive, due);
  if (in->load) begin_load(sm, in->scheme);

  uint32_t positive = 0;
  for (uint32_t k = 0; k < sm->n_kernels; k++) positive |= (uint32_t)(q->c[k] > 0) << k;
  if (positive != q->positive || in->load || to_load) {
    q->positive = positive;
    qsm_quota_gate(sm, c + 1);
  }
  bool loaded = to_load ? !q->to_load : in->load && in->scheme == QSM_SCHEME_NONE;
  if (sm->watched) report(sm, memcmp(before, q->c, sizeof before) != 0, loaded, c);
}

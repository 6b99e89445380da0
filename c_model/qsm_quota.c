// SPDX-License-Identifier: Apache-2.0
// Quota gate and counters (enhanced warp scheduler): docs/quota_gate.md.
#include "qsm_sm_blocks.h"

static int32_t sat32(int64_t value) {
  if (value > INT32_MAX) return INT32_MAX;
  return value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

void qsm_quota_word(struct qsm_sm *sm, const struct qsm_sm_msg *msg) {
  struct qsm_quota *q = &sm->quota;
  uint32_t k = msg->kernel;
  q->shadow_has = (q->shadow_has & ~(1u << k)) | (uint32_t)(msg->has != 0) << k;
  q->shadow_quota[k] = msg->quota;
  q->shadow_credit[k] = msg->credit;
}

bool qsm_quota_refill_due(const struct qsm_sm *sm) {
  const struct qsm_quota *q = &sm->quota;
  uint32_t qos = sm->shared->qos_mask;
  return q->scheme != QSM_SCHEME_NONE && qos && (sm->present & ~qos) && !(sm->present & q->positive);
}

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

// R-QC-1.
void qsm_quota_gate(struct qsm_sm *sm, uint64_t from) {
  struct qsm_quota *q = &sm->quota;
  q->qos_mask = sm->shared->qos_mask;
  uint32_t all = (1u << sm->n_kernels) - 1;
  uint32_t open = q->scheme == QSM_SCHEME_NONE || q->qos_mask == 0 ? all : q->positive;
  uint32_t flipped = open ^ q->open;
  q->open = open;
  for (; flipped; flipped &= flipped - 1) flip_gate(sm, qsm_ctz(flipped), from);
}

static int32_t load_value(const struct qsm_sm *sm, uint32_t k, int32_t c1, uint32_t scheme) {
  const struct qsm_quota *q = &sm->quota;
  int64_t value = q->shadow_quota[k];
  if (scheme == QSM_SCHEME_ROLLOVER && (sm->shared->qos_mask >> k & 1) && c1 > 0) {
    value += (uint32_t)c1 < q->shadow_credit[k] ? (uint32_t)c1 : q->shadow_credit[k];
  }
  return sat32(value);
}

// R-QC-4 for one kernel: C after the load.
static int32_t load(struct qsm_sm *sm, uint32_t k, int32_t c1, uint32_t scheme) {
  struct qsm_quota *q = &sm->quota;
  uint32_t bit = 1u << k;
  bool has = q->shadow_has & bit;
  if (!(sm->present & bit)) {
    q->quota[k] = 0;
    q->granted &= ~bit;
    return 0;
  }
  if (!has) return c1;
  q->quota[k] = q->shadow_quota[k];
  q->granted |= bit;
  return load_value(sm, k, c1, scheme);
}

// C of kernel k after the cycle.
static int32_t next_c(struct qsm_sm *sm, const struct qsm_inbox *in, uint32_t k, bool refill) {
  struct qsm_quota *q = &sm->quota;
  uint32_t bit = 1u << k;
  bool first_tb = in->arrive & bit & ~sm->present & ~q->granted;
  int32_t next = sat32((int64_t)q->c[k] - q->lanes[k]);
  if (in->load) {
    if (in->scheme != QSM_SCHEME_NONE) next = load(sm, k, next, in->scheme);
  } else if (refill && (sm->present & ~sm->shared->qos_mask & bit)) {
    next = sat32((int64_t)next + q->quota[k]);
  }
  if (!first_tb) return next;
  q->quota[k] = (uint32_t)sm->shared->first_quota[k];
  q->granted |= bit;
  return sm->shared->first_quota[k];
}

// R-QC-8.
static void count(struct qsm_quota *q, uint32_t k, bool tick) {
  uint32_t insn = q->insn[k] + q->lanes[k];
  q->insn[k] = tick ? 0 : insn;
  if (!tick) return;
  q->snap_c[k] = q->c[k];
  q->snap_insn[k] = insn;
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
  bool refill = qsm_quota_refill_due(sm);
  if (!(q->issued | in->arrive) && !in->load && !in->tick && !refill) return;
  bool changed = false;
  uint32_t positive = 0;
  for (uint32_t k = 0; k < sm->n_kernels; k++) {
    count(q, k, in->tick);
    int32_t next = next_c(sm, in, k, refill);
    changed |= next != q->c[k];
    positive |= (uint32_t)(next > 0) << k;
    q->c[k] = next;
    q->lanes[k] = 0;
  }
  q->issued = 0;
  if (in->load) {
    q->scheme = in->scheme;
    q->shadow_has = 0;
  }
  if (positive != q->positive || in->load) {
    q->positive = positive;
    qsm_quota_gate(sm, c + 1);
  }
  if (sm->watched) report(sm, changed, in->load, c);
}

// SPDX-License-Identifier: Apache-2.0
// Which SMs each launch of collocated applications may use, and which caches it leaves alone
// (docs/collocation.md): FedCM's algorithm, KRISP, what they are compared with, and our own.
//
// No device, no clock, no threads: the caller says which kernels become ready, begin and end, and
// equal calls have equal answers. A *queue* is an application's sequence of kernels: at most one of
// it runs at a time.
#ifndef QSM_COLLOCATION_H
#define QSM_COLLOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

__extension__ typedef unsigned __int128 qsm_collocation_mask;  // bit i: SM i

enum qsm_collocation_scheme {
  QSM_COLLOCATION_SERIAL,      // one application after the other, each with all SMs
  QSM_COLLOCATION_CONCURRENT,  // all at once, each with all SMs
  QSM_COLLOCATION_KRISP,       // right-sizes every launch
  QSM_COLLOCATION_FEDC,        // FedCM without bypass
  QSM_COLLOCATION_FEDCM,
  QSM_COLLOCATION_FITTED  // ours: FedCM that decides for kernels, too, which their mask does not
                          // fit
};
enum { QSM_COLLOCATION_SCHEMES = 6, QSM_COLLOCATION_POLICIES = 4, QSM_COLLOCATION_MOST_SMS = 128 };
extern const char *const qsm_collocation_scheme_names[QSM_COLLOCATION_SCHEMES];  // "serial", ...
// False, and *scheme stays: no such scheme.
bool qsm_collocation_scheme_by_name(const char *name, enum qsm_collocation_scheme *scheme);

// A distinct kernel of an application.
struct qsm_collocation_kernel {
  // T[s, c]: time[s][c - 1], for 1 .. n_sms SMs under the policies s0, s1, s2, s12 (as written to
  // CACHE_POLICY: bit 0 the shared L1, bit 1 the L2). Of any unit, the same for all; above 0. The
  // caller keeps them. time[1..3] may be NULL for schemes other than FedCM.
  const uint64_t *time[QSM_COLLOCATION_POLICIES];
  uint32_t threads, shared_bytes, registers;  // of a block; 0: it uses none of this resource
};

struct qsm_collocation_machine {
  uint32_t n_sms;     // 1 .. 128
  uint32_t n_arrays;  // shader arrays, 0 .. n_sms; SM i is in array i mod n_arrays; 0: none (F5)
};

struct qsm_collocation_options {
  enum qsm_collocation_scheme scheme;
  double sigma;   // share of distinct kernels that are critical: 0.000001 .. 1; the paper: 0.1
  double gamma;   // a bypass may make a kernel so much slower: 1 .. 1000000; the paper: 1.1
  uint32_t seed;  // of the draws; not 0
};
extern const struct qsm_collocation_options qsm_collocation_defaults;  // FedCM, the paper's values

struct qsm_collocation;

// NULL: *msg says which value is wrong, and what it may be.
struct qsm_collocation *qsm_collocation_create(const struct qsm_collocation_machine *machine,
                                               const struct qsm_collocation_options *options,
                                               char *msg, size_t msg_len);
void qsm_collocation_destroy(struct qsm_collocation *collocation);

// An application whose distinct kernels are numbered in the order of their first launches. Returns
// its queue, from 0 on; -1: *msg says what is wrong (no kernel, a time of 0, which). May come while
// others run.
int qsm_collocation_add(struct qsm_collocation *collocation,
                        const struct qsm_collocation_kernel *kernels, uint32_t n_kernels, char *msg,
                        size_t msg_len);
// The application has ended; none of its kernels runs. Its queue's number is not used again.
void qsm_collocation_remove(struct qsm_collocation *collocation, uint32_t queue);

struct qsm_collocation_decision {
  bool wait;  // Serial: another application goes before; ask again when one has been removed
  qsm_collocation_mask mask;  // not empty
  uint32_t policy;            // 0 .. 3: s0, s1, s2, s12
  bool decided;  // this launch was decided anew; false: mask and policy of an earlier one (a kernel
                 // that is not critical), so nothing needs to be set
  uint32_t n_candidates, n_draws;  // what it took
};
// The next kernel of the queue is ready. The queue has none running.
struct qsm_collocation_decision qsm_collocation_decide(struct qsm_collocation *collocation,
                                                       uint32_t queue, uint32_t kernel);
// The launch that was decided begins; it ends. Masks count while their kernels run.
void qsm_collocation_begin(struct qsm_collocation *collocation, uint32_t queue);
void qsm_collocation_end(struct qsm_collocation *collocation, uint32_t queue);

// ---- of a profile ----
bool qsm_collocation_is_critical(const struct qsm_collocation *collocation, uint32_t queue,
                                 uint32_t kernel);
// d * n_sms: the smallest number of SMs with T[s0, c] <= 1.1 T[s0, n_sms] (F7).
uint32_t qsm_collocation_demand(const struct qsm_collocation_machine *machine,
                                const struct qsm_collocation_kernel *kernel);
// SMs that a profile with c of them uses (F4): 0 .. c - 1, which lie in as many arrays as can be.
qsm_collocation_mask qsm_collocation_profile_mask(uint32_t c);
// The running kernel's U on an SM, between 0 (not in its mask, or nothing runs) and 1 (F2).
double qsm_collocation_share(const struct qsm_collocation *collocation, uint32_t queue,
                             uint32_t sm);

#ifdef __cplusplus
}
#endif

#endif

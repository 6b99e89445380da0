// SPDX-License-Identifier: Apache-2.0
// Caches of the shader arrays, between the crossbar's ingress queues and its channels
// (docs/sa_cache.md, R-SA). The crossbar runs them: in each cycle qsm_sa_begin(), then what it
// offers and takes, then qsm_sa_end().
#ifndef QSM_SA_CACHE_H
#define QSM_SA_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_bus.h"
#include "qsm_config.h"
#include "qsm_events.h"
#include "qsm_mem.h"

enum { QSM_SA_FIRST_COUNTER = 24, QSM_SA_COUNTERS = 6 };  // MEM_SELECT's numbers (R-SA-18)

struct qsm_sa_cache;

// `policy`: CACHE_POLICY of each slot. The arguments outlive the caches. NULL: no memory.
struct qsm_sa_cache *qsm_sa_create(const struct qsm_config *config, const uint32_t *policy,
                                   const struct qsm_bus *bus);
void qsm_sa_destroy(struct qsm_sa_cache *sa);  // NULL is fine

// ---- What begins a generation (R-SA-14), told before its cycle is run: a message as the SM sees
// it (of a start, that to SM 0), and fences of slots as they arrive ----
void qsm_sa_note(struct qsm_sa_cache *sa, uint32_t sm, const struct qsm_sm_msg *msg);
void qsm_sa_note_fences(struct qsm_sa_cache *sa, uint32_t sm, uint64_t cycle, uint32_t slots);

// ---- A cycle ----
// First cycle from `from` on in which anything can happen, if nothing is shown or offered before.
uint64_t qsm_sa_next(const struct qsm_sa_cache *sa, uint64_t from);
// The SM's oldest request, in the cycle from which on it is the head of its ingress queue. It stays
// where it is until its response has been sent.
void qsm_sa_show(struct qsm_sa_cache *sa, uint32_t sm, struct qsm_mem_access *request);
// Responses go back to the SMs; banks choose their ops. Returns the SMs whose heads were taken.
qsm_sm_set qsm_sa_begin(struct qsm_sa_cache *sa, uint64_t cycle);
// A channel's response for an SM: banks take theirs (R-SA-9). Returns the channels whose response
// was taken.
void qsm_sa_offer(struct qsm_sa_cache *sa, uint32_t channel,
                  const struct qsm_mem_response *response);
uint32_t qsm_sa_take(struct qsm_sa_cache *sa);
// The request that a bank of the array has for the channel, which was exposed; it leaves.
struct qsm_mem_access *qsm_sa_pop(struct qsm_sa_cache *sa, uint32_t array, uint32_t channel);
// A request of an array that shows to its channel from the next cycle on.
struct qsm_sa_exposed {
  uint16_t array;
  uint32_t addr;
};
// Acts. Returns how many requests are new, and which.
uint32_t qsm_sa_end(struct qsm_sa_cache *sa, uint64_t cycle, const struct qsm_sa_exposed **exposed);

// ---- Observation ----
uint32_t qsm_sa_counter(const struct qsm_sa_cache *sa, uint32_t sm, uint32_t bank, uint32_t slot,
                        uint32_t counter);  // of the SM's array
bool qsm_sa_state(const struct qsm_sa_cache *sa, enum qsm_state_kind kind, uint32_t array,
                  uint32_t bank, uint32_t index, uint32_t word, uint32_t *value);
// See qsm_model_inject().
int qsm_sa_inject(struct qsm_sa_cache *sa, uint64_t seed, char *what, size_t what_len);

#endif

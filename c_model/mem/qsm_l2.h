// SPDX-License-Identifier: Apache-2.0
// The L2: one slice per memory channel (docs/l2.md, R-L2). Towards the crossbar each slice is a
// memory port with the functions of qsm_mem.h; the result of its step says whether it takes a
// request.
#ifndef QSM_L2_H
#define QSM_L2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_config.h"
#include "qsm_port.h"

struct qsm_l2;

enum { QSM_L2_COUNTERS = 7 };  // MEM_SELECT's numbers from 0 on (R-L2-13)

// The arguments outlive the L2; `port` is what is behind it. NULL: no memory.
struct qsm_l2 *qsm_l2_create(const struct qsm_config *config, const struct qsm_port *port,
                             const struct qsm_bus *bus);
void qsm_l2_destroy(struct qsm_l2 *l2);  // NULL is fine

// First cycle from `from` on in which the slice does anything, if the crossbar takes no response;
// `waits`: it has a request.
uint64_t qsm_l2_next(const struct qsm_l2 *l2, uint32_t channel, uint64_t from, bool waits);
// A request for this address will come soon: the host may fetch the ways that it looks at.
void qsm_l2_fetch_ways(const struct qsm_l2 *l2, uint32_t channel, uint32_t addr);
// One cycle, before the crossbar takes a response in it: the request at the crossbar's port (NULL:
// none) is taken if it returns true, and then stays where it is until its response is taken. Cycles
// ascending, none that qsm_l2_next() names left out.
bool qsm_l2_step(struct qsm_l2 *l2, uint32_t channel, uint64_t cycle,
                 const struct qsm_mem_access *request);

// A response that was taken stays for two more.
uint64_t qsm_l2_response_at(const struct qsm_l2 *l2, uint32_t channel);
const struct qsm_mem_response *qsm_l2_response(const struct qsm_l2 *l2, uint32_t channel);
void qsm_l2_take(struct qsm_l2 *l2, uint32_t channel);

// R-L2-10: L2_FLUSH is written in `cycle` with a value that it takes, and what it reads.
void qsm_l2_flush(struct qsm_l2 *l2, uint64_t cycle, uint32_t value);
bool qsm_l2_is_flushing(const struct qsm_l2 *l2, uint64_t cycle);

// R-L2-13, as it shows in `cycle`; at the end of `cycle` those of the slots in the mask become 0.
uint32_t qsm_l2_counter(const struct qsm_l2 *l2, uint64_t cycle, uint32_t channel, uint32_t slot,
                        uint32_t counter);
void qsm_l2_clear_counters(struct qsm_l2 *l2, uint64_t cycle, uint32_t slots);

// As qsm_model_state() and qsm_model_inject(); `cycle` is the next one to run.
bool qsm_l2_state(const struct qsm_l2 *l2, uint64_t cycle, enum qsm_state_kind kind,
                  uint32_t channel, uint32_t index, uint32_t word, uint32_t *value);
int qsm_l2_inject(struct qsm_l2 *l2, uint64_t seed, char *what, size_t what_len);

#endif

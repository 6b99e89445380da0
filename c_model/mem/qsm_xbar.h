// SPDX-License-Identifier: Apache-2.0
// The crossbar between SMs and memory channels (docs/xbar.md, R-XB).
#ifndef QSM_XBAR_H
#define QSM_XBAR_H

#include <stddef.h>
#include <stdint.h>

#include "qsm_bus.h"
#include "qsm_config.h"
#include "qsm_l2.h"
#include "qsm_port.h"
#include "qsm_sa_cache.h"
#include "qsm_sm.h"

struct qsm_xbar;

// The arguments outlive the crossbar. NULL: no memory.
// `l2` stands between the crossbar and `port`, which is copied; NULL: nothing does. `sa`: caches of
// shader arrays; NULL: there are none. The crossbar runs both, and what stands behind it.
struct qsm_xbar *qsm_xbar_create(const struct qsm_config *config, struct qsm_sa_cache *sa,
                                 struct qsm_l2 *l2, const struct qsm_port *port,
                                 const struct qsm_bus *bus);
void qsm_xbar_destroy(struct qsm_xbar *xbar);  // NULL is fine

// A request that SM `sm` sends in req->cycle, not before the next cycle to step and at most a
// window after it; each SM's in order.
void qsm_xbar_push(struct qsm_xbar *xbar, uint32_t sm, const struct qsm_mem_req *req);
// First cycle from `from` on in which anything can happen, if no more requests are pushed.
uint64_t qsm_xbar_next(const struct qsm_xbar *xbar, uint64_t from);
// The state behind the crossbar was changed from outside.
void qsm_xbar_look_again(struct qsm_xbar *xbar);
// Does one cycle; cycles ascending, none that qsm_xbar_next() names left out.
void qsm_xbar_step(struct qsm_xbar *xbar, uint64_t cycle);

// Flips an address bit of a request that waits; see qsm_model_inject().
int qsm_xbar_inject(struct qsm_xbar *xbar, uint64_t seed, char *what, size_t what_len);

#endif

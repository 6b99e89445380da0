// SPDX-License-Identifier: Apache-2.0
// Memory port of an SM: instruction misses before the load/store unit, and responses to where they
// belong (docs/sm.md, R-SM-8, R-SM-9).
#ifndef QSM_MEM_PORT_H
#define QSM_MEM_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_bits.h"
#include "qsm_sm.h"

enum { QSM_MAX_RSPS = 256 };  // transactions and fetches: each has one response under way at most

struct qsm_sm;

struct qsm_mem_port {
  uint32_t fetch_pend;  // sub-cores whose miss register is PEND
  uint32_t rsp_head, rsp_count;
  struct qsm_mem_rsp rsp[QSM_MAX_RSPS];
  uint32_t fetched[QSM_MAX_SUBS][QSM_MAX_LANES];  // lines of the sub-cores' misses
};

// A sub-core has a miss to send.
static inline void qsm_mem_port_ask(struct qsm_mem_port *port, uint32_t sub) {
  port->fetch_pend |= 1u << sub;
}
// Sends the sub-core's miss, which is that of the lowest that asked at the cycle's start.
void qsm_mem_port_send_fetch(struct qsm_sm *sm, uint32_t sub, uint64_t c);

// The place of the next request among the outputs, to be filled in by the load/store unit or the
// L1, which send it then, with the address that their kernel knows.
struct qsm_mem_req *qsm_mem_port_request(struct qsm_sm *sm, uint64_t c);
void qsm_mem_port_send(struct qsm_sm *sm, struct qsm_mem_req *req);

// The cycle of the next response; QSM_NEVER: none is there.
static inline uint64_t qsm_mem_port_next(const struct qsm_mem_port *port) {
  return port->rsp_count ? port->rsp[port->rsp_head].cycle : QSM_NEVER;
}
// Tells who gets this cycle's response, at its start; gives it to him, at its end.
void qsm_mem_port_announce(struct qsm_sm *sm, uint64_t c);
void qsm_mem_port_respond(struct qsm_sm *sm, uint64_t c);

#endif

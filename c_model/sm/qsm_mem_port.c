// SPDX-License-Identifier: Apache-2.0
// Memory port of an SM.
#include "qsm_mem_port.h"

#include <string.h>

#include "qsm_partition.h"
#include "qsm_sm_blocks.h"

// The line of a transaction or of a miss is not read before its response.
uint32_t *qsm_sm_push_response(struct qsm_sm *sm, uint64_t cycle, uint8_t tag) {
  struct qsm_mem_port *port = &sm->port;
  port->rsp[(port->rsp_head + port->rsp_count++) % QSM_MAX_RSPS] = (struct qsm_mem_rsp){cycle, tag};
  return tag < sm->n_txns ? qsm_lsu_line(&sm->lsu, tag) : port->fetched[tag - sm->n_txns];
}

// ---- Requests ----

struct qsm_mem_req *qsm_mem_port_request(struct qsm_sm *sm, uint64_t c) {
  struct qsm_mem_req *req = qsm_sm_next_request(sm);
  req->cycle = c;
  return req;
}

static void report(struct qsm_sm *sm, const struct qsm_mem_req *req) {
  uint32_t mask_words = (sm->line_bytes + 31) / 32;
  uint32_t words[4 + QSM_MASK_WORDS + QSM_MAX_LANES] = {req->kind * 16u + req->amo, req->addr,
                                                        req->tag, req->slot};
  memcpy(words + 4, req->bytes, mask_words * sizeof *words);
  if (req->kind != QSM_MEM_READ) memcpy(words + 4 + mask_words, req->data, sm->line_bytes);
  qsm_sm_event(sm, req->cycle, QSM_EV_REQ, 0, words, 4 + mask_words + sm->n_lanes);
}

// R-XB-6.
void qsm_mem_port_send(struct qsm_sm *sm, struct qsm_mem_req *req) {
  uint32_t split = sm->shared->mem_split[req->slot];
  if (split) req->addr = qsm_partition_address(sm->shared->config, split, req->addr);
  if (sm->trace.sink) report(sm, req);
}

// R-SM-8.
void qsm_mem_port_send_fetch(struct qsm_sm *sm, uint32_t sub, uint64_t c) {
  struct qsm_fetch *fetch = &sm->sub[sub]->fetch;
  struct qsm_mem_req *req = qsm_mem_port_request(sm, c);
  req->kind = QSM_MEM_READ;
  req->amo = 0;
  req->tag = (uint8_t)(sm->n_txns + sub);
  req->slot = fetch->miss.kernel;
  req->nc = false;
  req->addr = fetch->miss.line;
  memset(req->bytes, 0, sizeof req->bytes);
  sm->port.fetch_pend &= ~(1u << sub);
  qsm_fetch_granted(fetch);
  qsm_mem_port_send(sm, req);
}

// ---- Responses ----

static const struct qsm_mem_rsp *response_of(const struct qsm_mem_port *port, uint64_t c) {
  const struct qsm_mem_rsp *rsp = &port->rsp[port->rsp_head];
  return port->rsp_count && rsp->cycle == c ? rsp : NULL;
}

void qsm_mem_port_announce(struct qsm_sm *sm, uint64_t c) {
  const struct qsm_mem_rsp *rsp = response_of(&sm->port, c);
  if (!rsp) return;
  if (rsp->tag >= sm->n_txns)
    qsm_fetch_announce_fill(&sm->sub[rsp->tag - sm->n_txns]->fetch);
  else if (sm->l1)
    qsm_l1_announce_fill(sm->l1, sm->lsu.txn[rsp->tag].line);
}

// R-SM-9.
void qsm_mem_port_respond(struct qsm_sm *sm, uint64_t c) {
  struct qsm_mem_port *port = &sm->port;
  const struct qsm_mem_rsp *rsp = response_of(port, c);
  if (!rsp) return;
  QSM_EMIT(sm, c, QSM_EV_RSP, 0, rsp->tag);
  if (rsp->tag >= sm->n_txns) {
    qsm_fetch_fill(sm->sub[rsp->tag - sm->n_txns], port->fetched[rsp->tag - sm->n_txns], c);
  } else {
    qsm_lsu_respond(&sm->lsu, rsp->tag);
  }
  port->rsp_head = (port->rsp_head + 1) % QSM_MAX_RSPS;
  port->rsp_count--;
}

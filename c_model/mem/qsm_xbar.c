// SPDX-License-Identifier: Apache-2.0
#include "qsm_xbar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CHANNELS = 16, QUEUE_DEPTH = 2, MAX_REQUESTERS = QSM_MAX_SMS + 1 };

// Requests stay in a place until their response is sent: queues, also those of the blocks behind,
// hold pointers. An SM's transaction has one of its own, the tag's; the front end's writes share a
// tag, so its requests take any that is free.

// Requests of one SM in sending order: those that have arrived (n_arrived) are its ingress queue,
// the rest are under way.
struct ingress {
  uint32_t head, n_held, n_arrived;
};

struct channel {
  qsm_sm_set heads;  // ports whose head is for this channel
  uint32_t grant_from;
  uint32_t n_out, n_rsp;
  struct qsm_mem_access *out[QUEUE_DEPTH];          // [0] is the head
  const struct qsm_mem_response *rsp[QUEUE_DEPTH];  // in the memory's keeping until they are sent
};

struct qsm_xbar {
  const struct qsm_config *config;
  struct qsm_sa_cache *sa;  // NULL: no shader arrays
  struct qsm_l2 *l2;        // NULL: none
  struct qsm_port port;
  const struct qsm_bus *bus;
  uint32_t line_shift;
  uint32_t ring_mask;
  uint32_t n_sources, n_ports;  // of the channels: arrays or SMs; with the front end behind them
  uint32_t n_tags;              // places of an SM
  uint64_t free_places;         // of the front end, behind the SMs'
  uint32_t line_bytes;
  struct qsm_calendar arrivals;
  struct ingress ingress[MAX_REQUESTERS];
  uint32_t return_from[MAX_REQUESTERS];
  uint32_t offers[MAX_REQUESTERS];  // channels, within a step
  uint64_t next[MAX_CHANNELS];  // first cycle in which anything can happen in a channel, if no head
                                // shows to it before
  struct channel channel[MAX_CHANNELS];
  uint8_t *ring;                   // [sm][ring_mask + 1], places
  struct qsm_mem_access *request;  // [sm][place]
  struct qsm_payload *payload;     // [sm][place]
};

struct qsm_xbar *qsm_xbar_create(const struct qsm_config *config, struct qsm_sa_cache *sa,
                                 struct qsm_l2 *l2, const struct qsm_port *port,
                                 const struct qsm_bus *bus) {
  struct qsm_xbar *xbar = calloc(1, sizeof *xbar);
  if (!xbar) return NULL;
  const uint32_t n_front = qsm_config_front_requests(config);
  uint32_t length = 1;
  xbar->n_sources = sa ? config->num_sas : config->num_sms;
  xbar->n_ports = xbar->n_sources + (config->cmd_channels != 0);
  xbar->n_tags = config->mem_txns + config->num_sched;
  while (length < xbar->n_tags || length < n_front) length *= 2;
  xbar->free_places = (UINT64_C(1) << n_front) - 1;
  const size_t n_places = (size_t)config->num_sms * xbar->n_tags + n_front;
  xbar->config = config;
  xbar->sa = sa;
  xbar->l2 = l2;
  xbar->port = *port;
  xbar->bus = bus;
  xbar->line_bytes = qsm_config_line_bytes(config);
  xbar->line_shift = qsm_lowest(xbar->line_bytes);
  xbar->ring_mask = length - 1;
  xbar->ring = calloc((size_t)qsm_config_requesters(config) * length, sizeof *xbar->ring);
  xbar->request = calloc(n_places, sizeof *xbar->request);
  xbar->payload = calloc(n_places, sizeof *xbar->payload);
  if (!xbar->ring || !xbar->request || !xbar->payload) {
    qsm_xbar_destroy(xbar);
    return NULL;
  }
  return xbar;
}

void qsm_xbar_destroy(struct qsm_xbar *xbar) {
  if (!xbar) return;
  free(xbar->ring);
  free(xbar->request);
  free(xbar->payload);
  free(xbar);
}

static uint8_t *place_at(const struct qsm_xbar *xbar, uint32_t sm, uint32_t index) {
  return &xbar->ring[(size_t)sm * (xbar->ring_mask + 1) + (index & xbar->ring_mask)];
}

static size_t index_of(const struct qsm_xbar *xbar, uint32_t sm, uint32_t place) {
  return (size_t)sm * xbar->n_tags + place;
}

static bool is_front(const struct qsm_xbar *xbar, uint32_t sm) {
  return sm == xbar->config->num_sms;
}

// R-XB-1 has one for each request.
static uint8_t take_place(struct qsm_xbar *xbar, uint32_t sm, uint8_t tag) {
  if (!is_front(xbar, sm)) return tag;
  uint32_t place = qsm_lowest(xbar->free_places);
  xbar->free_places &= xbar->free_places - 1;
  return (uint8_t)place;
}

static struct qsm_mem_access *ingress_head(const struct qsm_xbar *xbar, uint32_t sm) {
  return &xbar->request[index_of(xbar, sm, *place_at(xbar, sm, xbar->ingress[sm].head))];
}

// R-XB-2
static uint32_t channel_of(const struct qsm_xbar *xbar, uint32_t addr) {
  return (addr >> xbar->line_shift) & (xbar->config->num_channels - 1);
}

void qsm_xbar_push(struct qsm_xbar *xbar, uint32_t sm, const struct qsm_mem_req *req) {
  struct ingress *in = &xbar->ingress[sm];
  const uint8_t place = take_place(xbar, sm, req->tag);
  const struct qsm_mem_access access = {.kind = req->kind,
                                        .amo = req->amo,
                                        .sm = (uint8_t)sm,
                                        .tag = req->tag,
                                        .slot = req->slot,
                                        .place = place,
                                        .nc = req->nc,
                                        .addr = req->addr,
                                        .bytes = req->bytes,
                                        .data = req->data};
  size_t index = index_of(xbar, sm, place);
  qsm_hold_request(&xbar->request[index], &xbar->payload[index], &access, xbar->line_bytes);
  *place_at(xbar, sm, in->head + in->n_held++) = place;
  qsm_calendar_add(&xbar->arrivals, req->cycle + xbar->config->noc_lat, sm);
}

// Registers a port's head with its channel, to which it shows in `cycle`.
static void expose(struct qsm_xbar *xbar, uint32_t port, uint32_t addr, uint64_t cycle) {
  const uint32_t channel = channel_of(xbar, addr);
  xbar->channel[channel].heads |= qsm_sm_bit(port);
  xbar->next[channel] = qsm_earlier(xbar->next[channel], cycle);
}

// An array's cache stands between the SM's queue and the channels.
static bool has_array(const struct qsm_xbar *xbar, uint32_t sm) {
  return xbar->sa && !is_front(xbar, sm);
}

// The head of SM's ingress queue, if any, shows in `cycle`.
static void expose_head(struct qsm_xbar *xbar, uint32_t sm, uint64_t cycle) {
  const struct ingress *in = &xbar->ingress[sm];
  if (in->n_arrived == 0) return;
  struct qsm_mem_access *head = ingress_head(xbar, sm);
  if (has_array(xbar, sm)) {
    qsm_sa_show(xbar->sa, sm, head);
  } else {
    expose(xbar, sm - xbar->config->num_sms + xbar->n_sources, head->addr, cycle);
  }
}

static void drop_ingress(struct qsm_xbar *xbar, uint32_t sm) {
  xbar->ingress[sm].head++;
  xbar->ingress[sm].n_held--;
  xbar->ingress[sm].n_arrived--;
}

// R-XB-1: what was sent NocLat cycles ago is in the queue.
static void arrive(struct qsm_xbar *xbar, uint64_t cycle) {
  for (qsm_sm_set sms = qsm_calendar_take(&xbar->arrivals, cycle); sms; sms &= sms - 1) {
    uint32_t sm = qsm_lowest_sm(sms);
    if (xbar->ingress[sm].n_arrived++ == 0) expose_head(xbar, sm, cycle);
  }
}

static void drop_response(struct channel *ch) {
  ch->n_rsp--;
  ch->rsp[0] = ch->rsp[1];
}

static void send_response(struct qsm_xbar *xbar, uint64_t cycle, struct channel *ch) {
  const struct qsm_mem_response *head = ch->rsp[0];
  const uint64_t seen = cycle + xbar->config->noc_lat + xbar->config->rsp_lat;
  uint32_t *line = xbar->bus->push_response(xbar->bus->ctx, head->sm, seen, head->tag);
  if (head->kind != QSM_MEM_WRITE) qsm_copy_line(line, head->data, xbar->line_bytes);
  if (is_front(xbar, head->sm)) xbar->free_places |= UINT64_C(1) << head->place;
  drop_response(ch);
}

// R-XB-5: each SM takes from one channel; those in arrays have their banks do so.
static void return_responses(struct qsm_xbar *xbar, uint64_t cycle, uint32_t channels) {
  uint32_t sms[MAX_CHANNELS], n = 0;  // of the heads
  for (; channels; channels &= channels - 1) {
    uint32_t c = qsm_lowest(channels);
    if (xbar->channel[c].n_rsp == 0) continue;
    if (has_array(xbar, xbar->channel[c].rsp[0]->sm)) {
      qsm_sa_offer(xbar->sa, c, xbar->channel[c].rsp[0]);
      continue;
    }
    sms[n] = xbar->channel[c].rsp[0]->sm;
    xbar->offers[sms[n++]] |= 1u << c;
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t sm = sms[i], offers = xbar->offers[sm];
    if (!offers) continue;  // has taken one
    uint32_t c = qsm_first_from(offers, xbar->return_from[sm]);
    xbar->offers[sm] = 0;
    xbar->return_from[sm] = (c + 1) % xbar->config->num_channels;
    send_response(xbar, cycle, &xbar->channel[c]);
  }
  for (uint32_t taken = xbar->sa ? qsm_sa_take(xbar->sa) : 0; taken; taken &= taken - 1)
    drop_response(&xbar->channel[qsm_lowest(taken)]);
}

// R-XB-2, R-SA-13. A port's next head shows only after the cycle: returns the requesters whose
// queue has moved.
static qsm_sm_set grant(struct qsm_xbar *xbar, uint32_t c) {
  struct channel *ch = &xbar->channel[c];
  const uint32_t port = qsm_first_sm_from(ch->heads, ch->grant_from);
  const uint32_t sm = port - xbar->n_sources + xbar->config->num_sms;
  const bool of_array = xbar->sa && port < xbar->n_sources;
  ch->heads &= ~qsm_sm_bit(port);
  ch->grant_from = (port + 1) % xbar->n_ports;
  struct qsm_mem_access *request =
      of_array ? qsm_sa_pop(xbar->sa, port, c) : ingress_head(xbar, sm);
  if (xbar->l2) qsm_l2_fetch_ways(xbar->l2, c, request->addr);
  ch->out[ch->n_out++] = request;
  if (of_array) return 0;
  drop_ingress(xbar, sm);
  return qsm_sm_bit(sm);
}

// R-XB-3: the request at the port; returns whether it left.
static bool port_out(struct qsm_xbar *xbar, uint64_t cycle, uint32_t c) {
  struct channel *ch = &xbar->channel[c];
  if (xbar->l2) return qsm_l2_step(xbar->l2, c, cycle, ch->n_out ? ch->out[0] : NULL);
  if (ch->n_out == 0 || qsm_port_ready_at(&xbar->port, c) > cycle) return false;
  qsm_port_accept(&xbar->port, c, cycle, ch->out[0]);
  return true;
}

static void drop_head(struct channel *ch) {
  ch->n_out--;
  ch->out[0] = ch->out[1];
}

static uint64_t response_at(const struct qsm_xbar *xbar, uint32_t c) {
  return xbar->l2 ? qsm_l2_response_at(xbar->l2, c) : qsm_port_response_at(&xbar->port, c);
}

// R-XB-4
static void port_in(struct qsm_xbar *xbar, uint64_t cycle, uint32_t c) {
  struct channel *ch = &xbar->channel[c];
  ch->rsp[ch->n_rsp++] =
      xbar->l2 ? qsm_l2_response(xbar->l2, c) : qsm_port_response(&xbar->port, c);
  if (xbar->l2) {
    qsm_l2_take(xbar->l2, c);
  } else {
    qsm_port_take(&xbar->port, c, cycle);
  }
}

static uint64_t channel_next(const struct qsm_xbar *xbar, uint32_t c, uint64_t from) {
  const struct channel *ch = &xbar->channel[c];
  if (ch->n_rsp || (ch->heads && ch->n_out < QUEUE_DEPTH)) return from;
  uint64_t next = response_at(xbar, c);
  if (xbar->l2) {
    next = qsm_earlier(next, qsm_l2_next(xbar->l2, c, from, ch->n_out > 0));
  } else if (ch->n_out) {
    next = qsm_earlier(next, qsm_port_ready_at(&xbar->port, c));
  }
  if (xbar->port.dram) next = qsm_earlier(next, qsm_dram_next(xbar->port.dram, c, from));
  return next > from ? next : from;
}

static qsm_sm_set begin_arrays(struct qsm_xbar *xbar, uint64_t cycle) {
  const qsm_sm_set taken = qsm_sa_begin(xbar->sa, cycle);
  for (qsm_sm_set left = taken; left; left &= left - 1) drop_ingress(xbar, qsm_lowest_sm(left));
  return taken;
}

static void end_arrays(struct qsm_xbar *xbar, uint64_t cycle) {
  const struct qsm_sa_exposed *exposed;
  for (uint32_t n = qsm_sa_end(xbar->sa, cycle, &exposed); n; n--, exposed++)
    expose(xbar, exposed->array, exposed->addr, cycle + 1);
}

// Every decision looks at the registers of the cycle's start: queue lengths are read before the
// queues move, and a granted SM's next head shows to no channel before the next cycle.
void qsm_xbar_step(struct qsm_xbar *xbar, uint64_t cycle) {
  uint32_t active = 0, may_take = 0;
  qsm_sm_set moved = 0;  // ingress queues
  arrive(xbar, cycle);
  for (uint32_t c = 0; c < xbar->config->num_channels; c++)
    active |= (uint32_t)(xbar->next[c] <= cycle) << c;
  for (uint32_t left = active; left; left &= left - 1) {
    uint32_t c = qsm_lowest(left);
    if (xbar->channel[c].n_rsp < QUEUE_DEPTH && response_at(xbar, c) <= cycle) may_take |= 1u << c;
  }
  if (xbar->sa) moved = begin_arrays(xbar, cycle);
  return_responses(xbar, cycle, active);
  for (uint32_t left = active; left; left &= left - 1) {
    uint32_t c = qsm_lowest(left);
    struct channel *ch = &xbar->channel[c];
    bool may_grant = ch->n_out < QUEUE_DEPTH && ch->heads != 0;
    if (xbar->port.dram) qsm_dram_step(xbar->port.dram, c, cycle);
    if ((ch->n_out || xbar->l2) && port_out(xbar, cycle, c)) drop_head(ch);
    if (may_grant) moved |= grant(xbar, c);
    if (may_take >> c & 1) port_in(xbar, cycle, c);
  }
  if (xbar->sa) end_arrays(xbar, cycle);
  for (; moved; moved &= moved - 1) expose_head(xbar, qsm_lowest_sm(moved), cycle + 1);
  for (; active; active &= active - 1)
    xbar->next[qsm_lowest(active)] = channel_next(xbar, qsm_lowest(active), cycle + 1);
}

uint64_t qsm_xbar_next(const struct qsm_xbar *xbar, uint64_t from) {
  uint64_t next = qsm_calendar_next(&xbar->arrivals, from);
  if (xbar->sa) next = qsm_earlier(next, qsm_sa_next(xbar->sa, from));
  for (uint32_t c = 0; c < xbar->config->num_channels; c++) next = qsm_earlier(next, xbar->next[c]);
  return next > from ? next : from;
}

void qsm_xbar_look_again(struct qsm_xbar *xbar) { memset(xbar->next, 0, sizeof xbar->next); }

// Address bits above the channel's, so that the request stays where it is queued.
int qsm_xbar_inject(struct qsm_xbar *xbar, uint64_t seed, char *what, size_t what_len) {
  uint32_t low = xbar->line_shift + qsm_lowest(xbar->config->num_channels);
  uint32_t bit = low + (uint32_t)(seed / QSM_MAX_SMS % (28 - low));
  for (uint32_t n = 0; n < qsm_config_requesters(xbar->config); n++) {
    uint32_t sm = (uint32_t)((seed + n) % qsm_config_requesters(xbar->config));
    if (xbar->ingress[sm].n_held == 0) continue;
    ingress_head(xbar, sm)->addr ^= 1u << bit;
    snprintf(what, what_len, "xbar: bit %u of the address of SM %u's oldest request", bit, sm);
    return 0;
  }
  for (uint32_t c = 0; c < xbar->config->num_channels; c++) {
    if (xbar->channel[c].n_out == 0) continue;
    xbar->channel[c].out[0]->addr ^= 1u << bit;
    snprintf(what, what_len, "xbar: bit %u of the address at the head of channel %u's output queue",
             bit, c);
    return 0;
  }
  return -1;
}

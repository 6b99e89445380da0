// SPDX-License-Identifier: Apache-2.0
// The device behind the crossbar or behind an L2 slice: the memory controller of the channel, or
// its memory port (docs/xbar.md).
#ifndef QSM_PORT_H
#define QSM_PORT_H

#include <string.h>

#include "qsm_bus.h"
#include "qsm_dram.h"
#include "qsm_mem.h"

struct qsm_port {
  struct qsm_mem *mem;
  struct qsm_dram *dram;  // NULL: none
  const struct qsm_bus *bus;
};

// ---- The memory port itself, whose accesses are reported ----

// What the request carries: slot, byte mask, and the bytes in it, others as 0.
static inline void qsm_mem_port_report_line(const struct qsm_mem *mem, const struct qsm_bus *bus,
                                            uint32_t c, uint64_t cycle,
                                            const struct qsm_mem_access *access) {
  uint32_t words[1 + QSM_MEM_MAX_MASK_WORDS + QSM_MEM_MAX_WORDS] = {access->slot};
  uint32_t n_lanes = qsm_mem_line_words(mem), n_masks = (4 * n_lanes + 31) / 32;
  uint32_t *data = words + 1 + n_masks;
  if (access->kind != QSM_MEM_READ) memcpy(words + 1, access->bytes, n_masks * sizeof *words);
  if (n_lanes < 8) words[1] &= (1u << 4 * n_lanes) - 1;  // a whole line is written as all ones
  for (uint32_t i = 0; access->kind != QSM_MEM_READ && i < n_lanes; i++) {
    uint32_t mask = access->bytes[i / 8] >> 4 * (i % 8) & 15;
    for (uint32_t b = 0; b < 4; b++)
      if (mask >> b & 1) data[i] |= access->data[i] & 0xffu << 8 * b;
  }
  qsm_bus_report(bus, cycle, QSM_EV_MEM_LINE, c, 1 + n_masks + n_lanes, words);
}

static inline void qsm_mem_port_accept(struct qsm_mem *mem, const struct qsm_bus *bus, uint32_t c,
                                       uint64_t cycle, const struct qsm_mem_access *access) {
  qsm_mem_accept(mem, c, cycle, access);
  const uint32_t words[] = {access->kind * 16u + access->amo, access->addr, access->sm,
                            access->tag};
  qsm_bus_report(bus, cycle, QSM_EV_MEM_REQ, c, 4, words);
  if (bus->lines) qsm_mem_port_report_line(mem, bus, c, cycle, access);
}

static inline void qsm_mem_port_take(struct qsm_mem *mem, const struct qsm_bus *bus, uint32_t c,
                                     uint64_t cycle) {
  if (bus->reporting) {
    const struct qsm_mem_response *response = qsm_mem_response(mem, c);
    uint32_t words[] = {response->sm, response->tag};
    qsm_bus_report(bus, cycle, QSM_EV_MEM_RSP, c, 2, words);
  }
  qsm_mem_take(mem, c, cycle);
}

// ---- Hand-shakes with what is there; meaning as in qsm_mem.h ----

static inline uint64_t qsm_port_ready_at(const struct qsm_port *port, uint32_t c) {
  return port->dram ? qsm_dram_ready_at(port->dram, c) : qsm_mem_ready_at(port->mem, c);
}

static inline void qsm_port_accept(const struct qsm_port *port, uint32_t c, uint64_t cycle,
                                   const struct qsm_mem_access *access) {
  if (port->dram) {
    qsm_dram_accept(port->dram, c, cycle, access);
  } else {
    qsm_mem_port_accept(port->mem, port->bus, c, cycle, access);
  }
}

static inline uint64_t qsm_port_response_at(const struct qsm_port *port, uint32_t c) {
  return port->dram ? qsm_dram_response_at(port->dram, c) : qsm_mem_response_at(port->mem, c);
}

static inline const struct qsm_mem_response *qsm_port_response(const struct qsm_port *port,
                                                               uint32_t c) {
  return port->dram ? qsm_dram_response(port->dram, c) : qsm_mem_response(port->mem, c);
}

static inline void qsm_port_take(const struct qsm_port *port, uint32_t c, uint64_t cycle) {
  if (port->dram) {
    qsm_dram_take(port->dram, c, cycle);
  } else {
    qsm_mem_port_take(port->mem, port->bus, c, cycle);
  }
}

// ---- Requests that wait in a block ----

// What writes and AMOs carry. Stored separately from the access, which points to it, because many
// requests are reads.
struct qsm_payload {
  uint32_t bytes[QSM_MEM_MAX_MASK_WORDS];
  uint32_t data[QSM_MEM_MAX_WORDS];
};

static inline void qsm_hold_request(struct qsm_mem_access *held, struct qsm_payload *to,
                                    const struct qsm_mem_access *access, uint32_t line_bytes) {
  *held = *access;
  if (access->kind == QSM_MEM_READ) return;
  for (uint32_t i = 0; i < (line_bytes + 31) / 32; i++) to->bytes[i] = access->bytes[i];
  qsm_copy_line(to->data, access->data, line_bytes);
  held->bytes = to->bytes;
  held->data = to->data;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// The sequencer's loads and stores (docs/front.md, R-FR-8).
#include <string.h>

#include "qsm_front_parts.h"
#include "qsm_partition.h"

static uint32_t words_of_line(const struct qsm_front *front) {
  const struct qsm_front_transfer *transfer = &front->seq.transfer;
  uint32_t line = front->line_bytes / 4, left = transfer->n_words - transfer->n_done;
  return left < line ? left : line;
}

static void send(struct qsm_front *front, uint64_t cycle, struct qsm_mem_req *req, uint32_t addr) {
  uint32_t split = (front->seq.ring & QSM_CH_RING_SPLIT_MASK) >> QSM_CH_RING_SPLIT_SHIFT;
  uint32_t line = addr & ~(front->line_bytes - 1);
  req->cycle = cycle;
  req->nc = true;
  req->addr = split ? qsm_partition_address(front->config, split, line) : line;
  qsm_xbar_push(front->xbar, front->config->num_sms, req);
  front->sends = true;
  front->seq.transfer.sent = true;
  front->seq.at = QSM_NEVER;
}

bool qsm_front_load(struct qsm_front *front, uint64_t cycle) {
  struct qsm_front_transfer *transfer = &front->seq.transfer;
  uint32_t addr = transfer->addr + 4 * transfer->n_done;
  if (!transfer->sent) {
    struct qsm_mem_req req = {.kind = QSM_MEM_READ};
    send(front, cycle, &req, addr);
    return false;
  }
  // One word per cycle, of which this is the last: nobody looks at the buffer meanwhile.
  uint32_t n = words_of_line(front);
  memcpy(&transfer->words[transfer->n_done], &front->line[addr % front->line_bytes / 4], 4 * n);
  transfer->n_done += n;
  transfer->sent = false;
  front->seq.at = cycle + 1;
  return transfer->n_done == transfer->n_words;
}

// Its words lie in one line.
bool qsm_front_store(struct qsm_front *front, uint64_t cycle) {
  const struct qsm_front_transfer *transfer = &front->seq.transfer;
  if (transfer->sent) return true;
  struct qsm_mem_req req = {.kind = QSM_MEM_WRITE};
  uint32_t first = transfer->addr % front->line_bytes, bytes = 4 * transfer->n_words;
  memcpy(&req.data[first / 4], transfer->words, bytes);
  for (uint32_t i = first; i < first + bytes; i++) req.bytes[i / 32] |= 1u << i % 32;
  send(front, cycle, &req, transfer->addr);
  return false;
}

// A store ends in the cycle in which its acknowledgement is seen; of a load the words come then.
uint32_t *qsm_front_push_response(struct qsm_front *front, uint64_t cycle, uint8_t tag) {
  const struct qsm_front_seq *seq = &front->seq;
  if (tag != 0) return qsm_dma_answer(front->dma, cycle, tag);
  bool is_store = seq->state == QSM_FRONT_SET_STORE ||
                  (seq->state == QSM_FRONT_ACCESS && seq->opcode == QSM_CMD_RELEASE);
  front->seq.at = cycle + (is_store ? 0 : words_of_line(front));
  return front->line;
}

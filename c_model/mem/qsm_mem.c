// SPDX-License-Identifier: Apache-2.0
#include "qsm_mem.h"

#include <stdlib.h>
#include <string.h>

#include "qsm_lanes.h"

// A channel is a ring of responses in order of acceptance; all times follow from the acceptance, so
// idle cycles cost nothing.
struct channel {
  uint64_t next_ok;     // R-MM-1
  uint64_t next_valid;  // cycle after the last response was taken
  uint32_t head, n_held;
  struct qsm_mem_response *ring;
};

struct qsm_mem {
  uint32_t n_channels;
  uint32_t n_words;    // of a line
  uint32_t len_bytes;  // of the memory
  uint32_t latency, interval;
  uint32_t ring_mask;  // length - 1
  uint8_t *bytes;
  struct channel *channel;
};

enum { KEPT = 2 };  // responses that stay after they were taken

// A memory controller has so many accesses on the way at most (R-DR-7): few, so that the host's
// caches hold them. Without one a response waits for every transaction in flight at most (R-XB-1),
// and for an L2 slice's own accesses (R-L2-3).
static uint32_t most_responses(const struct qsm_config *config) {
  if (config->dram_banks) return config->dram_queue;
  return config->num_sms * (config->mem_txns + config->num_sched) +
         qsm_config_front_requests(config) +
         (config->l2_kib ? qsm_config_l2_out_places(config) : 0);
}

static uint32_t ring_length(const struct qsm_config *config) {
  uint32_t need = most_responses(config) + KEPT;
  uint32_t length = 1;
  while (length < need) length *= 2;
  return length;
}

int qsm_mem_create(const struct qsm_config *config, struct qsm_mem **out) {
  struct qsm_mem *mem = calloc(1, sizeof *mem);
  if (!mem) return -1;
  uint32_t length = ring_length(config);
  *mem = (struct qsm_mem){
      .n_channels = config->num_channels,
      .n_words = config->warp_size,
      .len_bytes = config->mem_bytes,
      .latency = config->mem_latency,
      .interval = config->mem_interval,
      .ring_mask = length - 1,
      .bytes = calloc(1, config->mem_bytes),
      .channel = calloc(config->num_channels, sizeof *mem->channel),
  };
  if (!mem->bytes || !mem->channel) goto fail;
  for (uint32_t i = 0; i < mem->n_channels; i++) {
    mem->channel[i].ring = calloc(length, sizeof *mem->channel[i].ring);
    if (!mem->channel[i].ring) goto fail;
  }
  *out = mem;
  return 0;
fail:
  qsm_mem_destroy(mem);
  return -1;
}

void qsm_mem_destroy(struct qsm_mem *mem) {
  if (!mem) return;
  for (uint32_t i = 0; mem->channel && i < mem->n_channels; i++) free(mem->channel[i].ring);
  free(mem->channel);
  free(mem->bytes);
  free(mem);
}

uint32_t qsm_mem_line_words(const struct qsm_mem *mem) { return mem->n_words; }

uint8_t *qsm_mem_bytes(struct qsm_mem *mem) { return mem->bytes; }

uint64_t qsm_mem_ready_at(const struct qsm_mem *mem, uint32_t channel) {
  return mem->channel[channel].next_ok;
}

static uint32_t amo_result(enum qsm_amo amo, uint32_t old, uint32_t operand) {
  switch (amo) {
    case QSM_AMO_SWAP: return operand;
    case QSM_AMO_ADD: return old + operand;
    case QSM_AMO_XOR: return old ^ operand;
    case QSM_AMO_AND: return old & operand;
    case QSM_AMO_OR: return old | operand;
    case QSM_AMO_MIN: return (int32_t)old < (int32_t)operand ? old : operand;
    case QSM_AMO_MAX: return (int32_t)old > (int32_t)operand ? old : operand;
    case QSM_AMO_MINU: return old < operand ? old : operand;
    case QSM_AMO_MAXU: return old > operand ? old : operand;
  }
  return old;
}

// 0xff for each of four byte enables: the factor brings bit i to byte i.
static inline uint32_t byte_mask_bits(uint32_t four_bytes) {
  return (four_bytes * 0x00204081u & 0x01010101u) * 0xffu;
}

// Byte enables of word i of the line.
static inline uint32_t word_enable(const uint32_t *bytes, uint32_t i) {
  return bytes[i / 8] >> (4 * (i % 8)) & 0xfu;
}

QSM_LANE_FUNCTION void apply_write(const uint32_t *bytes, const uint32_t *data, uint32_t *line,
                                   uint32_t n) {
  QSM_LANES {
    uint32_t take = byte_mask_bits(word_enable(bytes, l));
    line[l] = (line[l] & ~take) | (data[l] & take);
  }
}

// The one word that the byte mask names.
static void apply_amo(const struct qsm_mem_access *access, uint8_t *line, uint32_t n_words) {
  for (uint32_t i = 0; i < n_words; i++) {
    if (word_enable(access->bytes, i) == 0) continue;
    uint32_t word;
    memcpy(&word, line + 4 * (size_t)i, sizeof word);
    word = amo_result((enum qsm_amo)access->amo, word, access->data[i]);
    memcpy(line + 4 * (size_t)i, &word, sizeof word);
    return;
  }
}

void qsm_mem_apply(const struct qsm_mem_access *access, uint8_t *line, uint32_t n_words) {
  if (access->kind == QSM_MEM_WRITE)
    QSM_PER_WARP_SIZE(n_words, apply_write, access->bytes, access->data, (uint32_t *)(void *)line);
  if (access->kind == QSM_MEM_AMO) apply_amo(access, line, n_words);
}

// R-MM-2: NULL outside the memory. A line never straddles its end.
static uint8_t *find_line(const struct qsm_mem *mem, uint32_t addr) {
  uint32_t offset = addr - QSM_MEM_BASE;
  return offset < mem->len_bytes ? mem->bytes + offset : NULL;
}

static void perform(const struct qsm_mem *mem, const struct qsm_mem_access *access,
                    struct qsm_mem_response *response) {
  uint8_t *line = find_line(mem, access->addr);
  size_t len_bytes = 4 * (size_t)mem->n_words;
  if (line && access->kind != QSM_MEM_WRITE) {
    memcpy(response->data, line, len_bytes);
  } else {
    memset(response->data, 0, len_bytes);
  }
  if (line) qsm_mem_apply(access, line, mem->n_words);
}

void qsm_mem_accept(struct qsm_mem *mem, uint32_t channel, uint64_t cycle,
                    const struct qsm_mem_access *access) {
  struct channel *ch = &mem->channel[channel];
  struct qsm_mem_response *response = &ch->ring[(ch->head + ch->n_held) & mem->ring_mask];
  ch->n_held++;
  ch->next_ok = cycle + mem->interval;
  response->kind = access->kind;
  response->sm = access->sm;
  response->tag = access->tag;
  response->place = access->place;
  response->ready = cycle + mem->latency;
  perform(mem, access, response);
}

void qsm_mem_announce(const struct qsm_mem *mem, uint32_t addr) {
  const uint8_t *line = find_line(mem, addr);
  if (line) qsm_fetch_ahead(line, 4 * mem->n_words);
}

const struct qsm_mem_response *qsm_mem_response(const struct qsm_mem *mem, uint32_t channel) {
  const struct channel *ch = &mem->channel[channel];
  return &ch->ring[ch->head];
}

uint64_t qsm_mem_response_at(const struct qsm_mem *mem, uint32_t channel) {
  const struct channel *ch = &mem->channel[channel];
  if (ch->n_held == 0) return UINT64_MAX;
  uint64_t ready = ch->ring[ch->head].ready;
  return ready > ch->next_valid ? ready : ch->next_valid;
}

void qsm_mem_take(struct qsm_mem *mem, uint32_t channel, uint64_t cycle) {
  struct channel *ch = &mem->channel[channel];
  ch->head = (ch->head + 1) & mem->ring_mask;
  ch->n_held--;
  ch->next_valid = cycle + 1;
}

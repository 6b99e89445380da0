// SPDX-License-Identifier: Apache-2.0
// Decoded lines: a hash table by their words, chained; lines that nobody holds are in a list of
// their own.
#include "qsm_code.h"

#include <stdlib.h>

#include "qsm_sm.h"

enum { NO_LINE = UINT32_MAX };

struct line {
  uint64_t hash;
  uint32_t users;  // 0: free
  uint32_t next;   // of its chain, or of the free lines
};

struct qsm_code {
  bool fpu;
  uint32_t n_words;
  uint32_t n_buckets;  // a power of two
  uint32_t first_free;
  uint32_t *bucket;  // first line of the chain
  struct line *line;
  struct qsm_insn *insn;  // [line][word]
};

struct qsm_code *qsm_code_create(const struct qsm_config *config) {
  uint32_t n_lines = config->num_sms * config->num_sched * config->icache_lines;
  struct qsm_code *code = calloc(1, sizeof *code);
  if (!code) return NULL;
  code->fpu = config->fpu;
  code->n_words = config->warp_size;
  code->n_buckets = 1;
  while (code->n_buckets < n_lines) code->n_buckets *= 2;
  code->bucket = malloc(code->n_buckets * sizeof *code->bucket);
  code->line = malloc(n_lines * sizeof *code->line);
  code->insn = malloc((size_t)n_lines * code->n_words * sizeof *code->insn);
  if (!code->bucket || !code->line || !code->insn) {
    qsm_code_destroy(code);
    return NULL;
  }
  for (uint32_t b = 0; b < code->n_buckets; b++) code->bucket[b] = NO_LINE;
  for (uint32_t i = 0; i < n_lines; i++)
    code->line[i] = (struct line){.next = i + 1 < n_lines ? i + 1 : NO_LINE};
  return code;
}

void qsm_code_destroy(struct qsm_code *code) {
  if (!code) return;
  free(code->bucket);
  free(code->line);
  free(code->insn);
  free(code);
}

static bool has_words(const struct qsm_code *code, uint32_t line, const uint32_t *words) {
  const struct qsm_insn *insn = code->insn + (size_t)line * code->n_words;
  for (uint32_t i = 0; i < code->n_words; i++) {
    if (insn[i].instr != words[i]) return false;
  }
  return true;
}

const struct qsm_insn *qsm_code_take(struct qsm_code *code, const uint32_t *words) {
  uint64_t hash = 0;
  for (uint32_t i = 0; i < code->n_words; i++) hash = qsm_hash_mix(hash, words[i]);
  uint32_t *bucket = &code->bucket[hash & (code->n_buckets - 1)], i = *bucket;
  while (i != NO_LINE && !(code->line[i].hash == hash && has_words(code, i, words)))
    i = code->line[i].next;
  if (i == NO_LINE) {
    i = code->first_free;  // there is one: each cache line holds one at most, and drops it before
                           // it takes another
    code->first_free = code->line[i].next;
    code->line[i] = (struct line){.hash = hash, .next = *bucket};
    *bucket = i;
    for (uint32_t w = 0; w < code->n_words; w++)
      qsm_decode(words[w], code->fpu, &code->insn[(size_t)i * code->n_words + w]);
  }
  code->line[i].users++;
  return code->insn + (size_t)i * code->n_words;
}

void qsm_code_drop(struct qsm_code *code, const struct qsm_insn *line) {
  uint32_t i = (uint32_t)((line - code->insn) / code->n_words);
  if (--code->line[i].users != 0) return;
  uint32_t *link = &code->bucket[code->line[i].hash & (code->n_buckets - 1)];
  while (*link != i) link = &code->line[*link].next;
  *link = code->line[i].next;
  code->line[i].next = code->first_free;
  code->first_free = i;
}

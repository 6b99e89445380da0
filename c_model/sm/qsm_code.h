// SPDX-License-Identifier: Apache-2.0
// Decoded lines of the instruction caches, kept once for all sub-cores whose lines have the same
// words: on a large GPU the caches of all sub-cores hold the same loops, which so stay in the
// host's cache. Each sub-core keeps track of what its cache lines hold.
#ifndef QSM_CODE_H
#define QSM_CODE_H

#include "qsm_config.h"
#include "qsm_decode.h"

struct qsm_code;

// Room for the lines of all instruction caches of the GPU. NULL: no memory.
struct qsm_code *qsm_code_create(const struct qsm_config *config);
void qsm_code_destroy(struct qsm_code *code);  // NULL is fine

// The line with these words (as many as a cache line has), valid until as many calls of
// qsm_code_drop() as of qsm_code_take() gave it.
const struct qsm_insn *qsm_code_take(struct qsm_code *code, const uint32_t *words);
void qsm_code_drop(struct qsm_code *code, const struct qsm_insn *line);

#endif

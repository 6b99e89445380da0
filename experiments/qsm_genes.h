// SPDX-License-Identifier: Apache-2.0
// Neighbours that hostile_search.c makes: a loop of pieces, each of which holds a part of the
// machine, as text and as instructions. Functions that return int return 0, or -1 with the reason
// in msg.
#ifndef QSM_GENES_H
#define QSM_GENES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "qsm_random.h"

enum { QSM_GENES_MAX_PIECES = 10, QSM_GENES_MAX_WORDS = 510, QSM_GENES_EIGHTHS = 8 };

enum qsm_piece_kind {
  QSM_PIECE_ADD,
  QSM_PIECE_MULTIPLY,
  QSM_PIECE_DIVIDE,
  QSM_PIECE_FLOAT_DIVIDE,
  QSM_PIECE_ROOT,
  QSM_PIECE_FUSED,
  QSM_PIECE_LOAD,
  QSM_PIECE_LOAD_USE,  // and waits for it
  QSM_PIECE_STORE,
  QSM_PIECE_STORE_BYTE,
  QSM_PIECE_ATOMIC,
  QSM_PIECE_SHARED_LOAD,
  QSM_PIECE_SHARED_STORE,
  QSM_PIECE_SHARED_ATOMIC,
  QSM_PIECE_FENCE,
  QSM_PIECE_BARRIER,
  QSM_PIECE_FAR,      // a jump to the next line of code
  QSM_PIECE_DIVERGE,  // lanes go two ways
  QSM_N_PIECES
};

enum qsm_lanes { QSM_LANES_ALL, QSM_LANES_ONE, QSM_LANES_HALF, QSM_N_LANES };

// Where memory is accessed. Shared memory has the strides alone.
enum qsm_walk { QSM_WALK_STREAM, QSM_WALK_SCATTER, QSM_WALK_STAY, QSM_N_WALKS };

struct qsm_piece {
  enum qsm_piece_kind kind;
  uint32_t times;  // 1..8
  enum qsm_lanes lanes;
  enum qsm_walk walk;
  uint32_t stride;  // 2^stride words between lanes, 0..12
};

enum qsm_life { QSM_LIFE_ENDLESS, QSM_LIFE_ENDS, QSM_LIFE_DIES, QSM_N_LIVES };

struct qsm_genes {
  uint32_t n_pieces;
  struct qsm_piece pieces[QSM_GENES_MAX_PIECES];
  enum qsm_life life;
  uint32_t log2_rounds;  // of the loop until a thread ends or dies, 0..10
  uint32_t from, until;  // eighths of an epoch in which it is awake; 0 and 8: always
  uint32_t warps;        // of a block: 1, 2, 4, or 0: of a whole SM
  bool all_shared;       // a block takes all shared memory
  bool early;            // it is there before the victim
};

void qsm_genes_random(struct qsm_genes *genes, struct qsm_random *random);
// Changes one thing, now and then more.
void qsm_genes_mutate(struct qsm_genes *genes, struct qsm_random *random);
bool qsm_genes_equal(const struct qsm_genes *a, const struct qsm_genes *b);
bool qsm_genes_use_shared(const struct qsm_genes *genes);

// Instructions for the place of kernel `candidate` (hostile_kernels.c); `epoch` cycles long are
// epochs. Returns how many, at most QSM_GENES_MAX_WORDS, or 0: they do not fit.
uint32_t qsm_genes_assemble(const struct qsm_genes *genes, uint32_t epoch, uint32_t *words);

// As lines of text, and back. `line` is one without its end; lines that are not of genes are
// refused.
void qsm_genes_print(const struct qsm_genes *genes, FILE *file);
int qsm_genes_read_line(struct qsm_genes *genes, const char *line, char *msg, size_t msg_len);
// Whether what was read makes a whole.
int qsm_genes_check(const struct qsm_genes *genes, char *msg, size_t msg_len);

#endif

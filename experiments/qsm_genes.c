// SPDX-License-Identifier: Apache-2.0
#include "qsm_genes.h"

#include <stdlib.h>
#include <string.h>

#include "qsm_encode.h"

static const char *const kind_names[QSM_N_PIECES] = {
    "add",          "multiply",      "divide", "float_divide", "root",   "fused",
    "load",         "load_use",      "store",  "store_byte",   "atomic", "shared_load",
    "shared_store", "shared_atomic", "fence",  "barrier",      "far",    "diverge"};
static const char *const lane_names[QSM_N_LANES] = {"all", "one", "half"};
static const char *const walk_names[QSM_N_WALKS] = {"stream", "scatter", "stay"};
static const char *const life_names[QSM_N_LIVES] = {"endless", "ends", "dies"};

enum { MAX_TIMES = 8, MAX_STRIDE = 12, MAX_LOG2_ROUNDS = 10 };

// ---- Chance ----

static uint32_t random_warps(struct qsm_random *random) {
  static const uint8_t warps[] = {1, 1, 1, 2, 4, 0};
  return warps[qsm_random_below(random, sizeof warps)];
}

static struct qsm_piece random_piece(struct qsm_random *random) {
  return (struct qsm_piece){
      .kind = (enum qsm_piece_kind)qsm_random_below(random, QSM_N_PIECES),
      .times = 1 + qsm_random_below(random, qsm_random_chance(random, 50) ? 2 : MAX_TIMES),
      .lanes = qsm_random_chance(random, 60)
                   ? QSM_LANES_ALL
                   : (enum qsm_lanes)qsm_random_below(random, QSM_N_LANES),
      .walk = (enum qsm_walk)qsm_random_below(random, QSM_N_WALKS),
      .stride = qsm_random_below(random, MAX_STRIDE + 1)};
}

static void random_window(struct qsm_genes *genes, struct qsm_random *random) {
  genes->from = 0;
  genes->until = QSM_GENES_EIGHTHS;
  if (qsm_random_chance(random, 70)) return;
  genes->from = qsm_random_below(random, QSM_GENES_EIGHTHS);
  genes->until = genes->from + 1 + qsm_random_below(random, QSM_GENES_EIGHTHS - genes->from);
}

static void random_life(struct qsm_genes *genes, struct qsm_random *random) {
  genes->life = qsm_random_chance(random, 60)
                    ? QSM_LIFE_ENDLESS
                    : (enum qsm_life)qsm_random_below(random, QSM_N_LIVES);
  genes->log2_rounds = qsm_random_below(random, MAX_LOG2_ROUNDS + 1);
}

void qsm_genes_random(struct qsm_genes *genes, struct qsm_random *random) {
  *genes = (struct qsm_genes){.n_pieces = 1 + qsm_random_below(random, 5)};
  for (uint32_t i = 0; i < genes->n_pieces; i++) genes->pieces[i] = random_piece(random);
  random_life(genes, random);
  random_window(genes, random);
  genes->warps = random_warps(random);
  genes->all_shared = qsm_random_chance(random, 10);
  genes->early = qsm_random_chance(random, 10);
}

static void change_piece(struct qsm_piece *piece, struct qsm_random *random) {
  const struct qsm_piece other = random_piece(random);
  switch (qsm_random_below(random, 5)) {
    case 0: piece->kind = other.kind; break;
    case 1: piece->times = other.times; break;
    case 2: piece->lanes = other.lanes; break;
    case 3: piece->walk = other.walk; break;
    default: piece->stride = other.stride;
  }
}

static void add_piece(struct qsm_genes *genes, struct qsm_random *random) {
  uint32_t at = qsm_random_below(random, genes->n_pieces + 1);
  if (genes->n_pieces == QSM_GENES_MAX_PIECES) return;
  memmove(&genes->pieces[at + 1], &genes->pieces[at],
          (genes->n_pieces - at) * sizeof *genes->pieces);
  genes->pieces[at] = random_piece(random);
  genes->n_pieces++;
}

static void remove_piece(struct qsm_genes *genes, struct qsm_random *random) {
  uint32_t at = qsm_random_below(random, genes->n_pieces);
  if (genes->n_pieces == 1) return;
  genes->n_pieces--;
  memmove(&genes->pieces[at], &genes->pieces[at + 1],
          (genes->n_pieces - at) * sizeof *genes->pieces);
}

static void mutate_once(struct qsm_genes *genes, struct qsm_random *random) {
  switch (qsm_random_below(random, 12)) {
    case 0:
    case 1: add_piece(genes, random); break;
    case 2:
    case 3: remove_piece(genes, random); break;
    case 4: random_life(genes, random); break;
    case 5: random_window(genes, random); break;
    case 6: genes->warps = random_warps(random); break;
    case 7: genes->all_shared = !genes->all_shared && qsm_random_chance(random, 30); break;
    case 8: genes->early = !genes->early && qsm_random_chance(random, 30); break;
    default: change_piece(&genes->pieces[qsm_random_below(random, genes->n_pieces)], random);
  }
}

void qsm_genes_mutate(struct qsm_genes *genes, struct qsm_random *random) {
  do mutate_once(genes, random);
  while (qsm_random_chance(random, 30));
}

bool qsm_genes_equal(const struct qsm_genes *a, const struct qsm_genes *b) {
  if (a->n_pieces != b->n_pieces || a->life != b->life || a->from != b->from ||
      a->until != b->until || a->warps != b->warps || a->all_shared != b->all_shared ||
      a->early != b->early || (a->life && a->log2_rounds != b->log2_rounds))
    return false;
  for (uint32_t i = 0; i < a->n_pieces; i++) {
    const struct qsm_piece *p = &a->pieces[i], *q = &b->pieces[i];
    if (p->kind != q->kind || p->times != q->times || p->lanes != q->lanes || p->walk != q->walk ||
        p->stride != q->stride)
      return false;
  }
  return true;
}

bool qsm_genes_use_shared(const struct qsm_genes *genes) {
  for (uint32_t i = 0; i < genes->n_pieces; i++)
    if (genes->pieces[i].kind >= QSM_PIECE_SHARED_LOAD &&
        genes->pieces[i].kind <= QSM_PIECE_SHARED_ATOMIC)
      return true;
  return false;
}

// ---- Instructions ----

// a0 to a2 are the kernel's arguments; x5 to x7 and a3 to a7 data and addresses.
enum { ZERO, X5 = 5, X6, X7, OWN = 10, WORDS, ADDRESS = 13, VALUE, SCRATCH };
// What a thread keeps: its place in the walk, its lane, the mask of its buffer, shared memory.
enum { PLACE = 18, LANE, MASK, SHARED, ROUNDS, START, EPOCH, PHASE, FACTOR };
enum { OP = 0x33, OP_IMM = 0x13, LOAD = 0x03, AMO = 0x2F, FLOAT = 0x53, FMADD = 0x43 };
enum { CSR_CYCLE = 0xC00, CSR_LANE = 0xCCA, CSR_HWTID = 0xCCD };
#define BARRIER_FENCE 0x0310000Fu  // fence rw, w
#define BARRIER_WORD 0x0000000Bu
#define FENCE_WORD 0x0FF0000Fu
#define EXIT_WORD 0x0000100Bu
#define BREAK_WORD 0x00100073u
#define NOP_WORD 0x00000013u
#define KNUTH 2654435761u
#define SHARED_BASE 0x10000000u
// SMs see an epoch end noc_lat - 1 cycles after a multiple of its length (R-QM-1): near enough.
enum { BEHIND = 3, FAR_WORDS = 8, SHARED_MASK = 0x3FC };

struct assembler {
  uint32_t *words;
  uint32_t n;
  bool full;
};

static void emit(struct assembler *assembler, uint32_t word) {
  if (assembler->n == QSM_GENES_MAX_WORDS)
    assembler->full = true;
  else
    assembler->words[assembler->n++] = word;
}

static uint32_t branch(uint32_t funct3, uint32_t rs1, uint32_t rs2, int32_t words) {
  return qsm_encode_branch(funct3, rs1, rs2, 4 * words);
}

static uint32_t jump(int32_t words) { return qsm_encode_jal(ZERO, 4 * words); }

static void load_constant(struct assembler *assembler, uint32_t rd, uint32_t value) {
  uint32_t words[2];
  qsm_encode_constant(rd, value, words);
  emit(assembler, words[0]);
  emit(assembler, words[1]);
}

static void prologue(struct assembler *assembler, const struct qsm_genes *genes, uint32_t epoch) {
  emit(assembler, qsm_encode_read_csr(PLACE, CSR_HWTID));
  emit(assembler, qsm_encode_read_csr(LANE, CSR_LANE));
  load_constant(assembler, FACTOR, KNUTH);
  load_constant(assembler, SHARED, SHARED_BASE);
  load_constant(assembler, X5, 0x3F9D70A4);  // as a float near 1
  emit(assembler, qsm_encode_r(OP, 0, 0, X6, X5, LANE));
  emit(assembler, qsm_encode_i(OP_IMM, 1, MASK, WORDS, 2));
  emit(assembler, qsm_encode_i(OP_IMM, 0, MASK, MASK, -4));
  load_constant(assembler, ROUNDS, 1u << genes->log2_rounds);
  load_constant(assembler, EPOCH, epoch);
  emit(assembler, qsm_encode_read_csr(START, CSR_CYCLE));
  emit(assembler, qsm_encode_i(OP_IMM, 0, START, START, -BEHIND));
  emit(assembler, qsm_encode_r(OP, 7, 1, SCRATCH, START, EPOCH));  // remu
  emit(assembler, qsm_encode_r(OP, 0, 0x20, START, START, SCRATCH));
  emit(assembler, qsm_encode_i(OP_IMM, 0, START, START, BEHIND));
}

// Back to the loop's top while the epoch is not where the program is awake.
static void wait_for_window(struct assembler *assembler, const struct qsm_genes *genes,
                            uint32_t epoch) {
  uint32_t top = assembler->n;
  if (genes->from == 0 && genes->until == QSM_GENES_EIGHTHS) return;
  emit(assembler, qsm_encode_read_csr(PHASE, CSR_CYCLE));
  emit(assembler, qsm_encode_r(OP, 0, 0x20, PHASE, PHASE, START));
  emit(assembler, branch(6, PHASE, EPOCH, 3));  // bltu
  emit(assembler, qsm_encode_r(OP, 0, 0, START, START, EPOCH));
  emit(assembler, jump((int32_t)top - (int32_t)assembler->n));
  load_constant(assembler, SCRATCH, epoch / QSM_GENES_EIGHTHS * genes->from);
  emit(assembler, branch(6, PHASE, SCRATCH, (int32_t)top - (int32_t)assembler->n));
  load_constant(assembler, SCRATCH, epoch / QSM_GENES_EIGHTHS * genes->until);
  emit(assembler, branch(7, PHASE, SCRATCH, (int32_t)top - (int32_t)assembler->n));  // bgeu
}

// ADDRESS := where the piece's next access goes.
static void aim(struct assembler *assembler, const struct qsm_piece *piece) {
  switch (piece->walk) {
    case QSM_WALK_STREAM: emit(assembler, qsm_encode_i(OP_IMM, 0, PLACE, PLACE, 64)); break;
    case QSM_WALK_SCATTER:
      emit(assembler, qsm_encode_r(OP, 0, 1, PLACE, PLACE, FACTOR));
      emit(assembler, qsm_encode_i(OP_IMM, 0, PLACE, PLACE, 1));
      break;
    default: break;
  }
  emit(assembler, qsm_encode_i(OP_IMM, 1, ADDRESS, PLACE, (int32_t)(2 + piece->stride)));
  emit(assembler, qsm_encode_r(OP, 7, 0, ADDRESS, ADDRESS, MASK));
  emit(assembler, qsm_encode_r(OP, 0, 0, ADDRESS, ADDRESS, OWN));
}

static void aim_shared(struct assembler *assembler, const struct qsm_piece *piece) {
  emit(assembler, qsm_encode_i(OP_IMM, 1, ADDRESS, LANE, (int32_t)(2 + piece->stride)));
  emit(assembler, qsm_encode_i(OP_IMM, 7, ADDRESS, ADDRESS, SHARED_MASK));
  emit(assembler, qsm_encode_r(OP, 0, 0, ADDRESS, ADDRESS, SHARED));
}

static void diverge(struct assembler *assembler) {
  emit(assembler, qsm_encode_i(OP_IMM, 7, SCRATCH, LANE, 1));
  emit(assembler, branch(0, SCRATCH, ZERO, 3));
  emit(assembler, qsm_encode_r(OP, 4, 0, X7, X7, LANE));
  emit(assembler, jump(2));
  emit(assembler, qsm_encode_r(OP, 0, 0, X7, X7, LANE));
}

static void emit_once(struct assembler *assembler, const struct qsm_piece *piece, uint32_t turn) {
  switch (piece->kind) {
    case QSM_PIECE_ADD: emit(assembler, qsm_encode_r(OP, 0, 0, X7, X7, X6)); break;
    case QSM_PIECE_MULTIPLY: emit(assembler, qsm_encode_r(OP, 0, 1, X7, X7, X6)); break;
    case QSM_PIECE_DIVIDE: emit(assembler, qsm_encode_r(OP, 5, 1, VALUE, X6, X5)); break;
    case QSM_PIECE_FLOAT_DIVIDE:
      emit(assembler, qsm_encode_r(FLOAT, 0, 0x0C, VALUE, X6, X5));
      break;
    case QSM_PIECE_ROOT: emit(assembler, qsm_encode_r(FLOAT, 0, 0x2C, VALUE, X6, 0)); break;
    case QSM_PIECE_FUSED: emit(assembler, qsm_encode_r(FMADD, 0, X5 << 2, X7, X6, X5)); break;
    case QSM_PIECE_LOAD:
      aim(assembler, piece);
      emit(assembler, qsm_encode_i(LOAD, 2, SCRATCH + turn % 3, ADDRESS, 0));
      break;
    case QSM_PIECE_LOAD_USE:
      aim(assembler, piece);
      emit(assembler, qsm_encode_i(LOAD, 2, SCRATCH, ADDRESS, 0));
      emit(assembler, qsm_encode_r(OP, 0, 0, PLACE, PLACE, SCRATCH));
      break;
    case QSM_PIECE_STORE:
      aim(assembler, piece);
      emit(assembler, qsm_encode_store(2, ADDRESS, VALUE, 0));
      break;
    case QSM_PIECE_STORE_BYTE:
      aim(assembler, piece);
      emit(assembler, qsm_encode_store(0, ADDRESS, VALUE, 0));
      break;
    case QSM_PIECE_ATOMIC:
      aim(assembler, piece);
      emit(assembler, qsm_encode_r(AMO, 2, 0, 0, ADDRESS, X6));
      break;
    case QSM_PIECE_SHARED_LOAD:
      aim_shared(assembler, piece);
      emit(assembler, qsm_encode_i(LOAD, 2, SCRATCH, ADDRESS, 0));
      break;
    case QSM_PIECE_SHARED_STORE:
      aim_shared(assembler, piece);
      emit(assembler, qsm_encode_store(2, ADDRESS, VALUE, 0));
      break;
    case QSM_PIECE_SHARED_ATOMIC:
      aim_shared(assembler, piece);
      emit(assembler, qsm_encode_r(AMO, 2, 0, 0, ADDRESS, X6));
      break;
    case QSM_PIECE_FENCE: emit(assembler, FENCE_WORD); break;
    case QSM_PIECE_BARRIER:
      emit(assembler, BARRIER_FENCE);
      emit(assembler, BARRIER_WORD);
      break;
    case QSM_PIECE_FAR:
      emit(assembler, jump(FAR_WORDS));
      for (uint32_t i = 1; i < FAR_WORDS; i++) emit(assembler, NOP_WORD);
      break;
    case QSM_PIECE_DIVERGE: diverge(assembler); break;
    case QSM_N_PIECES: break;
  }
}

// Lanes that take no part go around it: of a barrier that would be all for ever, so there all do.
static void emit_piece(struct assembler *assembler, const struct qsm_piece *piece) {
  bool some = piece->lanes != QSM_LANES_ALL && piece->kind != QSM_PIECE_BARRIER;
  uint32_t at = 0;
  if (some && piece->lanes == QSM_LANES_HALF)
    emit(assembler, qsm_encode_i(OP_IMM, 7, SCRATCH, LANE, 1));
  if (some) {
    at = assembler->n;
    emit(assembler, 0);
  }
  for (uint32_t i = 0; i < piece->times; i++) emit_once(assembler, piece, i);
  if (some && !assembler->full)
    assembler->words[at] = branch(1, piece->lanes == QSM_LANES_HALF ? SCRATCH : LANE, ZERO,
                                  (int32_t)(assembler->n - at));
}

uint32_t qsm_genes_assemble(const struct qsm_genes *genes, uint32_t epoch, uint32_t *words) {
  struct assembler assembler = {.words = words};
  prologue(&assembler, genes, epoch);
  uint32_t top = assembler.n;
  wait_for_window(&assembler, genes, epoch);
  for (uint32_t i = 0; i < genes->n_pieces; i++) emit_piece(&assembler, &genes->pieces[i]);
  if (genes->life != QSM_LIFE_ENDLESS) {
    emit(&assembler, qsm_encode_i(OP_IMM, 0, ROUNDS, ROUNDS, -1));
    emit(&assembler, branch(1, ROUNDS, ZERO, 2));
    emit(&assembler, genes->life == QSM_LIFE_DIES ? BREAK_WORD : EXIT_WORD);
  }
  emit(&assembler, jump((int32_t)top - (int32_t)assembler.n));
  return assembler.full ? 0 : assembler.n;
}

// ---- Text ----

void qsm_genes_print(const struct qsm_genes *genes, FILE *file) {
  fprintf(file, "block %u %s %s\n", genes->warps, genes->all_shared ? "all_shared" : "-",
          genes->early ? "early" : "-");
  fprintf(file, "life %s %u\n", life_names[genes->life], genes->log2_rounds);
  fprintf(file, "awake %u %u\n", genes->from, genes->until);
  for (uint32_t i = 0; i < genes->n_pieces; i++) {
    const struct qsm_piece *piece = &genes->pieces[i];
    fprintf(file, "piece %s %u %s %s %u\n", kind_names[piece->kind], piece->times,
            lane_names[piece->lanes], walk_names[piece->walk], piece->stride);
  }
}

static int find(const char *const *names, uint32_t n, const char *name, uint32_t *value) {
  for (uint32_t i = 0; i < n; i++)
    if (strcmp(names[i], name) == 0) {
      *value = i;
      return 0;
    }
  return -1;
}

enum { NAME_BYTES = 32 };
#define NAME_FORMAT "%31s"

static int read_piece(struct qsm_genes *genes, const char *line) {
  char kind[NAME_BYTES], lanes[NAME_BYTES], walk[NAME_BYTES], more;
  uint32_t k = 0, l = 0, w = 0, times = 0, stride = 0;
  if (genes->n_pieces == QSM_GENES_MAX_PIECES ||
      sscanf(line, "piece " NAME_FORMAT " %u " NAME_FORMAT " " NAME_FORMAT " %u %c", kind, &times,
             lanes, walk, &stride, &more) != 5 ||
      find(kind_names, QSM_N_PIECES, kind, &k) || find(lane_names, QSM_N_LANES, lanes, &l) ||
      find(walk_names, QSM_N_WALKS, walk, &w) || times < 1 || times > MAX_TIMES ||
      stride > MAX_STRIDE)
    return -1;
  genes->pieces[genes->n_pieces++] = (struct qsm_piece){
      (enum qsm_piece_kind)k, times, (enum qsm_lanes)l, (enum qsm_walk)w, stride};
  return 0;
}

static int read_block(struct qsm_genes *genes, const char *line) {
  char shared[NAME_BYTES], early[NAME_BYTES], more;
  uint32_t warps = 0;
  if (sscanf(line, "block %u " NAME_FORMAT " " NAME_FORMAT " %c", &warps, shared, early, &more) !=
          3 ||
      (warps > 2 && warps != 4))
    return -1;
  genes->warps = warps;
  genes->all_shared = strcmp(shared, "all_shared") == 0;
  genes->early = strcmp(early, "early") == 0;
  return (genes->all_shared || strcmp(shared, "-") == 0) &&
                 (genes->early || strcmp(early, "-") == 0)
             ? 0
             : -1;
}

static int read_life(struct qsm_genes *genes, const char *line) {
  char life[NAME_BYTES], more;
  uint32_t l = 0, rounds = 0;
  if (sscanf(line, "life " NAME_FORMAT " %u %c", life, &rounds, &more) != 2 ||
      find(life_names, QSM_N_LIVES, life, &l) || rounds > MAX_LOG2_ROUNDS)
    return -1;
  genes->life = (enum qsm_life)l;
  genes->log2_rounds = rounds;
  return 0;
}

static int read_awake(struct qsm_genes *genes, const char *line) {
  uint32_t from = 0, until = 0;
  char more;
  if (sscanf(line, "awake %u %u %c", &from, &until, &more) != 2 || from >= until ||
      until > QSM_GENES_EIGHTHS)
    return -1;
  genes->from = from;
  genes->until = until;
  return 0;
}

int qsm_genes_read_line(struct qsm_genes *genes, const char *line, char *msg, size_t msg_len) {
  static const struct {
    const char *word;
    int (*read)(struct qsm_genes *genes, const char *line);
  } kinds[] = {
      {"piece ", read_piece}, {"block ", read_block}, {"life ", read_life}, {"awake ", read_awake}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strncmp(line, kinds[i].word, strlen(kinds[i].word)) == 0 && kinds[i].read(genes, line) == 0)
      return 0;
  snprintf(msg, msg_len, "not understood: '%.80s'", line);
  return -1;
}

int qsm_genes_check(const struct qsm_genes *genes, char *msg, size_t msg_len) {
  if (genes->n_pieces && genes->until) return 0;
  snprintf(msg, msg_len, genes->n_pieces ? "no line 'awake'" : "no line 'piece'");
  return -1;
}

// SPDX-License-Identifier: Apache-2.0
// The programs of experiments/hostile_search.c: text and back, what is refused, and that each is
// made of legal instructions that jump to where instructions are.
#include <stdlib.h>
#include <string.h>

#include "host_support.h"
#include "qsm_disasm.h"
#include "qsm_genes.h"

enum { N_RANDOM = 2000, EPOCH = 10000 };

static void read_back(const struct qsm_genes *genes, struct qsm_genes *seen) {
  char *text = NULL, msg[256], *rest = NULL;
  size_t bytes = 0;
  FILE *file = open_memstream(&text, &bytes);
  qsm_genes_print(genes, file);
  fclose(file);
  *seen = (struct qsm_genes){0};
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    if (qsm_genes_read_line(seen, line, msg, sizeof msg)) fail_msg("%s", msg);
  if (qsm_genes_check(seen, msg, sizeof msg)) fail_msg("%s", msg);
  free(text);
}

static void what_is_printed_is_read_back(void **unused) {
  (void)unused;
  struct qsm_random random = qsm_random_seed(1);
  struct qsm_genes genes, seen;
  qsm_genes_random(&genes, &random);
  for (int i = 0; i < N_RANDOM; i++) {
    if (i % 20)
      qsm_genes_mutate(&genes, &random);
    else
      qsm_genes_random(&genes, &random);
    read_back(&genes, &seen);
    assert_true(qsm_genes_equal(&genes, &seen));
  }
}

static void programs_that_differ_are_not_equal(void **unused) {
  (void)unused;
  struct qsm_random random = qsm_random_seed(2);
  for (int i = 0; i < N_RANDOM; i++) {
    struct qsm_genes genes;
    qsm_genes_random(&genes, &random);
    struct qsm_genes other = genes;
    assert_true(qsm_genes_equal(&genes, &other));
    other.pieces[other.n_pieces - 1].stride ^= 1;
    assert_false(qsm_genes_equal(&genes, &other));
    other = genes;
    other.early = !other.early;
    assert_false(qsm_genes_equal(&genes, &other));
  }
}

// Target of a jump or branch that the disassembler names as an address; false: it is none.
static bool target_of(const char *text, uint32_t *target) {
  const char *at = strrchr(text, ',');
  bool jumps = text[0] == 'b' || strncmp(text, "jal ", 4) == 0;
  if (!jumps || !at) return false;
  *target = (uint32_t)strtoul(at + 1 + strspn(at + 1, " "), NULL, 0);
  return true;
}

static void programs_are_legal_and_stay_within_themselves(void **unused) {
  (void)unused;
  struct qsm_random random = qsm_random_seed(3);
  uint32_t words[QSM_GENES_MAX_WORDS], n_targets = 0, n_long = 0;
  for (int i = 0; i < N_RANDOM; i++) {
    struct qsm_genes genes;
    qsm_genes_random(&genes, &random);
    for (int step = 0; step < i % 40; step++) qsm_genes_mutate(&genes, &random);
    uint32_t n = qsm_genes_assemble(&genes, EPOCH, words);
    assert_true(n <= QSM_GENES_MAX_WORDS);
    n_long += n == 0;
    for (uint32_t w = 0; w < n; w++) {
      char text[128];
      uint32_t target;
      qsm_disasm(4 * w, words[w], text, sizeof text);
      if (strstr(text, "illegal")) fail_msg("word %u of program %d: %s", w, i, text);
      if (!target_of(text, &target)) continue;
      n_targets++;
      if (target % 4 || target >= 4 * n) fail_msg("word %u of %u: %s", w, n, text);
    }
  }
  // Every program jumps back to its top; few are too long.
  assert_true(n_targets > N_RANDOM - n_long);
  assert_true(n_long < N_RANDOM / 10);
}

static void a_program_that_is_too_long_is_refused(void **unused) {
  (void)unused;
  struct qsm_genes genes = {.n_pieces = QSM_GENES_MAX_PIECES, .until = QSM_GENES_EIGHTHS};
  uint32_t words[QSM_GENES_MAX_WORDS];
  for (uint32_t i = 0; i < genes.n_pieces; i++)
    genes.pieces[i] = (struct qsm_piece){.kind = QSM_PIECE_FAR, .times = 8};
  assert_int_equal(qsm_genes_assemble(&genes, EPOCH, words), 0);
  genes.n_pieces = 2;
  assert_true(qsm_genes_assemble(&genes, EPOCH, words) > 2 * 8 * 8);
}

static void lines_that_are_not_of_a_program_are_refused(void **unused) {
  (void)unused;
  static const char *const lines[] = {"piece jump 1 all stay 0",
                                      "piece add 0 all stay 0",
                                      "piece add 9 all stay 0",
                                      "piece add 1 none stay 0",
                                      "piece add 1 all fly 0",
                                      "piece add 1 all stay 13",
                                      "piece add 1 all stay 0 more",
                                      "piece add 1 all",
                                      "block 3 - -",
                                      "block 1 shared -",
                                      "block 1 - late",
                                      "life long 1",
                                      "life ends 11",
                                      "life ends",
                                      "awake 4 4",
                                      "awake 0 9",
                                      "awake",
                                      "sleep 1",
                                      ""};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    struct qsm_genes genes = {0};
    char msg[256] = "";
    assert_int_equal(qsm_genes_read_line(&genes, lines[i], msg, sizeof msg), -1);
    assert_non_null(strstr(msg, lines[i]));
  }
}

static void a_part_of_a_program_is_none(void **unused) {
  (void)unused;
  struct qsm_genes genes = {0};
  char msg[256];
  assert_int_equal(qsm_genes_check(&genes, msg, sizeof msg), -1);
  assert_string_equal(msg, "no line 'piece'");
  assert_int_equal(qsm_genes_read_line(&genes, "piece add 1 all stay 0", msg, sizeof msg), 0);
  assert_int_equal(qsm_genes_check(&genes, msg, sizeof msg), -1);
  assert_string_equal(msg, "no line 'awake'");
  assert_int_equal(qsm_genes_read_line(&genes, "awake 0 8", msg, sizeof msg), 0);
  assert_int_equal(qsm_genes_check(&genes, msg, sizeof msg), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_printed_is_read_back),
      cmocka_unit_test(programs_that_differ_are_not_equal),
      cmocka_unit_test(programs_are_legal_and_stay_within_themselves),
      cmocka_unit_test(a_program_that_is_too_long_is_refused),
      cmocka_unit_test(lines_that_are_not_of_a_program_are_refused),
      cmocka_unit_test(a_part_of_a_program_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

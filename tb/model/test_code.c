// SPDX-License-Identifier: Apache-2.0
// Decoded lines of the instruction caches (qsm_code.h): the same words are the same line, however
// they come and go.
#include "qsm_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model_support.h"

enum { WORDS = 4, HOLDERS = 2 * 2 * 8, KINDS = 48 };

static struct qsm_config small_config(void) {
  return (struct qsm_config){
      .num_sms = 2, .num_sched = 2, .icache_lines = 8, .warp_size = WORDS, .fpu = 1};
}

// Line number `kind`; neighbours differ in one word only.
static void words_of(uint32_t kind, uint32_t *words) {
  for (uint32_t i = 0; i < WORDS; i++)
    words[i] = 0x00000013u | (i == kind % WORDS ? kind / WORDS + 1 : 0) << 20;  // ADDI x0, x0, n
}

static void expect_words(const struct qsm_insn *line, uint32_t kind) {
  uint32_t words[WORDS];
  words_of(kind, words);
  for (uint32_t i = 0; i < WORDS; i++) {
    struct qsm_insn expected;
    qsm_decode(words[i], true, &expected);
    assert_memory_equal(&line[i], &expected, sizeof expected);
  }
}

static const struct qsm_insn *take(struct qsm_code *code, uint32_t kind) {
  uint32_t words[WORDS];
  words_of(kind, words);
  return qsm_code_take(code, words);
}

static void the_same_words_are_one_line(void **unused) {
  (void)unused;
  const struct qsm_config config = small_config();
  struct qsm_code *code = qsm_code_create(&config);
  const struct qsm_insn *first = take(code, 1), *other = take(code, 2);
  assert_ptr_not_equal(first, other);
  assert_ptr_equal(take(code, 1), first);
  qsm_code_drop(code, first);
  assert_ptr_equal(take(code, 1), first);
  expect_words(first, 1);
  expect_words(other, 2);
  qsm_code_destroy(code);
}

// As many holders as the GPU has lines, each of which drops its line before it takes another: room
// never ends, no line changes while held.
static void lines_stay_while_someone_holds_them(void **unused) {
  (void)unused;
  const struct qsm_config config = small_config();
  struct qsm_code *code = qsm_code_create(&config);
  uint64_t random = model_seed("test_code");
  const struct qsm_insn *held[HOLDERS] = {0};
  uint32_t kind[HOLDERS];
  for (uint32_t step = 0; step < 20000; step++) {
    uint32_t h = model_random(&random, HOLDERS);
    if (held[h]) qsm_code_drop(code, held[h]);
    kind[h] = step < 10000 ? model_random(&random, KINDS) : step % KINDS;
    held[h] = take(code, kind[h]);
    for (uint32_t i = 0; i < HOLDERS; i++) {
      if (!held[i]) continue;
      expect_words(held[i], kind[i]);
      assert_true((held[i] == held[h]) == (kind[i] == kind[h]));
    }
  }
  qsm_code_destroy(code);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_words_are_one_line),
      cmocka_unit_test(lines_stay_while_someone_holds_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

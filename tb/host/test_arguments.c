// SPDX-License-Identifier: Apache-2.0
// Arguments of kernels, laid out by hand from the RISC-V calling convention ilp32 (docs/isa.md,
// "Kernel entry"): registers, stack, copies.
#include <string.h>

#include "host_support.h"
#include "qsm_arguments.h"

enum { MOST = 80 };

// Types as the ELF of a program says them.
static const struct qsm_argument c8 = {1, 1, 0, "signed char", true},
                                 u8 = {1, 1, 0, "unsigned char", false},
                                 s16 = {2, 2, 0, "short", true}, i32 = {4, 4, 0, "int", true},
                                 f64 = {8, 8, 0, "double", false},
                                 i64 = {8, 8, 0, "long long", true},
                                 s3 = {3, 1, 0, "struct three", false},
                                 s8 = {8, 4, 0, "struct eight", false},
                                 s6 = {6, 2, 0, "struct six", false},
                                 s9 = {9, 1, 1, "struct nine", false},
                                 s16_8 = {16, 8, 1, "struct sixteen", false},
                                 s12 = {12, 4, 1, "struct twelve", false};

static struct qsm_entry_arguments entry;
static char msg[256];

// Bytes 16 * i + 1, 16 * i + 2, ... as argument i.
static uint8_t bytes_of[MOST][256];
static qsmArgument values[MOST];

static int lay_out(const struct qsm_argument *arguments, uint32_t n) {
  const struct qsm_kernel kernel = {
      .name = "f", .n_arguments = n, .arguments = arguments, .signature = "f(...)"};
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t b = 0; b < 256; b++) bytes_of[i][b] = (uint8_t)(16 * i + b + 1);
    values[i] = (qsmArgument){bytes_of[i], arguments[i].bytes};
  }
  memset(&entry, 0xEE, sizeof entry);
  return qsm_arguments_lay_out(&kernel, values, n, &entry, msg, sizeof msg);
}

static uint32_t stack_word(uint32_t at) {
  uint32_t word;
  memcpy(&word, entry.stack + at, 4);
  return word;
}

static void words_go_to_registers_then_to_the_stack(void **state) {
  (void)state;
  const struct qsm_argument ints[9] = {i32, i32, i32, i32, i32, i32, i32, i32, i32};
  assert_int_equal(lay_out(ints, 8), 0);
  assert_int_equal(entry.n_stack_bytes, 0);
  for (uint32_t i = 0; i < 8; i++)
    assert_int_equal(entry.registers[i], 0x04030201 + 0x10101010 * i);
  assert_int_equal(lay_out(ints, 9), 0);
  assert_int_equal(entry.n_stack_bytes, 16);
  assert_int_equal(stack_word(0), 0x84838281);
  assert_int_equal(stack_word(4) | stack_word(8) | stack_word(12), 0);
  assert_int_equal(lay_out(ints, 0), 0);
  assert_int_equal(entry.n_stack_bytes + entry.registers[0], 0);
}

static void narrow_integers_are_widened_by_their_sign(void **state) {
  (void)state;
  const struct qsm_argument arguments[] = {c8, u8, s16, s3};
  const int8_t minus = -2;
  const uint8_t large = 0xFE;
  const int16_t low = -300;
  const uint8_t three[3] = {0x91, 0x92, 0x93};
  const struct qsm_kernel kernel = {
      .name = "f", .n_arguments = 4, .arguments = arguments, .signature = "f"};
  const qsmArgument given[] = {{&minus, 1}, {&large, 1}, {&low, 2}, {three, 3}};
  assert_int_equal(qsm_arguments_lay_out(&kernel, given, 4, &entry, msg, sizeof msg), 0);
  assert_int_equal(entry.registers[0], 0xFFFFFFFE);
  assert_int_equal(entry.registers[1], 0x000000FE);
  assert_int_equal(entry.registers[2], 0xFFFFFED4);
  assert_int_equal(entry.registers[3], 0x00939291);
}

static void two_words_follow_each_other_without_alignment_in_registers(void **state) {
  (void)state;
  const struct qsm_argument arguments[] = {i32, f64, s8, s6, i32};
  assert_int_equal(lay_out(arguments, 5), 0);
  const uint32_t expected[8] = {0x04030201, 0x14131211, 0x18171615, 0x24232221,
                                0x28272625, 0x34333231, 0x00003635, 0x44434241};
  assert_memory_equal(entry.registers, expected, sizeof expected);
  assert_int_equal(entry.n_stack_bytes, 0);
}

static void two_words_may_begin_in_a7(void **state) {
  (void)state;
  const struct qsm_argument arguments[] = {i32, i32, i32, i32, i32, i32, i32, i64, i32, i64, s8};
  assert_int_equal(lay_out(arguments, 11), 0);
  assert_int_equal(entry.registers[7], 0x74737271);
  assert_int_equal(stack_word(0), 0x78777675);
  assert_int_equal(stack_word(4), 0x84838281);
  assert_int_equal(stack_word(8), 0x94939291);  // aligned to 8: it is by chance
  assert_int_equal(stack_word(12), 0x98979695);
  assert_int_equal(stack_word(16), 0xA4A3A2A1);
  assert_int_equal(stack_word(20), 0xA8A7A6A5);
  assert_int_equal(entry.n_stack_bytes, 32);
}

static void eight_bytes_are_aligned_on_the_stack_by_their_type(void **state) {
  (void)state;
  const struct qsm_argument doubles[] = {i64, i64, i64, i64, i32, f64, i32, s8};
  assert_int_equal(lay_out(doubles, 8), 0);
  assert_int_equal(stack_word(0), 0x44434241);
  assert_int_equal(stack_word(4), 0);
  assert_int_equal(stack_word(8), 0x54535251);
  assert_int_equal(stack_word(12), 0x58575655);
  assert_int_equal(stack_word(16), 0x64636261);
  assert_int_equal(stack_word(20), 0x74737271);  // of two ints: no gap
  assert_int_equal(stack_word(24), 0x78777675);
  assert_int_equal(entry.n_stack_bytes, 32);
}

static void larger_ones_are_copies_behind_the_words(void **state) {
  (void)state;
  const struct qsm_argument arguments[] = {s9, i32, s16_8, s12};
  assert_int_equal(lay_out(arguments, 4), 0);
  // Copies at 0, 16, 32; 44 bytes in all.
  assert_int_equal(entry.n_stack_bytes, 48);
  assert_int_equal(entry.registers[0], 0xFFFFFFD0);
  assert_int_equal(entry.registers[1], 0x14131211);
  assert_int_equal(entry.registers[2], 0xFFFFFFE0);
  assert_int_equal(entry.registers[3], 0xFFFFFFF0);
  assert_memory_equal(entry.stack, bytes_of[0], 9);
  assert_int_equal(entry.stack[9] | entry.stack[15], 0);
  assert_memory_equal(entry.stack + 16, bytes_of[2], 16);
  assert_memory_equal(entry.stack + 32, bytes_of[3], 12);
}

static void an_address_of_a_copy_may_lie_on_the_stack(void **state) {
  (void)state;
  const struct qsm_argument arguments[] = {i32, i32, i32, i32, i32, i32, i32, i32, s9, i32};
  assert_int_equal(lay_out(arguments, 10), 0);
  assert_int_equal(entry.n_stack_bytes, 32);  // two words, 9 bytes from 8 on
  assert_int_equal(stack_word(0), 0xFFFFFFE8);
  assert_int_equal(stack_word(4), 0x94939291);
  assert_memory_equal(entry.stack + 8, bytes_of[8], 9);
}

static void what_is_most_fits(void **state) {
  (void)state;
  struct qsm_argument ints[65], large = {256, 16, 1, "struct large", false};
  for (uint32_t i = 0; i < 65; i++) ints[i] = i32;
  assert_int_equal(lay_out(ints, 64), 0);
  assert_int_equal(entry.n_stack_bytes, 224);
  assert_int_equal(lay_out(ints, 65), -1);
  assert_int_equal(lay_out(&large, 1), 0);
  assert_int_equal(entry.n_stack_bytes, 256);
  assert_int_equal(entry.registers[0], 0xFFFFFF00);
  large.bytes = 257;
  assert_int_equal(lay_out(&large, 1), -1);
}

static void what_does_not_fit_is_refused_with_both_signatures(void **state) {
  (void)state;
  const struct qsm_argument arguments[] = {i32, f64};
  const struct qsm_kernel kernel = {
      .name = "f", .n_arguments = 2, .arguments = arguments, .signature = "f(int, double)"};
  const uint32_t words[2] = {1, 2};
  const double number = 1;
  const qsmArgument good[] = {{words, 4}, {&number, 8}}, narrow[] = {{words, 4}, {words, 4}},
                    nothing[] = {{words, 4}, {NULL, 8}};
  memset(&entry, 0, sizeof entry);
  assert_int_equal(qsm_arguments_lay_out(&kernel, good, 1, &entry, msg, sizeof msg), -1);
  assert_string_equal(msg, "kernel f takes f(int, double); the launch gives 1 arguments: 4 bytes");
  assert_int_equal(qsm_arguments_lay_out(&kernel, narrow, 2, &entry, msg, sizeof msg), -1);
  assert_string_equal(msg,
                      "kernel f takes f(int, double); the launch gives 2 arguments: 4, 4 bytes");
  assert_int_equal(qsm_arguments_of_words(&kernel, words, 2, &entry, msg, sizeof msg), -1);
  assert_int_equal(qsm_arguments_of_words(&kernel, words, 0, &entry, msg, sizeof msg), -1);
  assert_string_equal(msg, "kernel f takes f(int, double); the launch gives 0 arguments: none");
  assert_int_equal(qsm_arguments_lay_out(&kernel, nothing, 2, &entry, msg, sizeof msg), -1);
  assert_int_equal(entry.registers[0], 0);
  assert_int_equal(qsm_arguments_lay_out(&kernel, good, 2, &entry, msg, sizeof msg), 0);
  assert_int_equal(entry.registers[2], 0x3FF00000);
}

static void words_are_arguments_of_up_to_four_bytes(void **state) {
  (void)state;
  const struct qsm_argument arguments[] = {c8, i32, u8};
  const struct qsm_kernel kernel = {.name = "f",
                                    .n_arguments = 3,
                                    .arguments = arguments,
                                    .signature = "f"},
                          unknown = {.name = "g"};
  const uint32_t words[9] = {0x1FF, 7, 0x1FF, 4, 5, 6, 7, 8, 9};
  assert_int_equal(qsm_arguments_of_words(&kernel, words, 3, &entry, msg, sizeof msg), 0);
  assert_int_equal(entry.registers[0], 0xFFFFFFFF);
  assert_int_equal(entry.registers[1], 7);
  assert_int_equal(entry.registers[2], 0xFF);
  assert_int_equal(qsm_arguments_of_words(&unknown, words, 8, &entry, msg, sizeof msg), 0);
  assert_memory_equal(entry.registers, words, 32);
  assert_int_equal(qsm_arguments_of_words(&unknown, words, 9, &entry, msg, sizeof msg), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_go_to_registers_then_to_the_stack),
      cmocka_unit_test(narrow_integers_are_widened_by_their_sign),
      cmocka_unit_test(two_words_follow_each_other_without_alignment_in_registers),
      cmocka_unit_test(two_words_may_begin_in_a7),
      cmocka_unit_test(eight_bytes_are_aligned_on_the_stack_by_their_type),
      cmocka_unit_test(larger_ones_are_copies_behind_the_words),
      cmocka_unit_test(an_address_of_a_copy_may_lie_on_the_stack),
      cmocka_unit_test(what_is_most_fits),
      cmocka_unit_test(what_does_not_fit_is_refused_with_both_signatures),
      cmocka_unit_test(words_are_arguments_of_up_to_four_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

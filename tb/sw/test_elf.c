// SPDX-License-Identifier: Apache-2.0
// The loader of libqsm on a program of qsm-cc, and on what is broken, cut short or changed at
// random: it says what is wrong, and never crashes.
//
//   test_elf DEVICE_TEST.elf [N]    N files changed at random (default 3000); SEED=n replays
#define _GNU_SOURCE
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "qsm_elf.h"

enum {
  NOTE_HEAD = 16,
  KERNELS = 32,
  KERNEL = 32,
  ARGUMENT = 16
};  // offsets and sizes in the note, P-ELF-5

static uint8_t *original;
static size_t n_original;
static unsigned n_random = 3000;
static int changed;  // a file in memory
static char changed_path[64];

static void write_changed(const uint8_t *bytes, size_t n) {
  assert_int_equal(ftruncate(changed, 0), 0);
  assert_int_equal(pwrite(changed, bytes, n, 0), n);
}

static struct qsm_program *load(const uint8_t *bytes, size_t n, char *msg, size_t msg_len) {
  struct qsm_program *program = NULL;
  msg[0] = '\0';
  write_changed(bytes, n);
  int status = qsm_program_load(changed_path, &program, msg, msg_len);
  assert_true((status == 0) == (program != NULL) && (status == 0) == (msg[0] == '\0'));
  return program;
}

static uint8_t *copy(void) {
  uint8_t *bytes = malloc(n_original);
  assert_non_null(bytes);
  memcpy(bytes, original, n_original);
  return bytes;
}

static void refuse(uint8_t *bytes, size_t n, const char *text) {
  char msg[512];
  struct qsm_program *program = load(bytes, n, msg, sizeof msg);
  if (program || !strstr(msg, text))
    fail_msg("'%s', expected '%s'", program ? "loaded" : msg, text);
  free(bytes);
}

static Elf32_Shdr *section_of(uint8_t *bytes, uint32_t type) {
  const Elf32_Ehdr *header = (const void *)bytes;
  Elf32_Shdr *sections = (void *)(bytes + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i++)
    if (sections[i].sh_type == type) return &sections[i];
  fail_msg("no section of type %u", type);
  return NULL;
}

static Elf32_Phdr *segment_of(uint8_t *bytes, uint32_t type, uint32_t flags) {
  const Elf32_Ehdr *header = (const void *)bytes;
  Elf32_Phdr *segments = (void *)(bytes + header->e_phoff);
  for (int i = 0; i < header->e_phnum; i++)
    if (segments[i].p_type == type && (segments[i].p_flags & flags) == flags) return &segments[i];
  fail_msg("no segment of type %u", type);
  return NULL;
}

static uint8_t *note_of(uint8_t *bytes) { return bytes + section_of(bytes, SHT_NOTE)->sh_offset; }

static void put_word(uint8_t *at, uint32_t word) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(word >> 8 * i);
}

static uint32_t get_word(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

// P-ELF-5.
static void kernels_have_what_the_note_says(void **state) {
  (void)state;
  char msg[512];
  struct qsm_program *program = load(original, n_original, msg, sizeof msg);
  if (!program) fail_msg("%s", msg);
  const struct qsm_kernel *kernel = qsm_program_kernel(program, "arguments");
  static const struct qsm_argument want[] = {
      {4, 4, 0, "int *", false},         {2, 2, 0, "short", true},
      {8, 4, 0, "struct pair", false},   {8, 8, 0, "struct wide", false},
      {1, 1, 0, "char", false},          {8, 8, 0, "long long", true},
      {8, 8, 0, "long long", true},      {8, 8, 0, "struct wide", false},
      {20, 4, 1, "struct large", false}, {4, 4, 0, "float", false},
      {3, 1, 0, "struct bytes", false},  {1, 1, 0, "signed char", true}};
  assert_non_null(kernel);
  assert_int_equal(kernel->n_arguments, sizeof want / sizeof *want);
  for (uint32_t i = 0; i < kernel->n_arguments; i++) {
    const struct qsm_argument *got = &kernel->arguments[i];
    assert_string_equal(got->type, want[i].type);
    const uint32_t a[] = {got->bytes, got->align, got->by_reference, got->is_signed};
    const uint32_t b[] = {want[i].bytes, want[i].align, want[i].by_reference, want[i].is_signed};
    if (memcmp(a, b, sizeof a))
      fail_msg("argument %u, %s: %u %u %u %u, expected %u %u %u %u", i, got->type, a[0], a[1], a[2],
               a[3], b[0], b[1], b[2], b[3]);
  }
  assert_true(kernel->stack_known && kernel->stack_bytes >= 64 && kernel->stack_bytes % 16 == 0);
  assert_int_equal(kernel->shared_bytes, qsm_program_shared_bytes(program));
  assert_true(kernel->shared_bytes > 0);
  kernel = qsm_program_kernel(program, "write_code");
  assert_non_null(kernel);
  assert_string_equal(kernel->signature, "write_code(void)");
  assert_int_equal(kernel->n_arguments, 0);
  assert_false(qsm_program_kernel(program, "language")->stack_known);
  assert_int_equal(qsm_program_kernel(program, "language")->stack_bytes, 1024);
  assert_null(qsm_program_kernel(program, "recursive_sum"));
  qsm_program_free(program);
}

static void a_program_without_note_is_refused(void **state) {
  (void)state;
  uint8_t *bytes = copy();
  section_of(bytes, SHT_NOTE)->sh_type = SHT_PROGBITS;
  refuse(bytes, n_original, "made by an older qsm-cc: compile again");
  bytes = copy();
  note_of(bytes)[12] = 'Q';
  refuse(bytes, n_original, "made by an older qsm-cc: compile again");
  bytes = copy();
  put_word(note_of(bytes) + NOTE_HEAD, 2);
  refuse(bytes, n_original, "note of version 2");
}

static void a_broken_note_is_refused(void **state) {
  (void)state;
  static const struct {
    uint32_t at, value;
    const char *text;
  } cases[] = {
      {4, 8, "cut short"},
      {NOTE_HEAD + 4, 0x08000000, "its counts ask for"},  // 2^32 bytes of kernels
      {NOTE_HEAD + 8, 0xFFFFFFFF, "its counts ask for"},
      {NOTE_HEAD + 12, 0xFFFFFFF0, "its counts ask for"},
      {KERNELS + 0, 0x00FFFFFF, "kernel 0"},  // name
      {KERNELS + 4, 0xFFFFFFFF, "kernel 0"},  // signature
      {KERNELS + 8, 0xFFFFFFF0, "kernel 0"},  // offset
      {KERNELS + 8, 2, "kernel 0"},
      {KERNELS + 12, 24, "kernel 0"},  // stack
      {KERNELS + 12, 0x80000000, "kernel 0"},
      {KERNELS + 16, 0x10, "kernel 0"},        // shared bytes
      {KERNELS + 24, 0xFFFFFFFF, "kernel 0"},  // first argument
      {KERNELS + 28, 0xFFFFFFFF, "kernel 0"},  // arguments
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint8_t *bytes = copy();
    put_word(note_of(bytes) + cases[i].at, cases[i].value);
    refuse(bytes, n_original, cases[i].text);
  }
}

static void broken_arguments_are_refused(void **state) {
  (void)state;
  static const uint32_t cases[][2] = {{0, 0x7FFFFFFF}, {4, 0},  {4, 257}, {8, 0},
                                      {8, 3},          {8, 32}, {12, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint8_t *bytes = copy(), *note = note_of(bytes);
    put_word(note + KERNELS + KERNEL * get_word(note + NOTE_HEAD + 4) + cases[i][0], cases[i][1]);
    refuse(bytes, n_original, "broken note: argument 0");
  }
  uint8_t *bytes = copy(), *note = note_of(bytes);
  note[NOTE_HEAD + get_word(note + 4) - 1] = 'x';
  refuse(bytes, n_original, "a string does not end");
}

// Of the assembler nobody knows the arguments.
static void a_kernel_without_known_arguments_has_no_signature(void **state) {
  (void)state;
  char msg[512];
  uint8_t *bytes = copy(), *note = note_of(bytes);
  for (uint32_t i = 0; i < get_word(note + NOTE_HEAD + 4); i++) {
    uint8_t *kernel = note + KERNELS + KERNEL * i;
    if (get_word(kernel + 28) == 0) kernel[20] &= (uint8_t)~2u;
  }
  struct qsm_program *program = load(bytes, n_original, msg, sizeof msg);
  if (!program) fail_msg("%s", msg);
  assert_null(qsm_program_kernel(program, "write_code")->signature);
  assert_non_null(qsm_program_kernel(program, "arguments")->signature);
  qsm_program_free(program);
  note[KERNELS + 20] &= (uint8_t)~2u;  // of a kernel with arguments
  refuse(bytes, n_original, "broken note: kernel 0");
}

static void segments_outside_the_address_space_are_refused(void **state) {
  (void)state;
  uint8_t *bytes = copy();
  segment_of(bytes, PT_LOAD, PF_X)->p_vaddr = 0xFFFFF000;
  segment_of(bytes, PT_LOAD, PF_X)->p_memsz = 0xFFFFF000;
  refuse(bytes, n_original, "beyond its end or the address space");
  bytes = copy();
  segment_of(bytes, PT_LOAD, PF_X)->p_filesz = 0x7FFFFFFF;
  refuse(bytes, n_original, "beyond its end or the address space");
  bytes = copy();
  segment_of(bytes, PT_LOAD, PF_W)->p_vaddr = 0;
  refuse(bytes, n_original, "link with qsm-cc");
  bytes = copy();
  segment_of(bytes, PT_LOAD, PF_W)->p_vaddr = 0xF0000000;
  refuse(bytes, n_original, "too large");
  bytes = copy();
  segment_of(bytes, PT_LOAD, PF_X)->p_offset = 0xFFFFF000;
  refuse(bytes, n_original, "cut short");
  bytes = copy();
  segment_of(bytes, PT_TLS, 0)->p_memsz = 0xFFFFFFF0;
  refuse(bytes, n_original, "of shared memory");
  bytes = copy();
  ((Elf32_Ehdr *)(void *)bytes)->e_entry = 0x70000000;
  refuse(bytes, n_original, "not in its code");
}

static void a_file_cut_short_is_refused(void **state) {
  (void)state;
  char msg[512];
  for (size_t n = 0; n < n_original; n += n < 512 ? 1 : 61) {
    struct qsm_program *program = load(original, n, msg, sizeof msg);
    if (program) fail_msg("loaded the first %zu of %zu bytes", n, n_original);
  }
}

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

// Where to change something: in the headers, in the note, or anywhere.
static size_t random_place(uint64_t *state, uint8_t *bytes) {
  const Elf32_Ehdr *header = (const void *)original;
  uint64_t random = next_random(state);
  switch (next_random(state) % 4) {
    case 0: return random % (header->e_phoff + (size_t)header->e_phnum * sizeof(Elf32_Phdr));
    case 1: return header->e_shoff + random % ((size_t)header->e_shnum * sizeof(Elf32_Shdr));
    case 2: return (size_t)(note_of(bytes) - bytes) + random % section_of(bytes, SHT_NOTE)->sh_size;
    default: return random % n_original;
  }
}

// Everything that a loaded program says may be looked at.
static uint64_t read_all(const struct qsm_program *program) {
  uint64_t sum = qsm_program_shift(program, 4000) + qsm_program_entry(program);
  for (uint32_t i = 0; i < qsm_program_image_bytes(program); i++)
    sum += qsm_program_image(program)[i];
  const struct qsm_kernel *kernel = qsm_program_kernel(program, "arguments");
  for (uint32_t i = 0; kernel && i < kernel->n_arguments; i++)
    sum += strlen(kernel->arguments[i].type);
  return sum + (kernel && kernel->signature ? strlen(kernel->signature) : 0);
}

static void files_changed_at_random_do_not_crash_it(void **state) {
  (void)state;
  const char *given = getenv("SEED");
  uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL), random = seed * 2 + 1;
  unsigned n_loaded = 0;
  uint64_t sum = 0;
  printf("           seed %llu; again: SEED=%llu build/sw/test_elf build/sw/device_test.elf %u\n",
         (unsigned long long)seed, (unsigned long long)seed, n_random);
  for (unsigned i = 0; i < n_random; i++) {
    char msg[512];
    uint8_t *bytes = copy();
    for (uint64_t n = 1 + next_random(&random) % 3; n; n--) {
      static const uint8_t values[] = {0, 1, 4, 0x7F, 0x80, 0xFE, 0xFF};
      size_t at = random_place(&random, original);
      bytes[at] = next_random(&random) % 2 ? values[next_random(&random) % sizeof values]
                                           : (uint8_t)next_random(&random);
    }
    struct qsm_program *program = load(bytes, n_original, msg, sizeof msg);
    if (program) sum += read_all(program);
    n_loaded += program != NULL;
    qsm_program_free(program);
    free(bytes);
  }
  printf("           %u of %u loaded\n", n_loaded, n_random);
  assert_true(n_loaded > 0 && n_loaded < n_random && sum > 0);
}

int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  changed = memfd_create("changed", 0);
  if (!file || changed < 0) {
    fprintf(stderr, "usage: test_elf DEVICE_TEST.elf [N]\n");
    return 2;
  }
  snprintf(changed_path, sizeof changed_path, "/proc/self/fd/%d", changed);
  fseek(file, 0, SEEK_END);
  n_original = (size_t)ftell(file);
  rewind(file);
  original = malloc(n_original);
  if (!original || fread(original, 1, n_original, file) != n_original) return 2;
  fclose(file);
  if (argc > 2) n_random = (unsigned)strtoul(argv[2], NULL, 0);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_have_what_the_note_says),
      cmocka_unit_test(a_program_without_note_is_refused),
      cmocka_unit_test(a_broken_note_is_refused),
      cmocka_unit_test(broken_arguments_are_refused),
      cmocka_unit_test(a_kernel_without_known_arguments_has_no_signature),
      cmocka_unit_test(segments_outside_the_address_space_are_refused),
      cmocka_unit_test(a_file_cut_short_is_refused),
      cmocka_unit_test(files_changed_at_random_do_not_crash_it),
  };
  int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
  free(original);
  close(changed);
  return n_failed;
}

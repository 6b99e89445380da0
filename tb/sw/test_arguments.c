// SPDX-License-Identifier: Apache-2.0
// Kernels with random arguments, compiled by qsm-cc: laid out as docs/isa.md says (I-ENT-2) from
// nothing but the note, they must arrive.
//
//   test_arguments [PROGRAMS]    of 24 kernels each (default 2); SEED=n replays
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "ref_program.h"

enum {
  MEM_BASE = 0x80000000,
  MEM_BYTES = 1 << 20,
  N_KERNELS = 24,
  MOST_ARGUMENTS = 24,
  MOST_WORDS = 50
};

static unsigned n_programs = 2;
static uint64_t seed;

// What a thread sees of an integer that is narrower than a word is that word.
struct type {
  const char *name;
  uint32_t n_bytes;
  enum { PLAIN, NARROW_SIGNED, NARROW_UNSIGNED } kind;
};

static const struct type types[] = {
    {"char", 1, NARROW_UNSIGNED},
    {"signed char", 1, NARROW_SIGNED},
    {"short", 2, NARROW_SIGNED},
    {"unsigned short", 2, NARROW_UNSIGNED},
    {"int", 4, PLAIN},
    {"unsigned", 4, PLAIN},
    {"float", 4, PLAIN},
    {"const int *", 4, PLAIN},
    {"long long", 8, PLAIN},
    {"unsigned long long", 8, PLAIN},
    {"double", 8, PLAIN},
    {"float _Complex", 8, PLAIN},
    {"enum mode", 4, PLAIN},
    {"struct b1", 1, PLAIN},
    {"struct b3", 3, PLAIN},
    {"struct h1", 2, PLAIN},
    {"struct b5", 5, PLAIN},
    {"struct h3", 6, PLAIN},
    {"struct w2", 8, PLAIN},
    {"struct d1", 8, PLAIN},
    {"union u8", 8, PLAIN},
    {"struct b9", 9, PLAIN},
    {"struct w3", 12, PLAIN},
    {"struct d2", 16, PLAIN},
    {"struct w5", 20, PLAIN},
    {"struct a16", 16, PLAIN},
    {"struct packed", 11, PLAIN},
    {"float2", 8, PLAIN},
    {"float4", 16, PLAIN},
    {"struct nested", 24, PLAIN},
};

static const char prologue[] =
    "#include <qsm.h>\n"
    "typedef float float2 __attribute__((ext_vector_type(2)));\n"
    "typedef float float4 __attribute__((ext_vector_type(4)));\n"
    "enum mode { FAST, SLOW };\n"
    "struct b1 { char a[1]; }; struct b3 { char a[3]; }; struct b5 { char a[5]; }; struct b9 { char a[9]; };\n"
    "struct h1 { short a[1]; }; struct h3 { short a[3]; };\n"
    "struct w2 { int a[2]; }; struct w3 { int a[3]; }; struct w5 { int a[5]; };\n"
    "struct d1 { long long a; }; struct d2 { double a[2]; };\n"
    "union u8 { int a; double b; };\n"
    "struct a16 { int a[4]; } __attribute__((aligned(16)));\n"
    "struct packed { char a; long long b; short c; } __attribute__((packed));\n"
    "struct nested { struct b3 a; struct d2 b; };\n";

struct kernel {
  const struct type *arguments[MOST_ARGUMENTS];
  uint32_t n_arguments;
};

static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

// The first argument is where the others go.
static void make_kernel(struct kernel *kernel, uint64_t *random) {
  uint32_t wanted = next_random(random) % MOST_ARGUMENTS, n_words = 1;
  kernel->n_arguments = 0;
  while (kernel->n_arguments < wanted) {
    const struct type *type = &types[next_random(random) % (sizeof types / sizeof *types)];
    n_words += (type->n_bytes + 3) / 4;
    if (n_words > MOST_WORDS) break;
    kernel->arguments[kernel->n_arguments++] = type;
  }
}

static void write_kernel(FILE *file, const struct kernel *kernel, uint32_t number) {
  fprintf(file, "__global__ void kernel_%u(char *out", number);
  for (uint32_t i = 0; i < kernel->n_arguments; i++)
    fprintf(file, ", %s a%u", kernel->arguments[i]->name, i);
  fprintf(file, ") {\n");
  for (uint32_t i = 0; i < kernel->n_arguments; i++) {
    bool is_narrow = kernel->arguments[i]->kind != PLAIN;
    if (is_narrow) fprintf(file, "  int w%u = a%u;\n", i, i);
    fprintf(file, "  memcpy(out, &%c%u, sizeof %c%u);\n  out += 32;\n", is_narrow ? 'w' : 'a', i,
            is_narrow ? 'w' : 'a', i);
  }
  fprintf(file, "}\n");
}

static void compile(const struct kernel *kernels, const char *folder, char *elf, size_t elf_len) {
  char source[128], command[512];
  snprintf(source, sizeof source, "%s/arguments.c", folder);
  snprintf(elf, elf_len, "%s/arguments.elf", folder);
  FILE *file = fopen(source, "w");
  assert_non_null(file);
  fputs(prologue, file);
  for (uint32_t i = 0; i < N_KERNELS; i++) write_kernel(file, &kernels[i], i);
  fclose(file);
  snprintf(command, sizeof command, "sw/bin/qsm-cc -ffp-contract=off %s -o %s", source, elf);
  assert_int_equal(system(command), 0);
}

static uint32_t word_at(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t round_up(uint32_t value, uint32_t to) { return (value + to - 1) / to * to; }

// I-ENT-2, from the note.
struct layout {
  struct qsm_ref_call *call;
  uint32_t n_registers, at;  // in the image
};

static void put_word(struct layout *layout, uint32_t word) {
  if (layout->n_registers < 8) {
    layout->call->args[layout->n_registers++] = word;
    return;
  }
  layout->call->image[layout->at / 4] = word;
  layout->at += 4;
}

static void put_value(struct layout *layout, const uint8_t *note, const uint8_t *value) {
  uint32_t n_bytes = word_at(note + 4), align = word_at(note + 8),
           is_signed = word_at(note + 12) & 2;
  uint8_t padded[8] = {0};
  if (is_signed && n_bytes < 4 && value[n_bytes - 1] >> 7) memset(padded, 0xFF, 4);
  memcpy(padded, value, n_bytes);
  if (n_bytes > 4 && align == 8 && layout->n_registers == 8) layout->at = round_up(layout->at, 8);
  put_word(layout, word_at(padded));
  if (n_bytes > 4) put_word(layout, word_at(padded + 4));
}

// Where the copy of an argument begins in the image, when `first` is where the first one may.
static uint32_t place_copy(const uint8_t *notes, uint32_t number, uint32_t first) {
  for (uint32_t i = 0;; i++) {
    const uint8_t *note = notes + 16 * i;
    uint32_t align = word_at(note + 8) > 4 ? word_at(note + 8) : 4;
    if (!(word_at(note + 12) & 1)) continue;
    first = round_up(first, align);
    if (i == number) return first;
    first += word_at(note + 4);
  }
}

static uint32_t bytes_of_words(const uint8_t *notes, uint32_t n) {
  struct qsm_ref_call call;
  struct layout layout = {.call = &call};
  static const uint8_t zeros[8];
  for (uint32_t i = 0; i < n; i++) {
    if (word_at(notes + 16 * i + 12) & 1)
      put_word(&layout, 0);
    else
      put_value(&layout, notes + 16 * i, zeros);
  }
  return layout.at;
}

static void lay_out(struct qsm_ref_call *call, const struct qsm_ref_kernel *kernel,
                    const uint8_t (*values)[32]) {
  struct layout layout = {.call = call};
  uint32_t n = kernel->n_arguments, words = bytes_of_words(kernel->arguments, n), end = words;
  for (uint32_t i = 0; i < n; i++) {
    const uint8_t *note = kernel->arguments + 16 * i;
    if (word_at(note + 12) & 1) end = place_copy(kernel->arguments, i, words) + word_at(note + 4);
  }
  call->image_bytes = round_up(end, 16);
  assert_in_range(call->image_bytes, 0, sizeof call->image);
  for (uint32_t i = 0; i < n; i++) {
    const uint8_t *note = kernel->arguments + 16 * i;
    if (!(word_at(note + 12) & 1)) {
      put_value(&layout, note, values[i]);
      continue;
    }
    uint32_t at = place_copy(kernel->arguments, i, words);
    put_word(&layout, at - call->image_bytes);
    memcpy((uint8_t *)call->image + at, values[i], word_at(note + 4));
  }
}

static void check_outputs(const struct kernel *kernel, uint32_t number, const uint8_t (*values)[32],
                          const uint8_t *out) {
  for (uint32_t i = 0; i < kernel->n_arguments; i++) {
    const struct type *type = kernel->arguments[i];
    const uint8_t *value = values[i + 1];
    uint8_t want[32] = {0};
    uint32_t n_bytes = type->kind == PLAIN ? type->n_bytes : 4;
    if (type->kind == NARROW_SIGNED && value[type->n_bytes - 1] >> 7) memset(want, 0xFF, 4);
    memcpy(want, value, type->n_bytes);
    if (memcmp(out + 32 * i, want, n_bytes))
      fail_msg("seed %llu: kernel_%u, argument a%u, %s", (unsigned long long)seed, number, i,
               type->name);
  }
}

static void run_kernel(const struct qsm_ref_program *program, const struct kernel *kernel,
                       uint32_t number, uint64_t *random) {
  char name[32];
  struct qsm_ref_kernel note;
  struct qsm_ref_result result;
  uint8_t values[MOST_ARGUMENTS + 1][32];
  uint32_t out = MEM_BASE + MEM_BYTES / 2;
  snprintf(name, sizeof name, "kernel_%u", number);
  struct qsm_ref_call call = {.symbol = name,
                              .grid = {1, 1, 1},
                              .block = {1, 1, 1},
                              .warp_size = 4,
                              .max_instructions = 100000,
                              .scratch = MEM_BASE + MEM_BYTES / 4,
                              .window_end = MEM_BASE + MEM_BYTES};
  assert_int_equal(qsm_ref_program_kernel(program, name, &note), 0);
  assert_int_equal(note.n_arguments, kernel->n_arguments + 1);
  for (uint32_t i = 0; i < note.n_arguments; i++)
    for (uint32_t k = 0; k < 32; k++) values[i][k] = (uint8_t)next_random(random);
  for (int i = 0; i < 4; i++) values[0][i] = (uint8_t)(out >> 8 * i);
  lay_out(&call, &note, (const uint8_t(*)[32])values);
  enum qsm_ref_status status = qsm_ref_program_call(program, &call, &result);
  if (status != QSM_REF_DONE)
    fail_msg("seed %llu: %s: status %d, fault %u", (unsigned long long)seed, name, status,
             result.fault.cause);
  check_outputs(kernel, number, (const uint8_t(*)[32])values,
                qsm_ref_at(program->ref, out, 32 * MOST_ARGUMENTS));
}

static void run_program(const char *folder, uint64_t *random, uint32_t *n_on_stack) {
  struct kernel kernels[N_KERNELS];
  struct qsm_ref_program program;
  char elf[128];
  const char *error;
  for (uint32_t i = 0; i < N_KERNELS; i++) make_kernel(&kernels[i], random);
  compile(kernels, folder, elf, sizeof elf);
  struct qsm_ref *ref = qsm_ref_create(MEM_BASE, MEM_BYTES);
  assert_non_null(ref);
  if (qsm_ref_program_load(&program, ref, elf, MEM_BASE, &error)) fail_msg("%s", error);
  for (uint32_t i = 0; i < N_KERNELS; i++) {
    run_kernel(&program, &kernels[i], i, random);
    *n_on_stack += kernels[i].n_arguments > 8;
  }
  qsm_ref_program_destroy(&program);
  qsm_ref_destroy(ref);
}

// I-ENT-2, P-ELF-5.
static void random_arguments_arrive(void **state) {
  (void)state;
  char folder[] = "/tmp/qsm_arguments_XXXXXX", command[64];
  uint64_t random = seed;
  uint32_t n_on_stack = 0;
  printf("           seed %llu; again: SEED=%llu build/sw/test_arguments %u\n",
         (unsigned long long)seed, (unsigned long long)seed, n_programs);
  assert_non_null(mkdtemp(folder));
  for (unsigned i = 0; i < n_programs; i++) run_program(folder, &random, &n_on_stack);
  assert_true(n_on_stack > 0);
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

int main(int argc, char **argv) {
  const char *given = getenv("SEED");
  seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
  if (argc > 1) n_programs = (unsigned)strtoul(argv[1], NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_arguments_arrive)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// What a kernel may count on: qsm.h, crt0.S, qsm.ld and sw/lib, on the functional reference.
//
//   test_device DEVICE_TEST.elf
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "qsm_math.h"
#include "ref_program.h"

enum { MEM_BASE = 0x80000000, MEM_BYTES = 1 << 20, OUT_BYTES = 65536 };

static const char *elf;

struct machine {
  struct qsm_ref *ref;
  struct qsm_ref_program program;
  struct qsm_ref_result result;
  uint32_t out, in;  // device addresses
};

static void create_at(struct machine *machine, uint32_t base) {
  const char *error;
  memset(machine, 0, sizeof *machine);
  machine->ref = qsm_ref_create(MEM_BASE, MEM_BYTES);
  assert_non_null(machine->ref);
  if (qsm_ref_program_load(&machine->program, machine->ref, elf, base, &error) != 0)
    fail_msg("%s: %s", elf, error);
  machine->out = MEM_BASE + MEM_BYTES / 2;
  machine->in = machine->out + OUT_BYTES;
}

static void create(struct machine *machine) { create_at(machine, MEM_BASE + 0x5000); }

static void destroy(struct machine *machine) {
  qsm_ref_program_destroy(&machine->program);
  qsm_ref_destroy(machine->ref);
}

static uint32_t *words(struct machine *machine, uint32_t addr) {
  return (uint32_t *)(void *)qsm_ref_at(machine->ref, addr, OUT_BYTES);
}

static enum qsm_ref_status call(struct machine *machine, struct qsm_ref_call call) {
  call.scratch = (machine->program.image_end + 15) / 16 * 16;
  call.window_end = MEM_BASE + MEM_BYTES;
  call.warp_size = 8;
  call.max_instructions = 1000000;
  for (int i = 0; i < 3; i++) {
    if (call.grid[i] == 0) call.grid[i] = 1;
    if (call.block[i] == 0) call.block[i] = 1;
  }
  return qsm_ref_program_call(&machine->program, &call, &machine->result);
}

static uint32_t packed(const uint32_t v[3]) { return v[0] | v[1] << 8 | v[2] << 16; }

static void check_indices(struct machine *machine, const uint32_t grid[3],
                          const uint32_t block[3]) {
  struct qsm_ref_call c = {.symbol = "indices", .args = {machine->out}};
  memcpy(c.grid, grid, sizeof c.grid);
  memcpy(c.block, block, sizeof c.block);
  assert_int_equal(call(machine, c), QSM_REF_DONE);
  const uint32_t *at = words(machine, machine->out);
  uint32_t b[3], t[3];
  for (b[2] = 0; b[2] < grid[2]; b[2]++)
    for (b[1] = 0; b[1] < grid[1]; b[1]++)
      for (b[0] = 0; b[0] < grid[0]; b[0]++) {
        uint32_t tid = 0;
        for (t[2] = 0; t[2] < block[2]; t[2]++)
          for (t[1] = 0; t[1] < block[1]; t[1]++)
            for (t[0] = 0; t[0] < block[0]; t[0]++, tid++, at += 8) {
              const uint32_t want[8] = {
                  packed(t), packed(b), packed(block), packed(grid), tid, 8u << 8 | tid % 8, 0, 1};
              assert_memory_equal(at, want, sizeof want);
            }
      }
}

// I-ENT-3.
static void indices_are_right_in_one_two_and_three_dimensions(void **state) {
  (void)state;
  struct machine machine;
  create(&machine);
  check_indices(&machine, (uint32_t[]){3, 1, 1}, (uint32_t[]){13, 1, 1});
  check_indices(&machine, (uint32_t[]){2, 3, 1}, (uint32_t[]){5, 3, 1});
  check_indices(&machine, (uint32_t[]){2, 3, 2}, (uint32_t[]){3, 2, 5});
  check_indices(&machine, (uint32_t[]){1, 1, 1}, (uint32_t[]){1, 1, 64});
  destroy(&machine);
}

// P-ELF-3.
static void shared_variables_and_dynamic_memory_do_not_overlap(void **state) {
  (void)state;
  struct machine machine;
  create(&machine);
  assert_int_equal(machine.program.shared_bytes % 16, 0);
  assert_int_equal(
      qsm_ref_program_symbol(&machine.program, "__qsm_shared_bytes") - machine.program.load_offset,
      machine.program.shared_bytes);
  uint32_t *in = words(&machine, machine.in);
  for (uint32_t i = 0; i < 32; i++) in[i] = 1000 * i + 7;
  struct qsm_ref_call c = {.symbol = "shared",
                           .grid = {2},
                           .block = {16},
                           .shared_bytes = 64,
                           .args = {machine.in, machine.out}};
  assert_int_equal(call(&machine, c), QSM_REF_DONE);
  const uint32_t *out = words(&machine, machine.out);
  for (uint32_t i = 0; i < 32; i++) {
    uint32_t value = in[i / 16 * 16 + 15 - i % 16];
    assert_int_equal(out[i], value + (value & 0xFF) + 3 * value);
  }
  destroy(&machine);
}

static void too_little_shared_memory_faults(void **state) {
  (void)state;
  struct machine machine;
  create(&machine);
  struct qsm_ref_call c = {
      .symbol = "shared", .block = {16}, .shared_bytes = 60, .args = {machine.in, machine.out}};
  assert_int_equal(call(&machine, c), QSM_REF_FAULT);
  assert_int_equal(machine.result.fault.cause, 7);
  assert_int_equal(machine.result.fault.tid, 15);
  assert_int_equal(machine.result.fault.value, 0x10000000 + machine.program.shared_bytes + 60);
  destroy(&machine);
}

static void every_atomic_does_what_its_name_says(void **state) {
  (void)state;
  struct machine machine;
  create(&machine);
  uint32_t *out = words(&machine, machine.out), *out_unsigned = words(&machine, machine.in);
  memset(out, 0, 64);
  out[4] = 0xFFFFFFFF;
  out[8] = 55;
  out_unsigned[0] = 0xFFFFFFFF;
  struct qsm_ref_call c = {.symbol = "atomics", .block = {11}, .args = {machine.out, machine.in}};
  assert_int_equal(call(&machine, c), QSM_REF_DONE);
  // x = 0 .. 10; xor of 3 << x leaves bits 0 and 11
  const uint32_t want[11] = {55, (uint32_t)-55, (uint32_t)-10, 10, 0xFFFFF800, 0x7FF, 0x801, 55, 77,
                             11, 77 + 10};
  assert_memory_equal(out, want, sizeof want);
  assert_int_equal(out_unsigned[0], 0x80000000);
  assert_int_equal(out_unsigned[1], 0x8000000A);
  destroy(&machine);
}

static void check_language(struct machine *machine, uint32_t selector, uint32_t n, uint32_t big) {
  struct qsm_ref_call c = {.symbol = "language", .args = {machine->out, selector, n, big}};
  assert_int_equal(call(machine, c), QSM_REF_DONE);
  const uint32_t *out = words(machine, machine->out);
  uint64_t wide = (uint64_t)big << 32 | n;
  const uint32_t by_selector[] = {n + 1, n * 7, n ^ 0xFF, n << 3, n / 3, ~n, 0};
  assert_int_equal(out[0], by_selector[selector]);
  assert_int_equal(out[1], selector & 1 ? 2 * n : n * n);
  assert_int_equal(out[2], n * (n + 1) / 2);
  assert_int_equal(out[3], (uint32_t)(wide / 1000003));
  assert_int_equal(out[4], (uint32_t)(wide % 1000003));
  assert_int_equal(out[5], (uint32_t)((int64_t)wide / -7));
  assert_int_equal(out[6], (uint32_t)((int64_t)wide % -7));
  assert_int_equal(out[7], 0);
  for (uint32_t i = 0; i < (n & 7); i++) assert_int_equal(out[8 + i], selector * 0x01010101);
}

static void the_language_works(void **state) {
  (void)state;
  struct machine machine;
  create(&machine);
  for (uint32_t selector = 0; selector < 7; selector++) {
    check_language(&machine, selector, selector + 3, 0x89ABCDEF - selector);
    assert_int_equal(words(&machine, machine.out)[16],
                     40 + selector);  // the global counts launches
    assert_int_equal(words(&machine, machine.out)[17], 0);
  }
  check_language(&machine, 2, 3, 5);
  assert_int_equal(words(&machine, machine.out)[17], 1);
  destroy(&machine);
}

// P-ELF-1.
static void programs_run_wherever_they_are_loaded(void **state) {
  (void)state;
  for (uint32_t base = MEM_BASE; base <= MEM_BASE + 0x40000; base += 0x13000) {
    struct machine machine;
    create_at(&machine, base);
    check_language(&machine, 1, 4, 99);
    check_indices(&machine, (uint32_t[]){2, 1, 1}, (uint32_t[]){4, 4, 1});
    destroy(&machine);
  }
}

// The host's own functions are the definition; where a result is NaN any NaN is right.
static void functions_of_floats_are_those_of_c(void **state) {
  static const float values[] = {0,     -0.0f, 0.5f,     -0.5f,      1.5f,      -2.5f,
                                 2.25f, 3,     -7.75f,   8388607.5f, -16777215, 1e-40f,
                                 1e9f,  -2e9f, INFINITY, -INFINITY,  NAN};
  enum { N = sizeof values / sizeof values[0], OUTPUTS = 16 };
  (void)state;
  for (uint32_t shift = 0; shift < N; shift++) {
    struct machine machine;
    create(&machine);
    float in[2 * N], out[OUTPUTS * N];
    for (uint32_t i = 0; i < N; i++) {
      in[2 * i] = values[i];
      in[2 * i + 1] = values[(i + shift) % N];
    }
    memcpy(words(&machine, machine.in), in, sizeof in);
    struct qsm_ref_call c = {.symbol = "floats", .block = {N}, .args = {machine.in, machine.out}};
    assert_int_equal(call(&machine, c), QSM_REF_DONE);
    memcpy(out, words(&machine, machine.out), sizeof out);
    for (uint32_t i = 0; i < N; i++) {
      float x = in[2 * i], y = in[2 * i + 1];
      bool fits = fabsf(x) < 2e9f, y_fits = fabsf(y) < 4e9f;  // else C has no answer
      const float want[OUTPUTS] = {sqrtf(x),
                                   fabsf(x),
                                   copysignf(x, y),
                                   fminf(x, y),
                                   fmaxf(x, y),
                                   fmaf(x, y, x),
                                   floorf(x),
                                   ceilf(x),
                                   truncf(x),
                                   roundf(x),
                                   rintf(x),
                                   x / y,
                                   fits ? (float)(int)x : out[OUTPUTS * i + 12],
                                   y_fits ? (float)(unsigned)fabsf(y) : out[OUTPUTS * i + 13],
                                   x < y    ? 1
                                   : x == y ? 0
                                            : -1,
                                   -x - y};
      for (uint32_t k = 0; k < OUTPUTS; k++) {
        float got = out[OUTPUTS * i + k];
        if (isnan(want[k]) ? !isnan(got) : got != want[k])
          fail_msg("output %u of %g, %g: %g, expected %g", k, x, y, got, want[k]);
      }
    }
    destroy(&machine);
  }
}

// The same bits: a host that checks a kernel calls the same functions.
static void elementary_functions_are_those_of_the_host(void **state) {
  enum { N = 200 };
  (void)state;
  struct machine machine;
  create(&machine);
  float in[N];
  for (uint32_t i = 0; i < N; i++)
    in[i] = (i % 2 ? -1.0f : 1.0f) * ldexpf((float)(i * 7919 % 1013) / 1013.0f, (int)(i % 23) - 8);
  memcpy(words(&machine, machine.in), in, sizeof in);
  struct qsm_ref_call c = {.symbol = "elementary", .block = {N}, .args = {machine.in, machine.out}};
  assert_int_equal(call(&machine, c), QSM_REF_DONE);
  const float *out = (const float *)words(&machine, machine.out);
  for (uint32_t i = 0; i < N; i++) {
    const float want[] = {qsm_exp(in[i]), qsm_log(in[i]), qsm_sin(in[i]), qsm_cos(in[i]),
                          qsm_rsqrt(in[i])};
    for (uint32_t k = 0; k < 5; k++) {
      float got = out[5 * i + k];
      if (isnan(want[k]) ? !isnan(got) : got != want[k])
        fail_msg("function %u of %g: %g, expected %g", k, in[i], got, want[k]);
    }
  }
  destroy(&machine);
}

static void the_clock_moves_on(void **state) {
  (void)state;
  struct machine machine;
  create(&machine);
  struct qsm_ref_call c = {.symbol = "timing", .args = {machine.out}};
  assert_int_equal(call(&machine, c), QSM_REF_DONE);
  assert_int_equal(words(&machine, machine.out)[0], 1);
  assert_int_equal(words(&machine, machine.out)[1], 1);
  destroy(&machine);
}

static void threads_may_leave_before_a_barrier(void **state) {
  (void)state;
  struct machine machine;
  create(&machine);
  struct qsm_ref_call c = {.symbol = "early_exit", .block = {20}, .args = {machine.out, 7}};
  assert_int_equal(call(&machine, c), QSM_REF_DONE);
  assert_int_equal(words(&machine, machine.out)[0], 21);
  destroy(&machine);
}

static void a_failing_assert_is_a_breakpoint_of_its_thread(void **state) {
  (void)state;
  struct machine machine;
  create(&machine);
  struct qsm_ref_call c = {.symbol = "failing_assert", .grid = {2}, .block = {20}, .args = {17}};
  assert_int_equal(call(&machine, c), QSM_REF_FAULT);
  assert_int_equal(machine.result.fault.cause, 3);
  assert_int_equal(machine.result.fault.tid, 17);
  assert_int_equal(machine.result.fault.block, 0);
  c.args[0] = 20;
  assert_int_equal(call(&machine, c), QSM_REF_DONE);
  destroy(&machine);
}

static void code_is_not_writable(void **state) {
  (void)state;
  struct machine machine;
  create(&machine);
  struct qsm_ref_call c = {.symbol = "write_code"};
  assert_int_equal(call(&machine, c), QSM_REF_FAULT);
  assert_int_equal(machine.result.fault.cause, 7);
  assert_int_equal(machine.result.fault.value,
                   qsm_ref_program_symbol(&machine.program, "write_code"));
  destroy(&machine);
}

static const char *signature_of(struct machine *machine, const char *name,
                                struct qsm_ref_kernel *kernel) {
  assert_int_equal(qsm_ref_program_kernel(&machine->program, name, kernel), 0);
  return kernel->signature;
}

// I-ENT-1, I-ENT-2: words and image written down from the calling convention.
static void arguments_of_all_kinds_arrive(void **state) {
  (void)state;
  struct machine machine;
  struct qsm_ref_kernel kernel;
  create(&machine);
  const uint32_t image_bytes = 64, sp = 0 - image_bytes;
  struct qsm_ref_call c = {
      .symbol = "arguments",
      .block = {5},
      .args = {machine.out, (uint32_t)-3, (uint16_t)-2, 77, 0x89ABCDEF, 0x01234567, 'q', 5},
      .image = {1, 0, 7, 2, 0x11111111, 0x22222222, sp + 40, 0x40500000, 0x00030201, (uint32_t)-9,
                1000, 1, 2, 3, 4},
      .image_bytes = image_bytes,
  };
  assert_string_equal(
      signature_of(&machine, "arguments", &kernel),
      "arguments(int *out, short small, struct pair pair, struct wide wide, char letter, long long a, long long b, struct wide c, "
      "struct large large, float f, struct bytes bytes, signed char negative)");
  assert_int_equal(call(&machine, c), QSM_REF_DONE);
  for (uint32_t t = 0; t < 5; t++) {
    const uint32_t *out = words(&machine, machine.out) + 16 * t;
    const uint32_t want[15] = {(uint32_t)-2, 77, 0x89ABCDEF, 0x01234567,   'q',
                               (uint32_t)-3, 12, 3,          0x11111111,   0x22222222,
                               1040,         13, 0x00030201, (uint32_t)-9, t};
    for (uint32_t i = 0; i < 15; i++)
      if (out[i] != want[i])
        fail_msg("thread %u, output %u: %08x, expected %08x", t, i, out[i], want[i]);
  }
  destroy(&machine);
}

// The figure of the note is enough, and half of it is not.
static void a_stack_is_as_large_as_the_note_says(void **state) {
  (void)state;
  struct machine machine;
  struct qsm_ref_kernel kernel;
  create(&machine);
  struct qsm_ref_call c = {.symbol = "large_array", .block = {3}, .args = {machine.out}};
  assert_string_equal(signature_of(&machine, "large_array", &kernel), "large_array(int *out)");
  assert_in_range(kernel.stack_bytes, 800, 1024);
  assert_int_equal(call(&machine, c), QSM_REF_DONE);
  for (uint32_t t = 0; t < 3; t++) assert_int_equal(words(&machine, machine.out)[t], 19900 * t);
  c.stack_bytes = 512;
  assert_int_equal(call(&machine, c), QSM_REF_FAULT);
  assert_int_equal(machine.result.fault.cause, 25);
  assert_in_range(machine.result.fault.value, 0u - 1024, 0u - 513);
  destroy(&machine);
}

static void recursion_beyond_its_stack_is_a_fault(void **state) {
  (void)state;
  struct machine machine;
  create(&machine);
  struct qsm_ref_call c = {.symbol = "language", .args = {machine.out, 0, 20, 5}};
  assert_int_equal(call(&machine, c), QSM_REF_DONE);
  c.args[2] = 1000;
  assert_int_equal(call(&machine, c), QSM_REF_FAULT);
  assert_int_equal(machine.result.fault.cause, 25);
  destroy(&machine);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: test_device DEVICE_TEST.elf\n");
    return 2;
  }
  elf = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(indices_are_right_in_one_two_and_three_dimensions),
      cmocka_unit_test(shared_variables_and_dynamic_memory_do_not_overlap),
      cmocka_unit_test(too_little_shared_memory_faults),
      cmocka_unit_test(every_atomic_does_what_its_name_says),
      cmocka_unit_test(the_language_works),
      cmocka_unit_test(programs_run_wherever_they_are_loaded),
      cmocka_unit_test(functions_of_floats_are_those_of_c),
      cmocka_unit_test(elementary_functions_are_those_of_the_host),
      cmocka_unit_test(the_clock_moves_on),
      cmocka_unit_test(threads_may_leave_before_a_barrier),
      cmocka_unit_test(a_failing_assert_is_a_breakpoint_of_its_thread),
      cmocka_unit_test(code_is_not_writable),
      cmocka_unit_test(arguments_of_all_kinds_arrive),
      cmocka_unit_test(a_stack_is_as_large_as_the_note_says),
      cmocka_unit_test(recursion_beyond_its_stack_is_a_fault),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// The table of isa_cases.c on the functional reference, and what takes more than one instruction or
// thread: fetch faults, exit, barrier, spinning threads, limits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa_cases.h"
#include "qsm_disasm.h"
#include "ref_sim.h"

static const uint32_t QSM_BAR = 0x0000000B, QSM_EXIT = 0x0000100B;

static const struct qsm_ref_launch one_thread = {
    .entry = QSM_ISA_PC,
    .arg = 0x12345678,
    .grid = {1, 1, 1},
    .block = {1, 1, 1},
    .shared_bytes = QSM_ISA_SHARED_BYTES,
    .local_bytes = QSM_ISA_LOCAL_BYTES,
    .warp_size = 4,
    .slot = 2,
    .windows = {{QSM_ISA_CODE, QSM_ISA_CODE + 4096, QSM_REF_R | QSM_REF_X},
                {QSM_ISA_DATA, QSM_ISA_DATA + 4096, QSM_REF_R | QSM_REF_W}},
    .max_instructions = 100000,
};

static struct qsm_ref *create(void) {
  struct qsm_ref *ref = qsm_ref_create(QSM_ISA_CODE, 8192);
  assert_non_null(ref);
  return ref;
}

static void put(struct qsm_ref *ref, uint32_t addr, uint32_t word) {
  memcpy(qsm_ref_at(ref, addr, 4), &word, 4);
}

static uint32_t get(struct qsm_ref *ref, uint32_t addr) {
  uint32_t word;
  memcpy(&word, qsm_ref_at(ref, addr, 4), 4);
  return word;
}

static void check_case(const struct qsm_isa_case *c) {
  struct qsm_ref *ref = create();
  uint32_t shared[QSM_ISA_SHARED_BYTES / 4 + 1] = {QSM_ISA_MEMORY};
  uint32_t local[QSM_ISA_LOCAL_BYTES / 4] = {QSM_ISA_MEMORY};
  struct qsm_ref_thread thread = {.pc = QSM_ISA_PC, .local = (uint8_t *)local};
  struct qsm_ref_fault fault = {.cause = QSM_ISA_NO_FAULT};
  put(ref, QSM_ISA_PC, c->instr);
  put(ref, QSM_ISA_DATA, QSM_ISA_MEMORY);
  thread.x[10] = QSM_ISA_A0;
  thread.x[11] = c->a1;
  thread.x[12] = c->a2;
  qsm_ref_step(ref, &one_thread, (uint8_t *)shared, &thread, &fault);
  const uint32_t got[] = {thread.x[10], thread.pc, get(ref, QSM_ISA_DATA), shared[0], fault.cause,
                          fault.value,  local[0]};
  const uint32_t want[] = {c->a0, c->next_pc, c->device, c->shared, c->cause, c->value, c->local};
  static const char *const names[] = {"a0",    "next pc",     "device word", "shared word",
                                      "cause", "fault value", "local word"};
  for (int i = 0; i < 7; i++) {
    if (got[i] != want[i]) {
      fail_msg("%08x (%s), a1 = %08x, a2 = %08x: %s is %08x, expected %08x", (unsigned)c->instr,
               c->text != NULL ? c->text : "illegal", (unsigned)c->a1, (unsigned)c->a2, names[i],
               (unsigned)got[i], (unsigned)want[i]);
    }
  }
  assert_int_equal(thread.x[0], 0);
  qsm_ref_destroy(ref);
}

static void every_instruction_follows_its_definition(void **state) {
  (void)state;
  for (size_t i = 0; i < qsm_isa_n_cases; i++) check_case(&qsm_isa_cases[i]);
}

// Guards the table's encodings: LLVM has confirmed the disassembler.
static void every_case_is_the_instruction_that_it_names(void **state) {
  (void)state;
  for (size_t i = 0; i < qsm_isa_n_cases; i++) {
    const struct qsm_isa_case *c = &qsm_isa_cases[i];
    char text[128], illegal[64];
    snprintf(illegal, sizeof illegal, ".word 0x%08x # illegal", (unsigned)c->instr);
    qsm_disasm(QSM_ISA_PC, c->instr, text, sizeof text);
    assert_string_equal(text, c->text != NULL ? c->text : illegal);
  }
}

static void cycle_counts_up(void **state) {
  (void)state;
  struct qsm_ref *ref = create();
  struct qsm_ref_thread thread = {.pc = QSM_ISA_PC};
  struct qsm_ref_fault fault;
  put(ref, QSM_ISA_PC, 0xC0002573);      // csrrs a0, cycle, zero
  put(ref, QSM_ISA_PC + 4, 0xC00025F3);  // csrrs a1, cycle, zero
  for (int i = 0; i < 2; i++)
    assert_int_equal(qsm_ref_step(ref, &one_thread, NULL, &thread, &fault), 0);
  assert_true(thread.x[11] > thread.x[10]);
  qsm_ref_destroy(ref);
}

// Runs `n_words` of program with so many threads in one block.
static enum qsm_ref_status run(struct qsm_ref *ref, const uint32_t *words, size_t n_words,
                               uint32_t n_threads, struct qsm_ref_result *result) {
  struct qsm_ref_launch launch = one_thread;
  launch.block[0] = n_threads;
  for (size_t i = 0; i < n_words; i++) put(ref, QSM_ISA_PC + 4 * (uint32_t)i, words[i]);
  return qsm_ref_run(ref, &launch, result);
}

#define RUN(ref, words, n_threads, result) \
  run(ref, words, sizeof(words) / sizeof *(words), n_threads, result)

static void an_exit_ends_a_thread_and_counts(void **state) {
  (void)state;
  struct qsm_ref *ref = create();
  struct qsm_ref_result result;
  const uint32_t words[] = {0x00000013, QSM_EXIT};
  assert_int_equal(RUN(ref, words, 3, &result), QSM_REF_DONE);
  assert_int_equal(result.n_instructions, 6);
  qsm_ref_destroy(ref);
}

// Data is not executable, nor is shared memory.
static void a_fetch_without_right_x_faults(void **state) {
  (void)state;
  static const uint32_t targets[] = {QSM_ISA_DATA, QSM_ISA_SHARED};
  for (int i = 0; i < 2; i++) {
    struct qsm_ref *ref = create();
    struct qsm_ref_result result;
    const uint32_t words[] = {
        targets[i] | 0x537,  // lui a0, target
        0x00050067,          // jalr zero, 0(a0)
    };
    assert_int_equal(RUN(ref, words, 1, &result), QSM_REF_FAULT);
    assert_int_equal(result.fault.cause, 1);
    assert_int_equal(result.fault.pc, targets[i]);
    assert_int_equal(result.fault.value, targets[i]);
    qsm_ref_destroy(ref);
  }
}

// The first block of the second layer, in a grid of 3 x 2 x 2.
static void a_fault_names_its_block_by_linear_index(void **state) {
  (void)state;
  struct qsm_ref *ref = create();
  struct qsm_ref_result result;
  struct qsm_ref_launch launch = one_thread;
  launch.grid[0] = 3;
  launch.grid[1] = launch.grid[2] = 2;
  put(ref, QSM_ISA_PC, 0xCC302573);      // csrrs a0, ctaid.z, zero
  put(ref, QSM_ISA_PC + 4, 0x00050463);  // beq a0, zero, +8
  put(ref, QSM_ISA_PC + 8, 0x00100073);  // ebreak
  put(ref, QSM_ISA_PC + 12, QSM_EXIT);
  assert_int_equal(qsm_ref_run(ref, &launch, &result), QSM_REF_FAULT);
  assert_int_equal(result.fault.block, 6);
  qsm_ref_destroy(ref);
}

// Thread 2 of 4 faults; the record names it.
static void a_fault_names_its_thread(void **state) {
  (void)state;
  struct qsm_ref *ref = create();
  struct qsm_ref_result result;
  const uint32_t words[] = {
      0xCC002573,  // csrrs a0, tid, zero
      0x00200593,  // addi a1, zero, 2
      0x00B51463,  // bne a0, a1, +8
      0x00100073,  // ebreak
      QSM_EXIT,
  };
  assert_int_equal(RUN(ref, words, 4, &result), QSM_REF_FAULT);
  assert_int_equal(result.fault.cause, 3);
  assert_int_equal(result.fault.tid, 2);
  assert_int_equal(result.fault.pc, QSM_ISA_PC + 12);
  qsm_ref_destroy(ref);
}

// Each thread stores its tid to shared memory, meets the others, and adds what its right neighbour
// stored to a device word.
static void a_barrier_separates_stores_from_loads(void **state) {
  (void)state;
  struct qsm_ref *ref = create();
  struct qsm_ref_result result;
  const uint32_t words[] = {
      0xCC002573,  // csrrs a0, tid, zero
      0x00251593,  // slli a1, a0, 2
      0x10000637,  // lui a2, 0x10000
      0x00C585B3,  // add a1, a1, a2
      0x00A5A023,  // sw a0, 0(a1)
      QSM_BAR,
      0x0045A503,  // lw a0, 4(a1)
      0x800016B7,  // lui a3, 0x80001
      0x00A6A02F,  // amoadd.w zero, a0, (a3)
      QSM_EXIT,
  };
  put(ref, QSM_ISA_DATA, 0);
  assert_int_equal(RUN(ref, words, 8, &result), QSM_REF_DONE);
  // 1 + .. + 7, and thread 7 reads a word that nobody wrote.
  assert_int_equal(get(ref, QSM_ISA_DATA), 28 + 0xEEEEEEEE);
  qsm_ref_destroy(ref);
}

// Each thread keeps its tid in the last word of the address space while the others run, and adds it
// to a device word.
static void local_memory_is_each_threads_own(void **state) {
  (void)state;
  struct qsm_ref *ref = create();
  struct qsm_ref_result result;
  const uint32_t words[] = {
      0xCC002573,  // csrrs a0, tid, zero
      0xFEA02E23,  // sw a0, -4(zero)
      QSM_BAR,
      0xFFC02503,  // lw a0, -4(zero)
      0x800015B7,  // lui a1, 0x80001
      0x00A5A02F,  // amoadd.w zero, a0, (a1)
      QSM_EXIT,
  };
  put(ref, QSM_ISA_DATA, 0);
  assert_int_equal(RUN(ref, words, 8, &result), QSM_REF_DONE);
  assert_int_equal(get(ref, QSM_ISA_DATA), 28);
  qsm_ref_destroy(ref);
}

// I-DIV-3: threads that exit do not hold the others at the barrier.
static void an_exited_thread_is_not_waited_for(void **state) {
  (void)state;
  struct qsm_ref *ref = create();
  struct qsm_ref_result result;
  const uint32_t words[] = {
      0xCC002573,  // csrrs a0, tid, zero
      0x00051463,  // bne a0, zero, +8
      QSM_EXIT,   QSM_BAR, QSM_EXIT,
  };
  assert_int_equal(RUN(ref, words, 4, &result), QSM_REF_DONE);
  assert_int_equal(result.n_instructions, 3 + 3 * 4);
  qsm_ref_destroy(ref);
}

// Thread 0 spins until thread 1 has written.
static void a_spinning_thread_does_not_hold_the_others(void **state) {
  (void)state;
  struct qsm_ref *ref = create();
  struct qsm_ref_result result;
  const uint32_t words[] = {
      0xCC002573,  // csrrs a0, tid, zero
      0x800015B7,  // lui a1, 0x80001
      0x00051863,  // bne a0, zero, +16
      0x0005A603,  // lw a2, 0(a1)
      0xFE060EE3,  // beq a2, zero, -4
      QSM_EXIT,
      0x00A5A023,  // sw a0, 0(a1)
      QSM_EXIT,
  };
  put(ref, QSM_ISA_DATA, 0);
  assert_int_equal(RUN(ref, words, 2, &result), QSM_REF_DONE);
  assert_true(result.n_instructions > 1000);
  qsm_ref_destroy(ref);
}

static void an_infinite_loop_meets_the_limit(void **state) {
  (void)state;
  struct qsm_ref *ref = create();
  struct qsm_ref_result result;
  const uint32_t words[] = {0x0000006F};  // jal zero, 0
  assert_int_equal(RUN(ref, words, 2, &result), QSM_REF_LIMIT);
  qsm_ref_destroy(ref);
}

static void memory_outside_the_device_is_not_handed_out(void **state) {
  (void)state;
  struct qsm_ref *ref = create();
  assert_non_null(qsm_ref_at(ref, QSM_ISA_CODE, 8192));
  assert_null(qsm_ref_at(ref, QSM_ISA_CODE, 8193));
  assert_null(qsm_ref_at(ref, QSM_ISA_CODE + 8192, 1));
  assert_null(qsm_ref_at(ref, QSM_ISA_CODE - 1, 1));
  qsm_ref_destroy(ref);
  qsm_ref_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_instruction_follows_its_definition),
      cmocka_unit_test(every_case_is_the_instruction_that_it_names),
      cmocka_unit_test(cycle_counts_up),
      cmocka_unit_test(an_exit_ends_a_thread_and_counts),
      cmocka_unit_test(a_fetch_without_right_x_faults),
      cmocka_unit_test(a_fault_names_its_thread),
      cmocka_unit_test(a_fault_names_its_block_by_linear_index),
      cmocka_unit_test(a_barrier_separates_stores_from_loads),
      cmocka_unit_test(an_exited_thread_is_not_waited_for),
      cmocka_unit_test(local_memory_is_each_threads_own),
      cmocka_unit_test(a_spinning_thread_does_not_hold_the_others),
      cmocka_unit_test(an_infinite_loop_meets_the_limit),
      cmocka_unit_test(memory_outside_the_device_is_not_handed_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

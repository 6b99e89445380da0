// SPDX-License-Identifier: Apache-2.0
// Every program of the kernel suite, run on the functional reference: outputs right at several
// seeds and sizes, wrong outputs noticed, launches within what the smallest machines hold.
//
//   test_suite KERNEL_FOLDER [large]    prints the thread instructions of each program and size,
//   too; `large` adds
//                                       size L, 10 to 100 million of them per program
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "qsm_suite.h"
#include "qsm_suite_util.h"
#include "ref_program.h"

enum { MEM_BASE = 0x80000000, MEM_BYTES = 64 << 20, PAGE = 4096 };
enum { LOAD_BASE = MEM_BASE + 3 * PAGE };  // not the link address: programs may lie anywhere

static const char *kernel_folder;
static int with_large;

struct machine {
  struct qsm_ref *ref;
  struct qsm_ref_program program;
  uint32_t free_addr;  // bump allocator
  uint32_t scratch;
  uint64_t n_instructions;
};

static uint32_t aligned(uint32_t addr) { return (addr + 255) / 256 * 256; }

static uint32_t machine_alloc(void *ctx, size_t n_bytes) {
  struct machine *machine = ctx;
  uint32_t addr = aligned(machine->free_addr);
  if (qsm_ref_at(machine->ref, addr, n_bytes) == NULL) return 0;
  machine->free_addr = addr + (uint32_t)n_bytes;
  return addr;
}

static void machine_write(void *ctx, uint32_t addr, const void *from, size_t n_bytes) {
  struct machine *machine = ctx;
  uint8_t *to = qsm_ref_at(machine->ref, addr, n_bytes);
  assert_non_null(to);
  memcpy(to, from, n_bytes);
}

static void machine_read(void *ctx, uint32_t addr, void *to, size_t n_bytes) {
  struct machine *machine = ctx;
  const uint8_t *from = qsm_ref_at(machine->ref, addr, n_bytes);
  assert_non_null(from);
  memcpy(to, from, n_bytes);
}

static struct qsm_suite_mem memory_of(struct machine *machine) {
  return (struct qsm_suite_mem){machine, machine_alloc, machine_write, machine_read, NULL};
}

static void machine_create(struct machine *machine, const struct qsm_suite_program *program) {
  char path[512];
  const char *error;
  memset(machine, 0, sizeof *machine);
  machine->ref = qsm_ref_create(MEM_BASE, MEM_BYTES);
  assert_non_null(machine->ref);
  snprintf(path, sizeof path, "%s/%s.elf", kernel_folder, program->name);
  if (qsm_ref_program_load(&machine->program, machine->ref, path, LOAD_BASE, &error) != 0)
    fail_msg("%s: %s", path, error);
  machine->free_addr = machine->program.image_end;
  machine->scratch = machine_alloc(machine, QSM_REF_ARGUMENT_BYTES);
}

static void machine_destroy(struct machine *machine) {
  qsm_ref_program_destroy(&machine->program);
  qsm_ref_destroy(machine->ref);
}

static void run_launch(struct machine *machine, const struct qsm_suite_launch *launch) {
  struct qsm_ref_call call = {
      .symbol = launch->symbol,
      .shared_bytes = launch->shared_bytes,
      .warp_size = 4,
      .scratch = machine->scratch,
      .window_end = (machine->free_addr + PAGE - 1) / PAGE * PAGE,
      .max_instructions = 200000000,
  };
  memcpy(call.grid, launch->grid, sizeof call.grid);
  memcpy(call.block, launch->block, sizeof call.block);
  memcpy(call.args, launch->args, sizeof call.args);
  struct qsm_ref_result result;
  enum qsm_ref_status status = qsm_ref_program_call(&machine->program, &call, &result);
  if (status == QSM_REF_FAULT) {
    fail_msg("%s: fault %u at 0x%08x, thread %u of block %u, value 0x%08x", launch->symbol,
             result.fault.cause, result.fault.pc - machine->program.load_offset, result.fault.tid,
             result.fault.block, result.fault.value);
  }
  assert_int_equal(status, QSM_REF_DONE);
  machine->n_instructions += result.n_instructions;
}

static void run_launches(struct machine *machine, struct qsm_job *job) {
  struct qsm_suite_launch launch;
  while (qsm_suite_next(job, &launch)) run_launch(machine, &launch);
}

static void run_pass(struct machine *machine, struct qsm_job *job) {
  qsm_suite_begin(job);
  run_launches(machine, job);
}

// The largest thread block that each size may use, and its shared memory: S fits `tiny`, the others
// fit what their thread counts ask for.
static void assert_launch_fits(const struct qsm_suite_launch *launch, enum qsm_suite_size size) {
  static const uint32_t max_threads[] = {16, 32, 256, 256},
                        max_shared[] = {1024, 2048, 16384, 16384};
  assert_in_range(launch->block[0] * launch->block[1] * launch->block[2], 1, max_threads[size]);
  assert_in_range(launch->shared_bytes, 0, max_shared[size]);
  for (int i = 0; i < 3; i++) assert_in_range(launch->grid[i], 1, 65535);
}

static void check_program(const struct qsm_suite_program *program, uint64_t seed,
                          enum qsm_suite_size size) {
  struct machine machine;
  machine_create(&machine, program);
  struct qsm_suite_mem mem = memory_of(&machine);
  struct qsm_job *job = qsm_suite_create(program, &mem, seed, size);
  assert_non_null(job);
  run_pass(&machine, job);
  uint64_t n_wrong = qsm_suite_check(job);
  if (n_wrong != 0)
    fail_msg("%s, size %s, seed %llu: %llu wrong", program->name, qsm_suite_size_names[size],
             (unsigned long long)seed, (unsigned long long)n_wrong);
  printf("           %-12s size %s seed %llu: %10llu thread instructions\n", program->name,
         qsm_suite_size_names[size], (unsigned long long)seed,
         (unsigned long long)machine.n_instructions);
  qsm_suite_destroy(job);
  machine_destroy(&machine);
}

static void outputs_are_right_at_sizes_s_and_m(void **state) {
  (void)state;
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    for (uint64_t seed = 1; seed <= 5; seed++) check_program(program, seed, QSM_SIZE_S);
    check_program(program, 6, QSM_SIZE_M);
  }
}

static void outputs_are_right_at_size_l(void **state) {
  (void)state;
  if (!with_large) skip();
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    check_program(program, 12, QSM_SIZE_L);
  }
}

static void a_second_pass_gives_the_same(void **state) {
  (void)state;
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    struct machine machine;
    machine_create(&machine, program);
    struct qsm_suite_mem mem = memory_of(&machine);
    struct qsm_job *job = qsm_suite_create(program, &mem, 7, QSM_SIZE_S);
    assert_non_null(job);
    run_pass(&machine, job);
    uint64_t n_first = machine.n_instructions;
    run_pass(&machine, job);
    assert_true(qsm_suite_check(job) == 0);
    assert_true(machine.n_instructions == 2 * n_first);
    qsm_suite_destroy(job);
    machine_destroy(&machine);
  }
}

// All sets begin first, the last one's kernels never run, and the checks come last.
static void passes_in_sets_of_their_own_are_right(void **state) {
  (void)state;
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    struct machine machine;
    machine_create(&machine, program);
    struct qsm_suite_mem mem = memory_of(&machine);
    struct qsm_job *job = qsm_suite_create(program, &mem, 15, QSM_SIZE_S);
    assert_non_null(job);
    uint32_t n_sets = qsm_suite_add_sets(job, 1 << 20), last = n_sets - 1;
    assert_in_range(n_sets, 3, QSM_SUITE_MOST_SETS);
    for (uint32_t set = 0; set < n_sets; set++) {
      qsm_suite_use_set(job, set);
      qsm_suite_begin(job);
    }
    for (uint32_t set = 0; set < last; set++) {
      qsm_suite_use_set(job, set);
      run_launches(&machine, job);
    }
    for (uint32_t set = 0; set < n_sets; set++) {
      qsm_suite_use_set(job, set);
      if ((qsm_suite_check(job) == 0) != (set < last))
        fail_msg("%s: set %u of %u", program->name, set, n_sets);
    }
    qsm_suite_destroy(job);
    machine_destroy(&machine);
  }
}

static void sets_take_no_more_than_they_may(void **state) {
  (void)state;
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    struct machine machine;
    machine_create(&machine, program);
    struct qsm_suite_mem mem = memory_of(&machine);
    struct qsm_job *job = qsm_suite_create(program, &mem, 16, QSM_SIZE_S);
    assert_non_null(job);
    uint32_t before = aligned(machine.free_addr);
    assert_int_equal(qsm_suite_add_sets(job, 0), 1);
    uint32_t n_sets = qsm_suite_add_sets(job, 100000);
    assert_int_equal(qsm_suite_add_sets(job, 0), n_sets);
    assert_in_range(aligned(machine.free_addr) - before, 1, 100000);
    qsm_suite_add_sets(job, MEM_BYTES);  // as many as there may be, or as there is room for
    assert_int_equal(qsm_suite_add_sets(job, MEM_BYTES), QSM_SUITE_MOST_SETS);
    qsm_suite_destroy(job);
    machine_destroy(&machine);
  }
}

// begin() puts the outputs back, so a pass whose kernels never ran must not pass.
static void a_pass_without_kernels_is_noticed(void **state) {
  (void)state;
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    struct machine machine;
    machine_create(&machine, program);
    struct qsm_suite_mem mem = memory_of(&machine);
    struct qsm_job *job = qsm_suite_create(program, &mem, 8, QSM_SIZE_S);
    assert_non_null(job);
    run_pass(&machine, job);
    assert_true(qsm_suite_check(job) == 0);
    qsm_suite_begin(job);
    assert_true(qsm_suite_check(job) > 0);
    qsm_suite_destroy(job);
    machine_destroy(&machine);
  }
}

// The launches of a pass but the last, which must be missed; in a program that converges it may
// change nothing at some seed.
static uint64_t check_without_last_launch(const struct qsm_suite_program *program, uint64_t seed) {
  struct machine machine;
  machine_create(&machine, program);
  struct qsm_suite_mem mem = memory_of(&machine);
  struct qsm_job *job = qsm_suite_create(program, &mem, seed, QSM_SIZE_S);
  assert_non_null(job);
  struct qsm_suite_launch launch, held_back;
  int n_launches = 0;
  qsm_suite_begin(job);
  while (qsm_suite_next(job, &launch)) {
    if (n_launches++ > 0) run_launch(&machine, &held_back);
    held_back = launch;
  }
  uint64_t n_wrong = qsm_suite_check(job);
  qsm_suite_destroy(job);
  machine_destroy(&machine);
  return n_wrong;
}

static void a_pass_without_its_last_launch_is_noticed(void **state) {
  (void)state;
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    uint64_t n_wrong = 0;
    for (uint64_t seed = 20; seed < 24 && n_wrong == 0; seed++)
      n_wrong = check_without_last_launch(program, seed);
    if (n_wrong == 0) fail_msg("%s: outputs are right without the last launch", program->name);
  }
}

// Flips one bit in each word that the kernels changed, one at a time; check() must see it in at
// least one word, and must be content again when the bit is back.
static void a_flipped_output_bit_is_noticed(void **state) {
  (void)state;
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    struct machine machine;
    machine_create(&machine, program);
    struct qsm_suite_mem mem = memory_of(&machine);
    struct qsm_job *job = qsm_suite_create(program, &mem, 9, QSM_SIZE_S);
    assert_non_null(job);
    uint32_t heap = machine.scratch + QSM_REF_ARGUMENT_BYTES;
    size_t n_bytes = machine.free_addr - heap;
    uint8_t *memory = qsm_ref_at(machine.ref, heap, n_bytes), *before = malloc(n_bytes);
    assert_non_null(before);
    qsm_suite_begin(job);
    memcpy(before, memory, n_bytes);
    struct qsm_suite_launch launch;
    while (qsm_suite_next(job, &launch)) run_launch(&machine, &launch);

    size_t n_changed = 0, n_noticed = 0;
    for (size_t i = 0; i < n_bytes; i++) {
      if (memory[i] == before[i]) continue;
      n_changed++;
      memory[i] ^= 0x10;
      n_noticed += qsm_suite_check(job) == 1;
      memory[i] ^= 0x10;
    }
    assert_true(n_changed > 0 && n_noticed > 0);
    assert_true(qsm_suite_check(job) == 0);
    free(before);
    qsm_suite_destroy(job);
    machine_destroy(&machine);
  }
}

// Where references come late, outputs begin as all ones; an element that should become that is
// wrong, for nobody would see whether a kernel has written it.
static void a_late_reference_of_all_ones_is_wrong(void **state) {
  (void)state;
  int n_tried = 0;
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    if (program->reference == NULL) continue;
    struct machine machine;
    machine_create(&machine, program);
    struct qsm_suite_mem mem = memory_of(&machine);
    struct qsm_job *job = qsm_suite_create(program, &mem, 11, QSM_SIZE_S);
    assert_non_null(job);
    run_pass(&machine, job);
    assert_true(qsm_suite_check(job) == 0);
    for (uint32_t i = 0; i < job->n_arrays; i++) {
      const struct qsm_array *array = job->arrays[i];
      if (array->role != QSM_OUTPUT) continue;
      memset(array->host, 0xFF, array->element_bytes);
      machine_write(&machine, array->addr, array->host, array->element_bytes);
      n_tried++;
      assert_true(qsm_suite_check(job) == 1);
      memset(array->host, 0, array->element_bytes);
      machine_write(&machine, array->addr, array->host, array->element_bytes);
    }
    qsm_suite_destroy(job);
    machine_destroy(&machine);
  }
  assert_true(n_tried > 0);
}

static void launches_fit_the_machines_of_their_size(void **state) {
  (void)state;
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    for (enum qsm_suite_size size = QSM_SIZE_S; size < QSM_SIZE_XL; size++) {
      struct machine machine;
      machine_create(&machine, program);
      assert_int_equal(machine.program.shared_bytes,
                       0);  // the launch's shared_bytes are all of them
      struct qsm_suite_mem mem = memory_of(&machine);
      struct qsm_job *job = qsm_suite_create(program, &mem, 10, size);
      assert_non_null(job);
      struct qsm_suite_launch launch;
      qsm_suite_begin(job);
      assert_int_equal(qsm_suite_next(job, &launch), 1);
      assert_launch_fits(&launch, size);
      qsm_suite_destroy(job);
      machine_destroy(&machine);
    }
  }
}

static void needed_bytes_are_those_allocated(void **state) {
  (void)state;
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    struct machine machine;
    machine_create(&machine, program);
    struct qsm_suite_mem mem = memory_of(&machine);
    uint32_t heap = aligned(machine.free_addr);
    struct qsm_job *job = qsm_suite_create(program, &mem, 13, QSM_SIZE_M);
    assert_non_null(job);
    assert_int_equal(qsm_suite_bytes(program, 13, QSM_SIZE_M), aligned(machine.free_addr) - heap);
    qsm_suite_destroy(job);
    machine_destroy(&machine);
  }
}

// A quarter of the memory of wang2017, whose four tenants share it, less what the runtime takes for
// stacks and saved blocks.
static void the_largest_inputs_fit_the_largest_machine(void **state) {
  (void)state;
  if (!with_large) skip();
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    uint64_t n_bytes = qsm_suite_bytes(program, 14, QSM_SIZE_XL);
    printf("           %-12s size XL: %8llu KiB\n", program->name,
           (unsigned long long)n_bytes / 1024);
    assert_in_range(n_bytes, 1, 60 << 20);
  }
}

static uint32_t no_room(void *ctx, size_t n_bytes) {
  (void)n_bytes;
  int *n_left = ctx;
  return (*n_left)-- > 0 ? 0x80000000 : 0;
}

static void ignore_write(void *ctx, uint32_t addr, const void *from, size_t n_bytes) {
  (void)ctx, (void)addr, (void)from, (void)n_bytes;
}

static void create_without_room_returns_null(void **state) {
  (void)state;
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    int n_allowed = 0;
    struct qsm_job *job;
    do {  // one allocation more each time, until create() succeeds
      int n_left = n_allowed++;
      struct qsm_suite_mem mem = {&n_left, no_room, ignore_write, NULL, NULL};
      job = qsm_suite_create(program, &mem, 11, QSM_SIZE_S);
    } while (job == NULL && n_allowed <= 10);
    assert_true(n_allowed > 1);
    assert_non_null(job);
    qsm_suite_destroy(job);
    qsm_suite_destroy(NULL);
  }
}

static void find_knows_every_program_and_no_other(void **state) {
  (void)state;
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++) {
    assert_ptr_equal(qsm_suite_find(program->name), program);
  }
  assert_null(qsm_suite_find("nothing"));
}

int main(int argc, char **argv) {
  with_large = argc == 3 && strcmp(argv[2], "large") == 0;
  if (argc != 2 && !with_large) {
    fprintf(stderr, "usage: test_suite KERNEL_FOLDER [large]\n");
    return 2;
  }
  kernel_folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outputs_are_right_at_sizes_s_and_m),
      cmocka_unit_test(outputs_are_right_at_size_l),
      cmocka_unit_test(a_second_pass_gives_the_same),
      cmocka_unit_test(passes_in_sets_of_their_own_are_right),
      cmocka_unit_test(sets_take_no_more_than_they_may),
      cmocka_unit_test(a_pass_without_kernels_is_noticed),
      cmocka_unit_test(a_pass_without_its_last_launch_is_noticed),
      cmocka_unit_test(a_flipped_output_bit_is_noticed),
      cmocka_unit_test(a_late_reference_of_all_ones_is_wrong),
      cmocka_unit_test(launches_fit_the_machines_of_their_size),
      cmocka_unit_test(needed_bytes_are_those_allocated),
      cmocka_unit_test(the_largest_inputs_fit_the_largest_machine),
      cmocka_unit_test(create_without_room_returns_null),
      cmocka_unit_test(find_knows_every_program_and_no_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// What a tenant can know of the one that had its slot before: nothing. A victim writes to all of
// its memory and goes, in every way that there is; a spy that comes after it reads its own memory,
// by a kernel and by copies, and finds what it finds on a GPU that nobody has used.
#include <stdio.h>
#include <stdlib.h>

#include "host_support.h"
#include "qsm_config.h"
#include "qsm_regs.h"

enum { BLOCKS = 4, THREADS = 8, SPIES = BLOCKS * THREADS };

// Small memories, so that a kernel can read all of them; with an L2, with L1s, with both, with
// neither.
static const char *const configs[] = {
    "tiny+mem_bytes-4194304", "odd+mem_bytes-3145728+partition_bits-0",
    "demo+mem_bytes-4194304+l2_kib-16", "demo+mem_bytes-4194304+l1_kib-2"};

enum end { BY_ITSELF, BY_A_FAULT, BY_A_KILL, WITH_ITS_CONTEXT, N_ENDS };

static uint32_t slot_value(qsmDevice_t device, uint32_t offset) {
  uint32_t value = 0;
  assert_int_equal(qsmRegisterRead(device, (uint16_t)(QSM_SLOT_BASE + offset), &value), qsmSuccess);
  return value;
}

static void run(qsmContext_t context, const char *kernel, const uint32_t *args, uint32_t n_args) {
  const qsmDim3 grid = {BLOCKS, 1, 1}, block = {THREADS, 1, 1};
  assert_int_equal(qsmLaunchKernel(context, kernel, grid, block, args, n_args, 0, NULL, NULL, NULL),
                   qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, 100 * LONG), qsmSuccess);
}

static void be_a_victim(qsmDevice_t device, qsmContext_t context, enum end how) {
  uint64_t room = 0;
  run(context, "stacks", (uint32_t[]){allocate(context, 4 * BLOCKS * THREADS), 32},
      2);  // they lie between this buffer and the next
  assert_int_equal(qsmMemGetInfo(context, &room, NULL), qsmSuccess);
  uint32_t all = allocate(context, room), data = slot_value(device, QSM_SLOT_WIN1_BASE);
  run(context, "smear", (uint32_t[]){data, (all - data) / 4}, 2);
  run(context, "smear", (uint32_t[]){all, (uint32_t)(room / 4)}, 2);
  if (how == BY_A_FAULT) {
    assert_int_equal(launch(context, "outside", 5, all, 0x40000000, NULL, NULL), qsmSuccess);
    assert_int_equal(qsmContextSynchronize(context, LONG), qsmErrorKernelFault);
  } else if (how != BY_ITSELF) {
    uint32_t zero = 0;
    assert_int_equal(qsmMemcpyHtoD(context, all, &zero, 4), qsmSuccess);
    assert_int_equal(launch(context, "endless", 1, all, 0, NULL, NULL), qsmSuccess);
    assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 2000), qsmSuccess);
    if (how == BY_A_KILL) {
      assert_int_equal(qsmContextKill(context), qsmSuccess);
      assert_int_equal(qsmContextSynchronize(context, LONG), qsmErrorKernelFault);
    }
  }
}

struct findings {
  uint32_t code[SPIES], before[SPIES],
      after[SPIES];  // of window 0; of window 1 before and after what the spy writes
};

static void look(qsmContext_t context, uint32_t p, uint32_t from, uint32_t to, uint32_t *found) {
  run(context, "spy", (uint32_t[]){p, from, (to - from) / 4}, 3);
  assert_int_equal(qsmMemcpyDtoH(context, found, p, 4 * SPIES), qsmSuccess);
}

static bool is_zero(const uint8_t *bytes, uint64_t n) {
  for (uint64_t i = 0; i < n; i++)
    if (bytes[i]) return false;
  return true;
}

static void spy(qsmDevice_t device, qsmContext_t context, struct findings *found) {
  uint64_t room = 0;
  assert_int_equal(qsmMemGetInfo(context, &room, NULL), qsmSuccess);
  uint32_t p = allocate(context, room);
  uint8_t *all = malloc(room);
  assert_non_null(all);
  assert_int_equal(qsmMemcpyDtoH(context, all, p, room), qsmSuccess);
  assert_true(is_zero(all, room));
  free(all);
  look(context, p, slot_value(device, QSM_SLOT_WIN1_BASE), p, found->before);
  look(context, p, p + 4 * SPIES, slot_value(device, QSM_SLOT_WIN1_LIMIT), found->after);
  look(context, p, slot_value(device, QSM_SLOT_WIN0_BASE), slot_value(device, QSM_SLOT_WIN0_LIMIT),
       found->code);
  assert_true(is_zero((const uint8_t *)found->before, sizeof found->before));
  assert_true(is_zero((const uint8_t *)found->after, sizeof found->after));
}

static void a_spy_finds_nothing(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
    struct findings unused, used;
    qsmDevice_t device = open_device(configs[i]);
    spy(device, open_context(device), &unused);
    qsmDeviceClose(device);
    device = open_device(configs[i]);
    for (enum end how = BY_ITSELF; how < N_ENDS; how++) {
      if (brief_run() && how != i % N_ENDS) continue;  // each end on one of the machines
      qsmContext_t context = open_context(device);
      be_a_victim(device, context, how);
      qsmContextDestroy(context);
      context = open_context(device);
      assert_int_equal(qsmContextSlot(context), 0);
      spy(device, context, &used);
      assert_memory_equal(&unused, &used, sizeof used);
      qsmContextDestroy(context);
    }
    qsmDeviceClose(device);
  }
}

// The other tenants' memory is left alone.
static void clearing_stops_at_the_slots_memory(void **state) {
  (void)state;
  qsmDevice_t device = open_device("odd+mem_bytes-3145728+partition_bits-0");
  qsmContext_t contexts[3];
  uint32_t buffers[3];
  for (uint32_t i = 0; i < 3; i++) {
    uint64_t room = 0;
    contexts[i] = open_context(device);
    assert_int_equal(qsmMemGetInfo(contexts[i], &room, NULL), qsmSuccess);
    buffers[i] = allocate(contexts[i], room);
    run(contexts[i], "smear", (uint32_t[]){buffers[i], (uint32_t)(room / 4)}, 2);
  }
  uint64_t room = 0;
  assert_int_equal(qsmMemGetInfo(contexts[0], NULL, &room), qsmSuccess);
  qsmContextDestroy(contexts[1]);
  for (uint32_t i = 0; i < 3; i += 2)
    for (uint32_t word = 0; word < room / 4; word += 61)
      assert_int_equal(read_word(contexts[i], buffers[i] + 4 * word), 0xC0FFEE00 + word);
  run(contexts[0], "fill", (uint32_t[]){buffers[0]}, 1);
  assert_int_equal(read_word(contexts[0], buffers[0]), 1);
  qsmDeviceClose(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spy_finds_nothing),
      cmocka_unit_test(clearing_stops_at_the_slots_memory),
  };
  return cmocka_run_group_tests(tests, copy_programs, remove_programs);
}

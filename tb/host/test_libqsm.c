// SPDX-License-Identifier: Apache-2.0
// libqsm against its header, on the model: errors, memory, launches, callbacks, faults, kill,
// goals, several tenants and devices.
#include <string.h>

#include "host_support.h"
#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_regs.h"

static qsmDevice_t device;
static qsmContext_t context;

static int open_both(void **state) {
  (void)state;
  device = open_device("demo");
  context = open_context(device);
  return 0;
}

static int close_both(void **state) {
  (void)state;
  qsmDeviceClose(device);
  return 0;
}

// The last error's text has this in it.
static void assert_says(const char *text) {
  if (!strstr(qsmGetLastErrorText(device), text))
    fail_msg("'%s' is not in '%s'", text, qsmGetLastErrorText(device));
}

// ---- Devices ----

static void each_error_has_its_own_string(void **state) {
  (void)state;
  for (int a = qsmSuccess; a <= qsmErrorNotReady; a++) {
    assert_string_not_equal(qsmGetErrorString((qsmError_t)a), "unknown error");
    for (int b = qsmSuccess; b < a; b++)
      assert_string_not_equal(qsmGetErrorString((qsmError_t)a), qsmGetErrorString((qsmError_t)b));
  }
  assert_string_equal(qsmGetErrorString((qsmError_t)(qsmErrorNotReady + 1)), "unknown error");
}

static void a_device_that_cannot_be_opened_stays_untouched(void **state) {
  (void)state;
  qsmDevice_t untouched = device;
  char msg[256];
  assert_int_equal(qsmDeviceOpen("model", "no_such", NULL, &untouched, msg, sizeof msg),
                   qsmErrorNotFound);
  assert_non_null(strstr(msg, "no_such.yaml: cannot open"));
  assert_int_equal(qsmDeviceOpen("abacus", "demo", NULL, &untouched, msg, sizeof msg),
                   qsmErrorBackend);
  assert_string_equal(
      msg,
      "unknown backend 'abacus': model, rtl, lockstep, serial:DEVICE or checked:serial:DEVICE");
  assert_ptr_equal(untouched, device);
  qsmDeviceClose(NULL);
  qsmContextDestroy(NULL);
}

static void registers_out_of_range_are_refused(void **state) {
  (void)state;
  uint32_t value = 7;
  assert_int_equal(qsmRegisterRead(device, QSM_REG_ID, &value), qsmSuccess);
  assert_int_equal(value, 0x51534D31);
  assert_int_equal(qsmRegisterRead(device, 0x0FFC, &value), qsmErrorInvalidValue);
  assert_says("refused a read of register 0x0FFC");
  assert_int_equal(qsmRegisterWrite(device, QSM_REG_ID, 1), qsmErrorInvalidValue);
  assert_says("refused to write 0x00000001 to register 0x0000");
  assert_int_equal(qsmRegisterWrite(device, QSM_REG_POLICY, QSM_POLICY_COUNT),
                   qsmErrorInvalidValue);
  assert_int_equal(qsmRegisterRead(device, QSM_REG_POLICY, &value), qsmSuccess);
  assert_int_equal(value, 1);
}

static void scheduling_out_of_range_is_refused(void **state) {
  (void)state;
  assert_int_equal(qsmSetScheduling(device, qsmPolicyLrrRotate, qsmSchemeRollover, 5000),
                   qsmSuccess);
  assert_int_equal(qsmSetScheduling(device, (qsmPolicy)QSM_POLICY_COUNT, qsmSchemeRollover, 5000),
                   qsmErrorInvalidValue);
  assert_says(": must be 0..");
  assert_says("(lrr, gto, lrr_rotate, ");
  assert_int_equal(qsmSetScheduling(device, qsmPolicyLrr, (qsmScheme)QSM_SCHEME_COUNT, 5000),
                   qsmErrorInvalidValue);
  assert_says(": must be 0..");
  assert_says("(none, naive, ");
  assert_int_equal(qsmSetScheduling(device, qsmPolicyLrr, qsmSchemeNone,
                                    qsm_config_epoch_min(qsmDeviceConfig(device)) - 1),
                   qsmErrorInvalidValue);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyLrr, qsmSchemeNone, 1 << 20),
                   qsmErrorInvalidValue);
}

// The manager closes SCHEME after each epoch; the library waits instead of failing.
static void a_write_waits_for_the_manager(void **state) {
  (void)state;
  const struct qsm_config *config = qsmDeviceConfig(device);
  uint64_t snapshot = 10000 - 1 + config->noc_lat;
  assert_int_equal(qsmDeviceRunUntil(device, snapshot + 1), qsmSuccess);
  assert_int_equal(qsmRegisterWrite(device, QSM_REG_SCHEME, 4), qsmSuccess);
  assert_true(qsmDeviceCycle(device) > snapshot + config->qos_lat);
}

static void contexts_are_as_many_as_kernel_slots(void **state) {
  (void)state;
  qsmContext_t others[4] = {NULL}, untouched = context;
  for (uint32_t i = 1; i < 4; i++) {
    assert_int_equal(qsmContextCreate(device, &others[i]), qsmSuccess);
    assert_int_equal(qsmContextSlot(others[i]), i);
  }
  assert_int_equal(qsmContextCreate(device, &untouched), qsmErrorNoSlot);
  assert_says("configuration demo has 4 kernel slots, all taken");
  assert_ptr_equal(untouched, context);
  qsmContextDestroy(others[2]);
  assert_int_equal(qsmContextCreate(device, &others[2]), qsmSuccess);
  assert_int_equal(qsmContextSlot(others[2]), 2);
}

// ---- Memory ----

static void memory_is_aligned_disjoint_and_used_again(void **state) {
  (void)state;
  uint32_t a = allocate(context, 1), b = allocate(context, 257), c = allocate(context, 256);
  assert_int_equal(a % 256 | b % 256 | c % 256, 0);
  assert_int_equal(b, a + 256);
  assert_int_equal(c, b + 512);
  assert_int_equal(qsmFree(context, b), qsmSuccess);
  assert_int_equal(allocate(context, 513), c + 256);  // more than the gap holds
  assert_int_equal(allocate(context, 512), b);
  assert_int_equal(qsmFree(context, a + 4), qsmErrorInvalidValue);
  assert_int_equal(qsmFree(context, a), qsmSuccess);
  assert_int_equal(qsmFree(context, a), qsmErrorInvalidValue);
  assert_says("was not allocated");
}

static void free_memory_is_counted(void **state) {
  (void)state;
  uint64_t room, after, size, size_after;
  uint32_t a, b;
  assert_int_equal(qsmMemGetInfo(context, &room, &size), qsmSuccess);
  assert_true(room > 0 && room <= size);
  assert_int_equal(qsmMalloc(context, 1, &a), qsmSuccess);
  assert_int_equal(qsmMalloc(context, 1000, &b), qsmSuccess);
  assert_int_equal(qsmMemGetInfo(context, &after, NULL), qsmSuccess);
  assert_int_equal(room - after, 256 + 1024);
  assert_int_equal(qsmFree(context, a), qsmSuccess);
  assert_int_equal(qsmMemGetInfo(context, &after, &size_after), qsmSuccess);
  assert_int_equal(room - after, 1024);
  assert_int_equal(size_after, size);
}

static void memory_ends(void **state) {
  (void)state;
  uint32_t address = 1, n_blocks = 0;
  assert_int_equal(qsmMalloc(context, (size_t)1 << 40, &address), qsmErrorMemoryAllocation);
  assert_int_equal(qsmMalloc(context, SIZE_MAX, &address), qsmErrorMemoryAllocation);
  assert_int_equal(address, 1);
  while (qsmMalloc(context, 1 << 20, &address) == qsmSuccess) n_blocks++;
  assert_says("no room for 1048576 bytes");
  assert_int_equal(n_blocks, 15);  // of 16 MiB; the rest is for program and stacks
  assert_int_equal(qsmFree(context, address), qsmSuccess);
  assert_int_equal(allocate(context, 1 << 20), address);
}

static void copies_stay_in_the_tenants_memory(void **state) {
  (void)state;
  uint32_t buffer = allocate(context, 256), words[2] = {0x12345678, 0x9ABCDEF0}, back[2] = {0};
  assert_int_equal(qsmMemcpyHtoD(context, buffer + 4, words, 8), qsmSuccess);
  assert_int_equal(qsmMemcpyDtoH(context, back, buffer + 4, 8), qsmSuccess);
  assert_memory_equal(words, back, 8);
  qsmContext_t other = open_context(device);
  assert_int_equal(qsmMemcpyDtoH(other, back, buffer, 8), qsmErrorInvalidValue);
  assert_int_equal(qsmMemcpyHtoD(other, buffer, words, 8), qsmErrorInvalidValue);
  assert_says("is in no allocation of the context");
  assert_int_equal(qsmMemcpyHtoD(context, 0, words, 8), qsmErrorInvalidValue);
  assert_int_equal(qsmMemcpyHtoD(context, buffer, words, (size_t)1 << 33), qsmErrorInvalidValue);
}

// ---- Modules and launches ----

static void programs_that_cannot_be_loaded(void **state) {
  (void)state;
  assert_int_equal(qsmModuleLoad(context, program_path("none.elf")), qsmErrorInvalidImage);
  assert_says("none.elf: cannot open");
  assert_int_equal(qsmModuleLoad(context, "/bin/sh"), qsmErrorInvalidImage);
  assert_says("made for another machine");
  assert_int_equal(qsmModuleLoad(context, program_path("big.elf")), qsmErrorNoRoom);
  uint32_t buffer = allocate(context, 64);
  assert_int_equal(launch(context, "fill", 1, buffer, 0, NULL, NULL),
                   qsmSuccess);  // the module from before is still there
  assert_int_equal(qsmModuleLoad(context, program_path("k.elf")), qsmErrorBusy);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(read_word(context, buffer), 1);
}

static void assert_refused(qsmError_t error, const char *kernel, qsmDim3 grid, qsmDim3 block,
                           uint32_t n_args, uint32_t shared_bytes, const char *text) {
  const uint32_t args[9] = {0};
  assert_int_equal(
      qsmLaunchKernel(context, kernel, grid, block, args, n_args, shared_bytes, NULL, NULL, NULL),
      error);
  assert_says(text);
  assert_int_equal(qsmContextSynchronize(context, 0), qsmSuccess);  // nothing is pending
}

static void launches_that_cannot_run(void **state) {
  (void)state;
  const qsmDim3 one = {1, 1, 1};
  assert_refused(qsmErrorNotFound, "nothing", one, one, 0, 0, "no kernel 'nothing' in the module");
  assert_refused(qsmErrorInvalidLaunch, "fill", one, one, 9, 0,
                 "kernel fill takes fill(unsigned int *p); the launch gives 9 arguments: 4, 4");
  assert_refused(qsmErrorInvalidLaunch, "fill", (qsmDim3){0, 1, 1}, one, 1, 0,
                 "grid.x = 0, must be 1..65535");
  assert_refused(qsmErrorInvalidLaunch, "fill", (qsmDim3){1, 65536, 1}, one, 1, 0,
                 "grid.y = 65536, must be 1..65535");
  assert_refused(qsmErrorInvalidLaunch, "fill", one, (qsmDim3){1, 1, 0}, 1, 0,
                 "block.z = 0, must be 1..1024");
  assert_refused(qsmErrorInvalidLaunch, "fill", one, (qsmDim3){1025, 1, 1}, 1, 0,
                 "block.x = 1025, must be 1..1024");
  assert_refused(qsmErrorInvalidLaunch, "fill", one, (qsmDim3){13, 5, 1}, 1, 0,
                 "65 threads per block, configuration demo runs at most 64");
  assert_refused(qsmErrorInvalidLaunch, "fill", one, one, 1, 16385,
                 "16385 bytes of shared memory per block");
  qsmContext_t empty = NULL;
  assert_int_equal(qsmContextCreate(device, &empty), qsmSuccess);
  assert_int_equal(launch(empty, "fill", 1, 0, 0, NULL, NULL), qsmErrorNotFound);
  assert_says("no module loaded");
}

// On every configuration's stacks; twice, as an equal launch finds the same arguments.
static void arguments_of_any_type_reach_the_kernel(void **state) {
  (void)state;
  enum { N_THREADS = 16, SEEN = 12 };
  const struct {
    uint8_t bytes[3];
    uint32_t words[4];
  } large = {{1, 2, 0xB3}, {4, 5, 6, 0xC0FFEE}};
  const int8_t c = -5;
  const int64_t x = -0x123456789, y = 0x1122334455667788;
  const uint32_t n[] = {11, 12, 13, 14}, buffer = allocate(context, 4 * SEEN * N_THREADS);
  const uint16_t s = 0xFFFE;
  const qsmArgument arguments[] = {{&buffer, 4}, {&c, 1},    {&large, sizeof large},
                                   {&x, 8},      {&n[0], 4}, {&n[1], 4},
                                   {&n[2], 4},   {&n[3], 4}, {&y, 8},
                                   {&s, 2}};
  const uint32_t expected[SEEN] = {(uint32_t)-5, 0xB3,  0xC0FFEE, (uint32_t)x, (uint32_t)(x >> 32),
                                   11,           12,    13,       14,          0x55667788,
                                   0x11223344,   0xFFFE};
  qsmLaunch mixed = {.kernel = "mixed",
                     .grid = {2, 1, 1},
                     .block = {8, 1, 1},
                     .arguments = arguments,
                     .n_arguments = 10};
  for (uint32_t time = 0; time < 2; time++) {
    assert_int_equal(qsmLaunchKernelEx(context, &mixed, NULL, NULL), qsmSuccess);
    assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
    for (uint32_t i = 0; i < SEEN * N_THREADS; i++)
      assert_int_equal(read_word(context, buffer + 4 * i), expected[i % SEEN]);
  }
  mixed.n_arguments = 9;
  assert_int_equal(qsmLaunchKernelEx(context, &mixed, NULL, NULL), qsmErrorInvalidLaunch);
  assert_says("kernel mixed takes mixed(");
  assert_says("the launch gives 9 arguments: 4, 1, 20, 8, 4, 4, 4, 4, 8 bytes");
  qsmKernelAttributes attributes;
  assert_int_equal(qsmGetKernelAttributes(context, "mixed", &attributes), qsmSuccess);
  assert_int_equal(attributes.n_arguments, 10);
  assert_int_equal(qsmGetKernelAttributes(context, "nothing", &attributes), qsmErrorNotFound);
}

static void the_largest_block_with_all_shared_memory_runs(void **state) {
  (void)state;
  uint32_t buffer = allocate(context, 4 * 128);
  const uint32_t args[] = {buffer, 500};
  assert_int_equal(qsmLaunchKernel(context, "pass", (qsmDim3){2, 1, 1}, (qsmDim3){64, 1, 1}, args,
                                   2, 16384, NULL, NULL, NULL),
                   qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  for (uint32_t i = 0; i < 128; i++)
    assert_int_equal(read_word(context, buffer + 4 * i), 500 + i % 64);
}

// Blocks of every size, more than fit at a time; two-dimensional, as crt0 treats them apart.
static void every_thread_has_a_stack_of_its_own(void **state) {
  (void)state;
  const qsmDim3 blocks[] = {{1, 1, 1},  {3, 1, 1}, {8, 1, 1}, {3, 3, 1},
                            {24, 1, 1}, {5, 8, 1}, {64, 1, 1}};
  uint32_t buffer = allocate(context, 4 * 40 * 64);
  for (size_t shape = 0; shape < sizeof blocks / sizeof blocks[0]; shape++) {
    const uint32_t args[] = {buffer, 32}, n_threads = 40 * blocks[shape].x * blocks[shape].y;
    assert_int_equal(qsmLaunchKernel(context, "stacks", (qsmDim3){40, 1, 1}, blocks[shape], args, 2,
                                     0, NULL, NULL, NULL),
                     qsmSuccess);
    assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
    for (uint32_t i = 0; i < n_threads; i++)
      assert_int_equal(read_word(context, buffer + 4 * i), i);
  }
}

// I-MEM-6: the threads of a warp have a word each in a line, the next word in the next; warps
// follow each other by ticket and number.
static void stacks_of_a_warp_are_interleaved_by_word(void **state) {
  (void)state;
  enum { N_BLOCKS = 3, BLOCK_WARPS = 2, STACK_WORDS = 64, NUMBERED = 32, MOST_LANES = 32 };
  struct qsm_backend *gpu = qsmDeviceBackend(device);
  uint32_t lanes = qsmDeviceConfig(device)->warp_size, p = allocate(context, 4 * N_BLOCKS), stacks,
           line[MOST_LANES];
  const uint32_t args[] = {p};
  const qsmLaunch launch = {.kernel = "stack_bottoms",
                            .grid = {N_BLOCKS, 1, 1},
                            .block = {BLOCK_WARPS * lanes, 1, 1},
                            .args = args,
                            .n_args = 1,
                            .stack_bytes = 4 * STACK_WORDS};
  assert_int_equal(qsmLaunchKernelEx(context, &launch, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(
      qsmRegisterRead(
          device,
          (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * qsmContextSlot(context) + QSM_SLOT_STACK),
          &stacks),
      qsmSuccess);
  for (uint32_t warp = 0; warp < N_BLOCKS * BLOCK_WARPS; warp++) {
    uint32_t place =
        read_word(context, p + 4 * (warp / BLOCK_WARPS)) * BLOCK_WARPS + warp % BLOCK_WARPS;
    for (uint32_t word = 0; word < NUMBERED; word++) {
      gpu->mem_read(gpu,
                    (stacks & QSM_SLOT_STACK_BASE_MASK) + 4 * lanes * (STACK_WORDS * place + word),
                    line, 4 * lanes);
      for (uint32_t l = 0; l < lanes; l++)
        assert_int_equal(line[l], 64 * (warp * lanes + l) + word);
    }
  }
}

// A kernel with 800 bytes of local arrays, and a stack of so many; 0: as the program says.
static qsmError_t launch_large_array(uint32_t p, uint32_t stack_bytes) {
  const qsmLaunch launch = {.kernel = "large_array",
                            .grid = {4, 1, 1},
                            .block = {16, 1, 1},
                            .args = &p,
                            .n_args = 1,
                            .stack_bytes = stack_bytes};
  return qsmLaunchKernelEx(context, &launch, NULL, NULL);
}

static void a_launch_has_the_stack_that_its_kernel_needs(void **state) {
  (void)state;
  uint32_t p = allocate(context, 4 * 64);
  assert_int_equal(launch_large_array(p, 0), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  for (uint32_t i = 0; i < 64; i++)
    assert_int_equal(read_word(context, p + 4 * i), 200 * i + 199 * 200 / 2);
}

static void a_stack_that_is_too_small_ends_the_launch(void **state) {
  (void)state;
  assert_int_equal(launch_large_array(allocate(context, 4 * 64), 512), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmErrorKernelFault);
  assert_says("cause 25 at PC");
  assert_says(": stack overflow");
}

// Launches of other stacks may wait: each keeps its own.
static void launches_in_a_queue_have_their_own_stacks(void **state) {
  (void)state;
  const uint32_t sizes[] = {0, 4096, 1024, 16384, 0}, p = allocate(context, 4 * 64);
  uint64_t before = 0, after = 0;
  qsmMemGetInfo(context, &before, NULL);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    assert_int_equal(launch_large_array(p, sizes[i]), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  for (uint32_t i = 0; i < 64; i++)
    assert_int_equal(read_word(context, p + 4 * i), 200 * i + 199 * 200 / 2);
  qsmMemGetInfo(context, &after, NULL);
  assert_true(before - after < 8000000);  // the area of the largest stays for launches to come
}

static void a_stack_without_room_is_refused(void **state) {
  (void)state;
  uint32_t p = allocate(context, 4 * 64), hog = 0;
  uint64_t room = 0;
  qsmMemGetInfo(context, &room, NULL);
  assert_int_equal(launch_large_array(p, 65537), qsmErrorInvalidLaunch);
  assert_says("a stack of 65537 bytes, at most 65536");
  assert_int_equal(qsmMalloc(context, room - 4096, &hog), qsmSuccess);
  assert_int_equal(launch_large_array(p, 0), qsmErrorMemoryAllocation);
  assert_says(
      "kernel large_array: stacks of 1024 bytes for all threads that can be resident need ");
  assert_int_equal(qsmFree(context, hog), qsmSuccess);
  assert_int_equal(launch_large_array(p, 0), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
}

// Ended launches, in order of their ends.
struct history {
  uint32_t n_ended, n_killed;
  uint32_t order[8];
  uint64_t end[8];
  qsmLaunchResult last;
};

struct note {
  struct history *history;
  uint32_t number;
  uint32_t again;  // launches that the callback submits, one after the other
  uint32_t buffer;
};

static void note_end(void *user, const qsmLaunchResult *result) {
  struct note *note = user;
  struct history *history = note->history;
  history->order[history->n_ended] = note->number;
  history->end[history->n_ended++] = result->end_cycle;
  history->n_killed += result->killed;
  history->last = *result;
  if (note->again == 0) return;
  note->again--;
  assert_int_equal(launch(context, "fill", 2, note->buffer, 0, note_end, note), qsmSuccess);
}

static void launches_of_a_context_run_in_order(void **state) {
  (void)state;
  struct history history = {0};
  struct note notes[3];
  uint32_t buffer = allocate(context, 4096);
  for (uint32_t i = 0; i < 3; i++) {
    notes[i] = (struct note){.history = &history, .number = i, .buffer = buffer};
    assert_int_equal(launch(context, "fill", 40 - 15 * i, buffer, 0, note_end, &notes[i]),
                     qsmSuccess);
  }
  assert_int_equal(history.n_ended, 0);  // no time has passed
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(history.n_ended, 3);
  assert_int_equal(history.n_killed, 0);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(history.order[i], i);
  assert_true(history.end[0] < history.end[1] && history.end[1] < history.end[2] &&
              history.end[2] <= qsmDeviceCycle(device));
  for (uint32_t i = 0; i < 320; i++) assert_int_equal(read_word(context, buffer + 4 * i), 1);
}

static void a_callback_may_submit(void **state) {
  (void)state;
  struct history history = {0};
  struct note note = {.history = &history, .again = 4, .buffer = allocate(context, 256)};
  assert_int_equal(launch(context, "fill", 2, note.buffer, 0, note_end, &note), qsmSuccess);
  assert_int_equal(qsmDeviceSynchronize(device, LONG), qsmSuccess);
  assert_int_equal(history.n_ended, 5);
}

static void contexts_run_side_by_side(void **state) {
  (void)state;
  struct history history = {0};
  qsmContext_t other = open_context(device);
  uint32_t buffers[2] = {allocate(context, 4096), allocate(other, 4096)};
  struct note notes[2] = {{.history = &history, .number = 0}, {.history = &history, .number = 1}};
  assert_int_equal(launch(context, "endless", 1, buffers[0], 0, note_end, &notes[0]), qsmSuccess);
  assert_int_equal(launch(other, "fill", 100, buffers[1], 0, note_end, &notes[1]), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(other, LONG),
                   qsmSuccess);  // although the first never ends by itself
  assert_int_equal(history.n_ended, 1);
  for (uint32_t i = 0; i < 800; i++) assert_int_equal(read_word(other, buffers[1] + 4 * i), 1);
  const uint32_t stop = 1;
  assert_int_equal(qsmMemcpyHtoD(context, buffers[0], &stop, 4), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(history.order[1], 0);
}

// ---- Ends that are no success ----

static void a_fault_is_told_and_the_context_goes_on(void **state) {
  (void)state;
  struct history history = {0};
  struct note note = {.history = &history};
  uint32_t buffer = allocate(context, 4096);
  assert_int_equal(launch(context, "outside", 5, buffer, 0x40000000, note_end, &note), qsmSuccess);
  assert_int_equal(launch(context, "fill", 4, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmErrorKernelFault);
  assert_says("thread 2 of block 3, value 0x40000000");
  assert_true(history.last.killed);
  assert_int_equal(history.last.cause, 7);
  assert_int_equal(history.last.tid, 2);
  assert_int_equal(history.last.block, 3);
  assert_int_equal(history.last.value, 0x40000000);
  for (uint32_t i = 0; i < 32; i++)
    assert_int_equal(read_word(context, buffer + 4 * i), 1);           // of the launch after it
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);  // told once
}

static void a_kill_ends_what_runs_and_drops_what_waits(void **state) {
  (void)state;
  struct history history = {0};
  struct note notes[3];
  uint32_t buffer = allocate(context, 256);
  for (uint32_t i = 0; i < 3; i++) {
    notes[i] = (struct note){.history = &history, .number = i};
    assert_int_equal(launch(context, "endless", 9, buffer, 0, note_end, &notes[i]), qsmSuccess);
  }
  assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 3000), qsmSuccess);
  assert_int_equal(qsmContextKill(context), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, 1000), qsmErrorKernelFault);
  assert_int_equal(history.n_killed, 3);
  assert_int_equal(history.last.cause, 24);
  assert_int_equal(qsmContextKill(context), qsmSuccess);  // nothing runs: nothing happens
  assert_int_equal(launch(context, "fill", 1, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
}

static void a_limit_ends_the_wait_not_the_launch(void **state) {
  (void)state;
  uint32_t buffer = allocate(context, 256);
  assert_int_equal(launch(context, "endless", 1, buffer, 0, NULL, NULL), qsmSuccess);
  uint64_t start = qsmDeviceCycle(device);
  assert_int_equal(qsmContextSynchronize(context, 2000), qsmErrorTimeout);
  assert_says("launch still running after 2000 cycles");
  assert_int_equal(qsmDeviceCycle(device), start + 2000);
  assert_int_equal(qsmDeviceSynchronize(device, 500), qsmErrorTimeout);
  assert_says("launches still pending after 500 cycles");
  const uint32_t stop = 1;
  assert_int_equal(qsmMemcpyHtoD(context, buffer, &stop, 4), qsmSuccess);
  assert_int_equal(qsmDeviceSynchronize(device, LONG), qsmSuccess);
}

static void a_context_that_goes_away_frees_its_slot(void **state) {
  (void)state;
  uint32_t buffer = allocate(context, 256);
  assert_int_equal(launch(context, "endless", 4, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 1000), qsmSuccess);
  qsmContextDestroy(context);
  context = open_context(device);
  assert_int_equal(qsmContextSlot(context), 0);
  buffer = allocate(context, 256);
  assert_int_equal(launch(context, "fill", 4, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(read_word(context, buffer + 124), 1);
}

// ---- Quality of service ----

static uint32_t slot_value(uint32_t offset) {
  uint32_t value = 0;
  assert_int_equal(
      qsmRegisterRead(
          device, (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * qsmContextSlot(context) + offset),
          &value),
      qsmSuccess);
  return value;
}

static void goals_reach_the_registers(void **state) {
  (void)state;
  assert_int_equal(slot_value(QSM_SLOT_CTX), 1);
  assert_int_equal(slot_value(QSM_SLOT_FIRST_QUOTA),
                   2500);  // goal 1 over four SMs and 10,000 cycles
  assert_int_equal(qsmSetQoS(context, 10 << 16 | 1), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_CTX), 3);
  assert_int_equal(slot_value(QSM_SLOT_GOAL), 10 << 16 | 1);
  assert_int_equal(slot_value(QSM_SLOT_FIRST_QUOTA), 25001);  // rounded up
  assert_int_equal(qsmSetSmMask(context, 5), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_FIRST_QUOTA), 50001);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemeRollover, 4000), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_FIRST_QUOTA), 20001);
  assert_int_equal(qsmSetQoS(context, 0), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_CTX), 1);
}

static void a_priority_reaches_the_register_and_stays_with_the_goal(void **state) {
  (void)state;
  assert_int_equal(qsmSetPriority(context, 2), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_CTX), 1 | 2 << 2);
  assert_int_equal(qsmSetQoS(context, 10 << 16), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_CTX), 3 | 2 << 2);
  assert_int_equal(qsmSetPriority(context, 4), qsmErrorInvalidValue);
  assert_says("priority 4, must be 0 to 3");
  assert_int_equal(slot_value(QSM_SLOT_CTX), 3 | 2 << 2);
  assert_int_equal(qsmSetPriority(context, 3), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_CTX), 3 | 3 << 2);
  assert_int_equal(qsmSetPriority(NULL, 0), qsmErrorInvalidHandle);
  uint32_t buffer = allocate(context, 256);
  assert_int_equal(launch(context, "endless", 1, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmSetPriority(context, 0), qsmErrorBusy);
  assert_int_equal(slot_value(QSM_SLOT_CTX), 3 | 3 << 2);
}

static void goals_above_the_peak_are_refused(void **state) {
  (void)state;
  assert_int_equal(qsmSetQoS(context, 32 << 16), qsmSuccess);  // 4 SMs, 1 sub-core, 8 lanes
  assert_int_equal(qsmSetQoS(context, (32 << 16) + 1), qsmErrorGoal);
  assert_says("slot 0: goal 32.00002 above the peak 32 thread instructions per cycle");
  assert_int_equal(slot_value(QSM_SLOT_GOAL), 32 << 16);
}

static void fair_needs_the_isolated_ipc_of_every_context(void **state) {
  (void)state;
  uint32_t buffer = allocate(context, 256);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyLrr, qsmSchemeFair, 5000), qsmErrorGoal);
  assert_says("slot 0: scheme fair needs the isolated IPC of every context, this one has none");
  assert_int_equal(qsmSetIsolatedIpc(context, (32 << 16) + 1), qsmErrorGoal);
  assert_says("slot 0: isolated IPC 32.00002 above the peak 32 thread instructions per cycle");
  assert_int_equal(qsmSetIsolatedIpc(context, 12 << 16), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_ISO_IPC), 12 << 16);
  assert_int_equal(slot_value(QSM_SLOT_FIRST_QUOTA), 2500);  // of goal 1: another scheme is on
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemeFair, 5000), qsmSuccess);
  assert_int_equal(qsmSetIsolatedIpc(context, 0), qsmErrorGoal);
  assert_int_equal(slot_value(QSM_SLOT_ISO_IPC), 12 << 16);
  qsmContext_t other = open_context(device);
  assert_int_equal(launch(other, "fill", 1, allocate(other, 256), 0, NULL, NULL), qsmErrorGoal);
  assert_says("slot 1: scheme fair needs");
  assert_int_equal(qsmSetIsolatedIpc(other, 1 << 16), qsmSuccess);
  assert_int_equal(launch(other, "fill", 1, allocate(other, 256), 0, NULL, NULL), qsmSuccess);
  assert_int_equal(launch(context, "fill", 1, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmDeviceSynchronize(device, LONG), qsmSuccess);
}

// A first quota is the share of an SM as many as there are contexts, with goal or without.
static void first_quotas_under_fair_follow_the_number_of_contexts(void **state) {
  (void)state;
  assert_int_equal(qsmSetIsolatedIpc(context, (12 << 16) + 1), qsmSuccess);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemeFair, 10000), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_FIRST_QUOTA),
                   30001);  // 12 x 10,000 over four SMs, rounded up
  qsmContext_t other = open_context(device);
  assert_int_equal(slot_value(QSM_SLOT_FIRST_QUOTA), 15001);
  assert_int_equal(qsmSetIsolatedIpc(context, 16 << 16), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_FIRST_QUOTA), 20000);
  assert_int_equal(qsmSetQoS(context, 1 << 16), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_FIRST_QUOTA), 20000);
  qsmContextDestroy(other);
  assert_int_equal(slot_value(QSM_SLOT_FIRST_QUOTA), 40000);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemeRollover, 10000), qsmSuccess);
  assert_int_equal(slot_value(QSM_SLOT_FIRST_QUOTA), 2500);
}

static void only_the_goal_may_change_while_a_launch_runs(void **state) {
  (void)state;
  uint32_t buffer = allocate(context, 256);
  assert_int_equal(qsmSetQoS(context, 3 << 16), qsmSuccess);
  assert_int_equal(launch(context, "endless", 1, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmSetQoS(context, 5 << 16), qsmSuccess);
  assert_int_equal(qsmSetQoS(context, 0), qsmErrorBusy);
  assert_int_equal(slot_value(QSM_SLOT_GOAL), 5 << 16);
}

static uint32_t budget_register(qsmContext_t of) {
  uint32_t value = 0;
  assert_int_equal(qsmRegisterRead(device,
                                   (uint16_t)(QSM_SLOT_BASE + QSM_SLOT_STRIDE * qsmContextSlot(of) +
                                              QSM_SLOT_BUDGET),
                                   &value),
                   qsmSuccess);
  return value;
}

static void budgets_are_1_to_255(void **state) {
  (void)state;
  assert_int_equal(qsmSetBudget(context, 255), qsmSuccess);
  assert_int_equal(qsmSetBudget(context, 0), qsmErrorInvalidValue);
  assert_says("slot 0: budget 0, must be 1..255");
  assert_int_equal(qsmSetBudget(context, 256), qsmErrorInvalidValue);
  assert_int_equal(budget_register(context), 255);
  qsmContextDestroy(context);
  context = open_context(device);  // a tenant inherits nothing
  assert_int_equal(budget_register(context), 1);
}

// odd has two groups for its three slots. What waits counts like what runs: its launch is not
// refused when its turn comes.
static void more_budgets_than_groups_are_refused(void **state) {
  (void)state;
  qsmDeviceClose(device);
  device = open_device("odd");
  qsmContext_t contexts[3];
  uint32_t buffers[3];
  for (uint32_t i = 0; i < 3; i++) {
    contexts[i] = open_context(device);
    buffers[i] = allocate(contexts[i], 4096);
    assert_int_equal(qsmSetBudget(contexts[i], 1 + i), qsmSuccess);
  }
  assert_int_equal(qsmSetScheduling(device, qsmPolicyQaws, qsmSchemeNone, 10000), qsmSuccess);
  for (uint32_t n = 0; n < 2; n++)
    for (uint32_t i = 0; i < 2; i++)
      assert_int_equal(launch(contexts[i], "fill", 20, buffers[i], 0, NULL, NULL), qsmSuccess);
  assert_int_equal(launch(contexts[2], "fill", 20, buffers[2], 0, NULL, NULL), qsmErrorGroups);
  assert_says("slot 2: budget 3 makes 3 groups of warps, configuration odd has 2");
  assert_int_equal(qsmSetBudget(contexts[2], 2), qsmSuccess);
  assert_int_equal(launch(contexts[2], "fill", 20, buffers[2], 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmSetBudget(contexts[2], 3), qsmErrorGroups);
  assert_int_equal(budget_register(contexts[2]), 2);
  assert_int_equal(qsmSetBudget(contexts[0], 2), qsmSuccess);  // one group
  assert_int_equal(qsmSetBudget(contexts[2], 3), qsmSuccess);
  assert_int_equal(qsmDeviceSynchronize(device, LONG), qsmSuccess);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(read_word(contexts[i], buffers[i]), 1);
}

static void a_mask_keeps_a_context_on_its_sms(void **state) {
  (void)state;
  assert_int_equal(qsmSetSmMask(context, 0), qsmErrorInvalidValue);
  assert_int_equal(qsmSetSmMask(context, 0x10), qsmErrorInvalidValue);
  assert_says("SM mask 0x10");
  assert_int_equal(qsmSetSmMask(context, 0xA), qsmSuccess);
  uint32_t buffer = allocate(context, 4 * 60), seen = 0;
  assert_int_equal(launch(context, "where", 60, buffer, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  for (uint32_t i = 0; i < 60; i++) seen |= 1u << read_word(context, buffer + 4 * i);
  assert_int_equal(seen, 0xA);
}

// ---- Several devices ----

static void devices_of_one_process_do_not_disturb_each_other(void **state) {
  (void)state;
  const char *const configs[3] = {"tiny", "odd", "tiny"};
  qsmDevice_t devices[3];
  qsmContext_t contexts[3];
  uint32_t buffers[3];
  for (uint32_t i = 0; i < 3; i++) {
    devices[i] = open_device(configs[i]);
    contexts[i] = open_context(devices[i]);
    buffers[i] = allocate(contexts[i], 4096);
    assert_int_equal(launch(contexts[i], "fill", 100, buffers[i], 0, NULL, NULL), qsmSuccess);
  }
  for (uint32_t slice = 0; slice < 40; slice++)
    for (uint32_t i = 0; i < 3; i++)
      assert_int_equal(qsmDeviceRunUntil(devices[i], 1000 + slice * (100 + i)), qsmSuccess);
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(qsmContextSynchronize(contexts[i], LONG), qsmSuccess);
  for (uint32_t word = 0; word < 800; word++)
    for (uint32_t i = 0; i < 3; i++)
      assert_int_equal(read_word(contexts[i], buffers[i] + 4 * word), 1);
  for (uint32_t i = 0; i < 3; i++) qsmDeviceClose(devices[i]);
}

int main(void) {
#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, open_both, close_both)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_error_has_its_own_string),
      WITH_DEVICE(a_device_that_cannot_be_opened_stays_untouched),
      WITH_DEVICE(registers_out_of_range_are_refused),
      WITH_DEVICE(scheduling_out_of_range_is_refused),
      WITH_DEVICE(a_write_waits_for_the_manager),
      WITH_DEVICE(contexts_are_as_many_as_kernel_slots),
      WITH_DEVICE(memory_is_aligned_disjoint_and_used_again),
      WITH_DEVICE(free_memory_is_counted),
      WITH_DEVICE(memory_ends),
      WITH_DEVICE(copies_stay_in_the_tenants_memory),
      WITH_DEVICE(programs_that_cannot_be_loaded),
      WITH_DEVICE(launches_that_cannot_run),
      WITH_DEVICE(arguments_of_any_type_reach_the_kernel),
      WITH_DEVICE(the_largest_block_with_all_shared_memory_runs),
      WITH_DEVICE(every_thread_has_a_stack_of_its_own),
      WITH_DEVICE(stacks_of_a_warp_are_interleaved_by_word),
      WITH_DEVICE(a_launch_has_the_stack_that_its_kernel_needs),
      WITH_DEVICE(a_stack_that_is_too_small_ends_the_launch),
      WITH_DEVICE(launches_in_a_queue_have_their_own_stacks),
      WITH_DEVICE(a_stack_without_room_is_refused),
      WITH_DEVICE(launches_of_a_context_run_in_order),
      WITH_DEVICE(a_callback_may_submit),
      WITH_DEVICE(contexts_run_side_by_side),
      WITH_DEVICE(a_fault_is_told_and_the_context_goes_on),
      WITH_DEVICE(a_kill_ends_what_runs_and_drops_what_waits),
      WITH_DEVICE(a_limit_ends_the_wait_not_the_launch),
      WITH_DEVICE(a_context_that_goes_away_frees_its_slot),
      WITH_DEVICE(goals_reach_the_registers),
      WITH_DEVICE(a_priority_reaches_the_register_and_stays_with_the_goal),
      WITH_DEVICE(goals_above_the_peak_are_refused),
      WITH_DEVICE(fair_needs_the_isolated_ipc_of_every_context),
      WITH_DEVICE(first_quotas_under_fair_follow_the_number_of_contexts),
      WITH_DEVICE(only_the_goal_may_change_while_a_launch_runs),
      WITH_DEVICE(budgets_are_1_to_255),
      WITH_DEVICE(more_budgets_than_groups_are_refused),
      WITH_DEVICE(a_mask_keeps_a_context_on_its_sms),
      cmocka_unit_test(devices_of_one_process_do_not_disturb_each_other),
  };
  return cmocka_run_group_tests(tests, copy_programs, remove_programs);
}

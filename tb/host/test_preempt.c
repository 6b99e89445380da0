// SPDX-License-Identifier: Apache-2.0
// The property of preemption on the model: a program whose blocks are saved, restored, flushed and
// drained at random moments, many times per launch, leaves the memory that it leaves undisturbed.
// And libqsm's calls and errors.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_support.h"
#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_observer.h"
#include "qsm_random.h"
#include "qsm_regs.h"

#define MEMORY_BASE 0x80000000u

static uint64_t test_seed(void) {
  const char *text = getenv("QSM_TEST_SEED");
  return text ? strtoull(text, NULL, 0) : 1;
}

// ---- A host that preempts ----

struct nuisance {
  qsmDevice_t device;
  struct qsm_random random;
  uint32_t techniques;  // bit per technique
  uint32_t pause;       // cycles between two requests, at most
  uint64_t n_requests, n_accepted[3], n_refused[16];
};

static uint32_t below(struct nuisance *nuisance, uint32_t n) {
  return qsm_random_below(&nuisance->random, n);
}

static uint32_t read_register(qsmDevice_t device, uint32_t address) {
  uint32_t value = 0;
  assert_int_equal(qsmRegisterRead(device, (uint16_t)address, &value), qsmSuccess);
  return value;
}

static uint32_t slot_register(qsmContext_t context, uint32_t offset) {
  return QSM_SLOT_BASE + QSM_SLOT_STRIDE * qsmContextSlot(context) + offset;
}

static uint32_t draw_technique(struct nuisance *nuisance) {
  uint32_t technique;
  do technique = below(nuisance, 3);
  while (!(nuisance->techniques >> technique & 1));
  return technique;
}

// A request without waiting for its end.
static void ask(struct nuisance *nuisance, qsmContext_t context) {
  const struct qsm_config *config = qsmDeviceConfig(nuisance->device);
  uint32_t technique = draw_technique(nuisance);
  uint32_t request = below(nuisance, config->num_sms) |
                     qsmContextSlot(context) << QSM_REG_PREEMPT_SLOT_SHIFT |
                     technique << QSM_REG_PREEMPT_TECHNIQUE_SHIFT;
  if (below(nuisance, 2))
    request |=
        below(nuisance, config->max_tbs) << QSM_REG_PREEMPT_TB_SHIFT | QSM_REG_PREEMPT_BY_SLOT_MASK;
  assert_int_equal(qsmRegisterWrite(nuisance->device, QSM_REG_PREEMPT, request), qsmSuccess);
  uint32_t code;
  do
    code =
        read_register(nuisance->device, QSM_REG_PREEMPT_STATUS) & QSM_REG_PREEMPT_STATUS_CODE_MASK;
  while (code == 1);
  nuisance->n_requests++;
  if (code == 2)
    nuisance->n_accepted[technique]++;
  else
    nuisance->n_refused[code]++;
}

static void harass(qsmContext_t context, void *user) {
  struct nuisance *nuisance = user;
  uint64_t limit = qsmDeviceCycle(nuisance->device) + LONG;
  bool held = false;
  while (qsmContextSynchronize(
             context,
             1 + below(nuisance, below(nuisance, 8) ? nuisance->pause : 8 * nuisance->pause)) ==
         qsmErrorTimeout) {
    if (qsmDeviceCycle(nuisance->device) > limit) fail_msg("%s", "the launch does not end");
    ask(nuisance, context);
    bool hold = below(nuisance, 16) == 0;
    if (hold != held) assert_int_equal(qsmSetPreemptHold(context, held = hold), qsmSuccess);
  }
  assert_int_equal(qsmSetPreemptHold(context, false), qsmSuccess);
}

// ---- Memory of a context that is its user's: program and allocations, not save area and stacks
// ----

enum { PROGRAM_BYTES = (32 + 256) * 1024, MOST_ALLOCATIONS = 256 };

struct allocations {
  uint32_t n, address[MOST_ALLOCATIONS];
  size_t bytes[MOST_ALLOCATIONS];
};

static void note_allocation(void *ctx, uint32_t address, size_t bytes) {
  struct allocations *all = ctx;
  assert_true(all->n < MOST_ALLOCATIONS);
  all->address[all->n] = address;
  all->bytes[all->n++] = bytes;
}

struct picture {
  uint8_t *bytes;  // 0 where nothing is the user's
  uint32_t base, n_bytes;
};

static struct picture take_picture(qsmContext_t context, qsmDevice_t device,
                                   const struct allocations *all) {
  const struct qsm_config *config = qsmDeviceConfig(device);
  struct qsm_backend *gpu = qsmDeviceBackend(device);
  uint32_t arena = config->mem_bytes / config->num_kernels / 4096 * 4096;
  struct picture picture = {.base = MEMORY_BASE + arena * qsmContextSlot(context),
                            .n_bytes = arena};
  picture.bytes = calloc(1, arena);
  assert_non_null(picture.bytes);
  // What the L2 has of it goes to memory: a copy has flushed the sets of its own lines only.
  assert_int_equal(qsmRegisterWrite(device, QSM_REG_L2_FLUSH, 1), qsmSuccess);
  while (read_register(device, QSM_REG_L2_FLUSH)) {}
  gpu->mem_read(gpu, picture.base, picture.bytes, PROGRAM_BYTES);
  for (uint32_t i = 0; i < all->n; i++)
    gpu->mem_read(gpu, all->address[i], picture.bytes + (all->address[i] - picture.base),
                  all->bytes[i]);
  return picture;
}

static struct picture run(const char *config, const struct qsm_suite_program *program,
                          enum qsm_suite_size size, uint64_t seed, struct nuisance *nuisance) {
  qsmDevice_t device = open_device_for(config, program);
  struct allocations all = {0};
  const struct qsm_observer observer = {.ctx = &all, .allocated = note_allocation};
  qsm_device_observe(device, &observer);
  qsmContext_t context = open_context(device);
  assert_int_equal(qsmSetSaveArea(context, qsmDeviceConfig(device)->num_images), qsmSuccess);
  assert_int_equal(
      qsmSetIdempotent(context, nuisance && nuisance->techniques >> qsmTechniqueFlush & 1),
      qsmSuccess);
  uint64_t n_wrong;
  if (nuisance) {
    nuisance->device = device;
    n_wrong = run_program_with(context, program, size, seed, harass, nuisance);
  } else {
    n_wrong = run_program(context, program, size, seed);
  }
  if (n_wrong)
    fail_msg("%s on %s, seed %llu: %llu outputs are wrong", program->name, config,
             (unsigned long long)seed, (unsigned long long)n_wrong);
  struct picture picture = take_picture(context, device, &all);
  qsmDeviceClose(device);
  return picture;
}

static void compare(const char *config, const char *name, uint64_t seed, const struct picture *calm,
                    const struct picture *disturbed) {
  assert_int_equal(calm->n_bytes, disturbed->n_bytes);
  for (uint32_t i = 0; i < calm->n_bytes; i++) {
    if (calm->bytes[i] != disturbed->bytes[i])
      fail_msg("%s on %s, seed %llu: byte at 0x%08X differs", name, config,
               (unsigned long long)seed, calm->base + i);
  }
}

// On demo, whose programs are larger, every second one but for `make test-full`.
static void all_programs(const char *config, enum qsm_suite_size size, uint32_t techniques,
                         uint32_t pause) {
  uint64_t seed = test_seed();
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++, seed++) {
    if ((techniques >> qsmTechniqueFlush & 1) && !program->flushable) continue;
    if (brief_run() && seed % 8) continue;
    if (!full_run() && size != QSM_SIZE_S && seed % 2) continue;
    struct nuisance nuisance = {
        .random = qsm_random_seed(seed), .techniques = techniques, .pause = pause};
    struct picture calm = run(config, program, size, seed, NULL),
                   disturbed = run(config, program, size, seed, &nuisance);
    printf(
        "# %s on %s, QSM_TEST_SEED=%llu: of %llu requests %llu saved, %llu drained, %llu flushed; no block %llu, busy %llu, no image %llu\n",
        program->name, config, (unsigned long long)seed, (unsigned long long)nuisance.n_requests,
        (unsigned long long)nuisance.n_accepted[0], (unsigned long long)nuisance.n_accepted[1],
        (unsigned long long)nuisance.n_accepted[2], (unsigned long long)nuisance.n_refused[5],
        (unsigned long long)nuisance.n_refused[6], (unsigned long long)nuisance.n_refused[9]);
    compare(config, program->name, seed, &calm, &disturbed);
    free(calm.bytes);
    free(disturbed.bytes);
  }
}

enum {
  ALL_TECHNIQUES = 1u << qsmTechniqueSwitch | 1u << qsmTechniqueDrain | 1u << qsmTechniqueFlush
};

static void switched_programs_are_right_on_tiny(void **state) {
  (void)state;
  all_programs("tiny", QSM_SIZE_S, 1u << qsmTechniqueSwitch | 1u << qsmTechniqueDrain, 500);
}

// With L1s: a block finds on another SM what it wrote on the one that it left.
static void switched_programs_are_right_on_odd(void **state) {
  (void)state;
  all_programs("odd", QSM_SIZE_S, 1u << qsmTechniqueSwitch, 200);
}

static void switched_programs_are_right_on_demo(void **state) {
  (void)state;
  all_programs("demo", QSM_SIZE_M, 1u << qsmTechniqueSwitch | 1u << qsmTechniqueDrain, 2000);
}

static void flushed_programs_are_right_on_odd(void **state) {
  (void)state;
  all_programs("odd", QSM_SIZE_S, ALL_TECHNIQUES, 200);
}

// ---- libqsm ----

// A context whose saved blocks are held.
static qsmContext_t open_held(qsmDevice_t device, uint32_t images) {
  qsmContext_t context = open_context(device);
  assert_int_equal(qsmSetSaveArea(context, images), qsmSuccess);
  assert_int_equal(qsmSetPreemptHold(context, true), qsmSuccess);
  return context;
}

// Blocks that run until the word at the address that is returned is not 0.
static uint32_t start(qsmContext_t context, uint32_t n_blocks) {
  static const uint32_t zero;
  uint32_t word = allocate(context, 256);
  assert_int_equal(qsmMemcpyHtoD(context, word, &zero, sizeof zero), qsmSuccess);
  assert_int_equal(launch(context, "endless", n_blocks, word, 0, NULL, NULL), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, 500), qsmErrorTimeout);
  return word;
}

static void end(qsmContext_t context, uint32_t word) {
  static const uint32_t one = 1;
  assert_int_equal(qsmMemcpyHtoD(context, word, &one, sizeof one), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
}

static void a_switched_block_is_held_until_it_may_go_on(void **state) {
  (void)state;
  qsmDevice_t device = open_device("tiny");
  qsmContext_t context = open_held(device, 2);
  qsmPreemptResult result = {0};
  uint32_t word = start(context, 2);
  assert_int_equal(qsmPreempt(device, 0, context, qsmTechniqueSwitch, LONG, &result), qsmSuccess);
  assert_int_equal(result.how, qsmPreemptDone);
  assert_int_equal(result.tb, 1);
  assert_true(result.n_cycles > 30);
  assert_int_equal(read_register(device, slot_register(context, QSM_SLOT_SAVED)), 1 | 1 << 8);
  assert_int_equal(qsmContextSynchronize(context, 2000), qsmErrorTimeout);
  assert_int_equal(read_register(device, slot_register(context, QSM_SLOT_SAVED)), 1 | 1 << 8);
  assert_int_equal(qsmSetPreemptHold(context, false), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, 2000), qsmErrorTimeout);
  assert_int_equal(read_register(device, slot_register(context, QSM_SLOT_SAVED)), 0);
  end(context, word);
  qsmDeviceClose(device);
}

static void assert_waits(qsmContext_t context, const char *expected) {
  char text[128];
  assert_int_equal(qsmExplainWait(context, text, sizeof text), qsmSuccess);
  if (!strstr(text, expected)) fail_msg("'%s' is not in '%s'", expected, text);
}

// A second context with blocks of as many warps as an SM has.
static qsmContext_t open_large(qsmDevice_t device, uint32_t *word) {
  qsmContext_t large = open_context(device);
  *word = allocate(large, 256);
  static const uint32_t one = 1;
  assert_int_equal(qsmMemcpyHtoD(large, *word, &one, sizeof one), qsmSuccess);
  const struct qsm_config *config = qsmDeviceConfig(device);
  assert_int_equal(qsmLaunchKernel(large, "endless", (qsmDim3){1, 1, 1},
                                   (qsmDim3){config->warps_per_sm * config->warp_size, 1, 1}, word,
                                   1, 0, NULL, NULL, NULL),
                   qsmSuccess);
  return large;
}

static void the_watchdog_names_what_keeps_a_launch(void **state) {
  (void)state;
  qsmDevice_t device = open_device("tiny");
  qsmContext_t context = open_held(device, 2);
  qsmPreemptResult result = {0};
  assert_waits(context, "idle: no launch of it is under way");
  uint32_t word = start(context, 1), large_word;
  assert_waits(context, "running: its warps issued ");
  qsmContext_t large = open_large(device, &large_word);
  assert_waits(large, "TB allocation: no SM has room for one of its blocks beside the others'");
  qsmContextDestroy(large);
  assert_int_equal(qsmPreempt(device, 0, context, qsmTechniqueSwitch, LONG, &result), qsmSuccess);
  assert_waits(context, "preemption: 1 saved blocks are held back by PREEMPT_HOLD");
  assert_int_equal(qsmSetPreemptHold(context, false), qsmSuccess);
  assert_int_equal(qsmSetScheduling(device, qsmPolicyGto, qsmSchemeRollover, 20000), qsmSuccess);
  end(context, word);
  assert_int_equal(qsmSetQoS(context, 1), qsmSuccess);
  word = start(context, 1);
  assert_int_equal(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 25000),
                   qsmSuccess);  // an epoch of one instruction has begun
  assert_waits(context, "quota gate: their quota is spent (1 blocks on the SMs)");
  qsmDeviceClose(device);
}

static void a_drain_is_done_when_the_block_has_ended(void **state) {
  (void)state;
  qsmDevice_t device = open_device("tiny");
  qsmContext_t context = open_held(device, 0);
  qsmPreemptResult result = {0};
  uint32_t word = start(context, 2);
  assert_int_equal(qsmPreempt(device, 0, context, qsmTechniqueDrain, 1000, &result),
                   qsmErrorTimeout);
  assert_int_equal(qsmPreempt(device, 0, context, qsmTechniqueDrain, 1000, &result),
                   qsmErrorPreempt);
  assert_non_null(strstr(qsmGetLastErrorText(device), "another preemption is under way"));
  end(context, word);
  assert_int_equal(read_register(device, QSM_REG_SMSEL_JOB) >> QSM_REG_SMSEL_JOB_RESULT_SHIFT,
                   qsmPreemptDone);
  qsmDeviceClose(device);
}

static void refusals_are_told_in_words(void **state) {
  (void)state;
  qsmDevice_t device = open_device("tiny");
  qsmContext_t context = open_held(device, 0);
  qsmPreemptResult result;
  assert_int_equal(qsmPreempt(device, 0, context, qsmTechniqueSwitch, LONG, &result),
                   qsmErrorPreempt);
  assert_non_null(strstr(qsmGetLastErrorText(device), "SM 0, slot 0: no thread block"));
  start(context, 8);
  assert_int_equal(qsmPreempt(device, 0, context, qsmTechniqueSwitch, LONG, &result),
                   qsmErrorPreempt);
  assert_non_null(strstr(qsmGetLastErrorText(device), "no save area"));
  assert_int_equal(qsmPreempt(device, 0, context, qsmTechniqueFlush, LONG, &result),
                   qsmErrorPreempt);
  assert_non_null(strstr(qsmGetLastErrorText(device), "not marked idempotent"));
  assert_int_equal(qsmPreempt(device, 1, context, qsmTechniqueDrain, LONG, &result),
                   qsmErrorInvalidValue);
  assert_int_equal(qsmPreempt(device, 0, context, (qsmTechnique)3, LONG, &result),
                   qsmErrorInvalidValue);
  qsmDeviceClose(device);
}

static void all_images_in_use_are_told(void **state) {
  (void)state;
  qsmDevice_t device = open_device("tiny");
  qsmContext_t context = open_held(device, 2);
  qsmPreemptResult result;
  start(context, 8);
  for (uint32_t n = 0; n < 2; n++)
    assert_int_equal(qsmPreempt(device, 0, context, qsmTechniqueSwitch, LONG, &result), qsmSuccess);
  assert_int_equal(qsmContextSynchronize(context, 100), qsmErrorTimeout);  // another block comes
  assert_int_equal(qsmPreempt(device, 0, context, qsmTechniqueSwitch, LONG, &result),
                   qsmErrorPreempt);
  assert_non_null(strstr(qsmGetLastErrorText(device), "all images are in use"));
  qsmDeviceClose(device);
}

static void a_preemption_that_takes_too_long_says_where_it_stands(void **state) {
  (void)state;
  qsmDevice_t device = open_device("tiny");
  qsmContext_t context = open_held(device, 1);
  qsmPreemptResult result;
  start(context, 8);
  assert_int_equal(qsmPreempt(device, 0, context, qsmTechniqueSwitch, 60, &result),
                   qsmErrorTimeout);
  assert_non_null(strstr(qsmGetLastErrorText(device), "SM 0, slot 0, TB "));
  assert_non_null(strstr(qsmGetLastErrorText(device), "phase "));
  qsmDeviceClose(device);
}

static void adjustment_is_turned_on_with_its_technique(void **state) {
  (void)state;
  qsmDevice_t device = open_device("tiny");
  static const struct {
    qsmAdjustment adjustment;
    uint32_t on, technique;
  } cases[] = {{qsmAdjustSwitch, 1, 0},
               {qsmAdjustFlush, 1, 2},
               {qsmAdjustDrain, 1, 1},
               {qsmAdjustOff, 0, 1}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    assert_int_equal(qsmSetAdjustment(device, cases[n].adjustment), qsmSuccess);
    assert_int_equal(read_register(device, QSM_REG_ADJUST), cases[n].on);
    assert_int_equal(read_register(device, QSM_REG_ADJUST_TECHNIQUE), cases[n].technique);
  }
  assert_int_equal(qsmSetAdjustment(device, (qsmAdjustment)4), qsmErrorInvalidValue);
  assert_string_equal(qsmGetLastErrorText(device),
                      "adjustment 4: must be 0..3 (off, switch, drain, flush)");
  qsmDeviceClose(device);
}

static void a_save_area_grows_with_the_launches_that_need_it(void **state) {
  (void)state;
  qsmDevice_t device = open_device("tiny");
  qsmContext_t context = open_context(device);
  const struct qsm_config *config = qsmDeviceConfig(device);
  assert_int_equal(qsmSetSaveArea(context, config->num_images + 1), qsmErrorInvalidValue);
  assert_int_equal(qsmSetSaveArea(context, 2), qsmSuccess);
  uint32_t buffer = allocate(context, 4096);
  const uint32_t args[] = {buffer};
  assert_int_equal(launch(context, "fill", 1, buffer, 0, NULL, NULL), qsmSuccess);
  uint32_t base = read_register(device, slot_register(context, QSM_SLOT_SAVE_BASE)),
           limit = read_register(device, slot_register(context, QSM_SLOT_SAVE_LIMIT));
  assert_true(base % 4096 == 0 && limit - base >= 2 * qsm_config_image_bytes(config, 2, 0));
  // Larger blocks while one is pending: refused, with both numbers.
  assert_int_equal(qsmLaunchKernel(context, "fill", (qsmDim3){1, 1, 1}, (qsmDim3){16, 1, 1}, args,
                                   1, 2048, NULL, NULL, NULL),
                   qsmErrorSaveArea);
  char needed[32], given[32];
  snprintf(needed, sizeof needed, "need %u bytes", 2 * qsm_config_image_bytes(config, 4, 2048));
  snprintf(given, sizeof given, "has %u", limit - base);
  assert_non_null(strstr(qsmGetLastErrorText(device), needed));
  assert_non_null(strstr(qsmGetLastErrorText(device), given));
  assert_int_equal(qsmSetSaveArea(context, 1), qsmErrorBusy);
  assert_int_equal(qsmSetIdempotent(context, true), qsmErrorBusy);
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  assert_int_equal(qsmLaunchKernel(context, "fill", (qsmDim3){1, 1, 1}, (qsmDim3){16, 1, 1}, args,
                                   1, 2048, NULL, NULL, NULL),
                   qsmSuccess);
  base = read_register(device, slot_register(context, QSM_SLOT_SAVE_BASE));
  limit = read_register(device, slot_register(context, QSM_SLOT_SAVE_LIMIT));
  assert_true(limit - base >= 2 * qsm_config_image_bytes(config, 4, 2048));
  assert_int_equal(qsmContextSynchronize(context, LONG), qsmSuccess);
  // A context whose memory is full has no room for it.
  assert_int_equal(qsmSetSaveArea(context, 0), qsmSuccess);
  uint32_t chunk = 16 << 20, address;
  for (; chunk >= 256; chunk /= 2) {
    while (qsmMalloc(context, chunk, &address) == qsmSuccess) {}
  }
  assert_int_equal(qsmSetSaveArea(context, 1), qsmSuccess);
  assert_int_equal(launch(context, "fill", 1, buffer, 0, NULL, NULL), qsmErrorSaveArea);
  qsmDeviceClose(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(switched_programs_are_right_on_tiny),
      cmocka_unit_test(switched_programs_are_right_on_odd),
      cmocka_unit_test(switched_programs_are_right_on_demo),
      cmocka_unit_test(flushed_programs_are_right_on_odd),
      cmocka_unit_test(a_switched_block_is_held_until_it_may_go_on),
      cmocka_unit_test(the_watchdog_names_what_keeps_a_launch),
      cmocka_unit_test(a_drain_is_done_when_the_block_has_ended),
      cmocka_unit_test(refusals_are_told_in_words),
      cmocka_unit_test(all_images_in_use_are_told),
      cmocka_unit_test(a_preemption_that_takes_too_long_says_where_it_stands),
      cmocka_unit_test(adjustment_is_turned_on_with_its_technique),
      cmocka_unit_test(a_save_area_grows_with_the_launches_that_need_it),
  };
  return cmocka_run_group_tests(tests, copy_programs, remove_programs);
}

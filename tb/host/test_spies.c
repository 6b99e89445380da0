// SPDX-License-Identifier: Apache-2.0
// No tenant can read what another tenant leaves behind: victims keep a key in registers, shared
// memory, stacks and device memory, beside and before spies, across ends, faults, kills and
// preemptions, on the model and in lockstep (I-ISA-5, I-MEM-2, R-WB-4, R-SM-10).
#include <stdio.h>
#include <stdlib.h>

#include "host_support.h"
#include "qsm_config.h"
#include "qsm_random.h"

enum { KEY_WORDS = 4096, SPY_BLOCKS = 24, MOST_ROUNDS = 400, VISITS = 6, WAIT = 3000000 };

struct scene {
  qsmDevice_t device;
  struct qsm_random random;
  char elf[PROGRAM_PATH_BYTES];
};

static void check(struct scene *scene, qsmError_t error) {
  if (error) fail_msg("%s: %s", qsmGetErrorString(error), qsmGetLastErrorText(scene->device));
}

static struct scene open_scene(const char *backend, const char *config, uint64_t seed) {
  struct scene scene = {.random = qsm_random_seed(seed)};
  char msg[512];
  attack_kernels(scene.elf);
  if (qsmDeviceOpen(backend, config, NULL, &scene.device, msg, sizeof msg)) fail_msg("%s", msg);
  print_message("# %s of %s, seed %u\n", backend, config, (unsigned)seed);
  return scene;
}

struct tenant {
  qsmContext_t context;
  uint32_t own;
};

static struct tenant open_tenant(struct scene *scene) {
  struct tenant tenant = {0};
  check(scene, qsmContextCreate(scene->device, &tenant.context));
  check(scene, qsmSetSaveArea(tenant.context, 2));
  check(scene, qsmModuleLoad(tenant.context, scene->elf));
  check(scene, qsmMalloc(tenant.context, 4 * KEY_WORDS, &tenant.own));
  return tenant;
}

static uint32_t below(struct scene *scene, uint32_t n) {
  return qsm_random_below(&scene->random, n);
}

static uint32_t some_threads(struct scene *scene) {
  const struct qsm_config *config = qsmDeviceConfig(scene->device);
  return 1 + below(scene, config->warps_per_sm * config->warp_size / 2);
}

static void launch_on(struct scene *scene, struct tenant *tenant, const char *kernel,
                      uint32_t blocks, uint32_t threads, uint32_t shared_words, uint32_t last) {
  const uint32_t args[] = {tenant->own, shared_words, last};
  check(scene,
        qsmLaunchKernel(tenant->context, kernel, (qsmDim3){blocks, 1, 1}, (qsmDim3){threads, 1, 1},
                        args, 3, 4 * shared_words, NULL, NULL, NULL));
}

// All words that the spies have written, together.
static uint32_t found_by(struct scene *scene, struct tenant *spy, const char *kernel,
                         uint32_t shared_words, uint32_t planted) {
  static uint32_t words[KEY_WORDS];
  uint32_t threads = some_threads(scene), found = 0;
  if (threads * SPY_BLOCKS > KEY_WORDS) threads = KEY_WORDS / SPY_BLOCKS;
  launch_on(scene, spy, kernel, SPY_BLOCKS, threads, shared_words, planted);
  check(scene, qsmContextSynchronize(spy->context, WAIT));
  check(scene, qsmMemcpyDtoH(spy->context, words, spy->own, sizeof words));
  for (uint32_t i = 0; i < SPY_BLOCKS * threads; i++) found |= words[i];
  return found;
}

static uint32_t some_shared(struct scene *scene) {
  return below(scene, qsmDeviceConfig(scene->device)->shared_bytes / 8 + 1);
}

// Launches end, fault, are killed or taken from an SM while spies come and go.
static void act_as_victim(struct scene *scene, struct tenant *victim) {
  static const char *const kernels[] = {"keep_secret", "fault_with_secret", "keep_secret_for_ever"};
  const struct qsm_config *config = qsmDeviceConfig(scene->device);
  uint32_t which = below(scene, 3);
  launch_on(scene, victim, kernels[which], 1 + below(scene, 12), some_threads(scene),
            some_shared(scene), below(scene, MOST_ROUNDS));
  check(scene,
        qsmDeviceRunUntil(scene->device, qsmDeviceCycle(scene->device) + below(scene, 4000)));
  qsmPreemptResult result;
  if (below(scene, 2))
    (void)qsmPreempt(scene->device, below(scene, config->num_sms), victim->context,
                     qsmTechniqueSwitch, WAIT, &result);
  if (which == 2 || below(scene, 4) == 0) check(scene, qsmContextKill(victim->context));
}

static void spies_find_nothing(const char *backend, const char *config, uint64_t seed,
                               uint32_t n_visits) {
  if (brief_run()) n_visits /= 3;
  if (full_run()) n_visits *= 20;
  struct scene scene = open_scene(backend, config, seed);
  struct tenant victim = open_tenant(&scene), spy = open_tenant(&scene);
  for (uint32_t visit = 0; visit < n_visits; visit++) {
    act_as_victim(&scene, &victim);
    assert_int_equal(found_by(&scene, &spy, "spy", some_shared(&scene), 0), 0);
    assert_int_equal(found_by(&scene, &spy, "spy_beside", 0, 0), 0);
  }
  qsmDeviceClose(scene.device);
}

static void a_spy_would_find_what_is_there(void **state) {
  (void)state;
  struct scene scene = open_scene("model", "tiny", 1);
  struct tenant spy = open_tenant(&scene);
  assert_int_equal(found_by(&scene, &spy, "spy", 16, 0xA5), 0xA5);
  qsmDeviceClose(scene.device);
}

static uint64_t seed(void) {
  const char *text = getenv("QSM_TEST_SEED");
  return text ? strtoull(text, NULL, 0) : 1;
}

static void spies_beside_victims_find_nothing(void **state) {
  (void)state;
  static const char *const configs[] = {
      "tiny", "demo", "odd", "demo+l1_kib-4+l2_kib-16+dram_banks-8", "wang2017+num_sms-2"};
  // With few visits a brief run needs no second machine without caches.
  for (size_t i = 0; i < sizeof configs / sizeof *configs; i += brief_run() ? 3 : 1)
    spies_find_nothing("model", configs[i], seed(), VISITS);
}

static void spies_beside_victims_find_nothing_in_lockstep(void **state) {
  (void)state;
  spies_find_nothing("lockstep", "tiny", seed(), VISITS);
  spies_find_nothing("lockstep", "odd", seed(), VISITS / 2);
}

// The slot's next tenant: all of its memory that a kernel or a copy can name.
static void next_tenant_finds_nothing(const char *backend, const char *config,
                                      uint64_t seed_of_scene) {
  struct scene scene = open_scene(backend, config, seed_of_scene);
  for (uint32_t visit = 0; visit < (brief_run() ? 2 : 6); visit++) {
    struct tenant victim = open_tenant(&scene);
    act_as_victim(&scene, &victim);
    if (visit & 1) (void)qsmContextSynchronize(victim.context, WAIT);
    qsmContextDestroy(victim.context);
    struct tenant spy = open_tenant(&scene);
    uint64_t free_bytes = 0;
    uint32_t all = 0;
    check(&scene, qsmMemGetInfo(spy.context, &free_bytes, NULL));
    uint32_t bytes = (uint32_t)(free_bytes / 2) & ~255u;
    check(&scene, qsmMalloc(spy.context, bytes, &all));
    const uint32_t args[] = {spy.own, all, all + bytes};
    check(&scene, qsmLaunchKernel(spy.context, "spy_memory", (qsmDim3){64, 1, 1},
                                  (qsmDim3){8, 1, 1}, args, 3, 0, NULL, NULL, NULL));
    check(&scene, qsmContextSynchronize(spy.context, 100 * (uint64_t)WAIT));
    assert_int_equal(read_word(spy.context, spy.own), 0);
    qsmContextDestroy(spy.context);
  }
  qsmDeviceClose(scene.device);
}

static void next_tenants_find_nothing_in_memory(void **state) {
  (void)state;
  next_tenant_finds_nothing("model", "tiny+mem_bytes-4194304", seed());
  next_tenant_finds_nothing("model", "odd+mem_bytes-4194304+partition_bits-22", seed());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spy_would_find_what_is_there),
      cmocka_unit_test(spies_beside_victims_find_nothing),
      cmocka_unit_test(spies_beside_victims_find_nothing_in_lockstep),
      cmocka_unit_test(next_tenants_find_nothing_in_memory),
  };
  return cmocka_run_group_tests_name("spies", tests, NULL, NULL);
}

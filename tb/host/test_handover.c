// SPDX-License-Identifier: Apache-2.0
// Two launches of one tenant, in two streams, each with SMs and a cache policy of its own, that run
// at the same time and hand data to each other, on a GPU with shader arrays (docs/sa_cache.md,
// docs/l1.md I-MEM-5), on the model and in lockstep; and what comes of it without fences.
#include <stdio.h>
#include <string.h>

#include "host_support.h"
#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_regs.h"

enum {
  MEMORY = 1 << 20,
  TURNS = 6,
  POLICIES = 4,  // s0, s1, s2, s12
  SIDES = 2,
  WORDS_BYTES = 128,  // of both sides
  TOLD_BYTES = 64,    // of a side: lines of its own
  PATIENCE = 40000,
};

// Fences of tb/cli/stream_kernels.c.
enum { NO_FENCES, FENCE_BEFORE, FENCE_BEHIND, ALL_FENCES };

static const qsmDim3 one = {1, 1, 1}, block = {8, 1, 1};

static char without_l1[CONFIG_PATH_BYTES], four_sms[CONFIG_PATH_BYTES];

static qsmDevice_t device;
static qsmContext_t context;
static qsmStream_t streams[SIDES];
static uint32_t turn, words, told;

static void check_call(qsmError_t error, int line) {
  if (error)
    fail_msg("line %d: %s: %s", line, qsmGetErrorString(error), qsmGetLastErrorText(device));
}
#define CHECK(call) check_call(call, __LINE__)

static int make_configurations(void **state) {
  if (copy_programs(state)) return -1;
  change_config("odd", "s/^l1_kib: 1/l1_kib: 0/", without_l1);
  change_config("demo",
                "s/^l1_kib: 0/l1_kib: 1/; s/^num_sas: 0/num_sas: 2/; s/^sa_kib: 4/sa_kib: 2/; "
                "s/^sa_banks: 1/sa_banks: 2/; s/^l2_kib: 0/l2_kib: 16/",
                four_sms);
  return 0;
}

static void open_on(const char *backend, const char *config) {
  char msg[256] = "";
  const struct qsm_backend_options options = {.state_interval = 2000};
  if (qsmDeviceOpen(backend, config, &options, &device, msg, sizeof msg)) fail_msg("%s", msg);
  CHECK(qsmDeviceUseChannels(device, SIDES, qsmChannelsConcurrent));
  CHECK(qsmContextCreateOnChannels(device, MEMORY, &context));
  CHECK(qsmContextAllowLaunchMasks(context, true));
  CHECK(qsmModuleLoad(context, program_path("streams.elf")));
  // The default stream does not wait for them: it lets them begin.
  for (uint32_t side = 0; side < SIDES; side++)
    CHECK(qsmStreamCreateWithFlags(context, &streams[side], qsmStreamNonBlocking));
  turn = allocate(context, TOLD_BYTES);
  words = allocate(context, WORDS_BYTES);
  told = allocate(context, SIDES * TOLD_BYTES);
}

static uint32_t read_register(uint32_t address) {
  uint32_t value = 0;
  CHECK(qsmRegisterRead(device, address, &value));
  return value;
}

// The slot that has blocks on this SM and no other, or UINT32_MAX; `not` is another's.
static uint32_t slot_on(uint32_t sm, uint32_t not) {
  const struct qsm_config *config = qsmDeviceConfig(device);
  for (uint32_t slot = 0; slot < config->num_kernels; slot++) {
    uint32_t sms = 0;
    for (uint32_t i = 0; i < config->num_sms; i++) {
      CHECK(qsmRegisterWrite(device, QSM_REG_SM_SELECT, i));
      uint32_t tbs = read_register(QSM_SMSEL_BASE + QSM_SMSEL_STRIDE * slot + QSM_SMSEL_TBS);
      sms |= (uint32_t)((tbs & QSM_SMSEL_TBS_RESIDENT_MASK) != 0) << i;
    }
    if (slot != not&&sms == 1u << sm) return slot;
  }
  return UINT32_MAX;
}

static void assert_policy(uint32_t slot, uint32_t policy) {
  assert_int_equal(read_register(QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + QSM_SLOT_CACHE_POLICY),
                   policy);
}

// Both are on their SMs, each with its policy, before the first turn.
static void await_both(const uint32_t sms[SIDES], const uint32_t policies[SIDES]) {
  uint32_t slots[SIDES] = {UINT32_MAX, UINT32_MAX};
  const uint64_t end = qsmDeviceCycle(device) + PATIENCE;
  while (slots[1] == UINT32_MAX) {
    if (qsmDeviceCycle(device) > end) fail_msg("two launches are not there at a time");
    CHECK(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 100));
    slots[0] = slot_on(sms[0], UINT32_MAX);
    slots[1] = slots[0] == UINT32_MAX ? UINT32_MAX : slot_on(sms[1], slots[0]);
  }
  if (sms[0] == sms[1] && policies[0] != policies[1] &&
      read_register(QSM_SLOT_BASE + QSM_SLOT_STRIDE * slots[0] + QSM_SLOT_CACHE_POLICY) !=
          policies[0]) {
    uint32_t first = slots[0];
    slots[0] = slots[1];
    slots[1] = first;
  }
  for (uint32_t side = 0; side < SIDES; side++) assert_policy(slots[side], policies[side]);
}

// Both directions; wrong[side] grows by the words that did not arrive there.
static void run_pair(const uint32_t sms[SIDES], const uint32_t policies[SIDES], uint32_t fences,
                     uint32_t wrong[SIDES]) {
  CHECK(qsmMemsetAsync(context, told, 0, SIDES * TOLD_BYTES, NULL));
  CHECK(qsmMemsetAsync(context, words, 0, WORDS_BYTES, NULL));
  CHECK(qsmMemsetAsync(context, turn, 0x80, 4, NULL));  // nobody's
  CHECK(qsmContextSynchronize(context, LONG));
  for (uint32_t side = 0; side < SIDES; side++) {
    const uint32_t args[] = {turn, words, told + TOLD_BYTES * side, TURNS, side, fences};
    const qsmLaunch what = {.kernel = "hand_over",
                            .grid = one,
                            .block = block,
                            .args = args,
                            .n_args = sizeof args / sizeof *args,
                            .stream = streams[side],
                            .sm_mask = (qsmSmMask)1 << sms[side]};
    CHECK(qsmSetCachePolicy(context, (qsmCachePolicy)policies[side]));
    CHECK(qsmLaunchKernelEx(context, &what, NULL, NULL));
  }
  await_both(sms, policies);
  CHECK(qsmMemsetAsync(context, turn, 0, 4, NULL));
  CHECK(qsmContextSynchronize(context, LONG));
  assert_int_equal(read_word(context, turn), TURNS);
  for (uint32_t side = 0; side < SIDES; side++) {
    assert_int_equal(read_word(context, told + TOLD_BYTES * side + 4), sms[side]);
    wrong[side] += read_word(context, told + TOLD_BYTES * side);
  }
}

// On which SMs, by their arrays.
enum place { SAME_ARRAY, OTHER_ARRAY, SAME_SM, PLACES };
static const char *const place_names[PLACES] = {"one array", "two arrays", "one SM"};

static enum place place_of(const uint32_t sms[SIDES]) {
  const uint32_t num_sas = qsmDeviceConfig(device)->num_sas;
  if (sms[0] == sms[1]) return SAME_SM;
  return sms[0] % num_sas == sms[1] % num_sas ? SAME_ARRAY : OTHER_ARRAY;
}

// What was wrong, by place, by the policies of who handed over and of who received.
struct outcome {
  uint32_t n_pairs[PLACES], wrong[PLACES][POLICIES][POLICIES];
};

static void run_policies(const uint32_t sms[SIDES], uint32_t fences, struct outcome *outcome) {
  const enum place place = place_of(sms);
  for (uint32_t pair = 0; pair < POLICIES * POLICIES; pair++) {
    const uint32_t policies[SIDES] = {pair / POLICIES, pair % POLICIES};
    uint32_t wrong[SIDES] = {0, 0};
    run_pair(sms, policies, fences, wrong);
    outcome->wrong[place][policies[1]][policies[0]] += wrong[0];
    outcome->wrong[place][policies[0]][policies[1]] += wrong[1];
    outcome->n_pairs[place]++;
  }
}

// All SMs beside all, or of each place the first pair.
static struct outcome run_all(const char *backend, const char *config, uint32_t fences,
                              bool every) {
  struct outcome outcome = {0};
  open_on(backend, config);
  const uint32_t n_sms = qsmDeviceConfig(device)->num_sms;
  bool done[PLACES] = {false};
  for (uint32_t n = 0; n < n_sms * n_sms; n++) {
    const uint32_t sms[SIDES] = {n / n_sms, n % n_sms};
    if (!every && done[place_of(sms)]) continue;
    done[place_of(sms)] = true;
    run_policies(sms, fences, &outcome);
  }
  for (uint32_t place = 0; place < PLACES; place++) assert_true(outcome.n_pairs[place] > 0);
  qsmDeviceClose(device);
  return outcome;
}

static void assert_all_arrived(const struct outcome *outcome) {
  for (uint32_t place = 0; place < PLACES; place++)
    for (uint32_t from = 0; from < POLICIES; from++)
      for (uint32_t to = 0; to < POLICIES; to++)
        if (outcome->wrong[place][from][to])
          fail_msg("on %s, policy %u to policy %u: %u words wrong", place_names[place], from, to,
                   outcome->wrong[place][from][to]);
}

// R-SA-6, R-SA-14, R-SA-17, R-ST-23, R-FR-28: each policy beside each other.
static void data_arrives_under_every_pair_of_policies(void **state) {
  const struct outcome outcome = run_all("model", *state, ALL_FENCES, !brief_run());
  assert_all_arrived(&outcome);
}

static void data_arrives_in_lockstep(void **state) {
  const struct outcome outcome = run_all("lockstep", *state, ALL_FENCES, full_run());
  assert_all_arrived(&outcome);
}

// The negative control: caches keep what was there before, on SMs of one array, of two, on one SM.
static void without_fences_data_does_not_arrive(void **state) {
  const struct outcome outcome = run_all("model", *state, NO_FENCES, false);
  for (uint32_t place = 0; place < PLACES; place++) {
    uint32_t n_wrong = 0;
    for (uint32_t from = 0; from < POLICIES; from++)
      for (uint32_t to = 0; to < POLICIES; to++) n_wrong += outcome.wrong[place][from][to] != 0;
    printf("# on %s %u of %u pairs of policies fail without fences\n", place_names[place], n_wrong,
           POLICIES * POLICIES);
    assert_true(n_wrong > 0);
  }
}

// And what keeps it is the array's cache, where there is no other: of who does not fence, it has
// old words for those that it allocates lines for, and for nobody else (R-SA-5, R-SA-17).
static void the_arrays_cache_keeps_old_words_of_whom_it_serves(void **state) {
  (void)state;
  const struct outcome outcome = run_all("model", without_l1, FENCE_BEFORE, true);
  for (uint32_t place = 0; place < PLACES; place++)
    for (uint32_t from = 0; from < POLICIES; from++)
      for (uint32_t to = 0; to < POLICIES; to++)
        if ((outcome.wrong[place][from][to] == 0) != (to & qsmCacheSkipL1))
          fail_msg("on %s, policy %u to policy %u: %u words wrong", place_names[place], from, to,
                   outcome.wrong[place][from][to]);
}

#define ON(test, config) {#test " on " #config, test, NULL, NULL, (void *)(uintptr_t)#config}

int main(void) {
  const struct CMUnitTest tests[] = {
      ON(data_arrives_under_every_pair_of_policies, odd),
      {"data_arrives_under_every_pair_of_policies on four SMs",
       data_arrives_under_every_pair_of_policies, NULL, NULL, four_sms},
      {"data_arrives_under_every_pair_of_policies without an L1",
       data_arrives_under_every_pair_of_policies, NULL, NULL, without_l1},
      ON(without_fences_data_does_not_arrive, odd),
      {"without_fences_data_does_not_arrive on four SMs", without_fences_data_does_not_arrive, NULL,
       NULL, four_sms},
      cmocka_unit_test(the_arrays_cache_keeps_old_words_of_whom_it_serves),
      ON(data_arrives_in_lockstep, odd),
  };
  return cmocka_run_group_tests(tests, make_configurations, remove_programs);
}

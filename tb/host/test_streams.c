// SPDX-License-Identifier: Apache-2.0
// Streams, events and asynchronous copies (docs/streams.md), on the model, and a mix of them in
// lockstep.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_support.h"
#include "qsm_backend.h"
#include "qsm_config.h"
#include "qsm_enums.h"
#include "qsm_regs.h"

enum { MEMORY = 1 << 20, SLOTS = 2, MARKS = 400, SPIN = 500, BLOCK = 8, NEVER = 20000 };

static const qsmDim3 one = {1, 1, 1}, block = {BLOCK, 1, 1};

static qsmDevice_t device;
static qsmContext_t context;
static uint32_t list;  // of marks

static char with_l2[CONFIG_PATH_BYTES];

static void check_call(qsmError_t error, int line) {
  if (error)
    fail_msg("line %d: %s: %s", line, qsmGetErrorString(error), qsmGetLastErrorText(device));
}
#define CHECK(call) check_call(call, __LINE__)

static void expect_error(qsmError_t got, qsmError_t wanted, const char *text, int line) {
  if (got != wanted)
    fail_msg("line %d: %s (%s) instead of %s", line, qsmGetErrorString(got),
             qsmGetLastErrorText(device), qsmGetErrorString(wanted));
  if (!strstr(qsmGetLastErrorText(device), text))
    fail_msg("line %d: '%s' does not say '%s'", line, qsmGetLastErrorText(device), text);
}
#define EXPECT(call, error, text) expect_error(call, error, text, __LINE__)

// ---- Devices, contexts, streams ----

static int make_configurations(void **state) {
  if (copy_programs(state)) return -1;
  change_config("tiny", "s/^l2_kib: 0/l2_kib: 4/", with_l2);
  return 0;
}

static void open_on(const char *backend, const char *config, uint32_t slots, qsmChannelMode mode) {
  char msg[256] = "";
  const struct qsm_backend_options options = {.state_interval = 2000};
  if (qsmDeviceOpen(backend, config, &options, &device, msg, sizeof msg)) fail_msg("%s", msg);
  CHECK(qsmDeviceUseChannels(device, slots, mode));
}

static qsmContext_t new_context(void) {
  qsmContext_t created = NULL;
  CHECK(qsmContextCreateOnChannels(device, MEMORY, &created));
  CHECK(qsmContextAllowLaunchMasks(created, true));
  CHECK(qsmModuleLoad(created, program_path("streams.elf")));
  return created;
}

static uint32_t new_list(qsmContext_t of) {
  uint32_t at = allocate(of, 4 * (MARKS + 1));
  CHECK(qsmMemsetAsync(of, at, 0, 4 * (MARKS + 1), NULL));
  CHECK(qsmContextSynchronize(of, LONG));
  return at;
}

static int open_concurrent(void **state) {
  open_on("model", *state, SLOTS, qsmChannelsConcurrent);
  context = new_context();
  list = new_list(context);
  return 0;
}

static int open_in_lockstep(void **state) {
  open_on("lockstep", *state, SLOTS, qsmChannelsConcurrent);
  context = new_context();
  list = new_list(context);
  return 0;
}

static int open_exclusive(void **state) {
  open_on("model", *state, SLOTS, qsmChannelsExclusive);
  context = new_context();
  list = new_list(context);
  return 0;
}

static int open_one_slot(void **state) {
  open_on("model", *state, 1, qsmChannelsConcurrent);
  context = new_context();
  list = new_list(context);
  return 0;
}

static int open_three_slots(void **state) {
  open_on("model", *state, 3, qsmChannelsConcurrent);
  return 0;
}

static int open_three_slots_in_lockstep(void **state) {
  open_on("lockstep", *state, 3, qsmChannelsConcurrent);
  return 0;
}

static int close_all(void **state) {
  (void)state;
  qsmDeviceClose(device);
  return 0;
}

static qsmStream_t new_stream(qsmContext_t of) {
  qsmStream_t stream = NULL;
  CHECK(qsmStreamCreate(of, &stream));
  return stream;
}

static qsmEvent_t new_event(qsmContext_t of) {
  qsmEvent_t event = NULL;
  CHECK(qsmEventCreate(of, &event));
  return event;
}

static qsmError_t launch_in(qsmContext_t of, qsmStream_t stream, const char *kernel,
                            const uint32_t *args, uint32_t n_args, qsmLaunchCallback callback,
                            void *user) {
  return qsmLaunchKernel(of, kernel, one, block, args, n_args, 0, stream, callback, user);
}

static void mark_on(qsmContext_t of, uint32_t at, qsmStream_t stream, uint32_t number,
                    uint32_t turns) {
  const uint32_t args[] = {at, number, turns};
  CHECK(launch_in(of, stream, "mark", args, 3, NULL, NULL));
}

static void mark(qsmStream_t stream, uint32_t number, uint32_t turns) {
  mark_on(context, list, stream, number, turns);
}

// Launches step with blocks of 8 threads over n_blocks.
static void step(qsmContext_t of, qsmStream_t stream, uint32_t at, uint32_t value) {
  const uint32_t args[] = {at, value};
  CHECK(launch_in(of, stream, "step", args, 2, NULL, NULL));
}

static void read_words(qsmContext_t of, uint32_t at, uint32_t *words, uint32_t n) {
  CHECK(qsmMemcpyDtoH(of, words, at, 4 * (size_t)n));
}

// What the list has, as digits.
static const char *marks(void) {
  static char text[MARKS * 4];
  uint32_t words[MARKS + 1];
  size_t at = 0;
  read_words(context, list, words, MARKS + 1);
  for (uint32_t i = 0; i < words[0] && i < MARKS; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%u", i ? " " : "", words[1 + i]);
  text[at] = 0;
  return text;
}

static void assert_endless(qsmContext_t of, qsmStream_t stream, uint32_t word) {
  CHECK(launch_in(of, stream, "endless", &word, 1, NULL, NULL));
}

// Lets an endless kernel end: from another stream, without order.
static void let_go(qsmContext_t of, uint32_t word) {
  qsmStream_t other = NULL;
  CHECK(qsmStreamCreateWithFlags(of, &other, qsmStreamNonBlocking));
  CHECK(qsmMemsetAsync(of, word, 1, 4, other));
  CHECK(qsmStreamSynchronize(other, LONG));
  CHECK(qsmStreamDestroy(other));
}

// ---- Order ----

static uint32_t random_state = 1;

static uint32_t any(void) {
  random_state = random_state * 1664525u + 1013904223u;
  return random_state >> 8;
}

// R-ST-5, R-ST-6.
static void a_stream_runs_in_order(void **state) {
  (void)state;
  qsmStream_t stream = new_stream(context);
  for (uint32_t i = 0; i < 8; i++) mark(stream, i, (8 - i) * 20);
  EXPECT(qsmStreamQuery(stream), qsmErrorNotReady, "context 0, channel 1: not at its end yet");
  EXPECT(qsmStreamSynchronize(stream, 10), qsmErrorTimeout, "not at its end after 10 cycles");
  CHECK(qsmStreamSynchronize(stream, LONG));
  CHECK(qsmStreamQuery(stream));
  assert_string_equal(marks(), "0 1 2 3 4 5 6 7");
}

static int64_t cycles(qsmEvent_t from, qsmEvent_t to) {
  int64_t n = 0;
  CHECK(qsmEventCycles(from, to, &n));
  return n;
}

// Begin and end of a launch in each of two streams.
static void time_two(qsmStream_t a, qsmStream_t b, qsmEvent_t times[4]) {
  const qsmStream_t streams[] = {a, b};
  for (uint32_t i = 0; i < 4; i++) times[i] = new_event(context);
  for (uint32_t i = 0; i < 2; i++) {
    CHECK(qsmEventRecord(times[2 * i], streams[i]));
    mark(streams[i], i, SPIN);
    CHECK(qsmEventRecord(times[2 * i + 1], streams[i]));
  }
  CHECK(qsmContextSynchronize(context, LONG));
}

// R-ST-1, R-ST-5, R-ST-15: in concurrent mode each begins before the other has ended.
static void streams_of_a_tenant_run_side_by_side(void **state) {
  (void)state;
  qsmEvent_t times[4];
  time_two(new_stream(context), new_stream(context), times);
  assert_true(cycles(times[0], times[3]) > 0 && cycles(times[2], times[1]) > 0);
  int64_t alone = cycles(times[0], times[1]), both = cycles(times[0], times[3]);
  assert_true(both < 2 * alone);
}

// R-ST-1: what comes between a record and its launch is the record.
static void in_exclusive_mode_one_launch_runs_at_a_time(void **state) {
  (void)state;
  qsmEvent_t times[4];
  time_two(new_stream(context), new_stream(context), times);
  int64_t first = cycles(times[0], times[1]), all = cycles(times[0], times[3]);
  assert_true(all > 3 * first / 2);
}

// R-ST-8.
static void the_default_stream_waits_for_blocking_ones_and_they_for_it(void **state) {
  (void)state;
  qsmStream_t a = new_stream(context);
  mark(a, 1, SPIN);
  mark(NULL, 2, SPIN);
  mark(a, 3, 0);
  mark(a, 4, 0);
  mark(NULL, 5, 0);
  CHECK(qsmContextSynchronize(context, LONG));
  assert_string_equal(marks(), "1 2 3 4 5");
}

// R-ST-8: its first launch waits in front of nothing but the ones before.
static void streams_that_do_not_block_take_no_part_in_that(void **state) {
  (void)state;
  qsmStream_t free_one = NULL;
  CHECK(qsmStreamCreateWithFlags(context, &free_one, qsmStreamNonBlocking));
  mark(free_one, 1, 2 * SPIN);
  mark(NULL, 2, 0);
  CHECK(qsmContextSynchronize(context, LONG));
  assert_string_equal(marks(), "2 1");
  mark(NULL, 3, 2 * SPIN);
  mark(free_one, 4, 0);
  CHECK(qsmContextSynchronize(context, LONG));
  assert_string_equal(marks(), "2 1 4 3");
}

// R-ST-8: the handle names what NULL names.
static void the_default_stream_has_a_handle(void **state) {
  (void)state;
  qsmStream_t standard = NULL, again = NULL;
  CHECK(qsmContextDefaultStream(context, &standard));
  CHECK(qsmContextDefaultStream(context, &again));
  assert_ptr_equal(standard, again);
  mark(NULL, 1, SPIN);
  EXPECT(qsmStreamQuery(standard), qsmErrorNotReady, "not at its end yet");
  CHECK(qsmStreamSynchronize(standard, LONG));
  EXPECT(qsmStreamDestroy(standard), qsmErrorStream,
         "context 0: the default stream lasts as long as its context");
}

// ---- Events ----

// R-ST-15.
static void events_tell_times(void **state) {
  (void)state;
  qsmStream_t stream = new_stream(context);
  qsmEvent_t from = new_event(context), to = new_event(context);
  float ms = 0;
  CHECK(qsmEventQuery(from));  // never recorded: nothing to wait for
  EXPECT(qsmEventElapsedTime(&ms, from, to), qsmErrorInvalidValue,
         "context 0: the first event was not recorded");
  CHECK(qsmEventRecord(from, stream));
  mark(stream, 1, SPIN);
  CHECK(qsmEventRecord(to, stream));
  EXPECT(qsmEventQuery(to), qsmErrorNotReady, "context 0: the event has not happened yet");
  EXPECT(qsmEventSynchronize(to, 1), qsmErrorTimeout, "the event has not happened in 1 cycles");
  CHECK(qsmEventSynchronize(to, LONG));
  assert_string_equal(marks(), "1");
  CHECK(qsmEventElapsedTime(&ms, from, to));
  assert_true(cycles(from, to) > SPIN && cycles(to, from) == -cycles(from, to));
  double clock = qsmDeviceConfig(device)->clock_mhz * 1000.0;
  assert_float_equal(ms, (double)cycles(from, to) / clock, 1e-6);
  CHECK(qsmEventRecord(to, stream));  // once more: the last one counts
  int64_t before = cycles(from, from);
  CHECK(qsmEventSynchronize(to, LONG));
  assert_true(before == 0 && cycles(from, to) > SPIN);
}

// R-ST-15.
static void a_stream_waits_for_the_event_of_another(void **state) {
  (void)state;
  qsmStream_t a = new_stream(context), b = new_stream(context);
  qsmEvent_t event = new_event(context), never = new_event(context);
  CHECK(qsmStreamWaitEvent(b, never));
  mark(a, 1, SPIN);
  CHECK(qsmEventRecord(event, a));
  mark(a, 4, 4 * SPIN);
  CHECK(qsmStreamWaitEvent(b, event));
  mark(b, 2, 0);
  CHECK(qsmEventDestroy(event));
  CHECK(qsmContextSynchronize(context, LONG));
  assert_string_equal(marks(), "1 2 4");
  CHECK(qsmStreamWaitEvent(b, never));
  mark(b, 5, 0);
  CHECK(qsmStreamSynchronize(b, LONG));
  assert_int_equal(qsmStreamWaitEvent(b, event), qsmErrorInvalidHandle);
}

// R-ST-15, R-ST-9: its semaphores outlast it.
static void a_stream_that_others_wait_for_may_be_destroyed(void **state) {
  (void)state;
  qsmStream_t a = new_stream(context), b = new_stream(context);
  qsmEvent_t event = new_event(context);
  uint32_t word = allocate(context, 4);
  CHECK(qsmMemsetAsync(context, word, 0, 4, a));
  assert_endless(context, b, word);
  mark(a, 1, SPIN);
  CHECK(qsmEventRecord(event, a));
  CHECK(qsmStreamWaitEvent(b, event));
  mark(b, 2, 0);
  CHECK(qsmStreamDestroy(a));
  CHECK(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + NEVER));
  uint32_t other = allocate(context, 16384);  // perhaps where its semaphores were
  qsmStream_t c = NULL;
  CHECK(qsmStreamCreateWithFlags(context, &c, qsmStreamNonBlocking));
  CHECK(qsmMemsetAsync(context, other, 0x80, 16384, c));
  CHECK(qsmStreamSynchronize(c, LONG));
  CHECK(qsmStreamDestroy(c));
  let_go(context, word);
  CHECK(qsmStreamSynchronize(b, LONG));
  assert_string_equal(marks(), "1 2");
}

// Marks that must come before a mark, by stream and event, as bits.
enum { RANDOM_MARKS = 60, RANDOM_STREAMS = 3, RANDOM_EVENTS = 3, STANDARD = RANDOM_STREAMS };

struct order {
  uint64_t before[RANDOM_MARKS];
  uint64_t stream[RANDOM_STREAMS + 1];  // what the next one in it must follow
  uint64_t event[RANDOM_EVENTS];
  bool blocking[RANDOM_STREAMS + 1];
};

static uint64_t follow(struct order *order, uint32_t which) {
  uint64_t all = order->stream[which];
  for (uint32_t i = 0; i < RANDOM_STREAMS; i++)
    if (which == STANDARD && order->blocking[i]) all |= order->stream[i];
  if (which != STANDARD && order->blocking[which]) all |= order->stream[STANDARD];
  return order->stream[which] = all;
}

static void assert_order(const struct order *order) {
  uint32_t words[MARKS + 1];
  uint64_t come = 0;
  read_words(context, list, words, MARKS + 1);
  assert_int_equal(words[0], RANDOM_MARKS);
  for (uint32_t i = 1; i <= RANDOM_MARKS; i++) {
    if (order->before[words[i]] & ~come)
      fail_msg("mark %u does not wait for all of 0x%llX", words[i],
               (unsigned long long)order->before[words[i]]);
    come |= UINT64_C(1) << words[i];
  }
}

// R-ST-5, R-ST-8, R-ST-15: launches, records and waits at random; each launch finds those ended
// that it must follow.
static void random_streams_keep_their_order(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= (brief_run() ? 3 : 20); seed++) {
    static struct order order;
    qsmStream_t streams[RANDOM_STREAMS + 1] = {NULL};
    qsmEvent_t events[RANDOM_EVENTS];
    print_message("seed %u\n", seed);
    random_state = seed;
    memset(&order, 0, sizeof order);
    for (uint32_t i = 0; i < RANDOM_EVENTS; i++) events[i] = new_event(context);
    for (uint32_t i = 0; i < RANDOM_STREAMS; i++) {
      order.blocking[i] = i < 2;
      CHECK(qsmStreamCreateWithFlags(context, &streams[i],
                                     i < 2 ? qsmStreamDefault : qsmStreamNonBlocking));
    }
    CHECK(qsmMemsetAsync(context, list, 0, 4, NULL));
    CHECK(qsmContextSynchronize(context, LONG));
    for (uint32_t n = 0; n < RANDOM_MARKS;) {
      uint32_t which = any() % (RANDOM_STREAMS + 1), event = any() % RANDOM_EVENTS;
      switch (any() % 5) {
        case 0:
          CHECK(qsmEventRecord(events[event], streams[which]));
          order.event[event] = follow(&order, which);
          break;
        case 1:
          CHECK(qsmStreamWaitEvent(streams[which], events[event]));
          order.stream[which] |= order.event[event];  // nothing where it has ended
          break;
        case 2: CHECK(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + any() % 300)); break;
        default:
          order.before[n] = follow(&order, which);
          order.stream[which] |= UINT64_C(1) << n;
          mark(streams[which], n++, any() % 120);
          break;
      }
    }
    CHECK(qsmContextSynchronize(context, LONG));
    assert_order(&order);
    for (uint32_t i = 0; i < RANDOM_STREAMS; i++) CHECK(qsmStreamDestroy(streams[i]));
    for (uint32_t i = 0; i < RANDOM_EVENTS; i++) CHECK(qsmEventDestroy(events[i]));
  }
}

// ---- Many ----

// R-ST-2, R-ST-5: channels beyond slots, and no more.
static void there_are_more_streams_than_slots(void **state) {
  (void)state;
  uint32_t n =
      qsmDeviceConfig(device)->cmd_channels - 1;  // the list was cleared in the default one
  qsmStream_t streams[QSM_MAX_CMD], more = NULL;
  uint32_t buffer = allocate(context, 4 * BLOCK * QSM_MAX_CMD), words[BLOCK * QSM_MAX_CMD];
  CHECK(qsmMemsetAsync(context, buffer, 0, 4 * BLOCK * QSM_MAX_CMD, NULL));
  for (uint32_t i = 0; i < n; i++) streams[i] = new_stream(context);
  char text[64];
  snprintf(text, sizeof text, "%u command channels, all taken", n + 1);
  EXPECT(qsmStreamCreate(context, &more), qsmErrorNoChannel, text);
  for (uint32_t round = 1; round < 4; round++)
    for (uint32_t i = 0; i < n; i++) step(context, streams[i], buffer + 4 * BLOCK * i, i + round);
  CHECK(qsmContextSynchronize(context, LONG));
  read_words(context, buffer, words, BLOCK * n);
  for (uint32_t i = 0; i < BLOCK * n; i++) {
    uint32_t which = i / BLOCK;
    assert_int_equal(words[i], 9 * (which + 1) + 3 * (which + 2) + which + 3);
  }
  CHECK(qsmStreamDestroy(streams[0]));
  CHECK(qsmStreamCreate(context, &more));
  mark(more, 7, 0);
  CHECK(qsmStreamSynchronize(more, LONG));
  assert_string_equal(marks(), "7");
}

// R-ST-2.
static void there_are_more_contexts_than_slots(void **state) {
  (void)state;
  enum { MOST = 8 };
  uint32_t n =
      qsmDeviceConfig(device)->cmd_channels < MOST ? qsmDeviceConfig(device)->cmd_channels : MOST;
  qsmContext_t contexts[MOST] = {context}, more = NULL;
  uint32_t buffers[MOST], words[BLOCK];
  for (uint32_t i = 1; i < n; i++) contexts[i] = new_context();
  if (n == qsmDeviceConfig(device)->cmd_channels)
    EXPECT(qsmContextCreateOnChannels(device, MEMORY, &more), qsmErrorNoChannel,
           "as many contexts are there already");
  for (uint32_t i = 0; i < n; i++) {
    buffers[i] = allocate(contexts[i], sizeof words);
    step(contexts[i], NULL, buffers[i], i);
    step(contexts[i], NULL, buffers[i], 5);
  }
  CHECK(qsmDeviceSynchronize(device, LONG));
  for (uint32_t i = 0; i < n; i++) {
    assert_int_equal(qsmContextSlot(contexts[i]), UINT32_MAX);
    read_words(contexts[i], buffers[i], words, BLOCK);
    assert_int_equal(words[BLOCK - 1], 3 * i + 5);
  }
}

// R-ST-7: the ring has 256 places.
static void a_thousand_launches_go_through_a_ring(void **state) {
  (void)state;
  qsmStream_t stream = new_stream(context);
  uint32_t buffer = allocate(context, 4 * BLOCK), words[BLOCK], expected = 0;
  CHECK(qsmMemsetAsync(context, buffer, 0, sizeof words, stream));
  for (uint32_t i = 0; i < 1000; i++) {
    step(context, stream, buffer, i);
    expected = 3 * expected + i;
  }
  CHECK(qsmStreamSynchronize(stream, LONG));
  read_words(context, buffer, words, BLOCK);
  for (uint32_t i = 0; i < BLOCK; i++) assert_int_equal(words[i], expected);
}

// ---- Callbacks ----

struct chain {
  qsmStream_t stream;
  uint32_t n_left, n_ended;
  qsmError_t full;
  char text[200];
  uint32_t cause;
};

static void next_of_chain(void *user, const qsmLaunchResult *result) {
  struct chain *chain = user;
  const uint32_t args[] = {list, chain->n_left, 0};
  assert_false(result->killed);
  chain->n_ended++;
  if (chain->n_left == 0) return;
  chain->n_left--;
  CHECK(launch_in(context, chain->stream, "mark", args, 3, next_of_chain, chain));
}

// R-ST-16.
static void callbacks_come_in_order_and_may_launch(void **state) {
  (void)state;
  struct chain chain = {.stream = new_stream(context), .n_left = 4};
  const uint32_t args[] = {list, 9, 0};
  CHECK(launch_in(context, chain.stream, "mark", args, 3, next_of_chain, &chain));
  CHECK(qsmStreamSynchronize(chain.stream, LONG));
  assert_int_equal(chain.n_ended, 5);
  assert_string_equal(marks(), "9 4 3 2 1");
}

static void fill_ring(void *user, const qsmLaunchResult *result) {
  struct chain *chain = user;
  const uint32_t args[] = {list, 1, 0};
  (void)result;
  chain->n_ended++;
  while (!chain->full) chain->full = launch_in(context, chain->stream, "mark", args, 3, NULL, NULL);
  snprintf(chain->text, sizeof chain->text, "%s", qsmGetLastErrorText(device));
}

// R-ST-7.
static void a_full_ring_in_a_callback_is_an_error(void **state) {
  (void)state;
  struct chain chain = {.stream = new_stream(context)};
  const uint32_t args[] = {list, 0, 0};
  CHECK(launch_in(context, chain.stream, "mark", args, 3, fill_ring, &chain));
  CHECK(qsmStreamSynchronize(chain.stream, LONG));
  assert_int_equal(chain.full, qsmErrorBusy);
  assert_non_null(strstr(chain.text, "its ring is full, and no time passes in a callback"));
  uint32_t words[1];
  read_words(context, list, words, 1);
  assert_int_equal(words[0], 1 + 127);  // two commands each, one place stays empty
}

// R-ST-7, R-ST-15: a record and a wait that find the ring full, while callbacks fill it, too.
static void records_and_waits_take_their_turn_in_a_full_ring(void **state) {
  (void)state;
  qsmStream_t stream = new_stream(context), other = new_stream(context);
  struct chain chains[] = {{.stream = stream, .n_left = 20}, {.stream = other, .n_left = 20}};
  qsmEvent_t from = new_event(context), to = new_event(context);
  const uint32_t args[] = {list, 0, 0};
  CHECK(qsmEventRecord(from, stream));
  for (uint32_t i = 0; i < 2; i++)
    for (uint32_t n = 0; n < 100; n++)
      CHECK(launch_in(context, chains[i].stream, "mark", args, 3, n < 4 ? next_of_chain : NULL,
                      &chains[i]));
  for (uint32_t n = 0; n < 60; n++) {
    CHECK(qsmEventRecord(to, stream));
    CHECK(qsmStreamWaitEvent(other, to));
    CHECK(launch_in(context, stream, "mark", args, 3, NULL, NULL));
    CHECK(launch_in(context, other, "mark", args, 3, NULL, NULL));
  }
  CHECK(qsmEventSynchronize(to, LONG));
  assert_true(cycles(from, to) > 0);
  CHECK(qsmContextSynchronize(context, LONG));
  assert_int_equal(read_word(context, list), 2 * (100 + 20 + 60));
}

static void note_cause(void *user, const qsmLaunchResult *result) {
  struct chain *chain = user;
  chain->n_ended++;
  chain->cause = result->killed ? result->cause : UINT32_MAX;
}

// ---- Faults, kills, limits ----

// R-ST-10, R-ST-16.
static void a_fault_ends_its_stream_and_no_other(void **state) {
  (void)state;
  qsmStream_t bad = new_stream(context), good = new_stream(context);
  qsmEvent_t behind = new_event(context), before = new_event(context);
  uint32_t buffer = allocate(context, 4096);
  uint32_t copied = 77;
  struct chain killed = {0}, dropped = {0};
  const uint32_t args[] = {list, 8, 0};
  CHECK(qsmEventRecord(before, bad));
  mark(bad, 1, 0);
  CHECK(launch_in(context, bad, "illegal", &buffer, 1, note_cause, &killed));
  CHECK(launch_in(context, bad, "mark", args, 3, note_cause, &dropped));
  CHECK(qsmMemcpyAsync(context, &copied, qsmDevicePointer(list), 4, qsmMemcpyDeviceToHost, bad));
  CHECK(qsmEventRecord(behind, bad));
  CHECK(qsmStreamWaitEvent(good, behind));
  mark(good, 2, SPIN);
  CHECK(qsmStreamSynchronize(good, LONG));
  EXPECT(qsmStreamSynchronize(bad, LONG), qsmErrorKernelFault,
         "context 0, channel 1: cause 2 at PC 0x");
  assert_non_null(strstr(qsmGetLastErrorText(device), "thread 1 of block 0, value 0x00000000"));
  assert_true(killed.n_ended == 1 && killed.cause == qsmCauseIllegal);
  assert_true(dropped.n_ended == 1 && dropped.cause == qsmCauseNotStarted);
  assert_int_equal(copied, 77);
  int64_t n = 0;
  EXPECT(qsmEventCycles(before, behind, &n), qsmErrorInvalidValue, "was dropped");
  CHECK(qsmStreamSynchronize(bad, LONG));  // it was told
  mark(bad, 3, 0);
  CHECK(qsmStreamSynchronize(bad, LONG));
  assert_string_equal(marks(), "1 2 3");
}

// R-ST-10: the context's wait tells, too, once.
static void the_contexts_wait_tells_of_a_fault(void **state) {
  (void)state;
  uint32_t buffer = allocate(context, 4096);
  qsmStream_t bad = new_stream(context);
  CHECK(launch_in(context, bad, "illegal", &buffer, 1, NULL, NULL));
  CHECK(qsmStreamDestroy(bad));
  EXPECT(qsmContextSynchronize(context, LONG), qsmErrorKernelFault, "cause 2");
  CHECK(qsmContextSynchronize(context, LONG));
}

// R-ST-4, R-ST-16.
static void a_kill_ends_what_runs_and_drops_the_rest(void **state) {
  (void)state;
  qsmStream_t stream = new_stream(context);
  uint32_t word = allocate(context, 4);
  struct chain running = {0}, waiting = {0};
  const uint32_t args[] = {list, 1, 0};
  CHECK(qsmMemsetAsync(context, word, 0, 4, stream));
  CHECK(launch_in(context, stream, "endless", &word, 1, note_cause, &running));
  CHECK(launch_in(context, stream, "mark", args, 3, note_cause, &waiting));
  EXPECT(qsmStreamSynchronize(stream, NEVER), qsmErrorTimeout, "not at its end after 20000 cycles");
  CHECK(qsmContextKill(context));
  EXPECT(qsmContextSynchronize(context, LONG), qsmErrorKernelFault, "killed by the host");
  assert_true(running.n_ended == 1 && running.cause == qsmCauseHost);
  assert_true(waiting.n_ended == 1 && waiting.cause == qsmCauseHost);
  mark(stream, 2, 0);
  CHECK(qsmStreamSynchronize(stream, LONG));
  assert_string_equal(marks(), "2");
}

// R-ST-18.
static void a_launch_over_its_limit_is_killed(void **state) {
  (void)state;
  qsmStream_t stream = new_stream(context);
  uint32_t word = allocate(context, 4);
  CHECK(qsmContextSetLaunchLimit(context, 5000));
  CHECK(qsmMemsetAsync(context, word, 0, 4, stream));
  assert_endless(context, stream, word);
  EXPECT(qsmStreamSynchronize(stream, LONG), qsmErrorKernelFault,
         "context 0, channel 1: a launch took more than the limit of 5000 cycles and was killed");
  mark(stream, 1, 10);
  CHECK(qsmStreamSynchronize(stream, LONG));
  CHECK(qsmContextSetLaunchLimit(context, 0));
  assert_endless(context, stream, word);
  EXPECT(qsmStreamSynchronize(stream, NEVER), qsmErrorTimeout, "not at its end");
}

// R-ST-9.
static void a_stream_is_done_before_it_goes(void **state) {
  (void)state;
  qsmStream_t stream = new_stream(context);
  for (uint32_t i = 0; i < 4; i++) mark(stream, i, 50);
  CHECK(qsmStreamDestroy(stream));
  assert_int_equal(qsmStreamQuery(stream), qsmErrorInvalidHandle);
  assert_int_equal(qsmStreamDestroy(stream), qsmErrorInvalidHandle);
  const uint32_t args[] = {list, 9, 0};
  EXPECT(launch_in(context, stream, "mark", args, 3, NULL, NULL), qsmErrorInvalidHandle,
         "no such stream");
  CHECK(qsmContextSynchronize(context, LONG));
  assert_string_equal(marks(), "0 1 2 3");
}

// R-ST-4: while a launch of it never ends, one waits, and a copy is under way.
static void a_context_is_destroyed_while_its_streams_run(void **state) {
  (void)state;
  qsmContext_t doomed = new_context();
  qsmStream_t stream = new_stream(doomed);
  static uint8_t bytes[20000];
  uint32_t word = allocate(doomed, 4), buffer = allocate(doomed, sizeof bytes);
  CHECK(qsmMemsetAsync(doomed, word, 0, 4, stream));
  memset(bytes, 7, sizeof bytes);
  assert_endless(doomed, stream, word);
  mark_on(doomed, buffer, stream, 1, 0);
  CHECK(qsmMemcpyAsync(doomed, qsmDevicePointer(buffer), bytes, sizeof bytes, qsmMemcpyHostToDevice,
                       NULL));
  mark(NULL, 5, SPIN);
  qsmContextDestroy(doomed);
  assert_int_equal(qsmStreamQuery(stream), qsmErrorInvalidHandle);
  CHECK(qsmContextSynchronize(context, LONG));
  assert_string_equal(marks(), "5");
  qsmContext_t next = new_context();
  uint32_t all = allocate(next, sizeof bytes), words[sizeof bytes / 4];
  read_words(next, all, words, sizeof bytes / 4);
  for (uint32_t i = 0; i < sizeof bytes / 4; i++) assert_int_equal(words[i], 0);
}

// R-ST-4: in exclusive mode the front end stays at a launch that waits for the engine, so that its
// channel cannot be emptied before. What it has is given away when it can.
static void a_context_that_cannot_be_emptied_yet_keeps_what_it_has(void **state) {
  (void)state;
  qsmContext_t doomed = new_context(), next = NULL;
  qsmStream_t stream = new_stream(context);
  uint32_t word = allocate(context, 4), other = allocate(doomed, 4), channels[2] = {0};
  CHECK(qsmMemsetAsync(context, word, 0, 4, stream));
  CHECK(qsmMemsetAsync(doomed, other, 0, 4, NULL));
  CHECK(qsmDeviceSynchronize(device, LONG));
  assert_endless(context, stream, word);
  EXPECT(qsmStreamSynchronize(stream, NEVER), qsmErrorTimeout, "not at its end");
  assert_endless(doomed, NULL, other);
  qsmContextDestroy(doomed);
  for (uint32_t i = 0; i < 2; i++) {
    if (i) CHECK(qsmContextKill(context));
    if (i) EXPECT(qsmContextSynchronize(context, LONG), qsmErrorKernelFault, "killed by the host");
    CHECK(qsmContextCreateOnChannels(device, MEMORY, &next));
    qsmStream_t streams[QSM_MAX_CMD];
    while (qsmStreamCreate(next, &streams[channels[i]]) == qsmSuccess) channels[i]++;
    qsmContextDestroy(next);
  }
  assert_int_equal(channels[1], channels[0] + 1);
  mark(stream, 1, 0);
  CHECK(qsmStreamSynchronize(stream, LONG));
  assert_string_equal(marks(), "1");
}

// ---- A tenant that harms itself ----

static uint32_t read_register(uint32_t address) {
  uint32_t value = 0;
  CHECK(qsmRegisterRead(device, address, &value));
  return value;
}

static uint32_t ring_of(uint32_t channel) {
  return read_register(QSM_CH_BASE + QSM_CH_STRIDE * channel + QSM_CH_RING) & QSM_CH_RING_BASE_MASK;
}

// R-ST-5, R-ST-10, R-ST-19: rings and semaphores are the tenant's own memory. Whatever its kernels
// write there, others lose nothing, no wait hangs, and its streams can be used again.
static void garbage_in_a_ring_hurts_nobody_else(void **state) {
  (void)state;
  enum { RING_WORDS = 2048, ALL_WORDS = 3072, ROUNDS = 12 };
  qsmContext_t hostile = new_context();
  qsmStream_t first = new_stream(hostile);
  uint32_t buffer = allocate(context, 4 * BLOCK), words[BLOCK], expected = 0;
  uint32_t n_wrong = 0;
  CHECK(qsmMemsetAsync(context, buffer, 0, sizeof words, NULL));
  for (uint32_t round = 0; round < ROUNDS; round++) {
    uint32_t ring = ring_of(1);
    const uint32_t args[] = {ring, round % 2 ? RING_WORDS : ALL_WORDS, 77 * round + 1};
    CHECK(launch_in(hostile, first, "garbage", args, 3, NULL, NULL));
    for (uint32_t i = 0; i < 4; i++)
      CHECK(launch_in(hostile, first, "step", (uint32_t[]){ring + 4096, i}, 2, NULL, NULL));
    step(context, NULL, buffer, round);
    expected = 3 * expected + round;
    CHECK(qsmContextSynchronize(context, LONG));
    qsmError_t error = qsmStreamSynchronize(first, LONG);
    n_wrong += error != qsmSuccess;
    assert_true(error == qsmSuccess || error == qsmErrorInvalidLaunch ||
                error == qsmErrorKernelFault);
  }
  assert_true(n_wrong > 0);
  read_words(context, buffer, words, BLOCK);
  for (uint32_t i = 0; i < BLOCK; i++) assert_int_equal(words[i], expected);
  uint32_t at = allocate(hostile, 4 * BLOCK);
  CHECK(qsmMemsetAsync(hostile, at, 0, sizeof words, first));
  step(hostile, first, at, 5);
  CHECK(qsmStreamSynchronize(first, LONG));
  read_words(hostile, at, words, BLOCK);
  assert_int_equal(words[0], 5);
}

// ---- A tenant that uses the port all the time ----

static uint32_t commands_done(uint32_t channel) {
  return read_register(QSM_CH_BASE + QSM_CH_STRIDE * channel + QSM_CH_DONE);
}

// Copies 256 bytes, and marks six times behind them. Returns where the bytes are.
static uint32_t submit_some(void) {
  static const uint8_t bytes[256] = {1, 2, 3};
  uint32_t to = allocate(context, sizeof bytes);
  CHECK(qsmMemsetAsync(context, list, 0, 4, NULL));
  CHECK(qsmMemcpyAsync(context, qsmDevicePointer(to), bytes, sizeof bytes, qsmMemcpyHostToDevice,
                       NULL));
  for (uint32_t i = 0; i < 6; i++) mark(NULL, i, 0);
  return to;
}

// Cycles until channel 0 has done so many commands. One access in 64 cycles looks; with `put` the
// others write it as that of channel 1.
static uint64_t cycles_of(uint32_t n_commands, const uint32_t *put) {
  enum { SOME = 64 };
  uint64_t begin = qsmDeviceCycle(device);
  while (commands_done(0) != n_commands) {
    uint64_t from = qsmDeviceCycle(device);
    assert_true(from - begin < LONG);
    if (!put) CHECK(qsmDeviceRunUntil(device, from + SOME));
    while (qsmDeviceCycle(device) < from + SOME)
      CHECK(qsmRegisterWrite(device, QSM_PAGE_BASE + QSM_PAGE_STRIDE + QSM_PAGE_PUT, *put));
  }
  return qsmDeviceCycle(device) - begin;
}

// R-FR-27, R-CP-13: a tenant has its page, and the port as often as it likes. It writes its PUT in
// every access. Another's commands are done all the same; what they take is the front end's time,
// of which an access has a cycle of two at most, and turns in which the hostile ring is empty.
static void a_put_in_every_access_stops_nobody(void **state) {
  (void)state;
  qsmContext_t hostile = new_context();
  qsmStream_t other = new_stream(hostile);
  uint32_t at = allocate(hostile, 4 * BLOCK), words[BLOCK];
  CHECK(qsmMemsetAsync(hostile, at, 0, sizeof words, other));
  CHECK(qsmStreamSynchronize(other, LONG));
  uint32_t done = commands_done(0);
  submit_some();
  CHECK(qsmContextSynchronize(context, LONG));
  uint32_t put = read_register(QSM_PAGE_BASE + QSM_PAGE_STRIDE + QSM_PAGE_PUT);
  uint32_t n = commands_done(0) - done;
  assert_true(n >= 7 && put > 0);
  uint64_t cycles[2];
  for (uint32_t i = 0; i < 2; i++) {
    done = commands_done(0);
    uint32_t to = submit_some();
    cycles[i] = cycles_of(done + n, i ? &put : NULL);
    CHECK(qsmContextSynchronize(context, LONG));
    assert_string_equal(marks(), "0 1 2 3 4 5");
    assert_int_equal(read_word(context, to), 0x030201);
  }
  assert_in_range(cycles[1], cycles[0], 2 * cycles[0]);
  step(hostile, other, at, 5);
  CHECK(qsmStreamSynchronize(other, LONG));
  read_words(hostile, at, words, BLOCK);
  assert_int_equal(words[0], 5);
}

// R-ST-13, R-ST-19: a kernel brings ring and semaphores into the L2, so that releases stay there.
// The wait ends all the same.
static void a_semaphore_in_the_l2_is_found(void **state) {
  (void)state;
  qsmStream_t stream = new_stream(context);
  uint32_t sums = allocate(context, 4 * BLOCK);
  const uint32_t args[] = {ring_of(1) + 256 * 32, 64 * 4, sums};
  qsmEvent_t from = new_event(context), to = new_event(context);
  CHECK(launch_in(context, stream, "touch", args, 3, NULL, NULL));
  CHECK(qsmEventRecord(from, stream));
  for (uint32_t i = 0; i < 4; i++) mark(stream, i, SPIN);
  CHECK(qsmEventRecord(to, stream));
  CHECK(qsmStreamSynchronize(stream, LONG));
  assert_true(cycles(from, to) > 4 * SPIN);
  assert_string_equal(marks(), "0 1 2 3");
}

// R-ST-10, R-ST-13: the host says that what is dropped has ended, and others must see it.
static void what_waits_for_a_dropped_event_in_the_l2_goes_on(void **state) {
  (void)state;
  qsmStream_t bad = new_stream(context), good = new_stream(context);
  qsmEvent_t event = new_event(context);
  uint32_t sums = allocate(context, 4 * BLOCK);
  const uint32_t args[] = {ring_of(1) + 256 * 32, 64 * 4, sums};
  CHECK(launch_in(context, bad, "touch", args, 3, NULL, NULL));
  CHECK(launch_in(context, bad, "illegal", &sums, 1, NULL, NULL));
  CHECK(qsmEventRecord(event, bad));
  CHECK(qsmStreamWaitEvent(good, event));
  mark(good, 1, 0);
  CHECK(qsmStreamSynchronize(good, LONG));
  EXPECT(qsmStreamSynchronize(bad, LONG), qsmErrorKernelFault, "cause 2");
  assert_string_equal(marks(), "1");
}

// ---- Copies ----

static void fill_randomly(uint8_t *bytes, size_t n) {
  for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)any();
}

enum { AREA = 6000, LONGEST = 700 };

struct area {
  uint32_t address;
  uint8_t bytes[AREA];  // what must be there
};

static uint8_t host[AREA], seen[AREA];

// One copy or fill at any offset, in order; the reference is done at once.
static void random_transfer(qsmStream_t stream, struct area *areas, uint8_t *pinned) {
  struct area *a = &areas[any() % 2], *b = &areas[any() % 2];
  size_t n = any() % 5 ? any() % 70 : any() % LONGEST, at = any() % (AREA - LONGEST),
         from = any() % (AREA - LONGEST);
  uint8_t *memory = any() % 2 ? pinned : host;
  int value = (int)any();
  switch (any() % 4) {
    case 0:
      if (memory == pinned) CHECK(qsmStreamSynchronize(stream, LONG));  // copies may still read it
      fill_randomly(memory + from, n);
      CHECK(qsmMemcpyAsync(context, qsmDevicePointer(a->address + (uint32_t)at), memory + from, n,
                           qsmMemcpyHostToDevice, stream));
      memcpy(a->bytes + at, memory + from, n);
      if (memory != pinned) memset(memory + from, 0, n);  // it may be used again at once
      break;
    case 1:
      CHECK(qsmMemcpyAsync(context, memory + at, qsmDevicePointer(a->address + (uint32_t)from), n,
                           qsmMemcpyDeviceToHost, stream));
      memset(memory + at, 0xEE, n);
      CHECK(qsmStreamSynchronize(stream, LONG));
      assert_memory_equal(memory + at, a->bytes + from, n);
      break;
    case 2:
      if (a == b) break;  // areas do not overlap
      CHECK(qsmMemcpyAsync(context, qsmDevicePointer(a->address + (uint32_t)at),
                           qsmDevicePointer(b->address + (uint32_t)from), n,
                           qsmMemcpyDeviceToDevice, stream));
      memcpy(a->bytes + at, b->bytes + from, n);
      break;
    default:
      CHECK(qsmMemsetAsync(context, a->address + (uint32_t)at, value, n, stream));
      memset(a->bytes + at, value, n);
      break;
  }
}

// R-ST-11, R-ST-12, R-ST-13.
static void copies_of_any_offset_and_size_arrive(void **state) {
  (void)state;
  static struct area areas[2];
  void *pinned = NULL;
  qsmStream_t stream = new_stream(context);
  CHECK(qsmMallocHost(context, AREA, &pinned));
  for (uint32_t i = 0; i < 2; i++) {
    areas[i].address = allocate(context, AREA);
    fill_randomly(areas[i].bytes, AREA);
    CHECK(qsmMemcpy(context, qsmDevicePointer(areas[i].address), areas[i].bytes, AREA,
                    qsmMemcpyHostToDevice));
  }
  for (uint32_t i = 0; i < 300; i++) random_transfer(stream, areas, pinned);
  CHECK(qsmStreamSynchronize(stream, LONG));
  for (uint32_t i = 0; i < 2; i++) {
    CHECK(qsmMemcpyDtoH(context, seen, areas[i].address, AREA));
    assert_memory_equal(seen, areas[i].bytes, AREA);
  }
  CHECK(qsmFreeHost(context, pinned));
}

// R-ST-11: larger than the host window, both ways; and while two streams share it.
static void a_copy_may_be_larger_than_the_host_window(void **state) {
  (void)state;
  enum { LARGE = 400000 };
  uint8_t *there = malloc(LARGE), *back = calloc(1, LARGE);
  qsmStream_t a = new_stream(context), b = new_stream(context);
  uint32_t address = allocate(context, LARGE);
  fill_randomly(there, LARGE);
  CHECK(qsmMemcpyAsync(context, qsmDevicePointer(address), there, LARGE / 2, qsmMemcpyHostToDevice,
                       a));
  CHECK(qsmMemcpyAsync(context, qsmDevicePointer(address + LARGE / 2), there + LARGE / 2, LARGE / 2,
                       qsmMemcpyHostToDevice, b));
  CHECK(qsmContextSynchronize(context, LONG));
  CHECK(qsmMemcpyAsync(context, back, qsmDevicePointer(address), LARGE, qsmMemcpyDeviceToHost, a));
  CHECK(qsmStreamSynchronize(a, LONG));
  assert_memory_equal(there, back, LARGE);
  free(there);
  free(back);
}

// R-ST-11, R-ST-13: with a kernel between, in one stream, again and again; behind an L2 the copies
// see what it stored, and it what they wrote.
static void copies_and_kernels_of_a_stream_see_each_other(void **state) {
  (void)state;
  qsmStream_t stream = new_stream(context);
  uint32_t buffer = allocate(context, 4 * BLOCK), in[BLOCK], out[12][BLOCK];
  for (uint32_t round = 0; round < 12; round++) {
    for (uint32_t i = 0; i < BLOCK; i++) in[i] = 100 * round + i;
    CHECK(qsmMemcpyAsync(context, qsmDevicePointer(buffer), in, sizeof in, qsmMemcpyHostToDevice,
                         stream));
    step(context, stream, buffer, round);
    step(context, stream, buffer, 1);
    CHECK(qsmMemcpyAsync(context, out[round], qsmDevicePointer(buffer), sizeof in,
                         qsmMemcpyDeviceToHost, stream));
  }
  CHECK(qsmStreamSynchronize(stream, LONG));
  for (uint32_t round = 0; round < 12; round++)
    for (uint32_t i = 0; i < BLOCK; i++)
      assert_int_equal(out[round][i], 3 * (3 * (100 * round + i) + round) + 1);
}

// Issue of copies beside kernels: R-ST-5, R-ST-11.
static void a_copy_runs_beside_a_kernel(void **state) {
  (void)state;
  static uint8_t bytes[8192];
  qsmStream_t streams[] = {new_stream(context), new_stream(context)};
  qsmEvent_t times[4];
  uint32_t buffer = allocate(context, sizeof bytes);
  for (uint32_t i = 0; i < 4; i++) times[i] = new_event(context);
  CHECK(qsmEventRecord(times[0], streams[0]));
  mark(streams[0], 1, 2 * SPIN);
  CHECK(qsmEventRecord(times[1], streams[0]));
  CHECK(qsmEventRecord(times[2], streams[1]));
  CHECK(qsmMemcpyAsync(context, qsmDevicePointer(buffer), bytes, sizeof bytes,
                       qsmMemcpyHostToDevice, streams[1]));
  CHECK(qsmEventRecord(times[3], streams[1]));
  CHECK(qsmContextSynchronize(context, LONG));
  assert_true(cycles(times[0], times[3]) > 0 && cycles(times[2], times[1]) > 0);
}

// R-ST-14: a link of a tenth takes about ten times as long.
static void the_links_bandwidth_shows(void **state) {
  (void)state;
  static uint8_t bytes[16384];
  static const char *const edits[] = {"s/^link_mbytes_s:.*/link_mbytes_s: 600/",
                                      "s/^link_mbytes_s:.*/link_mbytes_s: 60/"};
  int64_t took[2];
  for (uint32_t i = 0; i < 2; i++) {
    char path[CONFIG_PATH_BYTES];
    change_config("tiny", edits[i], path);
    open_on("model", path, 1, qsmChannelsExclusive);
    context = new_context();
    qsmEvent_t from = new_event(context), to = new_event(context);
    uint32_t buffer = allocate(context, sizeof bytes);
    CHECK(qsmEventRecord(from, NULL));
    CHECK(qsmMemcpyAsync(context, qsmDevicePointer(buffer), bytes, sizeof bytes,
                         qsmMemcpyHostToDevice, NULL));
    CHECK(qsmEventRecord(to, NULL));
    CHECK(qsmContextSynchronize(context, LONG));
    took[i] = cycles(from, to);
    // Bytes over bytes per cycle, at 75 MHz.
    double least = sizeof bytes * 75.0 / (i ? 60 : 600);
    assert_true(took[i] > 0.99 * least && (i == 0 || took[i] < 1.1 * least));
    qsmDeviceClose(device);
  }
}

// ---- Settings ----

static uint32_t slot_of(uint32_t channel) {
  for (uint32_t slot = 0; slot < qsmDeviceConfig(device)->num_kernels; slot++) {
    uint32_t word = read_register(QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + QSM_SLOT_CHANNEL);
    if ((word & QSM_SLOT_CHANNEL_BOUND_MASK) && (word & QSM_SLOT_CHANNEL_OWNER_MASK) == channel)
      return slot;
  }
  fail_msg("channel %u has no slot", channel);
  return 0;
}

static uint32_t slot_register(uint32_t channel, uint32_t offset) {
  return read_register(QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot_of(channel) + offset);
}

// R-ST-3: before a launch, while one runs, and afterwards.
static void settings_reach_the_slot_of_a_stream(void **state) {
  (void)state;
  qsmStream_t stream = new_stream(context);
  uint32_t word = allocate(context, 4);
  CHECK(qsmSetQoS(context, 2 << 16));
  CHECK(qsmSetBudget(context, 3));
  CHECK(qsmMemsetAsync(context, word, 0, 4, stream));
  assert_endless(context, stream, word);
  EXPECT(qsmStreamSynchronize(stream, NEVER), qsmErrorTimeout, "not at its end");
  assert_int_equal(slot_register(1, QSM_SLOT_GOAL), 2 << 16);
  assert_int_equal(slot_register(1, QSM_SLOT_BUDGET), 3);
  assert_int_equal(slot_register(1, QSM_SLOT_CTX), 3);
  CHECK(qsmSetQoS(context, 1 << 16));
  CHECK(qsmSetBudget(context, 5));
  EXPECT(qsmSetQoS(context, 0), qsmErrorBusy, "cannot change between QoS and non-QoS");
  EXPECT(qsmSetIdempotent(context, true), qsmErrorBusy, "launches are pending");
  EXPECT(qsmModuleLoad(context, program_path("k.elf")), qsmErrorBusy, "launches are pending");
  EXPECT(qsmSetThreadLimit(context, 0 + 100 * 4 / 100), qsmErrorInvalidValue, "less than a warp");
  assert_int_equal(slot_register(1, QSM_SLOT_GOAL), 1 << 16);
  assert_int_equal(slot_register(1, QSM_SLOT_BUDGET), 5);
  let_go(context, word);
  CHECK(qsmContextSynchronize(context, LONG));
  CHECK(qsmSetQoS(context, 0));
  CHECK(qsmSetCachePolicy(context, qsmCacheSkipL2));
  mark(stream, 1, 0);
  CHECK(qsmContextSynchronize(context, LONG));
  assert_int_equal(slot_register(1, QSM_SLOT_GOAL), 0);
  assert_int_equal(slot_register(1, QSM_SLOT_CTX), 1);
  assert_int_equal(slot_register(1, QSM_SLOT_CACHE_POLICY), qsmCacheSkipL2);
  assert_string_equal(marks(), "1");
  CHECK(qsmModuleLoad(context, program_path("k.elf")));  // another program in the same slot
  CHECK(launch_in(context, stream, "fill", &list, 1, NULL, NULL));
  CHECK(qsmContextSynchronize(context, LONG));
  assert_int_equal(read_word(context, list + 4), 1);
}

// ---- Masks and policies of single launches (R-ST-23) ----

static qsmError_t launch_on(qsmContext_t of, qsmStream_t stream, const char *kernel,
                            const uint32_t *args, uint32_t n_args, qsmSmMask mask) {
  const qsmLaunch what = {.kernel = kernel,
                          .grid = {4, 1, 1},
                          .block = block,
                          .args = args,
                          .n_args = n_args,
                          .stream = stream,
                          .sm_mask = mask};
  return qsmLaunchKernelEx(of, &what, NULL, NULL);
}

// SMs on which the channel's slot has blocks.
static uint32_t sms_of(uint32_t channel) {
  uint32_t sms = 0, slot = slot_of(channel);
  for (uint32_t sm = 0; sm < qsmDeviceConfig(device)->num_sms; sm++) {
    CHECK(qsmRegisterWrite(device, QSM_REG_SM_SELECT, sm));
    uint32_t tbs = read_register(QSM_SMSEL_BASE + QSM_SMSEL_STRIDE * slot + QSM_SMSEL_TBS);
    sms |= (uint32_t)((tbs & QSM_SMSEL_TBS_RESIDENT_MASK) != 0) << sm;
  }
  return sms;
}

static void await_blocks(void) { CHECK(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 4000)); }

// R-ST-23: each launch of one stream where its own mask says, in their order, and the context's
// where it has none.
static void masks_of_launches_in_a_stream_are_their_own(void **state) {
  (void)state;
  static const struct {
    qsmSmMask own;
    uint32_t sms;
  } launches[] = {{2, 2}, {5, 5}, {0, 7}, {8, 8}, {15, 15}, {0, 7}, {0, 7}};
  enum { N = sizeof launches / sizeof launches[0] };
  qsmStream_t stream = new_stream(context);
  uint32_t words = allocate(context, 4 * N);
  CHECK(qsmSetSmMask(context, 7));
  CHECK(qsmMemsetAsync(context, words, 0, 4 * N, stream));
  for (uint32_t i = 0; i < N; i++) {
    const uint32_t word = words + 4 * i;
    CHECK(launch_on(context, stream, "endless", &word, 1, launches[i].own));
    mark(stream, i, 0);
  }
  for (uint32_t i = 0; i < N; i++) {
    await_blocks();
    assert_int_equal(sms_of(1), launches[i].sms);
    let_go(context, words + 4 * i);
  }
  CHECK(qsmContextSynchronize(context, LONG));
  assert_string_equal(marks(), "0 1 2 3 4 5 6");
}

// R-ST-23: masks of two streams that have an SM in common: both are there at a time.
static void masks_of_two_streams_may_overlap(void **state) {
  (void)state;
  qsmStream_t a = new_stream(context), b = new_stream(context);
  uint32_t word = allocate(context, 4);
  CHECK(qsmMemsetAsync(context, word, 0, 4, NULL));
  CHECK(qsmContextSynchronize(context, LONG));
  CHECK(launch_on(context, a, "endless", &word, 1, 3));
  CHECK(launch_on(context, b, "endless", &word, 1, 6));
  await_blocks();
  assert_int_equal(sms_of(1), 3);
  assert_int_equal(sms_of(2), 6);
  let_go(context, word);
  CHECK(qsmContextSynchronize(context, LONG));
}

// Cycles of the dispatcher, from events: of each launch the first cycle of START, the dispatch of
// its first block, and its end.
enum { MOST_TIMES = 64 };
static struct {
  uint64_t start[MOST_TIMES], first[MOST_TIMES], end[MOST_TIMES];
  uint32_t n_starts, n_firsts, n_ends;
} times_of;

static void note_times(void *user, const struct qsm_event *event) {
  (void)user;
  if (event->kind == QSM_EV_CHANNEL && event->word[0] == QSM_FRONT_START &&
      times_of.n_starts < MOST_TIMES)
    times_of.start[times_of.n_starts++] = event->cycle;
  if (event->kind == QSM_EV_DISPATCH && event->word[3] == 0 && times_of.n_firsts < MOST_TIMES)
    times_of.first[times_of.n_firsts++] = event->cycle;
  if (event->kind == QSM_EV_END && event->word[0] != 0 && times_of.n_ends < MOST_TIMES)
    times_of.end[times_of.n_ends++] = event->cycle;
}

static void open_with_times(const char *backend, const char *config) {
  char msg[256] = "";
  const struct qsm_backend_options options = {.state_interval = 2000, .sink = note_times};
  if (qsmDeviceOpen(backend, config, &options, &device, msg, sizeof msg)) fail_msg("%s", msg);
  CHECK(qsmDeviceUseChannels(device, SLOTS, qsmChannelsConcurrent));
  context = new_context();
  list = new_list(context);
}

// R-TB-6, R-TB-8: a run for one kernel alone, no target of which is reduced. Its first round is by
// the one mask, the others are by the other one.
static uint32_t allocator_cycles(qsmSmMask first, qsmSmMask then) {
  const struct qsm_config *c = qsmDeviceConfig(device);
  const uint32_t warps = (BLOCK + c->warp_size - 1) / c->warp_size;
  const uint32_t blocks = c->warps_per_sm / warps;
  const uint32_t target = blocks < c->max_tbs ? blocks : c->max_tbs;
  qsmSmMask left = ((qsmSmMask)1 << c->num_sms) - 1, mask = first;
  uint32_t n = 0;
  while (left) {
    const bool assigned = left & -left & mask;
    n += assigned ? 3 + target : 2;
    left &= assigned ? ~mask : mask;
    mask = then;
  }
  return n;
}

// R-FR-29: cycles that a launch waits for targets, which each word of its mask that changes asks
// for.
static uint32_t wait_for_targets(qsmSmMask from, qsmSmMask to) {
  enum { HIDDEN = 15, WORD = 3 };  // from the write of the first word to the first dispatch
  const qsmSmMask low = UINT32_MAX, first = (from & ~low) | (to & low);
  uint32_t n = allocator_cycles(to, to), hidden = HIDDEN;
  if (first == from)
    hidden -= WORD;
  else if (first != to)
    n += allocator_cycles(first, to) + 1;
  return n > hidden ? n - hidden : 0;
}

struct launch_times {
  uint64_t to_first, most_to_first, gaps;  // of START to the first block; of ends to first blocks
};

// Launches queued back to back, each with one of two masks and policies. (A first one is left out.)
static struct launch_times time_launches(qsmStream_t stream, const qsmSmMask masks[2],
                                         const qsmCachePolicy policies[2]) {
  enum { N = 9 };
  struct launch_times sum = {0};
  const uint32_t args[] = {list, 1, 20};
  memset(&times_of, 0, sizeof times_of);
  for (uint32_t i = 0; i < N; i++) {
    CHECK(qsmSetCachePolicy(context, policies[i % 2]));
    CHECK(launch_on(context, stream, "mark", args, 3, masks[i % 2]));
  }
  CHECK(qsmStreamSynchronize(stream, LONG));
  assert_true(times_of.n_starts == N && times_of.n_firsts == N && times_of.n_ends == N);
  for (uint32_t i = 1; i < N; i++) {
    uint64_t to_first = times_of.first[i] - times_of.start[i];
    sum.to_first += to_first;
    if (to_first > sum.most_to_first) sum.most_to_first = to_first;
    sum.gaps += times_of.first[i] - times_of.end[i - 1];
  }
  sum.to_first /= N - 1;
  sum.gaps /= N - 1;
  return sum;
}

// R-FR-29, R-ST-23: what a mask and a policy of a launch's own cost at the dispatcher.
static void changing_masks_cost_what_the_page_says_on(const char *backend, const char *config) {
  enum { OWN = 12 };  // four registers
  static const qsmSmMask none[] = {0, 0}, same[] = {2, 2};
  static const qsmCachePolicy s0[] = {qsmCacheUseAll, qsmCacheUseAll},
                              s1[] = {qsmCacheSkipL1, qsmCacheSkipL1},
                              both[] = {qsmCacheSkipL1, qsmCacheSkipL2};
  open_with_times(backend, config);
  qsmStream_t stream = new_stream(context);
  const struct launch_times plain = time_launches(stream, none, s0),
                            own = time_launches(stream, same, s1);
  printf("# %s %s: START to the first block %" PRIu64 " cycles, %" PRIu64
         " with own settings; gaps %" PRIu64 ", %" PRIu64 "\n",
         backend, config, plain.to_first, own.to_first, plain.gaps, own.gaps);
  assert_int_equal(own.most_to_first, plain.most_to_first + OWN);
  assert_int_equal(own.to_first, plain.to_first + OWN);
  const qsmSmMask all = ((qsmSmMask)1 << qsmDeviceConfig(device)->num_sms) - 1;
  const qsmSmMask last = all & ~(all >> 1);
  const qsmSmMask others[][2] = {
      {2, 5}, {2, all & UINT32_MAX}, {2, all}, {2, (all & UINT32_MAX) | last}, {2, 2 | last}};
  for (uint32_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    const struct launch_times changing = time_launches(stream, others[i], both);
    const uint32_t to[] = {wait_for_targets(others[i][1], others[i][0]),
                           wait_for_targets(others[i][0], others[i][1])};
    const uint64_t bound = plain.most_to_first + OWN + (to[0] > to[1] ? to[0] : to[1]);
    printf("#   mean %" PRIu64 ", most %" PRIu64 ", page %" PRIu64
           " where they change; gaps %" PRIu64 "\n",
           changing.to_first, changing.most_to_first, bound, changing.gaps);
    assert_int_equal(changing.most_to_first, bound);
    assert_int_equal(changing.to_first, plain.to_first + OWN + (to[0] + to[1]) / 2);
  }
  qsmDeviceClose(device);
}

static void changing_masks_cost_what_the_page_says(void **state) {
  changing_masks_cost_what_the_page_says_on("model", *state);
}

static void changing_masks_cost_what_the_page_says_in_lockstep(void **state) {
  changing_masks_cost_what_the_page_says_on("lockstep", *state);
}

// R-ST-23: a policy is the launch's that was submitted under it; no command goes before it.
static void a_cache_policy_goes_along_with_its_launch(void **state) {
  (void)state;
  static const qsmCachePolicy policies[] = {qsmCacheSkipL2, qsmCacheUseAll, qsmCacheSkipL1,
                                            qsmCacheUseAll, qsmCacheUseAll, qsmCacheSkipL2};
  enum { N = sizeof policies / sizeof policies[0] };
  qsmStream_t stream = new_stream(context);
  uint32_t words = allocate(context, 4 * N);
  CHECK(qsmMemsetAsync(context, words, 0, 4 * N, stream));
  CHECK(qsmStreamSynchronize(stream, LONG));
  uint32_t get = read_register(QSM_PAGE_BASE + QSM_PAGE_STRIDE + QSM_PAGE_PUT);
  for (uint32_t i = 0; i < N; i++) {
    const uint32_t word = words + 4 * i;
    CHECK(qsmSetCachePolicy(context, policies[i]));
    CHECK(launch_in(context, stream, "endless", &word, 1, NULL, NULL));
  }
  assert_int_equal(read_register(QSM_PAGE_BASE + QSM_PAGE_STRIDE + QSM_PAGE_PUT), get + 2 * N);
  for (uint32_t i = 0; i < N; i++) {
    await_blocks();
    assert_int_equal(slot_register(1, QSM_SLOT_CACHE_POLICY), policies[i]);
    let_go(context, words + 4 * i);
  }
  CHECK(qsmContextSynchronize(context, LONG));
}

// R-ST-23.
static void masks_that_cannot_be_are_refused(void **state) {
  (void)state;
  qsmContext_t direct = NULL, bound = NULL;
  qsmStream_t stream = new_stream(context);
  const uint32_t args[] = {list, 1, 0}, n_sms = qsmDeviceConfig(device)->num_sms;
  char text[80];
  snprintf(text, sizeof text, "SM mask 0x%X: needs at least one of the %u SMs and no other",
           1u << n_sms, n_sms);
  EXPECT(launch_on(context, stream, "mark", args, 3, (qsmSmMask)1 << n_sms), qsmErrorInvalidValue,
         text);
  EXPECT(launch_on(context, stream, "mark", args, 3, (qsmSmMask)1 << 127 | 1), qsmErrorInvalidValue,
         "SM mask 0x80000000000000000000000000000001");
  EXPECT(qsmContextAllowLaunchMasks(context, false), qsmErrorBusy, "before its first stream");
  CHECK(qsmStreamQuery(stream));
  assert_string_equal(marks(), "");
  CHECK(qsmContextCreateOnChannels(device, 5 << 16, &bound));
  CHECK(qsmModuleLoad(bound, program_path("streams.elf")));
  EXPECT(launch_on(bound, new_stream(bound), "mark", args, 3, 1), qsmErrorStream,
         "kernel mark: context 1 may not choose SMs of its own (qsmContextAllowLaunchMasks)");
  CHECK(qsmContextCreate(device, &direct));
  EXPECT(qsmContextAllowLaunchMasks(direct, true), qsmErrorStream, "on command channels");
  CHECK(qsmModuleLoad(direct, program_path("streams.elf")));
  EXPECT(launch_on(direct, NULL, "mark", args, 3, 1), qsmErrorStream,
         "kernel mark: SMs of its own (qsmLaunch.sm_mask) are for launches in streams");
}

// R-ST-17: with one slot, whenever it is free.
static void streams_of_a_higher_priority_go_first(void **state) {
  (void)state;
  uint32_t least = 9, greatest = 9;
  qsmStream_t blocker = new_stream(context), low = new_stream(context), high = NULL;
  CHECK(qsmContextGetStreamPriorityRange(context, &least, &greatest));
  assert_true(least == 0 && greatest == 0);
  EXPECT(qsmContextSetMaxPriority(context, 4), qsmErrorInvalidValue, "priority 4, must be 0..3");
  CHECK(qsmContextSetMaxPriority(context, 2));
  CHECK(qsmContextGetStreamPriorityRange(context, NULL, &greatest));
  assert_int_equal(greatest, 2);
  CHECK(qsmStreamDestroy(low));
  CHECK(qsmStreamCreateWithPriority(context, &low, qsmStreamDefault, 0));
  CHECK(qsmStreamCreateWithPriority(context, &high, qsmStreamNonBlocking, 3));
  uint32_t ctrl = 0;
  for (uint32_t channel = 1; channel < 4; channel++)
    ctrl += read_register(QSM_CH_BASE + QSM_CH_STRIDE * channel + QSM_CH_CTRL) >>
            QSM_CH_CTRL_PRIORITY_SHIFT;
  assert_int_equal(ctrl, 2);  // cut to what the context may have
  mark(blocker, 0, SPIN);
  for (uint32_t i = 0; i < 3; i++) mark(low, 1, SPIN);
  for (uint32_t i = 0; i < 3; i++) mark(high, 2, SPIN);
  CHECK(qsmContextSynchronize(context, LONG));
  assert_string_equal(marks(), "0 2 2 2 1 1 1");
}

// R-ST-21: a launch of many blocks, and one of a higher priority behind it: how many of the blocks
// come after that one?
static uint32_t blocks_after_the_urgent(qsmStream_t low, qsmStream_t high) {
  enum { BLOCKS = 40 };
  const uint32_t slow[] = {list, 1, SPIN}, urgent[] = {list, 2, 0};
  uint32_t words[MARKS + 1], at = 0, n_slow = 0;
  CHECK(qsmMemsetAsync(context, list, 0, 4, low));
  CHECK(qsmStreamSynchronize(low, LONG));
  CHECK(qsmLaunchKernel(context, "mark", (qsmDim3){BLOCKS, 1, 1}, block, slow, 3, 0, low, NULL,
                        NULL));
  CHECK(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 4 * SPIN));
  CHECK(launch_in(context, high, "mark", urgent, 3, NULL, NULL));
  CHECK(qsmContextSynchronize(context, LONG));
  read_words(context, list, words, MARKS + 1);
  assert_int_equal(words[0], BLOCKS + 1);
  for (uint32_t i = 1; i <= BLOCKS + 1; i++) {
    n_slow += words[i] == 1;
    if (words[i] == 2) at = i;
  }
  assert_int_equal(n_slow, BLOCKS);  // each block once
  return BLOCKS + 1 - at;
}

static void a_slot_is_taken_back_for_a_higher_priority(void **state) {
  (void)state;
  qsmStream_t low = NULL, high = NULL;
  CHECK(qsmContextSetMaxPriority(context, 1));
  CHECK(qsmStreamCreateWithPriority(context, &low, qsmStreamNonBlocking, 0));
  CHECK(qsmStreamCreateWithPriority(context, &high, qsmStreamNonBlocking, 1));
  assert_int_equal(blocks_after_the_urgent(low, high), 0);
  CHECK(qsmSetTakeBack(device, true));
  assert_true(blocks_after_the_urgent(low, high) > 0);
  CHECK(qsmSetTakeBack(device, false));
  assert_int_equal(blocks_after_the_urgent(low, high), 0);
}

// R-ST-5, R-ST-20: kernels with stacks in two streams at a time, each with an area of its own,
// which grows.
static void streams_have_stacks_of_their_own(void **state) {
  (void)state;
  qsmStream_t streams[] = {new_stream(context), new_stream(context)};
  uint32_t buffers[6], words[BLOCK];
  static const char *const kernels[] = {"shallow", "deep", "shallow"};
  for (uint32_t i = 0; i < 6; i++) {
    buffers[i] = allocate(context, sizeof words);
    CHECK(launch_in(context, streams[i % 2], kernels[i / 2], &buffers[i], 1, NULL, NULL));
  }
  CHECK(qsmContextSynchronize(context, LONG));
  for (uint32_t i = 0; i < 6; i++) {
    read_words(context, buffers[i], words, BLOCK);
    for (uint32_t t = 0; t < BLOCK; t++)
      assert_int_equal(words[t], i / 2 == 1 ? 100 * t + 4950 : 4 * t + 6);
  }
  qsmStream_t stream = new_stream(context);
  uint32_t word = allocate(context, 4);
  CHECK(qsmMemsetAsync(context, word, 0, 4, stream));
  CHECK(launch_in(context, stream, "shallow", &buffers[0], 1, NULL, NULL));
  assert_endless(context, stream, word);
  CHECK(qsmSetSubmitLimit(device, NEVER));
  EXPECT(launch_in(context, stream, "deep", &buffers[0], 1, NULL, NULL), qsmErrorTimeout,
         "a kernel needs larger stacks, still so after 20000 cycles");
  CHECK(launch_in(context, stream, "shallow", &buffers[0], 1, NULL, NULL));
  CHECK(qsmContextKill(context));
}

// ---- Save areas ----

// A launch of a latecomer beside blocks of another tenant's streams, which fill the machine and do
// not end, has ended within so many cycles.
static bool latecomer_has_room(uint32_t images, uint32_t n_cycles) {
  const struct qsm_config *config = qsmDeviceConfig(device);
  const qsmDim3 many = {config->num_sms * config->warps_per_sm, 1, 1};
  const uint32_t zero = 0, go_on = 1, n = config->cmd_channels > 4 ? 2 : 1;
  qsmContext_t victim = new_context(), late = new_context();
  uint32_t go = allocate(victim, 4), late_list = allocate(late, 8), words[2];
  CHECK(qsmMemcpyHtoD(victim, go, &zero, sizeof zero));
  CHECK(qsmSetSaveArea(victim, images));
  for (uint32_t i = 0; i < n; i++) {
    qsmStream_t stream = NULL;
    CHECK(qsmStreamCreateWithFlags(victim, &stream, qsmStreamNonBlocking));
    CHECK(qsmLaunchKernel(victim, "endless", many, block, &go, 1, 0, stream, NULL, NULL));
  }
  CHECK(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 5000));
  EXPECT(qsmSetSaveArea(victim, 1), qsmErrorBusy, "launches are pending");
  qsmStream_t stream = new_stream(late);
  CHECK(qsmMemsetAsync(late, late_list, 0, 8, stream));
  mark_on(late, late_list, stream, 7, 0);
  bool in_time = qsmStreamSynchronize(stream, n_cycles) == qsmSuccess;
  CHECK(qsmMemcpyHtoD(victim, go, &go_on, sizeof go_on));
  CHECK(qsmContextSynchronize(victim, LONG));
  CHECK(qsmContextSynchronize(late, LONG));
  read_words(late, late_list, words, 2);
  assert_int_equal(words[0], 1);
  assert_int_equal(words[1], 7);
  CHECK(qsmSetSaveArea(victim, 0));
  qsmContextDestroy(late);
  qsmContextDestroy(victim);
  return in_time;
}

// R-ST-22, R-TA-10: the GPU saves blocks of streams, each where the others do not, and they go on.
static void blocks_of_streams_make_room(void **state) {
  (void)state;
  CHECK(qsmSetScheduling(device, qsmPolicyGto, qsmSchemeNone, 2000));
  assert_false(latecomer_has_room(0, 30000));
  assert_true(latecomer_has_room(qsmDeviceConfig(device)->num_images, 30000));
}

// R-ST-22
static void a_save_area_that_does_not_fit_is_refused(void **state) {
  (void)state;
  uint32_t most = qsmDeviceConfig(device)->num_images, room = MEMORY, taken = 0;
  uint32_t buffer = allocate(context, 4 * BLOCK);
  qsmStream_t stream = new_stream(context);
  EXPECT(qsmSetSaveArea(context, most + 1), qsmErrorInvalidValue, "images");
  CHECK(qsmSetSaveArea(context, most));
  while (room > 256)
    if (qsmMalloc(context, room, &taken)) room /= 2;
  EXPECT(launch_in(context, stream, "step", (uint32_t[]){buffer, 1}, 2, NULL, NULL),
         qsmErrorSaveArea, "the context's memory has no such piece");
  CHECK(qsmSetSaveArea(context, 0));
  CHECK(launch_in(context, stream, "step", (uint32_t[]){buffer, 1}, 2, NULL, NULL));
  CHECK(qsmStreamSynchronize(stream, LONG));
}

// ---- What is refused ----

// R-ST-7: a host that watches GPU time suspends channels.
static void a_suspended_channel_keeps_the_caller(void **state) {
  (void)state;
  qsmStream_t stream = new_stream(context);
  const uint32_t args[] = {list, 1, 0};
  uint32_t ctrl_at = QSM_CH_BASE + QSM_CH_STRIDE * 1 + QSM_CH_CTRL;
  mark(stream, 1, 0);
  CHECK(qsmStreamSynchronize(stream, LONG));
  uint32_t ctrl = read_register(ctrl_at);
  CHECK(qsmRegisterWrite(device, ctrl_at, ctrl | QSM_CH_CTRL_SUSPEND_MASK));
  CHECK(qsmSetSubmitLimit(device, 3000));
  uint64_t before = qsmDeviceCycle(device);
  EXPECT(launch_in(context, stream, "mark", args, 3, NULL, NULL), qsmErrorTimeout,
         "context 0, channel 1: the GPU takes no commands (suspended), still so after 3000 cycles");
  assert_true(qsmDeviceCycle(device) >= before + 3000);
  CHECK(qsmStreamQuery(stream));
  CHECK(qsmSetBudget(context, 2));  // writes CH_CTRL, and leaves it as it is
  assert_int_equal(read_register(ctrl_at), ctrl | QSM_CH_CTRL_SUSPEND_MASK);
  CHECK(qsmRegisterWrite(device, ctrl_at, ctrl));
  CHECK(qsmSetSubmitLimit(device, LONG));
  mark(stream, 2, 0);
  CHECK(qsmStreamSynchronize(stream, LONG));
  assert_string_equal(marks(), "1 2");
}

// R-ST-7: a launch that never ends keeps the ring full.
static void a_ring_that_stays_full_is_a_timeout(void **state) {
  (void)state;
  qsmStream_t stream = new_stream(context);
  uint32_t word = allocate(context, 4);
  const uint32_t args[] = {list, 1, 0};
  qsmError_t error = qsmSuccess;
  CHECK(qsmSetSubmitLimit(device, 5000));
  CHECK(qsmMemsetAsync(context, word, 0, 4, stream));
  assert_endless(context, stream, word);
  uint32_t n = 0;
  for (; !error; n++) error = launch_in(context, stream, "mark", args, 3, NULL, NULL);
  EXPECT(error, qsmErrorTimeout, "its ring is full, still so after 5000 cycles");
  assert_int_equal(n, 127);  // one was the fill's
  let_go(context, word);
  CHECK(qsmStreamSynchronize(stream, LONG));
}

// R-ST-3, R-ST-16.
static void calls_about_slots_are_refused_on_channels(void **state) {
  (void)state;
  qsmGoal goal = {0};
  qsmLaunch what = {.kernel = "mark", .grid = one, .block = block};
  qsmPreemptResult result;
  qsmSmRecord record;
  qsmMemoryCounters counters;
  qsmEnergy energy;
  char text[64];
  EXPECT(qsmSetSmCount(context, 1), qsmErrorStream,
         "context 0: a number of SMs is for contexts with a kernel slot");
  EXPECT(qsmSetPreemptHold(context, true), qsmErrorStream, "with a kernel slot");
  EXPECT(qsmSetWorkers(context, qsmWorkersRh, 0, 1, 1), qsmErrorStream, "with a kernel slot");
  EXPECT(qsmPreempt(device, 0, context, qsmTechniqueDrain, 10, &result), qsmErrorStream,
         "with a kernel slot");
  EXPECT(qsmMeasureIsolated(context, &what, 100, &goal), qsmErrorStream, "with a kernel slot");
  EXPECT(qsmReadSmRecord(context, &record), qsmErrorStream, "with a kernel slot");
  EXPECT(qsmReadMemoryCounters(context, &counters), qsmErrorStream, "with a kernel slot");
  EXPECT(qsmReadEnergy(context, &energy), qsmErrorStream, "with a kernel slot");
  EXPECT(qsmExplainWait(context, text, sizeof text), qsmErrorStream, "with a kernel slot");
  EXPECT(qsmMoveSm(device, 0, qsmSmOwned, context), qsmErrorStream, "with a kernel slot");
}

// R-ST-16: and those about streams where there is a slot.
static void calls_about_streams_are_refused_on_slots(void **state) {
  (void)state;
  qsmContext_t direct = NULL;
  qsmStream_t stream = NULL, theirs = new_stream(context);
  qsmEvent_t event = NULL;
  void *pointer = NULL;
  uint32_t word = 0;
  CHECK(qsmContextCreate(device, &direct));
  CHECK(qsmModuleLoad(direct, program_path("streams.elf")));
  CHECK(qsmMalloc(direct, 4096, &word));
  EXPECT(qsmStreamCreate(direct, &stream), qsmErrorStream,
         "slot 0: for contexts on command channels (qsmContextCreateOnChannels)");
  EXPECT(qsmEventCreate(direct, &event), qsmErrorStream, "for contexts on command channels");
  EXPECT(qsmMallocHost(direct, 64, &pointer), qsmErrorStream, "for contexts on command channels");
  EXPECT(qsmFreeHost(direct, &word), qsmErrorStream, "for contexts on command channels");
  EXPECT(qsmMemsetAsync(direct, word, 0, 4, NULL), qsmErrorStream, "for contexts on command");
  EXPECT(qsmMemcpyAsync(direct, qsmDevicePointer(word), &word, 4, qsmMemcpyHostToDevice, NULL),
         qsmErrorStream, "for contexts on command channels");
  EXPECT(qsmContextSetMaxPriority(direct, 0), qsmErrorStream, "for contexts on command channels");
  EXPECT(qsmContextSetLaunchLimit(direct, 0), qsmErrorStream, "for contexts on command channels");
  const uint32_t args[] = {word, 3, 0};
  EXPECT(launch_in(direct, theirs, "mark", args, 3, NULL, NULL), qsmErrorStream,
         "slot 0: the stream is of context 0");
  CHECK(launch_in(direct, NULL, "mark", args, 3, NULL, NULL));  // as ever
  CHECK(qsmContextSynchronize(direct, LONG));
  assert_int_equal(read_word(direct, word + 4), 3);
  qsmContext_t more = NULL;
  for (uint32_t i = 1; i < qsmDeviceConfig(device)->num_kernels - SLOTS; i++)
    CHECK(qsmContextCreate(device, &more));
  EXPECT(qsmContextCreate(device, &more), qsmErrorNoSlot, "all taken; 2 of them by channels");
}

// R-ST-5, R-ST-15.
static void streams_and_events_of_other_contexts_are_refused(void **state) {
  (void)state;
  qsmContext_t other = new_context();
  qsmStream_t ours = new_stream(context), theirs = new_stream(other);
  qsmEvent_t event = new_event(context);
  const uint32_t args[] = {list, 1, 0};
  EXPECT(launch_in(context, theirs, "mark", args, 3, NULL, NULL), qsmErrorStream,
         "context 0: the stream is of context 1");
  EXPECT(qsmEventRecord(event, theirs), qsmErrorStream, "context 0: the stream is of context 1");
  EXPECT(qsmStreamWaitEvent(theirs, event), qsmErrorStream, "the stream is of context 1");
  EXPECT(qsmMemsetAsync(context, list, 0, 4, theirs), qsmErrorStream, "the stream is of context 1");
  CHECK(qsmEventRecord(event, ours));
  assert_int_equal(qsmEventRecord(NULL, ours), qsmErrorInvalidHandle);
  assert_int_equal(qsmStreamSynchronize(NULL, 1), qsmErrorInvalidHandle);
  assert_int_equal(qsmStreamQuery((qsmStream_t)(void *)event), qsmErrorInvalidHandle);
  CHECK(qsmEventDestroy(event));
  assert_int_equal(qsmEventDestroy(event), qsmErrorInvalidHandle);
  assert_int_equal(qsmEventQuery(event), qsmErrorInvalidHandle);
}

// R-ST-11, R-ST-12.
static void copies_that_cannot_be_are_refused(void **state) {
  (void)state;
  static uint8_t bytes[256];
  qsmStream_t stream = new_stream(context);
  uint32_t buffer = allocate(context, 100);
  void *at = qsmDevicePointer(buffer), *pinned = NULL;
  EXPECT(qsmMemcpyAsync(context, at, bytes, 101, qsmMemcpyHostToDevice, stream),
         qsmErrorInvalidValue, "+ 101 is outside the allocation of 100 bytes at 0x");
  EXPECT(qsmMemcpyAsync(context, bytes, qsmDevicePointer(buffer + 60), 41, qsmMemcpyDeviceToHost,
                        stream),
         qsmErrorInvalidValue, "+ 41 is outside the allocation");
  EXPECT(qsmMemcpyAsync(context, at, qsmDevicePointer(5), 1, qsmMemcpyDeviceToDevice, stream),
         qsmErrorInvalidValue, "context 0: 0x00000005 is in no allocation of the context");
  EXPECT(qsmMemcpyAsync(context, bytes, at, 10, qsmMemcpyHostToDevice, stream),
         qsmErrorInvalidValue, "the kind does not fit the pointers");
  EXPECT(qsmMemcpyAsync(context, at, at, 10, qsmMemcpyHostToDevice, stream), qsmErrorInvalidValue,
         "is memory of the device: the kind does not fit the pointers");
  EXPECT(qsmMemcpyAsync(context, at, bytes, 10, (qsmMemcpyKind)4, stream), qsmErrorInvalidValue,
         "kind of a copy 4: must be 1..3");
  EXPECT(qsmMemcpyAsync(context, at, NULL, 10, qsmMemcpyHostToDevice, stream), qsmErrorInvalidValue,
         "NULL for the host's memory");
  EXPECT(qsmMemsetAsync(context, buffer + 1, 0, 100, stream), qsmErrorInvalidValue,
         "is outside the allocation of 100 bytes");
  CHECK(qsmMemcpyAsync(context, NULL, NULL, 0, qsmMemcpyHostToDevice, stream));
  CHECK(qsmMemsetAsync(context, 0, 0, 0, stream));
  CHECK(qsmStreamQuery(stream));  // nothing was put into it
  EXPECT(qsmMallocHost(context, MEMORY, &pinned), qsmErrorMemoryAllocation,
         "no room for 1048576 bytes in the host window of 1");
  CHECK(qsmMallocHost(context, 64, &pinned));
  EXPECT(qsmFreeHost(context, (uint8_t *)pinned + 1), qsmErrorInvalidValue,
         "the pointer is none of qsmMallocHost");
  EXPECT(qsmMemcpyAsync(context, (uint8_t *)pinned + 60, at, 5, qsmMemcpyDeviceToHost, stream),
         qsmErrorInvalidValue, "context 0: 5 bytes go beyond the 64 of qsmMallocHost");
  uint32_t word = allocate(context, 4);
  CHECK(qsmMemsetAsync(context, word, 0, 4, stream));
  assert_endless(context, stream, word);
  CHECK(qsmMemcpyAsync(context, pinned, at, 64, qsmMemcpyDeviceToHost, stream));
  EXPECT(qsmFreeHost(context, pinned), qsmErrorBusy, "1 copies use the memory");
  let_go(context, word);
  CHECK(qsmStreamSynchronize(stream, LONG));
  CHECK(qsmFreeHost(context, pinned));
  CHECK(qsmFreeHost(context, NULL));
}

// R-ST-11: what it has not waited for is not written later either.
static void a_copy_that_gives_up_leaves_the_host_alone(void **state) {
  (void)state;
  uint32_t word = allocate(context, 4), value = 77;
  qsmStream_t stream = new_stream(context);
  CHECK(qsmMemsetAsync(context, word, 0, 4, NULL));
  assert_endless(context, stream, word);
  CHECK(qsmSetSubmitLimit(device, 3000));
  EXPECT(qsmMemcpyDtoH(context, &value, list, 4), qsmErrorTimeout, "not at its end after 3000");
  let_go(context, word);
  CHECK(qsmContextSynchronize(context, LONG));
  assert_int_equal(value, 77);
  EXPECT(qsmMemcpyDtoH(context, &value, list + 3, 5000), qsmErrorInvalidValue, "is outside");
}

// R-ST-11.
static void pinned_memory_may_leave_the_window_no_room(void **state) {
  (void)state;
  uint8_t bytes[10] = {0};
  void *pinned = NULL;
  uint32_t buffer = allocate(context, 100);
  size_t page = 4096;
  while (qsmMallocHost(context, page, &pinned) == qsmSuccess) {}
  EXPECT(qsmMemcpy(context, qsmDevicePointer(buffer), bytes, 10, qsmMemcpyHostToDevice),
         qsmErrorMemoryAllocation, "memory of qsmMallocHost leaves the host window no room");
}

// R-ST-5, R-ST-16.
static void launches_that_the_gpu_cannot_run_are_refused(void **state) {
  (void)state;
  qsmStream_t stream = new_stream(context), wrong = NULL;
  const uint32_t args[] = {list, 1, 0};
  EXPECT(
      qsmLaunchKernel(context, "mark", (qsmDim3){0, 1, 1}, block, args, 3, 0, stream, NULL, NULL),
      qsmErrorInvalidLaunch, "grid.x = 0");
  EXPECT(
      qsmLaunchKernel(context, "mark", one, (qsmDim3){1024, 1, 1}, args, 3, 0, stream, NULL, NULL),
      qsmErrorInvalidLaunch, "1024 threads per block");
  EXPECT(qsmLaunchKernel(context, "mark", one, block, args, 2, 0, stream, NULL, NULL),
         qsmErrorInvalidLaunch, "the launch gives 2 arguments");
  EXPECT(qsmLaunchKernel(context, "nothing", one, block, args, 3, 0, stream, NULL, NULL),
         qsmErrorNotFound, "no kernel 'nothing'");
  EXPECT(qsmStreamCreateWithFlags(context, &wrong, 2), qsmErrorInvalidValue,
         "flags of a stream 0x2");
  EXPECT(qsmStreamCreate(context, NULL), qsmErrorInvalidValue, "NULL for the stream");
  EXPECT(qsmEventCreate(context, NULL), qsmErrorInvalidValue, "NULL for the event");
  uint64_t room = 0;
  CHECK(qsmMemGetInfo(context, &room, NULL));
  allocate(context, (size_t)room - 4096);
  EXPECT(qsmStreamCreate(context, &wrong), qsmErrorMemoryAllocation,
         "context 0: no room for the ring of a stream");
  CHECK(qsmStreamQuery(stream));
}

// R-ST-1, R-ST-2.
static void devices_without_channels_refuse(void **state) {
  (void)state;
  char path[CONFIG_PATH_BYTES], msg[256];
  qsmContext_t created = NULL;
  change_config("tiny", "s/^cmd_channels:.*/cmd_channels: 0/", path);
  assert_int_equal(qsmDeviceOpen("model", path, NULL, &device, msg, sizeof msg), qsmSuccess);
  EXPECT(qsmDeviceUseChannels(device, 1, qsmChannelsExclusive), qsmErrorNoChannel,
         "has no command channels (cmd_channels: 0)");
  qsmDeviceClose(device);
  assert_int_equal(qsmDeviceOpen("model", "tiny", NULL, &device, msg, sizeof msg), qsmSuccess);
  EXPECT(qsmContextCreateOnChannels(device, MEMORY, &created), qsmErrorStream,
         "the device uses no command channels (qsmDeviceUseChannels)");
  EXPECT(qsmSetTakeBack(device, true), qsmErrorStream, "the device uses no command channels");
  EXPECT(qsmSetSubmitLimit(device, 1), qsmErrorStream, "the device uses no command channels");
  EXPECT(qsmDeviceUseChannels(device, 0, qsmChannelsExclusive), qsmErrorInvalidValue,
         "0 slots for command channels, must be 1..4");
  EXPECT(qsmDeviceUseChannels(device, 5, qsmChannelsExclusive), qsmErrorInvalidValue, "1..4");
  EXPECT(qsmDeviceUseChannels(device, 2, (qsmChannelMode)2), qsmErrorInvalidValue,
         "mode 2 of command channels");
  for (uint32_t i = 0; i < 3; i++) CHECK(qsmContextCreate(device, &created));
  EXPECT(qsmDeviceUseChannels(device, 2, qsmChannelsExclusive), qsmErrorBusy,
         "slot 2 for command channels: a context has it");
  CHECK(qsmDeviceUseChannels(device, 1, qsmChannelsExclusive));
  EXPECT(qsmDeviceUseChannels(device, 1, qsmChannelsExclusive), qsmErrorBusy, "already");
  EXPECT(qsmContextCreateOnChannels(device, MEMORY + 1, &created), qsmErrorInvalidValue,
         "must be whole pages of 4096");
  EXPECT(qsmContextCreateOnChannels(device, 4096, &created), qsmErrorInvalidValue, "at least");
  EXPECT(qsmContextCreateOnChannels(device, 64u << 20, &created), qsmErrorMemoryAllocation,
         "the pool of the command channels has 16773120");
  qsmDeviceClose(device);
}

// ---- In lockstep ----

// R-ST-1, R-ST-5, R-ST-8, R-ST-10, R-ST-11, R-ST-21, R-ST-23: streams, copies, faults, kills, a
// slot that is taken back, own settings; every cycle compared.
static void rtl_and_model_agree_on_streams(void **state) {
  static uint8_t bytes[1000], back[1000];
  open_on("lockstep", *state, 1, qsmChannelsConcurrent);
  context = new_context();
  list = new_list(context);
  qsmStream_t a = new_stream(context), b = NULL;
  CHECK(qsmSetTakeBack(device, true));
  CHECK(qsmContextSetMaxPriority(context, 1));
  CHECK(qsmStreamCreateWithPriority(context, &b, qsmStreamDefault, 1));
  qsmEvent_t event = new_event(context);
  uint32_t buffer = allocate(context, 4096), word = allocate(context, 4);
  fill_randomly(bytes, sizeof bytes);
  CHECK(qsmMemcpyAsync(context, qsmDevicePointer(buffer + 3), bytes, sizeof bytes,
                       qsmMemcpyHostToDevice, a));
  CHECK(qsmEventRecord(event, a));
  mark(a, 1, 50);
  CHECK(qsmStreamWaitEvent(b, event));
  CHECK(qsmMemcpyAsync(context, back, qsmDevicePointer(buffer + 3), sizeof back,
                       qsmMemcpyDeviceToHost, b));
  mark(b, 2, 100);
  mark(NULL, 3, 10);
  CHECK(qsmContextSynchronize(context, LONG));
  assert_memory_equal(bytes, back, sizeof back);
  const uint32_t many[] = {list, 9, 50};
  CHECK(qsmLaunchKernel(context, "mark", (qsmDim3){20, 1, 1}, block, many, 3, 0, a, NULL, NULL));
  CHECK(qsmDeviceRunUntil(device, qsmDeviceCycle(device) + 500));
  mark(b, 7, 0);  // takes the slot back
  CHECK(qsmContextSynchronize(context, LONG));
  CHECK(launch_in(context, a, "illegal", &buffer, 1, NULL, NULL));
  EXPECT(qsmStreamSynchronize(a, LONG), qsmErrorKernelFault, "cause 2");
  CHECK(qsmMemsetAsync(context, word, 0, 4, b));
  assert_endless(context, b, word);
  EXPECT(qsmStreamSynchronize(b, 3000), qsmErrorTimeout, "not at its end");
  CHECK(qsmContextKill(context));
  EXPECT(qsmContextSynchronize(context, LONG), qsmErrorKernelFault, "killed by the host");
  mark(b, 4, 0);
  CHECK(qsmSetCachePolicy(context, qsmCacheSkipL1));
  const uint32_t own[] = {list, 5, 50};
  CHECK(launch_on(context, b, "mark", own, 3, 1));  // four blocks
  CHECK(qsmSetCachePolicy(context, qsmCacheUseAll));
  mark(b, 6, 0);
  CHECK(qsmContextSynchronize(context, LONG));
  assert_int_equal(read_word(context, list), 4 + 20 + 1 + 5);
  qsmContextDestroy(context);
  qsmDeviceClose(device);
}

#define ON(test, config, open) \
  {#test " on " #config, test, open, close_all, (void *)(uintptr_t)#config}
#define BOTH(test) ON(test, tiny, open_concurrent), ON(test, demo, open_concurrent)
#define BEHIND_L2(test) {#test " behind an L2", test, open_concurrent, close_all, with_l2}

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH(a_stream_runs_in_order),
      BEHIND_L2(a_stream_runs_in_order),
      BOTH(streams_of_a_tenant_run_side_by_side),
      ON(in_exclusive_mode_one_launch_runs_at_a_time, tiny, open_exclusive),
      ON(in_exclusive_mode_one_launch_runs_at_a_time, demo, open_exclusive),
      BOTH(the_default_stream_waits_for_blocking_ones_and_they_for_it),
      BOTH(streams_that_do_not_block_take_no_part_in_that),
      BOTH(the_default_stream_has_a_handle),
      BOTH(events_tell_times),
      BOTH(a_stream_waits_for_the_event_of_another),
      BOTH(a_stream_that_others_wait_for_may_be_destroyed),
      BOTH(random_streams_keep_their_order),
      ON(random_streams_keep_their_order, tiny, open_exclusive),
      BOTH(there_are_more_streams_than_slots),
      BOTH(there_are_more_contexts_than_slots),
      BOTH(a_thousand_launches_go_through_a_ring),
      BEHIND_L2(a_thousand_launches_go_through_a_ring),
      BOTH(callbacks_come_in_order_and_may_launch),
      BOTH(a_full_ring_in_a_callback_is_an_error),
      BOTH(records_and_waits_take_their_turn_in_a_full_ring),
      BOTH(a_fault_ends_its_stream_and_no_other),
      ON(a_fault_ends_its_stream_and_no_other, tiny, open_exclusive),
      BOTH(the_contexts_wait_tells_of_a_fault),
      BOTH(a_kill_ends_what_runs_and_drops_the_rest),
      ON(a_kill_ends_what_runs_and_drops_the_rest, tiny, open_exclusive),
      BOTH(a_launch_over_its_limit_is_killed),
      BOTH(a_stream_is_done_before_it_goes),
      BOTH(a_context_is_destroyed_while_its_streams_run),
      BEHIND_L2(a_context_is_destroyed_while_its_streams_run),
      ON(a_context_that_cannot_be_emptied_yet_keeps_what_it_has, tiny, open_exclusive),
      ON(a_context_that_cannot_be_emptied_yet_keeps_what_it_has, demo, open_exclusive),
      BOTH(garbage_in_a_ring_hurts_nobody_else),
      BEHIND_L2(garbage_in_a_ring_hurts_nobody_else),
      BOTH(a_put_in_every_access_stops_nobody),
      ON(a_put_in_every_access_stops_nobody, tiny, open_in_lockstep),
      BEHIND_L2(a_semaphore_in_the_l2_is_found),
      BEHIND_L2(what_waits_for_a_dropped_event_in_the_l2_goes_on),
      BOTH(copies_of_any_offset_and_size_arrive),
      BEHIND_L2(copies_of_any_offset_and_size_arrive),
      BOTH(a_copy_may_be_larger_than_the_host_window),
      BOTH(copies_and_kernels_of_a_stream_see_each_other),
      BEHIND_L2(copies_and_kernels_of_a_stream_see_each_other),
      BOTH(a_copy_runs_beside_a_kernel),
      cmocka_unit_test(the_links_bandwidth_shows),
      BOTH(settings_reach_the_slot_of_a_stream),
      ON(masks_of_launches_in_a_stream_are_their_own, demo, open_concurrent),
      ON(masks_of_two_streams_may_overlap, demo, open_concurrent),
      {"masks_of_two_streams_may_overlap on odd", masks_of_two_streams_may_overlap, open_concurrent,
       close_all, (void *)(uintptr_t)"odd+cmd_channels-4"},
      {"changing_masks_cost_what_the_page_says on odd", changing_masks_cost_what_the_page_says,
       NULL, NULL, (void *)(uintptr_t)"odd"},
      {"changing_masks_cost_what_the_page_says on demo", changing_masks_cost_what_the_page_says,
       NULL, NULL, (void *)(uintptr_t)"demo"},
      {"changing_masks_cost_what_the_page_says on rdna2", changing_masks_cost_what_the_page_says,
       NULL, NULL, (void *)(uintptr_t)"rdna2"},
      {"changing_masks_cost_what_the_page_says_in_lockstep of odd",
       changing_masks_cost_what_the_page_says_in_lockstep, NULL, NULL, (void *)(uintptr_t)"odd"},
      BOTH(a_cache_policy_goes_along_with_its_launch),
      BOTH(masks_that_cannot_be_are_refused),
      ON(streams_of_a_higher_priority_go_first, tiny, open_one_slot),
      ON(a_slot_is_taken_back_for_a_higher_priority, tiny, open_one_slot),
      ON(a_slot_is_taken_back_for_a_higher_priority, tiny, open_exclusive),
      ON(a_slot_is_taken_back_for_a_higher_priority, demo, open_exclusive),
      BOTH(streams_have_stacks_of_their_own),
      ON(blocks_of_streams_make_room, tiny, open_three_slots),
      ON(blocks_of_streams_make_room, demo, open_three_slots),
      ON(blocks_of_streams_make_room, tiny, open_three_slots_in_lockstep),
      BOTH(a_save_area_that_does_not_fit_is_refused),
      BOTH(a_suspended_channel_keeps_the_caller),
      BOTH(a_ring_that_stays_full_is_a_timeout),
      BOTH(calls_about_slots_are_refused_on_channels),
      BOTH(calls_about_streams_are_refused_on_slots),
      BOTH(streams_and_events_of_other_contexts_are_refused),
      BOTH(copies_that_cannot_be_are_refused),
      BOTH(a_copy_that_gives_up_leaves_the_host_alone),
      BOTH(pinned_memory_may_leave_the_window_no_room),
      BOTH(launches_that_the_gpu_cannot_run_are_refused),
      cmocka_unit_test(devices_without_channels_refuse),
      {"rtl_and_model_agree_on_streams of tiny", rtl_and_model_agree_on_streams, NULL, NULL,
       (void *)(uintptr_t)"tiny"},
      {"rtl_and_model_agree_on_streams of odd", rtl_and_model_agree_on_streams, NULL, NULL,
       (void *)(uintptr_t)"odd"},
  };
  return cmocka_run_group_tests(tests, make_configurations, remove_programs);
}

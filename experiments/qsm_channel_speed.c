// SPDX-License-Identifier: Apache-2.0
#include "qsm_channel_speed.h"

#include <inttypes.h>
#include <string.h>

#include "qsm_random.h"
#include "qsm_regs.h"
#include "qsm_rings.h"

enum {
  TENANT_BYTES = 0x10000,
  DESCRIPTOR_AT = 512,
  CODE_AT = 1024,
  DATA_AT = 0x2000,
  SOURCE_AT = 0x4000,
  PIECE = 16,  // bytes between two commands' words
  ALL_RIGHTS = 15,
  RING = 1 << QSM_RING_MOST_LOG2,
  MOST_CYCLES = 100000,  // of a command, with all that waits before it
  MOST_GAP = 500,        // cycles between launches, for each channel: so that any may be at work
};

const char *const qsm_speed_kinds[QSM_SPEED_KINDS] = {
    "nop",      "release",    "acquire",  "fill, 16 bytes", "copy, 16 bytes",
    "set goal", "set budget", "set mask", "launch",         "launch own"};

// Of the launch that is looked for.
struct watch {
  uint32_t channel, first_pc, last_pc;
  uint64_t put;  // cycle in which it was written; 0: look at nothing
  uint64_t decode, start, issue;
  uint32_t n_turns;
};

struct bench {
  const struct qsm_speed_setting *setting;
  struct qsm_rings rings;
  struct qsm_random random;
  struct watch watch;
  uint32_t value;  // of the first command: those of the others follow from it
};

static uint32_t base_of(uint32_t c) {
  return (uint32_t)QSM_RINGS_MEMORY + QSM_RINGS_TENANTS_AT + TENANT_BYTES * c;
}

// ---- Commands, and what must come of them ----

static uint32_t word_at(uint32_t c, uint32_t i) { return base_of(c) + DATA_AT + PIECE * i; }

static uint32_t value_of(const struct bench *bench, uint32_t c, uint32_t i) {
  return bench->value + (c << 16) + i;
}

// A mask, goal or budget that the register takes.
static uint32_t setting_value(const struct bench *bench, enum qsm_speed_kind kind, uint32_t c,
                              uint32_t i) {
  uint32_t value = value_of(bench, c, i);
  if (kind == QSM_SPEED_GOAL) return (value & 0xFFFF) + 1;
  if (kind == QSM_SPEED_BUDGET) return 1 + value % 3;
  return 1u << value % bench->rings.config->num_sms;
}

static void write_command(struct bench *bench, uint32_t c, uint32_t i) {
  enum qsm_speed_kind kind = bench->setting->kind;
  uint32_t value = value_of(bench, c, i), set = setting_value(bench, kind, c, i);
  const uint32_t commands[QSM_SPEED_KINDS][8] = {
      [QSM_SPEED_NOP] = {QSM_CMD_NOP},
      [QSM_SPEED_RELEASE] = {QSM_CMD_RELEASE, word_at(c, i), value},
      [QSM_SPEED_ACQUIRE] = {QSM_CMD_ACQUIRE, word_at(c, i), value},
      [QSM_SPEED_FILL] = {QSM_CMD_FILL, word_at(c, i), PIECE, value},
      [QSM_SPEED_COPY] = {QSM_CMD_COPY, base_of(c) + SOURCE_AT + PIECE * i, word_at(c, i), PIECE},
      [QSM_SPEED_GOAL] = {QSM_CMD_SET, 0, set},
      [QSM_SPEED_BUDGET] = {QSM_CMD_SET, 1, set},
      [QSM_SPEED_MASK] = {QSM_CMD_SET, 2, set},
      [QSM_SPEED_LAUNCH] = {QSM_CMD_LAUNCH, base_of(c) + DESCRIPTOR_AT},
      [QSM_SPEED_OWN] = {QSM_CMD_LAUNCH, base_of(c) + DESCRIPTOR_AT}};
  qsm_rings_command(&bench->rings, c, i, commands[kind]);
  if (kind == QSM_SPEED_ACQUIRE)
    qsm_rings_store(&bench->rings, word_at(c, i), &value, sizeof value);
  if (kind == QSM_SPEED_COPY)
    qsm_rings_store(&bench->rings, base_of(c) + SOURCE_AT + PIECE * i, &value, sizeof value);
}

static int check_word(struct bench *bench, uint32_t address, uint32_t expected) {
  uint32_t found = qsm_rings_load(&bench->rings, address);
  if (found == expected) return 0;
  return qsm_rings_fail(&bench->rings,
                        "%s: 0x%08" PRIX32 " at 0x%08" PRIX32 ", must be 0x%08" PRIX32,
                        qsm_speed_kinds[bench->setting->kind], found, address, expected);
}

static int check_channel(struct bench *bench, uint32_t c, uint32_t n) {
  enum qsm_speed_kind kind = bench->setting->kind;
  const uint32_t context_word[QSM_SPEED_KINDS] = {
      [QSM_SPEED_GOAL] = 1, [QSM_SPEED_BUDGET] = 13, [QSM_SPEED_MASK] = 3};
  bool writes = kind == QSM_SPEED_RELEASE || kind == QSM_SPEED_FILL || kind == QSM_SPEED_COPY;
  bool launches = kind == QSM_SPEED_LAUNCH || kind == QSM_SPEED_OWN;
  for (uint32_t i = 0; writes && i < n; i++)
    if (check_word(bench, word_at(c, i), value_of(bench, c, i))) return -1;
  if (context_word[kind] && check_word(bench, qsm_rings_context_at(c) + 4 * context_word[kind],
                                       setting_value(bench, kind, c, n - 1)))
    return -1;
  uint64_t insn = qsm_rings_counter(&bench->rings, c, QSM_CH_INSN_LO),
           expected = launches ? (uint64_t)n * bench->rings.config->warp_size : 0;
  if (insn == expected) return 0;
  return qsm_rings_fail(&bench->rings,
                        "channel %" PRIu32 ": %" PRIu64 " thread instructions, must be %" PRIu64, c,
                        insn, expected);
}

static int check_going(struct bench *bench, uint32_t c) {
  uint32_t error = qsm_rings_peek(&bench->rings, qsm_rings_driver(c, QSM_CH_ERROR));
  if (!error) return 0;
  return qsm_rings_fail(&bench->rings, "%s: channel %" PRIu32 " was stopped, CH_ERROR 0x%08" PRIX32,
                        qsm_speed_kinds[bench->setting->kind], c, error);
}

// ---- Channels ----

static void write_launch(struct bench *bench, uint32_t c) {
  const uint32_t exit = 0x0000100B;  // qsm.exit
  uint32_t descriptor[16] = {base_of(c) + CODE_AT,           0, 1, 1, 1,
                             bench->rings.config->warp_size, 1, 1};
  if (bench->setting->kind == QSM_SPEED_OWN) {
    descriptor[9] = 3;  // OWN: both
    descriptor[10] = 1u << c % bench->rings.config->num_sms;
    descriptor[13] = QSM_CACHE_SKIP_L1;
  }
  qsm_rings_store(&bench->rings, base_of(c) + CODE_AT, &exit, sizeof exit);
  qsm_rings_store(&bench->rings, base_of(c) + DESCRIPTOR_AT, descriptor, sizeof descriptor);
}

static int open_channels(struct bench *bench, uint32_t n) {
  const struct qsm_config *config = bench->rings.config;
  if (n > config->cmd_channels)
    return qsm_rings_fail(&bench->rings, "%" PRIu32 " channels, configuration %s has %" PRIu32, n,
                          config->name, config->cmd_channels);
  for (uint32_t c = 0; c < n; c++) {
    const struct qsm_ring_setting setting = {.base = base_of(c),
                                             .data = base_of(c) + DATA_AT,
                                             .limit = base_of(c) + TENANT_BYTES,
                                             .rights = ALL_RIGHTS,
                                             .log2 = QSM_RING_MOST_LOG2};
    write_launch(bench, c);
    if (qsm_rings_enable(&bench->rings, c, &setting)) return -1;
  }
  for (uint32_t c = 0; c < n; c++)
    if (qsm_rings_wait_cleared(&bench->rings, c)) return -1;
  return 0;
}

// What the launch of the watch does. An SM's events come up to noc_lat cycles late.
static void see(void *ctx, const struct qsm_event *event) {
  struct watch *watch = ctx;
  if (!watch->put) return;
  if (event->kind == QSM_EV_ISSUE && event->word[2] >= watch->first_pc &&
      event->word[2] < watch->last_pc && !watch->issue)
    watch->issue = event->cycle;
  if (event->kind != QSM_EV_CHANNEL) return;
  bool own = event->word[1] == watch->channel;
  if (own && event->word[0] == QSM_FRONT_DECODE && !watch->decode) watch->decode = event->cycle;
  if (own && event->word[0] == QSM_FRONT_FINISH && !watch->start) watch->start = event->cycle;
  if (!own && event->word[0] == QSM_FRONT_FINISH && !watch->start) watch->n_turns++;
}

static int open_bench(struct bench *bench, const struct qsm_speed_setting *setting,
                      uint32_t n_channels, bool watched, char *msg, size_t msg_len) {
  const struct qsm_backend_options options = {.sink = watched ? see : NULL,
                                              .sink_ctx = &bench->watch};
  *bench = (struct bench){.setting = setting,
                          .rings = {.config = setting->config, .msg = msg, .msg_len = msg_len},
                          .random = qsm_random_seed(setting->seed)};
  bench->value = qsm_random_below(&bench->random, 1u << 30);
  return qsm_rings_open(&bench->rings, &options, setting->concurrent) ||
                 open_channels(bench, n_channels)
             ? -1
             : 0;
}

static void close_bench(struct bench *bench) {
  if (bench->rings.backend) bench->rings.backend->close(bench->rings.backend);
}

// ---- Commands per thousand cycles ----

static int wait_done(struct bench *bench, uint32_t c, uint32_t n, uint64_t most) {
  while (qsm_rings_peek(&bench->rings, qsm_rings_driver(c, QSM_CH_DONE)) < n) {
    if (check_going(bench, c)) return -1;
    if (qsm_rings_cycle(&bench->rings) > most)
      return qsm_rings_fail(&bench->rings, "%s: channel %" PRIu32 " does not end",
                            qsm_speed_kinds[bench->setting->kind], c);
    if (qsm_rings_run(&bench->rings, 1)) return -1;
  }
  return 0;
}

static int measure_commands(struct bench *bench, uint64_t *n_cycles) {
  const struct qsm_speed_setting *setting = bench->setting;
  for (uint32_t c = 0; c < setting->n_channels; c++)
    for (uint32_t i = 0; i < setting->n_each; i++) write_command(bench, c, i);
  uint64_t begun = qsm_rings_cycle(&bench->rings),
           most = begun + (uint64_t)MOST_CYCLES * setting->n_each * setting->n_channels;
  for (uint32_t c = 0; c < setting->n_channels; c++)
    if (qsm_rings_put(&bench->rings, qsm_rings_page(c, QSM_PAGE_PUT), setting->n_each)) return -1;
  for (uint32_t c = 0; c < setting->n_channels; c++)
    if (wait_done(bench, c, setting->n_each, most)) return -1;
  *n_cycles = qsm_rings_cycle(&bench->rings) - begun;
  for (uint32_t c = 0; c < setting->n_channels; c++)
    if (check_channel(bench, c, setting->n_each)) return -1;
  return 0;
}

int qsm_speed_of_commands(const struct qsm_speed_setting *setting, uint64_t *n_cycles, char *msg,
                          size_t msg_len) {
  struct bench bench;
  int failed = open_bench(&bench, setting, setting->n_channels, false, msg, msg_len) ||
                       measure_commands(&bench, n_cycles)
                   ? -1
                   : 0;
  close_bench(&bench);
  return failed;
}

// ---- From PUT to the first instruction ----

// The rings are full again.
static int refill(struct bench *bench) {
  for (uint32_t c = 0; c < bench->setting->n_channels; c++) {
    uint32_t get = qsm_rings_peek(&bench->rings, qsm_rings_page(c, QSM_PAGE_GET));
    if (check_going(bench, c) ||
        qsm_rings_put(&bench->rings, qsm_rings_page(c, QSM_PAGE_PUT), (get + RING - 1) % RING))
      return -1;
  }
  return 0;
}

static int check_busy(struct bench *bench) {
  for (uint32_t c = 0; c < bench->setting->n_channels; c++) {
    uint32_t get = qsm_rings_peek(&bench->rings, qsm_rings_page(c, QSM_PAGE_GET)),
             put = qsm_rings_peek(&bench->rings, qsm_rings_page(c, QSM_PAGE_PUT));
    if (get == put)
      return qsm_rings_fail(&bench->rings, "channel %" PRIu32 " has nothing to do", c);
  }
  return 0;
}

static void count(const struct watch *watch, struct qsm_speed_latency *latency) {
  uint64_t cycles = watch->issue - watch->put;
  if (latency->n++ == 0 || cycles < latency->least) latency->least = cycles;
  if (cycles > latency->most) latency->most = cycles;
  latency->sum += cycles;
  latency->decode_sum += watch->decode - watch->put;
  latency->start_sum += watch->start - watch->put;
  latency->turns_sum += watch->n_turns;
  if (watch->n_turns > latency->turns_most) latency->turns_most = watch->n_turns;
}

static int launch_one(struct bench *bench, uint32_t i, struct qsm_speed_latency *latency) {
  uint32_t c = bench->setting->n_channels;
  const uint32_t command[8] = {QSM_CMD_LAUNCH, base_of(c) + DESCRIPTOR_AT};
  if (refill(bench) ||
      qsm_rings_run(&bench->rings, 1 + qsm_random_below(&bench->random, MOST_GAP * (c + 1))))
    return -1;
  qsm_rings_command(&bench->rings, c, i % RING, command);
  bench->watch = (struct watch){.channel = c,
                                .first_pc = base_of(c) + CODE_AT,
                                .last_pc = base_of(c) + DATA_AT,
                                .put = qsm_rings_cycle(&bench->rings)};
  if (qsm_rings_put(&bench->rings, qsm_rings_page(c, QSM_PAGE_PUT), (i + 1) % RING)) return -1;
  uint64_t most = bench->watch.put + (uint64_t)MOST_CYCLES * (1 + bench->setting->n_channels);
  while (!bench->watch.issue && qsm_rings_cycle(&bench->rings) < most)
    if (qsm_rings_run(&bench->rings, 1)) return -1;
  if (!bench->watch.issue) return qsm_rings_fail(&bench->rings, "a launch does not begin");
  if (check_busy(bench) || wait_done(bench, c, i + 1, most)) return -1;
  count(&bench->watch, latency);
  return 0;
}

static int measure_launches(struct bench *bench, uint32_t n, struct qsm_speed_latency *cold,
                            struct qsm_speed_latency *warm) {
  const struct qsm_speed_setting *setting = bench->setting;
  for (uint32_t c = 0; c < setting->n_channels; c++)
    for (uint32_t i = 0; i < RING; i++) write_command(bench, c, i);
  for (uint32_t i = 0; i < n; i++) {
    bool first = i == 0 && setting->n_channels == 0;
    if (launch_one(bench, i, first ? cold : warm)) return -1;
  }
  uint64_t insn = qsm_rings_counter(&bench->rings, setting->n_channels, QSM_CH_INSN_LO);
  if (insn == (uint64_t)n * setting->config->warp_size) return 0;
  return qsm_rings_fail(&bench->rings, "%" PRIu64 " thread instructions of %" PRIu32 " launches",
                        insn, n);
}

int qsm_speed_of_launches(const struct qsm_speed_setting *setting, uint32_t n,
                          struct qsm_speed_latency *cold, struct qsm_speed_latency *warm, char *msg,
                          size_t msg_len) {
  struct bench bench;
  *cold = *warm = (struct qsm_speed_latency){0};
  int failed = open_bench(&bench, setting, setting->n_channels + 1, true, msg, msg_len) ||
                       measure_launches(&bench, n, cold, warm)
                   ? -1
                   : 0;
  close_bench(&bench);
  return failed;
}

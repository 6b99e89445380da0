// SPDX-License-Identifier: Apache-2.0
#include "qsm_fuzz_channels.h"

#include <string.h>

#include "qsm_fuzz_program.h"
#include "qsm_partition.h"
#include "qsm_regs.h"

enum {
  PAGE_BYTES = 4096,
  CONTEXT_BYTES = 128,
  DESCRIPTOR_BYTES = 64,
  DESCRIPTORS = 16,
  COMMAND_WORDS = 8,
  FEW_BYTES = 400,  // of a copy
  WITH_IRQ = 1 << 8,
  WITH_STAMP = 1 << 9,
};

static uint32_t below(struct qsm_fuzz_channels *channels, uint32_t n) {
  return qsm_random_below(channels->random, n);
}

static uint32_t any(struct qsm_fuzz_channels *channels) {
  return qsm_random_next(channels->random);
}

// ---- Registers and memory ----

static enum qsm_backend_status put(struct qsm_fuzz_channels *channels, uint32_t address,
                                   uint32_t value) {
  enum qsm_backend_status status = channels->gpu->write(channels->gpu, address, value);
  return status == QSM_BACKEND_FAILED ? status : QSM_BACKEND_OK;
}

static enum qsm_backend_status get(struct qsm_fuzz_channels *channels, uint32_t address,
                                   uint32_t *value) {
  *value = 0;
  enum qsm_backend_status status = channels->gpu->read(channels->gpu, address, value);
  return status == QSM_BACKEND_FAILED ? status : QSM_BACKEND_OK;
}

static uint32_t driver(uint32_t c, uint32_t offset) {
  return QSM_CH_BASE + QSM_CH_STRIDE * c + offset;
}

static uint32_t page(uint32_t c, uint32_t offset) {
  return QSM_PAGE_BASE + QSM_PAGE_STRIDE * c + offset;
}

static void put_words(struct qsm_fuzz_channels *channels, uint32_t at, const uint32_t *words,
                      uint32_t n) {
  uint32_t place;
  for (uint32_t i = 0; i < n; i++) {
    qsm_partition_piece(channels->config, channels->split, at + 4 * i, 4, &place);
    channels->gpu->mem_write(channels->gpu, place, &words[i], 4);
  }
}

static uint32_t ring_of(const struct qsm_fuzz_channels *channels, uint32_t c) {
  return channels->lists + PAGE_BYTES * (3 + c);
}

static uint32_t context_of(const struct qsm_fuzz_channels *channels, uint32_t c) {
  return channels->lists + CONTEXT_BYTES * c;
}

static uint32_t descriptor(const struct qsm_fuzz_channels *channels, uint32_t i) {
  return channels->lists + PAGE_BYTES + DESCRIPTOR_BYTES * i;
}

// Of few, so that channels meet. They have a page of their own at the end of window 1; those of
// programs' data have any value.
static uint32_t semaphore(struct qsm_fuzz_channels *channels) {
  uint32_t page = below(channels, 16) ? channels->limit - PAGE_BYTES : channels->data;
  return page + 16 * below(channels, 6);
}

// Device memory that copies may come from and go to: data, also those of programs, semaphores.
static uint32_t device_place(struct qsm_fuzz_channels *channels) {
  if (below(channels, 8) == 0) return semaphore(channels);
  return channels->data + below(channels, QSM_FUZZ_DATA_BYTES - FEW_BYTES);
}

static uint32_t host_place(struct qsm_fuzz_channels *channels) {
  return channels->host + below(channels, PAGE_BYTES - FEW_BYTES);
}

static uint32_t copy_place(struct qsm_fuzz_channels *channels) {
  return below(channels, 3) ? device_place(channels) : host_place(channels);
}

// Mostly a few lines; some copies are under way for long, some end where they must not.
static uint32_t copy_bytes(struct qsm_fuzz_channels *channels) {
  switch (below(channels, 24)) {
    case 0: return 0;
    case 1: return below(channels, PAGE_BYTES);
    case 2: return any(channels) >> below(channels, 32);
    default: return 1 + below(channels, below(channels, 2) ? FEW_BYTES : 40);
  }
}

// ---- What tenants write ----

static uint32_t some_sms(struct qsm_fuzz_channels *channels) {
  uint32_t n_sms = channels->config->num_sms < 31 ? channels->config->num_sms : 31;
  return 1 + below(channels, UINT32_MAX >> (32 - n_sms));
}

// R-FR-28: mostly right ones, and some without the bit that they need, or that a register refuses.
static void draw_own_settings(struct qsm_fuzz_channels *channels, uint32_t *words) {
  words[9] = below(channels, 2) ? 0 : 1 + below(channels, 3);
  if (words[9] & 1) words[10] = some_sms(channels);
  if (words[9] & 2) words[13] = below(channels, QSM_CACHE_POLICY_COUNT);
  if (!words[9] || below(channels, 12)) return;
  switch (below(channels, 5)) {
    case 0: words[9] ^= 1u << below(channels, 3); break;
    case 1: words[10 + below(channels, 3)] = any(channels) >> below(channels, 32); break;
    case 2: words[10] = 0; break;
    case 3: words[13] = below(channels, QSM_CACHE_POLICY_COUNT + 2); break;
    default: words[14 + below(channels, 2)] = 1; break;
  }
}

// A launch that a slot would take, or with a word that it does not.
static void write_descriptor(struct qsm_fuzz_channels *channels, uint32_t i) {
  const struct qsm_config *config = channels->config;
  uint32_t most = config->warps_per_sm * config->warp_size;
  uint32_t x = 1 + below(channels, most > 256 ? 256 : most);
  uint32_t words[16] = {below(channels, 4) ? channels->at_once : channels->base,
                        any(channels),
                        1 + below(channels, below(channels, 3) ? 6 : 60),
                        1 + below(channels, 5) / 4,
                        1 + below(channels, 5) / 4,
                        x,
                        1,
                        1,
                        below(channels, 3) ? 0 : below(channels, config->shared_bytes + 1)};
  if (x * 2 <= most && below(channels, 4) == 0) words[6 + below(channels, 2)] = 2;
  draw_own_settings(channels, words);
  if (below(channels, 6) == 0) words[below(channels, 16)] = any(channels) >> below(channels, 32);
  put_words(channels, descriptor(channels, i), words, 16);
}

static uint32_t random_opcode(struct qsm_fuzz_channels *channels) {
  static const uint8_t opcodes[] = {QSM_CMD_NOP,     QSM_CMD_NOP,  QSM_CMD_LAUNCH,  QSM_CMD_LAUNCH,
                                    QSM_CMD_LAUNCH,  QSM_CMD_SET,  QSM_CMD_ACQUIRE, QSM_CMD_RELEASE,
                                    QSM_CMD_RELEASE, QSM_CMD_COPY, QSM_CMD_COPY,    QSM_CMD_FILL};
  return opcodes[below(channels, sizeof opcodes)];
}

static void random_setting(struct qsm_fuzz_channels *channels, uint32_t *words) {
  words[1] = below(channels, QSM_FRONT_SETTING_COUNT + (below(channels, 8) == 0));
  words[2] = 1 + below(channels, 3);
  if (words[1] == QSM_SETTING_GOAL) words[2] = any(channels) >> below(channels, 20);
  if (words[1] == QSM_SETTING_SM_MASK_HI || words[1] == QSM_SETTING_SM_MASK_2) words[2] = 0;
  if (words[1] == QSM_SETTING_SM_MASK_LO) words[2] = some_sms(channels);
}

// Mostly one that can be done; words of garbage now and then.
static void random_command(struct qsm_fuzz_channels *channels, uint32_t *words) {
  uint32_t opcode = random_opcode(channels);
  memset(words, 0, COMMAND_WORDS * sizeof *words);
  words[0] = opcode | (below(channels, 3) ? 0 : WITH_IRQ);
  switch (opcode) {
    case QSM_CMD_LAUNCH: words[1] = descriptor(channels, below(channels, DESCRIPTORS)); break;
    case QSM_CMD_SET: random_setting(channels, words); break;
    case QSM_CMD_ACQUIRE:
      words[1] = semaphore(channels);
      words[2] = channels->semaphore - below(channels, 8) + (below(channels, 8) ? 0 : 8);
      break;
    case QSM_CMD_RELEASE:
      words[0] |= below(channels, 2) ? WITH_STAMP : 0;
      words[1] = semaphore(channels);
      words[2] = channels->semaphore += below(channels, 3);
      break;
    case QSM_CMD_COPY:
      words[1] = copy_place(channels);
      words[2] = copy_place(channels);
      words[3] = copy_bytes(channels);
      break;
    case QSM_CMD_FILL:
      words[1] = copy_place(channels);
      words[2] = copy_bytes(channels);
      words[3] = any(channels);
      break;
    default: break;
  }
  switch (below(channels, 40)) {
    case 0: words[below(channels, COMMAND_WORDS)] = any(channels); break;
    case 1: words[1] ^= 1u << below(channels, 32); break;
    case 2: words[0] ^= 1u << below(channels, 32); break;
    case 3:
      for (uint32_t i = 0; i < COMMAND_WORDS; i++) words[i] = any(channels);
      break;
    default: break;
  }
}

// Commands up to PUT, mostly; also a PUT that goes back, lies outside, or has nothing new.
static enum qsm_backend_status submit(struct qsm_fuzz_channels *channels, uint32_t c) {
  struct qsm_fuzz_channel *channel = &channels->channel[c];
  uint32_t n = 1u << channel->log2, count = below(channels, 6), words[COMMAND_WORDS];
  for (uint32_t i = 0; i < count; i++) {
    random_command(channels, words);
    put_words(channels, ring_of(channels, c) + 4 * COMMAND_WORDS * channel->tail, words,
              COMMAND_WORDS);
    channel->tail = (channel->tail + 1) % n;
  }
  channels->commands += count;
  switch (below(channels, 24)) {
    case 0: return put(channels, page(c, QSM_PAGE_PUT), below(channels, n));
    case 1: return put(channels, page(c, QSM_PAGE_PUT), n + below(channels, 3));
    case 2: return put(channels, page(c, QSM_PAGE_PUT), any(channels));
    default: return put(channels, page(c, QSM_PAGE_PUT), channel->tail);
  }
}

// ---- What the driver does ----

static uint32_t few_or_all(struct qsm_fuzz_channels *channels, uint32_t n) {
  return below(channels, 3) ? 0 : below(channels, n + 1);
}

static void write_context(struct qsm_fuzz_channels *channels, uint32_t c) {
  const struct qsm_config *config = channels->config;
  const uint32_t n = config->num_sms, save = channels->data + QSM_FUZZ_DATA_BYTES;
  const bool saves = below(channels, 3) != 0;
  uint32_t words[CONTEXT_BYTES / 4] = {
      [0] = below(channels, 4),
      [1] = any(channels) >> (8 + below(channels, 16)),
      [2] = 1 + below(channels, 4000),
      [3] = n >= 32 ? UINT32_MAX : UINT32_MAX >> (32 - n),
      [4] = n <= 32   ? 0
            : n >= 64 ? UINT32_MAX
                      : UINT32_MAX >> (64 - n),
      [5] = n <= 64 ? 0 : UINT32_MAX >> (96 - n),
      [6] = channels->base,
      [7] = channels->lists + 2 * PAGE_BYTES,
      [8] = 5,
      [9] = channels->data,
      [10] = below(channels, 4) ? channels->limit : save,
      [11] = below(channels, 8) ? 3 : below(channels, 8),
      [12] = below(channels, 2) ? 15 : below(channels, 16),
      [13] = 1 + below(channels, 3),
      [14] = any(channels) >> (8 + below(channels, 16)),
      [15] = saves ? save : 0,
      [16] = saves ? channels->limit - PAGE_BYTES : 0,
      [17] = below(channels, 2),
      [18] = below(channels, 3) ? 0 : below(channels, 4),
      [20] = few_or_all(channels, n),
      [21] = few_or_all(channels, config->warps_per_sm),
      [22] = channels->split,
      [23] = channels->host + below(channels, 2) * below(channels, 64),
      [24] = channels->host + PAGE_BYTES - below(channels, 2) * below(channels, 64),
      [25] = below(channels, 8) ? 3 : below(channels, 4),
  };
  for (uint32_t i = 26; i < CONTEXT_BYTES / 4; i++) words[i] = any(channels);
  if (below(channels, 10) == 0) words[below(channels, 26)] = any(channels) >> below(channels, 32);
  put_words(channels, context_of(channels, c), words, CONTEXT_BYTES / 4);
}

// Enabled, with a priority; many channels have the same.
static uint32_t enabled(struct qsm_fuzz_channels *channels) {
  return 1 | (below(channels, 2) ? 0 : below(channels, 4)) << QSM_CH_CTRL_PRIORITY_SHIFT;
}

// Most launches end by themselves, some of them shortly before or after.
static enum qsm_backend_status set_limit(struct qsm_fuzz_channels *channels, uint32_t c) {
  static const uint32_t most[] = {1, 1, 150, 400, 1000, 5000};
  uint32_t limit = below(channels, most[below(channels, 6)]);
  if (below(channels, 16) == 0) limit = any(channels) >> below(channels, 32);
  return put(channels, driver(c, QSM_CH_LIMIT), limit);
}

static enum qsm_backend_status open_channel(struct qsm_fuzz_channels *channels, uint32_t c) {
  struct qsm_fuzz_channel *channel = &channels->channel[c];
  enum qsm_backend_status status = put(channels, driver(c, QSM_CH_CTRL), 0);
  channel->log2 = 1 + below(channels, 7);
  channel->tail = 0;
  channel->is_open = true;
  write_context(channels, c);
  if (!status)
    status = put(channels, driver(c, QSM_CH_RING),
                 ring_of(channels, c) | channel->log2 | channels->split << QSM_CH_RING_SPLIT_SHIFT);
  if (!status) status = put(channels, driver(c, QSM_CH_CONTEXT), context_of(channels, c));
  if (!status) status = set_limit(channels, c);
  return status ? status : put(channels, driver(c, QSM_CH_CTRL), enabled(channels));
}

// Suspend and hold come and go; a channel that is disabled is opened again later, or at once.
static enum qsm_backend_status drive(struct qsm_fuzz_channels *channels, uint32_t c) {
  enum qsm_backend_status status = QSM_BACKEND_OK;
  switch (below(channels, 14)) {
    case 0:
      return put(channels, driver(c, QSM_CH_CTRL), enabled(channels) | QSM_CH_CTRL_SUSPEND_MASK);
    case 1: return put(channels, driver(c, QSM_CH_CTRL), enabled(channels) | QSM_CH_CTRL_HOLD_MASK);
    case 2: return put(channels, driver(c, QSM_CH_CTRL), below(channels, 64));
    case 3: channels->channel[c].is_open = false; return put(channels, driver(c, QSM_CH_CTRL), 0);
    case 4:
      status = put(channels, driver(c, QSM_CH_CTRL), 0);
      channels->channel[c].tail = 0;
      return status ? status : put(channels, driver(c, QSM_CH_CTRL), enabled(channels));
    case 5: return put(channels, driver(c, QSM_CH_RING), any(channels));
    case 6: return put(channels, driver(c, QSM_CH_CONTEXT), any(channels) & ~127u);
    case 7: write_context(channels, c); return status;
    case 8: return set_limit(channels, c);
    default: return put(channels, driver(c, QSM_CH_CTRL), enabled(channels));
  }
}

static enum qsm_backend_status set_mode(struct qsm_fuzz_channels *channels) {
  uint32_t mode = below(channels, 3) ? QSM_REG_FRONT_MODE_CONCURRENT_MASK : 0;
  if (below(channels, 3)) mode |= QSM_REG_FRONT_MODE_TAKE_BACK_MASK;
  return put(channels, QSM_REG_FRONT_MODE, mode);
}

// From a line per cycle, and more, to one in some ten; now and then any value.
static enum qsm_backend_status set_link(struct qsm_fuzz_channels *channels) {
  uint32_t value = 1 + below(channels, below(channels, 2) ? 2000 : 15000);
  if (below(channels, 32) == 0) value = any(channels) >> below(channels, 32);
  return put(channels, QSM_REG_LINK_INTERVAL, value);
}

static enum qsm_backend_status set_slots(struct qsm_fuzz_channels *channels) {
  uint32_t all = (1u << channels->config->num_kernels) - 1;
  channels->slots = below(channels, 4) ? 1 + below(channels, all) : all;
  if (below(channels, 3) == 0) channels->slots &= -channels->slots;  // launches meet in one
  return put(channels, QSM_REG_FRONT_SLOTS, channels->slots);
}

// A launch, in the ring of a channel with this priority.
static enum qsm_backend_status launch_with(struct qsm_fuzz_channels *channels, uint32_t c,
                                           uint32_t priority) {
  struct qsm_fuzz_channel *channel = &channels->channel[c];
  const uint32_t words[COMMAND_WORDS] = {QSM_CMD_LAUNCH,
                                         descriptor(channels, below(channels, DESCRIPTORS))};
  enum qsm_backend_status status =
      put(channels, driver(c, QSM_CH_CTRL), 1 | priority << QSM_CH_CTRL_PRIORITY_SHIFT);
  put_words(channels, ring_of(channels, c) + 4 * COMMAND_WORDS * channel->tail, words,
            COMMAND_WORDS);
  channel->tail = (channel->tail + 1) % (1u << channel->log2);
  channels->commands++;
  return status ? status : put(channels, page(c, QSM_PAGE_PUT), channel->tail);
}

// Two launches want the same slot, or the whole GPU; the second may take it back (R-FR-26).
static enum qsm_backend_status contend(struct qsm_fuzz_channels *channels, uint32_t c) {
  uint32_t other = (c + 1) % channels->n, priority = below(channels, 3);
  uint64_t ran = 0;
  if (other == c) return QSM_BACKEND_OK;
  channels->slots = 1u << below(channels, channels->config->num_kernels);
  enum qsm_backend_status status = put(channels, QSM_REG_FRONT_SLOTS, channels->slots);
  uint32_t mode = QSM_REG_FRONT_MODE_TAKE_BACK_MASK | below(channels, 2);
  if (!status) status = put(channels, QSM_REG_FRONT_MODE, mode);
  if (!status) status = open_channel(channels, c);
  if (!status) status = open_channel(channels, other);
  if (!status) status = channels->gpu->run(channels->gpu, 40, false, &ran);
  if (!status) status = launch_with(channels, c, priority);
  if (!status) status = channels->gpu->run(channels->gpu, 300 + below(channels, 700), false, &ran);
  return status ? status : launch_with(channels, other, priority + 1);
}

// What runs on a slot of the front end for long.
static enum qsm_backend_status kill(struct qsm_fuzz_channels *channels) {
  uint32_t slot = below(channels, channels->config->num_kernels);
  if (!(channels->slots >> slot & 1)) return QSM_BACKEND_OK;
  return put(channels, QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + QSM_SLOT_KILL, 1);
}

static enum qsm_backend_status look(struct qsm_fuzz_channels *channels, uint32_t c) {
  static const uint32_t registers[] = {
      QSM_REG_FRONT_MODE,  QSM_REG_FRONT_SLOTS,   QSM_REG_FRONT_IRQ0,
      QSM_REG_SNAP_ENGINE, QSM_REG_SNAP_CYCLE_LO, QSM_REG_SNAP_CYCLE_HI,
      QSM_REG_SNAP_BUSY0,  QSM_REG_SNAP_BUSY1,    QSM_REG_LINK_INTERVAL};
  uint32_t ignored, slot = below(channels, channels->config->num_kernels);
  enum qsm_backend_status status = QSM_BACKEND_OK;
  if (below(channels, 2)) status = put(channels, QSM_REG_FRONT_SNAP, 1);
  for (size_t i = 0; !status && i < sizeof registers / sizeof *registers; i++)
    status = get(channels, registers[i], &ignored);
  for (uint32_t offset = 0; !status && offset <= QSM_CH_COPY_HI; offset += 4)
    status = get(channels, driver(c, offset), &ignored);
  for (uint32_t offset = 0; !status && offset <= QSM_PAGE_WHERE; offset += 4)
    status = get(channels, page(c, offset), &ignored);
  return status
             ? status
             : get(channels, QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + QSM_SLOT_CHANNEL, &ignored);
}

// Registers that there may be or not, with any value.
static enum qsm_backend_status meddle(struct qsm_fuzz_channels *channels) {
  uint32_t c = below(channels, channels->config->cmd_channels + 1), ignored;
  uint32_t address =
      below(channels, 2) ? driver(c, 4 * below(channels, 16)) : page(c, 4 * below(channels, 5));
  if (below(channels, 8) == 0) address ^= 1u << below(channels, 20);
  if (below(channels, 2)) return get(channels, address, &ignored);
  return put(channels, address, any(channels) >> below(channels, 32));
}

static enum qsm_backend_status poke_semaphore(struct qsm_fuzz_channels *channels) {
  uint32_t value = channels->semaphore += below(channels, 2);
  put_words(channels, semaphore(channels), &value, 1);
  return QSM_BACKEND_OK;
}

enum qsm_backend_status qsm_fuzz_channels_step(struct qsm_fuzz_channels *channels) {
  uint32_t c = below(channels, channels->n);
  switch (below(channels, 22)) {
    case 0: return set_mode(channels);
    case 1: return below(channels, 3) ? kill(channels) : set_slots(channels);
    case 2: return look(channels, c);
    case 3: return meddle(channels);
    case 4: write_descriptor(channels, below(channels, DESCRIPTORS)); return QSM_BACKEND_OK;
    case 5:
    case 6: return poke_semaphore(channels);
    case 7:
    case 8:
    case 9: return drive(channels, c);
    case 10: return set_link(channels);
    case 11: return below(channels, 2) ? set_slots(channels) : contend(channels, c);
    default:
      return channels->channel[c].is_open || below(channels, 4) == 0 ? submit(channels, c)
                                                                     : open_channel(channels, c);
  }
}

// One of 32 channels each.
enum qsm_backend_status qsm_fuzz_channels_serve(struct qsm_fuzz_channels *channels) {
  uint32_t pending = 0, state = 0, ignored;
  enum qsm_backend_status status = get(channels, QSM_REG_FRONT_IRQ0, &pending);
  for (uint32_t c = 0; !status && c < channels->n; c++) {
    if (!(pending >> c & 1)) continue;
    status = put(channels, QSM_REG_FRONT_IRQ0, 1u << c);
    if (!status) status = get(channels, page(c, QSM_PAGE_STATE), &state);
    if (!status) status = get(channels, driver(c, QSM_CH_ERROR), &ignored);
    if (!(state & QSM_PAGE_STATE_STOPPED_MASK)) continue;
    channels->stops++;
    if (!status && below(channels, 4)) status = open_channel(channels, c);
  }
  return status;
}

enum qsm_backend_status qsm_fuzz_channels_start(struct qsm_fuzz_channels *channels) {
  const struct qsm_config *config = channels->config;
  channels->n = config->cmd_channels < QSM_FUZZ_CHANNELS ? config->cmd_channels : QSM_FUZZ_CHANNELS;
  for (uint32_t i = 0; i < DESCRIPTORS; i++) write_descriptor(channels, i);
  enum qsm_backend_status status = set_slots(channels);
  if (!status) status = set_mode(channels);
  if (!status && below(channels, 2)) status = set_link(channels);
  for (uint32_t c = 0; !status && c < channels->n; c++) {
    if (below(channels, 4)) status = open_channel(channels, c);
  }
  return status;
}

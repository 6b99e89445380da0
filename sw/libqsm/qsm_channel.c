// SPDX-License-Identifier: Apache-2.0
// Command channels (docs/front.md): which slots the front end has, which channel is whose, how one
// is opened and emptied.
#include <stdlib.h>

#include "qsm_heap.h"
#include "qsm_regs.h"
#include "qsm_streams.h"

enum { SUBMIT_LIMIT = 1 << 24, CHANNELS_PER_WORD = 32, WRITE_CYCLES = 8192 };
enum { LINK_FRACTION = 256, LINK_MOST = (1 << 24) - 1 };

static uint32_t driver(uint32_t channel, uint32_t offset) {
  return QSM_CH_BASE + QSM_CH_STRIDE * channel + offset;
}

static uint32_t page(uint32_t channel, uint32_t offset) {
  return QSM_PAGE_BASE + QSM_PAGE_STRIDE * channel + offset;
}

// ---- The device ----

bool qsm_channels_have_slot(const struct qsm_device *device, uint32_t slot) {
  return device->channels && slot >= device->channels->first_slot && slot < QSM_MOST_SLOTS;
}

void qsm_channels_free(struct qsm_device *device) {
  if (!device->channels) return;
  qsm_heap_destroy(device->channels->pool);
  free(device->channels);
}

void qsm_channels_give_back(struct qsm_device *device, uint32_t tenant) {
  if (tenant >= QSM_MOST_SLOTS) qsm_heap_free(device->channels->pool, device->arena[tenant].base);
}

static qsmError_t check_use(struct qsm_device *device, uint32_t n_slots, qsmChannelMode mode) {
  const struct qsm_config *config = &device->config;
  if (!config->cmd_channels)
    return qsm_fail(device, qsmErrorNoChannel,
                    "configuration %s has no command channels (cmd_channels: 0)", config->name);
  if (device->channels)
    return qsm_fail(device, qsmErrorBusy, "the device uses command channels already");
  if (n_slots < 1 || n_slots > config->num_kernels)
    return qsm_fail(device, qsmErrorInvalidValue, "%u slots for command channels, must be 1..%u",
                    n_slots, config->num_kernels);
  if (mode != qsmChannelsExclusive && mode != qsmChannelsConcurrent)
    return qsm_fail(device, qsmErrorInvalidValue,
                    "mode %d of command channels: must be 0..1 (exclusive, concurrent)", (int)mode);
  for (uint32_t slot = config->num_kernels - n_slots; slot < config->num_kernels; slot++)
    if (qsm_slot_taken(device, slot))
      return qsm_fail(device, qsmErrorBusy, "slot %u for command channels: a context has it", slot);
  return qsm_check_instances(device, true, "the pool of channels would lie on their memory");
}

// The memory of their slots: pages for the contexts of channels, and the tenants' pool.
static qsmError_t make_channels(struct qsm_device *device, uint32_t n_slots) {
  const struct qsm_config *config = &device->config;
  uint32_t bytes = config->mem_bytes / config->num_kernels / QSM_PAGE_BYTES * QSM_PAGE_BYTES;
  uint32_t own = (config->cmd_channels * QSM_CONTEXT_BYTES + QSM_PAGE_BYTES - 1) / QSM_PAGE_BYTES *
                 QSM_PAGE_BYTES;
  struct qsm_channels *made = calloc(1, sizeof *made);
  if (!made) return qsm_fail(device, qsmErrorMemoryAllocation, "out of memory");
  made->n_slots = n_slots;
  made->first_slot = config->num_kernels - n_slots;
  made->contexts = QSM_MEMORY_BASE + bytes * made->first_slot;
  made->submit_limit = SUBMIT_LIMIT;
  made->pool = qsm_heap_create(made->contexts + own, QSM_MEMORY_BASE + bytes * config->num_kernels);
  if (!made->pool) {
    free(made);
    return qsm_fail(device, qsmErrorMemoryAllocation, "out of memory");
  }
  device->channels = made;
  return qsmSuccess;
}

// R-DM-7: cycles per line, with 8 bits of fraction.
static uint32_t link_interval(const struct qsm_device *device) {
  const struct qsm_config *config = &device->config;
  uint64_t interval = (uint64_t)qsm_config_line_bytes(config) * config->clock_mhz * LINK_FRACTION /
                      config->link_mbytes_s;
  if (interval < 1) return 1;
  return interval < LINK_MOST ? (uint32_t)interval : LINK_MOST;
}

static qsmError_t give_slots(struct qsm_device *device, qsmChannelMode mode) {
  uint32_t slots = ((1u << device->channels->n_slots) - 1) << device->channels->first_slot;
  qsmError_t error = qsm_energy_use(device, slots);
  if (!error) error = qsm_register_write(device, QSM_REG_IRQ, slots);
  device->channels->mode = mode == qsmChannelsConcurrent ? QSM_REG_FRONT_MODE_CONCURRENT_MASK : 0;
  if (!error) error = qsm_register_write(device, QSM_REG_FRONT_MODE, device->channels->mode);
  if (!error) error = qsm_register_write(device, QSM_REG_LINK_INTERVAL, link_interval(device));
  if (!error) error = qsm_register_write(device, QSM_REG_FRONT_SLOTS, slots);
  if (!error) return qsmSuccess;
  qsm_channels_free(device);
  device->channels = NULL;
  return error;
}

qsmError_t qsmDeviceUseChannels(qsmDevice_t handle, uint32_t slots, qsmChannelMode mode) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  qsmError_t error = qsm_check_outside(device);
  if (!error) error = check_use(device, slots, mode);
  if (!error) error = qsm_memory_clear_free(device);
  if (!error) error = make_channels(device, slots);
  return error ? error : give_slots(device, mode);
}

qsmError_t qsm_channels_check(struct qsm_device *device) {
  if (device->channels) return qsmSuccess;
  return qsm_fail(device, qsmErrorStream,
                  "the device uses no command channels (qsmDeviceUseChannels)");
}

qsmError_t qsmSetSubmitLimit(qsmDevice_t handle, uint64_t cycles) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  qsmError_t error = qsm_channels_check(device);
  if (!error) device->channels->submit_limit = cycles;
  return error;
}

qsmError_t qsmSetTakeBack(qsmDevice_t handle, bool on) {
  struct qsm_device *device = qsm_device_of(handle);
  if (!device) return qsmErrorInvalidHandle;
  qsmError_t error = qsm_channels_check(device);
  if (error) return error;
  uint32_t mode = (device->channels->mode & ~QSM_REG_FRONT_MODE_TAKE_BACK_MASK) |
                  (on ? QSM_REG_FRONT_MODE_TAKE_BACK_MASK : 0);
  error = qsm_register_write(device, QSM_REG_FRONT_MODE, mode);
  if (!error) device->channels->mode = mode;
  return error;
}

// ---- Opening ----

static qsmError_t write_ctrl(struct qsm_device *device, uint32_t channel, uint32_t value) {
  return qsm_register_write(device, driver(channel, QSM_CH_CTRL), value);
}

static uint32_t find_free(const struct qsm_device *device) {
  uint32_t channel = 0;
  while (channel < device->config.cmd_channels &&
         device->channels->channel[channel].phase != QSM_CHANNEL_FREE)
    channel++;
  return channel;
}

qsmError_t qsm_channel_take(struct qsm_stream *stream) {
  struct qsm_device *device = stream->context->device;
  uint32_t n_channels = device->config.cmd_channels, found = find_free(device);
  for (uint32_t tries = 0; found == n_channels && tries < QSM_CHANNEL_STEPS; tries++) {
    qsmError_t error = qsm_streams_look(device);  // one that is being emptied may be free by now
    if (!error && !device->n_callbacks) error = qsm_device_step(device);
    if (error) return error;
    found = find_free(device);
  }
  if (found == n_channels)
    return qsm_fail(device, qsmErrorNoChannel,
                    "%s: configuration %s has %u command channels, all taken",
                    stream->context->name, device->config.name, n_channels);
  device->channels->channel[found] =
      (struct qsm_channel){.tenant = stream->context->slot, .stream = stream};
  stream->channel = found;
  stream->has_channel = true;
  return qsmSuccess;
}

static uint32_t open_ctrl(const struct qsm_stream *stream) {
  return QSM_CH_CTRL_ENABLE_MASK | stream->priority << QSM_CH_CTRL_PRIORITY_SHIFT;
}

qsmError_t qsm_channel_set_limit(struct qsm_device *device, uint32_t channel, uint32_t cycles) {
  return qsm_register_write(device, driver(channel, QSM_CH_LIMIT), cycles);
}

qsmError_t qsm_channel_open(struct qsm_stream *stream) {
  struct qsm_device *device = stream->context->device;
  uint32_t channel = stream->channel;
  stream->put = stream->n_in_ring = 0;
  qsm_stream_write_context(stream);
  qsmError_t error =
      qsm_register_write(device, driver(channel, QSM_CH_RING), stream->ring | QSM_RING_LOG2);
  if (!error)
    error = qsm_register_write(device, driver(channel, QSM_CH_CONTEXT),
                               device->channels->contexts + QSM_CONTEXT_BYTES * channel);
  if (!error)
    error = qsm_channel_set_limit(device, channel, stream->context->streams->launch_limit);
  if (!error) error = write_ctrl(device, channel, open_ctrl(stream));
  if (!error) device->channels->channel[channel].phase = QSM_CHANNEL_OPEN;
  return error;
}

// Others suspend and hold channels: CH_CTRL is written as it is.
qsmError_t qsm_channel_reread(struct qsm_stream *stream) {
  struct qsm_device *device = stream->context->device;
  uint32_t ctrl = 0;
  qsmError_t error = qsm_register_read(device, driver(stream->channel, QSM_CH_CTRL), &ctrl);
  return error ? error : write_ctrl(device, stream->channel, ctrl);
}

qsmError_t qsm_channel_put(struct qsm_stream *stream, bool *taken) {
  return qsm_register_try(stream->context->device, page(stream->channel, QSM_PAGE_PUT), stream->put,
                          taken);
}

qsmError_t qsm_channel_state(struct qsm_device *device, uint32_t channel, uint32_t *state) {
  return qsm_register_read(device, page(channel, QSM_PAGE_STATE), state);
}

// ---- Slots ----

// A slot that is bound to the channel; NumKernels: none.
static qsmError_t find_slot(struct qsm_device *device, uint32_t channel, uint32_t *slot,
                            bool *runs) {
  qsmError_t error = qsmSuccess;
  for (*slot = device->channels->first_slot; *slot < device->config.num_kernels; ++*slot) {
    uint32_t word = 0;
    error = qsm_register_read(device, QSM_SLOT_BASE + QSM_SLOT_STRIDE * *slot + QSM_SLOT_CHANNEL,
                              &word);
    *runs = word & QSM_SLOT_CHANNEL_RUNS_MASK;
    if (error ||
        ((word & QSM_SLOT_CHANNEL_BOUND_MASK) && (word & QSM_SLOT_CHANNEL_OWNER_MASK) == channel))
      break;
  }
  return error;
}

// What is written in the access after the one in which its slot was seen to be bound reaches no
// other channel: a BIND that has begun by then has written no register but CTX = 0, since the two
// accesses leave it one cycle to choose a write in (R-CP-13), and writes all of these itself, later
// (R-FR-11).
qsmError_t qsm_channel_write_slot(struct qsm_device *device, uint32_t channel, uint32_t offset,
                                  uint32_t value, bool *settled) {
  uint64_t limit = qsm_device_cycle(device) + WRITE_CYCLES;
  *settled = false;
  while (qsm_device_cycle(device) < limit) {
    uint32_t slot = 0;
    bool runs = false, taken = false;
    qsmError_t error = find_slot(device, channel, &slot, &runs);
    if (error || slot == device->config.num_kernels) return error;
    error =
        qsm_register_try(device, QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + offset, value, &taken);
    if (error) return error;
    *settled = taken && runs;
    if (taken) return qsmSuccess;
  }
  return qsm_fail(device, qsmErrorInvalidValue,
                  "channel %u: the GPU refused to write 0x%08X to register 0x%02X of its slot",
                  channel, value, offset);
}

// ---- Emptying ----

static qsmError_t enter(struct qsm_device *device, uint32_t channel, enum qsm_channel_phase phase,
                        uint32_t ctrl) {
  qsmError_t error = write_ctrl(device, channel, ctrl);
  if (!error) device->channels->channel[channel].phase = phase;
  return error;
}

void qsm_channel_close(struct qsm_device *device, uint32_t channel) {
  device->channels->channel[channel].phase = QSM_CHANNEL_EMPTYING;
}

static qsmError_t kill_slot(struct qsm_device *device, uint32_t slot) {
  bool taken = false;
  return qsm_register_try(device, QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + QSM_SLOT_KILL, 1,
                          &taken);
}

// Nothing of the channel is in a slot or in the DMA engine. A launch that runs there is killed.
static qsmError_t step_out(struct qsm_device *device, uint32_t channel, bool *out) {
  uint32_t slot = 0, engine = 0;
  bool runs = false;
  *out = false;
  qsmError_t error = find_slot(device, channel, &slot, &runs);
  if (error) return error;
  if (slot < device->config.num_kernels) return runs ? kill_slot(device, slot) : qsmSuccess;
  error = qsm_register_write(device, QSM_REG_FRONT_SNAP, 1);
  if (!error) error = qsm_register_read(device, QSM_REG_SNAP_ENGINE, &engine);
  *out = !(engine & QSM_REG_SNAP_ENGINE_COPYING_MASK) ||
         qsm_field(engine, QSM_REG_SNAP_ENGINE_COPY_CHANNEL_MASK,
                   QSM_REG_SNAP_ENGINE_COPY_CHANNEL_SHIFT) != channel;
  return error;
}

static qsmError_t step_clearing(struct qsm_device *device, uint32_t channel) {
  uint32_t state = 0;
  qsmError_t error = qsm_channel_state(device, channel, &state);
  if (error || (state & QSM_PAGE_STATE_FRESH_MASK)) return error;
  return enter(device, channel, QSM_CHANNEL_ENDING, 0);
}

// Nothing of it is on the GPU. Without a stream its context has been destroyed, and could not be
// emptied then: what that had may be given away when the last of its channels is free.
static void leave(struct qsm_device *device, uint32_t channel) {
  struct qsm_channel *left = &device->channels->channel[channel];
  left->phase = left->stream ? QSM_CHANNEL_CLOSED : QSM_CHANNEL_FREE;
  for (uint32_t other = 0; other < device->config.cmd_channels; other++) {
    const struct qsm_channel *kept = &device->channels->channel[other];
    if (kept->phase != QSM_CHANNEL_FREE && kept->tenant == left->tenant) return;
  }
  device->dead &= ~QSM_TENANT(left->tenant);
}

qsmError_t qsm_channel_step(struct qsm_device *device, uint32_t channel) {
  enum qsm_channel_phase phase = device->channels->channel[channel].phase;
  if (phase <= QSM_CHANNEL_OPEN || phase == QSM_CHANNEL_CLOSED) return qsmSuccess;
  if (phase == QSM_CHANNEL_CLEARING) return step_clearing(device, channel);
  bool out = false;
  qsmError_t error = phase == QSM_CHANNEL_EMPTYING ? write_ctrl(device, channel, 0) : qsmSuccess;
  if (!error) error = step_out(device, channel, &out);
  if (error || !out) return error;
  if (phase == QSM_CHANNEL_EMPTYING)
    return enter(device, channel, QSM_CHANNEL_CLEARING,
                 QSM_CH_CTRL_ENABLE_MASK | QSM_CH_CTRL_HOLD_MASK);
  leave(device, channel);
  return qsmSuccess;
}

// ---- Why it has stopped ----

static qsmError_t read_fault(struct qsm_device *device, uint32_t slot, qsmLaunchResult *result) {
  const struct {
    uint32_t offset;
    uint32_t *value;
  } fields[] = {{QSM_SLOT_FAULT_PC, &result->pc},
                {QSM_SLOT_FAULT_TID, &result->tid},
                {QSM_SLOT_FAULT_BLOCK, &result->block},
                {QSM_SLOT_FAULT_VALUE, &result->value}};
  qsmError_t error = qsmSuccess;
  for (size_t i = 0; !error && i < sizeof fields / sizeof fields[0]; i++)
    error = qsm_register_read(device, QSM_SLOT_BASE + QSM_SLOT_STRIDE * slot + fields[i].offset,
                              fields[i].value);
  return error;
}

// The slot tells more than the cause, if it is still the channel's after the host has read it.
static qsmError_t find_fault(struct qsm_device *device, uint32_t channel, qsmLaunchResult *result) {
  uint32_t slot = 0, still = 0;
  bool runs = false;
  qsmLaunchResult seen = *result;
  qsmError_t error = find_slot(device, channel, &slot, &runs);
  if (error || slot == device->config.num_kernels) return error;
  error = read_fault(device, slot, &seen);
  if (!error) error = find_slot(device, channel, &still, &runs);
  if (!error && still == slot && !runs) *result = seen;
  return error;
}

qsmError_t qsm_channel_error(struct qsm_device *device, uint32_t channel, uint32_t *where,
                             qsmLaunchResult *result) {
  qsmError_t error = qsm_register_read(device, driver(channel, QSM_CH_ERROR), where);
  *result = (qsmLaunchResult){.killed = true, .end_cycle = qsm_device_cycle(device)};
  if (error || (*where & QSM_CH_ERROR_CODE_MASK) < QSM_STOP_FAULT) return error;
  result->cause = qsm_field(*where, QSM_CH_ERROR_WORD_MASK, QSM_CH_ERROR_WORD_SHIFT);
  return find_fault(device, channel, result);
}

// ---- Interrupts ----

qsmError_t qsm_channels_take_interrupts(struct qsm_device *device, qsm_tenants *channels) {
  qsmError_t error = qsmSuccess;
  *channels = 0;
  for (uint32_t j = 0; !error && CHANNELS_PER_WORD * j < device->config.cmd_channels; j++) {
    uint32_t bits = 0;
    error = qsm_register_read(device, QSM_REG_FRONT_IRQ0 + 4 * j, &bits);
    if (!error && bits) error = qsm_register_write(device, QSM_REG_FRONT_IRQ0 + 4 * j, bits);
    *channels |= (qsm_tenants)bits << CHANNELS_PER_WORD * j;
  }
  return error;
}

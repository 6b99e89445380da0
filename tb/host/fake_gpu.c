// SPDX-License-Identifier: Apache-2.0
#include "fake_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "qsm_regs.h"

// ---- The engine ----

const struct fake_segment *fake_segment_at(const struct fake_gpu *gpu, uint64_t cycle) {
  uint32_t i = gpu->n_segments - 1;
  while (i > 0 && gpu->script[i].from > cycle) i--;
  return &gpu->script[i];
}

bool fake_closed(const struct fake_gpu *gpu, uint32_t channel) {
  return (gpu->ctrl[channel] & QSM_CH_CTRL_SUSPEND_MASK) != 0;
}

static uint32_t pending(const struct fake_gpu *gpu, uint32_t c) {
  return (gpu->put[c] - gpu->get[c]) % FAKE_RING;
}

static bool on_engine(const struct fake_gpu *gpu, uint32_t c) {
  return gpu->running != FAKE_NEVER && gpu->client[gpu->running].channel == c;
}

static void submit(struct fake_gpu *gpu, struct fake_client *client) {
  uint32_t c = client->channel;
  client->blocked = fake_closed(gpu, c);
  if (!client->blocked) gpu->put[c] = (gpu->put[c] + 1) % FAKE_RING;
}

static void clients_submit(struct fake_gpu *gpu) {
  for (uint32_t i = 0; i < gpu->n_clients; i++) {
    struct fake_client *client = &gpu->client[i];
    uint32_t c = client->channel;
    if (client->until && gpu->now >= client->until) continue;
    if (client->floods) {
      while (!fake_closed(gpu, c) && pending(gpu, c) < FAKE_RING - 1) submit(gpu, client);
    } else if (client->wake == gpu->now) {
      submit(gpu, client);
    }
  }
}

static void end_kernel(struct fake_gpu *gpu) {
  struct fake_client *client = &gpu->client[gpu->running];
  gpu->done[client->channel]++;
  gpu->busy_cycles[client->channel] += (uint32_t)client->length;
  client->wake = gpu->now + client->gap;
  gpu->running = FAKE_NEVER;
}

static void choose(struct fake_gpu *gpu) {
  for (uint32_t i = 0; i < gpu->n_clients; i++) {
    uint32_t k = (gpu->next_client + i) % gpu->n_clients, c = gpu->client[k].channel;
    if (pending(gpu, c) == 0 || gpu->client[k].waits || gpu->ctrl[c] & QSM_CH_CTRL_HOLD_MASK)
      continue;
    gpu->running = (int)k;
    gpu->get[c] = (gpu->get[c] + 1) % FAKE_RING;
    gpu->last = c;
    gpu->end = gpu->now + gpu->client[k].length;
    gpu->next_client = k + 1;
    return;
  }
}

static void tick(struct fake_gpu *gpu) {
  if (gpu->running != FAKE_NEVER && gpu->now >= gpu->end) end_kernel(gpu);
  clients_submit(gpu);
  if (gpu->running == FAKE_NEVER) choose(gpu);
  if (gpu->running != FAKE_NEVER) gpu->client[gpu->running].ran++;
  gpu->now++;
}

void fake_run(struct fake_gpu *gpu, uint64_t until) {
  while (gpu->now < until) {
    if (gpu->script)
      gpu->now = until;
    else
      tick(gpu);
  }
}

// The handler of refused writes of PUT.
static void unblock(struct fake_gpu *gpu, struct qsm_accounting *accounting) {
  for (uint32_t i = 0; i < gpu->n_clients; i++) {
    struct fake_client *client = &gpu->client[i];
    uint32_t c = client->channel;
    bool accepted = false;
    if (client->blocked && !client->floods &&
        qsm_accounting_submit(accounting, c, (gpu->put[c] + 1) % FAKE_RING, &accepted))
      fail_msg("%s", qsm_accounting_error(accounting));
    if (accepted) client->blocked = false;
  }
}

void fake_run_accounting(struct fake_gpu *gpu, struct qsm_accounting *accounting, uint64_t until) {
  while (gpu->now < until) {
    uint64_t next = 0;
    if (qsm_accounting_step(accounting, &next)) fail_msg("%s", qsm_accounting_error(accounting));
    if (next > until) next = until;
    if (gpu->script && gpu->now < next) gpu->now = next;
    do {
      unblock(gpu, accounting);
      if (gpu->now < next) fake_run(gpu, gpu->now + 1);
    } while (gpu->now < next);
  }
}

// ---- Registers ----

static void snapshot(struct fake_gpu *gpu) {
  uint32_t channel = gpu->last, busy = 0;
  if (gpu->script) {
    channel = fake_segment_at(gpu, gpu->now)->channel;
    busy = fake_segment_at(gpu, gpu->now)->busy;
  }
  for (uint32_t i = 0; i < gpu->n_clients; i++) {
    uint32_t c = gpu->client[i].channel;
    if (pending(gpu, c) || on_engine(gpu, c)) busy |= 1u << c;
  }
  gpu->snap_cycle = gpu->now;
  gpu->snap_busy[0] = busy;
  gpu->snap_engine = channel | (busy >> channel % 32 & 1 ? QSM_REG_SNAP_ENGINE_BUSY_MASK : 0);
}

static void pass(struct fake_gpu *gpu) {
  gpu->n_accesses++;
  fake_run(gpu, gpu->now + gpu->access_cycles);
}

static uint32_t channel_register(const struct fake_gpu *gpu, uint32_t c, uint32_t offset) {
  switch (offset) {
    case QSM_CH_CTRL: return gpu->ctrl[c];
    case QSM_CH_RING: return 4;  // log2 of FAKE_RING
    case QSM_CH_BUSY_LO: return gpu->busy_cycles[c];
    case QSM_CH_DONE: return gpu->done[c];
    case FAKE_COUNTER: return FAKE_COUNTER_SCALE * gpu->busy_cycles[c];
    default: fail_msg("read of channel %u, offset 0x%x", c, offset); return 0;
  }
}

static uint32_t page_register(const struct fake_gpu *gpu, uint32_t c, uint32_t offset) {
  switch (offset) {
    case QSM_PAGE_PUT: return gpu->put[c];
    case QSM_PAGE_STATE: return gpu->stopped[c] ? QSM_PAGE_STATE_STOPPED_MASK : 0;
    default: fail_msg("read of page %u, offset 0x%x", c, offset); return 0;
  }
}

static int fake_read(void *ctx, uint32_t address, uint32_t *value) {
  struct fake_gpu *gpu = ctx;
  int refused = gpu->refuse && address == gpu->refuse;
  if (address == QSM_REG_SNAP_ENGINE) {
    assert_true(gpu->n_polls < FAKE_MOST_POLLS);
    gpu->poll_at[gpu->n_polls++] = gpu->snap_cycle;
    *value = gpu->snap_engine;
  } else if (address == QSM_REG_SNAP_CYCLE_LO) {
    *value = (uint32_t)gpu->snap_cycle;
  } else if (address >= QSM_REG_SNAP_BUSY0 && address <= QSM_REG_SNAP_BUSY2) {
    *value = gpu->snap_busy[(address - QSM_REG_SNAP_BUSY0) / 4];
  } else if (address >= QSM_PAGE_BASE) {
    *value = page_register(gpu, (address - QSM_PAGE_BASE) / QSM_PAGE_STRIDE,
                           (address - QSM_PAGE_BASE) % QSM_PAGE_STRIDE);
  } else {
    assert_true(address >= QSM_CH_BASE);
    *value = channel_register(gpu, (address - QSM_CH_BASE) / QSM_CH_STRIDE,
                              (address - QSM_CH_BASE) % QSM_CH_STRIDE);
  }
  pass(gpu);
  return refused;
}

static int fake_write(void *ctx, uint32_t address, uint32_t value) {
  struct fake_gpu *gpu = ctx;
  int refused = gpu->refuse && address == gpu->refuse;
  if (refused) {
    // Nothing happens.
  } else if (address == QSM_REG_FRONT_SNAP) {
    assert_int_equal(value, 1);
    snapshot(gpu);
  } else if (address >= QSM_PAGE_BASE) {
    uint32_t c = (address - QSM_PAGE_BASE) / QSM_PAGE_STRIDE;
    assert_int_equal((address - QSM_PAGE_BASE) % QSM_PAGE_STRIDE, QSM_PAGE_PUT);
    refused = fake_closed(gpu, c);
    if (!refused) gpu->put[c] = value;
  } else {
    assert_int_equal((address - QSM_CH_BASE) % QSM_CH_STRIDE, QSM_CH_CTRL);
    gpu->ctrl[(address - QSM_CH_BASE) / QSM_CH_STRIDE] = value;
  }
  pass(gpu);
  return refused;
}

static uint64_t fake_cycle(void *ctx) { return ((struct fake_gpu *)ctx)->now; }

struct qsm_accounting_device fake_device(struct fake_gpu *gpu, uint32_t n_channels) {
  return (struct qsm_accounting_device){gpu, n_channels, fake_read, fake_write, fake_cycle};
}

void fake_start(struct fake_gpu *gpu) {
  gpu->running = FAKE_NEVER;
  for (uint32_t c = 0; c < FAKE_CHANNELS; c++) gpu->ctrl[c] = QSM_CH_CTRL_ENABLE_MASK;
}

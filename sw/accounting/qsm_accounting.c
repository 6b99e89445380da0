// SPDX-License-Identifier: Apache-2.0
// Registers, settings, applications, the step.
#include "qsm_accounting.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_accounting_internal.h"
#include "qsm_regs.h"

static const struct qsm_accounting_policy policies[] = {
    {"none", qsm_accounting_step_none, false, false},
    {"loga", qsm_accounting_step_polled, true, false},
    {"neon", qsm_accounting_step_neon, false, true},
    {"loga_cl", qsm_accounting_step_polled, true, true},
    {"exact", qsm_accounting_step_exact, false, false},
};
enum { N_POLICIES = sizeof policies / sizeof *policies, ACCESSES_OF_A_POLL = 4 };

const char *const qsm_accounting_policies[] = {"none", "loga", "neon", "loga_cl", "exact", NULL};

struct qsm_accounting_settings qsm_accounting_defaults(const char *policy,
                                                       uint32_t cycles_per_microsecond) {
  return (struct qsm_accounting_settings){
      .policy = policy,
      .poll_phase = UINT64_C(1000) * cycles_per_microsecond,
      .nonpoll_phase = UINT64_C(5000) * cycles_per_microsecond,
      .poll_cycles = cycles_per_microsecond,
      .neon_poll = UINT64_C(1000) * cycles_per_microsecond,
      .drain_poll = 100 * cycles_per_microsecond,
      .schedule = true,
      .counter = QSM_CH_BUSY_LO,
      .counter_scale = 1,
      .poll_cost = cycles_per_microsecond,
  };
}

// ---- Registers ----

int qsm_accounting_fail(struct qsm_accounting *accounting, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(accounting->error, sizeof accounting->error, format, arguments);
  va_end(arguments);
  return -1;
}

int qsm_accounting_read(struct qsm_accounting *accounting, uint32_t address, uint32_t *value) {
  accounting->cost.n_reads++;
  if (accounting->device.read(accounting->device.ctx, address, value) == 0) return 0;
  return qsm_accounting_fail(accounting, "register 0x%05" PRIX32 " cannot be read", address);
}

int qsm_accounting_write(struct qsm_accounting *accounting, uint32_t address, uint32_t value) {
  accounting->cost.n_writes++;
  if (accounting->device.write(accounting->device.ctx, address, value) == 0) return 0;
  return qsm_accounting_fail(accounting, "register 0x%05" PRIX32 " does not take 0x%08" PRIX32,
                             address, value);
}

uint32_t qsm_accounting_driver(uint32_t channel, uint32_t offset) {
  return QSM_CH_BASE + QSM_CH_STRIDE * channel + offset;
}

uint32_t qsm_accounting_page(uint32_t channel, uint32_t offset) {
  return QSM_PAGE_BASE + QSM_PAGE_STRIDE * channel + offset;
}

int qsm_accounting_snapshot(struct qsm_accounting *accounting, bool with_engine,
                            struct qsm_poll *poll) {
  uint32_t engine = 0;
  *poll = (struct qsm_poll){.channel = QSM_NOBODY};
  if (qsm_accounting_write(accounting, QSM_REG_FRONT_SNAP, 1)) return -1;
  if (with_engine && (qsm_accounting_read(accounting, QSM_REG_SNAP_ENGINE, &engine) ||
                      qsm_accounting_read(accounting, QSM_REG_SNAP_CYCLE_LO, &poll->cycle)))
    return -1;
  for (uint32_t i = 0; i < QSM_BUSY_WORDS; i++)
    if (accounting->busy_words >> i & 1 &&
        qsm_accounting_read(accounting, QSM_REG_SNAP_BUSY0 + 4 * i, &poll->busy[i]))
      return -1;
  poll->engine_is_busy = (engine & QSM_REG_SNAP_ENGINE_BUSY_MASK) != 0;
  uint32_t c = (engine & QSM_REG_SNAP_ENGINE_CHANNEL_MASK) >> QSM_REG_SNAP_ENGINE_CHANNEL_SHIFT;
  if (with_engine && c < QSM_ACCOUNTING_CHANNELS && poll->busy[c / 32] >> c % 32 & 1)
    poll->channel = c;
  accounting->cost.n_polls++;
  return 0;
}

int qsm_accounting_is_busy(struct qsm_accounting *accounting,
                           const struct qsm_application *application, const uint32_t *busy,
                           bool *result) {
  *result = false;
  for (uint32_t i = 0; i < application->n_channels && !*result; i++) {
    uint32_t c = application->channel[i], state = 0;
    if (!(busy[c / 32] >> c % 32 & 1)) continue;
    if (qsm_accounting_read(accounting, qsm_accounting_page(c, QSM_PAGE_STATE), &state)) return -1;
    *result = !(state & QSM_PAGE_STATE_STOPPED_MASK);
  }
  return 0;
}

// ---- Settings ----

static const struct qsm_accounting_policy *find_policy(const char *name) {
  for (uint32_t i = 0; name && i < N_POLICIES; i++)
    if (strcmp(policies[i].name, name) == 0) return &policies[i];
  return NULL;
}

// NULL: nothing is.
static const char *what_is_wrong(const struct qsm_accounting_device *device,
                                 const struct qsm_accounting_settings *settings,
                                 const struct qsm_accounting_policy *policy) {
  if (!device->read || !device->write || !device->cycle) return "the device lacks a function";
  if (device->n_channels == 0 || device->n_channels > QSM_ACCOUNTING_CHANNELS)
    return "a device has from 1 to 96 channels";
  if (settings->poll_phase == 0) return "poll_phase is 0";
  if (settings->nonpoll_phase == 0 && !settings->poll_always) return "nonpoll_phase is 0";
  if (settings->poll_cycles == 0) return "poll_cycles is 0";
  if (settings->neon_poll == 0) return "neon_poll is 0";
  if (settings->drain_poll == 0) return "drain_poll is 0";
  if (settings->poll_phase >> 32 || settings->nonpoll_phase >> 32)
    return "the length of a phase has more than 32 bits";
  if (settings->poll_always && !policy->polls) return "poll_always is for loga and loga_cl";
  if (settings->counter % 4 || settings->counter >= QSM_CH_STRIDE)
    return "counter is no register of a channel";
  if (settings->counter_scale == 0) return "counter_scale is 0";
  return NULL;
}

int qsm_accounting_create(const struct qsm_accounting_device *device,
                          const struct qsm_accounting_settings *settings,
                          struct qsm_accounting **out, char *msg, size_t msg_len) {
  const struct qsm_accounting_policy *policy = find_policy(settings->policy);
  if (!policy) {
    snprintf(msg, msg_len, "no accounting policy %s: none, loga, neon, loga_cl, exact",
             settings->policy ? settings->policy : "(NULL)");
    return -1;
  }
  const char *wrong = what_is_wrong(device, settings, policy);
  if (wrong) {
    snprintf(msg, msg_len, "accounting: %s", wrong);
    return -1;
  }
  struct qsm_accounting *accounting = calloc(1, sizeof *accounting);
  if (!accounting) {
    snprintf(msg, msg_len, "out of memory");
    return -1;
  }
  accounting->device = *device;
  accounting->settings = *settings;
  accounting->settings.policy = policy->name;
  accounting->policy = policy;
  uint64_t mixed = (settings->seed + 1) * 0x9E3779B97F4A7C15u;
  accounting->random = mixed ? mixed : 1;
  accounting->sampled = QSM_NOBODY;
  for (uint32_t c = 0; c < QSM_ACCOUNTING_CHANNELS; c++)
    accounting->channel[c].application = QSM_NOBODY;
  *out = accounting;
  return 0;
}

void qsm_accounting_destroy(struct qsm_accounting *accounting) { free(accounting); }

const char *qsm_accounting_error(const struct qsm_accounting *accounting) {
  return accounting->error;
}

// ---- Applications ----

static int check_channels(struct qsm_accounting *accounting, const uint32_t *channels,
                          uint32_t n_channels) {
  if (n_channels == 0) return qsm_accounting_fail(accounting, "an application without channels");
  for (uint32_t i = 0; i < n_channels; i++) {
    uint32_t c = channels[i];
    if (c >= accounting->device.n_channels)
      return qsm_accounting_fail(accounting, "no channel %" PRIu32 ": the GPU has %" PRIu32, c,
                                 accounting->device.n_channels);
    if (accounting->channel[c].application != QSM_NOBODY)
      return qsm_accounting_fail(accounting, "channel %" PRIu32 " belongs to application %" PRIu32,
                                 c, accounting->channel[c].application);
    for (uint32_t j = 0; j < i; j++)
      if (channels[j] == c)
        return qsm_accounting_fail(accounting, "channel %" PRIu32 " is given twice", c);
  }
  return 0;
}

static void count_channels(struct qsm_accounting *accounting) {
  accounting->n_channels = accounting->busy_words = 0;
  for (uint32_t c = 0; c < QSM_ACCOUNTING_CHANNELS; c++) {
    if (accounting->channel[c].application == QSM_NOBODY) continue;
    accounting->n_channels++;
    accounting->busy_words |= 1u << c / 32;
  }
}

// What a policy wants to know of a channel that comes. None touches no register.
static int look_at_channel(struct qsm_accounting *accounting, uint32_t c) {
  struct qsm_channel *channel = &accounting->channel[c];
  uint32_t ring = 0;
  *channel = (struct qsm_channel){.application = QSM_NOBODY};
  if (accounting->policy->step == qsm_accounting_step_exact)
    return qsm_accounting_read(accounting, qsm_accounting_driver(c, accounting->settings.counter),
                               &channel->counter);
  if (accounting->policy->step != qsm_accounting_step_neon) return 0;
  if (qsm_accounting_read(accounting, qsm_accounting_driver(c, QSM_CH_RING), &ring)) return -1;
  channel->ring_mask = (1u << (ring & QSM_CH_RING_LOG2_MASK)) - 1;
  return 0;
}

static bool others_are_shut_out(const struct qsm_accounting *accounting) {
  return accounting->state == QSM_ACCOUNTING_DRAIN || accounting->state == QSM_ACCOUNTING_SAMPLE;
}

int qsm_accounting_add(struct qsm_accounting *accounting, const uint32_t *channels,
                       uint32_t n_channels, uint32_t *application) {
  if (check_channels(accounting, channels, n_channels)) return -1;
  for (uint32_t i = 0; i < n_channels; i++)
    if (look_at_channel(accounting, channels[i])) return -1;
  uint32_t a = 0;
  while (accounting->application[a].used) a++;  // there are as many as channels
  accounting->application[a] = (struct qsm_application){
      .used = true, .n_channels = n_channels, .virtual_time = accounting->system_time};
  for (uint32_t i = 0; i < n_channels; i++) {
    accounting->application[a].channel[i] = channels[i];
    accounting->channel[channels[i]].application = a;
  }
  count_channels(accounting);
  *application = a;
  return others_are_shut_out(accounting)
             ? qsm_accounting_set_access(accounting, a, QSM_ACCESS_BARRIER)
             : 0;
}

static struct qsm_application *find_application(struct qsm_accounting *accounting, uint32_t a) {
  if (a < QSM_ACCOUNTING_CHANNELS && accounting->application[a].used)
    return &accounting->application[a];
  qsm_accounting_fail(accounting, "no application %" PRIu32, a);
  return NULL;
}

int qsm_accounting_remove(struct qsm_accounting *accounting, uint32_t a) {
  struct qsm_application *application = find_application(accounting, a);
  if (!application) return -1;
  int failed = qsm_accounting_set_access(accounting, a, QSM_ACCESS_OPEN);
  accounting->gone += qsm_accounting_measure(accounting, application);
  application->used = false;
  for (uint32_t i = 0; i < application->n_channels; i++)
    accounting->channel[application->channel[i]].application = QSM_NOBODY;
  count_channels(accounting);
  qsm_accounting_neon_gone(accounting, a);
  return failed;
}

int qsm_accounting_reopen(struct qsm_accounting *accounting, uint32_t channel) {
  if (channel >= QSM_ACCOUNTING_CHANNELS || accounting->channel[channel].application == QSM_NOBODY)
    return qsm_accounting_fail(accounting, "channel %" PRIu32 " is no application's", channel);
  return accounting->policy->step == qsm_accounting_step_exact
             ? qsm_accounting_exact_reopen(accounting, channel)
             : 0;
}

enum qsm_accounting_access qsm_accounting_access(const struct qsm_accounting *accounting,
                                                 uint32_t a) {
  if (a >= QSM_ACCOUNTING_CHANNELS || !accounting->application[a].used) return QSM_ACCESS_CLOSED;
  uint32_t access = accounting->application[a].access;
  return access == QSM_ACCESS_BARRIER ? QSM_ACCESS_CLOSED : (enum qsm_accounting_access)access;
}

int qsm_accounting_submit(struct qsm_accounting *accounting, uint32_t channel, uint32_t put,
                          bool *accepted) {
  uint32_t a =
      channel < QSM_ACCOUNTING_CHANNELS ? accounting->channel[channel].application : QSM_NOBODY;
  if (a == QSM_NOBODY)
    return qsm_accounting_fail(accounting, "channel %" PRIu32 " is no application's", channel);
  enum qsm_accounting_access access = qsm_accounting_access(accounting, a);
  *accepted = access != QSM_ACCESS_CLOSED;
  if (access == QSM_ACCESS_CLOSED) return 0;
  if (access == QSM_ACCESS_TRAPPED) return qsm_accounting_trap(accounting, channel, put);
  return qsm_accounting_write(accounting, qsm_accounting_page(channel, QSM_PAGE_PUT), put);
}

int qsm_accounting_usage(struct qsm_accounting *accounting, uint32_t a,
                         struct qsm_accounting_usage *usage) {
  struct qsm_application *application = find_application(accounting, a);
  if (!application) return -1;
  *usage = application->usage;
  usage->virtual_time = application->virtual_time;
  if (application->access >= QSM_ACCESS_CLOSED)
    usage->suspended_cycles += accounting->last_now - application->closed_since;
  return 0;
}

void qsm_accounting_cost(const struct qsm_accounting *accounting,
                         struct qsm_accounting_cost *cost) {
  *cost = accounting->cost;
  cost->cpu_cycles =
      ((cost->n_reads + cost->n_writes) * accounting->settings.poll_cost + ACCESSES_OF_A_POLL - 1) /
      ACCESSES_OF_A_POLL;
  cost->system_time = accounting->system_time;
}

// ---- The step ----

int qsm_accounting_step_none(struct qsm_accounting *accounting, uint64_t now) {
  (void)now;
  accounting->next = UINT64_MAX;
  return 0;
}

int qsm_accounting_step(struct qsm_accounting *accounting, uint64_t *next) {
  uint64_t now = accounting->device.cycle(accounting->device.ctx);
  if (now < accounting->last_now)
    return qsm_accounting_fail(accounting, "the clock goes back from %" PRIu64 " to %" PRIu64,
                               accounting->last_now, now);
  accounting->last_now = now;
  if (now >= accounting->next && accounting->policy->step(accounting, now)) return -1;
  *next = accounting->next;
  return 0;
}

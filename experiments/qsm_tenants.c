// SPDX-License-Identifier: Apache-2.0
#include "qsm_tenants.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_arguments.h"
#include "qsm_elf.h"
#include "qsm_random.h"
#include "qsm_regs.h"
#include "qsm_rings.h"

enum {
  RING_LOG2 = 4,
  RING_COMMANDS = 1 << RING_LOG2,
  // In a tenant's memory.
  DESCRIPTOR_AT = 512,  // behind the arguments
  CODE_AT = 4096,
  PAGE_BYTES = 4096,
  LEAST_STACK_LOG2 = 4,
  WITH_IRQ = 1 << 8,
  MOST_START = 4096,   // cycles over which tenants begin
  RECOVERY_LOOK = 16,  // cycles between two looks whether a channel has been cleared
};

enum state { SLEEPS, BLOCKED, RUNS, RECOVERS, ENDED };

struct tenant {
  const struct qsm_tenant_setting *setting;
  struct qsm_tenant_outcome *outcome;
  uint32_t channel, application;
  enum state state;
  uint64_t wake, begun, submitted, blocked_since;
  bool has_begun;
  uint64_t stopped;                         // cycle
  uint64_t gone_busy, gone_sms, gone_done;  // of its channel before it was opened anew
  struct qsm_hostile_view view;
  uint32_t put, done;  // index in the ring; CH_DONE as last seen
  uint32_t base, limit, heap;
  uint32_t stack;  // STACK
  uint32_t descriptor[16];
  // Of a program.
  struct qsm_program *program;
  struct qsm_job *job;
  struct gpu *gpu;
};

struct gpu {
  const struct qsm_tenants_setting *setting;
  struct qsm_rings rings;
  struct qsm_accounting *accounting;
  struct qsm_random random;
  struct tenant tenant[QSM_MOST_TENANTS];
  uint64_t next_step;  // of the accounting
};

// ---- Registers and memory ----

static uint64_t cycle_of(struct gpu *gpu) { return qsm_rings_cycle(&gpu->rings); }

static void store(struct gpu *gpu, uint32_t address, const void *data, size_t bytes) {
  qsm_rings_store(&gpu->rings, address, data, bytes);
}

static uint64_t busy_of(struct gpu *gpu, uint32_t c) {
  return qsm_rings_counter(&gpu->rings, c, QSM_CH_BUSY_LO);
}

static int accounting_read(void *ctx, uint32_t address, uint32_t *value) {
  struct gpu *gpu = ctx;
  return gpu->rings.backend->read(gpu->rings.backend, address, value) != QSM_BACKEND_OK;
}

static int accounting_write(void *ctx, uint32_t address, uint32_t value) {
  struct gpu *gpu = ctx;
  return gpu->rings.backend->write(gpu->rings.backend, address, value) != QSM_BACKEND_OK;
}

static uint64_t accounting_cycle(void *ctx) { return cycle_of(ctx); }

// ---- A throttle's kernel: a loop whose count is its argument ----

enum { LEAST_ROUNDS = 1, SOME_ROUNDS = 1000 };

static void load_throttle(struct gpu *gpu, struct tenant *tenant) {
  const uint32_t code[] = {
      0xCCC022F3,  // csrr t0, ARG
      0xFFF28293,  // addi t0, t0, -1
      0xFE029EE3,  // bnez t0, . - 4
      0x0000100B,  // qsm.exit
  };
  uint32_t blocks = tenant->setting->blocks ? tenant->setting->blocks : 1;
  const uint32_t descriptor[16] = {
      tenant->base + CODE_AT, LEAST_ROUNDS, blocks, 1, 1, gpu->rings.config->warp_size, 1, 1};
  store(gpu, tenant->base + CODE_AT, code, sizeof code);
  memcpy(tenant->descriptor, descriptor, sizeof descriptor);
  store(gpu, tenant->base + DESCRIPTOR_AT, descriptor, sizeof descriptor);
}

// ---- A program of the suite ----

static uint32_t job_alloc(void *ctx, size_t bytes) {
  struct tenant *tenant = ctx;
  uint32_t address = tenant->heap, rounded = ((uint32_t)bytes + 255) & ~255u;
  if (rounded > tenant->limit - tenant->heap) return 0;
  tenant->heap += rounded;
  return address;
}

static void job_write(void *ctx, uint32_t address, const void *from, size_t bytes) {
  store(((struct tenant *)ctx)->gpu, address, from, bytes);
}

static void job_read(void *ctx, uint32_t address, void *to, size_t bytes) {
  struct gpu *gpu = ((struct tenant *)ctx)->gpu;
  gpu->rings.backend->mem_read(gpu->rings.backend, address, to, bytes);
}

// The most that a kernel of the program needs, of all threads that can be live (docs/isa.md
// I-MEM-6).
static int take_stacks(struct gpu *gpu, struct tenant *tenant) {
  const struct qsm_config *config = gpu->rings.config;
  struct qsm_suite_launch launch = {0};
  uint32_t most = 0, log2 = LEAST_STACK_LOG2;
  while (qsm_suite_next(tenant->job, &launch)) {
    const struct qsm_kernel *kernel = qsm_program_kernel(tenant->program, launch.symbol);
    if (!kernel) return qsm_rings_fail(&gpu->rings, "no kernel %s", launch.symbol);
    if (kernel->stack_bytes > most) most = kernel->stack_bytes;
  }
  if (most == 0) return 0;
  while (1u << log2 < most) log2++;
  uint32_t threads =
      (config->num_sms + config->num_images) * config->warps_per_sm * config->warp_size;
  uint32_t align = config->warp_size << log2 > PAGE_BYTES ? config->warp_size << log2 : PAGE_BYTES;
  uint32_t at = (tenant->heap + align - 1) / align * align;
  if (at > tenant->limit || (uint64_t)threads << log2 > tenant->limit - at)
    return qsm_rings_fail(&gpu->rings, "%s: no room for stacks", tenant->setting->program);
  tenant->heap = at + (threads << log2);
  tenant->stack = at | log2;
  return 0;
}

static int load_program(struct gpu *gpu, struct tenant *tenant) {
  const struct qsm_tenant_setting *setting = tenant->setting;
  const struct qsm_suite_program *program = qsm_suite_find(setting->program);
  char path[1024], msg[256];
  if (!program) return qsm_rings_fail(&gpu->rings, "the suite has no program %s", setting->program);
  snprintf(path, sizeof path, "%s/%s.elf", gpu->setting->programs, setting->program);
  if (qsm_program_load(path, &tenant->program, msg, sizeof msg))
    return qsm_rings_fail(&gpu->rings, "%s", msg);
  store(gpu, tenant->base + CODE_AT, qsm_program_image(tenant->program),
        qsm_program_image_bytes(tenant->program));
  tenant->heap =
      tenant->base + CODE_AT + ((qsm_program_image_bytes(tenant->program) + 4095) & ~4095u);
  const struct qsm_suite_mem memory = {tenant, job_alloc, job_write, job_read, NULL};
  tenant->job = qsm_suite_create(program, &memory, gpu->setting->seed, setting->size);
  if (!tenant->job)
    return qsm_rings_fail(&gpu->rings, "%s of size %s: no room in %" PRIu32 " bytes",
                          setting->program, qsm_suite_size_names[setting->size],
                          tenant->limit - tenant->base);
  qsm_suite_begin(tenant->job);
  if (take_stacks(gpu, tenant)) return -1;
  qsm_suite_begin(tenant->job);
  return 0;
}

// What the launch puts before the kernel (docs/isa.md, I-ENT-1), and its descriptor.
static int write_launch(struct gpu *gpu, struct tenant *tenant,
                        const struct qsm_suite_launch *launch) {
  const struct qsm_kernel *kernel = qsm_program_kernel(tenant->program, launch->symbol);
  struct qsm_entry_arguments arguments;
  uint32_t n_args = 8;
  char msg[256];
  if (!kernel) return qsm_rings_fail(&gpu->rings, "no kernel %s", launch->symbol);
  if (kernel->signature && kernel->n_arguments < n_args) n_args = kernel->n_arguments;
  if (qsm_arguments_of_words(kernel, launch->args, n_args, &arguments, msg, sizeof msg))
    return qsm_rings_fail(&gpu->rings, "%s", msg);
  uint32_t block[2 + QSM_ARGUMENT_REGISTERS] = {tenant->base + CODE_AT + kernel->offset,
                                                arguments.n_stack_bytes};
  memcpy(block + 2, arguments.registers, sizeof arguments.registers);
  store(gpu, tenant->base, block, sizeof block);
  const uint32_t descriptor[16] = {
      tenant->base + CODE_AT + qsm_program_entry(tenant->program),
      tenant->base,
      launch->grid[0],
      launch->grid[1],
      launch->grid[2],
      launch->block[0],
      launch->block[1],
      launch->block[2],
      launch->shared_bytes + qsm_program_shared_bytes(tenant->program)};
  store(gpu, tenant->base + DESCRIPTOR_AT, descriptor, sizeof descriptor);
  return 0;
}

// ---- Channels ----

// The first tenant's code, its launches' descriptor too, is what the others may not touch.
static void load_hostile(struct gpu *gpu, struct tenant *tenant) {
  tenant->view = (struct qsm_hostile_view){.rings = &gpu->rings,
                                           .random = &gpu->random,
                                           .channel = tenant->channel,
                                           .base = tenant->base,
                                           .limit = tenant->limit,
                                           .victim = gpu->tenant[0].base + DESCRIPTOR_AT};
  if (tenant->setting->hostile->prepare) tenant->setting->hostile->prepare(&tenant->view);
}

static int open_channel(struct gpu *gpu, struct tenant *tenant) {
  const struct qsm_hostile *hostile = tenant->setting->hostile;
  const struct qsm_ring_setting setting = {
      .base = tenant->base,
      .data = tenant->base + (hostile           ? (uint32_t)QSM_HOSTILE_DATA_AT
                              : tenant->program ? CODE_AT + qsm_program_code_bytes(tenant->program)
                                                : (uint32_t)CODE_AT + CODE_AT),
      .limit = tenant->limit,
      .stack = tenant->stack,
      .log2 = hostile ? QSM_RING_MOST_LOG2 : RING_LOG2,
      .limit_cycles = hostile ? hostile->limit_cycles : 0};
  return qsm_rings_enable(&gpu->rings, tenant->channel, &setting);
}

static int open_tenant(struct gpu *gpu, uint32_t i, uint32_t bytes) {
  struct tenant *tenant = &gpu->tenant[i];
  tenant->gpu = gpu;
  tenant->setting = &gpu->setting->tenant[i];
  tenant->channel = i;
  tenant->base = (uint32_t)QSM_RINGS_MEMORY + QSM_RINGS_TENANTS_AT + bytes * i;
  tenant->limit = tenant->base + bytes;
  tenant->wake = qsm_random_below(&gpu->random, MOST_START);
  if (tenant->setting->hostile)
    load_hostile(gpu, tenant);
  else if (!tenant->setting->program)
    load_throttle(gpu, tenant);
  else if (load_program(gpu, tenant))
    return -1;
  return open_channel(gpu, tenant);
}

static int open_all(struct gpu *gpu) {
  const struct qsm_tenants_setting *setting = gpu->setting;
  uint64_t bytes = (gpu->rings.config->mem_bytes - QSM_RINGS_TENANTS_AT) / setting->n_tenants &
                   ~UINT64_C(0xFFFF);
  if (bytes > UINT32_C(1) << 26) bytes = UINT32_C(1) << 26;
  for (uint32_t i = 0; i < setting->n_tenants; i++)
    if (open_tenant(gpu, i, (uint32_t)bytes)) return -1;
  for (uint32_t i = 0; i < setting->n_tenants; i++)
    if (qsm_rings_wait_cleared(&gpu->rings, i)) return -1;
  return 0;
}

// ---- Submission ----

static void add_command(struct gpu *gpu, struct tenant *tenant) {
  const uint32_t command[8] = {QSM_CMD_LAUNCH | WITH_IRQ, tenant->base + DESCRIPTOR_AT};
  qsm_rings_command(&gpu->rings, tenant->channel, tenant->put, command);
  tenant->put = (tenant->put + 1) % RING_COMMANDS;
}

static void begins(struct gpu *gpu, struct tenant *tenant) {
  tenant->submitted = cycle_of(gpu);
  if (!tenant->has_begun) tenant->begun = tenant->submitted;
  tenant->has_begun = true;
}

// The write of PUT, by the tenant itself or by the handler of refused ones.
static int move_put(struct gpu *gpu, struct tenant *tenant) {
  bool accepted = false;
  begins(gpu, tenant);
  if (qsm_accounting_submit(gpu->accounting, tenant->channel, tenant->put, &accepted))
    return qsm_rings_fail(&gpu->rings, "%s", qsm_accounting_error(gpu->accounting));
  if (tenant->state == BLOCKED && accepted)
    tenant->outcome->blocked += cycle_of(gpu) - tenant->blocked_since;
  if (tenant->state != BLOCKED && !accepted) tenant->blocked_since = cycle_of(gpu);
  tenant->state = accepted ? RUNS : BLOCKED;
  return 0;
}

// The tenant writes PUT; refused, it asks the handler.
static int submit(struct gpu *gpu, struct tenant *tenant) {
  if (qsm_accounting_access(gpu->accounting, tenant->application) != QSM_ACCESS_OPEN)
    return move_put(gpu, tenant);
  begins(gpu, tenant);
  tenant->state = RUNS;
  return qsm_rings_put(&gpu->rings, qsm_rings_page(tenant->channel, QSM_PAGE_PUT), tenant->put);
}

static int launch_throttle(struct gpu *gpu, struct tenant *tenant) {
  uint32_t n = 1;
  if (tenant->setting->floods) {
    uint32_t get = qsm_rings_peek(&gpu->rings, qsm_rings_page(tenant->channel, QSM_PAGE_GET));
    n = (get - tenant->put - 1) % RING_COMMANDS;
  }
  for (uint32_t i = 0; i < n; i++) add_command(gpu, tenant);
  return submit(gpu, tenant);
}

static int end_pass(struct gpu *gpu, struct tenant *tenant) {
  const struct qsm_tenant_setting *setting = tenant->setting;
  uint64_t n_wrong = qsm_suite_check(tenant->job);
  if (n_wrong)
    return qsm_rings_fail(&gpu->rings, "%s: %" PRIu64 " outputs are wrong", setting->program,
                          n_wrong);
  tenant->outcome->n_passes++;
  if (setting->passes && tenant->outcome->n_passes == setting->passes) {
    tenant->state = ENDED;
    tenant->outcome->turnaround = cycle_of(gpu) - tenant->begun;
    return 0;
  }
  qsm_suite_begin(tenant->job);
  tenant->state = SLEEPS;
  tenant->wake = cycle_of(gpu) + setting->pass_sleep;
  return 0;
}

static void act_hostile(struct gpu *gpu, struct tenant *tenant) {
  begins(gpu, tenant);
  tenant->setting->hostile->act(&tenant->view);
  tenant->wake = tenant->submitted + tenant->setting->hostile->every;
}

static int launch_next(struct gpu *gpu, struct tenant *tenant) {
  struct qsm_suite_launch launch = {0};
  if (tenant->setting->hostile) {
    act_hostile(gpu, tenant);
    return 0;
  }
  if (!tenant->job) return launch_throttle(gpu, tenant);
  if (!qsm_suite_next(tenant->job, &launch)) return end_pass(gpu, tenant);
  if (write_launch(gpu, tenant, &launch)) return -1;
  add_command(gpu, tenant);
  return submit(gpu, tenant);
}

// ---- A channel that was stopped ----

// It keeps what the accounting has set in CH_CTRL.
static int open_anew(struct gpu *gpu, struct tenant *tenant) {
  uint32_t ctrl_at = qsm_rings_driver(tenant->channel, QSM_CH_CTRL),
           ctrl = qsm_rings_peek(&gpu->rings, ctrl_at);
  if (qsm_accounting_reopen(gpu->accounting, tenant->channel))
    return qsm_rings_fail(&gpu->rings, "%s", qsm_accounting_error(gpu->accounting));
  tenant->gone_busy += busy_of(gpu, tenant->channel);
  tenant->gone_sms += qsm_rings_counter(&gpu->rings, tenant->channel, QSM_CH_SM_LO);
  tenant->gone_done += qsm_rings_peek(&gpu->rings, qsm_rings_driver(tenant->channel, QSM_CH_DONE));
  tenant->view.put = 0;
  return qsm_rings_put(&gpu->rings, ctrl_at, ctrl & ~(uint32_t)QSM_CH_CTRL_ENABLE_MASK) ||
                 qsm_rings_put(&gpu->rings, ctrl_at, ctrl)
             ? -1
             : 0;
}

static int record_stop(struct gpu *gpu, struct tenant *tenant, uint32_t error) {
  uint32_t code = error & QSM_CH_ERROR_CODE_MASK;
  uint64_t busy = busy_of(gpu, tenant->channel);
  tenant->outcome->stops |= 1u << code;
  tenant->outcome->n_stops++;
  tenant->stopped = cycle_of(gpu);
  if (code == QSM_STOP_TIMEOUT && busy > tenant->outcome->longest_killed)
    tenant->outcome->longest_killed = busy;
  tenant->state = RECOVERS;
  tenant->wake = tenant->stopped + RECOVERY_LOOK;
  return open_anew(gpu, tenant);
}

static void look_at_recovery(struct gpu *gpu, struct tenant *tenant) {
  uint64_t now = cycle_of(gpu);
  tenant->wake = now + RECOVERY_LOOK;
  if (qsm_rings_is_fresh(&gpu->rings, tenant->channel)) return;
  if (now - tenant->stopped > tenant->outcome->longest_recovery)
    tenant->outcome->longest_recovery = now - tenant->stopped;
  tenant->state = SLEEPS;
  tenant->wake = now + tenant->setting->hostile->every;
}

// ---- Ends ----

static int end_launches(struct gpu *gpu, struct tenant *tenant) {
  uint32_t c = tenant->channel,
           done = qsm_rings_peek(&gpu->rings, qsm_rings_driver(c, QSM_CH_DONE)),
           error = qsm_rings_peek(&gpu->rings, qsm_rings_driver(c, QSM_CH_ERROR));
  if (tenant->state == RECOVERS) return 0;
  if (tenant->setting->hostile) return error ? record_stop(gpu, tenant, error) : 0;
  if (error)
    return qsm_rings_fail(
        &gpu->rings, "tenant %" PRIu32 ", %s: its channel was stopped, CH_ERROR 0x%08" PRIX32, c,
        tenant->setting->program ? tenant->setting->program : "throttle", error);
  tenant->outcome->n_launches += done - tenant->done;
  if (done == tenant->done) return 0;
  tenant->done = done;
  if (cycle_of(gpu) - tenant->submitted > tenant->outcome->longest)
    tenant->outcome->longest = cycle_of(gpu) - tenant->submitted;
  if (tenant->state == BLOCKED) return 0;  // of one that floods
  uint64_t sleep = tenant->job ? 0 : tenant->setting->sleep_cycles;
  if (!tenant->setting->floods && sleep < gpu->setting->host_cycles)
    sleep = gpu->setting->host_cycles;
  tenant->state = SLEEPS;
  tenant->wake = cycle_of(gpu) + sleep;
  if (tenant->wake < tenant->submitted + tenant->setting->period_cycles)
    tenant->wake = tenant->submitted + tenant->setting->period_cycles;
  return 0;
}

static int serve(struct gpu *gpu) {
  for (uint32_t word = 0; 32 * word < gpu->setting->n_tenants; word++) {
    uint32_t pending = 0;
    if (gpu->rings.backend->read(gpu->rings.backend, QSM_REG_FRONT_IRQ0 + 4 * word, &pending) !=
        QSM_BACKEND_OK)
      return qsm_rings_fail(&gpu->rings, "FRONT_IRQ%" PRIu32 " cannot be read", word);
    if (pending && qsm_rings_put(&gpu->rings, QSM_REG_FRONT_IRQ0 + 4 * word, pending)) return -1;
    for (uint32_t i = 0; i < 32; i++)
      if (pending >> i & 1 && end_launches(gpu, &gpu->tenant[32 * word + i])) return -1;
  }
  return 0;
}

// ---- Time ----

static int account(struct gpu *gpu) {
  if (qsm_accounting_step(gpu->accounting, &gpu->next_step))
    return qsm_rings_fail(&gpu->rings, "%s", qsm_accounting_error(gpu->accounting));
  for (uint32_t i = 0; i < gpu->setting->n_tenants; i++) {
    struct tenant *tenant = &gpu->tenant[i];
    if (tenant->state == BLOCKED &&
        qsm_accounting_access(gpu->accounting, tenant->application) != QSM_ACCESS_CLOSED &&
        move_put(gpu, tenant))
      return -1;
  }
  return 0;
}

static int act(struct gpu *gpu) {
  for (uint32_t i = 0; i < gpu->setting->n_tenants; i++) {
    struct tenant *tenant = &gpu->tenant[i];
    if (tenant->wake > cycle_of(gpu)) continue;
    if (tenant->state == RECOVERS) look_at_recovery(gpu, tenant);
    if (tenant->state == SLEEPS && tenant->wake <= cycle_of(gpu) && launch_next(gpu, tenant))
      return -1;
  }
  return 0;
}

static uint64_t next_event(const struct gpu *gpu, uint64_t end) {
  uint64_t next = gpu->next_step < end ? gpu->next_step : end;
  for (uint32_t i = 0; i < gpu->setting->n_tenants; i++) {
    const struct tenant *tenant = &gpu->tenant[i];
    bool waits = tenant->state == SLEEPS || tenant->state == RECOVERS;
    if (waits && tenant->wake < next) next = tenant->wake;
  }
  return next;
}

static int run_on(struct gpu *gpu, uint64_t until) {
  uint64_t now = cycle_of(gpu), ran = 0;
  if (until <= now) return 0;
  if (gpu->rings.backend->run(gpu->rings.backend, until - now, true, &ran) != QSM_BACKEND_OK)
    return qsm_rings_fail(&gpu->rings, "%s", gpu->rings.backend->error(gpu->rings.backend));
  return ran < until - now ? serve(gpu) : 0;
}

static int run_all(struct gpu *gpu) {
  uint64_t end = cycle_of(gpu) + gpu->setting->n_cycles;
  while (gpu->tenant[0].state != ENDED && cycle_of(gpu) < end) {
    if (cycle_of(gpu) >= gpu->next_step && account(gpu)) return -1;
    if (act(gpu)) return -1;
    if (gpu->tenant[0].state != ENDED && run_on(gpu, next_event(gpu, end))) return -1;
  }
  return 0;
}

// ---- A run ----

static int open_accounting(struct gpu *gpu) {
  const struct qsm_accounting_device device = {gpu, gpu->rings.config->cmd_channels,
                                               accounting_read, accounting_write, accounting_cycle};
  if (qsm_accounting_create(&device, &gpu->setting->accounting, &gpu->accounting, gpu->rings.msg,
                            gpu->rings.msg_len))
    return -1;
  for (uint32_t i = 0; i < gpu->setting->n_tenants; i++)
    if (qsm_accounting_add(gpu->accounting, &gpu->tenant[i].channel, 1,
                           &gpu->tenant[i].application))
      return qsm_rings_fail(&gpu->rings, "%s", qsm_accounting_error(gpu->accounting));
  return 0;
}

static int check(struct gpu *gpu) {
  const struct qsm_tenants_setting *setting = gpu->setting;
  if (setting->n_tenants == 0) return qsm_rings_fail(&gpu->rings, "no tenants");
  if (setting->n_tenants > gpu->rings.config->cmd_channels)
    return qsm_rings_fail(
        &gpu->rings, "%" PRIu32 " tenants, configuration %s has %" PRIu32 " command channels",
        setting->n_tenants, gpu->rings.config->name, gpu->rings.config->cmd_channels);
  if (gpu->rings.config->l2_kib || gpu->rings.config->l1_kib)
    return qsm_rings_fail(&gpu->rings,
                          "configuration %s has caches, which would have to be flushed",
                          gpu->rings.config->name);
  return 0;
}

// Rounds of a throttle's loop, so that its kernel runs for as long as it is set to: CH_BUSY is
// linear in them, which two launches tell. Defined below, with runs of its own.
static int set_rounds(struct gpu *gpu, struct tenant *tenant);

static void collect(struct gpu *gpu, struct qsm_tenants_outcome *outcome) {
  qsm_accounting_cost(gpu->accounting, &outcome->cost);
  for (uint32_t i = 0; i < gpu->setting->n_tenants; i++) {
    struct tenant *tenant = &gpu->tenant[i];
    tenant->outcome->busy = tenant->gone_busy + busy_of(gpu, tenant->channel);
    tenant->outcome->sm_cycles =
        tenant->gone_sms + qsm_rings_counter(&gpu->rings, tenant->channel, QSM_CH_SM_LO);
    tenant->outcome->n_refused = tenant->view.n_refused;
    if (tenant->setting->hostile)
      tenant->outcome->n_launches =
          tenant->gone_done +
          qsm_rings_peek(&gpu->rings, qsm_rings_driver(tenant->channel, QSM_CH_DONE));
    if (tenant->state == BLOCKED) tenant->outcome->blocked += cycle_of(gpu) - tenant->blocked_since;
    if (tenant->state != ENDED && tenant->has_begun)
      tenant->outcome->turnaround = cycle_of(gpu) - tenant->begun;
    qsm_accounting_usage(gpu->accounting, tenant->application, &tenant->outcome->usage);
  }
}

static void close_all(struct gpu *gpu) {
  for (uint32_t i = 0; i < QSM_MOST_TENANTS; i++) {
    if (gpu->tenant[i].job) qsm_suite_destroy(gpu->tenant[i].job);
    qsm_program_free(gpu->tenant[i].program);
  }
  qsm_accounting_destroy(gpu->accounting);
  if (gpu->rings.backend) gpu->rings.backend->close(gpu->rings.backend);
  free(gpu);
}

static struct gpu *new_gpu(const struct qsm_tenants_setting *setting,
                           struct qsm_tenants_outcome *outcome, char *msg, size_t msg_len) {
  struct gpu *gpu = calloc(1, sizeof *gpu);
  memset(outcome, 0, sizeof *outcome);
  if (!gpu) {
    snprintf(msg, msg_len, "out of memory");
    return NULL;
  }
  gpu->setting = setting;
  gpu->rings.config = setting->config;
  gpu->rings.msg = msg;
  gpu->rings.msg_len = msg_len;
  gpu->random = qsm_random_seed(setting->seed);
  for (uint32_t i = 0; i < QSM_MOST_TENANTS; i++) gpu->tenant[i].outcome = &outcome->tenant[i];
  return gpu;
}

static int open_gpu(struct gpu *gpu) {
  return check(gpu) || qsm_rings_open(&gpu->rings, NULL, gpu->setting->concurrent) || open_all(gpu)
             ? -1
             : 0;
}

int qsm_tenants_run(const struct qsm_tenants_setting *setting, struct qsm_tenants_outcome *outcome,
                    char *msg, size_t msg_len) {
  struct gpu *gpu = new_gpu(setting, outcome, msg, msg_len);
  if (!gpu) return -1;
  int failed = open_gpu(gpu);
  for (uint32_t i = 0; !failed && i < setting->n_tenants; i++)
    if (!setting->tenant[i].program && !setting->tenant[i].hostile)
      failed = set_rounds(gpu, &gpu->tenant[i]);
  uint64_t begun = 0;
  if (!failed) begun = cycle_of(gpu);
  for (uint32_t i = 0; !failed && i < setting->n_tenants; i++) gpu->tenant[i].wake += begun;
  if (!failed) failed = open_accounting(gpu) || run_all(gpu) ? -1 : 0;
  if (!failed) {
    outcome->n_cycles = cycle_of(gpu) - begun;
    collect(gpu, outcome);
  }
  close_all(gpu);
  return failed;
}

// ---- The length of a throttle's kernel ----

// Cycles of a launch of so many rounds, on a GPU of its own.
static int measure_rounds(const struct qsm_config *config, uint32_t blocks, uint32_t rounds,
                          uint64_t *n_cycles, char *msg, size_t msg_len) {
  const struct qsm_tenant_setting throttle = {.blocks = blocks};
  const struct qsm_tenants_setting setting = {
      .config = config, .tenant = &throttle, .n_tenants = 1};
  struct qsm_tenants_outcome *outcome = malloc(sizeof *outcome);
  struct gpu *gpu = outcome ? new_gpu(&setting, outcome, msg, msg_len) : NULL;
  int failed = gpu ? open_gpu(gpu) : -1;
  // The last one finds its context in the slot and its code in the cache of whatever SM.
  for (uint32_t i = 0; !failed && i < 2 * config->num_sms; i++) {
    struct tenant *tenant = &gpu->tenant[0];
    uint64_t ran, before = busy_of(gpu, 0);
    store(gpu, tenant->base + DESCRIPTOR_AT + 4, &rounds, sizeof rounds);
    add_command(gpu, tenant);
    failed = qsm_rings_put(&gpu->rings, qsm_rings_page(0, QSM_PAGE_PUT), tenant->put);
    if (!failed &&
        (gpu->rings.backend->run(gpu->rings.backend, UINT32_MAX, true, &ran) != QSM_BACKEND_OK ||
         ran == UINT32_MAX))
      failed = qsm_rings_fail(&gpu->rings, "a throttle's kernel does not end");
    if (!failed) failed = serve(gpu);
    if (!failed) *n_cycles = busy_of(gpu, 0) - before;
  }
  if (gpu) close_all(gpu);
  free(outcome);
  return failed;
}

int qsm_tenants_least(const struct qsm_config *config, uint64_t *n_cycles, char *msg,
                      size_t msg_len) {
  return measure_rounds(config, 1, LEAST_ROUNDS, n_cycles, msg, msg_len);
}

static int set_rounds(struct gpu *gpu, struct tenant *tenant) {
  uint64_t least = 0, some = 0, wanted = tenant->setting->kernel_cycles;
  uint32_t blocks = tenant->setting->blocks;
  // Throttles of one kind follow each other.
  const struct tenant *before = tenant - 1;
  if (tenant != gpu->tenant && !before->setting->program && !before->setting->hostile &&
      before->setting->kernel_cycles == wanted && before->setting->blocks == blocks) {
    tenant->descriptor[1] = before->descriptor[1];
  } else {
    if (measure_rounds(gpu->rings.config, blocks, LEAST_ROUNDS, &least, gpu->rings.msg,
                       gpu->rings.msg_len) ||
        measure_rounds(gpu->rings.config, blocks, SOME_ROUNDS, &some, gpu->rings.msg,
                       gpu->rings.msg_len))
      return -1;
    if (wanted < least)
      return qsm_rings_fail(&gpu->rings,
                            "a throttle's kernel takes at least %" PRIu64 " cycles, not %" PRIu64,
                            least, wanted);
    tenant->descriptor[1] =
        LEAST_ROUNDS +
        (uint32_t)(((wanted - least) * (SOME_ROUNDS - LEAST_ROUNDS) + (some - least) / 2) /
                   (some - least));  // the nearest
  }
  store(gpu, tenant->base + DESCRIPTOR_AT, tenant->descriptor, sizeof tenant->descriptor);
  return 0;
}

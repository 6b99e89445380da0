// SPDX-License-Identifier: Apache-2.0
#include "qsm_bare.h"

#include <stddef.h>

#include "qsm_regs.h"

enum {
  PAGE_BYTES = 4096,
  ALLOC_ALIGN = 256,
  ARGS_STRIDE = 128,  // the longest line: no block of arguments shares one with another's
  LEAST_STACK_LOG2 = 4,
  MOST_STACK_LOG2 = 16,
  MOST_TRIES = 10000,  // of a register that is closed for a moment
  GPU_ID = 0x51534D31
};

static uint32_t align_up(uint32_t value, uint32_t align) {
  return (value + align - 1) / align * align;
}

// ---- Registers ----

static const char *write_register(const struct qsm_bare *gpu, uint32_t address, uint32_t value) {
  return gpu->bus->write(gpu->bus->context, address, value) ? NULL
                                                            : "the GPU refused a register's value";
}

// Of a register that is closed while the GPU computes quotas (R-CP-3).
static const char *write_quiet(const struct qsm_bare *gpu, uint32_t address, uint32_t value) {
  const char *error = NULL;
  for (uint32_t tries = 0; tries < MOST_TRIES; tries++) {
    error = write_register(gpu, address, value);
    if (!error) break;
  }
  return error;
}

static const char *read_register(const struct qsm_bare *gpu, uint32_t address, uint32_t *value) {
  return gpu->bus->read(gpu->bus->context, address, value) ? NULL : "the GPU has no such register";
}

static uint32_t slot_register(const struct qsm_bare_tenant *tenant, uint32_t offset) {
  return QSM_SLOT_BASE + tenant->slot * QSM_SLOT_STRIDE + offset;
}

static const char *write_slot(const struct qsm_bare_tenant *tenant, uint32_t offset,
                              uint32_t value) {
  return write_register(tenant->gpu, slot_register(tenant, offset), value);
}

static const char *read_slot(const struct qsm_bare_tenant *tenant, uint32_t offset,
                             uint32_t *value) {
  return read_register(tenant->gpu, slot_register(tenant, offset), value);
}

struct slot_value {
  uint32_t offset, value;
};

static const char *write_slots(const struct qsm_bare_tenant *tenant,
                               const struct slot_value *values, size_t n) {
  const char *error = NULL;
  for (size_t i = 0; !error && i < n; i++)
    error = write_slot(tenant, values[i].offset, values[i].value);
  return error;
}
#define WRITE_SLOTS(tenant, values) write_slots(tenant, values, sizeof(values) / sizeof *(values))

// ---- The GPU ----

#define FIELD(value, name) (((value) & name##_MASK) >> name##_SHIFT)

const char *qsm_bare_open(struct qsm_bare *gpu, const struct qsm_bare_bus *bus) {
  uint32_t id = 0, config0 = 0, config1 = 0, config2 = 0, config3 = 0;
  *gpu = (struct qsm_bare){.bus = bus};
  const char *error = read_register(gpu, QSM_REG_ID, &id);
  if (error || id != GPU_ID) return "no GPU at the control port: register ID is another";
  error = read_register(gpu, QSM_REG_CONFIG0, &config0);
  if (!error) error = read_register(gpu, QSM_REG_CONFIG1, &config1);
  if (!error) error = read_register(gpu, QSM_REG_CONFIG2, &config2);
  if (!error) error = read_register(gpu, QSM_REG_CONFIG3, &config3);
  if (!error) error = read_register(gpu, QSM_REG_EPOCH_LEN, &gpu->epoch_cycles);
  struct qsm_config *config = &gpu->config;
  config->num_sms = FIELD(config0, QSM_REG_CONFIG0_NUM_SMS);
  config->num_sched = FIELD(config0, QSM_REG_CONFIG0_NUM_SCHED);
  config->warps_per_sm = FIELD(config0, QSM_REG_CONFIG0_WARPS_PER_SM);
  config->warp_size = FIELD(config0, QSM_REG_CONFIG0_WARP_SIZE);
  config->num_kernels = FIELD(config1, QSM_REG_CONFIG1_NUM_KERNELS);
  config->max_tbs = FIELD(config1, QSM_REG_CONFIG1_MAX_TBS);
  config->num_images = FIELD(config3, QSM_REG_CONFIG3_NUM_IMAGES);
  config->shared_bytes = config2;
  return error;
}

const char *qsm_bare_schedule(struct qsm_bare *gpu, uint32_t policy, uint32_t scheme,
                              uint32_t epoch_cycles) {
  const char *error = write_register(gpu, QSM_REG_POLICY, policy);
  if (!error) error = write_quiet(gpu, QSM_REG_SCHEME, scheme);
  if (!error) error = write_quiet(gpu, QSM_REG_EPOCH_LEN, epoch_cycles);
  if (!error) gpu->epoch_cycles = epoch_cycles;
  return error;
}

const char *qsm_bare_adjust(struct qsm_bare *gpu, uint32_t technique) {
  const char *error = write_register(gpu, QSM_REG_ADJUST_TECHNIQUE, technique);
  return error ? error : write_register(gpu, QSM_REG_ADJUST, 1);
}

const char *qsm_bare_ended(struct qsm_bare *gpu, uint32_t *slots) {
  const char *error = read_register(gpu, QSM_REG_IRQ, slots);
  return error ? error : write_register(gpu, QSM_REG_IRQ, *slots);
}

const char *qsm_bare_flush(struct qsm_bare *gpu) {
  uint32_t busy = 1;
  const char *error = write_register(gpu, QSM_REG_L2_FLUSH, 1);
  while (!error && busy) error = read_register(gpu, QSM_REG_L2_FLUSH, &busy);
  return error;
}

// ---- Tenants ----

// From `base` on: a page of arguments, the code, and on the page after it data and what is
// allocated. Kernels read and execute the first two, and read and write the rest (P-ELF-2).
static const char *install(struct qsm_bare_tenant *tenant) {
  const struct qsm_bare_program *program = tenant->program;
  const struct qsm_bare_bus *bus = tenant->gpu->bus;
  uint32_t data = tenant->program_at + program->code_bytes;
  const struct slot_value values[] = {
      {QSM_SLOT_WIN0_BASE, tenant->base},
      {QSM_SLOT_WIN0_LIMIT, data},
      {QSM_SLOT_WIN0_RIGHTS, QSM_SLOT_WIN0_RIGHTS_READ_MASK | QSM_SLOT_WIN0_RIGHTS_EXECUTE_MASK},
      {QSM_SLOT_WIN1_BASE, data},
      {QSM_SLOT_WIN1_LIMIT, tenant->limit},
      {QSM_SLOT_WIN1_RIGHTS, QSM_SLOT_WIN1_RIGHTS_READ_MASK | QSM_SLOT_WIN1_RIGHTS_WRITE_MASK},
      {QSM_SLOT_ENTRY, tenant->program_at + program->entry},
  };
  bus->put(bus->context, tenant->program_at, program->image, program->image_bytes);
  const char *error = WRITE_SLOTS(tenant, values);
  if (!error) error = write_register(tenant->gpu, QSM_REG_ICACHE_INV, 1);
  return error ? error : qsm_bare_flush(tenant->gpu);  // of a tenant that had the memory before
}

const char *qsm_bare_arrive(struct qsm_bare_tenant *tenant, struct qsm_bare *gpu, uint32_t slot,
                            uint32_t base, uint32_t limit, const struct qsm_bare_program *program) {
  uint32_t bytes = PAGE_BYTES + align_up(program->image_bytes, PAGE_BYTES);
  if (slot >= gpu->config.num_kernels) return "the GPU has no such slot";
  if (base % PAGE_BYTES || limit % PAGE_BYTES || limit - base < bytes + PAGE_BYTES)
    return "the tenant's memory has no room for its program, or does not begin and end at pages";
  *tenant = (struct qsm_bare_tenant){.gpu = gpu,
                                     .slot = slot,
                                     .base = base,
                                     .limit = limit,
                                     .program = program,
                                     .program_at = base + PAGE_BYTES,
                                     .free_at = base + bytes,
                                     .args_at = base};
  if (tenant->free_at < tenant->program_at + program->code_bytes)
    tenant->free_at = tenant->program_at + program->code_bytes;
  const char *error = install(tenant);
  return error ? error
               : write_quiet(gpu, slot_register(tenant, QSM_SLOT_CTX), QSM_SLOT_CTX_VALID_MASK);
}

const char *qsm_bare_leave(struct qsm_bare_tenant *tenant) {
  const char *error = write_quiet(tenant->gpu, slot_register(tenant, QSM_SLOT_CTX), 0);
  return error ? error : qsm_bare_flush(tenant->gpu);
}

// ceil(value / divisor), which has at most 16 bits, of 48 bits; as two divisions of words, since
// some CPUs have no library for more.
static uint64_t divide_up(uint64_t value, uint32_t divisor) {
  value += divisor - 1;
  uint32_t high = (uint32_t)(value >> 16), low = (uint32_t)(value & 0xFFFF);
  return ((uint64_t)(high / divisor) << 16) + ((high % divisor << 16 | low) / divisor);
}

// As libqsm writes it: ceil(goal * T / SMs), of a tenant without a goal ceil(T / SMs).
static uint32_t first_quota(const struct qsm_bare_tenant *tenant, uint32_t ipc_q16) {
  const struct qsm_bare *gpu = tenant->gpu;
  uint64_t rate = ipc_q16 ? ipc_q16 : UINT32_C(1) << 16;
  uint64_t of_gpu = (rate * gpu->epoch_cycles + 0xFFFF) >> 16;
  uint64_t quota = divide_up(of_gpu, gpu->config.num_sms);
  if (quota > INT32_MAX) return INT32_MAX;
  return quota ? (uint32_t)quota : 1;
}

const char *qsm_bare_set_goal(struct qsm_bare_tenant *tenant, uint32_t ipc_q16) {
  struct qsm_bare *gpu = tenant->gpu;
  uint32_t control = QSM_SLOT_CTX_VALID_MASK | (ipc_q16 ? QSM_SLOT_CTX_QOS_MASK : 0);
  const char *error = write_quiet(gpu, slot_register(tenant, QSM_SLOT_GOAL), ipc_q16);
  if (!error) error = write_slot(tenant, QSM_SLOT_FIRST_QUOTA, first_quota(tenant, ipc_q16));
  if (!error) error = qsm_bare_clear_history(tenant);
  if (!error) error = write_quiet(gpu, slot_register(tenant, QSM_SLOT_CTX), control);
  return error;
}

uint32_t qsm_bare_alloc(struct qsm_bare_tenant *tenant, uint32_t n_bytes) {
  uint32_t at = align_up(tenant->free_at, ALLOC_ALIGN);
  if (at > tenant->limit || n_bytes > tenant->limit - at) return 0;
  tenant->free_at = at + n_bytes;
  return at;
}

const char *qsm_bare_history(const struct qsm_bare_tenant *tenant, uint32_t *n_instructions,
                             uint32_t *n_cycles) {
  const char *error = read_slot(tenant, QSM_SLOT_INSN_LO, n_instructions);
  return error ? error : read_slot(tenant, QSM_SLOT_HCYC_LO, n_cycles);
}

const char *qsm_bare_clear_history(const struct qsm_bare_tenant *tenant) {
  return write_quiet(tenant->gpu, slot_register(tenant, QSM_SLOT_HIST_CLEAR), 1);
}

// ---- Launches ----

static bool same(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}

static const struct qsm_bare_kernel *find_kernel(const struct qsm_bare_program *program,
                                                 const char *name) {
  for (uint32_t i = 0; i < program->n_kernels; i++)
    if (same(program->kernels[i].name, name)) return &program->kernels[i];
  return NULL;
}

// A stack of 2^log2 bytes for each thread that can be live (I-MEM-6); larger ones than before are
// allocated anew.
static const char *take_stacks(struct qsm_bare_tenant *tenant, uint32_t stack_bytes,
                               uint32_t block_warps, uint32_t *value) {
  const struct qsm_config *config = &tenant->gpu->config;
  uint32_t log2 = LEAST_STACK_LOG2;
  *value = 0;
  if (!stack_bytes) return NULL;
  while (1u << log2 < stack_bytes) log2++;
  if (log2 > MOST_STACK_LOG2) return "the kernel's stack is too large";
  uint32_t align = config->warp_size << log2;
  uint32_t bytes = qsm_config_live_blocks(config, block_warps) * block_warps * align;
  if (align < PAGE_BYTES) align = PAGE_BYTES;
  if (bytes > tenant->stacks_bytes || tenant->stacks_at % align) {
    uint32_t at = qsm_bare_alloc(tenant, bytes + align);
    if (!at) return "no room for the stacks of the kernel's threads";
    tenant->stacks_at = align_up(at, align);
    tenant->stacks_bytes = bytes;
  }
  *value = tenant->stacks_at | log2;
  return NULL;
}

// I-ENT-1, in lines that the GPU has not read yet, or else after a flush.
static const char *place_args(struct qsm_bare_tenant *tenant, uint32_t function,
                              const struct qsm_bare_launch *launch, uint32_t *at) {
  const struct qsm_bare_bus *bus = tenant->gpu->bus;
  struct {
    uint32_t function, n_stack_bytes, registers[QSM_BARE_MOST_ARGS];
  } block = {.function = function};
  const char *error = NULL;
  for (uint32_t i = 0; i < launch->n_args; i++) block.registers[i] = launch->args[i];
  if (tenant->args_at + ARGS_STRIDE > tenant->base + PAGE_BYTES) {
    error = qsm_bare_flush(tenant->gpu);
    tenant->args_at = tenant->base;
  }
  *at = tenant->args_at;
  tenant->args_at += ARGS_STRIDE;
  bus->put(bus->context, *at, &block, sizeof block);
  return error;
}

const char *qsm_bare_start(struct qsm_bare_tenant *tenant, const struct qsm_bare_launch *launch) {
  const struct qsm_config *config = &tenant->gpu->config;
  const struct qsm_bare_kernel *kernel = find_kernel(tenant->program, launch->kernel);
  uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
  uint32_t warps = (threads + config->warp_size - 1) / config->warp_size;
  uint32_t granule = qsm_config_granule_bytes(config);
  uint32_t shared = tenant->program->shared_bytes + launch->shared_bytes, stack = 0, args = 0;
  if (!kernel) return "the program has no such kernel";
  if (launch->n_args != kernel->n_args) return "the kernel takes another number of arguments";
  if (!threads || warps > config->warps_per_sm) return "an SM has no room for the block's threads";
  if (shared > config->shared_bytes) return "an SM has no room for the block's shared memory";
  const char *error = take_stacks(tenant, kernel->stack_bytes, warps, &stack);
  if (!error) error = place_args(tenant, tenant->program_at + kernel->offset, launch, &args);
  const struct slot_value values[] = {
      {QSM_SLOT_GRID_X, launch->grid.x},
      {QSM_SLOT_GRID_Y, launch->grid.y},
      {QSM_SLOT_GRID_Z, launch->grid.z},
      {QSM_SLOT_BLOCK_X, launch->block.x},
      {QSM_SLOT_BLOCK_Y, launch->block.y},
      {QSM_SLOT_BLOCK_Z, launch->block.z},
      {QSM_SLOT_BLOCK_THREADS, threads},
      {QSM_SLOT_SHARED, shared},
      {QSM_SLOT_BLOCK_WARPS, warps},
      {QSM_SLOT_SHARED_GRAN, (shared + granule - 1) / granule},
      {QSM_SLOT_STACK, stack},
      {QSM_SLOT_ARG, args},
      {QSM_SLOT_LAUNCH, 1},
  };
  return error ? error : WRITE_SLOTS(tenant, values);
}

const char *qsm_bare_result(const struct qsm_bare_tenant *tenant, bool *killed,
                            struct qsm_bare_fault *fault) {
  uint32_t status = 0;
  const char *error = read_slot(tenant, QSM_SLOT_STATUS, &status);
  *killed = (status & QSM_SLOT_STATUS_KILLED_MASK) != 0;
  *fault = (struct qsm_bare_fault){0};
  if (error || !*killed) return error;
  error = read_slot(tenant, QSM_SLOT_FAULT_CAUSE, &fault->cause);
  if (!error) error = read_slot(tenant, QSM_SLOT_FAULT_PC, &fault->pc);
  if (!error) error = read_slot(tenant, QSM_SLOT_FAULT_TID, &fault->thread);
  if (!error) error = read_slot(tenant, QSM_SLOT_FAULT_BLOCK, &fault->block);
  if (!error) error = read_slot(tenant, QSM_SLOT_FAULT_VALUE, &fault->value);
  return error;
}

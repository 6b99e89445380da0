// SPDX-License-Identifier: Apache-2.0
// Modules: the program of a context.
#include "qsm_elf.h"
#include "qsm_internal.h"
#include "qsm_regs.h"

enum { MAX_CACHE_OFFSET = 8192 };  // of a program in its area

// Instruction caches are direct mapped and tenants' memories lie whole caches apart: programs that
// all began with their memory would evict each other's loops. In a cache of 4 KiB and for four
// tenants slots 0, 1, 2, 3 begin at 0, 2048, 1024, 3072.
static uint32_t cache_offset(const struct qsm_config *config, uint32_t slot) {
  uint32_t bytes = config->icache_lines * qsm_config_line_bytes(config), offset = 0;
  if (bytes > MAX_CACHE_OFFSET) bytes = MAX_CACHE_OFFSET;
  for (uint32_t bit = 1; bit < config->num_kernels; bit *= 2) {
    bytes /= 2;
    if (slot & bit) offset += bytes;
  }
  return offset;
}

qsmError_t qsm_module_install(struct qsm_context *context, struct qsm_program *program) {
  struct qsm_device *device = context->device;
  uint32_t offset = cache_offset(&device->config, context->slot);
  uint32_t code =
               context->base + QSM_ARGUMENT_AREA_BYTES + offset / QSM_PAGE_BYTES * QSM_PAGE_BYTES,
           data = code + qsm_program_code_bytes(program);
  uint32_t at = code + qsm_program_shift(program, offset % QSM_PAGE_BYTES);
  const struct qsm_register_value values[] = {
      {QSM_SLOT_WIN0_BASE, context->base}, {QSM_SLOT_WIN0_LIMIT, data},
      {QSM_SLOT_WIN0_RIGHTS, 5},  // the argument blocks too
      {QSM_SLOT_WIN1_BASE, data},          {QSM_SLOT_WIN1_LIMIT, context->limit},
      {QSM_SLOT_WIN1_RIGHTS, 3},           {QSM_SLOT_ENTRY, at + qsm_program_entry(program)},
  };
  qsmError_t error =
      qsm_memory_write(context, at, qsm_program_image(program), qsm_program_image_bytes(program));
  if (!error) error = QSM_SLOT_WRITE_ALL(context, values);
  if (!error) error = qsm_register_write(device, QSM_REG_ICACHE_INV, 1);
  qsm_program_free(error ? program : context->program);
  if (!error) {
    context->program = program;
    context->program_at = at;
    qsm_deadline_forget(context);
    QSM_OBSERVE(device, loaded, at);
  }
  return error;
}

qsmError_t qsmModuleLoad(qsmContext_t handle, const char *path) {
  struct qsm_context *context = qsm_context_of(handle);
  if (!context) return qsmErrorInvalidHandle;
  struct qsm_device *device = context->device;
  if (!path) return qsm_check_pointer(device, path, "the path");
  if (context->closing)
    return qsm_fail(device, qsmErrorBusy, "%s: the context is being destroyed", context->name);
  if (qsm_context_has_work(context))
    return qsm_fail(device, qsmErrorBusy, "%s: launches are pending", context->name);
  char msg[256];
  struct qsm_program *program = NULL;
  if (qsm_program_load(path, &program, msg, sizeof msg))
    return qsm_fail(device, qsmErrorInvalidImage, "%s", msg);
  if (qsm_program_image_bytes(program) > QSM_PROGRAM_AREA_BYTES - MAX_CACHE_OFFSET) {
    qsm_fail(device, qsmErrorNoRoom, "%s: image of %u bytes, room for %u", path,
             qsm_program_image_bytes(program),
             (unsigned)(QSM_PROGRAM_AREA_BYTES - MAX_CACHE_OFFSET));
    qsm_program_free(program);
    return qsmErrorNoRoom;
  }
  return qsm_module_install(context, program);
}

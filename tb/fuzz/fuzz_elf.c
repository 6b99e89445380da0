// SPDX-License-Identifier: Apache-2.0
// libFuzzer's target: device programs.
#include <stdlib.h>

#include "input_file.h"
#include "qsm_elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes) {
  static volatile uint8_t seen;
  struct qsm_program *program = NULL;
  char msg[512] = "";
  const char *path = write_input_file(bytes, n_bytes);
  if (!path) return 0;
  int status = qsm_program_load(path, &program, msg, sizeof msg);
  if (status && !msg[0]) abort();
  if (!status) {
    uint32_t n = qsm_program_image_bytes(program), code = qsm_program_code_bytes(program);
    if (code > n || code % 4096) abort();
    for (uint32_t i = 0; i < n; i++) seen ^= qsm_program_image(program)[i];
    if (qsm_program_shift(program, 4095) > 4095) abort();
    const struct qsm_kernel *kernel = qsm_program_kernel(program, "fill");
    for (uint32_t i = 0; kernel && i < kernel->n_arguments; i++)
      if (kernel->arguments[i].by_reference != (kernel->arguments[i].bytes > 8)) abort();
    if (kernel && kernel->signature && kernel->signature[0] == 1) seen++;
    if (kernel && kernel->offset >= code) abort();
    qsm_program_free(program);
  }
  remove_input_file();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// What the tests of libqsm share: the device program, a device with contexts that have it loaded,
// programs of the suite on a context.
#ifndef HOST_SUPPORT_H
#define HOST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

#include "qsm_runtime.h"
#include "qsm_suite.h"

enum { LONG = 2000000 };  // cycles; no launch of these tests takes as many
enum { CONFIG_PATH_BYTES = 96, PROGRAM_PATH_BYTES = 512 };

// The folder with k.elf (tb/cli/kernels.c), big.elf (the same with more data than fits), plain.elf
// and workers.elf (tb/cli/workers_kernels.c), which mk/test.mk compiles; made by copy_programs, a
// group set-up.
extern char program_folder[64];
int copy_programs(void **state);
int remove_programs(void **state);
const char *program_path(const char *name);
// The ELF of experiments/attack_kernels.c.
void attack_kernels(char path[PROGRAM_PATH_BYTES]);

// Whether to do only once what a test does many times: its runs with sanitizers (tb/sanitize).
bool brief_run(void);
// Whether to do all of what repeats: `make test-full`.
bool full_run(void);

// Devices of the model; contexts with k.elf loaded.
qsmDevice_t open_device(const char *config);
qsmContext_t open_context(qsmDevice_t device);
uint32_t allocate(qsmContext_t context, size_t bytes);
uint32_t read_word(qsmContext_t context, uint32_t address);
// Launches a kernel of k.elf with blocks of 8 threads.
qsmError_t launch(qsmContext_t context, const char *kernel, uint32_t n_blocks, uint32_t buffer,
                  uint32_t second, qsmLaunchCallback callback, void *user);

// Writes a copy of a configuration, changed by a sed script, into the folder of the programs.
void change_config(const char *config, const char *edits, char path[CONFIG_PATH_BYTES]);
// The configuration, with an FPU if the program needs one.
qsmDevice_t open_device_for(const char *config, const struct qsm_suite_program *program);
// Runs one pass of a program and returns its number of wrong outputs. `wait` lets time pass until
// the context has nothing pending.
uint64_t run_program_with(qsmContext_t context, const struct qsm_suite_program *program,
                          enum qsm_suite_size size, uint64_t seed,
                          void (*wait)(qsmContext_t context, void *user), void *user);
uint64_t run_program(qsmContext_t context, const struct qsm_suite_program *program,
                     enum qsm_suite_size size, uint64_t seed);

#endif

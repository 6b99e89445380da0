// SPDX-License-Identifier: Apache-2.0
// Applications: sequences of kernels whose demand changes from launch to launch
// (docs/applications.md).
//
// An application is described once (struct qsm_app), set up on a context as a *run* (buffers,
// weights, input), and then a list of steps. Whoever has the run launches them in their order, each
// with the stream, mask and cache policy of his choice; one time through the list is a *pass*. A
// pass needs nothing that an earlier pass has left behind, so it can follow another one at once.
#ifndef QSM_APP_H
#define QSM_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qsm_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

// T for tests: blocks of up to 16 threads, which every configuration takes. S and M are for
// measuring.
enum qsm_app_size { QSM_APP_T, QSM_APP_S, QSM_APP_M };
enum { QSM_APP_SIZE_COUNT = 3, QSM_APP_MOST_ARGS = 16, QSM_APP_MOST_BUFFERS = 6 };
// "T", "S", "M".
extern const char *const qsm_app_size_names[QSM_APP_SIZE_COUNT];
// False, and *size stays: no such size.
bool qsm_app_size_by_name(const char *name, enum qsm_app_size *size);

struct qsm_app_plan;  // the application's own business

struct qsm_app {
  const char *name;     // "resnet"
  const char *about;    // one line
  const char *program;  // its kernels are in PROGRAM.elf of the kernel folder
  const char *source;   // publication
  bool needs_fpu;
  int (*plan)(struct qsm_app_plan *plan, enum qsm_app_size size);  // for qsm_app.c
};

// All applications, ended by NULL.
extern const struct qsm_app *const qsm_apps[];
// NULL: no such application.
const struct qsm_app *qsm_app_by_name(const char *name);

// Bytes of device memory of all buffers, each rounded up to 256; 0 where the host has no memory to
// find out.
uint64_t qsm_app_bytes(const struct qsm_app *app, enum qsm_app_size size);
// Enough for qsmContextCreateOnChannels on a GPU of this configuration: buffers, program,
// arguments, host window, and `n_streams` streams (the default stream counts) of which one has
// launches, with its stacks. 0 as above.
size_t qsm_app_context_bytes(const struct qsm_app *app, enum qsm_app_size size,
                             const struct qsm_config *config, uint32_t n_streams);

enum qsm_app_role {
  QSM_APP_WEIGHTS,  // written when the run is made
  QSM_APP_INPUT,    // written by every reset
  QSM_APP_BETWEEN,  // from step to step
  QSM_APP_OUTPUT    // what the application is for
};

struct qsm_app_buffer {
  const char *name;
  enum qsm_app_role role;
  uint32_t address;
  size_t bytes;
};

// A launch. All is fixed when the run is made.
struct qsm_app_step {
  const char *name;    // of the layer or phase, "stage2.conv1"
  const char *kernel;  // function in the program
  qsmDim3 grid, block;
  uint32_t shared_bytes;  // dynamic
  uint32_t args[QSM_APP_MOST_ARGS], n_args;
  uint32_t distinct;  // number of its distinct kernel, from 0 in the order of their first launches
  // Numbers of the buffers that it reads and writes; one that it does both with is in both.
  uint32_t reads[QSM_APP_MOST_BUFFERS], n_reads, writes[QSM_APP_MOST_BUFFERS], n_writes;
};

struct qsm_app_run;

struct qsm_app_options {
  enum qsm_app_size size;
  uint64_t weight_seed, input_seed;  // any
  const char *kernel_folder;         // where PROGRAM.elf is
  bool loaded;                       // the context has this program already, of another run
  // Copies of this run go there: NULL on a context with a slot; on one on channels NULL is the
  // default stream.
  qsmStream_t stream;
};

// Loads the program into the context (`loaded`: not), allocates the buffers,
// copies weights and input, and makes the rest wrong (as a reset with `spoil`). On error *msg says
// what and where, and what was allocated is free again. qsmErrorNotFound: no program;
// qsmErrorMemoryAllocation: the text has needed and free bytes; qsmErrorInvalidLaunch: this GPU
// lacks threads or shared memory for a step's blocks, or an FPU.
qsmError_t qsm_app_create(const struct qsm_app *app, const struct qsm_app_options *options,
                          qsmDevice_t device, qsmContext_t context, struct qsm_app_run **run,
                          char *msg, size_t msg_len);
// Frees the buffers; nothing of the run may be under way. NULL is fine.
void qsm_app_destroy(struct qsm_app_run *run);

const struct qsm_app *qsm_app_of(const struct qsm_app_run *run);
const char *qsm_app_program_path(const struct qsm_app_run *run);
uint32_t qsm_app_step_count(const struct qsm_app_run *run);
// `step` below the number of steps.
const struct qsm_app_step *qsm_app_step(const struct qsm_app_run *run, uint32_t step);
uint32_t qsm_app_distinct_count(const struct qsm_app_run *run);
uint32_t qsm_app_buffer_count(const struct qsm_app_run *run);
const struct qsm_app_buffer *qsm_app_buffer(const struct qsm_app_run *run, uint32_t buffer);
// The step as libqsm takes it, in the run's stream: for qsmLaunchKernelEx, after whatever else the
// caller sets in it. It points into the run.
qsmLaunch qsm_app_launch(const struct qsm_app_run *run, uint32_t step);

// Another input, for the passes launched from now on. On channels the copies are put into the run's
// stream, so nothing waits for them; on a context with a slot the run must be idle. `spoil`: all
// that steps write is made wrong first, so that a check finds a step that was not run; this costs
// copies.
qsmError_t qsm_app_reset(struct qsm_app_run *run, uint64_t input_seed, bool spoil);

// What differs from the host's reference.
struct qsm_app_difference {
  uint64_t n_wrong;  // elements of the outputs; 0: right
  const char *step;  // the first step that left a wrong element, and which
  const char *buffer;
  uint64_t element;        // index in the buffer
  uint32_t expected, got;  // its bits
};
// After a complete pass over the last input: waits for the run's stream (at most max_cycles), reads
// the outputs and compares them; if any is wrong, reads what lies between, too, to find the step.
// The reference is computed at the first check of an input.
qsmError_t qsm_app_check(struct qsm_app_run *run, uint64_t max_cycles,
                         struct qsm_app_difference *difference);
// Launches one pass in the run's stream and waits for it.
qsmError_t qsm_app_run_alone(struct qsm_app_run *run, uint64_t max_cycles);

#ifdef __cplusplus
}
#endif

#endif

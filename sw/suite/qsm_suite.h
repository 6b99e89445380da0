// SPDX-License-Identifier: Apache-2.0
// The kernel suite: programs with a seeded input generator and a host reference.
//
// A program is a sequence of launches that turns generated inputs into outputs, which are compared
// with a host computation. One run through that sequence is a pass; a scenario repeats passes. The
// suite knows no GPU: it reaches device memory through struct qsm_suite_mem, so the same code
// serves every backend.
#ifndef QSM_SUITE_H
#define QSM_SUITE_H

#include <stddef.h>
#include <stdint.h>

struct qsm_suite_mem {
  void *ctx;
  // Allocates `bytes` of device memory (aligned to 256); returns 0 when there is no room.
  uint32_t (*alloc)(void *ctx, size_t bytes);
  void (*write)(void *ctx, uint32_t addr, const void *src, size_t bytes);
  void (*read)(void *ctx, uint32_t addr, void *dst, size_t bytes);
  // Told of what has been written so that it is wrong, which no kernel should read before it stores
  // there. May be NULL.
  void (*spoiled)(void *ctx, uint32_t addr, size_t bytes);
};

struct qsm_suite_launch {
  const char *symbol;     // kernel function in the program's ELF
  uint32_t grid[3];       // blocks
  uint32_t block[3];      // threads
  uint32_t shared_bytes;  // shared memory of one block
  uint32_t args[8];       // a0..a7
};

enum qsm_suite_size { QSM_SIZE_S, QSM_SIZE_M, QSM_SIZE_L, QSM_SIZE_XL, QSM_N_SIZES };

// A program with its inputs: what qsm_suite_create makes.
struct qsm_job;

struct qsm_suite_program {
  const char *name;    // as in scenarios, e.g. "vadd"; NAME.elf in the kernel folder
  const char *about;   // one line for `qsm kernels`
  const char *bound;   // "compute" or "memory": what its algorithm asks most of; what is measured
                       // stands in docs/results/programs.md
  const char *paper;   // who measured a program of this kind, e.g. "QAWS, Parboil"
  const char *source;  // publication of the algorithm
  int flushable;  // its blocks may start anew: they read nothing that blocks of the launch write in
                  // device memory
  int needs_fpu;  // it computes floats

  // For qsm_suite.c. A job of this many bytes begins with a struct qsm_job. `create` makes the
  // arrays, inputs and references; it returns 0, or -1 when there is no room. `begin` (may be NULL)
  // is what a pass begins with beyond what the arrays' roles say; `next` fills the next launch of
  // the pass and returns 1, or 0 when there is none.
  size_t job_bytes;
  int (*create)(struct qsm_job *job, uint64_t seed, enum qsm_suite_size size);
  void (*begin)(struct qsm_job *job);
  // Makes the references where that takes long (NULL: `create` has made them): called when an
  // output is compared for the first time, which is never in a run that ends within the first pass.
  // No element of such a program's outputs may become all ones, which is what they begin with.
  void (*reference)(struct qsm_job *job);
  int (*next)(struct qsm_job *job, struct qsm_suite_launch *launch);
};

// All programs, ended by NULL.
extern const struct qsm_suite_program *const qsm_suite[];
// "S", "M", "L", "XL".
extern const char *const qsm_suite_size_names[QSM_N_SIZES];

// The program called `name`, or NULL.
const struct qsm_suite_program *qsm_suite_find(const char *name);

// Allocates device memory, generates inputs from `seed` and writes them. NULL when there is no
// room.
struct qsm_job *qsm_suite_create(const struct qsm_suite_program *program,
                                 const struct qsm_suite_mem *mem, uint64_t seed,
                                 enum qsm_suite_size size);
// Device memory that a job takes, each array rounded up to 256 bytes; 0 when the host has no room
// to find out.
uint64_t qsm_suite_bytes(const struct qsm_suite_program *program, uint64_t seed,
                         enum qsm_suite_size size);
// Puts outputs and launch state back to the start of a pass.
void qsm_suite_begin(struct qsm_job *job);

// What a pass writes, all arrays but the inputs, is a *set*. A job has one; with more, passes may
// follow each other without a look at memory between them: use_set() and begin() for each set, then
// use_set() and the launches for each, then use_set() and check().
enum { QSM_SUITE_MOST_SETS = 32 };
// Adds sets, of at most so many bytes together and to at most QSM_SUITE_MOST_SETS; returns how many
// the job has.
uint32_t qsm_suite_add_sets(struct qsm_job *job, uint64_t most_bytes);
// What follows is about this set, from 0 on, which is that of a new job; no launch of its pass has
// been.
void qsm_suite_use_set(struct qsm_job *job, uint32_t set);

// Fills the next launch of the pass; returns 0 when the pass is complete.
int qsm_suite_next(struct qsm_job *job, struct qsm_suite_launch *launch);
// Number of wrong output elements after a complete pass; 0 = right.
uint64_t qsm_suite_check(struct qsm_job *job);
void qsm_suite_destroy(struct qsm_job *job);

#endif

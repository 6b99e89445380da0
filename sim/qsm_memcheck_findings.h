// SPDX-License-Identifier: Apache-2.0
// For `qsm memcheck`: what it has found, equal things once with a count (docs/memcheck.md).
#ifndef QSM_MEMCHECK_FINDINGS_H
#define QSM_MEMCHECK_FINDINGS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "qsm_source_lines.h"

enum qsm_mc_kind {
  QSM_MC_UNINITIALISED_DEVICE,
  QSM_MC_UNINITIALISED_SHARED,
  QSM_MC_UNINITIALISED_STACK,
  QSM_MC_OUTSIDE_ALLOCATIONS,
  QSM_MC_OUTSIDE_STACK,
  QSM_MC_RACE,
  QSM_MC_BARRIERS,
  QSM_MC_EXITED,
  QSM_MC_N_KINDS,
};

// Offsets in a program's image: an instruction, and of a race or of barriers the other one.
struct qsm_mc_pcs {
  uint32_t at, other;
};

// The first of its kind at its place.
struct qsm_mc_finding {
  enum qsm_mc_kind kind;
  struct qsm_mc_pcs pcs;
  uint32_t function;  // of the kernel, an offset too
  uint32_t block[3], tid;
  char what[200];  // the access and its address
  uint64_t count;
};

struct qsm_mc_findings;

struct qsm_mc_findings *qsm_mc_findings_create(void);            // NULL: no memory
void qsm_mc_findings_destroy(struct qsm_mc_findings *findings);  // NULL is fine
// Counts one of this kind at this place of this kernel; the first one is returned, for who fills in
// the rest. NULL: there was one, or no memory.
struct qsm_mc_finding *qsm_mc_findings_add(struct qsm_mc_findings *findings, enum qsm_mc_kind kind,
                                           uint32_t function, struct qsm_mc_pcs pcs);
// Takes out barriers that are one barrier in the source.
void qsm_mc_findings_drop_copies(struct qsm_mc_findings *findings,
                                 const struct qsm_source_lines *lines);
size_t qsm_mc_findings_count(const struct qsm_mc_findings *findings);
// In the order in which they were found; `at`: device address of the program's image.
void qsm_mc_findings_print(const struct qsm_mc_findings *findings,
                           const struct qsm_source_lines *lines, uint32_t at, FILE *out);

#endif

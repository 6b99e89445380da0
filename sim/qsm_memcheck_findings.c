// SPDX-License-Identifier: Apache-2.0
#include "qsm_memcheck_findings.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

struct qsm_mc_findings {
  size_t n, n_lost;  // lost: no memory
  struct qsm_mc_finding *finding;
};

struct qsm_mc_findings *qsm_mc_findings_create(void) {
  return calloc(1, sizeof(struct qsm_mc_findings));
}

void qsm_mc_findings_destroy(struct qsm_mc_findings *findings) {
  if (!findings) return;
  free(findings->finding);
  free(findings);
}

struct qsm_mc_finding *qsm_mc_findings_add(struct qsm_mc_findings *findings, enum qsm_mc_kind kind,
                                           uint32_t function, struct qsm_mc_pcs pcs) {
  for (size_t i = 0; i < findings->n; i++) {
    struct qsm_mc_finding *finding = &findings->finding[i];
    bool same =
        finding->pcs.at == pcs.at && (kind != QSM_MC_BARRIERS || finding->pcs.other == pcs.other);
    if (finding->kind != kind || !same || finding->function != function) continue;
    finding->count++;
    return NULL;
  }
  struct qsm_mc_finding *grown = realloc(findings->finding, (findings->n + 1) * sizeof *grown);
  if (!grown) {
    findings->n_lost++;
    return NULL;
  }
  findings->finding = grown;
  grown[findings->n] =
      (struct qsm_mc_finding){.kind = kind, .function = function, .pcs = pcs, .count = 1};
  return &grown[findings->n++];
}

void qsm_mc_findings_drop_copies(struct qsm_mc_findings *findings,
                                 const struct qsm_source_lines *lines) {
  size_t kept = 0;
  for (size_t i = 0; i < findings->n; i++) {
    const struct qsm_mc_finding *finding = &findings->finding[i];
    bool copies = finding->kind == QSM_MC_BARRIERS &&
                  qsm_source_lines_same(lines, finding->pcs.at, finding->pcs.other);
    if (!copies) findings->finding[kept++] = *finding;
  }
  findings->n = kept;
}

size_t qsm_mc_findings_count(const struct qsm_mc_findings *findings) {
  return findings->n + findings->n_lost;
}

// ---- Report ----

static const char *const titles[QSM_MC_N_KINDS] = {
    "read of uninitialised device memory",
    "read of uninitialised shared memory",
    "read of uninitialised stack",
    "access outside any allocation",
    "access outside the thread's stack",
    "race in shared memory",
    "threads of a block wait at different barriers",
    "threads have ended without the barrier at which others wait",
};

static void print_place(const char *what, uint32_t pc, const struct qsm_source_lines *lines,
                        uint32_t at, FILE *out) {
  char place[1200];
  qsm_source_lines_describe(lines, pc, place, sizeof place);
  fprintf(out, "    %-7s 0x%08" PRIX32 " in %s\n", what, at + pc, place);
}

static void print(const struct qsm_mc_finding *finding, const struct qsm_source_lines *lines,
                  uint32_t at, FILE *out) {
  bool has_other = finding->kind == QSM_MC_RACE || finding->kind == QSM_MC_BARRIERS;
  fprintf(out, "  %s, %" PRIu64 " time%s\n", titles[finding->kind], finding->count,
          finding->count == 1 ? "" : "s");
  print_place("at", finding->pcs.at, lines, at, out);
  if (has_other) print_place("and", finding->pcs.other, lines, at, out);
  fprintf(out,
          "    %-7s kernel %s, block (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "), thread %" PRIu32 "\n",
          "first", qsm_source_lines_function(lines, finding->function), finding->block[0],
          finding->block[1], finding->block[2], finding->tid);
  fprintf(out, "    %-7s %s\n", "what", finding->what);
}

void qsm_mc_findings_print(const struct qsm_mc_findings *findings,
                           const struct qsm_source_lines *lines, uint32_t at, FILE *out) {
  for (size_t i = 0; i < findings->n; i++) print(&findings->finding[i], lines, at, out);
  if (findings->n_lost)
    fprintf(out, "  %zu more for which there was no memory\n", findings->n_lost);
}

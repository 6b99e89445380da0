// SPDX-License-Identifier: Apache-2.0
// A screening of genetic markers, for several groups of people: all markers by themselves, pairs of
// the best ones, the best pair.
#include <stdio.h>
#include <string.h>

#include "qsm_app_plan.h"

enum { N_GENOTYPES = 3, N_STRETCH = 8, MOST_GROUPS = 3 };

static const struct {
  uint32_t n_markers, n_groups, n_cases[MOST_GROUPS], n_controls[MOST_GROUPS],
      n_chosen[MOST_GROUPS], block_x, block_y, n_threads;
} sizes[] = {{20, 2, {40, 70}, {50, 33}, {9, 6}, 4, 2, 8},
             {600, 3, {800, 400, 1500}, {900, 300, 1400}, {160, 96, 128}, 16, 8, 64},
             {1500, 3, {1600, 800, 3000}, {1800, 700, 2800}, {256, 128, 192}, 16, 8, 128}};

// ---- References ----

static bool has(const uint32_t *planes, uint32_t plane, uint32_t n_words, uint32_t person) {
  return planes[plane * n_words + person / 32] >> person % 32 & 1;
}

// Person by person: those beyond the last one have no genotype.
static uint32_t genotype_of(const uint32_t *planes, uint32_t marker, uint32_t n_words,
                            uint32_t person) {
  uint32_t genotype = 0;
  while (genotype < N_GENOTYPES && !has(planes, marker * N_GENOTYPES + genotype, n_words, person))
    genotype++;
  return genotype;
}

static uint32_t told_rightly(const uint32_t *cases, const uint32_t *controls, uint32_t n_cells,
                             uint32_t n_cases, uint32_t n_controls) {
  uint32_t score = 0;
  for (uint32_t i = 0; i < n_cells; i++)
    score += cases[i] * n_controls >= controls[i] * n_cases ? cases[i] : controls[i];
  return score;
}

static void marker_scores(const struct qsm_app_call *call) {
  uint32_t *scores = call->at[6];
  for (uint32_t marker = 0; marker < call->grid.x; marker++) {
    uint32_t cells[2][N_GENOTYPES + 1] = {{0}};
    for (uint32_t side = 0; side < 2; side++)
      for (uint32_t i = 0; i < call->number[4 + side]; i++)
        cells[side][genotype_of(call->at[side], marker, call->number[2 + side], i)]++;
    scores[marker] =
        told_rightly(cells[0], cells[1], N_GENOTYPES, call->number[4], call->number[5]);
  }
}

static void marker_ranks(const struct qsm_app_call *call) {
  const uint32_t *scores = call->at[0];
  uint32_t *ranks = call->at[1], n = call->number[2];
  for (uint32_t i = 0; i < n; i++) {
    ranks[i] = 0;
    for (uint32_t j = 0; j < n; j++)
      ranks[i] += scores[j] > scores[i] || (scores[j] == scores[i] && j < i);
  }
}

static void choose_markers(const struct qsm_app_call *call) {
  const uint32_t *planes = call->at[0], *ranks = call->at[1];
  uint32_t *chosen = call->at[2], n = N_GENOTYPES * call->number[3];
  for (uint32_t marker = 0; marker < call->grid.x; marker++)
    if (ranks[marker] < call->number[4])
      memcpy(chosen + ranks[marker] * n, planes + marker * n, 4 * (size_t)n);
}

static void clear(const struct qsm_app_call *call) {
  memset(call->at[0], 0, 4 * (size_t)call->number[1]);
}

static void pairs(const struct qsm_app_call *call) {
  uint32_t n = call->number[4], *scores = call->at[7];
  for (uint32_t i = 0; i < n * n; i++) {
    uint32_t x = i % n, y = i / n, cells[2][4 * 4] = {{0}};
    if (y >= x) continue;
    for (uint32_t side = 0; side < 2; side++)
      for (uint32_t person = 0; person < call->number[5 + side]; person++)
        cells[side][genotype_of(call->at[side], x, call->number[2 + side], person) +
                    N_GENOTYPES * genotype_of(call->at[side], y, call->number[2 + side], person)]++;
    scores[i] = told_rightly(cells[0], cells[1], N_GENOTYPES * N_GENOTYPES, call->number[5],
                             call->number[6]);
  }
}

struct best {
  uint32_t score, place;
};

static void take_better(struct best *best, struct best other) {
  if (other.score > best->score || (other.score == best->score && other.place < best->place))
    *best = other;
}

static void best_scores(const struct qsm_app_call *call) {
  const uint32_t *scores = call->at[0];
  struct best *best = call->at[1];
  uint32_t n_blocks = call->grid.x, n_threads = call->block.x;
  for (uint32_t i = 0; i < n_blocks; i++) best[i] = (struct best){0, UINT32_MAX};
  for (uint32_t i = 0; i < call->number[2]; i++)
    take_better(&best[i / n_threads % n_blocks], (struct best){scores[i], i});
}

static void best_of_all(const struct qsm_app_call *call) {
  const struct best *from = call->at[0];
  struct best *best = call->at[1];
  *best = (struct best){0, UINT32_MAX};
  for (uint32_t i = 0; i < call->number[2]; i++) take_better(best, from[i]);
}

static const struct qsm_app_kernel marker_scores_kernel = {"marker_scores", "rrnnnnw",
                                                           marker_scores},
                                   marker_ranks_kernel = {"marker_ranks", "rwn", marker_ranks},
                                   choose_markers_kernel = {"choose_markers", "rrwnn",
                                                            choose_markers},
                                   clear_kernel = {"clear_words", "wn", clear},
                                   pairs_kernel = {"epistasis", "rrnnnnnu", pairs},
                                   best_scores_kernel = {"best_scores", "rwn", best_scores},
                                   best_of_all_kernel = {"best_of_all", "rwn", best_of_all};

// ---- Steps ----

// number[0]: people; number[1]: 1 for cases, among whom the rarer of two alleles is somewhat more
// common at every fifth marker.
static void fill_planes(struct qsm_app_random *random, void *host, size_t bytes,
                        const struct qsm_app_content *content) {
  uint32_t *planes = host, n_people = content->number[0], n_words = qsm_app_div_up(n_people, 32),
           n_markers = (uint32_t)(bytes / 4 / N_GENOTYPES / n_words);
  memset(host, 0, bytes);
  for (uint32_t marker = 0; marker < n_markers; marker++) {
    uint32_t rare = 20 + marker % 7 * 5 + (content->number[1] && marker % 5 == 0 ? 10 : 0);
    for (uint32_t person = 0; person < n_people; person++) {
      uint32_t genotype = 0;  // rarer alleles of two
      for (int allele = 0; allele < 2; allele++)
        genotype += qsm_app_random_range(random, 0, 99) < rare;
      planes[(marker * N_GENOTYPES + genotype) * n_words + person / 32] |= 1u << person % 32;
    }
  }
}

struct planner {
  struct qsm_app_plan *plan;
  uint32_t group;
};

static uint32_t add(const struct planner *to, const char *what, enum qsm_app_role role,
                    uint32_t n_words, struct qsm_app_content content) {
  char name[32];
  snprintf(name, sizeof name, "group%u.%s", to->group, what);
  return qsm_app_plan_buffer(to->plan, name, role, 4 * (size_t)n_words, content);
}

static void add_step(const struct planner *to, const char *what,
                     const struct qsm_app_kernel *kernel, qsmDim3 grid, qsmDim3 block,
                     uint32_t shared_bytes, const qsm_app_argument *args) {
  char name[32];
  snprintf(name, sizeof name, "group%u.%s", to->group, what);
  qsm_app_plan_step(to->plan, name, kernel, grid, block, shared_bytes, args);
}

static void add_group(const struct planner *to, enum qsm_app_size size) {
  const struct qsm_app_content nothing = {.fill = NULL};
  uint32_t n = sizes[size].n_markers, n_cases = sizes[size].n_cases[to->group],
           n_controls = sizes[size].n_controls[to->group],
           n_chosen = sizes[size].n_chosen[to->group], case_words = qsm_app_div_up(n_cases, 32),
           control_words = qsm_app_div_up(n_controls, 32), n_pairs = n_chosen * n_chosen;
  uint32_t x = sizes[size].block_x, y = sizes[size].block_y, n_threads = sizes[size].n_threads,
           n_parts = qsm_app_div_up(n_pairs, 8 * n_threads);
  uint32_t cases = add(to, "cases", QSM_APP_INPUT, N_GENOTYPES * n * case_words,
                       (struct qsm_app_content){.fill = fill_planes, .number = {n_cases, 1}}),
           controls = add(to, "controls", QSM_APP_INPUT, N_GENOTYPES * n * control_words,
                          (struct qsm_app_content){.fill = fill_planes, .number = {n_controls, 0}}),
           scores = add(to, "scores", QSM_APP_OUTPUT, n, nothing),
           ranks = add(to, "ranks", QSM_APP_BETWEEN, n, nothing),
           few_cases =
               add(to, "few.cases", QSM_APP_BETWEEN, N_GENOTYPES * n_chosen * case_words, nothing),
           few_controls = add(to, "few.controls", QSM_APP_BETWEEN,
                              N_GENOTYPES * n_chosen * control_words, nothing),
           table = add(to, "pairs", QSM_APP_OUTPUT, n_pairs, nothing),
           parts = add(to, "parts", QSM_APP_BETWEEN, 2 * n_parts, nothing),
           best = add(to, "best", QSM_APP_OUTPUT, 2, nothing);
  const qsmDim3 line = {n_threads, 1, 1}, one = {1, 1, 1};
  const qsm_app_argument score[] = {cases,   controls,   case_words, control_words,
                                    n_cases, n_controls, scores},
                         rank[] = {scores, ranks, n},
                         choose_cases[] = {cases, ranks, few_cases, case_words, n_chosen},
                         choose_controls[] = {controls, ranks, few_controls, control_words,
                                              n_chosen},
                         zero[] = {table, n_pairs},
                         pair[] = {few_cases, few_controls, case_words, control_words,
                                   n_chosen,  n_cases,      n_controls, table},
                         part[] = {table, parts, n_pairs}, all[] = {parts, best, n_parts};
  add_step(to, "scores", &marker_scores_kernel, (qsmDim3){n, 1, 1}, line, 24, score);
  add_step(to, "ranks", &marker_ranks_kernel, (qsmDim3){qsm_app_div_up(n, n_threads), 1, 1}, line,
           4 * n_threads, rank);
  add_step(to, "choose.cases", &choose_markers_kernel, (qsmDim3){n, 1, 1}, line, 0, choose_cases);
  add_step(to, "choose.controls", &choose_markers_kernel, (qsmDim3){n, 1, 1}, line, 0,
           choose_controls);
  add_step(to, "clear", &clear_kernel, (qsmDim3){qsm_app_div_up(n_pairs, n_threads), 1, 1}, line, 0,
           zero);
  add_step(to, "pairs", &pairs_kernel,
           (qsmDim3){qsm_app_div_up(n_chosen, x), qsm_app_div_up(n_chosen, y), 1},
           (qsmDim3){x, y, 1}, 4 * N_GENOTYPES * N_STRETCH * (x + y), pair);
  add_step(to, "best.parts", &best_scores_kernel, (qsmDim3){n_parts, 1, 1}, line, 8 * n_threads,
           part);
  add_step(to, "best", &best_of_all_kernel, one, line, 8 * n_threads, all);
}

static int plan(struct qsm_app_plan *plan, enum qsm_app_size size) {
  for (uint32_t group = 0; group < sizes[size].n_groups; group++)
    add_group(&(struct planner){plan, group}, size);
  return qsm_app_plan_failed(plan) ? -1 : 0;
}

const struct qsm_app qsm_app_epistasis = {
    .name = "epistasis",
    .about = "markers one by one, then pairs of the best, then the best pair, of three groups",
    .program = "app_epistasis",
    .source =
        "Wan et al., \"BOOST\", Am. J. Human Genetics 87(3), 2010; Ritchie et al., ibid. 69(1), 2001",
    .needs_fpu = false,
    .plan = plan,
};

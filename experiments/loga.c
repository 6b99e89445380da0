// SPDX-License-Identifier: Apache-2.0
// LoGA's experiments on this machine (docs/accounting.md): what accounting costs the accounted, how
// near its figures are to the truth, and how fair the GPU is under each policy. Tenants of command
// channels on the model; every output of the programs is checked. Writes tables in Markdown.
#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_config_yaml.h"
#include "qsm_options.h"
#include "qsm_regs.h"
#include "qsm_tables.h"
#include "qsm_tenants.h"

enum {
  EXIT_BAD_INPUT = 2,  // as of qsm
  POLL_MS = 1,         // of a channel
  PAIR_MS = 6,         // poll and non-poll phase
  HOST_US = 5,         // from a launch's end to the next submission
  MOST_RUN_S = 60,     // of the machine: a run that takes longer has an error
  ALONE_PART = 4,      // of a run's length: what a tenant does alone settles sooner
  MIX = 4,
};

struct bench {
  const char *config_name, *programs, *part, *only;
  struct qsm_config config;
  uint32_t us;       // cycles of a microsecond
  uint32_t periods;  // pairs of phases that a run lasts, at least
  uint32_t pairs;    // pairs of phases of a run of fairness
  uint64_t seed;
  struct qsm_tenants_outcome outcome;
  struct qsm_tables tables;
};

// Policies as the tables call them.
struct variant {
  const char *label, *policy;
  bool spare, hold;
  uint32_t divisor;  // of the phases
  bool by_sm;        // exact: SM-cycles
};
static const struct variant none = {.label = "none", .policy = "none", .divisor = 1};
static const struct variant loga = {.label = "loga", .policy = "loga", .divisor = 1};
static const struct variant loga_spare = {
    .label = "loga, closed spared", .policy = "loga", .spare = true, .divisor = 1};
static const struct variant loga_cl = {.label = "loga_cl", .policy = "loga_cl", .divisor = 1};
static const struct variant loga_cl_spare = {
    .label = "loga_cl, closed spared", .policy = "loga_cl", .spare = true, .divisor = 1};
static const struct variant neon = {.label = "neon", .policy = "neon", .divisor = 1};
static const struct variant neon_spare = {
    .label = "neon, closed spared", .policy = "neon", .spare = true, .divisor = 1};
static const struct variant exact = {.label = "exact", .policy = "exact", .divisor = 1};
static const struct variant exact_short = {
    .label = "exact, a tenth of the period", .policy = "exact", .divisor = 10};
static const struct variant exact_hold = {
    .label = "exact, a tenth, ring held", .policy = "exact", .hold = true, .divisor = 10};
static const struct variant exact_sm = {
    .label = "exact, a tenth, SM-cycles", .policy = "exact", .divisor = 10, .by_sm = true};

// Rodinia's programs as far as the suite has them, in the order of the paper's figures.
static const char *const rodinia[] = {
    "backprop",  "bfs",     "cfd",        "dwt2d",          "gaussian",   "heartwall", "hotspot",
    "hotspot3d", "huffman", "hybridsort", "kmeans",         "lavamd",     "lud",       "mummergpu",
    "myocyte",   "nn",      "nw",         "particlefilter", "pathfinder", "srad"};
enum { N_RODINIA = sizeof rodinia / sizeof *rodinia };

// ---- Runs ----

static struct qsm_accounting_settings settings_of(const struct bench *bench,
                                                  const struct variant *variant) {
  struct qsm_accounting_settings settings = qsm_accounting_defaults(variant->policy, bench->us);
  settings.spare_closed = variant->spare;
  settings.hold = variant->hold;
  settings.poll_phase /= variant->divisor;
  settings.nonpoll_phase /= variant->divisor;
  settings.seed = bench->seed;
  if (variant->by_sm) {
    settings.counter = QSM_CH_SM_LO;
    settings.counter_scale = bench->config.num_sms;
  }
  return settings;
}

static struct qsm_tenants_setting setting_of(const struct bench *bench,
                                             const struct variant *variant,
                                             const struct qsm_tenant_setting *tenants, uint32_t n) {
  return (struct qsm_tenants_setting){.config = &bench->config,
                                      .programs = bench->programs,
                                      .tenant = tenants,
                                      .n_tenants = n,
                                      .accounting = settings_of(bench, variant),
                                      .host_cycles = HOST_US * bench->us,
                                      .n_cycles = UINT64_C(1000000) * MOST_RUN_S * bench->us,
                                      .seed = bench->seed};
}

static int run(struct bench *bench, const struct qsm_tenants_setting *setting) {
  char msg[400];
  if (qsm_tenants_run(setting, &bench->outcome, msg, sizeof msg))
    return qsm_tables_fail(&bench->tables, setting->accounting.policy, msg);
  const struct qsm_tenant_setting *first = &setting->tenant[0];
  if (first->passes && bench->outcome.tenant[0].n_passes < first->passes)
    return qsm_tables_fail(&bench->tables, first->program, "has not ended");
  return 0;
}

// Cycles that the first tenant, a program, takes for its passes.
static int turnaround(struct bench *bench, const struct variant *variant,
                      const struct qsm_tenant_setting *tenants, uint32_t n, bool schedule,
                      uint64_t *n_cycles) {
  struct qsm_tenants_setting setting = setting_of(bench, variant, tenants, n);
  setting.accounting.schedule = schedule;
  if (run(bench, &setting)) return -1;
  *n_cycles = bench->outcome.tenant[0].turnaround;
  return 0;
}

// So many passes that the program takes the periods, alone.
static int set_passes(struct bench *bench, struct qsm_tenant_setting *program, uint32_t n_tenants,
                      uint32_t periods) {
  uint64_t alone = 0, wanted = UINT64_C(1000) * PAIR_MS * bench->us * n_tenants * periods;
  program->passes = 2;
  if (turnaround(bench, &none, program, 1, false, &alone)) return -1;
  program->passes = (uint32_t)(2 * wanted / alone) + 1;
  return 0;
}

static double in_us(const struct bench *bench, uint64_t n_cycles) {
  return (double)n_cycles / bench->us;
}

static double percent_over(uint64_t value, uint64_t base) {
  return 100.0 * ((double)value / (double)base - 1);
}

// --only NAME,NAME: these programs.
static bool is_wanted(const struct bench *bench, const char *program) {
  const char *at = bench->only;
  if (!at) return true;
  while ((at = strstr(at, program)) != NULL) {
    size_t n = strlen(program);
    if ((at == bench->only || at[-1] == ',') && (at[n] == ',' || at[n] == 0)) return true;
    at += n;
  }
  return false;
}

// ---- Figures 7 and 8: what accounting costs ----

// A program, and throttles that sleep for a millisecond.
static void set_tenants(const struct bench *bench, struct qsm_tenant_setting *tenants,
                        const char *program, uint32_t n_throttles, uint32_t kernel_us,
                        uint32_t sleep_us) {
  tenants[0] = (struct qsm_tenant_setting){.program = program, .size = QSM_SIZE_S};
  for (uint32_t i = 1; i <= n_throttles; i++)
    tenants[i] = (struct qsm_tenant_setting){.kernel_cycles = (uint64_t)kernel_us * bench->us,
                                             .sleep_cycles = (uint64_t)sleep_us * bench->us};
}

enum { N_ACCOUNTING = 3 };
static const struct variant *const accounting_variants[N_ACCOUNTING] = {&loga, &neon, &exact};

// Over the turnaround without accounting, in percent.
static int measure_overhead(struct bench *bench, const struct qsm_tenant_setting *tenants,
                            uint32_t n, uint64_t *base, double overhead[N_ACCOUNTING]) {
  if (turnaround(bench, &none, tenants, n, false, base)) return -1;
  for (uint32_t i = 0; i < N_ACCOUNTING; i++) {
    uint64_t n_cycles = 0;
    if (turnaround(bench, accounting_variants[i], tenants, n, false, &n_cycles)) return -1;
    overhead[i] = percent_over(n_cycles, *base);
  }
  return 0;
}

static int overhead_of_all(struct bench *bench, uint32_t kernel_us, FILE *table) {
  fputs(
      "| program | passes | pass alone, us | pass, us | loga, % | neon, % | exact, % |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
      table);
  for (uint32_t p = 0; p < N_RODINIA; p++) {
    struct qsm_tenant_setting tenants[11];
    double overhead[N_ACCOUNTING];
    uint64_t base = 0, alone = 0;
    if (!is_wanted(bench, rodinia[p])) continue;
    set_tenants(bench, tenants, rodinia[p], 10, kernel_us, 1000);
    if (set_passes(bench, &tenants[0], 11, bench->periods) ||
        turnaround(bench, &none, tenants, 1, false, &alone) ||
        measure_overhead(bench, tenants, 11, &base, overhead))
      return -1;
    fprintf(table, "| %s | %" PRIu32 " | %.0f | %.0f | %.2f | %.2f | %.2f |\n", rodinia[p],
            tenants[0].passes, in_us(bench, alone) / tenants[0].passes,
            in_us(bench, base) / tenants[0].passes, overhead[0], overhead[1], overhead[2]);
  }
  return 0;
}

static int overhead_part(struct bench *bench, uint32_t kernel_us, const char *name) {
  FILE *table = qsm_tables_open(&bench->tables, name);
  return table ? qsm_tables_close(&bench->tables, table, overhead_of_all(bench, kernel_us, table))
               : -1;
}

static int overhead_10(struct bench *bench) { return overhead_part(bench, 10, "overhead_10"); }

static int overhead_100(struct bench *bench) { return overhead_part(bench, 100, "overhead_100"); }

static int applications(struct bench *bench) {
  static const char *const programs[] = {"heartwall", "lavamd", "dwt2d", "mummergpu"};
  static const uint32_t numbers[] = {1, 5, 10, 15, 20};
  FILE *table = qsm_tables_open(&bench->tables, "applications");
  if (!table) return -1;
  int failed = 0;
  fputs(
      "| program | throttles | loga, % | neon, % | exact, % |\n"
      "| --- | ---: | ---: | ---: | ---: |\n",
      table);
  for (uint32_t p = 0; !failed && p < 4; p++) {
    for (uint32_t i = 0; !failed && is_wanted(bench, programs[p]) && i < 5; i++) {
      struct qsm_tenant_setting tenants[21];
      double overhead[N_ACCOUNTING];
      uint64_t base;
      set_tenants(bench, tenants, programs[p], numbers[i], 10, 1000);
      failed = set_passes(bench, &tenants[0], numbers[i] + 1, bench->periods) ||
                       measure_overhead(bench, tenants, numbers[i] + 1, &base, overhead)
                   ? -1
                   : 0;
      if (!failed)
        fprintf(table, "| %s | %" PRIu32 " | %.2f | %.2f | %.2f |\n", programs[p], numbers[i],
                overhead[0], overhead[1], overhead[2]);
    }
  }
  return qsm_tables_close(&bench->tables, table, failed);
}

// ---- Figures 9 and 10: is it true? ----

// One throttle, polled all the time in one phase, or accounted by counters.
static int watch_throttle(struct bench *bench, const struct variant *variant,
                          const struct qsm_tenant_setting *throttle) {
  struct qsm_tenants_setting setting = setting_of(bench, variant, throttle, 1);
  uint64_t phase = UINT64_C(100000) * bench->us;
  setting.accounting.poll_phase = phase;
  setting.accounting.nonpoll_phase = 1;
  setting.accounting.schedule = false;
  setting.n_cycles = phase + 1000 * bench->us;
  return run(bench, &setting);
}

static int watch_both(struct bench *bench, const struct qsm_tenant_setting *throttle,
                      struct qsm_tenants_outcome *polled, struct qsm_tenants_outcome *counted) {
  if (watch_throttle(bench, &loga, throttle)) return -1;
  *polled = bench->outcome;
  if (watch_throttle(bench, &exact, throttle)) return -1;
  *counted = bench->outcome;
  return 0;
}

static int watch_lengths(struct bench *bench, FILE *lengths, FILE *loads) {
  struct qsm_tenants_outcome *both = calloc(2, sizeof *both);
  if (!both) return qsm_tables_fail(&bench->tables, "lengths", "out of memory");
  int failed = 0;
  for (uint32_t us = 100; !failed && us <= 1000; us += 100) {
    const struct qsm_tenant_setting saturating = {.kernel_cycles = (uint64_t)us * bench->us},
                                    cyclic = {.kernel_cycles = (uint64_t)us * bench->us,
                                              .period_cycles = UINT64_C(1000) * bench->us};
    const struct qsm_tenant_outcome *loga_saw = &both[0].tenant[0], *exact_saw = &both[1].tenant[0];
    failed = watch_both(bench, &saturating, &both[0], &both[1]);
    if (failed) break;
    double truth = in_us(bench, loga_saw->busy) / (double)loga_saw->n_launches,
           polled = in_us(bench, loga_saw->usage.charged) / (double)loga_saw->usage.n_intervals;
    // What the counter had at the last decision is what launches that had ended by then took.
    double counted = in_us(bench, exact_saw->usage.charged),
           n_counted =
               round(counted / (in_us(bench, exact_saw->busy) / (double)exact_saw->n_launches)),
           exact_truth = in_us(bench, exact_saw->busy) / (double)exact_saw->n_launches;
    fprintf(lengths, "| %" PRIu32 " | %.2f | %.2f | %.2f | %.2f | %.3f |\n", us, truth, polled,
            100 * (polled / truth - 1), counted / n_counted,
            100 * (counted / n_counted / exact_truth - 1));
    failed = watch_both(bench, &cyclic, &both[0], &both[1]);
    if (failed) break;
    double cycles = (double)both[0].n_cycles, load = 100 * (double)loga_saw->busy / cycles,
           seen = 100 * (double)loga_saw->usage.charged / (double)both[0].cost.polled_cycles,
           exact_load = 100 * (double)exact_saw->usage.charged /
                        (100000.0 * bench->us + 1);  // of the period that ended
    fprintf(loads, "| %" PRIu32 " | %.1f | %.2f | %.2f | %.2f | %.2f |\n", us, us / 10.0, load,
            seen, seen - us / 10.0, exact_load);
  }
  free(both);
  return failed;
}

static int lengths(struct bench *bench) {
  FILE *table = qsm_tables_open(&bench->tables, "lengths"),
       *loads = table ? qsm_tables_open(&bench->tables, "loads") : NULL;
  if (!loads) return -1;
  fputs(
      "| set to, us | CH_BUSY, us | loga, us | error, % | exact, us | error, % |\n"
      "| ---: | ---: | ---: | ---: | ---: | ---: |\n",
      table);
  fputs(
      "| kernel, us | intended load, % | CH_BUSY, % | loga, % | loga, points | exact, % |\n"
      "| ---: | ---: | ---: | ---: | ---: | ---: |\n",
      loads);
  int failed = watch_lengths(bench, table, loads);
  failed = qsm_tables_close(&bench->tables, table, failed);
  return qsm_tables_close(&bench->tables, loads, failed);
}

// ---- Figure 11: turnaround against the optimum ----

enum { THROTTLES = 4 };
static const struct variant *const scheduling_variants[] = {
    &none, &neon, &loga, &loga_cl, &neon_spare, &loga_spare, &loga_cl_spare, &exact, &exact_short};
enum { N_SCHEDULING = sizeof scheduling_variants / sizeof *scheduling_variants };

// As the paper calculates it: all have as much GPU time as the program had, on a GPU that is never
// idle. GPU times as LoGA sees them without scheduling.
static int optimum(struct bench *bench, const struct qsm_tenant_setting *tenants, double *factor) {
  struct qsm_tenants_setting setting = setting_of(bench, &loga, tenants, 1 + THROTTLES);
  setting.accounting.schedule = false;
  setting.accounting.poll_always = true;
  if (run(bench, &setting)) return -1;
  double program = (double)bench->outcome.tenant[0].usage.charged, throttles = 0;
  for (uint32_t i = 1; i <= THROTTLES; i++)
    throttles += (double)bench->outcome.tenant[i].usage.charged;
  *factor = (1 + THROTTLES) * program / (program + throttles);
  return 0;
}

// The turnaround of the program alone under the same accounting.
static int measure_alone(struct bench *bench, const struct qsm_tenant_setting *program,
                         uint64_t alone[N_SCHEDULING]) {
  for (uint32_t i = 0; i < N_SCHEDULING; i++) {
    const struct variant *variant = scheduling_variants[i];
    alone[i] = 0;
    for (uint32_t j = 0; j < i; j++)
      if (scheduling_variants[j]->policy == variant->policy &&
          scheduling_variants[j]->divisor == variant->divisor)
        alone[i] = alone[j];
    if (!alone[i] && turnaround(bench, variant, program, 1, true, &alone[i])) return -1;
  }
  return 0;
}

static int measure_scheduling(struct bench *bench, const char *program, FILE *table) {
  struct qsm_tenant_setting tenants[1 + THROTTLES];
  uint64_t alone[N_SCHEDULING], shared = 0;
  double factor = 0;
  set_tenants(bench, tenants, program, THROTTLES, 200, 800);
  if (set_passes(bench, &tenants[0], 1 + THROTTLES, bench->periods) ||
      measure_alone(bench, &tenants[0], alone) || optimum(bench, tenants, &factor))
    return -1;
  fprintf(table, "| %s |", program);
  for (uint32_t i = 0; i < N_SCHEDULING; i++) {
    if (turnaround(bench, scheduling_variants[i], tenants, 1 + THROTTLES, true, &shared)) return -1;
    double relative = (double)shared / (double)alone[i];
    if (i == 0) fprintf(table, " %.2f |", relative * factor);
    fprintf(table, " %.2f |", relative);
  }
  fputc('\n', table);
  return 0;
}

static int scheduling(struct bench *bench) {
  FILE *table = qsm_tables_open(&bench->tables, "scheduling");
  if (!table) return -1;
  int failed = 0;
  fputs("| program | optimal |", table);
  for (uint32_t i = 0; i < N_SCHEDULING; i++)
    fprintf(table, " %s |", scheduling_variants[i]->label);
  fputs("\n| --- | ---: |", table);
  for (uint32_t i = 0; i < N_SCHEDULING; i++) fputs(" ---: |", table);
  fputc('\n', table);
  for (uint32_t p = 0; !failed && p < N_RODINIA; p++)
    if (is_wanted(bench, rodinia[p])) failed = measure_scheduling(bench, rodinia[p], table);
  return qsm_tables_close(&bench->tables, table, failed);
}

// ---- Fairness and cost of all policies, both modes ----

static const struct variant *const fairness_variants[] = {
    &none,       &loga,  &loga_spare,  &loga_cl,    &loga_cl_spare, &neon,
    &neon_spare, &exact, &exact_short, &exact_hold, &exact_sm};
enum { N_FAIRNESS = sizeof fairness_variants / sizeof *fairness_variants };

struct mix {
  const char *name, *programs[MIX];
  uint32_t kernel_us[MIX];
  uint32_t blocks[MIX];  // 0: two for each SM
  bool floods;           // the first one
};
static const struct mix mixes[] = {
    {.name = "throttles of 100, 200, 400, 800 us", .kernel_us = {100, 200, 400, 800}},
    {.name = "bfs, lavamd, kmeans, myocyte", .programs = {"bfs", "lavamd", "kmeans", "myocyte"}},
    {.name = "throttles of 100 us, one of 400 us that floods",
     .kernel_us = {400, 100, 100, 100},
     .floods = true},
    {.name = "throttles of 200 us, of 1, 2, 4, 8 blocks",
     .kernel_us = {200, 200, 200, 200},
     .blocks = {1, 2, 4, 8}},
};
enum { N_MIXES = sizeof mixes / sizeof *mixes };

// Of launches in so many cycles.
static int measure_mix(struct bench *bench, const struct variant *variant,
                       const struct qsm_tenant_setting *tenants, uint32_t n, bool concurrent) {
  struct qsm_tenants_setting setting = setting_of(bench, variant, tenants, n);
  setting.concurrent = concurrent;
  setting.n_cycles = UINT64_C(1000) * PAIR_MS * bench->us * MIX * bench->pairs;
  if (n == 1) setting.n_cycles /= ALONE_PART;
  return run(bench, &setting);
}

static double launches_per_cycle(const struct bench *bench, uint32_t tenant) {
  return (double)bench->outcome.tenant[tenant].n_launches / (double)bench->outcome.n_cycles;
}

static double jain(const double *values) {
  double sum = 0, squares = 0;
  for (uint32_t i = 0; i < MIX; i++) sum += values[i], squares += values[i] * values[i];
  return sum * sum / ((double)MIX * squares);
}

static void print_fairness(const struct bench *bench, FILE *table, const char *mode,
                           const struct mix *mix, const struct variant *variant,
                           const double alone[MIX]) {
  double progress[MIX], busy[MIX], sms[MIX], worst = 0, sum = 0, all_busy = 0, all_sms = 0;
  for (uint32_t i = 0; i < MIX; i++) {
    const struct qsm_tenant_outcome *tenant = &bench->outcome.tenant[i];
    progress[i] = launches_per_cycle(bench, i) / alone[i];
    busy[i] = (double)tenant->busy;
    sms[i] = (double)tenant->sm_cycles;
    all_sms += sms[i];
    sum += progress[i];
    all_busy += busy[i];
    double slowdown = 1.0 / (double)MIX / progress[i];
    if (slowdown > worst) worst = slowdown;
  }
  fprintf(table, "| %s | %s | %s | %.3f | %.3f | %.3f | %.2f | %.2f | %.1f |", mode, mix->name,
          variant->label, jain(busy), jain(sms), jain(progress), worst, sum,
          100 * all_busy / (double)bench->outcome.n_cycles);
  for (uint32_t i = 0; i < MIX; i++)
    fprintf(table, " %.0f, %.0f |", 100 * busy[i] / all_busy, 100 * sms[i] / all_sms);
  fputc('\n', table);
}

static void print_cost(const struct bench *bench, FILE *table, const struct variant *variant) {
  const struct qsm_accounting_cost *cost = &bench->outcome.cost;
  uint64_t accesses = cost->n_reads + cost->n_writes, launches = 0;
  for (uint32_t i = 0; i < MIX; i++) launches += bench->outcome.tenant[i].n_launches;
  fprintf(table,
          "| %s | %" PRIu64 " | %" PRIu64 " | %.2f | %.2f | %.1f | %" PRIu64 " | %" PRIu64 " |\n",
          variant->label, cost->n_polls, accesses,
          100 * (double)cost->cpu_cycles / (double)bench->outcome.n_cycles,
          (double)accesses / (double)launches, (double)cost->cpu_cycles / (double)launches,
          cost->n_decisions, cost->n_suspensions);
}

static int measure_fairness(struct bench *bench, const struct mix *mix, bool concurrent,
                            FILE *table, FILE *costs) {
  struct qsm_tenant_setting tenants[MIX] = {0};
  double alone[MIX];
  for (uint32_t i = 0; i < MIX; i++) {
    tenants[i].program = mix->programs[i];
    tenants[i].kernel_cycles = (uint64_t)mix->kernel_us[i] * bench->us;
    tenants[i].blocks = mix->blocks[i] ? mix->blocks[i] : 2 * bench->config.num_sms;
    tenants[i].floods = mix->floods && i == 0;
    if (measure_mix(bench, &none, &tenants[i], 1, concurrent)) return -1;
    alone[i] = launches_per_cycle(bench, 0);
  }
  for (uint32_t i = 0; i < N_FAIRNESS; i++) {
    if (measure_mix(bench, fairness_variants[i], tenants, MIX, concurrent)) return -1;
    print_fairness(bench, table, concurrent ? "concurrent" : "exclusive", mix, fairness_variants[i],
                   alone);
    if (costs) print_cost(bench, costs, fairness_variants[i]);
  }
  return 0;
}

static int fairness(struct bench *bench) {
  FILE *table = qsm_tables_open(&bench->tables, "fairness"),
       *costs = table ? qsm_tables_open(&bench->tables, "costs") : NULL;
  if (!costs) return -1;
  fputs(
      "| mode | tenants | policy | Jain, GPU time | Jain, SM time | Jain, progress | worst slowdown over share |"
      " progress, sum | GPU time, % | first | second | third | fourth |\n"
      "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
      table);
  fputs(
      "| policy | polls | register accesses | CPU load, % | accesses per launch |"
      " CPU cycles per launch | decisions | suspensions |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
      costs);
  int failed = 0;
  for (uint32_t concurrent = 0; !failed && concurrent < 2; concurrent++)
    for (uint32_t m = 0; !failed && m < N_MIXES; m++)
      failed = measure_fairness(bench, &mixes[m], concurrent, table,
                                !concurrent && m == 0 ? costs : NULL);
  failed = qsm_tables_close(&bench->tables, table, failed);
  return qsm_tables_close(&bench->tables, costs, failed);
}

// ---- The command ----

static const struct part {
  const char *name;
  int (*measure)(struct bench *bench);
} parts[] = {{"overhead_10", overhead_10},   {"overhead_100", overhead_100},
             {"applications", applications}, {"lengths", lengths},
             {"scheduling", scheduling},     {"fairness", fairness}};
enum { N_PARTS = sizeof parts / sizeof *parts };

static int write_setting(struct bench *bench) {
  FILE *file = qsm_tables_open(&bench->tables, "setting");
  if (!file) return -1;
  fprintf(file,
          "Configuration %s, %" PRIu32 " cycles for a microsecond of the paper, seed %" PRIu64
          ", programs alone for at least %" PRIu32 " pairs of phases, runs of fairness %" PRIu32
          ".\n",
          bench->config.name, bench->us, bench->seed, bench->periods, bench->pairs);
  return qsm_tables_close(&bench->tables, file, 0);
}

static int measure_parts(struct bench *bench) {
  bool found = false;
  if (write_setting(bench)) return -1;
  for (uint32_t i = 0; i < N_PARTS; i++) {
    if (bench->part && strcmp(bench->part, parts[i].name) != 0) continue;
    found = true;
    if (parts[i].measure(bench)) return -1;
  }
  return found ? 0 : qsm_tables_fail(&bench->tables, bench->part, "no such part");
}

static const struct argp_option option_table[] = {
    {"config", 'c', "NAME", 0, "configuration (default demo+cmd_channels-32)", 0},
    {"microsecond", 'u', "N", 0, "cycles for a microsecond of the paper (default 50)", 0},
    {"periods", 'n', "N", 0, "poll and non-poll phases that a run lasts (default 2)", 0},
    {"pairs", 'f', "N", 0, "the same of runs of fairness (default 20)", 0},
    {"part", 'p', "NAME", 0,
     "only this: overhead_10, overhead_100, applications, lengths, scheduling, fairness", 0},
    {"only", 'o', "PROGRAM,..", 0, "only these programs of the suite", 0},
    {"seed", 's', "N", 0, "seed of inputs and of the cycles in which tenants begin (default 1)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct bench *bench = state->input;
  switch (key) {
    case 'c': bench->config_name = arg; break;
    case 'u': bench->us = (uint32_t)qsm_option_number(state, "microsecond", arg, 10, 1000); break;
    case 'n': bench->periods = (uint32_t)qsm_option_number(state, "periods", arg, 1, 1000); break;
    case 'f': bench->pairs = (uint32_t)qsm_option_number(state, "pairs", arg, 1, 1000); break;
    case 'p': bench->part = arg; break;
    case 'o': bench->only = arg; break;
    case 's': bench->seed = qsm_option_number(state, "seed", arg, 0, UINT64_MAX); break;
    case ARGP_KEY_ARG:
      if (bench->tables.folder) argp_error(state, "too many arguments: '%s'", arg);
      *(bench->programs ? &bench->tables.folder : &bench->programs) = arg;
      break;
    case ARGP_KEY_END:
      if (!bench->tables.folder) argp_error(state, "which PROGRAMS and FOLDER?");
      break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

int main(int argc, char **argv) {
  static struct bench bench = {
      .config_name = "demo+cmd_channels-32", .us = 50, .periods = 2, .pairs = 20, .seed = 1};
  const struct argp argp = {option_table,
                            parse,
                            "PROGRAMS FOLDER",
                            "Measures accounting of GPU time; PROGRAMS is the folder of the suite's"
                            " programs, tables go to FOLDER.",
                            0,
                            0,
                            0};
  argp_err_exit_status = EXIT_BAD_INPUT;
  argp_parse(&argp, argc, argv, 0, NULL, &bench);
  int failed = qsm_config_load(bench.config_name, &bench.config, bench.tables.msg,
                               sizeof bench.tables.msg) ||
                       measure_parts(&bench)
                   ? -1
                   : 0;
  if (failed) fprintf(stderr, "loga: %s\n", bench.tables.msg);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

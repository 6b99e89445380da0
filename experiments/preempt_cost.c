// SPDX-License-Identifier: Apache-2.0
// What it costs to take a thread block from an SM (docs/preemption.md): for blocks of several sizes
// and each technique, launches with one preemption at a random moment against the same launch
// undisturbed, on the model. Writes tables in Markdown, and every figure as CSV.
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_options.h"
#include "qsm_preempt_trial.h"

enum {
  FGQ_EPOCH = 10000,   // cycles
  EXIT_BAD_INPUT = 2,  // as of qsm
  N_TECHNIQUES = 3,
};
static const uint32_t warp_counts[] = {1, 2, 4, 8}, shared_sizes[] = {0, 1024, 4096};

struct bench {
  struct qsm_trials trials;
  const char *folder;
  uint32_t points;  // preemptions of each kind
  uint32_t n_preemptions;
  FILE *csv, *formula, *setting, *tables[N_TECHNIQUES];
};

struct sum {
  uint32_t n;
  double total;
  int64_t worst;
};

// ---- Tables ----

// docs/preemption.md "Time of a switch".
static uint32_t image_accesses(const struct qsm_config *config,
                               const struct qsm_trial_shape *shape) {
  return 3 + 33 * shape->warps + 2 * qsm_config_shared_lines(config, shape->shared_bytes);
}

static double predict(const struct qsm_config *config, const struct qsm_trial_shape *shape) {
  uint32_t lines = image_accesses(config, shape),
           latency = config->mem_latency + 2 * config->noc_lat;
  uint32_t in_flight = config->sb_entries * shape->warps < config->mem_txns
                           ? config->sb_entries * shape->warps
                           : config->mem_txns;
  double wait = (double)lines * latency / in_flight;
  return (wait > 2.0 * lines ? wait : 2.0 * lines) + latency;
}

static uint32_t saved_bytes(const struct qsm_config *config, const struct qsm_trial_shape *shape,
                            qsmTechnique technique) {
  return technique == qsmTechniqueFlush
             ? 3 * qsm_config_line_bytes(config)
             : qsm_config_image_bytes(config, shape->warps, shape->shared_bytes);
}

static void print_headings(struct bench *bench) {
  static const char *const drained =
      "| kernel | warps | shared, KiB | free | worst | added | worst | launch |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  static const char *const saved =
      "| kernel | warps | shared, KiB | saved, bytes | free | worst | restored | worst | away | worst | of an epoch, % | added | worst | launch |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  static const char *const formula =
      "| kernel | warps | shared, KiB | lines | formula | free | relative | restored | relative |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  fputs("kernel,warps,shared_bytes,technique,launch,sm,at,free,restored,away,added\n", bench->csv);
  fputs(formula, bench->formula);
  for (int technique = 0; technique < N_TECHNIQUES; technique++)
    fputs(technique == qsmTechniqueDrain ? drained : saved, bench->tables[technique]);
}

static void print_shape(FILE *table, const struct qsm_trial_shape *shape) {
  fprintf(table, "| %s | %u | %g |", qsm_trial_kernel_names[shape->kernel], shape->warps,
          shape->shared_bytes / 1024.0);
}

static void compare(struct bench *bench, const struct qsm_trial_shape *shape, double done,
                    double restore) {
  double formula = predict(&bench->trials.config, shape);
  print_shape(bench->formula, shape);
  fprintf(bench->formula, " %u | %.0f | %.0f | %.2f | %.0f | %.2f |\n",
          image_accesses(&bench->trials.config, shape), formula, done, done / formula, restore,
          restore / formula);
}

static void add(struct sum *sum, int64_t value) {
  sum->worst = sum->n++ == 0 || value > sum->worst ? value : sum->worst;
  sum->total += (double)value;
}

static void print_sum(FILE *table, const struct sum *sum) {
  fprintf(table, " %.0f | %" PRId64 " |", sum->total / sum->n, sum->worst);
}

static int measure(struct bench *bench, const struct qsm_trial_shape *shape, qsmTechnique technique,
                   uint64_t undisturbed) {
  struct sum done = {0}, restore = {0}, away = {0}, added = {0};
  for (uint32_t i = 0; i < bench->points; i++) {
    struct qsm_trial_cost cost;
    if (qsm_trial_preempted(&bench->trials, shape, technique, undisturbed, &cost)) return -1;
    add(&done, (int64_t)cost.done);
    add(&restore, (int64_t)cost.restore);
    add(&away, (int64_t)cost.away);
    add(&added, cost.added);
    fprintf(bench->csv,
            "%s,%u,%u,%s,%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRId64
            "\n",
            qsm_trial_kernel_names[shape->kernel], shape->warps, shape->shared_bytes,
            qsm_trial_technique_names[technique], undisturbed, cost.sm, cost.at, cost.done,
            cost.restore, cost.away, cost.added);
  }
  FILE *table = bench->tables[technique];
  print_shape(table, shape);
  if (technique != qsmTechniqueDrain)
    fprintf(table, " %u |", saved_bytes(&bench->trials.config, shape, technique));
  print_sum(table, &done);
  if (technique != qsmTechniqueDrain) {
    print_sum(table, &restore);
    print_sum(table, &away);
    fprintf(
        table, " %.2f |",
        100 * away.total / away.n * shape->warps / (bench->trials.config.warps_per_sm * FGQ_EPOCH));
  }
  print_sum(table, &added);
  fprintf(table, " %" PRIu64 " |\n", undisturbed);
  if (technique == qsmTechniqueSwitch)
    compare(bench, shape, done.total / done.n, restore.total / restore.n);
  bench->n_preemptions += done.n;
  return 0;
}

static int measure_shape(struct bench *bench, const struct qsm_trial_shape *shape) {
  uint64_t undisturbed;
  if (qsm_trial_undisturbed(&bench->trials, shape, &undisturbed)) return -1;
  for (int technique = 0; technique < N_TECHNIQUES; technique++) {
    if (measure(bench, shape, (qsmTechnique)technique, undisturbed)) return -1;
  }
  return 0;
}

static int measure_all(struct bench *bench) {
  print_headings(bench);
  for (uint32_t kernel = 0; kernel < QSM_TRIAL_KERNELS; kernel++) {
    for (size_t w = 0; w < sizeof warp_counts / sizeof *warp_counts; w++) {
      for (size_t s = 0; s < sizeof shared_sizes / sizeof *shared_sizes; s++) {
        struct qsm_trial_shape shape = {kernel, warp_counts[w], shared_sizes[s]};
        if (shape.warps > bench->trials.config.warps_per_sm ||
            shape.shared_bytes > bench->trials.config.shared_bytes)
          continue;
        if (measure_shape(bench, &shape)) return -1;
      }
    }
  }
  fprintf(
      bench->setting,
      "Configuration %s, seed %" PRIu64
      ": %u preemptions, %u of each kind, each in a launch of its own whose outputs were all right.\n",
      bench->trials.config.name, bench->trials.seed, bench->n_preemptions, bench->points);
  return 0;
}

// ---- The command ----

static int open_output(struct bench *bench, const char *name, FILE **file) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", bench->folder, name);
  *file = fopen(path, "w");
  if (*file) return 0;
  snprintf(bench->trials.msg, sizeof bench->trials.msg, "%.400s: %s", path, strerror(errno));
  return -1;
}

static int open_outputs(struct bench *bench) {
  if (open_output(bench, "points.csv", &bench->csv) ||
      open_output(bench, "formula.md", &bench->formula) ||
      open_output(bench, "setting.md", &bench->setting))
    return -1;
  for (int technique = 0; technique < N_TECHNIQUES; technique++) {
    char name[32];
    snprintf(name, sizeof name, "%s.md", qsm_trial_technique_names[technique]);
    if (open_output(bench, name, &bench->tables[technique])) return -1;
  }
  return 0;
}

// What could not be written is told unless there is a reason for failure already.
static int close_outputs(struct bench *bench, int failed) {
  FILE *files[] = {bench->csv,       bench->formula,   bench->setting,
                   bench->tables[0], bench->tables[1], bench->tables[2]};
  bool lost = false;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (files[i]) lost |= ferror(files[i]) | fclose(files[i]);
  }
  if (lost && !failed)
    snprintf(bench->trials.msg, sizeof bench->trials.msg, "%.400s: cannot write", bench->folder);
  return failed || lost ? -1 : 0;
}

static const struct argp_option option_table[] = {
    {"config", 'c', "NAME", 0, "configuration: a name in configs/ or a path (default demo)", 0},
    {"points", 'p', "N", 0, "preemptions of each kind (default 8)", 0},
    {"rounds", 'r', "N", 0, "length of a thread: rounds of its loop (default 100)", 0},
    {"seed", 's', "N", 0, "seed of moments and inputs (default 1)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct bench *bench = state->input;
  switch (key) {
    case 'c': bench->trials.config_name = arg; break;
    case 'p': bench->points = (uint32_t)qsm_option_number(state, "points", arg, 1, 1000); break;
    case 'r':
      bench->trials.rounds = (uint32_t)qsm_option_number(state, "rounds", arg, 1, 100000);
      break;
    case 's': bench->trials.seed = qsm_option_number(state, "seed", arg, 0, UINT64_MAX); break;
    case ARGP_KEY_ARG:
      if (bench->folder) argp_error(state, "too many arguments: '%s'", arg);
      *(bench->trials.program ? &bench->folder : &bench->trials.program) = arg;
      break;
    case ARGP_KEY_END:
      if (!bench->folder) argp_error(state, "which PROGRAM.elf and FOLDER?");
      break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

int main(int argc, char **argv) {
  static struct bench bench = {.trials = {.config_name = "demo", .rounds = 100, .seed = 1},
                               .points = 8};
  const struct argp argp = {option_table,
                            parse,
                            "PROGRAM.elf FOLDER",
                            "Measures preemptions; tables and points.csv go to FOLDER.",
                            0,
                            0,
                            0};
  argp_err_exit_status = EXIT_BAD_INPUT;
  argp_parse(&argp, argc, argv, 0, NULL, &bench);
  int failed =
      qsm_trials_open(&bench.trials) || open_outputs(&bench) || measure_all(&bench) ? -1 : 0;
  failed = close_outputs(&bench, failed);
  if (failed) fprintf(stderr, "preempt_cost: %s\n", bench.trials.msg);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

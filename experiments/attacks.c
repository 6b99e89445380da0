// SPDX-License-Identifier: Apache-2.0
// What a hostile tenant costs an honest one (docs/security.md): each kernel of attack_kernels.c
// beside a program of the suite, on the model, with no scheme, under Rollover, and with thread
// blocks adjusted too. Writes a table in Markdown; fails if an output of the honest tenant is wrong
// or an attack ends otherwise than it must.
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_attacks.h"

enum { EXIT_BAD_INPUT = 2, N_SETTINGS = 3 };
#define GOAL 0.5  // of the speed alone

struct bench {
  struct qsm_attack_setting setting;
  const char *folder;
  double alone;       // IPC of the honest tenant
  uint32_t n_failed;  // attacks with a wrong output or an end that was not expected
  FILE *table, *about;
  char msg[512];
};

static struct qsm_attack_setting setting_of(const struct bench *bench, int which) {
  struct qsm_attack_setting setting = bench->setting;
  setting.scheme = which == 0 ? qsmSchemeNone : qsmSchemeRollover;
  setting.goal_q16 = which == 0 ? 0 : (uint32_t)(bench->alone * GOAL * 65536);
  setting.adjust = which == 2 ? qsmAdjustSwitch : qsmAdjustOff;
  return setting;
}

static void complain(struct bench *bench, const struct qsm_attack *attack, int which,
                     const struct qsm_attack_outcome *outcome) {
  fprintf(stderr,
          "attacks: %s, setting %d: %" PRIu64 " passes of the honest tenant wrong; %" PRIu64
          " of %" PRIu64
          " ends of the attack not as expected"
          " (last: killed %d, cause %u, PC 0x%08X, value 0x%08X)\n",
          attack->kernel, which, outcome->n_wrong, outcome->n_unexpected, outcome->n_attacks,
          outcome->unexpected.killed, outcome->unexpected.cause, outcome->unexpected.pc,
          outcome->unexpected.value);
  bench->n_failed++;
}

static int measure(struct bench *bench, const struct qsm_attack *attack) {
  fprintf(bench->table, "| %s | %s |", attack->kernel, attack->does);
  for (int which = 0; which < N_SETTINGS; which++) {
    struct qsm_attack_setting setting = setting_of(bench, which);
    struct qsm_attack_outcome outcome;
    if (qsm_attack_run(&setting, attack, &outcome, bench->msg, sizeof bench->msg)) return -1;
    if (outcome.n_wrong || outcome.n_unexpected) complain(bench, attack, which, &outcome);
    fprintf(bench->table, " %.1f |", 100 * outcome.ipc / bench->alone);
  }
  fputc('\n', bench->table);
  return 0;
}

static int measure_all(struct bench *bench) {
  struct qsm_attack_outcome alone;
  struct qsm_attack_setting setting = setting_of(bench, 0);
  if (qsm_attack_run(&setting, NULL, &alone, bench->msg, sizeof bench->msg)) return -1;
  bench->alone = alone.ipc;
  fputs(
      "| attack | what it does | no scheme | Rollover | and adjustment |\n| --- | --- | ---: | ---: | ---: |\n",
      bench->table);
  for (size_t i = 0; i < qsm_n_attacks; i++)
    if (measure(bench, &qsm_attacks[i])) return -1;
  fprintf(
      bench->about,
      "Configuration %s, program %s (size %s, seed %" PRIu64
      "), %u epochs: alone %.3f thread instructions per cycle. %zu attacks in %d settings: %s.\n",
      setting.config, setting.program->name, qsm_suite_size_names[setting.size], setting.seed,
      setting.n_epochs, alone.ipc, qsm_n_attacks, N_SETTINGS,
      bench->n_failed
          ? "**not all ended as they must**"
          : "no output of the honest program was wrong, every fault killed the attacker with the right cause");
  return 0;
}

// ---- The command ----

static int open_output(struct bench *bench, const char *name, FILE **file) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", bench->folder, name);
  *file = fopen(path, "w");
  if (*file) return 0;
  snprintf(bench->msg, sizeof bench->msg, "%.400s: %s", path, strerror(errno));
  return -1;
}

// What could not be written is told unless there is a reason for failure already.
static int close_outputs(struct bench *bench, int failed) {
  FILE *files[] = {bench->table, bench->about};
  bool lost = false;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (files[i]) lost |= ferror(files[i]) | fclose(files[i]);
  if (lost && !failed)
    snprintf(bench->msg, sizeof bench->msg, "%.400s: cannot write", bench->folder);
  return failed || lost ? -1 : 0;
}

static const struct argp_option option_table[] = {
    {"config", 'c', "NAME", 0, "configuration: a name in configs/ or a path (default demo)", 0},
    {"program", 'p', "NAME", 0, "program of the honest tenant (default matmul)", 0},
    {"epochs", 'e', "N", 0, "length of a measurement (default 30)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct bench *bench = state->input;
  char *end = NULL;
  switch (key) {
    case 'c': bench->setting.config = arg; break;
    case 'p':
      bench->setting.program = qsm_suite_find(arg);
      if (!bench->setting.program)
        argp_error(state, "--program %s: the suite has none of this name", arg);
      break;
    case 'e': {
      unsigned long n = strtoul(arg, &end, 10);
      if (*arg < '0' || *arg > '9' || *end || n < 1 || n > 100000)
        argp_error(state, "--epochs %s: must be a number from 1 to 100000", arg);
      bench->setting.n_epochs = (uint32_t)n;
      break;
    }
    case ARGP_KEY_ARG:
      if (bench->folder) argp_error(state, "too many arguments: '%s'", arg);
      *(bench->setting.attackers ? &bench->folder : &bench->setting.attackers) = arg;
      break;
    case ARGP_KEY_END:
      if (!bench->folder) argp_error(state, "which ATTACKS.elf and FOLDER?");
      break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

int main(int argc, char **argv) {
  struct bench bench = {
      .setting = {
          .backend = "model", .config = "demo", .size = QSM_SIZE_M, .seed = 1, .n_epochs = 30}};
  const struct argp argp = {option_table,
                            parse,
                            "ATTACKS.elf FOLDER",
                            "Measures a program beside each attack; the table goes to FOLDER.",
                            0,
                            0,
                            0};
  bench.setting.program = qsm_suite_find("matmul");
  argp_err_exit_status = EXIT_BAD_INPUT;
  argp_parse(&argp, argc, argv, 0, NULL, &bench);
  int failed = open_output(&bench, "table.md", &bench.table) ||
                       open_output(&bench, "about.md", &bench.about) || measure_all(&bench)
                   ? -1
                   : 0;
  failed = close_outputs(&bench, failed);
  if (failed) fprintf(stderr, "attacks: %s\n", bench.msg);
  return failed || bench.n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

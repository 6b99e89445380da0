// SPDX-License-Identifier: Apache-2.0
// The `qsm` command: subcommands and their options (docs/command.md).
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_apps.h"
#include "qsm_backend.h"
#include "qsm_config_yaml.h"
#include "qsm_disasm.h"
#include "qsm_elf.h"
#include "qsm_fuzz.h"
#include "qsm_memcheck.h"
#include "qsm_profile.h"
#include "qsm_report.h"
#include "qsm_run.h"
#include "qsm_slurm.h"
#include "qsm_suite.h"
#include "qsm_sweep.h"

#define QSM_VERSION "qsm 0.1.0"

// ---- Shared option parsing ----

static uint64_t number_option(struct argp_state *state, const char *option, const char *text,
                              uint64_t least) {
  char *end = NULL;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || errno || value < least)
    argp_error(state, "--%s %s: must be a number from %llu on", option, text,
               (unsigned long long)least);
  return value;
}

// A board with the model beside it.
static bool is_checked(const char *backend) { return strncmp(backend, "checked:serial:", 15) == 0; }

static const char *backend_option(struct argp_state *state, const char *text) {
  if (strcmp(text, "model") && strcmp(text, "rtl") && strcmp(text, "lockstep") &&
      strncmp(text, "serial:", 7) && !is_checked(text))
    argp_error(state,
               "--backend %s: must be model, rtl, lockstep, serial:DEVICE or checked:serial:DEVICE",
               text);
  return text;
}

static const char *inject_option(struct argp_state *state, const char *text) {
  for (const char *const *block = qsm_backend_inject_blocks(); *block; block++)
    if (strcmp(text, *block) == 0) return text;
  argp_error(state, "--inject %s: no such block", text);
  return text;
}

enum option_key {
  KEY_BACKEND = 'b',
  KEY_CONFIG = 'c',
  KEY_CYCLES = 'n',
  KEY_SEED = 's',
  KEY_OUT = 'o',
  KEY_WAVES = 'w',
  KEY_QUIET = 'q',
  KEY_JOBS = 'j',
  KEY_INJECT = 256,
  KEY_INJECT_CYCLE,
  KEY_STATE,
  KEY_DB,
  KEY_RETRY,
  KEY_DRY_RUN,
  KEY_TABLE,
  KEY_PLOT,
  KEY_CSV,
  KEY_KONATA,
  KEY_TIMELINE,
  KEY_HASH,
  KEY_NETLIST,
  KEY_BOARD,
  KEY_FROM,
  KEY_TO,
  KEY_OVERWRITE,
  KEY_EXITED,
  KEY_SIZE,
  KEY_ALL,
  KEY_COUNTS,
  KEY_POLICIES,
  KEY_SLURM,
  KEY_PARTITION,
  KEY_TIME,
  KEY_TASK_TIME,
  KEY_CPUS,
  KEY_NODES,
  KEY_SBATCH,
  KEY_STATUS,
  KEY_MERGE,
  KEY_TASK
};

// ---- qsm run ----

static const struct argp_option run_option_table[] = {
    {"backend", KEY_BACKEND, "NAME", 0,
     "model (default), rtl, lockstep: both, every cycle compared, serial:DEVICE: a board, or "
     "checked:serial:DEVICE: a board and the model, all that the host sees compared",
     0},
    {"config", KEY_CONFIG, "NAME", 0,
     "configuration instead of the scenario's: a name in configs/ or a path", 0},
    {"cycles", KEY_CYCLES, "N", 0, "length instead of the scenario's", 0},
    {"seed", KEY_SEED, "N", 0, "seed of the inputs instead of the scenario's", 0},
    {"out", KEY_OUT, "DIR", 0, "folder for results (default qsm-results/SCENARIO)", 0},
    {"overwrite", KEY_OVERWRITE, 0, 0, "replace results of another scenario there", 0},
    {"waves", KEY_WAVES, 0, 0, "write DIR/waves.fst of the shared run (rtl and lockstep)", 0},
    {"konata", KEY_KONATA, "FILE", 0, "write the pipeline of the shared run, for Konata", 0},
    {"timeline", KEY_TIMELINE, "FILE", 0,
     "write launches, blocks, epochs and counters of the shared run, for Perfetto", 0},
    {"from", KEY_FROM, "N", 0, "first cycle in these two (default 0)", 0},
    {"to", KEY_TO, "N", 0, "last cycle in these two (default: the end)", 0},
    {"netlist", KEY_NETLIST, 0, 0, "the synthesised netlist in place of the RTL", 0},
    {"hash", KEY_HASH, 0, 0,
     "give a hash of all that happens in the shared run (model and lockstep)", 0},
    {"quiet", KEY_QUIET, 0, 0, "no progress, no table", 0},
    {"inject", KEY_INJECT, "BLOCK", 0,
     "negative control: flip one bit of this block in the model; lockstep must report it", 0},
    {"inject-cycle", KEY_INJECT_CYCLE, "N", 0, "cycle of the flip (default 15000)", 0},
    {"state-interval", KEY_STATE, "N", 0,
     "lockstep: compare the full state every N cycles (default 5000)", 0},
    {0}};

static error_t parse_run(int key, char *arg, struct argp_state *state) {
  struct qsm_run_options *options = state->input;
  switch (key) {
    case KEY_BACKEND: options->backend = backend_option(state, arg); break;
    case KEY_CONFIG: options->config = arg; break;
    case KEY_CYCLES: options->cycles = number_option(state, "cycles", arg, 1); break;
    case KEY_SEED:
      options->seed = number_option(state, "seed", arg, 0);
      options->has_seed = true;
      break;
    case KEY_OUT: options->out_dir = arg; break;
    case KEY_OVERWRITE: options->overwrite = true; break;
    case KEY_WAVES: options->waves = true; break;
    case KEY_QUIET: options->quiet = true; break;
    case KEY_HASH: options->hash = true; break;
    case KEY_NETLIST: options->netlist = true; break;
    case KEY_INJECT: options->inject_block = inject_option(state, arg); break;
    case KEY_INJECT_CYCLE:
      options->inject_cycle = number_option(state, "inject-cycle", arg, 0);
      break;
    case KEY_STATE: options->state_interval = number_option(state, "state-interval", arg, 1); break;
    case KEY_KONATA: options->konata = arg; break;
    case KEY_TIMELINE: options->timeline = arg; break;
    case KEY_FROM: options->from = number_option(state, "from", arg, 0); break;
    case KEY_TO: options->to = number_option(state, "to", arg, 0); break;
    case ARGP_KEY_ARG:
      if (options->scenario) argp_error(state, "one scenario at a time, got also '%s'", arg);
      options->scenario = arg;
      break;
    case ARGP_KEY_END:
      if (!options->scenario) argp_error(state, "which SCENARIO.yaml?");
      if (options->waves && (!options->backend || strcmp(options->backend, "model") == 0))
        argp_error(state, "--waves needs --backend rtl or lockstep");
      if (options->netlist && (!options->backend || (strcmp(options->backend, "rtl") &&
                                                     strcmp(options->backend, "lockstep"))))
        argp_error(state, "--netlist needs --backend rtl or lockstep");
      if (options->netlist && options->waves)
        argp_error(state, "--waves goes without --netlist, which writes none");
      if (options->hash && options->backend && strcmp(options->backend, "rtl") == 0)
        argp_error(state, "--hash needs --backend model or lockstep");
      if ((options->from || options->to != UINT64_MAX) && !options->konata && !options->timeline)
        argp_error(state, "--from and --to need --konata or --timeline");
      if (options->from > options->to) argp_error(state, "--from is behind --to");
      if (options->inject_block && (!options->backend || (strcmp(options->backend, "lockstep") &&
                                                          !is_checked(options->backend))))
        argp_error(state, "--inject needs --backend lockstep or checked:serial:DEVICE");
      break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static int command_run(int argc, char **argv) {
  struct qsm_run_options options = {
      .inject_cycle = 15000, .state_interval = 5000, .to = UINT64_MAX};
  const struct argp argp = {run_option_table,
                            parse_run,
                            "SCENARIO.yaml",
                            "Runs a scenario: each kernel alone, then all together.",
                            0,
                            0,
                            0};
  argp_parse(&argp, argc, argv, 0, NULL, &options);
  return (int)qsm_run(&options);
}

// ---- qsm sweep ----

static const struct argp_option sweep_option_table[] = {
    {"db", KEY_DB, "FILE", 0, "database (default qsm-results/NAME.db)", 0},
    {"jobs", KEY_JOBS, "N", 0, "runs at a time (default: as many as cores)", 0},
    {"retry", KEY_RETRY, 0, 0, "run failed ones again", 0},
    {"dry-run", KEY_DRY_RUN, 0, 0, "only list the runs; with --slurm: only print the scripts", 0},
    {"quiet", KEY_QUIET, 0, 0, "no progress", 0},
    {0, 0, 0, 0, "On a cluster:", 1},
    {"slurm", KEY_SLURM, 0, 0, "submit the runs that are missing as job arrays of Slurm", 1},
    {"partition", KEY_PARTITION, "NAME", 0, "partition of the jobs", 1},
    {"time", KEY_TIME, "LIMIT", 0, "time limit of a task, as sbatch takes it", 1},
    {"task-time", KEY_TASK_TIME, "LIMIT", 0, "expected time of a task (default 10: minutes)", 1},
    {"cpus", KEY_CPUS, "N", 0, "cores of a task (default 1)", 1},
    {"nodes", KEY_NODES, "N", 0, "tasks at a time, each on one node (default: no limit)", 1},
    {"sbatch", KEY_SBATCH, "OPTION", 0, "one more option of sbatch; may be repeated", 1},
    {"status", KEY_STATUS, 0, 0, "tell how far a submitted sweep is", 1},
    {"merge", KEY_MERGE, 0, 0, "put what tasks have found into the database now", 1},
    {"task", KEY_TASK, "TASK", OPTION_HIDDEN, "what the scripts call", 1},
    {0}};

static uint32_t small_number_option(struct argp_state *state, const char *option, const char *text,
                                    uint32_t most) {
  uint64_t n = number_option(state, option, text, 1);
  if (n > most) argp_error(state, "--%s %s: at most %u", option, text, most);
  return (uint32_t)n;
}

static uint64_t time_option(struct argp_state *state, const char *option, const char *text) {
  uint64_t seconds = 0;
  if (qsm_slurm_seconds(text, &seconds))
    argp_error(state, "--%s %s: must be MINUTES, MINUTES:SECONDS, H:MM:SS or D-HH[:MM[:SS]]",
               option, text);
  return seconds;
}

static const char *partition_option(struct argp_state *state, const char *text) {
  if (!*text || text[strcspn(text, " \t\n\"'#\\")])
    argp_error(state, "--partition '%s': no name of a partition", text);
  return text;
}

static void add_extra(struct qsm_slurm_options *options, struct argp_state *state,
                      const char *text) {
  if (*text != '-' || strchr(text, '\n'))
    argp_error(state, "--sbatch '%s': must be an option of sbatch, like --account=NAME", text);
  if (options->n_extras == QSM_SLURM_MAX_EXTRAS)
    argp_error(state, "--sbatch: at most %d", QSM_SLURM_MAX_EXTRAS);
  options->extras[options->n_extras++] = text;
}

struct sweep_command {
  struct qsm_slurm_options options;
  bool slurm;
  const char *needs_slurm;  // an option that was given
};

static void set_action(struct sweep_command *command, struct argp_state *state,
                       enum qsm_slurm_action action) {
  if (command->options.action != QSM_SLURM_SUBMIT)
    argp_error(state, "one of --status, --merge at a time");
  command->options.action = action;
}

static error_t parse_slurm(int key, char *arg, struct argp_state *state) {
  struct sweep_command *command = state->input;
  struct qsm_slurm_options *options = &command->options;
  if (key < KEY_SLURM || key > KEY_TASK) return ARGP_ERR_UNKNOWN;
  switch (key) {
    case KEY_SLURM: command->slurm = true; return 0;
    case KEY_PARTITION: options->partition = partition_option(state, arg); break;
    case KEY_TIME:
      options->time = arg;
      options->time_s = time_option(state, "time", arg);
      break;
    case KEY_TASK_TIME: options->task_time_s = time_option(state, "task-time", arg); break;
    case KEY_CPUS: options->n_cpus = small_number_option(state, "cpus", arg, 1024); break;
    case KEY_NODES: options->n_nodes = small_number_option(state, "nodes", arg, 100000); break;
    case KEY_SBATCH: add_extra(options, state, arg); break;
    case KEY_STATUS: set_action(command, state, QSM_SLURM_STATUS); break;
    case KEY_MERGE: set_action(command, state, QSM_SLURM_MERGE); break;
    default:
      set_action(command, state, QSM_SLURM_TASK);
      options->task = arg;
      break;
  }
  for (const struct argp_option *option = sweep_option_table; option->name || option->doc; option++)
    if (option->key == key) command->needs_slurm = option->name;
  return 0;
}

static void check_sweep(const struct sweep_command *command, struct argp_state *state) {
  const struct qsm_sweep_options *sweep = &command->options.sweep;
  if (!sweep->file) argp_error(state, "which SWEEP.yaml?");
  if (!command->slurm && command->needs_slurm)
    argp_error(state, "--%s needs --slurm", command->needs_slurm);
  if (command->slurm && sweep->n_jobs)
    argp_error(state,
               "--jobs goes without --slurm; --cpus says how many runs a task does at a time");
  if (command->options.action != QSM_SLURM_SUBMIT && (sweep->dry_run || sweep->retry))
    argp_error(state, "--%s goes without --%s", sweep->dry_run ? "dry-run" : "retry",
               command->needs_slurm);
  if (sweep->dry_run && sweep->retry && command->slurm)
    argp_error(state, "--dry-run goes without --retry");
}

static error_t parse_sweep(int key, char *arg, struct argp_state *state) {
  struct sweep_command *command = state->input;
  struct qsm_sweep_options *options = &command->options.sweep;
  switch (key) {
    case KEY_DB: options->db = arg; break;
    case KEY_JOBS: options->n_jobs = small_number_option(state, "jobs", arg, 1024); break;
    case KEY_RETRY: options->retry = true; break;
    case KEY_DRY_RUN: options->dry_run = true; break;
    case KEY_QUIET: options->quiet = true; break;
    case ARGP_KEY_ARG:
      if (options->file) argp_error(state, "one sweep at a time, got also '%s'", arg);
      options->file = arg;
      break;
    case ARGP_KEY_END: check_sweep(command, state); break;
    default: return parse_slurm(key, arg, state);
  }
  return 0;
}

static int command_sweep(int argc, char **argv) {
  struct sweep_command command = {.options = {.task_time_s = 600, .n_cpus = 1}};
  const struct argp argp = {
      sweep_option_table,
      parse_sweep,
      "SWEEP.yaml",
      "Runs all combinations that a sweep file stands for, and keeps them in a database.",
      0,
      0,
      0};
  argp_parse(&argp, argc, argv, 0, NULL, &command);
  return (int)(command.slurm ? qsm_slurm(&command.options) : qsm_sweep(&command.options.sweep));
}

// ---- qsm report ----

static const struct argp_option report_option_table[] = {
    {"table", KEY_TABLE, "NAME", 0, "only this table", 0},
    {"csv", KEY_CSV, 0, 0, "as comma-separated values; without --table: every kernel of every run",
     0},
    {"plot", KEY_PLOT, "NAME", 0, "draw this table as SVG", 0},
    {"out", KEY_OUT, "FILE", 0, "file for the plot (default DATABASE-NAME.svg)", 0},
    {0}};

static const char *table_option(struct argp_state *state, const char *option, const char *text) {
  char known[512];
  qsm_report_list(known, sizeof known);
  if (!qsm_report_knows(text)) argp_error(state, "--%s %s: must be one of %s", option, text, known);
  return text;
}

static error_t parse_report(int key, char *arg, struct argp_state *state) {
  struct qsm_report_options *options = state->input;
  switch (key) {
    case KEY_TABLE: options->table = table_option(state, "table", arg); break;
    case KEY_CSV: options->csv = true; break;
    case KEY_PLOT:
      options->plot = table_option(state, "plot", arg);
      if (!qsm_report_can_plot(arg)) argp_error(state, "--plot %s: a table of words", arg);
      break;
    case KEY_OUT: options->out = arg; break;
    case ARGP_KEY_ARG:
      if (options->db) argp_error(state, "one database at a time, got also '%s'", arg);
      options->db = arg;
      break;
    case ARGP_KEY_END:
      if (!options->db) argp_error(state, "which DATABASE?");
      if (options->plot && (options->table || options->csv))
        argp_error(state, "--plot goes without --table and --csv");
      if (options->out && !options->plot) argp_error(state, "--out needs --plot");
      break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static int command_report(int argc, char **argv) {
  struct qsm_report_options options = {.csv = false};
  const struct argp argp = {report_option_table,
                            parse_report,
                            "DATABASE",
                            "Tables and plots of what a sweep has measured.",
                            0,
                            0,
                            0};
  argp_parse(&argp, argc, argv, 0, NULL, &options);
  return (int)qsm_report(&options);
}

// ---- qsm fuzz ----

static const struct argp_option fuzz_option_table[] = {
    {"cycles", KEY_CYCLES, "N", 0, "compared cycles (default 1000000)", 0},
    {"seed", KEY_SEED, "N", 0, "first seed (default 1); each round prints its own", 0},
    {"config", KEY_CONFIG, "NAME", 0,
     "configuration (default tiny), or random: a small one made up from the seed, and built", 0},
    {"out", KEY_OUT, "DIR", 0, "folder for a difference's report (default qsm-fuzz)", 0},
    {"netlist", KEY_NETLIST, 0, 0, "the synthesised netlist in place of the RTL", 0},
    {"board", KEY_BOARD, "DEVICE", 0,
     "the board at this serial line in place of the RTL: all that the host sees is compared", 0},
    {"quiet", KEY_QUIET, 0, 0, "no progress", 0},
    {"inject", KEY_INJECT, "BLOCK", 0,
     "negative control: flip one bit of this block in the model; the run must find it", 0},
    {0}};

static error_t parse_fuzz(int key, char *arg, struct argp_state *state) {
  struct qsm_fuzz_options *options = state->input;
  switch (key) {
    case KEY_CYCLES: options->cycles = number_option(state, "cycles", arg, 1); break;
    case KEY_SEED: options->seed = number_option(state, "seed", arg, 0); break;
    case KEY_CONFIG: options->config = arg; break;
    case KEY_OUT: options->out_dir = arg; break;
    case KEY_QUIET: options->quiet = true; break;
    case KEY_NETLIST: options->netlist = true; break;
    case KEY_BOARD: options->board = arg; break;
    case KEY_INJECT: options->inject_block = inject_option(state, arg); break;
    case ARGP_KEY_ARG: argp_error(state, "unexpected argument '%s'", arg); break;
    case ARGP_KEY_END:
      if (options->board && options->netlist)
        argp_error(state, "--board and --netlist: one of the two");
      break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static int command_fuzz(int argc, char **argv) {
  struct qsm_fuzz_options options = {.cycles = 1000000, .seed = 1, .config = "tiny"};
  const struct argp argp = {
      fuzz_option_table,
      parse_fuzz,
      "",
      "Random programs, launches, goals, policies and schemes on RTL and model in lockstep.",
      0,
      0,
      0};
  argp_parse(&argp, argc, argv, 0, NULL, &options);
  return (int)qsm_fuzz(&options);
}

// ---- qsm memcheck ----

static const struct argp_option memcheck_option_table[] = {
    {"config", KEY_CONFIG, "NAME", 0,
     "configuration instead of the scenario's: a name in configs/ or a path", 0},
    {"cycles", KEY_CYCLES, "N", 0, "cycles that a pass of a kernel may take (default 20000000)", 0},
    {"seed", KEY_SEED, "N", 0, "seed of the inputs instead of the scenario's", 0},
    {"exited", KEY_EXITED, 0, 0,
     "threads that end without a barrier at which others wait are a finding too", 0},
    {"quiet", KEY_QUIET, 0, 0, "no progress", 0},
    {0}};

static error_t parse_memcheck(int key, char *arg, struct argp_state *state) {
  struct qsm_memcheck_options *options = state->input;
  switch (key) {
    case KEY_CONFIG: options->config = arg; break;
    case KEY_CYCLES: options->cycles = number_option(state, "cycles", arg, 1); break;
    case KEY_SEED:
      options->seed = number_option(state, "seed", arg, 0);
      options->has_seed = true;
      break;
    case KEY_EXITED: options->exited = true; break;
    case KEY_QUIET: options->quiet = true; break;
    case ARGP_KEY_ARG:
      if (options->scenario) argp_error(state, "one scenario at a time, got also '%s'", arg);
      options->scenario = arg;
      break;
    case ARGP_KEY_END:
      if (!options->scenario) argp_error(state, "which SCENARIO.yaml?");
      break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static int command_memcheck(int argc, char **argv) {
  struct qsm_memcheck_options options = {.cycles = 20000000};
  const struct argp argp = {
      memcheck_option_table,
      parse_memcheck,
      "SCENARIO.yaml",
      "Runs each kernel of a scenario once, alone on the C model, and finds wrong uses of memory and barriers.",
      0,
      0,
      0};
  argp_parse(&argp, argc, argv, 0, NULL, &options);
  return (int)qsm_memcheck(&options);
}

// ---- qsm app ----

static const struct argp_option app_option_table[] = {
    {"config", KEY_CONFIG, "NAME", 0, "configuration (default rdna2)", 0},
    {"size", KEY_SIZE, "T|S|M", 0, "size (default S)", 0},
    {"seed", KEY_SEED, "N", 0, "seed of weights and input (default 1)", 0},
    {"all", KEY_ALL, 0, 0, "every application, a line of a table for each", 0},
    {0}};

static error_t parse_app(int key, char *arg, struct argp_state *state) {
  struct qsm_apps_options *options = state->input;
  switch (key) {
    case KEY_CONFIG: options->config = arg; break;
    case KEY_SEED: options->seed = number_option(state, "seed", arg, 0); break;
    case KEY_ALL: options->all = true; break;
    case KEY_SIZE:
      if (!qsm_app_size_by_name(arg, &options->size))
        argp_error(state, "--size %s: must be T, S or M", arg);
      break;
    case ARGP_KEY_ARG:
      if (options->name) argp_error(state, "one application at a time, got also '%s'", arg);
      options->name = arg;
      break;
    case ARGP_KEY_END:
      if (!options->name && !options->all) argp_error(state, "which APPLICATION, or --all?");
      if (options->name && options->all) argp_error(state, "--all goes without APPLICATION");
      break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static int command_app(int argc, char **argv) {
  struct qsm_apps_options options = {.config = "rdna2", .size = QSM_APP_S, .seed = 1};
  const struct argp argp = {
      app_option_table,
      parse_app,
      "APPLICATION",
      "Runs an application once, alone on the C model, checks its outputs, and tells where its time goes.",
      0,
      0,
      0};
  argp_parse(&argp, argc, argv, 0, NULL, &options);
  return qsm_apps_run(&options);
}

// ---- qsm profile ----

static const struct argp_option profile_option_table[] = {
    {"config", KEY_CONFIG, "NAME", 0, "configuration (default rdna2)", 0},
    {"size", KEY_SIZE, "T|S|M", 0, "size (default S)", 0},
    {"all", KEY_ALL, 0, 0, "every application", 0},
    {"jobs", KEY_JOBS, "N", 0, "measurements at a time (default: one for each core)", 0},
    {"out", KEY_OUT, "FILE", 0, "database (default qsm-results/profiles.db)", 0},
    {"counts", KEY_COUNTS, "N,..", 0,
     "numbers of SMs that are measured, the others interpolated (default: all)", 0},
    {"policies", KEY_POLICIES, "s0,..", 0, "cache policies (default s0,s1,s2,s12)", 0},
    {"quiet", KEY_QUIET, 0, 0, "no progress, no table", 0},
    {0}};

struct profile_input {
  struct qsm_profile_options options;
  const char *names[64];
};

static uint32_t policies_option(struct argp_state *state, const char *text) {
  uint32_t mask = 0;
  for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    size_t len = strcspn(at, ",");
    uint32_t i = 0;
    while (i < QSM_PROFILE_POLICIES && (strlen(qsm_profile_policy_names[i]) != len ||
                                        strncmp(at, qsm_profile_policy_names[i], len) != 0))
      i++;
    if (i == QSM_PROFILE_POLICIES)
      argp_error(state, "--policies %s: must be of s0, s1, s2, s12, with commas", text);
    mask |= 1u << i;
  }
  if (!(mask & 1)) argp_error(state, "--policies %s: s0 must be among them", text);
  return mask;
}

static error_t parse_profile(int key, char *arg, struct argp_state *state) {
  struct profile_input *input = state->input;
  struct qsm_profile_options *options = &input->options;
  switch (key) {
    case KEY_CONFIG: options->config = arg; break;
    case KEY_OUT: options->db = arg; break;
    case KEY_COUNTS: options->counts = arg; break;
    case KEY_QUIET: options->quiet = true; break;
    case KEY_POLICIES: options->policies = policies_option(state, arg); break;
    case KEY_JOBS: options->n_jobs = (uint32_t)number_option(state, "jobs", arg, 1); break;
    case KEY_ALL: options->names = NULL; break;
    case KEY_SIZE:
      if (!qsm_app_size_by_name(arg, &options->size))
        argp_error(state, "--size %s: must be T, S or M", arg);
      break;
    case ARGP_KEY_ARG:
      if (options->n_names == sizeof input->names / sizeof *input->names)
        argp_error(state, "too many applications");
      input->names[options->n_names++] = arg;
      break;
    case ARGP_KEY_END:
      if (!options->n_names && options->names) argp_error(state, "which APPLICATIONs, or --all?");
      if (options->n_names && !options->names) argp_error(state, "--all goes without APPLICATION");
      break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static int command_profile(int argc, char **argv) {
  struct profile_input input = {.options = {.config = "rdna2", .size = QSM_APP_S, .policies = 15}};
  const struct argp argp = {
      profile_option_table,
      parse_profile,
      "APPLICATION...",
      "Measures how long each distinct kernel of applications takes alone, on each number of SMs and under each cache policy, and keeps it.",
      0,
      0,
      0};
  input.options.names = input.names;
  argp_parse(&argp, argc, argv, 0, NULL, &input);
  return qsm_profile_command(&input.options);
}

// ---- Lists ----

static int command_apps(int argc, char **argv) {
  const struct argp argp = {0, 0, "", "Lists the applications.", 0, 0, 0};
  argp_parse(&argp, argc, argv, 0, NULL, NULL);
  return qsm_apps_list();
}

static int command_kernels(int argc, char **argv) {
  const struct argp argp = {0, 0, "", "Lists the programs of the suite.", 0, 0, 0};
  argp_parse(&argp, argc, argv, 0, NULL, NULL);
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       (program = *entry) != NULL; entry++)
    printf("%-12s %-8s %s\n", program->name, program->bound, program->about);
  return QSM_EXIT_OK;
}

static int is_yaml(const struct dirent *entry) {
  size_t len = strlen(entry->d_name);
  return len > 5 && strcmp(entry->d_name + len - 5, ".yaml") == 0;
}

static int command_configs(int argc, char **argv) {
  const struct argp argp = {0, 0, "", "Lists the named configurations.", 0, 0, 0};
  argp_parse(&argp, argc, argv, 0, NULL, NULL);
  char path[1024], msg[256];
  struct dirent **entries = NULL;
  snprintf(path, sizeof path, "%s/configs", qsm_source_root());
  int n = scandir(path, &entries, is_yaml, alphasort);
  if (n < 0) {
    fprintf(stderr, "qsm: cannot read %s\n", path);
    return QSM_EXIT_ENVIRONMENT;
  }
  int code = QSM_EXIT_OK;
  printf("%-12s %4s %9s %9s %6s %8s %9s %9s\n", "name", "SMs", "sub-cores", "warps/SM", "lanes",
         "kernels", "shared", "channels");
  for (int i = 0; i < n; i++) {
    struct qsm_config config;
    entries[i]->d_name[strlen(entries[i]->d_name) - 5] = 0;
    if (qsm_config_load(entries[i]->d_name, &config, msg, sizeof msg)) {
      fprintf(stderr, "qsm: %s\n", msg);
      code = QSM_EXIT_BAD_INPUT;
    } else {
      printf("%-12s %4u %9u %9u %6u %8u %9u %9u\n", config.name, config.num_sms, config.num_sched,
             config.warps_per_sm, config.warp_size, config.num_kernels, config.shared_bytes,
             config.num_channels);
    }
    free(entries[i]);
  }
  free(entries);
  return code;
}

// ---- qsm disasm ----

static error_t parse_disasm(int key, char *arg, struct argp_state *state) {
  const char **path = state->input;
  switch (key) {
    case ARGP_KEY_ARG:
      if (*path) argp_error(state, "one program at a time, got also '%s'", arg);
      *path = arg;
      return 0;
    case ARGP_KEY_END:
      if (!*path) argp_error(state, "which FILE.elf?");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static int command_disasm(int argc, char **argv) {
  const char *path = NULL;
  const struct argp argp = {
      0,          parse_disasm,
      "FILE.elf", "Prints the code of a device program as it lies at 0x80000000.",
      0,          0,
      0};
  argp_parse(&argp, argc, argv, 0, NULL, &path);
  char msg[256];
  struct qsm_program *program = NULL;
  if (qsm_program_load(path, &program, msg, sizeof msg)) {
    fprintf(stderr, "qsm: %s\n", msg);
    return QSM_EXIT_BAD_INPUT;
  }
  for (uint32_t at = 0; at + 4 <= qsm_program_code_bytes(program); at += 4) {
    uint32_t word;
    char text[96];
    memcpy(&word, qsm_program_image(program) + at, 4);
    if (word == 0) continue;  // padding
    qsm_disasm(0x80000000u + at, word, text, sizeof text);
    printf("%08x: %08x  %s\n", 0x80000000u + at, word, text);
  }
  qsm_program_free(program);
  return QSM_EXIT_OK;
}

// ---- The command itself ----

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *about;
} commands[] = {
    {"run", command_run, "run a scenario"},
    {"sweep", command_sweep, "run all combinations of a sweep file"},
    {"report", command_report, "tables and plots of a sweep"},
    {"fuzz", command_fuzz, "random programs in lockstep"},
    {"memcheck", command_memcheck, "find wrong uses of memory and barriers in kernels"},
    {"app", command_app, "run an application, a sequence of kernels"},
    {"apps", command_apps, "list the applications"},
    {"profile", command_profile, "measure applications by SMs and cache policies"},
    {"kernels", command_kernels, "list the programs of the suite"},
    {"configs", command_configs, "list the configurations"},
    {"disasm", command_disasm, "print a device program's code"},
};

static void print_help(FILE *out) {
  fprintf(
      out,
      "Usage: qsm COMMAND [OPTION...]\nAn open GPU with quality of service: C model, RTL, or both in lockstep.\n\n");
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
    fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].about);
  fprintf(
      out,
      "\n  qsm COMMAND --help   options of a command\n  qsm --version\n\n"
      "Exit codes: 0 success; 1 wrong result (difference, failed check, killed or unfinished kernel);\n"
      "2 bad input; 3 environment (output folder, missing tool, RTL not built, database);\n"
      "4 an injected bit not seen; 130 interrupted: what was measured is kept.\n");
}

// What was printed must have arrived, on a full disk too.
static int finish(int code) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  fprintf(stderr, "qsm: cannot write the output: %s\n", strerror(errno));
  return code ? code : QSM_EXIT_ENVIRONMENT;
}

int main(int argc, char **argv) {
  argp_program_version = QSM_VERSION;
  argp_err_exit_status = QSM_EXIT_BAD_INPUT;
  if (argc < 2) {
    print_help(stderr);
    return QSM_EXIT_BAD_INPUT;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return finish(QSM_EXIT_OK);
  }
  if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
    printf("%s\n", QSM_VERSION);
    return finish(QSM_EXIT_OK);
  }
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    if (strcmp(argv[1], commands[i].name) != 0) continue;
    char name[64];
    snprintf(name, sizeof name, "qsm %s", argv[1]);
    argv[1] = name;
    return finish(commands[i].run(argc - 1, argv + 1));
  }
  fprintf(stderr, "qsm: unknown command '%s'; try qsm --help\n", argv[1]);
  return QSM_EXIT_BAD_INPUT;
}

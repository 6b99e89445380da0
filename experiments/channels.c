// SPDX-License-Identifier: Apache-2.0
// What the command channels do (docs/front.md): commands per thousand cycles, cycles from PUT to a
// launch's first instruction, and an honest tenant beside each hostile one of qsm_hostile.c. On the
// model; every output is checked, and every end of an attack. Writes tables in Markdown.
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_channel_speed.h"
#include "qsm_config_yaml.h"
#include "qsm_enums.h"
#include "qsm_options.h"
#include "qsm_regs.h"
#include "qsm_tables.h"
#include "qsm_tenants.h"

enum {
  EXIT_BAD_INPUT = 2,
  MOST_CONFIGS = 8,
  MOST_COMMANDS = 1016,  // of a measurement
  LAUNCHES = 40,         // of a measurement of latency
  US = 50,               // cycles: phases and hosts as in loga.c
  HOST_CYCLES = 5 * US,
  PERIOD_PART = 10,  // of the paper's period, that exact decides in
  MODES = 2,
  TENANTS = 2,
};

struct bench {
  const char *config_name[MOST_CONFIGS];
  uint32_t n_configs;
  struct qsm_config config[MOST_CONFIGS];
  const char *programs, *part, *only, *program;
  uint64_t n_cycles;  // of a run of two tenants
  uint64_t seed;
  uint32_t n_failed;  // attacks that did not end as they must
  struct qsm_tenants_outcome outcome;
  struct qsm_tables tables;
};

// Exact accounting as LoGA's fair queueing has it, and as a driver that has hostile tenants wants
// it.
enum policy { POLICY_NONE, POLICY_EXACT, POLICY_CONSERVING, POLICIES };
static const char *const policy_names[POLICIES] = {"none", "exact", "exact, work-conserving"};
static const char *const mode_names[MODES] = {"exclusive", "concurrent"};
static const uint32_t numbers[] = {1, 4, 16, 64};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

// ---- Commands per thousand cycles ----

static int measure_rate(struct bench *bench, const struct qsm_config *config,
                        struct qsm_speed_setting setting, FILE *table) {
  uint64_t n_cycles = 0;
  char msg[300];
  setting.config = config;
  setting.seed = bench->seed;
  setting.n_each = MOST_COMMANDS / setting.n_channels;
  if (setting.n_each > QSM_SPEED_MOST_EACH) setting.n_each = QSM_SPEED_MOST_EACH;
  if (qsm_speed_of_commands(&setting, &n_cycles, msg, sizeof msg))
    return qsm_tables_fail(&bench->tables, config->name, msg);
  uint64_t n = (uint64_t)setting.n_each * setting.n_channels;
  fprintf(table, "| %s | %s | %s | %" PRIu32 " | %" PRIu64 " | %.2f | %.1f |\n", config->name,
          qsm_speed_kinds[setting.kind], mode_names[setting.concurrent], setting.n_channels, n,
          1000.0 * (double)n / (double)n_cycles, (double)n_cycles / (double)n);
  return 0;
}

// Modes differ only where an engine has work.
static bool has_engine(enum qsm_speed_kind kind) {
  return kind == QSM_SPEED_LAUNCH || kind == QSM_SPEED_OWN || kind == QSM_SPEED_FILL ||
         kind == QSM_SPEED_COPY;
}

static int rates_of(struct bench *bench, const struct qsm_config *config, FILE *table) {
  for (uint32_t kind = 0; kind < QSM_SPEED_KINDS; kind++)
    for (uint32_t mode = 0; mode < (has_engine(kind) ? MODES : 1); mode++)
      for (uint32_t i = 0; i < N_NUMBERS && numbers[i] <= config->cmd_channels; i++) {
        const struct qsm_speed_setting setting = {
            .kind = kind, .concurrent = mode, .n_channels = numbers[i]};
        if (measure_rate(bench, config, setting, table)) return -1;
      }
  return 0;
}

static int rates(struct bench *bench) {
  FILE *table = qsm_tables_open(&bench->tables, "rates");
  if (!table) return -1;
  int failed = 0;
  fputs(
      "| configuration | command | mode | channels | commands | per thousand cycles | cycles each |\n"
      "| --- | --- | --- | ---: | ---: | ---: | ---: |\n",
      table);
  for (uint32_t i = 0; !failed && i < bench->n_configs; i++)
    failed = rates_of(bench, &bench->config[i], table);
  return qsm_tables_close(&bench->tables, table, failed);
}

// ---- From PUT to the first instruction ----

static void print_latency(FILE *table, const struct qsm_config *config, const char *beside,
                          bool concurrent, uint32_t n_channels,
                          const struct qsm_speed_latency *latency) {
  double n = latency->n;
  fprintf(table,
          "| %s | %s | %s | %" PRIu32 " | %" PRIu32 " | %.0f | %.0f | %" PRIu64 " | %.0f | %" PRIu64
          " | %.1f | %" PRIu32 " |\n",
          config->name, beside, mode_names[concurrent], n_channels, latency->n,
          (double)latency->decode_sum / n, (double)latency->start_sum / n, latency->least,
          (double)latency->sum / n, latency->most, latency->turns_sum / n, latency->turns_most);
}

// No channel has more than one command between another's PUT and its launch (R-FR-6).
static int check_turns(struct bench *bench, const struct qsm_speed_latency *latency,
                       uint32_t n_channels) {
  char text[100];
  if (latency->turns_most <= n_channels) return 0;
  snprintf(text, sizeof text, "%" PRIu32 " commands of %" PRIu32 " others before a launch",
           latency->turns_most, n_channels);
  return qsm_tables_fail(&bench->tables, "latency", text);
}

static int measure_latency(struct bench *bench, const struct qsm_config *config,
                           struct qsm_speed_setting setting, FILE *table) {
  struct qsm_speed_latency cold, warm;
  char msg[300];
  bool idle = setting.n_channels == 0;
  setting.config = config;
  setting.seed = bench->seed;
  if (qsm_speed_of_launches(&setting, LAUNCHES, &cold, &warm, msg, sizeof msg))
    return qsm_tables_fail(&bench->tables, config->name, msg);
  if (idle) print_latency(table, config, "idle, cold", setting.concurrent, 0, &cold);
  print_latency(table, config, idle ? "idle, warm" : qsm_speed_kinds[setting.kind],
                setting.concurrent, setting.n_channels, &warm);
  return check_turns(bench, &warm, setting.n_channels);
}

static int latencies_of(struct bench *bench, const struct qsm_config *config, FILE *table) {
  static const enum qsm_speed_kind kinds[] = {QSM_SPEED_RELEASE, QSM_SPEED_FILL, QSM_SPEED_LAUNCH};
  if (measure_latency(bench, config, (struct qsm_speed_setting){0}, table)) return -1;
  for (uint32_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
    for (uint32_t mode = 0; mode < (has_engine(kinds[kind]) ? MODES : 1); mode++)
      for (uint32_t i = 0; i < N_NUMBERS; i++) {
        uint32_t n = numbers[i] < config->cmd_channels ? numbers[i] : config->cmd_channels - 1;
        const struct qsm_speed_setting setting = {
            .kind = kinds[kind], .concurrent = mode, .n_channels = n};
        if (i > 0 && n <= numbers[i - 1]) break;
        if (measure_latency(bench, config, setting, table)) return -1;
      }
  return 0;
}

static int latencies(struct bench *bench) {
  FILE *table = qsm_tables_open(&bench->tables, "latencies");
  if (!table) return -1;
  int failed = 0;
  fputs(
      "| configuration | beside | mode | busy channels | launches | to decode | to the slot's start |"
      " first issue, least | mean | most | turns of others, mean | most turns |\n"
      "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
      table);
  for (uint32_t i = 0; !failed && i < bench->n_configs; i++)
    failed = latencies_of(bench, &bench->config[i], table);
  return qsm_tables_close(&bench->tables, table, failed);
}

// ---- Hostile tenants ----

struct alone {
  double launches;  // per cycle
  uint64_t longest;
};

static int run_tenants(struct bench *bench, const struct qsm_hostile *hostile, bool concurrent,
                       enum policy policy) {
  const struct qsm_config *config = &bench->config[0];
  const struct qsm_tenant_setting tenants[TENANTS] = {
      {.program = bench->program, .size = QSM_SIZE_S}, {.hostile = hostile}};
  struct qsm_tenants_setting setting = {
      .config = config,
      .programs = bench->programs,
      .tenant = tenants,
      .n_tenants = hostile ? TENANTS : 1,
      .accounting = qsm_accounting_defaults(policy == POLICY_NONE ? "none" : "exact", US),
      .concurrent = concurrent,
      .host_cycles = HOST_CYCLES,
      .n_cycles = bench->n_cycles,
      .seed = bench->seed};
  char msg[300];
  setting.accounting.poll_phase /= PERIOD_PART;
  setting.accounting.nonpoll_phase /= PERIOD_PART;
  setting.accounting.hold = true;
  setting.accounting.work_conserving = policy == POLICY_CONSERVING;
  setting.accounting.seed = bench->seed;
  if (concurrent) {
    setting.accounting.counter = QSM_CH_SM_LO;
    setting.accounting.counter_scale = config->num_sms;
  }
  if (qsm_tenants_run(&setting, &bench->outcome, msg, sizeof msg))
    return qsm_tables_fail(&bench->tables, hostile ? hostile->name : "alone", msg);
  if (bench->outcome.tenant[0].n_passes == 0)
    return qsm_tables_fail(&bench->tables, hostile ? hostile->name : "alone",
                           "no pass of the honest tenant has ended");
  return 0;
}

static double launches_per_cycle(const struct bench *bench) {
  return (double)bench->outcome.tenant[0].n_launches / (double)bench->outcome.n_cycles;
}

static void complain(struct bench *bench, const struct qsm_hostile *hostile, const char *what) {
  const struct qsm_tenant_outcome *attacker = &bench->outcome.tenant[1];
  fprintf(stderr,
          "channels: %s: %s (stops of codes 0x%03" PRIX32 ", %" PRIu64 " in all, %" PRIu64
          " cycles of a launch)\n",
          hostile->name, what, attacker->stops, attacker->n_stops, attacker->longest_killed);
  bench->n_failed++;
}

// Every stop is one that the attack may have, and one has come where one must.
static void check_attacker(struct bench *bench, const struct qsm_hostile *hostile) {
  const struct qsm_tenant_outcome *attacker = &bench->outcome.tenant[1];
  const uint32_t slack = 1000;  // to look at all slots, kill, and take all blocks off the SMs
  if (attacker->stops & ~hostile->stops) complain(bench, hostile, "stopped otherwise than it must");
  if (hostile->stops && !attacker->stops) complain(bench, hostile, "has not been stopped");
  if (hostile->limit_cycles && attacker->longest_killed > hostile->limit_cycles + slack)
    complain(bench, hostile, "killed long after its limit");
}

static void print_codes(FILE *table, uint32_t codes) {
  const char *before = "";
  if (!codes) fputs("–", table);
  for (uint32_t code = 0; code < QSM_FRONT_STOP_COUNT; code++) {
    if (!(codes >> code & 1)) continue;
    fprintf(table, "%s%s", before, qsm_front_stop_name(code));
    before = ", ";
  }
}

static void print_attack(const struct bench *bench, FILE *table, const struct qsm_hostile *hostile,
                         bool concurrent, enum policy policy, const struct alone *alone) {
  const struct qsm_tenant_outcome *honest = &bench->outcome.tenant[0],
                                  *attacker = &bench->outcome.tenant[1];
  double own = (double)(concurrent ? honest->sm_cycles : honest->busy),
         others = (double)(concurrent ? attacker->sm_cycles : attacker->busy),
         progress = launches_per_cycle(bench) / alone->launches;
  fprintf(table, "| %s | %s | %s | %s | ", hostile->name, hostile->does, mode_names[concurrent],
          policy_names[policy]);
  print_codes(table, attacker->stops);
  fprintf(table,
          " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64
          " | 0 | %.1f | %.1f"
          " | %.2f | %" PRIu64 " | %" PRIu64 " |\n",
          attacker->n_stops, attacker->longest_killed, attacker->longest_recovery,
          attacker->n_launches, honest->n_passes, 100 * own / (own + others), 100 * progress,
          1 / ((double)TENANTS * progress), honest->longest, alone->longest);
}

static int measure_attack(struct bench *bench, const struct qsm_hostile *hostile,
                          const struct alone *alone, FILE *table) {
  for (uint32_t mode = 0; mode < MODES; mode++)
    for (enum policy policy = POLICY_NONE; policy < POLICIES; policy++) {
      if (run_tenants(bench, hostile, mode, policy)) return -1;
      print_attack(bench, table, hostile, mode, policy, &alone[mode]);
      check_attacker(bench, hostile);
    }
  return 0;
}

// --only NAME,NAME: these attacks.
static bool is_wanted(const struct bench *bench, const char *name) {
  const char *at = bench->only;
  if (!at) return true;
  while ((at = strstr(at, name)) != NULL) {
    size_t n = strlen(name);
    if ((at == bench->only || at[-1] == ',') && (at[n] == ',' || at[n] == 0)) return true;
    at += n;
  }
  return false;
}

// All names of --only are those of attacks.
static int check_names(struct bench *bench) {
  const char *at = bench->only;
  while (at && *at) {
    size_t n = strcspn(at, ","), i = 0;
    while (i < qsm_n_hostile_attacks && (strlen(qsm_hostile_attacks[i].name) != n ||
                                         strncmp(qsm_hostile_attacks[i].name, at, n) != 0))
      i++;
    if (i == qsm_n_hostile_attacks) {
      char name[100];
      snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), at);
      return qsm_tables_fail(&bench->tables, name, "no such attack");
    }
    at += n + (at[n] == ',');
  }
  return 0;
}

static int measure_attacks(struct bench *bench, FILE *table) {
  struct alone alone[MODES];
  for (uint32_t mode = 0; mode < MODES; mode++) {
    if (run_tenants(bench, NULL, mode, POLICY_NONE)) return -1;
    alone[mode] = (struct alone){launches_per_cycle(bench), bench->outcome.tenant[0].longest};
  }
  for (size_t i = 0; i < qsm_n_hostile_attacks; i++)
    if (is_wanted(bench, qsm_hostile_attacks[i].name) &&
        measure_attack(bench, &qsm_hostile_attacks[i], alone, table))
      return -1;
  return bench->n_failed
             ? qsm_tables_fail(&bench->tables, "hostile", "attacks have not ended as they must")
             : 0;
}

static int hostile(struct bench *bench) {
  FILE *table = qsm_tables_open(&bench->tables, "hostile");
  if (!table) return -1;
  fputs(
      "| attack | does | mode | policy | stopped with | stops | longest launch killed | longest recovery |"
      " commands done | passes checked | wrong | share of time, % | of its speed alone, % |"
      " slowdown over share | longest launch | alone |\n"
      "| --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
      table);
  return qsm_tables_close(&bench->tables, table, measure_attacks(bench, table));
}

// ---- The command ----

static const struct part {
  const char *name;
  int (*measure)(struct bench *bench);
} parts[] = {{"rates", rates}, {"latencies", latencies}, {"hostile", hostile}};
enum { N_PARTS = sizeof parts / sizeof *parts };

static int write_setting(struct bench *bench) {
  FILE *file = qsm_tables_open(&bench->tables, "setting");
  if (!file) return -1;
  fputs("Configurations", file);
  for (uint32_t i = 0; i < bench->n_configs; i++)
    fprintf(file, "%s %s", i ? "," : "", bench->config[i].name);
  fprintf(file,
          "; hostile tenants on the first, beside %s, %" PRIu64 " cycles; seed %" PRIu64 ".\n",
          bench->program, bench->n_cycles, bench->seed);
  return qsm_tables_close(&bench->tables, file, 0);
}

static int load_config(struct bench *bench, const char *name, struct qsm_config *config) {
  if (qsm_config_load(name, config, bench->tables.msg, sizeof bench->tables.msg)) return -1;
  return config->cmd_channels < TENANTS
             ? qsm_tables_fail(&bench->tables, name, "needs two command channels")
             : 0;
}

static int measure_parts(struct bench *bench) {
  bool found = false;
  for (uint32_t i = 0; i < bench->n_configs; i++)
    if (load_config(bench, bench->config_name[i], &bench->config[i])) return -1;
  if (check_names(bench) || write_setting(bench)) return -1;
  for (uint32_t i = 0; i < N_PARTS; i++) {
    if (bench->part && strcmp(bench->part, parts[i].name) != 0) continue;
    found = true;
    if (parts[i].measure(bench)) return -1;
  }
  return found ? 0 : qsm_tables_fail(&bench->tables, bench->part, "no such part");
}

static const struct argp_option option_table[] = {
    {"config", 'c', "NAME", 0,
     "configuration, may be given again (default demo+cmd_channels-64 and"
     " wang2017+cmd_channels-64)",
     0},
    {"cycles", 'n', "N", 0, "of a run of two tenants (default 1500000)", 0},
    {"program", 'a', "NAME", 0, "of the honest tenant (default bfs)", 0},
    {"part", 'p', "NAME", 0, "only this: rates, latencies, hostile", 0},
    {"only", 'o', "ATTACK,..", 0, "only these attacks", 0},
    {"seed", 's', "N", 0, "seed of values, inputs, and of the cycles of launches (default 1)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct bench *bench = state->input;
  switch (key) {
    case 'c':
      if (bench->n_configs == MOST_CONFIGS) argp_error(state, "--config %s: too many", arg);
      bench->config_name[bench->n_configs++] = arg;
      break;
    case 'n':
      bench->n_cycles = qsm_option_number(state, "cycles", arg, 10000, UINT64_C(1) << 40);
      break;
    case 'a': bench->program = arg; break;
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
  static struct bench bench = {.program = "bfs", .n_cycles = 1500000, .seed = 1};
  const struct argp argp = {option_table,
                            parse,
                            "PROGRAMS FOLDER",
                            "Measures command channels; PROGRAMS is the folder of the suite's"
                            " programs, tables go to FOLDER.",
                            0,
                            0,
                            0};
  argp_err_exit_status = EXIT_BAD_INPUT;
  argp_parse(&argp, argc, argv, 0, NULL, &bench);
  if (bench.n_configs == 0) {
    bench.config_name[bench.n_configs++] = "demo+cmd_channels-64";
    bench.config_name[bench.n_configs++] = "wang2017+cmd_channels-64";
  }
  int failed = measure_parts(&bench);
  if (failed) fprintf(stderr, "channels: %s\n", bench.tables.msg);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

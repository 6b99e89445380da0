// SPDX-License-Identifier: Apache-2.0
// Looks for neighbours that cost a kernel its goal: random programs (qsm_genes.c), each beside a
// program of the suite on the model, changed step by step as long as the goal is missed by more.
// The worst are written as text, one file each; --replay runs such files again.
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qsm_attacks.h"
#include "qsm_config_yaml.h"
#include "qsm_genes.h"
#include "qsm_options.h"
#include "qsm_yaml.h"

enum {
  EXIT_BAD_INPUT = 2,
  MAX_VICTIMS = 16,
  MAX_SCHEMES = 8,
  MAX_KEPT = 64,
  SETTLE_EPOCHS = 4,
  SHARED_BYTES = 1024,  // of a block whose program accesses shared memory
  FRESH = 10,           // random programs that a climb begins with
  PATIENCE = 50,        // candidates without a gain that end a climb
};
#define MARK_1 0x5EED1037u  // lui zero, 0x5EED1; lui zero, 0x5EED2
#define MARK_2 0x5EED2037u
#define NOP_WORD 0x00000013u
#define MARGIN 0.01  // of the goal, that a simpler program may cost less

struct victim {
  const struct qsm_suite_program *program;
  double goal[MAX_SCHEMES];  // IPC; 0: not measured yet
  // What it reaches with this goal beside a neighbour that holds its blocks and nothing else, if
  // that is less: a goal that it misses there is not missed for what the neighbour executes.
  double within_reach[MAX_SCHEMES];
};

struct kept {
  struct qsm_genes genes;
  uint32_t victim;
  double share;  // of the goal
};

struct search {
  const char *config_name, *template_path, *folder;
  struct qsm_config config;
  struct victim victims[MAX_VICTIMS];
  uint32_t n_victims;
  const char *schemes[MAX_SCHEMES];
  struct qsm_scenario machines[MAX_SCHEMES];
  uint32_t n_schemes;
  uint64_t goal_percent, n_candidates, seed, n_keep, n_epochs;
  bool blocks, replay, epochs_given, silent;
  // Percent of the goal; 0: whatever it is. And what the kept program that is replayed says of
  // itself; below 0: nothing.
  double at_least, least;
  char *files[256];
  uint32_t n_files;

  uint8_t *program;  // the template, changed in place
  size_t program_bytes, code_at;
  struct qsm_random random;
  struct kept kept[MAX_KEPT];
  uint32_t n_kept;
  uint64_t n_tried, n_wrong;
  char msg[512];
};

// ---- The program ----

static int read_template(struct search *search) {
  FILE *file = fopen(search->template_path, "rb");
  long bytes = -1;
  if (file && fseek(file, 0, SEEK_END) == 0) bytes = ftell(file);
  if (bytes > 0) search->program = malloc((size_t)bytes);
  if (search->program) {
    rewind(file);
    search->program_bytes = fread(search->program, 1, (size_t)bytes, file);
  }
  if (file) fclose(file);
  if (!search->program_bytes) {
    snprintf(search->msg, sizeof search->msg, "%.400s: %s", search->template_path,
             errno ? strerror(errno) : "cannot be read");
    return -1;
  }
  const uint32_t mark[2] = {MARK_1, MARK_2};
  for (size_t at = 0; at + sizeof mark + 4 * QSM_GENES_MAX_WORDS <= search->program_bytes; at += 2)
    if (memcmp(search->program + at, mark, sizeof mark) == 0) {
      search->code_at = at + sizeof mark;
      return 0;
    }
  snprintf(search->msg, sizeof search->msg, "%.400s: no kernel with a place for programs in it",
           search->template_path);
  return -1;
}

// A neighbour, and its code behind which there are instructions without effect.
struct candidate {
  const struct qsm_genes *genes;
  uint32_t words[QSM_GENES_MAX_WORDS];
};

// False: it is too long.
static bool assemble(const struct search *search, const struct qsm_genes *genes,
                     struct candidate *candidate) {
  candidate->genes = genes;
  uint32_t n = qsm_genes_assemble(genes, search->config.epoch, candidate->words);
  for (uint32_t i = n; i < QSM_GENES_MAX_WORDS; i++) candidate->words[i] = NOP_WORD;
  return n > 0;
}

// A file in memory with the program; -1: the host has no room.
static int write_program(struct search *search, const struct candidate *candidate) {
  memcpy(search->program + search->code_at, candidate->words, sizeof candidate->words);
  int file = memfd_create("candidate", MFD_CLOEXEC);
  if (file >= 0 &&
      write(file, search->program, search->program_bytes) == (ssize_t)search->program_bytes)
    return file;
  if (file >= 0) close(file);
  return -1;
}

// ---- A trial ----

static struct qsm_attack attack_of(const struct qsm_genes *genes) {
  return (struct qsm_attack){
      .kernel = "candidate",
      .end = QSM_ATTACK_ANYHOW,
      .warps = genes->warps,
      .all_shared = genes->all_shared,
      .early = genes->early,
      .does = "",
  };
}

static struct qsm_attack_setting setting_of(const struct search *search, uint32_t victim) {
  return (struct qsm_attack_setting){.backend = "model",
                                     .config = search->config_name,
                                     .program = search->victims[victim].program,
                                     .size = QSM_SIZE_S,
                                     .seed = 1,
                                     .n_settle = SETTLE_EPOCHS,
                                     .n_epochs = (uint32_t)search->n_epochs};
}

// Beside a program, alone without one.
static int measure(struct search *search, uint32_t victim, const struct qsm_scenario *machine,
                   double goal, const struct candidate *beside, double *ipc) {
  struct qsm_attack_setting setting = setting_of(search, victim);
  struct qsm_attack attack = beside ? attack_of(beside->genes) : (struct qsm_attack){0};
  struct qsm_attack_outcome outcome;
  char path[64];
  int file = beside ? write_program(search, beside) : -1;
  if (beside && file < 0) {
    snprintf(search->msg, sizeof search->msg, "a program: no room in memory");
    return -1;
  }
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  setting.attackers = path;
  setting.machine = machine;
  setting.goal_q16 = (uint32_t)(goal * 65536);
  setting.shared_bytes = beside && qsm_genes_use_shared(beside->genes) ? SHARED_BYTES : 0;
  int failed =
      qsm_attack_run(&setting, beside ? &attack : NULL, &outcome, search->msg, sizeof search->msg);
  if (file >= 0) close(file);
  if (failed) return -1;
  search->n_wrong += outcome.n_wrong;
  *ipc = outcome.ipc;
  return 0;
}

// One lane of each warp that waits for a load, and then for the next.
static const struct qsm_genes quiet = {
    .n_pieces = 1,
    .pieces = {{QSM_PIECE_LOAD_USE, 1, QSM_LANES_ONE, QSM_WALK_STAY, 0}},
    .until = QSM_GENES_EIGHTHS,
    .warps = 1};

// Its goal, and what it reaches of it.
static int measure_victim(struct search *search, uint32_t scheme, uint32_t victim) {
  struct qsm_scenario machine = search->machines[scheme];
  struct candidate neighbour;
  double alone = 0, beside_quiet = 0;
  machine.scheme = qsmSchemeNone;
  if (measure(search, victim, &machine, 0, NULL, &alone)) return -1;
  double goal = alone * (double)search->goal_percent / 100;
  if (alone > 0 && assemble(search, &quiet, &neighbour) &&
      measure(search, victim, &search->machines[scheme], goal, &neighbour, &beside_quiet))
    return -1;
  search->victims[victim].goal[scheme] = goal;
  search->victims[victim].within_reach[scheme] = beside_quiet < goal ? beside_quiet : goal;
  if (beside_quiet > 0) return 0;
  snprintf(search->msg, sizeof search->msg, "%s: issues nothing on %s in %d epochs",
           search->victims[victim].program->name, search->config_name, (int)search->n_epochs);
  return -1;
}

// What part of its goal within reach the victim gets. A program that is too long costs nothing: 1.
static int run_trial(struct search *search, uint32_t scheme, uint32_t victim,
                     const struct qsm_genes *genes, double *share) {
  const struct victim *honest = &search->victims[victim];
  struct candidate candidate;
  double ipc = 0;
  *share = 1;
  if (honest->goal[scheme] <= 0 && measure_victim(search, scheme, victim)) return -1;
  if (!assemble(search, genes, &candidate)) return 0;
  if (measure(search, victim, &search->machines[scheme], honest->goal[scheme], &candidate, &ipc))
    return -1;
  *share = ipc / honest->within_reach[scheme];
  return 0;
}

// The same with the neighbour silent whenever the victim has a block on the SM: under rollover_time
// a kernel waits for one that has quota left, and with a goal of all that it does alone that is
// always. With its blocks as they are and with more of them, the better of both.
static int run_silent(struct search *search, uint32_t victim, const struct qsm_genes *genes,
                      double *share) {
  static const qsmAdjustment modes[] = {qsmAdjustOff, qsmAdjustSwitch};
  struct candidate candidate;
  *share = 0;
  if (!assemble(search, genes, &candidate)) return 0;
  for (int i = 0; i < 2; i++) {
    struct qsm_scenario machine = search->machines[0];
    double alone = search->victims[victim].goal[0] * 100 / (double)search->goal_percent, ipc = 0;
    machine.scheme = qsmSchemeRolloverTime;
    machine.adjust = modes[i];
    if (measure(search, victim, &machine, alone, &candidate, &ipc)) return -1;
    double reached = ipc / search->victims[victim].within_reach[0];
    if (reached > *share) *share = reached;
  }
  return 0;
}

// ---- The search ----

static uint32_t kinds_of(const struct qsm_genes *genes) {
  uint32_t kinds = 0;
  for (uint32_t i = 0; i < genes->n_pieces; i++) kinds |= 1u << genes->pieces[i].kind;
  return kinds;
}

// The best of each mixture of kinds and victim are kept, the worst for the victim first.
static void keep(struct search *search, const struct kept *found) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < search->n_kept; i++) {
    struct kept *old = &search->kept[i];
    if (old->victim != found->victim || kinds_of(&old->genes) != kinds_of(&found->genes)) continue;
    if (old->share <= found->share) return;
    memmove(old, old + 1, (--search->n_kept - i) * sizeof *old);
    break;
  }
  while (at < search->n_kept && search->kept[at].share <= found->share) at++;
  if (at == search->n_keep) return;
  if (search->n_kept == search->n_keep) search->n_kept--;
  memmove(&search->kept[at + 1], &search->kept[at], (search->n_kept - at) * sizeof *search->kept);
  search->kept[at] = *found;
  search->n_kept++;
}

// Shapes of blocks are left as they are unless they are asked for.
static void restrict_blocks(const struct search *search, struct qsm_genes *genes) {
  if (search->blocks) return;
  genes->warps = 1;
  genes->all_shared = genes->early = false;
}

static int trial(struct search *search, struct kept *candidate) {
  restrict_blocks(search, &candidate->genes);
  search->n_tried++;
  return run_trial(search, 0, candidate->victim, &candidate->genes, &candidate->share);
}

static int climb(struct search *search, uint32_t number) {
  struct kept best = {.victim = number % search->n_victims, .share = 2};
  uint32_t n = 0, last_gain = 0;
  for (; search->n_tried < search->n_candidates && n - last_gain < FRESH + PATIENCE; n++) {
    struct kept next = best;
    if (n < FRESH)
      qsm_genes_random(&next.genes, &search->random);
    else
      qsm_genes_mutate(&next.genes, &search->random);
    if (n >= FRESH && qsm_genes_equal(&next.genes, &best.genes)) continue;
    if (trial(search, &next)) return -1;
    if (next.share < best.share - 1e-9) last_gain = n;
    if (next.share <= best.share) best = next;
  }
  printf("climb %u: %s at %.1f %% of its goal after %u candidates\n", number,
         search->victims[best.victim].program->name, 100 * best.share, n);
  fflush(stdout);
  if (best.share < 2) keep(search, &best);
  return 0;
}

// The same without what it does not need.
static int simplify(struct search *search, struct kept *kept) {
  double limit = kept->share + MARGIN;
  for (uint32_t i = 0; kept->genes.n_pieces > 1 && i < kept->genes.n_pieces;) {
    struct kept less = *kept;
    memmove(&less.genes.pieces[i], &less.genes.pieces[i + 1],
            (--less.genes.n_pieces - i) * sizeof *less.genes.pieces);
    if (trial(search, &less)) return -1;
    if (less.share <= limit)
      *kept = less;
    else
      i++;
  }
  for (int step = 0; step < 2; step++) {
    struct kept less = *kept;
    if (step == 0) less.genes.life = QSM_LIFE_ENDLESS;
    if (step == 1) less.genes.from = 0, less.genes.until = QSM_GENES_EIGHTHS;
    if (qsm_genes_equal(&less.genes, &kept->genes)) continue;
    if (trial(search, &less)) return -1;
    if (less.share <= limit) *kept = less;
  }
  return 0;
}

static int write_kept(struct search *search, uint32_t number) {
  const struct kept *kept = &search->kept[number];
  const char *victim = search->victims[kept->victim].program->name;
  char path[4096];
  snprintf(path, sizeof path, "%s/%s_%02u.txt", search->folder, victim, number);
  FILE *file = fopen(path, "w");
  if (file) {
    fprintf(file, "# %s at %.1f %% of its goal under %s: hostile_search --seed %" PRIu64 "\n",
            victim, 100 * kept->share, search->schemes[0], search->seed);
    fprintf(file, "config %s\nvictim %s\ngoal %" PRIu64 "\nepochs %" PRIu64 "\n",
            search->config_name, victim, search->goal_percent, search->n_epochs);
    qsm_genes_print(&kept->genes, file);
  }
  if (file && !(ferror(file) | fclose(file))) return 0;
  snprintf(search->msg, sizeof search->msg, "%.400s: %s", path, strerror(errno));
  return -1;
}

static int look(struct search *search) {
  printf("seed %" PRIu64 ", %" PRIu64 " candidates, %s, goal %" PRIu64 " %%, scheme %s\n",
         search->seed, search->n_candidates, search->config_name, search->goal_percent,
         search->schemes[0]);
  for (uint32_t number = 0; search->n_tried < search->n_candidates; number++)
    if (climb(search, number)) return -1;
  for (uint32_t i = 0; i < search->n_kept; i++)
    if (simplify(search, &search->kept[i]) || write_kept(search, i)) return -1;
  uint32_t n_missed = 0;
  for (uint32_t i = 0; i < search->n_kept; i++) n_missed += search->kept[i].share < 0.99;
  printf("%" PRIu64 " candidates tried, %u kept in %s, %u of them below 99 %% of the goal\n",
         search->n_tried, search->n_kept, search->folder, n_missed);
  return 0;
}

// ---- Replay ----

static int load_config(struct search *search) {
  return qsm_config_load(search->config_name, &search->config, search->msg, sizeof search->msg);
}

static int add_victim(struct search *search, const char *name) {
  const struct qsm_suite_program *program = qsm_suite_find(name);
  if (!program || search->n_victims == MAX_VICTIMS) {
    snprintf(search->msg, sizeof search->msg, "%.100s: %s", name,
             program ? "too many victims" : "the suite has no such program");
    return -1;
  }
  search->victims[search->n_victims++] = (struct victim){.program = program};
  return 0;
}

// What the schemes mean: scenarios with that text. A ; begins the next line of it.
static int set_up_machines(struct search *search) {
  for (uint32_t i = 0; i < search->n_schemes; i++) {
    char text[1024], place[128];
    int n =
        snprintf(text, sizeof text,
                 "config: %s\ncycles: 1000\nkernels: [{program: vadd, goal: 50%%}]\nscheme: %s\n",
                 search->config_name, search->schemes[i]);
    if (n < 0 || n >= (int)sizeof text) {
      snprintf(search->msg, sizeof search->msg, "--scheme %.100s: too long", search->schemes[i]);
      return -1;
    }
    for (char *p = text; (p = strchr(p, ';'));) *p++ = '\n';
    for (char *p = text; (p = strstr(p, "\n "));) memmove(p + 1, p + 2, strlen(p + 2) + 1);
    snprintf(place, sizeof place, "--scheme '%.100s'", search->schemes[i]);
    const struct qsm_yaml_source source = {.path = place, .text = text};
    if (qsm_scenario_load(&source, &search->machines[i], search->msg, sizeof search->msg))
      return -1;
  }
  return 0;
}

// A line of a kept program that is not of its genes.
static int read_setting(struct search *search, const char *line, char *config, size_t config_len,
                        bool *known) {
  char name[128], more;
  uint32_t number = 0;
  *known = true;
  if (sscanf(line, "config %127s %c", name, &more) == 1) {
    snprintf(config, config_len, "%s", name);
    return 0;
  }
  if (sscanf(line, "victim %127s %c", name, &more) == 1) return add_victim(search, name);
  if (sscanf(line, "goal %u %c", &number, &more) == 1 && number >= 1 && number <= 100)
    search->goal_percent = number;
  else if (sscanf(line, "least %u %c", &number, &more) == 1 && number <= 100)
    search->least = number;
  else if (sscanf(line, "epochs %u %c", &number, &more) == 1 && number >= 1 && number <= 1000)
    search->n_epochs = search->epochs_given ? search->n_epochs : number;
  else
    *known = false;
  return 0;
}

static int read_kept(struct search *search, const char *path, struct qsm_genes *genes, char *config,
                     size_t config_len) {
  char line[256], why[256];
  FILE *file = fopen(path, "r");
  uint32_t number = 0;
  int status = 0;
  *genes = (struct qsm_genes){0};
  search->n_victims = 0;
  search->least = -1;
  config[0] = 0;
  if (!file) {
    snprintf(search->msg, sizeof search->msg, "%.200s: %s", path, strerror(errno));
    return -1;
  }
  while (!status && fgets(line, sizeof line, file)) {
    bool known = false;
    number++;
    line[strcspn(line, "\n")] = 0;
    if (line[0] == '#' || line[0] == 0) continue;
    status = read_setting(search, line, config, config_len, &known);
    if (status)
      snprintf(why, sizeof why, "%.250s", search->msg);
    else if (!known)
      status = qsm_genes_read_line(genes, line, why, sizeof why);
  }
  fclose(file);
  if (!status && (!config[0] || !search->n_victims)) {
    snprintf(why, sizeof why, "no line '%s'", config[0] ? "victim" : "config");
    status = -1;
  }
  if (!status) status = qsm_genes_check(genes, why, sizeof why);
  if (status) snprintf(search->msg, sizeof search->msg, "%.200s:%u: %s", path, number, why);
  return status;
}

// What is asked of a kept program: no more than with the neighbour silent, and what it says itself.
static double asked_of(const struct search *search, double silent) {
  if (search->at_least == 0) return 0;
  if (search->least >= 0) return search->least;
  return silent < 1 ? search->at_least * silent : search->at_least;
}

// Runs a kept program under each scheme; *n_below counts those below what is asked.
static int replay_file(struct search *search, const char *path, uint32_t *n_below) {
  struct qsm_genes genes;
  char config[128];
  if (read_kept(search, path, &genes, config, sizeof config)) return -1;
  search->config_name = config;
  if (load_config(search) || set_up_machines(search)) return -1;
  printf("| %s | %s | %s |", strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
         search->victims[0].program->name, config);
  double share[MAX_SCHEMES] = {0}, silent = 1;
  for (uint32_t i = 0; i < search->n_schemes; i++) {
    if (run_trial(search, i, 0, &genes, &share[i])) return -1;
    printf(" %.1f |", 100 * share[i]);
  }
  if (search->silent) {
    if (run_silent(search, 0, &genes, &silent)) return -1;
    printf(" %.1f |", 100 * silent);
  }
  const double asked = asked_of(search, silent);
  for (uint32_t i = 0; i < search->n_schemes; i++) {
    if (100 * share[i] >= asked) continue;
    ++*n_below;
    printf(" below %.1f", asked);
  }
  putchar('\n');
  return 0;
}

static int replay(struct search *search, uint32_t *n_below) {
  printf("| program | victim | configuration |");
  for (uint32_t i = 0; i < search->n_schemes; i++) printf(" %s |", search->schemes[i]);
  if (search->silent) printf(" silent |");
  printf("\n| --- | --- | --- |");
  for (uint32_t i = 0; i < search->n_schemes + search->silent; i++) printf(" ---: |");
  putchar('\n');
  for (uint32_t i = 0; i < search->n_files; i++)
    if (replay_file(search, search->files[i], n_below)) return -1;
  return 0;
}

// ---- The command ----

enum { OPTION_AT_LEAST = 256, OPTION_BLOCKS, OPTION_REPLAY, OPTION_SILENT };

static const struct argp_option option_table[] = {
    {"scheme", 's', "SCHEME", 0,
     "as a scenario has it, with further keys behind ';': 'rollover; quota_rules: [pooled]' "
     "(default rollover); several with --replay",
     0},
    {"config", 'c', "NAME", 0, "configuration (default demo+num_sms-1+epoch-2000)", 0},
    {"victim", 'v', "NAME", 0, "program with the goal, in turn with others (default vadd, matmul)",
     0},
    {"goal", 'g', "PERCENT", 0, "of its speed alone (default 50)", 0},
    {"candidates", 'n', "N", 0, "programs to try (default 1000)", 0},
    {"epochs", 'e', "N", 0,
     "measured of each, after 4 (default 8; with --replay what a program says)", 0},
    {"seed", 'r', "N", 0, "of the search (default 1)", 0},
    {"keep", 'k', "N", 0, "so many of the worst, at most 64 (default 8)", 0},
    {"blocks", OPTION_BLOCKS, NULL, 0,
     "blocks of whole SMs and with all shared memory too, and those that are there first", 0},
    {"replay", OPTION_REPLAY, NULL, 0, "run kept programs again: CANDIDATE.elf FILE...", 0},
    {"silent", OPTION_SILENT, NULL, 0,
     "with --replay: also what the victim reaches beside a neighbour that is silent, which is then "
     "asked for where it is less than the goal",
     0},
    {"at-least", OPTION_AT_LEAST, "PERCENT", 0,
     "of the goal, that each of them must leave the victim under each scheme", 0},
    {0}};

static error_t parse_argument(struct search *search, char *arg, struct argp_state *state) {
  if (!search->template_path)
    search->template_path = arg;
  else if (search->n_files == sizeof search->files / sizeof *search->files)
    argp_error(state, "too many files");
  else
    search->files[search->n_files++] = arg;
  return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct search *search = state->input;
  switch (key) {
    case 's':
      if (search->n_schemes == MAX_SCHEMES) argp_error(state, "more than %d schemes", MAX_SCHEMES);
      search->schemes[search->n_schemes++] = arg;
      break;
    case 'c': search->config_name = arg; break;
    case 'v':
      if (add_victim(search, arg)) argp_error(state, "--victim %s", search->msg);
      break;
    case 'g': search->goal_percent = qsm_option_number(state, "goal", arg, 1, 100); break;
    case 'n':
      search->n_candidates = qsm_option_number(state, "candidates", arg, 1, 10000000);
      break;
    case 'e':
      search->n_epochs = qsm_option_number(state, "epochs", arg, 1, 1000);
      search->epochs_given = true;
      break;
    case 'r': search->seed = qsm_option_number(state, "seed", arg, 0, UINT64_MAX / 16); break;
    case 'k': search->n_keep = qsm_option_number(state, "keep", arg, 1, MAX_KEPT - 1); break;
    case OPTION_AT_LEAST:
      search->at_least = (double)qsm_option_number(state, "at-least", arg, 1, 100);
      break;
    case OPTION_BLOCKS: search->blocks = true; break;
    case OPTION_REPLAY: search->replay = true; break;
    case OPTION_SILENT: search->silent = true; break;
    case ARGP_KEY_ARG: return parse_argument(search, arg, state);
    case ARGP_KEY_END:
      if (search->n_files == 0)
        argp_error(state, search->replay ? "which CANDIDATE.elf and FILEs?"
                                         : "which CANDIDATE.elf and FOLDER?");
      if (!search->replay && search->n_files > 1)
        argp_error(state, "too many arguments: '%s'", search->files[1]);
      if (!search->replay && search->n_schemes > 1)
        argp_error(state, "a search is against one scheme");
      if (!search->replay && search->at_least > 0) argp_error(state, "--at-least is for --replay");
      if (!search->replay && search->silent) argp_error(state, "--silent is for --replay");
      search->folder = search->files[0];
      break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static void set_defaults(struct search *search) {
  if (!search->n_schemes) search->schemes[search->n_schemes++] = "rollover";
  if (search->n_victims || search->replay) return;
  (void)add_victim(search, "vadd");
  (void)add_victim(search, "matmul");
}

int main(int argc, char **argv) {
  struct search search = {.config_name = "demo+num_sms-1+epoch-2000",
                          .goal_percent = 50,
                          .n_candidates = 1000,
                          .n_epochs = 8,
                          .seed = 1,
                          .n_keep = 8};
  const struct argp argp = {option_table,
                            parse,
                            "CANDIDATE.elf FOLDER\nCANDIDATE.elf FILE...",
                            "Looks for neighbours that cost a kernel its goal; the worst go to "
                            "FOLDER, a file each.",
                            0,
                            0,
                            0};
  uint32_t n_below = 0;
  argp_err_exit_status = EXIT_BAD_INPUT;
  argp_parse(&argp, argc, argv, 0, NULL, &search);
  set_defaults(&search);
  search.random = qsm_random_seed(search.seed);
  int failed = read_template(&search);
  if (!failed && search.replay)
    failed = replay(&search, &n_below);
  else if (!failed)
    failed = load_config(&search) || set_up_machines(&search) || look(&search);
  free(search.program);
  if (failed) fprintf(stderr, "hostile_search: %s\n", search.msg);
  if (search.n_wrong)
    fprintf(stderr, "hostile_search: %" PRIu64 " passes of victims with wrong outputs\n",
            search.n_wrong);
  if (n_below)
    fprintf(stderr, "hostile_search: %u of the results are below what is asked of them\n", n_below);
  return failed || search.n_wrong || n_below ? EXIT_FAILURE : EXIT_SUCCESS;
}

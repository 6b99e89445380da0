// SPDX-License-Identifier: Apache-2.0
#include "qsm_scenario.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_config.h"
#include "qsm_regs.h"
#include "qsm_yaml.h"

// The file as written; convert() turns it into numbers and checks them.
struct kernel_text {
  char *name, *program, *elf, *symbol, *shared, *launches, *sms, *workers, *workers_per_sm,
      *sm_count, *thread_limit, *instance, *budget, *save_images, *idempotent, *cache, *arrival,
      *priority, *relaunch, *deadline, *work;
  char **grid, **block, **args;
  unsigned grid_count, block_count, args_count;
};

struct scenario_text {
  char *config, *policy, *scheme, *epoch, *alpha_cap, *rollover_cap, *goal_margin, *nonqos_ipc,
      *active_warps, *adjust, *latecomers, *admission, *move_technique, *sm_gating, *wake_latency,
      *sm_threshold, *sm_step, *cycles, *seed, *size, *compare_without_qos;
  char **quota_rules;
  unsigned quota_rules_count;
  struct kernel_text *kernels;
  unsigned kernels_count;
};

#define OPTIONAL_TEXT(key, type)                                                       \
  CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, key, 0, \
                         CYAML_UNLIMITED)
#define REQUIRED_TEXT(key, type) \
  CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER, type, key, 0, CYAML_UNLIMITED)

static const cyaml_schema_value_t text_entry = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};

static const cyaml_schema_field_t kernel_fields[] = {
    OPTIONAL_TEXT(name, struct kernel_text),
    OPTIONAL_TEXT(program, struct kernel_text),
    OPTIONAL_TEXT(elf, struct kernel_text),
    OPTIONAL_TEXT(symbol, struct kernel_text),
    CYAML_FIELD_SEQUENCE("grid", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel_text, grid,
                         &text_entry, 1, 3),
    CYAML_FIELD_SEQUENCE("block", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel_text,
                         block, &text_entry, 1, 3),
    OPTIONAL_TEXT(shared, struct kernel_text),
    CYAML_FIELD_SEQUENCE("args", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel_text, args,
                         &text_entry, 0, 8),
    CYAML_FIELD_IGNORE("goal", CYAML_FLAG_OPTIONAL),  // text or a mapping: read_goal()
    OPTIONAL_TEXT(launches, struct kernel_text),
    OPTIONAL_TEXT(arrival, struct kernel_text),
    OPTIONAL_TEXT(sms, struct kernel_text),
    OPTIONAL_TEXT(workers, struct kernel_text),
    OPTIONAL_TEXT(workers_per_sm, struct kernel_text),
    OPTIONAL_TEXT(sm_count, struct kernel_text),
    OPTIONAL_TEXT(thread_limit, struct kernel_text),
    OPTIONAL_TEXT(instance, struct kernel_text),
    OPTIONAL_TEXT(budget, struct kernel_text),
    OPTIONAL_TEXT(save_images, struct kernel_text),
    OPTIONAL_TEXT(idempotent, struct kernel_text),
    OPTIONAL_TEXT(cache, struct kernel_text),
    OPTIONAL_TEXT(priority, struct kernel_text),
    OPTIONAL_TEXT(relaunch, struct kernel_text),
    OPTIONAL_TEXT(deadline, struct kernel_text),
    OPTIONAL_TEXT(work, struct kernel_text),
    CYAML_FIELD_END};

static const cyaml_schema_value_t kernel_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct kernel_text, kernel_fields)};

static const cyaml_schema_field_t scenario_fields[] = {
    REQUIRED_TEXT(config, struct scenario_text),
    OPTIONAL_TEXT(policy, struct scenario_text),
    OPTIONAL_TEXT(scheme, struct scenario_text),
    OPTIONAL_TEXT(epoch, struct scenario_text),
    OPTIONAL_TEXT(alpha_cap, struct scenario_text),
    CYAML_FIELD_SEQUENCE("quota_rules", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                         struct scenario_text, quota_rules, &text_entry, 0, CYAML_UNLIMITED),
    OPTIONAL_TEXT(goal_margin, struct scenario_text),
    OPTIONAL_TEXT(nonqos_ipc, struct scenario_text),
    OPTIONAL_TEXT(rollover_cap, struct scenario_text),
    OPTIONAL_TEXT(active_warps, struct scenario_text),
    OPTIONAL_TEXT(adjust, struct scenario_text),
    OPTIONAL_TEXT(latecomers, struct scenario_text),
    OPTIONAL_TEXT(admission, struct scenario_text),
    OPTIONAL_TEXT(move_technique, struct scenario_text),
    OPTIONAL_TEXT(sm_gating, struct scenario_text),
    OPTIONAL_TEXT(wake_latency, struct scenario_text),
    OPTIONAL_TEXT(sm_threshold, struct scenario_text),
    OPTIONAL_TEXT(sm_step, struct scenario_text),
    REQUIRED_TEXT(cycles, struct scenario_text),
    OPTIONAL_TEXT(seed, struct scenario_text),
    OPTIONAL_TEXT(size, struct scenario_text),
    OPTIONAL_TEXT(compare_without_qos, struct scenario_text),
    CYAML_FIELD_SEQUENCE("kernels", CYAML_FLAG_POINTER, struct scenario_text, kernels,
                         &kernel_entry, 1, QSM_SCENARIO_MAX_KERNELS),
    CYAML_FIELD_END};

static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct scenario_text, scenario_fields)};

struct name_value {
  const char *name;
  uint32_t value;
};
static const struct name_value sizes[] = {
    {"S", QSM_SIZE_S}, {"M", QSM_SIZE_M}, {"L", QSM_SIZE_L}, {"XL", QSM_SIZE_XL}, {NULL, 0}};
static const struct name_value admissions[] = {{"off", qsmAdmissionOff},
                                               {"sure", qsmAdmissionSure},
                                               {"cautious", qsmAdmissionCautious},
                                               {NULL, 0}};
static const struct name_value on_or_off[] = {{"off", 0}, {"on", 1}, {NULL, 0}};
static const struct name_value switches[] = {
    {"no", 0}, {"yes", 1}, {"false", 0}, {"true", 1}, {NULL, 0}};

// Where a complaint goes, and in which file.
struct reader {
  const struct qsm_yaml_source *source;
  char *msg;
  size_t msg_len;
};

__attribute__((format(printf, 3, 4))) static int refuse(const struct reader *reader,
                                                        const char *key, const char *format, ...) {
  char what[256];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  snprintf(reader->msg, reader->msg_len, "%s:%u: %s: %s", reader->source->path,
           qsm_yaml_line_of(reader->source, key), key, what);
  return -1;
}

static int read_uint(const struct reader *reader, const char *key, const char *text, uint64_t least,
                     uint64_t most, uint64_t *value) {
  uint64_t number = 0;
  if (!text) return 0;
  if (qsm_yaml_uint(text, most, &number) || number < least)
    return refuse(reader, key, "'%s': must be a number, %llu..%llu", text,
                  (unsigned long long)least, (unsigned long long)most);
  *value = number;
  return 0;
}

static int read_name(const struct reader *reader, const char *key, const char *text,
                     const struct name_value *table, uint32_t *value) {
  if (!text) return 0;
  char known[128] = "";
  for (; table->name; table++) {
    if (strcmp(text, table->name) == 0) {
      *value = table->value;
      return 0;
    }
    size_t at = strlen(known);
    snprintf(known + at, sizeof known - at, "%s%s", at ? ", " : "", table->name);
  }
  return refuse(reader, key, "'%s': must be one of %s", text, known);
}

// A value of an enumeration by its name.
static int read_value(const struct reader *reader, const char *key, const char *text,
                      const char *(*name_of)(uint32_t), uint32_t count, uint32_t *value) {
  char known[160];
  if (!text || qsm_enum_parse(name_of, count, text, value)) return 0;
  qsm_enum_list(name_of, count, known, sizeof known);
  return refuse(reader, key, "'%s': must be one of %s", text, known);
}

// Both caps are ours, not the papers': "off" is as in the papers.
static bool is_off(const char *text) { return strcmp(text, "off") == 0; }

static int read_alpha_cap(const struct reader *reader, const char *text, uint32_t *cap_q16) {
  if (!text) return 0;
  char *end = NULL;
  double cap = is_off(text) ? 0 : strtod(text, &end);
  if (end && (end == text || *end || !(cap >= 1 && cap < 64)))
    return refuse(reader, "alpha_cap", "'%s': must be off or a factor, 1 to below 64", text);
  *cap_q16 = (uint32_t)(cap * 65536);
  return 0;
}

static int read_rollover_cap(const struct reader *reader, const char *text, uint32_t *epochs) {
  uint64_t cap = 0;
  if (!text) return 0;
  if (!is_off(text) && (qsm_yaml_uint(text, 255, &cap) || cap == 0))
    return refuse(reader, "rollover_cap", "'%s': must be off or a number of epochs, 1..255", text);
  *epochs = (uint32_t)cap;
  return 0;
}

// As NONQOS_QUOTA has it: 0 for artificial goals, else one more than the power of two.
static int read_nonqos_ipc(const struct reader *reader, const char *text, uint32_t *code) {
  uint64_t ipc = 0;
  *code = 0;
  if (!text || strcmp(text, "goal") == 0) return 0;
  if (qsm_yaml_uint(text, 128, &ipc) || ipc == 0 || (ipc & (ipc - 1)))
    return refuse(reader, "nonqos_ipc", "'%s': must be goal or a power of two, 1 to 128", text);
  while (ipc >> *code) ++*code;
  return 0;
}

// A percentage that the GPU is told with the goal, or a fraction that its controller adds to it.
static int read_goal_margin(const struct reader *reader, const char *text,
                            struct qsm_scenario *scenario) {
  static const char *const fractions[] = {"1/1024", "1/512", "1/256", "1/128",
                                          "1/64",   "1/32",  "1/16"};
  double *percent = &scenario->goal_margin;
  char *end = NULL;
  if (!text) return 0;
  for (uint32_t n = 0; n < sizeof fractions / sizeof *fractions; n++) {
    if (strcmp(text, fractions[n]) != 0) continue;
    scenario->controller.rules |= (n + 1) << QSM_REG_QUOTA_RULES_MARGIN_SHIFT;
    return 0;
  }
  *percent = strtod(text, &end);
  if (end == text || strcmp(end, "%") != 0 || !(*percent >= 0 && *percent <= 10))
    return refuse(reader, "goal_margin",
                  "'%s': must be a percentage, 0%% to 10%%, or one of 1/1024, 1/512 .. 1/16", text);
  return 0;
}

static int read_quota_rules(const struct reader *reader, const struct scenario_text *text,
                            uint32_t *rules) {
  static const struct name_value names[] = {{"unfed", QSM_REG_QUOTA_RULES_UNFED_MASK},
                                            {"carried", QSM_REG_QUOTA_RULES_CARRIED_MASK},
                                            {"all_cycles", QSM_REG_QUOTA_RULES_ALL_CYCLES_MASK},
                                            {"pooled", QSM_REG_QUOTA_RULES_POOLED_MASK},
                                            {"no_floor", QSM_REG_QUOTA_RULES_NO_FLOOR_MASK},
                                            {"no_alpha", QSM_REG_QUOTA_RULES_ALPHA_EN_MASK},
                                            {NULL, 0}};
  uint32_t seen = 0;
  for (unsigned i = 0; i < text->quota_rules_count; i++) {
    uint32_t bit = 0;
    if (read_name(reader, "quota_rules", text->quota_rules[i], names, &bit)) return -1;
    if (seen & bit)
      return refuse(reader, "quota_rules", "'%s': is there twice", text->quota_rules[i]);
    seen |= bit;
  }
  *rules ^= seen;  // alpha is on at first, the others are off
  return 0;
}

static const char rollover_paper[] = "rollover_paper";

const char *qsm_scenario_scheme_name(const struct qsm_scenario *scenario) {
  return scenario->rollover_paper ? rollover_paper : qsm_scheme_name(scenario->scheme);
}

static int read_scheme(const struct reader *reader, const char *text,
                       struct qsm_scenario *scenario) {
  uint32_t scheme = qsmSchemeNone;
  char known[192];
  scenario->rollover_paper = text && strcmp(text, rollover_paper) == 0;
  scenario->scheme = scenario->rollover_paper ? qsmSchemeRollover : qsmSchemeNone;
  if (!text || scenario->rollover_paper) return 0;
  if (!qsm_enum_parse(qsm_scheme_name, QSM_SCHEME_COUNT, text, &scheme)) {
    qsm_enum_list(qsm_scheme_name, QSM_SCHEME_COUNT, known, sizeof known);
    return refuse(reader, "scheme", "'%s': must be one of %s, %s", text, known, rollover_paper);
  }
  scenario->scheme = (qsmScheme)scheme;
  return 0;
}

// The name stands for all that the controller is told.
static int check_rollover_paper(const struct reader *reader, const struct scenario_text *text,
                                struct qsm_scenario *scenario) {
  const qsmController *read = &scenario->controller, *paper = &qsmControllerRolloverPaper;
  if (!scenario->rollover_paper) return 0;
  const uint32_t margin = QSM_REG_QUOTA_RULES_MARGIN_MASK;
  const char *key = NULL;
  if (text->alpha_cap && read->alpha_cap_q16 != paper->alpha_cap_q16) key = "alpha_cap";
  if (text->rollover_cap && read->rollover_cap != paper->rollover_cap) key = "rollover_cap";
  if (text->quota_rules && (read->rules & ~margin) != (paper->rules & ~margin)) key = "quota_rules";
  if (text->goal_margin && (read->rules & margin) != (paper->rules & margin)) key = "goal_margin";
  if (key)
    return refuse(reader, key, "scheme %s has another one (docs/scenarios.md); leave the key out",
                  rollover_paper);
  scenario->controller = *paper;
  return 0;
}

static int read_controller(const struct reader *reader, const struct scenario_text *text,
                           struct qsm_scenario *scenario) {
  scenario->controller = qsmControllerReset;
  return read_alpha_cap(reader, text->alpha_cap, &scenario->controller.alpha_cap_q16) ||
                 read_rollover_cap(reader, text->rollover_cap,
                                   &scenario->controller.rollover_cap) ||
                 read_quota_rules(reader, text, &scenario->controller.rules) ||
                 read_goal_margin(reader, text->goal_margin, scenario) ||
                 check_rollover_paper(reader, text, scenario)
             ? -1
             : 0;
}

// SM_THRESHOLD is below 1, so the nearest one to 100 % is not there.
static int read_sm_threshold(const struct reader *reader, const char *text, uint32_t *q16) {
  char *end = NULL;
  if (!text) return 0;
  double percent = strtod(text, &end);
  if (end == text || strcmp(end, "%") != 0 || !(percent >= 0 && percent < 100))
    return refuse(reader, "sm_threshold", "'%s': must be a percentage, 0%% to below 100%%", text);
  *q16 = (uint32_t)(percent / 100 * 65536);
  return 0;
}

// What the SM manager and SM ownership are told.
static int read_whole_sms(const struct reader *reader, const struct scenario_text *text,
                          struct qsm_scenario *scenario) {
  uint32_t technique = qsmTechniqueDrain, gating = 0;
  uint64_t wake = 500, step = 2;
  scenario->sm_threshold = 655;
  if (read_value(reader, "move_technique", text->move_technique, qsm_technique_name,
                 QSM_TECHNIQUE_COUNT, &technique) ||
      read_name(reader, "sm_gating", text->sm_gating, on_or_off, &gating) ||
      read_uint(reader, "wake_latency", text->wake_latency, 1, 65535, &wake) ||
      read_sm_threshold(reader, text->sm_threshold, &scenario->sm_threshold) ||
      read_uint(reader, "sm_step", text->sm_step, 1, 4, &step))
    return -1;
  scenario->move_technique = (qsmTechnique)technique;
  scenario->sm_gating = gating != 0;
  scenario->wake_latency = (uint32_t)wake;
  scenario->sm_step = (uint32_t)step;
  return 0;
}

static int read_ipc_goal(const struct reader *reader, const char *text,
                         struct qsm_scenario_kernel *kernel) {
  char *end = NULL;
  kernel->goal = strtod(text, &end);
  bool percent = *end == '%';
  if (end == text || end[percent ? 1 : 0] != 0)
    return refuse(
        reader, "goal",
        "'%s': must be thread instructions per cycle (12.5) or a share of isolated (70%%)", text);
  if (!(kernel->goal > 0)) return refuse(reader, "goal", "'%s': must be above 0", text);
  if (percent && kernel->goal > 100)
    return refuse(reader, "goal", "'%s': more than the kernel reaches alone", text);
  if (!percent && kernel->goal > 65535)
    return refuse(reader, "goal", "'%s': more than any GPU reaches", text);
  kernel->goal_kind = percent ? QSM_GOAL_PERCENT : QSM_GOAL_IPC;
  return 0;
}

// A number with up to three decimals, in thousandths.
static int read_thousandths(const struct reader *reader, const char *key, const char *text,
                            uint64_t *value) {
  enum { MOST = 1000000000 };
  size_t n_whole = strcspn(text, "."), n_decimals = text[n_whole] ? strlen(text + n_whole + 1) : 0;
  char digits[sizeof(struct qsm_yaml_pair)];
  snprintf(digits, sizeof digits, "%.*s%s%.*s", (int)n_whole, text,
           text[n_whole] ? text + n_whole + 1 : "", n_decimals < 3 ? (int)(3 - n_decimals) : 0,
           "000");
  bool point_alone = text[n_whole] && (n_whole == 0 || n_decimals == 0);
  if (n_decimals > 3 || point_alone || text[0] == 0 ||
      qsm_yaml_uint(digits, (uint64_t)MOST * 1000, value) || *value == 0)
    return refuse(reader, "goal",
                  "%s: '%s': must be a number, 0.001..%d, with at most three decimals", key, text,
                  MOST);
  return 0;
}

static int read_timed_key(const struct reader *reader, const struct qsm_yaml_pair *pair,
                          qsmGoal *goal) {
  uint64_t copies = 0;
  uint32_t overlapped = 0;
  if (strcmp(pair->key, "deadline_us") == 0 || strcmp(pair->key, "per_second") == 0) {
    if (goal->kind != qsmGoalNone)
      return refuse(reader, "goal", "has either deadline_us or per_second");
    goal->kind = pair->key[0] == 'd' ? qsmGoalDeadline : qsmGoalRate;
    return read_thousandths(reader, pair->key, pair->text, &goal->value);
  }
  if (strcmp(pair->key, "bytes") == 0)
    return read_uint(reader, "goal", pair->text, 0, (uint64_t)1 << 40, &goal->bytes);
  if (strcmp(pair->key, "copies") == 0) {
    if (read_uint(reader, "goal", pair->text, 0, 1000000, &copies)) return -1;
    goal->copies = (uint32_t)copies;
    return 0;
  }
  if (strcmp(pair->key, "overlapped") == 0) {
    if (read_name(reader, "goal", pair->text, switches, &overlapped)) return -1;
    goal->overlapped = overlapped != 0;
    return 0;
  }
  return refuse(reader, "goal", "no such key: %s", pair->key);
}

static int read_goal(const struct reader *reader, unsigned index,
                     struct qsm_scenario_kernel *kernel) {
  struct qsm_yaml_pair pairs[8];
  unsigned n = 0;
  if (qsm_yaml_pairs(reader->source, "kernels", index, "goal", pairs,
                     sizeof pairs / sizeof pairs[0], &n, reader->msg, reader->msg_len))
    return -1;
  if (n == 0) return 0;
  if (pairs[0].key[0] == 0) return read_ipc_goal(reader, pairs[0].text, kernel);
  for (unsigned i = 0; i < n; i++)
    if (read_timed_key(reader, &pairs[i], &kernel->timed)) return -1;
  if (kernel->timed.kind == qsmGoalNone)
    return refuse(reader, "goal", "needs deadline_us or per_second");
  kernel->goal_kind = QSM_GOAL_TIMED;
  return 0;
}

static int read_launches(const struct reader *reader, const char *text, uint64_t *passes) {
  if (!text || strcmp(text, "repeat") == 0) return 0;
  if (qsm_yaml_uint(text, UINT32_MAX, passes) || *passes == 0)
    return refuse(reader, "launches", "'%s': must be repeat or a number from 1 on", text);
  return 0;
}

static int read_dims(const struct reader *reader, const char *key, char **texts, unsigned n,
                     uint32_t most, uint32_t dims[3]) {
  for (unsigned i = 0; i < 3; i++) {
    uint64_t value = 1;
    if (i < n && read_uint(reader, key, texts[i], 1, most, &value)) return -1;
    dims[i] = (uint32_t)value;
  }
  return 0;
}

static int read_args(const struct reader *reader, const struct kernel_text *text,
                     struct qsm_scenario_kernel *kernel) {
  static const char buffer[] = "buffer ";
  kernel->n_args = text->args_count;
  for (unsigned i = 0; i < text->args_count; i++) {
    bool is_buffer = strncmp(text->args[i], buffer, sizeof buffer - 1) == 0;
    uint64_t value = 0;
    if (read_uint(reader, "args", text->args[i] + (is_buffer ? sizeof buffer - 1 : 0),
                  is_buffer ? 1 : 0, UINT32_MAX, &value))
      return -1;
    *(is_buffer ? &kernel->buffer_bytes[i] : &kernel->arg[i]) = (uint32_t)value;
  }
  return 0;
}

// A user's ELF: path relative to the scenario file.
static int read_user_program(const struct reader *reader, const struct kernel_text *text,
                             struct qsm_scenario_kernel *kernel) {
  if (!text->symbol)
    return refuse(reader, "elf", "'%s' needs symbol: the kernel function", text->elf);
  const char *path = reader->source->path, *slash = strrchr(path, '/');
  int folder = slash && text->elf[0] != '/' ? (int)(slash - path + 1) : 0;
  if (snprintf(kernel->elf, sizeof kernel->elf, "%.*s%s", folder, path, text->elf) >=
      (int)sizeof kernel->elf)
    return refuse(reader, "elf", "path too long");
  snprintf(kernel->symbol, sizeof kernel->symbol, "%s", text->symbol);
  uint64_t shared = 0;
  if (read_dims(reader, "grid", text->grid, text->grid_count, 65535, kernel->grid) ||
      read_dims(reader, "block", text->block, text->block_count, 1024, kernel->block) ||
      read_uint(reader, "shared", text->shared, 0, UINT32_MAX, &shared) ||
      read_args(reader, text, kernel))
    return -1;
  kernel->shared_bytes = (uint32_t)shared;
  return 0;
}

static int read_program(const struct reader *reader, const struct kernel_text *text,
                        struct qsm_scenario_kernel *kernel) {
  if (!text->program == !text->elf)
    return refuse(reader, "kernels",
                  "each kernel has either program (of the suite) or elf (your own)");
  if (text->elf) return read_user_program(reader, text, kernel);
  kernel->program = qsm_suite_find(text->program);
  if (!kernel->program)
    return refuse(reader, "program", "unknown program '%s'; `qsm kernels` lists them",
                  text->program);
  if (text->symbol || text->grid_count || text->block_count || text->args_count || text->shared)
    return refuse(reader, "program",
                  "'%s' sets its own launches: symbol, grid, block, shared and args are for elf",
                  text->program);
  return 0;
}

// FIRST..LAST; `other` is what it may be besides, for the complaint.
static int read_sm_range(const struct reader *reader, const char *text, const char *other,
                         uint64_t *first, uint64_t *last) {
  const char *dots = strstr(text, "..");
  char before[8];
  if (!dots ||
      snprintf(before, sizeof before, "%.*s", (int)(dots - text), text) >= (int)sizeof before ||
      qsm_yaml_uint(before, QSM_MAX_SMS - 1, first) ||
      qsm_yaml_uint(dots + 2, QSM_MAX_SMS - 1, last) || *first > *last)
    return refuse(reader, "sms", "'%s': must be %sSMs FIRST..LAST below %d", text, other,
                  QSM_MAX_SMS);
  return 0;
}

// A bit mask, or a range.
static int read_sms(const struct reader *reader, const char *text, qsmSmMask *mask) {
  uint64_t number = 0, last = 0;
  if (!text || !strstr(text, "..")) {
    int status = read_uint(reader, "sms", text, 1, UINT64_MAX, &number);
    *mask = number;
    return status;
  }
  if (read_sm_range(reader, text, "a bit mask, or ", &number, &last)) return -1;
  *mask = ((qsmSmMask)2 << last) - ((qsmSmMask)1 << number);
  return 0;
}

static int read_workers_per_sm(const struct reader *reader, const char *text, uint32_t form,
                               uint32_t *per_sm) {
  uint64_t number = 1;
  bool half = text && strcmp(text, "half") == 0;
  if (half && form != qsmWorkersPersistent)
    return refuse(reader, "workers_per_sm", "'half': is for workers: persistent");
  if (!half && read_uint(reader, "workers_per_sm", text, 1, 32, &number)) return -1;
  *per_sm = half ? QSM_WORKERS_HALF : (uint32_t)number;
  return 0;
}

// Software holds the SMs of workers, so their range is no mask.
static int read_workers(const struct reader *reader, const struct kernel_text *text,
                        struct qsm_scenario_kernel *kernel) {
  uint32_t form = qsmWorkersOff;
  uint64_t first = 0, last = 0;
  if (read_value(reader, "workers", text->workers, qsm_workers_name, QSM_WORKERS_COUNT, &form) ||
      read_workers_per_sm(reader, text->workers_per_sm, form, &kernel->workers_per_sm))
    return -1;
  kernel->workers = (qsmWorkers)form;
  if (!form) return read_sms(reader, text->sms, &kernel->sm_mask);
  if (text->save_images)
    return refuse(reader, "save_images", "workers hold their places: they are not saved");
  if (!text->sms) return 0;
  if (form == qsmWorkersPersistent)
    return refuse(reader, "sms", "'%s': persistent workers are on all SMs", text->sms);
  if (read_sm_range(reader, text->sms, "", &first, &last)) return -1;
  kernel->worker_first = (uint32_t)first;
  kernel->worker_count = (uint32_t)(last - first + 1);
  return 0;
}

bool qsm_scenario_has_workers(const struct qsm_scenario *scenario) {
  for (uint32_t i = 0; i < scenario->n_kernels; i++)
    if (scenario->kernels[i].workers) return true;
  return false;
}

static int check_workers(const struct reader *reader, const struct qsm_scenario *scenario) {
  if (!qsm_scenario_has_workers(scenario)) return 0;
  if (scenario->scheme != qsmSchemeNone)
    return refuse(reader, "scheme", "'%s': software gives workers their SMs: must be none",
                  qsm_scheme_name(scenario->scheme));
  if (scenario->adjust != qsmAdjustOff)
    return refuse(reader, "adjust", "'%s': software gives workers their SMs: must be off",
                  qsm_adjustment_name(scenario->adjust));
  return 0;
}

static int read_arrival(const struct reader *reader, const char *text,
                        struct qsm_scenario_kernel *kernel) {
  kernel->arrives = text;
  return text ? read_uint(reader, "arrival", text, 0, QSM_SCENARIO_ARRIVAL_MAX, &kernel->arrival)
              : 0;
}

// The host writes one register after the other, so two cannot arrive at once; and what arrives as
// soon as it may would come between.
static int check_arrivals(const struct reader *reader, const struct qsm_scenario *scenario) {
  for (uint32_t i = 0; i < scenario->n_kernels; i++) {
    const struct qsm_scenario_kernel *kernel = &scenario->kernels[i];
    if (kernel->arrives != scenario->kernels[0].arrives)
      return refuse(reader, "arrival", "kernel %u has %s: all kernels or none", i,
                    kernel->arrives ? "one, kernel 0 has none" : "none, kernel 0 has one");
    for (uint32_t j = 0; kernel->arrives && j < i; j++) {
      uint64_t other = scenario->kernels[j].arrival, later = kernel->arrival;
      uint64_t apart = later > other ? later - other : other - later;
      if (apart < QSM_SCENARIO_ARRIVAL_STEP)
        return refuse(reader, "arrival", "kernels %u and %u at %llu and %llu: must be %d apart", j,
                      i, (unsigned long long)other, (unsigned long long)later,
                      QSM_SCENARIO_ARRIVAL_STEP);
    }
  }
  return 0;
}

static int read_thread_limit(const struct reader *reader, const char *text, uint32_t *percent) {
  char digits[8];
  uint64_t number = 0;
  if (!text) return 0;
  size_t n = strcspn(text, "%");
  snprintf(digits, sizeof digits, "%.*s", (int)n, text);
  if (n >= sizeof digits || strcmp(text + n, "%") != 0 || qsm_yaml_uint(digits, 100, &number) ||
      number == 0)
    return refuse(reader, "thread_limit", "'%s': must be a whole percentage, 1%% to 100%%", text);
  *percent = (uint32_t)number;
  return 0;
}

static int read_instance(const struct reader *reader, const struct kernel_text *text,
                         struct qsm_scenario_kernel *kernel) {
  uint32_t instance = 0;
  if (!text->instance) return 0;
  if (read_value(reader, "instance", text->instance, qsm_instance_name, QSM_INSTANCE_COUNT,
                 &instance))
    return -1;
  if (text->sm_count)
    return refuse(reader, "instance", "'%s' says how many SMs, so sm_count cannot", text->instance);
  kernel->in_instance = true;
  kernel->instance = (qsmInstance)instance;
  return 0;
}

// Memory is divided among instances, or not at all.
static int check_instances(const struct reader *reader, const struct qsm_scenario *scenario) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < scenario->n_kernels; i++) n += scenario->kernels[i].in_instance;
  if (n && n < scenario->n_kernels)
    return refuse(reader, "instance", "%u of %u kernels have one: all or none", n,
                  scenario->n_kernels);
  if (n && scenario->scheme != qsmSchemeSmStatic)
    return refuse(reader, "instance", "needs scheme: sm_static, not %s",
                  qsm_scheme_name(scenario->scheme));
  return 0;
}

// What a tenant does whose launches fault: a program of the suite has outputs to check, and a
// number of passes means passes that come to their ends.
static int read_relaunch(const struct reader *reader, const char *text,
                         struct qsm_scenario_kernel *kernel) {
  uint32_t relaunch = 0;
  if (read_name(reader, "relaunch", text, switches, &relaunch)) return -1;
  if (relaunch && kernel->program)
    return refuse(reader, "relaunch", "a program of the suite has outputs to check");
  if (relaunch && kernel->passes)
    return refuse(reader, "relaunch", "needs launches: repeat, not a number");
  kernel->relaunch = relaunch != 0;
  return 0;
}

// docs/deadlines.md. Launches of a program of the suite differ in their work.
static int read_deadline(const struct reader *reader, const struct kernel_text *text,
                         struct qsm_scenario_kernel *kernel) {
  if (text->work && !text->deadline)
    return refuse(reader, "work", "'%s': is of a launch with a deadline", text->work);
  if (!text->deadline) return 0;
  if (read_uint(reader, "deadline", text->deadline, 1, INT32_MAX, &kernel->deadline)) return -1;
  if (kernel->program)
    return refuse(reader, "deadline", "launches of a program of the suite differ in their work");
  if (kernel->workers) return refuse(reader, "deadline", "not for a kernel in workers");
  if (!text->work)
    return refuse(reader, "deadline", "needs work: the thread instructions of a launch");
  return read_uint(reader, "work", text->work, 1, UINT32_MAX, &kernel->work);
}

static int read_kernel(const struct reader *reader, const struct kernel_text *text, unsigned index,
                       struct qsm_scenario_kernel *kernel) {
  const char *name = text->name      ? text->name
                     : text->program ? text->program
                     : text->symbol  ? text->symbol
                                     : "kernel";
  snprintf(kernel->name, sizeof kernel->name, "%s", name);
  uint64_t budget = 1, images = QSM_SCENARIO_ALL_IMAGES, sm_count = 0, priority = 0;
  uint32_t idempotent = 0, cache = qsmCacheUseAll;
  if (read_program(reader, text, kernel) || read_goal(reader, index, kernel) ||
      read_launches(reader, text->launches, &kernel->passes) ||
      read_arrival(reader, text->arrival, kernel) || read_workers(reader, text, kernel) ||
      read_uint(reader, "sm_count", text->sm_count, 0, QSM_MAX_SMS, &sm_count) ||
      read_thread_limit(reader, text->thread_limit, &kernel->thread_limit) ||
      read_instance(reader, text, kernel) ||
      read_uint(reader, "budget", text->budget, 1, 255, &budget) ||
      read_uint(reader, "priority", text->priority, 0, 3, &priority) ||
      read_uint(reader, "save_images", text->save_images, 0, 16, &images) ||
      read_name(reader, "idempotent", text->idempotent, switches, &idempotent) ||
      read_value(reader, "cache", text->cache, qsm_cache_policy_name, QSM_CACHE_POLICY_COUNT,
                 &cache) ||
      read_relaunch(reader, text->relaunch, kernel) || read_deadline(reader, text, kernel))
    return -1;
  kernel->budget = (uint32_t)budget;
  kernel->priority = (uint32_t)priority;
  kernel->save_images = (uint32_t)images;
  kernel->sm_count = (uint32_t)sm_count;
  kernel->idempotent = idempotent != 0;
  kernel->cache_policy = (qsmCachePolicy)cache;
  return 0;
}

static int convert(const struct reader *reader, const struct scenario_text *text,
                   struct qsm_scenario *scenario) {
  uint32_t policy = qsmPolicyGto, adjust = qsmAdjustOff;
  uint32_t size = QSM_SIZE_M, compare = 0, latecomers = 1, admission = qsmAdmissionSure;
  uint64_t active_warps = 8;
  scenario->seed = 1;
  if (snprintf(scenario->config, sizeof scenario->config, "%s", text->config) >=
      (int)sizeof scenario->config)
    return refuse(reader, "config", "path too long");
  if (read_value(reader, "policy", text->policy, qsm_policy_name, QSM_POLICY_COUNT, &policy) ||
      read_scheme(reader, text->scheme, scenario) ||
      read_uint(reader, "epoch", text->epoch, 1, (1u << 20) - 1, &scenario->epoch) ||
      read_controller(reader, text, scenario) ||
      read_nonqos_ipc(reader, text->nonqos_ipc, &scenario->nonqos_quota) ||
      read_uint(reader, "active_warps", text->active_warps, 1, 16, &active_warps) ||
      read_value(reader, "adjust", text->adjust, qsm_adjustment_name, QSM_ADJUSTMENT_COUNT,
                 &adjust) ||
      read_name(reader, "latecomers", text->latecomers, on_or_off, &latecomers) ||
      read_name(reader, "admission", text->admission, admissions, &admission) ||
      read_whole_sms(reader, text, scenario) ||
      read_uint(reader, "cycles", text->cycles, 1, (uint64_t)1 << 40, &scenario->cycles) ||
      read_uint(reader, "seed", text->seed, 0, UINT64_MAX / 16, &scenario->seed) ||
      read_name(reader, "size", text->size, sizes, &size) ||
      read_name(reader, "compare_without_qos", text->compare_without_qos, switches, &compare))
    return -1;
  scenario->policy = (qsmPolicy)policy;
  scenario->active_warps = (uint32_t)active_warps;
  scenario->adjust = (qsmAdjustment)adjust;
  scenario->latecomers = latecomers != 0;
  scenario->admission = (qsmAdmission)admission;
  scenario->size = (enum qsm_suite_size)size;
  scenario->compare_without_qos = compare != 0;
  scenario->n_kernels = text->kernels_count;
  for (unsigned i = 0; i < text->kernels_count; i++)
    if (read_kernel(reader, &text->kernels[i], i, &scenario->kernels[i])) return -1;
  if (check_arrivals(reader, scenario) || check_workers(reader, scenario)) return -1;
  return check_instances(reader, scenario);
}

int qsm_scenario_load(const struct qsm_yaml_source *source, struct qsm_scenario *scenario,
                      char *msg, size_t msg_len) {
  struct qsm_scenario loaded = {0};
  void *text = NULL;
  const struct reader reader = {source, msg, msg_len};
  if (snprintf(loaded.path, sizeof loaded.path, "%s", source->path) >= (int)sizeof loaded.path) {
    snprintf(msg, msg_len, "%s: path too long", source->path);
    return -1;
  }
  if (qsm_yaml_load(source, &schema, &text, msg, msg_len)) return -1;
  int status = convert(&reader, text, &loaded);
  qsm_yaml_free(&schema, text);
  if (status == 0) *scenario = loaded;
  return status;
}

// SPDX-License-Identifier: Apache-2.0
#include "qsm_fedcm_cases.h"

#include <inttypes.h>
#include <stdio.h>

// A microsecond of the paper's machine is 2400 cycles of rdna2.
enum { US = 2400, DECISION = US / 2 };
#define RDNA2 "rdna2"
// An L2 of eight times its size, which holds the stacks of all threads, too; its fifth, on which
// requests are run.
#define LARGE_L2 "rdna2+l2_kib-2048"
#define FIFTH "rdna2+num_sms-8+num_sas-2+num_channels-4"

// The paper's letters: A alexnet, C car, E epistasis, F fsm, F1 fft, H hausdorff, I inception, M
// mobilenet, R resnext, R1 resnet, S shufflenet, S1 squeezenet.
static const char *const pairs[] = {"shufflenet+squeezenet",
                                    "resnext+squeezenet",
                                    "mobilenet+shufflenet",
                                    "resnext+shufflenet",
                                    "mobilenet+squeezenet",
                                    "resnext+mobilenet",
                                    "car+fsm",
                                    "epistasis+fft",
                                    "fft+fsm",
                                    "fft+hausdorff",
                                    "car+epistasis",
                                    "fsm+hausdorff"};
static const char *const trios[] = {"mobilenet+shufflenet+squeezenet",
                                    "resnext+shufflenet+squeezenet", "car+fsm+epistasis",
                                    "fft+fsm+hausdorff"};
static const char *const fours[] = {"resnext+mobilenet+shufflenet+squeezenet",
                                    "car+fsm+epistasis+fft", "fsm+fft+hausdorff+squeezenet"};
// For what is varied.
static const char *const few[] = {"shufflenet+squeezenet", "mobilenet+shufflenet", "car+fsm",
                                  "fft+hausdorff"};
static const char *const applications[] = {"squeezenet", "shufflenet", "mobilenet", "fsm",    "fft",
                                           "car",        "hausdorff",  "epistasis", "resnext"};
#define N_OF(list) (sizeof(list) / sizeof *(list))

static const struct qsm_fedcm_case basis = {.config = RDNA2,
                                            .runtime = QSM_COLLOCATION_FEDCM,
                                            .sigma = 0.1,
                                            .gamma = 1.1,
                                            .draw_seed = 1,
                                            .decision_cycles = DECISION,
                                            .policy = qsmPolicyGto,
                                            .scheme = qsmSchemeNone};

static void add(struct qsm_fedcm_cases *cases, struct qsm_fedcm_case one) {
  if (cases->n < QSM_FEDCM_MOST_CASES) cases->one[cases->n++] = one;
}

static void add_runtimes(struct qsm_fedcm_cases *cases, struct qsm_fedcm_case one) {
  for (int s = 0; s < QSM_COLLOCATION_SCHEMES; s++) {
    one.runtime = (enum qsm_collocation_scheme)s;
    one.label = qsm_collocation_scheme_names[s];
    add(cases, one);
  }
}

static void add_alone(struct qsm_fedcm_cases *cases, const char *config, const char *workload) {
  struct qsm_fedcm_case one = basis;
  one.part = "alone";
  one.label = "alone";
  one.config = config;
  one.workload = workload;
  one.runtime = QSM_COLLOCATION_CONCURRENT;
  one.decision_cycles = 0;
  add(cases, one);
}

static void add_main(struct qsm_fedcm_cases *cases) {
  static const struct {
    const char *const *list;
    size_t n;
  } workloads[] = {{pairs, N_OF(pairs)}, {trios, N_OF(trios)}, {fours, N_OF(fours)}};
  for (size_t n = 0; n < N_OF(workloads); n++) {
    for (size_t i = 0; i < workloads[n].n; i++) {
      struct qsm_fedcm_case one = basis;
      one.part = "schemes";
      one.workload = workloads[n].list[i];
      add_runtimes(cases, one);
    }
  }
}

// What it costs to set a mask, KRISP beside FedCM.
static void add_costs(struct qsm_fedcm_cases *cases) {
  static const uint32_t us[] = {0, 1, 4, 16};
  for (size_t i = 0; i < N_OF(few); i++) {
    for (size_t c = 0; c < N_OF(us); c++) {
      struct qsm_fedcm_case one = basis;
      one.part = "costs";
      one.workload = few[i];
      one.mask_cycles = us[c] * US;
      one.runtime = QSM_COLLOCATION_KRISP;
      one.label = "krisp";
      add(cases, one);
      one.runtime = QSM_COLLOCATION_FEDCM;
      one.label = "fedcm";
      add(cases, one);
    }
  }
}

static void add_sigmas(struct qsm_fedcm_cases *cases) {
  static const double sigmas[] = {0.1, 0.25, 0.5, 1};
  static const char *const workloads[] = {"shufflenet+squeezenet", "mobilenet+shufflenet",
                                          "mobilenet+shufflenet+squeezenet",
                                          "resnext+mobilenet+shufflenet+squeezenet"};
  for (size_t i = 0; i < N_OF(workloads); i++) {
    for (size_t c = 0; c < N_OF(sigmas); c++) {
      struct qsm_fedcm_case one = basis;
      one.part = "sigma";
      one.label = "fedcm";
      one.workload = workloads[i];
      one.sigma = sigmas[c];
      add(cases, one);
      one.mask_cycles = 4 * US;
      one.label = "fedcm, 4 us for a mask";
      add(cases, one);
    }
  }
}

static void add_gammas(struct qsm_fedcm_cases *cases) {
  static const double gammas[] = {1, 1.1, 1.5, 3};
  for (size_t i = 0; i < N_OF(few); i++) {
    for (size_t c = 0; c < N_OF(gammas); c++) {
      struct qsm_fedcm_case one = basis;
      one.part = "gamma";
      one.label = "fedcm";
      one.workload = few[i];
      one.gamma = gammas[c];
      add(cases, one);
    }
  }
}

// Draws: how much of a figure is chance.
static void add_draws(struct qsm_fedcm_cases *cases) {
  for (size_t i = 0; i < N_OF(few); i++) {
    for (uint32_t seed = 1; seed <= 3; seed++) {
      struct qsm_fedcm_case one = basis;
      one.part = "draws";
      one.label = "fedcm";
      one.workload = few[i];
      one.draw_seed = seed;
      add(cases, one);
    }
  }
}

static void add_large_l2(struct qsm_fedcm_cases *cases) {
  static const char *const workloads[] = {"shufflenet+squeezenet", "mobilenet+shufflenet",
                                          "mobilenet+squeezenet"};
  static const char *const apps[] = {"squeezenet", "shufflenet", "mobilenet"};
  for (size_t i = 0; i < N_OF(apps); i++) add_alone(cases, LARGE_L2, apps[i]);
  for (size_t i = 0; i < N_OF(workloads); i++) {
    struct qsm_fedcm_case one = basis;
    one.part = "caches";
    one.config = LARGE_L2;
    one.workload = workloads[i];
    add_runtimes(cases, one);
    one.runtime = QSM_COLLOCATION_FEDCM;
    one.gamma = 3;
    one.label = "fedcm, gamma 3";
    add(cases, one);
  }
}

// A goal of 90 % of what each of its kernels has alone; and of all.
static void add_quotas(struct qsm_fedcm_cases *cases, struct qsm_fedcm_case one) {
  static const struct {
    enum qsm_collocation_scheme runtime;
    qsmScheme scheme;
    const char *label;
  } ways[] = {{QSM_COLLOCATION_CONCURRENT, qsmSchemeRollover, "rollover"},
              {QSM_COLLOCATION_CONCURRENT, qsmSchemeRolloverTime, "rollover_time"},
              {QSM_COLLOCATION_FEDCM, qsmSchemeRollover, "rollover"},
              {QSM_COLLOCATION_FEDCM, qsmSchemeRolloverTime, "rollover_time"},
              {QSM_COLLOCATION_FITTED, qsmSchemeRollover, "rollover"},
              {QSM_COLLOCATION_FITTED, qsmSchemeRolloverTime, "rollover_time"},
              {QSM_COLLOCATION_KRISP, qsmSchemeRollover, "rollover"},
              {QSM_COLLOCATION_CONCURRENT, qsmSchemeNaive, "naive"},
              {QSM_COLLOCATION_CONCURRENT, qsmSchemeNaiveHistory, "naive_history"},
              {QSM_COLLOCATION_CONCURRENT, qsmSchemeElastic, "elastic"},
              {QSM_COLLOCATION_CONCURRENT, qsmSchemePace, "pace"},
              {QSM_COLLOCATION_FITTED, qsmSchemePace, "pace"}};
  one.goal_permille = 900;
  for (size_t i = 0; i < N_OF(ways); i++) {
    one.runtime = ways[i].runtime;
    one.scheme = ways[i].scheme;
    one.label = ways[i].label;
    add(cases, one);
  }
  one.goal_permille = 1000;
  one.runtime = QSM_COLLOCATION_CONCURRENT;
  one.scheme = qsmSchemePace;
  one.label = "pace, all of it";
  add(cases, one);
  one.one_goal = true;
  one.label = "pace, all of the fastest kernel's";
  add(cases, one);
}

static void add_warp_scheduling(struct qsm_fedcm_cases *cases, struct qsm_fedcm_case one) {
  static const enum qsm_collocation_scheme runtimes[] = {QSM_COLLOCATION_CONCURRENT,
                                                         QSM_COLLOCATION_FITTED};
  one.policy = qsmPolicyQawsProse;
  one.budget = 8;
  for (size_t i = 0; i < N_OF(runtimes); i++) {
    one.runtime = runtimes[i];
    one.label = "qaws, budget 8";
    add(cases, one);
  }
  one.scheme = qsmSchemeRollover;
  one.goal_permille = 900;
  one.label = "rollover over qaws, budget 8";
  add(cases, one);
}

// Contexts with slots of their own: limits of threads, and whole SMs.
static void add_own_slots(struct qsm_fedcm_cases *cases, struct qsm_fedcm_case one) {
  static const struct {
    qsmScheme scheme;
    const char *label;
  } whole[] = {
      {qsmSchemeSmqos, "smqos"}, {qsmSchemeSmRollover, "sm_rollover"}, {qsmSchemeSpart, "spart"}};
  one.runtime = QSM_COLLOCATION_CONCURRENT;
  one.own_slots = true;
  one.thread_limit = 75;
  one.other_limit = 25;
  one.label = "limits of threads, 75 % and 25 %";
  add(cases, one);
  one.thread_limit = one.other_limit = 0;
  one.scheme = qsmSchemeSmStatic;
  one.n_sms = 4;
  one.label = "sm_static, half of the SMs";
  add(cases, one);
  one.n_sms = 0;
  one.goal_permille = 900;
  for (size_t i = 0; i < N_OF(whole); i++) {
    one.scheme = whole[i].scheme;
    one.label = whole[i].label;
    add(cases, one);
  }
}

static struct qsm_fedcm_case asked_for(const char *part, uint32_t requests) {
  struct qsm_fedcm_case one = basis;
  one.part = part;
  one.config = FIFTH;
  one.workload = "fsm+mobilenet+hausdorff";
  one.n_requests = requests;
  one.load_percent = 60;
  one.epoch_cycles = 2500;
  return one;
}

// An application that is asked for, beside two that are there all the while: runtimes, quotas,
// warp scheduling, whole SMs.
static void add_requests(struct qsm_fedcm_cases *cases, uint32_t requests) {
  struct qsm_fedcm_case one = asked_for("requests", requests);
  add_runtimes(cases, one);
  add_quotas(cases, one);
  add_warp_scheduling(cases, one);
  add_own_slots(cases, one);
}

// The same in short, for what holds a p99 (experiments/guarantee.md). In contexts with slots of
// their own against serial with those; goals are far above what can be reached there, so that the
// others are never before the first, or it has 6 of 8 SMs.
static void add_aim(struct qsm_fedcm_cases *cases, uint32_t requests) {
  enum { SERIAL = QSM_COLLOCATION_SERIAL, CONCURRENT = QSM_COLLOCATION_CONCURRENT };
  static const struct {
    int runtime;
    qsmScheme scheme;
    uint32_t goal_permille;
    bool one_goal, own_slots;
    uint32_t n_sms;
    const char *label;
  } ways[] = {
      {SERIAL, qsmSchemeNone, 0, false, false, 0, "serial"},
      {CONCURRENT, qsmSchemeNone, 0, false, false, 0, "concurrent"},
      {QSM_COLLOCATION_KRISP, qsmSchemeNone, 0, false, false, 0, "krisp"},
      {QSM_COLLOCATION_FEDCM, qsmSchemeNone, 0, false, false, 0, "fedcm"},
      {CONCURRENT, qsmSchemeRollover, 900, false, false, 0, "rollover"},
      {CONCURRENT, qsmSchemeRolloverTime, 900, false, false, 0, "rollover_time"},
      {CONCURRENT, qsmSchemePace, 900, false, false, 0, "pace"},
      {CONCURRENT, qsmSchemePace, 1000, false, false, 0, "pace, all of it"},
      {CONCURRENT, qsmSchemePace, 1000, true, false, 0, "pace, all of the fastest kernel's"},
      {CONCURRENT, qsmSchemePace, 20000, true, false, 0, "pace, 20 times the fastest kernel's"},
      {SERIAL, qsmSchemeNone, 0, false, true, 0, "own slots, serial"},
      {CONCURRENT, qsmSchemeNone, 0, false, true, 0, "own slots"},
      {CONCURRENT, qsmSchemeRollover, 1000, true, true, 0,
       "own slots, rollover, all of the fastest kernel's"},
      {CONCURRENT, qsmSchemePace, 1000, true, true, 0,
       "own slots, pace, all of the fastest kernel's"},
      {CONCURRENT, qsmSchemePace, 20000, true, true, 0,
       "own slots, pace, 20 times the fastest kernel's"},
      {CONCURRENT, qsmSchemeSmStatic, 0, false, true, 6, "own slots, sm_static, 6 of 8 SMs"},
  };
  struct qsm_fedcm_case one = asked_for("aim", requests);
  for (size_t i = 0; i < N_OF(ways); i++) {
    one.runtime = (enum qsm_collocation_scheme)ways[i].runtime;
    one.scheme = ways[i].scheme;
    one.goal_permille = ways[i].goal_permille;
    one.one_goal = ways[i].one_goal;
    one.own_slots = ways[i].own_slots;
    one.n_sms = ways[i].n_sms;
    one.label = ways[i].label;
    add(cases, one);
  }
}

// Inference: each of three networks is asked for now and then. (Under serial the first would keep
// the GPU until its last request.)
static void add_inference(struct qsm_fedcm_cases *cases, uint32_t requests) {
  struct qsm_fedcm_case one = basis;
  one.part = "inference";
  one.workload = "mobilenet+shufflenet+squeezenet";
  one.n_requests = requests;
  one.load_percent = 25;
  one.all_asked = true;
  for (int s = QSM_COLLOCATION_CONCURRENT; s < QSM_COLLOCATION_SCHEMES; s++) {
    one.runtime = (enum qsm_collocation_scheme)s;
    one.label = qsm_collocation_scheme_names[s];
    add(cases, one);
  }
}

bool qsm_fedcm_is_asked(const struct qsm_fedcm_case *one, uint32_t app) {
  return one->n_requests && (app == 0 || one->all_asked);
}

void qsm_fedcm_list(struct qsm_fedcm_cases *cases, enum qsm_app_size size, uint32_t requests) {
  cases->n = 0;
  for (size_t i = 0; i < N_OF(applications); i++) add_alone(cases, RDNA2, applications[i]);
  add_main(cases);
  add_costs(cases);
  add_gammas(cases);
  add_sigmas(cases);
  add_draws(cases);
  add_requests(cases, requests);
  add_aim(cases, requests);
  add_inference(cases, requests);
  add_large_l2(cases);
  for (uint32_t i = 0; i < cases->n; i++) cases->one[i].size = size;
}

void qsm_fedcm_key(const struct qsm_fedcm_case *one, char *key, size_t key_len) {
  bool decides = one->runtime >= QSM_COLLOCATION_KRISP,
       draws = one->runtime >= QSM_COLLOCATION_FEDC;
  snprintf(key, key_len,
           "%s %s %s %s sigma=%g gamma=%g seed=%" PRIu32 " decision=%" PRIu32 " mask=%" PRIu32
           " requests=%" PRIu32 "/%" PRIu32 " policy=%d scheme=%d epoch=%" PRIu32 " goal=%" PRIu32
           " budget=%" PRIu32 " slots=%d sms=%" PRIu32 " limits=%" PRIu32 "/%" PRIu32 "%s%s",
           one->config, qsm_app_size_names[one->size], one->workload,
           qsm_collocation_scheme_names[one->runtime], draws ? one->sigma : 0,
           draws ? one->gamma : 0, draws ? one->draw_seed : 0, decides ? one->decision_cycles : 0,
           decides ? one->mask_cycles : 0, one->n_requests, one->load_percent, (int)one->policy,
           (int)one->scheme, one->epoch_cycles, one->goal_permille, one->budget, one->own_slots,
           one->n_sms, one->thread_limit, one->other_limit, one->all_asked ? " all asked" : "",
           one->one_goal ? " one goal" : "");
}

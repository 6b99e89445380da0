// SPDX-License-Identifier: Apache-2.0
// A renderer whose frames take more or less work, one submitted per period and due before the next,
// beside batches that come in bursts: what each way of scheduling makes of its frames, and of the
// batches.
//   deadlines PROGRAM.elf [model|rtl|lockstep [CONFIGURATION [FRAMES]]]
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "qsm_config.h"
#include "qsm_runtime.h"

enum {
  PIXELS = 4096,
  BLOCK_THREADS = 16,
  EPOCH = 2500,
  PERIOD = 40000,
  FRAMES = 30,
  MOST_FRAMES = 10000,
  LEAST_DETAIL = 4,
  MOST_DETAIL = 24,
  BATCH_ROUNDS = 40,
  BURST = 70000,   // cycles in which batches follow each other
  PAUSE = 30000,   // and in which there are none
  LIMIT = 1000000  // for what must end
};

// How the frames are scheduled. A goal is for a frame of so much detail in each period.
struct way {
  const char *name;
  qsmScheme scheme;
  uint32_t goal_detail;  // 0: no goal
  bool deadlines;
};

static const uint32_t scene[] = {6,  7, 6,  8, 10, 14, 20, 24, 22, 9, 6, 5, 4, 6,  12,
                                 24, 9, 10, 8, 7,  6,  5,  18, 23, 8, 6, 6, 4, 20, 11};
enum { SCENE = sizeof scene / sizeof *scene, MEAN_DETAIL = 11 };

struct renderer {
  qsmContext_t context;
  uint32_t args[3];
  uint64_t work_at_0, work_of_detail;  // thread instructions of a frame: both measured
  int64_t least_slack, slack_sum;
  uint64_t due;  // of the frame submitted last
  unsigned n_ended, n_missed;
};

struct batches {
  qsmContext_t context;
  uint32_t args[2];
  bool bursts, runs;
  uint64_t n_ended;
  qsmError_t error;
};

static int32_t frame[PIXELS], shown[PIXELS];

static const qsmDim3 grid = {PIXELS / BLOCK_THREADS, 1, 1}, block = {BLOCK_THREADS, 1, 1};

// ---- The renderer ----

static qsmLaunch describe_frame(const struct renderer *renderer) {
  return (qsmLaunch){
      .kernel = "render", .grid = grid, .block = block, .args = renderer->args, .n_args = 3};
}

static qsmError_t measure_detail(struct renderer *renderer, uint32_t detail, uint64_t *work) {
  qsmGoal goal = {0};
  renderer->args[2] = detail;
  qsmLaunch launch = describe_frame(renderer);
  qsmError_t error = qsmMeasureIsolated(renderer->context, &launch, LIMIT, &goal);
  *work = goal.instructions;
  return error;
}

// Every thread does the same, so two frames tell what all take.
static qsmError_t measure(struct renderer *renderer) {
  uint64_t least = 0, most = 0;
  qsmError_t error = measure_detail(renderer, LEAST_DETAIL, &least);
  if (!error) error = measure_detail(renderer, MOST_DETAIL, &most);
  renderer->work_of_detail = (most - least) / (MOST_DETAIL - LEAST_DETAIL);
  renderer->work_at_0 = least - LEAST_DETAIL * renderer->work_of_detail;
  return error;
}

static uint64_t work_of(const struct renderer *renderer, uint32_t detail) {
  return renderer->work_at_0 + detail * renderer->work_of_detail;
}

static qsmError_t open_renderer(qsmDevice_t device, const char *path, struct renderer *renderer) {
  qsmError_t error = qsmContextCreate(device, &renderer->context);
  if (!error) error = qsmModuleLoad(renderer->context, path);
  for (int i = 0; i < PIXELS; i++) frame[i] = (i * 37) % 256;
  if (!error) error = qsmMalloc(renderer->context, sizeof frame, &renderer->args[0]);
  if (!error) error = qsmMalloc(renderer->context, sizeof frame, &renderer->args[1]);
  if (!error) error = qsmMemcpyHtoD(renderer->context, renderer->args[0], frame, sizeof frame);
  return error ? error : measure(renderer);
}

struct frame_note {
  struct renderer *renderer;
  uint64_t due;
};

static void frame_ended(void *user, const qsmLaunchResult *result) {
  struct frame_note *note = user;
  struct renderer *renderer = note->renderer;
  int64_t slack = (int64_t)(note->due - result->end_cycle);
  if (renderer->n_ended++ == 0 || slack < renderer->least_slack) renderer->least_slack = slack;
  renderer->slack_sum += slack;
  renderer->n_missed += result->killed || slack < 0;
}

static qsmError_t submit_frame(struct renderer *renderer, const struct way *way, uint64_t now,
                               uint32_t detail, struct frame_note *note) {
  renderer->args[2] = detail;
  *note = (struct frame_note){renderer, now + PERIOD};
  qsmLaunch launch = describe_frame(renderer);
  if (way->deadlines) {
    launch.deadline_cycles = PERIOD;
    launch.work = work_of(renderer, detail);
  }
  return qsmLaunchKernelEx(renderer->context, &launch, frame_ended, note);
}

// ---- The batches ----

static void batch_ended(void *user, const qsmLaunchResult *result);

static qsmError_t submit_batch(struct batches *batches) {
  batches->runs = true;
  return qsmLaunchKernel(batches->context, "batch", grid, block, batches->args, 2, 0, NULL,
                         batch_ended, batches);
}

static void batch_ended(void *user, const qsmLaunchResult *result) {
  struct batches *batches = user;
  batches->n_ended++;
  batches->runs = false;
  if (batches->bursts && !result->killed) batches->error = submit_batch(batches);
}

static qsmError_t open_batches(qsmDevice_t device, const char *path, struct batches *batches) {
  qsmError_t error = qsmContextCreate(device, &batches->context);
  if (!error) error = qsmModuleLoad(batches->context, path);
  batches->args[1] = BATCH_ROUNDS;
  return error ? error : qsmMalloc(batches->context, PIXELS * sizeof(uint32_t), &batches->args[0]);
}

static qsmError_t set_burst(struct batches *batches, bool on) {
  batches->bursts = on;
  return on && !batches->runs ? submit_batch(batches) : qsmSuccess;
}

// ---- A run ----

static qsmError_t run_frames(qsmDevice_t device, const struct way *way, struct renderer *renderer,
                             struct batches *batches, unsigned n_frames) {
  static struct frame_note notes[MOST_FRAMES];
  uint64_t begin = qsmDeviceCycle(device) + 1000, next_burst = begin;
  qsmError_t error = qsmDeviceRunUntil(device, begin);
  for (unsigned n = 0; !error && n < n_frames;) {
    uint64_t next_frame = begin + (uint64_t)n * PERIOD;
    uint64_t at = next_frame < next_burst ? next_frame : next_burst;
    error = qsmDeviceRunUntil(device, at);
    if (!error && at == next_burst) {
      error = set_burst(batches, !batches->bursts);
      next_burst += batches->bursts ? BURST : PAUSE;
    }
    if (!error && at == next_frame) {
      error = submit_frame(renderer, way, at, scene[n % SCENE], &notes[n]);
      n++;
    }
    if (!error) error = batches->error;
  }
  if (!error) error = qsmDeviceRunUntil(device, begin + (uint64_t)n_frames * PERIOD);
  batches->bursts = false;
  uint64_t n_batches = batches->n_ended;
  if (!error) error = qsmDeviceSynchronize(device, (uint64_t)n_frames * PERIOD + LIMIT);
  batches->n_ended = n_batches;  // those behind the last period do not count
  return error;
}

static int count_wrong(struct renderer *renderer, uint32_t detail) {
  int n_wrong = 0;
  if (qsmMemcpyDtoH(renderer->context, shown, renderer->args[1], sizeof shown)) return PIXELS;
  for (int i = 0; i < PIXELS; i++) {
    int32_t v = frame[i];
    for (uint32_t step = 0; step < detail; step++) v += (v * (255 - v)) >> 10;
    n_wrong += shown[i] != v;
  }
  return n_wrong;
}

static qsmError_t run(qsmDevice_t device, const char *path, const struct way *way,
                      unsigned n_frames, int *n_wrong) {
  struct renderer renderer = {0};
  struct batches batches = {0};
  qsmError_t error = qsmSetScheduling(device, qsmPolicyGto, way->scheme, EPOCH);
  if (!error) error = open_renderer(device, path, &renderer);
  if (!error) error = open_batches(device, path, &batches);
  uint64_t goal = way->goal_detail ? (work_of(&renderer, way->goal_detail) << 16) / PERIOD : 0;
  if (!error) error = qsmSetQoS(renderer.context, (uint32_t)goal);
  if (!error) error = run_frames(device, way, &renderer, &batches, n_frames);
  if (error) return error;
  *n_wrong = count_wrong(&renderer, scene[(n_frames - 1) % SCENE]);
  printf("%-30s %2u of %u frames missed, slack %6.1f %% at least, %5.1f %% in the mean; %3" PRIu64
         " batches\n",
         way->name, renderer.n_missed, renderer.n_ended,
         100.0 * (double)renderer.least_slack / PERIOD,
         100.0 * (double)renderer.slack_sum / renderer.n_ended / PERIOD, batches.n_ended);
  return qsmSuccess;
}

static int run_way(const char *const argv[], int argc, const struct way *way, unsigned n_frames) {
  char msg[256];
  qsmDevice_t device = NULL;
  if (qsmDeviceOpen(argc > 2 ? argv[2] : "model", argc > 3 ? argv[3] : "demo", NULL, &device, msg,
                    sizeof msg)) {
    fprintf(stderr, "deadlines: %s\n", msg);
    return EXIT_FAILURE;
  }
  int n_wrong = 0;
  qsmError_t error = run(device, argv[1], way, n_frames, &n_wrong);
  if (error)
    fprintf(stderr, "deadlines: %s: %s: %s\n", way->name, qsmGetErrorString(error),
            qsmGetLastErrorText(device));
  else if (n_wrong)
    fprintf(stderr, "deadlines: %s: %d of %d pixels wrong\n", way->name, n_wrong, PIXELS);
  qsmDeviceClose(device);
  return error || n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

static unsigned parse_frames(const char *text) {
  char *end = NULL;
  errno = 0;
  unsigned long n = strtoul(text, &end, 10);
  return errno || *end || end == text || n > MOST_FRAMES ? 0 : (unsigned)n;
}

int main(int argc, char **argv) {
  static const struct way ways[] = {
      {"no quality of service", qsmSchemeNone, 0, false},
      {"rollover, goal of a mean frame", qsmSchemeRollover, MEAN_DETAIL, false},
      {"pace, goal of a mean frame", qsmSchemePace, MEAN_DETAIL, false},
      {"pace, goal of 1.5 mean frames", qsmSchemePace, MEAN_DETAIL * 3 / 2, false},
      {"rollover, goal of the heaviest", qsmSchemeRollover, MOST_DETAIL + 2, false},
      {"pace, goal of the heaviest", qsmSchemePace, MOST_DETAIL + 2, false},
      {"the same, and deadlines", qsmSchemePace, MOST_DETAIL + 2, true},
  };
  unsigned n_frames = argc > 4 ? parse_frames(argv[4]) : FRAMES;
  if (argc < 2 || argc > 5 || n_frames == 0) {
    fprintf(stderr,
            "usage: %s PROGRAM.elf [model|rtl|lockstep [CONFIGURATION [FRAMES]]], 1..%d frames\n",
            argv[0], MOST_FRAMES);
    return EXIT_FAILURE;
  }
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (run_way((const char *const *)argv, argc, &ways[i], n_frames)) return EXIT_FAILURE;
  return EXIT_SUCCESS;
}

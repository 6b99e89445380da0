// SPDX-License-Identifier: Apache-2.0
// Host program of streams: filters an array piece by piece, in one stream and then in several, in
// which the copies of one piece run beside the kernels of others; times both with events and checks
// every element.
//   streams PROGRAM.elf [model|rtl|lockstep [CONFIGURATION]]
#include <stdio.h>
#include <stdlib.h>

#include "qsm_runtime.h"

enum {
  N = 4096,
  PIECES = 8,
  PIECE = N / PIECES,
  PIECE_BYTES = PIECE * 4,
  MAX_STREAMS = 3,
  BLOCK_THREADS = 16,
  TURNS = 24,
  MEMORY = 1 << 20,
  MAX_CYCLES = 10000000
};

struct pipeline {
  qsmContext_t context;
  uint32_t *in, *out;  // of the host
  uint32_t device_in, device_out;
  qsmEvent_t begin, end;
};

static uint32_t expected(uint32_t v) {
  for (int turn = 0; turn < TURNS; turn++) v = v * 1664525u + 1013904223u;
  return v;
}

// Each step runs when those before it succeeded.
static qsmError_t set_up(struct pipeline *p, const char *path) {
  void *in = NULL, *out = NULL;
  qsmError_t error = qsmModuleLoad(p->context, path);
  if (!error) error = qsmMallocHost(p->context, 4 * N, &in);
  if (!error) error = qsmMallocHost(p->context, 4 * N, &out);
  if (!error) error = qsmMalloc(p->context, 4 * N, &p->device_in);
  if (!error) error = qsmMalloc(p->context, 4 * N, &p->device_out);
  if (!error) error = qsmEventCreate(p->context, &p->begin);
  if (!error) error = qsmEventCreate(p->context, &p->end);
  p->in = in;
  p->out = out;
  return error;
}

// To the device, through the filter, and back.
static qsmError_t submit_piece(struct pipeline *p, int piece, qsmStream_t stream) {
  const uint32_t from = p->device_in + PIECE_BYTES * piece,
                 to = p->device_out + PIECE_BYTES * piece, args[] = {from, to, PIECE};
  const qsmDim3 grid = {PIECE / BLOCK_THREADS, 1, 1}, block = {BLOCK_THREADS, 1, 1};
  qsmError_t error = qsmMemcpyAsync(p->context, qsmDevicePointer(from), p->in + PIECE * piece,
                                    PIECE_BYTES, qsmMemcpyHostToDevice, stream);
  if (!error)
    error = qsmLaunchKernel(p->context, "filter", grid, block, args, 3, 0, stream, NULL, NULL);
  if (!error)
    error = qsmMemcpyAsync(p->context, p->out + PIECE * piece, qsmDevicePointer(to), PIECE_BYTES,
                           qsmMemcpyDeviceToHost, stream);
  return error;
}

// The default stream begins when the others have ended, and they when it has: so the events are
// around all of it.
static qsmError_t filter(struct pipeline *p, int n_streams, float *ms) {
  qsmStream_t streams[MAX_STREAMS];
  qsmError_t error = qsmSuccess;
  for (int i = 0; !error && i < n_streams; i++) error = qsmStreamCreate(p->context, &streams[i]);
  if (!error) error = qsmEventRecord(p->begin, NULL);
  for (int piece = 0; !error && piece < PIECES; piece++)
    error = submit_piece(p, piece, streams[piece % n_streams]);
  if (!error) error = qsmEventRecord(p->end, NULL);
  if (!error) error = qsmEventSynchronize(p->end, MAX_CYCLES);
  if (!error) error = qsmContextSynchronize(p->context, MAX_CYCLES);
  if (!error) error = qsmEventElapsedTime(ms, p->begin, p->end);
  for (int i = 0; !error && i < n_streams; i++) error = qsmStreamDestroy(streams[i]);
  return error;
}

static int count_wrong(const struct pipeline *p) {
  int n_wrong = 0;
  for (int i = 0; i < N; i++) n_wrong += p->out[i] != expected(p->in[i]);
  return n_wrong;
}

static qsmError_t run(qsmDevice_t device, const char *path, int *n_wrong) {
  struct pipeline p = {0};
  qsmError_t error = qsmDeviceUseChannels(device, 2, qsmChannelsConcurrent);
  if (!error) error = qsmContextCreateOnChannels(device, MEMORY, &p.context);
  if (!error) error = set_up(&p, path);
  for (int n_streams = 1; !error && n_streams <= MAX_STREAMS; n_streams += MAX_STREAMS - 1) {
    float ms = 0;
    for (int i = 0; i < N; i++) {
      p.in[i] = (uint32_t)(37 * i + n_streams);
      p.out[i] = 0;
    }
    error = filter(&p, n_streams, &ms);
    if (error) break;
    int wrong = count_wrong(&p);
    printf("%d elements in %d stream%s: %.3f ms, %d wrong\n", N, n_streams,
           n_streams > 1 ? "s" : "", (double)ms, wrong);
    *n_wrong += wrong;
  }
  return error;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    fprintf(stderr, "usage: %s PROGRAM.elf [model|rtl|lockstep [CONFIGURATION]]\n", argv[0]);
    return EXIT_FAILURE;
  }
  const char *backend = argc > 2 ? argv[2] : "model", *configuration = argc > 3 ? argv[3] : "demo";
  char msg[256];
  qsmDevice_t device = NULL;
  if (qsmDeviceOpen(backend, configuration, NULL, &device, msg, sizeof msg)) {
    fprintf(stderr, "streams: %s\n", msg);
    return EXIT_FAILURE;
  }
  int n_wrong = 0;
  qsmError_t error = run(device, argv[1], &n_wrong);
  if (error)
    fprintf(stderr, "streams: %s: %s\n", qsmGetErrorString(error), qsmGetLastErrorText(device));
  qsmDeviceClose(device);
  return error || n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

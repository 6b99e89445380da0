// SPDX-License-Identifier: Apache-2.0
// A GPU for tests of the accounting library, whose truth is known exactly: registers of command
// channels over an engine that a script or closed-loop clients keep busy, in exclusive mode. Only
// what the library reads is there; any other access fails the test.
#ifndef FAKE_GPU_H
#define FAKE_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "qsm_accounting.h"

enum { FAKE_CHANNELS = 96, FAKE_CLIENTS = 8, FAKE_RING = 16, FAKE_MOST_POLLS = 1 << 16 };
enum { FAKE_NEVER = -1 };  // no channel
// A counter of channels besides CH_BUSY, which counts so many in a cycle on the engine.
enum { FAKE_COUNTER = 0x3C, FAKE_COUNTER_SCALE = 4 };

// From this cycle on the engine names `channel`, and these channels are busy (of 0 .. 31).
struct fake_segment {
  uint64_t from;
  uint32_t channel, busy;
};

// Runs kernels of `length`, then sleeps for `gap`, then submits the next; one that floods keeps its
// ring full instead.
struct fake_client {
  uint32_t channel, application;
  uint64_t length, gap;
  bool floods;
  bool waits;      // its first command never becomes ready: a semaphore
  uint64_t until;  // submits nothing from this cycle on; 0: for ever
  // What became of it.
  uint64_t wake, ran;  // cycles on the engine, of the kernel that runs too
  bool blocked;        // its write of PUT was refused
};

struct fake_gpu {
  uint64_t now;
  uint32_t access_cycles;             // that an access of a register takes
  const struct fake_segment *script;  // NULL: clients
  uint32_t n_segments;
  struct fake_client client[FAKE_CLIENTS];
  uint32_t n_clients;
  // The engine, of clients.
  int running;
  uint32_t last, next_client;
  uint64_t end;
  // Registers.
  uint32_t ctrl[FAKE_CHANNELS], put[FAKE_CHANNELS], get[FAKE_CHANNELS], done[FAKE_CHANNELS],
      busy_cycles[FAKE_CHANNELS];
  bool stopped[FAKE_CHANNELS];
  uint32_t snap_engine, snap_busy[3];
  uint64_t snap_cycle;
  // What was done.
  uint32_t n_accesses, n_polls;
  uint64_t poll_at[FAKE_MOST_POLLS];  // of snapshots whose engine was read
  uint32_t refuse;                    // an address that is refused; 0: none
};

struct qsm_accounting_device fake_device(struct fake_gpu *gpu, uint32_t n_channels);
void fake_start(struct fake_gpu *gpu);  // of one that is all zeros but for script or clients
// Lets cycles pass until this one.
void fake_run(struct fake_gpu *gpu, uint64_t until);
// The library's steps, and all that happens between them.
void fake_run_accounting(struct fake_gpu *gpu, struct qsm_accounting *accounting, uint64_t until);
// The segment of a cycle.
const struct fake_segment *fake_segment_at(const struct fake_gpu *gpu, uint64_t cycle);
bool fake_closed(const struct fake_gpu *gpu, uint32_t channel);

#endif

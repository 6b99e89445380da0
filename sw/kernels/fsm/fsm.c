// SPDX-License-Identifier: Apache-2.0
// A finite state machine over one long text, in parallel (Mytkowicz, Musuvathi, Schulte,
// "Data-parallel finite-state machines", ASPLOS 2014): each thread has a chunk and finds where each
// of the N_STATES states would lead, all at once, in the nibbles of a word; composing these maps
// gives the state in which each chunk begins; then the threads run their chunks once more and count
// the visits of accepting states. Shared memory: the transition table, a byte per class of letters
// and state.
#include <qsm.h>

enum { N_STATES = 8, IDENTITY = 0x76543210 };

static unsigned state_of(unsigned map, unsigned state) { return map >> (4 * state) & 15; }

// First a, then b.
static unsigned compose(unsigned a, unsigned b) {
  unsigned map = 0;
  for (unsigned state = 0; state < N_STATES; state++)
    map |= state_of(b, state_of(a, state)) << (4 * state);
  return map;
}

static const uint8_t *load_table(const uint8_t *table, unsigned n_classes) {
  uint8_t *shared = qsm_dynamic_shared();
  for (unsigned i = threadIdx.x; i < N_STATES * n_classes; i += blockDim.x) shared[i] = table[i];
  __syncthreads();
  return shared;
}

// The map of each chunk. text: classes of letters.
__global__ void fsm_maps(const uint8_t *text, unsigned n, unsigned n_chunk, const uint8_t *table,
                         unsigned n_classes, unsigned *maps) {
  const uint8_t *next = load_table(table, n_classes);
  unsigned chunk = blockIdx.x * blockDim.x + threadIdx.x, first = chunk * n_chunk;
  if (first >= n) return;
  unsigned map = IDENTITY;
  for (unsigned i = first; i < first + n_chunk && i < n; i++) {
    const uint8_t *row = next + N_STATES * text[i];
    unsigned moved = 0;
    for (unsigned state = 0; state < N_STATES; state++)
      moved |= (unsigned)row[state_of(map, state)] << (4 * state);
    map = moved;
  }
  maps[chunk] = map;
}

// The state in which each chunk begins. One block: every thread composes the maps of a stretch of
// chunks, one of them walks over the stretches, then every thread walks over its own. Shared
// memory: a word per thread.
__global__ void fsm_starts(const unsigned *maps, uint8_t *starts, unsigned n_chunks) {
  unsigned *stretches = qsm_dynamic_shared();
  unsigned n_stretch = (n_chunks + blockDim.x - 1) / blockDim.x, x = threadIdx.x;
  unsigned first = x * n_stretch, map = IDENTITY;
  for (unsigned i = first; i < first + n_stretch && i < n_chunks; i++) map = compose(map, maps[i]);
  stretches[x] = map;
  __syncthreads();
  if (x == 0) {
    unsigned state = 0;
    for (unsigned i = 0; i < blockDim.x; i++) {
      unsigned after = state_of(stretches[i], state);
      stretches[i] = state;
      state = after;
    }
  }
  __syncthreads();
  unsigned state = stretches[x];
  for (unsigned i = first; i < first + n_stretch && i < n_chunks; i++) {
    starts[i] = (uint8_t)state;
    state = state_of(maps[i], state);
  }
}

// Visits of accepting states in each chunk; bit s of `accepting`: state s is one.
__global__ void fsm_count(const uint8_t *text, unsigned n, unsigned n_chunk, const uint8_t *table,
                          unsigned n_classes, const uint8_t *starts, unsigned *counts,
                          unsigned accepting) {
  const uint8_t *next = load_table(table, n_classes);
  unsigned chunk = blockIdx.x * blockDim.x + threadIdx.x, first = chunk * n_chunk;
  if (first >= n) return;
  unsigned state = starts[chunk], count = 0;
  for (unsigned i = first; i < first + n_chunk && i < n; i++) {
    state = next[N_STATES * text[i] + state];
    count += accepting >> state & 1;
  }
  counts[chunk] = count;
}

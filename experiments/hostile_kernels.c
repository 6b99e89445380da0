// SPDX-License-Identifier: Apache-2.0
// Neighbours of the hostile set (hostile.toml has all of them, and what each holds) that
// attack_kernels.c has not: those that hold one bank, set or channel, those that hold a unit with
// one lane, which is charged as one instruction, and those that know when an epoch ends. `own` are
// `words` words of the neighbour's, a power of two; `how` is a stride in words, or the cycles of an
// epoch. `candidate` is where hostile_search.c puts the programs that it makes.
#include <qsm.h>

#define NEIGHBOUR(name) __global__ void name(volatile unsigned *own, unsigned words, unsigned how)
#define UNUSED (void)own, (void)words, (void)how
#define FOREVER(statement) \
  for (;;) {               \
    statement;             \
  }

static unsigned thread_number(void) { return blockIdx.x * blockDim.x + threadIdx.x; }
static unsigned scatter(unsigned x) { return x * 2654435761u; }
// One whose operands the compiler does not know, so that it stays a division.
static void divide(unsigned x) {
  unsigned y;
  __asm__ volatile("divu %0, %1, %2" : "=r"(y) : "r"(x), "r"(x | 3));
}

// ---- One bank, set, channel or line: the words between two accesses choose it ----

NEIGHBOUR(walk_read) {
  for (unsigned i = thread_number();; i += blockDim.x * gridDim.x) (void)own[i * how & (words - 1)];
}
NEIGHBOUR(walk_write) {
  for (unsigned i = thread_number();; i += blockDim.x * gridDim.x) own[i * how & (words - 1)] = i;
}
NEIGHBOUR(walk_add) {
  for (unsigned i = thread_number();; i += blockDim.x * gridDim.x)
    atomicAdd((unsigned *)&own[i * how & (words - 1)], 1);
}
// The rows of one bank, `how` words apart; a column after the other, so that no cache set fills.
NEIGHBOUR(bank_rows) {
  for (unsigned i = thread_number();; i += blockDim.x * gridDim.x)
    (void)own[(i * how + i * how / words * 16 % how) & (words - 1)];
}
// All threads ask for one line, then for the next: one goes to memory, the others wait for it.
NEIGHBOUR(wait_for_line) {
  for (unsigned i = 0;; i += how) (void)own[(i + qsm_lane() % how) & (words - 1)];
}
// As many loads under way as a warp can have: nothing waits for them.
NEIGHBOUR(reads_ahead) {
  (void)how;
  for (unsigned i = scatter(thread_number());; i = scatter(i + 1)) {
    volatile unsigned *p = &own[i & (words / 2 - 1)];
    __asm__ volatile("lw t0, 0(%0)\n\tlw t1, 256(%0)\n\tlw t2, 512(%0)\n\tlw t3, 1024(%0)"
                     :
                     : "r"(p)
                     : "t0", "t1", "t2", "t3");
  }
}
NEIGHBOUR(shared_reads) {
  volatile unsigned *shared = qsm_dynamic_shared();
  (void)own, (void)words, (void)how;
  FOREVER((void)shared[qsm_lane() * warpSize & 255]);
}

// ---- One lane: a unit or an issue slot for one thread instruction ----

NEIGHBOUR(divide_one_lane) {
  UNUSED;
  if (qsm_lane() == 0) FOREVER(divide(how));
}
NEIGHBOUR(spin_one_lane) {
  UNUSED;
  if (qsm_lane() == 0) FOREVER(__asm__ volatile("nop"));
}
NEIGHBOUR(read_one_lane) {
  (void)how;
  if (qsm_lane() == 0)
    for (unsigned i = scatter(thread_number());; i = scatter(i + 1)) (void)own[i & (words - 1)];
}
NEIGHBOUR(write_one_lane) {
  (void)how;
  if (qsm_lane() == 0)
    for (unsigned i = scatter(thread_number());; i = scatter(i + 1)) own[i & (words - 1)] = i;
}
NEIGHBOUR(root_one_lane) {
  unsigned x = words;
  (void)own;
  if (qsm_lane() == 0) FOREVER(__asm__ volatile("fsqrt.s %0, %1" : "+r"(x) : "r"(how)));
}

// ---- In step with epochs ----

// SMs see an epoch end so many cycles after a multiple of its length (noc_lat - 1).
enum { BEHIND = 3 };

struct beat {
  unsigned start, cycles;  // of the epoch under way
  unsigned number;
};

static struct beat beat_of(unsigned cycles) {
  unsigned now = clock() - BEHIND;
  return (struct beat){now - now % cycles + BEHIND, cycles, now / cycles};
}
// Cycles since the epoch under way began.
static unsigned phase(struct beat *beat) {
  unsigned since = clock() - beat->start;
  while (since >= beat->cycles) {
    since -= beat->cycles;
    beat->start += beat->cycles;
    beat->number++;
  }
  return since;
}
// Once more as long as the condition holds; else one lane looks at the clock, the others wait.
#define WHILE_IN(beat, condition, statement) \
  for (;;) {                                 \
    unsigned at = phase(&beat);              \
    if (condition) {                         \
      statement;                             \
    } else if (qsm_lane() == 0) {            \
      do at = phase(&beat);                  \
      while (!(condition));                  \
    }                                        \
  }

NEIGHBOUR(divide_early) {
  struct beat beat = beat_of(how);
  (void)own, (void)words;
  WHILE_IN(beat, at < how / 4, divide(how));
}
NEIGHBOUR(divide_late) {
  struct beat beat = beat_of(how);
  (void)own, (void)words;
  WHILE_IN(beat, at >= how - how / 4, divide(how));
}
NEIGHBOUR(divide_other_epochs) {
  struct beat beat = beat_of(how);
  (void)own, (void)words;
  WHILE_IN(beat, at < how && beat.number % 2, divide(how));
}
NEIGHBOUR(divide_after_four) {
  struct beat beat = beat_of(how);
  (void)own, (void)words;
  WHILE_IN(beat, at < how && beat.number % 8 >= 4, divide(how));
}
NEIGHBOUR(read_early) {
  struct beat beat = beat_of(how);
  unsigned i = scatter(thread_number());
  WHILE_IN(beat, at < how / 4, ((void)own[i & (words - 1)], i = scatter(i + 1)));
}
NEIGHBOUR(read_late) {
  struct beat beat = beat_of(how);
  unsigned i = scatter(thread_number());
  WHILE_IN(beat, at >= how - how / 4, ((void)own[i & (words - 1)], i = scatter(i + 1)));
}
NEIGHBOUR(read_other_epochs) {
  struct beat beat = beat_of(how);
  unsigned i = scatter(thread_number());
  WHILE_IN(beat, at < how && beat.number % 2, ((void)own[i & (words - 1)], i = scatter(i + 1)));
}
NEIGHBOUR(write_at_end) {
  struct beat beat = beat_of(how);
  unsigned i = scatter(thread_number());
  WHILE_IN(beat, at >= how - how / 16 || at < how / 16,
           (own[i & (words - 1)] = i, i = scatter(i + 1)));
}
NEIGHBOUR(spin_late) {
  struct beat beat = beat_of(how);
  (void)own, (void)words;
  WHILE_IN(beat, at >= how - how / 4, __asm__ volatile("nop\n\tnop\n\tnop\n\tnop"));
}
// Quiet until cycle 150,000.
NEIGHBOUR(sleep_then_divide) {
  UNUSED;
  if (qsm_lane() == 0)
    while (clock() < 150000) __asm__ volatile("nop");
  FOREVER(divide(how));
}
NEIGHBOUR(sleep_then_read) {
  (void)how;
  if (qsm_lane() == 0)
    while (clock() < 150000) __asm__ volatile("nop");
  for (unsigned i = scatter(thread_number());; i = scatter(i + 1)) (void)own[i & (words - 1)];
}

// ---- Blocks that come and go ----

NEIGHBOUR(end_with_epoch) {
  struct beat beat = beat_of(how);
  unsigned number = beat.number;
  (void)own, (void)words;
  if (qsm_lane() == 0)
    while (phase(&beat) < how && beat.number == number) __asm__ volatile("nop");
}
NEIGHBOUR(divide_until_epoch) {
  struct beat beat = beat_of(how);
  unsigned number = beat.number;
  (void)own, (void)words;
  while (phase(&beat) < how && beat.number == number) divide(how);
}
NEIGHBOUR(end_before_epoch) {
  struct beat beat = beat_of(how);
  (void)own, (void)words;
  while (phase(&beat) < how - how / 32) divide(how);
}
NEIGHBOUR(uneven_blocks) {
  (void)own, (void)words;
  for (unsigned i = 0; i < (blockIdx.x % 64) * 8; i++) divide(how);
}
NEIGHBOUR(short_reads) {
  (void)how;
  (void)own[scatter(thread_number()) & (words - 1)];
}
NEIGHBOUR(short_divisions) {
  UNUSED;
  divide(how);
}
// It holds what it can for some time, then a fault kills it.
NEIGHBOUR(divide_and_die) {
  unsigned begun = clock();
  (void)own, (void)words;
  while (clock() - begun < 3000) divide(how);
  __asm__ volatile("ebreak");
}
NEIGHBOUR(read_and_die) {
  unsigned begun = clock();
  (void)how;
  for (unsigned i = scatter(thread_number()); clock() - begun < 3000; i = scatter(i + 1))
    (void)own[i & (words - 1)];
  __asm__ volatile("ebreak");
}
NEIGHBOUR(die_with_epoch) {
  struct beat beat = beat_of(how);
  unsigned number = beat.number;
  (void)own, (void)words;
  while (phase(&beat) < how && beat.number == number) divide(how);
  __asm__ volatile("ebreak");
}

// ---- Several units at once ----

NEIGHBOUR(mixture) {
  unsigned i = scatter(thread_number());
  switch (blockIdx.x % 4) {
    case 0: FOREVER(divide(how));
    case 1:
      for (;; i = scatter(i + 1)) (void)own[i & (words - 1)];
    case 2:
      for (;; i = scatter(i + 1)) own[i & (words - 1)] = i;
    default: FOREVER(atomicAdd((unsigned *)own, 1));
  }
}
NEIGHBOUR(in_turn) {
  for (unsigned i = scatter(thread_number());; i = scatter(i + 1)) {
    divide(how);
    (void)own[i & (words - 1)];
    own[i >> 8 & (words - 1)] = i;
    atomicAdd((unsigned *)&own[i >> 4 & (words - 1)], 1);
    divide(i);
  }
}
NEIGHBOUR(divide_and_meet) {
  UNUSED;
  FOREVER((divide(how), divide(words), __syncthreads()));
}

// ---- The search's: a0 own, a1 words, a2 how; what it writes goes behind the mark ----

NEIGHBOUR(candidate) {
  register volatile unsigned *a0 __asm__("a0") = own;
  register unsigned a1 __asm__("a1") = words, a2 __asm__("a2") = how;
  __asm__ volatile(
      "lui zero, 0x5EED1\n\t"
      "lui zero, 0x5EED2\n\t"
      ".rept 510\n\tnop\n\t.endr"
      :
      : "r"(a0), "r"(a1), "r"(a2));
}

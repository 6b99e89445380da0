// SPDX-License-Identifier: Apache-2.0
#include "qsm_hostile.h"

#include <string.h>

#include "qsm_regs.h"

enum {
  RING = 1 << QSM_RING_MOST_LOG2,
  TINY_EVERY = 500,     // cycles in which the ring never runs empty
  STOPPED_EVERY = 200,  // it comes again soon after its channel has been opened anew
  LONG_CYCLES = 20000,  // of a long kernel, and the bound of an endless one
  ROUND_CYCLES = 16,    // of a round of its loop, about
  COPY_BYTES = 0x10000,
  ANY_STOP = -1,
};
#define STOP(code) (1u << QSM_STOP_##code)

// ---- What it can do ----

static void put(struct qsm_hostile_view *view, uint32_t offset, uint32_t value) {
  struct qsm_backend *backend = view->rings->backend;
  if (backend->write(backend, qsm_rings_page(view->channel, offset), value) != QSM_BACKEND_OK)
    view->n_refused++;
}

static void move_put(struct qsm_hostile_view *view, uint32_t value) {
  view->put = value;
  put(view, QSM_PAGE_PUT, value);
}

static void write_all(struct qsm_hostile_view *view, const uint32_t command[8]) {
  for (uint32_t i = 0; i < RING; i++) qsm_rings_command(view->rings, view->channel, i, command);
}

static void fill_ring(struct qsm_hostile_view *view, uint32_t opcode, uint32_t word1,
                      uint32_t word2, uint32_t word3) {
  const uint32_t command[8] = {opcode, word1, word2, word3};
  write_all(view, command);
}

static uint32_t data_of(const struct qsm_hostile_view *view) {
  return view->base + QSM_HOSTILE_DATA_AT;
}

// So many blocks of a warp with this code.
static void write_launch(struct qsm_hostile_view *view, const uint32_t *code, size_t code_bytes,
                         uint32_t argument, uint32_t blocks) {
  const struct qsm_config *config = view->rings->config;
  const uint32_t descriptor[16] = {
      view->base + QSM_HOSTILE_CODE_AT, argument, blocks, 1, 1, config->warp_size, 1, 1};
  qsm_rings_store(view->rings, view->base + QSM_HOSTILE_CODE_AT, code, code_bytes);
  qsm_rings_store(view->rings, view->base + QSM_HOSTILE_DESCRIPTOR_AT, descriptor,
                  sizeof descriptor);
  fill_ring(view, QSM_CMD_LAUNCH, view->base + QSM_HOSTILE_DESCRIPTOR_AT, 0, 0);
}

static uint32_t whole_gpu(const struct qsm_hostile_view *view) {
  return view->rings->config->num_sms * view->rings->config->warps_per_sm;
}

// The ring is full again.
static void flood(struct qsm_hostile_view *view) {
  uint32_t get = qsm_rings_peek(view->rings, qsm_rings_page(view->channel, QSM_PAGE_GET));
  move_put(view, (get + RING - 1) % RING);
}

// One more, if there is none.
static void submit_one(struct qsm_hostile_view *view) {
  uint32_t get = qsm_rings_peek(view->rings, qsm_rings_page(view->channel, QSM_PAGE_GET));
  move_put(view, (get + 1) % RING);
}

// ---- Many commands ----

static void prepare_nops(struct qsm_hostile_view *view) { fill_ring(view, QSM_CMD_NOP, 0, 0, 0); }

static void prepare_interrupts(struct qsm_hostile_view *view) {
  fill_ring(view, QSM_CMD_NOP | 1 << 8, 0, 0, 0);
}

static void prepare_releases(struct qsm_hostile_view *view) {
  fill_ring(view, QSM_CMD_RELEASE | 1 << 9, data_of(view), 1, 0);
}

static void prepare_fills(struct qsm_hostile_view *view) {
  fill_ring(view, QSM_CMD_FILL, data_of(view), 16, 0xA5A5A5A5);
}

static void prepare_copies(struct qsm_hostile_view *view) {
  fill_ring(view, QSM_CMD_COPY, data_of(view), data_of(view) + COPY_BYTES, COPY_BYTES);
}

static void prepare_tiny(struct qsm_hostile_view *view) {
  const uint32_t code[] = {0x0000100B};  // qsm.exit
  write_launch(view, code, sizeof code, 0, 1);
}

static void prepare_long(struct qsm_hostile_view *view) {
  const uint32_t code[] = {
      0xCCC022F3,  // csrr t0, ARG
      0xFFF28293,  // addi t0, t0, -1
      0xFE029EE3,  // bnez t0, . - 4
      0x0000100B,  // qsm.exit
  };
  write_launch(view, code, sizeof code, LONG_CYCLES / ROUND_CYCLES, whole_gpu(view));
}

static void prepare_endless(struct qsm_hostile_view *view) {
  const uint32_t code[] = {0x0000006F};  // j .
  write_launch(view, code, sizeof code, 0, whole_gpu(view));
}

// ---- Pointers and memory that change ----

static void write_garbage(struct qsm_hostile_view *view) {
  for (uint32_t i = 0; i < RING; i++) {
    uint32_t command[8] = {qsm_random_below(view->random, QSM_CMD_FILL + 2)};
    if (qsm_random_chance(view->random, 10)) command[0] = qsm_random_next(view->random);
    for (uint32_t word = 1; word < 4; word++)
      command[word] = qsm_random_chance(view->random, 50)   ? data_of(view) + 16 * word
                      : qsm_random_chance(view->random, 50) ? view->victim
                                                            : qsm_random_next(view->random);
    if (qsm_random_chance(view->random, 70)) command[2] = command[3] = 0;
    qsm_rings_command(view->rings, view->channel, i, command);
  }
  for (uint32_t word = 0; word < 16; word++) {
    uint32_t value = qsm_random_below(view->random, 3) ? 1 : qsm_random_next(view->random);
    qsm_rings_store(view->rings, data_of(view) + 64 + 4 * word, &value, sizeof value);
  }
  move_put(view, qsm_random_below(view->random, RING));
}

static void move_pointers(struct qsm_hostile_view *view) {
  const uint32_t commands[][8] = {{QSM_CMD_NOP},
                                  {QSM_CMD_RELEASE, data_of(view), 1},
                                  {QSM_CMD_LAUNCH, view->base + QSM_HOSTILE_DESCRIPTOR_AT},
                                  {QSM_CMD_LAUNCH, view->victim}};
  write_all(view, commands[qsm_random_below(view->random, 4)]);
  uint32_t shape = qsm_random_below(view->random, 3);
  qsm_rings_store(view->rings, view->base + QSM_HOSTILE_DESCRIPTOR_AT + 8, &shape, sizeof shape);
  move_put(view, qsm_random_chance(view->random, 99) ? qsm_random_below(view->random, RING)
                                                     : qsm_random_below(view->random, 1u << 16));
  put(view, QSM_PAGE_GET, 0);
}

static void hammer(struct qsm_hostile_view *view) { move_put(view, view->put); }

// ---- Semaphores, and what is not its own ----

static void prepare_acquire(struct qsm_hostile_view *view) {
  fill_ring(view, QSM_CMD_ACQUIRE, data_of(view), 1, 0);
}

static void prepare_descriptor(struct qsm_hostile_view *view) {
  fill_ring(view, QSM_CMD_LAUNCH, view->victim, 0, 0);
}

static void prepare_entry(struct qsm_hostile_view *view) {
  prepare_tiny(view);
  qsm_rings_store(view->rings, view->base + QSM_HOSTILE_DESCRIPTOR_AT, &view->victim,
                  sizeof view->victim);
}

static void prepare_store(struct qsm_hostile_view *view) {
  const uint32_t code[] = {
      0xCCC022F3,  // csrr t0, ARG
      0x0062A023,  // sw t1, 0(t0)
      0x0000100B,  // qsm.exit
  };
  write_launch(view, code, sizeof code, view->victim, whole_gpu(view));
}

static void prepare_copy_from(struct qsm_hostile_view *view) {
  fill_ring(view, QSM_CMD_COPY, view->victim, data_of(view), 16);
}

static void prepare_copy_to(struct qsm_hostile_view *view) {
  fill_ring(view, QSM_CMD_COPY, data_of(view), view->victim, 16);
}

static void prepare_release_to(struct qsm_hostile_view *view) {
  fill_ring(view, QSM_CMD_RELEASE, view->victim, 0, 0);
}

static void prepare_set(struct qsm_hostile_view *view) { fill_ring(view, QSM_CMD_SET, 0, 1, 0); }

static void prepare_shape(struct qsm_hostile_view *view) {
  const uint32_t threads = 2047;
  prepare_tiny(view);
  qsm_rings_store(view->rings, view->base + QSM_HOSTILE_DESCRIPTOR_AT + 20, &threads,
                  sizeof threads);
}

const struct qsm_hostile qsm_hostile_attacks[] = {
    {"nops", "keeps its ring full of nops", TINY_EVERY, 0, 0, prepare_nops, flood},
    {"interrupts", "the same with an interrupt each", TINY_EVERY, 0, 0, prepare_interrupts, flood},
    {"releases", "keeps its ring full of stamped releases", TINY_EVERY, 0, 0, prepare_releases,
     flood},
    {"fills", "keeps its ring full of fills of 16 bytes", TINY_EVERY, 0, 0, prepare_fills, flood},
    {"copies", "keeps its ring full of copies of 64 KiB", TINY_EVERY, 0, 0, prepare_copies, flood},
    {"tiny_launches", "keeps its ring full of launches of a warp that ends at once", TINY_EVERY, 0,
     0, prepare_tiny, flood},
    {"long_launches", "keeps its ring full of launches that fill all SMs for long", TINY_EVERY, 0,
     0, prepare_long, flood},
    {"endless", "a kernel on all SMs that never ends, CH_LIMIT 20,000", STOPPED_EVERY, LONG_CYCLES,
     STOP(TIMEOUT), prepare_endless, submit_one},
    {"garbage", "random words in its ring and descriptors, PUT anywhere", STOPPED_EVERY,
     LONG_CYCLES, (uint32_t)ANY_STOP, NULL, write_garbage},
    {"pointers", "PUT, commands and descriptor change while they are fetched, writes to GET", 7,
     LONG_CYCLES, (uint32_t)ANY_STOP, prepare_tiny, move_pointers},
    {"hammer", "writes PUT in every fourth cycle, half as often as the port takes it, for nothing",
     4, 0, 0, NULL, hammer},
    {"semaphore", "waits for a semaphore for ever", TINY_EVERY, 0, 0, prepare_acquire, flood},
    {"descriptor", "a descriptor in the other's memory", STOPPED_EVERY, 0, STOP(BAD_ADDRESS),
     prepare_descriptor, submit_one},
    {"entry", "a kernel in the other's memory", STOPPED_EVERY, 0, STOP(FAULT), prepare_entry,
     submit_one},
    {"store", "a kernel that stores into the other's memory", STOPPED_EVERY, 0, STOP(FAULT),
     prepare_store, submit_one},
    {"copy_from", "a copy from the other's memory", STOPPED_EVERY, 0, STOP(BAD_ADDRESS),
     prepare_copy_from, submit_one},
    {"copy_to", "a copy into the other's memory", STOPPED_EVERY, 0, STOP(BAD_ADDRESS),
     prepare_copy_to, submit_one},
    {"release_to", "a release into the other's memory", STOPPED_EVERY, 0, STOP(BAD_ADDRESS),
     prepare_release_to, submit_one},
    {"goal", "sets a goal without the right", STOPPED_EVERY, 0, STOP(NO_RIGHT), prepare_set,
     submit_one},
    {"shape", "a launch with blocks that no SM can hold", STOPPED_EVERY, 0, STOP(REFUSED),
     prepare_shape, submit_one},
};
const size_t qsm_n_hostile_attacks = sizeof qsm_hostile_attacks / sizeof *qsm_hostile_attacks;

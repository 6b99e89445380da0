// SPDX-License-Identifier: Apache-2.0
// The crossbar: timing of one request, then random traffic against a reference that does R-XB-1 to
// R-XB-5 literally, cycle by cycle, with queues of pointers and a memory of its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model_support.h"
#include "qsm_mem.h"
#include "qsm_xbar.h"

// ---- Reference ----

enum { FIFO_MAX = 256, MAX_SMS = 9, MAX_CHANNELS = 4, MAX_TAGS = 64 };

struct ref_item {
  uint64_t at;  // not before this cycle
  uint32_t sm;
  struct qsm_mem_req req;
  struct qsm_mem_response rsp;
};

struct fifo {
  uint32_t n;
  struct ref_item item[FIFO_MAX];
};

static void put(struct fifo *fifo, const struct ref_item *item) {
  assert_true(fifo->n < FIFO_MAX);
  fifo->item[fifo->n++] = *item;
}

static struct ref_item get(struct fifo *fifo) {
  struct ref_item item = fifo->item[0];
  assert_true(fifo->n > 0);
  memmove(&fifo->item[0], &fifo->item[1], --fifo->n * sizeof *fifo->item);
  return item;
}

struct ref {
  struct qsm_config config;
  struct qsm_mem *mem;
  struct fifo ingress[MAX_SMS];  // with those under way
  struct fifo out[MAX_CHANNELS], rsp[MAX_CHANNELS];
  uint32_t last_sm[MAX_CHANNELS], last_channel[MAX_SMS];
  uint32_t n_sent;
  struct noted_rsp sent[NOTES_MAX];
};

static uint32_t ref_channel(const struct ref *ref, uint32_t addr) {
  return addr / qsm_config_line_bytes(&ref->config) % ref->config.num_channels;
}

// Everything is decided from a copy of the cycle's start, then carried out.
static void ref_step(struct ref *ref, uint64_t cycle) {
  static struct ref start;
  uint32_t n_sms = qsm_config_requesters(&ref->config), n_channels = ref->config.num_channels;
  start = *ref;
  for (uint32_t c = 0; c < n_channels; c++) {
    if (start.out[c].n > 0 && qsm_mem_ready_at(ref->mem, c) <= cycle) {
      struct ref_item item = get(&ref->out[c]);
      struct qsm_mem_access access = {.kind = item.req.kind,
                                      .amo = item.req.amo,
                                      .sm = (uint8_t)item.sm,
                                      .tag = item.req.tag,
                                      .addr = item.req.addr,
                                      .bytes = item.req.bytes,
                                      .data = item.req.data};
      qsm_mem_accept(ref->mem, c, cycle, &access);
    }
    for (uint32_t n = 1; n <= n_sms && start.out[c].n < 2; n++) {
      uint32_t sm = (start.last_sm[c] + n) % n_sms;
      const struct fifo *in = &start.ingress[sm];
      if (in->n == 0 || in->item[0].at > cycle || ref_channel(ref, in->item[0].req.addr) != c)
        continue;
      struct ref_item item = get(&ref->ingress[sm]);
      put(&ref->out[c], &item);
      ref->last_sm[c] = sm;
      break;
    }
    if (start.rsp[c].n < 2 && qsm_mem_response_at(ref->mem, c) <= cycle) {
      struct ref_item item = {.rsp = *qsm_mem_response(ref->mem, c)};
      put(&ref->rsp[c], &item);
      qsm_mem_take(ref->mem, c, cycle);
    }
  }
  for (uint32_t sm = 0; sm < n_sms; sm++) {
    for (uint32_t n = 1; n <= n_channels; n++) {
      uint32_t c = (start.last_channel[sm] + n) % n_channels;
      if (start.rsp[c].n == 0 || start.rsp[c].item[0].rsp.sm != sm) continue;
      struct ref_item item = get(&ref->rsp[c]);
      struct noted_rsp *sent = &ref->sent[ref->n_sent++ % NOTES_MAX];
      sent->sm = sm;
      sent->rsp.cycle = cycle + ref->config.noc_lat + ref->config.rsp_lat;
      sent->rsp.tag = item.rsp.tag;
      memcpy(sent->rsp.data, item.rsp.data, qsm_config_line_bytes(&ref->config));
      ref->last_channel[sm] = c;
      break;
    }
  }
}

// ---- Both, side by side ----

struct bench {
  struct qsm_config config;
  struct notes *notes;
  struct qsm_mem *mem;
  struct qsm_port port;
  struct qsm_xbar *xbar;
  uint64_t free_at[MAX_SMS][MAX_TAGS];  // cycle from which the tag is free, QSM_NEVER: in flight
  uint8_t kind[MAX_SMS][MAX_TAGS];
  uint32_t shared_writes;  // of the front end, under way, with one tag
  uint32_t most_shared_writes;
};

static void bench_open(struct bench *bench, const struct qsm_config *config) {
  memset(bench, 0, sizeof *bench);
  bench->config = *config;
  bench->notes = notes_create();
  assert_int_equal(qsm_mem_create(config, &bench->mem), 0);
  bench->port = (struct qsm_port){.mem = bench->mem, .bus = &bench->notes->bus};
  bench->xbar = qsm_xbar_create(&bench->config, NULL, NULL, &bench->port, &bench->notes->bus);
  assert_non_null(bench->xbar);
}

static void bench_close(struct bench *bench) {
  qsm_xbar_destroy(bench->xbar);
  qsm_mem_destroy(bench->mem);
  notes_destroy(bench->notes);
}

// Steps only where the crossbar says that something can happen.
static void run_to(struct bench *bench, uint64_t from, uint64_t to) {
  for (uint64_t cycle = qsm_xbar_next(bench->xbar, from); cycle < to;
       cycle = qsm_xbar_next(bench->xbar, cycle + 1)) {
    qsm_xbar_step(bench->xbar, cycle);
  }
}

static void one_read_takes_the_cycles_of_its_path(void **state) {
  (void)state;
  struct qsm_config config = model_demo();
  struct bench bench;
  bench_open(&bench, &config);
  struct qsm_mem_req req = {.cycle = 10, .kind = QSM_MEM_READ, .tag = 3, .addr = QSM_MEM_BASE + 32};
  qsm_xbar_push(bench.xbar, 2, &req);
  run_to(&bench, 0, 1000);
  const struct qsm_event *asked = notes_event(bench.notes, QSM_EV_MEM_REQ, 0);
  const struct qsm_event *answered = notes_event(bench.notes, QSM_EV_MEM_RSP, 0);
  // Granted in 14, at the port in 15, valid in 75, in the response queue in 76, sent then, seen
  // in 80.
  assert_int_equal(asked->cycle, 15);
  assert_int_equal(asked->sm, 1);
  assert_int_equal(asked->word[1], req.addr);
  assert_int_equal(answered->cycle, 75);
  assert_int_equal(bench.notes->n_rsps, 1);
  assert_int_equal(bench.notes->rsp[0].sm, 2);
  assert_int_equal(bench.notes->rsp[0].rsp.cycle, 80);
  assert_int_equal(bench.notes->rsp[0].rsp.tag, 3);
  bench_close(&bench);
}

// R-XB-5.
static void a_response_may_take_longer(void **state) {
  (void)state;
  struct qsm_config config = model_demo();
  struct bench bench;
  config.rsp_lat = 255;
  bench_open(&bench, &config);
  struct qsm_mem_req req = {.cycle = 10, .kind = QSM_MEM_READ, .tag = 3, .addr = QSM_MEM_BASE + 32};
  qsm_xbar_push(bench.xbar, 2, &req);
  run_to(&bench, 0, 1000);
  assert_int_equal(notes_event(bench.notes, QSM_EV_MEM_RSP, 0)->cycle, 75);
  assert_int_equal(bench.notes->rsp[0].rsp.cycle, 80 + 255);
  bench_close(&bench);
}

static void sms_take_turns_at_a_channel(void **state) {
  (void)state;
  struct qsm_config config = model_odd();
  struct bench bench;
  bench_open(&bench, &config);
  for (uint32_t n = 0; n < 2; n++) {
    for (uint32_t sm = 0; sm < 3; sm++) {
      struct qsm_mem_req req = {
          .cycle = n, .kind = QSM_MEM_READ, .tag = (uint8_t)n, .addr = QSM_MEM_BASE};
      qsm_xbar_push(bench.xbar, sm, &req);
    }
  }
  run_to(&bench, 0, 1000);
  for (uint32_t n = 0; n < 6; n++) {
    const struct qsm_event *asked = notes_event(bench.notes, QSM_EV_MEM_REQ, n);
    assert_int_equal(asked->word[2], n % 3);
    assert_int_equal(asked->cycle, 4 + 3 * n);  // mem_interval
  }
  bench_close(&bench);
}

static void random_request(const struct bench *bench, uint64_t *seed, uint64_t cycle, uint8_t tag,
                           struct qsm_mem_req *req) {
  uint32_t line = qsm_config_line_bytes(&bench->config);
  *req = (struct qsm_mem_req){.cycle = cycle,
                              .kind = (uint8_t)model_random(seed, 3),
                              .amo = (uint8_t)model_random(seed, 9),
                              .tag = tag,
                              .addr = QSM_MEM_BASE + line * model_random(seed, 12)};
  if (req->kind == QSM_MEM_WRITE) {
    for (uint32_t i = 0; i < (line + 31) / 32; i++) req->bytes[i] = model_random(seed, UINT32_MAX);
  }
  if (req->kind == QSM_MEM_AMO) {
    uint32_t word = model_random(seed, line / 4);
    req->bytes[word / 8] = 0xfu << (4 * (word % 8));
  }
  for (uint32_t i = 0; i < line / 4; i++) req->data[i] = model_random(seed, UINT32_MAX);
}

static void push_both(struct bench *bench, struct ref *ref, uint32_t sm,
                      const struct qsm_mem_req *req) {
  struct ref_item item = {.at = req->cycle + bench->config.noc_lat, .sm = sm, .req = *req};
  qsm_xbar_push(bench->xbar, sm, req);
  put(&ref->ingress[sm], &item);
  bench->free_at[sm][req->tag] = QSM_NEVER;
  bench->kind[sm][req->tag] = req->kind;
}

// Every SM sends with probability load / 16 as long as it has a free tag.
static void send_random(struct bench *bench, struct ref *ref, uint64_t *seed, uint64_t cycle,
                        uint32_t load) {
  uint32_t n_tags = bench->config.mem_txns + bench->config.num_sched;
  for (uint32_t sm = 0; sm < bench->config.num_sms; sm++) {
    uint8_t tag = (uint8_t)model_random(seed, n_tags);
    if (model_random(seed, 16) >= load || bench->free_at[sm][tag] > cycle) continue;
    struct qsm_mem_req req;
    random_request(bench, seed, cycle, tag, &req);
    push_both(bench, ref, sm, &req);
  }
}

// R-XB-1: the sequencer's request with tag 0, reads with tags of their own, and writes that share
// one.
static void send_random_of_front(struct bench *bench, struct ref *ref, uint64_t *seed,
                                 uint64_t cycle, uint32_t load) {
  const uint32_t sm = bench->config.num_sms, entries = bench->config.dma_entries;
  uint8_t tag = (uint8_t)model_random(seed, 2 * entries + 2);
  bool shares = tag > entries;
  struct qsm_mem_req req;
  if (shares) tag = (uint8_t)(entries + 1);
  if (model_random(seed, 16) >= load) return;
  if (shares ? bench->shared_writes == entries : bench->free_at[sm][tag] > cycle) return;
  random_request(bench, seed, cycle, tag, &req);
  req.kind = shares || (tag == 0 && model_random(seed, 2)) ? QSM_MEM_WRITE : QSM_MEM_READ;
  if (req.kind == QSM_MEM_WRITE)
    for (uint32_t i = 0; i < QSM_MASK_WORDS; i++) req.bytes[i] = model_random(seed, UINT32_MAX);
  push_both(bench, ref, sm, &req);
  bench->shared_writes += shares;
  if (bench->shared_writes > bench->most_shared_writes)
    bench->most_shared_writes = bench->shared_writes;
}

// The one of the responses from..to-1, all of one cycle, that is for this SM; an SM gets one at
// most (R-XB-5).
static const struct noted_rsp *noted_for(const struct bench *bench, uint32_t sm, uint32_t from,
                                         uint32_t to) {
  for (uint32_t n = from; n < to; n++) {
    if (bench->notes->rsp[n % NOTES_MAX].sm == sm) return &bench->notes->rsp[n % NOTES_MAX];
  }
  fail_msg("no response to SM %u", sm);
  return NULL;
}

static void compare_response(struct bench *bench, const struct noted_rsp *want, uint32_t from,
                             uint32_t to) {
  const struct noted_rsp *got = noted_for(bench, want->sm, from, to);
  assert_int_equal(got->rsp.cycle, want->rsp.cycle);
  assert_int_equal(got->rsp.tag, want->rsp.tag);
  if (bench->kind[got->sm][got->rsp.tag] != QSM_MEM_WRITE) {
    assert_memory_equal(got->rsp.data, want->rsp.data, qsm_config_line_bytes(&bench->config));
  }
  bench->free_at[got->sm][got->rsp.tag] = got->rsp.cycle;
  if (got->sm == bench->config.num_sms && got->rsp.tag > bench->config.dma_entries)
    bench->shared_writes--;
}

static void compare_random(const struct qsm_config *config, uint64_t seed, uint32_t n_cycles) {
  static struct ref ref;
  struct bench bench;
  uint32_t n_compared = 0, load = 16;
  bench_open(&bench, config);
  memset(&ref, 0, sizeof ref);
  ref.config = *config;
  const uint32_t requesters = qsm_config_requesters(config);
  for (uint32_t c = 0; c < config->num_channels; c++) ref.last_sm[c] = requesters - 1;
  for (uint32_t i = 0; i < requesters; i++) ref.last_channel[i] = config->num_channels - 1;
  assert_int_equal(qsm_mem_create(config, &ref.mem), 0);
  for (uint64_t cycle = 0; cycle < n_cycles; cycle++) {
    if (cycle % 500 == 0) load = model_random(&seed, 17);
    send_random(&bench, &ref, &seed, cycle, load);
    if (config->cmd_channels) send_random_of_front(&bench, &ref, &seed, cycle, load);
    run_to(&bench, cycle, cycle + 1);
    ref_step(&ref, cycle);
    assert_int_equal(bench.notes->n_rsps, ref.n_sent);
    for (uint32_t n = n_compared; n < ref.n_sent; n++)
      compare_response(&bench, &ref.sent[n % NOTES_MAX], n_compared, ref.n_sent);
    n_compared = ref.n_sent;
  }
  assert_true(n_compared > n_cycles / 16);
  assert_int_equal(bench.most_shared_writes, config->cmd_channels ? config->dma_entries : 0);
  assert_memory_equal(qsm_mem_bytes(bench.mem), qsm_mem_bytes(ref.mem), config->mem_bytes);
  qsm_mem_destroy(ref.mem);
  bench_close(&bench);
}

static void random_traffic_equals_the_literal_reference(void **state) {
  (void)state;
  uint64_t seed = model_seed("test_xbar");
  struct qsm_config configs[] = {model_tiny(), model_odd(), model_demo(), model_wide()};
  for (uint32_t i = 0; i < 8; i++) {
    configs[i % 4].cmd_channels = i / 4;
    configs[i % 4].rsp_lat = i % 3 * 17;
    compare_random(&configs[i % 4], seed + i, 6000);
  }
}

static void a_flipped_address_bit_reaches_the_port(void **state) {
  (void)state;
  struct qsm_config config = model_demo();
  struct bench bench;
  char what[128];
  bench_open(&bench, &config);
  assert_int_equal(qsm_xbar_inject(bench.xbar, 1, what, sizeof what), -1);
  struct qsm_mem_req req = {.cycle = 10, .kind = QSM_MEM_READ, .addr = QSM_MEM_BASE + 32};
  qsm_xbar_push(bench.xbar, 2, &req);
  assert_int_equal(qsm_xbar_inject(bench.xbar, 77, what, sizeof what), 0);
  run_to(&bench, 0, 1000);
  const struct qsm_event *asked = notes_event(bench.notes, QSM_EV_MEM_REQ, 0);
  assert_int_equal(__builtin_popcount(asked->word[1] ^ req.addr), 1);
  bench_close(&bench);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_read_takes_the_cycles_of_its_path),
      cmocka_unit_test(a_response_may_take_longer),
      cmocka_unit_test(sms_take_turns_at_a_channel),
      cmocka_unit_test(random_traffic_equals_the_literal_reference),
      cmocka_unit_test(a_flipped_address_bit_reaches_the_port),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

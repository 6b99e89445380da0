// SPDX-License-Identifier: Apache-2.0
#include "qsm_preempt.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_TBS = 32, MAX_IMAGES = 16, NO_IMAGE = MAX_IMAGES };

struct job {
  uint8_t kind, kernel, tb, image;
  bool fresh, host;
  uint16_t ticket;
  uint8_t result;  // of the last host request accepted for the SM
};

struct saved_block {
  uint8_t image;
  bool fresh;
};

// Saved blocks of a slot.
struct saved {
  uint32_t used;  // images, bit v
  uint32_t n_queued;
  struct saved_block queue[MAX_IMAGES];  // [0] is the head
  uint16_t spare[MAX_IMAGES];
};

// Tickets that came back to an SM.
struct tickets {
  uint8_t fresh_count, height;
  uint16_t stack[MAX_TBS];
};

struct qsm_preempt {
  const struct qsm_config *config;
  const struct qsm_regs *regs;
  const struct qsm_bus *bus;
  bool active;
  // H of the page, and the flags of the adjuster and of moves; one of them is latched, examined and
  // decided.
  bool waiting;
  struct qsm_preempt_request host_request;
  struct qsm_preempt_status status;
  qsm_sm_set evicting;  // SMs with a flag
  uint8_t evict[QSM_MAX_SMS];
  qsm_sm_set moving;  // SMs with a flag of a move
  uint8_t move[QSM_MAX_SMS];
  uint32_t serve_from;  // SM after the one whose flag was latched last
  bool latched, of_host, of_move, adding;
  uint64_t due;  // while latched: the next cycle with something to do
  struct qsm_preempt_request request;
  uint32_t image;
  qsm_sm_set with_job, to_clean;  // bit per SM
  uint32_t queued;                // bit per slot
  struct job job[QSM_MAX_SMS];
  struct saved saved[QSM_MAX_KERNELS];
  struct tickets tickets[QSM_MAX_SMS][QSM_MAX_KERNELS];
};

struct qsm_preempt *qsm_preempt_create(const struct qsm_regs *regs, const struct qsm_bus *bus) {
  struct qsm_preempt *pe = calloc(1, sizeof *pe);
  if (!pe) return NULL;
  pe->config = regs->shared.config;
  pe->regs = regs;
  pe->bus = bus;
  for (uint32_t k = 0; k < pe->config->num_kernels; k++)
    qsm_preempt_launch(pe, k);  // R-PE-9: as after a launch
  return pe;
}

void qsm_preempt_destroy(struct qsm_preempt *pe) { free(pe); }

const bool *qsm_preempt_active(const struct qsm_preempt *pe) { return &pe->active; }

static void update_active(struct qsm_preempt *pe) {
  pe->active = pe->waiting || pe->latched || pe->evicting || pe->moving || pe->with_job ||
               qsm_preempt_keeping(pe);
}

// ---- Requests ----

void qsm_preempt_request(struct qsm_preempt *pe, const struct qsm_preempt_request *request) {
  pe->host_request = *request;
  pe->waiting = true;
  pe->status.code = QSM_PREEMPT_EXAMINED;
  pe->active = true;
}

void qsm_preempt_set_evict(struct qsm_preempt *pe, uint32_t sm, uint32_t kernels) {
  qsm_sm_set bit = qsm_sm_bit(sm);
  pe->evict[sm] = (uint8_t)kernels;
  pe->evicting = kernels ? pe->evicting | bit : pe->evicting & ~bit;
  update_active(pe);
}

uint32_t qsm_preempt_evict(const struct qsm_preempt *pe, uint32_t sm) { return pe->evict[sm]; }

void qsm_preempt_set_move(struct qsm_preempt *pe, uint32_t sm, uint32_t kernels) {
  qsm_sm_set bit = qsm_sm_bit(sm);
  pe->move[sm] = (uint8_t)kernels;
  pe->moving = kernels ? pe->moving | bit : pe->moving & ~bit;
  update_active(pe);
}

qsm_sm_set qsm_preempt_moving(const struct qsm_preempt *pe) { return pe->moving; }

qsm_sm_set qsm_preempt_evicting(const struct qsm_preempt *pe) { return pe->evicting; }

bool qsm_preempt_pending(const struct qsm_preempt *pe) { return pe->waiting || pe->with_job; }

qsm_sm_set qsm_preempt_restoring(const struct qsm_preempt *pe) {
  qsm_sm_set found = 0;
  for (qsm_sm_set sms = pe->with_job; sms; sms &= sms - 1) {
    if (pe->job[qsm_lowest_sm(sms)].kind == QSM_JOB_RESTORE) found |= sms & -sms;
  }
  return found;
}

// R-PE-1.
static void latch(struct qsm_preempt *pe, uint64_t cycle) {
  qsm_sm_set sms = (pe->evicting | pe->moving) & ~pe->with_job;
  if (!pe->waiting && !sms) return;
  pe->latched = true;
  pe->of_host = pe->waiting;
  pe->of_move = false;
  pe->adding = false;
  pe->due = cycle + 1;
  pe->request = pe->host_request;
  if (pe->of_host) return;
  uint32_t sm = qsm_first_sm_from(sms, pe->serve_from);
  pe->serve_from = (sm + 1) % pe->config->num_sms;
  uint32_t kernel = qsm_lowest(pe->evict[sm] | pe->move[sm]);
  pe->of_move = pe->move[sm] >> kernel & 1;
  pe->request = (struct qsm_preempt_request){
      .sm = (uint8_t)sm,
      .kernel = (uint8_t)kernel,
      .technique = (uint8_t)(pe->of_move ? pe->regs->move_technique : pe->regs->adjust_technique)};
}

static uint32_t free_image(const struct qsm_preempt *pe, uint32_t kernel) {
  uint32_t images = ~pe->saved[kernel].used & (UINT32_MAX >> (32 - pe->config->num_images));
  return images ? qsm_lowest(images) : NO_IMAGE;
}

// R-PE-2: an image is chosen one cycle after the latch, then its end is computed, one cycle per
// image.
const struct qsm_preempt_request *qsm_preempt_examine(struct qsm_preempt *pe, uint64_t cycle) {
  if (!pe->latched) {
    latch(pe, cycle);
    return NULL;
  }
  if (cycle != pe->due) return NULL;
  if (pe->adding) return &pe->request;
  pe->image =
      pe->request.technique == QSM_TECHNIQUE_DRAIN ? NO_IMAGE : free_image(pe, pe->request.kernel);
  if (pe->image == NO_IMAGE) return &pe->request;
  pe->adding = true;
  pe->due = cycle + 1 + pe->image;
  return NULL;
}

static bool area_is_mapped(const struct qsm_desc *desc, uint32_t base, uint32_t limit) {
  for (uint32_t i = 0; i < 2; i++) {
    const struct qsm_window *window = &desc->win[i];
    if (window->r && window->w && window->base <= base && limit <= window->limit) return true;
  }
  return false;
}

// The engine has added the sizes cycle by cycle; of a launch with a block out nothing that it reads
// changes meanwhile.
static bool image_fits(const struct qsm_preempt *pe, uint32_t kernel) {
  const struct qsm_desc *desc = &pe->regs->shared.desc[kernel];
  uint32_t base = pe->regs->shared.save_base[kernel], limit = pe->regs->save_limit[kernel];
  uint64_t end = base + (uint64_t)(pe->image + 1) *
                            qsm_config_image_bytes(pe->config, desc->warps, desc->shared_bytes);
  return end <= limit && area_is_mapped(desc, base, limit);
}

static enum qsm_preempt_code judge(const struct qsm_preempt *pe, bool exists) {
  const struct qsm_preempt_request *request = &pe->request;
  uint32_t k = request->kernel;
  if (!exists) return QSM_PREEMPT_NO_TB;
  if (pe->job[request->sm].kind != QSM_JOB_NONE) return QSM_PREEMPT_BUSY;
  if (request->technique == QSM_TECHNIQUE_DRAIN) return QSM_PREEMPT_ACCEPTED;
  if (request->technique == QSM_TECHNIQUE_FLUSH && !pe->regs->idempotent[k])
    return QSM_PREEMPT_NOT_IDEMPOTENT;
  if (pe->regs->save_limit[k] == 0) return QSM_PREEMPT_NO_AREA;
  if (pe->image == NO_IMAGE) return QSM_PREEMPT_NO_IMAGE;
  return image_fits(pe, k) ? QSM_PREEMPT_ACCEPTED : QSM_PREEMPT_TOO_SMALL;
}

static void accept(struct qsm_preempt *pe, uint64_t cycle, uint32_t tb, uint32_t image) {
  const struct qsm_preempt_request *request = &pe->request;
  bool drains = request->technique == QSM_TECHNIQUE_DRAIN,
       flushes = request->technique == QSM_TECHNIQUE_FLUSH;
  struct job *job = &pe->job[request->sm];
  *job = (struct job){.kind = drains ? QSM_JOB_DRAIN : QSM_JOB_SAVE,
                      .kernel = request->kernel,
                      .tb = (uint8_t)tb,
                      .image = (uint8_t)image,
                      .fresh = flushes,
                      .host = pe->of_host,
                      .ticket = job->ticket,
                      .result = pe->of_host ? QSM_RESULT_RUNNING : job->result};
  pe->with_job |= qsm_sm_bit(request->sm);
  if (drains) return;
  pe->saved[request->kernel].used |= 1u << image;
  struct qsm_sm_msg msg = {.cycle = cycle + pe->config->noc_lat,
                           .kind = QSM_MSG_SAVE,
                           .kernel = request->kernel,
                           .tb = (uint8_t)tb,
                           .op = flushes ? QSM_TB_FLUSH : QSM_TB_SAVE,
                           .image = (uint8_t)image};
  pe->bus->send(pe->bus->ctx, request->sm, &msg);
}

// R-PE-3: the adjuster or the move has withdrawn the request, or the SM has a job.
static bool is_dropped(const struct qsm_preempt *pe) {
  uint32_t sm = pe->request.sm, flags = pe->evict[sm] | pe->move[sm];
  return !pe->of_host && (!(flags >> pe->request.kernel & 1) || pe->job[sm].kind != QSM_JOB_NONE);
}

// Result of the request, for its source.
static void answer(struct qsm_preempt *pe, enum qsm_preempt_code code, uint32_t tb,
                   uint32_t image) {
  const struct qsm_preempt_request *request = &pe->request;
  if (pe->of_host) {
    pe->status =
        (struct qsm_preempt_status){.code = code, .tb = tb, .image = image, .sm = request->sm};
    pe->waiting = false;
  } else if (code != QSM_PREEMPT_ACCEPTED && !pe->of_move) {
    qsm_preempt_set_evict(pe, request->sm, pe->evict[request->sm] & ~(1u << request->kernel));
  }
}

bool qsm_preempt_decide(struct qsm_preempt *pe, uint64_t cycle, uint32_t tb, bool exists) {
  const struct qsm_preempt_request *request = &pe->request;
  pe->latched = false;
  update_active(pe);
  if (is_dropped(pe)) return false;
  enum qsm_preempt_code code = judge(pe, exists);
  uint32_t image = pe->image == NO_IMAGE ? 0 : pe->image;
  if (code == QSM_PREEMPT_ACCEPTED) accept(pe, cycle, tb, image);
  answer(pe, code, tb, image);
  update_active(pe);
  const uint32_t words[] = {request->sm, request->kernel, tb, request->technique, image,
                            code,        pe->of_host};
  qsm_bus_report(pe->bus, cycle, QSM_EV_PREEMPT, 0, sizeof words / sizeof *words, words);
  return pe->of_move && code != QSM_PREEMPT_ACCEPTED;
}

// ---- Dispatch ----

uint32_t qsm_preempt_resumable(const struct qsm_preempt *pe) {
  uint32_t kernels = pe->queued;
  for (uint32_t left = kernels; left; left &= left - 1) {
    uint32_t k = qsm_lowest(left);
    if (pe->regs->preempt_hold[k]) kernels &= ~(1u << k);
  }
  return kernels;
}

qsm_sm_set qsm_preempt_open_sms(const struct qsm_preempt *pe, uint32_t kernel) {
  if (!pe->with_job) return ~(qsm_sm_set)0;
  if (qsm_preempt_resumable(pe) >> kernel & 1) return ~pe->with_job;
  qsm_sm_set closed = 0;
  for (qsm_sm_set sms = pe->with_job; sms; sms &= sms - 1) {
    const struct job *job = &pe->job[qsm_lowest_sm(sms)];
    if (job->kernel == kernel && (job->kind == QSM_JOB_SAVED || job->kind == QSM_JOB_DRAIN))
      closed |= sms & -sms;
  }
  return ~closed;
}

// R-PE-9.
static uint16_t take_ticket(struct qsm_preempt *pe, uint32_t sm, uint32_t kernel) {
  struct tickets *tickets = &pe->tickets[sm][kernel];
  if (tickets->height) return tickets->stack[--tickets->height];
  return (uint16_t)(pe->config->num_images + tickets->fresh_count++ * pe->config->num_sms + sm);
}

static void push_ticket(struct qsm_preempt *pe, uint32_t sm, uint32_t kernel, uint16_t ticket) {
  struct tickets *tickets = &pe->tickets[sm][kernel];
  tickets->stack[tickets->height++ % MAX_TBS] =
      ticket;  // the stack never holds more than the SM can host, except after an injected fault
}

static struct saved_block pop_saved(struct qsm_preempt *pe, uint32_t kernel) {
  struct saved *saved = &pe->saved[kernel];
  struct saved_block head = saved->queue[0];
  saved->n_queued--;
  for (uint32_t i = 0; i < saved->n_queued; i++) saved->queue[i] = saved->queue[i + 1];
  if (!saved->n_queued) pe->queued &= ~(1u << kernel);
  return head;
}

struct qsm_dispatch_extra qsm_preempt_dispatch(struct qsm_preempt *pe, uint32_t sm, uint32_t kernel,
                                               uint32_t tb) {
  uint16_t ticket = take_ticket(pe, sm, kernel);
  if (!(qsm_preempt_resumable(pe) >> kernel & 1))
    return (struct qsm_dispatch_extra){.op = QSM_TB_NEW, .ticket = ticket};
  struct saved_block block = pop_saved(pe, kernel);
  struct job *job = &pe->job[sm];
  *job = (struct job){.kind = QSM_JOB_RESTORE,
                      .kernel = (uint8_t)kernel,
                      .tb = (uint8_t)tb,
                      .image = block.image,
                      .fresh = block.fresh,
                      .ticket = job->ticket,
                      .result = job->result};
  pe->with_job |= qsm_sm_bit(sm);
  uint16_t *spare = &pe->saved[kernel].spare[block.image];
  struct qsm_dispatch_extra extra = {
      .op = QSM_TB_RESTORE, .image = block.image, .fresh = block.fresh, .ticket = *spare};
  *spare = ticket;
  return extra;
}

// ---- Jobs ----

static void set_kind(struct qsm_preempt *pe, uint32_t sm, enum qsm_job_kind kind) {
  qsm_sm_set bit = qsm_sm_bit(sm);
  pe->job[sm].kind = (uint8_t)kind;
  pe->with_job = kind == QSM_JOB_NONE ? pe->with_job & ~bit : pe->with_job | bit;
  pe->to_clean =
      kind == QSM_JOB_SAVED || kind == QSM_JOB_FREED ? pe->to_clean | bit : pe->to_clean & ~bit;
  update_active(pe);
}

static void tell_host(struct job *job, enum qsm_job_result result) {
  if (job->host) job->result = (uint8_t)result;
}

void qsm_preempt_retired(struct qsm_preempt *pe, uint32_t sm, uint32_t kernel, uint32_t tb,
                         uint32_t ticket, bool saved, bool killed) {
  struct job *job = &pe->job[sm];
  bool mine = (job->kind == QSM_JOB_SAVE || job->kind == QSM_JOB_DRAIN) && job->tb == tb;
  if (!saved) push_ticket(pe, sm, kernel, (uint16_t)ticket);
  if (!mine) return;
  if (job->kind == QSM_JOB_DRAIN) {
    tell_host(job, killed ? QSM_RESULT_KILLED : QSM_RESULT_DONE);
    set_kind(pe, sm, QSM_JOB_NONE);
  } else if (saved) {
    job->ticket = (uint16_t)ticket;
    set_kind(pe, sm, QSM_JOB_SAVED);
  } else {
    tell_host(job, killed ? QSM_RESULT_KILLED : QSM_RESULT_ENDED_BEFORE);
    set_kind(pe, sm, QSM_JOB_FREED);
  }
}

void qsm_preempt_restored(struct qsm_preempt *pe, uint32_t sm) { set_kind(pe, sm, QSM_JOB_FREED); }

static void free_image_of(struct qsm_preempt *pe, const struct job *job) {
  pe->saved[job->kernel].used &= ~(1u << job->image);
}

static void enqueue(struct qsm_preempt *pe, uint32_t sm) {
  const struct job *job = &pe->job[sm];
  struct saved *saved = &pe->saved[job->kernel];
  saved->queue[saved->n_queued++ % MAX_IMAGES] = (struct saved_block){job->image, job->fresh};
  pe->queued |= 1u << job->kernel;
  push_ticket(pe, sm, job->kernel, saved->spare[job->image]);
  saved->spare[job->image] = job->ticket;
}

void qsm_preempt_clean_up(struct qsm_preempt *pe, qsm_sm_set seen, uint32_t killed) {
  qsm_sm_set sms = pe->to_clean & ~seen;
  if (!sms) return;
  uint32_t sm = qsm_lowest_sm(sms);
  struct job *job = &pe->job[sm];
  if (job->kind == QSM_JOB_FREED) {
    free_image_of(pe, job);
  } else if (killed >> job->kernel & 1) {
    free_image_of(pe, job);
    tell_host(job, QSM_RESULT_KILLED);
  } else {
    enqueue(pe, sm);
    tell_host(job, QSM_RESULT_DONE);
  }
  set_kind(pe, sm, QSM_JOB_NONE);
}

void qsm_preempt_kill(struct qsm_preempt *pe, uint32_t kernels) {
  pe->queued &= ~kernels;
  for (; kernels; kernels &= kernels - 1) pe->saved[qsm_lowest(kernels)].n_queued = 0;
}

void qsm_preempt_end(struct qsm_preempt *pe, uint32_t kernels) {
  for (; kernels; kernels &= kernels - 1) pe->saved[qsm_lowest(kernels)].used = 0;
  update_active(pe);
}

void qsm_preempt_launch(struct qsm_preempt *pe, uint32_t kernel) {
  for (uint32_t i = 0; i < pe->config->num_sms; i++)
    pe->tickets[i][kernel].fresh_count = pe->tickets[i][kernel].height = 0;
  for (uint32_t v = 0; v < pe->config->num_images; v++) pe->saved[kernel].spare[v] = (uint16_t)v;
}

uint64_t qsm_preempt_next(const struct qsm_preempt *pe, uint64_t from) {
  if (pe->to_clean) return from;
  if (pe->latched) return pe->due > from ? pe->due : from;
  return pe->waiting || ((pe->evicting | pe->moving) & ~pe->with_job) ? from : QSM_NEVER;
}

// ---- Reading ----

uint32_t qsm_preempt_holding(const struct qsm_preempt *pe) {
  uint32_t kernels = 0;
  for (qsm_sm_set sms = pe->with_job; sms; sms &= sms - 1)
    kernels |= 1u << pe->job[qsm_lowest_sm(sms)].kernel;
  return kernels;
}

uint32_t qsm_preempt_keeping(const struct qsm_preempt *pe) {
  uint32_t kernels = 0;
  for (uint32_t k = 0; k < pe->config->num_kernels; k++)
    kernels |= (uint32_t)(pe->saved[k].used != 0) << k;
  return kernels;
}

bool qsm_preempt_saves(const struct qsm_preempt *pe, uint32_t sm, uint32_t kernel) {
  return pe->job[sm].kind == QSM_JOB_SAVE && pe->job[sm].kernel == kernel;
}

struct qsm_preempt_status qsm_preempt_status(const struct qsm_preempt *pe) { return pe->status; }

uint32_t qsm_preempt_job(const struct qsm_preempt *pe, uint32_t sm) {
  const struct job *job = &pe->job[sm];
  return job->kind | (uint32_t)job->kernel << 4 | (uint32_t)job->tb << 8 |
         (uint32_t)job->image << 13 | (uint32_t)job->result << 24;
}

uint32_t qsm_preempt_saved(const struct qsm_preempt *pe, uint32_t kernel) {
  return pe->saved[kernel].n_queued | (uint32_t)__builtin_popcount(pe->saved[kernel].used) << 8;
}

static uint32_t job_word(const struct job *job, uint32_t word) {
  if (word == 0) return job->kind | (uint32_t)job->result << 4;
  if (word == 2) return job->kind == QSM_JOB_SAVED ? job->ticket : 0;
  if (job->kind == QSM_JOB_NONE) return 0;
  return job->kernel | (uint32_t)job->tb << 8 | (uint32_t)job->image << 16 |
         (uint32_t)job->fresh << 24 | (uint32_t)job->host << 25;
}

static uint32_t saved_word(const struct saved *saved, uint32_t n_images, uint32_t word) {
  if (word == 0) return saved->used;
  if (word == 1) return saved->n_queued;
  uint32_t n = word - 2;
  if (n >= n_images) return saved->spare[n - n_images];
  return n < saved->n_queued ? saved->queue[n].image | (uint32_t)saved->queue[n].fresh << 8 : 0;
}

static uint32_t tickets_word(const struct tickets *tickets, uint32_t word) {
  if (word == 0) return tickets->fresh_count;
  if (word == 1) return tickets->height;
  return word - 2 < tickets->height ? tickets->stack[word - 2] : 0;
}

bool qsm_preempt_state(const struct qsm_preempt *pe, enum qsm_state_kind kind, uint32_t sm,
                       uint32_t index, uint32_t word, uint32_t *value) {
  const struct qsm_config *config = pe->config;
  if (sm >= config->num_sms || index >= config->num_kernels) return false;
  switch (kind) {
    case QSM_STATE_JOB:
      if (index > 0 || word > 2) return false;
      *value = job_word(&pe->job[sm], word);
      return true;
    case QSM_STATE_SAVED:
      if (word >= 2 + 2 * config->num_images) return false;
      *value = saved_word(&pe->saved[index], config->num_images, word);
      return true;
    case QSM_STATE_TICKETS:
      if (word >= 2 + config->max_tbs) return false;
      *value = tickets_word(&pe->tickets[sm][index], word);
      return true;
    default: return false;
  }
}

// The host's request: the decision shows it.
int qsm_preempt_inject(struct qsm_preempt *pe, uint64_t seed, char *what, size_t what_len) {
  struct qsm_preempt_request *request = pe->latched ? &pe->request : &pe->host_request;
  if (!pe->waiting || (pe->latched && !pe->of_host)) return -1;
  uint32_t bit = (uint32_t)(seed % 5);
  if ((1u << bit) >= pe->config->max_tbs || !request->by_slot) {
    request->technique ^=
        request->technique == QSM_TECHNIQUE_FLUSH ? QSM_TECHNIQUE_FLUSH : QSM_TECHNIQUE_DRAIN;
    snprintf(what, what_len, "preempt: technique of the request, now %u", request->technique);
    return 0;
  }
  request->tb ^= (uint8_t)(1u << bit);
  snprintf(what, what_len, "preempt: bit %u of the TB slot of the request", bit);
  return 0;
}

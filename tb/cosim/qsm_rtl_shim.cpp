// SPDX-License-Identifier: Apache-2.0
// The one C++ file: joins Verilator's classes of the GPU level and of its SMs, behind the C
// interface of qsm_rtl.h, with the simulated memory at the ports.
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "Vqsm_cosim.h"
#ifndef QSM_NETLIST
#include "Vqsm_sm_block.h"
#endif
#include "verilated.h"
#ifdef QSM_TRACE
#include "verilated_fst_c.h"
#endif

extern "C" {
#include "qsm_mem.h"
#include "qsm_rtl.h"
}

// Everything of one simulated GPU; `top` is all of it but the SMs. Monitors reach it through a
// thread-local pointer that is set while it evaluates.
struct qsm_rtl {
  struct qsm_config config;
  VerilatedContext context;
#ifndef QSM_NETLIST  // a netlist has them in it
  std::vector<std::unique_ptr<Vqsm_sm_block>> sms;
#endif
  std::unique_ptr<Vqsm_cosim> top;
  struct qsm_mem *mem = nullptr;
  uint64_t cycle = 0;
  qsm_event_sink sink = nullptr;
  void *sink_ctx = nullptr;
  qsm_rtl_state_sink state_sink = nullptr;
  void *state_ctx = nullptr;
  uint64_t n_failures = 0;
  std::string first_failure;
#ifdef QSM_TRACE
  std::unique_ptr<VerilatedFstC> trace;
  bool tracing = false;
  uint64_t wave_from = 0, wave_to = 0;
#endif
};

namespace {

#ifdef QSM_NETLIST
const bool AtPorts = true;
#else
const bool AtPorts = false;
#endif

thread_local qsm_rtl *current = nullptr;

uint32_t *words_of(void *port) { return static_cast<uint32_t *>(port); }

uint32_t mask_words(const qsm_config &config) { return (qsm_config_line_bytes(&config) + 31) / 32; }
uint32_t request_words(const qsm_config &config) {
  return 5 + mask_words(config) + config.warp_size;
}
uint32_t response_words(const qsm_config &config) { return 2 + config.warp_size; }

void trace_at(qsm_rtl *rtl, uint64_t half_cycle) {
#ifdef QSM_TRACE
  if (rtl->tracing && rtl->cycle >= rtl->wave_from && rtl->cycle <= rtl->wave_to)
    rtl->trace->dump(half_cycle);
#else
  (void)rtl;
  (void)half_cycle;
#endif
}

// What the memory offers in this cycle.
void drive_memory(qsm_rtl *rtl) {
  uint32_t ready = 0, valid = 0;
  uint32_t *response = words_of(&rtl->top->rsp_i);
  for (uint32_t c = 0; c < rtl->config.num_channels; c++, response += response_words(rtl->config)) {
    if (qsm_mem_ready_at(rtl->mem, c) <= rtl->cycle) ready |= 1u << c;
    if (qsm_mem_response_at(rtl->mem, c) > rtl->cycle) continue;
    const struct qsm_mem_response *answer = qsm_mem_response(rtl->mem, c);
    valid |= 1u << c;
    response[0] = answer->sm;
    response[1] = answer->tag;
    std::memcpy(response + 2, answer->data, rtl->config.warp_size * sizeof(uint32_t));
  }
  rtl->top->req_ready_i = static_cast<uint16_t>(ready);
  rtl->top->rsp_valid_i = static_cast<uint16_t>(valid);
}

// Hand-shakes of this cycle, from the settled outputs: responses first.
void take_responses(qsm_rtl *rtl) {
  uint32_t taken = rtl->top->rsp_valid_i & rtl->top->rsp_ready_o;
  for (uint32_t c = 0; c < rtl->config.num_channels; c++)
    if ((taken >> c) & 1) qsm_mem_take(rtl->mem, c, rtl->cycle);
}

void accept_requests(qsm_rtl *rtl) {
  uint32_t accepted = rtl->top->req_valid_o & rtl->top->req_ready_i;
  const uint32_t *request = words_of(&rtl->top->req_o);
  for (uint32_t c = 0; c < rtl->config.num_channels; c++, request += request_words(rtl->config)) {
    if (!((accepted >> c) & 1)) continue;
    struct qsm_mem_access access = {};
    access.addr = request[0];
    access.kind = static_cast<uint8_t>(request[1] >> 4);
    access.amo = request[1] & 15;
    access.sm = static_cast<uint8_t>(request[2]);
    access.tag = static_cast<uint8_t>(request[3]);
    access.bytes = request + 5;
    access.data = request + 5 + mask_words(rtl->config);
    qsm_mem_accept(rtl->mem, c, rtl->cycle, &access);
  }
}

// Half a clock period. The GPU level goes first: what it gives to the SMs does not depend on what
// they give (qsm_sm_block.sv), and it looks at that in the second half only (qsm_sm_standin.sv).
void evaluate(qsm_rtl *rtl, bool clk) {
  Vqsm_cosim *top = rtl->top.get();
  top->clk_i = clk;
  top->eval();
#ifndef QSM_NETLIST
  for (uint32_t i = 0; i < rtl->config.num_sms; i++) {
    Vqsm_sm_block *sm = rtl->sms[i].get();
    sm->clk_i = clk;
    sm->rst_ni = top->rst_ni;
    sm->dump_i = top->dump_i;
    sm->sm_id_i = top->sm_id_o[i];
    sm->desc_i = top->sm_desc_o;
    sm->direct_i = top->sm_direct_o;
    sm->to_sm_i = top->to_sm_o[i];
    sm->rsp_i = top->sm_rsp_o[i];
    sm->eval();
    top->from_sm_i[i] = sm->from_sm_o;
    top->sm_figures_i[i] = sm->figures_o;
    top->sm_req_i[i] = sm->req_o;
  }
#endif
}

void cycle(qsm_rtl *rtl, const qsm_rtl_control *control, qsm_rtl_answer *answer) {
  Vqsm_cosim *top = rtl->top.get();
  current = rtl;
  drive_memory(rtl);
  top->ctl_valid_i = control && control->valid;
  top->ctl_we_i = control && control->write;
  top->ctl_addr_i = control ? control->addr : 0;
  top->ctl_wdata_i = control ? control->wdata : 0;
  top->dump_i = rtl->state_sink != nullptr;
  evaluate(rtl, false);
  trace_at(rtl, 2 * rtl->cycle);
  take_responses(rtl);
  if (!AtPorts) accept_requests(rtl);
  evaluate(rtl, true);
  if (AtPorts) accept_requests(rtl);  // they are seen behind a register (R-NL-3)
  trace_at(rtl, 2 * rtl->cycle + 1);
  rtl->state_sink = nullptr;
  rtl->cycle++;
  if (!answer) return;
  // An answer may show what an SM has (fault records), which the GPU level sees in the second half
  // only.
  evaluate(rtl, false);
  *answer = qsm_rtl_answer{top->ctl_answer_o != 0, top->ctl_err_o != 0, top->ctl_rdata_o};
}

void reset(qsm_rtl *rtl) {
  Vqsm_cosim *top = rtl->top.get();
  current = rtl;
  top->rst_ni = 1;
  evaluate(rtl, false);
  top->rst_ni = 0;
  for (int edge = 0; edge < 4; edge++) evaluate(rtl, edge & 1);
  evaluate(rtl, false);
  top->rst_ni = 1;
  evaluate(rtl, false);
}

void destroy(qsm_rtl *rtl) {
  if (!rtl) return;
#ifdef QSM_TRACE
  if (rtl->tracing) rtl->trace->close();
#endif
  if (rtl->top) rtl->top->final();
#ifndef QSM_NETLIST
  for (auto &sm : rtl->sms) sm->final();
#endif
  qsm_mem_destroy(rtl->mem);
  delete rtl;
}

bool matches(qsm_rtl *rtl) {
  Vqsm_cosim *top = rtl->top.get();
  current = rtl;
  top->eval();
  const qsm_config &config = rtl->config;
  return top->num_sms_o == config.num_sms && top->num_sched_o == config.num_sched &&
         top->warps_per_sm_o == config.warps_per_sm && top->warp_size_o == config.warp_size &&
         top->num_kernels_o == config.num_kernels && top->num_channels_o == config.num_channels;
}

// Their names are what waveforms call them.
void make_sms(qsm_rtl *rtl) {
#ifdef QSM_NETLIST
  (void)rtl;
#else
  for (uint32_t i = 0; i < rtl->config.num_sms; i++)
    rtl->sms.push_back(
        std::make_unique<Vqsm_sm_block>(&rtl->context, ("sm" + std::to_string(i)).c_str()));
#endif
}

bool open_trace(qsm_rtl *rtl, const char *wave_path, uint64_t from, uint64_t to) {
  if (!wave_path) return true;
#ifdef QSM_TRACE
  rtl->trace = std::make_unique<VerilatedFstC>();
  rtl->top->trace(rtl->trace.get(), 99);
  for (auto &sm : rtl->sms) sm->trace(rtl->trace.get(), 99);
  rtl->trace->open(wave_path);
  rtl->tracing = true;
  rtl->wave_from = from;
  rtl->wave_to = to;
  return rtl->trace->isOpen();
#else
  (void)rtl;
  (void)from;
  (void)to;
  return false;
#endif
}

// What flip-flops and memories of a netlist hold before the reset. Verilator takes a seed of 31
// bits that is not 0.
void draw_initial_values(VerilatedContext *context, uint64_t seed) {
  context->randReset(2);
  context->randSeed(static_cast<int>((seed * UINT64_C(0x9E3779B97F4A7C15)) >> 34) + 1);
}

qsm_rtl *create(const qsm_config *config, uint64_t seed, const char *wave_path, uint64_t wave_from,
                uint64_t wave_to, char *msg, size_t msg_len) {
  qsm_rtl *rtl = new (std::nothrow) qsm_rtl;
  if (!rtl || qsm_mem_create(config, &rtl->mem)) {
    std::snprintf(msg, msg_len, "out of memory");
    destroy(rtl);
    return nullptr;
  }
  rtl->config = *config;
  if (AtPorts) draw_initial_values(&rtl->context, seed);
  rtl->context.traceEverOn(wave_path != nullptr);
  rtl->top = std::make_unique<Vqsm_cosim>(&rtl->context);
  if (!matches(rtl)) {
    std::snprintf(msg, msg_len,
                  "the RTL was built for another version of configuration %s: run make again",
                  config->name);
    destroy(rtl);
    return nullptr;
  }
  make_sms(rtl);
  if (!open_trace(rtl, wave_path, wave_from, wave_to)) {
    std::snprintf(msg, msg_len, "cannot write waves to %s", wave_path);
    destroy(rtl);
    return nullptr;
  }
  reset(rtl);
  return rtl;
}

bool irq(const qsm_rtl *rtl) { return rtl->top->irq_o; }
uint8_t *memory(qsm_rtl *rtl) { return qsm_mem_bytes(rtl->mem); }

void set_sink(qsm_rtl *rtl, qsm_event_sink sink, void *ctx) {
  rtl->sink = sink;
  rtl->sink_ctx = ctx;
}

void dump_state(qsm_rtl *rtl, qsm_rtl_state_sink sink, void *ctx) {
  rtl->state_sink = sink;
  rtl->state_ctx = ctx;
}

uint64_t assertions_failed(const qsm_rtl *rtl, const char **first) {
  *first = rtl->first_failure.c_str();
  return rtl->n_failures;
}

}  // namespace

extern "C" const struct qsm_rtl_api qsm_rtl_api = {
    QSM_RTL_INTERFACE, AtPorts,    create,           destroy, cycle, irq, memory,
    set_sink,          dump_state, assertions_failed};

// ---- Called by the monitors (qsm_*_monitors.sv) ----

// An event of the current cycle, or of the one before (late = 1) where a monitor sees values after
// the clock edge.
extern "C" void qsm_dpi_event(int kind, int sm, int sub, int late, int n_words,
                              const uint32_t *words) {
  qsm_rtl *rtl = current;
  if (!rtl->sink || rtl->cycle < static_cast<uint64_t>(late)) return;
  struct qsm_event event;
  event.cycle = rtl->cycle - static_cast<uint64_t>(late);
  event.kind = static_cast<uint8_t>(kind);
  event.sm = static_cast<uint8_t>(sm);
  event.sub = static_cast<uint8_t>(sub);
  event.n_words = static_cast<uint8_t>(n_words);
  std::memcpy(event.word, words, static_cast<size_t>(n_words) * sizeof(uint32_t));
  rtl->sink(rtl->sink_ctx, &event);
}

extern "C" void qsm_dpi_event_wide(int kind, int sm, int sub, int late, int n_words,
                                   const uint32_t *words) {
  qsm_dpi_event(kind, sm, sub, late, n_words, words);
}

extern "C" void qsm_dpi_state(int kind, int sm, int sub, int index, int word, int value) {
  qsm_rtl *rtl = current;
  if (rtl->state_sink)
    rtl->state_sink(rtl->state_ctx, static_cast<uint32_t>(kind), static_cast<uint32_t>(sm),
                    static_cast<uint32_t>(sub), static_cast<uint32_t>(index),
                    static_cast<uint32_t>(word), static_cast<uint32_t>(value));
}

// Verilator calls this for $stop and failed assertions (compiled with VL_USER_STOP, VL_USER_FATAL):
// the run goes on to its next check.
static void failed(const char *file, int line, const char *what) {
  if (current && current->n_failures++ == 0) {
    const char *base = std::strrchr(file, '/');
    current->first_failure =
        std::string(base ? base + 1 : file) + ":" + std::to_string(line) + " " + what;
  }
}
void vl_stop(const char *file, int line, const char *) VL_MT_UNSAFE {
  failed(file, line, "assertion");
}
void vl_fatal(const char *file, int line, const char *, const char *msg) VL_MT_UNSAFE {
  failed(file, line, msg);
}

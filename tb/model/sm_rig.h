// SPDX-License-Identifier: Apache-2.0
// One SM of the model alone: the test plays the GPU level, with a memory, and runs hand-encoded
// programs.
#ifndef SM_RIG_H
#define SM_RIG_H

#include "model_support.h"
#include "qsm_sm_blocks.h"

// ---- programs ----

static inline uint32_t enc_i(uint32_t opcode, uint32_t funct3, uint32_t rd, uint32_t rs1,
                             int32_t imm) {
  return opcode | rd << 7 | funct3 << 12 | rs1 << 15 | (uint32_t)imm << 20;
}
static inline uint32_t enc_r(uint32_t funct7, uint32_t funct3, uint32_t rd, uint32_t rs1,
                             uint32_t rs2) {
  return 0x33 | rd << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 | funct7 << 25;
}
static inline uint32_t addi(uint32_t rd, uint32_t rs1, int32_t imm) {
  return enc_i(0x13, 0, rd, rs1, imm);
}
static inline uint32_t slli(uint32_t rd, uint32_t rs1, int32_t n) {
  return enc_i(0x13, 1, rd, rs1, n);
}
static inline uint32_t add(uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return enc_r(0, 0, rd, rs1, rs2);
}
static inline uint32_t lui(uint32_t rd, uint32_t value) {
  return 0x37 | rd << 7 | (value & 0xFFFFF000);
}
static inline uint32_t csrr(uint32_t rd, uint32_t csr) {
  return enc_i(0x73, 2, rd, 0, (int32_t)csr);
}
static inline uint32_t lw(uint32_t rd, uint32_t rs1, int32_t imm) {
  return enc_i(0x03, 2, rd, rs1, imm);
}
static inline uint32_t store(uint32_t funct3, uint32_t rs2, uint32_t rs1, int32_t imm) {
  uint32_t u = (uint32_t)imm;
  return 0x23 | (u & 31) << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 | (u >> 5 & 127) << 25;
}
static inline uint32_t sw(uint32_t rs2, uint32_t rs1, int32_t imm) {
  return store(2, rs2, rs1, imm);
}
static inline uint32_t branch(uint32_t funct3, uint32_t rs1, uint32_t rs2, int32_t offset) {
  uint32_t u = (uint32_t)offset;
  return 0x63 | (u >> 11 & 1) << 7 | (u >> 1 & 15) << 8 | funct3 << 12 | rs1 << 15 | rs2 << 20 |
         (u >> 5 & 63) << 25 | (u >> 12 & 1) << 31;
}
static inline uint32_t jalr(uint32_t rd, uint32_t rs1, int32_t imm) {
  return enc_i(0x67, 0, rd, rs1, imm);
}
static inline uint32_t amoadd(uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return 0x2F | rd << 7 | 2 << 12 | rs1 << 15 | rs2 << 20;
}
enum { BEQ = 0, BNE = 1, BLT = 4 };
#define BAR 0x0000000Bu
#define EXIT 0x0000100Bu
#define FENCE 0x0000000Fu
#define DEVICE_FENCE 0x0FF0000Fu
#define EBREAK 0x00100073u

// ---- rig ----

#define CODE 0x80000000u
#define DATA 0x80001000u

enum { MEM_BYTES = 8192, MAX_EVENTS = 200000, MEM_LATENCY = 20 };

struct rig {
  struct qsm_config config;
  struct qsm_sm_shared shared;
  struct qsm_code *code;
  struct qsm_sm *sm;
  uint64_t cycle;
  uint32_t window;  // cycles per run
  // Cycles from a request until its response is seen; at least two ways through the crossbar.
  uint32_t (*delay)(struct rig *rig, const struct qsm_mem_req *req);
  uint32_t mem[MEM_BYTES / 4];
  uint32_t n_responses;
  struct line_rsp response[QSM_MAX_TXNS + QSM_MAX_SUBS];  // under way, by age; seen in `cycle` or,
                                                          // one per cycle, later
  struct qsm_event *events;
  uint32_t n_events;
  uint64_t port_free_at;
  uint32_t n_retired;
  uint32_t faulted;
};

struct qsm_config rig_config(uint32_t subs, uint32_t warps, uint32_t lanes);
void rig_open_config(struct rig *rig, const struct qsm_config *config);
void rig_open(struct rig *rig, uint32_t subs, uint32_t warps, uint32_t lanes);
void rig_close(struct rig *rig);

void load_program(struct rig *rig, const uint32_t *words, size_t n);
#define LOAD(rig, ...)                            \
  do {                                            \
    const uint32_t words[] = {__VA_ARGS__};       \
    load_program((rig), words, sizeof words / 4); \
  } while (0)

void rig_send(struct rig *rig, struct qsm_sm_msg msg);  // seen in the next cycle to run
void dispatch(struct rig *rig, uint8_t kernel, uint8_t tb);
void run(struct rig *rig, uint64_t n_cycles);
// A block of kernel 0 and one of kernel 2 that compute, diverge, wait at barriers and use memory,
// in loops; kernel 0 has a goal.
void start_mixed_work(struct rig *rig);
// A kernel's quota, and the message that has all words loaded under a scheme; seen in the next
// cycle.
void send_quota_word(struct rig *rig, uint8_t kernel, uint32_t quota);
void send_quota_load(struct rig *rig, uint8_t scheme);
uint32_t *mem_word(struct rig *rig, uint32_t addr);

// The n-th event of a kind, or fails.
const struct qsm_event *event(const struct rig *rig, enum qsm_event_kind kind, uint32_t n);
uint32_t count_events(const struct rig *rig, enum qsm_event_kind kind);
// Of everything that was reported.
uint64_t hash_events(const struct rig *rig);
// Cycle and kind of the first difference, as the lockstep names it.
uint64_t first_difference(const struct rig *a, const struct rig *b, uint8_t *kind);
// Cycle in which the instruction at pc issues for the n-th time.
uint64_t issue_cycle(const struct rig *rig, uint32_t pc, uint32_t n);

uint32_t state(const struct rig *rig, enum qsm_state_kind kind, uint32_t sub, uint32_t index,
               uint32_t word);
uint32_t reg(const struct rig *rig, uint32_t warp, uint32_t r, uint32_t lane);

#endif

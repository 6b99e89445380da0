// SPDX-License-Identifier: Apache-2.0
// What demo.c needs of a LiteX SoC: the GPU's registers at QSM_BASE, its memory in main_ram, its
// interrupt, the UART. Headers and start-up code are LiteX' own.
#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>
#include <irq.h>
#include <stddef.h>
#include <system.h>

#include "demo.h"

enum { GPU_MEMORY = (int)0x80000000 };

// ---- What a compiler takes for granted ----

void *memcpy(void *restrict to, const void *restrict from, size_t n) {
  uint8_t *out = to;
  const uint8_t *in = from;
  for (; n; n--) *out++ = *in++;
  return to;
}

void *memset(void *to, int value, size_t n) {
  uint8_t *out = to;
  for (; n; n--) *out++ = (uint8_t)value;
  return to;
}

// ---- Console ----

static void print(const char *text) {
  for (; *text; text++) {
    while (uart_txfull_read()) continue;
    uart_rxtx_write((unsigned char)*text);
  }
}

// ---- Registers ----

static volatile uint32_t *gpu_register(uint32_t address) {
  return (volatile uint32_t *)(QSM_BASE + address);
}

// The CPU's bus has no word for a refusal, or one that is a fault: the CSR tells.
static bool was_accepted(void) {
  return !(qsm_status_read() & (1u << CSR_QSM_STATUS_REFUSED_OFFSET));
}

static bool write_register(void *context, uint32_t address, uint32_t value) {
  (void)context;
  *gpu_register(address) = value;
  return was_accepted();
}

static bool read_register(void *context, uint32_t address, uint32_t *value) {
  (void)context;
  *value = *gpu_register(address);
  return was_accepted();
}

// ---- Memory ----

static uint8_t *memory_at(uint32_t address) {
  return (uint8_t *)(MAIN_RAM_BASE + (address - (uint32_t)GPU_MEMORY));
}

// Words, where both sides are aligned: what is written goes through the CPU's cache to memory.
static void put(void *context, uint32_t address, const void *bytes, uint32_t n_bytes) {
  (void)context;
  uint32_t *to = (uint32_t *)memory_at(address), at = 0;
  const uint8_t *from = bytes;
  for (; at + 4 <= n_bytes; at += 4) {
    uint32_t word;
    __builtin_memcpy(&word, from + at, 4);
    to[at / 4] = word;
  }
  for (; at < n_bytes; at++) memory_at(address)[at] = from[at];
}

// What the CPU's cache has of it may be older than what the GPU has written.
static void get(void *context, uint32_t address, void *bytes, uint32_t n_bytes) {
  (void)context;
  flush_cpu_dcache();
  const uint8_t *from = memory_at(address);
  uint8_t *to = bytes;
  for (uint32_t at = 0; at < n_bytes; at++) to[at] = from[at];
}

// ---- Interrupt ----

static volatile uint32_t n_interrupts;

// The GPU holds its line until what has ended is acknowledged, which is the program's affair: until
// then the CPU does not hear it.
void isr(void);
void isr(void) {
  if (!(irq_pending() & (1u << QSM_INTERRUPT))) return;
  irq_setmask(irq_getmask() & ~(1u << QSM_INTERRUPT));
  n_interrupts++;
}

static bool wait(void *context) {
  (void)context;
  uint32_t before = n_interrupts;
  qsm_ev_enable_write(1);
  irq_setmask(irq_getmask() | 1u << QSM_INTERRUPT);
  while (n_interrupts == before) continue;
  return true;
}

static _Noreturn void stop(uint32_t code) {
  while (!uart_txempty_read()) continue;
  soc_end_code_write(code);
  for (;;) continue;
}

int main(void) {
  const struct qsm_bare_bus bus = {write_register, read_register, put, get, NULL};
  const struct demo_platform platform = {&bus, MAIN_RAM_SIZE, print, wait};
  irq_setmask(0);
  irq_setie(1);
  uint32_t n_failed = demo_run(&platform);
  if (qsm_status_read() & (1u << CSR_QSM_STATUS_ERROR_OFFSET)) {
    print("  FAILED: a memory access of the GPU\n");
    n_failed++;
  }
  print(n_failed ? "FAIL\n" : "PASS\n");
  stop(n_failed);
}

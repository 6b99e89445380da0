// SPDX-License-Identifier: Apache-2.0
// Device header: what a kernel compiled by qsm-cc sees. The names are CUDA's; docs/programming.md
// explains them and docs/isa.md is the contract with the hardware. Needs clang and the flags that
// qsm-cc gives.
#ifndef QSM_H
#define QSM_H

#include <stddef.h>
#include <stdint.h>

// A function that a host can launch. Up to eight arguments of 32 bits each.
#define __global__ __attribute__((used, visibility("default"), section(".text.qsm_kernel")))

// A function or variable of the device; for the reader only.
#define __device__

// A variable that every thread block has for itself, at file or function scope: `__shared__ int
// tile[64];`. It cannot have an initialiser. To the compiler it is thread-local storage whose
// thread pointer is the shared window, which keeps programs position independent; `used` stops it
// from reasoning that no other thread can see the variable.
#define __shared__ static _Thread_local __attribute__((used))

// Shared memory of the block behind its __shared__ variables: the launch's dynamic part, aligned to
// 16 bytes.
extern _Thread_local char qsm_dynamic_shared_start[];
#define qsm_dynamic_shared() ((void *)qsm_dynamic_shared_start)

struct qsm_dim3 {
  unsigned x, y, z;
};

// Reads that give the same value during a thread's whole life carry no `volatile`: the compiler may
// keep or repeat them.
#define QSM_CSR(number)                                 \
  ({                                                    \
    unsigned qsm_csr_value;                             \
    __asm__("csrr %0, " #number : "=r"(qsm_csr_value)); \
    qsm_csr_value;                                      \
  })

#define QSM_CSR_VOLATILE(number)                                 \
  ({                                                             \
    unsigned qsm_csr_value;                                      \
    __asm__ volatile("csrr %0, " #number : "=r"(qsm_csr_value)); \
    qsm_csr_value;                                               \
  })

// The start-up code leaves threadIdx in gp, packed: x in bits 9:0, y in 19:10, z in 29:20.
static inline struct qsm_dim3 qsm_thread_idx(void) {
  struct qsm_dim3 idx;
  __asm__("andi %0, gp, 1023" : "=r"(idx.x));
  __asm__("slli %0, gp, 12\n\tsrli %0, %0, 22" : "=r"(idx.y));
  __asm__("srli %0, gp, 20" : "=r"(idx.z));
  return idx;
}

static inline struct qsm_dim3 qsm_block_dim(void) {
  return (struct qsm_dim3){QSM_CSR(0xCC4), QSM_CSR(0xCC5), QSM_CSR(0xCC6)};
}

#define threadIdx (qsm_thread_idx())
#define blockIdx (qsm_block_idx())
#define blockDim (qsm_block_dim())
#define gridDim (qsm_grid_dim())
#define warpSize (QSM_CSR(0xCD0))

static inline unsigned qsm_tid(void) { return QSM_CSR(0xCC0); }  // linear thread index in the block
static inline unsigned qsm_lane(void) { return QSM_CSR(0xCCA); }  // lane in the warp
static inline unsigned qsm_smid(void) { return QSM_CSR(0xCCB); }  // SM that runs this block
static inline unsigned qsm_hwtid(void) {
  return QSM_CSR(0xCCD);
}  // slot in the GPU, unique among resident threads
static inline unsigned qsm_ticket(void) {
  return QSM_CSR(0xCD1);
}  // of this block, unique among the launch's live blocks
static inline unsigned qsm_slot(void) { return QSM_CSR(0xCCE); }  // kernel slot (tenant)
static inline unsigned qsm_active_mask(void) { return QSM_CSR_VOLATILE(0xCCF); }

#ifdef QSM_WORKERS  // qsm-cc --workers: blocks are tasks of persistent workers
#include <qsm_workers.h>
#else
static inline struct qsm_dim3 qsm_block_idx(void) {
  return (struct qsm_dim3){QSM_CSR(0xCC1), QSM_CSR(0xCC2), QSM_CSR(0xCC3)};
}

static inline struct qsm_dim3 qsm_grid_dim(void) {
  return (struct qsm_dim3){QSM_CSR(0xCC7), QSM_CSR(0xCC8), QSM_CSR(0xCC9)};
}

// Waits until every thread of the block is here; then all see each other's earlier stores.
static inline void __syncthreads(void) {
  __asm__ volatile("fence rw, w\n\t.insn i 0x0b, 0, x0, x0, 0" ::: "memory");
}

// Ends this thread.
static inline _Noreturn void qsm_exit(void) {
  __asm__ volatile(".insn i 0x0b, 1, x0, x0, 0" ::: "memory");
  __builtin_unreachable();
}
#endif

// GPU cycle counter.
static inline unsigned clock(void) { return QSM_CSR_VOLATILE(0xC00); }

static inline unsigned long long clock64(void) {
  unsigned high, low, again;
  do {
    high = QSM_CSR_VOLATILE(0xC80);
    low = QSM_CSR_VOLATILE(0xC00);
    again = QSM_CSR_VOLATILE(0xC80);
  } while (high != again);
  return (unsigned long long)high << 32 | low;
}

// Waits until all memory accesses of this warp are complete; its later loads see what other SMs
// have stored until now.
static inline void __threadfence(void) { __asm__ volatile("fence" ::: "memory"); }

// A failed assertion is a breakpoint fault: it kills the kernel, and the host learns PC, block and
// thread.
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : (void)({ __asm__ volatile("ebreak"); }))
#endif

// Atomics on 32-bit words of device or shared memory; each returns the old value. Relaxed, like
// CUDA's. The hardware has no compare-and-swap and no LR/SC, so C11 atomics do not link.
#define QSM_AMO(name, instruction, type)                                                  \
  static inline type name(type *address, type value) {                                    \
    type old;                                                                             \
    __asm__ volatile(instruction " %0, %2, %1" : "=r"(old), "+A"(*address) : "r"(value)); \
    return old;                                                                           \
  }
QSM_AMO(qsm_amoadd_i, "amoadd.w", int)
QSM_AMO(qsm_amoadd_u, "amoadd.w", unsigned)
QSM_AMO(qsm_amomin_i, "amomin.w", int)
QSM_AMO(qsm_amomin_u, "amominu.w", unsigned)
QSM_AMO(qsm_amomax_i, "amomax.w", int)
QSM_AMO(qsm_amomax_u, "amomaxu.w", unsigned)
QSM_AMO(qsm_amoand_i, "amoand.w", int)
QSM_AMO(qsm_amoand_u, "amoand.w", unsigned)
QSM_AMO(qsm_amoor_i, "amoor.w", int)
QSM_AMO(qsm_amoor_u, "amoor.w", unsigned)
QSM_AMO(qsm_amoxor_i, "amoxor.w", int)
QSM_AMO(qsm_amoxor_u, "amoxor.w", unsigned)
QSM_AMO(qsm_amoswap_i, "amoswap.w", int)
QSM_AMO(qsm_amoswap_u, "amoswap.w", unsigned)
#undef QSM_AMO

#define QSM_ATOMIC(operation, address, value) \
  _Generic((address), int *: operation##_i, unsigned *: operation##_u)((address), (value))
#define atomicAdd(address, value) QSM_ATOMIC(qsm_amoadd, address, value)
#define atomicSub(address, value) QSM_ATOMIC(qsm_amoadd, address, -(value))
#define atomicMin(address, value) QSM_ATOMIC(qsm_amomin, address, value)
#define atomicMax(address, value) QSM_ATOMIC(qsm_amomax, address, value)
#define atomicAnd(address, value) QSM_ATOMIC(qsm_amoand, address, value)
#define atomicOr(address, value) QSM_ATOMIC(qsm_amoor, address, value)
#define atomicXor(address, value) QSM_ATOMIC(qsm_amoxor, address, value)
#define atomicExch(address, value) QSM_ATOMIC(qsm_amoswap, address, value)
// A load past the L1, which does not know what other SMs store: an atomic that changes nothing. The
// memory must be writable.
#define qsm_load_device(address) QSM_ATOMIC(qsm_amoor, address, 0)

// Each is one instruction or a few, on a GPU with FPU; qsm_math.h has more. Rounding is to nearest;
// rintf keeps ties even.
static inline float sqrtf(float x) { return __builtin_sqrtf(x); }
static inline float fabsf(float x) { return __builtin_fabsf(x); }
static inline float copysignf(float magnitude, float sign) {
  return __builtin_copysignf(magnitude, sign);
}
static inline float fminf(float x, float y) { return __builtin_fminf(x, y); }
static inline float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
static inline float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
static inline float floorf(float x) { return __builtin_floorf(x); }
static inline float ceilf(float x) { return __builtin_ceilf(x); }
static inline float truncf(float x) { return __builtin_truncf(x); }
static inline float roundf(float x) { return __builtin_roundf(x); }
static inline float rintf(float x) { return __builtin_rintf(x); }

// Provided by sw/lib; the compiler also calls them for large copies.
void *memcpy(void *restrict to, const void *restrict from, size_t n_bytes);
void *memmove(void *to, const void *from, size_t n_bytes);
void *memset(void *to, int byte, size_t n_bytes);
int memcmp(const void *a, const void *b, size_t n_bytes);

#endif

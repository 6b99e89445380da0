// SPDX-License-Identifier: Apache-2.0
// A configuration of the GPU: one struct for the model, the simulator and the generator of the RTL
// package. Meaning and rules of the parameters: docs/configuration.md. The table below is their
// only list in C.
#ifndef QSM_CONFIG_H
#define QSM_CONFIG_H

#include <stddef.h>
#include <stdint.h>

enum { QSM_CONFIG_NAME_MAX = 64, QSM_SHARED_GRANULES = 32, QSM_MAX_SMS = 96, QSM_MAX_CMD = 96 };

// X(field and YAML key, name in qsm_cfg_pkg, KIND, least, largest); KIND is RANGE, POW2 for powers
// of two only, or ZERO_POW2 for these or 0. Hardware: parameters of the RTL and the model.
#define QSM_CONFIG_HARDWARE(X)                     \
  X(num_sms, NumSms, RANGE, 1, QSM_MAX_SMS)        \
  X(num_sched, NumSched, RANGE, 1, 4)              \
  X(warps_per_sm, WarpsPerSm, RANGE, 1, 64)        \
  X(warp_size, WarpSize, POW2, 2, 32)              \
  X(num_kernels, NumKernels, RANGE, 1, 8)          \
  X(max_tbs, MaxTbs, RANGE, 1, 32)                 \
  X(shared_bytes, SharedBytes, RANGE, 256, 262144) \
  X(mem_txns, MemTxns, POW2, 2, 128)               \
  X(others_txns, OthersTxns, RANGE, 0, 128)        \
  X(num_channels, NumChannels, POW2, 1, 16)        \
  X(icache_lines, ICacheLines, POW2, 4, 1024)      \
  X(sb_entries, SbEntries, RANGE, 2, 8)            \
  X(noc_lat, NocLat, RANGE, 1, 16)                 \
  X(rsp_lat, RspLat, RANGE, 0, 255)                \
  X(qos_lat, QosLat, RANGE, 1, 4096)               \
  X(num_groups, NumGroups, RANGE, 1, 8)            \
  X(num_images, NumImages, RANGE, 1, 16)           \
  X(progress_limit, ProgressLimit, RANGE, 4, 255)  \
  X(fpu, Fpu, RANGE, 0, 1)                         \
  X(div_lanes, DivLanes, ZERO_POW2, 1, 32)         \
  X(l1_kib, L1Kib, ZERO_POW2, 1, 256)              \
  X(l1_ways, L1Ways, POW2, 1, 16)                  \
  X(num_sas, NumSas, RANGE, 0, QSM_MAX_SMS)        \
  X(sa_kib, SaKib, POW2, 1, 1024)                  \
  X(sa_ways, SaWays, POW2, 1, 16)                  \
  X(sa_banks, SaBanks, POW2, 1, 16)                \
  X(l2_kib, L2Kib, ZERO_POW2, 1, 4096)             \
  X(l2_ways, L2Ways, POW2, 1, 16)                  \
  X(l2_mshrs, L2Mshrs, RANGE, 1, 64)               \
  X(l2_waiters, L2Waiters, RANGE, 1, 256)          \
  X(dram_banks, DramBanks, ZERO_POW2, 1, 16)       \
  X(dram_row_bytes, DramRowBytes, POW2, 8, 65536)  \
  X(dram_queue, DramQueue, RANGE, 1, 64)           \
  X(dram_rcd, DramRcd, RANGE, 1, 255)              \
  X(dram_rp, DramRp, RANGE, 1, 255)                \
  X(dram_ras, DramRas, RANGE, 1, 255)              \
  X(dram_cl, DramCl, RANGE, 1, 255)                \
  X(dram_wr, DramWr, RANGE, 1, 255)                \
  X(dram_burst, DramBurst, RANGE, 1, 255)          \
  X(partition_bits, PartitionBits, RANGE, 0, 30)   \
  X(stall_counters, StallCounters, RANGE, 0, 1)    \
  X(power_gating, PowerGating, RANGE, 0, 1)        \
  X(energy_counters, EnergyCounters, RANGE, 0, 1)  \
  X(cmd_channels, NumCmd, RANGE, 0, QSM_MAX_CMD)   \
  X(dma_entries, DmaEntries, POW2, 2, 16)

// Environment: the simulated memory and defaults of the tools; no hardware depends on them.
#define QSM_CONFIG_ENVIRONMENT(X)               \
  X(mem_bytes, -, RANGE, 1048576, 1073741824)   \
  X(mem_latency, -, RANGE, 1, 1000)             \
  X(mem_interval, -, RANGE, 1, 64)              \
  X(clock_mhz, -, RANGE, 1, 10000)              \
  X(epoch, -, RANGE, 1, 1048575)                \
  X(link_mbytes_s, -, RANGE, 1, 1000000)        \
  X(link_latency_ns, -, RANGE, 0, 1000000)      \
  X(energy_issue, -, RANGE, 0, 2000000000)      \
  X(energy_alu, -, RANGE, 0, 2000000000)        \
  X(energy_mul, -, RANGE, 0, 2000000000)        \
  X(energy_div, -, RANGE, 0, 2000000000)        \
  X(energy_fma, -, RANGE, 0, 2000000000)        \
  X(energy_mem, -, RANGE, 0, 2000000000)        \
  X(energy_reg_read, -, RANGE, 0, 2000000000)   \
  X(energy_reg_write, -, RANGE, 0, 2000000000)  \
  X(energy_shared, -, RANGE, 0, 2000000000)     \
  X(energy_l1, -, RANGE, 0, 2000000000)         \
  X(energy_sa, -, RANGE, 0, 2000000000)         \
  X(energy_l2, -, RANGE, 0, 2000000000)         \
  X(energy_dram_read, -, RANGE, 0, 2000000000)  \
  X(energy_dram_write, -, RANGE, 0, 2000000000) \
  X(energy_dram_row, -, RANGE, 0, 2000000000)   \
  X(energy_sm_clock, -, RANGE, 0, 2000000000)   \
  X(energy_sm_leakage, -, RANGE, 0, 2000000000) \
  X(energy_sm_wake, -, RANGE, 0, 2000000000)    \
  X(energy_gated_permille, -, RANGE, 0, 1000)

struct qsm_config {
  char name[QSM_CONFIG_NAME_MAX];  // file name without folder and suffix, and what is changed of it
#define QSM_CONFIG_FIELD(key, sv, kind, least, largest) uint32_t key;
  QSM_CONFIG_HARDWARE(QSM_CONFIG_FIELD)
  QSM_CONFIG_ENVIRONMENT(QSM_CONFIG_FIELD)
#undef QSM_CONFIG_FIELD
};

// Returns 0, or -1 with a message that names the first parameter that breaks a rule, its value and
// the rule.
int qsm_config_check(const struct qsm_config *config, char *msg, size_t msg_len);

// Of the hardware's parameters and the enumerations: two GPUs with the same hash are the same to a
// host (docs/configuration.md).
uint64_t qsm_config_hash(const struct qsm_config *config);

static inline uint32_t qsm_config_warps_per_sched(const struct qsm_config *config) {
  return config->warps_per_sm / config->num_sched;
}

// A memory transaction, and a line of the instruction cache.
static inline uint32_t qsm_config_line_bytes(const struct qsm_config *config) {
  return 4 * config->warp_size;
}

// A saved block's image in memory (docs/preemption.md): its lines, of qsm_config_line_bytes() each,
// and those of its shared memory.
static inline uint32_t qsm_config_shared_lines(const struct qsm_config *config,
                                               uint32_t shared_bytes) {
  return (shared_bytes + qsm_config_line_bytes(config) - 1) / qsm_config_line_bytes(config);
}

static inline uint32_t qsm_config_image_bytes(const struct qsm_config *config, uint32_t block_warps,
                                              uint32_t shared_bytes) {
  return qsm_config_line_bytes(config) *
         (3 + 33 * block_warps + qsm_config_shared_lines(config, shared_bytes));
}

// Blocks of a launch that can be live at a time, in images too: its tickets are below this number
// (docs/preemption.md).
static inline uint32_t qsm_config_live_blocks(const struct qsm_config *config,
                                              uint32_t block_warps) {
  uint32_t per_sm = config->warps_per_sm / block_warps;
  return config->num_images +
         config->num_sms * (per_sm < config->max_tbs ? per_sm : config->max_tbs);
}

// Accesses of its own that an L2 slice may have behind it, and places of its queue towards there
// (R-L2-3).
static inline uint32_t qsm_config_l2_out_places(const struct qsm_config *config) {
  return config->l2_mshrs + 4;
}

// Of an L2 slice, and how many it has for a flush of a part, each so many sets as there are in one
// (R-L2-10).
enum { QSM_L2_MOST_UNITS = 4096 };  // a power of two
static inline uint32_t qsm_config_l2_sets(const struct qsm_config *config) {
  return config->l2_kib * 1024 / (config->l2_ways * qsm_config_line_bytes(config));
}
static inline uint32_t qsm_config_l2_units(const struct qsm_config *config) {
  uint32_t n_sets = qsm_config_l2_sets(config);
  return n_sets < QSM_L2_MOST_UNITS ? n_sets : QSM_L2_MOST_UNITS;
}

// Values of L2_FLUSH (R-L2-10): all sets, or those of two units and between, which count modulo the
// number of units.
#define QSM_L2_FLUSH_ALL 1u
#define QSM_L2_FLUSH_PART 0x80000000u
enum { QSM_L2_FLUSH_LAST_SHIFT = 16 };
static inline uint32_t qsm_config_l2_part(uint32_t first, uint32_t last) {
  return QSM_L2_FLUSH_PART | last % QSM_L2_MOST_UNITS << QSM_L2_FLUSH_LAST_SHIFT |
         first % QSM_L2_MOST_UNITS;
}

// Requesters of the crossbar: SMs, and the front end behind them (docs/front.md). L2 slices have
// the number after them at the memory port.
static inline uint32_t qsm_config_requesters(const struct qsm_config *config) {
  return config->num_sms + (config->cmd_channels != 0);
}

// Requests that the front end can have under way: the sequencer's, and those of the DMA engine
// (docs/xbar.md R-XB-1).
static inline uint32_t qsm_config_front_requests(const struct qsm_config *config) {
  return config->cmd_channels ? 2 * config->dma_entries + 1 : 0;
}

// Unit in which shared memory is given to thread blocks.
static inline uint32_t qsm_config_granule_bytes(const struct qsm_config *config) {
  return config->shared_bytes / QSM_SHARED_GRANULES;
}

// Least EPOCH_LEN: the manager has finished one epoch, messages included, before the next ends.
static inline uint32_t qsm_config_epoch_min(const struct qsm_config *config) {
  return config->qos_lat + 2 * config->noc_lat + 16;
}

// Least qos_lat: what the manager's messages and arithmetic take, and a hundred samples of an epoch
// ask for (docs/qos_mgr.md, R-QM-11).
uint32_t qsm_config_qos_lat_min(const struct qsm_config *config);

// SmLat: what the SM manager takes after an epoch's end (docs/sm_mgr.md, R-SG-11).
static inline uint32_t qsm_config_sm_lat(const struct qsm_config *config) {
  return config->noc_lat + config->num_sms + 23 * config->num_kernels + 14;
}

#endif

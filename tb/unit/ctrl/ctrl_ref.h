// SPDX-License-Identifier: Apache-2.0
// Registers, by hand and independent of what is generated from rtl/qsm_regs.rdl: one row each, with
// access, range and rule. A register that has no row here, because it is younger than these tables
// and does no more than to keep a value, is taken from the model's rules (add_plain_registers): the
// RTL's generator is then checked against the model's. A register that does more gets a row.
#ifndef QSM_CTRL_REF_H
#define QSM_CTRL_REF_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include "qsm_enums.h"
extern "C" {
#include "qsm_config.h"
#include "qsm_reg_file.h"
}

enum class Access { kRw, kRo, kWo };

struct Register {
  const char *name;
  uint16_t address;  // within the GPU's or a slot's registers
  Access access;
  uint32_t reset;
  uint32_t low, high;     // range of written values
  uint32_t multiple = 1;  // they are multiples of this
  bool idle = false;      // R-CP-3
  bool quiet = false;     // qos_mgr.md R-QM-3
  bool zero_too = false;  // 0 is allowed besides the range
  bool (*fits)(const struct qsm_config *, uint32_t,
               uint32_t) = nullptr;  // range, where it has none
  bool tenant = false;               // R-CP-5, where the bench does not name it
};

const uint32_t kAny = 0xFFFFFFFF;
// R-XB-6: v up to log2 of the channels, where memory can be divided.
constexpr uint32_t kMaxSplit = PARTITION_BITS ? __builtin_ctz(NUM_CHANNELS) : 0;
const uint32_t kMaxThreads = std::min(1024, WARPS_PER_SM *WARP_SIZE);

// SM 32 * word is bit 0.
constexpr uint32_t sms_of_word(int word) {
  const int n = NUM_SMS - 32 * word;
  return n <= 0 ? 0 : n >= 32 ? kAny : (1u << n) - 1;
}

inline std::vector<Register> kGpuRegisters = {
    {"ID", 0x00, Access::kRo, 0x51534D31, 0, 0},
    {"CONFIG0", 0x04, Access::kRo, NUM_SMS | NUM_SCHED << 8 | WARPS_PER_SM << 16 | WARP_SIZE << 24,
     0, 0},
    {"CONFIG1", 0x08, Access::kRo, NUM_KERNELS | MAX_TBS << 8 | NUM_CHANNELS << 16 | NOC_LAT << 24,
     0, 0},
    {"CONFIG2", 0x0C, Access::kRo, SHARED_BYTES, 0, 0},
    {"CYCLE_LO", 0x10, Access::kRo, 0, 0, 0},
    {"CYCLE_HI", 0x14, Access::kRo, 0, 0, 0},
    {"IRQ", 0x18, Access::kRw, 0, 0, kAny},
    {"ICACHE_INV", 0x1C, Access::kWo, 0, 1, 1},
    {"POLICY", 0x20, Access::kRw, 1, 0, QSM_POLICY_COUNT - 1},
    {"SCHEME", 0x24, Access::kRw, 0, 0, QSM_SCHEME_COUNT - 1, 1, false, true},
    {"EPOCH_LEN", 0x28, Access::kRw, 10000, QOS_LAT + 2 * NOC_LAT + 16, (1 << 20) - 1, 1, false,
     true},
    {"ALPHA_CAP", 0x2C, Access::kRw, 0x40000, 0x10000, 0x3FFFFF, 1, false, true, true},
    {"ROLLOVER_CAP", 0x30, Access::kRw, 8, 0, 255, 1, false, true},
    {"QUOTA_RULES", 0x34, Access::kRw, 1, 0, kAny, 1, false, true},
    {"EPOCH_COUNT", 0x38, Access::kRo, 0, 0, 0},
    {"EPOCH_E_LO", 0x3C, Access::kRo, 0, 0, 0},
    {"SM_SELECT", 0x40, Access::kRw, 0, 0, NUM_SMS - 1},
    {"ALLOC_BUSY", 0x44, Access::kRo, 0, 0, 0},
    {"STALL_SELECT", 0x48, Access::kRw, 0, 0, kAny},
    {"MGR_BUSY", 0x50, Access::kRo, 0, 0, 0},
    {"ACTIVE_WARPS", 0x54, Access::kRw, 8, 1, 16},
    {"ADJUST", 0x58, Access::kRw, 0, 0, 1},
    {"ADJUST_TECHNIQUE", 0x5C, Access::kRw, 0, 0, 2},
    {"PREEMPT", 0x60, Access::kWo, 0, 0, kAny},
    {"PREEMPT_STATUS", 0x64, Access::kRo, 0, 0, 0},
    {"ADJUST_BUSY", 0x68, Access::kRo, 0, 0, 0},
    {"SMSEL_JOB", 0x6C, Access::kRo, 0, 0, 0},
    {"CONFIG3", 0x70, Access::kRo, NUM_GROUPS | NUM_IMAGES << 4, 0, 0},
    {"NONQOS_QUOTA", 0x74, Access::kRw, 0, 0, 8, 1, false, true},
    {"MEM_SELECT", 0x78, Access::kRw, 0, 0, kAny},
    {"MEM_VALUE", 0x7C, Access::kRo, 0, 0, 0},
    {"L2_FLUSH", 0x80, Access::kRw, 0, 0, kAny},  // range: flush_fits
    {"LATECOMERS", 0x84, Access::kRw, 1, 0, 1},
    {"SM_MOVE", 0x88, Access::kWo, 0, 0, kAny},
    {"MOVE_TECHNIQUE", 0x8C, Access::kRw, 1, 0, 2},
    {"SM_GATING", 0x90, Access::kRw, 0, 0, POWER_GATING},
    {"WAKE_LAT", 0x94, Access::kRw, 500, 1, 65535},
    {"SM_THRESHOLD", 0x98, Access::kRw, 655, 0, 65535, 1, false, true},
    {"SM_STEP", 0x9C, Access::kRw, 2, 1, 4, 1, false, true},
    {"MOVES", 0xA0, Access::kRo, 0, 0, 0},
    {"MOVE_CYCLES_LO", 0xA4, Access::kRo, 0, 0, 0},
    {"MOVE_CYCLES_HI", 0xA8, Access::kRo, 0, 0, 0},
    {"GATED_CYCLES_LO", 0xAC, Access::kRo, 0, 0, 0},
    {"GATED_CYCLES_HI", 0xB0, Access::kRo, 0, 0, 0},
    {"SMSEL_OWNER", 0xB4, Access::kRo, 0, 0, 0},
    {"SHARED_CYCLES_LO", 0xC0, Access::kRo, 0, 0, 0},
    {"SHARED_CYCLES_HI", 0xC4, Access::kRo, 0, 0, 0},
    {"WAKES", 0xC8, Access::kRo, 0, 0, 0},
    {"ENERGY_SELECT", 0xB8, Access::kRw, 0, 0, kAny},
#if NUM_CMD
    {"FRONT_MODE", 0xCC, Access::kRw, 0, 0, 3},
    {"FRONT_SLOTS", 0xD0, Access::kRw, 0, 0, (1u << NUM_KERNELS) - 1},
    {"FRONT_IRQ0", 0xD4, Access::kRw, 0, 0, kAny},
    {"FRONT_IRQ1", 0xD8, Access::kRw, 0, 0, kAny},
    {"FRONT_IRQ2", 0xDC, Access::kRw, 0, 0, kAny},
    {"FRONT_SNAP", 0xE0, Access::kWo, 0, 1, 1},
    {"SNAP_ENGINE", 0xE4, Access::kRo, 0, 0, 0},
    {"SNAP_CYCLE_LO", 0xE8, Access::kRo, 0, 0, 0},
    {"SNAP_CYCLE_HI", 0xEC, Access::kRo, 0, 0, 0},
    {"SNAP_BUSY0", 0xF0, Access::kRo, 0, 0, 0},
    {"SNAP_BUSY1", 0xF4, Access::kRo, 0, 0, 0},
    {"SNAP_BUSY2", 0xF8, Access::kRo, 0, 0, 0},
    {"LINK_INTERVAL", 0xFC, Access::kRw, 256, 1, 0xFFFFFF},
#endif
};

inline std::vector<Register> kSlotRegisters = {
    {"CTX", 0x00, Access::kRw, 0, 0, 15, 1, true, true},
    {"GOAL", 0x04, Access::kRw, 0, 0, kAny, 1, false, true},
    {"FIRST_QUOTA", 0x08, Access::kRw, 1, 1, 0x7FFFFFFF},
    {"SM_MASK_LO", 0x0C, Access::kRw, sms_of_word(0), 0, sms_of_word(0)},
    {"SM_MASK_HI", 0x10, Access::kRw, sms_of_word(1), 0, sms_of_word(1)},
    {"WIN0_BASE", 0x14, Access::kRw, 0, 0, kAny, 4096, true},
    {"WIN0_LIMIT", 0x18, Access::kRw, 0, 0, kAny, 4096, true},
    {"WIN0_RIGHTS", 0x1C, Access::kRw, 0, 0, 7, 1, true},
    {"WIN1_BASE", 0x20, Access::kRw, 0, 0, kAny, 4096, true},
    {"WIN1_LIMIT", 0x24, Access::kRw, 0, 0, kAny, 4096, true},
    {"WIN1_RIGHTS", 0x28, Access::kRw, 0, 0, 7, 1, true},
    {"ENTRY", 0x2C, Access::kRw, 0, 0, kAny, 4, true},
    {"ARG", 0x30, Access::kRw, 0, 0, kAny, 1, true},
    {"GRID_X", 0x34, Access::kRw, 1, 1, 65535, 1, true},
    {"GRID_Y", 0x38, Access::kRw, 1, 1, 65535, 1, true},
    {"GRID_Z", 0x3C, Access::kRw, 1, 1, 65535, 1, true},
    {"BLOCK_X", 0x40, Access::kRw, 1, 1, 1024, 1, true},
    {"BLOCK_Y", 0x44, Access::kRw, 1, 1, 1024, 1, true},
    {"BLOCK_Z", 0x48, Access::kRw, 1, 1, 1024, 1, true},
    {"BLOCK_THREADS", 0x4C, Access::kRw, 1, 1, kMaxThreads, 1, true},
    {"SHARED", 0x50, Access::kRw, 0, 0, SHARED_BYTES, 1, true},
    {"BLOCK_WARPS", 0x54, Access::kRw, 1, 1, WARPS_PER_SM, 1, true},
    {"SHARED_GRAN", 0x58, Access::kRw, 0, 0, 32, 1, true},
    {"LAUNCH", 0x5C, Access::kWo, 0, 1, 1},
    {"STATUS", 0x60, Access::kRo, 0, 0, 0},
    {"FAULT_CAUSE", 0x64, Access::kRo, 0, 0, 0},
    {"FAULT_PC", 0x68, Access::kRo, 0, 0, 0},
    {"FAULT_TID", 0x6C, Access::kRo, 0, 0, 0},
    {"FAULT_BLOCK", 0x70, Access::kRo, 0, 0, 0},
    {"FAULT_VALUE", 0x74, Access::kRo, 0, 0, 0},
    {"LAUNCHES", 0x78, Access::kRo, 0, 0, 0},
    {"INSN_LO", 0x7C, Access::kRo, 0, 0, 0},
    {"INSN_HI", 0x80, Access::kRo, 0, 0, 0},
    {"HCYC_LO", 0x84, Access::kRo, 0, 0, 0},
    {"HCYC_HI", 0x88, Access::kRo, 0, 0, 0},
    {"HIST_CLEAR", 0x8C, Access::kWo, 0, 1, 1, 1, false, true},
    {"EPOCH_INSN", 0x90, Access::kRo, 0, 0, 0},
    {"EPOCH_QUOTA", 0x94, Access::kRo, 0, 0, 0},
    {"ALPHA", 0x98, Access::kRo, 0, 0, 0},
    {"KILL", 0x9C, Access::kWo, 0, 1, 1},
    {"BUDGET", 0xA0, Access::kRw, 1, 1, 255},
    {"ISO_IPC", 0xA4, Access::kRw, 0, 0, kAny, 1, false, true},
    {"SAVE_BASE", 0xA8, Access::kRw, 0, 0, kAny, 4096, true},
    {"SAVE_LIMIT", 0xAC, Access::kRw, 0, 0, kAny, 4096, true},
    {"IDEMPOTENT", 0xB0, Access::kRw, 0, 0, 1, 1, true},
    {"PREEMPT_HOLD", 0xB4, Access::kRw, 0, 0, 1},
    {"SAVED", 0xB8, Access::kRo, 0, 0, 0},
    {"RATIO", 0xBC, Access::kRo, 0, 0, 0},
    {"CACHE_POLICY", 0xC0, Access::kRw, 0, 0, 3, 1, true},
    {"SM_MASK_2", 0xC4, Access::kRw, sms_of_word(2), 0, sms_of_word(2)},
    {"STACK", 0xC8, Access::kRw, 0, 0, kAny, 1, true},  // range: stack_fits
    {"SM_COUNT", 0xCC, Access::kRw, 0, 0, NUM_SMS, 1, false, true, false, nullptr, true},
    {"SM_RECORD", 0xD0, Access::kRo, 0, 0, 0},
    {"OWNED_CYCLES_LO", 0xD4, Access::kRo, 0, 0, 0},
    {"OWNED_CYCLES_HI", 0xD8, Access::kRo, 0, 0, 0},
    {"WARP_CAP", 0xDC, Access::kRw, 0, 0, WARPS_PER_SM, 1, false, false, false, nullptr, true},
    {"MEM_SPLIT", 0xE0, Access::kRw, 0, 0, kMaxSplit},
#if NUM_CMD
    {"CHANNEL", 0xE4, Access::kRo, 0, 0, 0},
#endif
    {"YIELD", 0xE8, Access::kWo, 0, 1, 1},
    {"WALK_XY", 0xEC, Access::kRw, 0, 0, kAny, 1, true, false, false, nullptr, true},
    {"WALK_Z", 0xF0, Access::kRw, 0, 0, 65535, 1, true, false, false, nullptr, true},
    {"WALK_LINEAR", 0xF4, Access::kRw, 0, 0, kAny, 1, true, false, false, nullptr, true},
    {"DEADLINE", 0xF8, Access::kRw, 0, 0, 0x7FFFFFFF, 1, false, false, false, nullptr, true},
    {"WORK", 0xFC, Access::kRw, 0, 0, kAny, 1, false, false, false, nullptr, true},
};

// What an SM shows, sm_figures_t from bit 0 up, which is the last member first; before the first of
// them stands the fault record. One row each, with the register of the selected SM that shows it.
struct Figure {
  const char *name;
  unsigned width;                         // bits of an element
  const char *shown_by = nullptr;         // the register of element 0, and its address
  uint16_t address = 0;                   // 0: none of its own
  unsigned count = 1;                     // elements
  unsigned step = 4;                      // to the register of the next element
  uint32_t (*shown)(uint32_t) = nullptr;  // what the register makes of it
};

// Valid, budget, NCS from the top in the struct; budget, valid, NCS from bit 0 up in the register.
constexpr uint32_t front_shown(uint32_t front) { return front >> 8 | (front & 0xFF) << 16; }

constexpr Figure kFigures[] = {
    {"insn", 20, nullptr, 0, 2},  // 40 bits
    {"fault_cause", 5},
    {"save_phase", 4},
    {"qaws_front", 17, "SMSEL_FRONT", 0x240, NUM_SCHED, 4, front_shown},
    {"energy_value", 32, "ENERGY_VALUE", 0xBC},
    {"l1_value", 32},
    {"stall_value", 32, "STALL_VALUE", 0x4C},
    {"snap_idle", 13, "SMSEL_IDLE", 0x200, NUM_KERNELS},
    {"quota", 31, "SMSEL_QUOTA", 0x108, NUM_KERNELS, 0x10},
    {"snap_insn", 32, "SMSEL_INSN", 0x104, NUM_KERNELS, 0x10},
    {"snap_c", 32, "SMSEL_C", 0x100, NUM_KERNELS, 0x10},
    {"snap_spent", 1, nullptr, 0, NUM_KERNELS},
};

constexpr unsigned bits_of_figures() {
  unsigned sum = 0;
  for (const Figure &f : kFigures) sum += f.width * f.count;
  return sum;
}

// STACK: no stack and nothing else, or a base that is a multiple of the stacks of a warp.
constexpr bool stack_fits(uint32_t value) {
  const uint32_t log2 = value & 31;
  if (log2 == 0) return value == 0;
  return log2 >= 4 && log2 <= 16 && (value >> 5 & 127) == 0 &&
         (value >> 12 << 12) % ((1u << log2) * WARP_SIZE) == 0;
}

inline struct qsm_config make_config() {
  struct qsm_config config = {};
  config.num_sms = NUM_SMS;
  config.num_sched = NUM_SCHED;
  config.warps_per_sm = WARPS_PER_SM;
  config.warp_size = WARP_SIZE;
  config.num_kernels = NUM_KERNELS;
  config.max_tbs = MAX_TBS;
  config.num_channels = NUM_CHANNELS;
  config.shared_bytes = SHARED_BYTES;
  config.noc_lat = NOC_LAT;
  config.qos_lat = QOS_LAT;
  config.num_groups = NUM_GROUPS;
  config.num_images = NUM_IMAGES;
  config.power_gating = POWER_GATING;
  config.partition_bits = PARTITION_BITS;
  return config;
}
const struct qsm_config kConfig = make_config();

inline const Register *find(const std::vector<Register> &table, uint16_t address) {
  for (const Register &r : table) {
    if (r.address == address) return &r;
  }
  return nullptr;
}

// Rows of stored registers without one, with the value `reset` of each.
template <class Reset>
void add_plain(std::vector<Register> &table, uint32_t (*rules)(const struct qsm_config *, uint32_t),
               bool (*fits)(const struct qsm_config *, uint32_t, uint32_t), Reset reset) {
  for (uint16_t address = 0; address < 0x100; address += 4) {
    const uint32_t is = rules(&kConfig, address);
    if (!(is & QSM_REG_IS_STORED) || find(table, address)) continue;
    const Access access = is & QSM_REG_IS_WRITABLE ? Access::kRw : Access::kRo;
    table.push_back({"by the map", address, access, reset(address), 0, kAny, 1,
                     (is & QSM_REG_IS_IDLE) != 0, (is & QSM_REG_IS_QUIET) != 0, false, fits,
                     (is & QSM_REG_IS_TENANT) != 0});
  }
}

void add_plain_registers();

#endif

// SPDX-License-Identifier: Apache-2.0
// Rules of the parameters, all in this file (docs/configuration.md).
#include "qsm_config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "qsm_enums.h"

enum kind { RANGE, POW2, ZERO_POW2 };

struct rule {
  const char *key;
  size_t offset;
  enum kind kind;
  uint32_t least, largest;
};

static const struct rule rules[] = {
#define RULE(key, sv, kind, least, largest) \
  {#key, offsetof(struct qsm_config, key), kind, least, largest},
    QSM_CONFIG_HARDWARE(RULE) QSM_CONFIG_ENVIRONMENT(RULE)
#undef RULE
};

static int refuse(char *msg, size_t msg_len, const char *key, uint32_t value, const char *rule,
                  ...) {
  char text[160];
  va_list args;
  va_start(args, rule);
  vsnprintf(text, sizeof text, rule, args);
  va_end(args);
  snprintf(msg, msg_len, "parameter '%s' = %" PRIu32 ": must be %s", key, value, text);
  return -1;
}

// "2, 4, 8, 16 or 32"
static void list_powers(char *text, size_t len, uint32_t least, uint32_t largest) {
  int used = 0;
  for (uint32_t power = least; power <= largest; power *= 2) {
    const char *separator = power == least ? "" : power == largest ? " or " : ", ";
    used += snprintf(text + used, len - (size_t)used, "%s%" PRIu32, separator, power);
  }
}

static int check_rule(const struct rule *rule, uint32_t value, char *msg, size_t msg_len) {
  const bool in_range = value >= rule->least && value <= rule->largest;
  if (rule->kind == RANGE) {
    return in_range ? 0
                    : refuse(msg, msg_len, rule->key, value, "%" PRIu32 "..%" PRIu32, rule->least,
                             rule->largest);
  }
  const bool zero_too = rule->kind == ZERO_POW2;
  if ((in_range && (value & (value - 1)) == 0) || (zero_too && value == 0)) return 0;
  char powers[96];
  list_powers(powers, sizeof powers, rule->least, rule->largest);
  return refuse(msg, msg_len, rule->key, value, "%s%s", zero_too ? "0, " : "", powers);
}

static uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }

static uint32_t binary_digits(uint32_t x) {
  uint32_t n = 0;
  for (; x > 0; x >>= 1) n++;
  return n;
}

// What the manager takes. Letters as in R-QM-11.
static uint32_t manager_cycles(const struct qsm_config *config) {
  const uint32_t p = (31 + 2 * binary_digits(config->num_sms * config->max_tbs) + 3) / 4;
  const uint32_t s = max_u32(p, config->num_sms) + 2;
  uint32_t m =
      (config->num_kernels - 1) * max_u32(36, s) + max_u32(22, s);  // scheme fair (R-SC-14)
  m = max_u32(m, config->num_kernels * max_u32(29, s));             // deadlines (R-DL-6)
  for (uint32_t q = 0; q <= config->num_kernels; q++) {
    m = max_u32(m, q * max_u32(24, s) + (config->num_kernels - q) * max_u32(1 + 20 * q, s));
  }
  return 2 * config->noc_lat + 2 * config->num_sms + p + 4 + m;
}

// At least so much that the shortest epoch has a hundred cycles (R-SP-1).
uint32_t qsm_config_qos_lat_min(const struct qsm_config *config) {
  enum { FOR_SAMPLES = 84 };  // 100 less the 16 of qsm_config_epoch_min()
  return max_u32(manager_cycles(config), FOR_SAMPLES - 2 * config->noc_lat);
}

static int check_relations(const struct qsm_config *c, char *msg, size_t msg_len) {
  if (c->warps_per_sm % c->num_sched != 0) {
    return refuse(msg, msg_len, "warps_per_sm", c->warps_per_sm,
                  "a multiple of num_sched = %" PRIu32, c->num_sched);
  }
  if (qsm_config_warps_per_sched(c) > 16) {
    return refuse(msg, msg_len, "warps_per_sm", c->warps_per_sm,
                  "at most 16 * num_sched = %" PRIu32, 16 * c->num_sched);
  }
  if (c->num_groups > c->num_kernels) {
    return refuse(msg, msg_len, "num_groups", c->num_groups, "at most num_kernels = %" PRIu32,
                  c->num_kernels);
  }
  const uint32_t shared_unit = QSM_SHARED_GRANULES * qsm_config_line_bytes(c);
  if (c->shared_bytes % shared_unit != 0) {
    return refuse(msg, msg_len, "shared_bytes", c->shared_bytes,
                  "a multiple of 32 * 4 * warp_size = %" PRIu32, shared_unit);
  }
  if (c->others_txns > c->mem_txns) {
    return refuse(msg, msg_len, "others_txns", c->others_txns, "at most mem_txns = %" PRIu32,
                  c->mem_txns);
  }
  if (c->div_lanes > c->warp_size) {
    return refuse(msg, msg_len, "div_lanes", c->div_lanes, "at most warp_size = %" PRIu32,
                  c->warp_size);
  }
  if (c->l1_kib != 0 && c->l1_kib * 1024 < c->l1_ways * qsm_config_line_bytes(c)) {
    return refuse(msg, msg_len, "l1_kib", c->l1_kib,
                  "0, or at least l1_ways lines: %" PRIu32 " bytes",
                  c->l1_ways * qsm_config_line_bytes(c));
  }
  if (c->num_sas > c->num_sms)
    return refuse(msg, msg_len, "num_sas", c->num_sas, "at most num_sms = %" PRIu32, c->num_sms);
  if (c->num_sas != 0 && c->rsp_lat != 0)
    return refuse(msg, msg_len, "rsp_lat", c->rsp_lat, "0 with num_sas = %" PRIu32, c->num_sas);
  if (c->num_sas != 0 && c->sa_banks > c->num_channels) {
    return refuse(msg, msg_len, "sa_banks", c->sa_banks, "at most num_channels = %" PRIu32,
                  c->num_channels);
  }
  const uint32_t array_lines = c->sa_banks * c->sa_ways;
  if (c->num_sas != 0 && c->sa_kib * 1024 < array_lines * qsm_config_line_bytes(c)) {
    return refuse(msg, msg_len, "sa_kib", c->sa_kib,
                  "at least sa_banks * sa_ways lines: %" PRIu32 " bytes",
                  array_lines * qsm_config_line_bytes(c));
  }
  if (c->l2_kib != 0 && c->l2_kib * 1024 < c->l2_ways * qsm_config_line_bytes(c)) {
    return refuse(msg, msg_len, "l2_kib", c->l2_kib,
                  "0, or at least l2_ways lines: %" PRIu32 " bytes",
                  c->l2_ways * qsm_config_line_bytes(c));
  }
  if (c->dram_row_bytes < qsm_config_line_bytes(c)) {
    return refuse(msg, msg_len, "dram_row_bytes", c->dram_row_bytes,
                  "at least 4 * warp_size = %" PRIu32, qsm_config_line_bytes(c));
  }
  if (c->qos_lat < qsm_config_qos_lat_min(c)) {
    return refuse(msg, msg_len, "qos_lat", c->qos_lat,
                  "at least %" PRIu32 " for this machine (qos_mgr.md, R-QM-11; R-SG-11; R-SP-1)",
                  qsm_config_qos_lat_min(c));
  }
  if (c->mem_bytes % 4096 != 0)
    return refuse(msg, msg_len, "mem_bytes", c->mem_bytes, "a multiple of 4096");
  if (c->partition_bits != 0 && c->mem_bytes != UINT32_C(1) << c->partition_bits) {
    return refuse(msg, msg_len, "partition_bits", c->partition_bits,
                  "0, or log2(mem_bytes), where mem_bytes = %" PRIu32 " is that power of two",
                  c->mem_bytes);
  }
  if (c->partition_bits != 0 && c->num_channels == 1)
    return refuse(msg, msg_len, "partition_bits", c->partition_bits, "0 with num_channels = 1");
  if (c->cmd_channels != 0 && c->warp_size < 4) {  // R-FR-8: a stamp lies in one line
    return refuse(msg, msg_len, "cmd_channels", c->cmd_channels, "0 with warp_size = %" PRIu32,
                  c->warp_size);
  }
  if (c->epoch < qsm_config_epoch_min(c)) {
    return refuse(msg, msg_len, "epoch", c->epoch, "at least qos_lat + 2 * noc_lat + 16 = %" PRIu32,
                  qsm_config_epoch_min(c));
  }
  return 0;
}

int qsm_config_check(const struct qsm_config *config, char *msg, size_t msg_len) {
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    const uint32_t value = *(const uint32_t *)((const char *)config + rules[i].offset);
    if (check_rule(&rules[i], value, msg, msg_len) != 0) return -1;
  }
  return check_relations(config, msg, msg_len);
}

// FNV-1a.
static uint64_t hash_text(uint64_t hash, const char *text) {
  for (; *text; text++) hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
  return hash;
}

uint64_t qsm_config_hash(const struct qsm_config *config) {
  uint64_t hash = hash_text(UINT64_C(0xcbf29ce484222325), QSM_ENUMS_DIGEST);
  char line[64];
#define HASH(key, sv, kind, least, largest)                        \
  snprintf(line, sizeof line, "\n" #key " %" PRIu32, config->key); \
  hash = hash_text(hash, line);
  QSM_CONFIG_HARDWARE(HASH)
#undef HASH
  return hash;
}

// SPDX-License-Identifier: Apache-2.0
// The rules of docs/configuration.md: the named configurations keep them all, and each rule refuses
// what breaks it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "qsm_config.h"
#include "qsm_config_random.h"
#include "qsm_config_yaml.h"

static struct qsm_config tiny(void) {
  struct qsm_config config;
  char msg[256];
  assert_int_equal(qsm_config_load("tiny", &config, msg, sizeof msg), 0);
  return config;
}

static void named_configurations_keep_the_rules(void **state) {
  static const char *const names[] = {"tiny",        "fpga",   "demo",  "odd",  "wang2017",
                                      "wang2017_56", "titanv", "smqos", "rdna2"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    struct qsm_config config;
    char msg[256] = "";
    const int status = qsm_config_load(names[i], &config, msg, sizeof msg);
    assert_string_equal(msg, "");
    assert_int_equal(status, 0);
    assert_string_equal(config.name, names[i]);
  }
}

static void odd_is_read_as_written(void **state) {
  struct qsm_config config;
  char msg[256];
  (void)state;
  assert_int_equal(qsm_config_load("odd", &config, msg, sizeof msg), 0);
  assert_int_equal(config.num_sms, 3);
  assert_int_equal(config.shared_bytes, 6144);
  assert_int_equal(config.l2_kib, 1);
  assert_int_equal(config.dram_queue, 5);
  assert_int_equal(config.num_images, 2);
  assert_int_equal(config.partition_bits, 26);
  assert_int_equal(qsm_config_warps_per_sched(&config), 3);
  assert_int_equal(qsm_config_line_bytes(&config), 16);
  assert_int_equal(qsm_config_granule_bytes(&config), 192);
  assert_int_equal(qsm_config_epoch_min(&config), config.qos_lat + 22);
}

#define AT(key) offsetof(struct qsm_config, key)

// From tiny, one parameter changed.
static const struct {
  const char *key;
  size_t offset;
  uint32_t value;
  const char *rule;  // NULL: allowed
} changes[] = {
    {"num_sms", AT(num_sms), 0, "1..96"},
    {"num_sms", AT(num_sms), 97, "1..96"},
    {"num_sched", AT(num_sched), 5, "1..4"},
    {"num_sched", AT(num_sched), 2, NULL},
    {"warps_per_sm", AT(warps_per_sm), 0, "1..64"},
    {"warps_per_sm", AT(warps_per_sm), 16, NULL},
    {"warps_per_sm", AT(warps_per_sm), 17, "at most 16 * num_sched = 16"},
    {"warp_size", AT(warp_size), 12, "2, 4, 8, 16 or 32"},
    {"warp_size", AT(warp_size), 1, "2, 4, 8, 16 or 32"},
    {"warp_size", AT(warp_size), 64, "2, 4, 8, 16 or 32"},
    {"warp_size", AT(warp_size), 32, NULL},
    {"num_kernels", AT(num_kernels), 9, "1..8"},
    {"max_tbs", AT(max_tbs), 33, "1..32"},
    {"shared_bytes", AT(shared_bytes), 4097, "a multiple of 32 * 4 * warp_size = 512"},
    {"shared_bytes", AT(shared_bytes), 262656, "256..262144"},
    {"mem_txns", AT(mem_txns), 12, "2, 4, 8, 16, 32, 64 or 128"},
    {"others_txns", AT(others_txns), 129, "0..128"},
    {"others_txns", AT(others_txns), 9, "at most mem_txns = 8"},
    {"others_txns", AT(others_txns), 8, NULL},
    {"others_txns", AT(others_txns), 0, NULL},
    {"num_channels", AT(num_channels), 3, "1, 2, 4, 8 or 16"},
    {"icache_lines", AT(icache_lines), 2048, "4, 8, 16, 32, 64, 128, 256, 512 or 1024"},
    {"sb_entries", AT(sb_entries), 1, "2..8"},
    {"noc_lat", AT(noc_lat), 17, "1..16"},
    {"rsp_lat", AT(rsp_lat), 256, "0..255"},
    {"rsp_lat", AT(rsp_lat), 255, NULL},
    {"num_groups", AT(num_groups), 0, "1..8"},
    {"num_groups", AT(num_groups), 9, "1..8"},
    {"num_groups", AT(num_groups), 5, "at most num_kernels = 4"},
    {"num_groups", AT(num_groups), 1, NULL},
    {"num_images", AT(num_images), 0, "1..16"},
    {"num_images", AT(num_images), 17, "1..16"},
    {"num_images", AT(num_images), 16, NULL},
    {"progress_limit", AT(progress_limit), 3, "4..255"},
    {"fpu", AT(fpu), 2, "0..1"},
    {"fpu", AT(fpu), 1, NULL},
    {"div_lanes", AT(div_lanes), 3, "0, 1, 2, 4, 8, 16 or 32"},
    {"div_lanes", AT(div_lanes), 8, "at most warp_size = 4"},
    {"div_lanes", AT(div_lanes), 4, NULL},
    {"div_lanes", AT(div_lanes), 1, NULL},
    {"l1_kib", AT(l1_kib), 3, "0, 1, 2, 4, 8, 16, 32, 64, 128 or 256"},
    {"l1_kib", AT(l1_kib), 512, "0, 1, 2, 4, 8, 16, 32, 64, 128 or 256"},
    {"l1_kib", AT(l1_kib), 1, NULL},
    {"l1_ways", AT(l1_ways), 0, "1, 2, 4, 8 or 16"},
    {"num_sas", AT(num_sas), 97, "0..96"},
    {"num_sas", AT(num_sas), 2, "at most num_sms = 1"},
    {"num_sas", AT(num_sas), 1, NULL},
    {"sa_kib", AT(sa_kib), 0, "1, 2, 4, 8, 16, 32, 64, 128, 256, 512 or 1024"},
    {"sa_kib", AT(sa_kib), 1024, NULL},
    {"sa_ways", AT(sa_ways), 3, "1, 2, 4, 8 or 16"},
    {"sa_banks", AT(sa_banks), 32, "1, 2, 4, 8 or 16"},
    {"sa_banks", AT(sa_banks), 16, NULL},
    {"l2_kib", AT(l2_kib), 3, "0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048 or 4096"},
    {"l2_kib", AT(l2_kib), 8192, "0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048 or 4096"},
    {"l2_kib", AT(l2_kib), 1, NULL},
    {"l2_ways", AT(l2_ways), 3, "1, 2, 4, 8 or 16"},
    {"l2_mshrs", AT(l2_mshrs), 0, "1..64"},
    {"l2_mshrs", AT(l2_mshrs), 65, "1..64"},
    {"l2_waiters", AT(l2_waiters), 257, "1..256"},
    {"dram_banks", AT(dram_banks), 6, "0, 1, 2, 4, 8 or 16"},
    {"dram_banks", AT(dram_banks), 16, NULL},
    {"dram_row_bytes", AT(dram_row_bytes), 131072,
     "8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768 or 65536"},
    {"dram_row_bytes", AT(dram_row_bytes), 8, "at least 4 * warp_size = 16"},
    {"dram_row_bytes", AT(dram_row_bytes), 16, NULL},
    {"dram_queue", AT(dram_queue), 65, "1..64"},
    {"dram_rcd", AT(dram_rcd), 0, "1..255"},
    {"dram_rp", AT(dram_rp), 256, "1..255"},
    {"dram_ras", AT(dram_ras), 0, "1..255"},
    {"dram_cl", AT(dram_cl), 256, "1..255"},
    {"dram_wr", AT(dram_wr), 0, "1..255"},
    {"dram_burst", AT(dram_burst), 0, "1..255"},
    {"partition_bits", AT(partition_bits), 31, "0..30"},
    {"partition_bits", AT(partition_bits), 25,
     "0, or log2(mem_bytes), where mem_bytes = 67108864 is that power of two"},
    {"partition_bits", AT(partition_bits), 26, "0 with num_channels = 1"},
    {"stall_counters", AT(stall_counters), 2, "0..1"},
    {"cmd_channels", AT(cmd_channels), 97, "0..96"},
    {"cmd_channels", AT(cmd_channels), 0, NULL},
    {"dma_entries", AT(dma_entries), 1, "2, 4, 8 or 16"},
    {"dma_entries", AT(dma_entries), 6, "2, 4, 8 or 16"},
    {"dma_entries", AT(dma_entries), 32, "2, 4, 8 or 16"},
    {"dma_entries", AT(dma_entries), 16, NULL},
    {"mem_bytes", AT(mem_bytes), 1048577, "a multiple of 4096"},
    {"mem_bytes", AT(mem_bytes), 4096, "1048576..1073741824"},
    {"mem_latency", AT(mem_latency), 0, "1..1000"},
    {"mem_interval", AT(mem_interval), 65, "1..64"},
    {"clock_mhz", AT(clock_mhz), 0, "1..10000"},
    {"epoch", AT(epoch), 1048576, "1..1048575"},
    {"link_mbytes_s", AT(link_mbytes_s), 0, "1..1000000"},
    {"link_latency_ns", AT(link_latency_ns), 1000001, "0..1000000"},
    {"link_latency_ns", AT(link_latency_ns), 0, NULL},
};

static void a_message_names_parameter_value_and_rule(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    struct qsm_config config = tiny();
    char msg[256] = "", expected[256] = "";
    memcpy((char *)&config + changes[i].offset, &changes[i].value, sizeof changes[i].value);
    if (changes[i].rule != NULL) {
      snprintf(expected, sizeof expected, "parameter '%s' = %u: must be %s", changes[i].key,
               changes[i].value, changes[i].rule);
    }
    const int status = qsm_config_check(&config, msg, sizeof msg);
    assert_string_equal(msg, expected);
    assert_int_equal(status, changes[i].rule != NULL ? -1 : 0);
  }
}

static void warps_are_split_evenly_over_sub_cores(void **state) {
  struct qsm_config config = tiny();
  char msg[256];
  (void)state;
  config.num_sched = 3;
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), -1);
  assert_string_equal(msg, "parameter 'warps_per_sm' = 4: must be a multiple of num_sched = 3");
}

static void a_stamp_lies_in_a_line(void **state) {
  struct qsm_config config = tiny();
  char msg[256];
  (void)state;
  config.warp_size = 2;
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), -1);
  assert_string_equal(msg, "parameter 'cmd_channels' = 4: must be 0 with warp_size = 2");
  config.cmd_channels = 0;
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), 0);
}

static void an_l2_holds_a_line_per_way(void **state) {
  struct qsm_config config = tiny();
  char msg[256];
  (void)state;
  config.warp_size = 32;
  config.l2_kib = 1;
  config.l2_ways = 8;
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), 0);
  config.l2_ways = 16;
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), -1);
  assert_string_equal(msg,
                      "parameter 'l2_kib' = 1: must be 0, or at least l2_ways lines: 2048 bytes");
  config.l2_kib = 0;  // none: its other parameters mean nothing
  config.l1_kib = 1;
  config.l1_ways = 16;
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), -1);
  assert_string_equal(msg,
                      "parameter 'l1_kib' = 1: must be 0, or at least l1_ways lines: 2048 bytes");
  config.l1_kib = 0;
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), 0);
}

static void banks_of_a_shader_array_have_lines_and_channels(void **state) {
  struct qsm_config config = tiny();
  char msg[256];
  (void)state;
  config.num_sas = 1;
  config.warp_size = 32;
  config.sa_kib = 1;
  config.sa_ways = 8;
  config.sa_banks = 1;
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), 0);
  config.sa_banks = 2;
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), -1);
  assert_string_equal(msg, "parameter 'sa_banks' = 2: must be at most num_channels = 1");
  config.num_channels = 2;
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), -1);
  assert_string_equal(
      msg, "parameter 'sa_kib' = 1: must be at least sa_banks * sa_ways lines: 2048 bytes");
  config.rsp_lat = 1;
  config.sa_banks = 1;
  config.sa_kib = 2;
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), -1);
  assert_string_equal(msg, "parameter 'rsp_lat' = 1: must be 0 with num_sas = 1");
  config.sa_kib = 1;
  config.sa_banks = 2;
  config.num_sas = 0;  // none: the others mean nothing
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), 0);
}

static void epoch_and_qos_lat_have_a_least_value(void **state) {
  struct qsm_config config = tiny();
  char msg[256];
  (void)state;
  config.epoch = qsm_config_epoch_min(&config);
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), 0);
  config.epoch--;
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), -1);
  assert_non_null(strstr(msg, "parameter 'epoch' = "));

  config = tiny();
  config.qos_lat = qsm_config_qos_lat_min(&config);
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), 0);
  config.qos_lat--;
  assert_int_equal(qsm_config_check(&config, msg, sizeof msg), -1);
  assert_non_null(strstr(msg, "parameter 'qos_lat' = "));
}

static void least_qos_lat_is_that_of_the_page(void **state) {
  static const struct {
    const char *name;
    uint32_t least;
  } of_page[] = {{"tiny", 151},  {"fpga", 160},        {"demo", 164},
                 {"odd", 120},   {"wang2017", 198},    {"smqos", 219},
                 {"rdna2", 300}, {"wang2017_56", 381}, {"titanv", 522}};  // R-SC-14
  (void)state;
  for (size_t i = 0; i < sizeof of_page / sizeof of_page[0]; i++) {
    struct qsm_config config;
    char msg[256];
    assert_int_equal(qsm_config_load(of_page[i].name, &config, msg, sizeof msg), 0);
    assert_int_equal(qsm_config_qos_lat_min(&config), of_page[i].least);
  }
}

// R-SG-11, R-QM-11: the QoS manager of no machine is done before the SM manager. More blocks make
// the QoS manager slower.
static void the_sm_manager_is_done_before_the_load(void **state) {
  static const struct {
    const char *name;
    uint32_t sm_lat;
  } of_page[] = {{"tiny", 108},  {"odd", 89},          {"demo", 114},
                 {"fpga", 112},  {"wang2017", 130},    {"smqos", 138},
                 {"rdna2", 154}, {"wang2017_56", 170}, {"titanv", 194}};
  struct qsm_config config = tiny();
  (void)state;
  config.max_tbs = 1;
  for (config.noc_lat = 1; config.noc_lat <= 16; config.noc_lat++)
    for (config.num_sms = 1; config.num_sms <= QSM_MAX_SMS; config.num_sms++)
      for (config.num_kernels = 1; config.num_kernels <= 8; config.num_kernels++)
        assert_true(qsm_config_sm_lat(&config) < qsm_config_qos_lat_min(&config));
  for (size_t i = 0; i < sizeof of_page / sizeof of_page[0]; i++) {
    char msg[256];
    assert_int_equal(qsm_config_load(of_page[i].name, &config, msg, sizeof msg), 0);
    assert_int_equal(qsm_config_sm_lat(&config), of_page[i].sm_lat);
    assert_true(config.qos_lat > of_page[i].sm_lat);
  }
}

// R-SP-1: with one slot on one SM the manager is done before an epoch has room for its samples.
static void the_shortest_epoch_has_a_hundred_cycles(void **state) {
  struct qsm_config config = tiny();
  (void)state;
  config.num_kernels = 1;
  config.max_tbs = 1;
  for (config.noc_lat = 1; config.noc_lat <= 16; config.noc_lat++) {
    config.qos_lat = qsm_config_qos_lat_min(&config);
    assert_true(qsm_config_epoch_min(&config) >= 100);
    if (config.noc_lat == 1) assert_int_equal(qsm_config_epoch_min(&config), 100);
  }
}

static void a_refused_file_leaves_the_struct_alone(void **state) {
  struct qsm_config config = tiny(), before = config;
  char msg[256] = "";
  (void)state;
  assert_int_equal(qsm_config_load("no_such_configuration", &config, msg, sizeof msg), -1);
  assert_non_null(strstr(msg, "no_such_configuration.yaml"));
  assert_memory_equal(&config, &before, sizeof config);
}

static void random_configurations_are_small_legal_and_different(void **state) {
  struct qsm_config config, again;
  char msg[256];
  uint32_t sms = 0, subs = 0, warps = 0, lanes = 0, kernels = 0, memory = 0, arrays = 0,
           late = 0,  // sizes seen; with and without L1, L2 and memory controller
      partition = 0, front = 0;
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    assert_int_equal(qsm_config_random(seed, &config, msg, sizeof msg), 0);
    assert_int_equal(qsm_config_random(seed, &again, msg, sizeof msg), 0);
    assert_memory_equal(&config, &again, sizeof config);
    assert_int_equal(qsm_config_check(&config, msg, sizeof msg), 0);
    front |= 1u << (config.cmd_channels != 0);
    sms |= 1u << config.num_sms;
    subs |= 1u << config.num_sched;
    warps |= 1u << qsm_config_warps_per_sched(&config);
    lanes |= config.warp_size;
    kernels |= 1u << config.num_kernels;
    memory |=
        1u << ((config.l2_kib != 0) + 2 * (config.dram_banks != 0) + 4 * (config.l1_kib != 0));
    arrays |= 1u << config.num_sas;
    late |= config.rsp_lat == 0 ? 1 : config.rsp_lat <= 20 ? 2 : 4;
    if (config.num_channels > 1) partition |= 1u << config.partition_bits;
  }
  assert_int_equal(front, 3);
  assert_int_equal(sms, 0xE);
  assert_int_equal(subs, 0x6);
  assert_int_equal(warps, 0xFE);
  assert_int_equal(lanes, 2 | 4 | 8);
  assert_int_equal(kernels, 0x3E);
  assert_int_equal(memory, 0xFF);
  assert_int_equal(arrays, 0xF);
  assert_int_equal(late, 7);
  assert_int_equal(partition, 1 | 1 << 20 | 1 << 21);
}

static void a_random_configuration_is_read_as_printed(void **state) {
  struct qsm_config config, read;
  char msg[256], folder[] = "/tmp/qsm-config-XXXXXX", path[64];
  (void)state;
  assert_int_equal(qsm_config_random(7, &config, msg, sizeof msg), 0);
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/random-7.yaml", folder);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  qsm_config_print_yaml(&config, out);
  assert_int_equal(fclose(out), 0);
  assert_int_equal(qsm_config_load(path, &read, msg, sizeof msg), 0);
  assert_memory_equal(&config, &read, sizeof config);
  remove(path);
  remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(named_configurations_keep_the_rules),
      cmocka_unit_test(odd_is_read_as_written),
      cmocka_unit_test(a_message_names_parameter_value_and_rule),
      cmocka_unit_test(warps_are_split_evenly_over_sub_cores),
      cmocka_unit_test(a_stamp_lies_in_a_line),
      cmocka_unit_test(an_l2_holds_a_line_per_way),
      cmocka_unit_test(banks_of_a_shader_array_have_lines_and_channels),
      cmocka_unit_test(epoch_and_qos_lat_have_a_least_value),
      cmocka_unit_test(least_qos_lat_is_that_of_the_page),
      cmocka_unit_test(the_sm_manager_is_done_before_the_load),
      cmocka_unit_test(the_shortest_epoch_has_a_hundred_cycles),
      cmocka_unit_test(a_refused_file_leaves_the_struct_alone),
      cmocka_unit_test(random_configurations_are_small_legal_and_different),
      cmocka_unit_test(a_random_configuration_is_read_as_printed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

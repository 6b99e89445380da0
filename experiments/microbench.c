// SPDX-License-Identifier: Apache-2.0
// What the machine's parts take, measured by kernels as dissections of GPUs do it
// (micro_kernels.c): latency and throughput of operations, pointer chases, bank conflicts, atomics,
// bandwidth of each level. Each run is a launch on a GPU of its own, with empty caches. Writes
// tables in Markdown, beside published figures of two GPUs.
#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qsm_config.h"
#include "qsm_runtime.h"
#include "qsm_tables.h"

enum {
  EXIT_BAD_INPUT = 2,       // as of qsm
  CYCLE_LIMIT = 200000000,  // of a launch
  MORE_COPIES = 16,         // of the second loop (micro_kernels.c)
  MAX_BLOCK = 1024,         // threads
  SHORT = 4,                // rounds
  ATOMICS = 8,              // of each thread, for their rate
};

struct bench {
  struct qsm_tables tables;
  const char *config_name, *program, *part;
  struct qsm_config config;
  // Of the run:
  qsmDevice_t device;
  qsmContext_t context;
  uint32_t output, n_warps;
  double span[2], latency[2];  // of the loops: cycles from the first warp's begin to the last
                               // one's end, and of warp 0
};

// ---- A launch ----

static int fail_as(struct bench *bench, const char *what, qsmError_t error) {
  char why[256];
  snprintf(why, sizeof why, "%s: %.150s", qsmGetErrorString(error),
           bench->device ? qsmGetLastErrorText(bench->device) : "");
  return qsm_tables_fail(&bench->tables, what, why);
}

static uint32_t lines(const struct bench *bench, uint32_t n) {
  return n * qsm_config_line_bytes(&bench->config);
}

static void close_run(struct bench *bench) {
  if (bench->device) qsmDeviceClose(bench->device);
  bench->device = NULL;
}

static int open_run(struct bench *bench) {
  char why[256];
  bench->device = NULL;
  if (qsmDeviceOpen("model", bench->config_name, NULL, &bench->device, why, sizeof why))
    return qsm_tables_fail(&bench->tables, bench->config_name, why);
  bench->config = *qsmDeviceConfig(bench->device);
  qsmError_t error = qsmContextCreate(bench->device, &bench->context);
  if (!error) error = qsmModuleLoad(bench->context, bench->program);
  return error ? fail_as(bench, bench->program, error) : 0;
}

static void note_times(struct bench *bench, const uint32_t *times) {
  for (uint32_t loop = 0; loop < 2; loop++) {
    uint32_t begin = times[2 * loop], last = 0;
    for (uint32_t w = 0; w < bench->n_warps; w++)
      if ((int32_t)(times[4 * w + 2 * loop] - begin) < 0) begin = times[4 * w + 2 * loop];
    for (uint32_t w = 0; w < bench->n_warps; w++)
      if (times[4 * w + 2 * loop + 1] - begin > last) last = times[4 * w + 2 * loop + 1] - begin;
    bench->span[loop] = last;
    bench->latency[loop] = times[2 * loop + 1] - times[2 * loop];
  }
}

// args[0] is the output's address.
static int launch(struct bench *bench, const char *kernel, uint32_t blocks, uint32_t threads,
                  uint32_t *args, uint32_t n_args, uint32_t shared_bytes) {
  const uint32_t lanes = bench->config.warp_size;
  bench->n_warps = blocks * ((threads + lanes - 1) / lanes);
  const size_t bytes = 16 * (size_t)bench->n_warps;
  uint32_t *times = malloc(bytes);
  if (!times) return qsm_tables_fail(&bench->tables, kernel, "out of memory");
  qsmError_t error = qsmMalloc(bench->context, bytes, &args[0]);
  if (!error)
    error = qsmLaunchKernel(bench->context, kernel, (qsmDim3){blocks, 1, 1},
                            (qsmDim3){threads, 1, 1}, args, n_args, shared_bytes, NULL, NULL, NULL);
  if (!error) error = qsmContextSynchronize(bench->context, CYCLE_LIMIT);
  if (!error) error = qsmMemcpyDtoH(bench->context, times, args[0], bytes);
  if (!error) note_times(bench, times);
  free(times);
  return error ? fail_as(bench, kernel, error) : 0;
}

// Cycles from one copy of the instruction to the next, in warp 0 and for all warps.
static double one_more(const double *cycles, uint32_t rounds) {
  return (cycles[1] - cycles[0]) / (MORE_COPIES * rounds);
}

// ---- Words that hold addresses ----

static int put_word(struct bench *bench, uint32_t address, uint32_t word) {
  qsmError_t error = qsmMemcpyHtoD(bench->context, address, &word, 4);
  return error ? fail_as(bench, "a pointer", error) : 0;
}

// n words, `stride` bytes apart; each holds the address of the next one, the last that of the
// first, or each its own.
static int put_words(struct bench *bench, uint32_t n, uint32_t stride, bool own, uint32_t *first) {
  qsmError_t error = qsmMalloc(bench->context, (size_t)n * stride, first);
  if (error) return fail_as(bench, "words", error);
  for (uint32_t i = 0; i < n; i++)
    if (put_word(bench, *first + i * stride, *first + (own ? i : (i + 1) % n) * stride)) return -1;
  return 0;
}

// ---- Measurements: each sets *value ----

struct figure;
typedef int (*measurement)(struct bench *bench, const struct figure *figure, double *value);

struct figure {
  const char *table, *name, *unit;
  measurement measure;
  const char *kernel;
  uint32_t a, b;           // as its measurement has them
  bool fpu, l1, l2, dram;  // what the GPU must have
  // Published for the generations of wang2017 and titanv, each with its source.
  double maxwell;
  const char *maxwell_source;
  double volta;
  const char *volta_source;
};

static uint32_t whole_block(const struct bench *bench) {
  const uint32_t threads = bench->config.warps_per_sm * bench->config.warp_size;
  return threads < MAX_BLOCK ? threads : MAX_BLOCK;
}

// Of `a` warps, 0: as many as a block may have; of one thread where b is 1.
static uint32_t threads_of(const struct bench *bench, const struct figure *figure) {
  const uint32_t most = whole_block(bench), wanted = figure->a * bench->config.warp_size;
  if (figure->b == 1) return 1;
  return figure->a == 0 || wanted > most ? most : wanted;
}

static int latency(struct bench *bench, const struct figure *figure, double *value) {
  uint32_t args[2] = {0, SHORT};
  if (launch(bench, figure->kernel, 1, threads_of(bench, figure), args, 2, 0)) return -1;
  *value = one_more(bench->latency, SHORT);
  return 0;
}

// Operations of all lanes per cycle of the SM: 64 more in each thread.
static int throughput(struct bench *bench, const struct figure *figure, double *value) {
  const uint32_t threads = threads_of(bench, figure);
  uint32_t args[1] = {0};
  if (launch(bench, figure->kernel, 1, threads, args, 1, 0)) return -1;
  *value = threads / one_more(bench->span, 4);
  return 0;
}

// a: lanes that go the other way, as a mask of their numbers.
static int ways(struct bench *bench, const struct figure *figure, double *value) {
  uint32_t args[3] = {0, SHORT, figure->a};
  if (launch(bench, figure->kernel, 1, bench->config.warp_size, args, 3, 0)) return -1;
  *value = one_more(bench->latency, SHORT);
  return 0;
}

static int shared_words(struct bench *bench, const char *kernel, uint32_t threads, uint32_t apart) {
  const uint32_t lanes = bench->config.warp_size, words = lanes * (apart > 4 ? apart / 4 : 1);
  uint32_t args[4] = {0, SHORT, apart, words};
  return launch(bench, kernel, 1, threads, args, 4, 4 * words);
}

// One thread, or a warp whose words lie `a` words apart; a = 1000: in one bank.
static int in_shared(struct bench *bench, const struct figure *figure, double *value) {
  const uint32_t lanes = bench->config.warp_size;
  const uint32_t apart = figure->a == 1000 ? lanes : figure->a;
  if (shared_words(bench, figure->kernel, figure->b == 1 ? 1 : lanes, 4 * apart)) return -1;
  *value = one_more(bench->latency, SHORT);
  return 0;
}

static int shared_bandwidth(struct bench *bench, const struct figure *figure, double *value) {
  const uint32_t threads = whole_block(bench);
  uint32_t args[3] = {0, SHORT, bench->config.warp_size};
  if (launch(bench, figure->kernel, 1, threads, args, 3, 4 * bench->config.warp_size)) return -1;
  *value = 4 * threads / one_more(bench->span, SHORT);
  return 0;
}

static int chase(struct bench *bench, uint32_t footprint, uint32_t stride, uint32_t rounds,
                 bool warm, double *value) {
  const uint32_t n = footprint / stride;
  uint32_t args[4] = {0, rounds, 0, warm ? n : 1};
  if (put_words(bench, n, stride, false, &args[2])) return -1;
  if (launch(bench, "chase", 1, 1, args, 4, 0)) return -1;
  *value = one_more(bench->latency, rounds);
  return 0;
}

static uint32_t l2_bytes(const struct bench *bench) {
  return 1024 * bench->config.l2_kib * bench->config.num_channels;
}

static int chase_l1(struct bench *bench, const struct figure *figure, double *value) {
  (void)figure;
  return chase(bench, 512 * bench->config.l1_kib, lines(bench, 1), SHORT, true, value);
}

static int chase_l2(struct bench *bench, const struct figure *figure, double *value) {
  (void)figure;
  return chase(bench, l2_bytes(bench) / 2, lines(bench, 1), SHORT, true, value);
}

// Lines that nobody has asked for; a: next to each other, or each in another row of one bank.
static int chase_memory(struct bench *bench, const struct figure *figure, double *value) {
  const uint32_t rows = bench->config.num_channels * bench->config.dram_row_bytes *
                        (bench->config.dram_banks ? bench->config.dram_banks : 1);
  const uint32_t stride = figure->a ? rows : lines(bench, 1), n = 3 * MORE_COPIES * (SHORT + 1) + 2;
  return chase(bench, n * stride, stride, SHORT, false, value);
}

// One thread: b is 1; else `a` words between two lanes' words, 1000: a line each.
static int device_atomic(struct bench *bench, const struct figure *figure, double *value) {
  const uint32_t lanes = bench->config.warp_size;
  const uint32_t apart = figure->a == 1000 ? lines(bench, 1) : 4 * figure->a;
  uint32_t args[5] = {0, SHORT, 0, apart, 0};
  if (put_words(bench, lanes, apart ? apart : 4, true, &args[2])) return -1;
  if (launch(bench, figure->kernel, 1, figure->b == 1 ? 1 : lanes, args, 5, 0)) return -1;
  *value = one_more(bench->latency, SHORT);
  return 0;
}

static uint32_t blocks_of_gpu(const struct bench *bench) {
  return bench->config.num_sms * bench->config.warps_per_sm * bench->config.warp_size /
         whole_block(bench);
}

// Of the whole GPU, per cycle: all on one word, or (a) each warp on a line of its own.
static int atomics_per_cycle(struct bench *bench, const struct figure *figure, double *value) {
  const uint32_t blocks = bench->config.num_sms, threads = whole_block(bench);
  const uint32_t words = figure->a ? blocks * threads : 1;
  uint32_t args[5] = {0, 1, 0, figure->a ? 4 : 0, figure->a ? lines(bench, 1) : 0};
  if (put_words(bench, words, 4, true, &args[2])) return -1;
  if (launch(bench, figure->kernel, blocks, threads, args, 5, 0)) return -1;
  *value = ATOMICS * blocks * threads / bench->span[0];
  return 0;
}

// All warps of an SM load the same few lines.
static int l1_bandwidth(struct bench *bench, const struct figure *figure, double *value) {
  const uint32_t threads = whole_block(bench);
  uint32_t args[3] = {0, SHORT, 0};
  qsmError_t error = qsmMalloc(bench->context, lines(bench, 8), &args[2]);
  if (error) return fail_as(bench, "lines", error);
  if (launch(bench, figure->kernel, 1, threads, args, 3, 0)) return -1;
  *value = 4 * threads / one_more(bench->span, SHORT);
  return 0;
}

// All warps of the GPU take `turns` times the lines of `bytes`, past the L1.
static int stream(struct bench *bench, const char *kernel, uint32_t bytes, uint32_t passes,
                  uint32_t turns, double *value) {
  const uint32_t blocks = blocks_of_gpu(bench), threads = whole_block(bench);
  const uint32_t step = blocks * threads * 4;
  bytes = (bytes + 8 * step - 1) / (8 * step) * 8 * step;
  uint32_t args[6] = {0, passes, 0, bytes, step, turns};
  qsmError_t error = qsmSetCachePolicy(bench->context, qsmCacheSkipL1);
  if (!error) error = qsmMalloc(bench->context, bytes, &args[2]);
  if (error) return fail_as(bench, "lines", error);
  if (launch(bench, kernel, blocks, threads, args, 6, 0)) return -1;
  *value = (double)bytes * turns / bench->span[0];
  return 0;
}

static int l2_bandwidth(struct bench *bench, const struct figure *figure, double *value) {
  return stream(bench, figure->kernel, l2_bytes(bench) / 2, 2, 8, value);
}

static int memory_bandwidth(struct bench *bench, const struct figure *figure, double *value) {
  const uint32_t l2 = l2_bytes(bench);
  return stream(bench, figure->kernel, l2 ? 8 * l2 : 1 << 20, 1, 1, value);
}

// ---- What is measured, and what is published ----
#define ARAFA "[1]"
#define SIMULATOR "[2]"
#define CLPEAK "[3]"
#define TITAN_V "[4]"
#define BANKS "[5]"

static const char *const sources =
    "1. Arafa et al., Low Overhead Instruction Latency Characterization for NVIDIA GPGPUs (HPEC 2019), as the"
    " simulator PPT-GPU has its figures: `units_latency` and `ptx_isa` of `PPT-GPU/hardware/ISA/Maxwell.py` and"
    " `Volta.py` in the repository lanl/PPT. Memory: load to use by a pointer chase. Divisions and square roots are"
    " routines of several instructions there, one instruction here.\n"
    "2. GPGPU-Sim, the simulator of the papers: width of the L2's data port, 32 bytes per cycle and sub-partition, two"
    " sub-partitions per memory controller (`gpgpu_cache:dl2` and `gpgpu_n_sub_partition_per_mchannel` of"
    " `gpgpusim.config` of its GTX480), for four controllers. That of its GeForceGTX750Ti (Maxwell) has one"
    " sub-partition, so half.\n"
    "3. clpeak's published log of a GeForce GTX 980 at 1266 MHz (`results/NVIDIA_CUDA/GeForce_GTX_980.log` of"
    " krrishnarraj/clpeak): 4920 GFLOPS, 1446 GIOPS and 174.8 GB/s, of 224 that the memory has; two operations to a"
    " fused multiply-add.\n"
    "4. PPT-GPU's `PPT-GPU/hardware/TITANV.py`: bandwidth of network and memory, \"measured through microbenchmarking\","
    " at 1200 MHz.\n"
    "5. Mei and Chu, Dissecting GPU Memory Hierarchy through Microbenchmarking (arXiv:1509.02308), section 6.1: 32 banks"
    " of 4 bytes, the peak.\n";

// Positional: table, name, unit, measure, kernel, a, b.
static const struct figure figures[] = {
    {"latency", "integer addition", "cycles", latency, "op_add", 0, 1, .maxwell = 6,
     .maxwell_source = ARAFA, .volta = 4, .volta_source = ARAFA},
    {"latency", "integer multiplication", "cycles", latency, "op_mul", 0, 1, .maxwell = 12,
     .maxwell_source = ARAFA, .volta = 4, .volta_source = ARAFA},
    {"latency", "integer division", "cycles", latency, "op_div", 0, 1, .maxwell = 130,
     .maxwell_source = ARAFA, .volta = 71, .volta_source = ARAFA},
    {"latency", "float addition", "cycles", latency, "op_fadd", 0, 1, .fpu = true, .maxwell = 6,
     .maxwell_source = ARAFA, .volta = 4, .volta_source = ARAFA},
    {"latency", "float multiplication", "cycles", latency, "op_fmul", 0, 1, .fpu = true,
     .maxwell = 6, .maxwell_source = ARAFA, .volta = 4, .volta_source = ARAFA},
    {"latency", "float multiply-add", "cycles", latency, "op_fma", 0, 1, .fpu = true, .maxwell = 6,
     .maxwell_source = ARAFA, .volta = 4, .volta_source = ARAFA},
    {"latency", "float division", "cycles", latency, "op_fdiv", 0, 1, .fpu = true, .maxwell = 450,
     .maxwell_source = ARAFA, .volta = 335, .volta_source = ARAFA},
    {"latency", "float square root", "cycles", latency, "op_fsqrt", 0, 1, .fpu = true,
     .maxwell = 360, .maxwell_source = ARAFA, .volta = 60, .volta_source = ARAFA},
    {"latency", "integer to float", "cycles", latency, "op_convert", 0, 1, .fpu = true,
     .maxwell = 6, .maxwell_source = ARAFA, .volta = 4, .volta_source = ARAFA},
    {"latency", "jump", "cycles", latency, "op_jump", 0, .b = 1},
    {"latency", "if and else of four additions, one way", "cycles", ways, "op_ways", 0, .b = 0},
    {"latency", "if and else of four additions, both ways", "cycles", ways, "op_ways", 1, .b = 0},
    {"latency", "barrier of a warp", "cycles", latency, "op_barrier", 1, .b = 0},
    {"latency", "barrier of 8 warps", "cycles", latency, "op_barrier", 8, .b = 0},
    {"latency", "barrier of a whole block", "cycles", latency, "op_barrier", 0, .b = 0},

    {"throughput", "integer addition", "per cycle and SM", throughput, "many_add", 0, .b = 0},
    {"throughput", "integer multiplication", "per cycle and SM", throughput, "many_mul", 0, 0,
     .maxwell = 1446 / 1.266 / 2 / 16, .maxwell_source = CLPEAK},
    {"throughput", "integer division", "per cycle and SM", throughput, "many_div", 0, .b = 0},
    {"throughput", "float addition", "per cycle and SM", throughput, "many_fadd", 0, 0,
     .fpu = true},
    {"throughput", "float multiply-add", "per cycle and SM", throughput, "many_fma", 0, 0,
     .fpu = true, .maxwell = 4920 / 1.266 / 2 / 16, .maxwell_source = CLPEAK},
    {"throughput", "float addition and integer addition in turns", "per cycle and SM", throughput,
     "many_mixed", 0, 0, .fpu = true},
    {"throughput", "float division", "per cycle and SM", throughput, "many_fdiv", 0, 0,
     .fpu = true},
    {"throughput", "float square root", "per cycle and SM", throughput, "many_fsqrt", 0, 0,
     .fpu = true},

    {"memory", "shared memory", "cycles", in_shared, "shared_load", 0, 1, .maxwell = 35,
     .maxwell_source = ARAFA, .volta = 33, .volta_source = ARAFA},
    {"memory", "L1", "cycles", chase_l1, NULL, 0, 0, .l1 = true, .maxwell = 110,
     .maxwell_source = ARAFA, .volta = 33, .volta_source = ARAFA},
    {"memory", "L2", "cycles", chase_l2, NULL, 0, 0, .l2 = true, .maxwell = 250,
     .maxwell_source = ARAFA, .volta = 213, .volta_source = ARAFA},
    {"memory", "memory, the next line", "cycles", chase_memory, NULL, 0, 0, .maxwell = 379,
     .maxwell_source = ARAFA, .volta = 302, .volta_source = ARAFA},
    {"memory", "memory, another row of the bank", "cycles", chase_memory, NULL, 1, 0, .dram = true},

    {"atomics", "shared memory, one thread", "cycles", in_shared, "shared_atomic", 0, .b = 1},
    {"atomics", "shared memory, a warp, one word each", "cycles", in_shared, "shared_atomic", 1,
     .b = 0},
    {"atomics", "shared memory, a warp, one word", "cycles", in_shared, "shared_atomic", 0, .b = 0},
    {"atomics", "shared memory, a warp, one bank", "cycles", in_shared, "shared_atomic", 1000,
     .b = 0},
    {"atomics", "device memory, one thread", "cycles", device_atomic, "device_atomic", 0, 1,
     .maxwell = 245, .maxwell_source = ARAFA, .volta = 245, .volta_source = ARAFA},
    {"atomics", "device memory, a warp, one word", "cycles", device_atomic, "device_atomic", 0,
     .b = 0},
    {"atomics", "device memory, a warp, one line", "cycles", device_atomic, "device_atomic", 1,
     .b = 0},
    {"atomics", "device memory, a warp, a line each", "cycles", device_atomic, "device_atomic",
     1000, .b = 0},
    {"atomics", "device memory, all threads, one word", "per cycle and GPU", atomics_per_cycle,
     "device_atomic_stream", 0, .b = 0},
    {"atomics", "device memory, all threads, a word each", "per cycle and GPU", atomics_per_cycle,
     "device_atomic_stream", 1, .b = 0},

    {"bandwidth", "shared memory", "bytes per cycle and SM", shared_bandwidth, "shared_stream", 0,
     0, .maxwell = 128, .maxwell_source = BANKS, .volta = 128, .volta_source = BANKS},
    {"bandwidth", "L1", "bytes per cycle and SM", l1_bandwidth, "device_stream", 0, 0, .l1 = true},
    {"bandwidth", "L2, loads", "bytes per cycle", l2_bandwidth, "stream", 0, 0, .l2 = true,
     .maxwell = 256, .maxwell_source = SIMULATOR, .volta = 1140 / 1.2, .volta_source = TITAN_V},
    {"bandwidth", "L2, stores", "bytes per cycle", l2_bandwidth, "stream_out", 0, 0, .l2 = true},
    {"bandwidth", "memory, loads", "GB/s", memory_bandwidth, "stream", 0, 0, .maxwell = 174.8,
     .maxwell_source = CLPEAK, .volta = 565, .volta_source = TITAN_V},
    {"bandwidth", "memory, stores", "GB/s", memory_bandwidth, "stream_out", 0, .b = 0},
};

// ---- Tables ----

// 10, of which three digits count.
static void print_value(FILE *table, double value) {
  fprintf(table, value >= 100 ? " %.0f |" : value >= 10 ? " %.1f |" : " %.2f |", value);
}

static void print_published(FILE *table, double ours, double published, const char *source) {
  if (!source) {
    fputs(" – | – |", table);
    return;
  }
  fprintf(table, " %.4g %s | %.2f |", published, source, ours / published);
}

static bool is_there(const struct bench *bench, const struct figure *figure) {
  const struct qsm_config *config = &bench->config;
  return (!figure->fpu || config->fpu) && (!figure->l1 || config->l1_kib) &&
         (!figure->l2 || config->l2_kib) && (!figure->dram || config->dram_banks);
}

static int measure_figure(struct bench *bench, const struct figure *figure, FILE *table) {
  double value;
  if (open_run(bench)) return -1;
  if (!is_there(bench, figure)) {
    close_run(bench);
    return 0;
  }
  int failed = figure->measure(bench, figure, &value);
  close_run(bench);
  if (failed) return -1;
  if (strcmp(figure->unit, "GB/s") == 0) value *= bench->config.clock_mhz / 1000.0;
  fprintf(table, "| %s | %s |", figure->name, figure->unit);
  print_value(table, value);
  print_published(table, value, figure->maxwell, figure->maxwell_source);
  print_published(table, value, figure->volta, figure->volta_source);
  fputc('\n', table);
  return 0;
}

static int measure_table(struct bench *bench, const char *name) {
  FILE *table = qsm_tables_open(&bench->tables, name);
  int failed = 0;
  if (!table) return -1;
  fputs(
      "| figure | unit | ours | Maxwell | ours / it | Volta | ours / it |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
      table);
  for (size_t i = 0; i < sizeof figures / sizeof *figures && !failed; i++)
    if (strcmp(figures[i].table, name) == 0) failed = measure_figure(bench, &figures[i], table);
  return qsm_tables_close(&bench->tables, table, failed);
}

// Lanes that want different words of one bank: each takes a pass of its own.
static int measure_conflicts(struct bench *bench, FILE *table) {
  double first = 0;
  fputs("| lanes on a bank | cycles | more than without conflict |\n| ---: | ---: | ---: |\n",
        table);
  for (uint32_t n = 1; n <= bench->config.warp_size; n *= 2) {
    if (open_run(bench)) return -1;
    int failed = shared_words(bench, "shared_load", bench->config.warp_size, 4 * n);
    close_run(bench);
    if (failed) return -1;
    const double cycles = one_more(bench->latency, SHORT);
    if (n == 1) first = cycles;
    fprintf(table, "| %u | %.4g | %.4g |\n", n, cycles, cycles - first);
  }
  return 0;
}

// Pointer chases over ever more bytes, each once before it is timed; strides in lines.
static int measure_chases(struct bench *bench, FILE *table) {
  static const uint32_t strides[] = {1, 2, 8};
  const uint32_t l1 = 1024 * bench->config.l1_kib, l2 = l2_bytes(bench);
  const uint32_t most = l2 ? 4 * l2 : l1 ? 4 * l1 : lines(bench, 512);
  fputs("| footprint, KiB |", table);
  for (size_t i = 0; i < 3; i++) fprintf(table, " stride of %u bytes |", lines(bench, strides[i]));
  fputs("\n| ---: | ---: | ---: | ---: |\n", table);
  for (uint32_t bytes = lines(bench, 32); bytes <= most; bytes *= 2) {
    fprintf(table, "| %g |", bytes / 1024.0);
    for (size_t i = 0; i < 3; i++) {
      double cycles;
      if (open_run(bench)) return -1;
      int failed = chase(bench, bytes, lines(bench, strides[i]), 16, true, &cycles);
      close_run(bench);
      if (failed) return -1;
      fprintf(table, " %.1f |", cycles);
    }
    fputc('\n', table);
  }
  return 0;
}

static int with_table(struct bench *bench, const char *name,
                      int (*measure)(struct bench *bench, FILE *table)) {
  FILE *table = qsm_tables_open(&bench->tables, name);
  return table ? qsm_tables_close(&bench->tables, table, measure(bench, table)) : -1;
}

static int write_sources(struct bench *bench, FILE *table) {
  (void)bench;
  fputs(sources, table);
  return 0;
}

static int write_setting(struct bench *bench, FILE *table) {
  if (open_run(bench)) return -1;
  const struct qsm_config *config = &bench->config;
  fprintf(
      table,
      "Configuration %s: %u SMs of %u sub-cores, %u lanes, L1 of %u KiB with %u ways, %u channels with L2 slices"
      " of %u KiB, responses %u cycles on their way, at %u MHz.\n",
      config->name, config->num_sms, config->num_sched, config->warp_size, config->l1_kib,
      config->l1_ways, config->num_channels, config->l2_kib, config->noc_lat + config->rsp_lat,
      config->clock_mhz);
  close_run(bench);
  return 0;
}

static const char *const parts[] = {"latency",   "throughput", "memory", "atomics",
                                    "bandwidth", "conflicts",  "chases"};

static int measure_part(struct bench *bench, const char *part) {
  if (strcmp(part, "conflicts") == 0) return with_table(bench, part, measure_conflicts);
  if (strcmp(part, "chases") == 0) return with_table(bench, part, measure_chases);
  return measure_table(bench, part);
}

static int measure_all(struct bench *bench) {
  bool known = !bench->part;
  if (with_table(bench, "setting", write_setting) || with_table(bench, "sources", write_sources))
    return -1;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (bench->part && strcmp(bench->part, parts[i]) != 0) continue;
    known = true;
    if (measure_part(bench, parts[i])) return -1;
  }
  return known ? 0 : qsm_tables_fail(&bench->tables, bench->part, "no such part");
}

// ---- The command ----

static const struct argp_option option_table[] = {
    {"config", 'c', "NAME", 0, "configuration: a name in configs/ or a path (default wang2017)", 0},
    {"part", 'p', "NAME", 0,
     "only latency, throughput, memory, atomics, bandwidth, conflicts or chases", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  struct bench *bench = state->input;
  switch (key) {
    case 'c': bench->config_name = arg; break;
    case 'p': bench->part = arg; break;
    case ARGP_KEY_ARG:
      if (state->arg_num == 0) {
        bench->program = arg;
      } else if (state->arg_num == 1) {
        bench->tables.folder = arg;
      } else {
        argp_error(state, "too many arguments: '%s'", arg);
      }
      break;
    case ARGP_KEY_END:
      if (state->arg_num < 2) argp_error(state, "which PROGRAM and FOLDER?");
      break;
    default: return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

int main(int argc, char **argv) {
  static const struct argp argp = {
      .options = option_table,
      .parser = parse,
      .args_doc = "PROGRAM FOLDER",
      .doc =
          "Latency, throughput and bandwidth of a configuration's parts, by kernels of PROGRAM"
          " (micro_kernels.c), into tables in FOLDER."};
  struct bench bench = {.config_name = "wang2017"};
  argp_err_exit_status = EXIT_BAD_INPUT;
  argp_parse(&argp, argc, argv, 0, NULL, &bench);
  if (measure_all(&bench) == 0) return 0;
  close_run(&bench);
  fprintf(stderr, "microbench: %s\n", bench.tables.msg);
  return 1;
}

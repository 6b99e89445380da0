// SPDX-License-Identifier: Apache-2.0
// What the suite's programs are like: each alone on the model, one pass at sizes S, M and one more,
// with the events of the GPU counted. Writes tables in Markdown.
//
//   programs CONFIG SIZE FOLDER [PROGRAM ...]     build/programs wang2017 L build/sweeps/programs
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qsm_backend.h"
#include "qsm_passes.h"
#include "qsm_runtime.h"
#include "qsm_suite.h"

#define MAX_CYCLES (UINT64_C(1) << 32)

enum {
  SEED = 1,
  OPCODE_LOAD = 0x03,
  OPCODE_STORE = 0x23,
  OPCODE_AMO = 0x2F,
  OPCODE_BRANCH = 0x63,
  OPCODE_JAL = 0x6F,
  REGISTER_SP = 2
};

// What the lines are that SMs ask for.
enum kind { KIND_DATA, KIND_STACK, KIND_CONSTANT, KIND_CODE, N_KINDS };

// Of one pass.
struct counts {
  uint64_t cycles, launches;
  uint64_t block_threads, blocks;  // of the launch with most threads
  uint64_t warp_instructions, thread_instructions;
  uint64_t memory_instructions;    // of threads: loads, stores, atomics, in shared or device memory
  uint64_t requests[N_KINDS];      // of SMs to the memory: a line each
  uint64_t passes;                 // of the load/store units
  uint64_t l2_requests, l2_found;  // found: hits, and what was on its way already
  uint64_t l2_lines,
      dram_lines;  // that the L2 asked for and wrote, that the memory controllers did
  uint64_t n_wrong;
  qsmContext_t context;
  uint32_t heap_start, heap_end;  // before it lie code, constants and arguments, behind it stacks
  uint32_t n_txns;                // tags from here on fetch code
};

static enum kind kind_of(const struct counts *counts, uint32_t address, uint32_t tag) {
  if (tag >= counts->n_txns) return KIND_CODE;
  if (address < counts->heap_start) return KIND_CONSTANT;
  return address < counts->heap_end ? KIND_DATA : KIND_STACK;
}

static void count(void *ctx, const struct qsm_event *event) {
  struct counts *counts = ctx;
  if (event->kind == QSM_EV_REQ)
    counts->requests[kind_of(counts, event->word[1], event->word[2])]++;
  if (event->kind == QSM_EV_LSU_PASS) counts->passes++;
  if (event->kind != QSM_EV_ISSUE) return;
  uint32_t n_threads = (uint32_t)__builtin_popcount(event->word[3]), opcode = event->word[4] & 0x7F;
  counts->warp_instructions++;
  counts->thread_instructions += n_threads;
  if (opcode == OPCODE_LOAD || opcode == OPCODE_STORE || opcode == OPCODE_AMO)
    counts->memory_instructions += n_threads;
}

// ---- One pass ----

static uint32_t job_alloc(void *ctx, size_t bytes) {
  struct counts *counts = ctx;
  uint32_t address = 0;
  if (qsmMalloc(counts->context, bytes, &address)) return 0;
  if (address < counts->heap_start) counts->heap_start = address;
  if (address + bytes > counts->heap_end) counts->heap_end = address + (uint32_t)bytes;
  return address;
}

static void job_write(void *ctx, uint32_t address, const void *src, size_t bytes) {
  qsmMemcpyHtoD(((struct counts *)ctx)->context, address, src, bytes);
}
static void job_read(void *ctx, uint32_t address, void *dst, size_t bytes) {
  qsmMemcpyDtoH(((struct counts *)ctx)->context, dst, address, bytes);
}

static uint64_t volume(const uint32_t n[3]) { return (uint64_t)n[0] * n[1] * n[2]; }

static qsmError_t count_launch(const struct qsm_suite_launch *launch, uint64_t n_cycles,
                               struct counts *counts) {
  qsmMemoryCounters memory;
  qsmError_t error = qsmReadMemoryCounters(counts->context, &memory);
  if (error) return error;
  counts->launches++;
  counts->cycles += n_cycles;
  counts->l2_requests += memory.requests;
  counts->l2_found += memory.hits + memory.merged;
  counts->l2_lines += memory.misses + memory.bypassed + memory.victims;
  counts->dram_lines += memory.dram_reads + memory.dram_writes;
  if (volume(launch->block) * volume(launch->grid) > counts->block_threads * counts->blocks) {
    counts->block_threads = volume(launch->block);
    counts->blocks = volume(launch->grid);
  }
  return qsmSuccess;
}

static void elf_path(char *path, size_t len, const struct qsm_suite_program *program) {
  snprintf(path, len, "build/sw/%s.elf", program->name);
}

static qsmError_t run_launches(qsmDevice_t device, struct qsm_job *job, struct counts *counts) {
  struct qsm_suite_launch launch;
  qsm_suite_begin(job);
  while (qsm_suite_next(job, &launch)) {
    uint64_t start = qsmDeviceCycle(device);
    qsmError_t error = qsmLaunchKernel(
        counts->context, launch.symbol, (qsmDim3){launch.grid[0], launch.grid[1], launch.grid[2]},
        (qsmDim3){launch.block[0], launch.block[1], launch.block[2]}, launch.args,
        qsm_passes_words(counts->context, launch.symbol), launch.shared_bytes, NULL, NULL, NULL);
    if (!error) error = qsmContextSynchronize(counts->context, MAX_CYCLES);
    if (!error) error = count_launch(&launch, qsmDeviceCycle(device) - start, counts);
    if (error) return error;
  }
  counts->n_wrong = qsm_suite_check(job);
  return qsmSuccess;
}

static qsmError_t run_pass(qsmDevice_t device, const struct qsm_suite_program *program,
                           enum qsm_suite_size size, struct counts *counts, char *msg,
                           size_t msg_len) {
  char path[256];
  elf_path(path, sizeof path, program);
  qsmError_t error = qsmContextCreate(device, &counts->context);
  if (!error) error = qsmModuleLoad(counts->context, path);
  struct qsm_job *job = NULL;
  if (!error) {
    const struct qsm_suite_mem mem = {counts, job_alloc, job_write, job_read, NULL};
    job = qsm_suite_create(program, &mem, SEED, size);
    error = job ? run_launches(device, job, counts) : qsmErrorMemoryAllocation;
  }
  if (error) snprintf(msg, msg_len, "%s", qsmGetLastErrorText(device));
  qsm_suite_destroy(job);
  return error;
}

// A GPU of its own, so that each program starts alike.
static int measure(const char *config, const struct qsm_suite_program *program,
                   enum qsm_suite_size size, struct counts *counts) {
  char msg[512] = "";
  *counts = (struct counts){.heap_start = UINT32_MAX};
  const struct qsm_backend_options options = {.sink = count, .sink_ctx = counts};
  qsmDevice_t device = NULL;
  qsmError_t error = qsmDeviceOpen("model", config, &options, &device, msg, sizeof msg);
  if (!error) counts->n_txns = qsmDeviceConfig(device)->mem_txns;
  if (!error) error = run_pass(device, program, size, counts, msg, sizeof msg);
  qsmDeviceClose(device);
  if (!error && counts->n_wrong)
    snprintf(msg, sizeof msg, "%" PRIu64 " outputs are wrong", counts->n_wrong);
  if (!error && !counts->n_wrong) return 0;
  fprintf(stderr, "programs: %s, size %s: %s\n", program->name, qsm_suite_size_names[size], msg);
  return -1;
}

// ---- Static instructions ----

// Of a program's code.
struct code {
  uint64_t words;
  uint64_t stack_accesses;  // loads and stores relative to sp
  uint64_t in_loops;        // of these, between the target of a jump backwards and the jump
};

// The least address that a later word jumps back to, seen from `at`: words before it are in no loop
// with those behind.
static uint32_t jump_back(uint32_t word, uint32_t at) {
  uint32_t opcode = word & 0x7F, sign = word >> 31, back = 0;
  if (opcode == OPCODE_BRANCH && sign)
    back = 0 - (0xFFFFF000 | (word << 4 & 0x800) | (word >> 20 & 0x7E0) | (word >> 7 & 0x1E));
  else if (opcode == OPCODE_JAL && sign && (word >> 7 & 31) == 0)
    back = 0 - (0xFFF00000 | (word & 0xFF000) | (word >> 9 & 0x800) | (word >> 20 & 0x7FE));
  return at - back / 4;
}

static bool is_stack_access(uint32_t word) {
  uint32_t opcode = word & 0x7F;
  return (opcode == OPCODE_LOAD || opcode == OPCODE_STORE) && (word >> 15 & 31) == REGISTER_SP;
}

// From the end: whether a word lies in a loop is known once all behind it have been seen.
static void read_code(const uint32_t *words, uint32_t n, struct code *code) {
  uint32_t loop_start = n;
  code->words = n;
  for (uint32_t i = n; i-- > 0;) {
    uint32_t target = jump_back(words[i], i);
    if (target < i && target < loop_start) loop_start = target;
    code->stack_accesses += is_stack_access(words[i]);
    code->in_loops += is_stack_access(words[i]) && i >= loop_start;
    if (i == loop_start) loop_start = n;
  }
}

static void read_text(Elf *elf, struct code *code) {
  size_t names;
  GElf_Shdr header;
  if (elf_getshdrstrndx(elf, &names)) return;
  for (Elf_Scn *section = NULL;
       (section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header);) {
    Elf_Data *data = NULL;
    if (strcmp(elf_strptr(elf, names, header.sh_name), ".text") == 0)
      data = elf_getdata(section, NULL);
    if (data) read_code(data->d_buf, (uint32_t)(data->d_size / 4), code);
  }
}

static struct code code_of(const struct qsm_suite_program *program) {
  struct code code = {0};
  char path[256];
  elf_path(path, sizeof path, program);
  elf_version(EV_CURRENT);
  int file = open(path, O_RDONLY);
  Elf *elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ, NULL);
  if (elf) read_text(elf, &code);
  elf_end(elf);
  if (file >= 0) close(file);
  return code;
}

// ---- Tables ----

struct tables {
  const char *folder, *config;
  enum qsm_suite_size size;
  FILE *sources, *figures, *sizes;
  bool has_l2, has_dram;
  // Of the GPU, per cycle: instructions that it may issue, requests that the L2 takes, lines that
  // the memory takes.
  double issue_slots, pass_slots, l2_slots, memory_slots;
};

static FILE *open_table(const struct tables *tables, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.md", tables->folder, name);
  FILE *file = fopen(path, "w");
  if (!file) fprintf(stderr, "programs: cannot write %s\n", path);
  return file;
}

static int open_tables(struct tables *tables) {
  char msg[256];
  qsmDevice_t device = NULL;
  if (qsmDeviceOpen("model", tables->config, NULL, &device, msg, sizeof msg)) {
    fprintf(stderr, "programs: %s\n", msg);
    return -1;
  }
  const struct qsm_config *config = qsmDeviceConfig(device);
  tables->has_l2 = config->l2_kib > 0;
  tables->has_dram = config->dram_banks > 0;
  uint32_t interval = tables->has_dram && config->dram_burst > config->mem_interval
                          ? config->dram_burst
                          : config->mem_interval;
  tables->issue_slots = (double)config->num_sms * config->num_sched;
  tables->pass_slots = config->num_sms;
  tables->l2_slots = config->num_channels;
  tables->memory_slots = (double)config->num_channels / interval;
  qsmDeviceClose(device);
  if (!(tables->sources = open_table(tables, "sources")) ||
      !(tables->figures = open_table(tables, "figures")) ||
      !(tables->sizes = open_table(tables, "sizes")))
    return -1;
  fputs("| program | what | measured by | algorithm |\n| --- | --- | --- | --- |\n",
        tables->sources);
  fputs(
      "| program | code | stack accesses | in loops | launches | threads per block | blocks | thread instructions | cycles | IPC | lanes | "
      "memory instructions, % | requests per 1000: data | stacks | constants | code | issue slots, % | load/store units, % | found in the L2, % | "
      "L2, % | memory, % | bound by | class |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n",
      tables->figures);
  fputs(
      "| program | thread instructions S | M | device memory, KiB, S | M | L | XL |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
      tables->sizes);
  return 0;
}

// Of what there is per cycle, how much is used.
struct shares {
  double issue, passes, l2, memory;
};

static double greater(double a, double b) { return a > b ? a : b; }

// Whichever is busiest binds; where nothing is half busy, it is waiting.
static const char *bound_by(const struct shares *shares) {
  double most =
      greater(greater(shares->issue, shares->passes), greater(shares->l2, shares->memory));
  bool waits = most < 0.5;
  if (most == shares->issue) return waits ? "latency (compute)" : "compute";
  if (most == shares->passes) return waits ? "latency (load/store)" : "load/store";
  if (most == shares->memory) return waits ? "latency (memory)" : "memory";
  return waits ? "latency (L2)" : "L2";
}

// What lies inside of the SMs, or beyond them.
static const char *class_of(const struct shares *shares) {
  return greater(shares->issue, shares->passes) > greater(shares->l2, shares->memory) ? "C" : "M";
}

static double percent(double part, double whole) { return whole > 0 ? 100.0 * part / whole : 0.0; }

static void print_figures(const struct tables *tables, const struct qsm_suite_program *program,
                          const struct counts *c) {
  double cycles = (double)c->cycles, threads = (double)c->thread_instructions;
  uint64_t requests = 0;
  for (int kind = 0; kind < N_KINDS; kind++) requests += c->requests[kind];
  double lines = (double)(tables->has_dram ? c->dram_lines
                          : tables->has_l2 ? c->l2_lines
                                           : requests);
  struct shares shares = {(double)c->warp_instructions / cycles / tables->issue_slots,
                          (double)c->passes / cycles / tables->pass_slots,
                          (double)c->l2_requests / cycles / tables->l2_slots,
                          lines / cycles / tables->memory_slots};
  struct code code = code_of(program);
  fprintf(tables->figures,
          "| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64
          " | %" PRIu64 " | %" PRIu64 " | %.1f | %.1f | %.1f",
          program->name, code.words, code.stack_accesses, code.in_loops, c->launches,
          c->block_threads, c->blocks, c->thread_instructions, c->cycles, threads / cycles,
          threads / (double)c->warp_instructions, percent((double)c->memory_instructions, threads));
  for (int kind = 0; kind < N_KINDS; kind++)
    fprintf(tables->figures, " | %.2f", 1000.0 * (double)c->requests[kind] / threads);
  fprintf(tables->figures, " | %.1f | %.1f | %.0f | %.1f | %.1f | %s | %s |\n",
          100.0 * shares.issue, 100.0 * shares.passes,
          percent((double)c->l2_found, (double)c->l2_requests), 100.0 * shares.l2,
          100.0 * shares.memory, bound_by(&shares), class_of(&shares));
}

static int describe(const struct tables *tables, const struct qsm_suite_program *program) {
  struct counts small, medium, counts;
  if (measure(tables->config, program, QSM_SIZE_S, &small) ||
      measure(tables->config, program, QSM_SIZE_M, &medium))
    return -1;
  counts = tables->size == QSM_SIZE_S ? small : medium;
  if (tables->size > QSM_SIZE_M && measure(tables->config, program, tables->size, &counts))
    return -1;
  fprintf(tables->sources, "| %s | %s | %s | %s |\n", program->name, program->about, program->paper,
          program->source);
  fprintf(tables->sizes, "| %s | %" PRIu64 " | %" PRIu64, program->name, small.thread_instructions,
          medium.thread_instructions);
  for (enum qsm_suite_size size = QSM_SIZE_S; size < QSM_N_SIZES; size++)
    fprintf(tables->sizes, " | %" PRIu64, (qsm_suite_bytes(program, SEED, size) + 1023) / 1024);
  fputs(" |\n", tables->sizes);
  print_figures(tables, program, &counts);
  printf("%-12s %10" PRIu64 " cycles, IPC %.1f\n", program->name, counts.cycles,
         (double)counts.thread_instructions / (double)counts.cycles);
  fflush(stdout);
  return 0;
}

static int close_table(FILE *file) {
  if (!file) return 0;
  int failed = ferror(file);
  return fclose(file) || failed ? -1 : 0;
}

static bool is_asked(const struct qsm_suite_program *program, int n_names, char **names) {
  for (int i = 0; i < n_names; i++)
    if (strcmp(names[i], program->name) == 0) return true;
  return n_names == 0;
}

int main(int argc, char **argv) {
  struct tables tables = {.size = QSM_N_SIZES};
  for (enum qsm_suite_size size = QSM_SIZE_S; argc >= 4 && size < QSM_N_SIZES; size++)
    if (strcmp(argv[2], qsm_suite_size_names[size]) == 0) tables.size = size;
  if (tables.size == QSM_N_SIZES) {
    fprintf(stderr, "usage: programs CONFIG S|M|L|XL FOLDER [PROGRAM ...]\n");
    return 2;
  }
  tables.config = argv[1];
  tables.folder = argv[3];
  int failed = open_tables(&tables);
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program;
       !failed && (program = *entry); entry++)
    if (is_asked(program, argc - 4, argv + 4)) failed = describe(&tables, program);
  FILE *const files[] = {tables.sources, tables.figures, tables.sizes};
  for (int i = 0; i < 3; i++)
    if (close_table(files[i])) failed = -1;
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

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

enum { SEED = 1, OPCODE_LOAD = 0x03, OPCODE_STORE = 0x23, OPCODE_AMO = 0x2F };

// Of one pass.
struct counts {
  uint64_t cycles, launches;
  uint64_t block_threads, blocks;  // of the launch with most threads
  uint64_t warp_instructions, thread_instructions;
  uint64_t memory_instructions;  // of threads: loads, stores, atomics, in shared or device memory
  uint64_t requests, stack_requests;  // of SMs to the memory: a line each
  uint64_t l2_requests, l2_found;     // found: hits, and what was on its way already
  uint64_t l2_lines,
      dram_lines;  // that the L2 asked for and wrote, that the memory controllers did
  uint64_t n_wrong;
  qsmContext_t context;
  uint32_t heap_end;  // behind it lie the stacks
};

static void count(void *ctx, const struct qsm_event *event) {
  struct counts *counts = ctx;
  if (event->kind == QSM_EV_REQ) {
    counts->requests++;
    counts->stack_requests += event->word[1] >= counts->heap_end;
  }
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
  *counts = (struct counts){0};
  const struct qsm_backend_options options = {.sink = count, .sink_ctx = counts};
  qsmDevice_t device = NULL;
  qsmError_t error = qsmDeviceOpen("model", config, &options, &device, msg, sizeof msg);
  if (!error) error = run_pass(device, program, size, counts, msg, sizeof msg);
  qsmDeviceClose(device);
  if (!error && counts->n_wrong)
    snprintf(msg, sizeof msg, "%" PRIu64 " outputs are wrong", counts->n_wrong);
  if (!error && !counts->n_wrong) return 0;
  fprintf(stderr, "programs: %s, size %s: %s\n", program->name, qsm_suite_size_names[size], msg);
  return -1;
}

// ---- Static instructions ----

// Words of the section .text; 0 when the file has none.
static uint64_t code_words(Elf *elf) {
  size_t names;
  GElf_Shdr header;
  if (elf_getshdrstrndx(elf, &names)) return 0;
  for (Elf_Scn *section = NULL;
       (section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header);)
    if (strcmp(elf_strptr(elf, names, header.sh_name), ".text") == 0) return header.sh_size / 4;
  return 0;
}

static uint64_t static_instructions(const struct qsm_suite_program *program) {
  char path[256];
  elf_path(path, sizeof path, program);
  elf_version(EV_CURRENT);
  int file = open(path, O_RDONLY);
  Elf *elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ, NULL);
  uint64_t n = elf ? code_words(elf) : 0;
  elf_end(elf);
  if (file >= 0) close(file);
  return n;
}

// ---- Tables ----

struct tables {
  const char *folder, *config;
  enum qsm_suite_size size;
  FILE *sources, *figures, *sizes;
  bool has_l2, has_dram;
  // Of the GPU, per cycle: instructions that it may issue, requests that the L2 takes, lines that
  // the memory takes.
  double issue_slots, l2_slots, memory_slots;
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
      "| program | code | launches | threads per block | blocks | thread instructions | cycles | IPC | lanes | memory instructions, % | requests per 1000 | "
      "for stacks, % | issue slots, % | found in the L2, % | L2, % | memory, % | bound by |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
      tables->figures);
  fputs(
      "| program | thread instructions S | M | device memory, KiB, S | M | L | XL |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
      tables->sizes);
  return 0;
}

// Whichever is busiest binds; where nothing is half busy, it is waiting.
static const char *bound_by(double issue, double l2, double memory) {
  if (issue >= l2 && issue >= memory) return issue < 0.5 ? "latency (compute)" : "compute";
  if (l2 > memory) return l2 < 0.5 ? "latency (L2)" : "L2";
  return memory < 0.5 ? "latency (memory)" : "memory";
}

static double percent(double part, double whole) { return whole > 0 ? 100.0 * part / whole : 0.0; }

static void print_figures(const struct tables *tables, const struct qsm_suite_program *program,
                          const struct counts *c) {
  double cycles = (double)c->cycles, threads = (double)c->thread_instructions,
         requests = (double)c->requests;
  double lines = (double)(tables->has_dram ? c->dram_lines
                          : tables->has_l2 ? c->l2_lines
                                           : c->requests);
  double issue = (double)c->warp_instructions / cycles / tables->issue_slots,
         l2 = (double)c->l2_requests / cycles / tables->l2_slots;
  double memory = lines / cycles / tables->memory_slots;
  fprintf(tables->figures,
          "| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64,
          program->name, static_instructions(program), c->launches, c->block_threads, c->blocks,
          c->thread_instructions, c->cycles);
  fprintf(tables->figures,
          " | %.1f | %.1f | %.1f | %.1f | %.0f | %.1f | %.0f | %.1f | %.1f | %s |\n",
          threads / cycles, threads / (double)c->warp_instructions,
          percent((double)c->memory_instructions, threads), 1000.0 * requests / threads,
          percent((double)c->stack_requests, requests), 100.0 * issue,
          percent((double)c->l2_found, (double)c->l2_requests), 100.0 * l2, 100.0 * memory,
          bound_by(issue, l2, memory));
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

// SPDX-License-Identifier: Apache-2.0
// What the suite's programs are like: each alone on the model, one pass at sizes S, M and one more, with the events of the GPU counted.
// Writes tables in Markdown.
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
#include "qsm_runtime.h"
#include "qsm_suite.h"

#define MAX_CYCLES (UINT64_C(1) << 32)

enum { SEED = 1, OPCODE_LOAD = 0x03, OPCODE_STORE = 0x23, OPCODE_AMO = 0x2F };

// Of one pass.
struct counts {
  uint64_t cycles, launches;
  uint64_t warp_instructions, thread_instructions;
  uint64_t memory_instructions;  // of threads: loads, stores, atomics, in shared or device memory
  uint64_t requests;             // of SMs to the memory: a line each
  uint64_t n_wrong;
};

static void count(void *ctx, const struct qsm_event *event) {
  struct counts *counts = ctx;
  if (event->kind == QSM_EV_REQ) counts->requests++;
  if (event->kind != QSM_EV_ISSUE) return;
  uint32_t n_threads = (uint32_t)__builtin_popcount(event->word[3]), opcode = event->word[4] & 0x7F;
  counts->warp_instructions++;
  counts->thread_instructions += n_threads;
  if (opcode == OPCODE_LOAD || opcode == OPCODE_STORE || opcode == OPCODE_AMO) counts->memory_instructions += n_threads;
}

// ---- One pass ----

static uint32_t job_alloc(void *context, size_t bytes) {
  uint32_t address = 0;
  return qsmMalloc(context, bytes, &address) ? 0 : address;
}

static void job_write(void *context, uint32_t address, const void *src, size_t bytes) { qsmMemcpyHtoD(context, address, src, bytes); }
static void job_read(void *context, uint32_t address, void *dst, size_t bytes) { qsmMemcpyDtoH(context, dst, address, bytes); }

static void elf_path(char *path, size_t len, const struct qsm_suite_program *program) { snprintf(path, len, "build/sw/%s.elf", program->name); }

static qsmError_t run_launches(qsmDevice_t device, qsmContext_t context, struct qsm_job *job, struct counts *counts) {
  struct qsm_suite_launch launch;
  qsm_suite_begin(job);
  while (qsm_suite_next(job, &launch)) {
    uint64_t start = qsmDeviceCycle(device);
    qsmError_t error = qsmLaunchKernel(context, launch.symbol, (qsmDim3){launch.grid[0], launch.grid[1], launch.grid[2]},
                                       (qsmDim3){launch.block[0], launch.block[1], launch.block[2]}, launch.args, 8, launch.shared_bytes, NULL, NULL);
    if (!error) error = qsmContextSynchronize(context, MAX_CYCLES);
    if (error) return error;
    counts->launches++;
    counts->cycles += qsmDeviceCycle(device) - start;
  }
  counts->n_wrong = qsm_suite_check(job);
  return qsmSuccess;
}

static qsmError_t run_pass(qsmDevice_t device, const struct qsm_suite_program *program, enum qsm_suite_size size, struct counts *counts, char *msg,
                           size_t msg_len) {
  qsmContext_t context = NULL;
  char path[256];
  elf_path(path, sizeof path, program);
  qsmError_t error = qsmContextCreate(device, &context);
  if (!error) error = qsmModuleLoad(context, path);
  struct qsm_job *job = NULL;
  if (!error) {
    const struct qsm_suite_mem mem = {context, job_alloc, job_write, job_read};
    job = qsm_suite_create(program, &mem, SEED, size);
    error = job ? run_launches(device, context, job, counts) : qsmErrorMemoryAllocation;
  }
  if (error) snprintf(msg, msg_len, "%s", qsmGetLastErrorText(device));
  qsm_suite_destroy(job);
  return error;
}

// A GPU of its own, so that each program starts alike.
static int measure(const char *config, const struct qsm_suite_program *program, enum qsm_suite_size size, struct counts *counts) {
  char msg[512] = "";
  *counts = (struct counts){0};
  const struct qsm_backend_options options = {.sink = count, .sink_ctx = counts};
  qsmDevice_t device = NULL;
  qsmError_t error = qsmDeviceOpen("model", config, &options, &device, msg, sizeof msg);
  if (!error) error = run_pass(device, program, size, counts, msg, sizeof msg);
  qsmDeviceClose(device);
  if (!error && counts->n_wrong) snprintf(msg, sizeof msg, "%" PRIu64 " outputs are wrong", counts->n_wrong);
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
  for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) && gelf_getshdr(section, &header);)
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
  double clock_share;  // requests that the memory takes per cycle
  double issue_slots;  // of the GPU, per cycle
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
  tables->clock_share = (double)config->num_channels / config->mem_interval;
  tables->issue_slots = (double)config->num_sms * config->num_sched;
  qsmDeviceClose(device);
  if (!(tables->sources = open_table(tables, "sources")) || !(tables->figures = open_table(tables, "figures")) ||
      !(tables->sizes = open_table(tables, "sizes")))
    return -1;
  fputs("| program | what | measured by | algorithm |\n| --- | --- | --- | --- |\n", tables->sources);
  fputs("| program | instructions of the program | launches | thread instructions | cycles | IPC | lanes | memory instructions, % | requests per 1000 | issue slots, % | "
        "memory, % | bound by |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
        tables->figures);
  fputs("| program | thread instructions S | M | device memory, KiB, S | M | L | XL |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n", tables->sizes);
  return 0;
}

// Whichever of issue slots and memory is busier binds; where neither is half busy, it is waiting.
static const char *bound_by(double issue, double memory) {
  if (issue < 0.5 && memory < 0.5) return issue > memory ? "latency (compute)" : "latency (memory)";
  return issue > memory ? "compute" : "memory";
}

static void print_figures(const struct tables *tables, const struct qsm_suite_program *program, const struct counts *c) {
  double cycles = (double)c->cycles, threads = (double)c->thread_instructions;
  double issue = (double)c->warp_instructions / cycles / tables->issue_slots, memory = (double)c->requests / cycles / tables->clock_share;
  fprintf(tables->figures, "| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %s |\n", program->name,
          static_instructions(program), c->launches, c->thread_instructions, c->cycles, threads / cycles, threads / (double)c->warp_instructions,
          100.0 * (double)c->memory_instructions / threads, 1000.0 * (double)c->requests / threads, 100.0 * issue, 100.0 * memory, bound_by(issue, memory));
}

static int describe(const struct tables *tables, const struct qsm_suite_program *program) {
  struct counts small, medium, counts;
  if (measure(tables->config, program, QSM_SIZE_S, &small) || measure(tables->config, program, QSM_SIZE_M, &medium)) return -1;
  counts = tables->size == QSM_SIZE_S ? small : medium;
  if (tables->size > QSM_SIZE_M && measure(tables->config, program, tables->size, &counts)) return -1;
  fprintf(tables->sources, "| %s | %s | %s | %s |\n", program->name, program->about, program->paper, program->source);
  fprintf(tables->sizes, "| %s | %" PRIu64 " | %" PRIu64, program->name, small.thread_instructions, medium.thread_instructions);
  for (enum qsm_suite_size size = QSM_SIZE_S; size < QSM_N_SIZES; size++)
    fprintf(tables->sizes, " | %" PRIu64, (qsm_suite_bytes(program, SEED, size) + 1023) / 1024);
  fputs(" |\n", tables->sizes);
  print_figures(tables, program, &counts);
  printf("%-12s %10" PRIu64 " cycles, IPC %.1f\n", program->name, counts.cycles, (double)counts.thread_instructions / (double)counts.cycles);
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
  for (const struct qsm_suite_program *const *entry = qsm_suite, *program; !failed && (program = *entry); entry++)
    if (is_asked(program, argc - 4, argv + 4)) failed = describe(&tables, program);
  FILE *const files[] = {tables.sources, tables.figures, tables.sizes};
  for (int i = 0; i < 3; i++)
    if (close_table(files[i])) failed = -1;
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

// SPDX-License-Identifier: Apache-2.0
// What qsm-cc knows of a program's kernels, as the note that a loader reads (docs/programming.md,
// P-ELF-5): arguments from the debugging information, stacks from the compiler's frames and the
// calls in the linked code.
//
//   qsm-note [-v] [--stack BYTES] [--stack KERNEL=BYTES]... PROGRAM.elf NOTE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "note_program.h"

enum { MAX_STACK_BYTES = 1 << 20, NOTE_VERSION = 1, NOTE_TYPE = 1, LINE_BYTES = 1024 };

// --stack as given: NULL ends the list.
struct options {
  bool is_verbose;
  const char *stacks[256];
  size_t n_stacks;
  const char *program, *note;
};

// ---- Stacks ----

struct complaint {
  const struct kernel *kernel;
  bool is_silent;
  size_t n;
};

static const char *words_of(enum trouble trouble) {
  switch (trouble) {
    case TROUBLE_RECURSION: return "calls itself";
    case TROUBLE_POINTER: return "calls through a pointer";
    case TROUBLE_OUTSIDE: return "jumps to code that is no function";
    case TROUBLE_DYNAMIC: return "has an array of variable length or alloca";
    default: return "moves sp in assembler";
  }
}

static void complain(void *ctx, const struct program *program, enum trouble trouble,
                     const int32_t *chain, size_t n_chain, uint32_t at) {
  struct complaint *complaint = ctx;
  char line[LINE_BYTES];
  complaint->n++;
  if (complaint->is_silent) return;
  program_line(program, at, line, sizeof line);
  fprintf(stderr, "%s%serror: kernel '%s' has no stack size: '%s' %s (", line,
          line[0] ? ": " : "qsm-cc: ", complaint->kernel->name,
          program->functions[chain[n_chain - 1]].name, words_of(trouble));
  for (size_t i = 0; i < n_chain; i++)
    fprintf(stderr, "%s%s", i ? " -> " : "", program->functions[chain[i]].name);
  fprintf(stderr, "); give one: --stack %s=BYTES\n", complaint->kernel->name);
}

// "BYTES" or "KERNEL=BYTES". Returns 0, or -1 when it is neither.
static int parse_stack(const char *text, const char **name_end, uint32_t *n_bytes) {
  const char *equals = strchr(text, '='), *number = equals ? equals + 1 : text;
  char *end;
  if (!isdigit((unsigned char)*number) || equals == text) return -1;
  unsigned long value = strtoul(number, &end, 0);
  if (*end || value > MAX_STACK_BYTES) return -1;
  *name_end = equals;
  *n_bytes = ((uint32_t)value + NOTE_STACK_ALIGN - 1) / NOTE_STACK_ALIGN * NOTE_STACK_ALIGN;
  return 0;
}

// The kernel's own size goes before the one for all, the last before earlier ones.
static const char *find_stack(const struct options *options, const char *kernel,
                              uint32_t *n_bytes) {
  const char *found = NULL;
  bool is_own = false;
  for (size_t i = 0; i < options->n_stacks; i++) {
    const char *equals;
    uint32_t bytes;
    if (parse_stack(options->stacks[i], &equals, &bytes)) continue;
    size_t length = equals ? (size_t)(equals - options->stacks[i]) : 0;
    bool names_it =
        equals && strlen(kernel) == length && strncmp(kernel, options->stacks[i], length) == 0;
    if (!names_it && (equals || is_own)) continue;
    is_own = names_it;
    found = options->stacks[i];
    *n_bytes = bytes;
  }
  return found;
}

static int check_stacks(const struct options *options, const struct program *program) {
  for (size_t i = 0; i < options->n_stacks; i++) {
    const char *equals;
    uint32_t bytes;
    if (parse_stack(options->stacks[i], &equals, &bytes)) {
      fprintf(stderr, "qsm-cc: --stack %s: neither BYTES nor KERNEL=BYTES, of at most %d bytes\n",
              options->stacks[i], MAX_STACK_BYTES);
      return 2;
    }
    size_t length = equals ? (size_t)(equals - options->stacks[i]) : 0;
    bool is_there = !equals;
    for (size_t k = 0; k < program->n_kernels && !is_there; k++)
      is_there = strlen(program->kernels[k].name) == length &&
                 strncmp(program->kernels[k].name, options->stacks[i], length) == 0;
    if (is_there) continue;
    fprintf(stderr, "qsm-cc: --stack %s: no kernel of this name\n", options->stacks[i]);
    return 1;
  }
  return 0;
}

// A size for all kernels is for those that have none otherwise; one of a kernel's own may give it
// more.
static int set_stack(const struct options *options, const struct program *program,
                     struct kernel *kernel) {
  uint32_t code_bytes = 0, given = 0;
  const char *option = find_stack(options, kernel->name, &given);
  struct complaint complaint = {.kernel = kernel, .is_silent = option != NULL};
  if (program_stack(program, kernel->function, complain, &complaint, &code_bytes)) {
    fprintf(stderr, "qsm-cc: out of memory\n");
    return 1;
  }
  if (complaint.n && !option) return 1;
  bool is_for_it = option && (complaint.n || strchr(option, '='));
  uint32_t needed = (code_bytes + NOTE_STACK_ALIGN - 1) / NOTE_STACK_ALIGN * NOTE_STACK_ALIGN;
  if (is_for_it && given < needed) {
    fprintf(stderr, "qsm-cc: --stack %s: kernel '%s' needs at least %u bytes\n", option,
            kernel->name, needed);
    return 1;
  }
  uint32_t frames = is_for_it ? given : needed;
  if (frames > MAX_STACK_BYTES) {
    fprintf(stderr, "qsm-cc: kernel '%s' needs %u bytes of stack, at most %d\n", kernel->name,
            frames, MAX_STACK_BYTES);
    return 1;
  }
  kernel->is_computed = !is_for_it;
  kernel->stack_bytes = frames + kernel->image_bytes;
  return 0;
}

// ---- The note ----

struct buffer {
  uint8_t *bytes;
  size_t n, room;
  bool is_short;  // of memory
};

static void put(struct buffer *buffer, const void *bytes, size_t n) {
  if (buffer->room - buffer->n < n) {
    size_t room = 2 * buffer->room + n + 64;
    uint8_t *grown = realloc(buffer->bytes, room);
    if (!grown) {
      buffer->is_short = true;
      return;
    }
    buffer->bytes = grown;
    buffer->room = room;
  }
  memcpy(buffer->bytes + buffer->n, bytes, n);
  buffer->n += n;
}

static void put_word(struct buffer *buffer, uint32_t word) {
  const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                            (uint8_t)(word >> 24)};
  put(buffer, bytes, sizeof bytes);
}

static uint32_t put_string(struct buffer *strings, const char *text) {
  uint32_t at = (uint32_t)strings->n;
  put(strings, text, strlen(text) + 1);
  return at;
}

static void put_kernel(struct buffer *tables, struct buffer *strings, const struct program *program,
                       const struct kernel *kernel, uint32_t first) {
  put_word(tables, put_string(strings, kernel->name));
  put_word(tables, put_string(strings, kernel->is_typed ? kernel->signature : ""));
  put_word(tables, kernel->address - program->base);
  put_word(tables, kernel->stack_bytes);
  put_word(tables, program->shared_bytes);
  put_word(tables, (uint32_t)kernel->is_computed | (uint32_t)kernel->is_typed << 1);
  put_word(tables, first);
  put_word(tables, (uint32_t)kernel->n_arguments);
}

static void put_argument(struct buffer *tables, struct buffer *strings,
                         const struct argument *argument) {
  put_word(tables, put_string(strings, argument->type));
  put_word(tables, argument->n_bytes);
  put_word(tables, argument->align);
  put_word(tables, (uint32_t)argument->by_reference | (uint32_t)argument->is_signed << 1);
}

static void put_tables(struct buffer *tables, struct buffer *strings,
                       const struct program *program) {
  uint32_t n_arguments = 0;
  for (size_t i = 0; i < program->n_kernels; i++) {
    put_kernel(tables, strings, program, &program->kernels[i], n_arguments);
    n_arguments += (uint32_t)program->kernels[i].n_arguments;
  }
  for (size_t i = 0; i < program->n_kernels; i++)
    for (size_t k = 0; k < program->kernels[i].n_arguments; k++)
      put_argument(tables, strings, &program->kernels[i].arguments[k]);
  while (strings->n % 4) put(strings, "", 1);
}

static int write_note(const struct program *program, const char *path) {
  struct buffer tables = {0}, strings = {0}, note = {0};
  size_t n_arguments = 0;
  for (size_t i = 0; i < program->n_kernels; i++) n_arguments += program->kernels[i].n_arguments;
  put_tables(&tables, &strings, program);
  const uint32_t head[] = {4, (uint32_t)(16 + tables.n + strings.n), NOTE_TYPE};
  for (size_t i = 0; i < 3; i++) put_word(&note, head[i]);
  put(&note, "qsm", 4);
  const uint32_t counts[] = {NOTE_VERSION, (uint32_t)program->n_kernels, (uint32_t)n_arguments,
                             (uint32_t)strings.n};
  for (size_t i = 0; i < 4; i++) put_word(&note, counts[i]);
  put(&note, tables.bytes, tables.n);
  put(&note, strings.bytes, strings.n);
  FILE *file = tables.is_short || strings.is_short || note.is_short ? NULL : fopen(path, "wb");
  bool is_written = file && fwrite(note.bytes, 1, note.n, file) == note.n;
  if (file && fclose(file)) is_written = false;
  free(tables.bytes);
  free(strings.bytes);
  free(note.bytes);
  if (is_written) return 0;
  fprintf(stderr, "qsm-cc: %s: cannot write the note\n", path);
  return 2;
}

// ---- The command ----

static void print_table(const struct program *program) {
  int width = 6;
  for (size_t i = 0; i < program->n_kernels; i++)
    if ((int)strlen(program->kernels[i].name) > width)
      width = (int)strlen(program->kernels[i].name);
  printf("%-*s  stack  shared  arguments  signature\n", width, "kernel");
  for (size_t i = 0; i < program->n_kernels; i++) {
    const struct kernel *kernel = &program->kernels[i];
    printf("%-*s %5u%s  %6u  ", width, kernel->name, kernel->stack_bytes,
           kernel->is_computed ? " " : "*", program->shared_bytes);
    if (kernel->is_typed)
      printf("%9u  %s\n", kernel->argument_bytes, kernel->signature);
    else
      printf("%9s  unknown (assembler)\n", "?");
  }
  for (size_t i = 0; i < program->n_kernels; i++) {
    if (program->kernels[i].is_computed) continue;
    printf("* as --stack says\n");
    return;
  }
}

static int describe(const struct options *options, struct program *program) {
  char msg[2 * LINE_BYTES];
  int status = 0;
  if (program_open(program, options->program, msg, sizeof msg)) {
    fprintf(stderr, "qsm-cc: %s\n", msg);
    return 1;
  }
  for (size_t i = 0; i < program->n_kernels; i++) {
    snprintf(msg, sizeof msg, "qsm-cc: out of memory");
    if (!program_read_arguments(program, &program->kernels[i], msg, sizeof msg)) continue;
    fprintf(stderr, "%s\n", msg);
    status = 1;
  }
  if (!status) status = check_stacks(options, program);
  if (status) return status;
  if (program_decode(program)) {
    fprintf(stderr, "qsm-cc: out of memory\n");
    return 1;
  }
  for (size_t i = 0; i < program->n_kernels; i++)
    if (set_stack(options, program, &program->kernels[i])) status = 1;
  if (status) return status;
  if (options->is_verbose) print_table(program);
  return write_note(program, options->note);
}

static int parse(int argc, char **argv, struct options *options) {
  const size_t most = sizeof options->stacks / sizeof options->stacks[0];
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-v") == 0)
      options->is_verbose = true;
    else if (strcmp(argv[i], "--stack") == 0 && i + 1 < argc && options->n_stacks < most)
      options->stacks[options->n_stacks++] = argv[++i];
    else if (!options->program)
      options->program = argv[i];
    else if (!options->note)
      options->note = argv[i];
    else
      return -1;
  }
  return options->note ? 0 : -1;
}

int main(int argc, char **argv) {
  struct options options = {0};
  struct program program = {.fd = -1};
  if (parse(argc, argv, &options)) {
    fprintf(stderr,
            "usage: qsm-note [-v] [--stack BYTES] [--stack KERNEL=BYTES]... PROGRAM.elf NOTE\n");
    return 2;
  }
  int status = describe(&options, &program);
  program_close(&program);
  return status;
}

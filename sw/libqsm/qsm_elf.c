// SPDX-License-Identifier: Apache-2.0
#include "qsm_elf.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, MAX_IMAGE_BYTES = 1 << 24 };

// The note: its version, three counts, then kernels, arguments and strings (P-ELF-5).
enum {
  NOTE_TYPE = 1,
  NOTE_VERSION = 1,
  NOTE_HEAD_BYTES = 16,
  NOTE_KERNEL_BYTES = 32,
  NOTE_ARGUMENT_BYTES = 16
};
enum { FLAG_COMPUTED = 1, FLAG_TYPED = 2, FLAG_BY_REFERENCE = 1, FLAG_SIGNED = 2 };
enum {
  MAX_STACK_BYTES = 1 << 21,
  MAX_SHARED_BYTES = 1 << 28,
  MAX_ARGUMENT_BYTES = 256,
  MAX_ALIGN = 16,
  STACK_ALIGN = 16
};

struct qsm_program {
  size_t n_users;
  uint8_t *image;
  uint32_t image_bytes, code_bytes, entry, shared_bytes;
  uint32_t room, alignment;  // bytes between code and data; greatest alignment of a section
  struct qsm_kernel *kernels;
  struct qsm_argument *arguments;  // of all kernels
  uint32_t n_kernels, n_arguments, n_string_bytes;
  char *strings;
};

__attribute__((format(printf, 3, 4))) static int fail(char *msg, size_t msg_len, const char *format,
                                                      ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(msg, msg_len, format, args);
  va_end(args);
  return -1;
}

static uint32_t round_to_page(uint64_t value) {
  return (uint32_t)((value + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1));
}

static int check_header(Elf *elf, const char *path, char *msg, size_t msg_len, GElf_Ehdr *header) {
  if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, header))
    return fail(msg, msg_len, "%s: not an ELF file", path);
  if (header->e_ident[EI_CLASS] != ELFCLASS32 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_machine != EM_RISCV)
    return fail(msg, msg_len,
                "%s: made for another machine (ELF machine %u, class %u; need 32-bit RISC-V)", path,
                (unsigned)header->e_machine, (unsigned)header->e_ident[EI_CLASS]);
  return 0;
}

// Where code and data lie, from the program headers: base is the lowest loaded address, data the
// writable segment's.
struct extent {
  uint64_t low, high, data, code_end;
};

static int add_segment(const GElf_Phdr *segment, const char *path, size_t i, char *msg,
                       size_t msg_len, struct extent *extent) {
  uint64_t end = segment->p_vaddr + segment->p_memsz;
  bool is_data = segment->p_flags & PF_W;
  if (segment->p_filesz > segment->p_memsz || end > (uint64_t)UINT32_MAX + 1)
    return fail(
        msg, msg_len,
        "%s: segment %zu of 0x%llx bytes at 0x%llx reaches beyond its end or the address space",
        path, i, (unsigned long long)segment->p_memsz, (unsigned long long)segment->p_vaddr);
  if (segment->p_vaddr < extent->low) extent->low = segment->p_vaddr;
  if (end > extent->high) extent->high = end;
  if (is_data && segment->p_vaddr < extent->data) extent->data = segment->p_vaddr;
  if (!is_data && end > extent->code_end) extent->code_end = end;
  return 0;
}

static int measure(Elf *elf, const char *path, char *msg, size_t msg_len, uint64_t *base,
                   struct qsm_program *program) {
  size_t n_headers = 0;
  struct extent extent = {.low = UINT64_MAX, .data = UINT64_MAX};
  uint64_t shared = 0;
  if (elf_getphdrnum(elf, &n_headers)) n_headers = 0;
  for (size_t i = 0; i < n_headers; i++) {
    GElf_Phdr segment;
    if (!gelf_getphdr(elf, (int)i, &segment))
      return fail(msg, msg_len, "%s: broken program header %zu", path, i);
    if (segment.p_type == PT_TLS) shared = segment.p_memsz;
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    if (add_segment(&segment, path, i, msg, msg_len, &extent)) return -1;
  }
  bool has_data = extent.data != UINT64_MAX;
  if (extent.low == UINT64_MAX || extent.code_end == 0)
    return fail(msg, msg_len, "%s: nothing to load", path);
  if (extent.low % PAGE_BYTES ||
      (has_data && (extent.data % PAGE_BYTES || extent.data < extent.code_end)))
    return fail(msg, msg_len,
                "%s: segments do not begin on pages, code before data; link with qsm-cc", path);
  if (extent.high - extent.low > MAX_IMAGE_BYTES)
    return fail(msg, msg_len, "%s: image of %llu bytes is too large", path,
                (unsigned long long)(extent.high - extent.low));
  if (shared > MAX_SHARED_BYTES || shared % 16)
    return fail(msg, msg_len, "%s: %llu bytes of shared memory", path, (unsigned long long)shared);
  *base = extent.low;
  program->shared_bytes = (uint32_t)shared;
  program->image_bytes = (uint32_t)(extent.high - extent.low);
  program->code_bytes = has_data ? (uint32_t)(extent.data - extent.low)
                                 : round_to_page(program->image_bytes) + PAGE_BYTES;
  program->room = (uint32_t)(extent.low + program->code_bytes - extent.code_end);
  if (program->image_bytes < program->code_bytes) program->image_bytes = program->code_bytes;
  return 0;
}

static int read_segments(Elf *elf, int fd, const char *path, char *msg, size_t msg_len,
                         uint64_t base, struct qsm_program *program) {
  size_t n_headers = 0;
  if (elf_getphdrnum(elf, &n_headers)) n_headers = 0;
  for (size_t i = 0; i < n_headers; i++) {
    GElf_Phdr segment;
    if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD || segment.p_memsz == 0 ||
        segment.p_filesz == 0)
      continue;
    if (pread(fd, program->image + (segment.p_vaddr - base), segment.p_filesz,
              (off_t)segment.p_offset) != (ssize_t)segment.p_filesz)
      return fail(msg, msg_len, "%s: file is cut short", path);
  }
  return 0;
}

static void read_alignment(Elf *elf, struct qsm_program *program) {
  Elf_Scn *section = NULL;
  program->alignment = 4;
  while ((section = elf_nextscn(elf, section))) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) && (header.sh_flags & SHF_ALLOC) &&
        !(header.sh_flags & SHF_TLS) && header.sh_addralign > program->alignment)
      program->alignment = (uint32_t)header.sh_addralign;
  }
}

// ---- The note ----

struct note {
  const uint8_t *bytes;
  size_t n_bytes;
};

static uint32_t word_at(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

// Its content without the head: the word sizes of the owner's name and of the rest, the type,
// "qsm".
static bool find_note(Elf *elf, struct note *note) {
  enum { HEAD_BYTES = 16 };
  static const uint8_t owner[4] = "qsm";
  Elf_Scn *section = NULL;
  while ((section = elf_nextscn(elf, section))) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE) continue;
    Elf_Data *data = elf_rawdata(section, NULL);
    const uint8_t *bytes = data ? data->d_buf : NULL;
    if (!bytes || data->d_size < HEAD_BYTES || word_at(bytes) != sizeof owner ||
        memcmp(bytes + 12, owner, sizeof owner) || word_at(bytes + 8) != NOTE_TYPE)
      continue;
    size_t room = data->d_size - HEAD_BYTES, size = word_at(bytes + 4);
    *note = (struct note){bytes + HEAD_BYTES, size < room ? size : room};
    return true;
  }
  return false;
}

static const char *string_at(const struct qsm_program *program, uint32_t at) {
  return at < program->n_string_bytes ? program->strings + at : NULL;
}

static bool read_argument(const uint8_t *at, const struct qsm_program *program,
                          struct qsm_argument *argument) {
  uint32_t flags = word_at(at + 12);
  *argument = (struct qsm_argument){.type = string_at(program, word_at(at)),
                                    .bytes = word_at(at + 4),
                                    .align = word_at(at + 8),
                                    .by_reference = flags & FLAG_BY_REFERENCE,
                                    .is_signed = flags & FLAG_SIGNED};
  bool is_power = argument->align && (argument->align & (argument->align - 1)) == 0;
  return argument->type && argument->bytes && argument->bytes <= MAX_ARGUMENT_BYTES && is_power &&
         argument->align <= MAX_ALIGN && argument->by_reference == (argument->bytes > 8);
}

static bool read_kernel(const uint8_t *at, const struct qsm_program *program,
                        struct qsm_kernel *kernel) {
  uint32_t flags = word_at(at + 20), first = word_at(at + 24), n = word_at(at + 28), sum = 0;
  const char *signature = string_at(program, word_at(at + 4));
  *kernel = (struct qsm_kernel){.name = string_at(program, word_at(at)),
                                .offset = word_at(at + 8),
                                .stack_bytes = word_at(at + 12),
                                .shared_bytes = word_at(at + 16),
                                .stack_known = flags & FLAG_COMPUTED,
                                .n_arguments = n,
                                .signature = flags & FLAG_TYPED ? signature : NULL};
  if (!kernel->name || !kernel->name[0] || !signature || first > program->n_arguments ||
      n > program->n_arguments - first)
    return false;
  kernel->arguments = program->arguments + first;
  for (uint32_t i = 0; i < n && sum <= MAX_ARGUMENT_BYTES; i++)
    sum += (kernel->arguments[i].bytes + 3) / 4 * 4;
  return kernel->offset < program->code_bytes && kernel->offset % 4 == 0 &&
         kernel->stack_bytes <= MAX_STACK_BYTES && kernel->stack_bytes % STACK_ALIGN == 0 &&
         kernel->shared_bytes == program->shared_bytes && sum <= MAX_ARGUMENT_BYTES &&
         (n == 0 || kernel->signature);
}

static int read_tables(const struct note *note, const char *path, char *msg, size_t msg_len,
                       struct qsm_program *program) {
  const uint8_t *kernels = note->bytes + NOTE_HEAD_BYTES,
                *arguments = kernels + (size_t)NOTE_KERNEL_BYTES * program->n_kernels;
  memcpy(program->strings, arguments + (size_t)NOTE_ARGUMENT_BYTES * program->n_arguments,
         program->n_string_bytes);
  if (program->n_string_bytes && program->strings[program->n_string_bytes - 1])
    return fail(msg, msg_len, "%s: broken note: a string does not end", path);
  for (uint32_t i = 0; i < program->n_arguments; i++)
    if (!read_argument(arguments + (size_t)NOTE_ARGUMENT_BYTES * i, program,
                       &program->arguments[i]))
      return fail(msg, msg_len, "%s: broken note: argument %u", path, i);
  for (uint32_t i = 0; i < program->n_kernels; i++)
    if (!read_kernel(kernels + (size_t)NOTE_KERNEL_BYTES * i, program, &program->kernels[i]))
      return fail(msg, msg_len, "%s: broken note: kernel %u", path, i);
  return 0;
}

static int read_note(Elf *elf, const char *path, char *msg, size_t msg_len,
                     struct qsm_program *program) {
  struct note note;
  if (!find_note(elf, &note))
    return fail(msg, msg_len, "%s: made by an older qsm-cc: compile again", path);
  if (note.n_bytes < NOTE_HEAD_BYTES) return fail(msg, msg_len, "%s: broken note: cut short", path);
  if (word_at(note.bytes) != NOTE_VERSION)
    return fail(msg, msg_len, "%s: note of version %u, this library reads %u: compile again", path,
                word_at(note.bytes), (unsigned)NOTE_VERSION);
  uint32_t n_kernels = word_at(note.bytes + 4), n_arguments = word_at(note.bytes + 8),
           n_string_bytes = word_at(note.bytes + 12);
  uint64_t n_bytes = NOTE_HEAD_BYTES + (uint64_t)NOTE_KERNEL_BYTES * n_kernels +
                     (uint64_t)NOTE_ARGUMENT_BYTES * n_arguments + n_string_bytes;
  if (n_bytes != note.n_bytes)
    return fail(msg, msg_len, "%s: broken note: %zu bytes, its counts ask for %llu", path,
                note.n_bytes, (unsigned long long)n_bytes);
  program->kernels = calloc((size_t)n_kernels + 1, sizeof *program->kernels);
  program->arguments = calloc((size_t)n_arguments + 1, sizeof *program->arguments);
  program->strings = calloc((size_t)n_string_bytes + 1, 1);
  if (!program->kernels || !program->arguments || !program->strings)
    return fail(msg, msg_len, "out of memory");
  program->n_kernels = n_kernels;
  program->n_arguments = n_arguments;
  program->n_string_bytes = n_string_bytes;
  return read_tables(&note, path, msg, msg_len, program);
}

int qsm_program_load(const char *path, struct qsm_program **out, char *msg, size_t msg_len) {
  int status = -1;
  Elf *elf = NULL;
  GElf_Ehdr header;
  uint64_t base = 0;
  struct qsm_program *program = NULL;
  int fd = open(path, O_RDONLY);
  if (fd < 0) return fail(msg, msg_len, "%s: cannot open", path);
  if (elf_version(EV_CURRENT) == EV_NONE || !(elf = elf_begin(fd, ELF_C_READ, NULL))) {
    fail(msg, msg_len, "%s: not an ELF file", path);
    goto done;
  }
  if (!(program = calloc(1, sizeof *program))) {
    fail(msg, msg_len, "out of memory");
    goto done;
  }
  if (check_header(elf, path, msg, msg_len, &header) ||
      measure(elf, path, msg, msg_len, &base, program))
    goto done;
  if (!(program->image = calloc(1, program->image_bytes))) {
    fail(msg, msg_len, "out of memory");
    goto done;
  }
  if (header.e_entry < base || header.e_entry - base >= program->code_bytes || header.e_entry % 4) {
    fail(msg, msg_len, "%s: its entry 0x%llx is not in its code", path,
         (unsigned long long)header.e_entry);
    goto done;
  }
  program->entry = (uint32_t)(header.e_entry - base);
  read_alignment(elf, program);
  if (read_segments(elf, fd, path, msg, msg_len, base, program) ||
      read_note(elf, path, msg, msg_len, program))
    goto done;
  *out = qsm_program_share(program);
  program = NULL;
  status = 0;
done:
  qsm_program_free(program);
  if (elf) elf_end(elf);
  close(fd);
  return status;
}

struct qsm_program *qsm_program_share(struct qsm_program *program) {
  program->n_users++;
  return program;
}

void qsm_program_free(struct qsm_program *program) {
  if (!program || (program->n_users && --program->n_users)) return;
  free(program->kernels);
  free(program->arguments);
  free(program->strings);
  free(program->image);
  free(program);
}

uint32_t qsm_program_shift(const struct qsm_program *program, uint32_t wanted) {
  uint32_t most = wanted < program->room ? wanted : program->room;
  return most - most % program->alignment;
}

const uint8_t *qsm_program_image(const struct qsm_program *program) { return program->image; }
uint32_t qsm_program_image_bytes(const struct qsm_program *program) { return program->image_bytes; }
uint32_t qsm_program_code_bytes(const struct qsm_program *program) { return program->code_bytes; }
uint32_t qsm_program_entry(const struct qsm_program *program) { return program->entry; }
uint32_t qsm_program_shared_bytes(const struct qsm_program *program) {
  return program->shared_bytes;
}

const struct qsm_kernel *qsm_program_kernel(const struct qsm_program *program, const char *name) {
  for (uint32_t i = 0; i < program->n_kernels; i++)
    if (strcmp(program->kernels[i].name, name) == 0) return &program->kernels[i];
  return NULL;
}

const struct qsm_kernel *qsm_program_kernel_at(const struct qsm_program *program, uint32_t i) {
  return i < program->n_kernels ? &program->kernels[i] : NULL;
}

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

struct symbol {
  char *name;
  uint32_t offset;
  struct qsm_kernel kernel;
};

struct qsm_program {
  size_t n_users;
  uint8_t *image;
  uint32_t image_bytes, code_bytes, entry, shared_bytes;
  uint32_t room, alignment;  // bytes between code and data; greatest alignment of a section
  struct symbol *symbols;  // functions
  size_t n_symbols;
};

__attribute__((format(printf, 3, 4))) static int fail(char *msg, size_t msg_len, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(msg, msg_len, format, args);
  va_end(args);
  return -1;
}

static uint32_t round_to_page(uint64_t value) { return (uint32_t)((value + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1)); }

static int check_header(Elf *elf, const char *path, char *msg, size_t msg_len, GElf_Ehdr *header) {
  if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, header)) return fail(msg, msg_len, "%s: not an ELF file", path);
  if (header->e_ident[EI_CLASS] != ELFCLASS32 || header->e_machine != EM_RISCV)
    return fail(msg, msg_len, "%s: made for another machine (ELF machine %u, class %u; need 32-bit RISC-V)", path,
                (unsigned)header->e_machine, (unsigned)header->e_ident[EI_CLASS]);
  return 0;
}

// Sizes of the image from the program headers: base is the lowest loaded address, data the writable segment's.
static int measure(Elf *elf, const char *path, char *msg, size_t msg_len, uint64_t *base, struct qsm_program *program) {
  size_t n_headers = 0;
  uint64_t low = UINT64_MAX, high = 0, data = 0, code_end = 0;
  elf_getphdrnum(elf, &n_headers);
  for (size_t i = 0; i < n_headers; i++) {
    GElf_Phdr segment;
    if (!gelf_getphdr(elf, (int)i, &segment)) return fail(msg, msg_len, "%s: broken program header %zu", path, i);
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    if (segment.p_vaddr < low) low = segment.p_vaddr;
    if (segment.p_vaddr + segment.p_memsz > high) high = segment.p_vaddr + segment.p_memsz;
    if ((segment.p_flags & PF_W) && (data == 0 || segment.p_vaddr < data)) data = segment.p_vaddr;
    if (!(segment.p_flags & PF_W) && segment.p_vaddr + segment.p_memsz > code_end) code_end = segment.p_vaddr + segment.p_memsz;
  }
  if (low == UINT64_MAX) return fail(msg, msg_len, "%s: nothing to load", path);
  if (low % PAGE_BYTES || (data && data % PAGE_BYTES)) return fail(msg, msg_len, "%s: segments do not begin on pages; link with qsm-cc", path);
  if (high - low > MAX_IMAGE_BYTES) return fail(msg, msg_len, "%s: image of %llu bytes is too large", path, (unsigned long long)(high - low));
  *base = low;
  program->code_bytes = data ? (uint32_t)(data - low) : round_to_page(high - low) + PAGE_BYTES;
  program->room = low + program->code_bytes > code_end ? (uint32_t)(low + program->code_bytes - code_end) : 0;
  program->image_bytes = (uint32_t)(high - low);
  if (program->image_bytes < program->code_bytes) program->image_bytes = program->code_bytes;
  return 0;
}

static int read_segments(Elf *elf, int fd, const char *path, char *msg, size_t msg_len, uint64_t base, struct qsm_program *program) {
  size_t n_headers = 0;
  elf_getphdrnum(elf, &n_headers);
  for (size_t i = 0; i < n_headers; i++) {
    GElf_Phdr segment;
    gelf_getphdr(elf, (int)i, &segment);
    if (segment.p_type != PT_LOAD || segment.p_filesz == 0) continue;
    if (segment.p_filesz > segment.p_memsz ||
        pread(fd, program->image + (segment.p_vaddr - base), segment.p_filesz, (off_t)segment.p_offset) != (ssize_t)segment.p_filesz)
      return fail(msg, msg_len, "%s: file is cut short", path);
  }
  return 0;
}

static void read_alignment(Elf *elf, struct qsm_program *program) {
  Elf_Scn *section = NULL;
  program->alignment = 4;
  while ((section = elf_nextscn(elf, section))) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) && (header.sh_flags & SHF_ALLOC) && !(header.sh_flags & SHF_TLS) && header.sh_addralign > program->alignment)
      program->alignment = (uint32_t)header.sh_addralign;
  }
}

static int add_symbol(struct qsm_program *program, const char *name, uint32_t offset) {
  struct symbol *grown = realloc(program->symbols, (program->n_symbols + 1) * sizeof *grown);
  if (!grown) return -1;
  program->symbols = grown;
  grown[program->n_symbols].name = strdup(name);
  if (!grown[program->n_symbols].name) return -1;
  grown[program->n_symbols].kernel = (struct qsm_kernel){.name = grown[program->n_symbols].name, .offset = offset};
  grown[program->n_symbols++].offset = offset;
  return 0;
}

static int read_symbols(Elf *elf, const char *path, char *msg, size_t msg_len, uint64_t base, struct qsm_program *program) {
  Elf_Scn *section = NULL;
  while ((section = elf_nextscn(elf, section))) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || header.sh_entsize == 0) continue;
    Elf_Data *data = elf_getdata(section, NULL);
    size_t n_symbols = (size_t)(header.sh_size / header.sh_entsize);
    for (size_t i = 0; data && i < n_symbols; i++) {
      GElf_Sym symbol;
      if (!gelf_getsym(data, (int)i, &symbol)) continue;
      const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (!name) continue;
      if (strcmp(name, "__qsm_shared_bytes") == 0) program->shared_bytes = (uint32_t)symbol.st_value;
      bool is_code = symbol.st_value >= base && symbol.st_value < base + program->code_bytes;
      if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && is_code && add_symbol(program, name, (uint32_t)(symbol.st_value - base)))
        return fail(msg, msg_len, "out of memory");
    }
    return 0;
  }
  return fail(msg, msg_len, "%s: no symbol table", path);
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
  if (check_header(elf, path, msg, msg_len, &header) || measure(elf, path, msg, msg_len, &base, program)) goto done;
  if (!(program->image = calloc(1, program->image_bytes))) {
    fail(msg, msg_len, "out of memory");
    goto done;
  }
  program->entry = (uint32_t)(header.e_entry - base);
  read_alignment(elf, program);
  if (read_segments(elf, fd, path, msg, msg_len, base, program) || read_symbols(elf, path, msg, msg_len, base, program)) goto done;
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
  for (size_t i = 0; i < program->n_symbols; i++) free(program->symbols[i].name);
  free(program->symbols);
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
uint32_t qsm_program_shared_bytes(const struct qsm_program *program) { return program->shared_bytes; }

const struct qsm_kernel *qsm_program_kernel(const struct qsm_program *program, const char *name) {
  for (size_t i = 0; i < program->n_symbols; i++)
    if (strcmp(program->symbols[i].name, name) == 0) return &program->symbols[i].kernel;
  return NULL;
}

int64_t qsm_program_symbol(const struct qsm_program *program, const char *name) {
  for (size_t i = 0; i < program->n_symbols; i++)
    if (strcmp(program->symbols[i].name, name) == 0) return program->symbols[i].offset;
  return -1;
}

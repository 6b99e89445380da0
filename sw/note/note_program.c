// SPDX-License-Identifier: Apache-2.0
#include "note_program.h"

#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_CODE_BYTES = 1 << 24 };

static int fail(char *msg, size_t msg_len, const char *text) {
  snprintf(msg, msg_len, "%s", text);
  return -1;
}

static uint32_t little_endian(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint32_t program_word(const struct program *program, uint32_t address) {
  if (address < program->base || address > program->code_end || program->code_end - address < 4)
    return 0;
  return little_endian(program->code + (address - program->base));
}

static int read_code(struct program *program) {
  size_t n_headers = 0;
  elf_getphdrnum(program->elf, &n_headers);
  for (size_t i = 0; i < n_headers; i++) {
    GElf_Phdr segment;
    if (!gelf_getphdr(program->elf, (int)i, &segment)) return -1;
    if (segment.p_type == PT_TLS) program->shared_bytes = (uint32_t)segment.p_memsz;
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    if (program->code || segment.p_filesz > MAX_CODE_BYTES ||
        segment.p_vaddr + segment.p_filesz > UINT32_MAX)
      return -1;
    program->base = (uint32_t)segment.p_vaddr;
    program->code_end = (uint32_t)(segment.p_vaddr + segment.p_filesz);
    program->code = malloc(segment.p_filesz + 1);
    if (!program->code || pread(program->fd, program->code, segment.p_filesz,
                                (off_t)segment.p_offset) != (ssize_t)segment.p_filesz)
      return -1;
  }
  return program->code ? 0 : -1;
}

static int add_function(struct program *program, const char *name, const GElf_Sym *symbol) {
  struct function *grown = realloc(program->functions, (program->n_functions + 1) * sizeof *grown);
  if (!grown) return -1;
  program->functions = grown;
  grown[program->n_functions++] = (struct function){
      .name = name, .address = (uint32_t)symbol->st_value, .n_bytes = (uint32_t)symbol->st_size};
  return 0;
}

static int add_kernel(struct program *program, const char *name, uint32_t address) {
  struct kernel *grown = realloc(program->kernels, (program->n_kernels + 1) * sizeof *grown);
  if (!grown) return -1;
  program->kernels = grown;
  grown[program->n_kernels++] = (struct kernel){.name = name, .address = address};
  return 0;
}

struct symbols {
  Elf_Data *data;
  size_t strings, n;
};

static bool find_symbols(const struct program *program, struct symbols *symbols) {
  Elf_Scn *section = NULL;
  while ((section = elf_nextscn(program->elf, section))) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || header.sh_entsize == 0)
      continue;
    *symbols = (struct symbols){elf_getdata(section, NULL), header.sh_link,
                                (size_t)(header.sh_size / header.sh_entsize)};
    return symbols->data != NULL;
  }
  return false;
}

static const char *symbol_at(const struct program *program, const struct symbols *symbols, size_t i,
                             GElf_Sym *symbol) {
  if (!gelf_getsym(symbols->data, (int)i, symbol)) return NULL;
  return elf_strptr(program->elf, symbols->strings, symbol->st_name);
}

static uint32_t symbol_value(const struct program *program, const struct symbols *symbols,
                             const char *name) {
  GElf_Sym symbol;
  for (size_t i = 0; i < symbols->n; i++) {
    const char *found = symbol_at(program, symbols, i, &symbol);
    if (found && strcmp(found, name) == 0) return (uint32_t)symbol.st_value;
  }
  return 0;
}

static int read_functions(struct program *program) {
  struct symbols symbols;
  if (!find_symbols(program, &symbols)) return -1;
  uint32_t from = symbol_value(program, &symbols, "__qsm_kernels_start"),
           to = symbol_value(program, &symbols, "__qsm_kernels_end");
  for (size_t i = 0; i < symbols.n; i++) {
    GElf_Sym symbol;
    const char *name = symbol_at(program, &symbols, i, &symbol);
    if (!name || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
    if (symbol.st_value < program->base || symbol.st_value >= program->code_end) continue;
    if (add_function(program, name, &symbol)) return -1;
    if (symbol.st_value >= from && symbol.st_value < to &&
        add_kernel(program, name, (uint32_t)symbol.st_value))
      return -1;
  }
  return 0;
}

static int by_address(const void *a, const void *b) {
  const struct function *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address;
}

// Names of the same address are one function. Those of assembler sources need not say where they
// end: they reach to the next one.
static void order_functions(struct program *program) {
  size_t n = 0;
  if (program->n_functions)
    qsort(program->functions, program->n_functions, sizeof *program->functions, by_address);
  for (size_t i = 0; i < program->n_functions; i++) {
    const struct function *function = &program->functions[i];
    if (n && program->functions[n - 1].address == function->address) continue;
    program->functions[n++] = *function;
  }
  program->n_functions = n;
  for (size_t i = 0; i < n; i++) {
    uint32_t next = i + 1 < n ? program->functions[i + 1].address : program->code_end,
             address = program->functions[i].address;
    uint32_t *n_bytes = &program->functions[i].n_bytes;
    if (*n_bytes == 0 || *n_bytes > next - address) *n_bytes = next - address;
  }
}

int32_t program_function_at(const struct program *program, uint32_t address) {
  size_t low = 0, high = program->n_functions;  // the function, if any, is in [low, high)
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (program->functions[middle].address <= address)
      low = middle;
    else
      high = middle;
  }
  if (low == high || address < program->functions[low].address) return NO_FUNCTION;
  return address - program->functions[low].address < program->functions[low].n_bytes ? (int32_t)low
                                                                                     : NO_FUNCTION;
}

static void set_frame(struct program *program, uint32_t address, uint64_t frame) {
  int32_t i = program_function_at(program, address);
  if (i == NO_FUNCTION || program->functions[i].address != address) return;
  program->functions[i].has_frame = true;
  program->functions[i].frame = frame > INT32_MAX ? INT32_MAX : (uint32_t)frame;
}

// Each entry of .stack_sizes is an address and a ULEB128 number. Functions whose frame has no fixed
// size have none.
static void read_frames(struct program *program) {
  Elf_Scn *section = NULL;
  size_t names;
  if (elf_getshdrstrndx(program->elf, &names)) return;
  while ((section = elf_nextscn(program->elf, section))) {
    GElf_Shdr header;
    const char *name =
        gelf_getshdr(section, &header) ? elf_strptr(program->elf, names, header.sh_name) : NULL;
    Elf_Data *data = name && strcmp(name, ".stack_sizes") == 0 ? elf_getdata(section, NULL) : NULL;
    if (!data) continue;
    const uint8_t *bytes = data->d_buf;
    for (size_t at = 0; at + 4 < data->d_size;) {
      uint32_t address = little_endian(bytes + at);
      uint64_t frame = 0;
      unsigned shift = 0;
      at += 4;
      do {
        if (shift < 63) frame |= (uint64_t)(bytes[at] & 127) << shift;
        shift += 7;
      } while (bytes[at++] & 128 && at < data->d_size);
      set_frame(program, address, frame);
    }
  }
}

static int read_kernels(struct program *program, char *msg, size_t msg_len) {
  for (size_t i = 0; i < program->n_kernels; i++) {
    program->kernels[i].function = program_function_at(program, program->kernels[i].address);
    for (size_t k = 0; k < i; k++) {
      if (strcmp(program->kernels[k].name, program->kernels[i].name)) continue;
      snprintf(msg, msg_len, "two kernels have the name '%s'", program->kernels[i].name);
      return -1;
    }
  }
  return program->n_kernels
             ? 0
             : fail(
                   msg, msg_len,
                   "no kernel: a kernel in assembler needs `.type NAME, @function` in section .text.qsm_kernel");
}

int program_open(struct program *program, const char *path, char *msg, size_t msg_len) {
  *program = (struct program){.fd = open(path, O_RDONLY)};
  if (program->fd < 0) return fail(msg, msg_len, "cannot open the program");
  elf_version(EV_CURRENT);
  program->elf = elf_begin(program->fd, ELF_C_READ, NULL);
  GElf_Ehdr header;
  if (!program->elf || !gelf_getehdr(program->elf, &header) || header.e_machine != EM_RISCV ||
      header.e_ident[EI_CLASS] != ELFCLASS32)
    return fail(msg, msg_len, "not a program for 32-bit RISC-V");
  if (read_code(program) || read_functions(program))
    return fail(msg, msg_len, "the program has no code or no symbols, or memory is short");
  order_functions(program);
  read_frames(program);
  program->dwarf = dwarf_begin_elf(program->elf, DWARF_C_READ, NULL);
  return read_kernels(program, msg, msg_len);
}

void program_close(struct program *program) {
  for (size_t i = 0; i < program->n_functions; i++) free(program->functions[i].calls);
  for (size_t i = 0; i < program->n_kernels; i++) {
    for (size_t k = 0; k < program->kernels[i].n_arguments; k++)
      free(program->kernels[i].arguments[k].type);
    free(program->kernels[i].arguments);
    free(program->kernels[i].signature);
  }
  free(program->functions);
  free(program->kernels);
  free(program->code);
  if (program->dwarf) dwarf_end(program->dwarf);
  if (program->elf) elf_end(program->elf);
  if (program->fd >= 0) close(program->fd);
}

// ---- What the debugging information says of a place ----

static bool next_unit(const struct program *program, Dwarf_CU **unit, Dwarf_Die *die) {
  return program->dwarf && dwarf_get_units(program->dwarf, *unit, unit, NULL, NULL, die, NULL) == 0;
}

bool program_subprogram(const struct program *program, uint32_t address, Dwarf_Die *die) {
  Dwarf_CU *unit = NULL;
  Dwarf_Die of_unit;
  while (next_unit(program, &unit, &of_unit)) {
    if (dwarf_child(&of_unit, die)) continue;
    do {
      Dwarf_Addr low;
      if (dwarf_tag(die) == DW_TAG_subprogram && dwarf_lowpc(die, &low) == 0 && low == address)
        return true;
    } while (dwarf_siblingof(die, die) == 0);
  }
  return false;
}

// As the user has named it: without the folder in which the compiler ran.
static void write_line(Dwarf_Die *unit, const char *file, int line, char *text, size_t text_len) {
  Dwarf_Attribute attribute;
  const char *folder =
      dwarf_attr(unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
  size_t length = folder ? strlen(folder) : 0;
  if (length && strncmp(file, folder, length) == 0 && file[length] == '/') file += length + 1;
  snprintf(text, text_len, "%s:%d", file, line);
}

void program_line(const struct program *program, uint32_t address, char *text, size_t text_len) {
  Dwarf_CU *unit = NULL;
  Dwarf_Die of_unit;
  text[0] = '\0';
  while (next_unit(program, &unit, &of_unit)) {
    Dwarf_Line *found =
        dwarf_haspc(&of_unit, address) == 1 ? dwarf_getsrc_die(&of_unit, address) : NULL;
    int line = 0;
    const char *file = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
    if (!file || dwarf_lineno(found, &line)) continue;
    write_line(&of_unit, file, line, text, text_len);
    return;
  }
}

// Not by dwarf_decl_file(): to some versions of it the first file of DWARF 5, number 0, is none.
void program_line_of_die(Dwarf_Die *die, char *text, size_t text_len) {
  Dwarf_Die unit;
  Dwarf_Attribute attribute;
  Dwarf_Files *files;
  Dwarf_Word number;
  int line = 0;
  text[0] = '\0';
  if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) ||
      dwarf_formudata(&attribute, &number) || dwarf_decl_line(die, &line))
    return;
  if (!dwarf_diecu(die, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, NULL)) return;
  const char *file = dwarf_filesrc(files, number, NULL, NULL);
  if (file) write_line(&unit, file, line, text, text_len);
}

static bool has_call_at(Dwarf_Die *parent, uint32_t at) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child)) return false;
  do {
    Dwarf_Attribute attribute;
    Dwarf_Addr address;
    if (dwarf_tag(&child) == DW_TAG_lexical_block && has_call_at(&child, at)) return true;
    if (dwarf_tag(&child) != DW_TAG_call_site) continue;
    if (dwarf_attr(&child, DW_AT_call_pc, &attribute) &&
        dwarf_formaddr(&attribute, &address) == 0 && address == at)
      return true;
    if (dwarf_attr(&child, DW_AT_call_return_pc, &attribute) &&
        dwarf_formaddr(&attribute, &address) == 0 && address == at + 4)
      return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

int program_is_call(const struct program *program, uint32_t function, uint32_t at) {
  Dwarf_Die die;
  if (!program_subprogram(program, function, &die) || !dwarf_hasattr(&die, DW_AT_call_all_calls))
    return -1;
  return has_call_at(&die, at);
}

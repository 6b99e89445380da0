// SPDX-License-Identifier: Apache-2.0
#include "qsm_source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct qsm_source_lines {
  int fd;
  Elf *elf;
  Dwarf *dwarf;   // NULL: none
  uint64_t base;  // link address of the image
};

struct place {
  const char *function, *file;
  int line;
};

static uint64_t lowest_address(Elf *elf) {
  size_t n = 0;
  uint64_t low = UINT64_MAX;
  elf_getphdrnum(elf, &n);
  for (size_t i = 0; i < n; i++) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD && segment.p_memsz &&
        segment.p_vaddr < low)
      low = segment.p_vaddr;
  }
  return low;
}

int qsm_source_lines_open(const char *path, struct qsm_source_lines **out, char *msg,
                          size_t msg_len) {
  struct qsm_source_lines *lines = calloc(1, sizeof *lines);
  if (!lines) {
    snprintf(msg, msg_len, "out of memory");
    return -1;
  }
  elf_version(EV_CURRENT);
  lines->fd = open(path, O_RDONLY);
  lines->elf = lines->fd < 0 ? NULL : elf_begin(lines->fd, ELF_C_READ, NULL);
  if (!lines->elf) {
    snprintf(msg, msg_len, "%s: cannot read", path);
    qsm_source_lines_close(lines);
    return -1;
  }
  lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
  lines->base = lowest_address(lines->elf);
  *out = lines;
  return 0;
}

void qsm_source_lines_close(struct qsm_source_lines *lines) {
  if (!lines) return;
  dwarf_end(lines->dwarf);
  elf_end(lines->elf);
  if (lines->fd >= 0) close(lines->fd);
  free(lines);
}

// ---- Symbols ----

static bool holds(const GElf_Sym *symbol, uint64_t address) {
  return GELF_ST_TYPE(symbol->st_info) == STT_FUNC && address >= symbol->st_value &&
         address < symbol->st_value + symbol->st_size;
}

// Of the symbol that holds the address: name, and start in *start.
static const char *find_symbol(Elf *elf, uint64_t address, uint64_t *start) {
  Elf_Scn *section = NULL;
  while ((section = elf_nextscn(elf, section))) {
    GElf_Shdr header;
    GElf_Sym symbol;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB) continue;
    Elf_Data *data = elf_getdata(section, NULL);
    for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
      if (!holds(&symbol, address)) continue;
      *start = symbol.st_value;
      return elf_strptr(elf, header.sh_link, symbol.st_name);
    }
  }
  return NULL;
}

const char *qsm_source_lines_function(const struct qsm_source_lines *lines, uint32_t offset) {
  uint64_t start = 0;
  const char *name = find_symbol(lines->elf, lines->base + offset, &start);
  return name ? name : "?";
}

// ---- Lines ----

static bool find_unit(Dwarf *dwarf, uint64_t address, Dwarf_Die *unit) {
  Dwarf_Off at = 0, next = 0;
  size_t header_bytes = 0;
  for (; dwarf_nextcu(dwarf, at, &next, &header_bytes, NULL, NULL, NULL) == 0; at = next)
    if (dwarf_offdie(dwarf, at + header_bytes, unit) && dwarf_haspc(unit, address) > 0) return true;
  return false;
}

static bool is_device_header(const char *file) {
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
  return strcmp(name, "qsm.h") == 0 || strcmp(name, "qsm_math.h") == 0;
}

static bool read_number(Dwarf_Die *die, unsigned name, Dwarf_Word *value) {
  Dwarf_Attribute attribute;
  return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, value) == 0;
}

// Where an inlined function is called from.
static bool read_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct place *place) {
  Dwarf_Word file = 0, line = 0;
  Dwarf_Files *files = NULL;
  if (!read_number(inlined, DW_AT_call_file, &file) ||
      !read_number(inlined, DW_AT_call_line, &line))
    return false;
  if (dwarf_getsrcfiles(unit, &files, NULL)) return false;
  const char *name = dwarf_filesrc(files, file, NULL, NULL);
  if (!name) return false;
  place->file = name;
  place->line = (int)line;
  return true;
}

// From the innermost function outwards, out of the device header: the function, and the line in it.
static void climb(Dwarf_Die *unit, Dwarf_Die *scopes, int n, struct place *place) {
  for (int i = 0; i < n; i++) {
    int tag = dwarf_tag(&scopes[i]);
    bool inlined = tag == DW_TAG_inlined_subroutine;
    if (inlined && is_device_header(place->file) && read_call(unit, &scopes[i], place)) continue;
    if (!inlined && tag != DW_TAG_subprogram) continue;
    place->function = dwarf_diename(&scopes[i]);
    return;
  }
}

// The functions, inlined or not, in which an address is, innermost first, and what is between them.
// To be freed; NULL: none.
static Dwarf_Die *find_scopes(Dwarf_Die *unit, uint64_t address, int *n) {
  Dwarf_Die *lexical = NULL, *scopes = NULL;
  *n = dwarf_getscopes(unit, address, &lexical);
  if (*n > 0) *n = dwarf_getscopes_die(&lexical[0], &scopes);
  free(lexical);
  return scopes;
}

// The line of an address, in whatever file.
static bool find_line(Dwarf_Die *unit, uint64_t address, struct place *place) {
  Dwarf_Line *line = dwarf_getsrc_die(unit, address);
  place->file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
  return place->file && dwarf_lineno(line, &place->line) == 0;
}

static bool find_place(const struct qsm_source_lines *lines, uint64_t address,
                       struct place *place) {
  Dwarf_Die unit;
  int n = 0;
  if (!lines->dwarf || !find_unit(lines->dwarf, address, &unit) ||
      !find_line(&unit, address, place))
    return false;
  Dwarf_Die *scopes = find_scopes(&unit, address, &n);
  climb(&unit, scopes, n, place);
  free(scopes);
  return true;
}

// The next function outwards from scope *i on; NULL: none.
static Dwarf_Die *next_function(Dwarf_Die *scopes, int n, int *i) {
  while (*i < n) {
    Dwarf_Die *scope = &scopes[(*i)++];
    if (dwarf_tag(scope) == DW_TAG_inlined_subroutine || dwarf_tag(scope) == DW_TAG_subprogram)
      return scope;
  }
  return NULL;
}

// Functions that are not inlined, or two calls at one place.
static bool is_same_call(Dwarf_Die *a, Dwarf_Die *b) {
  static const unsigned numbers[] = {DW_AT_call_file, DW_AT_call_line, DW_AT_call_column};
  if (dwarf_tag(a) != dwarf_tag(b)) return false;
  if (dwarf_tag(a) == DW_TAG_subprogram) return dwarf_dieoffset(a) == dwarf_dieoffset(b);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    Dwarf_Word of_a = 0, of_b = 0;
    if (!read_number(a, numbers[i], &of_a) || !read_number(b, numbers[i], &of_b) || of_a != of_b)
      return false;
  }
  return true;
}

static bool are_same_calls(Dwarf_Die *scopes_a, int n_a, Dwarf_Die *scopes_b, int n_b) {
  int i = 0, j = 0;
  Dwarf_Die *a = next_function(scopes_a, n_a, &i), *b = next_function(scopes_b, n_b, &j);
  bool same = a && b;
  for (; same && a && b; a = next_function(scopes_a, n_a, &i), b = next_function(scopes_b, n_b, &j))
    same = is_same_call(a, b);
  return same && !a && !b;
}

bool qsm_source_lines_same(const struct qsm_source_lines *lines, uint32_t a, uint32_t b) {
  Dwarf_Die unit_a, unit_b;
  struct place line_a = {0}, line_b = {0};
  uint64_t address_a = lines->base + a, address_b = lines->base + b;
  if (!lines->dwarf || !find_unit(lines->dwarf, address_a, &unit_a) ||
      !find_unit(lines->dwarf, address_b, &unit_b))
    return false;
  if (!find_line(&unit_a, address_a, &line_a) || !find_line(&unit_b, address_b, &line_b))
    return false;
  int n_a = 0, n_b = 0;
  Dwarf_Die *scopes_a = find_scopes(&unit_a, address_a, &n_a),
            *scopes_b = find_scopes(&unit_b, address_b, &n_b);
  bool same = line_a.line == line_b.line && are_same_calls(scopes_a, n_a, scopes_b, n_b);
  free(scopes_a);
  free(scopes_b);
  return same;
}

// Files below the current folder are named from there.
static const char *shorten(const char *file) {
  char folder[1024];
  size_t len = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
  return len && strncmp(file, folder, len) == 0 && file[len] == '/' ? file + len + 1 : file;
}

void qsm_source_lines_describe(const struct qsm_source_lines *lines, uint32_t offset, char *text,
                               size_t text_len) {
  uint64_t address = lines->base + offset, start = 0;
  struct place place = {0};
  const char *symbol = find_symbol(lines->elf, address, &start);
  if (find_place(lines, address, &place))
    snprintf(text, text_len, "%s at %s:%d",
             place.function ? place.function
             : symbol       ? symbol
                            : "?",
             shorten(place.file), place.line);
  else if (symbol)
    snprintf(text, text_len, "%s+0x%llX (no lines: compile with -g)", symbol,
             (unsigned long long)(address - start));
  else
    snprintf(text, text_len, "no function");
}

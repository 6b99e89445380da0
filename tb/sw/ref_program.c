// SPDX-License-Identifier: Apache-2.0
#include "ref_program.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static const void *file_part(const struct qsm_ref_program *program, uint32_t offset,
                             size_t n_bytes) {
  if (offset > program->file_bytes || n_bytes > program->file_bytes - offset) return NULL;
  return program->file + offset;
}

static uint8_t *read_file(const char *path, size_t *n_bytes) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) return NULL;
  uint8_t *content = NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    long size = ftell(file);
    rewind(file);
    content = size > 0 ? malloc((size_t)size) : NULL;
    if (content != NULL && fread(content, 1, (size_t)size, file) != (size_t)size) {
      free(content);
      content = NULL;
    }
    *n_bytes = content != NULL ? (size_t)size : 0;
  }
  fclose(file);
  return content;
}

static int load_segment(struct qsm_ref_program *program, const Elf32_Phdr *header) {
  uint32_t address = header->p_vaddr + program->load_offset;
  uint8_t *to = qsm_ref_at(program->ref, address, header->p_memsz);
  const void *from = file_part(program, header->p_offset, header->p_filesz);
  if (to == NULL || from == NULL || header->p_filesz > header->p_memsz) return -1;
  memset(to, 0, header->p_memsz);
  memcpy(to, from, header->p_filesz);
  if (header->p_flags & PF_X) program->text_base = address;
  if (header->p_flags & PF_W && header->p_memsz > 0) program->data_base = address;
  if (address + header->p_memsz > program->image_end)
    program->image_end = address + header->p_memsz;
  return 0;
}

static int load_segments(struct qsm_ref_program *program, const Elf32_Ehdr *elf) {
  const Elf32_Phdr *headers = file_part(program, elf->e_phoff, elf->e_phnum * sizeof *headers);
  if (headers == NULL) return -1;
  for (int i = 0; i < elf->e_phnum; i++) {
    if (headers[i].p_type == PT_TLS) program->shared_bytes = headers[i].p_memsz;
    if (headers[i].p_type == PT_LOAD && load_segment(program, &headers[i]) != 0) return -1;
  }
  // A program without data has no second segment; its data window starts on the page after the
  // code.
  if (program->data_base == 0) program->data_base = (program->image_end + PAGE - 1) / PAGE * PAGE;
  if (program->image_end < program->data_base) program->image_end = program->data_base;
  return 0;
}

int qsm_ref_program_load(struct qsm_ref_program *program, struct qsm_ref *ref, const char *path,
                         uint32_t base, const char **error) {
  *program = (struct qsm_ref_program){.ref = ref};
  program->file = read_file(path, &program->file_bytes);
  const Elf32_Ehdr *elf = program->file != NULL ? file_part(program, 0, sizeof *elf) : NULL;
  *error = "cannot read the file";
  if (elf == NULL) goto fail;
  *error = "not a RISC-V 32 program of qsm-cc";
  if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || elf->e_ident[EI_CLASS] != ELFCLASS32 ||
      elf->e_machine != EM_RISCV || elf->e_type != ET_DYN) {
    goto fail;
  }
  program->load_offset = base - elf->e_entry;  // _start is the first byte of the image
  program->entry = base;
  *error = "a segment does not fit into memory";
  if (load_segments(program, elf) != 0) goto fail;
  *error = NULL;
  return 0;
fail:
  qsm_ref_program_destroy(program);
  return -1;
}

void qsm_ref_program_destroy(struct qsm_ref_program *program) {
  free(program->file);
  program->file = NULL;
}

static const Elf32_Shdr *section_of_type(const struct qsm_ref_program *program, uint32_t type) {
  const Elf32_Ehdr *elf = file_part(program, 0, sizeof *elf);
  const Elf32_Shdr *sections = file_part(program, elf->e_shoff, elf->e_shnum * sizeof *sections);
  for (int i = 0; sections != NULL && i < elf->e_shnum; i++) {
    if (sections[i].sh_type == type) return &sections[i];
  }
  return NULL;
}

uint32_t qsm_ref_program_symbol(const struct qsm_ref_program *program, const char *name) {
  const Elf32_Ehdr *elf = file_part(program, 0, sizeof *elf);
  const Elf32_Shdr *table = section_of_type(program, SHT_SYMTAB);
  if (table == NULL || table->sh_link >= elf->e_shnum) return 0;
  const Elf32_Shdr *sections = file_part(program, elf->e_shoff, elf->e_shnum * sizeof *sections);
  const Elf32_Sym *symbols = file_part(program, table->sh_offset, table->sh_size);
  const Elf32_Shdr *strings = &sections[table->sh_link];
  const char *names = file_part(program, strings->sh_offset, strings->sh_size);
  if (symbols == NULL || names == NULL) return 0;
  for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
    if (symbols[i].st_name < strings->sh_size && strcmp(names + symbols[i].st_name, name) == 0) {
      return symbols[i].st_value + program->load_offset;
    }
  }
  return 0;
}

static uint32_t get_word(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

// P-ELF-5: head of the note, its version and counts, kernels, arguments, strings. The file is one
// that qsm-cc has just made.
int qsm_ref_program_kernel(const struct qsm_ref_program *program, const char *name,
                           struct qsm_ref_kernel *kernel) {
  enum { HEAD = 16, COUNTS = 16, KERNEL = 32, ARGUMENT = 16 };
  const Elf32_Shdr *section = section_of_type(program, SHT_NOTE);
  const uint8_t *note =
      section != NULL ? file_part(program, section->sh_offset, section->sh_size) : NULL;
  if (note == NULL || get_word(note + HEAD) != 1) return -1;
  uint32_t n_kernels = get_word(note + HEAD + 4), n_arguments = get_word(note + HEAD + 8);
  const uint8_t *kernels = note + HEAD + COUNTS, *arguments = kernels + (size_t)KERNEL * n_kernels;
  const char *strings = (const char *)arguments + (size_t)ARGUMENT * n_arguments;
  for (uint32_t i = 0; i < n_kernels; i++) {
    const uint8_t *at = kernels + (size_t)KERNEL * i;
    if (strcmp(strings + get_word(at), name) != 0) continue;
    *kernel = (struct qsm_ref_kernel){.name = strings + get_word(at),
                                      .signature = strings + get_word(at + 4),
                                      .offset = get_word(at + 8),
                                      .stack_bytes = get_word(at + 12),
                                      .shared_bytes = get_word(at + 16),
                                      .flags = get_word(at + 20),
                                      .arguments = arguments + (size_t)ARGUMENT * get_word(at + 24),
                                      .n_arguments = get_word(at + 28),
                                      .strings = strings};
    return 0;
  }
  return -1;
}

static void put_word(uint8_t *at, uint32_t word) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(word >> 8 * i);
}

static int write_arguments(const struct qsm_ref_program *program, const struct qsm_ref_call *call,
                           uint32_t kernel) {
  uint8_t *at = qsm_ref_at(program->ref, call->scratch, QSM_REF_ARGUMENT_BYTES);
  if (at == NULL) return -1;
  put_word(at, kernel);
  put_word(at + 4, call->image_bytes);
  for (int i = 0; i < 8; i++) put_word(at + 8 + 4 * i, call->args[i]);
  for (uint32_t i = 0; i < call->image_bytes / 4; i++) put_word(at + 40 + 4 * i, call->image[i]);
  return 0;
}

static uint32_t power_of_two(uint32_t n_bytes) {
  uint32_t power = 16;
  while (power < n_bytes) power *= 2;
  return n_bytes > 0 ? power : 0;
}

enum qsm_ref_status qsm_ref_program_call(const struct qsm_ref_program *program,
                                         const struct qsm_ref_call *call,
                                         struct qsm_ref_result *result) {
  struct qsm_ref_kernel kernel;
  if (qsm_ref_program_kernel(program, call->symbol, &kernel) != 0) return QSM_REF_NO_MEMORY;
  if (write_arguments(program, call, program->text_base + kernel.offset) != 0)
    return QSM_REF_NO_MEMORY;
  struct qsm_ref_launch launch = {
      .entry = program->entry,
      .arg = call->scratch,
      .shared_bytes = kernel.shared_bytes + call->shared_bytes,
      .local_bytes = call->stack_bytes != 0 ? call->stack_bytes : power_of_two(kernel.stack_bytes),
      .warp_size = call->warp_size,
      .windows = {{program->text_base, program->data_base, QSM_REF_R | QSM_REF_X},
                  {program->data_base, call->window_end, QSM_REF_R | QSM_REF_W}},
      .max_instructions = call->max_instructions,
  };
  memcpy(launch.grid, call->grid, sizeof launch.grid);
  memcpy(launch.block, call->block, sizeof launch.block);
  return qsm_ref_run(program->ref, &launch, result);
}

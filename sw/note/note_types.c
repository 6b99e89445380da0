// SPDX-License-Identifier: Apache-2.0
// Arguments of kernels from the debugging information: sizes and alignments as the ilp32 calling
// convention needs them, and names.
#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "note_program.h"

enum { NAME_BYTES = 512, MAX_NESTING = 32 };

// ---- Types ----

static bool type_of(Dwarf_Die *die, Dwarf_Die *type) {
  Dwarf_Attribute attribute;
  return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

static bool is_qualifier(int tag) {
  return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
         tag == DW_TAG_atomic_type;
}

// Without names and qualifiers. False: void.
static bool bare_type(Dwarf_Die *type) {
  while (is_qualifier(dwarf_tag(type)) || dwarf_tag(type) == DW_TAG_typedef)
    if (!type_of(type, type)) return false;
  return true;
}

static bool unsigned_attribute(Dwarf_Die *die, unsigned name, Dwarf_Word *value) {
  Dwarf_Attribute attribute;
  return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, value) == 0;
}

static uint32_t alignment(Dwarf_Die *type, unsigned nesting);

static uint32_t alignment_of_members(Dwarf_Die *record, unsigned nesting) {
  Dwarf_Die member, type;
  uint32_t most = 1;
  if (dwarf_child(record, &member)) return most;
  do {
    Dwarf_Word stated, offset;
    if (dwarf_tag(&member) != DW_TAG_member || !type_of(&member, &type)) continue;
    uint32_t align = unsigned_attribute(&member, DW_AT_alignment, &stated)
                         ? (uint32_t)stated
                         : alignment(&type, nesting);
    // A packed structure.
    while (align > 1 && unsigned_attribute(&member, DW_AT_data_member_location, &offset) &&
           offset % align)
      align /= 2;
    if (align > most) most = align;
  } while (dwarf_siblingof(&member, &member) == 0);
  return most;
}

// Natural alignment, or what the source states.
static uint32_t alignment(Dwarf_Die *type, unsigned nesting) {
  Dwarf_Word stated, bytes = 0, encoding = 0;
  Dwarf_Die inner = *type, element;
  for (; nesting < MAX_NESTING; nesting++) {
    if (unsigned_attribute(&inner, DW_AT_alignment, &stated)) return (uint32_t)stated;
    if (!is_qualifier(dwarf_tag(&inner)) && dwarf_tag(&inner) != DW_TAG_typedef) break;
    if (!type_of(&inner, &inner)) return 1;
  }
  if (nesting == MAX_NESTING || dwarf_aggregate_size(&inner, &bytes)) return 1;
  switch (dwarf_tag(&inner)) {
    case DW_TAG_structure_type:
    case DW_TAG_union_type: {
      uint32_t align = alignment_of_members(&inner, nesting + 1);
      while (align > 1 && bytes % align) align /= 2;
      return align;
    }
    case DW_TAG_array_type:
      if (!dwarf_hasattr(&inner, DW_AT_GNU_vector))
        return type_of(&inner, &element) ? alignment(&element, nesting + 1) : 1;
      break;
    case DW_TAG_base_type:
      if (unsigned_attribute(&inner, DW_AT_encoding, &encoding) && encoding == DW_ATE_complex_float)
        bytes /= 2;
      break;
    default: break;
  }
  uint32_t align = 1;
  while (align < bytes && align < NOTE_MAX_ALIGN) align *= 2;
  return align;
}

static bool is_signed(Dwarf_Die *type) {
  Dwarf_Die inner = *type;
  Dwarf_Word encoding;
  if (!bare_type(&inner)) return false;
  if (dwarf_tag(&inner) == DW_TAG_enumeration_type &&
      (!type_of(&inner, &inner) || !bare_type(&inner)))
    return false;
  return unsigned_attribute(&inner, DW_AT_encoding, &encoding) &&
         (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char);
}

// ---- Names, as in C ----

static void name_type(Dwarf_Die *type, const char *declarator, unsigned nesting, char *text);

__attribute__((format(printf, 2, 3))) static void print(char *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(text, NAME_BYTES, format, args);
  va_end(args);
}

static void name_plain(Dwarf_Die *type, const char *declarator, char *text) {
  int tag = dwarf_tag(type);
  const char *kind = tag == DW_TAG_structure_type     ? "struct "
                     : tag == DW_TAG_union_type       ? "union "
                     : tag == DW_TAG_enumeration_type ? "enum "
                                                      : "";
  const char *name = dwarf_diename(type);
  print(text, "%s%s%s%s", kind, name ? name : "{...}", declarator[0] ? " " : "", declarator);
}

static void name_function(Dwarf_Die *type, const char *declarator, unsigned nesting, char *text) {
  char list[NAME_BYTES] = "", one[NAME_BYTES], whole[NAME_BYTES];
  Dwarf_Die parameter, of_parameter, result;
  if (dwarf_child(type, &parameter) == 0) {
    do {
      if (dwarf_tag(&parameter) == DW_TAG_formal_parameter && type_of(&parameter, &of_parameter))
        name_type(&of_parameter, "", nesting, one);
      else
        print(one, "...");
      print(whole, "%s%s%s", list, list[0] ? ", " : "", one);
      memcpy(list, whole, sizeof list);
    } while (dwarf_siblingof(&parameter, &parameter) == 0);
  }
  print(whole, "%s(%s)", declarator, list[0] ? list : "void");
  if (type_of(type, &result))
    name_type(&result, whole, nesting, text);
  else
    print(text, "void %s", whole);
}

static void name_array(Dwarf_Die *type, const char *declarator, unsigned nesting, char *text) {
  char dimensions[NAME_BYTES] = "", whole[NAME_BYTES];
  Dwarf_Die dimension, element;
  if (dwarf_child(type, &dimension) == 0) {
    do {
      Dwarf_Word count;
      if (unsigned_attribute(&dimension, DW_AT_count, &count))
        print(whole, "%s[%llu]", dimensions, (unsigned long long)count);
      else
        print(whole, "%s[]", dimensions);
      memcpy(dimensions, whole, sizeof dimensions);
    } while (dwarf_siblingof(&dimension, &dimension) == 0);
  }
  print(whole, "%s%s", declarator, dimensions);
  if (type_of(type, &element)) name_type(&element, whole, nesting, text);
}

static void name_pointer(Dwarf_Die *type, const char *declarator, unsigned nesting, char *text) {
  char whole[NAME_BYTES];
  Dwarf_Die to;
  if (!type_of(type, &to)) {
    print(text, "void *%s", declarator);
    return;
  }
  int tag = dwarf_tag(&to);
  bool binds_less = tag == DW_TAG_subroutine_type || tag == DW_TAG_array_type;
  print(whole, binds_less ? "(*%s)" : "*%s", declarator);
  name_type(&to, whole, nesting, text);
}

static bool is_pointer(Dwarf_Die type) {
  while (is_qualifier(dwarf_tag(&type)))
    if (!type_of(&type, &type)) return false;
  return dwarf_tag(&type) == DW_TAG_pointer_type;
}

static void name_qualified(Dwarf_Die *type, const char *declarator, unsigned nesting, char *text) {
  int tag = dwarf_tag(type);
  const char *word = tag == DW_TAG_const_type      ? "const"
                     : tag == DW_TAG_volatile_type ? "volatile"
                     : tag == DW_TAG_atomic_type   ? "_Atomic"
                                                   : "restrict";
  char inner_text[NAME_BYTES];
  Dwarf_Die inner;
  if (!type_of(type, &inner)) {
    print(text, "%s void%s%s", word, declarator[0] ? " " : "", declarator);
  } else if (is_pointer(inner)) {  // behind the asterisk
    print(inner_text, "%s%s%s", word, declarator[0] ? " " : "", declarator);
    name_type(&inner, inner_text, nesting, text);
  } else {
    name_type(&inner, declarator, nesting, inner_text);
    print(text, "%s %s", word, inner_text);
  }
}

static void name_type(Dwarf_Die *type, const char *declarator, unsigned nesting, char *text) {
  int tag = dwarf_tag(type);
  if (nesting == MAX_NESTING)
    print(text, "... %s", declarator);
  else if (is_qualifier(tag))
    name_qualified(type, declarator, nesting + 1, text);
  else if (tag == DW_TAG_pointer_type)
    name_pointer(type, declarator, nesting + 1, text);
  else if (tag == DW_TAG_subroutine_type)
    name_function(type, declarator, nesting + 1, text);
  else if (tag == DW_TAG_array_type)
    name_array(type, declarator, nesting + 1, text);
  else
    name_plain(type, declarator, text);
}

// ---- Kernels ----

__attribute__((format(printf, 5, 6))) static int refuse(Dwarf_Die *kernel, const char *name,
                                                        char *msg, size_t msg_len,
                                                        const char *format, ...) {
  char line[NAME_BYTES], why[NAME_BYTES];
  va_list args;
  va_start(args, format);
  vsnprintf(why, sizeof why, format, args);
  va_end(args);
  program_line_of_die(kernel, line, sizeof line);
  snprintf(msg, msg_len, "%s: error: kernel '%s' %s", line, name, why);
  return -1;
}

static int append(char **text, const char *more) {
  size_t old = *text ? strlen(*text) : 0, added = strlen(more);
  char *grown = realloc(*text, old + added + 1);
  if (!grown) return -1;
  memcpy(grown + old, more, added + 1);
  *text = grown;
  return 0;
}

static int add_argument(struct kernel *kernel, Dwarf_Die *parameter, Dwarf_Die *type,
                        uint32_t n_bytes) {
  char text[NAME_BYTES];
  struct argument *grown = realloc(kernel->arguments, (kernel->n_arguments + 1) * sizeof *grown);
  if (!grown) return -1;
  kernel->arguments = grown;
  struct argument *argument = &grown[kernel->n_arguments++];
  *argument = (struct argument){.n_bytes = n_bytes,
                                .align = alignment(type, 0),
                                .by_reference = n_bytes > 8,
                                .is_signed = is_signed(type)};
  name_type(type, "", 0, text);
  argument->type = strdup(text);
  const char *name = dwarf_diename(parameter);
  name_type(type, name ? name : "", 0, text);
  return !argument->type || (kernel->n_arguments > 1 && append(&kernel->signature, ", ")) ||
                 append(&kernel->signature, text)
             ? -1
             : 0;
}

static int read_argument(struct kernel *kernel, Dwarf_Die *die, Dwarf_Die *parameter, char *msg,
                         size_t msg_len) {
  Dwarf_Die type, bare;
  Dwarf_Word bytes = 0;
  size_t n = kernel->n_arguments + 1;
  if (!type_of(parameter, &type))
    return refuse(die, kernel->name, msg, msg_len, "has an argument of no type, number %zu", n);
  bare = type;
  if (!bare_type(&bare) || dwarf_aggregate_size(&bare, &bytes) || bytes == 0)
    return refuse(die, kernel->name, msg, msg_len, "has an argument of no bytes, number %zu", n);
  uint64_t sum = kernel->argument_bytes + (bytes + 3) / 4 * 4;
  if (sum > NOTE_MAX_ARGUMENT_BYTES)
    return refuse(die, kernel->name, msg, msg_len,
                  "has more than %d bytes of arguments: pass a pointer", NOTE_MAX_ARGUMENT_BYTES);
  kernel->argument_bytes = (uint32_t)sum;
  if (add_argument(kernel, parameter, &type, (uint32_t)bytes)) {
    snprintf(msg, msg_len, "out of memory");
    return -1;
  }
  // An alignment beyond what a scalar has is the name's, not the value's.
  struct argument *argument = &kernel->arguments[n - 1];
  int tag = dwarf_tag(&bare);
  bool is_record = tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
  if (!is_record) argument->align = alignment(&bare, 0);
  if (argument->align <= NOTE_MAX_ALIGN) return 0;
  return refuse(die, kernel->name, msg, msg_len,
                "has an argument aligned to %u bytes, number %zu; at most %d", argument->align, n,
                NOTE_MAX_ALIGN);
}

// Arguments of the ilp32 calling convention beyond a0..a7, and copies of what goes by reference.
static uint32_t image_bytes(const struct kernel *kernel) {
  uint32_t n_registers = 0, at = 0;
  for (size_t i = 0; i < kernel->n_arguments; i++) {
    const struct argument *argument = &kernel->arguments[i];
    uint32_t n_words = argument->by_reference ? 1 : (argument->n_bytes + 3) / 4;
    if (n_registers == NOTE_REGISTERS && n_words == 2 && argument->align == 8)
      at = (at + 7) / 8 * 8;
    for (; n_words; n_words--) {
      if (n_registers < NOTE_REGISTERS)
        n_registers++;
      else
        at += 4;
    }
  }
  for (size_t i = 0; i < kernel->n_arguments; i++) {
    const struct argument *argument = &kernel->arguments[i];
    uint32_t align = argument->align > 4 ? argument->align : 4;
    if (argument->by_reference) at = (at + align - 1) / align * align + argument->n_bytes;
  }
  return (at + NOTE_STACK_ALIGN - 1) / NOTE_STACK_ALIGN * NOTE_STACK_ALIGN;
}

static int read_parameters(struct kernel *kernel, Dwarf_Die *die, char *msg, size_t msg_len) {
  Dwarf_Die child;
  if (dwarf_child(die, &child)) return 0;
  do {
    if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
      return refuse(die, kernel->name, msg, msg_len,
                    "takes a variable number of arguments: a launch passes a fixed one");
    if (dwarf_tag(&child) == DW_TAG_formal_parameter &&
        read_argument(kernel, die, &child, msg, msg_len))
      return -1;
  } while (dwarf_siblingof(&child, &child) == 0);
  return 0;
}

int program_read_arguments(const struct program *program, struct kernel *kernel, char *msg,
                           size_t msg_len) {
  Dwarf_Die die, result;
  Dwarf_Attribute attribute;
  char text[NAME_BYTES];
  if (!program_subprogram(program, kernel->address, &die)) return 0;
  // What is also inlined elsewhere has one description for all places.
  if (dwarf_attr(&die, DW_AT_abstract_origin, &attribute)) dwarf_formref_die(&attribute, &die);
  bool is_prototyped = false;
  if (dwarf_attr(&die, DW_AT_prototyped, &attribute)) dwarf_formflag(&attribute, &is_prototyped);
  if (type_of(&die, &result)) {
    name_type(&result, "", 0, text);
    return refuse(&die, kernel->name, msg, msg_len, "returns %s: a kernel returns nothing", text);
  }
  if (!is_prototyped)
    return refuse(&die, kernel->name, msg, msg_len,
                  "does not say what its arguments are: write %s(void)", kernel->name);
  print(text, "%s(", kernel->name);
  if (append(&kernel->signature, text) || read_parameters(kernel, &die, msg, msg_len)) return -1;
  if (append(&kernel->signature, kernel->n_arguments ? ")" : "void)")) return -1;
  kernel->is_typed = true;
  kernel->image_bytes = image_bytes(kernel);
  if (kernel->image_bytes <= NOTE_MAX_IMAGE_BYTES) return 0;
  return refuse(&die, kernel->name, msg, msg_len,
                "has arguments that take %u bytes of its stack, at most %d", kernel->image_bytes,
                NOTE_MAX_IMAGE_BYTES);
}

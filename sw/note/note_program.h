// SPDX-License-Identifier: Apache-2.0
// A linked device program as qsm-note sees it: functions with their frames, calls, kernels with
// their arguments.
#ifndef QSM_NOTE_PROGRAM_H
#define QSM_NOTE_PROGRAM_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  NOTE_MAX_ARGUMENT_BYTES = 256,
  NOTE_MAX_IMAGE_BYTES = 304,
  NOTE_MAX_ALIGN = 16,
  NOTE_REGISTERS = 8,
  NOTE_STACK_ALIGN = 16
};

// What keeps a stack from having a size that the code says.
enum trouble {
  TROUBLE_NONE,
  TROUBLE_RECURSION,
  TROUBLE_POINTER,
  TROUBLE_OUTSIDE,
  TROUBLE_DYNAMIC,
  TROUBLE_MOVES_SP
};

enum { NO_FUNCTION = -1 };

// A call, or a jump to another function.
struct call {
  uint32_t at;
  int32_t target;  // index of the function, or NO_FUNCTION
  enum trouble trouble;
};

struct function {
  const char *name;
  uint32_t address, n_bytes;
  bool has_frame;  // the compiler has said its frame
  uint32_t frame;
  enum trouble trouble;  // of the frame
  struct call *calls;
  size_t n_calls;
};

struct argument {
  uint32_t n_bytes, align;
  bool by_reference, is_signed;
  char *type;
};

struct kernel {
  const char *name;
  uint32_t address;
  int32_t function;
  bool is_typed;  // debugging information says its arguments
  char *signature;
  struct argument *arguments;
  size_t n_arguments;
  uint32_t argument_bytes, image_bytes;  // each in whole words; on the stack
  bool is_computed;                      // the code says stack_bytes, not the user
  uint32_t stack_bytes;
};

struct program {
  int fd;
  Elf *elf;
  Dwarf *dwarf;  // NULL: none
  uint32_t base, code_end, shared_bytes;
  uint8_t *code;               // [base, code_end)
  struct function *functions;  // ascending, of different addresses
  size_t n_functions;
  struct kernel *kernels;
  size_t n_kernels;
};

// Opens a program and reads functions, frames and the names of kernels. Returns 0, or -1 with a
// message.
int program_open(struct program *program, const char *path, char *msg, size_t msg_len);
void program_close(struct program *program);
// The function that holds an address, or NO_FUNCTION.
int32_t program_function_at(const struct program *program, uint32_t address);
uint32_t program_word(const struct program *program, uint32_t address);

// The subprogram that begins at an address. False: no debugging information about it.
bool program_subprogram(const struct program *program, uint32_t address, Dwarf_Die *die);
// "file.c:12" of an address or of a declaration; "" when unknown.
void program_line(const struct program *program, uint32_t address, char *text, size_t text_len);
void program_line_of_die(Dwarf_Die *die, char *text, size_t text_len);
// Whether the compiler says that the instruction is a call (1) or is none (0); -1: it does not say.
int program_is_call(const struct program *program, uint32_t function, uint32_t at);

// note_types.c: arguments and signature of a kernel. What is forbidden is written to the message:
// "file.c:12: error: ..." (-1).
int program_read_arguments(const struct program *program, struct kernel *kernel, char *msg,
                           size_t msg_len);

// note_stack.c: finds calls and what moves sp. Returns 0, or -1 when memory is short.
int program_decode(struct program *program);
// Bytes of the deepest chain of calls of a function, each function once; what has no bound goes to
// `report` with the chain that leads there.
typedef void stack_report(void *ctx, const struct program *program, enum trouble trouble,
                          const int32_t *chain, size_t n_chain, uint32_t at);
int program_stack(const struct program *program, int32_t function, stack_report *report, void *ctx,
                  uint32_t *n_bytes);

#endif

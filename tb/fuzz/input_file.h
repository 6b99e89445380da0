// SPDX-License-Identifier: Apache-2.0
// The bytes of a fuzzer as a file, for what reads files.
#ifndef INPUT_FILE_H
#define INPUT_FILE_H

#include <stddef.h>
#include <stdint.h>

// Returns its path, the same each time in a process; NULL: it cannot be written.
const char *write_input_file(const uint8_t *bytes, size_t n_bytes);
// Takes it away, with what SQLite has put beside it.
void remove_input_file(void);

#endif

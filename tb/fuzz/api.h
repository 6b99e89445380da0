// SPDX-License-Identifier: Apache-2.0
// Sequences of libqsm's calls, decoded from bytes: hostile tenants that stop at nothing, beside an
// honest one whose results must be right.
#ifndef API_H
#define API_H

#include <stddef.h>
#include <stdint.h>

// Runs a sequence on a backend; returns NULL, or what is wrong: good until the next call.
const char *api_sequence(const char *backend, const uint8_t *bytes, size_t n_bytes);
// Calls that the sequences so far were made of.
uint64_t api_calls(void);

#endif

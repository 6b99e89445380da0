// SPDX-License-Identifier: Apache-2.0
// FNV-1a over what a result depends on.
#ifndef QSM_HASH_H
#define QSM_HASH_H

#include <stddef.h>
#include <stdint.h>

#define QSM_HASH_START UINT64_C(0xcbf29ce484222325)

uint64_t qsm_hash_bytes(uint64_t hash, const void *bytes, size_t n);
// All that is in a file. 0, or -1 with errno.
int qsm_hash_file(const char *path, uint64_t *hash);

#endif

// SPDX-License-Identifier: Apache-2.0
// The live handles of the process: numbers that are never used twice, so that one of something that
// has gone is known as such.
#ifndef QSM_HANDLE_H
#define QSM_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

enum qsm_handle_kind { QSM_HANDLE_DEVICE, QSM_HANDLE_CONTEXT, QSM_HANDLE_STREAM, QSM_HANDLE_EVENT };

uintptr_t qsm_handle_create(enum qsm_handle_kind kind, void *object);  // 0: the host has no memory
void *qsm_handle_find(enum qsm_handle_kind kind,
                      uintptr_t handle);  // NULL: not one of this kind that lives
void qsm_handle_destroy(uintptr_t handle);

#endif

// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM: the first asks a long run to end with what it has, the second ends the
// process at once.
#ifndef QSM_INTERRUPT_H
#define QSM_INTERRUPT_H

#include <stdbool.h>

// From here on; a signal that the caller of the command had ignored stays so.
void qsm_interrupt_watch(void);
// Whether one has come since.
bool qsm_interrupt_came(void);
// Both end the process again.
void qsm_interrupt_release(void);

#endif

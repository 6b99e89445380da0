// SPDX-License-Identifier: Apache-2.0
// For `qsm memcheck`: follows one tenant of the C model, alone on its GPU, and checks what its
// threads do (docs/memcheck.md).
#ifndef QSM_MEMCHECK_CHECK_H
#define QSM_MEMCHECK_CHECK_H

#include <stdbool.h>

#include "qsm_config.h"
#include "qsm_observer.h"
#include "qsm_events.h"
#include "qsm_memcheck_findings.h"

struct qsm_mc_check;

// exited: threads that have ended without a barrier at which others wait are a finding too. NULL:
// no memory.
struct qsm_mc_check *qsm_mc_check_create(const struct qsm_config *config, bool exited);
void qsm_mc_check_destroy(struct qsm_mc_check *check);  // NULL is fine

const struct qsm_observer *qsm_mc_check_observer(const struct qsm_mc_check *check);
void qsm_mc_check_event(void *check, const struct qsm_event *event);     // a qsm_event_sink
void qsm_mc_check_access(void *check, const struct qsm_access *access);  // a qsm_access_sink

struct qsm_mc_findings *qsm_mc_check_findings(const struct qsm_mc_check *check);
uint32_t qsm_mc_check_program_at(
    const struct qsm_mc_check *check);  // device address of the program's image
bool qsm_mc_check_failed(
    const struct qsm_mc_check *check);  // there was not memory enough to look at everything

#endif

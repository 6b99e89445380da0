// SPDX-License-Identifier: Apache-2.0
// Who uses which SM (docs/sm_owner.md): what the SM manager sees of an SM.
#ifndef QSM_SM_OWNER_H
#define QSM_SM_OWNER_H

#include <stdint.h>

// As at the start of the cycle; enum qsm_sm_use and qsm_sm_power.
struct qsm_sm_usage {
  uint8_t usage, owner, moving, next_usage, next_owner, power;
};

#endif

// SPDX-License-Identifier: Apache-2.0
// KRISP's masks (docs/collocation.md R-CO-10).
#include "qsm_collocation_internal.h"

qsm_collocation_mask collocation_krisp(const struct qsm_collocation *collocation, uint32_t demand) {
  qsm_collocation_mask mask = 0;
  uint32_t next_load = 0;
  for (uint32_t load = 0; demand; load = next_load) {
    next_load = UINT32_MAX;
    for (uint32_t sm = 0; sm < collocation->machine.n_sms && demand; sm++) {
      if (collocation->load[sm] == load) {
        mask |= collocation_bit(sm);
        demand--;
      } else if (collocation->load[sm] > load && collocation->load[sm] < next_load) {
        next_load = collocation->load[sm];
      }
    }
  }
  return mask;
}

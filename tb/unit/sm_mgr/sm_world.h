// SPDX-License-Identifier: Apache-2.0
// What stands around the SM manager: SMs whose moves take random times (docs/sm_owner.md R-SO-1,
// R-SO-4, R-SO-10), are gated and wake up.
#ifndef SM_WORLD_H
#define SM_WORLD_H

#include <vector>

#include "../common/qsm_unit.h"
#include "sm_ref.h"

class SmWorld {
 public:
  SmWorld(unsigned n_sms, qsm_unit::Random &random) : left_(n_sms), random_(random) {}

  unsigned longest = 20;  // cycles of a move
  bool gating = true;

  // The end of a cycle: the manager's request, the contexts at its start.
  void step(std::vector<SmState> &sms, const SmRequest &request, const std::vector<bool> &valid) {
    for (unsigned i = 0; i < sms.size(); i++) {
      SmState &s = sms[i];
      if (request.valid && request.sm == i) {
        if (!s.moving) left_[i] = random_.below(longest + 1);
        s.moving = true;
        s.next_usage = request.usage;
        s.next_owner = request.owner;
      } else if (s.moving && s.next_usage == QSM_USE_OWNED && !valid[s.next_owner]) {
        s.next_usage = QSM_USE_SHARED;
        s.next_owner = 0;
      } else if (!s.moving && s.usage == QSM_USE_OWNED && !valid[s.owner]) {
        s.usage = QSM_USE_SHARED;
        s.owner = 0;
      } else if (s.moving && left_[i] > 0) {
        left_[i]--;
      } else if (s.moving && (s.power == QSM_POWER_ON || s.next_usage == QSM_USE_FREE)) {
        s.usage = s.next_usage;
        s.owner = s.next_owner;
        s.moving = false;
        s.next_usage = QSM_USE_SHARED;
        s.next_owner = 0;
      }
      // as of the next cycle: any power state may be reached where the SM is free
      if (s.power == QSM_POWER_ON && !s.moving && s.usage == QSM_USE_FREE && gating) {
        if (random_.one_in(30)) s.power = QSM_POWER_STOPPING;
      } else if (s.power == QSM_POWER_STOPPING) {
        if (random_.one_in(4)) s.power = QSM_POWER_OFF;
      } else if (s.power == QSM_POWER_OFF) {
        if (s.moving && s.next_usage != QSM_USE_FREE) s.power = QSM_POWER_WAKING;
      } else if (s.power == QSM_POWER_WAKING) {
        if (random_.one_in(10)) s.power = QSM_POWER_ON;
      }
    }
  }

 private:
  std::vector<unsigned> left_;
  qsm_unit::Random &random_;
};

#endif

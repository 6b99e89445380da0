// SPDX-License-Identifier: Apache-2.0
// Name of the first place of a set (qsm_prio_enc): every set, with names drawn anew.
#include "Vqsm_prio_enc.h"

#include "../common/qsm_unit.h"

int main(int argc, char **argv) {
  constexpr unsigned kPlaces = PARAM_N, kWidth = 6;
  qsm_unit::Random random(argc, argv, "test_prio_enc");
  qsm_unit::Tap tap(1);
  Vqsm_prio_enc top;
  for (uint32_t set = 1; set < 1u << kPlaces; set++) {
    unsigned names[kPlaces];
    for (unsigned p = 0; p < kPlaces; p++)
      qsm_unit::set(top.id_i, p, kWidth, names[p] = random.below(1u << kWidth));
    top.set_i = static_cast<uint16_t>(set);
    top.eval();
    const unsigned first = static_cast<unsigned>(__builtin_ctz(set));
    tap.expect(top.id_o == names[first], "set %x: %u, must be %u, the name of place %u", set,
               top.id_o, names[first], first);
  }
  tap.done("every set: the name of its first place");
  return tap.exit_code();
}

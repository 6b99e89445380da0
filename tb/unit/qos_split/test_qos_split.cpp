// SPDX-License-Identifier: Apache-2.0
// Distribution of quotas over the SMs (qsm_qos_split): every word in its cycle, against
// docs/qos_mgr.md R-QM-9, R-QM-13 and docs/guarantee.md R-PA-4 in 64-bit integers. With more SMs
// than cycles of a division the second stage is the slower one when kernels follow each other at
// once, the first one otherwise.
#include "Vqsm_qos_split.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "../common/qsm_unit.h"

using qsm_unit::get;
using qsm_unit::noise;
using qsm_unit::set;

namespace {

constexpr uint64_t kQuotaMax = 0x7fffffff;
constexpr unsigned kDivision = (31 + 2 * TB_SUM_W + 3) / 4;
constexpr unsigned kEqual = NUM_SMS > 32 ? 64 : NUM_SMS > 16 ? 32 : 16;  // R-PA-4's N
static_assert(NUM_SMS > 8 && NUM_SMS <= 64, "kEqual is for these");
static_assert(NUM_SMS > kDivision + 1, "the second stage must be the slower one");

struct Word {
  uint64_t cycle;
  unsigned sm, kernel;
  uint64_t quota, credit, whole;
};

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap)
      : tbs(NUM_SMS, std::vector<unsigned>(NUM_KERNELS)), carries(NUM_KERNELS), tap_(tap) {
    top.valid_i = 0;
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
  }

  // Hands over a kernel as soon as it is taken.
  void give(unsigned kernel, uint64_t quota, uint64_t whole, uint64_t carry,
            bool is_short) {  // whole kQuotaMax: any
    const uint64_t taken = std::max(now_, ready_at_);
    while (now_ < taken) cycle(kernel, quota, whole, carry, is_short);
    cycle(kernel, quota, whole, carry, is_short);
    if (pooled && carries[kernel]) {
      const uint64_t pool =
          rollover_cap == 0 ? carry : std::min<uint64_t>(carry, rollover_cap * whole);
      quota = std::min(kQuotaMax, quota + pool);
    }
    const uint64_t all = blocks(kernel);
    if (all == 0 && !(everywhere && carries[kernel])) return;
    const uint64_t pass = std::max(taken + 1 + kDivision, last_sm_at_);
    ready_at_ = pass;
    last_sm_at_ = pass + NUM_SMS;
    uint64_t before = 0;
    for (unsigned i = 0; i < NUM_SMS; i++) {
      const uint64_t own = tbs[i][kernel];
      if (own == 0 && !everywhere) continue;
      uint64_t part = own == 0 ? 0 : quota * (before + own) / all - quota * before / all;
      if (everywhere && (own == 0 || is_short)) part = std::max(part, quota / kEqual);
      part = std::max<uint64_t>(part, 1);
      words_.push_back(Word{pass + 2 + i, i, kernel, part, credit(kernel, part), quota});
      before += own;
    }
  }
  void rest(unsigned n_cycles) {
    for (unsigned c = 0; c < n_cycles; c++) cycle();
  }
  void finish() {
    while (!words_.empty() || now_ <= last_sm_at_) cycle();
    rest(2);
  }
  uint64_t blocks(unsigned kernel) const {
    uint64_t all = 0;
    for (const auto &of_sm : tbs) all += of_sm[kernel];
    return all;
  }

  Vqsm_qos_split top;
  std::vector<std::vector<unsigned>>
      tbs;  // [SM][kernel]; to be changed while nothing is under way, like the next four
  std::vector<bool> carries;
  unsigned rollover_cap = 0;
  bool pooled = false;
  bool everywhere = false;  // R-PA-4; only if pooled

 private:
  uint64_t credit(unsigned kernel, uint64_t quota) const {
    const uint64_t room = kQuotaMax - quota;
    if (!carries[kernel] || pooled) return 0;
    return rollover_cap == 0 ? room : std::min(room, rollover_cap * quota);
  }

  void cycle() {
    cycle(noise(NUM_KERNELS), noise(kQuotaMax), noise(kQuotaMax), noise(kQuotaMax), noise(2),
          false);
  }
  void cycle(unsigned kernel, uint64_t quota, uint64_t whole, uint64_t carry, bool is_short,
             bool valid = true) {
    top.valid_i = valid;
    top.kernel_i = static_cast<uint8_t>(kernel);
    top.short_i = is_short;
    top.quota_i = static_cast<uint32_t>(quota);
    top.whole_i = static_cast<uint32_t>(whole == kQuotaMax ? noise(kQuotaMax) : whole);
    top.largest_i = whole == kQuotaMax;
    top.carry_i = static_cast<uint32_t>(carry);
    top.pooled_i = pooled;
    top.everywhere_i = everywhere;
    const bool sends = !words_.empty() && words_.front().cycle == now_;
    top.word_whole_i = static_cast<uint32_t>(sends ? words_.front().whole : noise(kQuotaMax));
    top.tbs_sum_i = static_cast<uint8_t>(valid ? blocks(kernel) : noise(1u << TB_SUM_W));
    top.rollover_cap_i = static_cast<uint8_t>(rollover_cap);
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      set(top.carries_i, k, 1, carries[k]);
      for (unsigned i = 0; i < NUM_SMS; i++) set(top.tbs_i, i * NUM_KERNELS + k, TB_W, tbs[i][k]);
    }
    top.eval();
    compare();
    clock();
    now_++;
  }

  void compare() {
    const auto t = static_cast<unsigned long long>(now_);
    const bool sends = !words_.empty() && words_.front().cycle == now_;
    tap_.expect(top.ready_o == (now_ >= ready_at_), "cycle %llu: ready %d", t, top.ready_o);
    const bool under_way = now_ < ready_at_ || (last_sm_at_ != 0 && now_ <= last_sm_at_);
    tap_.expect(top.idle_o == !(under_way || sends), "cycle %llu: idle %d", t, top.idle_o);
    tap_.expect(top.word_valid_o == sends, "cycle %llu: word %d, must be %d", t, top.word_valid_o,
                sends);
    if (!sends) return;
    const Word w = words_.front();
    words_.pop_front();
    tap_.expect(top.word_sm_o == w.sm && top.word_kernel_o == w.kernel,
                "cycle %llu: word for SM %u, kernel %u, must be %u, %u", t, top.word_sm_o,
                top.word_kernel_o, w.sm, w.kernel);
    tap_.expect(top.word_quota_o == w.quota && top.word_credit_o == w.credit,
                "cycle %llu: quota %u, credit %u, must be %llu, %llu", t, top.word_quota_o,
                top.word_credit_o, static_cast<unsigned long long>(w.quota),
                static_cast<unsigned long long>(w.credit));
  }
  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
  std::deque<Word> words_;
  uint64_t now_ = 0, ready_at_ = 0,
           last_sm_at_ =
               0;  // cycle; first in which a kernel is taken; of the second stage's last SM
};

uint64_t draw_quota(qsm_unit::Random &random, uint64_t blocks) {
  const uint64_t quota = random.bits32() >> (1 + random.below(31));
  switch (random.below(6)) {
    case 0: return kQuotaMax - random.below(3);
    case 1: return blocks == 0 ? 0 : quota / blocks * blocks;  // no part is rounded
    case 2: return random.below(4);
    default: return quota;
  }
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench bench(tap);
  bench.rest(3);
  for (unsigned n = 0; n < 400 && !tap.failed(); n++) {
    bench.rollover_cap = random.one_in(4) ? 0 : random.below(256) >> random.below(8);
    bench.everywhere = random.one_in(3);
    bench.pooled = bench.everywhere || random.one_in(2);
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      bench.carries[k] = random.one_in(2);
      const unsigned most = random.one_in(6) ? 0 : 1 + random.below(MAX_TBS),
                     holes = 1 + random.below(4);
      for (unsigned i = 0; i < NUM_SMS; i++)
        bench.tbs[i][k] = random.one_in(holes) ? random.below(most + 1) : 0;
    }
    for (unsigned kernels = 1 + random.below(6); kernels > 0 && !tap.failed(); kernels--) {
      const unsigned k = random.below(NUM_KERNELS);
      const uint64_t quota = draw_quota(random, bench.blocks(k)),
                     whole = random.one_in(2) ? quota : draw_quota(random, 1),
                     carry = random.one_in(4) && bench.rollover_cap * whole < kQuotaMax
                                 ? bench.rollover_cap * whole + random.below(2)  // at the cap
                                 : draw_quota(random, 1);
      bench.give(k, quota, whole, carry, random.one_in(2));
      if (random.one_in(3)) bench.rest(random.below(3 * NUM_SMS));
    }
    bench.finish();
  }
  tap.done("R-QM-9, R-QM-13, R-PA-4: random kernels: words, readiness and rest in their cycles");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_qos_split");
  qsm_unit::Tap tap(1);
  qsm_unit::begin_with_anything();
  test_random(tap, random);
  return tap.exit_code();
}

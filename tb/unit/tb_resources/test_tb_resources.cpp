// SPDX-License-Identifier: Apache-2.0
// What an SM has left and what its TB slots hold (qsm_tb_resources) against docs/tb_sched.md
// R-TB-10, R-TB-11 in every cycle: every warp placed.
#include "Vqsm_tb_resources.h"

#include <algorithm>
#include <vector>

#include "../common/qsm_unit.h"

using qsm_unit::get;
using qsm_unit::set;

namespace {

constexpr unsigned kKernelW = qsm_unit::index_bits(NUM_KERNELS),
                   kSubW = qsm_unit::index_bits(NUM_SCHED);
constexpr unsigned kFreeW = qsm_unit::index_bits(WARPS_PER_SCHED + 1),
                   kGranW = qsm_unit::index_bits(GRANULES);

struct Shape {
  unsigned warps = 1, granules = 0;
};

struct Tb {
  bool used = false;
  unsigned kernel = 0, first = 0, base = 0, ticket = 0;
};

uint32_t run(unsigned base, unsigned n) { return n == 0 ? 0 : (~uint32_t{0} >> (32 - n)) << base; }

struct Sm {
  std::vector<Tb> tb = std::vector<Tb>(MAX_TBS);
  std::vector<unsigned> free_warps = std::vector<unsigned>(NUM_SCHED, WARPS_PER_SCHED);
  std::vector<unsigned> cnt = std::vector<unsigned>(NUM_KERNELS, 0);
  uint32_t free_granules = run(0, GRANULES);
  unsigned first = 0;

  unsigned free_slot() const {
    unsigned s = 0;
    while (s < MAX_TBS && tb[s].used) s++;
    return s;
  }
  bool fits(const Shape &shape) const {
    std::vector<unsigned> left = free_warps;
    for (unsigned w = 0; w < shape.warps; w++) {
      if (left[(first + w) % NUM_SCHED]-- == 0) return false;
    }
    return free_slot() < MAX_TBS;
  }
  int lowest_run(unsigned n) const {
    for (unsigned base = 0; base + n <= GRANULES; base++) {
      if ((free_granules & run(base, n)) == run(base, n)) return static_cast<int>(base);
    }
    return -1;
  }
  void take(const Shape &shape, unsigned slot, const Tb &t) {
    for (unsigned w = 0; w < shape.warps; w++) free_warps[(t.first + w) % NUM_SCHED]--;
    first = (first + shape.warps) % NUM_SCHED;
    free_granules &= ~run(t.base, shape.granules);
    cnt[t.kernel]++;
    tb[slot] = t;
  }
  void free(const Shape &shape, unsigned slot) {
    Tb &t = tb[slot];
    for (unsigned w = 0; w < shape.warps; w++) free_warps[(t.first + w) % NUM_SCHED]++;
    free_granules |= run(t.base, shape.granules);
    cnt[t.kernel]--;
    t.used = false;
  }
};

class Bench {
 public:
  Bench(qsm_unit::Tap &tap, qsm_unit::Random &random)
      : tap_(tap), random_(random), shapes_(NUM_KERNELS), slots_(MAX_TBS, false) {
    top_.rst_ni = 0;
    clock();
    top_.rst_ni = 1;
    for (unsigned k = 0; k < NUM_KERNELS; k++) reshape(k);
  }

  void cycle() {
    if (random_.one_in(300)) fills_ = !fills_;
    if (random_.one_in(100))
      only_ = random_.one_in(2) ? -1 : static_cast<int>(random_.below(NUM_KERNELS));
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      if (sm_.cnt[k] == 0 && random_.one_in(4)) reshape(k);
    }
    const unsigned kernel = only_ < 0 ? random_.below(NUM_KERNELS) : static_cast<unsigned>(only_);
    const Shape &shape = shapes_[kernel];
    const int base = shape.granules ? sm_.lowest_run(shape.granules) : 0;
    const unsigned slot = sm_.free_slot();
    const bool takes = sm_.fits(shape) && base >= 0 && random_.one_in(fills_ ? 1 : 6);
    const Tb taken = {true, kernel, sm_.first, base < 0 ? 0 : static_cast<unsigned>(base),
                      random_.below(1u << TICKET_W)};
    const unsigned leaves = random_.below(MAX_TBS);
    const bool retires = sm_.tb[leaves].used && random_.one_in(fills_ ? 20 : 1);
    top_.kernel_i = static_cast<uint8_t>(kernel);
    top_.take_i = takes;
    top_.take_base_i = static_cast<uint8_t>(taken.base);
    top_.take_granules_i = run(taken.base, shape.granules);
    top_.take_ticket_i = static_cast<uint8_t>(taken.ticket);
    top_.retire_i = retires;
    top_.retire_tb_i = static_cast<uint8_t>(leaves);
    top_.look_tb_i = static_cast<uint8_t>(random_.below(MAX_TBS));
    top_.eval();
    compare(shape, retires ? &sm_.tb[leaves] : nullptr);
    clock();
    if (retires) sm_.free(shapes_[sm_.tb[leaves].kernel], leaves);
    if (takes) sm_.take(shape, slot, taken);
    if (takes) slots_[slot] = true;
    n_cycles_++;
  }

  unsigned n_full = 0;

 private:
  void reshape(unsigned k) {
    const bool small = random_.one_in(2);
    shapes_[k].warps = 1 + random_.below(small ? std::min(NUM_SCHED * WARPS_PER_SCHED, 2)
                                               : NUM_SCHED * WARPS_PER_SCHED);
    shapes_[k].granules = random_.one_in(3) ? 0 : random_.below(small ? 3 : GRANULES + 1);
    set(top_.whole_i, k, kFreeW, shapes_[k].warps / NUM_SCHED);
    set(top_.rest_i, k, kSubW, shapes_[k].warps % NUM_SCHED);
    set(top_.granules_i, k, kGranW + 1, shapes_[k].granules);
  }

  void compare(const Shape &shape, const Tb *retires) {
    same("fits", 0, top_.fits_o, sm_.fits(shape));
    if (sm_.free_slot() < MAX_TBS)
      same("TB slot", 0, top_.tb_o, sm_.free_slot());
    else
      n_full++;
    same("first", 0, top_.first_o, sm_.first);
    same("free granules", 0, top_.free_granules_o, sm_.free_granules);
    for (unsigned j = 0; j < NUM_SCHED; j++)
      same("free warps", j, get(top_.free_warps_o, j, kFreeW), sm_.free_warps[j]);
    for (unsigned k = 0; k < NUM_KERNELS; k++) same("blocks", k, get(top_.cnt_o, k, 6), sm_.cnt[k]);
    same("retires", 0, top_.retire_kernel_o, retires ? 1u << retires->kernel : 0);
    if (retires) {
      same("kernel that retires", 0, top_.retire_idx_o, retires->kernel);
      same("ticket that retires", 0, top_.retire_ticket_o, retires->ticket);
    }
    const Tb &seen = sm_.tb[top_.look_tb_i];
    if (!slots_[top_.look_tb_i]) return;
    same("first sub-core of slot", top_.look_tb_i, top_.look_first_o, seen.first);
    same("granules of slot", top_.look_tb_i, top_.look_base_o, seen.base);
  }
  void same(const char *what, unsigned index, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s %u: %llu, must be %llu", n_cycles_, what, index,
                static_cast<unsigned long long>(seen), static_cast<unsigned long long>(wanted));
  }
  void clock() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }

  Vqsm_tb_resources top_;
  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  Sm sm_;
  std::vector<Shape> shapes_;
  std::vector<bool> slots_;  // that have held a TB
  bool fills_ = true;        // more blocks come than go
  int only_ = -1;            // blocks of one kernel come
  unsigned long long n_cycles_ = 0;
};

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_tb_resources");
  qsm_unit::Tap tap(1);
  qsm_unit::begin_with_anything();
  Bench bench(tap, random);
  for (unsigned c = 0; c < 60000 && !tap.failed(); c++) bench.cycle();
  std::printf("# %u cycles with no TB slot free\n", bench.n_full);
  tap.expect(bench.n_full > 100, "too few blocks");
  tap.done("random blocks come and go: what is left, and who is where, in every cycle");
  return tap.exit_code();
}

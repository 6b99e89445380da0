// SPDX-License-Identifier: Apache-2.0
// What an SM has left and what its TB slots hold (qsm_tb_resources, qsm_tb_held) against
// docs/tb_sched.md R-TB-10, R-TB-11 in every cycle: every warp placed.
#include "Vbench_tb_resources.h"

#include <algorithm>
#include <vector>

#include "../common/qsm_unit.h"
#include "../common/tb_place.h"

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
  int place(const Shape &shape) const { return tb_place(free_warps, first, shape.warps); }
  bool fits(const Shape &shape) const { return free_slot() < MAX_TBS && place(shape) >= 0; }
  int lowest_run(unsigned n) const {
    for (unsigned base = 0; base + n <= GRANULES; base++) {
      if ((free_granules & run(base, n)) == run(base, n)) return static_cast<int>(base);
    }
    return -1;
  }
  void take(const Shape &shape, unsigned slot, const Tb &t) {
    for (unsigned w = 0; w < shape.warps; w++) free_warps[(t.first + w) % NUM_SCHED]--;
    first = (t.first + shape.warps) % NUM_SCHED;
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

  // Nothing, or a block of `kernel` comes, if it fits; else the one in slot `leaves` goes, if there
  // is one (R-TB-18). `late`: the block's place is the one found when the last block of another
  // kernel, or this one, asked, if it is still free; meanwhile more may have become free.
  void step(unsigned kernel, bool takes, int leaves, bool late = false) {
    const unsigned looks = late ? random_.below(NUM_KERNELS) : kernel;
    const Shape &shape = shapes_[kernel];
    if (!late) found_ = find(shape);
    const bool found = found_.valid && found_.shape.warps == shape.warps &&
                       found_.shape.granules == shape.granules;
    const unsigned slot = found_.slot;
    takes = takes && found;
    const Tb taken = {true, kernel, found ? found_.first : 0, found ? found_.base : 0,
                      random_.below(1u << TICKET_W)};
    const unsigned leaver = leaves < 0 ? 0 : static_cast<unsigned>(leaves);
    const bool retires = !takes && leaves >= 0 && sm_.tb[leaver].used;
    top_.look_kernel_i = static_cast<uint8_t>(looks);
    top_.take_i = takes;
    top_.take_sm_i = 1;
    top_.take_kernel_i = static_cast<uint8_t>(kernel);
    top_.take_tb_i = static_cast<uint8_t>(slot);
    top_.take_first_i = static_cast<uint8_t>(taken.first);
    top_.take_after_i = static_cast<uint8_t>((taken.first + shape.warps) % NUM_SCHED);
    std::vector<unsigned> warps(NUM_SCHED, 0);
    for (unsigned w = 0; w < shape.warps; w++) warps[(taken.first + w) % NUM_SCHED]++;
    for (unsigned j = 0; j < NUM_SCHED; j++) set(top_.take_warps_i, j, kFreeW, warps[j]);
    top_.take_base_i = static_cast<uint8_t>(taken.base);
    top_.take_granules_i = run(taken.base, shape.granules);
    top_.take_ticket_i = static_cast<uint8_t>(taken.ticket);
    top_.retire_i = retires;
    top_.retire_tb_i = static_cast<uint8_t>(leaver);
    top_.look_tb_i = static_cast<uint8_t>(random_.below(MAX_TBS));
    top_.eval();
    compare(shapes_[looks], retires ? &sm_.tb[leaver] : nullptr);
    n_elsewhere += takes && taken.first != sm_.first;
    clock();
    if (retires) sm_.free(shapes_[sm_.tb[leaver].kernel], leaver);
    if (takes) sm_.take(shape, slot, taken);
    if (takes) slots_[slot] = true;
    n_late += takes && late;
    if (takes) found_.valid = false;
    n_cycles_++;
  }

  void cycle() {
    if (random_.one_in(300)) fills_ = !fills_;
    if (random_.one_in(100))
      only_ = random_.one_in(2) ? -1 : static_cast<int>(random_.below(NUM_KERNELS));
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      if (sm_.cnt[k] == 0 && random_.one_in(4)) reshape(k);
    }
    const unsigned kernel = only_ < 0 ? random_.below(NUM_KERNELS) : static_cast<unsigned>(only_);
    const bool takes = random_.one_in(fills_ ? 1 : 6), retires = random_.one_in(fills_ ? 20 : 1);
    const int leaves = static_cast<int>(random_.below(MAX_TBS));
    step(kernel, takes, retires ? leaves : -1, random_.one_in(2));
  }

  // While no block of it is there.
  void shape(unsigned k, Shape shape) {
    shapes_[k] = shape;
    set(top_.whole_i, k, kFreeW, shapes_[k].warps / NUM_SCHED);
    set(top_.rest_i, k, kSubW, shapes_[k].warps % NUM_SCHED);
  }

  unsigned n_late = 0;  // blocks taken where one that asked before had found a place

  const Sm &sm() const { return sm_; }
  unsigned n_full = 0, n_elsewhere = 0;  // no slot free; blocks taken not from `first` on

 private:
  struct Found {
    bool valid = false;
    Shape shape;
    unsigned slot = 0, first = 0, base = 0;
  };
  Found find(const Shape &shape) const {
    const int base = shape.granules ? sm_.lowest_run(shape.granules) : 0;
    if (!sm_.fits(shape) || base < 0) return {};
    return {true, shape, sm_.free_slot(), static_cast<unsigned>(sm_.place(shape)),
            static_cast<unsigned>(base)};
  }

  void reshape(unsigned k) {
    const bool small = random_.one_in(2);
    const unsigned warps = random_.below(small ? std::min(NUM_SCHED * WARPS_PER_SCHED, 2)
                                               : NUM_SCHED * WARPS_PER_SCHED);
    shape(k, Shape{1 + warps, random_.one_in(3) ? 0 : random_.below(small ? 3 : GRANULES + 1)});
  }

  void compare(const Shape &shape, const Tb *retires) {
    same("fits", 0, top_.fits_o, sm_.fits(shape));
    if (sm_.free_slot() < MAX_TBS)
      same("TB slot", 0, top_.tb_o, sm_.free_slot());
    else
      n_full++;
    if (sm_.fits(shape)) same("place", 0, top_.place_o, static_cast<unsigned>(sm_.place(shape)));
    same("first", 0, top_.first_o, sm_.first);
    same("free granules", 0, top_.free_granules_o, sm_.free_granules);
    for (unsigned j = 0; j < NUM_SCHED; j++)
      same("free warps", j, get(top_.free_warps_o, j, kFreeW), sm_.free_warps[j]);
    for (unsigned k = 0; k < NUM_KERNELS; k++) same("blocks", k, get(top_.cnt_o, k, 6), sm_.cnt[k]);
    if (retires) {
      same("kernel that retires", 0, top_.retire_kernel_o, retires->kernel);
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

  Vbench_tb_resources top_;
  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  Sm sm_;
  Found found_;
  std::vector<Shape> shapes_;
  std::vector<bool> slots_;  // that have held a TB
  bool fills_ = true;        // more blocks come than go
  int only_ = -1;            // blocks of one kernel come
  unsigned long long n_cycles_ = 0;
};

// R-TB-10's example: blocks of two warps of two kernels in turn have a pair of sub-cores each;
// those of the one go and others come, with the pointer at the pair of the other, which is full.
void test_pairs(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  if (NUM_SCHED != 4 || NUM_KERNELS < 2 || MAX_TBS < 2 * WARPS_PER_SCHED)
    return tap.done("R-TB-10: a pair of sub-cores each # SKIP not four sub-cores, or few TB slots");
  Bench bench(tap, random);
  for (unsigned k = 0; k < 2; k++) bench.shape(k, Shape{2, 0});
  for (unsigned n = 0; n < 2 * WARPS_PER_SCHED; n++) bench.step(n % 2, true, -1);
  for (unsigned n = 0; n < 4 * WARPS_PER_SCHED && !tap.failed(); n++) {
    const unsigned slot = n % WARPS_PER_SCHED * 2;  // of kernel 0
    bench.step(0, false, static_cast<int>(slot));
    bench.step(0, true, -1);
    tap.expect(bench.sm().cnt[0] == WARPS_PER_SCHED && bench.sm().tb[slot].used &&
                   bench.sm().tb[slot].first == 0 && bench.sm().first == 2,
               "%u gone: %u blocks, the last from sub-core %u on", n + 1, bench.sm().cnt[0],
               bench.sm().tb[slot].first);
  }
  tap.expect(bench.n_elsewhere == 4 * WARPS_PER_SCHED - 1, "%u blocks not at the pointer",
             bench.n_elsewhere);
  tap.done("R-TB-10: of two kernels with a pair of sub-cores each one keeps its blocks");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_tb_resources");
  qsm_unit::Tap tap(2);
  qsm_unit::begin_with_anything();
  test_pairs(tap, random);
  Bench bench(tap, random);
  for (unsigned c = 0; c < 60000 && !tap.failed(); c++) bench.cycle();
  std::printf("# %u cycles with no TB slot free, %u blocks not at the pointer\n", bench.n_full,
              bench.n_elsewhere);
  tap.expect(bench.n_full > 100 && bench.n_late > 100, "too few blocks, %u late", bench.n_late);
  tap.expect(NUM_SCHED == 1 || bench.n_elsewhere > 100, "too few blocks not at the pointer");
  tap.done("random blocks come and go: what is left, and who is where, in every cycle");
  return tap.exit_code();
}

// SPDX-License-Identifier: Apache-2.0
// Pictures of what an SM has left (qsm_tb_trial) against docs/tb_adjust.md R-TA-2 to R-TA-4,
// R-TA-11: thread blocks of the adjuster's bench, every warp placed.
#include "Vqsm_tb_trial.h"

#include <vector>

#include "../tb_adjust/world.h"

using qsm_unit::get;
using qsm_unit::set;

namespace {

constexpr unsigned kWarpsPerSm = NUM_SCHED * WARPS_PER_SCHED;
constexpr unsigned kTbW = qsm_unit::index_bits(MAX_TBS),
                   kKernelW = qsm_unit::index_bits(NUM_KERNELS);
constexpr unsigned kFreeW = qsm_unit::index_bits(WARPS_PER_SCHED + 1);

struct Picture {
  unsigned slots = 0, first = 0;
  std::vector<unsigned> warps;
  uint32_t granules = 0;

  int place(unsigned n) const { return tb_place(warps, first, n); }
};

class Bench {
 public:
  Bench(qsm_unit::Tap &tap, qsm_unit::Random &random)
      : tap_(tap),
        random_(random),
        world_(AdjustParams{1, NUM_KERNELS, NUM_SCHED, kWarpsPerSm, MAX_TBS}) {
    top_.rst_ni = 0;
    clock();
    top_.rst_ni = 1;
    for (AdjustView::Kernel &kernel : world_.view.kernel) reshape(kernel);
  }

  // Blocks come and go, then a claim: those of one kernel or another go, until the new one fits.
  void claim() {
    fill();
    asker_ = random_.below(NUM_KERNELS);
    step(kLoad);
    for (unsigned n = 0; n < 3 * MAX_TBS && !fits() && !tap_.failed(); n++) {
      victim_ = random_.below(NUM_KERNELS);
      if (youngest() == nullptr) continue;
      step(kFree);
      if (fits()) n_made++;
    }
    step(kRestart);
  }

  // Blocks come and go, then a pass over them.
  void pass() {
    fill();
    step(kLoad);
    for (unsigned n = 0; n < 2 + random_.below(8) && !tap_.failed(); n++) {
      asker_ = random_.below(NUM_KERNELS);
      step(kNothing);
      while (fits() && !random_.one_in(MAX_TBS)) {
        step(kTake);
        step(kNothing);
      }
      for (unsigned m = 0; m < NUM_KERNELS && !tap_.failed(); m++) trial(m);
      step(kRestart);
    }
  }

  // R-TB-10's example: blocks of two warps of two kernels in turn have a pair of sub-cores each.
  // Those of the one go, with the pointer at the pair of the other, which is full: as many fit.
  void pairs() {
    for (unsigned k = 0; k < 2; k++) {
      world_.view.kernel[k].warps = 2;
      world_.view.kernel[k].granules = 0;
    }
    for (unsigned n = 0; n < 2 * WARPS_PER_SCHED; n++) world_.dispatch(0, n % 2);
    asker_ = victim_ = 0;
    world_.retire_youngest(0, 0);
    world_.dispatch(0, 0);
    tap_.expect(world_.view.sm[0].first == 2, "the pointer is at %u", world_.view.sm[0].first);
    step(kLoad);
    tap_.expect(!fits(), "a block fits a full SM");
    for (unsigned n = 0; n < WARPS_PER_SCHED; n++) {
      step(kFree);
      step(kNothing);
      step(kNothing);
      tap_.expect(top_.fits_o, "%u freed, none fits", n + 1);
    }
    for (unsigned n = 0; n < 3; n++) world_.retire_youngest(0, 0);
    step(kLoad);
    step(kNothing);
    for (unsigned n = 0; n < 3; n++) {
      step(kTake);
      step(kNothing);
    }
    step(kNothing);
    tap_.expect(!top_.fits_o && n_elsewhere == 3, "%u not at the pointer", n_elsewhere);
  }

  unsigned n_told = 0, n_taken = 0, n_freed = 0, n_full = 0, n_made = 0, n_elsewhere = 0;

 private:
  enum Action { kNothing, kLoad, kRestart, kTake, kFree };

  void reshape(AdjustView::Kernel &kernel) {
    const bool small = random_.one_in(2);
    kernel.warps = 1 + random_.below(small ? 2 : kWarpsPerSm);
    kernel.granules = random_.one_in(3) ? 0 : random_.below(small ? 3 : 33);
  }
  void fill() {
    AdjustView::Sm &sm = world_.view.sm[0];
    while (!sm.age.empty() && !random_.one_in(4))
      world_.retire(0, random_.below(static_cast<uint32_t>(sm.age.size())));
    for (unsigned k = 0; k < NUM_KERNELS; k++) {
      if (sm.cnt[k] == 0 && random_.one_in(2)) reshape(world_.view.kernel[k]);
    }
    const bool one = random_.one_in(3);
    unsigned k = random_.below(NUM_KERNELS);
    for (unsigned n = random_.below(3 * MAX_TBS); n > 0;
         n--, k = one ? k : random_.below(NUM_KERNELS))
      world_.dispatch(0, k);
  }

  // Blocks of m go one by one, as far as the new block needs or farther; some retire by themselves
  // meanwhile.
  void trial(unsigned m) {
    AdjustView::Sm &sm = world_.view.sm[0];
    step(kRestart);
    victim_ = m;
    while (youngest() && !(fits() && random_.one_in(2)) && !tap_.failed()) {
      step(kFree);
      if (!sm.age.empty() && random_.one_in(8))
        world_.retire(0, random_.below(static_cast<uint32_t>(sm.age.size())));
      if (random_.one_in(8)) step(kNothing);
    }
    step(kNothing);
  }

  bool fits() const {
    const AdjustView::Kernel &asker = world_.view.kernel[asker_];
    return v_.slots > 0 && v_.place(asker.warps) >= 0 &&
           World::lowest_run(v_.granules, asker.granules) >= 0;
  }
  const AdjustView::Tb *youngest() const {
    const std::vector<AdjustView::Tb> &age = world_.view.sm[0].age;
    for (std::size_t n = age.size(); n-- > 0;) {
      if (age[n].kernel == victim_ && !freed_[age[n].tb]) return &age[n];
    }
    return nullptr;
  }

  void step(Action action) {
    drive(action);
    top_.eval();
    compare(action);
    clock();
    told_ = action == kNothing;
    told_for_ = asker_;
    act(action);
    n_cycles_++;
  }

  void drive(Action action) {
    const AdjustView::Sm &sm = world_.view.sm[0];
    const AdjustView::Kernel &asker = world_.view.kernel[asker_],
                             &victim = world_.view.kernel[victim_];
    for (unsigned r = 0; r < MAX_TBS; r++) {
      const unsigned slot = world_.place[0][r];
      const AdjustView::Tb *tb = slot == World::kNobody ? nullptr : world_.holds(0, slot);
      set(top_.age_valid_i, r, 1, tb != nullptr);
      set(top_.age_tb_i, r, kTbW, tb ? slot : qsm_unit::noise(MAX_TBS));
      set(top_.age_kernel_i, r, kKernelW, tb ? tb->kernel : qsm_unit::noise(NUM_KERNELS));
    }
    for (unsigned j = 0; j < NUM_SCHED; j++) set(top_.warps_i, j, kFreeW, sm.free_warps[j]);
    top_.granules_i = sm.free_granules;
    top_.first_i = static_cast<uint8_t>(sm.first);
    top_.load_i = action == kLoad;
    top_.restart_i = action == kRestart;
    top_.take_i = action == kTake;
    top_.free_i = action == kFree;
    top_.whole_i = static_cast<uint8_t>(asker.warps / NUM_SCHED);
    top_.rest_i = static_cast<uint8_t>(asker.warps % NUM_SCHED);
    const int base = World::lowest_run(v_.granules, asker.granules);
    top_.found_i = base >= 0;
    top_.run_i =
        base >= 0 ? World::run(static_cast<unsigned>(base), asker.granules) : random_.bits32();
    top_.kernel_i = static_cast<uint8_t>(victim_);
    const AdjustView::Tb *tb = freed_.empty() ? nullptr : youngest();
    top_.freed_whole_i = static_cast<uint8_t>(victim.warps / NUM_SCHED);
    top_.freed_rest_i = static_cast<uint8_t>(victim.warps % NUM_SCHED);
    top_.freed_first_i = static_cast<uint8_t>(tb ? tb->first : 0);
    top_.freed_base_i = static_cast<uint8_t>(tb ? tb->base : 0);
    top_.freed_granules_i = static_cast<uint8_t>(victim.granules);
  }

  void compare(Action action) {
    if (v_.warps.empty()) return;  // nothing loaded yet
    n_full += v_.slots == 0;
    // of V as it was a cycle before
    if (told_ && told_for_ == asker_) {
      same("fits", top_.fits_o, fits());
      n_told++;
    }
    same("granules", top_.granules_o, v_.granules);
    same("freed", top_.freed_o, count_);
    const AdjustView::Tb *tb = youngest();
    same("some", top_.some_o, tb != nullptr);
    if (tb) same("TB", top_.tb_o, tb->tb);
    n_taken += action == kTake;
    n_freed += action == kFree;
  }

  void act(Action action) {
    const AdjustView::Sm &sm = world_.view.sm[0];
    const AdjustView::Kernel &asker = world_.view.kernel[asker_],
                             &victim = world_.view.kernel[victim_];
    switch (action) {
      case kNothing: break;
      case kLoad:
        w_.slots = MAX_TBS - static_cast<unsigned>(sm.age.size());
        w_.first = sm.first;
        w_.warps = sm.free_warps;
        w_.granules = sm.free_granules;
        v_ = w_;
        freed_.assign(MAX_TBS, false);
        count_ = 0;
        break;
      case kRestart:
        v_ = w_;
        freed_.assign(MAX_TBS, false);
        count_ = 0;
        break;
      case kTake: {
        const unsigned f = static_cast<unsigned>(w_.place(asker.warps));
        n_elsewhere += f != w_.first;
        w_.granules &= ~World::run(
            static_cast<unsigned>(World::lowest_run(w_.granules, asker.granules)), asker.granules);
        w_.slots--;
        for (unsigned w = 0; w < asker.warps; w++) w_.warps[(f + w) % NUM_SCHED]--;
        w_.first = (f + asker.warps) % NUM_SCHED;
        v_ = w_;
        break;
      }
      case kFree: {
        const AdjustView::Tb tb = *youngest();
        v_.slots++;
        for (unsigned w = 0; w < victim.warps; w++) v_.warps[(tb.first + w) % NUM_SCHED]++;
        v_.granules |= World::run(tb.base, victim.granules);
        freed_[tb.tb] = true;
        count_++;
        break;
      }
    }
  }

  void same(const char *what, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s is %llx, must be %llx", n_cycles_, what,
                static_cast<unsigned long long>(seen), static_cast<unsigned long long>(wanted));
  }
  void clock() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }

  Vqsm_tb_trial top_;
  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  World world_;
  Picture w_, v_;
  std::vector<bool> freed_;  // per TB slot, from the first load on
  unsigned asker_ = 0, victim_ = 0, count_ = 0;
  bool told_ = false;  // the cycle before has changed nothing
  unsigned told_for_ = 0;
  unsigned long long n_cycles_ = 0;
};

void test_pairs(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  if (NUM_SCHED != 4 || NUM_KERNELS < 2 || WARPS_PER_SCHED < 3 || MAX_TBS < 2 * WARPS_PER_SCHED)
    return tap.done("R-TB-10: a pair of sub-cores each # SKIP not four sub-cores, or too small");
  Bench bench(tap, random);
  bench.pairs();
  tap.done("R-TB-10: a block fits the pair of sub-cores that is free, wherever the pointer is");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_tb_trial");
  qsm_unit::Tap tap(2);
  qsm_unit::begin_with_anything();
  test_pairs(tap, random);
  Bench bench(tap, random);
  for (unsigned n = 0; n < 4000 && !tap.failed(); n++) (n % 4 == 3 ? bench.claim() : bench.pass());
  std::printf(
      "# %u blocks taken, %u not at the pointer, %u freed, %u cycles with no slot left, room made %u "
      "times for a claim\n",
      bench.n_taken, bench.n_elsewhere, bench.n_freed, bench.n_full, bench.n_made);
  tap.expect(bench.n_taken > 500 && bench.n_freed > 2000 && bench.n_full > 100 &&
                 bench.n_made > 100 && bench.n_told > 2000 &&
                 (NUM_SCHED == 1 || bench.n_elsewhere > 20),
             "too little happens");
  tap.done("random SMs, blocks taken and freed: what is left in every cycle");
  return tap.exit_code();
}

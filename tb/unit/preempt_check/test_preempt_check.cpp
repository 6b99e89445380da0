// SPDX-License-Identifier: Apache-2.0
// Requests to take a thread block off an SM (qsm_preempt_check) against the requests in
// preempt_ref.h in every cycle. Jobs, images and thread blocks come and go as they like, so that
// they change while a request is examined; areas are often just large enough for some image.
#include "Vqsm_preempt_check.h"

#include <algorithm>
#include <vector>

#include "../common/qsm_unit.h"
#include "../preempt/preempt_ref.h"

using qsm_unit::get;
using qsm_unit::set;

namespace {

constexpr unsigned kSms = NUM_SMS, kKernels = NUM_KERNELS, kTbs = MAX_TBS, kImages = NUM_IMAGES;
constexpr unsigned kTbW = qsm_unit::index_bits(kTbs), kKernelW = qsm_unit::index_bits(kKernels);
constexpr unsigned kPage = 4096, kPages = 1u << 20;

class Bench {
 public:
  Bench(qsm_unit::Tap &tap, qsm_unit::Random &random)
      : tap_(tap), random_(random), ref_(PreemptParams{kSms, kKernels, kImages, LINE_BYTES}) {
    in_.slot.resize(kKernels);
    in_.evict.assign(kSms, std::vector<bool>(kKernels, false));
    in_.move = in_.evict;
    view_.running.assign(kKernels, true);  // a kernel with a block on an SM is
    view_.killed.assign(kKernels, false);
    view_.warps.assign(kKernels, 1);
    view_.resident.resize(kSms);
    view_.retire.assign(kSms, -1);
    top_.rst_ni = 0;
    clock();
    top_.rst_ni = 1;
  }

  void cycle() {
    for (unsigned i = 0; i < kSms; i++) change_sm(i);
    for (unsigned k = 0; k < kKernels; k++) change_kernel(k);
    if (random_.one_in(10)) in_.evict_technique = random_.below(3);
    if (random_.one_in(10)) in_.move_technique = random_.below(3);
    in_.host = ref_.code != QSM_PREEMPT_EXAMINED && random_.one_in(8);
    in_.request = draw_request();
    const PreemptDecision d = ref_.decide(in_, view_);
    drive();
    top_.eval();
    compare(d);
    clock();
    step(d);
    n_cycles_++;
  }

  unsigned n_codes[11] = {}, n_dropped = 0, n_refused[2] = {};  // [1]: of moves

 private:
  void change_sm(unsigned i) {
    std::vector<PreemptView::Resident> &resident = view_.resident[i];
    if (resident.size() < kTbs && random_.one_in(12)) {
      unsigned tb = random_.below(kTbs);
      while (std::any_of(resident.begin(), resident.end(),
                         [&](const PreemptView::Resident &r) { return r.tb == tb; }))
        tb = (tb + 1) % kTbs;
      resident.push_back(PreemptView::Resident{tb, random_.below(kKernels)});
    }
    view_.retire[i] = -1;
    if (!resident.empty() && random_.one_in(20))
      view_.retire[i] =
          static_cast<int>(resident[random_.below(static_cast<uint32_t>(resident.size()))].tb);
    unsigned &job = ref_.job[i].kind;
    if (job == QSM_JOB_NONE && random_.one_in(60))
      job = QSM_JOB_RESTORE;
    else if (job != QSM_JOB_NONE && random_.one_in(15))
      job = QSM_JOB_NONE;
    for (unsigned k = 0; k < kKernels; k++) {
      const bool flag = in_.evict[i][k];
      if (random_.one_in(flag ? 30 : 20 * kKernels)) in_.evict[i][k] = !flag;
      if (random_.one_in(in_.move[i][k] ? 20 : 40 * kKernels)) in_.move[i][k].flip();
    }
  }

  // Registers that a request is examined for stand still meanwhile.
  void change_kernel(unsigned k) {
    if (random_.one_in(view_.killed[k] ? 10 : 200)) view_.killed[k] = !view_.killed[k];
    if (random_.one_in(10)) draw_used(ref_.slot[k].used);
    if (!ref_.examining() && ref_.code != QSM_PREEMPT_EXAMINED && random_.one_in(4)) draw_slot(k);
  }
  void draw_used(std::vector<bool> &used) {
    const unsigned n_lowest = random_.one_in(2) ? random_.below(kImages + 1) : random_.below(2);
    for (unsigned v = 0; v < kImages; v++) used[v] = v < n_lowest || random_.one_in(3);
  }
  void draw_slot(unsigned k) {
    PreemptSlot &slot = in_.slot[k];
    view_.warps[k] = random_.one_in(3) ? 1 + random_.below(64) : 1 + random_.below(4);
    const unsigned shared[] = {0, 1 + random_.below(64), random_.below(4096), random_.below(262145),
                               262144};
    slot.shared = shared[random_.below(5)];
    slot.idempotent = random_.one_in(2);
    const unsigned area =
        std::min(draw_area(ref_.image_bytes(view_.warps[k], slot.shared)), kPages - 1);
    const unsigned base = random_.one_in(4) ? 0 : random_.below(kPages - area);
    slot.save_base = uint64_t{base} * kPage;
    slot.save_limit = uint64_t{base + area} * kPage;
    if (random_.one_in(40)) slot.save_limit = 0;
    if (random_.one_in(40)) std::swap(slot.save_base, slot.save_limit);
    for (PreemptSlot::Window &w : slot.window) {
      w.base = uint64_t{near(base)} * kPage;
      w.limit = uint64_t{near(base + area)} * kPage;
      w.r = !random_.one_in(4);
      w.w = !random_.one_in(4);
    }
  }
  // In pages: of so many images, or about so many, or of any size.
  unsigned draw_area(uint64_t image_bytes) {
    const unsigned images =
        static_cast<unsigned>((image_bytes * (1 + random_.below(kImages)) + kPage - 1) / kPage);
    switch (random_.below(4)) {
      case 0: return images;
      case 1: return images - 1 + random_.below(3);
      case 2: return (1u << random_.below(20)) + random_.below(images);
      default: return random_.below(kPages);
    }
  }
  unsigned near(unsigned page) {
    const unsigned pages[] = {page, page, page ? page - 1 : 0, std::min(page + 1, kPages - 1),
                              random_.below(kPages)};
    return pages[random_.below(5)];
  }

  // Of a block that is there, as a rule.
  PreemptRequest draw_request() {
    PreemptRequest r{random_.below(kSms), random_.below(kKernels), random_.below(kTbs),
                     random_.below(3), random_.one_in(2)};
    const std::vector<PreemptView::Resident> &resident = view_.resident[r.sm];
    if (resident.empty() || random_.one_in(8)) return r;
    const PreemptView::Resident &there =
        resident[random_.below(static_cast<uint32_t>(resident.size()))];
    r.kernel = there.kernel;
    r.tb = there.tb;
    return r;
  }

  void drive() {
    top_.host_i = in_.host;
    top_.host_sm_i = static_cast<uint8_t>(in_.request.sm);
    top_.host_kernel_i = static_cast<uint8_t>(in_.request.kernel);
    top_.host_by_slot_i = in_.request.by_slot;
    top_.host_tb_i = static_cast<uint8_t>(in_.request.tb);
    top_.host_technique_i = static_cast<uint8_t>(in_.request.technique);
    top_.evict_technique_i = static_cast<uint8_t>(in_.evict_technique);
    top_.move_technique_i = static_cast<uint8_t>(in_.move_technique);
    for (unsigned i = 0; i < kSms; i++) drive_sm(i);
    for (unsigned k = 0; k < kKernels; k++) {
      const PreemptSlot &slot = in_.slot[k];
      set(top_.killed_i, k, 1, view_.killed[k]);
      set(top_.save_base_i, k, 20, slot.save_base / kPage);
      set(top_.save_limit_i, k, 20, slot.save_limit / kPage);
      set(top_.idempotent_i, k, 1, slot.idempotent);
      set(top_.warps_i, k, 7, view_.warps[k]);
      set(top_.shared_i, k, 19, slot.shared);
      for (unsigned w = 0; w < 2; w++) {
        set(top_.win_rw_i, 2 * k + w, 1, slot.window[w].r && slot.window[w].w);
        set(top_.win_base_i, 2 * k + w, 20, slot.window[w].base / kPage);
        set(top_.win_limit_i, 2 * k + w, 20, slot.window[w].limit / kPage);
      }
      for (unsigned v = 0; v < kImages; v++)
        set(top_.used_i, k * kImages + v, 1, ref_.slot[k].used[v]);
    }
  }
  // Places of the age order, the youngest first, some of them empty.
  void drive_sm(unsigned i) {
    const std::vector<PreemptView::Resident> &resident = view_.resident[i];
    std::size_t left = resident.size();
    for (unsigned r = 0; r < kTbs; r++) {
      const bool valid = left > 0 && (kTbs - r == left || !random_.one_in(4));
      const PreemptView::Resident there =
          valid ? resident[--left]
                : PreemptView::Resident{qsm_unit::noise(kTbs), qsm_unit::noise(kKernels)};
      set(top_.age_valid_i, i * kTbs + r, 1, valid);
      set(top_.age_tb_i, i * kTbs + r, kTbW, there.tb);
      set(top_.age_kernel_i, i * kTbs + r, kKernelW, there.kernel);
    }
    set(top_.retire_i, i, 1, view_.retire[i] >= 0);
    set(top_.retire_tb_i, i, kTbW,
        view_.retire[i] >= 0 ? static_cast<unsigned>(view_.retire[i]) : qsm_unit::noise(kTbs));
    set(top_.job_i, i, 1, ref_.job[i].kind != QSM_JOB_NONE);
    for (unsigned k = 0; k < kKernels; k++) {
      set(top_.evict_i, i * kKernels + k, 1, in_.evict[i][k]);
      set(top_.move_i, i * kKernels + k, 1, in_.move[i][k]);
    }
  }

  void compare(const PreemptDecision &d) {
    same("code", top_.code_o, ref_.code);
    same("SM of the code", top_.code_sm_o, ref_.code_sm);
    same("TB of the code", top_.code_tb_o, ref_.code_tb);
    same("image of the code", top_.code_image_o, ref_.code_image);
    same("decision", top_.decision_o, d.now);
    same("accepted", top_.accept_o, d.accepted());
    n_refused[d.move] += d.refused();
    for (unsigned i = 0; i < kSms; i++) {
      for (unsigned k = 0; k < kKernels; k++) {
        const bool refused = d.refused() && i == d.request.sm && k == d.request.kernel;
        same("refused", get(top_.evict_refused_o, i * kKernels + k, 1), refused && !d.move);
        same("refused to a move", get(top_.move_refused_o, i * kKernels + k, 1), refused && d.move);
      }
    }
    if (!d.now) return;
    n_dropped += d.dropped;
    if (d.dropped) return;
    n_codes[d.code]++;
    same("for the host", top_.for_host_o, d.host);
    same("SM", top_.sm_o, d.request.sm);
    same("kernel", top_.kernel_o, d.request.kernel);
    same("TB", top_.tb_o, d.request.tb);
    same("technique", top_.technique_o, d.request.technique);
    same("image", top_.image_o, d.image);
  }

  void step(const PreemptDecision &d) {
    ref_.examine(in_, d);
    if (d.accepted()) ref_.accept(d);
    if (in_.host) ref_.write(in_.request);
    for (unsigned i = 0; i < kSms; i++) {
      std::vector<PreemptView::Resident> &resident = view_.resident[i];
      const int gone = view_.retire[i];
      resident.erase(std::remove_if(resident.begin(), resident.end(),
                                    [&](const PreemptView::Resident &r) {
                                      return static_cast<int>(r.tb) == gone;
                                    }),
                     resident.end());
    }
  }

  void same(const char *what, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s is %llu, must be %llu", n_cycles_, what,
                static_cast<unsigned long long>(seen), static_cast<unsigned long long>(wanted));
  }
  void clock() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }

  Vqsm_preempt_check top_;
  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  PreemptRef ref_;
  PreemptInput in_;
  PreemptView view_;
  unsigned long long n_cycles_ = 0;
};

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_preempt_check");
  qsm_unit::Tap tap(1);
  qsm_unit::begin_with_anything();
  Bench bench(tap, random);
  for (unsigned c = 0; c < N_CYCLES && !tap.failed(); c++) bench.cycle();
  std::printf("# %u dropped; codes:", bench.n_dropped);
  for (unsigned code :
       {QSM_PREEMPT_ACCEPTED, QSM_PREEMPT_NO_TB, QSM_PREEMPT_BUSY, QSM_PREEMPT_NOT_IDEMPOTENT,
        QSM_PREEMPT_NO_AREA, QSM_PREEMPT_NO_IMAGE, QSM_PREEMPT_TOO_SMALL}) {
    std::printf(" %u: %u", code, bench.n_codes[code]);
    tap.expect(bench.n_codes[code] > 20, "code %u only %u times", code, bench.n_codes[code]);
  }
  std::printf("\n");
  tap.done("random requests: every decision in its cycle");
  return tap.exit_code();
}

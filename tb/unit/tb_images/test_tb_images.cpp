// SPDX-License-Identifier: Apache-2.0
// Images of saved thread blocks (qsm_tb_images) against docs/preemption.md R-PE-7 to R-PE-10 in
// every cycle.
#include "Vqsm_tb_images.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "../common/qsm_unit.h"

using qsm_unit::get;
using qsm_unit::set;

namespace {

constexpr unsigned kKernels = NUM_KERNELS, kImages = NUM_IMAGES, kTickets = 1u << TICKET_W;
constexpr unsigned kImageW = qsm_unit::index_bits(kImages),
                   kCountW = qsm_unit::index_bits(kImages + 1);

struct Saved {
  unsigned image;
  bool fresh;
};

struct Kernel {
  bool running = false, killed = false;
  std::vector<unsigned> jobs;  // images of blocks that are being saved or restored
  std::deque<Saved> queue;
  std::vector<bool> used = std::vector<bool>(kImages, false);
  std::vector<unsigned> spare;

  Kernel() { launch(); }
  void launch() {
    spare.clear();
    for (unsigned v = 0; v < kImages; v++) spare.push_back(v % kTickets);
  }
};

class Bench {
 public:
  Bench(qsm_unit::Tap &tap, qsm_unit::Random &random)
      : tap_(tap), random_(random), kernels_(kKernels) {
    top_.rst_ni = 0;
    clock();
    top_.rst_ni = 1;
  }

  void cycle() {
    clear();
    if (random_.one_in(500)) fill_ = !fill_;
    for (unsigned k = 0; k < kKernels; k++) launches(k);
    const bool resumes = random_.one_in(fill_ ? 8 : 2) && resume(random_.below(kKernels));
    if (!resumes && !random_.one_in(3)) clean_up(random_.below(kKernels));
    if (random_.one_in(fill_ ? 2 : 6)) claim(random_.below(kKernels));
    top_.eval();
    compare(resumes);
    clock();
    step(resumes);
    n_cycles_++;
  }

  unsigned n_full = 0, n_resumed = 0;

 private:
  void clear() {
    top_.launch_i = top_.kill_i = top_.ending_i = 0;
    top_.claim_i = top_.free_i = top_.saved_i = top_.resume_i = 0;
    top_.kernel_i = static_cast<uint8_t>(random_.below(kKernels));
    top_.done_kernel_i = static_cast<uint8_t>(random_.below(kKernels));
    top_.done_image_i = static_cast<uint8_t>(random_.below(kImages));
    top_.done_fresh_i = random_.one_in(2);
    top_.done_ticket_i = static_cast<uint8_t>(random_.below(kTickets));
    top_.resume_ticket_i = static_cast<uint8_t>(random_.below(kTickets));
    top_.claim_kernel_i = static_cast<uint8_t>(random_.below(kKernels));
    top_.claim_image_i = static_cast<uint8_t>(random_.below(kImages));
  }
  void launches(unsigned k) {
    const Kernel &kernel = kernels_[k];
    const bool saved = std::count(kernel.used.begin(), kernel.used.end(), true) > 0;
    set(top_.launch_i, k, 1, !kernel.running && random_.one_in(3));
    set(top_.kill_i, k, 1, kernel.running && !kernel.killed && random_.one_in(400));
    set(top_.ending_i, k, 1,
        kernel.running && kernel.jobs.empty() && (kernel.killed || !saved) && random_.one_in(8));
  }
  bool resume(unsigned k) {
    if (kernels_[k].queue.empty()) return false;
    top_.kernel_i = static_cast<uint8_t>(k);
    top_.resume_i = 1;
    return true;
  }
  // A block whose save is over waits in its image from now on, unless its kernel is dead; a job of
  // another kind frees the image.
  void clean_up(unsigned k) {
    const Kernel &kernel = kernels_[k];
    if (kernel.jobs.empty()) return;
    top_.done_kernel_i = static_cast<uint8_t>(k);
    top_.done_image_i =
        static_cast<uint8_t>(kernel.jobs[random_.below(static_cast<uint32_t>(kernel.jobs.size()))]);
    top_.saved_i = !kernel.killed && !random_.one_in(fill_ ? 20 : 2);
    top_.free_i = !top_.saved_i;
  }
  void claim(unsigned k) {
    const Kernel &kernel = kernels_[k];
    const unsigned v = random_.below(kImages);
    if (!kernel.running || kernel.killed || get(top_.ending_i, k, 1) || kernel.used[v]) return;
    top_.claim_kernel_i = static_cast<uint8_t>(k);
    top_.claim_image_i = static_cast<uint8_t>(v);
    top_.claim_i = 1;
  }

  void compare(bool resumes) {
    for (unsigned k = 0; k < kKernels; k++) {
      const Kernel &kernel = kernels_[k];
      for (unsigned v = 0; v < kImages; v++)
        same("used", k, get(top_.used_o, k * kImages + v, 1), kernel.used[v]);
      same("queued", k, get(top_.queued_o, k, kCountW), kernel.queue.size());
      n_full += kernel.queue.size() == kImages;
    }
    const Kernel &looked_at = kernels_[top_.kernel_i];
    if (!looked_at.queue.empty()) {
      const Saved &head = looked_at.queue.front();
      same("image", top_.kernel_i, top_.image_o, head.image);
      same("fresh", top_.kernel_i, top_.fresh_o, head.fresh);
      same("spare ticket", top_.kernel_i, top_.spare_o, looked_at.spare[head.image]);
    }
    same("spare ticket of the block that is saved", top_.done_kernel_i, top_.done_spare_o,
         kernels_[top_.done_kernel_i].spare[top_.done_image_i]);
    n_resumed += resumes;
  }

  void step(bool resumes) {
    Kernel &done = kernels_[top_.done_kernel_i];
    if (top_.saved_i || top_.free_i) {
      done.jobs.erase(std::find(done.jobs.begin(), done.jobs.end(), top_.done_image_i));
      done.used[top_.done_image_i] = top_.saved_i;
    }
    if (top_.saved_i) {
      done.queue.push_back(Saved{top_.done_image_i, top_.done_fresh_i != 0});
      done.spare[top_.done_image_i] = top_.done_ticket_i;
    }
    if (resumes) {
      Kernel &kernel = kernels_[top_.kernel_i];
      const unsigned image = kernel.queue.front().image;
      kernel.queue.pop_front();
      kernel.jobs.push_back(image);
      kernel.spare[image] = top_.resume_ticket_i;
    }
    if (top_.claim_i) {
      kernels_[top_.claim_kernel_i].used[top_.claim_image_i] = true;
      kernels_[top_.claim_kernel_i].jobs.push_back(top_.claim_image_i);
    }
    for (unsigned k = 0; k < kKernels; k++)
      step_launch(kernels_[k], get(top_.launch_i, k, 1), get(top_.kill_i, k, 1),
                  get(top_.ending_i, k, 1));
  }
  void step_launch(Kernel &kernel, bool launch, bool kill, bool ending) {
    if (launch) {
      kernel.running = true;
      kernel.killed = false;
      kernel.launch();
    }
    if (kill) {
      kernel.killed = true;
      kernel.queue.clear();
    }
    if (ending) {
      kernel.running = false;
      kernel.used.assign(kImages, false);
    }
  }

  void same(const char *what, unsigned kernel, uint64_t seen, uint64_t wanted) {
    tap_.expect(seen == wanted, "cycle %llu: %s, kernel %u: %llu, must be %llu", n_cycles_, what,
                kernel, static_cast<unsigned long long>(seen),
                static_cast<unsigned long long>(wanted));
  }
  void clock() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }

  Vqsm_tb_images top_;
  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
  std::vector<Kernel> kernels_;
  bool fill_ = false;  // queues grow
  unsigned long long n_cycles_ = 0;
};

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_tb_images");
  qsm_unit::Tap tap(1);
  qsm_unit::begin_with_anything();
  Bench bench(tap, random);
  for (unsigned c = 0; c < 100000 && !tap.failed(); c++) bench.cycle();
  std::printf("# %u resumed, %u cycles with a queue as long as it can be\n", bench.n_resumed,
              bench.n_full);
  tap.expect(bench.n_resumed > 1000 && bench.n_full > 1000, "too few resumed, or too short queues");
  tap.done("random launches: images, queues and spare tickets in every cycle");
  return tap.exit_code();
}

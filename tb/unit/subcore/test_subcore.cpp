// SPDX-License-Identifier: Apache-2.0
// Unit test of qsm_subcore alone (docs/subcore.md, docs/warp_state.md, docs/isa.md). Output: TAP.
//   test_subcore [seed [programs]]   replays the random part with that seed
#include <cstdio>
#include <cstdlib>

#include "bench.h"
#include "program.h"

static int n_tests = 0, n_failed = 0;

static void ok(bool good, const std::string &name, const std::string &why = "") {
  printf("%sok %d - %s\n", good ? "" : "not ", ++n_tests, name.c_str());
  if (!good && !why.empty()) printf("# %s\n", why.c_str());
  n_failed += !good;
}

// ---- random programs against the reference ----

// Runs the block's threads from barrier to barrier.
static void run_reference(std::vector<std::unique_ptr<Thread>> &threads, const Program &code, Memory &memory) {
  bool more = true;
  while (more) {
    more = false;
    for (auto &t : threads) {
      if (!t->exited) t->run(code, memory);
      more |= !t->exited;
    }
  }
}

static std::vector<std::unique_ptr<Thread>> make_threads(uint32_t n, uint32_t tb, uint32_t lanes) {
  std::vector<std::unique_ptr<Thread>> threads;
  for (uint32_t i = 0; i < n; i++) {
    threads.push_back(std::make_unique<Thread>());
    threads[i]->csr[CSR_TID - 0xCC0] = i;
    threads[i]->csr[CSR_LANE - 0xCC0] = i % lanes;
    threads[i]->csr[CSR_CTAID_X - 0xCC0] = tb;
  }
  return threads;
}

struct Totals {
  uint64_t issues = 0, selections = 0, merges = 0, fair = 0, misses = 0;
};

static std::string run_random(uint32_t seed, Totals &totals) {
  Bench bench(seed);
  Generator generator(bench.rng);
  bench.code = generator.make(40 + bench.rng() % 120);
  if (bench.code.size() * 4 > CODE_BYTES) return "";
  bench.slow = bench.rng() % 6;
  bench.top.policy_i = static_cast<uint8_t>(bench.rng() % 3);
  for (auto &byte : bench.memory.bytes) byte = static_cast<uint8_t>(bench.rng());
  Memory expected = bench.memory;

  const uint32_t limit = bench.n_warps * bench.lanes < 16 ? bench.n_warps * bench.lanes : 16;
  const uint32_t n_threads = 1 + static_cast<uint32_t>(bench.rng() % limit);
  std::vector<std::vector<std::unique_ptr<Thread>>> blocks;
  for (uint32_t tb = 0; tb < 1 + seed % 4; tb++) {
    blocks.push_back(make_threads(n_threads, tb, bench.lanes));
    run_reference(blocks.back(), bench.code, expected);
    bench.add_block(seed % 3, tb, n_threads, &blocks.back());
  }
  if (!bench.run(2000000)) return bench.error.empty() ? "does not end" : bench.error;
  for (auto &threads : blocks) {
    totals.issues += threads[0]->trace.size();
  }
  totals.selections += bench.n_selections;
  totals.merges += bench.n_merges;
  totals.fair += bench.n_fair;
  totals.misses += bench.n_misses;
  for (size_t i = 0; i < expected.bytes.size(); i++) {
    if (expected.bytes[i] != bench.memory.bytes[i]) return "memory differs at offset " + std::to_string(i);
  }
  return bench.faults.empty() ? "" : "unexpected fault";
}

static void test_random(uint32_t seed, uint32_t n) {
  Totals totals;
  std::string why;
  for (uint32_t i = 0; i < n && why.empty(); i++) {
    why = run_random(seed + i, totals);
    if (!why.empty()) why += " (replay: test_subcore " + std::to_string(seed + i) + " 1)";
  }
  printf("# random programs: %llu thread-0 instructions, %llu selections, %llu merge points, %llu fairness picks, %llu misses\n",
         static_cast<unsigned long long>(totals.issues), static_cast<unsigned long long>(totals.selections),
         static_cast<unsigned long long>(totals.merges), static_cast<unsigned long long>(totals.fair),
         static_cast<unsigned long long>(totals.misses));
  ok(why.empty(), "random programs: every issue, selection and memory byte as in the reference", why);
}

int main(int argc, char **argv) {
  const uint32_t seed = argc > 1 ? static_cast<uint32_t>(strtoul(argv[1], nullptr, 0)) : 1;
  const uint32_t n = argc > 2 ? static_cast<uint32_t>(strtoul(argv[2], nullptr, 0)) : 200;
  test_random(seed, n);
  printf("1..%d\n", n_tests);
  return n_failed != 0;
}

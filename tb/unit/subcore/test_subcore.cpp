// SPDX-License-Identifier: Apache-2.0
// Unit test of qsm_subcore alone (docs/subcore.md, docs/warp_state.md, docs/isa.md). Output: TAP.
//   test_subcore [seed [programs]]   replays the random part with that seed
#include <cstdio>
#include <cstdlib>

#include "bench.hpp"
#include "program.hpp"

static int n_tests = 0, n_failed = 0;

static void ok(bool good, const std::string &name, const std::string &why = "") {
  printf("%sok %d - %s\n", good ? "" : "not ", ++n_tests, name.c_str());
  if (!good && !why.empty()) printf("# %s\n", why.c_str());
  n_failed += !good;
}

// ---- random programs against the reference ----

// Runs the block's threads from barrier to barrier.
static void run_reference(std::vector<std::unique_ptr<Thread>> &threads, const Program &code,
                          Memory &memory) {
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
  uint64_t issues = 0, selections = 0, reconvergences = 0, fair = 0, misses = 0;
};

static std::string run_random(uint32_t seed, Totals &totals) {
  static const unsigned plain[] = {QSM_POLICY_LRR, QSM_POLICY_GTO, QSM_POLICY_LRR_ROTATE};
  Bench bench(seed);
  Generator generator(bench.rng, bench.top.fpu_o != 0);
  bench.code = generator.make(40 + bench.rng() % 120);
  if (bench.code.size() * 4 > CODE_BYTES) return "";
  bench.slow = bench.rng() % 6;
  bench.stir = seed % 2 != 0;
  bench.top.policy_i = static_cast<uint8_t>(plain[bench.rng() % 3]);
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
  totals.reconvergences += bench.n_reconvergences;
  totals.fair += bench.n_fair;
  totals.misses += bench.n_misses;
  for (size_t i = 0; i < expected.bytes.size(); i++) {
    if (expected.bytes[i] != bench.memory.bytes[i])
      return "memory differs at offset " + std::to_string(i);
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
  printf(
      "# random programs: %llu thread-0 instructions, %llu selections, %llu reconvergence points, %llu fairness picks, %llu misses\n",
      static_cast<unsigned long long>(totals.issues),
      static_cast<unsigned long long>(totals.selections),
      static_cast<unsigned long long>(totals.reconvergences),
      static_cast<unsigned long long>(totals.fair), static_cast<unsigned long long>(totals.misses));
  ok(why.empty(),
     "random programs: every issue, selection and memory byte as in the reference (R-IS-3, R-EX-4, R-WB-4, I-DIV-2, I-MEM-3)",
     why);
}

// ---- arithmetic: every operation on random and corner operands ----

static void test_arithmetic(uint32_t seed) {
  static const uint32_t corner[] = {0,           1,           0xFFFFFFFFu, 0x80000000u,
                                    0x7FFFFFFFu, 0xFFFF8000u, 0x10000,     31};
  static const uint32_t ops[][2] = {{0, 0}, {0, 0x20}, {1, 0}, {2, 0}, {3, 0}, {4, 0},
                                    {5, 0}, {5, 0x20}, {6, 0}, {7, 0}, {0, 1}, {1, 1},
                                    {2, 1}, {3, 1},    {4, 1}, {5, 1}, {6, 1}, {7, 1}};
  Program code = {csrr(6, CSR_TID), alu_imm(1, 6, 6, 8), lui(2, DATA_BASE),
                  add(2, 2, 6),     load(2, 6, 2, 0),    load(2, 7, 2, 4)};
  for (uint32_t i = 0; i < 18; i++) {
    code.push_back(alu(ops[i][0], ops[i][1], 8, 6, 7));
    code.push_back(store(2, 8, 2, static_cast<int32_t>(8 + 4 * i)));
  }
  code.push_back(exit_());

  Bench bench(seed);
  bench.code = code;
  bench.slow = 0;
  std::string why;
  const uint32_t n = bench.n_warps * bench.lanes < 16 ? bench.n_warps * bench.lanes : 16;
  for (uint32_t round = 0; round < 300 && why.empty(); round++) {
    for (uint32_t t = 0; t < n; t++) {
      for (uint32_t i = 0; i < 2; i++)
        bench.memory.write(
            DATA_BASE + 256 * t + 4 * i, 4,
            bench.rng() % 3 ? static_cast<uint32_t>(bench.rng()) : corner[bench.rng() % 8]);
    }
    bench.add_block(0, 0, n, nullptr);
    if (!bench.run(20000)) why = bench.error + " does not end";
    for (uint32_t t = 0; t < n && why.empty(); t++) {
      const uint32_t at = DATA_BASE + 256 * t, a = bench.memory.read(at, 4),
                     b = bench.memory.read(at + 4, 4);
      for (uint32_t i = 0; i < 18; i++) {
        const uint32_t want = ops[i][1] == 1 ? muldiv_value(ops[i][0], a, b)
                                             : alu_value(ops[i][0], ops[i][1] == 0x20, a, b);
        const uint32_t got = bench.memory.read(at + 8 + 4 * i, 4);
        char text[96];
        snprintf(text, sizeof text, "funct3 %u funct7 %02x of %08x, %08x: %08x, not %08x",
                 ops[i][0], ops[i][1], a, b, got, want);
        if (got != want) why = text;
      }
    }
  }
  ok(why.empty(),
     "ALU, multiplier and divider: all operations on random and corner operands (I-ISA-4)", why);
}

// ---- timing rules ----

// Runs the program once to fill the cache, then again; the records are of the second run.
static std::unique_ptr<Bench> run_warm(const Program &code, uint32_t n_threads) {
  auto bench = std::make_unique<Bench>(7);
  bench->slow = 0;
  bench->code = code;
  bench->add_block(0, 0, n_threads, nullptr);
  if (!bench->run(5000)) bench->fail("warm-up does not end");
  bench->issues.clear();
  bench->writes.clear();
  bench->n_selections = 0;
  bench->add_block(0, 0, n_threads, nullptr);
  if (!bench->run(5000)) bench->fail("does not end");
  return bench;
}

// Cycle in which the word at index was issued first (by warp 0 where several run).
static uint64_t issued_at(const Bench &bench, uint32_t index) {
  for (const Issue &i : bench.issues)
    if (i.pc == CODE_BASE + 4 * index && i.warp == 0) return i.cycle;
  return 0;
}

static uint32_t stall_count(Bench &bench, uint32_t kernel, uint32_t reason) {
  bench.top.stall_kernel_i = static_cast<uint8_t>(kernel);
  bench.top.stall_reason_i = static_cast<uint8_t>(reason);
  bench.top.eval();
  return bench.top.stall_value_o;
}

static void expect_gap(const Bench &bench, uint32_t from, uint32_t to, uint64_t gap,
                       const std::string &name) {
  const uint64_t a = issued_at(bench, from), b = issued_at(bench, to);
  ok(bench.error.empty() && a != 0 && b - a == gap, name,
     bench.error + " issued in " + std::to_string(a) + " and " + std::to_string(b) + ", expected " +
         std::to_string(gap) + " cycles between");
}

static void test_timing() {
  auto b = run_warm({addi(6, 0, 5), addi(7, 6, 1), addi(8, 0, 1), addi(9, 0, 1), mul(10, 6, 6),
                     addi(11, 10, 0), div_(12, 6, 6), div_(13, 6, 6), addi(14, 13, 0), exit_()},
                    1);
  expect_gap(*b, 0, 1, 4,
             "an instruction that needs the last one's result issues 4 cycles later (R-SB-3)");
  expect_gap(*b, 1, 2, 1, "independent instructions issue back to back");
  expect_gap(*b, 4, 5, 4, "a product is ready like a sum (R-EX-2)");
  expect_gap(*b, 6, 7, 39,
             "the second of two divisions waits until the first has written (R-EX-3, R-IS-4)");
  expect_gap(*b, 7, 8, 39, "a quotient is used the cycle after its write");

  Program twelve;
  for (uint32_t rd = 6; rd < 18; rd++) twelve.push_back(addi(rd, 0, 1));
  twelve.push_back(exit_());
  b = run_warm(twelve, 1);
  expect_gap(*b, 0, 11, 11,
             "twelve independent instructions of one warp issue in twelve cycles (R-FE-1)");

  b = run_warm({addi(6, 0, 1), addi(7, 0, 1), addi(8, 0, 1), addi(9, 0, 1), branch(0, 0, 0, 8),
                exit_(), exit_()},
               4);
  expect_gap(
      *b, 4, 6, 6,
      "the target of a taken branch issues 6 cycles after it: F1 follows the resolve (R-FE-2, R-FE-3, R-FE-7, R-WS-3)");
  ok(b->n_selections == 0, "a branch that all lanes take makes no selection");

  b = run_warm({csrr(6, CSR_LANE), addi(7, 0, 1), addi(8, 0, 1), addi(9, 0, 1), branch(0, 6, 0, 8),
                exit_(), exit_()},
               4);
  expect_gap(*b, 4, 5, 8,
             "a branch that splits the warp costs a selection: next issue 8 cycles later (R-WS-5)");

  b = run_warm(
      {csrr(6, CSR_LANE), addi(7, 0, 1), addi(8, 0, 1), addi(9, 0, 1), branch(0, 6, 0, 4), exit_()},
      4);
  ok(b->error.empty() && b->n_selections == 0, "a branch to the next word splits nothing (R-WS-3)",
     b->error);

  b = run_warm({csrr(6, CSR_LANE), branch(0, 6, 0, 12), addi(7, 0, 1), addi(8, 0, 1), addi(9, 0, 1),
                exit_()},
               4);
  const uint64_t merged = issued_at(*b, 4);
  uint32_t mask = 0;
  for (const Issue &i : b->issues)
    if (i.pc == CODE_BASE + 16) mask |= i.cycle == merged ? i.mask : ~0u;
  ok(b->error.empty() && mask == 0xF,
     "lanes that wait at the reconvergence point join the split there (R-WS-7)", b->error);
  expect_gap(*b, 3, 4, 8, "the word before the reconvergence point ends the split (R-FE-4)");
}

static void test_load_use() {
  auto b =
      run_warm({lui(2, DATA_BASE), addi(7, 0, 1), load(2, 6, 2, 0), addi(8, 6, 0), exit_()}, 1);
  uint64_t written = 0;
  for (const Write &w : b->writes)
    if (w.rd == 6) written = w.cycle;
  ok(!b->popped.empty() && b->popped.back() == issued_at(*b, 2) + 4,
     "an operation is in the memory queue from the cycle after EX2 on (R-EX-4)",
     b->error + " issued in " + std::to_string(issued_at(*b, 2)));
  ok(b->error.empty() && written != 0 && issued_at(*b, 3) == written + 1,
     "a loaded value is used the cycle after its write (R-WB-2)",
     b->error + " written in " + std::to_string(written) + ", used in " +
         std::to_string(issued_at(*b, 3)));
}

static uint64_t late(const Bench &bench) { return bench.top.fpu_o ? 3 : 0; }  // FpLat

// A quotient that finds the port taken in every cycle: ready in t+38, wb_wait = 8 in t+46, which
// claims t+46+FpLat; written four cycles after that.
static void test_bubble() {
  Program code = {csrr(6, CSR_SLOT), alu_imm(3, 7, 6, 1), branch(0, 7, 0, 8),
                  div_(10, 6, 6)};  // kernel 0 divides, the others keep the port busy
  for (uint32_t i = 0; i < 56; i++) code.push_back(addi(11 + i % 8, 0, 1));
  code.push_back(exit_());
  auto b = run_warm(code, 1);
  b->issues.clear();
  b->writes.clear();
  b->add_block(0, 0, 1, nullptr);
  for (uint32_t tb = 1; tb < 3; tb++) b->add_block(1, tb, 1, nullptr);
  const bool ended = b->run(5000);
  const uint64_t t = issued_at(*b, 3);
  uint64_t written = 0;
  for (const Write &w : b->writes)
    if (w.rd == 10 && w.warp == 0) written = w.cycle;
  uint32_t fixed = 0;
  bool in_bubble = false;
  for (const Issue &i : b->issues) {
    fixed += i.cycle >= t + 34 && i.cycle < t + 46 + late(*b);
    in_bubble |= i.cycle == t + 46 + late(*b);
  }
  ok(ended && fixed == 12 + late(*b) && !in_bubble && written == t + 50 + late(*b),
     "a waiting quotient gets a bubble after 8 cycles (R-WB-3)",
     b->error + " issued " + std::to_string(t) + ", " + std::to_string(fixed) + " fixed, written " +
         std::to_string(written));
}

// Counts of pipe_throttle that a cycle adds for a kernel.
static uint32_t busy_in_step(Bench &bench, uint32_t kernel) {
  const uint32_t before = stall_count(bench, kernel, QSM_STALL_PIPE_THROTTLE);
  bench.step();
  return stall_count(bench, kernel, QSM_STALL_PIPE_THROTTLE) - before;
}

// The same with steps for a frozen warp in every second cycle, in either half of them.
static void test_step_bubble(uint64_t first_step) {
  Program code = {csrr(6, CSR_SLOT), alu_imm(3, 7, 6, 1), branch(0, 7, 0, 8), div_(10, 6, 6)};
  for (uint32_t i = 0; i < 56; i++) code.push_back(addi(11 + i % 8, 0, 1));
  code.push_back(exit_());
  auto b = run_warm(code, 1);
  b->issues.clear();
  b->writes.clear();
  b->top.freeze_i = 1;
  b->top.freeze_tb_i = 1;
  b->add_block(0, 0, 1, nullptr);
  b->add_block(0, 1, 1, nullptr);
  for (uint32_t tb = 2; tb < 4; tb++) b->add_block(1, tb, 1, nullptr);
  uint32_t n_busy = 0;
  for (int i = 0; i < 200; i++) {
    const uint64_t t = issued_at(*b, 3);
    b->top.set_i = t != 0 && b->cycle >= t + first_step;
    const uint32_t n = busy_in_step(*b, 1);
    if (t != 0 && b->cycle > t + 24 && b->cycle <= t + 32) n_busy += n;
  }
  const uint64_t t = issued_at(*b, 3);
  uint64_t written = 0;
  uint32_t n_before = 0, n_steps = 0, n_frozen = 0;
  for (const Write &w : b->writes) {
    if (w.rd == 10 && w.warp == 0) written = w.cycle;
    if (w.cycle < t + 38 || w.cycle >= t + 50 + late(*b)) continue;
    n_before += w.rd >= 11;
    n_steps += w.rd >= 11 && w.warp == 1;
  }
  for (const Issue &i : b->issues) n_frozen += i.warp == 1;
  ok(written == t + 50 + late(*b) && n_before == 12 + late(*b) && n_steps >= 6,
     "steps leave the bubble to a waiting quotient (R-PE-16, R-WB-3)",
     b->error + " issued " + std::to_string(t) + ", " + std::to_string(n_before) + " before, " +
         std::to_string(n_steps) + " by steps, written " + std::to_string(written));
  ok(b->top.resident_o != 0 && n_frozen == 0 && b->error.empty(),
     "a frozen warp issues nothing, nor does another in the cycle of a step (R-IS-1)");
  ok(n_busy == 4 * 2, "those that a step holds back find the unit busy (R-SP-5, R-PE-16)",
     std::to_string(n_busy) + " warps in 8 cycles, two in every second one");
  for (int i = 0; i < 200; i++) b->step();  // until the others have ended
  const uint32_t frozen = stall_count(*b, 0, QSM_STALL_NO_INSTRUCTION);
  for (int i = 0; i < 100; i++) b->step();
  ok(stall_count(*b, 0, QSM_STALL_NO_INSTRUCTION) == frozen + 100,
     "a frozen warp has no instruction (R-SP-5)",
     std::to_string(stall_count(*b, 0, QSM_STALL_NO_INSTRUCTION) - frozen) + " cycles of 100");
}

// ---- floating point ----

static uint32_t fadd(uint32_t rd, uint32_t rs1, uint32_t rs2) {
  return fp_encode(FP_ADD, FP_RNE, rd, rs1, rs2, 0);
}

// Behind two words that fill the buffer while they wait.
static std::unique_ptr<Bench> run_floats(const Program &code) {
  Program all = {lui(2, DATA_BASE), addi(5, 0, 1), addi(5, 5, 1)};
  all.insert(all.end(), code.begin(), code.end());
  all.push_back(exit_());
  return run_warm(all, 1);
}

static void test_float_timing() {
  auto b = run_floats({fadd(6, 0, 0), addi(7, 0, 1), addi(8, 0, 1), addi(9, 0, 1), addi(10, 6, 0)});
  expect_gap(*b, 3, 5, 2, "instructions issue right behind a float sum");
  expect_gap(*b, 3, 6, 4, "but none that would write when the sum does (R-FP-3)");
  expect_gap(*b, 3, 7, 7, "a float sum is used 7 cycles after its issue (R-FP-2)");
  b = run_floats({fadd(6, 0, 0), addi(7, 0, 1), addi(8, 0, 1), store(2, 0, 2, 0)});
  expect_gap(*b, 3, 6, 3, "one that writes nothing issues in a claimed cycle (R-FP-3)");
  b = run_floats({fadd(0, 0, 0), addi(7, 0, 1), addi(8, 0, 1), addi(9, 0, 1)});
  expect_gap(*b, 3, 6, 3, "a float sum to x0 claims nothing (R-FP-3)");
  b = run_floats(
      {fadd(6, 0, 0), fadd(7, 0, 0), fadd(8, 0, 0), fp_encode(FP_MADD, FP_RNE, 9, 0, 0, 6)});
  expect_gap(*b, 3, 5, 2, "float sums issue back to back");
  expect_gap(*b, 3, 6, 7, "the third source is waited for (R-FP-2)");
  b = run_floats({fp_encode(FP_DIV, FP_RNE, 6, 5, 5, 0), div_(7, 5, 5),
                  fp_encode(FP_SQRT, FP_RNE, 8, 5, 0, 0), addi(9, 8, 0)});
  expect_gap(*b, 3, 4, 35, "a division waits until the float quotient is written (R-FP-6, R-IS-4)");
  expect_gap(*b, 4, 5, 39, "and a float root until that of integers is");
  expect_gap(*b, 5, 6, 35, "the root is used the cycle after its write");
  for (uint32_t last :
       {fadd(8, 0, 0), fp_encode(FP_DIV, FP_RNE, 8, 5, 5, 0)}) {  // the branch skips it for lane 0
    b = run_warm(
        {csrr(6, CSR_LANE), branch(0, 6, 0, 12), addi(7, 0, 1), last, addi(9, 0, 1), exit_()}, 4);
    expect_gap(*b, 3, 4, 8,
               "a float instruction before the reconvergence point resolves in EX2 (R-FP-5)");
  }
}

// One sum that waits in the one cycle that another has claimed.
static void test_busy_when_claimed() {
  Program code = {addi(5, 0, 1), addi(5, 5, 1), fadd(6, 0, 0), addi(7, 0, 1),
                  addi(8, 0, 1), addi(9, 0, 1), exit_()};
  Bench bench(7);
  bench.slow = 0;
  bench.code = code;
  uint32_t n_busy = 0;
  for (int round = 0; round < 2; round++) {  // the second one from the cache
    n_busy = 0;
    bench.add_block(0, 0, 1, nullptr);
    for (int i = 0; i < 200; i++) n_busy += busy_in_step(bench, 0);
  }
  ok(bench.done() && n_busy == 1,
     "a warp that waits for a claimed cycle finds the unit busy (R-FP-4)",
     bench.error + " in " + std::to_string(n_busy) + " cycles");
}

// A quotient that finds the port taken by float sums in every cycle: wb_wait = 8 in t+46, when no
// sum issues.
static void test_float_bubble() {
  Program code = {csrr(6, CSR_SLOT), alu_imm(3, 7, 6, 1), branch(0, 7, 0, 8), div_(10, 6, 6)};
  for (uint32_t i = 0; i < 56; i++) code.push_back(fadd(11 + i % 8, 0, 0));
  code.push_back(exit_());
  auto b = run_warm(code, 1);
  b->issues.clear();
  b->writes.clear();
  b->add_block(0, 0, 1, nullptr);
  for (uint32_t tb = 1; tb < 4; tb++) b->add_block(1, tb, 1, nullptr);
  uint32_t busy[2] = {};  // in t+45, t+46
  for (int i = 0; i < 5000 && !b->done() && b->error.empty(); i++) {
    const uint64_t at = issued_at(*b, 3) + 45, now = b->cycle;
    const uint32_t n = busy_in_step(*b, 1);
    if (now - at < 2) busy[now - at] = n;
  }
  const bool ended = b->done();
  const uint64_t t = issued_at(*b, 3);
  ok(busy[0] == 0 && busy[1] != 0,
     "sums that wait for a quotient's bubble find the unit busy (R-FP-4)",
     std::to_string(busy[0]) + " before, " + std::to_string(busy[1]));
  uint64_t written = 0;
  uint32_t before = 0;
  bool in_bubble = false;
  for (const Write &w : b->writes) {
    if (w.rd == 10 && w.warp == 0) written = w.cycle;
    before += w.cycle >= t + 38 && w.cycle < t + 53;
  }
  for (const Issue &i : b->issues) in_bubble |= i.cycle == t + 46;
  ok(ended && before == 15 && !in_bubble && written == t + 53,
     "float sums leave a waiting quotient its bubble (R-FP-3)",
     b->error + " issued " + std::to_string(t) + ", " + std::to_string(before) +
         " writes before, written " + std::to_string(written));
}

// ---- faults ----

static void expect_fault(const Program &code, uint32_t n_threads, Fault want,
                         const std::string &name) {
  Bench bench(3);
  bench.code = code;
  bench.add_block(1, 2, n_threads, nullptr);
  const bool ended = bench.run(5000);
  char text[200] = "no fault";
  bool good = ended && bench.faults.size() == 1;
  if (!bench.faults.empty()) {
    const Fault &f = bench.faults[0];
    good = good && f.kernel == 1 && f.cause == want.cause && f.pc == want.pc && f.tid == want.tid &&
           f.block == 102 && f.value == want.value;
    snprintf(text, sizeof text, "%zu faults; kernel %u cause %u pc %08x tid %u block %u value %08x",
             bench.faults.size(), f.kernel, f.cause, f.pc, f.tid, f.block, f.value);
  }
  ok(good, name, bench.error + text);
}

static void test_faults() {
  const uint32_t pc = CODE_BASE;
  expect_fault({addi(6, 0, 1), 0xFFFFFFFFu}, 4, {0, 1, 2, pc + 4, 0, 102, 0xFFFFFFFFu},
               "an illegal instruction faults with cause 2 and its word (I-FLT-2)");
  expect_fault({0x00100073}, 4, {0, 1, 3, pc, 0, 102, pc}, "ebreak faults with cause 3");
  expect_fault({0x00000073}, 4, {0, 1, 8, pc, 0, 102, pc}, "ecall faults with cause 8");
  expect_fault({jal(0, 0x3000)}, 4, {0, 1, 1, pc + 0x3000, 0, 102, pc + 0x3000},
               "a fetch outside the windows faults with cause 1 (R-FE-3)");
  expect_fault({jal(0, static_cast<int32_t>(CODE_BYTES))}, 4,
               {0, 1, 1, pc + CODE_BYTES, 0, 102, pc + CODE_BYTES},
               "a fetch at a window's limit faults with cause 1");
  expect_fault({lui(6, 0x1000), jalr(0, 6, 0)}, 4, {0, 1, 1, 0x1000, 0, 102, 0x1000},
               "a fetch from a window without x faults with cause 1 (R-FE-3)");
  expect_fault({jal(1, 0x102)}, 4, {0, 1, 0, pc, 0, 102, pc + 0x102},
               "a misaligned jal faults with cause 0 and its target (I-ISA-6)");
  expect_fault({csrr(6, CSR_LANE), add(6, 6, 6), auipc(7, 0), add(7, 7, 6), jalr(1, 7, 8), exit_()},
               8, {0, 1, 0, pc + 16, 1, 102, pc + 18},
               "a misaligned jalr faults with its lowest misaligned lane");
  expect_fault({auipc(7, 0), jalr(1, 7, 11), exit_()}, 4, {0, 1, 0, pc + 4, 0, 102, pc + 10},
               "the target of a jalr has bit 0 cleared (I-ISA-6)");
  expect_fault(
      {csrr(6, CSR_TID), alu_imm(2, 7, 6, 6), branch(0, 7, 0, 6), exit_()}, 8,
      {0, 1, 0, pc + 8, 6, 102, pc + 14},
      "a misaligned branch faults with the lowest lane that takes it, counted in the block (I-FLT-1, I-FLT-2)");

  Bench aligned(3);
  aligned.code = {branch(1, 0, 0, 6), auipc(7, 0), jalr(0, 7, 9), exit_()};
  aligned.add_block(0, 0, 4, nullptr);
  ok(aligned.run(5000) && aligned.faults.empty(),
     "no fault: branch not taken to a misaligned target, jalr with bit 0 set (I-ISA-6)",
     aligned.error);

  Bench apart(3);  // lane 1's target would be misaligned, but only lane 0 jumps
  apart.code = {csrr(6, CSR_LANE),  add(6, 6, 6),   auipc(7, 0), add(7, 7, 6),
                branch(1, 6, 0, 8), jalr(1, 7, 16), exit_()};
  apart.add_block(0, 0, 2, nullptr);
  ok(apart.run(5000) && apart.faults.empty(),
     "no fault: a misaligned target of a lane that does not jump", apart.error);
}

// A faulting jump writes no link: x1 keeps what the handler-less kernel had, seen by the next
// kernel in the same slot (I-ISA-5).
static void test_fault_writes_nothing() {
  Bench bench(3);
  bench.slow = 0;
  bench.code = {addi(1, 0, 77), jal(1, 0x102)};
  bench.add_block(0, 0, 1, nullptr);
  const bool ended = bench.run(5000) && bench.faults.size() == 1;
  uint32_t n = 0;
  for (const Write &w : bench.writes) n += w.rd == 1;
  ok(ended && n == 1, "an instruction that faults writes no register (R-EX-5)", bench.error);
}

// A block that was on its way when its kernel was killed: its warps have no live threads and finish
// the cycle after their start.
static void test_start_killed() {
  Bench bench(3);
  bench.slow = 0;
  bench.code = {addi(6, 0, 1), exit_()};
  bench.killed = 1;
  bench.add_block(0, 0, 2 * bench.lanes, nullptr);
  ok(bench.run(100) && bench.resident_cycles == 2,
     "a warp that starts killed is resident for one cycle (R-WS-1, R-WS-10)",
     bench.error + " resident for " + std::to_string(bench.resident_cycles));
}

// Kernel 0 loops for ever and is killed at some cycle; kernel 1's results are not touched.
static void test_kill(uint32_t seed) {
  std::string why;
  for (uint32_t i = 0; i < 200 && why.empty(); i++) {
    Bench bench(seed + i);
    bench.slow = i % 5;
    const uint32_t half = bench.n_warps / 2 * bench.lanes;
    bench.code = {csrr(6, CSR_SLOT),
                  csrr(7, CSR_TID),
                  branch(1, 6, 0, 36),
                  lui(2, DATA_BASE),
                  load(2, 8, 2, 0),
                  branch(0, 7, 0, 8),
                  amoadd(9, 8, 2),
                  bar(),
                  div_(8, 7, 8),
                  jal(5, -20),
                  exit_(),
                  lui(2, DATA_BASE + 0x1000),
                  alu_imm(1, 8, 7, 2),
                  add(2, 2, 8),
                  addi(9, 7, 1),
                  store(2, 9, 2, 0),
                  exit_()};
    bench.add_block(0, 0, half, nullptr);
    bench.add_block(1, 1, half, nullptr);
    const uint64_t at = 20 + bench.rng() % 400;
    while (bench.cycle < at && bench.error.empty()) bench.step();
    bench.killed |= 1;
    if (!bench.run(3000))
      why = bench.error + " does not end after the kill in cycle " + std::to_string(at);
    for (uint32_t t = 0; t < half && why.empty(); t++)
      if (bench.memory.read(DATA_BASE + 0x1000 + 4 * t, 4) != t + 1)
        why = "the other kernel's result is wrong";
  }
  ok(why.empty(),
     "a killed kernel ends within bounds and leaves the other alone, at any cycle (R-WS-9)", why);
}

// ---- the rest ----

static void test_gate() {
  Bench bench(5);
  bench.code = {addi(6, 0, 1), addi(7, 0, 1), exit_()};
  bench.top.open_i = 0xFD;  // kernel 1 is closed
  bench.add_block(0, 0, bench.lanes, nullptr);
  bench.add_block(1, 1, bench.lanes, nullptr);
  for (int i = 0; i < 300; i++) bench.step();
  const size_t closed = bench.issues.size();
  bench.top.stall_kernel_i = 1;
  bench.top.stall_reason_i = QSM_STALL_QUOTA;
  bench.top.eval();
  const uint32_t quota = bench.top.stall_value_o;
  bench.top.open_i = 0xFF;
  const bool ended = bench.run(300);
  ok(ended && closed == 3 && bench.issues.size() == 6,
     "a closed gate holds its kernel's warps only (R-IS-1)", bench.error);
  ok(quota > 200 && quota < 300, "cycles behind the gate are counted as quota (R-IS-6, R-SP-5)",
     std::to_string(quota));
}

// Kernel 0 is late, and beside it kernel 1 has gaps, with memory or without.
static void issue_in_gaps(bool memory) {
  Bench bench(6);
  constexpr uint32_t kStore = CODE_BASE + 4 * 5;
  bench.code = {lui(2, DATA_BASE), addi(6, 0, 1),     addi(7, 0, 1), addi(6, 6, 1),
                addi(7, 7, 1),     store(2, 6, 2, 0), exit_()};
  bench.top.gaps_i = 0xFE;  // of all but kernel 0
  bench.top.no_mem_i = memory ? 0 : 0xFE;
  bench.add_block(0, 0, bench.lanes, nullptr);
  bench.add_block(1, 1, bench.lanes, nullptr);
  for (int i = 0; i < 300; i++) bench.step();
  uint32_t late = 0, n_stores = 0, n_behind = 0;
  for (const Issue &issue : bench.issues) {
    if (issue.pc == kStore && n_stores == 0) late = issue.warp;
    n_stores += issue.pc == kStore;
  }
  for (size_t i = 1; i < bench.issues.size(); i++) {
    const Issue &before = bench.issues[i - 1], &issue = bench.issues[i];
    n_behind += before.warp == late && issue.warp != late && issue.cycle == before.cycle + 1;
  }
  const size_t n_issued = bench.issues.size();
  bench.top.stall_kernel_i = 1;
  bench.top.stall_reason_i = QSM_STALL_PIPE_THROTTLE;
  bench.top.eval();
  const uint32_t waited = bench.top.stall_value_o;
  bench.top.gaps_i = bench.top.no_mem_i = 0;
  const bool ended = bench.run(300);
  if (memory) {
    ok(ended && n_stores == 2 && n_issued == 14 && waited < 50,
       "with gaps only a warp issues all instructions (R-PA-15)", bench.error);
  } else {
    ok(ended && n_stores == 1 && n_issued == 12 && bench.issues.size() == 14,
       "without memory, too, no memory instruction (R-PA-15)", bench.error);
    ok(waited > 200 && waited < 300, "cycles without a gap are counted as pipe_throttle (R-IS-6)",
       std::to_string(waited));
  }
  ok(n_behind == 0,
     "nothing in the cycle after one in which another kernel's warp was ready (R-PA-15)",
     std::to_string(n_behind));
}

static void test_no_mem() {
  Bench bench(6);
  constexpr uint32_t kStore = CODE_BASE + 4 * 3;
  bench.code = {lui(2, DATA_BASE), addi(6, 0, 1), addi(7, 0, 1),
                store(2, 6, 2, 0), addi(6, 6, 1), exit_()};
  bench.top.no_mem_i = 0xFE;  // of all but kernel 0
  bench.add_block(0, 0, bench.lanes, nullptr);
  bench.add_block(1, 1, bench.lanes, nullptr);
  for (int i = 0; i < 300; i++) bench.step();
  size_t n_stores = 0;
  for (const Issue &issue : bench.issues) n_stores += issue.pc == kStore;
  const size_t n_issued = bench.issues.size();
  bench.top.stall_kernel_i = 1;
  bench.top.stall_reason_i = QSM_STALL_PIPE_THROTTLE;
  bench.top.eval();
  const uint32_t waited = bench.top.stall_value_o;
  bench.top.no_mem_i = 0;
  const bool ended = bench.run(300);
  ok(ended && n_stores == 1 && n_issued == 9 && bench.issues.size() == 12,
     "while full a warp without a goal issues up to its memory instruction (R-PA-19)", bench.error);
  ok(waited > 200 && waited < 300,
     "cycles of a memory instruction behind full are counted as pipe_throttle (R-IS-6)",
     std::to_string(waited));

  Bench both(6);
  both.code = bench.code;
  both.top.no_mem_i = 0xFF;
  both.add_block(0, 0, both.lanes, nullptr);
  for (int i = 0; i < 300; i++) both.step();
  ok(both.error.empty() && both.issues.size() == 3, "nobody issues one where nobody may (R-PA-19)",
     std::to_string(both.issues.size()));
}

// Each kind of instruction and what it counts as, by hand.
struct EnergyRow {
  const char *name;
  uint32_t word;
  Counted want;
};

static std::string run_energy_rows(const std::vector<EnergyRow> &rows) {
  Bench bench(3);
  const uint32_t n = bench.lanes - 1;
  bench.code = {lui(2, DATA_BASE), addi(6, 0, 3), addi(7, 0, 2)};
  const size_t first = bench.code.size();
  for (const EnergyRow &row : rows) bench.code.push_back(row.word);
  bench.code.push_back(exit_());
  bench.add_block(0, 0, n, nullptr);
  while (!bench.done() && bench.error.empty() && bench.cycle < 20000) bench.step();
  if (!bench.error.empty()) return bench.error;
  std::vector<uint32_t> seen(rows.size(), 0);
  for (const Issue &issue : bench.issues) {
    const size_t at = (issue.pc - CODE_BASE) / 4;
    if (at < first || at >= first + rows.size()) continue;
    const EnergyRow &row = rows[at - first];
    seen[at - first]++;
    if (!(issue.counted == row.want))
      return std::string(row.name) + " counts as class " +
             std::to_string(static_cast<uint32_t>(issue.counted.cls)) + ", " +
             std::to_string(issue.counted.operands) + " operands, write " +
             std::to_string(issue.counted.writes);
  }
  for (size_t i = 0; i < rows.size(); i++)
    if (seen[i] != 1) return std::string(rows[i].name) + " does not issue once";
  return "";
}

static void test_energy_classes() {
  const std::vector<EnergyRow> rows = {
      {"lui", lui(8, 0x5000), {Cls::kAlu, 0, true}},
      {"lui x0", lui(0, 0x5000), {Cls::kAlu, 0, false}},
      {"auipc", auipc(8, 0x5000), {Cls::kAlu, 0, true}},
      {"addi", addi(8, 6, 1), {Cls::kAlu, 1, true}},
      {"addi of x0", addi(8, 0, 17), {Cls::kAlu, 0, true}},
      {"nop", addi(0, 0, 0), {Cls::kAlu, 0, false}},
      {"slli", alu_imm(1, 8, 6, 31), {Cls::kAlu, 1, true}},
      {"add", add(8, 6, 7), {Cls::kAlu, 2, true}},
      {"add of one register twice", add(8, 6, 6), {Cls::kAlu, 2, true}},
      {"add of x0", add(8, 0, 6), {Cls::kAlu, 1, true}},
      {"sll", alu(1, 0, 8, 6, 7), {Cls::kAlu, 2, true}},
      {"mul", mul(8, 6, 7), {Cls::kMul, 2, true}},
      {"mulhu", alu(3, 1, 8, 6, 7), {Cls::kMul, 2, true}},
      {"mul into x0", mul(0, 6, 7), {Cls::kMul, 2, false}},
      {"div", div_(8, 6, 7), {Cls::kDiv, 2, true}},
      {"remu by x0", alu(7, 1, 8, 6, 0), {Cls::kDiv, 1, true}},
      {"div into x0", div_(0, 6, 7), {Cls::kDiv, 2, false}},
      {"lw", load(2, 8, 2, 0), {Cls::kMem, 1, true}},
      {"lb into x0", load(0, 0, 2, 31), {Cls::kMem, 1, false}},
      {"sw", store(2, 6, 2, 4), {Cls::kMem, 2, false}},
      {"sw of x0", store(2, 0, 2, 8), {Cls::kMem, 1, false}},
      {"amoadd", amoadd(8, 6, 2), {Cls::kMem, 2, true}},
      {"amoadd into x0", amoadd(0, 6, 2), {Cls::kMem, 2, false}},
      {"amoadd of x0", amoadd(8, 0, 2), {Cls::kMem, 1, true}},
      {"fence", fence(), {Cls::kAlu, 0, false}},
      {"fence with fields", 0x0FF38F8F, {Cls::kAlu, 0, false}},
      {"csrrs", csrr(8, CSR_TID), {Cls::kAlu, 0, true}},
      {"csrrci", i_type(0x73, 7, 8, 0, 0xCC0), {Cls::kAlu, 0, true}},
      {"csrrs into x0", csrr(0, CSR_CYCLE), {Cls::kAlu, 0, false}},
      {"beq", branch(0, 6, 7, 8), {Cls::kCtl, 2, false}},
      {"bne to the next", branch(1, 6, 7, 4), {Cls::kCtl, 2, false}},
      {"bltz", branch(4, 6, 0, 8), {Cls::kCtl, 1, false}},
      {"jal", jal(8, 4), {Cls::kCtl, 0, true}},
      {"j", jal(0, 4), {Cls::kCtl, 0, false}},
      {"auipc", auipc(9, 0), {Cls::kAlu, 0, true}},
      {"jalr", jalr(8, 9, 8), {Cls::kCtl, 1, true}},
      {"auipc", auipc(9, 0), {Cls::kAlu, 0, true}},
      {"jr", jalr(0, 9, 8), {Cls::kCtl, 1, false}},
      {"barrier", bar(), {Cls::kCtl, 0, false}},
  };
  std::string why = run_energy_rows(rows);
  ok(why.empty(), "every kind of instruction counts with its class, operands and write (R-EN-1)",
     why);

  // A fault ends the kernel, so these run alone. What issues counts, whatever comes of it.
  const std::vector<EnergyRow> faults = {
      {"exit", exit_(), {Cls::kCtl, 0, false}},
      {"ecall", 0x00000073, {Cls::kCtl, 0, false}},
      {"ebreak", 0x00100073, {Cls::kCtl, 0, false}},
      {"csrrw", i_type(0x73, 1, 8, 6, 0xCC0), {Cls::kCtl, 0, false}},
      {"no instruction, with fields", r_type(0x33, 0, 0x7F, 8, 6, 7), {Cls::kCtl, 0, false}},
      {"jal to half a word", jal(8, 6), {Cls::kCtl, 0, true}},
  };
  why = "";
  for (const EnergyRow &row : faults)
    if (why.empty()) why = run_energy_rows({row});
  ok(why.empty(), "so does what faults, and the end of a thread (R-EN-1)", why);
}

static void test_energy_of_floats() {
  const auto word = [](fp_op op) { return fp_encode(op, 0, 8, 6, 7, 2); };
  const std::vector<EnergyRow> rows = {
      {"fadd", word(FP_ADD), {Cls::kFma, 2, true}},
      {"fsub", word(FP_SUB), {Cls::kFma, 2, true}},
      {"fmul", word(FP_MUL), {Cls::kFma, 2, true}},
      {"fdiv", word(FP_DIV), {Cls::kDiv, 2, true}},
      {"fsqrt", word(FP_SQRT), {Cls::kDiv, 1, true}},
      {"fsgnj", word(FP_SGNJ), {Cls::kAlu, 2, true}},
      {"fsgnjn", word(FP_SGNJN), {Cls::kAlu, 2, true}},
      {"fsgnjx", word(FP_SGNJX), {Cls::kAlu, 2, true}},
      {"fmin", word(FP_MIN), {Cls::kAlu, 2, true}},
      {"fmax", word(FP_MAX), {Cls::kAlu, 2, true}},
      {"fcvt.w.s", word(FP_CVT_W_S), {Cls::kFma, 1, true}},
      {"fcvt.wu.s", word(FP_CVT_WU_S), {Cls::kFma, 1, true}},  // rs2's field is 1, not x1
      {"fcvt.s.w", word(FP_CVT_S_W), {Cls::kFma, 1, true}},
      {"fcvt.s.wu", word(FP_CVT_S_WU), {Cls::kFma, 1, true}},
      {"feq", word(FP_EQ), {Cls::kAlu, 2, true}},
      {"flt", word(FP_LT), {Cls::kAlu, 2, true}},
      {"fle", word(FP_LE), {Cls::kAlu, 2, true}},
      {"fclass", word(FP_CLASS), {Cls::kAlu, 1, true}},
      {"fmadd", word(FP_MADD), {Cls::kFma, 3, true}},
      {"fmsub", word(FP_MSUB), {Cls::kFma, 3, true}},
      {"fnmsub", word(FP_NMSUB), {Cls::kFma, 3, true}},
      {"fnmadd", word(FP_NMADD), {Cls::kFma, 3, true}},
      {"fmadd of one register", fp_encode(FP_MADD, 0, 8, 6, 6, 6), {Cls::kFma, 3, true}},
      {"fmadd with x0 as addend", fp_encode(FP_MADD, 0, 8, 6, 7, 0), {Cls::kFma, 2, true}},
      {"fmadd of x0 into x0", fp_encode(FP_MADD, 0, 0, 0, 0, 0), {Cls::kFma, 0, false}},
      {"fadd into x0", fp_encode(FP_ADD, 0, 0, 6, 7, 0), {Cls::kFma, 2, false}},
  };
  const std::string why = run_energy_rows(rows);
  ok(why.empty(), "floating-point instructions read up to three registers (R-EN-1)", why);
}

static void test_csrs() {
  static const uint32_t csrs[] = {
      CSR_TID,    CSR_CTAID_X,  CSR_CTAID_Y,  CSR_CTAID_Z,  CSR_NTID_X, CSR_NTID_Y,
      CSR_NTID_Z, CSR_NCTAID_X, CSR_NCTAID_Y, CSR_NCTAID_Z, CSR_LANE,   CSR_SMID,
      CSR_ARG,    CSR_HWTID,    CSR_SLOT,     CSR_WARPSIZE, CSR_TICKET};
  Bench bench(9);
  const uint32_t n = 2 * bench.lanes;
  bench.code = {csrr(6, CSR_TID), alu_imm(1, 6, 6, 8), lui(2, DATA_BASE),
                add(2, 2, 6),     csrr(9, CSR_CYCLE),  store(2, 9, 2, 128)};
  for (uint32_t i = 0; i < 17; i++) {
    bench.code.push_back(csrr(8, csrs[i]));
    bench.code.push_back(store(2, 8, 2, static_cast<int32_t>(4 * i)));
  }
  bench.code.insert(bench.code.end(), {csrr(7, CSR_LANE), branch(1, 7, 0, 12), csrr(8, CSR_MASK),
                                       store(2, 8, 2, 132), exit_()});
  bench.add_block(2, 3, n, nullptr);
  std::string why = bench.run(20000) ? "" : bench.error + " does not end";
  for (uint32_t t = 0; t < n && why.empty(); t++) {
    const uint32_t want[] = {t, 3,          2, 3, 4,           5, 6, 7, 8, 9, t % bench.lanes,
                             0, 0x1234ABCD, t, 2, bench.lanes, 2};
    for (uint32_t i = 0; i < 17; i++) {
      if (bench.memory.read(DATA_BASE + 256 * t + 4 * i, 4) != want[i])
        why = "csr " + std::to_string(csrs[i]) + " of thread " + std::to_string(t);
    }
  }
  ok(why.empty(), "CSRs have their values in every lane", why);
  uint64_t at = 0;
  for (const Issue &i : bench.issues)
    if (i.pc == CODE_BASE + 16 && i.warp == 0) at = i.cycle;
  const uint32_t cycle = bench.memory.read(DATA_BASE + 128, 4);
  ok(cycle == at + 2, "CSR cycle is the cycle of EX1 (R-EX-1)",
     std::to_string(cycle) + " issued in " + std::to_string(at));
  ok(bench.memory.read(DATA_BASE + 132, 4) == 1, "CSR mask is the split's mask");
}

static void test_stall_counters() {
  Bench bench(11);
  Generator generator(bench.rng, bench.top.fpu_o != 0);
  bench.code = generator.make(100);
  bench.add_block(0, 0, bench.lanes + 1, nullptr);
  bench.add_block(1, 1, bench.lanes, nullptr);
  const bool ended = bench.run(100000);
  uint64_t all = 0, issued = 0;
  for (uint32_t k = 0; k < 2; k++) {
    issued += stall_count(bench, k, QSM_STALL_SELECTED);
    for (uint32_t r = 0; r < QSM_STALL_COUNT; r++) all += stall_count(bench, k, r);
  }
  ok(ended && all == bench.resident_cycles,
     "every resident warp has one reason in every cycle (R-IS-6, R-SP-6)",
     std::to_string(all) + " of " + std::to_string(bench.resident_cycles));
  ok(issued == bench.issues.size(), "reason 0 counts the issues (R-SP-6)");

  Bench wait(12);  // one warp: its load is held back; then the other warps of its block are
  wait.slow = 0;
  wait.code = {lui(2, DATA_BASE), load(2, 6, 2, 0), addi(6, 6, 1), exit_()};
  wait.hold_memory = true;
  wait.add_block(0, 0, 1, nullptr);
  for (int i = 0; i < 300; i++) wait.step();
  const uint32_t load_before = stall_count(wait, 0, 3);
  for (int i = 0; i < 100; i++) wait.step();
  ok(stall_count(wait, 0, 3) == load_before + 100,
     "a warp that needs a load's result waits for a load");
  wait.hold_memory = false;
  ok(wait.run(100), "and goes on when it comes", wait.error);

  Bench barrier(
      13);  // warp 0 waits at the barrier for warp 1, whose load is held back before a fence
  barrier.slow = 0;
  barrier.code = {csrr(7, CSR_TID),
                  lui(2, DATA_BASE),
                  alu_imm(2, 8, 7, static_cast<int32_t>(barrier.lanes)),
                  branch(1, 8, 0, 12),
                  load(2, 6, 2, 0),
                  fence(),
                  bar(),
                  exit_()};
  barrier.hold_memory = true;
  barrier.add_block(0, 0, 2 * barrier.lanes, nullptr);
  for (int i = 0; i < 300; i++) barrier.step();
  const uint32_t bar_before = stall_count(barrier, 0, 1), fence_before = stall_count(barrier, 0, 3);
  for (int i = 0; i < 100; i++) barrier.step();
  ok(stall_count(barrier, 0, 1) == bar_before + 100 &&
         stall_count(barrier, 0, 3) == fence_before + 100,
     "one warp waits at the barrier, one at a fence for its load (I-ISA-3)");
  barrier.hold_memory = false;
  ok(barrier.run(200), "the barrier opens when the last warp arrives", barrier.error);
}

// Lane 0 waits for a flag that lane 1, at a higher pc, sets.
static void test_progress() {
  Bench bench(15);
  bench.code = {csrr(6, CSR_LANE),   lui(2, DATA_BASE), branch(1, 6, 0, 12), load(2, 7, 2, 0),
                branch(0, 7, 0, -4), addi(8, 0, 1),     store(2, 8, 2, 0),   exit_()};
  bench.add_block(0, 0, 2, nullptr);
  ok(bench.run(200000), "a spinning lane does not hold up the others for ever (R-WS-6, I-DIV-2)",
     bench.error);
}

// Lane 0 spins until lane 1 or 2 sets the flag. When lane 2 is picked for fairness, lane 1 waits
// ahead of it and lane 0 behind.
static void test_fair_to_its_end() {
  Bench bench(15);
  bench.code = {csrr(6, CSR_LANE),
                lui(2, DATA_BASE),
                addi(9, 0, 1),
                addi(7, 6, -1),
                branch(1, 6, 0, 12),
                load(2, 8, 2, 0),
                branch(0, 8, 0, -4),
                branch(0, 7, 0, 12),
                addi(10, 0, 1),
                addi(10, 10, 1),
                addi(11, 0, 5),
                store(2, 9, 2, 0),
                exit_()};
  bench.add_block(0, 0, 3, nullptr);
  const bool ended = bench.run(200000);
  uint32_t mask = 0;
  for (const Issue &i : bench.issues)
    if (i.pc == CODE_BASE + 40 && mask == 0) mask = i.mask;
  ok(ended && mask == 4,
     "a split that was picked for fairness does not stop where lanes wait ahead (R-WS-7)",
     bench.error + " lanes " + std::to_string(mask) + " there");
}

// Recursion of a different depth in every lane, beyond the depth counter's end.
static void test_recursion() {
  Bench bench(16);
  bench.code = {
      csrr(6, CSR_TID),  alu_imm(1, 7, 6, 8), lui(2, DATA_BASE), add(2, 2, 7),  addi(7, 0, 5),
      mul(6, 6, 7),      jal(1, 16),          store(2, 8, 2, 0), exit_(),       0,
      store(2, 1, 2, 4), branch(0, 6, 0, 20), addi(6, 6, -1),    addi(2, 2, 4), jal(1, -16),
      addi(2, 2, -4),    addi(8, 8, 1),       load(2, 1, 2, 4),  jalr(0, 1, 0)};
  bench.code[11] = branch(0, 6, 0, 24);
  bench.code.insert(bench.code.begin() + 6, addi(8, 0, 0));
  const uint32_t n = 8;
  auto threads = make_threads(n, 0, bench.lanes);
  Memory expected;
  run_reference(threads, bench.code, expected);
  uint32_t deepest = 0;
  for (const Step &s : threads[n - 1]->trace) deepest = s.depth > deepest ? s.depth : deepest;
  bench.add_block(0, 0, n, &threads);
  const bool ended = bench.run(100000);
  ok(ended && deepest == 31 && bench.memory.bytes == expected.bytes &&
         bench.memory.read(DATA_BASE + 256 * 7, 4) == 35,
     "recursion of a different depth in every lane, past the last depth (I-DIV-1)", bench.error);
}

// What a store of the changed code's constant leaves in memory.
static uint32_t run_constant(Bench &bench) {
  bench.memory.write(DATA_BASE, 4, 0);
  bench.add_block(0, 0, 1, nullptr);
  if (!bench.run(2000)) bench.fail("does not end");
  return bench.memory.read(DATA_BASE, 4);
}

static void pulse_inv(Bench &bench) {
  bench.top.icache_inv_i = 1;
  bench.step();
  bench.top.icache_inv_i = 0;
}

static void test_invalidate() {
  Bench bench(17);
  bench.slow = 0;
  bench.code = {addi(6, 0, 1), lui(2, DATA_BASE), store(2, 6, 2, 0), exit_()};
  const uint32_t first = run_constant(bench);
  bench.code[0] = addi(6, 0, 2);
  const uint32_t stale = run_constant(bench);
  pulse_inv(bench);
  const uint32_t fresh = run_constant(bench);
  ok(first == 1 && stale == 1 && fresh == 2 && bench.error.empty(),
     "code is cached until it is invalidated (R-FE-6)", bench.error);

  uint32_t stale_at = 0;  // cycle of an invalidation after which old code still ran
  for (uint32_t at = 0; at < 40; at++) {
    bench.code[0] = addi(6, 0, 1000 + static_cast<int32_t>(at));
    pulse_inv(bench);
    bench.add_block(0, 0, 1, nullptr);
    for (uint32_t i = 0; i < at; i++) bench.step();
    bench.code[0] = addi(6, 0, 3);
    pulse_inv(bench);
    bench.run(2000);
    if (run_constant(bench) != 3) stale_at = at;
  }
  ok(stale_at == 0 && bench.error.empty(),
     "no line survives an invalidation in any cycle of its miss (R-FE-6)",
     bench.error + " survives one in cycle " + std::to_string(stale_at));

  pulse_inv(bench);
  const uint64_t before = bench.n_misses;
  bench.hold_fill =
      true;  // invalidate again while the line is on its way: that fill must not be kept
  bench.add_block(0, 0, 1, nullptr);
  for (int i = 0; i < 20; i++) bench.step();
  pulse_inv(bench);
  bench.hold_fill = false;
  const bool ended = bench.run(2000);
  ok(ended && bench.n_misses - before == 2,
     "a fill that an invalidation overtook writes no line (R-FE-6)",
     bench.error + " misses: " + std::to_string(bench.n_misses - before));
}

// What a thread of the second block sees of a register, and what is in it after odd threads have
// written it: by each way of writing one.
static Program first_writes(uint32_t r) {
  Program code = {store(2, r, 2, static_cast<int32_t>(8 * r)), addi(4, r, 0), alu(6, 0, 3, 3, 4),
                  branch(0, 5, 0, 8)};
  switch (r % 5) {
    case 0: code.push_back(addi(r, r, 1)); break;
    case 1: code.push_back(mul(r, 5, 5)); break;
    case 2: code.push_back(div_(r, 5, 5)); break;
    case 3: code.push_back(load(2, r, 2, 0)); break;
    default: code.push_back(jal(r, 4));
  }
  code.push_back(store(2, r, 2, static_cast<int32_t>(8 * r + 4)));
  return code;
}

// Every register but those of the program: x2 own bytes, x3 what rs1 has read, x4 scratch, x5 odd.
static void test_registers_begin_as_zero(uint32_t seed) {
  Bench bench(seed);
  const uint32_t all = bench.n_warps * bench.lanes, n = all < 60 ? all : 60;
  for (uint32_t r = 1; r < 32; r++)
    bench.code.insert(bench.code.end(), {lui(r, 0xABCDE000), addi(r, r, static_cast<int32_t>(r))});
  bench.code.push_back(exit_());
  bench.add_block(0, 0, all, nullptr);
  if (!bench.run(20000)) bench.fail("the first block does not end");
  bench.code = {csrr(4, CSR_TID), alu_imm(7, 5, 4, 1), alu_imm(1, 4, 4, 9), lui(2, DATA_BASE),
                add(2, 2, 4),     addi(4, 0, 1),       store(2, 4, 2, 0)};
  for (uint32_t r = 6; r < 32; r++)
    for (uint32_t word : first_writes(r)) bench.code.push_back(word);
  bench.code.insert(bench.code.end(), {store(2, 3, 2, 4), exit_()});
  for (auto &byte : bench.memory.bytes) byte = 0xEE;
  pulse_inv(bench);
  bench.add_block(0, 0, n, nullptr);
  std::string why = bench.run(50000) ? "" : bench.error + " does not end";
  for (uint32_t t = 0; t < n && why.empty(); t++) {
    const uint32_t at = DATA_BASE + 512 * t;
    if (bench.memory.read(at + 4, 4) != 0)
      why = "rs1 reads what was left, in thread " + std::to_string(t);
    for (uint32_t r = 6; r < 32; r++) {
      const uint32_t link = CODE_BASE + 4 * (7 + 6 * (r - 6) + 5), want = t % 2 == 0   ? 0
                                                                          : r % 5 == 4 ? link
                                                                                       : 1;
      if (bench.memory.read(at + 8 * r, 4) != 0)
        why = "x" + std::to_string(r) + " is not 0 at the start of thread " + std::to_string(t);
      else if (bench.memory.read(at + 8 * r + 4, 4) != want)
        why = "x" + std::to_string(r) + " of thread " + std::to_string(t) +
              " after a write of odd threads";
    }
  }
  ok(why.empty(),
     "a thread's registers begin as 0, and stay so in lanes that a first write leaves out (R-WB-4, I-ISA-5)",
     why);
}

int main(int argc, char **argv) {
  const uint32_t seed = argc > 1 ? static_cast<uint32_t>(strtoul(argv[1], nullptr, 0)) : 1;
  const uint32_t n = argc > 2 ? static_cast<uint32_t>(strtoul(argv[2], nullptr, 0)) : 200;
  test_random(seed, n);
  test_arithmetic(seed);
  test_timing();
  test_load_use();
  test_bubble();
  for (uint64_t first = 20; first < 22; first++) test_step_bubble(first);
  if (Bench(1).top.fpu_o) {
    test_float_timing();
    test_busy_when_claimed();
    test_float_bubble();
    test_energy_of_floats();
  }
  test_faults();
  test_fault_writes_nothing();
  test_start_killed();
  test_kill(seed);
  test_gate();
  issue_in_gaps(true);
  issue_in_gaps(false);
  test_no_mem();
  test_csrs();
  test_stall_counters();
  test_energy_classes();
  test_progress();
  test_fair_to_its_end();
  test_recursion();
  test_invalidate();
  test_registers_begin_as_zero(seed);
  printf("1..%d\n", n_tests);
  return n_failed != 0;
}

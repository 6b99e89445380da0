// SPDX-License-Identifier: Apache-2.0
// Multiply and divide unit of the QoS manager (qsm_qos_arith) against 128-bit integers. Histories
// of 48 bits take a manager days to collect, so operands of all sizes come here.
#include "Vqsm_qos_arith.h"

#include "../common/qsm_unit.h"

namespace {

using u128 = unsigned __int128;

struct Operation {
  bool divide = false, brief = false, round_up = false;  // brief: short_i
  uint64_t a = 0, d = 0;
  uint32_t b = 0;

  u128 product() const { return static_cast<u128>(a) * b + (round_up ? 0xffffffffu : 0); }
  unsigned quotient_bits() const { return brief ? 22 : 32; }
  bool overflows() const { return product() >> quotient_bits() >= d; }
  unsigned cycles() const { return !divide ? 4 : brief ? 15 : 20; }
};

class Bench {
 public:
  explicit Bench(qsm_unit::Tap &tap, qsm_unit::Random &random) : tap_(tap), random_(random) {
    top.rst_ni = 0;
    clock();
    top.rst_ni = 1;
    top.start_i = 0;
    top.eval();
    tap_.expect(top.done_o == 1, "busy after reset");
  }

  // From its start until `rest` cycles after it is done; the operands are there in its first cycle
  // only.
  void run(const Operation &op, unsigned rest) {
    top.start_i = 1;
    top.divide_i = op.divide;
    top.short_i = op.brief;
    top.round_up_i = op.round_up;
    top.a_i = op.a;
    top.b_i = op.b;
    top.d_i = op.d;
    for (unsigned cycle = 0; cycle < op.cycles() + rest; cycle++) {
      top.eval();
      const bool done = cycle == 0 || cycle >= op.cycles();
      tap_.expect(top.done_o == done, "cycle %u of %u: done is not %d", cycle, op.cycles(), done);
      if (cycle >= op.cycles()) compare(op);
      clock();
      forget();
    }
    top.eval();
    tap_.expect(top.done_o == 1, "not done after %u cycles", op.cycles());
    compare(op);
  }

  Vqsm_qos_arith top;

 private:
  void compare(const Operation &op) {
    const u128 product = op.product();
    if (!op.divide) {
      same(op, "product", static_cast<uint64_t>(product >> 32), static_cast<uint32_t>(product));
      return;
    }
    tap_.expect(top.overflow_o == op.overflows(), "overflow is not %d: %llx * %x / %llx",
                op.overflows(), ull(op.a), op.b, ull(op.d));
    if (!op.overflows())
      same(op, "division", static_cast<uint64_t>(product % op.d),
           static_cast<uint32_t>(product / op.d));
  }
  void same(const Operation &op, const char *what, uint64_t hi, uint32_t lo) {
    tap_.expect(top.hi_o == hi && top.lo_o == lo,
                "%s of %llx, %x, %llx%s%s: %llx, %x, not %llx, %x", what, ull(op.a), op.b,
                ull(op.d), op.brief ? " (short)" : "", op.round_up ? " (up)" : "", ull(top.hi_o),
                top.lo_o, ull(hi), lo);
    tap_.expect(top.rest_o == (top.hi_o != 0), "hi %llx, but rest %d", ull(top.hi_o), top.rest_o);
  }
  static unsigned long long ull(uint64_t value) { return value; }

  void forget() {
    top.start_i = 0;
    top.divide_i = random_.one_in(2);
    top.short_i = random_.one_in(2);
    top.round_up_i = random_.one_in(2);
    top.a_i = random_.bits32();
    top.b_i = random_.bits32();
    top.d_i = random_.bits32();
  }
  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  qsm_unit::Tap &tap_;
  qsm_unit::Random &random_;
};

uint64_t of_any_size(qsm_unit::Random &random, unsigned bits) {
  const uint64_t all = (uint64_t{random.bits32()} << 32 | random.bits32()) >> (64 - bits);
  return all >> random.below(bits);
}

// Divisors of any size, or such that the quotient just fits or just does not.
uint64_t divisor(qsm_unit::Random &random, const Operation &op) {
  const u128 edge = (op.product() >> op.quotient_bits()) + random.below(3);
  if (random.one_in(2) && edge >= 1 && edge >> 48 == 0) return static_cast<uint64_t>(edge) - 1;
  return random.one_in(20) ? 0 : of_any_size(random, 48);
}

void test_random(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench bench(tap, random);
  unsigned n_fit = 0, n_overflow = 0;
  for (unsigned n = 0; n < 40000 && !tap.failed(); n++) {
    Operation op;
    op.divide = !random.one_in(4);
    op.brief = op.divide && random.one_in(2);
    op.round_up = random.one_in(3);
    op.a = of_any_size(random, 48);
    op.b = static_cast<uint32_t>(of_any_size(random, 32));
    op.d = divisor(random, op);
    bench.run(op, random.one_in(3) ? random.below(20) : 0);
    if (op.divide) (op.overflows() ? n_overflow : n_fit)++;
  }
  std::printf("# divisions: %u fit, %u overflow\n", n_fit, n_overflow);
  tap.expect(n_fit > 5000 && n_overflow > 5000, "too few divisions fit, or overflow");
  tap.done(
      "products and divisions of any operands, each in its cycles; results stay until the next start");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_qos_arith");
  qsm_unit::Tap tap(1);
  qsm_unit::begin_with_anything();
  test_random(tap, random);
  return tap.exit_code();
}

// SPDX-License-Identifier: Apache-2.0
// Where lines of a divided memory lie (qsm_mem_split) against docs/xbar.md R-XB-6, counted in
// parts, lines and channels instead of bits. Usage: test_mem_split [seed].
#include <cstdint>
#include <vector>

#include "Vqsm_mem_split.h"

#include "../common/qsm_unit.h"

namespace {

constexpr unsigned kMemBits = MEM_BITS, kChanBits = CHAN_BITS, kMaxSplit = kMemBits ? kChanBits : 0;
constexpr uint32_t kLine = 1u << LINE_BITS, kChannels = 1u << kChanBits, kBase = 0x80000000;
constexpr uint64_t kBytes = uint64_t{1} << kMemBits;

class Bench {
 public:
  uint32_t placed(unsigned v, uint32_t address) {
    top_.split_i = static_cast<CData>(v);
    top_.addr_i = address;
    top_.eval();
    return top_.addr_o;
  }

 private:
  Vqsm_mem_split top_;
};

uint32_t channel_of(uint32_t address) { return address / kLine % kChannels; }

// Of an address within the memory: its part has so many bytes and neighbouring channels, and lies
// there line by line in turn.
uint32_t expected(unsigned v, uint32_t address) {
  const uint32_t bytes = static_cast<uint32_t>(kBytes >> v), channels = kChannels >> v;
  const uint32_t part = address / bytes, line = address % bytes / kLine;
  const uint32_t channel = part * channels + line % channels, row = line / channels;
  return (row * kChannels + channel) * kLine + address % kLine;
}

// Every address, or of a large memory so many drawn ones.
template <class Visit>
void for_addresses(qsm_unit::Random &random, const Visit &visit) {
  if (kMemBits <= 16) {
    for (uint32_t a = 0; a < kBytes; a++) visit(a);
  } else {
    for (unsigned n = 0; n < 300000; n++) visit(static_cast<uint32_t>(random.bits32() % kBytes));
  }
}

void test_places(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench bench;
  for (unsigned v = 0; v <= kMaxSplit; v++) {
    for_addresses(random, [&](uint32_t a) {
      const uint32_t seen = bench.placed(v, kBase + a) - kBase, wanted = expected(v, a);
      tap.expect(seen == wanted, "v = %u: 0x%x lies at 0x%x, must be at 0x%x", v, a, seen, wanted);
    });
  }
  tap.done("R-XB-6: every line of every part lies in the part's channels, by lines in turn");
}

// Each place has one address, and who has no part of a memory does not see that it is divided.
void test_one_to_one(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench bench;
  for (unsigned v = 0; kMemBits && kMemBits <= 16 && v <= kMaxSplit; v++) {
    std::vector<bool> taken(kBytes);
    for_addresses(random, [&](uint32_t a) {
      const uint32_t at = bench.placed(v, kBase + a) - kBase;
      tap.expect(at < kBytes && !taken[at], "v = %u: 0x%x lies at 0x%x too", v, a, at);
      if (at < kBytes) taken[at] = true;
      if (v == 0) tap.expect(at == a, "undivided: 0x%x lies at 0x%x", a, at);
    });
  }
  tap.done("R-XB-6: one address per place for each v, and v = 0 changes nothing");
}

// A part is all of its channels, so parts of any two v with channels of their own share nothing.
void test_parts_are_channels(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench bench;
  for (unsigned v = 0; v <= kMaxSplit; v++) {
    for_addresses(random, [&](uint32_t a) {
      const uint64_t part = kMemBits ? uint64_t{a} << v >> kMemBits : 0;
      const uint32_t channel = channel_of(bench.placed(v, kBase + a));
      if (v)
        tap.expect(channel >> (kChanBits - v) == part, "v = %u: 0x%x of part %llu in channel %u", v,
                   a, static_cast<unsigned long long>(part), channel);
    });
  }
  tap.done("R-XB-6: part p of 2^v has the channels p of 2^v");
}

// What is no address of the memory stays outside of it.
void test_outside(qsm_unit::Tap &tap, qsm_unit::Random &random) {
  Bench bench;
  for (unsigned n = 0; n < 100000; n++) {
    const uint32_t a = random.bits32(), v = random.below(kMaxSplit + 1);
    const uint32_t seen = bench.placed(v, a);
    tap.expect(seen >> kMemBits == a >> kMemBits, "v = %u: 0x%x lies at 0x%x", v, a, seen);
    if (!kMemBits) tap.expect(seen == a, "a memory that is not divided: 0x%x at 0x%x", a, seen);
  }
  tap.done("R-XB-6: the bits above those of the memory stay");
}

}  // namespace

int main(int argc, char **argv) {
  qsm_unit::Random random(argc, argv, "test_mem_split");
  qsm_unit::Tap tap(4);
  test_places(tap, random);
  test_one_to_one(tap, random);
  test_parts_are_channels(tap, random);
  test_outside(tap, random);
  return tap.exit_code();
}

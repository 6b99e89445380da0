// SPDX-License-Identifier: Apache-2.0
// Frames of the host link, written from its page (R-HL-3, R-HL-4): the host's side.
#ifndef LINK_FRAMES_H
#define LINK_FRAMES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

using Bytes = std::vector<uint8_t>;

// Bit by bit, with the polynomial as the standard writes it: the bits come in reflected.
inline uint32_t crc32(const Bytes &bytes) {
  uint32_t remainder = 0xFFFFFFFF, reflected = 0;
  for (uint8_t byte : bytes)
    for (int bit = 0; bit < 8; bit++) {
      const bool out = (remainder >> 31) != ((byte >> bit & 1u) != 0);
      remainder = remainder << 1 ^ (out ? 0x04C11DB7u : 0);
    }
  for (int bit = 0; bit < 32; bit++) reflected |= (remainder >> bit & 1u) << (31 - bit);
  return ~reflected;
}

inline void append(Bytes &bytes, uint64_t value, unsigned n) {
  for (unsigned i = 0; i < n; i++) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

// What goes over the line for a frame.
inline Bytes encode(const Bytes &frame) {
  Bytes whole = frame, line = {0xC0};
  append(whole, crc32(frame), 4);
  for (uint8_t byte : whole) {
    if (byte == 0xC0 || byte == 0xDB) {
      line.push_back(0xDB);
      line.push_back(byte == 0xC0 ? 0xDC : 0xDD);
    } else {
      line.push_back(byte);
    }
  }
  line.push_back(0xC0);
  return line;
}

// Collects what comes; a frame without its CRC, once it is whole and good.
class Decoder {
 public:
  std::optional<Bytes> take(uint8_t byte) {
    if (byte == 0xC0) {
      Bytes frame;
      frame.swap(bytes_);
      const bool good = !broken_ && !escaped_ && frame.size() >= 6;
      n_broken += !good && !frame.empty();
      broken_ = escaped_ = false;
      if (!good) return std::nullopt;
      uint32_t sum = 0;
      for (unsigned i = 0; i < 4; i++)
        sum |= static_cast<uint32_t>(frame[frame.size() - 4 + i]) << (8 * i);
      frame.resize(frame.size() - 4);
      if (sum == crc32(frame)) return frame;
      n_broken++;
      return std::nullopt;
    }
    if (escaped_) {
      escaped_ = false;
      broken_ = broken_ || (byte != 0xDC && byte != 0xDD);
      bytes_.push_back(byte == 0xDC ? 0xC0 : 0xDB);
    } else if (byte == 0xDB) {
      escaped_ = true;
    } else {
      bytes_.push_back(byte);
    }
    return std::nullopt;
  }
  unsigned n_broken = 0;

 private:
  Bytes bytes_;
  bool escaped_ = false, broken_ = false;
};

#endif

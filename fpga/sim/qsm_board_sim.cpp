// SPDX-License-Identifier: Apache-2.0
// A simulated board: its serial line is a pseudo terminal, which a host opens as it would the real
// one. Only pins are used. Time passes while the line or the board is busy, else the program
// sleeps.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "board_top.h"
#include "verilated.h"

namespace {

constexpr unsigned kClkPerBit = QSM_CLK_PER_BIT;
constexpr uint64_t kIdleCycles = 24 * kClkPerBit + 2000;  // of nothing, before the program sleeps

volatile sig_atomic_t stopped;
void stop(int) { stopped = 1; }

[[noreturn]] void fail(const char *what) {
  std::fprintf(stderr, "board: %s: %s\n", what, std::strerror(errno));
  std::exit(2);
}

#ifndef QSM_START_CYCLES
#define QSM_START_CYCLES 50000
#endif
constexpr uint64_t kStartCycles = QSM_START_CYCLES;  // reset and start of the memory

// What the line does to bytes, for tests: of so many bytes one, at random; 0: none.
struct Faults {
  unsigned drop = 0, change = 0, twice = 0, invent = 0;
  uint64_t mute_after = UINT64_MAX;  // bytes to the host
  uint64_t state = 88172645463325252u;
  uint32_t random() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<uint32_t>(state >> 32);
  }
  bool one_in(unsigned n) { return n != 0 && random() % n == 0; }
  // The byte as it arrives, n times.
  unsigned pass(uint8_t &byte) {
    if (one_in(change)) byte = static_cast<uint8_t>(byte ^ (1u + random() % 255));
    if (one_in(drop)) return 0;
    return one_in(twice) ? 2 : 1;
  }
};

class Terminal {
 public:
  Terminal() {
    master_ = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (master_ < 0 || grantpt(master_) || unlockpt(master_)) fail("no pseudo terminal");
    name = ptsname(master_);
    // Kept open, so that a host may come and go.
    slave_ = open(name.c_str(), O_RDWR | O_NOCTTY);
    if (slave_ < 0) fail(name.c_str());
    termios raw;
    tcgetattr(slave_, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave_, TCSANOW, &raw);
  }
  // A byte from the host, if there is one.
  bool get(uint8_t &byte) {
    if (at_ == n_) {
      const ssize_t n = read(master_, buffer_, sizeof buffer_);
      at_ = 0;
      n_ = n > 0 ? static_cast<size_t>(n) : 0;
      if (n_ == 0) return false;
    }
    byte = buffer_[at_++];
    return true;
  }
  void put(uint8_t byte) {
    out_ += static_cast<char>(byte);
    if (byte == 0xC0 || out_.size() > 500) flush();
  }
  void flush() {
    while (!out_.empty() && !stopped) {
      const ssize_t n = write(master_, out_.data(), out_.size());
      if (n > 0) out_.erase(0, static_cast<size_t>(n));
      if (n < 0 && errno == EAGAIN) {
        pollfd wait = {master_, POLLOUT, 0};
        if (poll(&wait, 1, 1000) == 0) out_.clear();  // nobody reads
      } else if (n < 0 && errno != EINTR) {
        out_.clear();
      }
    }
  }
  void sleep() {
    flush();
    pollfd wait = {master_, POLLIN, 0};
    poll(&wait, 1, 1000);
  }
  std::string name;

 private:
  int master_, slave_;
  uint8_t buffer_[512];
  size_t at_ = 0, n_ = 0;
  std::string out_;
};

class Board {
 public:
  Board(Terminal &terminal, Faults &faults) : terminal_(terminal), faults_(faults) {}

  void run() {
    uint64_t idle = 0;
    top_.set_rx(true);
    while (!stopped) {
      to_board();
      top_.cycle();
      from_board();
      n_cycles++;
      const bool active = in_bit_ != 0 || out_bit_ != 0 || top_.busy() || n_cycles < kStartCycles;
      idle = active ? 0 : idle + 1;
      if (idle > kIdleCycles) {
        terminal_.sleep();
        idle = 0;
      }
    }
    terminal_.flush();
  }
  uint64_t n_cycles = 0, n_in = 0, n_out = 0;

 private:
  void to_board() {
    if (in_count_ > 0) {
      in_count_--;
      return;
    }
    if (in_bit_ == 0) {
      // A look at the terminal costs far more than a cycle.
      if (pending_ == 0 && (n_cycles & 255) != 0 && !more_) return;
      if (pending_ == 0) {
        more_ = terminal_.get(byte_);
        if (!more_) return;
        n_in++;
        pending_ = faults_.pass(byte_);
        if (pending_ == 0) return;
      }
    }
    in_count_ = kClkPerBit - 1;
    top_.set_rx(in_bit_ == 0 ? false : in_bit_ <= 8 ? byte_ >> (in_bit_ - 1) & 1 : true);
    if (++in_bit_ == 11) {  // a stop bit, and the start of the next byte
      in_bit_ = 0;
      in_count_ = 0;
      pending_--;
    }
  }
  void from_board() {
    if (out_bit_ == 0) {
      if (top_.tx()) return;
      out_bit_ = 1;
      out_count_ = kClkPerBit + kClkPerBit / 2;
      return;
    }
    if (--out_count_ > 0) return;
    if (out_bit_ < 9) {
      out_byte_ = static_cast<uint8_t>(out_byte_ >> 1 | top_.tx() << 7);
      out_bit_++;
      out_count_ = kClkPerBit;
      return;
    }
    out_bit_ = 0;
    if (!top_.tx()) std::fprintf(stderr, "board: a byte without its stop bit\n");
    if (n_out++ >= faults_.mute_after) return;
    if (faults_.one_in(faults_.invent)) terminal_.put(static_cast<uint8_t>(faults_.random()));
    for (unsigned n = faults_.pass(out_byte_); n > 0; n--) terminal_.put(out_byte_);
  }

  Terminal &terminal_;
  Faults &faults_;
  BoardTop top_;
  uint8_t byte_ = 0, out_byte_ = 0;
  bool more_ = false;
  unsigned pending_ = 0, in_bit_ = 0, in_count_ = 0, out_bit_ = 0, out_count_ = 0;
};

const char kUsage[] =
    "usage: sim [--link PATH] [--drop N] [--change N] [--twice N] [--invent N] [--mute-after BYTES] [--seed N]\n"
    "Simulates the board until it is ended by a signal. Its serial line is a pseudo terminal, whose name is printed; --link PATH makes a link to it.\n"
    "For tests: the line loses (changes, doubles, invents) one of N bytes; it carries BYTES to the host, then no more.\n";

}  // namespace

int main(int argc, char **argv) {
  Faults faults;
  const char *link_path = nullptr;
  for (int i = 1; i < argc; i++) {
    const std::string option = argv[i];
    char *end = nullptr;
    const unsigned long long value = i + 1 < argc ? std::strtoull(argv[i + 1], &end, 10) : 0;
    const bool is_number = i + 1 < argc && *argv[i + 1] && !*end;
    if (option == "--link" && i + 1 < argc)
      link_path = argv[i + 1];
    else if (option == "--drop" && is_number)
      faults.drop = static_cast<unsigned>(value);
    else if (option == "--change" && is_number)
      faults.change = static_cast<unsigned>(value);
    else if (option == "--twice" && is_number)
      faults.twice = static_cast<unsigned>(value);
    else if (option == "--invent" && is_number)
      faults.invent = static_cast<unsigned>(value);
    else if (option == "--mute-after" && is_number)
      faults.mute_after = value;
    else if (option == "--seed" && is_number)
      faults.state = faults.state * 2862933555777941757u + value;
    else {
      std::fputs(kUsage, stderr);
      return 64;
    }
    i++;
  }
  struct sigaction action = {};
  action.sa_handler = stop;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);

  Terminal terminal;
  if (link_path) {
    unlink(link_path);
    if (symlink(terminal.name.c_str(), link_path)) fail(link_path);
  }
  std::printf("ready %s\n", terminal.name.c_str());
  std::fflush(stdout);
  Board board(terminal, faults);
  board.run();
  if (link_path) unlink(link_path);
  std::printf("%llu cycles, %llu bytes from the host, %llu to it\n",
              static_cast<unsigned long long>(board.n_cycles),
              static_cast<unsigned long long>(board.n_in),
              static_cast<unsigned long long>(board.n_out));
  return 0;
}

// Verilator calls these for $stop, $fatal and failed assertions.
void vl_stop(const char *file, int line, const char *) VL_MT_UNSAFE {
  std::fprintf(stderr, "board: %s:%d: an assertion failed\n", file, line);
  std::exit(3);
}
void vl_fatal(const char *file, int line, const char *, const char *msg) VL_MT_UNSAFE {
  std::fprintf(stderr, "board: %s:%d: %s\n", file, line, msg);
  std::exit(3);
}

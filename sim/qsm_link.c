// SPDX-License-Identifier: Apache-2.0
#include "qsm_link.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum {
  END = 0xC0,
  ESC = 0xDB,
  ESC_END = 0xDC,
  ESC_ESC = 0xDD,
  REPLY_HEAD = 12,
  CRC_BYTES = 4,
  MOST_FRAME = REPLY_HEAD + QSM_LINK_DATA_BYTES + CRC_BYTES,
  BITS_PER_BYTE = 10  // on the line
};

static const double slowest_byte = 1e-3;  // seconds, of a simulated line

struct qsm_link {
  int fd;
  uint32_t baud;
  uint8_t seq;
  double
      byte_seconds;  // what a byte of the last request and its reply took; a simulated line is slow
  uint64_t n_repeats;
  uint32_t crc_table[256];
  // The frame that comes.
  uint8_t frame[MOST_FRAME];
  size_t n_frame;
  bool escaped, broken;
  // Bytes read and not looked at.
  uint8_t in[512];
  size_t n_in, at_in;
  char error[512];
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int fail(struct qsm_link *link, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(link->error, sizeof link->error, format, args);
  va_end(args);
  return -1;
}

// ---- Line ----

static const struct {
  uint32_t baud;
  speed_t code;
} speeds[] = {{115200, B115200},   {1000000, B1000000}, {1500000, B1500000},
              {2000000, B2000000}, {2500000, B2500000}, {3000000, B3000000}};

static int set_line(struct qsm_link *link) {
  struct termios line;
  for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
    if (speeds[i].baud != link->baud) continue;
    if (tcgetattr(link->fd, &line)) return -1;
    cfmakeraw(&line);
    line.c_cflag |= CLOCAL | CREAD;
    line.c_cflag &= (tcflag_t) ~(CSTOPB | CRTSCTS);
    line.c_cc[VMIN] = 0;
    line.c_cc[VTIME] = 0;
    if (cfsetspeed(&line, speeds[i].code) || tcsetattr(link->fd, TCSANOW, &line)) return -1;
    return tcflush(link->fd, TCIOFLUSH);
  }
  errno = EINVAL;
  return -1;
}

// A USB adapter keeps short replies back for 16 ms, unless it is asked not to.
static void ask_for_low_latency(int fd) {
  struct serial_struct serial;
  if (ioctl(fd, TIOCGSERIAL, &serial)) return;
  serial.flags = (int)((unsigned)serial.flags | ASYNC_LOW_LATENCY);
  (void)ioctl(fd, TIOCSSERIAL, &serial);
}

static int open_line(const char *path, char *msg, size_t msg_len) {
  int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    snprintf(msg, msg_len, "no board at %s: %s%s", path, strerror(errno),
             errno == EACCES ? " (is the user in the group of the device, dialout?)" : "");
    return -1;
  }
  if (!isatty(fd)) {
    snprintf(msg, msg_len, "no board at %s: it is no serial line", path);
  } else if (flock(fd, LOCK_EX | LOCK_NB)) {
    snprintf(msg, msg_len, "the board at %s is in use by another program", path);
  } else {
    return fd;
  }
  close(fd);
  return -1;
}

int qsm_link_open(const char *path, uint32_t baud, struct qsm_link **out, char *msg,
                  size_t msg_len) {
  int fd = open_line(path, msg, msg_len);
  if (fd < 0) return -1;
  struct qsm_link *link = calloc(1, sizeof *link);
  if (!link) {
    snprintf(msg, msg_len, "out of memory");
    close(fd);
    return -1;
  }
  link->fd = fd;
  link->baud = baud;
  link->byte_seconds = (double)BITS_PER_BYTE / baud;
  // Another program's last request may be the last one that the board has done.
  link->seq = (uint8_t)(time(NULL) ^ getpid());
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    link->crc_table[i] = crc;
  }
  if (set_line(link)) {
    snprintf(msg, msg_len, "%s does not take %u baud: %s", path, baud, strerror(errno));
    qsm_link_close(link);
    return -1;
  }
  ask_for_low_latency(fd);
  *out = link;
  return 0;
}

void qsm_link_close(struct qsm_link *link) {
  if (!link) return;
  close(link->fd);
  free(link);
}

const char *qsm_link_error(const struct qsm_link *link) { return link->error; }
uint64_t qsm_link_repeats(const struct qsm_link *link) { return link->n_repeats; }

static int gone(struct qsm_link *link, const char *why) {
  return fail(link, "the board has gone: %s (unplugged, switched off, or its simulation ended)",
              why);
}

// Waits for the line until `until`: 1 ready, 0 too late, -1 gone.
static int wait_line(struct qsm_link *link, short events, double until) {
  for (;;) {
    double left = until - now();
    if (left <= 0) return 0;
    struct pollfd line = {.fd = link->fd, .events = events};
    int n = poll(&line, 1, (int)(left * 1e3) + 1);
    if (n < 0 && errno != EINTR) return gone(link, strerror(errno));
    if (n <= 0) continue;
    if (line.revents & events) return 1;
    return gone(link, "hang-up");
  }
}

static int send_bytes(struct qsm_link *link, const uint8_t *bytes, size_t n, double until) {
  while (n > 0) {
    ssize_t sent = write(link->fd, bytes, n);
    if (sent > 0) {
      bytes += sent;
      n -= (size_t)sent;
      continue;
    }
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return gone(link, strerror(errno));
    int ready = wait_line(link, POLLOUT, until);
    if (ready < 0) return -1;
    if (ready == 0) return 0;  // the rest is lost, as on the line
  }
  return 0;
}

// 1: a byte, 0: none until `until`, -1: gone.
static int get_byte(struct qsm_link *link, uint8_t *byte, double until) {
  while (link->at_in == link->n_in) {
    ssize_t n = read(link->fd, link->in, sizeof link->in);
    link->at_in = 0;
    link->n_in = n > 0 ? (size_t)n : 0;
    if (n > 0) break;
    if (n < 0 && errno != EAGAIN && errno != EINTR) return gone(link, strerror(errno));
    int ready = wait_line(link, POLLIN, until);
    if (ready <= 0) return ready;
    // Readable and nothing there: what a line without its other end looks like.
    if (n == 0) {
      struct pollfd line = {.fd = link->fd, .events = POLLIN};
      int waiting = 0;
      if (poll(&line, 1, 0) > 0 && line.revents & POLLIN &&
          (ioctl(link->fd, FIONREAD, &waiting) || waiting == 0))
        return gone(link, "end of file");
    }
  }
  *byte = link->in[link->at_in++];
  return 1;
}

// ---- Frames ----

static uint32_t crc32(const struct qsm_link *link, const uint8_t *bytes, size_t n) {
  uint32_t crc = UINT32_MAX;
  for (size_t i = 0; i < n; i++) crc = crc >> 8 ^ link->crc_table[(crc ^ bytes[i]) & 0xFF];
  return ~crc;
}

// Returns the number of bytes on the line.
static size_t encode(const struct qsm_link *link, uint8_t *frame, size_t n, uint8_t *line) {
  size_t used = 0;
  qsm_link_put32(frame + n, crc32(link, frame, n));
  line[used++] = END;
  for (size_t i = 0; i < n + CRC_BYTES; i++) {
    if (frame[i] == END || frame[i] == ESC) {
      line[used++] = ESC;
      line[used++] = frame[i] == END ? ESC_END : ESC_ESC;
    } else {
      line[used++] = frame[i];
    }
  }
  line[used++] = END;
  return used;
}

// Whether a good frame is whole with this byte; *n gets its length without CRC.
static bool take_byte(struct qsm_link *link, uint8_t byte, size_t *n) {
  if (byte == END) {
    size_t len = link->n_frame;
    bool good =
        !link->broken && !link->escaped && len >= REPLY_HEAD + CRC_BYTES &&
        crc32(link, link->frame, len - CRC_BYTES) == qsm_link_get32(link->frame + len - CRC_BYTES);
    link->n_frame = 0;
    link->broken = link->escaped = false;
    *n = good ? len - CRC_BYTES : 0;
    return good;
  }
  if (!link->escaped && byte == ESC) {
    link->escaped = true;
    return false;
  }
  if (link->escaped) {
    if (byte != ESC_END && byte != ESC_ESC) link->broken = true;
    byte = byte == ESC_END ? END : ESC;
    link->escaped = false;
  }
  if (link->n_frame == sizeof link->frame) link->broken = true;
  if (!link->broken) link->frame[link->n_frame++] = byte;
  return false;
}

// The reply to this request: 1, 0 if it has not come, -1.
static int get_reply(struct qsm_link *link, const uint8_t *request, double until,
                     struct qsm_link_reply *reply) {
  for (;;) {
    uint8_t byte = 0;
    size_t n;
    int got = get_byte(link, &byte, until);
    if (got <= 0) return got;
    if (!take_byte(link, byte, &n)) continue;
    // One that comes twice, or that was given up.
    if (link->frame[0] != request[0] || link->frame[1] != (request[1] | 0x80)) continue;
    *reply = (struct qsm_link_reply){
        .status = link->frame[2],
        .flags = link->frame[3],
        .cycle = qsm_link_get32(link->frame + 4) | (uint64_t)qsm_link_get32(link->frame + 8) << 32,
        .data = link->frame + REPLY_HEAD,
        .n_data = n - REPLY_HEAD,
    };
    return 1;
  }
}

int qsm_link_ask(struct qsm_link *link, enum qsm_link_operation operation, const uint8_t *fields,
                 size_t n_fields, double seconds, unsigned attempts, struct qsm_link_reply *reply) {
  uint8_t frame[MOST_FRAME], line[2 * MOST_FRAME + 2];
  if (link->error[0]) return -1;
  frame[0] = ++link->seq;
  frame[1] = (uint8_t)operation;
  memcpy(frame + 2, fields, n_fields);
  size_t n_line = encode(link, frame, n_fields + 2, line);
  double start = now(), patience = 1 + 10 * (double)(n_line + REPLY_HEAD) * link->byte_seconds;
  for (unsigned attempt = 0; attempt < attempts; attempt++, patience *= 2) {
    if (attempt > 0) link->n_repeats++;
    double until = now() + patience + seconds;
    if (send_bytes(link, line, n_line, until)) return -1;
    int got = get_reply(link, frame, until, reply);
    if (got < 0) return -1;
    if (got == 0) continue;
    // What was asked twice may have been slow, or lost.
    double seen = (now() - start) / (double)(n_line + REPLY_HEAD + reply->n_data);
    if (attempt > 0) seen = 2 * link->byte_seconds;
    if (seconds <= 0) link->byte_seconds = seen < slowest_byte ? seen : slowest_byte;
    return 0;
  }
  return fail(link, "no answer from the board, asked %u times", attempts);
}

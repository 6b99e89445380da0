// SPDX-License-Identifier: Apache-2.0
// Backend: a GPU on a board, at the other end of a serial line (docs/link.md).
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "qsm_backend_impl.h"
#include "qsm_link.h"

enum {
  ATTEMPTS = 5,       // R-HL-17
  OPEN_ATTEMPTS = 3,  // nothing may be there
  STARTS = 40,
  FIRST_RUN = 4096,  // cycles, before it is known what one takes
  FILL_CHUNK = 1 << 16
};
static const double run_seconds = 0.1;  // of one RUN, about (R-HL-16)
static const double slowest = 1e-3;     // seconds of a cycle, before it is known
static const double fill_seconds = 30;  // a simulated memory may be slow

struct serial_backend {
  struct qsm_backend base;
  struct qsm_link *link;
  uint64_t cycle;
  double cycle_seconds;  // what one took in the last RUN
  uint32_t mem_bytes;
  char path[256];
  char error[768];
};

struct target {  // what stands behind "serial:"
  char path[256];
  uint32_t baud;
  bool has_build;
  uint32_t build;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Keeps the first failure.
static enum qsm_backend_status failed(struct serial_backend *backend, const char *format, ...) {
  va_list args;
  if (backend->error[0]) return QSM_BACKEND_FAILED;
  int used = snprintf(backend->error, sizeof backend->error, "%s: ", backend->path);
  va_start(args, format);
  vsnprintf(backend->error + used, sizeof backend->error - (size_t)used, format, args);
  va_end(args);
  return QSM_BACKEND_FAILED;
}

static const char *status_text(uint8_t status) {
  static const char *const texts[] = {
      "fine",
      "refused",
      "bad request",
      "the GPU's control port does not answer",
      "an address outside of the board's memory",
      "the board's memory answered with an error",
      "the board's memory does not answer",
      "the GPU's accesses of memory do not end",
  };
  return status < sizeof texts / sizeof texts[0] ? texts[status] : "a status that nobody knows";
}

// One request. OK or REFUSED with a reply of n_data bytes, or FAILED.
static enum qsm_backend_status ask(struct serial_backend *backend,
                                   enum qsm_link_operation operation, const uint8_t *fields,
                                   size_t n_fields, double seconds, size_t n_data,
                                   struct qsm_link_reply *reply) {
  if (backend->error[0]) return QSM_BACKEND_FAILED;
  if (qsm_link_ask(backend->link, operation, fields, n_fields, seconds, ATTEMPTS, reply))
    return failed(backend, "%s", qsm_link_error(backend->link));
  if (reply->status > QSM_LINK_REFUSED)
    return failed(backend, "%s (operation %d, status %u)", status_text(reply->status),
                  (int)operation, reply->status);
  if (reply->n_data != n_data)
    return failed(backend, "%zu bytes in the reply to operation %d, not %zu", reply->n_data,
                  (int)operation, n_data);
  if (reply->flags & QSM_LINK_FLAG_MEMORY_ERROR)
    return failed(backend, "an access of the GPU was answered with an error by the memory");
  backend->cycle = reply->cycle;
  return reply->status == QSM_LINK_REFUSED ? QSM_BACKEND_REFUSED : QSM_BACKEND_OK;
}

// ---- The backend's functions ----

static struct serial_backend *of(struct qsm_backend *base) { return (struct serial_backend *)base; }

static void serial_close(struct qsm_backend *base) {
  qsm_link_close(of(base)->link);
  free(base);
}

static uint64_t serial_cycle(struct qsm_backend *base) { return of(base)->cycle; }
static const char *serial_error(struct qsm_backend *base) { return of(base)->error; }

static enum qsm_backend_status serial_write(struct qsm_backend *base, uint32_t addr,
                                            uint32_t value) {
  struct qsm_link_reply reply;
  uint8_t fields[8];
  qsm_link_put32(fields, addr);
  qsm_link_put32(fields + 4, value);
  return ask(of(base), QSM_LINK_WRITE, fields, sizeof fields, 0, 0, &reply);
}

static enum qsm_backend_status serial_read(struct qsm_backend *base, uint32_t addr,
                                           uint32_t *value) {
  struct qsm_link_reply reply;
  uint8_t fields[4];
  qsm_link_put32(fields, addr);
  enum qsm_backend_status status =
      ask(of(base), QSM_LINK_READ, fields, sizeof fields, 0, 4, &reply);
  if (status != QSM_BACKEND_FAILED) *value = qsm_link_get32(reply.data);
  return status;
}

static uint32_t next_run(const struct serial_backend *backend, uint64_t left) {
  double part =
      backend->cycle_seconds > 0 ? run_seconds / backend->cycle_seconds : (double)FIRST_RUN;
  uint64_t most = part < 1                         ? 1
                  : part < QSM_LINK_RUN_CYCLES - 1 ? (uint64_t)part
                                                   : QSM_LINK_RUN_CYCLES - 1;
  return (uint32_t)(left < most ? left : most);
}

static enum qsm_backend_status serial_run(struct qsm_backend *base, uint64_t n, bool stop_on_irq,
                                          uint64_t *ran) {
  struct serial_backend *backend = of(base);
  *ran = 0;
  while (*ran < n) {
    struct qsm_link_reply reply;
    uint8_t fields[5];
    uint32_t part = next_run(backend, n - *ran);
    double cycle_seconds = backend->cycle_seconds > 0 ? 10 * backend->cycle_seconds : slowest;
    qsm_link_put32(fields, part);
    fields[4] = stop_on_irq;
    double start = now();
    enum qsm_backend_status status =
        ask(backend, QSM_LINK_RUN, fields, sizeof fields, part * cycle_seconds, 4, &reply);
    if (status != QSM_BACKEND_OK) return QSM_BACKEND_FAILED;
    uint32_t done = qsm_link_get32(reply.data);
    if (done > part) return failed(backend, "%u cycles of %u were run", done, part);
    *ran += done;
    // Short ones say more about the line than about the GPU.
    if (done >= FIRST_RUN / 4) backend->cycle_seconds = (now() - start) / done;
    if (done < part) break;
  }
  return QSM_BACKEND_OK;
}

static void serial_mem_write(struct qsm_backend *base, uint32_t addr, const void *src,
                             size_t bytes) {
  const uint8_t *from = src;
  while (bytes > 0) {
    struct qsm_link_reply reply;
    uint8_t fields[4 + QSM_LINK_DATA_BYTES];
    size_t n = bytes < QSM_LINK_DATA_BYTES ? bytes : QSM_LINK_DATA_BYTES;
    qsm_link_put32(fields, addr);
    memcpy(fields + 4, from, n);
    if (ask(of(base), QSM_LINK_MEM_WRITE, fields, 4 + n, 0, 0, &reply)) return;
    addr += (uint32_t)n;
    from += n;
    bytes -= n;
  }
}

static void serial_mem_read(struct qsm_backend *base, uint32_t addr, void *dst, size_t bytes) {
  uint8_t *to = dst;
  while (bytes > 0) {
    struct qsm_link_reply reply;
    uint8_t fields[6];
    size_t n = bytes < QSM_LINK_DATA_BYTES ? bytes : QSM_LINK_DATA_BYTES;
    qsm_link_put32(fields, addr);
    fields[4] = (uint8_t)n;
    fields[5] = (uint8_t)(n >> 8);
    if (ask(of(base), QSM_LINK_MEM_READ, fields, sizeof fields, 0, n, &reply)) {
      memset(to, 0, bytes);
      return;
    }
    memcpy(to, reply.data, n);
    addr += (uint32_t)n;
    to += n;
    bytes -= n;
  }
}

static void serial_mem_clear(struct qsm_backend *base, uint32_t addr, size_t bytes) {
  static const uint8_t zeros[QSM_LINK_FILL_BYTES];
  size_t before = (size_t)(-addr % QSM_LINK_FILL_BYTES);
  if (before > bytes) before = bytes;
  serial_mem_write(base, addr, zeros, before);
  addr += (uint32_t)before;
  bytes -= before;
  while (bytes >= QSM_LINK_FILL_BYTES) {
    struct qsm_link_reply reply;
    uint8_t fields[8];
    size_t n = bytes < FILL_CHUNK ? bytes / QSM_LINK_FILL_BYTES * QSM_LINK_FILL_BYTES : FILL_CHUNK;
    qsm_link_put32(fields, addr);
    qsm_link_put32(fields + 4, (uint32_t)n);
    if (ask(of(base), QSM_LINK_MEM_FILL, fields, sizeof fields, fill_seconds, 0, &reply)) return;
    addr += (uint32_t)n;
    bytes -= n;
  }
  serial_mem_write(base, addr, zeros, bytes);
}

// ---- Opening ----

static int parse_number(const char *text, int base, uint32_t *value) {
  char *end = NULL;
  unsigned long number = strtoul(text, &end, base);
  if (!*text || *end || number > UINT32_MAX) return -1;
  *value = (uint32_t)number;
  return 0;
}

static int parse_target(const char *text, struct target *target, char *msg, size_t msg_len) {
  char copy[sizeof target->path], *next = copy;
  *target = (struct target){.baud = 2000000};
  if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy) {
    snprintf(msg, msg_len, "serial: the name of the device is too long");
    return -1;
  }
  snprintf(target->path, sizeof target->path, "%s", strsep(&next, ","));
  if (!target->path[0]) {
    snprintf(msg, msg_len, "serial: no device is named; for example serial:/dev/ttyUSB0");
    return -1;
  }
  for (const char *word = strsep(&next, ","); word; word = strsep(&next, ",")) {
    if (strncmp(word, "baud=", 5) == 0 && !parse_number(word + 5, 10, &target->baud)) continue;
    target->has_build = strncmp(word, "build=", 6) == 0;
    if (target->has_build && !parse_number(word + 6, 16, &target->build)) continue;
    snprintf(msg, msg_len, "serial: '%s' is neither baud=N nor build=HEX", word);
    return -1;
  }
  return 0;
}

// Why this board will not do; NULL if it will.
static const char *check_board(const struct qsm_config *config, const struct target *target,
                               const struct qsm_link_reply *reply, char *why, size_t why_len) {
  uint32_t word[QSM_LINK_INFO_WORDS];
  if (reply->status || reply->n_data != sizeof word) return "its answer makes no sense";
  for (int i = 0; i < QSM_LINK_INFO_WORDS; i++) word[i] = qsm_link_get32(reply->data + 4 * i);
  if (word[QSM_LINK_INFO_MAGIC] != QSM_LINK_MAGIC) return "it is no board of this project";
  uint64_t hash = word[QSM_LINK_INFO_HASH_LOW] | (uint64_t)word[QSM_LINK_INFO_HASH_HIGH] << 32;
  if (word[QSM_LINK_INFO_VERSION] != QSM_LINK_VERSION)
    snprintf(why, why_len, "it speaks version %u of the link, this program version %d",
             word[QSM_LINK_INFO_VERSION], QSM_LINK_VERSION);
  else if (hash != qsm_config_hash(config))
    snprintf(why, why_len,
             "its bitstream (build %08x) has a configuration with hash %016" PRIx64
             ", but %s has %016" PRIx64,
             word[QSM_LINK_INFO_BUILD], hash, config->name, qsm_config_hash(config));
  else if (target->has_build && word[QSM_LINK_INFO_BUILD] != target->build)
    snprintf(why, why_len, "its bitstream is build %08x, not %08x", word[QSM_LINK_INFO_BUILD],
             target->build);
  else if (word[QSM_LINK_INFO_MEM_BASE] != QSM_DEVICE_MEMORY_BASE ||
           word[QSM_LINK_INFO_MEM_BYTES] < config->mem_bytes)
    snprintf(why, why_len,
             "it has %u bytes of memory at 0x%08x, but %s has mem_bytes = %u at 0x%08x (add "
             "+mem_bytes-%u to its name)",
             word[QSM_LINK_INFO_MEM_BYTES], word[QSM_LINK_INFO_MEM_BASE], config->name,
             config->mem_bytes, QSM_DEVICE_MEMORY_BASE, word[QSM_LINK_INFO_MEM_BYTES]);
  else if (!(reply->flags & QSM_LINK_FLAG_MEMORY_READY))
    return "its memory has not started";
  else
    return NULL;
  return why;
}

// R-HL-15.
static int begin(struct serial_backend *backend, const struct qsm_config *config,
                 const struct target *target, char *msg, size_t msg_len) {
  struct qsm_link_reply reply = {0};
  char buffer[512];
  // A board that has just been switched on is still starting its memory.
  for (int asked = 0; asked < STARTS && !(reply.flags & QSM_LINK_FLAG_MEMORY_READY); asked++) {
    if (asked > 0) nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    if (qsm_link_ask(backend->link, QSM_LINK_INFO, NULL, 0, 0, OPEN_ATTEMPTS, &reply)) {
      snprintf(msg, msg_len, "%s: %s; is the bitstream loaded, and is its line at %u baud?",
               target->path, qsm_link_error(backend->link), target->baud);
      return -1;
    }
  }
  const char *why = check_board(config, target, &reply, buffer, sizeof buffer);
  if (why) {
    snprintf(msg, msg_len, "the board at %s will not do: %s", target->path, why);
    return -1;
  }
  enum qsm_backend_status status = ask(backend, QSM_LINK_RESET, NULL, 0, fill_seconds, 0, &reply);
  if (!status) serial_mem_clear(&backend->base, QSM_DEVICE_MEMORY_BASE, config->mem_bytes);
  if (!backend->error[0]) return 0;
  snprintf(msg, msg_len, "%s", backend->error);
  return -1;
}

int qsm_backend_serial_open(const char *name, const struct qsm_config *config,
                            const struct qsm_backend_options *options, struct qsm_backend **out,
                            char *msg, size_t msg_len) {
  struct target target;
  if (parse_target(name, &target, msg, msg_len)) return -1;
  if (options->wave_path || options->hash || options->inject_block) {
    snprintf(msg, msg_len, "serial: a board writes no waves, has no hash, and takes no faults");
    return -1;
  }
  struct serial_backend *backend = calloc(1, sizeof *backend);
  if (!backend) {
    snprintf(msg, msg_len, "out of memory");
    return -1;
  }
  memcpy(backend->path, target.path, sizeof backend->path);
  backend->mem_bytes = config->mem_bytes;
  backend->base = (struct qsm_backend){.name = "serial",
                                       .close = serial_close,
                                       .cycle = serial_cycle,
                                       .write = serial_write,
                                       .read = serial_read,
                                       .run = serial_run,
                                       .mem_write = serial_mem_write,
                                       .mem_read = serial_mem_read,
                                       .mem_clear = serial_mem_clear,
                                       .error = serial_error};
  if (qsm_link_open(target.path, target.baud, &backend->link, msg, msg_len)) {
    free(backend);
    return -1;
  }
  if (begin(backend, config, &target, msg, msg_len)) {
    serial_close(&backend->base);
    return -1;
  }
  *out = &backend->base;
  return 0;
}

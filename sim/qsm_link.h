// SPDX-License-Identifier: Apache-2.0
// Host's side of the host link (docs/link.md): a serial line, frames on it, requests and replies.
#ifndef QSM_LINK_H
#define QSM_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QSM_LINK_DATA_BYTES = 1024, QSM_LINK_FILL_BYTES = 64, QSM_LINK_VERSION = 1 };
#define QSM_LINK_MAGIC 0x4C4D5351u
#define QSM_LINK_RUN_CYCLES (1u << 26)  // a RUN takes fewer

enum qsm_link_operation {
  QSM_LINK_INFO = 1,
  QSM_LINK_READ,
  QSM_LINK_WRITE,
  QSM_LINK_RUN,
  QSM_LINK_MEM_READ,
  QSM_LINK_MEM_WRITE,
  QSM_LINK_MEM_FILL,
  QSM_LINK_RESET
};

enum qsm_link_status { QSM_LINK_OK, QSM_LINK_REFUSED, QSM_LINK_BAD_REQUEST };

enum { QSM_LINK_FLAG_IRQ = 1, QSM_LINK_FLAG_MEMORY_ERROR = 2, QSM_LINK_FLAG_MEMORY_READY = 4 };

enum qsm_link_word {  // of INFO's data
  QSM_LINK_INFO_MAGIC,
  QSM_LINK_INFO_VERSION,
  QSM_LINK_INFO_BUILD,
  QSM_LINK_INFO_CLOCK_HZ,
  QSM_LINK_INFO_HASH_LOW,
  QSM_LINK_INFO_HASH_HIGH,
  QSM_LINK_INFO_MEM_BASE,
  QSM_LINK_INFO_MEM_BYTES,
  QSM_LINK_INFO_DATA_BYTES,
  QSM_LINK_INFO_BROKEN,
  QSM_LINK_INFO_WORDS
};

struct qsm_link_reply {
  uint8_t status, flags;
  uint64_t cycle;
  const uint8_t *data;  // until the next request
  size_t n_data;
};

struct qsm_link;

// Opens the line; nothing is asked yet. 0, or -1 with a message.
int qsm_link_open(const char *path, uint32_t baud, struct qsm_link **out, char *msg,
                  size_t msg_len);
void qsm_link_close(struct qsm_link *link);

// Sends a request and waits for its reply, which may take so many seconds beside what the line
// needs; sends it again where there is none (R-HL-17), `attempts` times in all. 0, or -1: the link
// has failed for good, qsm_link_error() says why.
int qsm_link_ask(struct qsm_link *link, enum qsm_link_operation operation, const uint8_t *fields,
                 size_t n_fields, double seconds, unsigned attempts, struct qsm_link_reply *reply);
const char *qsm_link_error(const struct qsm_link *link);
uint64_t qsm_link_repeats(const struct qsm_link *link);  // requests that were sent again

// Numbers in frames have their least byte first.
static inline void qsm_link_put32(uint8_t *to, uint32_t value) {
  for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (8 * i));
}
static inline uint32_t qsm_link_get32(const uint8_t *from) {
  return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
         (uint32_t)from[3] << 24;
}

#endif

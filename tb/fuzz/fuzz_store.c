// SPDX-License-Identifier: Apache-2.0
// libFuzzer's target: result databases, as `qsm report` reads them and as a sweep goes on with
// them.
#include <stdlib.h>

#include "input_file.h"
#include "qsm_report.h"
#include "qsm_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

static void go_on(const char *path) {
  char msg[1024] = "";
  struct qsm_store *store = qsm_store_open(path, QSM_STORE_WRITE, msg, sizeof msg);
  if (!store && !msg[0]) abort();
  if (!store) return;
  const struct qsm_store_wish wish = {.scenario = "{}",
                                      .inputs = "0",
                                      .variant = "a",
                                      .label = "a",
                                      .programs = "vadd",
                                      .goal = ""};
  enum qsm_store_status status;
  int64_t id = 0;
  uint64_t instructions, n_cycles;
  if (qsm_store_begin(store) == 0 && qsm_store_want(store, &wish, &id, &status) == 0) {
    qsm_store_retry(store, id);
    qsm_store_alone(store, id, &instructions, &n_cycles);
  }
  qsm_store_commit(store);
  qsm_store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes) {
  const char *path = write_input_file(bytes, n_bytes);
  if (!path) return 0;
  qsm_report(&(struct qsm_report_options){.db = path});
  qsm_report(&(struct qsm_report_options){.db = path, .csv = true});
  go_on(path);
  remove_input_file();
  return 0;
}

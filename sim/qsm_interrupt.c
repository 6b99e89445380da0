// SPDX-License-Identifier: Apache-2.0
#include "qsm_interrupt.h"

#include <signal.h>
#include <stddef.h>

static void set(int number, void (*handler)(int)) {
  struct sigaction now, next = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(number, NULL, &now);
  if (now.sa_handler != SIG_IGN) sigaction(number, &next, NULL);
}

void qsm_interrupt_release(void) {
  set(SIGINT, SIG_DFL);
  set(SIGTERM, SIG_DFL);
}

// The kernel remembers that a signal came: the handlers are gone.
static void on_signal(int number) {
  (void)number;
  qsm_interrupt_release();
}

void qsm_interrupt_watch(void) {
  set(SIGINT, on_signal);
  set(SIGTERM, on_signal);
}

static bool is_default(int number) {
  struct sigaction now;
  sigaction(number, NULL, &now);
  return now.sa_handler == SIG_DFL;
}

bool qsm_interrupt_came(void) { return is_default(SIGINT) || is_default(SIGTERM); }

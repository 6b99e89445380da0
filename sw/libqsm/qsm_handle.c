// SPDX-License-Identifier: Apache-2.0
#include "qsm_handle.h"

#include <pthread.h>
#include <stdlib.h>

struct entry {
  uintptr_t handle;
  enum qsm_handle_kind kind;
  void *object;
};

enum {
  HANDLE_STEP = 16
};  // handles look like addresses of objects, to whoever looks at their low bits

// The one thing that devices share, so that different threads may use different ones.
static struct {
  pthread_mutex_t mutex;
  struct entry *entries;
  size_t n, room;
  uintptr_t last;
} live = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static bool make_room(void) {
  if (live.n < live.room) return true;
  size_t room = live.room ? 2 * live.room : 16;
  struct entry *grown = realloc(live.entries, room * sizeof *grown);
  if (!grown) return false;
  live.entries = grown;
  live.room = room;
  return true;
}

uintptr_t qsm_handle_create(enum qsm_handle_kind kind, void *object) {
  uintptr_t handle = 0;
  pthread_mutex_lock(&live.mutex);
  if (make_room()) {
    handle = live.last += HANDLE_STEP;
    live.entries[live.n++] = (struct entry){handle, kind, object};
  }
  pthread_mutex_unlock(&live.mutex);
  return handle;
}

void *qsm_handle_find(enum qsm_handle_kind kind, uintptr_t handle) {
  void *object = NULL;
  pthread_mutex_lock(&live.mutex);
  for (size_t i = 0; i < live.n; i++)
    if (live.entries[i].handle == handle && live.entries[i].kind == kind)
      object = live.entries[i].object;
  pthread_mutex_unlock(&live.mutex);
  return object;
}

void qsm_handle_destroy(uintptr_t handle) {
  pthread_mutex_lock(&live.mutex);
  for (size_t i = 0; i < live.n; i++)
    if (live.entries[i].handle == handle) {
      live.entries[i] = live.entries[--live.n];
      break;
    }
  if (live.n == 0) {
    free(live.entries);
    live.entries = NULL;
    live.room = 0;
  }
  pthread_mutex_unlock(&live.mutex);
}

// SPDX-License-Identifier: Apache-2.0
#include "qsm_pool.h"

#include <sched.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct worker {
  pid_t pid;  // 0: free
  size_t tag;
  int result_fd, stderr_fd;  // files in memory
};

struct qsm_pool {
  uint32_t n_workers, n_busy;
  sigset_t signals, old_signals;
  struct worker workers[];
};

struct qsm_pool *qsm_pool_create(uint32_t n_workers) {
  struct qsm_pool *pool = calloc(1, sizeof *pool + n_workers * sizeof pool->workers[0]);
  if (!pool) return NULL;
  pool->n_workers = n_workers;
  sigemptyset(&pool->signals);
  sigaddset(&pool->signals, SIGINT);
  sigaddset(&pool->signals, SIGTERM);
  sigaddset(&pool->signals, SIGUSR1);
  sigaddset(&pool->signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &pool->signals, &pool->old_signals);
  return pool;
}

uint32_t qsm_pool_n_free(const struct qsm_pool *pool) { return pool->n_workers - pool->n_busy; }
uint32_t qsm_pool_n_busy(const struct qsm_pool *pool) { return pool->n_busy; }

// ---- Start ----

// A terminal sends Ctrl-C to all processes, a scheduler its warning: only the parent acts on them.
// The worker must not outlive the parent.
__attribute__((noreturn)) static void be_worker(const struct qsm_pool *pool,
                                                const struct worker *worker, pid_t parent,
                                                qsm_pool_work work, const void *ctx) {
  signal(SIGINT, SIG_IGN);
  signal(SIGUSR1, SIG_IGN);
  sigprocmask(SIG_SETMASK, &pool->old_signals, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  FILE *result = fdopen(worker->result_fd, "w");
  if (getppid() != parent || !result || dup2(worker->stderr_fd, STDERR_FILENO) < 0) _exit(127);
  int code = work(ctx, result);
  if (fclose(result) != 0) code = 127;
  _exit(code);
}

static void close_files(const struct worker *worker) {
  if (worker->result_fd >= 0) close(worker->result_fd);
  if (worker->stderr_fd >= 0) close(worker->stderr_fd);
}

static struct worker *free_worker(struct qsm_pool *pool) {
  struct worker *worker = pool->workers;
  while (worker->pid) worker++;
  return worker;
}

int qsm_pool_start(struct qsm_pool *pool, size_t tag, qsm_pool_work work, const void *ctx) {
  struct worker started = {.tag = tag,
                           .result_fd = memfd_create("result", MFD_CLOEXEC),
                           .stderr_fd = memfd_create("stderr", MFD_CLOEXEC)};
  pid_t parent = getpid();
  started.pid = started.result_fd < 0 || started.stderr_fd < 0 ? -1 : fork();
  if (started.pid == 0) be_worker(pool, &started, parent, work, ctx);
  if (started.pid < 0) {
    int error = errno;
    close_files(&started);
    errno = error;
    return -1;
  }
  *free_worker(pool) = started;
  pool->n_busy++;
  return 0;
}

// ---- End ----

static void read_result(const struct worker *worker, struct qsm_pool_end *end) {
  off_t bytes = lseek(worker->result_fd, 0, SEEK_END);
  end->result = bytes > 0 ? malloc((size_t)bytes) : NULL;
  if (end->result && pread(worker->result_fd, end->result, (size_t)bytes, 0) == bytes)
    end->result_bytes = (size_t)bytes;
}

static void read_last_words(const struct worker *worker, struct qsm_pool_end *end) {
  char tail[sizeof end->last_words];
  off_t bytes = lseek(worker->stderr_fd, 0, SEEK_END);
  off_t from = bytes < (off_t)sizeof tail ? 0 : bytes - (off_t)sizeof tail + 1;
  ssize_t n = pread(worker->stderr_fd, tail, sizeof tail - 1, from);
  while (n > 0 && tail[n - 1] == '\n') n--;
  tail[n > 0 ? n : 0] = 0;
  const char *newline = strrchr(tail, '\n');
  snprintf(end->last_words, sizeof end->last_words, "%s", newline ? newline + 1 : tail);
}

static void bury(struct qsm_pool *pool, struct worker *worker) {
  close_files(worker);
  *worker = (struct worker){.pid = 0};
  pool->n_busy--;
}

static int collect(struct qsm_pool *pool, struct qsm_pool_end *end) {
  for (uint32_t i = 0; i < pool->n_workers; i++) {
    struct worker *worker = &pool->workers[i];
    struct rusage usage;
    int status;
    if (!worker->pid || wait4(worker->pid, &status, WNOHANG, &usage) != worker->pid) continue;
    *end = (struct qsm_pool_end){.tag = worker->tag,
                                 .exit_code = WEXITSTATUS(status),
                                 .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
    end->cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    read_result(worker, end);
    read_last_words(worker, end);
    bury(pool, worker);
    return 0;
  }
  return -1;
}

enum qsm_pool_event qsm_pool_wait(struct qsm_pool *pool, struct qsm_pool_end *end) {
  static const struct timespec second = {.tv_sec = 1};
  for (;;) {
    sigset_t pending;
    sigpending(&pending);
    if (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM))
      return QSM_POOL_INTERRUPTED;
    if (collect(pool, end) == 0) return QSM_POOL_ENDED;
    // One SIGCHLD may stand for several workers: they are looked for before waiting, each time.
    int got = sigtimedwait(&pool->signals, NULL, &second);
    if (got == SIGINT || got == SIGTERM) return QSM_POOL_INTERRUPTED;
    if (got == SIGUSR1) return QSM_POOL_CLOSING;
    if (got < 0 && errno == EAGAIN) return QSM_POOL_TICK;
  }
}

void qsm_pool_destroy(struct qsm_pool *pool) {
  if (!pool) return;
  for (uint32_t i = 0; i < pool->n_workers; i++) {
    struct worker *worker = &pool->workers[i];
    if (!worker->pid) continue;
    kill(worker->pid, SIGKILL);
    waitpid(worker->pid, NULL, 0);
    bury(pool, worker);
  }
  // What has been acted upon must not end the process when the mask is lifted.
  static const struct timespec now = {.tv_sec = 0};
  while (sigtimedwait(&pool->signals, NULL, &now) > 0) continue;
  sigprocmask(SIG_SETMASK, &pool->old_signals, NULL);
  free(pool);
}

uint32_t qsm_pool_n_cores(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

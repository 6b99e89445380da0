// SPDX-License-Identifier: Apache-2.0
#include "qsm_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert((int)QSM_OUTPUT_PATH_BYTES >= PATH_MAX, "a path of realpath must fit");

static bool has_temporary(const struct qsm_output *output) {
  return strcmp(output->path, output->place) != 0;
}

static int fail(const struct qsm_output *output, int error, char *msg, size_t msg_len) {
  snprintf(msg, msg_len, "cannot write %.600s: %s", output->path,
           error == EWOULDBLOCK ? "another command is writing it" : strerror(error));
  return -1;
}

// ---- Open ----

// Sets both names. 0, or an errno.
static int find_names(struct qsm_output *output, const char *path) {
  struct stat now;
  char real[PATH_MAX];
  bool there = stat(path, &now) == 0;
  const char *final = there && realpath(path, real) ? real : path;
  int len = snprintf(output->path, sizeof output->path, "%s", final);
  if (len == 0) return ENOENT;
  if (len >= (int)sizeof output->path) return ENAMETOOLONG;
  if (there && S_ISDIR(now.st_mode)) return EISDIR;
  if (there && access(output->path, W_OK)) return errno;
  bool in_place = there && !S_ISREG(now.st_mode);
  len = snprintf(output->place, sizeof output->place, "%s%s", output->path, in_place ? "" : ".new");
  return len < (int)sizeof output->place ? 0 : ENAMETOOLONG;
}

// Whether the open file still has its temporary name: its last writer may have renamed it before
// the lock was free.
static bool is_at(int fd, const char *path) {
  struct stat open_file, named;
  return fstat(fd, &open_file) == 0 && stat(path, &named) == 0 &&
         open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

// What an ended command left under the temporary name is taken over. A descriptor, or -1 with
// errno.
static int open_temporary(const char *path) {
  for (;;) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return -1;
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (locked && is_at(fd, path) && ftruncate(fd, 0) == 0) return fd;
    int error = locked && !is_at(fd, path) ? 0 : errno;
    close(fd);
    errno = error;
    if (error) return -1;
  }
}

int qsm_output_open(struct qsm_output *output, const char *path, char *msg, size_t msg_len) {
  *output = (struct qsm_output){.lock_fd = -1};
  int error = find_names(output, path);
  if (error) return fail(output, error, msg, msg_len);
  int fd = has_temporary(output) ? open_temporary(output->place)
                                 : open(output->place, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return fail(output, errno, msg, msg_len);
  output->lock_fd = has_temporary(output) ? dup(fd) : -1;
  output->file = fdopen(fd, "w");
  if (output->file) return 0;
  error = errno;
  close(fd);
  qsm_output_drop(output);
  return fail(output, error, msg, msg_len);
}

// ---- Close ----

void qsm_output_note(struct qsm_output *output) {
  if (output->file && ferror(output->file) && !output->error) output->error = errno ? errno : EIO;
}

// Ends the stream; its first error is in ->error.
static void end_stream(struct qsm_output *output) {
  errno = 0;
  qsm_output_note(output);
  if (output->file && fclose(output->file) && !output->error) output->error = errno;
  output->file = NULL;
}

static void unlock(struct qsm_output *output) {
  if (output->lock_fd >= 0) close(output->lock_fd);
  output->lock_fd = -1;
}

// By name: a writer of its own may have made a file of its own. 0, or an errno.
static int sync_place(const struct qsm_output *output) {
  int fd = open(output->place, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  int error = fsync(fd) ? errno : 0;
  return close(fd) && !error ? errno : error;
}

int qsm_output_close(struct qsm_output *output, char *msg, size_t msg_len) {
  if (!output->file) return 0;
  end_stream(output);
  if (!output->error && has_temporary(output)) {
    output->error = sync_place(output);
    if (!output->error && rename(output->place, output->path)) output->error = errno;
  }
  if (output->error && has_temporary(output)) unlink(output->place);
  unlock(output);
  return output->error ? fail(output, output->error, msg, msg_len) : 0;
}

void qsm_output_drop(struct qsm_output *output) {
  if (output->file) fclose(output->file);
  output->file = NULL;
  if (output->lock_fd < 0) return;
  unlink(output->place);
  unlock(output);
}

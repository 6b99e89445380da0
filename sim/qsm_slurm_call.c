// SPDX-License-Identifier: Apache-2.0
#include "qsm_slurm_call.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *read_all(int fd) {
  off_t bytes = lseek(fd, 0, SEEK_END);
  char *text = bytes < 0 ? NULL : calloc((size_t)bytes + 1, 1);
  if (text && pread(fd, text, (size_t)bytes, 0) != bytes) *text = 0;
  return text;
}

// The last line, which says what is wrong: those before say where. Without "sbatch: error: ".
static void complain(const char *command, char *text, int status, char *msg, size_t msg_len) {
  size_t n = text ? strlen(text) : 0;
  while (n && text[n - 1] == '\n') text[--n] = 0;
  const char *newline = n ? strrchr(text, '\n') : NULL, *line = newline ? newline + 1 : text;
  const char *error = n ? strstr(line, "error: ") : NULL;
  if (n)
    snprintf(msg, msg_len, "%s: %s", command, error ? error + strlen("error: ") : line);
  else if (WIFSIGNALED(status))
    snprintf(msg, msg_len, "%s: ended by signal %d", command, WTERMSIG(status));
  else
    snprintf(msg, msg_len, "%s: ended with code %d", command, WEXITSTATUS(status));
}

static int spawn(const char *const *arguments, const int files[2], pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, files[0], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, files[1], STDERR_FILENO);
  int error = posix_spawnp(pid, arguments[0], &actions, NULL, (char *const *)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int qsm_slurm_call(const char *const *arguments, char **output, char *msg, size_t msg_len) {
  const int files[2] = {memfd_create("stdout", MFD_CLOEXEC), memfd_create("stderr", MFD_CLOEXEC)};
  pid_t pid;
  int wait_status = 0, error = files[0] < 0 || files[1] < 0 ? errno : spawn(arguments, files, &pid);
  if (error == ENOENT)
    snprintf(msg, msg_len, "%s: not on the path; --slurm needs Slurm's commands", arguments[0]);
  else if (error)
    snprintf(msg, msg_len, "%s: %s", arguments[0], strerror(error));
  while (!error && waitpid(pid, &wait_status, 0) < 0)
    if (errno != EINTR) error = errno;
  if (!error && wait_status) {
    char *text = read_all(files[1]);
    complain(arguments[0], text, wait_status, msg, msg_len);
    free(text);
  }
  char *text = !error && !wait_status ? read_all(files[0]) : NULL;
  for (int i = 0; i < 2; i++)
    if (files[i] >= 0) close(files[i]);
  if (!text) return -1;
  *output = text;
  return 0;
}

int qsm_slurm_queue(char **lines, char *msg, size_t msg_len) {
  char user[32];
  snprintf(user, sizeof user, "--user=%u", (unsigned)getuid());
  const char *const arguments[] = {"squeue", "--noheader", "--array", "--format=%F %T", user, NULL};
  return qsm_slurm_call(arguments, lines, msg, msg_len);
}

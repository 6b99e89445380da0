// SPDX-License-Identifier: Apache-2.0
#include "qsm_slurm_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qsm_folder.h"
#include "qsm_output.h"
#include "qsm_sweep_database.h"

static const char *const part_names[QSM_SLURM_N_PARTS] = {"references", "runs", "merge"};

const char *qsm_slurm_part_name(enum qsm_slurm_part part) { return part_names[part]; }

int qsm_slurm_find_part(const char *name, enum qsm_slurm_part *part) {
  for (int i = 0; i < QSM_SLURM_N_PARTS; i++) {
    if (strcmp(name, part_names[i]) != 0) continue;
    *part = (enum qsm_slurm_part)i;
    return 0;
  }
  return -1;
}

static enum qsm_exit complain(enum qsm_exit code, const char *text) {
  fprintf(stderr, "qsm: %s\n", text);
  return code;
}

// ---- Paths ----

void qsm_slurm_path(const struct qsm_slurm *slurm, char path[PATH_MAX], const char *format, ...) {
  va_list args;
  int at = snprintf(path, PATH_MAX, "%s/", slurm->folder);
  va_start(args, format);
  vsnprintf(path + at, PATH_MAX - (size_t)at, format, args);
  va_end(args);
}

// The file need not be there. The last part of a path that is longer than half of PATH_MAX is not.
static int make_absolute(const char *path, char absolute[PATH_MAX]) {
  char here[PATH_MAX];
  if (*path != '/' && !getcwd(here, sizeof here)) return -1;
  int len = *path == '/' ? snprintf(absolute, PATH_MAX, "%s", path)
                         : snprintf(absolute, PATH_MAX, "%s/%s", here, path);
  if (len < PATH_MAX / 2) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

// The scheduler's options and the shell's words hold all others.
static bool is_plain(const char *path) { return !strpbrk(path, "\"\\%'\n[*?"); }

static int name_folder(struct qsm_slurm *slurm) {
  size_t n = strlen(slurm->db), stem = n > 3 && strcmp(slurm->db + n - 3, ".db") == 0 ? n - 3 : n;
  snprintf(slurm->folder, sizeof slurm->folder, "%.*s.slurm", (int)stem, slurm->db);
  const char *const paths[] = {slurm->folder, slurm->file, slurm->program, getenv("QSM_ROOT")};
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    if (!paths[i] || is_plain(paths[i])) continue;
    snprintf(
        slurm->msg, sizeof slurm->msg,
        "%s: scripts for Slurm take no path with a quotation mark, a line's end or one of \\ %% [ * ?",
        paths[i]);
    return -1;
  }
  return 0;
}

static enum qsm_exit name_all(struct qsm_slurm *slurm) {
  const struct qsm_sweep_options *options = &slurm->options->sweep;
  char db[1024];
  if (qsm_sweep_database_name(options->file, options->db, db, sizeof db, slurm->msg,
                              sizeof slurm->msg))
    return complain(QSM_EXIT_ENVIRONMENT, slurm->msg);
  ssize_t n = readlink("/proc/self/exe", slurm->program, sizeof slurm->program - 1);
  if (n < 0 || make_absolute(db, slurm->db) || make_absolute(options->file, slurm->file)) {
    snprintf(slurm->msg, sizeof slurm->msg, "%s: %s", db, strerror(errno));
    return complain(QSM_EXIT_ENVIRONMENT, slurm->msg);
  }
  slurm->program[n] = 0;
  return name_folder(slurm) ? complain(QSM_EXIT_BAD_INPUT, slurm->msg) : QSM_EXIT_OK;
}

// ---- Whose it is ----

static enum qsm_exit refuse_owner(struct qsm_slurm *slurm, const char *what, const char *theirs,
                                  const char *ours, const char *cure) {
  snprintf(slurm->msg, sizeof slurm->msg, "%s is of another %s (%s, this one is %s): %s",
           slurm->folder, what, theirs, ours, cure);
  return complain(QSM_EXIT_BAD_INPUT, slurm->msg);
}

static enum qsm_exit check_owner(struct qsm_slurm *slurm) {
  char path[PATH_MAX], build[32] = "", sweep[32] = "";
  qsm_slurm_path(slurm, path, "sweep");
  FILE *file = fopen(path, "r");
  if (!file && errno == ENOENT) return QSM_EXIT_OK;
  int n = file ? fscanf(file, "build %31s sweep %31s", build, sweep) : 0;
  if (file) fclose(file);
  if (n != 2) {
    snprintf(slurm->msg, sizeof slurm->msg, "%s: cannot be read", path);
    return complain(QSM_EXIT_ENVIRONMENT, slurm->msg);
  }
  if (strcmp(build, slurm->jobs.build) != 0)
    return refuse_owner(slurm, "build of qsm", build, slurm->jobs.build,
                        "go on with that one, or remove the folder");
  if (strcmp(sweep, slurm->jobs.sweep) != 0)
    return refuse_owner(
        slurm, "sweep", sweep, slurm->jobs.sweep,
        "the file, a configuration or a program has changed; when its runs are merged, remove the folder");
  return QSM_EXIT_OK;
}

enum qsm_exit qsm_slurm_find_folder(struct qsm_slurm *slurm) {
  enum qsm_exit code = name_all(slurm);
  return code ? code : check_owner(slurm);
}

// ---- Making it ----

static int make_folders(struct qsm_slurm *slurm) {
  char shards[PATH_MAX], logs[PATH_MAX];
  qsm_slurm_path(slurm, shards, "shards");
  qsm_slurm_path(slurm, logs, "logs");
  return qsm_folder_make(shards) || qsm_folder_make(logs) ? -1 : 0;
}

static int write_owner(struct qsm_slurm *slurm) {
  char path[PATH_MAX];
  struct qsm_output output;
  qsm_slurm_path(slurm, path, "sweep");
  if (access(path, F_OK) == 0) return 0;
  if (qsm_output_open(&output, path, slurm->msg, sizeof slurm->msg)) return -1;
  fprintf(output.file, "build %s\nsweep %s\nfile %s\n", slurm->jobs.build, slurm->jobs.sweep,
          slurm->file);
  return qsm_output_close(&output, slurm->msg, sizeof slurm->msg);
}

static int lock(struct qsm_slurm *slurm) {
  char path[PATH_MAX];
  qsm_slurm_path(slurm, path, "lock");
  slurm->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (slurm->lock_fd >= 0 && flock(slurm->lock_fd, LOCK_EX | LOCK_NB) == 0) return 0;
  snprintf(slurm->msg, sizeof slurm->msg, "%s: %s", slurm->folder,
           errno == EWOULDBLOCK ? "another qsm sweep submits or merges" : strerror(errno));
  return -1;
}

enum qsm_exit qsm_slurm_claim_folder(struct qsm_slurm *slurm, bool make) {
  bool there = access(slurm->folder, F_OK) == 0;
  if (!there && !make) {
    snprintf(slurm->msg, sizeof slurm->msg, "%s: nothing has been submitted", slurm->folder);
    return complain(QSM_EXIT_ENVIRONMENT, slurm->msg);
  }
  if (make && make_folders(slurm)) {
    snprintf(slurm->msg, sizeof slurm->msg, "folder %s: %s", slurm->folder, strerror(errno));
    return complain(QSM_EXIT_ENVIRONMENT, slurm->msg);
  }
  return lock(slurm) || (make && write_owner(slurm)) ? complain(QSM_EXIT_ENVIRONMENT, slurm->msg)
                                                     : QSM_EXIT_OK;
}

unsigned qsm_slurm_last_round(const struct qsm_slurm *slurm) {
  unsigned last = 0;
  DIR *folder = opendir(slurm->folder);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char *end;
    unsigned long number = strtoul(entry->d_name, &end, 10);
    if (end > entry->d_name && strcmp(end, ".tasks") == 0 && number > last) last = (unsigned)number;
  }
  if (folder) closedir(folder);
  return last;
}

// ---- Shards ----

int qsm_slurm_shards_find(const struct qsm_slurm *slurm, const char *pattern,
                          struct qsm_slurm_shards *shards) {
  char path[PATH_MAX];
  glob_t *found = calloc(1, sizeof *found);
  *shards = (struct qsm_slurm_shards){.found = found};
  if (!found) return -1;
  qsm_slurm_path(slurm, path, "shards/%s", pattern);
  if (glob(path, 0, NULL, found)) return -1;
  shards->n = found->gl_pathc;
  shards->path = found->gl_pathv;
  return 0;
}

void qsm_slurm_shards_free(struct qsm_slurm_shards *shards) {
  if (shards->found) globfree(shards->found);
  free(shards->found);
  *shards = (struct qsm_slurm_shards){.n = 0};
}

// ---- Tasks ----

void qsm_slurm_task_print(const struct qsm_slurm_task *task, FILE *file) {
  fprintf(file, "%s %u %.1f", part_names[task->part], task->number, task->seconds);
  for (size_t i = 0; i < task->n; i++) fprintf(file, " %zu", task->jobs[i]);
  fputc('\n', file);
}

static int read_jobs(const char *at, size_t n_jobs, struct qsm_slurm_task *task) {
  size_t room = 0;
  for (char *end; *at && *at != '\n'; at = end) {
    unsigned long long number = strtoull(at, &end, 10);
    if (end == at || number >= n_jobs) return -1;
    if (task->n == room) {
      room = room ? 2 * room : 64;
      size_t *more = realloc(task->jobs, room * sizeof *more);
      if (!more) return -1;
      task->jobs = more;
    }
    task->jobs[task->n++] = (size_t)number;
  }
  return task->n ? 1 : -1;
}

int qsm_slurm_task_read(FILE *file, size_t n_jobs, struct qsm_slurm_task *task) {
  char *line = NULL, part[16];
  size_t len = 0;
  int used = 0, status = 0;
  free(task->jobs);
  *task = (struct qsm_slurm_task){.n = 0};
  if (getline(&line, &len, file) > 0)
    status = sscanf(line, "%15s %u %lf%n", part, &task->number, &task->seconds, &used) == 3 &&
                     qsm_slurm_find_part(part, &task->part) == 0
                 ? read_jobs(line + used, n_jobs, task)
                 : -1;
  free(line);
  return status;
}

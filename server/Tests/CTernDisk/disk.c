#ifdef __linux__
#define _GNU_SOURCE
#include "CTernDisk.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// These functions have the names of the C library's, and a program's own ones come first. They make the system call themselves.
// The offsets of the variants with 64 in their name are the same on 64-bit systems.

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static size_t root_length;
static dev_t device;
static bool is_recording;
static struct TernDiskRecord *records;
static size_t record_count, record_capacity;
static int fault;
static uint64_t calls_until_fault, faults;
static char omitted[64];
static uint64_t omissions;

static void *copy_of(const void *bytes, size_t count) {
  void *copy = malloc(count ? count : 1);
  if (!copy) abort();
  memcpy(copy, bytes, count);
  return copy;
}

static void add(struct TernDiskRecord record) {
  if (record_count == record_capacity) {
    record_capacity = record_capacity ? record_capacity * 2 : 4096;
    records = realloc(records, record_capacity * sizeof *records);
    if (!records) abort();
  }
  records[record_count++] = record;
}

int tern_disk_begin(const char *folder) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < record_count; i++) {
    free((void *)records[i].bytes);
    free((void *)records[i].path);
    free((void *)records[i].target);
  }
  record_count = 0;
  struct stat status;
  int result = realpath(folder, root) && stat(root, &status) == 0 ? 0 : -1;
  device = status.st_dev;
  root_length = strlen(root);
  is_recording = result == 0;
  fault = 0;
  omitted[0] = 0;
  omissions = 0;
  pthread_mutex_unlock(&lock);
  return result;
}

void tern_disk_end(void) {
  pthread_mutex_lock(&lock);
  is_recording = false;
  pthread_mutex_unlock(&lock);
}

size_t tern_disk_count(void) {
  pthread_mutex_lock(&lock);
  size_t count = record_count;
  pthread_mutex_unlock(&lock);
  return count;
}

struct TernDiskRecord tern_disk_record(size_t index) {
  pthread_mutex_lock(&lock);
  struct TernDiskRecord record = records[index];
  pthread_mutex_unlock(&lock);
  return record;
}

size_t tern_disk_mark(uint64_t number) {
  pthread_mutex_lock(&lock);
  size_t count = record_count;
  add((struct TernDiskRecord){.operation = TERN_DISK_MARK, .offset = number});
  pthread_mutex_unlock(&lock);
  return count;
}

void tern_disk_fail(int kind, uint64_t nth) {
  pthread_mutex_lock(&lock);
  fault = nth ? kind : 0;
  calls_until_fault = nth;
  faults = 0;
  pthread_mutex_unlock(&lock);
}

uint64_t tern_disk_faults(void) {
  pthread_mutex_lock(&lock);
  uint64_t count = faults;
  pthread_mutex_unlock(&lock);
  return count;
}

void tern_disk_omit_syncs(const char *pattern) {
  pthread_mutex_lock(&lock);
  snprintf(omitted, sizeof omitted, "%s", pattern ? pattern : "");
  pthread_mutex_unlock(&lock);
}

uint64_t tern_disk_omissions(void) {
  pthread_mutex_lock(&lock);
  uint64_t count = omissions;
  pthread_mutex_unlock(&lock);
  return count;
}

// Returns the error of a call that is to fail; 0 for none. The lock is held.
static int next_fault(bool is_sync) {
  if (!fault || is_sync != (fault == TERN_DISK_FAIL_SYNC)) return 0;
  if (calls_until_fault > 1) {
    calls_until_fault--;
    return 0;
  }
  faults++;
  if (fault == TERN_DISK_FULL) return ENOSPC;
  fault = 0;
  return EIO;
}

// Returns a path below the folder, to be freed; NULL for another one. The lock is held.
static char *recorded_path(int directory, const char *path) {
  if (!is_recording || !path) return NULL;
  char full[PATH_MAX * 2];
  if (path[0] == '/') {
    snprintf(full, sizeof full, "%s", path);
  } else if (directory == AT_FDCWD) {
    char current[PATH_MAX];
    if (syscall(SYS_getcwd, current, sizeof current) < 0) return NULL;
    snprintf(full, sizeof full, "%s/%s", current, path);
  } else {
    char link[64], folder[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t count = readlink(link, folder, sizeof folder - 1);
    if (count < 0) return NULL;
    folder[count] = 0;
    snprintf(full, sizeof full, "%s/%s", folder, path);
  }
  if (strncmp(full, root, root_length) || full[root_length] != '/') return NULL;
  // One spelling for each name.
  char *result = malloc(strlen(full) + 1), *to = result;
  if (!result) abort();
  for (const char *from = full + root_length; *from; from++)
    if (from[0] != '/' || (from[1] != '/' && from[1] != 0)) *to++ = *from;
  *to = 0;
  return result;
}

// True for a file below the folder: nothing else is written on its device meanwhile. The lock is held.
static bool is_recorded(int descriptor, struct stat *status) {
  return is_recording && syscall(SYS_fstat, descriptor, status) == 0 && status->st_dev == device &&
         (S_ISREG(status->st_mode) || S_ISDIR(status->st_mode));
}

static int failed(int code) {
  errno = code;
  return -1;
}

static int opened(int directory, const char *path, int flags, mode_t mode) {
  pthread_mutex_lock(&lock);
  char *name = flags & (O_CREAT | O_TRUNC) ? recorded_path(directory, path) : NULL;
  if (!name) {
    pthread_mutex_unlock(&lock);
    return (int)syscall(SYS_openat, directory, path, flags, mode);
  }
  int descriptor = -1;
  bool is_new = false;
  if (flags & O_CREAT) {
    descriptor = (int)syscall(SYS_openat, directory, path, flags | O_EXCL, mode);
    is_new = descriptor >= 0;
  }
  if (descriptor < 0 && !(flags & O_EXCL)) descriptor = (int)syscall(SYS_openat, directory, path, flags, mode);
  int code = errno;
  struct stat status;
  if (descriptor >= 0 && is_recorded(descriptor, &status)) {
    if (is_new) {
      add((struct TernDiskRecord){.operation = TERN_DISK_CREATE, .inode = status.st_ino, .path = name});
      name = NULL;
    } else if (flags & O_TRUNC) {
      add((struct TernDiskRecord){.operation = TERN_DISK_TRUNCATE, .inode = status.st_ino});
    }
  }
  free(name);
  pthread_mutex_unlock(&lock);
  errno = code;
  return descriptor;
}

#define OPEN(name, before, directory)                                  \
  int name(before const char *path, int flags, ...) {                  \
    mode_t mode = 0;                                                   \
    if (flags & (O_CREAT | __O_TMPFILE)) {                             \
      va_list list;                                                    \
      va_start(list, flags);                                           \
      mode = va_arg(list, mode_t);                                     \
      va_end(list);                                                    \
    }                                                                  \
    return opened(directory, path, flags, mode);                       \
  }
#define COMMA ,
OPEN(open, , AT_FDCWD)
OPEN(open64, , AT_FDCWD)
OPEN(openat, int directory COMMA, directory)
OPEN(openat64, int directory COMMA, directory)
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

static ssize_t written(int descriptor, const void *bytes, size_t count, bool has_offset, off_t offset) {
  pthread_mutex_lock(&lock);
  struct stat status;
  bool records_this = is_recorded(descriptor, &status);
  int code = records_this ? next_fault(false) : 0;
  if (code) {
    pthread_mutex_unlock(&lock);
    return failed(code);
  }
  if (records_this && !has_offset) {
    int flags = (int)syscall(SYS_fcntl, descriptor, F_GETFL);
    offset = flags & O_APPEND ? status.st_size : (off_t)syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
  }
  ssize_t result = has_offset ? syscall(SYS_pwrite64, descriptor, bytes, count, offset)
                              : syscall(SYS_write, descriptor, bytes, count);
  code = errno;
  if (records_this && result > 0)
    add((struct TernDiskRecord){.operation = TERN_DISK_WRITE, .inode = status.st_ino, .offset = (uint64_t)offset,
      .count = (size_t)result, .bytes = copy_of(bytes, (size_t)result)});
  pthread_mutex_unlock(&lock);
  errno = code;
  return result;
}

ssize_t write(int descriptor, const void *bytes, size_t count) { return written(descriptor, bytes, count, false, 0); }
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return written(descriptor, bytes, count, true, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return written(descriptor, bytes, count, true, offset);
}

static int truncated(int descriptor, off_t size) {
  pthread_mutex_lock(&lock);
  struct stat status;
  bool records_this = is_recorded(descriptor, &status);
  int result = (int)syscall(SYS_ftruncate, descriptor, size), code = errno;
  if (records_this && result == 0)
    add((struct TernDiskRecord){.operation = TERN_DISK_TRUNCATE, .inode = status.st_ino, .offset = (uint64_t)size});
  pthread_mutex_unlock(&lock);
  errno = code;
  return result;
}

int ftruncate(int descriptor, off_t size) { return truncated(descriptor, size); }
int ftruncate64(int descriptor, off64_t size) { return truncated(descriptor, size); }

static int allocated(int descriptor, int mode, off_t offset, off_t count) {
  pthread_mutex_lock(&lock);
  struct stat before, after;
  bool records_this = is_recorded(descriptor, &before);
  int code = records_this ? next_fault(false) : 0;
  int result = code ? failed(code) : (int)syscall(SYS_fallocate, descriptor, mode, offset, count);
  code = errno;
  if (records_this && result == 0 && is_recorded(descriptor, &after) && after.st_size != before.st_size)
    add((struct TernDiskRecord){.operation = TERN_DISK_TRUNCATE, .inode = after.st_ino, .offset = (uint64_t)after.st_size});
  pthread_mutex_unlock(&lock);
  errno = code;
  return result;
}

int fallocate(int descriptor, int mode, off_t offset, off_t count) { return allocated(descriptor, mode, offset, count); }
int fallocate64(int descriptor, int mode, off64_t offset, off64_t count) { return allocated(descriptor, mode, offset, count); }
int posix_fallocate(int descriptor, off_t offset, off_t count) { return allocated(descriptor, 0, offset, count) ? errno : 0; }
int posix_fallocate64(int descriptor, off64_t offset, off64_t count) { return allocated(descriptor, 0, offset, count) ? errno : 0; }

// The file's path is only needed where syncs are omitted. The lock is held.
static bool is_omitted(int descriptor, const struct stat *status) {
  if (!omitted[0]) return false;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, sizeof path - 1);
  if (count < (ssize_t)root_length) return false;
  path[count] = 0;
  if (strcmp(omitted, "/") ? fnmatch(omitted, path + root_length, 0) : !S_ISDIR(status->st_mode)) return false;
  omissions++;
  return true;
}

static int synced(int descriptor, long call) {
  pthread_mutex_lock(&lock);
  struct stat status;
  bool records_this = is_recorded(descriptor, &status);
  int code = records_this ? next_fault(true) : 0, result = code ? failed(code) : 0;
  if (!records_this) result = (int)syscall(call, descriptor);
  code = errno;
  if (records_this && !is_omitted(descriptor, &status))
    add((struct TernDiskRecord){.operation = result == 0 ? TERN_DISK_SYNC : TERN_DISK_SYNC_FAILED, .inode = status.st_ino});
  pthread_mutex_unlock(&lock);
  errno = code;
  return result;
}

int fsync(int descriptor) { return synced(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return synced(descriptor, SYS_fdatasync); }

// A call that takes names: it is made and recorded as one step.
static int renamed(int operation, int from, const char *path, int to, const char *target, int flags, int mode) {
  pthread_mutex_lock(&lock);
  char *name = recorded_path(from, path), *second = target ? recorded_path(to, target) : NULL;
  int result;
  switch (operation) {
    case TERN_DISK_RENAME: result = (int)syscall(SYS_renameat2, from, path, to, target, flags); break;
    case TERN_DISK_LINK: result = (int)syscall(SYS_linkat, from, path, to, target, flags); break;
    case TERN_DISK_UNLINK: result = (int)syscall(SYS_unlinkat, from, path, flags); break;
    default: result = (int)syscall(SYS_mkdirat, from, path, mode); break;
  }
  int code = errno;
  if (name && result == 0 && (!target || second)) {
    struct stat status = {0};
    if (operation == TERN_DISK_FOLDER) syscall(SYS_newfstatat, from, path, &status, 0);
    add((struct TernDiskRecord){.operation = operation, .inode = status.st_ino, .path = name, .target = second});
    name = second = NULL;
  }
  free(name);
  free(second);
  pthread_mutex_unlock(&lock);
  errno = code;
  return result;
}

int rename(const char *path, const char *target) {
  return renamed(TERN_DISK_RENAME, AT_FDCWD, path, AT_FDCWD, target, 0, 0);
}
int renameat(int from, const char *path, int to, const char *target) {
  return renamed(TERN_DISK_RENAME, from, path, to, target, 0, 0);
}
int renameat2(int from, const char *path, int to, const char *target, unsigned flags) {
  return renamed(TERN_DISK_RENAME, from, path, to, target, (int)flags, 0);
}
int link(const char *path, const char *target) { return renamed(TERN_DISK_LINK, AT_FDCWD, path, AT_FDCWD, target, 0, 0); }
int linkat(int from, const char *path, int to, const char *target, int flags) {
  return renamed(TERN_DISK_LINK, from, path, to, target, flags, 0);
}
int unlink(const char *path) { return renamed(TERN_DISK_UNLINK, AT_FDCWD, path, 0, NULL, 0, 0); }
int unlinkat(int from, const char *path, int flags) { return renamed(TERN_DISK_UNLINK, from, path, 0, NULL, flags, 0); }
int rmdir(const char *path) { return renamed(TERN_DISK_UNLINK, AT_FDCWD, path, 0, NULL, AT_REMOVEDIR, 0); }
int mkdir(const char *path, mode_t mode) { return renamed(TERN_DISK_FOLDER, AT_FDCWD, path, 0, NULL, 0, (int)mode); }
int mkdirat(int from, const char *path, mode_t mode) { return renamed(TERN_DISK_FOLDER, from, path, 0, NULL, 0, (int)mode); }

// Ways to write that this journal doesn't see fail, so that their callers take those that it does.
ssize_t copy_file_range(int from, off64_t *offset, int to, off64_t *position, size_t count, unsigned flags) {
  struct stat status;
  pthread_mutex_lock(&lock);
  bool records_this = is_recorded(to, &status);
  pthread_mutex_unlock(&lock);
  if (records_this) return failed(EXDEV);
  return syscall(SYS_copy_file_range, from, offset, to, position, count, flags);
}

static ssize_t sent(int to, int from, off_t *offset, size_t count) {
  struct stat status;
  pthread_mutex_lock(&lock);
  bool records_this = is_recorded(to, &status);
  pthread_mutex_unlock(&lock);
  return records_this ? failed(EINVAL) : syscall(SYS_sendfile, to, from, offset, count);
}

ssize_t sendfile(int to, int from, off_t *offset, size_t count) { return sent(to, from, offset, count); }
ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) { return sent(to, from, offset, count); }
#else
#include "CTernDisk.h"
int tern_disk_begin(const char *folder) { return -1; }
void tern_disk_end(void) {}
size_t tern_disk_count(void) { return 0; }
struct TernDiskRecord tern_disk_record(size_t index) { return (struct TernDiskRecord){0}; }
size_t tern_disk_mark(uint64_t number) { return 0; }
void tern_disk_fail(int kind, uint64_t nth) {}
uint64_t tern_disk_faults(void) { return 0; }
void tern_disk_omit_syncs(const char *pattern) {}
uint64_t tern_disk_omissions(void) { return 0; }
#endif

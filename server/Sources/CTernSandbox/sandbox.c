#define _GNU_SOURCE
#include "include/CTernSandbox.h"

#include <errno.h>

#ifdef __linux__

#include "filter.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int set_limit(int resource, uint64_t value) {
  struct rlimit limit = {value, value};
  return setrlimit(resource, &limit) == 0 ? 0 : errno;
}

static int set_limits(uint64_t memory, uint64_t seconds) {
  int error = set_limit(RLIMIT_AS, memory);
  if (error == 0) error = set_limit(RLIMIT_CPU, seconds);
  if (error == 0) error = set_limit(RLIMIT_FSIZE, 0);
  if (error == 0) error = set_limit(RLIMIT_NOFILE, 64);
  if (error == 0) error = set_limit(RLIMIT_CORE, 0);
  return error;
}

/// Allows the kernel's rights to read and execute below a path. Paths that don't exist are left out.
static int allow_path(int rules, const char *path, int may_execute) {
  struct landlock_path_beneath_attr rule = {0};
  struct stat status;
  rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) return errno == ENOENT ? 0 : errno;
  int error = fstat(rule.parent_fd, &status) == 0 ? 0 : errno;
  rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
  if (may_execute) rule.allowed_access |= LANDLOCK_ACCESS_FS_EXECUTE;
  if (S_ISDIR(status.st_mode)) rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
  if (error == 0 && syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) error = errno;
  close(rule.parent_fd);
  return error;
}

/// Denies all files but those below some paths.
static int restrict_files(const char *const *paths, size_t count, int may_execute) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  // Filters of system calls that don't know Landlock, as of services and containers, answer EPERM.
  if (version < 1) return errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM ? 0 : errno;
  // The rights of the first version: reading, writing, executing, creating and removing.
  struct landlock_ruleset_attr attributes = {.handled_access_fs = (1ULL << 13) - 1};
  int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0);
  if (rules < 0) return errno;
  int error = 0;
  for (size_t index = 0; index < count && error == 0; index++) error = allow_path(rules, paths[index], may_execute);
  if (error == 0 && syscall(SYS_landlock_restrict_self, rules, 0) != 0) error = errno;
  close(rules);
  return error;
}

int tern_sandbox_enter(
    const char *const *paths, size_t count, const char *program, uint64_t memory, uint64_t seconds) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  int error = restrict_files(paths, count, program != NULL);
  if (error == 0) error = set_limits(memory, seconds);
  return error == 0 ? tern_filter_install(program) : error;
}

#else

int tern_sandbox_enter(
    const char *const *paths, size_t count, const char *program, uint64_t memory, uint64_t seconds) {
  (void)paths, (void)count, (void)program, (void)memory, (void)seconds;
  return ENOTSUP;
}

#endif

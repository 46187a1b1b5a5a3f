#include <spawn.h>

// In the C library since 2.34, but hidden from Swift by _GNU_SOURCE.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

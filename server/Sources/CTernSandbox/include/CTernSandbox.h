#pragma once

#include <stddef.h>
#include <stdint.h>

/// Takes all rights from this process that a symbolizer doesn't need, for good: it may read the named files and what is
/// below the named directories, run `program`, write to its open descriptors, and exit. It can't start processes or threads,
/// use the network, write files, send signals or trace. A program that it becomes has the same rights.
///
/// Where the kernel has no Landlock (before Linux 5.13), or a filter of system calls forbids it, it may read everything that its user may.
///
/// - paths: The files and directories that may be read, and executed if `program` is given.
/// - program: The path that will be passed to `execve`, which is allowed with this pointer only; null if nothing will be executed.
/// - memory: The most bytes of address space.
/// - seconds: The most seconds of processor time.
/// - returns: 0, or an error code as in `errno`; then the process must end.
int tern_sandbox_enter(
    const char *const *paths, size_t count, const char *program, uint64_t memory, uint64_t seconds);

/// The Swift runtime's function that demangles a name. The caller frees the result; null if the name isn't mangled.
char *swift_demangle(const char *name, size_t length, char *output, size_t *outputSize, uint32_t flags);

#ifndef C_TERN_CRASH_H
#define C_TERN_CRASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Catches crashes of this process and writes a report of each to a file (docs/crashes.md). Everything that runs in the
// signal handler is in C and makes system calls only: it allocates nothing, takes no lock and calls no Swift.

/// Prepares a file and installs the signal handlers; at most one file per process.
///
/// - path: The file to create. It stays empty until the process crashes, and its write lock (`fcntl`) is held while the
///   process runs.
/// - identifier: The identifier of the report, at most 63 bytes of ASCII without spaces.
///
/// Returns 0, or the value of `errno`: `EBUSY` while another file is prepared, `ENOTSUP` on other platforms.
int tern_crash_start(const char *path, const char *identifier);

/// Sets the line of text that a report contains; it may be called at any time and by one thread at a time.
///
/// The line has at most 8,191 bytes and no line feed. While it is empty, neither crashes nor hangs are reported.
void tern_crash_set_context(const void *text, size_t count);

/// Notes a step that the app took, for the reports of later crashes and hangs: the last 32 are kept in memory.
///
/// Any thread may call it, and none waits. Steps are ignored while the context is empty, and an empty context makes the
/// earlier ones forgotten.
///
/// - time: The time, in milliseconds since 1970.
/// - text: UTF-8 that a NUL ends. 100 bytes of it are kept.
void tern_crash_add_step(int64_t time, const void *text, size_t count);

/// Forgets the steps so far.
void tern_crash_forget_steps(void);

/// Writes a report of a thread that hangs, with its calls and the loaded images, to an open file.
///
/// The thread is stopped for that by a realtime signal, usually for some milliseconds and at most for 2 s; a system call
/// that it waits in may end early.
/// A crash meanwhile waits for the end of the report.
///
/// Returns 0, or the value of `errno`: `EBUSY` while a crash is reported or if the app uses the signal itself, `ENOTSUP`
/// while no crashes are reported.
int tern_crash_write_hang(int file, const char *identifier, int thread);

/// Returns the system's number of the calling thread if it is the process's main thread, or else 0.
int tern_crash_main_thread(void);

/// Restores the previous handlers, unless others have been installed since, and removes the file. Does nothing while a
/// report is being written.
void tern_crash_stop(void);

/// Crashes: the handler itself crashes after it has written the crashed thread; for tests of the handler.
void tern_crash_fail_in_handler(void);

#ifdef __cplusplus
}
#endif

#endif

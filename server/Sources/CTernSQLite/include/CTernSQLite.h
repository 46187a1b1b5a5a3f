#pragma once

/// Makes SQLite report an error where the process would otherwise end by SIGBUS: in writing to the shared memory of a
/// write-ahead log (`-shm`), which is a mapped file.
///
/// A file system that copies on write, such as btrfs, needs space for that, and a full one has none. SQLite writes there also
/// to read, and to close a file.
///
/// It applies to all files that are opened afterwards. Calls after the first have no effect. Does nothing except on Linux.
void tern_sqlite_guard_shared_memory(void);

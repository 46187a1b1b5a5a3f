#ifndef C_TERN_DISK_H
#define C_TERN_DISK_H

#include <stddef.h>
#include <stdint.h>

// The disk of a process, observed: a program that links this target has its file operations below one folder recorded, in their
// order, whichever library they come from (SQLite, Foundation, Swift's Glibc). See docs/simulator.md. Linux only.

enum TernDiskOperation {
  TERN_DISK_CREATE = 1,   // path, inode
  TERN_DISK_FOLDER,       // path, inode
  TERN_DISK_WRITE,        // inode, offset, bytes
  TERN_DISK_TRUNCATE,     // inode, offset (the size)
  TERN_DISK_SYNC,         // inode of a file or folder
  TERN_DISK_RENAME,       // path, target
  TERN_DISK_LINK,         // path, target
  TERN_DISK_UNLINK,       // path
  TERN_DISK_SYNC_FAILED,  // inode: the system keeps what was written in memory and takes it for synced
  TERN_DISK_MARK,         // offset (a number that the program chose)
};

struct TernDiskRecord {
  int operation;
  uint64_t inode;
  uint64_t offset;
  size_t count;
  const void *bytes;
  const char *path;
  const char *target;
};

/// Begins to record what happens below a folder, which must exist; forgets what was recorded before.
int tern_disk_begin(const char *folder);
/// Ends recording.
void tern_disk_end(void);
/// The number of records so far.
size_t tern_disk_count(void);
/// A record, valid until recording begins again.
struct TernDiskRecord tern_disk_record(size_t index);
/// Adds a mark. Returns the number of records before it.
size_t tern_disk_mark(uint64_t number);

enum TernDiskFault { TERN_DISK_FAIL_WRITE = 1, TERN_DISK_FAIL_SYNC, TERN_DISK_FULL };
/// From now on, the nth write or sync below the folder fails once with EIO, or all writes from the nth on fail with ENOSPC.
/// Zero for no more faults.
void tern_disk_fail(int fault, uint64_t nth);
/// The number of faults that occurred since `tern_disk_fail`.
uint64_t tern_disk_faults(void);
/// Omits syncs of files whose path below the folder matches a pattern as in `fnmatch`, such as "*.rows": they succeed without being
/// recorded, as if the program had forgotten them. "/" means all folders, NULL none.
void tern_disk_omit_syncs(const char *pattern);
/// The number of syncs that were omitted since the record began.
uint64_t tern_disk_omissions(void);

#endif

// A layer over SQLite's file system ("VFS") that prepares the shared memory before SQLite writes to it.
//
// SQLite writes to it while it holds an exclusive lock: of a slot of the memory, or, as the last connection that closes the
// file, of the file itself. So the layer makes all pages writable before either lock is taken. The kernel does what a write
// would make it do, and where a write would end in a signal, it returns an error (MADV_POPULATE_WRITE, Linux 5.14).
//
// Until the lock is released, the kernel may write a page back and protect it again. On btrfs the next write then needs
// space again, so the file is made one that is not copied on write; since Linux 6.17 the kernel then needs none.

#include "CTernSQLite.h"

#ifdef __linux__
#define _GNU_SOURCE
#endif

#include <sqlite3.h>

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/// What the layer knows of a database. It follows the system's own data of the file.
typedef struct {
    /// The functions of the system's file, and the same ones with this layer's in place of some.
    const sqlite3_io_methods *system;
    sqlite3_io_methods methods;
    const char *path;
    /// The mapped parts of the shared memory.
    struct {
        volatile void *start;
        int size;
    } *parts;
    int count;
} file_guard;

static sqlite3_vfs *system_vfs;

/// The size of the system's own data, so that what follows is aligned.
static size_t system_size(void) { return ((size_t)system_vfs->szOsFile + 15) / 16 * 16; }

static file_guard *guard_of(sqlite3_file *file) { return (file_guard *)((char *)file + system_size()); }

/// Free bytes below which a failure to write is explained by a full disk.
static const unsigned long long some_space = 1 << 20;

static int failure(const file_guard *guard) {
    struct statvfs status;
    int isFull = statvfs(guard->path, &status) == 0 &&
        (unsigned long long)status.f_bavail * status.f_frsize < some_space;
    return isFull ? SQLITE_FULL : SQLITE_IOERR_SHMMAP;
}

/// Makes the pages of one part writable.
static int populate_part(const file_guard *guard, int index) {
    void *start = (void *)guard->parts[index].start;
    if (!start) return SQLITE_OK;
    // Other errors say that the kernel doesn't know this call, or that the memory is for reading only.
    if (madvise(start, (size_t)guard->parts[index].size, MADV_POPULATE_WRITE) == 0 || errno != EFAULT) return SQLITE_OK;
    return failure(guard);
}

static int populate(const file_guard *guard) {
    for (int index = 0; index < guard->count; index++) {
        int result = populate_part(guard, index);
        if (result != SQLITE_OK) return result;
    }
    return SQLITE_OK;
}

/// Creates the file of the shared memory as one that is not copied on write, if it is missing. Any failure is left to
/// SQLite, which creates the file otherwise.
///
/// It gets its name once it is closed: closing it would release the locks that another connection of this process has on it.
static void create_memory_file(const char *database) {
    struct statfs system;
    struct stat status;
    if (statfs(database, &system) != 0 || (unsigned long)system.f_type != BTRFS_SUPER_MAGIC) return;
    if (stat(database, &status) != 0) return;
    char *path = sqlite3_mprintf("%s-shm", database);
    char *unfinished = sqlite3_mprintf("%s-shm.XXXXXX", database);
    int descriptor = path && unfinished && access(path, F_OK) != 0 ? mkostemp(unfinished, O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        int flags = 0;
        if (ioctl(descriptor, FS_IOC_GETFLAGS, &flags) == 0) {
            flags |= FS_NOCOW_FL;
            ioctl(descriptor, FS_IOC_SETFLAGS, &flags);
        }
        // As SQLite does: a command that root runs must not make a file that the server can't open.
        if (geteuid() == 0 && fchown(descriptor, status.st_uid, status.st_gid) != 0) {}
        int isReady = fchmod(descriptor, status.st_mode & 0777) == 0;
        close(descriptor);
        if (isReady && link(unfinished, path) != 0) {}
        unlink(unfinished);
    }
    sqlite3_free(unfinished);
    sqlite3_free(path);
}

static int guarded_close(sqlite3_file *file) {
    file_guard *guard = guard_of(file);
    free(guard->parts);
    guard->parts = NULL;
    guard->count = 0;
    return guard->system->xClose(file);
}

static int guarded_lock(sqlite3_file *file, int level) {
    file_guard *guard = guard_of(file);
    if (level == SQLITE_LOCK_EXCLUSIVE) {
        int result = populate(guard);
        if (result != SQLITE_OK) return result;
    }
    return guard->system->xLock(file, level);
}

static int guarded_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    file_guard *guard = guard_of(file);
    if (flags == (SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE)) {
        int result = populate(guard);
        if (result != SQLITE_OK) return result;
    }
    return guard->system->xShmLock(file, offset, count, flags);
}

static int guarded_shm_map(sqlite3_file *file, int index, int size, int extend, void volatile **start) {
    file_guard *guard = guard_of(file);
    if (guard->count == 0) create_memory_file(guard->path);
    int result = guard->system->xShmMap(file, index, size, extend, start);
    if (result != SQLITE_OK || !*start || index < 0) return result;
    if (index >= guard->count) {
        void *parts = realloc(guard->parts, sizeof *guard->parts * ((size_t)index + 1));
        if (!parts) return SQLITE_NOMEM;
        guard->parts = parts;
        memset(guard->parts + guard->count, 0, sizeof *guard->parts * (size_t)(index + 1 - guard->count));
        guard->count = index + 1;
    }
    guard->parts[index].start = *start;
    guard->parts[index].size = size;
    return extend ? populate_part(guard, index) : SQLITE_OK;
}

static int guarded_shm_unmap(sqlite3_file *file, int deletes) {
    file_guard *guard = guard_of(file);
    guard->count = 0;
    return guard->system->xShmUnmap(file, deletes);
}

static int guarded_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *result) {
    (void)vfs;
    int code = system_vfs->xOpen(system_vfs, path, file, flags, result);
    // Only databases have shared memory, and a file with a table of this version has all functions.
    if (!file->pMethods || (flags & SQLITE_OPEN_MAIN_DB) == 0) return code;
    if (file->pMethods->iVersion < 3 || !file->pMethods->xShmMap) return code;
    file_guard *guard = guard_of(file);
    memset(guard, 0, sizeof *guard);
    guard->path = path;
    guard->system = file->pMethods;
    // Later versions may have a longer table that begins like this one.
    guard->methods = *file->pMethods;
    if (guard->methods.iVersion > 3) guard->methods.iVersion = 3;
    guard->methods.xClose = guarded_close;
    guard->methods.xLock = guarded_lock;
    guard->methods.xShmMap = guarded_shm_map;
    guard->methods.xShmLock = guarded_shm_lock;
    guard->methods.xShmUnmap = guarded_shm_unmap;
    file->pMethods = &guard->methods;
    return code;
}

static sqlite3_vfs guarded_vfs;

static void register_guard(void) {
    system_vfs = sqlite3_vfs_find(NULL);
    if (!system_vfs) return;
    // All but opening is that of the layer below, which finds its own data through pAppData.
    guarded_vfs = *system_vfs;
    guarded_vfs.pNext = NULL;
    guarded_vfs.zName = "tern";
    guarded_vfs.szOsFile = (int)(system_size() + sizeof(file_guard));
    guarded_vfs.xOpen = guarded_open;
    sqlite3_vfs_register(&guarded_vfs, 1);
}

void tern_sqlite_guard_shared_memory(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_guard);
}

#else

void tern_sqlite_guard_shared_memory(void) {}

#endif

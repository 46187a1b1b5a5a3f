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
#include <stddef.h>
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

typedef struct {
    sqlite3_file base;
    /// The path of a database; null for its other files.
    const char *path;
    /// The mapped parts of the shared memory.
    struct {
        volatile void *start;
        int size;
    } *parts;
    int count;
} guarded_file;

static sqlite3_vfs *system_vfs;

/// The file of the layer below, which follows this layer's.
static sqlite3_file *below(sqlite3_file *file) { return (sqlite3_file *)((guarded_file *)file + 1); }

/// Free bytes below which a failure to write is explained by a full disk.
static const unsigned long long some_space = 1 << 20;

static int failure(const guarded_file *file) {
    struct statvfs status;
    int isFull = file->path && statvfs(file->path, &status) == 0 &&
        (unsigned long long)status.f_bavail * status.f_frsize < some_space;
    return isFull ? SQLITE_FULL : SQLITE_IOERR_SHMMAP;
}

/// Makes the pages of one part writable.
static int populate_part(const guarded_file *file, int index) {
    void *start = (void *)file->parts[index].start;
    if (!start) return SQLITE_OK;
    // Other errors say that the kernel doesn't know this call, or that the memory is for reading only.
    if (madvise(start, (size_t)file->parts[index].size, MADV_POPULATE_WRITE) == 0 || errno != EFAULT) return SQLITE_OK;
    return failure(file);
}

static int populate(const guarded_file *file) {
    for (int index = 0; index < file->count; index++) {
        int result = populate_part(file, index);
        if (result != SQLITE_OK) return result;
    }
    return SQLITE_OK;
}

/// Creates the file of the shared memory as one that is not copied on write, if it is missing. Any failure is left to
/// SQLite, which creates the file otherwise.
static void create_memory_file(const char *database) {
    struct statfs system;
    struct stat status;
    if (statfs(database, &system) != 0 || (unsigned long)system.f_type != BTRFS_SUPER_MAGIC) return;
    if (stat(database, &status) != 0) return;
    char *path = sqlite3_mprintf("%s-shm", database);
    if (!path) return;
    int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, status.st_mode & 0777);
    sqlite3_free(path);
    if (descriptor < 0) return;
    int flags = 0;
    if (ioctl(descriptor, FS_IOC_GETFLAGS, &flags) == 0) {
        flags |= FS_NOCOW_FL;
        ioctl(descriptor, FS_IOC_SETFLAGS, &flags);
    }
    // As SQLite does: a command that root runs must not make a file that the server can't open.
    if (geteuid() == 0 && fchown(descriptor, status.st_uid, status.st_gid) != 0) {}
    close(descriptor);
}

static int guarded_close(sqlite3_file *file) {
    free(((guarded_file *)file)->parts);
    ((guarded_file *)file)->parts = NULL;
    ((guarded_file *)file)->count = 0;
    int result = below(file)->pMethods ? below(file)->pMethods->xClose(below(file)) : SQLITE_OK;
    file->pMethods = NULL;
    return result;
}

static int guarded_lock(sqlite3_file *file, int level) {
    if (level == SQLITE_LOCK_EXCLUSIVE) {
        int result = populate((guarded_file *)file);
        if (result != SQLITE_OK) return result;
    }
    return below(file)->pMethods->xLock(below(file), level);
}

static int guarded_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    if (flags == (SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE)) {
        int result = populate((guarded_file *)file);
        if (result != SQLITE_OK) return result;
    }
    return below(file)->pMethods->xShmLock(below(file), offset, count, flags);
}

static int guarded_shm_map(sqlite3_file *base, int index, int size, int extend, void volatile **start) {
    guarded_file *file = (guarded_file *)base;
    if (file->count == 0 && file->path) create_memory_file(file->path);
    int result = below(base)->pMethods->xShmMap(below(base), index, size, extend, start);
    if (result != SQLITE_OK || !*start || index < 0) return result;
    if (index >= file->count) {
        void *parts = realloc(file->parts, sizeof *file->parts * ((size_t)index + 1));
        if (!parts) return SQLITE_NOMEM;
        file->parts = parts;
        memset(file->parts + file->count, 0, sizeof *file->parts * (size_t)(index + 1 - file->count));
        file->count = index + 1;
    }
    file->parts[index].start = *start;
    file->parts[index].size = size;
    return extend ? populate_part(file, index) : SQLITE_OK;
}

static int guarded_shm_unmap(sqlite3_file *file, int deletes) {
    ((guarded_file *)file)->count = 0;
    return below(file)->pMethods->xShmUnmap(below(file), deletes);
}

// The rest is passed on.

static int guarded_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return below(file)->pMethods->xRead(below(file), bytes, count, offset);
}
static int guarded_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    return below(file)->pMethods->xWrite(below(file), bytes, count, offset);
}
static int guarded_truncate(sqlite3_file *file, sqlite3_int64 size) {
    return below(file)->pMethods->xTruncate(below(file), size);
}
static int guarded_sync(sqlite3_file *file, int flags) { return below(file)->pMethods->xSync(below(file), flags); }
static int guarded_file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return below(file)->pMethods->xFileSize(below(file), size);
}
static int guarded_unlock(sqlite3_file *file, int level) { return below(file)->pMethods->xUnlock(below(file), level); }
static int guarded_check_lock(sqlite3_file *file, int *result) {
    return below(file)->pMethods->xCheckReservedLock(below(file), result);
}
static int guarded_control(sqlite3_file *file, int operation, void *argument) {
    return below(file)->pMethods->xFileControl(below(file), operation, argument);
}
static int guarded_sector_size(sqlite3_file *file) { return below(file)->pMethods->xSectorSize(below(file)); }
static int guarded_characteristics(sqlite3_file *file) {
    return below(file)->pMethods->xDeviceCharacteristics(below(file));
}
static void guarded_shm_barrier(sqlite3_file *file) { below(file)->pMethods->xShmBarrier(below(file)); }
static int guarded_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **bytes) {
    return below(file)->pMethods->xFetch(below(file), offset, count, bytes);
}
static int guarded_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *bytes) {
    return below(file)->pMethods->xUnfetch(below(file), offset, bytes);
}

static const sqlite3_io_methods guarded_methods = {
    3,
    guarded_close,
    guarded_read,
    guarded_write,
    guarded_truncate,
    guarded_sync,
    guarded_file_size,
    guarded_lock,
    guarded_unlock,
    guarded_check_lock,
    guarded_control,
    guarded_sector_size,
    guarded_characteristics,
    guarded_shm_map,
    guarded_shm_lock,
    guarded_shm_barrier,
    guarded_shm_unmap,
    guarded_fetch,
    guarded_unfetch,
};

static int guarded_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *result) {
    (void)vfs;
    // Only databases have shared memory, and a file system of three versions has all methods.
    if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return system_vfs->xOpen(system_vfs, path, file, flags, result);
    memset(file, 0, sizeof(guarded_file));
    int code = system_vfs->xOpen(system_vfs, path, below(file), flags, result);
    if (!below(file)->pMethods) return code;
    if (below(file)->pMethods->iVersion < 3 || !below(file)->pMethods->xShmMap) {
        // A file without shared memory is used as it is.
        below(file)->pMethods->xClose(below(file));
        return system_vfs->xOpen(system_vfs, path, file, flags, result);
    }
    ((guarded_file *)file)->path = path;
    file->pMethods = &guarded_methods;
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
    guarded_vfs.szOsFile = (int)sizeof(guarded_file) + system_vfs->szOsFile;
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

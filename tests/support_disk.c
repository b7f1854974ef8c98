/* support_disk.c - see support_disk.h. */
#include "support_disk.h"

#include <signal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cmocka.h>

static struct {
    sqlite3_vfs *real;
    int kinds;       /* which operations count; 0: none */
    int64_t fail_at; /* the operation that fails, counted from 1 */
    disk_fate fate;
    int64_t count;
    bool failed;
} disk;

typedef struct shim_file {
    sqlite3_file base;
    sqlite3_file *real;
} shim_file;

static sqlite3_file *inside(sqlite3_file *file)
{
    return ((shim_file *)file)->real;
}

/* Counts an operation: must it fail? */
static bool fails(int kind)
{
    if ((disk.kinds & kind) == 0)
        return false;
    disk.count++;
    bool lasting = disk.fate == DISK_FAILS_FROM_NOW_ON;
    bool now = disk.count == disk.fail_at || (lasting && disk.count > disk.fail_at);
    if (now && disk.fate == DISK_KILLS)
        kill(getpid(), SIGKILL);
    disk.failed = disk.failed || now;
    return now;
}

static int shim_close(sqlite3_file *file)
{
    return inside(file)->pMethods->xClose(inside(file));
}

static int shim_read(sqlite3_file *file, void *data, int size, sqlite3_int64 at)
{
    if (fails(DISK_READS))
        return SQLITE_IOERR_READ;
    return inside(file)->pMethods->xRead(inside(file), data, size, at);
}

static int shim_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 at)
{
    if (fails(DISK_WRITES))
        return SQLITE_FULL;
    return inside(file)->pMethods->xWrite(inside(file), data, size, at);
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    if (fails(DISK_WRITES))
        return SQLITE_IOERR_TRUNCATE;
    return inside(file)->pMethods->xTruncate(inside(file), size);
}

/* The test survives no power cut, so it need not wait for the disk. */
static int shim_sync(sqlite3_file *file, int flags)
{
    (void)file, (void)flags;
    return fails(DISK_WRITES) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return inside(file)->pMethods->xFileSize(inside(file), size);
}

static int shim_lock(sqlite3_file *file, int level)
{
    return inside(file)->pMethods->xLock(inside(file), level);
}

static int shim_unlock(sqlite3_file *file, int level)
{
    return inside(file)->pMethods->xUnlock(inside(file), level);
}

static int shim_check_lock(sqlite3_file *file, int *result)
{
    return inside(file)->pMethods->xCheckReservedLock(inside(file), result);
}

static int shim_control(sqlite3_file *file, int what, void *argument)
{
    return inside(file)->pMethods->xFileControl(inside(file), what, argument);
}

static int shim_sector(sqlite3_file *file)
{
    return inside(file)->pMethods->xSectorSize(inside(file));
}

static int shim_traits(sqlite3_file *file)
{
    return inside(file)->pMethods->xDeviceCharacteristics(inside(file));
}

static int shim_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out)
{
    return inside(file)->pMethods->xShmMap(inside(file), page, size, extend, out);
}

static int shim_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return inside(file)->pMethods->xShmLock(inside(file), offset, count, flags);
}

static void shim_shm_barrier(sqlite3_file *file)
{
    inside(file)->pMethods->xShmBarrier(inside(file));
}

static int shim_shm_unmap(sqlite3_file *file, int erase)
{
    return inside(file)->pMethods->xShmUnmap(inside(file), erase);
}

static const sqlite3_io_methods shim_methods = {
    .iVersion = 2,
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_check_lock,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector,
    .xDeviceCharacteristics = shim_traits,
    .xShmMap = shim_shm_map,
    .xShmLock = shim_shm_lock,
    .xShmBarrier = shim_shm_barrier,
    .xShmUnmap = shim_shm_unmap,
};

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    (void)vfs;
    shim_file *shim = (shim_file *)file;
    shim->real = (sqlite3_file *)(shim + 1);
    shim->base.pMethods = NULL;
    int rc = disk.real->xOpen(disk.real, name, shim->real, flags, out);
    if (rc == SQLITE_OK)
        shim->base.pMethods = &shim_methods;
    return rc;
}

/* Removing a journal or a log is an operation too. */
static int shim_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs;
    if (fails(DISK_WRITES))
        return SQLITE_IOERR_DELETE;
    return disk.real->xDelete(disk.real, name, sync);
}

void disk_install(void)
{
    static sqlite3_vfs shim;
    disk.real = sqlite3_vfs_find(NULL);
    shim = *disk.real;
    shim.zName = "shim";
    shim.szOsFile = (int)sizeof(shim_file) + disk.real->szOsFile;
    shim.xOpen = shim_open;
    shim.xDelete = shim_delete;
    assert_int_equal(sqlite3_vfs_register(&shim, 1), SQLITE_OK);
}

void disk_arm(int kinds, int64_t n, disk_fate fate)
{
    disk.kinds = kinds;
    disk.fail_at = n;
    disk.fate = fate;
    disk.count = 0;
    disk.failed = false;
}

void disk_disarm(void)
{
    disk.kinds = 0;
}

bool disk_failed(void)
{
    return disk.failed;
}

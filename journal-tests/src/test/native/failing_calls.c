/*
 * Lets one call of the C library fail that a process makes on files below a watched directory. To be preloaded:
 *
 *     cc -shared -fPIC -O2 -o libfailing_calls.so failing_calls.c -ldl
 *     LD_PRELOAD=libfailing_calls.so JOURNAL_FAULTS=/path/of/control java ...
 *
 * The control file is shared memory; its layout is struct control below and PreloadedFaults.java. Calls are counted
 * from 0. While armed, the call of index `target` fails: it returns -1 with `error` and does nothing, except that a
 * close closes. With an error of SHORT, a read or write transfers half of what it was asked for.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#if !defined(__GLIBC__) || __SIZEOF_POINTER__ < 8
#error needs the GNU C library and 64 bits
#endif

#define EXPORT __attribute__((visibility("default")))
#define MAX_FDS 4096
#define MAX_PATH 256
#define MAX_MAPPINGS 256
#define MAX_TRACE 8192
#define NAME_LENGTH 16
#define TRACE_PATH_LENGTH 112
#define SHORT (-1)

struct trace
{
    char name[NAME_LENGTH];
    char path[TRACE_PATH_LENGTH];
};

struct control
{
    int32_t armed;
    int32_t error;
    int64_t target;
    int64_t count;
    int64_t fired;
    int64_t open_fds;
    int64_t skip_syncs;
    int64_t loaded;
    int64_t reserved;
    char prefix[MAX_PATH];
    struct trace failed;
    struct trace calls[MAX_TRACE];
};

struct mapping
{
    char *start;
    size_t length;
    char path[MAX_PATH];
};

static struct control *control;
static char paths[MAX_FDS][MAX_PATH];
static struct mapping mappings[MAX_MAPPINGS];
static int mappings_lock;

#define REAL(type, name, parameters) \
    static type (*real) parameters; \
    if (NULL == real) \
    { \
        const int before = errno; \
        *(void **)&real = dlsym(RTLD_NEXT, name); \
        errno = before; \
    }

__attribute__((constructor)) static void init(void)
{
    const char *name = getenv("JOURNAL_FAULTS");
    if (NULL == name || NULL != control)
    {
        return;
    }

    const int fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC, 0);
    if (fd >= 0)
    {
        void *memory = (void *)syscall(
            SYS_mmap, NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        syscall(SYS_close, fd);
        if (MAP_FAILED != memory)
        {
            control = memory;
            control->loaded = sizeof(struct control);
        }
    }
}

static int is_watched(const char *path)
{
    if (NULL == control || NULL == path)
    {
        return 0;
    }

    const size_t length = strnlen(control->prefix, MAX_PATH);
    return length > 0 && 0 == strncmp(path, control->prefix, length) && ('/' == path[length] || 0 == path[length]);
}

static const char *path_of(const int fd)
{
    return fd >= 0 && fd < MAX_FDS && 0 != paths[fd][0] ? paths[fd] : NULL;
}

/* The path of a name that may be relative to a directory. */
static const char *resolve(const int fd, const char *path, char *resolved)
{
    const char *base = NULL == path || '/' == path[0] || AT_FDCWD == fd ? NULL : path_of(fd);
    if (NULL == base)
    {
        return path;
    }

    if (0 == path[0])
    {
        return base;
    }
    snprintf(resolved, 2 * MAX_PATH, "%s/%s", base, path);
    return resolved;
}

static void remember(const int fd, const char *path)
{
    if (fd >= 0 && fd < MAX_FDS)
    {
        memmove(paths[fd], path, strnlen(path, MAX_PATH - 1) + 1);
        __atomic_fetch_add(&control->open_fds, 1, __ATOMIC_SEQ_CST);
    }
}

static void forget(const int fd)
{
    if (NULL != path_of(fd))
    {
        paths[fd][0] = 0;
        __atomic_fetch_sub(&control->open_fds, 1, __ATOMIC_SEQ_CST);
    }
}

static void note(struct trace *trace, const char *name, const char *path)
{
    const size_t length = strnlen(control->prefix, MAX_PATH);
    memset(trace, 0, sizeof(*trace));
    strncpy(trace->name, name, NAME_LENGTH - 1);
    strncpy(trace->path, strlen(path) > length ? path + length + 1 : ".", TRACE_PATH_LENGTH - 1);
}

/* Counts a call on a watched path, and says with which error it has to fail, if at all. */
static int enter(const char *name, const char *path)
{
    const int64_t index = __atomic_fetch_add(&control->count, 1, __ATOMIC_SEQ_CST);
    if (index < MAX_TRACE)
    {
        note(&control->calls[index], name, path);
    }
    int32_t expected = 1;
    if (index == control->target && __atomic_compare_exchange_n(
        &control->armed, &expected, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    {
        note(&control->failed, name, path);
        control->fired = 1;
        return control->error;
    }
    return 0;
}

static int fails(const char *name, const char *path)
{
    const int error = NULL == path || !is_watched(path) ? 0 : enter(name, path);
    if (error > 0)
    {
        errno = error;
        return 1;
    }
    return 0;
}

static int fails_fd(const char *name, const int fd)
{
    return fails(name, path_of(fd));
}

/* As fails, for a call that may also transfer less than it was asked for. */
static int fails_transfer(const char *name, const int fd, size_t *length)
{
    const char *path = path_of(fd);
    if (NULL == path)
    {
        return 0;
    }

    const int error = enter(name, path);
    if (error > 0)
    {
        errno = error;
        return 1;
    }
    if (SHORT == error && *length > 1)
    {
        *length /= 2;
    }
    return 0;
}

static int is_skipping_syncs(const char *path)
{
    return NULL != path && 0 != control->skip_syncs;
}

/* open */

#define MODE(flags, mode) \
    mode_t mode = 0; \
    if (0 != ((flags) & (O_CREAT | O_TMPFILE))) \
    { \
        va_list arguments; \
        va_start(arguments, flags); \
        mode = (mode_t)va_arg(arguments, int); \
        va_end(arguments); \
    }

#define OPEN(name) \
    EXPORT int name(const char *path, int flags, ...) \
    { \
        REAL(int, #name, (const char *, int, ...)) \
        MODE(flags, mode) \
        if (fails(0 != (flags & O_CREAT) ? "create" : "open", path)) \
        { \
            return -1; \
        } \
        const int fd = real(path, flags, mode); \
        if (is_watched(path)) \
        { \
            remember(fd, path); \
        } \
        return fd; \
    }

OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    EXPORT int name(int directory, const char *file, int flags, ...) \
    { \
        REAL(int, #name, (int, const char *, int, ...)) \
        MODE(flags, mode) \
        char resolved[2 * MAX_PATH]; \
        const char *path = resolve(directory, file, resolved); \
        if (fails(0 != (flags & O_CREAT) ? "create" : "open", path)) \
        { \
            return -1; \
        } \
        const int fd = real(directory, file, flags, mode); \
        if (is_watched(path)) \
        { \
            remember(fd, path); \
        } \
        return fd; \
    }

OPENAT(openat)
OPENAT(openat64)

EXPORT int close(int fd)
{
    REAL(int, "close", (int))
    const int failed = fails_fd("close", fd);
    const int error = errno;
    forget(fd);
    const int result = real(fd);
    if (failed)
    {
        errno = error;
        return -1;
    }
    return result;
}

EXPORT int dup(int fd)
{
    REAL(int, "dup", (int))
    if (fails_fd("dup", fd))
    {
        return -1;
    }
    const int copy = real(fd);
    if (NULL != path_of(fd))
    {
        remember(copy, path_of(fd));
    }
    return copy;
}

/* dup2 is how the JDK closes some descriptors: the target keeps no path. */
EXPORT int dup2(int fd, int target)
{
    REAL(int, "dup2", (int, int))
    if (fails_fd("dup", fd))
    {
        return -1;
    }
    const int result = real(fd, target);
    if (result >= 0 && fd != target)
    {
        forget(target);
        if (NULL != path_of(fd))
        {
            remember(target, path_of(fd));
        }
    }
    return result;
}

/* read and write */

EXPORT ssize_t read(int fd, void *buffer, size_t length)
{
    REAL(ssize_t, "read", (int, void *, size_t))
    return fails_transfer("read", fd, &length) ? -1 : real(fd, buffer, length);
}

EXPORT ssize_t write(int fd, const void *buffer, size_t length)
{
    REAL(ssize_t, "write", (int, const void *, size_t))
    return fails_transfer("write", fd, &length) ? -1 : real(fd, buffer, length);
}

#define PREAD(name) \
    EXPORT ssize_t name(int fd, void *buffer, size_t length, off64_t offset) \
    { \
        REAL(ssize_t, #name, (int, void *, size_t, off64_t)) \
        return fails_transfer("pread", fd, &length) ? -1 : real(fd, buffer, length, offset); \
    }

#define PWRITE(name) \
    EXPORT ssize_t name(int fd, const void *buffer, size_t length, off64_t offset) \
    { \
        REAL(ssize_t, #name, (int, const void *, size_t, off64_t)) \
        return fails_transfer("pwrite", fd, &length) ? -1 : real(fd, buffer, length, offset); \
    }

PREAD(pread)
PREAD(pread64)
PWRITE(pwrite)
PWRITE(pwrite64)

EXPORT ssize_t readv(int fd, const struct iovec *vectors, int count)
{
    REAL(ssize_t, "readv", (int, const struct iovec *, int))
    return fails_fd("readv", fd) ? -1 : real(fd, vectors, count);
}

EXPORT ssize_t writev(int fd, const struct iovec *vectors, int count)
{
    REAL(ssize_t, "writev", (int, const struct iovec *, int))
    return fails_fd("writev", fd) ? -1 : real(fd, vectors, count);
}

#define LSEEK(name) \
    EXPORT off64_t name(int fd, off64_t offset, int whence) \
    { \
        REAL(off64_t, #name, (int, off64_t, int)) \
        return fails_fd("lseek", fd) ? -1 : real(fd, offset, whence); \
    }

LSEEK(lseek)
LSEEK(lseek64)

#define FTRUNCATE(name) \
    EXPORT int name(int fd, off64_t length) \
    { \
        REAL(int, #name, (int, off64_t)) \
        return fails_fd("ftruncate", fd) ? -1 : real(fd, length); \
    }

FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

#define FALLOCATE(name) \
    EXPORT int name(int fd, int mode, off64_t offset, off64_t length) \
    { \
        REAL(int, #name, (int, int, off64_t, off64_t)) \
        return fails_fd("fallocate", fd) ? -1 : real(fd, mode, offset, length); \
    }

FALLOCATE(fallocate)
FALLOCATE(fallocate64)

/* sync */

EXPORT int fsync(int fd)
{
    REAL(int, "fsync", (int))
    return fails_fd("fsync", fd) ? -1 : is_skipping_syncs(path_of(fd)) ? 0 : real(fd);
}

EXPORT int fdatasync(int fd)
{
    REAL(int, "fdatasync", (int))
    return fails_fd("fdatasync", fd) ? -1 : is_skipping_syncs(path_of(fd)) ? 0 : real(fd);
}

static void lock_mappings(void)
{
    while (__atomic_exchange_n(&mappings_lock, 1, __ATOMIC_ACQUIRE))
    {
    }
}

static void unlock_mappings(void)
{
    __atomic_store_n(&mappings_lock, 0, __ATOMIC_RELEASE);
}

static void remember_mapping(char *start, const size_t length, const char *path)
{
    lock_mappings();
    for (int i = 0; i < MAX_MAPPINGS; i++)
    {
        if (NULL == mappings[i].start)
        {
            strncpy(mappings[i].path, path, MAX_PATH - 1);
            mappings[i].length = length;
            mappings[i].start = start;
            break;
        }
    }
    unlock_mappings();
}

static void forget_mapping(const char *start)
{
    lock_mappings();
    for (int i = 0; i < MAX_MAPPINGS; i++)
    {
        if (start == mappings[i].start)
        {
            mappings[i].start = NULL;
        }
    }
    unlock_mappings();
}

static int find_mapping(const char *address, char *path)
{
    int found = 0;
    lock_mappings();
    for (int i = 0; i < MAX_MAPPINGS && !found; i++)
    {
        if (NULL != mappings[i].start && address >= mappings[i].start &&
            address < mappings[i].start + mappings[i].length)
        {
            memcpy(path, mappings[i].path, MAX_PATH);
            found = 1;
        }
    }
    unlock_mappings();
    return found;
}

#define MMAP(name) \
    EXPORT void *name(void *address, size_t length, int protection, int flags, int fd, off64_t offset) \
    { \
        REAL(void *, #name, (void *, size_t, int, int, int, off64_t)) \
        if (fails_fd("mmap", fd)) \
        { \
            return MAP_FAILED; \
        } \
        void *memory = real(address, length, protection, flags, fd, offset); \
        if (MAP_FAILED != memory && NULL != path_of(fd)) \
        { \
            remember_mapping(memory, length, path_of(fd)); \
        } \
        return memory; \
    }

MMAP(mmap)
MMAP(mmap64)

EXPORT int munmap(void *address, size_t length)
{
    REAL(int, "munmap", (void *, size_t))
    if (NULL != control)
    {
        forget_mapping(address);
    }
    return real(address, length);
}

EXPORT int msync(void *address, size_t length, int flags)
{
    REAL(int, "msync", (void *, size_t, int))
    char path[MAX_PATH];
    if (!find_mapping(address, path))
    {
        return real(address, length, flags);
    }
    return fails("msync", path) ? -1 : is_skipping_syncs(path) ? 0 : real(address, length, flags);
}

/* stat and access */

#define STAT(name, kind, type) \
    EXPORT int name(const char *path, type *status) \
    { \
        REAL(int, #name, (const char *, type *)) \
        return fails(kind, path) ? -1 : real(path, status); \
    }

STAT(stat, "stat", struct stat)
STAT(stat64, "stat", struct stat64)
STAT(lstat, "lstat", struct stat)
STAT(lstat64, "lstat", struct stat64)

#define FSTAT(name, type) \
    EXPORT int name(int fd, type *status) \
    { \
        REAL(int, #name, (int, type *)) \
        return fails_fd("fstat", fd) ? -1 : real(fd, status); \
    }

FSTAT(fstat, struct stat)
FSTAT(fstat64, struct stat64)

#define FSTATAT(name, type) \
    EXPORT int name(int directory, const char *file, type *status, int flags) \
    { \
        REAL(int, #name, (int, const char *, type *, int)) \
        char resolved[2 * MAX_PATH]; \
        return fails(0 != (flags & AT_SYMLINK_NOFOLLOW) ? "lstat" : "stat", resolve(directory, file, resolved)) ? \
            -1 : real(directory, file, status, flags); \
    }

FSTATAT(fstatat, struct stat)
FSTATAT(fstatat64, struct stat64)

/* What programs call that were built with a C library before 2.33. */
#define XSTAT(name, kind, type) \
    EXPORT int name(int version, const char *path, type *status) \
    { \
        REAL(int, #name, (int, const char *, type *)) \
        return fails(kind, path) ? -1 : real(version, path, status); \
    }

XSTAT(__xstat, "stat", struct stat)
XSTAT(__xstat64, "stat", struct stat64)
XSTAT(__lxstat, "lstat", struct stat)
XSTAT(__lxstat64, "lstat", struct stat64)

#define FXSTAT(name, type) \
    EXPORT int name(int version, int fd, type *status) \
    { \
        REAL(int, #name, (int, int, type *)) \
        return fails_fd("fstat", fd) ? -1 : real(version, fd, status); \
    }

FXSTAT(__fxstat, struct stat)
FXSTAT(__fxstat64, struct stat64)

#define FXSTATAT(name, type) \
    EXPORT int name(int version, int directory, const char *file, type *status, int flags) \
    { \
        REAL(int, #name, (int, int, const char *, type *, int)) \
        char resolved[2 * MAX_PATH]; \
        return fails(0 != (flags & AT_SYMLINK_NOFOLLOW) ? "lstat" : "stat", resolve(directory, file, resolved)) ? \
            -1 : real(version, directory, file, status, flags); \
    }

FXSTATAT(__fxstatat, struct stat)
FXSTATAT(__fxstatat64, struct stat64)

EXPORT int statx(int directory, const char *restrict file, int flags, unsigned mask, struct statx *restrict status)
{
    REAL(int, "statx", (int, const char *, int, unsigned, struct statx *))
    char resolved[2 * MAX_PATH];
    const char *path = resolve(directory, file, resolved);
    const char *kind = NULL != path && '/' != file[0] && path == path_of(directory) ? "fstat" :
        0 != (flags & AT_SYMLINK_NOFOLLOW) ? "lstat" : "stat";
    return fails(kind, path) ? -1 : real(directory, file, flags, mask, status);
}

EXPORT int access(const char *path, int mode)
{
    REAL(int, "access", (const char *, int))
    return fails("access", path) ? -1 : real(path, mode);
}

EXPORT int faccessat(int directory, const char *file, int mode, int flags)
{
    REAL(int, "faccessat", (int, const char *, int, int))
    char resolved[2 * MAX_PATH];
    return fails("access", resolve(directory, file, resolved)) ? -1 : real(directory, file, mode, flags);
}

#define STATVFS(name, type) \
    EXPORT int name(const char *path, type *status) \
    { \
        REAL(int, #name, (const char *, type *)) \
        return fails("statvfs", path) ? -1 : real(path, status); \
    }

STATVFS(statvfs, struct statvfs)
STATVFS(statvfs64, struct statvfs64)

#define FSTATVFS(name, type) \
    EXPORT int name(int fd, type *status) \
    { \
        REAL(int, #name, (int, type *)) \
        return fails_fd("statvfs", fd) ? -1 : real(fd, status); \
    }

FSTATVFS(fstatvfs, struct statvfs)
FSTATVFS(fstatvfs64, struct statvfs64)

EXPORT char *realpath(const char *restrict path, char *restrict resolved)
{
    REAL(char *, "realpath", (const char *, char *))
    return fails("realpath", path) ? NULL : real(path, resolved);
}

EXPORT ssize_t readlink(const char *restrict path, char *restrict buffer, size_t length)
{
    REAL(ssize_t, "readlink", (const char *, char *, size_t))
    return fails("readlink", path) ? -1 : real(path, buffer, length);
}

/* names */

EXPORT int rename(const char *from, const char *to)
{
    REAL(int, "rename", (const char *, const char *))
    return fails("rename", is_watched(from) ? from : to) ? -1 : real(from, to);
}

EXPORT int renameat(int directory, const char *from, int target, const char *to)
{
    REAL(int, "renameat", (int, const char *, int, const char *))
    char resolved[2 * MAX_PATH];
    return fails("rename", resolve(directory, from, resolved)) ? -1 : real(directory, from, target, to);
}

EXPORT int link(const char *from, const char *to)
{
    REAL(int, "link", (const char *, const char *))
    return fails("link", to) ? -1 : real(from, to);
}

#define NAMED(name, kind) \
    EXPORT int name(const char *path) \
    { \
        REAL(int, #name, (const char *)) \
        return fails(kind, path) ? -1 : real(path); \
    }

NAMED(unlink, "unlink")
NAMED(remove, "unlink")
NAMED(rmdir, "rmdir")

EXPORT int unlinkat(int directory, const char *file, int flags)
{
    REAL(int, "unlinkat", (int, const char *, int))
    char resolved[2 * MAX_PATH];
    return fails("unlink", resolve(directory, file, resolved)) ? -1 : real(directory, file, flags);
}

EXPORT int mkdir(const char *path, mode_t mode)
{
    REAL(int, "mkdir", (const char *, mode_t))
    return fails("mkdir", path) ? -1 : real(path, mode);
}

EXPORT int mkdirat(int directory, const char *file, mode_t mode)
{
    REAL(int, "mkdirat", (int, const char *, mode_t))
    char resolved[2 * MAX_PATH];
    return fails("mkdir", resolve(directory, file, resolved)) ? -1 : real(directory, file, mode);
}

EXPORT int chmod(const char *path, mode_t mode)
{
    REAL(int, "chmod", (const char *, mode_t))
    return fails("chmod", path) ? -1 : real(path, mode);
}

EXPORT int fchmod(int fd, mode_t mode)
{
    REAL(int, "fchmod", (int, mode_t))
    return fails_fd("fchmod", fd) ? -1 : real(fd, mode);
}

/* directories */

EXPORT DIR *opendir(const char *path)
{
    REAL(DIR *, "opendir", (const char *))
    if (fails("opendir", path))
    {
        return NULL;
    }
    DIR *directory = real(path);
    if (NULL != directory && is_watched(path))
    {
        remember(dirfd(directory), path);
    }
    return directory;
}

EXPORT DIR *fdopendir(int fd)
{
    REAL(DIR *, "fdopendir", (int))
    return fails_fd("fdopendir", fd) ? NULL : real(fd);
}

#define READDIR(name, type) \
    EXPORT type *name(DIR *directory) \
    { \
        REAL(type *, #name, (DIR *)) \
        return fails_fd("readdir", dirfd(directory)) ? NULL : real(directory); \
    }

READDIR(readdir, struct dirent)
READDIR(readdir64, struct dirent64)

EXPORT int closedir(DIR *directory)
{
    REAL(int, "closedir", (DIR *))
    const int fd = dirfd(directory);
    const int failed = fails_fd("closedir", fd);
    const int error = errno;
    forget(fd);
    const int result = real(directory);
    if (failed)
    {
        errno = error;
        return -1;
    }
    return result;
}

/* locks */

static int is_locking(const int command)
{
    return F_SETLK == command || F_SETLKW == command || F_OFD_SETLK == command || F_OFD_SETLKW == command;
}

#define FCNTL(name) \
    EXPORT int name(int fd, int command, ...) \
    { \
        REAL(int, #name, (int, int, ...)) \
        va_list arguments; \
        va_start(arguments, command); \
        void *argument = va_arg(arguments, void *); \
        va_end(arguments); \
        return is_locking(command) && fails_fd("lock", fd) ? -1 : real(fd, command, argument); \
    }

FCNTL(fcntl)
FCNTL(fcntl64)

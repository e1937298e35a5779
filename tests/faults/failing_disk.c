/* Preloaded before the tracer. Makes calls on files below a folder fail, as a disk or a remote file server would.
 *
 *   FAILING_DISK_FOLDER=/the/folder[:/beginning/of/another]
 *   FAILING_DISK="pwrite EIO from 3; open ENOENT until 1500 ms; any ESTALE until 5"
 *
 * A rule names a call (open, mkdir, pwrite, ftruncate, posix_fallocate, mmap, close, rename, unlink, or any of them),
 * the error, and which of the matching calls fail: from the n-th on, until the n-th, or for some milliseconds after the
 * first. `open` includes creating and fopen; `pwrite` includes all ways to write. With FAILING_DISK_RANK=N only the
 * disk of that rank is bad. When close fails, the file is closed nevertheless, as in Linux. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { most_rules = 8 };

struct Rule {
    char call[24];
    int error;
    long from, until, milliseconds; /* 0: not given */
    atomic_long calls, first_ms;
};

static struct Rule rules[most_rules];
static int rule_count;
static const char* folders;

static int error_of(const char* name) {
    static const struct {
        const char* name;
        int number;
    } known[] = {{"EIO", EIO},       {"ENOENT", ENOENT}, {"ENOSPC", ENOSPC}, {"ESTALE", ESTALE}, {"EROFS", EROFS},
                 {"EDQUOT", EDQUOT}, {"EMFILE", EMFILE}, {"EACCES", EACCES}, {"EINTR", EINTR}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (strcmp(known[i].name, name) == 0) return known[i].number;
    fprintf(stderr, "failing_disk: unknown error %s\n", name);
    _exit(2);
}

static long now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void read_rule(const char* text) {
    char error[16], when[8], unit[4] = "";
    long number = 0;
    struct Rule* rule = &rules[rule_count];
    if (rule_count == most_rules ||
        sscanf(text, " %23s %15s %7s %ld %3s", rule->call, error, when, &number, unit) < 4) {
        fprintf(stderr, "failing_disk: no rule: %s\n", text);
        _exit(2);
    }
    rule->error = error_of(error);
    if (strcmp(when, "from") == 0)
        rule->from = number;
    else if (strcmp(unit, "ms") == 0)
        rule->milliseconds = number;
    else
        rule->until = number;
    ++rule_count;
}

__attribute__((constructor)) static void read_rules(void) {
    const char* wanted = getenv("FAILING_DISK_RANK");
    const char* rank = getenv("OMPI_COMM_WORLD_RANK");
    if (rank == NULL) rank = getenv("PMI_RANK");
    const char* text = getenv("FAILING_DISK");
    if (text == NULL || (wanted != NULL && (rank == NULL || strcmp(wanted, rank) != 0))) return;
    char* copy = strdup(text);
    for (char* rule = strtok(copy, ";"); rule != NULL; rule = strtok(NULL, ";")) read_rule(rule);
    free(copy);
    folders = getenv("FAILING_DISK_FOLDER");
}

static int applies(struct Rule* rule, const char* call) {
    if (strcmp(rule->call, call) != 0 && strcmp(rule->call, "any") != 0) return 0;
    const long number = ++rule->calls;
    if (rule->from > 0) return number >= rule->from;
    if (rule->until > 0) return number < rule->until;
    long first = 0;
    atomic_compare_exchange_strong(&rule->first_ms, &first, now_ms());
    return now_ms() - rule->first_ms < rule->milliseconds;
}

static int is_on_disk(const char* path) {
    for (const char* folder = folders; folder != NULL && *folder != '\0';) {
        const size_t size = strcspn(folder, ":");
        if (strncmp(path, folder, size) == 0) return 1;
        folder += size + (folder[size] == ':');
    }
    return 0;
}

/* The error that this call must return; 0: none. */
static int path_error(const char* call, const char* path) {
    if (!is_on_disk(path)) return 0;
    for (int i = 0; i < rule_count; ++i)
        if (applies(&rules[i], call)) return rules[i].error;
    return 0;
}

static int file_error(const char* call, int file) {
    if (folders == NULL) return 0;
    const int before = errno;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t size = readlink(link, path, sizeof path - 1);
    errno = before;
    path[size < 0 ? 0 : size] = '\0';
    return path_error(call, path);
}

#define NEXT(name)                                                                                                     \
    static __typeof__(&name) next;                                                                                     \
    if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define FAIL_IF(error, result)                                                                                         \
    do {                                                                                                               \
        const int wanted_error = error;                                                                                \
        if (wanted_error != 0) {                                                                                       \
            errno = wanted_error;                                                                                      \
            return result;                                                                                             \
        }                                                                                                              \
    } while (0)

#define OPENS(name)                                                                                                    \
    int name(const char* path, int flags, ...) {                                                                       \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;                           \
        va_end(more);                                                                                                  \
        NEXT(name);                                                                                                    \
        FAIL_IF(path_error("open", path), -1);                                                                         \
        return next(path, flags, mode);                                                                                \
    }

#define STREAMS(name)                                                                                                  \
    FILE* name(const char* path, const char* mode) {                                                                   \
        NEXT(name);                                                                                                    \
        FAIL_IF(path_error("open", path), NULL);                                                                       \
        return next(path, mode);                                                                                       \
    }

#define WRITES_AT(name)                                                                                                \
    ssize_t name(int file, const void* from, size_t size, off_t at) {                                                  \
        NEXT(name);                                                                                                    \
        FAIL_IF(file_error("pwrite", file), -1);                                                                       \
        return next(file, from, size, at);                                                                             \
    }

#define CUTS(name)                                                                                                     \
    int name(int file, off_t size) {                                                                                   \
        NEXT(name);                                                                                                    \
        FAIL_IF(file_error("ftruncate", file), -1);                                                                    \
        return next(file, size);                                                                                       \
    }

#define ALLOCATES(name)                                                                                                \
    int name(int file, off_t at, off_t size) {                                                                         \
        NEXT(name);                                                                                                    \
        const int error = file_error("posix_fallocate", file);                                                         \
        return error != 0 ? error : next(file, at, size);                                                              \
    }

OPENS(open)
OPENS(open64)
STREAMS(fopen)
STREAMS(fopen64)
WRITES_AT(pwrite)
WRITES_AT(pwrite64)
CUTS(ftruncate)
CUTS(ftruncate64)
ALLOCATES(posix_fallocate)
ALLOCATES(posix_fallocate64)

ssize_t write(int file, const void* from, size_t size) {
    NEXT(write);
    FAIL_IF(file_error("pwrite", file), -1);
    return next(file, from, size);
}

ssize_t pwritev(int file, const struct iovec* parts, int count, off_t at) {
    NEXT(pwritev);
    FAIL_IF(file_error("pwrite", file), -1);
    return next(file, parts, count, at);
}

void* mmap(void* where, size_t size, int protection, int flags, int file, off_t at) {
    NEXT(mmap);
    FAIL_IF(file < 0 ? 0 : file_error("mmap", file), MAP_FAILED);
    return next(where, size, protection, flags, file, at);
}

int mkdir(const char* path, mode_t mode) {
    NEXT(mkdir);
    FAIL_IF(path_error("mkdir", path), -1);
    return next(path, mode);
}

int close(int file) {
    NEXT(close);
    const int error = file_error("close", file);
    const int result = next(file);
    FAIL_IF(error, -1);
    return result;
}

int rename(const char* from, const char* to) {
    NEXT(rename);
    FAIL_IF(path_error("rename", from), -1);
    return next(from, to);
}

int unlink(const char* path) {
    NEXT(unlink);
    FAIL_IF(path_error("unlink", path), -1);
    return next(path);
}

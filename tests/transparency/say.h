/* What a program of the transparency suite tells about MPI: every code, status, handle and value that an application
 * can observe becomes a line "rank.number text". Lines are kept in the process. Rank 0 prints them in rank order. Where
 * there is no MPI any more, it gets them by files, or each rank prints its own. The traced run must print the same. To
 * be used by the main thread only. */
#ifndef TACTUS_TESTS_TRANSPARENCY_SAY_H
#define TACTUS_TESTS_TRANSPARENCY_SAY_H

#include "check.h"
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { said_room = 1 << 20, untouched = 0x5a5a5a5a };

static char said[said_room];
static int said_length, said_lines, said_rank;

__attribute__((format(printf, 1, 2))) static inline void say(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char* line = said + said_length;
    int room = said_room - said_length;
    int used = snprintf(line, (size_t)room, "%d.%04d ", said_rank, said_lines++);
    used += vsnprintf(line + used, (size_t)(room - used), format, arguments);
    va_end(arguments);
    line[used] = '\n';
    said_length += used + 1;
    CHECK(said_length < said_room - 4096);
}

/* Each rank prints what it has kept. With several ranks the order is chance. */
static inline void say_alone(void) {
    fwrite(said, 1, (size_t)said_length, stdout);
    fflush(stdout);
    said_length = 0;
}

/* PRRTE 3.0.8 reads pieces of 4,096 bytes, and prints the rest of a line in front of the other stream's next one. */
static inline void wait_until_read(void) {
    fflush(stdout);
    for (int unread = 0; ioctl(STDOUT_FILENO, FIONREAD, &unread) == 0 && unread > 0;) usleep(100);
}

/* Rank 0 prints what all ranks have kept, in rank order, where there is no MPI any more: each leaves it in a file of
 * the current folder. */
static inline void say_by_files(int size) {
    char name[32], part[64];
    CHECK(size > 0);
    snprintf(name, sizeof name, "said.%d", said_rank);
    snprintf(part, sizeof part, "%s.part", name);
    FILE* own = fopen(part, "w");
    CHECK(own != NULL && fwrite(said, 1, (size_t)said_length, own) == (size_t)said_length);
    CHECK(fclose(own) == 0 && rename(part, name) == 0);
    for (int rank = 0; said_rank == 0 && rank < size; rank++) {
        FILE* theirs;
        snprintf(name, sizeof name, "said.%d", rank);
        while ((theirs = fopen(name, "r")) == NULL) usleep(1000);
        for (int letter; (letter = getc(theirs)) != EOF;) {
            putchar(letter);
            if (letter == '\n') wait_until_read();
        }
        fclose(theirs);
        remove(name);
    }
    said_length = 0;
}

/* Rank 0 prints everything that was kept so far, in rank order. Collective over MPI_COMM_WORLD. */
static inline void say_out(void) {
    enum { most_ranks = 64 };
    int size = size_of(MPI_COMM_WORLD), lengths[most_ranks], starts[most_ranks], total = 0;
    CHECK(size <= most_ranks);
    MPI_Gather(&said_length, 1, MPI_INT, lengths, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int rank = 0; said_rank == 0 && rank < size; rank++) {
        starts[rank] = total;
        total += lengths[rank];
    }
    char* all = (char*)malloc((size_t)total + 1);
    MPI_Gatherv(said, said_length, MPI_CHAR, all, lengths, starts, MPI_CHAR, 0, MPI_COMM_WORLD);
    fwrite(all, 1, (size_t)total, stdout);
    fflush(stdout);
    free(all);
    said_length = 0;
}

static inline void say_code(const char* what, int code) {
    int family = 0, length;
    char text[MPI_MAX_ERROR_STRING] = "";
    if (code == MPI_SUCCESS) {
        say("%s: ok", what);
        return;
    }
    MPI_Error_class(code, &family);
    MPI_Error_string(family, text, &length);
    say("%s: class %d, %s", what, family, text);
}

/* Makes a call and prints what it returned. */
#define TRY(call) say_code(#call, call)

static inline MPI_Status untouched_status(void) {
    MPI_Status status;
    memset(&status, 0x5a, sizeof status);
    return status;
}

static inline const char* said_int(int value, char* text) {
    if (value == untouched) return "untouched";
    if (value == MPI_ANY_SOURCE) return "any source";
    if (value == MPI_PROC_NULL) return "null process";
    if (value == MPI_UNDEFINED) return "undefined";
    sprintf(text, "%d", value);
    return text;
}

/* Prints every field of a status. `type` is the type in which count and elements are queried. */
static inline void say_status(const char* what, const MPI_Status* status, MPI_Datatype type) {
    int count = untouched, elements = untouched, cancelled = untouched, family = status->MPI_ERROR;
    char texts[6][16];
    MPI_Get_count(status, type, &count);
    MPI_Get_elements(status, type, &elements);
    MPI_Test_cancelled(status, &cancelled);
    if (family != untouched && family != MPI_SUCCESS) MPI_Error_class(family, &family);
    say("%s: source %s tag %s error %s count %s elements %s cancelled %s", what, said_int(status->MPI_SOURCE, texts[0]),
        said_int(status->MPI_TAG, texts[1]), said_int(family, texts[2]), said_int(count, texts[3]),
        said_int(elements, texts[4]), said_int(cancelled != 0, texts[5]));
}

static inline void say_ints(const char* what, const int* values, int count) {
    char line[2048] = "", *end = line;
    for (int i = 0; i < count && end < line + sizeof line - 32; i++) end += sprintf(end, " %d", values[i]);
    say("%s:%s", what, line);
}

/* Prints a long buffer as one number (FNV-1a). */
static inline void say_bytes(const char* what, const void* bytes, size_t size) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ ((const unsigned char*)bytes)[i]) * 1099511628211u;
    say("%s: %zu bytes, %016llx", what, size, (unsigned long long)hash);
}

/* Makes errors return instead of ending the program. Two handlers are set because, if a handle is not a communicator,
 * it depends on the MPI which of them is called. */
static inline void say_begin(void) {
    said_rank = rank_in(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

#endif

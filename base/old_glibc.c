// Functions that glibc has had only since 2.30 or later, for libraries that run with 2.28, too (tools/cmake/
// old_glibc.cmake). The compiler's own libraries, which are linked into ours, ask for most of them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

// 2.33. On 64-bit systems the kernel's struct is that of the C library.
HIDDEN int fstat(int file, struct stat* facts) { return (int)syscall(SYS_fstat, file, facts); }
HIDDEN int stat(const char* restrict path, struct stat* restrict facts) {
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, facts, 0);
}

// 2.35, for the unwinder of libgcc, which then has no other way to find the tables of an address.
#ifdef DLFO_STRUCT_HAS_EH_DBASE
struct search {
    uintptr_t address;
    struct dl_find_object* result;
};

static int is_in(struct dl_phdr_info* object, size_t size, void* data) {
    const struct search* const search = data;
    uintptr_t begin = UINTPTR_MAX, end = 0, tables = 0;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)* const part = &object->dlpi_phdr[i];
        const uintptr_t at = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_GNU_EH_FRAME) tables = at;
        if (part->p_type != PT_LOAD) continue;
        if (at < begin) begin = at;
        if (at + part->p_memsz > end) end = at + part->p_memsz;
    }
    if (search->address < begin || search->address >= end) return 0;
    *search->result = (struct dl_find_object){
        .dlfo_map_start = (void*)begin, .dlfo_map_end = (void*)end, .dlfo_eh_frame = (void*)tables};
    return tables != 0 ? 1 : -1;
}

HIDDEN int _dl_find_object(void* address, struct dl_find_object* result) {
    struct search search = {(uintptr_t)address, result};
    return dl_iterate_phdr(is_in, &search) == 1 ? 0 : -1;
}
#endif

// 2.32, for libstdc++: there may be several threads.
HIDDEN char __libc_single_threaded = 0;

// 2.36, for std::random_device, which is linked into the wire plugins although nothing makes one.
HIDDEN uint32_t arc4random(void);
HIDDEN uint32_t arc4random(void) {
    uint32_t number = 0;
    if (syscall(SYS_getrandom, &number, sizeof number, 0) != (long)sizeof number) abort();
    return number;
}

// 2.38: what programs call for strtol and its kin that are compiled with newer headers. The new ones also take binary
// numbers, such as 0b1, which nothing here reads.
#define NEWER(result, name)                                                                                            \
    result old_##name(const char* text, char** end, int base) __asm__(#name);                                          \
    HIDDEN result __isoc23_##name(const char* text, char** end, int base);                                             \
    HIDDEN result __isoc23_##name(const char* text, char** end, int base) { return old_##name(text, end, base); }
NEWER(long, strtol)
NEWER(unsigned long, strtoul)
NEWER(long long, strtoll)
NEWER(unsigned long long, strtoull)

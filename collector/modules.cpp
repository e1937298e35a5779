#include "collector/modules.hpp"

#include "base/locked.hpp"
#include "collector/dynamic_symbols.hpp"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>
#include <elf.h>
#include <functional>
#include <link.h>
#include <pthread.h>
#include <string_view>
#include <unistd.h>

// The linker defines where this library begins and ends.
extern "C" {
extern const char __ehdr_start [[gnu::visibility("hidden")]]; // NOLINT(bugprone-reserved-identifier)
extern const char _end [[gnu::visibility("hidden")]];         // NOLINT(bugprone-reserved-identifier)
}

namespace tactus {

bool is_of_this_library(const void* address) {
    const std::less<const void*> below;
    return !below(address, &__ehdr_start) && below(address, &_end);
}

namespace {

std::string build_id_in(const dl_phdr_info& info, const ElfW(Phdr) & note) {
    const auto* at = reinterpret_cast<const std::uint8_t*>(info.dlpi_addr + note.p_vaddr);
    const auto* end = at + note.p_memsz;
    while (end - at >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
        const auto* header = reinterpret_cast<const ElfW(Nhdr)*>(at);
        const std::size_t name = (header->n_namesz + 3U) & ~3U;
        const std::uint8_t* id = at + sizeof *header + name;
        if (header->n_type == NT_GNU_BUILD_ID) {
            constexpr char digits[] = "0123456789abcdef";
            std::string text;
            for (std::uint32_t i = 0; i < header->n_descsz; ++i) {
                text += digits[id[i] >> 4];
                text += digits[id[i] & 15];
            }
            return text;
        }
        at = id + ((header->n_descsz + 3U) & ~3U);
    }
    return {};
}

int add_module(dl_phdr_info* info, std::size_t, void* list) {
    Module module;
    module.begin = ~std::uint64_t{0};
    module.base = info->dlpi_addr;
    module.path = info->dlpi_name;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = info->dlpi_phdr[i];
        if (segment.p_type == PT_NOTE && module.build_id.empty()) module.build_id = build_id_in(*info, segment);
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
        module.begin = std::min(module.begin, info->dlpi_addr + segment.p_vaddr);
        module.end = std::max(module.end, info->dlpi_addr + segment.p_vaddr + segment.p_memsz);
    }
    if (module.end != 0) static_cast<std::vector<Module>*>(list)->push_back(std::move(module));
    return 0;
}

} // namespace

namespace {

// Whether a symbol is a name of MPI or of VT.h, in C or in Fortran, in any spelling of a Fortran compiler.
bool is_mpi_name(std::string_view name) {
    constexpr std::string_view beginnings[] = {"MPI_", "PMPI_", "mpi_", "pmpi_", "VT", "vt"};
    return std::any_of(std::begin(beginnings), std::end(beginnings),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Whether a module uses names of MPI or of VT.h. One of which this is not known may use any name.
bool names_mpi(const dl_phdr_info& info) {
    const DynamicSymbols table{dynamic_section(info), info.dlpi_addr};
    const std::uint32_t end = table.undefined_end();
    for (std::uint32_t i = 1; i < end; ++i)
        if (is_mpi_name(table.name(i))) return true;
    return end == 0;
}

int add_caller(dl_phdr_info* info, std::size_t size, void* list) {
    const bool is_program = info->dlpi_name[0] == '\0';
    return is_program || names_mpi(*info) ? add_module(info, size, list) : 0;
}

std::vector<Module> modules_by(int (*add)(dl_phdr_info*, std::size_t, void*)) {
    std::vector<Module> modules;
    dl_iterate_phdr(add, &modules);
    if (!modules.empty() && modules.front().path.empty()) { // the program itself comes first, without a name
        char path[PATH_MAX] = {};
        if (readlink("/proc/self/exe", path, sizeof path - 1) > 0) modules.front().path = path;
    }
    return modules;
}

} // namespace

std::vector<Module> mapped_modules() { return modules_by(add_module); }
std::vector<Module> calling_modules() { return modules_by(add_caller); }

namespace {

struct MpiNames {
    std::vector<DynamicSymbols> libraries; // of the MPI
    std::vector<std::string> unknown;
};

int add_library(dl_phdr_info* info, std::size_t, void* names) {
    if (is_mpi_library(info->dlpi_name) && !is_of_this_library(dynamic_section(*info)))
        static_cast<MpiNames*>(names)->libraries.emplace_back(dynamic_section(*info), info->dlpi_addr);
    return 0;
}

int add_unknown(dl_phdr_info* info, std::size_t, void* data) {
    auto& [libraries, unknown] = *static_cast<MpiNames*>(data);
    if (is_mpi_library(info->dlpi_name)) return 0;
    const DynamicSymbols table{dynamic_section(*info), info->dlpi_addr};
    for (const auto relocations : {table.data_relocations, table.function_relocations}) {
        for (const ElfW(Rela) & relocation : relocations) {
            const auto symbol = static_cast<std::uint32_t>(ELF64_R_SYM(relocation.r_info));
            if (symbol == 0 || table.symbols[symbol].st_shndx != SHN_UNDEF) continue;
            const char* const name = table.name(symbol);
            if (std::strncmp(name, "MPI_", 4) != 0 || function_of_this_library(name) != nullptr) continue;
            if (std::ranges::any_of(libraries, [&](const auto& library) { return library.function(name) != nullptr; }))
                unknown.emplace_back(name);
        }
    }
    return 0;
}

} // namespace

std::vector<std::string> unknown_functions() {
    MpiNames names;
    dl_iterate_phdr(add_library, &names);
    dl_iterate_phdr(add_unknown, &names);
    std::ranges::sort(names.unknown);
    names.unknown.erase(std::ranges::unique(names.unknown).begin(), names.unknown.end());
    return names.unknown;
}

std::uint64_t module_changes() {
    std::uint64_t changes = 0;
    const auto read = [](dl_phdr_info* info, std::size_t, void* sum) {
        *static_cast<std::uint64_t*>(sum) = info->dlpi_adds + info->dlpi_subs;
        return 1;
    };
    dl_iterate_phdr(read, &changes);
    return changes;
}

namespace {

int count_mpi(dl_phdr_info* object, std::size_t, void* count) {
    const ElfW(Dyn)* const section = dynamic_section(*object);
    if (is_of_this_library(section)) return 0;
    if (DynamicSymbols{section, object->dlpi_addr}.function("PMPI_Init") != nullptr) ++*static_cast<int*>(count);
    return 0;
}

} // namespace

bool has_second_mpi() {
    static constinit std::atomic<std::uint64_t> known{0}; // twice module_changes(), plus the answer
    const std::uint64_t changes = module_changes();
    std::uint64_t answer = known.load(std::memory_order_relaxed);
    if (answer >> 1 != changes) {
        int mpis = 0;
        dl_iterate_phdr(count_mpi, &mpis);
        answer = changes << 1 | (mpis > 1 ? 1U : 0U);
        known.store(answer, std::memory_order_relaxed);
    }
    return (answer & 1) != 0;
}

bool is_mpi_library(const char* path) {
    const char* const slash = std::strrchr(path, '/');
    const std::string_view name{slash == nullptr ? path : slash + 1};
    constexpr std::string_view whole[] = {
        "libmpi.so",        "libmpi_mpifh.so", "libmpi_usempif08.so", "libmpi_usempi_ignore_tkr.so",
        "libmpi_usempi.so", "libmpi_cxx.so",   "libmpi_java.so",      "libmpich.so",
        "libmpichfort.so",  "libmpichcxx.so",  "libmpichf90.so",      "libmpifort.so",
        "libmpicxx.so",     "libopen-rte.so",  "libopen-pal.so",      "libopen_mpi.so",
        "libmpl.so",        "libpmpi.so",      "libpmpi_abi.so",      "libmpiwrapper.so"};
    // The standard ABI's libraries, and those of makers who put the compiler or their own name into it.
    constexpr std::string_view beginnings[] = {"libmpi_abi", "libmpi_cray", "libmpi_gnu",  "libmpi_nvidia",
                                               "libmpi_amd", "libmpi_ibm",  "libmpi_intel"};
    const auto begins_name = [name](std::string_view beginning) { return name.starts_with(beginning); };
    if (std::ranges::any_of(whole, begins_name) || std::ranges::any_of(beginnings, begins_name)) return true;
    // tactus's libraries count because the MPI's Fortran procedure may jump to the C function, which then returns to
    // tactus's wrapper.
    return name.starts_with("mca_") || name.starts_with("libmca_") || name.starts_with("libtactus-");
}

namespace {

// The pages of a segment, and whether they belong to the MPI. One word holds it all, so that it is read without a lock.
class Range {
  public:
    static std::uint64_t word(std::uintptr_t begin, std::uintptr_t end, bool mpi) {
        const std::uint64_t first = begin >> page_bits;
        const std::uint64_t pages = std::min(((end - 1) >> page_bits) + 1 - first, most_pages);
        return first << first_shift | pages << 1 | (mpi ? 1U : 0U);
    }
    explicit Range(std::uint64_t word) : word_{word} {}
    [[nodiscard]] bool covers(std::uintptr_t address) const {
        return (address >> page_bits) - (word_ >> first_shift) < (word_ >> 1 & most_pages);
    }
    [[nodiscard]] bool mpi() const { return (word_ & 1) != 0; }

  private:
    static constexpr unsigned page_bits = 12;
    static constexpr unsigned first_shift = 28;
    static constexpr std::uint64_t most_pages = (std::uint64_t{1} << (first_shift - 1)) - 1;
    std::uint64_t word_;
};

// The ranges seen since something was last unloaded.
constexpr std::size_t most_ranges = 128;
constinit std::atomic<std::uint64_t> ranges[most_ranges] = {};
constinit std::atomic<std::size_t> range_count{0};
constinit pthread_mutex_t range_lock = PTHREAD_MUTEX_INITIALIZER;

struct Search {
    std::uintptr_t address;
    std::uint64_t found;
};

int look_for(dl_phdr_info* info, std::size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = info->dlpi_phdr[i];
        const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
        if (segment.p_type != PT_LOAD || search.address - begin >= segment.p_memsz) continue;
        search.found = Range::word(begin, begin + segment.p_memsz, is_mpi_library(info->dlpi_name));
        return 1;
    }
    return 0;
}

bool learn(std::uintptr_t address) {
    Search search{address, Range::word(address, address + 1, false)}; // code made at run time is the application's
    dl_iterate_phdr(look_for, &search);
    const Locked hold{range_lock};
    const std::size_t count = range_count.load(std::memory_order_relaxed);
    if (count < most_ranges) {
        ranges[count].store(search.found, std::memory_order_relaxed);
        range_count.store(count + 1, std::memory_order_release); // pairs with is_mpi_code()
    }
    return Range{search.found}.mpi();
}

} // namespace

bool is_mpi_code(const void* call_site) {
    const auto address = reinterpret_cast<std::uintptr_t>(call_site);
    const std::size_t count = range_count.load(std::memory_order_acquire); // pairs with learn()
    for (std::size_t i = 0; i < count; ++i)
        if (const Range range{ranges[i].load(std::memory_order_relaxed)}; range.covers(address)) return range.mpi();
    return learn(address);
}

// Code calls a function by its name in two ways: with the distance to it in the instruction (e8, four bytes), or from
// the table of the dynamic linker (ff 15, four bytes). What precedes a shorter instruction may look like the first.
// Then the distance seldom leads into the MPI; where it does, the call is taken for the MPI's.
bool is_last_of_callback(const void* call_site) {
    if (is_of_this_library(call_site)) return false; // The MPI's Fortran procedures may end with such a jump, too.
    const auto* const end = static_cast<const std::uint8_t*>(call_site);
    std::int32_t distance = 0;
    std::memcpy(&distance, end - sizeof distance, sizeof distance);
    const bool is_direct = end[-5] == 0xe8 && is_mpi_code(end + distance);
    const bool is_by_table = end[-6] == 0xff && end[-5] == 0x15;
    return !is_direct && !is_by_table;
}

void forget_code() {
    const Locked hold{range_lock};
    range_count.store(0, std::memory_order_relaxed);
}

void renew_code_lock() { range_lock = PTHREAD_MUTEX_INITIALIZER; }

} // namespace tactus

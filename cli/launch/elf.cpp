#include "cli/launch/elf.hpp"

#include "processor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <gelf.h>
#include <memory>
#include <set>
#include <unistd.h>

namespace tactus {
namespace fs = std::filesystem;

namespace {

struct ElfEnd {
    void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfEnd>;

class FileDescriptor {
  public:
    explicit FileDescriptor(const fs::path& file) : number_{::open(file.c_str(), O_RDONLY | O_CLOEXEC)} {}
    ~FileDescriptor() {
        if (number_ >= 0) ::close(number_);
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    [[nodiscard]] int number() const { return number_; }

  private:
    int number_;
};

// The loader follows the program headers, not the sections, and a stripped file may have no sections at all.
struct Segments {
    std::optional<GElf_Phdr> dynamic;
    bool interpreter = false; // a program that the dynamic linker starts
    std::vector<GElf_Phdr> loads;

    [[nodiscard]] std::optional<std::int64_t> file_offset(GElf_Addr address) const {
        for (const GElf_Phdr& load : loads) {
            if (address >= load.p_vaddr && address - load.p_vaddr < load.p_filesz)
                return static_cast<std::int64_t>(load.p_offset + (address - load.p_vaddr));
        }
        return std::nullopt;
    }
};

Segments read_segments(Elf* elf) {
    Segments segments;
    std::size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) return segments;
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr header{};
        if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) break;
        if (header.p_type == PT_DYNAMIC) segments.dynamic = header;
        if (header.p_type == PT_INTERP) segments.interpreter = true;
        if (header.p_type == PT_LOAD) segments.loads.push_back(header);
    }
    return segments;
}

std::vector<GElf_Dyn> read_entries(Elf* elf, const GElf_Phdr& dynamic) {
    std::vector<GElf_Dyn> entries;
    Elf_Data* data =
        elf_getdata_rawchunk(elf, static_cast<std::int64_t>(dynamic.p_offset), dynamic.p_filesz, ELF_T_DYN);
    if (data == nullptr) return entries;
    const std::size_t entry_bytes = gelf_fsize(elf, ELF_T_DYN, 1, EV_CURRENT);
    for (std::size_t i = 0; i < data->d_size / entry_bytes; ++i) {
        GElf_Dyn entry{};
        if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr || entry.d_tag == DT_NULL) break;
        entries.push_back(entry);
    }
    return entries;
}

std::string_view read_string_table(Elf* elf, const Segments& segments, const std::vector<GElf_Dyn>& entries) {
    GElf_Addr address = 0;
    std::size_t size = 0;
    for (const GElf_Dyn& entry : entries) {
        if (entry.d_tag == DT_STRTAB) address = entry.d_un.d_ptr;
        if (entry.d_tag == DT_STRSZ) size = entry.d_un.d_val;
    }
    const auto offset = segments.file_offset(address);
    if (!offset) return {};
    const Elf_Data* data = elf_getdata_rawchunk(elf, *offset, size, ELF_T_BYTE);
    if (data == nullptr || data->d_buf == nullptr) return {};
    return {static_cast<const char*>(data->d_buf), data->d_size};
}

std::string string_at(std::string_view table, std::size_t offset) {
    if (offset >= table.size()) return {};
    const std::string_view rest = table.substr(offset);
    return std::string{rest.substr(0, rest.find('\0'))};
}

void replace_all(std::string& text, std::string_view token, std::string_view by) {
    for (auto at = text.find(token); at != std::string::npos; at = text.find(token, at + by.size()))
        text.replace(at, token.size(), by);
}

// Splits a list of folders and replaces $ORIGIN and $LIB. The meaning of $LIB depends on the distribution, so both
// usual ones are searched.
std::vector<std::string> expand(const std::string& list, const fs::path& file) {
    std::error_code ignored;
    const std::string origin = fs::weakly_canonical(file, ignored).parent_path().string();
    std::vector<std::string> folders;
    for (std::string folder : split_list(list, ":")) {
        for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"}) replace_all(folder, token, origin);
        const bool depends = folder.find("$LIB") != std::string::npos || folder.find("${LIB}") != std::string::npos;
        for (const std::string& lib : {std::string{"lib64"}, "lib/" + std::string{processor::multiarch}}) {
            std::string by_lib = folder;
            for (const std::string_view token : {"${LIB}", "$LIB"}) replace_all(by_lib, token, lib);
            folders.push_back(by_lib);
            if (!depends) break;
        }
    }
    return folders;
}

Error unreadable(const fs::path& file, std::string what) { return {.what = std::move(what), .file = file.string()}; }

struct Loaded {
    fs::path file;
    DynamicSection dynamic;
    std::ptrdiff_t loader; // index of the object that asked for it, -1 for the program
};

// The objects of one program in the order the loader would map them.
class LoadOrder {
  public:
    LoadOrder(const LibraryPlaces& places, Loaded program) : places_{places} { objects_.push_back(std::move(program)); }

    MpiNeed find_mpi();

  private:
    void look_at(const std::string& name, std::size_t loader);
    std::optional<Loaded> locate(const std::string& name, std::size_t loader) const;
    std::optional<Loaded> open_as(const fs::path& file, std::size_t loader) const;
    std::optional<Loaded> search(const std::vector<std::string>& directories, const std::string& name,
                                 std::size_t loader) const;

    static constexpr std::size_t most_objects = 4096; // far above any real program; a bound for damaged ones

    const LibraryPlaces& places_;
    std::vector<Loaded> objects_;
    std::set<std::string> seen_;
    MpiNeed need_{};
};

std::optional<Loaded> LoadOrder::open_as(const fs::path& file, std::size_t loader) const {
    auto dynamic = read_dynamic_section(file);
    if (!dynamic || !*dynamic) return std::nullopt;
    const DynamicSection& program = objects_.front().dynamic;
    if ((*dynamic)->elf_class != program.elf_class || (*dynamic)->machine != program.machine) return std::nullopt;
    return Loaded{file, std::move(**dynamic), static_cast<std::ptrdiff_t>(loader)};
}

std::optional<Loaded> LoadOrder::search(const std::vector<std::string>& directories, const std::string& name,
                                        std::size_t loader) const {
    for (const std::string& directory : directories) {
        if (auto found = open_as(fs::path{directory} / name, loader)) return found;
    }
    return std::nullopt;
}

std::optional<Loaded> LoadOrder::locate(const std::string& name, std::size_t loader) const {
    if (name.find('/') != std::string::npos) return open_as(name, loader);
    const DynamicSection& asking = objects_[loader].dynamic;
    // DT_RPATH of an object also holds for the objects that it loads. An object with DT_RUNPATH neither uses a DT_RPATH
    // nor hands its own on.
    for (auto at = static_cast<std::ptrdiff_t>(loader); at >= 0 && !asking.has_runpath;) {
        const Loaded& object = objects_[static_cast<std::size_t>(at)];
        if (!object.dynamic.has_runpath) {
            if (auto found = search(object.dynamic.rpath, name, loader)) return found;
        }
        at = object.loader;
    }
    if (auto found = search(places_.library_path, name, loader)) return found;
    if (auto found = search(asking.runpath, name, loader)) return found;
    for (const std::string& file : places_.cache.paths(name)) {
        if (auto found = open_as(file, loader)) return found;
    }
    return search(places_.defaults, name, loader);
}

// Open MPI 1.10 was libmpi.so.12, too. Only its own dependencies distinguish it from the MPICH family.
bool is_old_openmpi(const std::optional<Loaded>& library) {
    if (!library) return false;
    return std::ranges::any_of(library->dynamic.needed, [](const std::string& name) {
        return name.starts_with("libopen-pal.") || name.starts_with("libopen-rte.");
    });
}

MpiNeed mpi_of(const std::string& name, const std::optional<Loaded>& library) {
    switch (classify_soname(name)) {
    case SonameKind::openmpi:
        return {MpiNeed::Kind::one, Mpi::openmpi, name};
    case SonameKind::mpich:
        return {MpiNeed::Kind::one, is_old_openmpi(library) ? Mpi::openmpi : Mpi::mpich, name};
    case SonameKind::abi:
        return {MpiNeed::Kind::one, Mpi::abi, name};
    case SonameKind::foreign:
        return {MpiNeed::Kind::foreign, {}, name};
    case SonameKind::other:
        break;
    }
    return {};
}

void LoadOrder::look_at(const std::string& name, std::size_t loader) {
    auto library = locate(name, loader);
    if (name.starts_with("libasan.so") || name.starts_with("libclang_rt.asan")) need_.address_sanitizer = true;
    if (name == "libVTcs.so") need_.traced_alone = true;
    if (need_.kind == MpiNeed::Kind::none) {
        MpiNeed found = mpi_of(name, library);
        found.address_sanitizer = need_.address_sanitizer;
        found.traced_alone = need_.traced_alone;
        need_ = std::move(found);
    }
    if (library && objects_.size() < most_objects) objects_.push_back(std::move(*library));
}

MpiNeed LoadOrder::find_mpi() {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
        const std::vector<std::string> needed = objects_[i].dynamic.needed; // objects_ grows below
        for (const std::string& name : needed) {
            if (seen_.insert(name).second) look_at(name, i);
        }
    }
    return need_;
}

bool defines_init(Elf* elf, Elf_Data* symbols, const GElf_Shdr& table) {
    GElf_Sym symbol{};
    for (int i = 0; gelf_getsym(symbols, i, &symbol) != nullptr; ++i) {
        if (symbol.st_shndx == SHN_UNDEF) continue;
        const char* const name = elf_strptr(elf, table.sh_link, symbol.st_name);
        if (name != nullptr && (std::strcmp(name, "PMPI_Init") == 0 || std::strcmp(name, "MPI_Init") == 0)) return true;
    }
    return false;
}

// Whether constants have a message that MPICH or Open MPI has for programs that call MPI too early. It is there in a
// program without symbols, too.
bool has_mpi_message(const Elf_Data& constants) {
    const std::string_view bytes{static_cast<const char*>(constants.d_buf), constants.d_size};
    return bytes.find("Attempting to use an MPI routine") != std::string_view::npos ||
           bytes.find("function was called before MPI_INIT was invoked") != std::string_view::npos;
}

// Returns whether the program itself has the functions of an MPI, which then came from a static library.
bool has_static_mpi(const fs::path& program) {
    const FileDescriptor descriptor{program};
    const ElfHandle elf{elf_begin(descriptor.number(), ELF_C_READ_MMAP, nullptr)};
    for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
         section = elf_nextscn(elf.get(), section)) {
        GElf_Shdr header{};
        if (gelf_getshdr(section, &header) == nullptr) continue;
        const bool has_symbols =
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) && header.sh_entsize != 0;
        const bool has_constants = header.sh_type == SHT_PROGBITS && (header.sh_flags & SHF_ALLOC) != 0 &&
                                   (header.sh_flags & (SHF_WRITE | SHF_EXECINSTR)) == 0;
        if (!has_symbols && !has_constants) continue;
        Elf_Data* const data = elf_getdata(section, nullptr);
        if (data == nullptr || data->d_buf == nullptr) continue;
        if (has_symbols ? defines_init(elf.get(), data, header) : has_mpi_message(*data)) return true;
    }
    return false;
}

void collect(DynamicSection& section, const std::vector<GElf_Dyn>& entries, std::string_view table,
             const fs::path& file) {
    for (const GElf_Dyn& entry : entries) {
        const std::string text = string_at(table, entry.d_un.d_val);
        if (entry.d_tag == DT_NEEDED && !text.empty()) section.needed.push_back(text);
        if (entry.d_tag == DT_RPATH) section.rpath = expand(text, file);
        if (entry.d_tag == DT_RUNPATH) {
            section.runpath = expand(text, file);
            section.has_runpath = true;
        }
    }
}

} // namespace

Result<std::optional<DynamicSection>> read_dynamic_section(const fs::path& file) {
    std::error_code ignored;
    if (fs::is_directory(file, ignored)) return unreadable(file, "is a directory, a program was expected");
    const FileDescriptor descriptor{file};
    if (descriptor.number() < 0) return unreadable(file, std::strerror(errno));
    std::array<char, SELFMAG> magic{};
    const auto got = ::pread(descriptor.number(), magic.data(), magic.size(), 0);
    if (got < 0) return unreadable(file, std::strerror(errno));
    if (got < SELFMAG || std::memcmp(magic.data(), ELFMAG, SELFMAG) != 0) return std::optional<DynamicSection>{};

    elf_version(EV_CURRENT);
    const ElfHandle elf{elf_begin(descriptor.number(), ELF_C_READ_MMAP, nullptr)};
    GElf_Ehdr header{};
    if (!elf || gelf_getehdr(elf.get(), &header) == nullptr) return unreadable(file, "its ELF header is damaged");
    DynamicSection section;
    section.elf_class = gelf_getclass(elf.get());
    section.machine = header.e_machine;
    const Segments segments = read_segments(elf.get());
    if (segments.loads.empty()) return unreadable(file, "it has no loadable segment: not a program, or damaged");
    section.loads_libraries = segments.dynamic.has_value();
    if (!segments.dynamic) return std::optional{section};
    const auto entries = read_entries(elf.get(), *segments.dynamic);
    const std::string_view table = read_string_table(elf.get(), segments, entries);
    if (table.empty()) return unreadable(file, "its dynamic section is damaged");
    collect(section, entries, table, file);
    section.loads_libraries = segments.interpreter || !section.needed.empty(); // otherwise a static program, too
    return std::optional{section};
}

MpiNeed find_mpi_need(const fs::path& program, const LibraryPlaces& places) {
    auto dynamic = read_dynamic_section(program);
    if (!dynamic) return {.kind = MpiNeed::Kind::unreadable, .because = dynamic.error().line()};
    if (!*dynamic) return {.kind = MpiNeed::Kind::script};
    MpiNeed need = LoadOrder{places, {program, std::move(**dynamic), -1}}.find_mpi();
    if (need.kind == MpiNeed::Kind::none && has_static_mpi(program)) need.kind = MpiNeed::Kind::built_in;
    return need;
}

MpiNeed find_mpi_need(const fs::path& program) { return find_mpi_need(program, LibraryPlaces::of_this_machine()); }

} // namespace tactus

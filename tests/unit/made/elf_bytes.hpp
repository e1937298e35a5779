// Made-up ELF files, in which `tactus run` looks for the MPI that they need.
#pragma once

#include <elf.h>
#include <string>
#include <vector>

namespace tactus {

#ifdef __aarch64__
constexpr Elf64_Half machine_here = EM_AARCH64;
constexpr Elf64_Half other_machine = EM_X86_64;
#else
constexpr Elf64_Half machine_here = EM_X86_64;
constexpr Elf64_Half other_machine = EM_AARCH64;
#endif

template <class T> void append(std::string& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct SearchPaths {
    std::string rpath{};
    std::string runpath{};
};

// The smallest file that the loader would follow: a header, one loadable and one dynamic segment, and names.
inline std::string elf_bytes(const std::vector<std::string>& needed, const SearchPaths& paths = {},
                             Elf64_Half machine = machine_here) {
    std::string names(1, '\0');
    std::vector<Elf64_Dyn> entries;
    const auto add = [&](Elf64_Sxword tag, const std::string& text) {
        entries.push_back({tag, {names.size()}});
        names += text + '\0';
    };
    for (const std::string& name : needed) add(DT_NEEDED, name);
    if (!paths.rpath.empty()) add(DT_RPATH, paths.rpath);
    if (!paths.runpath.empty()) add(DT_RUNPATH, paths.runpath);
    constexpr std::size_t dynamic_at = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
    const std::size_t names_at = dynamic_at + (entries.size() + 3) * sizeof(Elf64_Dyn);
    entries.push_back({DT_STRTAB, {0x10000 + names_at}}); // its address differs from its place in the file
    entries.push_back({DT_STRSZ, {names.size()}});
    entries.push_back({DT_NULL, {0}});

    const Elf64_Ehdr header{.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                            .e_type = ET_DYN,
                            .e_machine = machine,
                            .e_version = EV_CURRENT,
                            .e_entry = 0,
                            .e_phoff = sizeof(Elf64_Ehdr),
                            .e_shoff = 0,
                            .e_flags = 0,
                            .e_ehsize = sizeof(Elf64_Ehdr),
                            .e_phentsize = sizeof(Elf64_Phdr),
                            .e_phnum = 2,
                            .e_shentsize = sizeof(Elf64_Shdr),
                            .e_shnum = 0,
                            .e_shstrndx = 0};
    const std::size_t total = names_at + names.size();
    const std::size_t dynamic_bytes = entries.size() * sizeof(Elf64_Dyn);
    std::string bytes;
    append(bytes, header);
    append(bytes, Elf64_Phdr{PT_LOAD, PF_R, 0, 0x10000, 0x10000, total, total, 4096});
    append(bytes, Elf64_Phdr{PT_DYNAMIC, PF_R, dynamic_at, 0x10000 + dynamic_at, 0, dynamic_bytes, dynamic_bytes, 8});
    for (const Elf64_Dyn& entry : entries) append(bytes, entry);
    return bytes + names;
}

} // namespace tactus

#include "cli/tail_calls.hpp"

#include <cstdint>
#include <cstring>
#include <dwarf.h>
#include <elf.h>
#include <gelf.h>
#include <set>
#include <string_view>
#include <vector>

namespace tactus {
namespace {

bool is_mpi(std::string_view name) {
    for (const std::string_view prefix : {"MPI_", "PMPI_", "mpi_", "pmpi_"})
        if (name.starts_with(prefix)) return true;
    return false;
}

// The bytes from `address` on in the section of code that holds them; nullptr where there are not `size` of them.
const unsigned char* code_at(Elf* elf, GElf_Addr address, std::size_t size, bool* linkage) {
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return nullptr;
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || (header.sh_flags & SHF_EXECINSTR) == 0) continue;
        if (address < header.sh_addr || address - header.sh_addr + size > header.sh_size) continue;
        const Elf_Data* const data = elf_getdata(section, nullptr);
        const char* const name = elf_strptr(elf, names, header.sh_name);
        if (linkage != nullptr) *linkage = name != nullptr && std::string_view{name}.starts_with(".plt");
        if (data == nullptr || data->d_buf == nullptr || address - header.sh_addr + size > data->d_size) return nullptr;
        return static_cast<const unsigned char*>(data->d_buf) + (address - header.sh_addr);
    }
    return nullptr;
}

// Where the call before the return address leads, when the instruction says so itself. The module may be of another
// processor than this one.
std::optional<GElf_Addr> target_of_call(Elf* elf, GElf_Addr back) {
    GElf_Ehdr header;
    if (gelf_getehdr(elf, &header) == nullptr) return {};
    const bool is_x86 = header.e_machine == EM_X86_64;
    const std::size_t length = is_x86 ? 5 : 4;
    const unsigned char* const code = back < length ? nullptr : code_at(elf, back - length, length, nullptr);
    if (code == nullptr) return {};
    const auto away = [&](std::size_t at, GElf_Addr from, unsigned bits, unsigned scale) -> GElf_Addr {
        std::uint32_t word = 0;
        std::memcpy(&word, code + at, sizeof word);
        const auto distance = static_cast<std::int32_t>(word << (32 - bits)) >> (32 - bits);
        return from + static_cast<GElf_Addr>(std::int64_t{distance} * scale);
    };
    if (is_x86 && code[0] == 0xe8) return away(1, back, 32, 1); // call: the distance from the next instruction
    const bool is_bl = header.e_machine == EM_AARCH64 && (code[3] & 0xfc) == 0x94;
    if (is_bl) return away(0, back - length, 26, 4); // bl: the distance from itself, in instructions
    return {};
}

// The jumps to the MPI that end a function, found along jumps to further functions.
class Jumps {
  public:
    explicit Jumps(Dwfl_Module* module) : module_{module} {}

    void follow(Dwarf_Addr function) {
        if (!seen_.insert(function).second) return;
        Dwarf_Addr bias = 0;
        Dwarf_Die* const unit = dwfl_module_addrdie(module_, function, &bias);
        Dwarf_Die* scopes = nullptr;
        const int count = unit == nullptr ? 0 : dwarf_getscopes(unit, function - bias, &scopes);
        for (int i = 0; i < count; ++i)
            if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
                look_into(scopes[i], bias);
                break;
            }
        std::free(scopes);
    }
    [[nodiscard]] const std::vector<Dwarf_Addr>& found() const { return found_; }

  private:
    void look_into(Dwarf_Die scope, Dwarf_Addr bias) {
        Dwarf_Die child;
        if (dwarf_child(&scope, &child) != 0) return;
        do {
            const int tag = dwarf_tag(&child);
            if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) look_at(child, bias);
            if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) look_into(child, bias);
        } while (dwarf_siblingof(&child, &child) == 0);
    }

    void look_at(Dwarf_Die site, Dwarf_Addr bias) {
        const bool standard = dwarf_tag(&site) == DW_TAG_call_site;
        Dwarf_Attribute attribute;
        bool jumps = false;
        if (dwarf_attr(&site, standard ? DW_AT_call_tail_call : DW_AT_GNU_tail_call, &attribute) == nullptr ||
            dwarf_formflag(&attribute, &jumps) != 0 || !jumps)
            return;
        Dwarf_Die callee;
        Dwarf_Addr back = 0;
        if (dwarf_attr(&site, standard ? DW_AT_call_origin : DW_AT_abstract_origin, &attribute) == nullptr ||
            dwarf_formref_die(&attribute, &callee) == nullptr ||
            dwarf_attr(&site, standard ? DW_AT_call_return_pc : DW_AT_low_pc, &attribute) == nullptr ||
            dwarf_formaddr(&attribute, &back) != 0)
            return;
        const char* const name = dwarf_diename(&callee);
        Dwarf_Addr entry = 0;
        if (name != nullptr && is_mpi(name))
            found_.push_back(back + bias);
        else if (dwarf_entrypc(&callee, &entry) == 0)
            follow(entry + bias);
    }

    Dwfl_Module* module_;
    std::set<Dwarf_Addr> seen_;
    std::vector<Dwarf_Addr> found_;
};

} // namespace

std::optional<TailCall> tail_call(Dwfl_Module* module, Dwarf_Addr address) {
    GElf_Addr bias = 0;
    Elf* const elf = dwfl_module_getelf(module, &bias);
    if (elf == nullptr) return {};
    const std::optional<GElf_Addr> target = target_of_call(elf, address - bias);
    bool linkage = false;
    if (!target || code_at(elf, *target, 1, &linkage) == nullptr || linkage) return {};
    GElf_Off distance = 0;
    GElf_Sym symbol;
    const char* const name =
        dwfl_module_addrinfo(module, *target + bias, &distance, &symbol, nullptr, nullptr, nullptr);
    if (name == nullptr || distance != 0 || is_mpi(name)) return {};
    Jumps jumps{module};
    jumps.follow(*target + bias);
    TailCall found{.through = name, .at = {}};
    if (jumps.found().size() == 1) found.at = jumps.found().front();
    return found;
}

} // namespace tactus

// The programs and libraries mapped now, for turning call places into source lines later.
#include "collector/session.hpp"

#include <algorithm>
#include <climits>
#include <elf.h>
#include <link.h>
#include <unistd.h>

namespace tactus {
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

std::vector<Module> mapped_modules() {
    std::vector<Module> modules;
    dl_iterate_phdr(add_module, &modules);
    if (!modules.empty() && modules.front().path.empty()) { // the program itself comes first, without a name
        char path[PATH_MAX] = {};
        if (readlink("/proc/self/exe", path, sizeof path - 1) > 0) modules.front().path = path;
    }
    return modules;
}

} // namespace tactus

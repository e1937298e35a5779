#include "collector/python_program.hpp"

#include "collector/dynamic_symbols.hpp"

#include <algorithm>
#include <cstring>
#include <link.h>

namespace tactus {
namespace {

struct Found {
    PythonSymbols symbols;
    Mapped interpreter;
};

Mapped code_of(const dl_phdr_info& object) {
    Mapped code{.begin = ~std::uint64_t{0}, .end = 0};
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object.dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
        const std::uint64_t begin = object.dlpi_addr + segment.p_vaddr;
        code.begin = std::min(code.begin, begin);
        code.end = std::max(code.end, begin + segment.p_memsz);
    }
    return code;
}

// A program that is linked with the interpreter's library may have copies of its data, and is mapped before it.
int look_in(dl_phdr_info* object, std::size_t, void* context) {
    auto& found = *static_cast<Found*>(context);
    const DynamicSymbols symbols{dynamic_section(*object), object->dlpi_addr};
    const auto take = [&](const char* name, std::uint64_t& address) {
        if (address == 0) address = reinterpret_cast<std::uintptr_t>(symbols.data(name));
    };
    take("_PyRuntime", found.symbols.runtime);
    take("PyCode_Type", found.symbols.code_type);
    if (const void* const version = symbols.data("Py_Version"); version != nullptr && found.symbols.version == 0) {
        unsigned long value = 0;
        std::memcpy(&value, version, sizeof value);
        found.symbols.version = value;
    }
    if (symbols.function("_PyEval_EvalFrameDefault") == nullptr || found.interpreter.end != 0) return 0;
    found.interpreter = code_of(*object);
    return 0;
}

} // namespace

PythonSearch find_python() {
    Found found;
    dl_iterate_phdr(look_in, &found);
    PythonSearch search{.any = found.interpreter.end != 0};
    if (const auto python = Python::of(found.symbols); python && search.any)
        search.known = PythonProgram{*python, found.interpreter};
    return search;
}

} // namespace tactus

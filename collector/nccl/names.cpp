#include "collector/nccl/names.hpp"

#include "collector/nccl/words.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace tactus::nccl {

std::uint32_t Names::defined(std::uint32_t which) {
    const std::uint32_t number = first_nccl_symbol + which;
    if (known_[which]) return number;
    known_[which] = true;
    Symbol symbol{.number = number, .name = "NCCL:"};
    const auto word = static_cast<Word>(which % words_end);
    if (which >= 2 * words_end)
        symbol.name += which % words_end == 0 ? "ncclGroup" : nccl_kinds[which % words_end].name;
    else
        symbol.name.append(which >= words_end ? "nccl" : "").append(words.text(word));
    Definitions more;
    more.symbols.push_back(std::move(symbol));
    rows_.define(more);
    return number;
}

std::uint32_t Names::of_kernel(std::string_view mangled) {
    if (const auto known = kernels_.find(mangled); known != kernels_.end()) return known->second;
    if (mangled.empty() || kernels_.size() >= most_kernels) return of_kind(NcclKind::kernel);
    const std::string name{mangled};
    const std::unique_ptr<char, decltype(&std::free)> readable{
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr), &std::free};
    const std::string signature = readable != nullptr ? readable.get() : name;
    const auto number = static_cast<std::uint32_t>(first_nccl_symbol + 3 * words_end + kernels_.size());
    Definitions more;
    more.symbols.push_back({.number = number, .name = "NCCL:"});
    more.symbols.back().name += signature.substr(0, signature.find('('));
    rows_.define(more);
    return kernels_[name] = number;
}

} // namespace tactus::nccl

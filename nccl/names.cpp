#include "nccl/names.hpp"

#include "nccl/words.hpp"

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

} // namespace tactus::nccl

#include "postproc/view/function_names.hpp"

#include <algorithm>
#include <set>

namespace tactus {

FunctionNames::FunctionNames(const Trace& trace) : by_rank_(trace.ranks.size()) {
    std::set<std::string> names;
    for (const RankFile& file : trace.ranks)
        for (const Symbol& symbol : file.definitions().symbols)
            if (!symbol.scope) names.insert(symbol.name);
    symbols_.assign(names.begin(), names.end());
    for (std::size_t i = 0; i < trace.ranks.size(); ++i)
        for (const Symbol& symbol : trace.ranks[i].definitions().symbols) {
            const auto position = std::lower_bound(symbols_.begin(), symbols_.end(), symbol.name);
            if (!symbol.scope) by_rank_[i][symbol.number] = static_cast<std::uint32_t>(position - symbols_.begin());
        }
}

std::uint32_t FunctionNames::number(std::size_t rank, std::uint32_t function) const {
    if (function < span_function::first_symbol) return function;
    const auto& symbols = by_rank_[rank];
    const auto found = symbols.find(function - span_function::first_symbol);
    // Symbols that are not defined get numbers after all that have a name.
    if (found == symbols.end()) return function + static_cast<std::uint32_t>(symbols_.size());
    return span_function::of_symbol(found->second);
}

std::string FunctionNames::name(std::uint32_t number) const {
    if (number == span_function::application) return "(application)";
    if (number == span_function::tracer) return "(tracer)";
    if (number == span_function::not_recorded) return "(not recorded)";
    if (number < span_function::first_symbol) {
        const std::uint32_t function = number - span_function::first_mpi;
        return function < function_count ? std::string{functions[function].name} : '#' + std::to_string(function);
    }
    const std::size_t symbol = number - span_function::first_symbol;
    if (symbol < symbols_.size()) return symbols_[symbol];
    return '#' + std::to_string(symbol - symbols_.size());
}

} // namespace tactus

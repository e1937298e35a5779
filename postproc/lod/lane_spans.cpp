#include "postproc/lod/lane_spans.hpp"

namespace tactus {

SpanFunctions::SpanFunctions(const Definitions& definitions) {
    for (const Symbol& symbol : definitions.symbols)
        if (symbol.scope) scopes_.insert(symbol.number);
}

std::optional<std::uint32_t> SpanFunctions::of_others(const Signature& what) const {
    switch (what.kind) {
    case Kind::region:
        if (scopes_.contains(what.type)) return {};
        return span_function::of_symbol(what.type);
    case Kind::stall:
    case Kind::sync:
        return span_function::tracer;
    case Kind::loss:
        return span_function::not_recorded;
    default:
        return {};
    }
}

} // namespace tactus

#include "postproc/lod/lane_spans.hpp"

#include "trace/nccl.hpp"

namespace tactus {

SpanFunctions::SpanFunctions(const Definitions& definitions) {
    for (const Symbol& symbol : definitions.symbols)
        if (symbol.scope) scopes_.insert(symbol.number);
}

std::uint32_t SpanFunctions::of(const Signature& what) const {
    switch (what.kind) {
    case Kind::call:
        return what.has(flag::nested) ? none : span_function::of(what.function);
    case Kind::region:
        return scopes_.contains(what.type) ? none : span_function::of_symbol(what.type);
    case Kind::nccl:
        return NcclTag::of(what.tag).has(NcclTag::drawn) ? span_function::of_symbol(what.type) : none;
    case Kind::stall:
    case Kind::sync:
        return span_function::tracer;
    case Kind::loss:
        return span_function::not_recorded;
    default:
        return none;
    }
}

} // namespace tactus

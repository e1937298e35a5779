#include "cli/dump/dump_application.hpp"

#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "trace/defined.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tactus {
namespace {

std::string location_text(const RankFile& file, std::uint64_t scl) {
    if (scl == 0) return {};
    const Scl* known = scl > UINT32_MAX ? nullptr : defined(file.definitions().scls, static_cast<std::uint32_t>(scl));
    if (known == nullptr) return fmt::format("#{}", scl);
    return fmt::format("{}:{}", printable(known->file), known->line);
}

std::string at_text(const RankFile& file, const Signature& what) {
    const std::string begin = location_text(file, static_cast<std::uint32_t>(what.tag));
    return begin.empty() ? begin : "  at " + begin;
}

std::string bits_text(const Counter& counter, std::uint64_t bits) {
    if (counter.type == CounterType::floating) return fmt::format("{}", value_of(counter, bits));
    return fmt::format("{}", static_cast<std::int64_t>(bits));
}

std::string counter_text(const RankFile& file, const Signature& what) {
    const Counter* counter = defined(file.definitions().counters, what.type);
    if (counter == nullptr) return fmt::format("counter #{} bits {:#x}", what.type, what.bytes);
    const std::string unit = counter->unit.empty() ? "" : " " + printable(counter->unit);
    return fmt::format("counter {} {}{}", printable(counter->name), bits_text(*counter, what.bytes), unit);
}

std::string definition_text(const Record& record, Words words) {
    Definitions definitions;
    add_from_record(record, words, definitions);
    for (const Symbol& symbol : definitions.symbols)
        return fmt::format("note {} #{} {}", symbol.scope ? "scope" : "symbol", symbol.number, printable(symbol.name));
    for (const Counter& counter : definitions.counters)
        return fmt::format("note counter #{} {}", counter.number, printable(counter.name));
    for (const Scl& scl : definitions.scls)
        return fmt::format("note location #{} {}:{}", scl.number, printable(scl.file), scl.line);
    for (const ThreadName& thread : definitions.threads)
        return fmt::format("note lane {} is thread {}{}", thread.number, thread.index,
                           thread.name.empty() ? "" : fmt::format(" \"{}\"", printable(thread.name)));
    return fmt::format("note definition #{}", record.what.type);
}

} // namespace

std::string symbol_text(const RankFile& file, std::uint32_t number) {
    const Symbol* symbol = defined(file.definitions().symbols, number);
    return symbol != nullptr ? printable(symbol->name) : fmt::format("#{}", number);
}

std::string application_text(const RankFile& file, const Record& record, Words words) {
    switch (record.what.kind) {
    case Kind::counter:
        return counter_text(file, record.what) + at_text(file, record.what);
    case Kind::comment:
        return fmt::format("comment \"{}\"{}", printable(text_in(words, record.what.bytes)),
                           at_text(file, record.what));
    case Kind::symbol:
        return definition_text(record, words);
    default:
        return {};
    }
}

std::string region_text(const RankFile& file, const Record& record) {
    const std::string end = location_text(file, record.what.bytes);
    return fmt::format("{:<22} {:>12}{}{}{}", "region " + symbol_text(file, record.what.type),
                       duration_text(file.seconds(record.leave - record.enter)), at_text(file, record.what),
                       end.empty() ? "" : (record.what.tag == 0 ? "  to " : " to ") + end,
                       record.what.has(flag::unfinished) ? "  unfinished" : "");
}

} // namespace tactus

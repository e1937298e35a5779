#include "trace/symbols.hpp"

#include "trace/definitions.hpp"

#include <bit>

namespace tactus {

double value_of(const Counter& counter, std::uint64_t bits) {
    return counter.type == CounterType::floating ? std::bit_cast<double>(bits)
                                                 : static_cast<double>(static_cast<std::int64_t>(bits));
}

void append_text(std::vector<std::int64_t>& words, std::string_view text) {
    for (std::size_t i = 0; i < text.size(); i += 8) {
        std::uint64_t word = 0;
        for (std::size_t c = 0; c < 8 && i + c < text.size(); ++c)
            word |= std::uint64_t{static_cast<unsigned char>(text[i + c])} << (8 * c);
        words.push_back(static_cast<std::int64_t>(word));
    }
}

std::string text_in(std::span<const std::int64_t> words, std::uint64_t size) {
    std::string text;
    for (std::uint64_t i = 0; i < size && i / 8 < words.size(); ++i)
        text += static_cast<char>(static_cast<std::uint64_t>(words[i / 8]) >> (8 * (i % 8)));
    return text;
}

namespace {

void append_string(std::vector<std::int64_t>& words, std::string_view text) {
    words.push_back(static_cast<std::int64_t>(text.size()));
    append_text(words, text);
}

// Takes numbers and strings off the front. Once something is missing, ok() is false and everything else reads as empty.
class WordReader {
  public:
    explicit WordReader(std::span<const std::int64_t> words) : words_{words} {}
    [[nodiscard]] bool ok() const { return ok_; }

    std::uint64_t number() {
        if (words_.empty()) ok_ = false;
        if (!ok_) return 0;
        const auto value = static_cast<std::uint64_t>(words_.front());
        words_ = words_.subspan(1);
        return value;
    }
    std::uint32_t small() { return static_cast<std::uint32_t>(number()); }
    std::string string() {
        const std::uint64_t size = number();
        const std::uint64_t count = size / 8 + (size % 8 != 0 ? 1 : 0);
        if (count > words_.size()) ok_ = false;
        if (!ok_) return {};
        std::string text = text_in(words_, size);
        words_ = words_.subspan(count);
        return text;
    }

  private:
    std::span<const std::int64_t> words_;
    bool ok_ = true;
};

} // namespace

std::vector<std::int64_t> to_words(const Symbol& symbol) {
    std::vector<std::int64_t> words = {symbol.scope ? 1 : 0, symbol.begin_scl, symbol.end_scl};
    append_string(words, symbol.name);
    return words;
}

std::vector<std::int64_t> to_words(const Counter& counter) {
    std::vector<std::int64_t> words = {
        static_cast<std::int64_t>(counter.type),  static_cast<std::int64_t>(counter.display),
        static_cast<std::int64_t>(counter.valid), counter.of_process ? 1 : 0,
        static_cast<std::int64_t>(counter.lower), static_cast<std::int64_t>(counter.upper)};
    append_string(words, counter.name);
    append_string(words, counter.unit);
    return words;
}

std::vector<std::int64_t> to_words(const Scl& scl) {
    std::vector<std::int64_t> words = {scl.line};
    append_string(words, scl.file);
    return words;
}

std::vector<std::int64_t> to_words(const ThreadName& thread) {
    std::vector<std::int64_t> words = {thread.index};
    append_string(words, thread.name);
    return words;
}

void add_from_record(const Record& record, std::span<const std::int64_t> words, Definitions& definitions) {
    WordReader in{words};
    const std::uint32_t number = record.what.type;
    const auto keep = [&](auto& list, auto&& item) {
        if (in.ok()) list.push_back(std::forward<decltype(item)>(item));
    };
    // The initializers of a braced list are evaluated in the order in which they are written.
    switch (static_cast<SymbolTable>(record.what.tag)) {
    case SymbolTable::symbols: {
        Symbol symbol{.number = number, .name = {}, .scope = in.number() != 0};
        symbol.begin_scl = in.small();
        symbol.end_scl = in.small();
        symbol.name = in.string();
        return keep(definitions.symbols, std::move(symbol));
    }
    case SymbolTable::counters: {
        Counter counter{.number = number,
                        .name = {},
                        .unit = {},
                        .type = static_cast<CounterType>(in.number()),
                        .display = static_cast<CounterDisplay>(in.number()),
                        .valid = static_cast<CounterValid>(in.number()),
                        .of_process = in.number() != 0,
                        .lower = in.number(),
                        .upper = in.number()};
        counter.name = in.string();
        counter.unit = in.string();
        return keep(definitions.counters, std::move(counter));
    }
    case SymbolTable::scls: {
        Scl scl{.number = number, .file = {}, .line = in.small()};
        scl.file = in.string();
        return keep(definitions.scls, std::move(scl));
    }
    case SymbolTable::threads: {
        ThreadName thread{.number = number, .index = static_cast<std::int64_t>(in.number()), .name = {}};
        thread.name = in.string();
        return keep(definitions.threads, std::move(thread));
    }
    }
}

} // namespace tactus

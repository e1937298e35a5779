// What the application defines through VT.h: symbols (functions, regions and scopes), counters, source locations and
// thread names. They stand in the records where they were made, so that a killed trace names them, and again in the
// closing definitions. Pure.
#pragma once

#include "trace/record.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

// Which table a Kind::symbol record adds to: its `tag`.
enum class SymbolTable : std::int32_t { symbols = 1, counters = 2, scls = 3, threads = 4 };

struct Symbol {
    std::uint32_t number = 0;    // in the records of this rank, from 1
    std::string name;            // "class:name", classes nested by ':'
    bool scope = false;          // scopes may overlap, everything else is nested
    std::uint32_t begin_scl = 0; // of a scope's definition; 0: none
    std::uint32_t end_scl = 0;
    static constexpr void fields(auto& self, auto&& field) {
        field("number", self.number);
        field("name", self.name);
        field("scope", self.scope);
        field("begin_scl", self.begin_scl);
        field("end_scl", self.end_scl);
    }
};

// How to read a counter's 64 bits, and what they mean.
enum class CounterType : std::uint8_t { integer, floating };
enum class CounterDisplay : std::uint8_t { absolute, rate };
enum class CounterValid : std::uint8_t { sample, point, before, after }; // where between two values one holds

struct Counter {
    std::uint32_t number = 0;
    std::string name; // "class:name"
    std::string unit;
    CounterType type{};
    CounterDisplay display{};
    CounterValid valid{};
    bool of_process = false; // one value for all threads of the process
    std::uint64_t lower = 0; // bounds, bits like those of a value
    std::uint64_t upper = 0;
    static constexpr void fields(auto& self, auto&& field) {
        field("number", self.number);
        field("name", self.name);
        field("unit", self.unit);
        field("type", self.type);
        field("display", self.display);
        field("valid", self.valid);
        field("of_process", self.of_process);
        field("lower", self.lower);
        field("upper", self.upper);
    }
};
// The bits of a value as a number.
double value_of(const Counter& counter, std::uint64_t bits);

// A source location that the application named.
struct Scl {
    std::uint32_t number = 0;
    std::string file;
    std::uint32_t line = 0;
    static constexpr void fields(auto& self, auto&& field) {
        field("number", self.number);
        field("file", self.file);
        field("line", self.line);
    }
};

struct ThreadName {
    std::uint32_t number = 0; // its lane
    std::int64_t index = -1;  // the application's number for it; -1: none
    std::string name;
    static constexpr void fields(auto& self, auto&& field) {
        field("number", self.number);
        field("index", self.index);
        field("name", self.name);
    }
};

// Eight characters to a word, the first in the lowest byte.
void append_text(std::vector<std::int64_t>& words, std::string_view text);
std::string text_in(std::span<const std::int64_t> words, std::uint64_t size);

// The words of a Kind::symbol record. Strings are their size and their characters.
std::vector<std::int64_t> to_words(const Symbol& symbol);
std::vector<std::int64_t> to_words(const Counter& counter);
std::vector<std::int64_t> to_words(const Scl& scl);
std::vector<std::int64_t> to_words(const ThreadName& thread);

// What the record defines, added to its list; nothing when the words make no sense.
struct Definitions;
void add_from_record(const Record& record, std::span<const std::int64_t> words, Definitions& definitions);

} // namespace tactus

// What the application defines through VT.h: symbols (functions, regions and scopes), counters, source locations and
// thread names. Each is stored among the records where it was defined, so that the trace of a killed run names it, and
// again in the closing definitions. Pure.
#pragma once

#include "trace/record.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

// The table that a Kind::symbol record adds to; this is the record's `tag`.
enum class SymbolTable : std::int32_t { symbols = 1, counters = 2, scls = 3, threads = 4 };

struct Symbol {
    std::uint32_t number = 0;    // in the records of this rank, from 1
    std::string name;            // "class:name", classes nested by ':'
    bool scope = false;          // scopes may overlap, everything else is nested
    std::uint32_t begin_scl = 0; // number of the Scl where a scope begins, by its definition; 0: none
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
enum class CounterValid : std::uint8_t { sample, point, before, after }; // for which time around it a value holds

struct Counter {
    std::uint32_t number = 0;
    std::string name; // "class:name"
    std::string unit;
    CounterType type{};
    CounterDisplay display{};
    CounterValid valid{};
    bool of_process = false; // one value for all threads of the process
    std::uint64_t lower = 0; // bounds, in the same bits as a value
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
// Gives the bits of a value as a number.
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

// Text is stored eight characters to a word, the first in the lowest byte. `size` is in characters.
void append_text(std::vector<std::int64_t>& words, std::string_view text);
std::string text_in(std::span<const std::int64_t> words, std::uint64_t size);

// These give the words of a Kind::symbol record. A string is stored as its size and its characters.
std::vector<std::int64_t> to_words(const Symbol& symbol);
std::vector<std::int64_t> to_words(const Counter& counter);
std::vector<std::int64_t> to_words(const Scl& scl);
std::vector<std::int64_t> to_words(const ThreadName& thread);

// Adds what a Kind::symbol record defines to its list; adds nothing when the words make no sense.
struct Definitions;
void add_from_record(const Record& record, std::span<const std::int64_t> words, Definitions& definitions);

} // namespace tactus

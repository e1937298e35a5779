// Result<T>: a value, or what went wrong in the outside world and what to do about it.
// Used offline (commands, readers) and at the edges of the collector; never on the hot path. No exceptions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tactus {

struct Error {
    std::string what;                      // what was found and what was expected, one sentence, no trailing dot
    std::string file{};                    // the file it is about; empty when there is none
    std::optional<std::uint64_t> offset{}; // byte in that file
    std::string advice{};                  // what the user can do; may be empty

    // "FILE: byte OFFSET: what (advice)", the one line a user sees.
    [[nodiscard]] std::string line() const;
};

// Adds to a list of errors. A hostile file can have a million of them, so the list ends after a thousand, with a note
// that there are more.
void keep_error(std::vector<Error>& list, Error error);

template <class T> class [[nodiscard]] Result {
  public:
    Result(T value) : state_{std::in_place_index<0>, std::move(value)} {}     // NOLINT: implicit on purpose
    Result(Error error) : state_{std::in_place_index<1>, std::move(error)} {} // NOLINT: implicit on purpose

    explicit operator bool() const { return state_.index() == 0; }
    T& operator*() { return *std::get_if<0>(&state_); }
    const T& operator*() const { return *std::get_if<0>(&state_); }
    T* operator->() { return std::get_if<0>(&state_); }
    const T* operator->() const { return std::get_if<0>(&state_); }
    [[nodiscard]] const Error& error() const { return *std::get_if<1>(&state_); }
    [[nodiscard]] Error& error() { return *std::get_if<1>(&state_); }

  private:
    std::variant<T, Error> state_;
};

struct Done {}; // the value of a Result that only says "it worked"
using Outcome = Result<Done>;

} // namespace tactus

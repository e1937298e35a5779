// Two independent visitors of one replay: every note carries the notes of both.
#pragma once

#include "postproc/replay/event.hpp"

#include <cstddef>

namespace tactus {

template <class First, class Second> class Both {
  public:
    static_assert(First::independent && Second::independent);
    static constexpr bool independent = true;
    struct Note {
        typename First::Note first{};
        typename Second::Note second{};
    };
    static Note stronger(const Note& a, const Note& b) {
        return {First::stronger(a.first, b.first), Second::stronger(a.second, b.second)};
    }

    Both(First& first, Second& second) : first_{first}, second_{second} {}

    Note give(std::size_t rank, Event& event) { return {first_.give(rank, event), second_.give(rank, event)}; }
    void pass(std::size_t rank, Event& event) {
        first_.pass(rank, event);
        second_.pass(rank, event);
    }
    void take(std::size_t rank, Event& event, const Note& note) {
        first_.take(rank, event, note.first);
        second_.take(rank, event, note.second);
    }

  private:
    First& first_;
    Second& second_;
};

} // namespace tactus

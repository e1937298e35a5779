/* What all parts of the random program share: the two streams of random numbers, the hash of what was received, and how
 * a rank reports that something is wrong. `plan` gives every rank the same numbers, so all ranks must use it at the
 * same points. `choice` is different on each rank. */
#pragma once
#include <mpi.h>

#include <cstdint>
#include <source_location>
#include <vector>

inline std::uint64_t mix(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

inline std::uint64_t mix(std::uint64_t first, auto... rest) {
    ((first = mix(first) + static_cast<std::uint64_t>(rest)), ...);
    return mix(first);
}

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() { return mix(state_++); }
    int below(int limit) { return static_cast<int>(next() % static_cast<unsigned>(limit)); }
    int between(int first, int last) { return first + below(last - first + 1); }
    bool one_in(int n) { return below(n) == 0; }
    bool coin() { return one_in(2); }
    const auto& pick(const auto& list) { return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))]; }
    void shuffle(auto& list) {
        for (int i = static_cast<int>(list.size()) - 1; i > 0; i--)
            std::swap(list[static_cast<std::size_t>(i)], list[static_cast<std::size_t>(below(i + 1))]);
    }

  private:
    std::uint64_t state_;
};

/* Tags are far from those of collective calls, because MPICH confuses the two in messages to oneself. */
constexpr int first_tag = 20000;

struct Context {
    const char* program = "random_program";
    int rank = 0, size = 1;
    std::uint64_t seed = 0, hash = 0;
    int next_tag = first_tag; // every tag is used once in a seed
    Random plan{0}, choice{0};
};
inline Context here;

/* Adds what a rank has seen to the hash. The order does not matter. */
void fold(auto... values) { here.hash += mix(here.seed, values...); }

using Where = std::source_location;

/* Ends the job. Prints the place, what is wrong there, and the command that reproduces it. */
[[noreturn]] void fail(const char* what, Where where = Where::current());

inline void require(bool condition, const char* what, Where where = Where::current()) {
    if (!condition) fail(what, where);
}

/* Checks the return code of an MPI call that must succeed. */
void must(int code, Where where = Where::current());

/* Checks the return code of a call that is wrong on purpose. */
void must_fail(int code, int error_class, Where where = Where::current());

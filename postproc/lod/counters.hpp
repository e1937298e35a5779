// Values of counters for pictures: how many values each counter had in each slot, and the least, the greatest and the
// last of them. Of several values at the same time the greatest counts as the last. NaN is left out. Pure.
#pragma once

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "trace/definitions.hpp"
#include "trace/rank_file.hpp"
#include "trace/time_map.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace tactus {

struct CounterSum {
    std::int64_t slot = 0;
    std::uint64_t row = 0;     // in a picture
    std::uint32_t counter = 0; // number of the counter in its rank; in a picture, its number there
    std::uint64_t count = 0;
    double least = 0;
    double greatest = 0;
    double last = 0;
    GlobalTime last_at = 0;
    [[nodiscard]] auto key() const { return std::tuple{slot, row, counter}; }
    bool operator==(const CounterSum&) const = default;
};

// Adds up sums with the same key.
class CounterMap {
  public:
    void add(const CounterSum& sum);
    [[nodiscard]] std::size_t size() const { return sums_.size(); }
    [[nodiscard]] std::vector<CounterSum> take(); // ordered by key; leaves the map empty

  private:
    std::map<std::tuple<std::int64_t, std::uint64_t, std::uint32_t>, CounterSum> sums_;
};

// The sums of one slot width, ordered by key.
struct CounterLevel {
    unsigned width_bits = 0;
    std::vector<CounterSum> sums;
};

// Adds up values in slots of 2^0, 2^2, 2^4 ... units: in the narrowest with which there are at most `most` sums. Very
// many counters may have more, in a few wide slots.
class CounterSums {
  public:
    explicit CounterSums(std::size_t most) : most_{most} {}

    void add(std::uint32_t counter, GlobalTime time, double value);
    // Gives the levels, the narrowest first. Each has slots four times as wide as the one before, until there are few
    // sums or slots. There is no level when there was no value.
    std::vector<CounterLevel> take();

  private:
    void widen();
    std::size_t most_;
    CounterMap sums_;
    unsigned width_bits_ = 0;
    GlobalTime first_ = std::numeric_limits<GlobalTime>::max();
    GlobalTime last_ = std::numeric_limits<GlobalTime>::min();
};
// The sum of a single value, in slots of 2^width_bits units.
CounterSum sum_of_value(std::uint32_t counter, GlobalTime time, double value, unsigned width_bits);

// Reads the values of a rank's counters from its records. The definitions must outlive it.
class CounterValues {
  public:
    explicit CounterValues(const Definitions& definitions) {
        for (const Counter& counter : definitions.counters) counters_[counter.number] = &counter;
    }
    // Calls `take(tick, counter, value)` for every value, from the last to the first.
    template <class Take> void each_backward(const TimedBlock& block, const Take& take) const {
        std::vector<const Counter*> counter_of;
        bool any = false;
        for (const Signature& what : block.dictionary) {
            const auto known = what.kind == Kind::counter ? counters_.find(what.type) : counters_.end();
            counter_of.push_back(known == counters_.end() ? nullptr : known->second);
            any = any || counter_of.back() != nullptr;
        }
        if (!any) return;
        for (auto record = block.records.rbegin(); record != block.records.rend(); ++record) {
            const Counter* const counter = counter_of[record->signature];
            if (counter == nullptr) continue;
            const double value = value_of(*counter, block.dictionary[record->signature].bytes) + 0.0; // no -0
            if (!std::isnan(value)) take(record->leave, counter->number, value); // its enter is the same
        }
    }

  private:
    std::map<std::uint32_t, const Counter*> counters_; // by number
};

// Turn the sums of a lane, ordered by key, into bytes and back. Rows are not stored.
Bytes encode(std::span<const CounterSum> sums, unsigned width_bits);
Result<std::vector<CounterSum>> decode_counters(ByteView bytes, unsigned width_bits);

} // namespace tactus

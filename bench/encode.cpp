// Measures the cost of sealing: encode [RANK FILE...]. Prints nanoseconds and bytes per record, a line for each mix of
// records.
//
// The mixes made here are those of bench/calls (`self`, `pingpong`, `window`) and that of a stencil (`halo`), with
// times that jitter like measured times. The records of rank files are encoded as they are. The figure is the best of
// many passes, since every disturbance only adds time.
#include "trace/codec.hpp"
#include "trace/rank_file.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <string_view>

using namespace tactus;

namespace {

constexpr std::size_t block_slots = 4096;

class Mix {
  public:
    Mix(const char* name, Ticks step) : name_{name}, step_{step} {}

    // Adds a call that begins `gap` ticks after the last and takes `duration` ticks. Both are means; the standard
    // deviation is half the mean.
    Record& call(Function function, std::uint64_t place, Ticks gap, Ticks duration) {
        Record& record = slots_.emplace_back();
        record.enter = tick_ += jitter(gap);
        record.leave = tick_ += jitter(duration);
        record.what = {.place = 0x55d0c0de1000 + place, .comm = 1, .function = function};
        ++records_;
        return record;
    }
    void message(Function function, std::uint64_t place, std::int32_t peer, std::int32_t tag, Ticks gap, Ticks duration,
                 bool starts) {
        Record& record = call(function, place, gap, duration);
        record.what.bytes = function == Function::Irecv ? 0 : 8;
        record.what.peer = peer;
        record.what.tag = tag;
        record.what.type = 1;
        if (!starts) return;
        record.what.flags = flag::starts;
        record.request = request_++;
    }
    // Waits for the last `count` requests, of which the first half are receives.
    void wait_all(std::size_t count, Ticks duration) {
        Record& record = call(Function::Waitall, 900, 200, duration);
        std::vector<std::int64_t> words;
        for (std::size_t i = 0; i < count; ++i) {
            const bool received = i < count / 2;
            words.push_back(static_cast<std::int64_t>((request_ - count + i) << 1 | (received ? 1 : 0)));
            if (!received) continue;
            words.push_back(8);
            words.push_back(envelope_word(static_cast<std::int32_t>(i), static_cast<std::int32_t>(i)));
        }
        record.what.words = static_cast<std::uint32_t>(words.size());
        append(words);
    }
    void take(const Record& record, std::span<const std::int64_t> words) {
        slots_.push_back(record);
        append(words);
        ++records_;
    }
    [[nodiscard]] bool full() const { return slots_.size() + 300 > block_slots; }

    void measure() const {
        constexpr int passes = 400;
        BlockEncoder encoder{block_slots, step_};
        Bytes block(encoder.most_bytes());
        std::size_t size = 0;
        double best = 1e300;
        for (int pass = 0; pass < passes; ++pass) {
            const Anchor begin = read_anchor();
            size = encoder.encode(slots_, {}, block.data());
            best = std::min(best, static_cast<double>(read_anchor().monotonic_ns - begin.monotonic_ns));
        }
        const auto count = static_cast<double>(records_);
        std::printf("%-40s step %3llu %6zu records %7.1f ns/record %6.2f bytes/record\n", name_,
                    static_cast<unsigned long long>(step_), records_, best / count, static_cast<double>(size) / count);
    }

  private:
    Ticks jitter(Ticks mean) {
        std::gamma_distribution<double> distribution{4, static_cast<double>(mean) / 4};
        return std::max<Ticks>(1, static_cast<Ticks>(distribution(random_)) / step_) * step_;
    }
    void append(std::span<const std::int64_t> words) {
        for (std::size_t i = 0; i < words.size(); i += words_per_slot) {
            Continuation more;
            for (std::size_t w = 0; w < words_per_slot && i + w < words.size(); ++w) more.words[w] = words[i + w];
            std::memcpy(static_cast<void*>(&slots_.emplace_back()), &more, sizeof more);
        }
    }

    const char* name_;
    Ticks step_;
    std::mt19937_64 random_{7};
    std::vector<Record> slots_;
    std::size_t records_ = 0;
    Ticks tick_ = 1'000'000;
    std::uint64_t request_ = 0;
};

void self(Mix& mix) {
    mix.message(Function::Irecv, 10, 0, 1, 100, 200, true);
    mix.message(Function::Isend, 20, 0, 1, 100, 300, true);
    mix.wait_all(2, 150);
}

void ping_pong(Mix& mix) {
    mix.message(Function::Send, 10, 1, 1, 60, 200, false);
    mix.message(Function::Recv, 20, 1, 1, 60, 400, false);
}

void window(Mix& mix) {
    constexpr std::size_t size = 64;
    for (std::size_t i = 0; i < size; ++i)
        mix.message(Function::Irecv, 10, 1, static_cast<std::int32_t>(i), 60, 120, true);
    for (std::size_t i = 0; i < size; ++i)
        mix.message(Function::Isend, 20, 1, static_cast<std::int32_t>(i), 60, 160, true);
    mix.wait_all(2 * size, 4000);
}

void halo(Mix& mix) {
    constexpr std::size_t sides = 6;
    for (std::size_t i = 0; i < sides; ++i)
        mix.message(Function::Irecv, 10, static_cast<std::int32_t>(i), 7, 500, 300, true);
    for (std::size_t i = 0; i < sides; ++i)
        mix.message(Function::Isend, 20, static_cast<std::int32_t>(i), 7, 2000, 900, true);
    mix.wait_all(2 * sides, 60'000);
    mix.call(Function::Allreduce, 30, 3'000'000, 30'000).what.bytes = 8;
}

bool measure_file(const char* path) {
    const auto file = RankFile::open(path);
    if (!file) return std::fprintf(stderr, "encode: %s\n", file.error().line().c_str()), false;
    Mix mix{path, timer_step()};
    const auto done =
        file->for_each_record([&](std::uint32_t, const Record& record, std::span<const std::int64_t> words) {
            if (!mix.full() && words.size() < 1000) mix.take(record, words);
        });
    mix.measure();
    return static_cast<bool>(done);
}

} // namespace

int main(int argc, char** argv) {
    choose_timer(best_timer());
    struct {
        const char* name;
        void (*round)(Mix&);
    } const made[] = {{"self", self}, {"pingpong", ping_pong}, {"window", window}, {"halo", halo}};
    for (const Ticks step : {Ticks{1}, Ticks{26}})
        for (const auto& [name, round] : made) {
            Mix mix{name, step};
            while (!mix.full()) round(mix);
            mix.measure();
        }
    bool good = true;
    for (int i = 1; i < argc; ++i) good = measure_file(argv[i]) && good;
    return good ? 0 : 1;
}

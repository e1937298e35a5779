// Writes whole trace directories for tests with the writer's own encoder. A tick is a nanosecond, and every rank starts
// at tick 1'000'000'000.
#pragma once

#include "tests/unit/made/test_folder.hpp"
#include "trace/definitions.hpp"
#include "trace/record.hpp"
#include "trace/stretch.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tactus {

constexpr Ticks made_start = 1'000'000'000;
constexpr std::int64_t made_realtime_ns = 1'700'000'000'000'000'000;

struct MadeRecord {
    Record record;
    std::vector<std::int64_t> words;
};

// A call between two ticks after the start. The test sets the rest of its signature.
MadeRecord made_call(Function function, Ticks enter, Ticks leave);
MadeRecord made_message(Function function, Ticks enter, Ticks leave, std::int32_t peer, std::int32_t tag,
                        std::uint64_t bytes);

// What the operating system counted for the thread until tick `at`, at which it is read.
MadeRecord made_stretch(Ticks at, const Stretch& stretch);

// A look at the thread of `lane` (trace/sample.hpp), which is at `place`, called by `path`; and a definition of a path.
MadeRecord made_sample(Ticks at, std::uint32_t lane, std::uint64_t place, std::uint32_t path, std::int32_t call,
                       const std::string& file = {});
MadeRecord made_path(Ticks at, std::uint32_t number, std::uint64_t callers, std::uint64_t place);
// The definition of the place with this number in a program that an interpreter runs.
MadeRecord made_script(Ticks at, std::uint64_t number, std::int32_t line, const std::string& function,
                       const std::string& file);

// One record of each kind that VT.h leaves: definitions of symbol, counter, location and thread 1, a region around a
// barrier, a counter value, and a comment. They are between ticks 10,000 and 20,000.
std::vector<MadeRecord> made_application_records();

// A round of clock measurements. When the rank's clock showed `at` + 500 after the start, the clock of its master, rank
// 0, showed that minus `ahead_ns`. Half of a round trip takes 500 ns.
SyncRound made_round(std::uint32_t number, Ticks at, std::int64_t ahead_ns);

struct MadeLane {
    std::uint32_t number = 0;
    std::vector<MadeRecord> records;
    std::size_t records_a_block = 1000;
    std::uint64_t first_sequence = 0; // greater than 0: blocks before it are missing
};

struct MadeRank {
    Header header;
    Definitions definitions; // at the end of the file; an end anchor is added
    std::vector<MadeLane> lanes;
    bool closed = true; // false: without totals, index and tail
};

// Ranks 0 to n - 1 of one run, with MPI_COMM_WORLD and MPI_COMM_SELF, but no records.
std::vector<MadeRank> made_ranks(std::uint32_t ranks, std::uint64_t job = 77);

// Writes the directory, with a manifest if all ranks are closed. Returns the path of each rank's file.
std::vector<std::string> write_trace(const std::filesystem::path& trace, const std::vector<MadeRank>& ranks);

} // namespace tactus

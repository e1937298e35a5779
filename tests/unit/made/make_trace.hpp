// Whole trace directories for tests, written with the writer's own encoder: what the test says, a tick being a
// nanosecond and tick 1'000'000'000 the start of every rank.
#pragma once

#include "tests/unit/made/test_folder.hpp"
#include "trace/definitions.hpp"
#include "trace/record.hpp"

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

// A call between two ticks after the start; the rest of its signature is the test's to set.
MadeRecord made_call(Function function, Ticks enter, Ticks leave);
MadeRecord made_message(Function function, Ticks enter, Ticks leave, std::int32_t peer, std::int32_t tag,
                        std::uint64_t bytes);

// One of each kind that VT.h leaves: definitions of symbol, counter, location and thread 1, a region around a barrier,
// a counter value, a comment. Between ticks 10,000 and 20,000.
std::vector<MadeRecord> made_application_records();

// A round of clock measurements in which the rank's clock showed `at` + 500, after the start, when its master's showed
// that minus `ahead_ns`. The master is rank 0; half of a round trip takes 500 ns.
SyncRound made_round(std::uint32_t number, Ticks at, std::int64_t ahead_ns);

struct MadeLane {
    std::uint32_t number = 0;
    std::vector<MadeRecord> records;
    std::size_t records_a_block = 1000;
    std::uint64_t first_sequence = 0; // more: blocks before it are missing
};

struct MadeRank {
    Header header;
    Definitions definitions; // closing ones; an end anchor is added
    std::vector<MadeLane> lanes;
    bool closed = true; // false: no totals, no index, no tail
};

// Ranks 0 to n - 1 of one run with MPI_COMM_WORLD and MPI_COMM_SELF, no records.
std::vector<MadeRank> made_ranks(std::uint32_t ranks, std::uint64_t job = 77);

// Writes the directory, with a manifest if all are closed; gives the path of each rank's file.
std::vector<std::string> write_trace(const std::filesystem::path& trace, const std::vector<MadeRank>& ranks);

} // namespace tactus

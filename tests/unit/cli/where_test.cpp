// `tactus where`: lanes made by hand, of a process that is alive (the test itself) and of one that is not.
#include "cli/where_text.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/run_tactus.hpp"
#include "trace/lane_file.hpp"

#include <array>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>

using namespace tactus;

namespace {

// A lane with the given records published, and perhaps an open call after them.
void write_lane(const std::filesystem::path& folder, const Header& header, std::uint32_t number,
                const std::vector<Record>& done, const Record* open) {
    constexpr std::uint32_t slots = 64;
    std::filesystem::create_directories(folder);
    const auto lane = std::make_unique<LaneHeader>();
    lane->job = header.job;
    lane->rank = header.rank;
    lane->lane = number;
    lane->pid = header.pid;
    lane->buffers = 1;
    lane->slots = slots;
    lane->buffer[0].sequence = 1;
    lane->buffer[0].filled = done.size();
    std::ofstream file{folder / lane_file_name(header.rank, number), std::ios::binary};
    std::array<char, lane_header_size> page{};
    std::memcpy(page.data(), static_cast<const void*>(lane.get()), sizeof *lane);
    file.write(page.data(), page.size());
    std::vector<Record> all = done;
    if (open != nullptr) all.push_back(*open);
    all.resize(slots);
    file.write(reinterpret_cast<const char*>(all.data()), static_cast<std::streamsize>(slots * sizeof(Record)));
}

std::string this_host() {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

std::string this_boot() {
    std::ifstream file{"/proc/sys/kernel/random/boot_id"};
    std::string id;
    std::getline(file, id);
    return id;
}

// Unclosed ranks of a process on this host, which began a second ago by CLOCK_MONOTONIC.
std::vector<MadeRank> running_ranks(std::uint32_t count, const std::filesystem::path& lanes, std::uint64_t pid) {
    choose_timer(Timer::monotonic);
    const Anchor now = read_anchor();
    auto ranks = made_ranks(count);
    for (MadeRank& rank : ranks) {
        rank.closed = false;
        rank.header.host = this_host();
        rank.header.boot_id = this_boot();
        rank.header.pid = pid;
        rank.header.timer = Timer::monotonic;
        rank.header.lane_directory = lanes.string();
        rank.header.start = {now.tick - 5'000'000'000, now.monotonic_ns - 5'000'000'000,
                             now.realtime_ns - 5'000'000'000};
    }
    return ranks;
}

Record open_call(const Header& header, Function function, std::int32_t peer, std::int32_t tag) {
    Record record = made_message(function, 0, 0, peer, tag, 0).record;
    record.enter = header.start.tick + 1'000'000'000; // four seconds ago
    record.leave = 0;
    return record;
}

// Whether a line says that its call is as old as the stamp `tick`, which is at least `least` seconds old.
void check_age(const std::string& line, Ticks tick, double least) {
    constexpr std::string_view before = " since ";
    const std::size_t found = line.find(before);
    REQUIRE(found != std::string::npos);
    const double shown = std::stod(line.substr(found + before.size()));
    const double now = static_cast<double>(read_anchor().tick - tick) / 1e9;
    constexpr double rounding = 0.001; // because lines have milliseconds
    CHECK(shown >= least - rounding);
    CHECK(shown <= now + rounding);
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
    const CommandOutcome outcome = run_tactus("where " + path.string());
    INFO(outcome.errors);
    CHECK(outcome.status == 0);
    CHECK(outcome.errors.empty());
    std::vector<std::string> lines = lines_in(outcome.output);
    std::erase_if(lines, [](const std::string& line) { return line.find("built without libdw") != std::string::npos; });
    return lines;
}

} // namespace

TEST_CASE("where: an open receive, a thread outside MPI", "[libdw]") {
    const TestFolder folder;
    const auto trace = folder.path() / "app.tactus";
    auto ranks = running_ranks(2, folder.path() / "shm", static_cast<std::uint64_t>(getpid()));
    const Record receive = open_call(ranks[1].header, Function::Recv, 0, 77);
    Record before = open_call(ranks[0].header, Function::Send, 1, 5);
    before.leave = before.enter + 1'000'000'000; // three seconds ago
    write_trace(trace, ranks);
    write_lane(folder.path() / "shm", ranks[0].header, 0, {before}, nullptr);
    write_lane(folder.path() / "shm", ranks[1].header, 0, {before}, nullptr);
    write_lane(folder.path() / "shm", ranks[1].header, 1, {}, &receive);
    const auto lines = lines_of(trace);
    REQUIRE(lines.size() == 4);
    CHECK_THAT(lines[1], Contains("rank 0: outside MPI, last call MPI_Send since ") &&
                             Contains("to 1 tag 5 comm MPI_COMM_WORLD"));
    check_age(lines[1], before.leave, 3);
    CHECK_THAT(lines[2], Contains("rank 1 thread 0: outside MPI"));
    CHECK_THAT(lines[3],
               Contains("rank 1 thread 1: in MPI_Recv since ") && Contains("from 0 tag 77 comm MPI_COMM_WORLD"));
    check_age(lines[3], receive.enter, 4);
}

TEST_CASE("where: lanes in the trace itself, of a process that is dead") {
    const TestFolder folder;
    const auto trace = folder.path() / "app.tactus";
    auto ranks = running_ranks(1, folder.path() / "gone", 0x3fffffff);
    const Record barrier = open_call(ranks[0].header, Function::Barrier, peer::none, 0);
    write_trace(trace, ranks);
    write_lane(trace / "lanes", ranks[0].header, 0, {}, &barrier);
    const auto lines = lines_of(trace);
    REQUIRE(lines.size() == 2);
    CHECK_THAT(lines[1], Contains("rank 0 (process dead): in MPI_Barrier since ") && Contains("comm MPI_COMM_WORLD"));
    check_age(lines[1], barrier.enter, 4);
}

TEST_CASE("where: a communicator that only the lane knows yet") {
    const TestFolder folder;
    const auto trace = folder.path() / "app.tactus";
    auto ranks = running_ranks(4, folder.path() / "shm", static_cast<std::uint64_t>(getpid()));
    ranks.resize(1);
    ranks[0].header.ranks = 1;
    const Comm pair{.number = 3,
                    .identity = 5,
                    .made_by = Function::Comm_split,
                    .my_rank = 0,
                    .members = {{0, 2, 3}},
                    .remote = {},
                    .name = {}};
    const auto words = to_words(pair);
    Record definition = open_call(ranks[0].header, Function::Comm_split, peer::none, 0);
    definition.leave = definition.enter;
    definition.what.kind = Kind::comm;
    definition.what.comm = 3;
    definition.what.words = static_cast<std::uint32_t>(words.size());
    std::vector<Record> slots = {definition};
    for (std::size_t word = 0; word < words.size(); word += words_per_slot) {
        Continuation more;
        for (std::size_t w = 0; w < words_per_slot && word + w < words.size(); ++w) more.words[w] = words[word + w];
        std::memcpy(static_cast<void*>(&slots.emplace_back()), &more, sizeof more);
    }
    Record receive = open_call(ranks[0].header, Function::Recv, 1, 9);
    receive.enter += 1000;
    receive.what.comm = 3;
    write_trace(trace, ranks);
    write_lane(folder.path() / "shm", ranks[0].header, 0, slots, &receive);
    const auto lines = lines_of(trace);
    REQUIRE(lines.size() == 2);
    CHECK_THAT(lines[1], Contains("in MPI_Recv") && Contains("from 1 (world 3) tag 9 comm #3"));
}

TEST_CASE("where: many ranks in one place share a line") {
    const TestFolder folder;
    const auto trace = folder.path() / "app.tactus";
    auto ranks = running_ranks(20, folder.path() / "shm", static_cast<std::uint64_t>(getpid()));
    write_trace(trace, ranks);
    for (std::uint32_t r = 0; r < 20; ++r) {
        const Record open = r == 4 ? open_call(ranks[r].header, Function::Recv, 5, 1)
                                   : open_call(ranks[r].header, Function::Barrier, peer::none, 0);
        write_lane(folder.path() / "shm", ranks[r].header, 0, {}, &open);
    }
    const auto lines = lines_of(trace);
    REQUIRE(lines.size() == 3);
    CHECK_THAT(lines[1], Contains("ranks 0-3,5-19: in MPI_Barrier since ") && Contains("comm MPI_COMM_WORLD"));
    CHECK_THAT(lines[2], Contains("rank 4: in MPI_Recv since "));
    for (const std::string& line : {lines[1], lines[2]}) check_age(line, ranks[0].header.start.tick + 1'000'000'000, 4);
}

TEST_CASE("where: a finished run has nothing open; without lanes it says so") {
    const TestFolder folder;
    const auto finished = folder.path() / "done.tactus";
    write_trace(finished, made_ranks(2));
    CHECK_THAT(lines_of(finished).at(0), Contains("the run is over"));
    const auto lost = folder.path() / "lost.tactus";
    write_trace(lost, running_ranks(2, folder.path() / "gone", 0x3fffffff));
    const CommandOutcome outcome = run_tactus("where " + lost.string());
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.errors, Contains("no lane of this run could be read"));
    CHECK_THAT(outcome.output, Contains("rank 1 (process dead): no lane of it is left in"));
}

TEST_CASE("rank lists") {
    CHECK(rank_list({}).empty());
    CHECK(rank_list({3}) == "3");
    CHECK(rank_list({0, 1, 2, 5, 7, 8}) == "0-2,5,7-8");
}

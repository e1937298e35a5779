// Writing and reading end to end: lanes and a rank writer write a real file, which is read back; a file is cut
// anywhere; a lane is read while it is filled.
#include "trace/lane_contents.hpp"
#include "trace/rank_file.hpp"
#include "writer/lane.hpp"
#include "writer/rank_writer.hpp"

#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace tactus;

namespace {

Header header_of(std::uint64_t job) {
    Header header;
    header.job = job;
    header.ranks = 1;
    header.program = "unit";
    header.start = read_anchor();
    header.schema = schema();
    return header;
}

void call(Lane& lane, Function function, std::uint64_t bytes) {
    Record& record = lane.slot();
    record.what = {.place = 0x1234, .bytes = bytes, .function = function};
    record.request = 0;
    record.enter = lane.stamp();
    record.leave = lane.stamp();
    lane.publish();
}

struct Read {
    std::vector<std::uint64_t> bytes;
    std::vector<std::size_t> words;
    Ticks last = 0;
    bool increasing = true;
    bool multiples = true; // every list holds the multiples of its length
};

Read read_lane_records(const RankFile& file, std::uint32_t wanted) {
    Read out;
    const auto done =
        file.for_each_record([&](std::uint32_t lane, const Record& record, std::span<const std::int64_t> words) {
            if (lane != wanted || record.what.kind != Kind::call) return;
            out.increasing = out.increasing && record.enter > out.last && record.leave > record.enter;
            out.last = record.leave;
            out.bytes.push_back(record.what.bytes);
            out.words.push_back(words.size());
            for (std::size_t i = 0; i < words.size(); ++i)
                out.multiples = out.multiples && words[i] == static_cast<std::int64_t>(i * words.size());
        });
    REQUIRE(done);
    return out;
}

} // namespace

TEST_CASE("what lanes record is what the file holds") {
    TestFolder folder;
    const std::string path = folder.path() / "rank.trace";
    LossCounters losses_now;
    RankWriter writer{losses_now, 7};
    constexpr std::uint64_t calls = 20'000;
    const bool with_thread = GENERATE(true, false);
    const auto first = Lane::make(writer);
    const auto second = Lane::make(writer);
    first->begin_life(0, 0, 1);
    second->begin_life(1, 0, 2);
    call(*first, Function::Init, 0); // before the file exists
    REQUIRE(writer.open(path, header_of(7), {}));
    if (with_thread) writer.start_thread();
    std::thread other{[&] {
        for (std::uint64_t i = 0; i < calls; ++i) call(*second, Function::Recv, i);
    }};
    for (std::uint64_t i = 1; i < calls; ++i) call(*first, Function::Send, i);
    other.join();
    first->seal();
    second->seal();
    Definitions closing;
    closing.totals.emplace_back().calls = 2 * calls;
    REQUIRE(writer.close(closing));

    auto file = RankFile::open(path);
    REQUIRE(file);
    CHECK(file->closed());
    CHECK(file->damage().empty());
    CHECK(file->definitions().totals.front().calls == 2 * calls);
    for (const std::uint32_t lane : {0U, 1U}) {
        const Read read = read_lane_records(*file, lane);
        CHECK(read.increasing);
        REQUIRE(read.bytes.size() == calls);
        for (std::uint64_t i = 0; i < calls; ++i) REQUIRE(read.bytes[i] == i);
    }
}

TEST_CASE("lists of any length stay with their call") {
    TestFolder folder;
    const std::string path = folder.path() / "rank.trace";
    LossCounters losses_now;
    RankWriter writer{losses_now, 7};
    const auto lane = Lane::make(writer);
    lane->begin_life(0, 0, 1);
    REQUIRE(writer.open(path, header_of(7), {}));
    std::mt19937 random{5};
    std::vector<std::size_t> sizes = {1, 6, 7, 8, 28'658, 28'659, 28'664, 28'665, 28'666, 57'331, 100'000, 3};
    for (int i = 0; i < 200; ++i) sizes.push_back(1 + random() % 5000);
    for (int i = 0; i < 20'000; ++i) sizes.push_back(1 + random() % 20); // some end exactly where a buffer ends
    for (const std::size_t size : sizes) {
        std::vector<std::int64_t> words(size);
        for (std::size_t i = 0; i < size; ++i) words[i] = static_cast<std::int64_t>(i * size);
        Record& record = lane->slot();
        record.what = {.place = 1, .function = Function::Alltoallv};
        record.enter = lane->stamp();
        record.leave = lane->stamp();
        lane->publish(words);
        call(*lane, Function::Comm_rank, 0);
    }
    lane->seal();
    REQUIRE(writer.close({}));
    auto file = RankFile::open(path);
    REQUIRE(file);
    const Read read = read_lane_records(*file, 0);
    REQUIRE(read.words.size() == 2 * sizes.size());
    CHECK(read.multiples);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        REQUIRE(read.words[2 * i] == sizes[i]);
        REQUIRE(read.words[2 * i + 1] == 0);
    }
}

TEST_CASE("a closed file takes one more part, or stays as it is") {
    TestFolder folder;
    const std::string path = folder.path() / "rank.trace";
    LossCounters losses_now;
    RankWriter writer{losses_now, 7};
    const auto lane = Lane::make(writer);
    lane->begin_life(0, 0, 1);
    REQUIRE(writer.open(path, header_of(7), {}));
    constexpr std::uint64_t calls = 5000;
    for (std::uint64_t i = 0; i < calls; ++i) call(*lane, Function::Send, i);
    lane->seal();
    REQUIRE(writer.close({}));
    const std::uint64_t before = writer.size();
    REQUIRE(before == std::filesystem::file_size(path));
    Definitions more;
    more.sync_rounds.push_back({.number = 3, .samples = {{1, 2, 3}}});
    const auto rounds = [&] {
        auto file = RankFile::open(path);
        REQUIRE(file);
        CHECK(file->closed());
        CHECK(file->damage().empty());
        CHECK(read_lane_records(*file, 0).bytes.size() == calls);
        return file->definitions().sync_rounds.size();
    };

    SECTION("there is room") {
        REQUIRE(writer.append_to_closed({}, more));
        CHECK(rounds() == 1);
        REQUIRE(writer.append_to_closed({}, more));
        CHECK(rounds() == 2);
        CHECK(writer.size() == std::filesystem::file_size(path));
    }
    SECTION("there is room for one block more, but not for two") {
        const std::vector<Bytes> blocks(2, pack_block({.kind = BlockKind::time_line, .job = 7}, Bytes(100, 1)));
        rlimit all{};
        getrlimit(RLIMIT_FSIZE, &all);
        const rlimit little{.rlim_cur = before + blocks[0].size() + 20, .rlim_max = all.rlim_max};
        const auto handler = signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &little);
        const bool written = writer.append_to_closed(blocks, more);
        setrlimit(RLIMIT_FSIZE, &all);
        signal(SIGXFSZ, handler);
        CHECK_FALSE(written);
        CHECK(std::filesystem::file_size(path) == before);
        CHECK(rounds() == 0);
        REQUIRE(writer.append_to_closed(blocks, more));
        CHECK(rounds() == 1);
        const auto file = RankFile::open(path);
        CHECK(std::count_if(file->all_blocks().begin(), file->all_blocks().end(),
                            [](const IndexEntry& entry) { return entry.kind == BlockKind::time_line; }) == 2);
    }
    SECTION("the disk is full") {
        rlimit all{};
        getrlimit(RLIMIT_FSIZE, &all);
        const rlimit little{.rlim_cur = before + 20, .rlim_max = all.rlim_max};
        const auto handler = signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &little);
        const bool written = writer.append_to_closed({}, more);
        const int reason = writer.last_errno();
        setrlimit(RLIMIT_FSIZE, &all);
        signal(SIGXFSZ, handler);
        CHECK_FALSE(written);
        CHECK(reason == EFBIG);
        CHECK(writer.size() == before);
        CHECK(rounds() == 0);
        REQUIRE(writer.append_to_closed({}, more)); // the disk has space again
        CHECK(rounds() == 1);
    }
    SECTION("the file is gone") {
        std::filesystem::remove(path);
        CHECK_FALSE(writer.append_to_closed({}, more));
        CHECK(writer.last_errno() == ENOENT);
    }
}

TEST_CASE("a file cut at any place gives every block before the cut") {
    TestFolder folder;
    const std::string path = folder.path() / "rank.trace";
    LossCounters losses_now;
    RankWriter writer{losses_now, 7};
    const auto lane = Lane::make(writer);
    lane->begin_life(0, 0, 1);
    REQUIRE(writer.open(path, header_of(7), {}));
    for (std::uint64_t i = 0; i < 30'000; ++i) call(*lane, Function::Send, i);
    lane->seal();
    REQUIRE(writer.close({}));
    auto whole = RankFile::open(path);
    REQUIRE(whole);
    std::ifstream in{path, std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
    const std::string cut_path = folder.path() / "cut.trace";
    std::mt19937 random{2};
    for (int i = 0; i < 60; ++i) {
        const std::size_t size = random() % bytes.size();
        std::ofstream{cut_path, std::ios::binary}.write(bytes.data(), static_cast<std::streamsize>(size));
        auto cut = RankFile::open(cut_path);
        std::size_t expected = 0;
        for (const IndexEntry& block : whole->blocks())
            if (block.offset + sizeof(BlockHeader) < size) {
                BlockHeader header;
                std::memcpy(&header, bytes.data() + block.offset, sizeof header);
                if (block.offset + sizeof header + header.stored_size <= size) ++expected;
            }
        INFO("cut at " << size << " of " << bytes.size());
        if (!cut) {
            CHECK(expected == 0);
            CHECK(cut.error().file == cut_path);
            continue;
        }
        CHECK_FALSE(cut->closed());
        CHECK(cut->blocks().size() == expected);
    }
}

TEST_CASE("a lane shows the call its thread is inside of") {
    TestFolder folder;
    LossCounters losses_now;
    RankWriter writer{losses_now, 7};
    const auto lane = Lane::make(writer);
    lane->begin_life(4, 2, 99);
    REQUIRE(lane->protect(folder.path()));
    const std::string path = folder.path() / lane_file_name(2, 4);
    for (std::uint64_t i = 0; i < 5000; ++i)
        call(*lane, Function::Send, i); // more than one buffer, so that it also contains old records
    auto outside = read_lane(path);
    REQUIRE(outside);
    CHECK(outside->steady);
    CHECK(outside->open.empty());
    REQUIRE(outside->latest() != nullptr);
    CHECK(outside->latest()->what.bytes == 4999);
    Record& open = lane->slot();
    open.what = {.place = 0x77, .comm = 1, .peer = 3, .tag = 12, .function = Function::Recv};
    open.enter = lane->stamp();
    auto inside = read_lane(path);
    REQUIRE(inside);
    REQUIRE(inside->open.size() == 1);
    CHECK(inside->open[0].what.function == Function::Recv);
    CHECK(inside->open[0].what.peer == 3);
    CHECK(inside->open[0].what.tag == 12);
    CHECK(inside->rank == 2);
}

TEST_CASE("a lane that cannot be read is refused by name") {
    TestFolder folder;
    const std::string path = folder.path() / "x.lane";
    CHECK_FALSE(read_lane(path));
    std::ofstream{path} << "not a lane";
    auto wrong = read_lane(path);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().file == path);
}

TEST_CASE("the background thread anchors the clocks again and again") {
    const TestFolder folder;
    const std::string path = folder.path() / "rank.trace";
    LossCounters losses_now;
    RankWriter writer{losses_now, 7};
    REQUIRE(writer.open(path, header_of(7), {}));
    writer.start_thread(nullptr, 1);
    const auto anchors_in_file = [&path] {
        auto file = RankFile::open(path);
        REQUIRE(file);
        return file->definitions().anchors.size();
    };
    const auto begin = std::chrono::steady_clock::now();
    while (anchors_in_file() < 3) std::this_thread::sleep_for(std::chrono::milliseconds{50}); // the header's, two more
    REQUIRE(writer.close({}));
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
    auto file = RankFile::open(path);
    REQUIRE(file);
    const auto& anchors = file->definitions().anchors;
    CHECK(anchors.size() <= 3 + static_cast<std::size_t>(passed.count())); // not more than one a second
    CHECK(anchors[1].monotonic_ns - anchors[0].monotonic_ns >= 1'000'000'000);
    CHECK(file->seconds(anchors[1].tick - anchors[0].tick) >= 1.0);
    CHECK(anchors[2].monotonic_ns > anchors[1].monotonic_ns);
}

TEST_CASE("equal calls in a row change the record before them") {
    LossCounters losses_now;
    RankWriter writer{losses_now, 7};
    const auto lane = Lane::make(writer);
    lane->begin_life(0, 0, 1);
    const auto* const place = reinterpret_cast<const void*>(std::uintptr_t{16});
    const auto begin_call = [&] {
        lane->slot() = {.enter = lane->stamp(), .what = {.place = 16, .function = Function::Type_size}};
    };
    begin_call();
    lane->slot().leave = lane->slot().enter + 3;
    lane->slot().what.bytes = 3;
    lane->slot().request = 1;
    lane->publish();
    CHECK_FALSE(lane->repeats());
    begin_call();
    const Ticks leave = lane->slot().enter + 5;
    lane->add_equal_call(leave);
    CHECK(lane->latest()->request == 2);
    CHECK(lane->latest()->what.bytes == 3 + 5);
    CHECK(lane->latest()->leave == leave);
    CHECK_FALSE(lane->repeats()); // so it is for unsuccessful tests
    lane->begin_repeats();
    CHECK(lane->repeats(Function::Type_size, place));
    CHECK_FALSE(lane->repeats(Function::Comm_size, place));
    CHECK_FALSE(lane->repeats(Function::Type_size, nullptr));
    lane->end_repeats();
    CHECK_FALSE(lane->repeats(Function::Type_size, place));
    lane->begin_repeats();
    lane->publish(); // of another record
    CHECK_FALSE(lane->repeats());
    lane->begin_repeats();
    lane->seal(); // the next buffer
    CHECK_FALSE(lane->repeats());
}

TEST_CASE("whether the owner of a lane is in a call") {
    LossCounters losses_now;
    RankWriter writer{losses_now, 7};
    const auto lane = Lane::make(writer);
    lane->begin_life(0, 0, 1);
    CHECK_FALSE(lane->in_call());
    for (std::size_t i = 0; i < 2 * slots_per_buffer + 10; ++i) { // each buffer is used again
        Record& record = lane->slot();
        record.what = {.place = 1, .function = Function::Send};
        record.enter = lane->stamp();
        CHECK(lane->in_call());
        record.leave = lane->stamp();
        lane->publish();
        CHECK_FALSE(lane->in_call());
    }
    // An unsuccessful test is added to the record before it.
    Record* const last = lane->latest();
    lane->slot().enter = lane->stamp();
    CHECK(lane->in_call());
    last->leave = lane->slot().leave = lane->stamp();
    CHECK_FALSE(lane->in_call());
}

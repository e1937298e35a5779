// A lane is read by one thread while another fills it and turns its buffers: whatever is found is whole and of one
// time.
#include "trace/lane_contents.hpp"
#include "writer/lane.hpp"
#include "writer/rank_writer.hpp"

#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/test_folder.hpp"

#include <atomic>
#include <thread>

using namespace tactus;

namespace {

#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
constexpr int looks = 50; // each takes up to a sixth of a second
#else
constexpr int looks = 3'000;
#endif
constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;

// All of a record follows from its enter tick.
void begin_call(Record& record, Ticks enter) {
    record.leave = 0;
    record.what = {.place = enter * factor, .bytes = enter, .function = Function::Send};
    record.request = enter ^ factor;
    std::atomic_ref{record.enter}.store(enter, std::memory_order_release);
}
bool is_whole(const Record& record) {
    return record.what.place == record.enter * factor && record.what.bytes == record.enter &&
           record.request == (record.enter ^ factor) && record.what.function == Function::Send;
}

struct Found {
    std::uint64_t looks = 0;
    std::uint64_t steady = 0;
    std::uint64_t open = 0;
    std::uint64_t torn = 0;
    std::uint64_t out_of_order = 0;
};

void look(const Lane& lane, Found& found) {
    const auto contents = lane.contents();
    ++found.looks;
    if (!contents || !contents->steady) return;
    ++found.steady;
    Ticks last = 0;
    for (const auto& block : contents->unwritten)
        for (const Record& record : block.slots) { // among them the lane's own, of waits for the file
            if (record.what.kind == Kind::call && !is_whole(record)) ++found.torn;
            if (record.enter <= last || record.leave <= record.enter) ++found.out_of_order;
            last = record.leave;
        }
    for (const Record& record : contents->open) {
        ++found.open;
        if (!is_whole(record)) ++found.torn;
        if (record.enter <= last) ++found.out_of_order;
    }
}

} // namespace

TEST_CASE("a lane that is read while its owner turns buffers shows whole records in order") {
    const TestFolder folder;
    LossCounters losses;
    RankWriter writer{losses, 7};
    const auto lane = Lane::make(writer);
    REQUIRE(lane != nullptr);
    Header header;
    header.job = 7;
    header.ranks = 1;
    header.start = read_anchor();
    header.schema = schema();
    REQUIRE(writer.open(folder.path() / "rank.trace", header, {}));
    lane->begin_life(0, 0, 1);
    std::atomic<bool> stop{false};
    std::thread owner{[&] {
        while (!stop.load(std::memory_order_relaxed)) {
            Record& record = lane->slot();
            begin_call(record, lane->stamp());
            record.leave = lane->stamp();
            lane->publish();
        }
    }};
    Found found;
    for (int i = 0; i < looks; ++i) look(*lane, found);
    stop = true;
    owner.join();
    look(*lane, found);
    INFO(found.looks << " looks, " << found.steady << " steady, " << found.open << " open calls");
    CHECK(found.steady > 0);
    CHECK(found.torn == 0);
    CHECK(found.out_of_order == 0);
    lane->end_life();
    CHECK(writer.close({}));
}

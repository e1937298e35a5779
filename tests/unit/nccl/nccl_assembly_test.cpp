// NCCL's callbacks, in any pieces and order, become records that say how much is known.
#include "tests/unit/made/catch.hpp"
#include "tests/unit/nccl/nccl_driver.hpp"

#include <cstring>

namespace {

using namespace tactus;
using namespace tactus::nccl;
namespace event = nccl::event;

TEST_CASE("an operation lasts from its first channel's start to its last one's end", "[nccl]") {
    Driver nccl;
    const std::uint64_t id = nccl.all_reduce(5);
    const auto begin = static_cast<std::int64_t>(nccl.tick) + 1000;
    nccl.channel(id, 0, begin, begin + 4000);
    nccl.channel(id, 3, begin + 300, begin + 9000);
    nccl.settle();
    const auto found = nccl.rows.of(NcclKind::coll);
    REQUIRE(found.size() == 1);
    const Stored& stored = found.front();
    CHECK(nccl.rows.name_of(stored) == "NCCL:AllReduce");
    CHECK(stored.tag.span == NcclSpan::full);
    CHECK(stored.tag.has(NcclTag::drawn));
    CHECK(stored.record.what.bytes == 4000);
    CHECK(stored.record.leave - stored.record.enter == 9000);
    CHECK(stored.work.gpu_start == begin + Driver::gpu);
    CHECK(stored.work.gpu_stop == begin + 9000 + Driver::gpu);
    CHECK(stored.work.skew_ns == 300);
    CHECK(stored.work.longest_ns == 8700);
    CHECK(stored.work.sequence == 5);
    CHECK(std::llabs(static_cast<std::int64_t>(stored.record.enter) - begin) <= stored.work.within_ns);
    CHECK(stored.work.called < 0);
    CHECK(stored.work.called < stored.work.launched);
    CHECK(nccl.rows.comms.size() == 1);
    CHECK(nccl.rows.invalid() == 0);
    CHECK(nccl.rows.of(NcclKind::coll_api).size() == 1);
    CHECK(nccl.rows.of(NcclKind::kernel_launch).size() == 1);
}

TEST_CASE("what is told again, late, or never was begun is counted and changes nothing", "[nccl]") {
    Driver nccl;
    const std::uint64_t id = nccl.all_reduce(0);
    const auto begin = static_cast<std::int64_t>(nccl.tick) + 1000;
    nccl.channel(id, 0, begin, begin + 10);
    nccl.channel(id, 1, begin, begin + 10);
    nccl.stop(id);
    nccl.stop(Token::of(9, 12345, 6, false).bits);
    nccl.settle();
    // Its operation was stored already.
    nccl.start(event::kernel_channel, id, Driver::stamp(0, begin + 20), Driver::proxy);
    nccl.end();
    CHECK(nccl.rows.invalid() == 3);
    CHECK(nccl.rows.of(NcclKind::coll).size() == 1);
}

TEST_CASE("a channel that never began leaves its operation partial, once later ones have ended", "[nccl]") {
    Driver nccl;
    const std::uint64_t first = nccl.all_reduce(0);
    auto begin = static_cast<std::int64_t>(nccl.tick) + 1000;
    nccl.channel(first, 0, begin, begin + 1000);
    nccl.settle();
    CHECK(nccl.rows.of(NcclKind::coll).empty()); // the other channel may still come
    const std::uint64_t second = nccl.all_reduce(1);
    begin = static_cast<std::int64_t>(nccl.tick) + 1000;
    nccl.channel(second, 0, begin, begin + 1000);
    nccl.channel(second, 1, begin, begin + 1000);
    nccl.settle();
    const auto found = nccl.rows.of(NcclKind::coll);
    REQUIRE(found.size() == 2);
    CHECK(found[0].tag.span == NcclSpan::partial);
    CHECK(found[0].work.started == 1);
    CHECK(found[1].tag.span == NcclSpan::full);
}

TEST_CASE("without channels an operation lasts as the proxy thread's work, or is not drawn", "[nccl]") {
    Driver nccl;
    const std::uint64_t id = nccl.all_reduce(0);
    Event work;
    work.flags = Event::sends;
    const std::uint64_t proxy = nccl.start(event::proxy_op, id, work, Driver::proxy);
    nccl.tick += 5000;
    nccl.stop(proxy, Driver::proxy);
    const Ticks ended = nccl.tick;
    nccl.all_reduce(1);
    nccl.end();
    const auto found = nccl.rows.of(NcclKind::coll);
    REQUIRE(found.size() == 2);
    CHECK(found[0].tag.span == NcclSpan::proxy);
    CHECK(found[0].record.leave == ended);
    CHECK(found[1].tag.span == NcclSpan::enqueue_only);
    CHECK_FALSE(found[1].tag.has(NcclTag::drawn));
    REQUIRE(nccl.rows.of(NcclKind::proxy_op).size() == 1);
    CHECK(nccl.rows.of(NcclKind::proxy_op).front().tag.has(NcclTag::sends));
}

TEST_CASE("stamps that a later operation's contradict are left out", "[nccl]") {
    Driver nccl;
    const std::uint64_t first = nccl.all_reduce(0);
    const std::uint64_t second = nccl.all_reduce(1);
    const auto begin = static_cast<std::int64_t>(nccl.tick) + 1000;
    for (const std::uint8_t channel : std::array<std::uint8_t, 2>{0, 1})
        nccl.channel(first, channel, begin + 60'000, begin + 61'000); // of another operation
    for (const std::uint8_t channel : std::array<std::uint8_t, 2>{0, 1})
        nccl.channel(second, channel, begin + 2000, begin + 3000);
    nccl.settle();
    const auto found = nccl.rows.of(NcclKind::coll);
    REQUIRE(found.size() == 2);
    CHECK(found[0].tag.has(NcclTag::overrun));
    CHECK(found[0].tag.span == NcclSpan::enqueue_only);
    CHECK(found[1].tag.span == NcclSpan::full);
    CHECK_FALSE(found[1].tag.has(NcclTag::overrun));
    CHECK(found[1].work.gpu_start == begin + 2000 + Driver::gpu);
}

TEST_CASE("a stamp that no kernel can have spoils nothing", "[nccl]") {
    Driver nccl;
    const std::uint64_t first = nccl.all_reduce(0);
    auto begin = static_cast<std::int64_t>(nccl.tick) + 1000;
    for (const std::uint8_t channel : std::array<std::uint8_t, 2>{0, 1})
        nccl.channel(first, channel, begin, begin + 1000);
    const std::uint64_t second = nccl.all_reduce(1);
    for (const std::int64_t garbage : {5 - Driver::gpu, std::int64_t{1} << 61}) {
        const std::uint64_t id = nccl.start(event::kernel_channel, second, Driver::stamp(0, garbage), Driver::proxy);
        nccl.told(id, garbage + 10);
        nccl.stop(id, Driver::proxy);
    }
    const std::uint64_t third = nccl.all_reduce(2);
    begin = static_cast<std::int64_t>(nccl.tick) + 1000;
    for (const std::uint8_t channel : std::array<std::uint8_t, 2>{0, 1})
        nccl.channel(third, channel, begin, begin + 1000);
    nccl.end();
    const auto found = nccl.rows.of(NcclKind::coll);
    REQUIRE(found.size() == 3);
    CHECK(found[1].tag.span == NcclSpan::enqueue_only);
    CHECK(found[1].record.leave <= nccl.tick);
    CHECK(found[2].tag.span == NcclSpan::full);
    CHECK_FALSE(found[2].tag.has(NcclTag::overrun));
    CHECK(found[2].record.leave - found[2].record.enter == 1000);
}

TEST_CASE("operations launched together are drawn together, also when the end of the launch is lost", "[nccl]") {
    for (const bool lost : {false, true}) {
        Driver nccl;
        const std::uint64_t plan = nccl.start(event::group, 0);
        const std::uint64_t first = nccl.start(event::coll, 0, Driver::coll(1, 0, plan));
        const std::uint64_t other = nccl.start(event::coll, 0, Driver::coll(1, 1, plan));
        nccl.stop(first);
        nccl.stop(other);
        if (!lost) nccl.stop(plan);
        const auto begin = static_cast<std::int64_t>(nccl.tick) + 1000;
        nccl.channel(first, 0, begin, begin + 3000);
        nccl.channel(other, 1, begin + 500, begin + 1500);
        nccl.end();
        const auto groups = nccl.rows.of(NcclKind::group);
        REQUIRE(groups.size() == 1);
        CHECK(groups.front().record.leave - groups.front().record.enter == 3000);
        CHECK(groups.front().tag.has(NcclTag::drawn));
        REQUIRE(nccl.rows.of(NcclKind::coll).size() == 2);
        for (const Stored& member : nccl.rows.of(NcclKind::coll)) {
            CHECK_FALSE(member.tag.has(NcclTag::drawn));
            CHECK_FALSE(member.tag.has(NcclTag::overrun));
        }
    }
}

TEST_CASE("a step's last wait counts as well", "[nccl]") {
    Driver nccl;
    const std::uint64_t id = nccl.all_reduce(0);
    const std::uint64_t work = nccl.start(event::proxy_op, id, {}, Driver::proxy);
    const std::uint64_t step = nccl.start(event::proxy_step, work, {}, Driver::proxy);
    nccl::Event waits;
    waits.tick = nccl.tick += 100;
    waits.id = step;
    waits.moment = Moment::state;
    waits.state = state::step_recv_gpu_wait;
    nccl.take(waits);
    nccl.tick += 5000;
    nccl.stop(step, Driver::proxy);
    const auto found = nccl.rows.of(NcclKind::proxy_step);
    REQUIRE(found.size() == 1);
    CHECK(found.front().work.waited == 5100);
}

TEST_CASE("sends and receives to and from all in one call are an all-to-all", "[nccl]") {
    for (const int depth : {1, 2}) {
        Driver nccl;
        const std::uint64_t call = nccl.start(event::group_api, 0, Driver::depth(depth));
        std::vector<std::uint64_t> calls;
        for (int i = 0; i < 8; ++i) {
            calls.push_back(nccl.start(event::p2p_api, call));
            nccl.stop(calls.back());
        }
        const std::uint64_t plan = nccl.start(event::group, 0);
        std::vector<std::uint64_t> all;
        for (std::int32_t peer = 0; peer < 4; ++peer)
            for (const Word func : {word::send, word::recv})
                all.push_back(nccl.start(event::p2p, calls[all.size()], Driver::p2p(func, peer, plan)));
        for (const std::uint64_t id : all) nccl.stop(id);
        nccl.stop(plan);
        nccl.stop(call);
        const auto begin = static_cast<std::int64_t>(nccl.tick) + 1000;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (i / 2 != 1)
                nccl.channel(all[i], static_cast<std::uint8_t>(i / 2), begin, begin + 500); // rank 1 is this rank
        nccl.settle();
        const auto groups = nccl.rows.of(NcclKind::group);
        REQUIRE(groups.size() == 1);
        CHECK(nccl.rows.name_of(groups.front()) == (depth == 1 ? "NCCL:AlltoAll" : "NCCL:SendRecv"));
        CHECK(groups.front().tag.span == NcclSpan::full);
        CHECK(groups.front().tag.has(NcclTag::drawn | NcclTag::batched));
        CHECK(groups.front().work.sends == 4);
        CHECK(groups.front().record.what.bytes == 800);
        for (const Stored& stored : nccl.rows.of(NcclKind::p2p)) CHECK_FALSE(stored.tag.has(NcclTag::drawn));
    }
}

TEST_CASE("work for another process is kept as it came", "[nccl]") {
    Driver nccl;
    Event work;
    work.flags = Event::foreign;
    work.context = foreign_context;
    work.pid = 4321; // the process that it was done for
    const std::uint64_t id = nccl.start(event::proxy_op, 0xdead'0000, work, Driver::proxy);
    const std::uint64_t step = nccl.start(event::proxy_step, id, {}, Driver::proxy);
    nccl.stop(step, Driver::proxy);
    nccl.stop(id, Driver::proxy);
    nccl.end();
    const auto found = nccl.rows.of(NcclKind::proxy_op);
    REQUIRE(found.size() == 1);
    CHECK(found.front().tag.has(NcclTag::foreign));
    CHECK(found.front().work.pid == 4321);
    CHECK(found.front().work.parent == 0xdead'0000);
    CHECK(found.front().work.comm == 0);
    CHECK(nccl.rows.of(NcclKind::proxy_step).size() == 1);
}

TEST_CASE("events that may still be spoken of are bounded, and the oldest make room", "[nccl]") {
    Driver nccl;
    nccl::Event work;
    work.flags = nccl::Event::foreign;
    work.context = foreign_context;
    constexpr std::uint64_t many = 40'000;
    std::uint64_t ended = 0;
    for (std::uint64_t i = 0; i < many; ++i) {
        const std::uint64_t id = nccl.start(event::proxy_op, 0xdead'0000, work, Driver::proxy);
        if (i % 2 == 0) continue;
        nccl.stop(id, Driver::proxy);
        ++ended;
    }
    CHECK(nccl.rows.of(NcclKind::proxy_op).size() == ended);
    for (std::uint64_t i = 0; i < many; ++i) nccl.start(event::proxy_op, 0xdead'0000, work, Driver::proxy);
    const auto found = nccl.rows.of(NcclKind::proxy_op);
    const auto cut =
        std::count_if(found.begin(), found.end(), [](const Stored& stored) { return stored.tag.has(NcclTag::cut); });
    CHECK(static_cast<std::uint64_t>(cut) == many + (many - ended) - 32'768);
}

TEST_CASE("rows of communicators that are at work at the same time have names of their own", "[nccl]") {
    Driver nccl;
    Context world{.id = 5, .ranks = 2, .nodes = 1, .rank = 0, .device = 0, .version = 6};
    std::strcpy(world.name.data(), "world");
    for (int communicators = 0; communicators < 2; ++communicators) {
        nccl.begin_communicator(world);
        nccl.whole_all_reduce(10);
    }
    for (const int device : {1, 0}) {
        world.device = device;
        nccl.begin_communicator(world);
        nccl.whole_all_reduce(10);
        nccl.end_communicator();
    }
    nccl.begin_communicator(world); // one of the first two still exists
    nccl.whole_all_reduce(10);
    world.device = 1;
    nccl.begin_communicator(world);
    nccl.whole_all_reduce(10);
    std::vector<std::string> rows;
    for (const std::string& name : nccl.rows.names)
        if (name.starts_with("GPU")) rows.push_back(name);
    CHECK(rows == std::vector<std::string>{"GPU 0 world (NCCL)", "GPU 0 world #3 (NCCL)", "GPU 1 world (NCCL)",
                                           "GPU 0 world #5 (NCCL)", "GPU 0 world #6 (NCCL)", "GPU 1 world (NCCL)"});
}

} // namespace

// Waits that another order of receives could have made shorter.
#include "postproc/waits/receive_order.hpp"
#include "tests/unit/made/catch.hpp"

using namespace tactus;

namespace {

constexpr std::uint64_t here = 0x100;
constexpr std::uint64_t elsewhere = 0x200;

using ByPlace = std::map<std::uint64_t, GlobalTime>;

} // namespace

TEST_CASE("receive order: messages of others that were there, and are worked on one by one") {
    ReceiveOrder order;
    // It waits from 100 to 145. A message of rank 2 came at 110. It computes for 20 after each.
    order.receive({.place = here, .from = 1, .enter = 100, .sent = 145, .computed = 0});
    order.receive({.place = here, .from = 2, .enter = 165, .sent = 110, .computed = 20});
    order.take_other(40);
    CHECK(order.take() == ByPlace{{here, 20}});
}

TEST_CASE("receive order: not more than the message was there") {
    ReceiveOrder order;
    order.receive({.place = here, .from = 1, .enter = 100, .sent = 145, .computed = 0});
    order.receive({.place = here, .from = 2, .enter = 165, .sent = 140, .computed = 20});
    order.take_other(40);
    CHECK(order.take() == ByPlace{{here, 5}});
}

TEST_CASE("receive order: many messages save no more than the wait") {
    ReceiveOrder order;
    order.receive({.place = here, .from = 1, .enter = 100, .sent = 145, .computed = 0});
    for (std::uint32_t from = 2; from < 6; ++from)
        order.receive({.place = here, .from = from, .enter = 165 + 20 * from, .sent = 90, .computed = 20 * (from - 1)});
    order.take_other(100);
    CHECK(order.take() == ByPlace{{here, 45}});
}

TEST_CASE("receive order: it does not matter where the rank computes after all messages only, or not at all") {
    ReceiveOrder order;
    order.receive({.place = here, .from = 1, .enter = 100, .sent = 145, .computed = 0});
    order.receive({.place = here, .from = 2, .enter = 146, .sent = 110, .computed = 0});
    order.take_other(50);
    order.receive({.place = here, .from = 1, .enter = 300, .sent = 345, .computed = 50});
    order.receive({.place = here, .from = 2, .enter = 346, .sent = 310, .computed = 50});
    CHECK(order.take().empty());
}

TEST_CASE("receive order: other places, the same sender, and messages that came later are something else") {
    ReceiveOrder order;
    order.receive({.place = here, .from = 1, .enter = 100, .sent = 145, .computed = 0});
    order.receive({.place = elsewhere, .from = 2, .enter = 165, .sent = 110, .computed = 20});
    order.take_other(40);
    order.receive({.place = here, .from = 1, .enter = 200, .sent = 245, .computed = 60});
    order.receive({.place = here, .from = 1, .enter = 265, .sent = 210, .computed = 80});
    order.take_other(100);
    order.receive({.place = here, .from = 1, .enter = 300, .sent = 345, .computed = 120});
    order.receive({.place = here, .from = 2, .enter = 365, .sent = 350, .computed = 140});
    order.take_other(160);
    CHECK(order.take().empty());
}

TEST_CASE("receive order: a message may be the answer to one that was sent after the wait") {
    ReceiveOrder order;
    order.receive({.place = here, .from = 1, .enter = 100, .sent = 145, .computed = 0});
    order.send(1); // a reply to another one does no harm
    order.send(2);
    order.receive({.place = here, .from = 2, .enter = 165, .sent = 110, .computed = 20});
    order.receive({.place = here, .from = 3, .enter = 185, .sent = 130, .computed = 40});
    order.take_other(60);
    CHECK(order.take().empty()); // 3 comes after something that was not there
    order.send(3);               // before the wait
    order.receive({.place = here, .from = 1, .enter = 200, .sent = 245, .computed = 60});
    order.receive({.place = here, .from = 3, .enter = 265, .sent = 210, .computed = 80});
    order.take_other(100);
    CHECK(order.take() == ByPlace{{here, 20}});
}

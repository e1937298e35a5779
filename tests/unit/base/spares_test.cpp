// Objects that lie spare are used again, and never by two at the same time.
#include "base/spares.hpp"
#include "tests/unit/made/catch.hpp"

#include <thread>
#include <vector>

namespace tactus {
namespace {

std::atomic<int> made = 0;
std::atomic<int> destroyed = 0;

struct Thing {
    std::atomic<bool> in_use = false;
};
Thing* make() {
    ++made;
    return new Thing;
}
void destroy(Thing* thing) {
    ++destroyed;
    delete thing;
}
using SpareThing = Spare<make, destroy>;

struct Scarce {};
Scarce* no_memory() { return nullptr; }
void never(Scarce*) { FAIL("nothing was made"); }

} // namespace

TEST_CASE("a spare object is used again", "[base]") {
    const Thing* first = nullptr;
    {
        const SpareThing one;
        first = one.get();
        const SpareThing other;
        CHECK(other.get() != first);
        CHECK(made == 2);
    }
    const SpareThing again;
    const SpareThing other;
    CHECK((again.get() == first || other.get() == first));
    CHECK(made == 2);
    CHECK(destroyed == 0);
}

TEST_CASE("threads never share a spare object", "[base]") {
    std::atomic<int> shared = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (int round = 0; round < 2000; ++round) {
                const SpareThing spare;
                if (spare.get()->in_use.exchange(true)) ++shared;
                spare.get()->in_use = false;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(shared == 0);
    CHECK(made - destroyed <= 4);
}

TEST_CASE("without memory there is no object", "[base]") {
    CHECK(Spare<no_memory, never>{}.get() == nullptr);
    CHECK(Spare<no_memory, never>{}.get() == nullptr);
}

} // namespace tactus

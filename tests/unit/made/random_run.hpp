// A run of random messages and collectives as the ranks' traces would have it, with wrong clocks. The
// simulation alone says what must not be before what.
#pragma once

#include "tests/unit/made/make_trace.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

// What was given at a tick of one rank was taken at a tick of another rank.
struct Need {
    std::uint32_t giver = 0;
    Ticks given = 0;
    std::uint32_t taker = 0;
    Ticks taken = 0;
    bool known = false; // whether a probe had found it before
};

struct MadeMessage {
    std::uint32_t sender = 0;
    Ticks sent = 0;
    std::uint32_t receiver = 0;
    Ticks received = 0; // or when a probe found it
    std::int32_t tag = 0;
};

struct MadeCollective {
    std::uint64_t comm = 0; // identity of the communicator
    Function function{};
    struct Member {
        std::uint32_t rank = 0;
        Ticks enter = 0;
        Ticks leave = 0;
    };
    std::vector<Member> members;
    std::uint32_t root = 0; // rank + 1; 0: no root
};

struct RandomRun {
    std::vector<MadeRank> ranks;
    std::vector<Need> needs;
    std::vector<MadeMessage> messages;
    std::vector<MadeCollective> collectives;
};

// `wrong_ns` is about how far the clocks are off; 0: they are right. `times_longer` multiplies the 20 to 400 steps.
RandomRun random_run(std::uint64_t seed, double wrong_ns, std::uint32_t times_longer = 1);

} // namespace tactus

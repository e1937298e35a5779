// Tables of .eh_frame, which lie in the application's memory: any bytes there give a rule or none, and the same one
// again.
#include "sampling/frame_rules.hpp"

#include <array>
#include <cstdlib>
#include <cstring>

// The input begins with where the header lies, and with the address to look up, both from the begin of the tables.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tactus;
    static Pages pages;
    std::array<std::int32_t, 2> places{};
    if (size <= sizeof places) return 0;
    std::memcpy(places.data(), data, sizeof places);
    const auto begin = reinterpret_cast<std::uint64_t>(data) + sizeof places;
    const Mapped tables{.begin = begin, .end = reinterpret_cast<std::uint64_t>(data) + size};
    const auto place = [&](std::int32_t at) { return begin + static_cast<std::uint64_t>(std::int64_t{at}); };
    const auto look_up = [&] {
        pages.forget();
        return frame_rule(pages, tables, place(places[0]), place(places[1]));
    };
    const FrameRule rule = look_up();
    const FrameRule again = look_up();
    if (rule.kind != again.kind || rule.cfa != again.cfa || rule.fp != again.fp) std::abort();
    return 0;
}

// Appends the events of one rank while they are read. Used by one thread.
#pragma once

#include "postproc/replay/rank_events.hpp"

#include <cerrno>
#include <cstring>
#include <string>

namespace tactus {

class EventSink {
  public:
    EventSink(const RankFile& file, RankEvents& out) : file_{file}, out_{out} {}

    // False: there is no room. Then `out` has `too_many` and an error in `unreadable`, and takes no more events.
    bool add(Event event, Role role, std::uint32_t index) {
        event.set(role, index);
        event.order = static_cast<std::uint32_t>(out_.events.size()); // orders events of equal ticks in order_events()
        return !out_.too_many && (out_.events.push_back(event) || has_no_room());
    }
    bool add(const Event& event, Role role, std::uint32_t index, const EventOrigin& origin) {
        return add(event, role, index) && (out_.origins.push_back(origin) || has_no_room());
    }

    // The same when there is no room for the events' order. errno says why. Returns false.
    bool has_no_room() {
        out_.too_many = true;
        keep_error(out_.unreadable, {.what = std::string{"there is no room for its events: "} + std::strerror(errno),
                                     .file = file_.path(),
                                     .advice = "they take 32 to 48 bytes each beside the trace"});
        return false;
    }

  private:
    const RankFile& file_;
    RankEvents& out_;
};

} // namespace tactus

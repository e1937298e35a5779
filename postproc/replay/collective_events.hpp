// The collectives of one rank as they are read: each enters where its call begins, and exits where the call ends that
// completes it. One thread.
#pragma once

#include "postproc/replay/channels.hpp"
#include "postproc/replay/collective_groups.hpp"
#include "postproc/replay/event_sink.hpp"

#include <cstdint>

namespace tactus {

class CollectiveEvents {
  public:
    CollectiveEvents(const RankFile& file, RankEvents& out)
        : out_{out}, sink_{file, out}, groups_{file, out.groups, out.lists} {}

    // A call that did not fail.
    void at(const Record& record, Words words) {
        if (const auto part = groups_.part_of(record.what, words)) take(record, *part);
    }
    void at_fence(const Record& record, std::uint64_t window, bool waits) {
        if (const auto part = groups_.part_of_fence(record.what.comm, window, waits)) take(record, *part);
    }
    // MPI_Start and MPI_Startall of a persistent collective.
    void at_start(const Record& record, const Started& started);
    // A request that was completed: false when it is of no collective that was begun so far.
    bool ends(std::uint64_t request, Ticks leave);
    // It is no receive; its beginning may be read later.
    void ended(std::uint64_t request, Ticks leave) { ended_.insert_or_assign(request, leave); }
    // Behind the last lane.
    void finish() {
        for (const auto& [request, begun] : begun_) exit(begun, begun.enter, false); // it never ended
    }
    [[nodiscard]] std::uint64_t calls() const { return calls_; }

  private:
    struct Begun {
        Participation part;
        Ticks enter = 0;
        std::uint64_t call = 0;
    };
    void take(const Record& record, const Participation& part);
    Begun enter(const Participation& part, Ticks enter);
    void exit(const Begun& begun, Ticks tick, bool took);
    void go_on(std::uint64_t request, const Begun& begun);

    RankEvents& out_;
    EventSink sink_;
    CollectiveGroups groups_;
    ByNumber<Begun> begun_; // by request
    ByNumber<Participation> prepared_;
    ByNumber<Ticks> ended_;
    std::uint64_t calls_ = 0;
};

} // namespace tactus

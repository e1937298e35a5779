// Turns the collectives of one rank into events while its records are read. A collective enters where its call begins,
// and exits where the call that completes it ends. Lanes are read one after the other, so a completion may be read
// before its beginning, and a start before the call that prepared it. Used by one thread.
#pragma once

#include "postproc/replay/channels.hpp"
#include "postproc/replay/collective_groups.hpp"
#include "postproc/replay/event_sink.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

class CollectiveEvents {
  public:
    CollectiveEvents(const RankFile& file, RankEvents& out, bool several_lanes)
        : out_{out}, sink_{file, out}, groups_{file, out.groups, out.lists}, several_lanes_{several_lanes} {}

    // Takes a call that did not fail; a call that is no collective adds nothing.
    void at(const Record& record, Words words) {
        if (const auto part = groups_.part_of(record.what, words)) take(record, *part);
    }
    void at_fence(const Record& record, std::uint64_t window, bool waits) {
        if (const auto part = groups_.part_of_fence(record.what.comm, window, waits)) take(record, *part);
    }
    // Takes the start of a persistent collective by MPI_Start or MPI_Startall.
    void at_start(const Record& record, const Started& started);
    // Takes the completion of a request. False: the request belongs to no collective whose beginning was read so far.
    bool ends(std::uint64_t request, Ticks leave);
    // Remembers the completion of a request that is no receive, since its beginning may still be read in another lane.
    void ended(std::uint64_t request, Ticks leave) {
        if (several_lanes_) ended_.insert_or_assign(request, leave);
    }
    // To be called after the last lane was read. Collectives that never ended exit where they entered.
    void finish();
    [[nodiscard]] std::uint64_t calls() const { return calls_; }

  private:
    struct Begun {
        Participation part;
        Ticks enter = 0;
        std::uint64_t call = 0;
    };
    struct Start {      // of a persistent collective
        Signature what; // of the collective, as far as the start says it
        std::uint64_t prepared = 0;
        std::uint64_t request = 0;
        Ticks enter = 0;
    };
    void begin(const Start& start);
    void take(const Record& record, const Participation& part);
    Begun enter(const Participation& part, Ticks enter);
    void exit(const Begun& begun, Ticks tick, bool took);
    void go_on(std::uint64_t request, const Begun& begun);

    RankEvents& out_;
    EventSink sink_;
    CollectiveGroups groups_;
    bool several_lanes_;
    ByNumber<Begun> begun_;            // by request
    ByNumber<Participation> prepared_; // by persistent request
    ByNumber<Ticks> ended_;            // by request: the leave of the call that completed it
    std::vector<Start> unprepared_;    // whose preparation was not read so far
    std::uint64_t calls_ = 0;
};

} // namespace tactus

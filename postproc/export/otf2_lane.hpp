// Turns the events of one location of an OTF2 archive into the records of a lane. One thread.
//
// otf2_stamps.hpp says how stamps become ticks. Where there is no room for all of several equal stamps, or a stamp is
// before the one that precedes it, it is moved, and counted. What an MPI event says goes into the
// record of the MPI call around it. If there is none, the event becomes a call by itself.
#pragma once

#include "postproc/export/lane_records.hpp"
#include "postproc/export/not_said.hpp"
#include "postproc/export/otf2_requests.hpp"
#include "postproc/export/otf2_run.hpp"
#include "postproc/export/otf2_stamps.hpp"

#include <set>
#include <vector>

namespace tactus {

// What the lanes of a rank share.
struct Otf2RankImport {
    const Otf2Archive& archive;
    const Otf2Run& run;
    const Otf2Stamps& stamps;
    const Otf2Run::Comms& comms;
    Otf2Requests& requests;
    LaneRecords& records;
    NotSaid& not_said;
    Ticks first = ~Ticks{0};
    Ticks last = 1;
    std::set<std::uint32_t> symbols = {}; // numbers of definitions that records refer to, as are the next two
    std::set<std::uint32_t> counters = {};
    std::set<std::uint32_t> scls = {};
    std::uint64_t moved = 0;
};

class Otf2Lane {
  public:
    Otf2Lane(Otf2RankImport& rank, const ImportedLane& lane, const std::vector<Otf2Archive::Marker>* markers)
        : rank_{rank}, lane_{lane}, markers_{markers} {}
    // Reads all events of the location, and writes the records of the lane.
    Outcome read();

    // Called with what the archive says, in its order. Times are ticks of the archive.
    struct Sent {
        std::uint64_t comm = 0;
        std::int32_t peer = 0;
        std::int32_t tag = 0;
        std::uint64_t bytes = 0;
        std::uint64_t request = 0;
        bool starts = false;
    };
    void enter(std::uint64_t time, std::uint64_t region, const OTF2_AttributeList* attributes);
    void leave(std::uint64_t time, std::uint64_t region);
    void sent(std::uint64_t time, Sent message);
    void received(std::uint64_t time, const Sent& message);
    void begun(std::uint64_t time, std::uint64_t request, bool collective);
    void ended(std::uint64_t time, std::uint64_t request, const Sent* message);
    void tested(std::uint64_t time);
    void collective(std::uint64_t time, const Otf2Start& what);
    void metric(std::uint64_t time, std::uint64_t metric, std::size_t count, const OTF2_Type* types,
                const OTF2_MetricValue* values);
    void enter_context(std::uint64_t time, std::uint64_t context, const OTF2_AttributeList* attributes);
    void leave_context(std::uint64_t time, std::uint64_t context);
    void not_imported(const char* what) { rank_.not_said.add(what); }

  private:
    struct Begun { // a receive, or a collective, that was begun
        Otf2Start start;
        std::uint64_t number = 0; // of its request
        bool collective = false;
    };
    struct Frame {
        const Otf2Run::Region* region = nullptr;
        Ticks enter = 0;
        std::uint64_t calls = 0; // number of equal calls in a row that it stands for, if any
        Ticks inside = 0;
        bool failed = false;
        bool unfinished = false;
        bool tested = false;
        std::vector<Sent> sent;
        std::vector<Sent> received;
        std::vector<Begun> begun;
        std::vector<Completion> done;
        std::uint32_t done_comm = 0;
        std::vector<Otf2Start> collectives;
        void clear();
    };
    [[nodiscard]] Ticks stamp(std::uint64_t time);
    [[nodiscard]] const Otf2Run::Region* region_of(std::uint64_t ref) const;
    void end_frame(std::uint64_t time);
    void end_open();
    Frame* call(); // the innermost open call; nullptr: none
    Frame& alone();
    void end_alone(std::uint64_t time, Function function);
    void end_call(const Frame& frame, Function function, Ticks leave, bool nested);
    void fill(const Frame& frame, Record& record);
    void fill_starts(const Frame& frame);
    void fill_begun(const Begun& begun, Record& record);
    void fill_collective(const Otf2Start& what, Record& record);
    void fill_completions(const Frame& frame, Record& record);
    void put_rest(const Frame& frame, Shape shape, std::uint64_t time);
    void put_comments(std::uint64_t until);
    void put_note(Record record, Words words = {});
    [[nodiscard]] std::uint32_t comm_number(std::uint64_t ref);

    Otf2RankImport& rank_;
    const ImportedLane& lane_;
    const std::vector<Otf2Archive::Marker>* markers_;
    std::size_t next_marker_ = 0;
    std::vector<Frame> frames_;
    std::size_t depth_ = 0;
    std::uint64_t too_deep_ = 0; // open regions that are too deep to be kept
    Frame alone_;
    Ticks last_ = 0;
    std::uint64_t last_time_ = 0; // of the archive
    std::vector<std::int64_t> words_;
};

} // namespace tactus

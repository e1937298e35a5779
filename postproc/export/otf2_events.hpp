// The steps of one rank as events of OTF2. One thread.
//
//   Enter · MpiSend, MpiIsend, MpiIrecvRequest, MpiCollectiveBegin, NonBlockingCollectiveRequest   at the call's enter
//   MpiRecv, MpiIrecv, MpiIsendComplete, ..., MpiCollectiveEnd · Leave                              at its leave
//
// Requests keep the numbers that the trace gave them. Memory: the open requests.
#pragma once

#include "postproc/export/otf2_definitions.hpp"
#include "postproc/export/otf2_markers.hpp"
#include "postproc/export/steps.hpp"
#include "trace/core_time.hpp"

#include <map>
#include <optional>
#include <otf2/otf2.h>
#include <unordered_map>

namespace tactus {

class Otf2RankEvents {
  public:
    Otf2RankEvents(OTF2_Archive* archive, const RankFile& file, Otf2Definitions& definitions, Otf2Markers& markers,
                   Otf2Errors& errors);
    ~Otf2RankEvents();
    Otf2RankEvents(const Otf2RankEvents&) = delete;
    Otf2RankEvents& operator=(const Otf2RankEvents&) = delete;

    void at(const ExportStep& step);
    // Must be called after the last step.
    void close();
    [[nodiscard]] std::uint64_t events() const { return events_; }

  private:
    enum class What : std::uint8_t { send, receive, collective, message, nothing };
    struct OpenRequest {
        What what{};
        bool cancelled = false;
        bool also_receives = false; // MPI_Isendrecv
        OTF2_CommRef comm = otf2_no_comm;
        OTF2_CollectiveOp operation{};
        std::uint32_t root = 0;
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
    };
    struct Envelope {
        OTF2_CommRef comm = otf2_no_comm;
        std::int32_t peer = peer::none;
        std::int32_t tag = 0;
        std::uint64_t bytes = 0;
    };

    void enter(const Record& record, Words words);
    void leave(const Record& record, Words words);
    [[nodiscard]] bool is_scope(const Record& region) const;
    void instant(const Record& record, Words words);
    void stretch(const Record& record, Words words);
    void value(ThreadCounter counter, double value, std::uint64_t before);
    void begin_call(const Record& record, Words words);
    void end_call(const Record& record, Words words);
    void begin_collective(const Record& record, Words words);
    void end_collective(const Record& record, Words words);
    void start(const Record& record, Words words);
    void start_persistent(const Started& started);
    void send(const Envelope& to, std::optional<std::uint64_t> request);
    void receive(const Envelope& from);
    void post(OTF2_CommRef comm, std::int32_t from, std::uint64_t request);
    void complete(const Completion& done, std::uint32_t comm);
    void complete_receive(const OpenRequest& open, const Completion& done, OTF2_CommRef comm);
    void complete_other(const OpenRequest& open, std::uint64_t request);
    void count_unsaid(const Record& record);
    [[nodiscard]] OpenRequest collective_of(const Record& record, Words words) const;
    OTF2_AttributeList* attributes_of(const Record& record);
    void check(OTF2_ErrorCode code) {
        ++events_;
        errors_.check(code);
    }

    OTF2_Archive* archive_;
    const RankFile& file_;
    Otf2Definitions& definitions_;
    Otf2Markers& markers_;
    Otf2Errors& errors_;
    struct Lane {
        OTF2_EvtWriter* writer = nullptr;
        std::uint64_t last = 0; // the time of the step before
        CoreTime untold = {};   // since the system was last asked how long the thread had no core
    };
    std::map<std::uint32_t, Lane> lanes_;
    std::unordered_map<std::uint64_t, OpenRequest> open_;
    OTF2_AttributeList* attributes_;
    OTF2_EvtWriter* writer_ = nullptr; // of the current step, as are the next three
    Lane* of_lane_ = nullptr;
    std::uint32_t lane_ = 0;
    std::uint64_t time_ = 0;
    std::uint64_t events_ = 0;
};

} // namespace tactus

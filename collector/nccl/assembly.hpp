// Turns NCCL's callbacks into records: calls, operations with the time in which the GPU did them, and the proxy
// thread's work. The events of an operation come from several threads and in pieces, some of which NCCL never sends.
// Every operation becomes a record in the end, which says how much of it is known. Events come in the order of their
// ticks, and a parent begins before its children. This is pure except for the rows, its memory is bounded, and only the
// drainer uses it.
#pragma once

#include "collector/nccl/abi.hpp"
#include "collector/nccl/contexts.hpp"
#include "collector/nccl/event.hpp"
#include "collector/nccl/gpu_clock.hpp"
#include "collector/nccl/kernel_join.hpp"
#include "collector/nccl/live_events.hpp"
#include "collector/nccl/names.hpp"
#include "collector/nccl/operation.hpp"
#include "collector/nccl/rings.hpp"
#include "collector/nccl/scale.hpp"
#include "collector/nccl/trace_rows.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tactus::nccl {

class Assembly {
  public:
    // `wanted` is the mask of events. Calls are stored on rows of their threads, which `name_of_thread` names.
    Assembly(TraceRows& rows, const Contexts& contexts, std::uint64_t wanted,
             std::string (*name_of_thread)(unsigned ring));

    // False: memory was refused, and nothing may be taken.
    [[nodiscard]] bool ready() const { return calls_.ready() && work_.ready(); }
    void set_scale(const Scale& scale) { scale_ = scale; }
    // Takes an event. `ring` is that of the thread that wrote it.
    void take(const Event& event, unsigned ring);
    // Stores all operations of which no more will be known. All events before `now` were taken.
    void settle(Ticks now);
    // Stores the rest: nothing comes after this.
    void end(Ticks now);
    // Takes a kernel that CUPTI reported. Kernels come in the order in which they ended.
    void kernel(const GpuKernel& kernel);
    // How many launches have no kernel. Only launches that CUPTI was told of count, so those of a graph do not.
    [[nodiscard]] std::uint64_t without_kernel() const { return launches_ - std::min(launches_, kernels_); }
    // Another thread may have this ring from now on.
    void ring_ended(unsigned ring);

  private:
    using Row = TraceRows::Row;
    static constexpr std::uint32_t most_calls = 8192; // that NCCL may still refer to
    static constexpr std::uint32_t most_work = 32768; // the same

    // Operations that were launched together: one kernel does them.
    struct Plan {
        Ticks launched = 0;
        std::uint64_t launch = 0; // the launch's token; 0: not known
        Ticks after = 0;          // a time before the launch, where NCCL does not report launches; 0: not known
        Ticks called = 0;
        bool single_call = false; // it is one call of the application, without an ncclGroupStart
        bool closed = false;      // it has no more members
        unsigned operations = 0;  // not stored yet
        unsigned members = 0;     // in all
        bool has_colls = false;
        NcclWork work; // of all of them
        std::uint64_t bytes = 0;
        Ticks enter = ~Ticks{0};
        Ticks leave = 0;
        Ticks handed_over = ~Ticks{0};
        Ticks posted = 0;
        std::int64_t latest_start = 0; // by the GPU's clock
        std::uint8_t flags = 0;
        NcclSpan span = NcclSpan::none; // the least known one of its operations
    };
    struct Channel {
        std::int64_t start = 0; // the last stamps of the GPU
        std::int64_t stop = 0;
        std::uint64_t plan = 0;
        std::uint64_t operation = 0; // number
    };
    struct Stream {
        Row row = TraceRows::no_row;
        Ticks leave = 0; // of the last kernel
    };
    struct Comm {
        std::uint64_t id = 0; // as it was defined
        Row row = TraceRows::no_row;
        Ticks drawn_leave = 0; // of the last operation that was drawn
        std::int64_t drawn_within_ns = 0;
        std::deque<Operation> operations; // in the order they were handed over; the oldest is stored first
        std::uint64_t first = 0;          // number of the oldest; 0: it is not defined yet
        std::map<std::uint64_t, Plan> plans;
        std::unique_ptr<std::array<Channel, most_channels>> channels;
        std::map<std::uint32_t, std::int64_t> group_sequence; // by symbol
        Ticks ended = 0;                                      // 0: NCCL still has it
    };
    struct Thread {
        Row row = TraceRows::no_row;
        Ticks launched = 0; // its last kernel launch, for the next plan
        std::uint64_t launch = 0;
        Ticks latest = 0; // of its last event
        Ticks before = 0; // the same, before the event that is taken now
    };

    [[nodiscard]] LiveEvents& those_like(std::uint64_t id) { // the table for an event of that type
        constexpr std::uint64_t calls = event::group_api | event::coll_api | event::p2p_api | event::kernel_launch;
        return (1ULL << Token{id}.type() & calls) != 0 ? calls_ : work_;
    }
    [[nodiscard]] LiveEvent* find(std::uint64_t id) { return those_like(id).find(id); }
    void start(const Event& event);
    void stop(const Event& event);
    void state(const Event& event);
    void start_operation(const Event& event, LiveEvent& live);
    void start_plan(const Event& event);
    void stop_detail(LiveEvent& live, std::uint64_t type, Ticks tick);
    void stop_plan(const LiveEvent& live, Ticks tick);
    void stop_operation(const Event& event, LiveEvent& live);
    [[nodiscard]] bool is_believable(std::uint32_t context, std::uint64_t stamp, Ticks told);
    void start_channel(LiveEvent& live);
    void stop_channel(LiveEvent& live, Ticks tick, std::int64_t stamp, bool has_stamp);
    void time_channel(Comm& comm, Operation& operation, std::uint64_t number, std::uint8_t channel, std::int64_t start,
                      std::int64_t stop);
    [[nodiscard]] static bool is_behind_later(const Comm& comm, const Operation& operation, std::uint64_t number,
                                              std::int64_t stop);
    static void doubt_before(Comm& comm, std::uint64_t number, std::int64_t start);
    void cut(const LiveEvent& live, Ticks now);

    [[nodiscard]] Comm& comm_of(std::uint32_t context);
    [[nodiscard]] static Operation* operation_of(Comm& comm, std::uint64_t number); // nullptr: it is stored
    [[nodiscard]] Operation* operation_of(const LiveEvent& live);
    [[nodiscard]] unsigned expected(const Operation& operation) const; // channels; unknown: ~0U
    [[nodiscard]] bool is_quiet(const Operation& operation, Ticks now, std::int64_t for_ns) const;
    [[nodiscard]] bool is_followed(const Comm& comm, const Operation& operation, Ticks now) const;
    [[nodiscard]] bool is_complete(const Comm& comm, const Operation& operation, Ticks now) const;
    [[nodiscard]] bool is_given_up(const Comm& comm, Ticks now) const; // its oldest operation
    void settle(Comm& comm, Ticks now, bool all);
    void store_operation(Comm& comm, const Operation& operation, Ticks now);
    void set_times(Record& record, NcclWork& work, const Operation& operation, NcclSpan span, Ticks now);
    void set_facts(NcclWork& work, const Operation& operation, Ticks enter);
    void draw(Comm& comm, std::uint32_t context, Record& record, NcclTag& tag, NcclWork& work);
    [[nodiscard]] NcclSpan span_of(const Operation& operation) const;
    void store_plan(Comm& comm, std::uint32_t context, std::uint64_t id, const Plan& plan, Ticks now);
    void add_to_plan(Plan& plan, const Record& record, const NcclWork& work);
    [[nodiscard]] Word name_of(const Plan& plan, const Context& context) const;
    [[nodiscard]] GpuClock& clock_of(std::uint32_t context);
    [[nodiscard]] Row row_of(Comm& comm, std::uint32_t context);
    [[nodiscard]] Stream& stream_of(std::uint32_t device, std::uint32_t stream);
    [[nodiscard]] Row row_of_thread(unsigned ring);
    [[nodiscard]] Row row_of_details();
    void store_call(const LiveEvent& live, Ticks leave, std::uint8_t flags);
    void store_detail(const LiveEvent& live, NcclKind kind, Ticks leave, std::uint8_t flags, std::int64_t detail);
    void store(Row row, Record record, const NcclWork& work);

    TraceRows& rows_;
    const Contexts& contexts_;
    const std::uint64_t wanted_;
    std::string (*const name_of_thread_)(unsigned ring);
    Names names_;
    Scale scale_;
    LiveEvents calls_{most_calls};
    LiveEvents work_{most_work};                    // all other events
    std::unordered_map<std::uint32_t, Comm> comms_; // by context
    std::map<std::int64_t, GpuClock> clocks_;       // by device, or by context where that is not known
    std::array<Thread, most_rings> threads_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Stream> streams_; // by device and CUPTI's number
    Row details_ = TraceRows::no_row;
    Row other_calls_ = TraceRows::no_row; // of threads that have no rows, when there are too many
    Row other_comms_ = TraceRows::no_row;
    unsigned call_rows_ = 0;
    unsigned gpu_rows_ = 0;
    Stream other_streams_;
    std::uint64_t launches_ = 0; // of kernels, as the next
    std::uint64_t kernels_ = 0;
};

} // namespace tactus::nccl

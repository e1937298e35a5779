// What the calls that carry something cost on this machine, in this process: batches of messages of the process to
// itself by the wrappers against the same by the MPI. The quickest of several is what a call costs when nothing else
// happens.
#include "collector/call_cost_calibration.hpp"

#include "collector/entries.hpp"
#include "collector/session.hpp"
#include "collector/thread.hpp"
#include "piggyback/mpi/data.hpp"
#include "piggyback/mpi/delays.hpp"
#include "piggyback/mpi/policy.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tactus {
namespace {

constexpr int trial_batches = 20;
constexpr int messages = 8;
constexpr int kinds = 9; // of calls that are tried by the wrappers
static_assert(kinds * trial_batches * messages < slots_per_buffer,
              "the trial lane is thrown away before it would be sealed");
constexpr int payload = 8;
constexpr int most_bytes = header_bytes + payload;

using TrialRequests = std::array<MPI_Request, messages>;

class Trial {
  public:
    Trial() { pmpi.Comm_rank(session->comm(), &self_); }
    void measure();

  private:
    template <class Prepare, class Work, class Finish>
    double quickest(const Prepare& prepare, const Work& work, const Finish& finish) const {
        Ticks least = ~Ticks{0};
        for (int batch = 0; batch < trial_batches; ++batch) {
            prepare();
            const Ticks asked_for = thread.lane->test_overhead();
            const Ticks begin = now();
            for (int i = 0; i < messages; ++i) work(i);
            const Ticks taken = now() - begin;
            least = std::min(least, taken - (thread.lane->test_overhead() - asked_for));
            finish();
        }
        return call_costs.tick * static_cast<double>(least) / messages;
    }
    // Of the MPI, out of sight: the other side of what is measured.
    void post(int bytes) {
        for (int i = 0; i < messages; ++i)
            pmpi.Irecv(in_[i], bytes, handle.BYTE, self_, tag, session->comm(), &others_[static_cast<std::size_t>(i)]);
    }
    void send(int bytes) {
        for (int i = 0; i < messages; ++i)
            pmpi.Isend(out_, bytes, handle.BYTE, self_, tag, session->comm(), &others_[static_cast<std::size_t>(i)]);
    }
    void complete() { pmpi.Waitall(messages, others_.data(), MPI_STATUSES_IGNORE); }
    void wait(int i) { traced_Wait(&own_[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE); }

    static constexpr int tag = 1;
    int self_ = 0;
    const int carried = piggyback_policy.on ? most_bytes : payload; // by messages of the wrappers
    char in_[messages][most_bytes];
    // The header says that a message has come.
    MessageHeader out_[2] = {{.delay = 0, .send_time = 0, .send_id = 1}, {}};
    TrialRequests others_;
    TrialRequests own_;
};

void Trial::measure() {
    const auto nothing = [] {};
    const auto finish = [this] { complete(); };
    const auto all_waited = [this] {
        for (int i = 0; i < messages; ++i) wait(i);
    };
    const auto request = [this](int i) { return &own_[static_cast<std::size_t>(i)]; };
    MPI_Comm const comm = session->comm();
    int rank = 0;

    const double bare = quickest(
        nothing, [&](int) { pmpi.Comm_rank(comm, &rank); }, nothing);
    call_costs.call = std::max(0.0, quickest(
                                        nothing, [&](int) { traced_Comm_rank(comm, &rank); }, nothing) -
                                        bare);
    const auto beyond = [&](double traced, double untraced) {
        return std::max(0.0, traced - untraced - call_costs.call);
    };

    const double bare_send =
        quickest([&] { post(payload); }, [&](int) { pmpi.Send(out_, payload, handle.BYTE, self_, tag, comm); }, finish);
    call_costs.send = beyond(quickest([&] { post(carried); },
                                      [&](int) { traced_Send(out_, payload, handle.BYTE, self_, tag, comm); }, finish),
                             bare_send);
    MPI_Status status;
    const double bare_receive =
        quickest([&] { send(payload); },
                 [&](int i) { pmpi.Recv(in_[i], payload, handle.BYTE, self_, tag, comm, &status); }, finish);
    call_costs.receive =
        beyond(quickest([&] { send(carried); },
                        [&](int i) { traced_Recv(in_[i], payload, handle.BYTE, self_, tag, comm, &status); }, finish),
               bare_receive);
    call_costs.receiving = bare_receive + call_costs.call + call_costs.receive;

    const double bare_begin = quickest(
        [&] { post(payload); }, [&](int i) { pmpi.Isend(out_, payload, handle.BYTE, self_, tag, comm, request(i)); },
        [&] {
            complete();
            pmpi.Waitall(messages, own_.data(), MPI_STATUSES_IGNORE);
        });
    call_costs.begin_send =
        beyond(quickest([&] { post(carried); },
                        [&](int i) { traced_Isend(out_, payload, handle.BYTE, self_, tag, comm, request(i)); },
                        [&] {
                            complete();
                            all_waited();
                        }),
               bare_begin);
    const double bare_post = quickest(
        nothing, [&](int i) { pmpi.Irecv(in_[i], payload, handle.BYTE, self_, tag, comm, request(i)); },
        [&] {
            send(payload);
            complete();
            pmpi.Waitall(messages, own_.data(), MPI_STATUSES_IGNORE);
        });
    const auto post_own = [&](int i) { traced_Irecv(in_[i], payload, handle.BYTE, self_, tag, comm, request(i)); };
    call_costs.begin_receive = beyond(quickest(nothing, post_own,
                                               [&] {
                                                   send(carried);
                                                   complete();
                                                   all_waited();
                                               }),
                                      bare_post);
    const double bare_wait = quickest(
        [&] {
            for (int i = 0; i < messages; ++i) pmpi.Irecv(in_[i], payload, handle.BYTE, self_, tag, comm, request(i));
            send(payload);
            complete();
        },
        [&](int i) { pmpi.Wait(request(i), &status); }, nothing);
    call_costs.complete = beyond(quickest(
                                     [&] {
                                         for (int i = 0; i < messages; ++i) post_own(i);
                                         send(carried);
                                         complete();
                                     },
                                     [&](int i) { wait(i); }, nothing),
                                 bare_wait);

    if (piggyback_policy.on) {
        call_costs.datatype = quickest(
            nothing,
            [&](int) {
                MPI_Datatype type = type_behind(in_, {out_, payload, handle.BYTE});
                pmpi.Type_free(&type);
            },
            nothing);
        // It is counted by itself, but for non-blocking receives where these always have one.
        for (double* const cost : {&call_costs.send, &call_costs.receive, &call_costs.begin_send})
            if (!piggyback_policy.copies) *cost = std::max(0.0, *cost - call_costs.datatype);
        if (!piggyback_policy.copies && overrun_of_truncated == 0)
            call_costs.begin_receive = std::max(0.0, call_costs.begin_receive - call_costs.datatype);
    }
    call_costs.most_copied = piggyback_policy.on && piggyback_policy.copies ? piggyback_policy.copy_max : 0;

    constexpr std::size_t block = 4096;
    static char from[block];
    static char to[block];
    call_costs.copied_byte = quickest(
                                 nothing,
                                 [&](int i) {
                                     from[i] = static_cast<char>(i);
                                     std::memcpy(to, from, block);
                                     asm volatile("" : : "r"(to) : "memory");
                                 },
                                 nothing) /
                             block;
}

} // namespace

void measure_call_costs() {
    const auto lane = Lane::make(session->writer());
    if (lane == nullptr) return;
    lane->begin_life(0, 0, 0);
    Lane* const own = thread.lane;
    const std::uint32_t depth = thread.depth;
    thread.lane = lane.get();
    thread.depth = 0;
    thread.calibrating = true;
    call_costs.tick = picoseconds_per_tick() * 1e-3;
    const bool carries =
        std::exchange(piggyback_policy.on, piggyback_policy.on && !piggyback_policy.lengths.all_beside);
    Trial{}.measure();
    piggyback_policy.on = carries;
    call_costs.carries = carries;
    call_costs.reason = piggyback_policy.reason;
    call_costs.most_headed = piggyback_policy.lengths.most_headed;
    thread.calibrating = false;
    thread.lane = own;
    thread.depth = depth;
    forget_transit_time();
    if (!session->live()) return;
    Definitions more;
    more.costs.push_back(call_costs);
    session->writer().add_definitions(more);
}

} // namespace tactus

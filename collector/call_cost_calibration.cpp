// Measures what calls that move data cost in this process. The process sends itself batches of messages, through the
// wrappers and through the MPI alone, and compares the times. The quickest of several batches says what a call costs
// when nothing else happens.
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
constexpr int kinds = 10; // of calls that are tried through the wrappers
static_assert(kinds * trial_batches * messages < slots_per_buffer,
              "the trial lane is thrown away before it would be sealed");
constexpr int payload = 8;
constexpr int most_bytes = header_bytes + payload;

using TrialRequests = std::array<MPI_Request, messages>;

class Trial {
  public:
    explicit Trial(MPI_Comm comm) : comm_{comm} {
        pmpi.Comm_rank(comm, &self_);
        out_[0].check = check_of(out_[0], {self_, tag}, piggyback_policy.key);
    }
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
    // What a wrapper's call costs in addition to the MPI's own work and to the recording that any call needs.
    static double beyond(double traced, double untraced);
    void measure_call();
    [[gnu::noinline]] void call_from_one_place() const {
        int rank = 0;
        traced_Comm_rank(comm_, &rank);
    }
    void measure_send();
    void measure_receive();
    void measure_begin_send();
    void measure_begin_receive();
    void measure_complete();
    void measure_datatype();
    void measure_copy();

    // The other side of what is measured. These call the MPI without the wrappers.
    void post(int bytes) {
        for (int i = 0; i < messages; ++i)
            pmpi.Irecv(in_[i], bytes, handle.BYTE, self_, tag, comm_, &others_[static_cast<std::size_t>(i)]);
    }
    void send(int bytes) {
        for (int i = 0; i < messages; ++i)
            pmpi.Isend(out_, bytes, handle.BYTE, self_, tag, comm_, &others_[static_cast<std::size_t>(i)]);
    }
    void complete() { pmpi.Waitall(messages, others_.data(), MPI_STATUSES_IGNORE); }
    MPI_Request* request(int i) { return &own_[static_cast<std::size_t>(i)]; }
    void post_bare(int i) { pmpi.Irecv(in_[i], payload, handle.BYTE, self_, tag, comm_, request(i)); }
    void post_traced(int i) { traced_Irecv(in_[i], payload, handle.BYTE, self_, tag, comm_, request(i)); }
    void wait_for_all() {
        for (int i = 0; i < messages; ++i) wait(i);
    }
    void wait(int i) { traced_Wait(&own_[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE); }

    static constexpr int tag = 1;
    MPI_Comm comm_;
    int self_ = 0;
    const int carried_ = piggyback_policy.on ? most_bytes : payload; // bytes of a message to or from a wrapper
    char in_[messages][most_bytes];
    MessageHeader out_[2] = {{.send_id = 1}, {}}; // It begins with a header, as a wrapper's receive expects it.
    TrialRequests others_;
    TrialRequests own_;
};

double Trial::beyond(double traced, double untraced) { return std::max(0.0, traced - untraced - call_costs.call); }

void Trial::measure() {
    measure_call();
    measure_send();
    measure_receive();
    measure_begin_send();
    measure_begin_receive();
    measure_complete();
    if (piggyback_policy.on) measure_datatype();
    call_costs.most_copied = piggyback_policy.on && piggyback_policy.copies ? piggyback_policy.copy_max : 0;
    measure_copy();
}

void Trial::measure_call() {
    int rank = 0;
    const double bare = quickest([] {}, [&](int) { pmpi.Comm_rank(comm_, &rank); }, [] {});
    const auto call = [this](int) { call_from_one_place(); };
    thread.keeps_equal_calls = true;
    call_costs.call = std::max(0.0, quickest([] {}, call, [] {}) - bare);
    thread.keeps_equal_calls = false;
    const auto begin_row = [this] {
        call_from_one_place();
        call_from_one_place();
    };
    call_costs.repeated = std::max(0.0, quickest(begin_row, call, [] {}) - bare);
}

void Trial::measure_send() {
    const auto finish = [this] { complete(); };
    const double bare = quickest([this] { post(payload); },
                                 [this](int) { pmpi.Send(out_, payload, handle.BYTE, self_, tag, comm_); }, finish);
    const double traced = quickest([this] { post(carried_); },
                                   [this](int) { traced_Send(out_, payload, handle.BYTE, self_, tag, comm_); }, finish);
    call_costs.send = beyond(traced, bare);
}

void Trial::measure_receive() {
    MPI_Status status;
    const auto finish = [this] { complete(); };
    const double bare =
        quickest([this] { send(payload); },
                 [&](int i) { pmpi.Recv(in_[i], payload, handle.BYTE, self_, tag, comm_, &status); }, finish);
    const double traced =
        quickest([this] { send(carried_); },
                 [&](int i) { traced_Recv(in_[i], payload, handle.BYTE, self_, tag, comm_, &status); }, finish);
    call_costs.receive = beyond(traced, bare);
    call_costs.receiving = bare + call_costs.call + call_costs.receive;
}

void Trial::measure_begin_send() {
    const double bare =
        quickest([this] { post(payload); },
                 [this](int i) { pmpi.Isend(out_, payload, handle.BYTE, self_, tag, comm_, request(i)); },
                 [this] {
                     complete();
                     pmpi.Waitall(messages, own_.data(), MPI_STATUSES_IGNORE);
                 });
    const double traced =
        quickest([this] { post(carried_); },
                 [this](int i) { traced_Isend(out_, payload, handle.BYTE, self_, tag, comm_, request(i)); },
                 [this] {
                     complete();
                     wait_for_all();
                 });
    call_costs.begin_send = beyond(traced, bare);
}

void Trial::measure_begin_receive() {
    const double bare = quickest([] {}, [this](int i) { post_bare(i); },
                                 [this] {
                                     send(payload);
                                     complete();
                                     pmpi.Waitall(messages, own_.data(), MPI_STATUSES_IGNORE);
                                 });
    const double traced = quickest([] {}, [this](int i) { post_traced(i); },
                                   [this] {
                                       send(carried_);
                                       complete();
                                       wait_for_all();
                                   });
    call_costs.begin_receive = beyond(traced, bare);
}

void Trial::measure_complete() {
    MPI_Status status;
    const double bare = quickest(
        [this] {
            for (int i = 0; i < messages; ++i) post_bare(i);
            send(payload);
            complete();
        },
        [&](int i) { pmpi.Wait(request(i), &status); }, [] {});
    const double traced = quickest(
        [this] {
            for (int i = 0; i < messages; ++i) post_traced(i);
            send(carried_);
            complete();
        },
        [this](int i) { wait(i); }, [] {});
    call_costs.complete = beyond(traced, bare);
}

// The cost of a datatype is counted separately, so it is subtracted from the other costs. It stays in the cost of
// non-blocking receives where these always make a datatype.
void Trial::measure_datatype() {
    const auto make = [this](int) {
        MPI_Datatype type = type_after_header(in_, {out_, payload, handle.BYTE});
        pmpi.Type_free(&type);
    };
    call_costs.datatype = quickest([] {}, make, [] {});
    if (piggyback_policy.copies) return;
    for (double* const cost : {&call_costs.send, &call_costs.receive, &call_costs.begin_send})
        *cost = std::max(0.0, *cost - call_costs.datatype);
    if (overrun_of_truncated == 0)
        call_costs.begin_receive = std::max(0.0, call_costs.begin_receive - call_costs.datatype);
}

void Trial::measure_copy() {
    constexpr std::size_t block = 4096;
    static char from[block];
    static char to[block];
    const auto copy = [&](int i) {
        from[i] = static_cast<char>(i);
        std::memcpy(to, from, block);
        asm volatile("" : : "r"(to) : "memory");
    };
    call_costs.copied_byte = quickest([] {}, copy, [] {}) / block;
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
    const bool carries = std::exchange(piggyback_policy.on, piggyback_policy.on && !piggyback_policy.lengths.all_split);
    Trial{session->comm()}.measure();
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

#include "collector/replay_wire.hpp"

#include "base/ticks.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <sched.h>
#include <time.h>

namespace tactus {
namespace {

constexpr int tag_of_batches = 320;
constexpr int tag_of_items = 321;

// Waits between tests. A long wait sleeps, because others need the core if there are more ranks than cores.
class Patience {
  public:
    void wait() {
        constexpr unsigned polite = 500;
        ++round_;
        if (hopes()) return;
        if (round_ < polite) {
            sched_yield();
            return;
        }
        const timespec pause{0, 50'000};
        nanosleep(&pause, nullptr);
    }
    // The wait has only begun.
    [[nodiscard]] bool hopes() const {
        constexpr unsigned eager = 50;
        return round_ < eager;
    }

  private:
    unsigned round_ = 0;
};

} // namespace

bool MpiReplayWire::complete(MPI_Request& request) {
    Patience patience;
    while (true) {
        int done = 0;
        if (pmpi.Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return ok_ = false;
        if (done != 0) return true;
        if (monotonic_ns() > deadline_ns_) return ok_ = false;
        patience.wait();
    }
}

std::uint8_t* MpiReplayWire::keep(std::size_t size) { return kept_.emplace_back(size).data(); }

bool MpiReplayWire::reduce(void* values, std::size_t count, std::size_t size, MPI_Datatype type, MPI_Op op) {
    if (!ok_) return false;
    std::uint8_t* const mine = keep(count * size);
    std::uint8_t* const all = keep(count * size);
    std::memcpy(mine, values, count * size);
    MPI_Request request = handle.REQUEST_NULL;
    if (pmpi.Iallreduce(mine, all, static_cast<int>(count), type, op, comm_, &request) != MPI_SUCCESS)
        return ok_ = false;
    if (!complete(request)) return false;
    std::memcpy(values, all, count * size);
    kept_.clear();
    return true;
}

bool MpiReplayWire::is_late() const { return monotonic_ns() > soon_ns_; }

void MpiReplayWire::settle() {
    for (Batch& batch : sent_)
        if (ok_) complete(batch.request);
    if (ok_) sent_.clear();
}

void MpiReplayWire::add_up(std::vector<std::uint64_t>& values) {
    reduce(values.data(), values.size(), sizeof(std::uint64_t), handle.UINT64_T, handle.SUM);
}

void MpiReplayWire::find_most(std::vector<std::int64_t>& values) {
    if (!reduce(values.data(), values.size(), sizeof(std::int64_t), handle.INT64_T,
                handle.MAX)) // nobody waits any more
        values.assign(values.size(), std::numeric_limits<std::int64_t>::min());
}

bool MpiReplayWire::exchange_sizes(const std::vector<Bytes>& parts, std::vector<std::uint64_t>& theirs) {
    if (!ok_) return false;
    const std::size_t processes = seats_.players;
    const std::size_t size = processes * sizeof(std::uint64_t);
    std::uint8_t* const mine = keep(size);
    std::uint8_t* const all = keep(size);
    for (std::size_t i = 0; i < processes; ++i) {
        const std::uint64_t bytes = parts[i].size();
        std::memcpy(mine + i * sizeof bytes, &bytes, sizeof bytes);
    }
    MPI_Request request = handle.REQUEST_NULL;
    if (pmpi.Ialltoall(mine, 1, handle.UINT64_T, all, 1, handle.UINT64_T, comm_, &request) != MPI_SUCCESS)
        return ok_ = false;
    if (!complete(request)) return false;
    theirs.resize(processes);
    std::memcpy(theirs.data(), all, size);
    kept_.clear();
    return true;
}

ReplayBytes MpiReplayWire::exchange_bytes(const std::uint8_t* items, std::size_t size,
                                          const std::vector<std::uint32_t>& to) {
    std::vector<Bytes> parts(seats_.players);
    for (std::size_t i = 0; i < to.size(); ++i) {
        Bytes& part = parts[seats_.of(to[i])];
        part.insert(part.end(), items + i * size, items + (i + 1) * size);
    }
    std::vector<std::uint64_t> theirs;
    if (!exchange_sizes(parts, theirs)) return {};
    std::uint64_t sum = 0;
    for (const std::uint64_t part : theirs) sum += part;
    std::uint8_t* const received = keep(sum);
    constexpr std::uint64_t most = std::uint64_t{1} << 30; // bytes of one message
    std::vector<MPI_Request> requests;
    const auto piece = [most](std::uint64_t left) { return static_cast<int>(std::min(left, most)); };
    std::uint8_t* at = received;
    for (std::uint32_t from = 0; from < seats_.players; at += theirs[from++]) {
        if (from == process_ && !parts[from].empty()) std::memcpy(at, parts[from].data(), parts[from].size());
        for (std::uint64_t done = 0; done < theirs[from] && from != process_; done += most)
            ok_ = ok_ && pmpi.Irecv(at + done, piece(theirs[from] - done), handle.BYTE, static_cast<int>(from),
                                    tag_of_items, comm_, &requests.emplace_back(handle.REQUEST_NULL)) == MPI_SUCCESS;
    }
    for (std::uint32_t other = 0; other < seats_.players; ++other) {
        if (other == process_ || parts[other].empty()) continue;
        const Bytes& part = kept_.emplace_back(std::move(parts[other]));
        for (std::uint64_t done = 0; done < part.size(); done += most)
            ok_ = ok_ && pmpi.Isend(part.data() + done, piece(part.size() - done), handle.BYTE, static_cast<int>(other),
                                    tag_of_items, comm_, &requests.emplace_back(handle.REQUEST_NULL)) == MPI_SUCCESS;
    }
    for (MPI_Request& request : requests)
        if (!ok_ || !complete(request)) return {};
    if (!ok_) return {};
    Bytes all = std::move(kept_.front());
    kept_.clear();
    return all;
}

void MpiReplayWire::post(std::uint32_t rank, const void* bytes, std::size_t size) {
    if (!ok_) return;
    const std::uint32_t to = seats_.of(rank);
    Bytes& batch = outgoing_[to];
    if (batch.empty()) filled_.push_back(to);
    const auto* const first = static_cast<const std::uint8_t*>(bytes);
    batch.insert(batch.end(), first, first + size);
    if (batch.size() >= batch_bytes) send_batch(to);
}

void MpiReplayWire::send_batch(std::uint32_t to) {
    if (outgoing_[to].empty()) return;
    sent_.push_back({std::move(outgoing_[to]), handle.REQUEST_NULL});
    outgoing_[to] = {};
    Batch& batch = sent_.back();
    ++sent_count_;
    if (pmpi.Isend(batch.bytes.data(), static_cast<int>(batch.bytes.size()), handle.BYTE, static_cast<int>(to),
                   tag_of_batches, comm_, &batch.request) != MPI_SUCCESS)
        ok_ = false;
}

void MpiReplayWire::send_batches() {
    for (const std::uint32_t to : filled_) send_batch(to);
    filled_.clear();
}

void MpiReplayWire::forget_sent() {
    while (!sent_.empty()) {
        int done = 0;
        if (pmpi.Test(&sent_.front().request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) ok_ = false;
        if (done == 0) return;
        sent_.pop_front();
    }
}

bool MpiReplayWire::receive_batch(Bytes& bytes) {
    int there = 0;
    MPI_Message message{};
    MPI_Status status;
    if (pmpi.Improbe(MPI_ANY_SOURCE, tag_of_batches, comm_, &there, &message, &status) != MPI_SUCCESS)
        return ok_ = false;
    if (there == 0) return false;
    int size = 0;
    pmpi.Get_count(&status, handle.BYTE, &size);
    const std::size_t before = bytes.size();
    bytes.resize(before + static_cast<std::size_t>(std::max(size, 0)));
    if (pmpi.Mrecv(bytes.data() + before, size, handle.BYTE, &message, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return ok_ = false;
    ++received_count_;
    return true;
}

bool MpiReplayWire::collect(ReplayBytes& bytes, bool wait) {
    if (wait) send_batches();
    forget_sent();
    const std::size_t before = bytes.size();
    Patience patience;
    while (ok_) {
        while (receive_batch(bytes)) {
        }
        if (bytes.size() > before) return true;
        if (!wait || (!patience.hopes() && is_quiet())) return false;
        forget_sent();
        if (monotonic_ns() > deadline_ns_) ok_ = false;
        patience.wait();
    }
    return false;
}

// Whether nothing is under way any more. Called while this process waits: each process adds its counts to the sum once
// it has nothing to do. This is Mattern's four-counter method: nothing is under way when two sums in a row are the same
// and as much was received as sent.
bool MpiReplayWire::is_quiet() {
    if (!summing_) {
        mine_[0] = sent_count_;
        mine_[1] = received_count_;
        sum_request_ = handle.REQUEST_NULL;
        if (pmpi.Iallreduce(mine_, sums_, 2, handle.UINT64_T, handle.SUM, comm_, &sum_request_) != MPI_SUCCESS) {
            ok_ = false;
            return false;
        }
        summing_ = true;
    }
    int done = 0;
    if (pmpi.Test(&sum_request_, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) ok_ = false;
    if (done == 0) return false;
    summing_ = false;
    const bool quiet = sums_[0] == sums_[1] && std::equal(sums_, sums_ + 2, last_sums_);
    std::copy(sums_, sums_ + 2, last_sums_);
    if (quiet) last_sums_[1] = last_sums_[0] + 1; // the next quiet moment needs two new sums
    return quiet;
}

} // namespace tactus

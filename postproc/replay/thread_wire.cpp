#include "postproc/replay/thread_wire.hpp"

#include "processor.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace tactus {

// The first thread to come begins the result. The result stays until all threads have read it, since thread 0 clears it
// after the second meeting. The last meeting keeps the next call from beginning before that.
template <class T, class Join> void ThreadWire::combine(std::vector<T>& all, std::vector<T>& values, const Join& join) {
    {
        const std::scoped_lock lock{hub_.mutex_};
        if (all.empty())
            all = values;
        else
            std::transform(values.begin(), values.end(), all.begin(), all.begin(), join);
    }
    hub_.meeting_.arrive_and_wait();
    values = all;
    hub_.meeting_.arrive_and_wait();
    if (thread_ == 0) all.clear();
    hub_.meeting_.arrive_and_wait();
}

void ThreadWire::add_up(std::vector<std::uint64_t>& values) { combine(hub_.sums_, values, std::plus<>{}); }

void ThreadWire::find_most(std::vector<std::int64_t>& values) {
    combine(hub_.most_, values, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}

ReplayBytes ThreadWire::exchange_bytes(const std::uint8_t* items, std::size_t size,
                                       const std::vector<std::uint32_t>& to) {
    std::vector<ReplayBytes>& mine = hub_.parts_[thread_];
    for (std::size_t i = 0; i < to.size(); ++i) {
        ReplayBytes& part = mine[hub_.seats_.of(to[i])];
        part.insert(part.end(), items + i * size, items + (i + 1) * size);
    }
    hub_.meeting_.arrive_and_wait();
    ReplayBytes all;
    for (std::vector<ReplayBytes>& parts : hub_.parts_) {
        const ReplayBytes part = std::exchange(parts[thread_], {});
        all.insert(all.end(), part.begin(), part.end());
    }
    hub_.meeting_.arrive_and_wait();
    return all;
}

void ThreadWire::post(std::uint32_t rank, const void* bytes, std::size_t size) {
    const std::uint32_t to = hub_.seats_.of(rank);
    ReplayBytes& batch = outgoing_[to];
    const auto* const first = static_cast<const std::uint8_t*>(bytes);
    batch.insert(batch.end(), first, first + size);
    if (batch.size() >= batch_bytes) hand_over(to);
}

void ThreadWire::hand_over(std::size_t to) {
    ReplayBytes& batch = outgoing_[to];
    if (batch.empty()) return;
    {
        const std::scoped_lock lock{hub_.mutex_};
        ReplayBytes& inbox = hub_.inboxes_[to];
        inbox.insert(inbox.end(), batch.begin(), batch.end());
        hub_.has_mail_[to].store(true, std::memory_order_relaxed);
    }
    hub_.came_.notify_all();
    batch.clear();
}

bool ThreadWire::is_quiet() const {
    return hub_.waiting_ == hub_.inboxes_.size() && std::all_of(hub_.inboxes_.begin(), hub_.inboxes_.end(),
                                                                [](const ReplayBytes& inbox) { return inbox.empty(); });
}

// Ranks that depend closely on each other wait often and for short times, and going to sleep would take longer than
// that. After a while it yields, since threads that share the core may need it. Where other processes want the core,
// too, a single yield takes milliseconds, and the thread must sleep to be woken when the mail comes.
void ThreadWire::look_out() const {
    constexpr unsigned eager = 100;
    constexpr std::chrono::microseconds polite{50};
    const std::atomic<bool>& has_mail = hub_.has_mail_[thread_];
    for (unsigned i = 0; i < eager && !has_mail.load(std::memory_order_relaxed); ++i) processor::pause();
    const auto end = std::chrono::steady_clock::now() + polite;
    while (!has_mail.load(std::memory_order_relaxed) && std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
}

bool ThreadWire::collect(ReplayBytes& bytes, bool wait) {
    for (std::size_t to = 0; wait && to < outgoing_.size(); ++to) hand_over(to);
    if (wait)
        look_out();
    else if (!hub_.has_mail_[thread_].load(std::memory_order_relaxed))
        return false;
    std::unique_lock lock{hub_.mutex_};
    ReplayBytes& inbox = hub_.inboxes_[thread_];
    if (inbox.empty() && wait) {
        const std::uint64_t moment = hub_.quiet_moments_;
        ++hub_.waiting_;
        if (is_quiet()) {
            ++hub_.quiet_moments_;
            hub_.waiting_ = 0;
            hub_.came_.notify_all();
            return false;
        }
        hub_.came_.wait(lock, [&] { return hub_.quiet_moments_ != moment || !inbox.empty(); });
        if (hub_.quiet_moments_ != moment) return false;
        --hub_.waiting_;
    }
    if (inbox.empty()) return false;
    bytes.insert(bytes.end(), inbox.begin(), inbox.end());
    inbox.clear();
    hub_.has_mail_[thread_].store(false, std::memory_order_relaxed);
    return true;
}

} // namespace tactus

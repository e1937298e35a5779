#include "library.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace tactus::fake_nccl {
namespace {

namespace event = abi::event;
namespace state = abi::state;

constexpr std::size_t queue_limit = 4096; // NCCL's pool of posted operations is limited, too
constexpr std::int64_t worth_sleeping_ns = 100'000;

} // namespace

Progress::Progress(Library& library, CommState& creator)
    : library_(library), creator_(creator), thread_([this] { run(); }) {}

void Progress::stop() {
    {
        const std::scoped_lock lock{mutex_};
        stopping_ = true;
        abort_.store(true, std::memory_order_relaxed);
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Progress::post(const std::vector<ProxyWork>& works) {
    if (works.empty()) return;
    for (const ProxyWork& work : works) work.comm->outstanding.fetch_add(1, std::memory_order_relaxed);
    {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [this] { return posted_.size() < queue_limit || stopping_; });
        posted_.insert(posted_.end(), works.begin(), works.end());
    }
    changed_.notify_all();
}

void Progress::drain(const CommState& comm) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return comm.outstanding.load(std::memory_order_acquire) == 0 || stopping_; });
}

void Progress::wait_until_asleep() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return (asleep_ && posted_.empty()) || stopping_; });
}

void Progress::run() {
    while (!abort_.load(std::memory_order_relaxed)) {
        advance_all();
        tell_idle(active_.empty());
        wait_for_work();
        append();
    }
}

void Progress::advance_all() {
    const auto done = [this](ActiveOp& op) {
        if (!op.advance(library_)) return false;
        finish(op);
        return true;
    };
    std::erase_if(active_, done);
}

void Progress::finish(const ActiveOp& op) {
    free_cells_.push_back(op.cells());
    if (op.work().comm->outstanding.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    { const std::scoped_lock lock{mutex_}; } // so that a thread that is about to wait in drain is notified
    changed_.notify_all();
}

void Progress::tell_idle(bool idle) {
    if (idle == was_idle_) return;
    was_idle_ = idle;
    Cell cell = start_control();
    library_.callbacks.state(cell, idle ? state::ctrl_idle : state::ctrl_active);
    library_.callbacks.stop(cell, event::proxy_ctrl);
}

Cell Progress::start_control() {
    Cell cell;
    if (!library_.emits(event::proxy_ctrl, library_.mask())) return cell;
    if (creator_.finalized.load(std::memory_order_acquire)) counts().after_finalize.add();
    library_.callbacks.start(creator_.context, cell, descriptor_of(event::proxy_ctrl, nullptr), creator_.identity);
    return cell;
}

// Sleeps if there is nothing to do, or while no kernel can start or stop. Otherwise it only lets other threads run.
void Progress::wait_for_work() {
    std::unique_lock lock{mutex_};
    if (!posted_.empty() || stopping_) return;
    if (active_.empty()) {
        lock.unlock();
        Cell cell = start_control();
        library_.callbacks.state(cell, state::ctrl_sleep);
        lock.lock();
        asleep_ = true;
        changed_.notify_all();
        changed_.wait(lock, [this] { return !posted_.empty() || stopping_; });
        asleep_ = false;
        lock.unlock();
        library_.callbacks.state(cell, state::ctrl_wakeup);
        library_.callbacks.stop(cell, event::proxy_ctrl);
        return;
    }
    std::int64_t next_ns = std::numeric_limits<std::int64_t>::max();
    for (const ActiveOp& op : active_) next_ns = std::min(next_ns, op.next_look_ns());
    const std::int64_t wait_ns = next_ns - host_now_ns() - worth_sleeping_ns / 2;
    if (wait_ns > worth_sleeping_ns / 2) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds{wait_ns};
        changed_.wait_until(lock, until, [this] { return !posted_.empty() || stopping_; });
        return;
    }
    lock.unlock();
    std::this_thread::yield();
}

void Progress::append() {
    {
        const std::scoped_lock lock{mutex_};
        if (posted_.empty() || stopping_) return;
        taken_.swap(posted_);
    }
    changed_.notify_all();
    Cell cell = start_control();
    library_.callbacks.state(cell, state::ctrl_append);
    for (const ProxyWork& work : taken_) active_.emplace_back(work, take_cells()).append(library_);
    library_.callbacks.state(cell, state::ctrl_append_end, {.value = taken_.size()});
    library_.callbacks.stop(cell, event::proxy_ctrl);
    taken_.clear();
}

ProxyCells* Progress::take_cells() {
    if (free_cells_.empty()) return &all_cells_.emplace_back();
    ProxyCells* const cells = free_cells_.back();
    free_cells_.pop_back();
    return cells;
}

} // namespace tactus::fake_nccl

// A progress thread ("NCCL Progress"). It takes what launches posted, watches kernels, moves network steps, and makes
// the callbacks of ProxyCtrl, ProxyOp, ProxyStep, KernelCh and InfiniBand. Each communicator has one, or a family of
// communicators shares one.
#pragma once

#include "active_op.hpp"

#include <condition_variable>
#include <thread>
#include <vector>

namespace tactus::fake_nccl {

class Library;

class Progress {
  public:
    Progress(Library& library, CommState& creator);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress() { stop(); }

    void share() { sharers_.fetch_add(1, std::memory_order_relaxed); }
    // Returns true for the last sharer.
    [[nodiscard]] bool unshare() { return sharers_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

    void post(const std::vector<ProxyWork>& works); // waits while the queue is full
    void drain(const CommState& comm);              // waits until all work of this communicator is done
    void wait_until_asleep();                       // until it has no work of any communicator
    void stop();                                    // at once, whatever is in flight; calling it again does nothing

  private:
    void run();
    void append();
    void tell_idle(bool idle);
    void wait_for_work();
    void advance_all();
    void finish(const ActiveOp& op);
    [[nodiscard]] ProxyCells* take_cells();
    [[nodiscard]] Cell start_control();

    Library& library_;
    CommState& creator_; // every ProxyCtrl has its context, even after its finalize

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<ProxyWork> posted_;
    bool stopping_ = false, asleep_ = false;
    std::atomic<bool> abort_{false};
    std::atomic<int> sharers_{1};

    // Used by the progress thread alone.
    std::vector<ProxyWork> taken_;
    std::vector<ActiveOp> active_;
    std::deque<ProxyCells> all_cells_;
    std::vector<ProxyCells*> free_cells_; // the most recently used first, as in NCCL's pool
    bool was_idle_ = false;

    std::thread thread_; // last, because it uses the others
};

} // namespace tactus::fake_nccl

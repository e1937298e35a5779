// NCCL in one process: the plugin, the event mask, the threads, the counts and the truth. Communicators refer to it.
#pragma once

#include "cuda.hpp"
#include "progress.hpp"

#include <deque>
#include <memory>

namespace tactus::fake_nccl {

struct LibraryOptions {
    Core core = Core::v2_30;
    bool keep_truth = true;
    bool broadcast_seen = false; // NCCL_ALLGATHERV_ENABLE=0: Broadcast is seen below API level, too
    std::uint64_t seed = 1;
    // Of the plugin to look for; an older one than the plugin's newest makes NCCL's adapters work.
    int newest_version = 6;
};

class Library {
  public:
    explicit Library(const LibraryOptions& wanted = {})
        : options(wanted), loader(wanted.core, wanted.newest_version), callbacks(loader), truth(wanted.keep_truth) {}
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library(); // ends all threads, as an abort does

    // A plugin may write it at any time.
    [[nodiscard]] int mask() const { return __atomic_load_n(&mask_, __ATOMIC_RELAXED); }
    void set_mask(int mask) { __atomic_store_n(&mask_, mask, __ATOMIC_RELAXED); }
    [[nodiscard]] int* mask_address() { return &mask_; }
    [[nodiscard]] bool emits(std::uint64_t type, int mask) const {
        return callbacks.active() && (type & events_of(options.core)) != 0 && fake_nccl::emits(type, mask);
    }

    CommState& add_comm(const CommunicatorOptions& wanted);
    Progress& add_progress(CommState& creator);
    Worker& host_callback_thread();
    Worker& helper_thread(std::uint64_t which); // of a socket transport

    const LibraryOptions options;
    const Cuda cuda{}; // made before the plugin is loaded
    Loader loader;
    Callbacks callbacks;
    Truth truth;

  private:
    int mask_ = 0;
    std::mutex mutex_;
    std::deque<CommState> comms_;
    std::unique_ptr<Worker> host_callback_thread_;
    std::array<std::unique_ptr<Worker>, 2> helper_threads_;
    std::deque<Progress> progresses_;
};

// A descriptor in which everything is zero except its type, parent and rank.
[[nodiscard]] abi::DescriptorV6 descriptor_of(std::uint64_t type, void* parent, int rank = 0);

} // namespace tactus::fake_nccl

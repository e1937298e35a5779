// Makes threads and the states of communicators.
#include "library.hpp"

#include <cstring>

namespace tactus::fake_nccl {

Library::~Library() {
    for (CommState& comm : comms_) comm.launcher.reset();
    host_callback_thread_.reset();
    for (Progress& progress : progresses_) progress.stop();
    // They use the cells of the progress threads.
    for (std::unique_ptr<Worker>& thread : helper_threads_) thread.reset();
}

CommState& Library::add_comm(const CommunicatorOptions& wanted) {
    const std::scoped_lock lock{mutex_};
    return comms_.emplace_back(wanted, options.seed);
}

Progress& Library::add_progress(CommState& creator) {
    const std::scoped_lock lock{mutex_};
    return progresses_.emplace_back(*this, creator);
}

Worker& Library::host_callback_thread() {
    const std::scoped_lock lock{mutex_};
    if (!host_callback_thread_) host_callback_thread_ = std::make_unique<Worker>();
    return *host_callback_thread_;
}

Worker& Library::helper_thread(std::uint64_t which) {
    const std::scoped_lock lock{mutex_};
    std::unique_ptr<Worker>& thread = helper_threads_[which % helper_threads_.size()];
    if (!thread) thread = std::make_unique<Worker>();
    return *thread;
}

abi::DescriptorV6 descriptor_of(std::uint64_t type, void* parent, int rank) {
    abi::DescriptorV6 descriptor;
    std::memset(static_cast<void*>(&descriptor), 0, sizeof descriptor);
    descriptor.type = type;
    descriptor.parent = parent;
    descriptor.rank = rank;
    return descriptor;
}

} // namespace tactus::fake_nccl

#include "nccl/kernel_join.hpp"

#include <algorithm>

namespace tactus::nccl {

void KernelJoin::marked(std::uint32_t number, LaunchMark mark) {
    const auto [known, is_new] = launches_.try_emplace(number);
    known->second.mark = mark;
    without_kernel_.insert(mark.bits);
    if (!is_new) return;
    order_.push_back(number);
    if (order_.size() <= most_launches) return;
    const auto oldest = launches_.find(order_.front());
    lost_ += without_kernel_.erase(oldest->second.mark.bits);
    launches_.erase(oldest);
    order_.pop_front();
}

// Always told behind its mark; without one it is not NCCL's.
void KernelJoin::called(std::uint32_t number, Ticks start) {
    if (const auto known = launches_.find(number); known != launches_.end()) known->second.called = start;
}

void KernelJoin::ran(const GpuKernel& kernel) {
    if (waiting_.size() >= most_waiting && !launches_.contains(kernel.number)) return;
    Waiting& one = waiting_.emplace_back(Waiting{kernel});
    const std::string name{kernel.name};
    const auto known = names_.find(name);
    if (known != names_.end())
        one.kernel.name = *known;
    else
        one.kernel.name = names_.size() < most_names ? std::string_view{*names_.insert(name).first} : "";
}

// No kernel begins before its launch does; both are by one clock.
bool KernelJoin::is_possible(const GpuKernel& kernel, const Launch& launch) {
    return kernel.start > 0 && kernel.stop >= kernel.start && kernel.start >= launch.called;
}

std::vector<GpuKernel> KernelJoin::take_joined() {
    std::vector<GpuKernel> joined;
    std::erase_if(waiting_, [&](Waiting& one) {
        const auto launch = launches_.find(one.kernel.number);
        if (launch == launches_.end()) return false;
        without_kernel_.erase(launch->second.mark.bits);
        if (is_possible(one.kernel, launch->second)) {
            one.kernel.mark = launch->second.mark;
            joined.push_back(std::move(one.kernel));
        } else {
            ++lost_;
        }
        return true;
    });
    std::stable_sort(joined.begin(), joined.end(),
                     [](const GpuKernel& a, const GpuKernel& b) { return a.stop < b.stop; });
    return joined;
}

void KernelJoin::flushed() {
    std::erase_if(waiting_, [](const Waiting& one) { return one.old; });
    for (Waiting& one : waiting_) one.old = true;
}

std::uint64_t KernelJoin::take_lost(bool last) {
    if (last) {
        lost_ += without_kernel_.size();
        without_kernel_.clear();
    }
    return std::exchange(lost_, 0);
}

} // namespace tactus::nccl

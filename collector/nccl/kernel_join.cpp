#include "collector/nccl/kernel_join.hpp"

#include <algorithm>

namespace tactus::nccl {

template <class What> void KernelJoin::Waiting<What>::add(std::uint32_t number, const What& what) {
    all[number] = what;
    order.push_back(number);
    if (order.size() <= most_waiting) return;
    all.erase(order.front());
    order.pop_front();
}

void KernelJoin::marked(std::uint32_t number, LaunchMark mark) {
    launches_.add(number, {.mark = mark});
    if (kernels_.all.contains(number)) joined_.push_back(number);
}

// CUPTI reports a call after its mark. A call without a mark is not NCCL's.
void KernelJoin::called(std::uint32_t number, Ticks start) {
    if (const auto known = launches_.all.find(number); known != launches_.all.end()) known->second.called = start;
}

void KernelJoin::ran(const GpuKernel& kernel) {
    GpuKernel kept = kernel;
    const std::string name{kernel.name};
    if (const auto known = names_.find(name); known != names_.end())
        kept.name = *known;
    else
        kept.name = names_.size() < most_names ? std::string_view{*names_.insert(name).first} : "";
    kernels_.add(kernel.number, kept);
    if (launches_.all.contains(kernel.number)) joined_.push_back(kernel.number);
}

// Moves a kernel that seems to begin before its launch. False: its times are impossible. CUPTI gives zero where it lost
// them.
bool KernelJoin::mend(GpuKernel& kernel, const Launch& launch) {
    if (kernel.start == 0 || kernel.stop < kernel.start || kernel.start + most_moved < launch.called) return false;
    if (kernel.start >= launch.called) return true;
    kernel.moved = launch.called - kernel.start;
    kernel.start += kernel.moved;
    kernel.stop += kernel.moved;
    return true;
}

std::vector<GpuKernel> KernelJoin::take_joined() {
    std::vector<GpuKernel> joined;
    for (const std::uint32_t number : joined_) {
        const auto launch = launches_.all.extract(number);
        auto kernel = kernels_.all.extract(number);
        if (launch.empty() || kernel.empty() || !mend(kernel.mapped(), launch.mapped())) continue;
        kernel.mapped().mark = launch.mapped().mark;
        joined.push_back(kernel.mapped());
    }
    joined_.clear();
    std::stable_sort(joined.begin(), joined.end(),
                     [](const GpuKernel& a, const GpuKernel& b) { return a.stop < b.stop; });
    return joined;
}

} // namespace tactus::nccl

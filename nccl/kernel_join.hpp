// Which kernel came from which launch of NCCL's. CUPTI numbers what the host launches, and tells the mark of a launch
// (an external correlation id), the call of CUDA that did it and the kernel each by that number, in any order. Pure; by
// the drainer alone; memory is bounded.
#pragma once

#include "nccl/launch_mark.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tactus::nccl {

struct GpuKernel {
    std::uint32_t number = 0; // CUPTI's, of its launch
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    Ticks start = 0;
    Ticks stop = 0;
    std::string_view name; // as the compiler wrote it
    LaunchMark mark;       // once it is joined
};

class KernelJoin {
  public:
    static constexpr std::size_t most_launches = 65536; // whose kernels have not come
    static constexpr std::size_t most_waiting = 65536;  // kernels; most are the application's
    static constexpr std::size_t most_names = 16384;    // the others have none

    void marked(std::uint32_t number, LaunchMark mark);
    void called(std::uint32_t number, Ticks start);
    void ran(const GpuKernel& kernel); // copies its name
    // Those that are joined, by when they ended; names hold as long as this.
    std::vector<GpuKernel> take_joined();
    // CUPTI has told all that it knows: what waits for its mark since the last time this was called is not NCCL's.
    void flushed();

    // Launches whose kernel was given up, or has times that cannot be, since the last time: CUPTI gives zero where it
    // lost them, and worse. `last`: nothing comes any more.
    std::uint64_t take_lost(bool last);

  private:
    struct Launch {
        LaunchMark mark;
        Ticks called = 0; // 0: not known
    };
    struct Waiting {
        GpuKernel kernel;
        bool old = false; // it came before the last flush
    };
    [[nodiscard]] static bool is_possible(const GpuKernel& kernel, const Launch& launch);

    std::unordered_map<std::uint32_t, Launch> launches_; // by number
    std::deque<std::uint32_t> order_;                    // of them, the oldest first
    std::unordered_set<std::uint64_t> without_kernel_; // marks: a call may be told twice, by CUDA's runtime and driver
    std::vector<Waiting> waiting_;
    std::unordered_set<std::string> names_;
    std::uint64_t lost_ = 0;
};

} // namespace tactus::nccl

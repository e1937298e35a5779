// Which kernel came from which launch of NCCL's. CUPTI numbers what the host launches, and tells the mark of a launch
// (an external correlation id), the call of CUDA that did it and the kernel each by that number, in any order. Pure; by
// the drainer alone; memory is bounded.
#pragma once

#include "collector/nccl/launch_mark.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tactus::nccl {

// Times by the rank's timer.
struct GpuKernel {
    std::uint32_t number = 0; // CUPTI's, of its launch
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    Ticks start = 0;
    Ticks stop = 0;
    std::string_view name; // as the compiler wrote it
    LaunchMark mark;       // once it is joined, as the next
    Ticks moved = 0;       // behind its launch; CUPTI had it before that
};

class KernelJoin {
  public:
    static constexpr std::size_t most_waiting = 65536; // launches, and kernels, most of which are the application's
    static constexpr std::size_t most_names = 16384;   // other kernels have none
    // A kernel cannot begin before it is launched. CUPTI puts one clock on the other, and may be off by some; where it
    // lost a time, by any amount. By any timer less than a millisecond:
    static constexpr Ticks most_moved = 1'000'000;

    void marked(std::uint32_t number, LaunchMark mark);
    void called(std::uint32_t number, Ticks start);
    void ran(const GpuKernel& kernel); // copies its name
    // Those that are joined and have times that can be, by when they ended; names hold as long as this.
    std::vector<GpuKernel> take_joined();

  private:
    struct Launch {
        LaunchMark mark;
        Ticks called = 0; // 0: not known
    };
    // The last ones, by number.
    template <class What> struct Waiting {
        std::unordered_map<std::uint32_t, What> all;
        std::deque<std::uint32_t> order; // also of those that are gone

        void add(std::uint32_t number, const What& what);
    };
    static bool mend(GpuKernel& kernel, const Launch& launch);

    Waiting<Launch> launches_;
    Waiting<GpuKernel> kernels_;
    std::vector<std::uint32_t> joined_; // whose launch and kernel are there
    std::unordered_set<std::string> names_;
};

} // namespace tactus::nccl

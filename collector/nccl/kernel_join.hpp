// Finds which kernel came from which launch of NCCL. CUPTI numbers what the host launches. It reports the mark of a
// launch (an external correlation id), the CUDA call that did it, and the kernel, each with that number, in any order.
// This is pure, its memory is bounded, and only the drainer uses it.
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

// A kernel that CUPTI reported. Its times are ticks of the rank's timer.
struct GpuKernel {
    std::uint32_t number = 0; // CUPTI's number of its launch
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    Ticks start = 0;
    Ticks stop = 0;
    std::string_view name; // as the compiler wrote it
    LaunchMark mark;       // set when it is joined, as the next
    Ticks moved = 0;       // how far it was moved, because CUPTI had it before its launch
};

class KernelJoin {
  public:
    static constexpr std::size_t most_waiting = 65536; // launches, and kernels, most of which are the application's
    static constexpr std::size_t most_names = 16384;   // other kernels have none
    // A kernel cannot begin before it is launched. CUPTI converts one clock to the other and may be slightly wrong, or
    // wrong by any amount where it lost a time. A kernel is moved by at most this, a millisecond or less by any timer.
    static constexpr Ticks most_moved = 1'000'000;

    void marked(std::uint32_t number, LaunchMark mark);
    void called(std::uint32_t number, Ticks start);
    void ran(const GpuKernel& kernel); // copies its name
    // Returns the joined kernels whose times are possible, in the order in which they ended. Their names are valid as
    // long as this object.
    std::vector<GpuKernel> take_joined();

  private:
    struct Launch {
        LaunchMark mark;
        Ticks called = 0; // 0: not known
    };
    // The last entries that wait to be joined, by number.
    template <class What> struct Waiting {
        std::unordered_map<std::uint32_t, What> all;
        std::deque<std::uint32_t> order; // also of those that are gone

        void add(std::uint32_t number, const What& what);
    };
    static bool mend(GpuKernel& kernel, const Launch& launch);

    Waiting<Launch> launches_;
    Waiting<GpuKernel> kernels_;
    std::vector<std::uint32_t> joined_; // numbers whose launch and kernel are both there
    std::unordered_set<std::string> names_;
};

} // namespace tactus::nccl

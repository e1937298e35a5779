// The thread that takes what NCCL's threads wrote down, puts it together and stores it. It alone does what costs time.
#pragma once

#include "collector/nccl/assembly.hpp"
#include "collector/nccl/rings.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <span>

namespace tactus::nccl {

class Drainer {
  public:
    // `beat` is called once a second, in the thread.
    Drainer(Rings& rings, Assembly& assembly, TraceRows& rows, Anchor (*read_anchor)(), void (*beat)());

    void take_kernels() { with_kernels_ = true; } // of CUPTI's, too; before start()
    bool start();                                 // false: no thread was to be had; end() then does all of its work
    // From now on everything there is is stored; true when it was done before `patience_ns` passed. By any thread; the
    // first call does it.
    bool end(std::int64_t patience_ns);

  private:
    static void* run(void* self);
    void loop();
    // Gives how many events there were.
    std::uint64_t drain(bool last);
    // What a ring has that is not yet taken: the numbers of the next event and of the one behind the last.
    struct Source {
        Ring* ring;
        std::uint64_t next;
        std::uint64_t end;
    };
    // Fills in the rings that have something, and gives how many there are.
    std::size_t find_sources(std::array<Source, most_rings>& sources);
    template <class Waits> std::uint64_t take_in_order(std::span<Source> sources, Waits waits);
    void each_second();

    Rings& rings_;
    Assembly& assembly_;
    TraceRows& rows_;
    Anchor (*const read_anchor_)();
    void (*const beat_)();
    bool with_kernels_ = false;
    Anchor first_;
    bool has_thread_ = false;
    std::atomic<bool> ending_{false};
    std::atomic<bool> ended_{false}; // release: pairs with end()
};

} // namespace tactus::nccl

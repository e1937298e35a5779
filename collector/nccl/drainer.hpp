// The thread that takes the events that NCCL's threads wrote, assembles them and stores the records. All work that
// costs time is done in it.
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

    void take_kernels() { with_kernels_ = true; } // takes CUPTI's kernels, too; call it before start()
    bool start();                                 // false: the thread cannot be made; end() then does all of its work
    // Stores everything that is left. Returns true when that was done within `patience_ns`. Any thread may call this;
    // the first call starts it.
    bool end(std::int64_t patience_ns);

  private:
    static void* run(void* self);
    void loop();
    // Takes the events that are there and returns how many they were. `last` says that nothing comes after this.
    std::uint64_t drain(bool last);
    // The events of a ring that are not yet taken: the number of the next one, and the number after the last one.
    struct Source {
        Ring* ring;
        std::uint64_t next;
        std::uint64_t end;
    };
    // Fills in the rings that have events, and returns how many there are.
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

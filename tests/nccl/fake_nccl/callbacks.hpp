// The calls into whatever plugin is loaded, counted and, if FAKE_NCCL_MOST_US is set, watched: a callback that takes
// more of its thread's CPU time aborts the process. Any thread calls them.
#pragma once

#include "counts.hpp"
#include "loader.hpp"

namespace tactus::fake_nccl {

// Where NCCL keeps a handle. Whether an event is open in it NCCL does not know: that is the host's own book-keeping.
struct Cell {
    void* handle = nullptr;
    bool open = false;
};

enum class OnNull { skip, call };

class Callbacks {
  public:
    explicit Callbacks(const Loader& loader);

    [[nodiscard]] bool active() const { return loader_.current() != nullptr; }

    [[nodiscard]] int init(const Plugin& plugin, void** context, int* mask, const Identity& identity) const;
    void finalize(void* context) const;
    void start(void* context, Cell& cell, const abi::DescriptorV6& event, const Identity& identity) const;
    void state(const Cell& cell, int state, const StateValue& value = {}, OnNull on_null = OnNull::skip) const;
    // type: what to count it as. Does not clear the cell's handle.
    void stop(Cell& cell, std::uint64_t type, OnNull on_null = OnNull::skip) const;

  private:
    [[nodiscard]] std::int64_t watch_begins() const;
    void watch_ends(std::int64_t began_ns, const char* what, std::uint64_t which) const;

    const Loader& loader_;
    std::int64_t most_ns_; // 0: not watched
};

} // namespace tactus::fake_nccl

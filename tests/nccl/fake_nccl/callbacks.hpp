// Calls the plugin that is loaded, and counts the calls. If FAKE_NCCL_MOST_US is set, a callback that takes more of its
// thread's CPU time aborts the process. Any thread may call these functions.
#pragma once

#include "counts.hpp"
#include "loader.hpp"

namespace tactus::fake_nccl {

// Where NCCL keeps a handle. NCCL does not know whether an event is open in it: only the fake host keeps track of that.
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
    // `type` is the type to count it as. The cell's handle is not cleared.
    void stop(Cell& cell, std::uint64_t type, OnNull on_null = OnNull::skip) const;

  private:
    [[nodiscard]] std::int64_t watch_begins() const;
    void watch_ends(std::int64_t began_ns, const char* what, std::uint64_t which) const;

    const Loader& loader_;
    std::int64_t most_ns_; // 0: not watched
};

} // namespace tactus::fake_nccl

// A loaded plugin of any version, which is called with descriptors of version 6. This does what NCCL's adapters do,
// with the garbage that they leave in fields they do not fill. Any thread may call it.
#pragma once

#include "abi.hpp"
#include "core.hpp"

namespace tactus::fake_nccl {

struct Identity {
    const char* name = nullptr; // of the communicator; may be NULL
    std::uint64_t id = 0;
    int nodes = 1, ranks = 1, rank = 0;
};

// `value` is what the state's member of the union holds. `steps` is for version 3 only.
struct StateValue {
    std::uint64_t value = 0;
    int steps = 0;
};

class Plugin {
  public:
    Plugin(const void* symbol, int version, Core core) : symbol_(symbol), version_(version), core_(core) {}

    [[nodiscard]] int version() const { return version_; }
    [[nodiscard]] int init(void** context, int* mask, const Identity& identity) const;
    // These two return whether the plugin was called: false if its version does not have the event or state.
    [[nodiscard]] bool start(void* context, void** handle, const abi::DescriptorV6& event,
                             const Identity& identity) const;
    [[nodiscard]] bool state(void* handle, int state, const StateValue& value) const;
    void stop(void* handle) const;
    int finalize(void* context) const;

  private:
    [[nodiscard]] bool native() const { return version_ == native_version(core_); }
    [[nodiscard]] bool has_state(int state) const;
    template <typename PluginVersion> [[nodiscard]] const PluginVersion& as() const {
        return *static_cast<const PluginVersion*>(symbol_);
    }

    const void* symbol_;
    int version_;
    Core core_;
};

} // namespace tactus::fake_nccl

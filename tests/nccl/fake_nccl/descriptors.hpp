// Rewrites descriptors of version 6 for older plugins, as NCCL's adapters do.
#pragma once

#include "plugin.hpp"

namespace tactus::fake_nccl {

// The adapters do not clear the descriptors of versions 4 and 5. Fields that they do not fill keep this byte.
inline constexpr int garbage_byte = 0xA5;

[[nodiscard]] abi::DescriptorV3 descriptor_v3(const abi::DescriptorV6& event, const Identity* identity_if_native);
[[nodiscard]] abi::DescriptorV4 descriptor_v4(const abi::DescriptorV6& event, bool native);
[[nodiscard]] abi::DescriptorV5 descriptor_v5(const abi::DescriptorV6& event, bool native);

} // namespace tactus::fake_nccl

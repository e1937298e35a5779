#include "collector/nccl/contexts.hpp"

#include "base/locked.hpp"

namespace tactus::nccl {

// No address begins with these bits.
void Contexts::make(std::uint64_t nonce) { nonce_ = (nonce & 0x0000'ffff'ffff'0000) | 0x7ac7'0000'0000'0000; }

void* Contexts::add(const Context& context) {
    const Locked hold{lock_};
    const std::uint32_t index = count_.load(std::memory_order_relaxed);
    if (index < most) {
        contexts_[index] = context;
        count_.store(index + 1, std::memory_order_release); // pairs with count()
    }
    return reinterpret_cast<void*>(nonce_ | index); // NOLINT(performance-no-int-to-ptr)
}

} // namespace tactus::nccl

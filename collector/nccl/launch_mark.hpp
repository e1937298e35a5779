// The 64 bits that are passed to CUPTI while a kernel is launched, and that CUPTI passes back. They say which launch of
// NCCL it is.
#pragma once

#include "collector/nccl/abi.hpp"
#include "collector/nccl/contexts.hpp"
#include "collector/nccl/event.hpp"

#include <bit>
#include <cstdint>

namespace tactus::nccl {

// A launch's token, without the bits that all launches share, and the launch's communicator.
//   63..56 ring | 55..13 number | 12..0 context
struct LaunchMark {
    std::uint64_t bits = 0; // never 0

    static LaunchMark of(Token launch, std::uint32_t context) {
        return {std::uint64_t{launch.ring()} << ring_shift | (launch.number() << context_bits & number_mask) | context};
    }
    [[nodiscard]] Token launch() const {
        constexpr unsigned type = std::countr_zero(event::kernel_launch);
        return Token::of(static_cast<unsigned>(bits >> ring_shift) - 1, (bits & number_mask) >> context_bits, type,
                         false);
    }
    [[nodiscard]] std::uint32_t context() const { return bits & (Contexts::most - 1); }

  private:
    static constexpr unsigned ring_shift = 56;
    static constexpr unsigned context_bits = std::countr_zero(Contexts::most);
    static constexpr std::uint64_t number_mask = (1ULL << ring_shift) - Contexts::most;
    static_assert(std::has_single_bit(Contexts::most));
};

} // namespace tactus::nccl

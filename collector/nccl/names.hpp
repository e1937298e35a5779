// Names for NCCL's records: symbols of class NCCL, which are defined when they are first needed.
#pragma once

#include "collector/nccl/event.hpp"
#include "collector/nccl/trace_rows.hpp"
#include "trace/nccl.hpp"

#include <bitset>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tactus::nccl {

class Names {
  public:
    explicit Names(TraceRows& rows) : rows_{rows} {}

    // Symbols: of_word() names what the GPU does, of_call() the application's call, of_kind() what has no word.
    std::uint32_t of_word(Word word) { return word == 0 ? 0 : defined(word); }
    std::uint32_t of_call(Word word) { return word == 0 ? 0 : defined(words_end + word); }
    // The symbol of a kernel, by its name in the object file.
    std::uint32_t of_kernel(std::string_view mangled);
    std::uint32_t of_kind(NcclKind kind) { return defined(2 * words_end + static_cast<std::uint32_t>(kind)); }

  private:
    static constexpr std::uint32_t words_end = 256;
    static constexpr std::size_t most_kernels = 4096; // the others have one name
    std::uint32_t defined(std::uint32_t which);

    TraceRows& rows_;
    std::map<std::string, std::uint32_t, std::less<>> kernels_;
    std::bitset<3 * words_end> known_;
};

} // namespace tactus::nccl

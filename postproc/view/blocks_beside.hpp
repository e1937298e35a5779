// Blocks of a time line that are in no rank's file: in a file of their own in TRACE/cache/, or in memory where nothing
// can be written.
#pragma once

#include "trace/rank_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tactus {

class BlocksBeside {
  public:
    // A whole file of that run; else nothing.
    static std::optional<BlocksBeside> find(const std::string& path, std::uint64_t job);
    // Puts sealed blocks there.
    static BlocksBeside store(const std::string& path, const Header& header, std::vector<Bytes> blocks,
                              const Definitions& definitions);

    [[nodiscard]] std::vector<IndexEntry> entries() const;
    [[nodiscard]] Result<Bytes> read(const IndexEntry& entry) const;
    [[nodiscard]] const Definitions& definitions() const { return definitions_; }

  private:
    std::optional<RankFile> file_;
    std::vector<Bytes> in_memory_;
    Definitions definitions_;
};

} // namespace tactus

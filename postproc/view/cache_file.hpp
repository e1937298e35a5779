// Stores blocks of a time line that are in no rank's file. They have a file of their own in TRACE/cache/, or stay in
// memory where no file can be written.
#pragma once

#include "trace/rank_file.hpp"
#include "writer/rank_writer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tactus {

class BlocksWriter;

class CacheFile {
  public:
    // Opens the file if it is complete and of the run `job`; else returns nothing.
    static std::optional<CacheFile> find(const std::string& path, std::uint64_t job);
    // Writes sealed blocks to a file. If that fails, the result keeps them in memory.
    static CacheFile store(const std::string& path, const Header& header, std::vector<Bytes> blocks,
                           const Definitions& definitions);

    // All blocks of the file, and the unpacked content of one of them.
    [[nodiscard]] std::vector<IndexEntry> entries() const;
    [[nodiscard]] Result<Bytes> read(const IndexEntry& entry) const;
    [[nodiscard]] const Definitions& definitions() const { return definitions_; }

  private:
    friend class BlocksWriter;
    std::optional<RankFile> file_;
    std::vector<Bytes> in_memory_;
    Definitions definitions_;
};

// Writes sealed blocks to a cache file one by one. The file has another name until it is complete, since another
// process may look for it.
class BlocksWriter {
  public:
    BlocksWriter(std::string path, const Header& header);
    ~BlocksWriter();
    BlocksWriter(const BlocksWriter&) = delete;
    BlocksWriter& operator=(const BlocksWriter&) = delete;

    void add(const Bytes& block);
    // Removes the unfinished files of this process from the folder. To be called when the process ends.
    static void remove_unfinished(const std::string& folder);
    // Returns nothing when some blocks could not be written, or when no file can be written and the blocks are too
    // large for memory.
    std::optional<CacheFile> close(const Definitions& definitions);

  private:
    std::string path_;
    std::string unfinished_;
    std::uint64_t job_;
    LossCounters lost_;
    RankWriter writer_;
    bool writes_; // false: blocks are kept in memory
    bool good_ = true;
    static constexpr std::size_t most_in_memory = std::size_t{256} << 20;
    std::size_t kept_size_ = 0;
    CacheFile kept_;
};

} // namespace tactus

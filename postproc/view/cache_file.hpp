// Blocks of a time line that are in no rank's file: in a file of their own in TRACE/cache/, or in memory where nothing
// can be written.
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
    // A whole file of that run; else nothing.
    static std::optional<CacheFile> find(const std::string& path, std::uint64_t job);
    // Puts sealed blocks there.
    static CacheFile store(const std::string& path, const Header& header, std::vector<Bytes> blocks,
                           const Definitions& definitions);

    [[nodiscard]] std::vector<IndexEntry> entries() const;
    [[nodiscard]] Result<Bytes> read(const IndexEntry& entry) const;
    [[nodiscard]] const Definitions& definitions() const { return definitions_; }

  private:
    friend class BlocksWriter;
    std::optional<RankFile> file_;
    std::vector<Bytes> in_memory_;
    Definitions definitions_;
};

// Puts sealed blocks there one by one, under another name until all are: somebody else may be looking for them.
class BlocksWriter {
  public:
    BlocksWriter(std::string path, const Header& header);
    ~BlocksWriter();
    BlocksWriter(const BlocksWriter&) = delete;
    BlocksWriter& operator=(const BlocksWriter&) = delete;

    void add(const Bytes& block);
    // Those in the folder that this process, which ends now, has begun.
    static void remove_unfinished(const std::string& folder);
    // Nothing: not all of them could be written, or they are too many for memory where nothing can.
    std::optional<CacheFile> close(const Definitions& definitions);

  private:
    std::string path_;
    std::string unfinished_;
    std::uint64_t job_;
    LossCounters lost_;
    RankWriter writer_;
    bool writes_; // false: it is kept in memory
    bool good_ = true;
    static constexpr std::size_t most_in_memory = std::size_t{256} << 20;
    std::size_t kept_size_ = 0;
    CacheFile kept_;
};

} // namespace tactus

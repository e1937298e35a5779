// A rank's clocks and its index for one kind of times: by its own clock the index lies in its file, else beside the
// trace in cache/, where it is put when it is asked for first; where that cannot be, it is kept in memory.
#pragma once

#include "postproc/lod/rank_index.hpp"
#include "postproc/view/cache_file.hpp"
#include "trace/rank_file.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

// Measured: by the clocks of the trace as they are set. Compensated: without the tracer, too.
enum class TimesShown : std::uint8_t { measured, compensated };

// Is told what is done now and will be kept.
using TellWork = std::function<void(const char* what)>;

class RankLines {
  public:
    // `file` outlives it.
    explicit RankLines(const RankFile& file) : file_{&file} {}

    // Whether the index is there. The name of the trace says where to look.
    bool find(const std::string& trace, TimesShown times);
    // Makes it. `delay_ns`: how late a lane was at a tick; none: times are measured ones.
    using DelayAt = std::function<double(std::uint32_t lane, Ticks tick)>;
    void make(const std::string& trace, const DelayAt& delay_ns);

    [[nodiscard]] const RankFile& file() const { return *file_; }
    [[nodiscard]] const ProcessClock& clock(std::size_t lane) const { // by its place in lanes_of(file)
        return lane < clocks_.size() ? clocks_[lane] : file_->clock();
    }
    [[nodiscard]] std::uint64_t identity() const { return identity_; } // of the index
    // Of the index.
    [[nodiscard]] std::vector<IndexEntry> entries() const;
    [[nodiscard]] Result<Bytes> read(const IndexEntry& entry) const;
    [[nodiscard]] const std::vector<Error>& problems() const { return problems_; }

  private:
    bool find_cache(const std::string& path);
    [[nodiscard]] std::string cache_path(const std::string& trace, TimesShown times) const;

    const RankFile* file_;
    std::uint64_t identity_ = 0;
    std::optional<CacheFile> cache_;
    std::vector<ProcessClock> clocks_; // by lane; none: that of the file
    std::vector<Error> problems_;
};

} // namespace tactus

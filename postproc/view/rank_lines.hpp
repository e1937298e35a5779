// The clocks and the index of a rank for one kind of times. The index by the rank's own clock is in the rank's file.
// Any other is in cache/, and is put there when it is first needed. It is kept in memory where no file can be written.
#pragma once

#include "postproc/lod/rank_index.hpp"
#include "postproc/view/cache_file.hpp"
#include "trace/rank_file.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

// `measured` times are by the clocks of the trace, as they are set. In `compensated` times the tracer is taken out,
// too.
enum class TimesShown : std::uint8_t { measured, compensated };

// Called before work that takes some time, whose result will be kept.
using TellWork = std::function<void(const char* what)>;

class RankLines {
  public:
    // `file` must outlive it.
    explicit RankLines(const RankFile& file) : file_{&file} {}

    // Finds the index; false: there is none. `trace` is the directory of the trace.
    bool find(const std::string& trace, TimesShown times);
    // Makes the index, to be called after find(). `delay` tells how late a lane was at a tick; without it times are
    // measured ones.
    using DelayAt = std::function<GlobalTime(std::uint32_t lane, Ticks tick)>;
    void make(const std::string& trace, const DelayAt& delay);

    [[nodiscard]] const RankFile& file() const { return *file_; }
    [[nodiscard]] const ProcessClock& clock(std::size_t lane) const { // `lane` is an index in lanes_of(file)
        return lane < clocks_.size() ? clocks_[lane] : file_->clock();
    }
    [[nodiscard]] std::uint64_t identity() const { return identity_; } // of the index
    [[nodiscard]] std::vector<IndexEntry> entries() const;             // of the index
    [[nodiscard]] Result<Bytes> read(const IndexEntry& entry) const;
    [[nodiscard]] const std::vector<Error>& problems() const { return problems_; }

  private:
    bool find_cache(const std::string& path);
    [[nodiscard]] std::string cache_path(const std::string& trace, TimesShown times) const;

    const RankFile* file_;
    std::uint64_t identity_ = 0;
    std::optional<CacheFile> cache_;
    std::vector<ProcessClock> clocks_; // by lane; empty: the clock of the file holds
    std::vector<Error> problems_;
};

} // namespace tactus

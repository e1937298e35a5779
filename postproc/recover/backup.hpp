// TRACE/before-recover: copies of what a recovery changes. Made at the first one.
#pragma once

#include "base/result.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <string>

namespace tactus {

class Backup {
  public:
    explicit Backup(const std::string& trace) : folder_{trace + "/before-recover"} {}

    [[nodiscard]] const std::string& folder() const { return folder_; }
    [[nodiscard]] bool used() const { return used_; }
    // The end of a file from `offset` on, as NAME.from-OFFSET.
    Outcome keep_end(const RankFile& file, std::uint64_t offset);
    // The whole file, which is removed from where it was.
    Outcome move_here(const std::string& path);

  private:
    Outcome make_folder();

    std::string folder_;
    bool used_ = false;
};

} // namespace tactus

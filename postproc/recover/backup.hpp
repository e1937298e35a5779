// TRACE/before-recover holds copies of what a recovery changes. The folder is made with its first file.
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
    // Copies the end of a file from `offset` on to NAME.from-OFFSET, unless that exists.
    Outcome keep_end(const RankFile& file, std::uint64_t offset);
    // Moves a whole file here. If its name exists here, it gets a number.
    Outcome move_here(const std::string& path);

  private:
    Outcome make_folder();

    std::string folder_;
    bool used_ = false;
};

} // namespace tactus

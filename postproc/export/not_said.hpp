// Counts, by name, what a format cannot say while a trace is exported or imported. The counts are told in one line at
// the end, so that nothing is lost silently.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tactus {

class NotSaid {
  public:
    // `what` must read well after a number: "scopes, which may overlap".
    void add(const std::string& what, std::uint64_t count = 1) {
        if (count > 0) counts_[what] += count;
    }
    [[nodiscard]] bool empty() const { return counts_.empty(); }
    // "3 scopes, which may overlap; 12 file operations without their bytes"
    [[nodiscard]] std::string line() const {
        std::string text;
        for (const auto& [what, count] : counts_)
            text += (text.empty() ? "" : "; ") + std::to_string(count) + " " + what;
        return text;
    }

  private:
    std::map<std::string, std::uint64_t> counts_;
};

} // namespace tactus

#include "tests/unit/made/test_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace tactus {
namespace fs = std::filesystem;

TestFolder::TestFolder() {
    std::string name = (fs::temp_directory_path() / "tactus-unit-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no folder for the test: " + name};
    path_ = name;
}

TestFolder::~TestFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::vector<std::string> lines_in(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream{text};
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::uint64_t seeds(std::uint64_t usual) {
    const char* const percent = std::getenv("TACTUS_SEEDS_PERCENT");
    if (percent == nullptr) return usual;
    return std::max<std::uint64_t>(6, usual * std::strtoull(percent, nullptr, 10) / 100);
}

} // namespace tactus

// What tests of several rooms need: a folder of their own, texts as lines, and how many random cases they run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tactus {

// A folder for one test, removed at its end.
class TestFolder {
  public:
    TestFolder();
    ~TestFolder();
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

std::vector<std::string> lines_in(const std::string& text);

// How many random cases a test runs that usually runs `usual`: TACTUS_SEEDS_PERCENT of it, and never fewer than six,
// because some cases are of a kind that comes at each fifth or sixth seed.
std::uint64_t seeds(std::uint64_t usual);

} // namespace tactus

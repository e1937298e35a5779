// What a test of files needs: its own folder, and texts as lines.
#pragma once

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

} // namespace tactus

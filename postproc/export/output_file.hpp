// Writes a new file, or standard output, in pieces of a megabyte. The first error of the file system is remembered, and
// returned by close(). One thread.
#pragma once

#include "base/result.hpp"
#include "postproc/export/new_output.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tactus {

class OutputFile {
  public:
    // The path "-" means standard output.
    static Result<OutputFile> open(const std::string& path);
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    void put(std::string_view bytes) {
        buffer_.append(bytes);
        if (buffer_.size() >= piece) flush();
    }
    [[nodiscard]] bool good() const { return errno_ == 0; }
    // Must be called after the last put(). If it is not called, or fails, the file is removed.
    Outcome close();

  private:
    static constexpr std::size_t piece = 1 << 20;
    OutputFile(std::string path, int file) : path_{std::move(path)}, file_{file} {}
    void flush();

    std::string path_;
    int file_;
    std::optional<NewOutput> made_;
    std::string buffer_;
    int errno_ = 0;
};

} // namespace tactus

// A regular file open for reading at any place; closed at the end of its life. One thread at a time may make it, any
// may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tactus {

class InputFile {
  public:
    explicit InputFile(const std::string& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    [[nodiscard]] bool good() const { return descriptor_ >= 0; } // errno says why not
    [[nodiscard]] bool regular() const { return regular_; }
    [[nodiscard]] std::uint64_t size() const { return size_; } // when it was opened
    // All of `size` bytes, or false.
    bool read(void* to, std::size_t size, std::uint64_t offset) const;

  private:
    int descriptor_;
    bool regular_ = false;
    std::uint64_t size_ = 0;
};

} // namespace tactus

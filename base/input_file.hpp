// A file that is read at any place. Once it is set aside it is open only while it is read, so that there may be any
// number of them: a trace has one a rank. Any thread may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tactus {

class InputFile {
  public:
    explicit InputFile(std::string path);
    ~InputFile() { set_aside(); }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    void set_aside(); // closes it, until the next read and again after it

    [[nodiscard]] bool good() const { return good_; } // errno says why not
    [[nodiscard]] bool regular() const { return regular_; }
    [[nodiscard]] std::uint64_t size() const { return size_; } // when this was made
    // So much will be read soon: the system may fetch it meanwhile.
    void expect(std::uint64_t size, std::uint64_t offset) const;
    // All of `size` bytes, or false.
    bool read(void* to, std::size_t size, std::uint64_t offset) const;

  private:
    std::string path_;
    int descriptor_ = -1;
    bool good_ = false;
    bool regular_ = false;
    std::uint64_t size_ = 0;
};

} // namespace tactus

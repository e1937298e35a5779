// A file that is read at any offset. After set_aside() it is open only during each read, so that a process may have any
// number of such files: a trace has one for each rank. Any thread may read.
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

    void set_aside(); // closes the file; each later read opens and closes it

    [[nodiscard]] bool good() const { return good_; } // if false after construction, errno says why
    [[nodiscard]] bool regular() const { return regular_; }
    [[nodiscard]] std::uint64_t size() const { return size_; } // bytes, at the time of construction
    // Tells the system that these bytes will be read soon, so that it can fetch them in the meantime.
    void expect(std::uint64_t size, std::uint64_t offset) const;
    // Reads all of `size` bytes, or gives false.
    bool read(void* to, std::size_t size, std::uint64_t offset) const;

  private:
    std::string path_;
    int descriptor_ = -1;
    bool good_ = false;
    bool regular_ = false;
    std::uint64_t size_ = 0;
};

} // namespace tactus

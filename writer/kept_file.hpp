// A file that this process writes as long as it runs. The application does not know its descriptor, and may close it at
// any moment, as programs do that close all descriptors, and then get the same number for a file of its own. So before
// each write it is checked that the descriptor still is that of our file. If it is not, the number is never touched
// again, and the file is opened anew. What remains is an application whose other thread closes the descriptor and gets
// its number between the check and the write. The number is too high to be handed out soon: only dup2 and the like
// take it.
//
// One thread at a time.
#pragma once

#include "base/bytes.hpp"

#include <cstdint>
#include <string>
#include <sys/stat.h>

namespace tactus {

class KeptFile {
  public:
    // All that return a bool set errno where they return false.

    // Makes the file, which must not exist. While it is open, it has the lock that tells `tactus recover` that the
    // process lives. If false is returned, no file is left.
    [[nodiscard]] bool create(const std::string& path);
    // Opens a file that exists and cuts it after `size` bytes.
    [[nodiscard]] bool open(const std::string& path, std::uint64_t size);
    // Opens it again after close(). It must not have been changed meanwhile, nor another one put in its place.
    [[nodiscard]] bool open_again();
    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
    [[nodiscard]] std::uint64_t size() const { return size_; }

    // Writes all bytes. If it fails, some of them may be in the file.
    [[nodiscard]] bool write(ByteView bytes, std::uint64_t offset);
    [[nodiscard]] bool cut(std::uint64_t size);
    // The file is closed in any case.
    [[nodiscard]] bool close();
    void remove();

  private:
    [[nodiscard]] bool ready();

    int descriptor_ = -1;
    std::string path_;
    bool locked_ = false;
    struct stat identity_ {}; // device and inode of the file
    std::uint64_t size_ = 0;
};

} // namespace tactus

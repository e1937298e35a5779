// The memory of a lane: a mapped file that outlives the process or, where no file is possible, private memory.
// The lane's owner makes, moves and releases it. The address never changes while the lane lives.
#pragma once

#include "trace/lane_file.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tactus {

class LaneMemory {
  public:
    LaneMemory() = default;
    ~LaneMemory() { release(); }
    LaneMemory(LaneMemory&& other) noexcept { *this = std::move(other); }
    LaneMemory& operator=(LaneMemory&& other) noexcept {
        std::swap(begin_, other.begin_);
        std::swap(size_, other.size_);
        std::swap(file_, other.file_);
        return *this;
    }

    // Every page is touched once, so that no page fault happens inside a recorded call. Empty when memory is refused.
    static LaneMemory private_memory(std::size_t size);
    // Puts a file under the same addresses and keeps the content. The file is allocated in full, because a sparse file
    // on a full file system would end the application by SIGBUS. False when the directory has no room or refuses.
    bool move_to_file(const std::string& directory, const std::string& name);
    void remove_file();
    // Unmaps the memory and removes the file.
    void release();

    [[nodiscard]] explicit operator bool() const { return begin_ != nullptr; }
    [[nodiscard]] bool in_file() const { return !file_.empty(); }
    [[nodiscard]] std::uint8_t* begin() const { return begin_; }

  private:
    std::uint8_t* begin_ = nullptr;
    std::size_t size_ = 0;
    std::string file_;
};

// True when the directory's file system is this node's own, so that a mapped file in it costs no network traffic.
bool is_local_directory(const std::string& path);

// Gives directories for the lanes of a job, the best first: the wanted directory, or the trace's if none is wanted
// (empty) and it is local; then memory, and the node's disk.
std::vector<std::string> places_for_lanes(const std::string& wanted, const std::string& trace, std::uint64_t job);

} // namespace tactus

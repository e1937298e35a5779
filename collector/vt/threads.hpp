// What is kept for each thread that uses VT.h: its open regions and scopes, and its number. It is made when the thread
// first uses VT.h, and freed when the thread ends. Only the thread itself uses it, except where noted.
#pragma once

#include "writer/lane.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace tactus {

// A stack that grows up to a limit and throws nothing.
template <class T> class Stack {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    static constexpr std::size_t limit = 1 << 16;

    Stack() = default;
    ~Stack() { std::free(items_); }
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] T& operator[](std::size_t i) { return items_[i]; }
    [[nodiscard]] T& back() { return items_[size_ - 1]; }
    // False at the limit, or when memory is refused.
    [[nodiscard]] bool push(const T& item) { // hot
        if (size_ == room_) [[unlikely]] {
            if (!grow()) return false;
        }
        items_[size_++] = item;
        return true;
    }
    void drop() { --size_; } // hot
    void erase(std::size_t i) {
        for (--size_; i < size_; ++i) items_[i] = items_[i + 1];
    }

  private:
    bool grow() {
        const std::size_t room = room_ == 0 ? 64 : 2 * room_;
        void* memory = room > limit ? nullptr : std::realloc(items_, room * sizeof(T));
        if (memory == nullptr) return false;
        items_ = static_cast<T*>(memory);
        room_ = room;
        return true;
    }

    T* items_ = nullptr;
    std::size_t size_ = 0;
    std::size_t room_ = 0;
};

struct OpenRegion {
    Ticks enter; // 0: it is not recorded
    std::uint64_t call_site;
    std::uint32_t symbol; // 0: of a handle that nobody had defined; it is not recorded
    std::int32_t scl;
    std::uint64_t sequence; // of a scope: what VT_scopebegin gave
};

// Regions of a symbol that ended because a region around them ended. The program's own ends of these are still to come.
struct EndedEarly {
    std::uint32_t symbol;
    std::uint32_t count;
};

struct VtThread {
    Stack<OpenRegion> regions; // the innermost last
    Stack<OpenRegion> scopes;
    Stack<EndedEarly> ended_early; // each symbol once
    std::uint64_t unkept = 0;      // open regions that the stack has no room for
    std::uint64_t last_scope = 0;
    std::int32_t next_scl = 0; // a number of a location, as in OpenRegion; 0: none
    int index = -1;            // as registered, -1: none; others read it under the list's lock
    std::uint32_t number = 0;  // of its lane
    Lane* lane = nullptr;
    std::atomic<bool> busy{false}; // inside a function of VT.h; the thread that ends the run reads it
    std::string name;
    VtThread* next = nullptr;
};

// Makes this thread's; nullptr when memory is refused. Only called inside a recorded run.
VtThread* make_vt_thread();

// Gives this thread a number. VT_ERR_BADINDEX when another thread has it, VT_ERR_BADARG when this thread has another
// number.
int register_vt_thread(VtThread& own, int index);

// Stores a region or scope that ends now, unless its `enter` says that it is not recorded.
void store_region(Lane& lane, const OpenRegion& region, std::int32_t end_scl, std::uint8_t flags);

// Called after recording was stopped: whether every other thread has left the functions of VT.h. It waits a little for
// those that have not. When all have, this thread may use their lanes.
[[nodiscard]] bool vt_threads_are_out();

// Stores the open regions and scopes of one thread, or of all, as unfinished. Called at the end of the run or the
// thread.
void store_open_regions(VtThread* own); // nullptr: of all threads
// Called when this thread ends.
void end_vt_thread();

} // namespace tactus

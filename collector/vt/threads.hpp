// What VT.h keeps for each thread that uses it: regions and scopes that are open, and the thread's number.
// Made at a thread's first use, gone with it. Only the thread itself touches it, except where said otherwise.
#pragma once

#include "writer/lane.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace tactus {

// Grows up to a limit, without exceptions.
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
    Ticks enter; // 0: not to be recorded
    std::uint64_t call_site;
    std::uint32_t symbol;
    std::int32_t scl;
    std::uint64_t sequence; // of a scope: what VT_scopebegin gave
};

struct VtThread {
    Stack<OpenRegion> regions; // the innermost last
    Stack<OpenRegion> scopes;
    std::uint64_t unkept = 0; // regions open beyond the stack
    std::uint64_t last_scope = 0;
    std::int32_t next_scl = 0;
    int index = -1;           // registered; read by others under the list's lock
    std::uint32_t number = 0; // of its lane
    Lane* lane = nullptr;
    std::atomic<bool> busy{false}; // inside a function of VT.h; read by who ends the run
    std::string name;
    VtThread* next = nullptr;
};

// This thread's, made now if need be; nullptr when memory is refused. Inside a recorded run only.
VtThread* make_vt_thread();

// Gives this thread the number. VT_OK, VT_ERR_BADINDEX or VT_ERR_BADARG.
int register_vt_thread(VtThread& own, int index);

// Stores a region or scope that ends now, unless it is not to be recorded.
void store_region(Lane& lane, const OpenRegion& region, std::int32_t end_scl, std::uint8_t flags);

// Whether every other thread has left the functions of VT.h, after recording was stopped; waits a little for those that
// have not. Then their lanes are anybody's.
[[nodiscard]] bool vt_threads_are_out();

// Stores what this thread, or every one, has open, as unfinished. At the end of the run, or of the thread.
void store_open_regions(VtThread* own); // nullptr: of every one
// This thread ends.
void end_vt_thread();

} // namespace tactus

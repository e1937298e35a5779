// A list that may grow beyond what memory should hold. Above a given size it lies in a file without a name, and only
// the pages that are being read or written stay in memory. It is meant to be traversed in order, forward or backward,
// by one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tactus {

// The folder that lists move to, and the size in bytes above which each does. Without a folder they stay in memory.
struct PagingTo {
    const char* folder = nullptr; // outlives the lists
    std::size_t bytes = 0;
};

// For the lists of many ranks that may take `bytes` of memory together. Each may take 32 KiB in any case: to make a
// file costs more than it saves.
constexpr PagingTo paging_of_ranks(const char* folder, std::size_t bytes, std::size_t ranks) {
    constexpr std::size_t least = 32768;
    return {folder, std::max(least, bytes / ranks)};
}

class PagedBytes {
  public:
    PagedBytes() = default;
    explicit PagedBytes(const PagingTo& to);
    PagedBytes(PagedBytes&& other) noexcept { swap(other); }
    PagedBytes& operator=(PagedBytes&& other) noexcept {
        swap(other);
        return *this;
    }
    PagedBytes(const PagedBytes&) = delete;
    PagedBytes& operator=(const PagedBytes&) = delete;
    ~PagedBytes();

    [[nodiscard]] std::uint8_t* data() const { return data_; }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    // False when neither memory nor file has room; errno says why, and everything is unchanged.
    bool reserve(std::size_t bytes);
    // Lets the system reclaim the memory of everything more than a page before or after this offset.
    void leave_all_but(std::size_t at);
    [[nodiscard]] bool in_file() const { return in_file_; }
    // To be called when the list grows no more. Gives back the memory after these bytes, and closes the file: there may
    // be more lists than a process may have files open.
    void end_growth(std::size_t bytes);
    [[nodiscard]] std::size_t page() const { return page_; } // a power of two

  private:
    void swap(PagedBytes& other) noexcept;
    void close_file();
    bool grow_in_memory(std::size_t wanted);
    bool grow_in_file(std::size_t wanted);
    bool move_to_file(std::size_t wanted);

    PagingTo to_;
    std::uint8_t* data_ = nullptr; // a mapping of the file, or else allocated
    std::size_t capacity_ = 0;
    std::size_t page_ = SIZE_MAX / 2 + 1;
    int file_ = -1;
    bool in_file_ = false;
};

template <class T> class PagedList {
    static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) & (sizeof(T) - 1)) == 0);

    template <class List, class Item> class Walk {
      public:
        Walk(List& list, std::size_t i) : list_{&list}, i_{i} {}
        Item& operator*() const { return (*list_)[i_]; }
        Walk& operator++() {
            list_->pass(++i_);
            return *this;
        }
        bool operator==(const Walk& other) const { return i_ == other.i_; }

      private:
        List* list_;
        std::size_t i_;
    };

  public:
    PagedList() = default;
    explicit PagedList(const PagingTo& to) : bytes_{to} {}

    // False when there is no room; errno says why.
    bool push_back(const T& item) {
        if ((size_ + 1) * sizeof(T) > bytes_.capacity() && !bytes_.reserve((size_ + 1) * sizeof(T))) return false;
        data()[size_++] = item;
        pass(size_);
        return true;
    }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] T* data() { return reinterpret_cast<T*>(bytes_.data()); }
    [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(bytes_.data()); }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    [[nodiscard]] const T& front() const { return data()[0]; }
    [[nodiscard]] const T& back() const { return data()[size_ - 1]; }

    // A traversal by index calls this for each element, as the iterators do, so that the pages it has left can be
    // reclaimed.
    void pass(std::size_t i) const {
        if ((i * sizeof(T) & (bytes_.page() - 1)) == 0 && bytes_.in_file()) [[unlikely]]
            bytes_.leave_all_but(i * sizeof(T));
    }
    auto begin() { return Walk<PagedList, T>{*this, 0}; }
    auto end() { return Walk<PagedList, T>{*this, size_}; }
    auto begin() const { return Walk<const PagedList, const T>{*this, 0}; }
    auto end() const { return Walk<const PagedList, const T>{*this, size_}; }

    // Nothing may be added after this.
    void close() { bytes_.end_growth(size_ * sizeof(T)); }

    template <class Condition> void erase_if(const Condition& condition) {
        std::size_t kept = 0;
        for (const T& item : *this)
            if (!condition(item)) data()[kept++] = item;
        size_ = kept;
    }

  private:
    mutable PagedBytes bytes_; // which of its pages are in memory is not part of the value
    std::size_t size_ = 0;
};

} // namespace tactus

// The communicators that NCCL has announced. The context that NCCL keeps for one is a number, never a pointer, because
// NCCL also passes contexts of other processes, and contexts whose communicator is gone. No entry is ever freed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace tactus::nccl {

struct Context {
    std::uint64_t id = 0; // the same on all ranks; 0: this version does not say
    std::array<char, 128> name{};
    int ranks = 0; // 0: this version does not say
    int nodes = 0;
    int rank = 0;
    int device = 0;  // CUDA's; -1: not known. Zero by default, so that thousands of these take no room in the library
    int version = 0; // of the interface
};

class Contexts {
  public:
    static constexpr std::uint32_t most = 8192;

    void make(std::uint64_t nonce); // once, before any other
    // Returns the context that NCCL is to keep, never nullptr. Communicators after the first `most` share one context
    // and are not recorded.
    void* add(const Context& context);
    [[nodiscard]] bool is_ours(const void* kept) const { // hot
        return (reinterpret_cast<std::uintptr_t>(kept) & ~std::uintptr_t{0xffff}) == nonce_;
    }
    // The index of a context for which is_ours() holds; `most`: it is not recorded.
    [[nodiscard]] static std::uint32_t index(const void* kept) { // hot
        return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(kept) & 0xffff);
    }
    // `index` is one that NCCL passed back or one below count(), which pairs with add().
    [[nodiscard]] const Context& operator[](std::uint32_t index) const { return contexts_[index]; }
    // Notes what an operation says about its communicator. Only operations of interface version 3 do.
    void learn(std::uint32_t index, std::uint64_t id, int rank) { // hot
        if (index >= most || id == 0 || learned_[index].id.load(std::memory_order_relaxed) == id) return;
        learned_[index].rank.store(rank, std::memory_order_relaxed);
        learned_[index].id.store(id, std::memory_order_release); // pairs with learned_id()
    }
    // 0: no operation has said anything yet.
    [[nodiscard]] std::uint64_t learned_id(std::uint32_t index) const {
        return learned_[index].id.load(std::memory_order_acquire);
    }
    [[nodiscard]] int learned_rank(std::uint32_t index) const {
        return learned_[index].rank.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint32_t count() const { return count_.load(std::memory_order_acquire); }

  private:
    std::uint64_t nonce_ = 0;
    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER; // for add(): threads make communicators at the same time
    std::atomic<std::uint32_t> count_{0};
    std::array<Context, most> contexts_;
    struct Learned {
        std::atomic<std::uint64_t> id{0};
        std::atomic<int> rank{0};
    };
    std::array<Learned, most> learned_;
};

} // namespace tactus::nccl

// Shares work among threads: each takes the next piece until there is none left. Offline.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace tactus {

// Calls work(0) to work(count - 1), each once, in `threads` threads (0: as many as there are cores). Returns when all
// are done.
template <class Work> void share_work(std::size_t count, unsigned threads, const Work& work) {
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    std::atomic<std::size_t> next{0};
    const auto run = [&] {
        for (std::size_t i = 0; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) // pairs with nothing
            work(i);
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads && i < count; ++i) others.emplace_back(run);
    run();
    for (std::thread& other : others) other.join();
}

} // namespace tactus

// Shares work among threads: each takes the next piece until there is none left. Offline.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <pthread.h>
#include <thread>
#include <vector>

namespace tactus {

// Calls work(0) to work(count - 1), each once, in `threads` threads (0: as many as there are cores), or in fewer if the
// system has no more. Returns when all are done.
template <class Work> void share_work(std::size_t count, unsigned threads, const Work& work) {
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    std::atomic<std::size_t> next{0};
    auto run = [&] {
        for (std::size_t i = 0; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) // pairs with nothing
            work(i);
    };
    // A std::thread that cannot be made ends the program where there are no exceptions.
    const auto start = [](void* what) -> void* {
        (*static_cast<decltype(run)*>(what))();
        return nullptr;
    };
    std::vector<pthread_t> others;
    pthread_t other{};
    while (others.size() + 1 < std::min<std::size_t>(threads, count) &&
           pthread_create(&other, nullptr, start, &run) == 0)
        others.push_back(other);
    run();
    for (const pthread_t thread : others) pthread_join(thread, nullptr);
}

} // namespace tactus

// Measures the cost of the NCCL profiler plugin that NCCL_PROFILER_PLUGIN names, with the fake NCCL host. bench/nccl
// uses it to compare plugins. Prints one JSON object with nanoseconds.
//
//   nccl callbacks THREADS EVENTS      for a callback: start, state and stop of KernelCh, and start and stop of Coll
//   nccl coll|p2p OPERATIONS           for an operation: a call, from its first callback to its last
//   nccl init|split TIMES              for making and destroying a communicator; with `split` also for splitting it
#include "tests/nccl/fake_nccl/storm.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace tactus::fake_nccl;

double since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

// Each thread measures its own time for its callbacks. It pauses between batches, as NCCL's threads do, so that more
// threads than cores do not count as cost, and the plugin's own thread has time to run.
void callbacks(std::size_t threads, std::size_t events) {
    Library library{{.keep_truth = false}};
    const Plugin* const plugin = library.loader.acquire();
    void* context = nullptr;
    int mask = 0;
    const Identity me{.id = 9, .ranks = 2};
    if (plugin != nullptr) (void)plugin->init(&context, &mask, me);
    constexpr std::size_t batch = 200;
    std::vector<std::vector<double>> kernel(threads);
    std::vector<std::vector<double>> coll(threads);
    std::vector<std::thread> all;
    for (std::size_t t = 0; t < threads; ++t) {
        all.emplace_back([&, t] {
            if (plugin == nullptr) return;
            auto group = descriptor_of(abi::event::group_api, nullptr);
            void* call = nullptr;
            (void)plugin->start(context, &call, group, me);
            auto api = descriptor_of(abi::event::coll_api, call);
            void* call_of_coll = nullptr;
            (void)plugin->start(context, &call_of_coll, api, me);
            auto operation = descriptor_of(abi::event::coll, call_of_coll);
            operation.coll.func = "AllReduce";
            operation.coll.count = 1;
            operation.coll.datatype = "ncclFloat32";
            operation.coll.channels = 1;
            operation.coll.algo = "RING";
            operation.coll.proto = "LL";
            void* parent = nullptr;
            (void)plugin->start(context, &parent, operation, me);
            for (std::size_t done = 0; done < events; done += batch) {
                auto begin = std::chrono::steady_clock::now();
                for (std::size_t i = 0; i < batch; ++i) {
                    auto event = descriptor_of(abi::event::kernel_ch, parent);
                    event.kernel_ch = {.channel = 1, .timer = 10 * (done + i) + 1};
                    void* handle = nullptr;
                    (void)plugin->start(context, &handle, event, me);
                    (void)plugin->state(handle, 22, {.value = 10 * (done + i) + 5});
                    plugin->stop(handle);
                }
                kernel[t].push_back(since(begin) / (3 * batch));
                begin = std::chrono::steady_clock::now();
                for (std::size_t i = 0; i < batch; ++i) {
                    void* handle = nullptr;
                    (void)plugin->start(context, &handle, operation, me);
                    plugin->stop(handle);
                }
                coll[t].push_back(since(begin) / (2 * batch));
                std::this_thread::sleep_for(std::chrono::milliseconds{threads});
            }
        });
    }
    for (std::thread& thread : all) thread.join();
    const auto median = [](const std::vector<std::vector<double>>& lists) {
        std::vector<double> values;
        for (const auto& list : lists) values.insert(values.end(), list.begin(), list.end());
        std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
        return values.empty() ? 0 : values[values.size() / 2];
    };
    std::printf("{\"kernel\": %.2f, \"coll\": %.2f}\n", median(kernel), median(coll));
    if (plugin == nullptr) return;
    plugin->finalize(context);
    library.loader.release();
}

// Makes 100 operations to warm up, and then takes the median of batches. Between batches there is time for the plugin's
// own thread.
void operations(bool p2p, std::size_t count) {
    Library library{{.keep_truth = false}};
    CommunicatorOptions wanted;
    wanted.paced = false;
    Communicator comm{library, wanted};
    constexpr std::size_t batch = 50;
    std::vector<double> times;
    for (std::size_t done = 0; done < count + 100; done += batch) {
        const auto begin = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < batch; ++i) {
            if (p2p) {
                group_start();
                comm.send(1, Datatype::float32, 1);
                comm.recv(1, Datatype::float32, 1);
                group_end();
            } else {
                comm.all_reduce(1, Datatype::float32);
            }
        }
        if (done >= 100) times.push_back(since(begin) / batch);
        comm.synchronize();
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
    std::printf("{\"operation\": %.1f}\n", times[times.size() / 2]);
    comm.destroy();
}

void communicators(bool split, std::size_t count) {
    Library library{{.keep_truth = false}};
    CommunicatorOptions wanted;
    Communicator keeps_plugin{library, wanted}; // Without it, the plugin would be loaded again each time.
    std::vector<double> times;
    for (std::size_t i = 0; i < count + 10; ++i) {
        ++wanted.id;
        const auto begin = std::chrono::steady_clock::now();
        Communicator comm{library, wanted};
        if (split) {
            const auto child = comm.split({.color = 1, .rank = 0, .ranks = 2, .share = false, .name = {}});
            child->destroy();
        }
        comm.destroy();
        if (i >= 10) times.push_back(since(begin));
    }
    std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
    std::printf("{\"communicator\": %.1f}\n", times[times.size() / 2]);
    keeps_plugin.destroy();
}

} // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 2 ? argv[1] : "";
    const auto number = [&](int i) { return i < argc ? std::strtoull(argv[i], nullptr, 10) : 0; };
    if (what == "callbacks" && argc == 4)
        callbacks(number(2), number(3));
    else if (what == "coll" || what == "p2p")
        operations(what == "p2p", number(2));
    else if (what == "init" || what == "split")
        communicators(what == "split", number(2));
    else
        return std::fprintf(stderr, "usage: nccl callbacks THREADS EVENTS | coll|p2p|init|split COUNT\n"), 2;
    return 0;
}

// Measures how quickly a trace answers the questions of a picture.
//
//   views index TRACE                adds up every rank's time line and stores it, and then finishes the trace to store
//                                    its messages, waits and collectives; prints the times and the sizes
//   views query TRACE [QUERIES [FROM TO]]   opens the trace and asks for windows of 1,024 pixels, all threads as rows
//
// The messages for narrow windows are gathered before, which takes a replay the first time.
//
// The logarithms of the windows' lengths are spread evenly from 2^-FROM to 2^-TO of the trace (0 and 14 by default),
// and each window is at a random place. Cold means that everything that was read and added up is forgotten, also by the
// operating system. Warm is the same window once more. VIEWS_EACH=1 prints each window.
#include "postproc/finish/in_threads.hpp"
#include "postproc/finish/store.hpp"
#include "postproc/parallel/share_work.hpp"
#include "postproc/view/view.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <sys/resource.h>
#include <unistd.h>

using namespace tactus;

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Trace open_or_exit(const char* path) {
    auto trace = Trace::open(path);
    if (trace) return std::move(*trace);
    std::fprintf(stderr, "views: %s\n", trace.error().line().c_str());
    std::exit(1);
}

int add_up(const char* path) {
    const Trace trace = open_or_exit(path);
    std::atomic<std::uint64_t> records{0};
    std::atomic<std::uint64_t> bytes{0};
    std::uint64_t size = 0;
    for (const RankFile& file : trace.ranks) size += file.size();
    const auto begin = std::chrono::steady_clock::now();
    share_work(trace.ranks.size(), 0, [&](std::size_t i) {
        const RankFile& file = trace.ranks[i];
        const RankIndex index = index_for(file, file.clock());
        for (const Bytes& block : index.blocks) bytes += block.size();
        for (const IndexEntry& entry : file.blocks()) records += entry.records;
        if (!append_to(file, index.blocks, {})) std::exit(1);
    });
    const double seconds = seconds_since(begin);
    std::printf("added up                %8.1f million records/s\n", static_cast<double>(records) / seconds / 1e6);
    std::printf("index, of the trace     %8.2f %%\n", 100 * static_cast<double>(bytes) / static_cast<double>(size));
    return 0;
}

int add_links(const char* path) {
    const Trace trace = open_or_exit(path);
    FinishOptions options;
    options.refine = options.correct = false;
    options.paging = {path, std::size_t{64} << 20};
    const auto begin = std::chrono::steady_clock::now();
    const Finished finished = finish_in_threads(trace, 2, options, [](const char*) {});
    if (!finished.done) std::exit(1);
    std::uint64_t links = 0; // in bytes, as the next two
    std::uint64_t bytes = 0;
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < finished.ranks.size(); ++i) {
        const RankFile& file = trace.ranks[finished.ranks[i]];
        size += file.size();
        for (const Bytes& block : finished.links[i]) links += block.size();
        const RankIndex index = index_for(file, finished, i);
        for (const Bytes& block : index.blocks) bytes += block.size();
        if (!append_to(file, index.blocks, {})) std::exit(1);
    }
    std::printf("replayed, with waits    %8.1f s\n", seconds_since(begin));
    std::printf("index with messages, waits and collectives  %.2f %% of the trace, %.2f %% without them\n",
                100 * static_cast<double>(bytes) / static_cast<double>(size),
                100 * static_cast<double>(bytes - links) / static_cast<double>(size));
    return 0;
}

// VIEWS_LINKS sets another number; with 0 there are no messages, waits and collectives.
std::size_t most_links() {
    const char* const wanted = std::getenv("VIEWS_LINKS");
    return wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 8192;
}

ViewRequest some_window(std::mt19937_64& random, const TimeLine& time_line, double shorter) {
    const auto all = static_cast<double>(time_line.end() - time_line.begin());
    const double length = all * std::exp2(-shorter);
    const double start = std::uniform_real_distribution<double>{0, all - length}(random);
    ViewRequest request;
    request.from = time_line.begin() + static_cast<GlobalTime>(start);
    request.to = request.from + std::max<GlobalTime>(1, static_cast<GlobalTime>(length));
    for (std::size_t line = 0; line < time_line.lines().size(); ++line) request.rows.push_back({"", {line}});
    request.most_links = most_links();
    return request;
}

// Makes the operating system drop the files of the folder from its cache.
void forget(const std::string& folder) {
    for (const auto& file : std::filesystem::recursive_directory_iterator{folder}) {
        const int descriptor = open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor < 0) continue;
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
        close(descriptor);
    }
}

void print(const char* what, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    const auto at = [&](double share) {
        return 1e3 *
               times[std::min(times.size() - 1, static_cast<std::size_t>(share * static_cast<double>(times.size())))];
    };
    std::printf("%-12s  median %8.1f ms   p90 %8.1f ms   p99 %8.1f ms   longest %8.1f ms\n", what, at(0.5), at(0.9),
                at(0.99), 1e3 * times.back());
}

int ask(const char* path, int queries, double widest, double deepest) {
    const auto begin = std::chrono::steady_clock::now();
    const Trace trace = open_or_exit(path);
    const FunctionNames names{trace};
    auto time_line = std::make_unique<TimeLine>(trace);
    std::printf("open                    %8.1f ms\n", 1e3 * seconds_since(begin));
    std::printf("lines                   %8zu\n", time_line->lines().size());
    const auto first = std::chrono::steady_clock::now();
    if (most_links() > 0) time_line->links().gather_all();
    std::printf("messages gathered       %8.1f ms\n", 1e3 * seconds_since(first));
    std::mt19937_64 random{1};
    std::vector<ViewRequest> requests;
    for (int i = 0; i < queries; ++i)
        requests.push_back(some_window(random, *time_line, widest + (deepest - widest) * i / std::max(1, queries - 1)));
    std::vector<double> cold;
    std::vector<double> warm;
    for (int i = 0; i < queries; ++i) {
        forget(trace.path);
        time_line = std::make_unique<TimeLine>(trace);
        if (most_links() > 0) time_line->links().gather_all(); // quick, since the links are stored already
        for (std::vector<double>* times : {&cold, &warm}) {
            const auto start = std::chrono::steady_clock::now();
            const View seen = view(*time_line, names, requests[static_cast<std::size_t>(i)]);
            times->push_back(seconds_since(start));
        }
        if (std::getenv("VIEWS_EACH") != nullptr)
            std::printf("2^-%-5.2f cold %8.1f ms warm %8.1f ms\n",
                        widest + (deepest - widest) * i / std::max(1, queries - 1), 1e3 * cold.back(),
                        1e3 * warm.back());
    }
    print("cold", cold);
    print("warm", warm);
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    std::printf("memory                  %8.1f MiB\n", static_cast<double>(used.ru_maxrss) / 1024);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::strcmp(argv[1], "index") == 0) {
        const int added = add_up(argv[2]);
        return added == 0 && most_links() > 0 ? add_links(argv[2]) : added;
    }
    if (argc > 2 && std::strcmp(argv[1], "query") == 0)
        return ask(argv[2], argc > 3 ? std::atoi(argv[3]) : 200, argc > 4 ? std::atof(argv[4]) : 0,
                   argc > 5 ? std::atof(argv[5]) : 14);
    std::fputs("usage: views index TRACE | views query TRACE [QUERIES [FROM TO]]\n", stderr);
    return 2;
}

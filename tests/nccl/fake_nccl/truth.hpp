// Every operation that ran, and when its kernel really ran, for tests that check what a plugin recorded. The thread
// that launches the operation makes a record; the progress thread then notes what it reported to the plugin.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <string>

namespace tactus::fake_nccl {

enum class What : std::uint8_t { coll, p2p, api };

// A moment of a kernel, on both clocks.
struct Stamp {
    std::int64_t gpu_ns = 0, host_ns = 0;
};

struct TruthFacts {
    What what = What::coll;
    std::uint64_t comm = 0;
    int rank = 0, ranks = 1;
    const char* func = "";
    std::int64_t sequence = -1; // -1 for p2p and api, which have none
    std::uint64_t bytes = 0;
    int channels = 0, peer = -1;
    const char* algo = "";
    const char* proto = "";
    const char* datatype = "";
    // Over all channels, whether they were reported to the plugin or not.
    Stamp kernel_start, kernel_stop;
    std::int64_t ran_start_ns = 0, ran_stop_ns = 0; // of its kernel, on the host's clock
};

class TruthRecord {
  public:
    explicit TruthRecord(const TruthFacts& facts) : facts_(facts) {}

    // Called by the progress thread alone.
    void told_start(const Stamp& stamp) { first_.keep(stamp, stamp.host_ns < first_.host_ns()); }
    void told_stop(const Stamp& stamp) {
        last_.keep(stamp, stamp.host_ns > last_.host_ns());
        channels_reported_.fetch_add(1, std::memory_order_relaxed);
    }
    void lost_start() { lost_starts_.fetch_add(1, std::memory_order_relaxed); }
    void overrun() { overruns_.fetch_add(1, std::memory_order_relaxed); }

    [[nodiscard]] std::string json() const;

  private:
    // Relaxed atomics suffice: a reader that comes while the progress thread runs gets one of the values.
    class Extreme {
      public:
        explicit Extreme(std::int64_t none) : gpu_ns_(none), host_ns_(none), none_(none) {}
        void keep(const Stamp& stamp, bool better) {
            if (!better) return;
            gpu_ns_.store(stamp.gpu_ns, std::memory_order_relaxed);
            host_ns_.store(stamp.host_ns, std::memory_order_relaxed);
        }
        [[nodiscard]] std::int64_t host_ns() const { return host_ns_.load(std::memory_order_relaxed); }
        [[nodiscard]] Stamp or_else(const Stamp& other) const {
            return host_ns() == none_ ? other : Stamp{gpu_ns_.load(std::memory_order_relaxed), host_ns()};
        }

      private:
        std::atomic<std::int64_t> gpu_ns_, host_ns_;
        std::int64_t none_;
    };

    TruthFacts facts_;
    Extreme first_{std::numeric_limits<std::int64_t>::max()};
    Extreme last_{std::numeric_limits<std::int64_t>::min()};
    std::atomic<int> channels_reported_{0}, lost_starts_{0}, overruns_{0};
};

class Truth {
  public:
    explicit Truth(bool kept) : kept_(kept) {}

    // Returns nullptr if nothing is kept. The pointer is valid as long as this object.
    TruthRecord* add(const TruthFacts& facts);
    [[nodiscard]] std::uint64_t operations() const { return operations_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool write(const std::string& path) const; // JSON lines

  private:
    bool kept_;
    mutable std::mutex mutex_;
    std::deque<TruthRecord> records_;
    std::atomic<std::uint64_t> operations_{0};
};

} // namespace tactus::fake_nccl

// Partitioned messages of one rank (MPI-4.0, 4.2). The k-th MPI_Psend_init of an envelope belongs to the k-th
// MPI_Precv_init, and the starts of such a pair to each other, whatever else is sent with that envelope. What is sent
// is there when its last partition is ready, which another thread's lane may say: all is known at the end. One thread.
#pragma once

#include "postproc/replay/channels.hpp"
#include "trace/record.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace tactus {

class Partitioned {
  public:
    struct Start {
        ChannelKey envelope;
        std::uint64_t request = 0;
        std::uint64_t prepared = 0;
        std::uint32_t lane = 0;
        Ticks enter = 0;
        std::optional<Ticks> ready; // when the last of its partitions was; of a receive none is
    };

    // MPI_Psend_init or MPI_Precv_init
    void prepare(const Record& record, std::uint32_t lane);
    void start(const Started& started, std::uint32_t lane, Ticks enter);
    // MPI_Pready and its like
    void ready(std::uint64_t request, Ticks enter);

    // Once the rank is read: calls `take(start)`, the envelope's series being the pair's number. Not for starts whose
    // pair is not known, nor where several threads prepared with one envelope.
    template <class Take> void each(const Take& take) {
        for (auto& [request, start] : starts_) {
            const auto pair = pairs_.find(start.prepared);
            if (pair == pairs_.end() || envelopes_[start.envelope].threads) continue;
            start.envelope.series = pair->second;
            if (const auto known = ready_.find(request); known != ready_.end()) start.ready = known->second;
            take(start);
        }
    }

  private:
    struct Pairs {
        std::uint64_t count = 0;
        std::uint32_t lane = 0;
        bool threads = false;
    };

    tsl::robin_map<ChannelKey, Pairs, ChannelKey::Hash> envelopes_;
    std::map<std::uint64_t, std::uint64_t> pairs_; // by prepared request: which of its envelope's, from 1
    std::map<std::uint64_t, Start> starts_;        // by request
    std::map<std::uint64_t, Ticks> ready_;         // by request
};

} // namespace tactus

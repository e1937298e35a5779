// Partitioned messages of one rank (MPI-4.0, 4.2). The k-th MPI_Psend_init of an envelope belongs to the k-th
// MPI_Precv_init, and the starts of such a pair belong to each other, whatever else is sent with that envelope. A
// message is sent when its last partition is ready. Another thread's lane may hold that MPI_Pready, so messages are
// complete only once all lanes were read. Used by one thread.
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
        std::uint64_t prepared = 0; // the persistent request
        std::uint32_t lane = 0;
        Ticks enter = 0;
        std::optional<Ticks> ready; // enter of its last MPI_Pready; a receive has none
    };

    // Takes MPI_Psend_init or MPI_Precv_init.
    void prepare(const Record& record, std::uint32_t lane);
    // Takes the start of such a request by MPI_Start or MPI_Startall.
    void start(const Started& started, std::uint32_t lane, Ticks enter);
    // Takes MPI_Pready, MPI_Pready_range or MPI_Pready_list.
    void ready(std::uint64_t request, Ticks enter);

    // To be called once the rank was read. Calls `take(start)` for each start; the series of its envelope is the number
    // of the pair. Leaves out starts whose pair is not known, and envelopes that several threads prepared.
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
        std::uint32_t lane = 0; // of the thread that prepared the first
        bool threads = false;   // other threads prepared more
    };

    tsl::robin_map<ChannelKey, Pairs, ChannelKey::Hash> envelopes_;
    std::map<std::uint64_t, std::uint64_t> pairs_; // by prepared request: the pair's number in its envelope, from 1
    std::map<std::uint64_t, Start> starts_;        // by request
    std::map<std::uint64_t, Ticks> ready_;         // by request
};

} // namespace tactus

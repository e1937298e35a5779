// Numbers the channels of one rank while its records are read. Used by one thread.
#pragma once

#include "postproc/replay/event.hpp"
#include "trace/rank_file.hpp"

#include <tsl/robin_map.h>

#include <array>
#include <cstdint>
#include <vector>

namespace tactus {

// A hash for tables whose number of buckets is a power of two: every bit of the number affects the low bits.
struct Mixed {
    std::size_t operator()(std::uint64_t number) const {
        number *= 0xc2b2ae3d27d4eb4fU;
        return number ^ number >> 32;
    }
};
template <class Value> using ByNumber = tsl::robin_map<std::uint64_t, Value, Mixed>;

// Identifies a channel as records do: `comm` is the communicator's number in the file, and `peer` is a rank in it. For
// windows (tag_of_windows) `peer` is a rank of MPI_COMM_WORLD.
struct ChannelKey {
    std::uint32_t comm = UINT32_MAX;
    std::int32_t peer = 0;
    std::int32_t tag = 0;
    bool outgoing = false;
    std::uint64_t series = 0; // see Channel
    bool operator==(const ChannelKey&) const = default;
    struct Hash {
        std::size_t operator()(const ChannelKey& key) const {
            return Mixed{}(std::uint64_t{key.comm} << 33 ^
                           static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.peer)) << 1 ^
                           static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.tag)) * 0x9e3779b97f4a7c15U ^
                           key.series ^ (key.outgoing ? 1 : 0));
        }
    };
};

class Channels {
  public:
    Channels(const RankFile& file, std::vector<Channel>& channels) : file_{file}, channels_{channels} {}

    static constexpr std::uint32_t none = UINT32_MAX;

    // Returns the index of this channel in `channels`, and adds the channel if it is new. Returns `none` when the peer
    // is no rank of MPI_COMM_WORLD, or when the communicator is not defined.
    std::uint32_t find(const ChannelKey& envelope) {
        Found& last = last_[envelope.outgoing ? 1 : 0];
        if (envelope == last.envelope) return last.index;
        const auto [at, fresh] = known_.try_emplace(envelope, none);
        if (fresh) at.value() = add(envelope);
        last = {envelope, at->second};
        return last.index;
    }

  private:
    std::uint32_t add(const ChannelKey& envelope) {
        const Comm* const comm = file_.comm(envelope.comm);
        if (comm == nullptr) return none;
        const std::int64_t world = envelope.tag == tag_of_windows ? envelope.peer : comm->world_rank(envelope.peer);
        if (world < 0 || world >= static_cast<std::int64_t>(file_.header().ranks)) return none;
        channels_.push_back({.peer = static_cast<std::uint32_t>(world),
                             .comm = comm->identity,
                             .tag = envelope.tag,
                             .series = envelope.series,
                             .outgoing = envelope.outgoing});
        return static_cast<std::uint32_t>(channels_.size() - 1);
    }

    const RankFile& file_;
    std::vector<Channel>& channels_;
    tsl::robin_map<ChannelKey, std::uint32_t, ChannelKey::Hash> known_;
    struct Found {
        ChannelKey envelope;
        std::uint32_t index = none;
    };
    std::array<Found, 2> last_; // incoming and outgoing
};

} // namespace tactus

// The receives of one rank: where each was posted, and where it completed. Lanes are read one after the other, so a
// completion may be read before its post. Used by one thread.
#pragma once

#include "postproc/replay/channels.hpp"
#include "postproc/replay/rank_events.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace tactus {

struct Post {
    std::uint32_t comm = 0;
    std::uint32_t lane = 0;
    Ticks at = 0;
};

struct ReceiveEnd {
    std::int32_t source = peer::none;
    std::int32_t tag = 0;
    Ticks leave = 0;
    std::uint64_t number = 0; // the number that its sender gave the message; 0: not known
    EventOrigin origin;
};

class Posts {
  public:
    // Calls `take(post, end)` if the completion was read already. `post` is a copy, since it may be an entry of posts_.
    template <class Take> void posted(std::uint64_t request, Post post, const Take& take) {
        const auto end = ends_.find(request);
        if (end == ends_.end()) {
            posts_.insert_or_assign(request, post);
            return;
        }
        take(post, end->second);
        ends_.erase(end);
    }
    // Calls `take(post, end)` if the post was read already.
    template <class Take> void completed(std::uint64_t request, const ReceiveEnd& end, const Take& take) {
        if (end.source < 0) return; // from MPI_PROC_NULL, or cancelled
        const auto post = posts_.find(request);
        if (post == posts_.end()) {
            ends_.insert_or_assign(request, end);
            return;
        }
        take(post->second, end);
        posts_.erase(post);
    }
    // Takes an MPI_Imrecv: a message that a matched probe found becomes a request.
    template <class Take> void becomes(std::uint64_t message, std::uint64_t request, const Take& take) {
        if (const auto known = posts_.find(message); known != posts_.end()) {
            posted(request, known->second, take);
            posts_.erase(message);
        } else {
            requests_of_messages_.push_back({message, request});
        }
    }
    // To be called after the last lane was read, since the probe of an MPI_Imrecv may be in a lane read later.
    template <class Take> void finish(const Take& take) {
        for (const auto& [message, request] : requests_of_messages_)
            if (const auto post = posts_.find(message); post != posts_.end()) posted(request, post->second, take);
    }
    [[nodiscard]] const ReceiveEnd* end_of(std::uint64_t request) const {
        const auto end = ends_.find(request);
        return end != ends_.end() ? &end->second : nullptr;
    }
    [[nodiscard]] bool left() const { return !posts_.empty(); } // some were never completed

  private:
    ByNumber<Post> posts_;      // by request
    ByNumber<ReceiveEnd> ends_; // by request
    std::vector<std::pair<std::uint64_t, std::uint64_t>> requests_of_messages_;
};

} // namespace tactus

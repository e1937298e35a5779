// Finds the requests of one rank of an archive: which end belongs to which beginning, in whichever threads they are,
// and what the end says. OTF2 says at the end of a non-blocking receive or collective what a trace says at its
// beginning, so the events of a rank are read twice: here, and then by Otf2Lane, which asks for the beginnings and the
// ends of each location in the archive's order.
//
// Archives by tactus have the numbers of a trace, each of them once. Other tools use numbers again, so their requests
// are renumbered. An end then belongs to the last beginning before it with its number, and to one of its own thread
// first. So the events of several threads are looked at in the order of time.
//
// Memory: 32 bytes for each request and 8 for its end, and if another tool recorded several threads, 128 more for both.
// Beyond a given size they are kept in a file without a name.
#pragma once

#include "base/paged_list.hpp"
#include "postproc/export/otf2_archive.hpp"
#include "postproc/export/otf2_run.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tactus {

struct Otf2Start {
    std::uint32_t comm = OTF2_UNDEFINED_COMM; // number in OTF2; undefined: the request never ends in the archive
    std::int32_t peer = -1;                   // source or root
    std::int32_t tag = 0;
    std::uint32_t operation = 0;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
};

class Otf2Requests {
  public:
    Otf2Requests(const Otf2Archive& archive, const PagingTo& to) : archive_{archive}, to_{to} {}
    // Reads every event of every lane of one rank. The lanes are numbered from 0.
    Outcome read(const std::vector<ImportedLane>& lanes);

    struct Begun {
        Otf2Start start; // of a receive or a collective
        std::uint64_t number = 0;
    };
    // The next beginning of a request in a lane. `request` is its number in the archive.
    [[nodiscard]] Begun next_begun(std::uint32_t lane, std::uint64_t request);
    // The number of the request that ends next in a lane; nothing if the archive does not have its beginning.
    [[nodiscard]] std::optional<std::uint64_t> next_ended(std::uint32_t lane, std::uint64_t request);

    // Called with the events of the location that is being read, in its order.
    void begun(std::uint64_t time, std::uint64_t request);
    void ended(std::uint64_t time, std::uint64_t request, const Otf2Start& how);

  private:
    struct Edge { // the beginning or the end of a request
        Otf2Start how;
        std::uint64_t time = 0;
        std::uint64_t request = 0;
        std::uint64_t index = 0; // among the beginnings or the ends of its lane
        bool begins = false;
    };
    struct Lane {
        PagedList<Otf2Start> starts;
        PagedList<std::uint64_t> ends; // numbers of their requests; 0: not known
        PagedList<Edge> edges;         // what is to be put in the order of time
        std::size_t next_start = 0;
        std::size_t next_end = 0;
    };
    struct Place {
        std::uint32_t lane = 0;
        std::uint64_t index = 0;
    };
    struct Early { // an end whose beginning was not seen so far
        Place place;
        std::uint64_t time = 0;
        Otf2Start how;
    };
    void take(const Edge& edge);
    void take_of(std::uint32_t lane, const Edge& edge);
    void take_in_order_of_time();
    void begin(const Place& place, const Edge& edge);
    void end(const Place& place, const Edge& edge);
    bool ended_at_once(const Place& place, const Edge& edge);
    void match_the_rest();
    void match(const Place& begin, const Place& end, const Otf2Start& how);
    [[nodiscard]] static std::uint64_t number_of(const Place& begin);

    const Otf2Archive& archive_;
    PagingTo to_;
    std::vector<Lane> lanes_;
    bool in_order_of_time_ = false;
    std::unordered_map<std::uint64_t, std::vector<Place>> open_; // by request, at most one a lane, the last one last
    std::unordered_map<std::uint64_t, std::vector<Early>> early_;
    bool no_room_ = false;
};

} // namespace tactus

// Collects what became of the requests of one rank of an archive. OTF2 says at the end of a non-blocking receive or
// collective what a trace says at its beginning, so the events of a rank are read twice.
//
// Memory: 32 bytes for each request; beyond a given size they are kept in a file without a name.
#pragma once

#include "base/paged_list.hpp"
#include "postproc/export/otf2_archive.hpp"

#include <cstdint>
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

class Otf2Starts {
  public:
    explicit Otf2Starts(const PagingTo& to) : to_{to} {}
    // Reads every event of every location of one rank.
    Outcome read(const Otf2Archive& archive, const std::vector<std::uint64_t>& locations);
    // Gives the next start of a location, in the archive's order, or nullptr after the last.
    [[nodiscard]] const Otf2Start* next(std::uint64_t location);

    void started(std::uint64_t location, std::uint64_t request);
    void ended(std::uint64_t request, const Otf2Start& how);

  private:
    struct Place {
        std::uint64_t location = 0;
        std::size_t index = 0;
    };
    struct OfLocation {
        PagedList<Otf2Start> starts;
        std::size_t next = 0;
    };
    PagingTo to_;
    std::unordered_map<std::uint64_t, OfLocation> lists_;
    std::unordered_map<std::uint64_t, Place> open_;
    // Ended by a thread that is read before the thread that began them.
    std::unordered_map<std::uint64_t, Otf2Start> early_;
    bool no_room_ = false;
};

} // namespace tactus

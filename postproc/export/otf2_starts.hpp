// What became of the requests of an archive's rank: OTF2 says of a non-blocking receive or collective where it ends
// what a trace says where it begins, so that a rank's events are read twice.
//
// Memory: 32 bytes for each of them; from some size on in a file without a name.
#pragma once

#include "base/paged_list.hpp"
#include "postproc/export/otf2_archive.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tactus {

struct Otf2Start {
    std::uint32_t comm = OTF2_UNDEFINED_COMM; // number in OTF2; undefined: it never ends in the archive
    std::int32_t peer = -1;                   // source or root
    std::int32_t tag = 0;
    std::uint32_t operation = 0;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
};

class Otf2Starts {
  public:
    explicit Otf2Starts(const PagingTo& to) : to_{to} {}
    // Every event of every location of one rank.
    Outcome read(const Otf2Archive& archive, const std::vector<std::uint64_t>& locations);
    // The starts of a location, in the order they stand there.
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
    std::unordered_map<std::uint64_t, Otf2Start> early_; // ended in a thread that is read before the one that began it
    bool no_room_ = false;
};

} // namespace tactus

// Turns the definitions of an OTF2 archive into those of a run: its ranks and their threads, the communicators of each
// rank, symbols and counters. Pure.
#pragma once

#include "postproc/export/not_said.hpp"
#include "postproc/export/otf2_archive.hpp"
#include "trace/definitions.hpp"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tactus {

struct ImportedLane {
    std::uint32_t lane = 0;
    std::uint64_t location = 0;
    std::string name;
};
struct ImportedRank {
    std::uint32_t rank = 0;
    std::string host;
    std::vector<ImportedLane> lanes;
};

// A communicator as all its members see it.
struct ImportedComm {
    std::string name;
    std::vector<std::int32_t> members; // world ranks
    std::vector<std::int32_t> remote;
    std::uint64_t parent = OTF2_UNDEFINED_COMM;
};

class Otf2Run {
  public:
    static Result<Otf2Run> make(const Otf2Archive& archive, NotSaid& not_said);

    [[nodiscard]] const std::vector<ImportedRank>& ranks() const { return ranks_; }
    // The communicators of a rank, MPI_COMM_WORLD and MPI_COMM_SELF first. `numbers` maps numbers in OTF2 to those of
    // the trace, for the communicators that the rank is a member of.
    struct Comms {
        std::vector<Comm> all;
        std::unordered_map<std::uint64_t, std::uint32_t> numbers;
        // Returns nullptr if the rank is in no communicator of that number in OTF2.
        [[nodiscard]] const Comm* find(std::uint64_t ref) const;
    };
    [[nodiscard]] Comms comms_of(std::uint32_t rank) const;
    // A region is an MPI function, or else the symbol of that number.
    struct Region {
        std::optional<Function> function;
        std::uint32_t symbol = 0;
        std::uint32_t begin_scl = 0;
        std::uint32_t end_scl = 0;
    };
    [[nodiscard]] const Region* region(std::uint64_t ref) const;
    [[nodiscard]] const std::vector<Symbol>& symbols() const { return symbols_; }
    [[nodiscard]] const std::vector<Scl>& scls() const { return scls_; }
    [[nodiscard]] const std::vector<Counter>& counters() const { return counters_; }
    // The counters of a class of metrics, by number; 0 stands for a metric that is no counter.
    [[nodiscard]] std::vector<std::uint32_t> counters_of(std::uint64_t metric) const;

  private:
    explicit Otf2Run(const Otf2Content& content) : content_{&content} {}
    Outcome find_ranks(const std::string& file, NotSaid& not_said);
    void find_lanes(NotSaid& not_said);
    void find_comms(NotSaid& not_said);
    void find_regions();
    void find_counters();
    std::uint32_t scl_of(const std::string& file, std::uint32_t line);
    [[nodiscard]] std::string host_of(std::uint64_t node) const;
    [[nodiscard]] bool world_ranks(std::uint64_t group, std::vector<std::int32_t>& ranks) const;

    const Otf2Content* content_;
    std::vector<ImportedRank> ranks_;
    std::map<std::uint64_t, std::uint32_t> rank_of_group_;
    std::map<std::uint64_t, ImportedComm> comms_; // all except the predefined ones, by number in OTF2
    std::map<std::uint32_t, std::vector<std::uint64_t>> comms_of_rank_;
    std::vector<std::uint64_t> world_refs_; // their numbers in OTF2
    std::vector<std::uint64_t> self_refs_;
    std::unordered_map<std::uint64_t, Region> regions_;
    std::vector<Symbol> symbols_;
    std::vector<Scl> scls_;
    std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> scl_numbers_;
    std::vector<Counter> counters_;
    std::map<std::uint64_t, std::uint32_t> counter_of_metric_;
};

} // namespace tactus

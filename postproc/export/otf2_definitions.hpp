// The definitions of an OTF2 archive that is being written. They are numbered when events first need them, and written
// at the end. One thread.
//
// Location group r is rank r of MPI_COMM_WORLD; location lane x 2^32 + r is a thread of it. Communicator 0 is
// MPI_COMM_WORLD, and 1 is MPI_COMM_SELF. The others follow in the order in which the ranks, from 0 on, have them.
#pragma once

#include "postproc/export/not_said.hpp"
#include "postproc/export/otf2_error.hpp"
#include "postproc/export/thread_counters.hpp"
#include "trace/rank_file.hpp"

#include <array>
#include <map>
#include <otf2/otf2.h>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tactus {

constexpr OTF2_CommRef otf2_no_comm = OTF2_UNDEFINED_COMM;
constexpr std::uint64_t otf2_location(std::uint32_t rank, std::uint32_t lane) {
    return std::uint64_t{lane} << 32 | rank;
}

// Attributes that only tactus writes.
enum class Otf2Attribute : OTF2_AttributeRef { calls, inside, failed, unfinished };
struct Otf2AttributeText {
    const char* name;
    const char* meaning;
};
inline constexpr std::array<Otf2AttributeText, 4> otf2_attributes = {{
    {"calls", "calls, one after the other, that this region stands for; tests and probes were unsuccessful"},
    {"inside", "time inside them, in ticks of the archive"},
    {"failed", "the call returned an error"},
    {"unfinished", "it had not ended when recording did"},
}};

class Otf2Definitions {
  public:
    explicit Otf2Definitions(const Trace& trace);

    // All numbers in later calls are those of this rank.
    void begin_rank(const RankFile& file);
    OTF2_RegionRef region(Function function);
    OTF2_RegionRef region(const Record& region); // a region of the application
    // metric() returns nullptr for a counter that the trace does not define.
    struct Metric {
        OTF2_MetricRef ref = 0;
        OTF2_Type type = OTF2_TYPE_INT64;
    };
    const Metric* metric(std::uint32_t counter);
    Metric metric(ThreadCounter counter);
    // `number` is that in records. Returns otf2_no_comm if OTF2 cannot have the communicator, because it contains
    // processes outside the run.
    [[nodiscard]] OTF2_CommRef comm(std::uint32_t number) const;
    void add_location(std::uint32_t rank, std::uint32_t lane, std::uint64_t events);

    template <class Take> void for_each_location(Take&& take) const {
        for (const Location& location : locations_) take(otf2_location(location.rank, location.lane));
    }

    [[nodiscard]] std::uint32_t ranks() const { return ranks_; } // of the run, including ranks without a file
    void write(OTF2_GlobalDefWriter* writer, Otf2Errors& errors);
    [[nodiscard]] NotSaid& not_said() { return not_said_; }

  private:
    struct Region {
        std::string name;
        OTF2_RegionRole role{};
        OTF2_Paradigm paradigm{};
        std::string file;
        std::uint32_t begin_line = 0;
        std::uint32_t end_line = 0;
    };
    struct Location {
        std::uint32_t rank = 0;
        std::uint32_t lane = 0;
        std::uint64_t events = 0;
        std::string name;
    };
    struct KnownComm {
        std::string name;
        std::vector<std::uint64_t> members;
        std::vector<std::uint64_t> remote;
        OTF2_CommRef parent = otf2_no_comm;
    };
    const Metric& metric_of(const Counter& counter);
    void find_comms();
    void add_comm(const Comm& comm, std::map<std::uint32_t, OTF2_CommRef>& numbers);
    OTF2_StringRef string(const std::string& text);
    OTF2_GroupRef group(const std::vector<std::uint64_t>& members);
    void number_strings_and_groups();
    void write_system(OTF2_GlobalDefWriter* writer, Otf2Errors& errors);
    void write_locations(OTF2_GlobalDefWriter* writer, Otf2Errors& errors);
    void write_regions(OTF2_GlobalDefWriter* writer, Otf2Errors& errors);
    void write_comms(OTF2_GlobalDefWriter* writer, Otf2Errors& errors);
    void write_groups(OTF2_GlobalDefWriter* writer, Otf2Errors& errors);
    void write_metrics(OTF2_GlobalDefWriter* writer, Otf2Errors& errors);
    void write_attributes(OTF2_GlobalDefWriter* writer, Otf2Errors& errors);

    const Trace& trace_;
    const RankFile* rank_ = nullptr;
    std::uint32_t ranks_ = 0;
    std::map<std::string, std::uint32_t> hosts_;
    std::vector<std::string> host_names_;

    std::vector<OTF2_RegionRef> of_function_;
    std::unordered_map<std::string, OTF2_RegionRef> of_symbol_;          // by name
    std::unordered_map<std::uint32_t, OTF2_RegionRef> of_symbol_number_; // by number on this rank
    std::vector<Region> regions_;
    std::unordered_map<std::string, Metric> metrics_;             // by name
    std::unordered_map<std::uint32_t, const Metric*> of_counter_; // by number on this rank
    std::vector<Counter> counters_;                               // by metric
    std::map<std::uint64_t, OTF2_CommRef> of_identity_;
    std::map<std::uint32_t, std::map<std::uint32_t, OTF2_CommRef>> of_rank_; // by rank, then number
    const std::map<std::uint32_t, OTF2_CommRef>* comms_here_ = nullptr;
    std::vector<KnownComm> comms_; // by reference; the first two are predefined
    std::vector<Location> locations_;

    std::unordered_map<std::string, OTF2_StringRef> strings_;
    std::vector<const std::string*> strings_in_order_;
    std::map<std::vector<std::uint64_t>, OTF2_GroupRef> groups_;
    std::vector<const std::vector<std::uint64_t>*> groups_in_order_;
    NotSaid not_said_;
};

} // namespace tactus

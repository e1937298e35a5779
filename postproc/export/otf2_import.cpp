#include "postproc/export/otf2_import.hpp"

#include "postproc/export/new_output.hpp"
#include "postproc/export/otf2_lane.hpp"
#include "trace/manifest.hpp"
#include "trace/rank_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

namespace tactus {
namespace {

namespace fs = std::filesystem;

// Differences between two times of a trace that are not farther from its start do not overflow (trace/time_map.hpp).
constexpr double most_years = 9;
constexpr double seconds_a_year = 365.25 * 86400;

constexpr std::size_t list_in_memory = std::size_t{64} << 20;

class Importing {
  public:
    Importing(const Otf2Archive& archive, const Otf2Run& run, const Otf2Stamps& stamps, const std::string& trace,
              ArchiveClocks clocks, Imported& out)
        : archive_{archive}, content_{archive.content()}, run_{run}, stamps_{stamps}, trace_{trace}, clocks_{clocks},
          out_{out} {}

    Outcome import() {
        std::uint64_t elsewhere = 0;
        auto markers = archive_.markers(elsewhere);
        if (!markers) return markers.error();
        markers_ = std::move(*markers);
        out_.not_said.add("markers that are of no thread", elsewhere);
        for (const ImportedRank& rank : run_.ranks())
            if (Outcome done = import_rank(rank); !done) return done;
        manifest_.losses = named_losses(std::vector<std::uint64_t>(loss_count));
        return write_manifest(trace_, manifest_);
    }

  private:
    Outcome import_rank(const ImportedRank& rank) {
        const std::string path = trace_ + "/" + rank_file_name(rank.rank);
        std::error_code failed;
        fs::create_directories(fs::path{path}.parent_path(), failed);
        const Header header = header_of(rank);
        RankWriter writer{lost_, header.job};
        if (Outcome opened = writer.open(path, header, {}); !opened) return opened;
        LaneRecords records{writer};
        Otf2Requests requests{archive_, {trace_.c_str(), list_in_memory}};
        if (Outcome read = requests.read(rank.lanes); !read) return read;
        const Otf2Run::Comms comms = run_.comms_of(rank.rank);
        Otf2RankImport import{archive_, run_, stamps_, comms, requests, records, out_.not_said};
        for (const ImportedLane& lane : rank.lanes) {
            const auto markers = markers_.find(lane.location);
            Otf2Lane otf2_lane{import, lane, markers != markers_.end() ? &markers->second : nullptr};
            if (Outcome read = otf2_lane.read(); !read) return read;
        }
        if (Outcome fits = fits_into_a_trace(rank, import); !fits) return fits;
        out_.not_said.add("stamps that had to be moved behind the one before", import.moved);
        return close(rank, header, writer, import);
    }

    [[nodiscard]] Outcome fits_into_a_trace(const ImportedRank& rank, const Otf2RankImport& import) const {
        const Ticks start = start_anchor().tick;
        const Ticks before = start - std::min(start, import.first);
        const Ticks after = std::max(start, import.last) - start;
        const double seconds =
            static_cast<double>(std::max(before, after)) / static_cast<double>(stamps_.ticks_per_second());
        if (seconds < most_years * seconds_a_year) return Done{};
        return Error{.what = "rank " + std::to_string(rank.rank) + " has events " +
                             std::to_string(static_cast<std::int64_t>(std::ceil(seconds / seconds_a_year))) +
                             " years away from the beginning of the archive's clock, which runs at " +
                             std::to_string(content_.resolution) + " ticks a second",
                     .file = archive_.path(),
                     .advice =
                         "the events of a trace lie within nine years; are the archive's clock properties right?"};
    }

    Outcome close(const ImportedRank& rank, const Header& header, RankWriter& writer, const Otf2RankImport& import) {
        Definitions closing = definitions_of(rank, header, import);
        Totals totals;
        totals.calls = import.records.calls();
        totals.records = import.records.records();
        totals.lanes = import.records.lanes();
        totals.comms = closing.comms.size();
        totals.lost.resize(loss_count);
        closing.totals.push_back(std::move(totals));
        if (!writer.close(std::move(closing)) || !import.records.good())
            return Error{.what = "cannot be written",
                         .file = trace_ + "/" + rank_file_name(rank.rank),
                         .advice = "is the disk full?"};
        if (rank.rank == 0) manifest_ = manifest_of(header);
        manifest_.calls += import.records.calls();
        manifest_.records += import.records.records();
        manifest_.bytes += writer.size();
        ++out_.ranks;
        out_.calls += import.records.calls();
        out_.records += import.records.records();
        return Done{};
    }

    [[nodiscard]] Header header_of(const ImportedRank& rank) const {
        Header header;
        header.job = std::max<std::uint64_t>(archive_.identity(), 1);
        header.rank = rank.rank;
        header.ranks = static_cast<std::uint32_t>(run_.ranks().size());
        header.host = rank.host;
        header.boot_id = "imported";
        header.program = archive_.property("TACTUS::PROGRAM");
        if (header.program.empty()) header.program = archive_.path();
        header.mpi = archive_.property("TACTUS::MPI");
        if (header.mpi.empty()) header.mpi = "OTF2 archive";
        header.tactus = "import";
        header.timer = Timer::tsc;
        header.ticks_per_stamp = stamps_.ticks_per_stamp();
        header.start = start_anchor();
        header.schema = schema();
        return header;
    }

    // The timer is the archive's clock. The anchors' times of CLOCK_MONOTONIC are computed so that it runs at its
    // nominal rate.
    [[nodiscard]] Anchor start_anchor() const {
        constexpr std::uint64_t latest = std::uint64_t{1} << 62; // later dates are none; EZTrace gives no date
        const bool dated = content_.realtime_ns < latest;
        return {stamps_.tick_of(content_.offset), 0, dated ? static_cast<std::int64_t>(content_.realtime_ns) : 0};
    }

    [[nodiscard]] Anchor end_anchor(Ticks last) const {
        const Anchor start = start_anchor();
        const std::uint64_t seconds = (std::max(last, start.tick) - start.tick) / stamps_.ticks_per_second() + 1;
        constexpr std::int64_t second = 1'000'000'000;
        const auto ns = static_cast<std::int64_t>(seconds) * second;
        return {start.tick + seconds * stamps_.ticks_per_second(), ns, start.realtime_ns + ns};
    }

    [[nodiscard]] ClockPlace clock_place(const ImportedRank& rank) const {
        if (rank.rank == 0) return {.relation = ClockRelation::reference};
        if (clocks_ == ArchiveClocks::one) return {.relation = ClockRelation::shared};
        const auto& all = run_.ranks();
        const auto first = std::find_if(
            all.begin(), all.end(), [&](const ImportedRank& imported_rank) { return imported_rank.host == rank.host; });
        if (clocks_ == ArchiveClocks::ranks || first->rank == rank.rank)
            return {.relation = ClockRelation::measured, .level = 1};
        return {.relation = ClockRelation::shared, .master = first->rank, .level = first->rank == 0 ? 0U : 1U};
    }

    [[nodiscard]] Definitions definitions_of(const ImportedRank& rank, const Header& header,
                                             const Otf2RankImport& import) const {
        Definitions all;
        all.comms = import.comms.all;
        all.anchors = {header.start, end_anchor(import.last)};
        all.clock_places = {clock_place(rank)};
        for (const std::uint32_t number : import.symbols)
            if (number > 0) all.symbols.push_back(run_.symbols()[number - 1]);
        for (const std::uint32_t number : import.counters) all.counters.push_back(run_.counters()[number - 1]);
        for (const std::uint32_t number : import.scls)
            if (number > 0) all.scls.push_back(run_.scls()[number - 1]);
        for (const ImportedLane& lane : rank.lanes) all.threads.push_back({.number = lane.lane, .name = lane.name});
        return all;
    }

    const Otf2Archive& archive_;
    const Otf2Content& content_;
    const Otf2Run& run_;
    const Otf2Stamps& stamps_;
    const std::string& trace_;
    ArchiveClocks clocks_;
    Imported& out_;
    LossCounters lost_;
    Manifest manifest_;
    std::map<std::uint64_t, std::vector<Otf2Archive::Marker>> markers_;
};

} // namespace

Result<Imported> import_otf2(const std::string& path, const std::string& trace, ArchiveClocks clocks) {
    auto archive = Otf2Archive::open(path);
    if (!archive) return archive.error();
    Imported out;
    const auto run = Otf2Run::make(*archive, out.not_said);
    if (!run) return run.error();
    const auto stamps = Otf2Stamps::find(*archive);
    if (!stamps) return stamps.error();
    auto output = NewOutput::folder(trace);
    if (!output) return output.error();
    if (const Outcome done = Importing{*archive, *run, *stamps, trace, clocks, out}.import(); !done)
        return done.error();
    output->keep();
    return out;
}

} // namespace tactus

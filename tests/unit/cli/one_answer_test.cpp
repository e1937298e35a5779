// Every command counts the same messages of a trace, and the same messages without a counterpart, by reason.
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/random_run.hpp"
#include "tests/unit/made/run_tactus.hpp"
#include "trace/words.hpp"

#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

using namespace tactus;
using nlohmann::json;

namespace {

struct Counts {
    std::uint64_t messages = 0;
    std::map<std::string, std::uint64_t> unmatched; // by reason
    bool operator==(const Counts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Counts& counts) {
    out << counts.messages << " messages";
    for (const auto& [reason, count] : counts.unmatched) out << ", " << count << " " << reason;
    return out;
}

// The keys of reasons, and their texts for people; docs/commands.md lists them.
const std::map<std::string, std::string> meanings = {
    {"outside", "to or from processes outside MPI_COMM_WORLD"},
    {"incomplete", "of ranks whose records are not complete"},
    {"not_recorded", "on channels that VT_traceoff or a filter kept out in part"},
    {"unequal", "sent or received without a counterpart"},
    {"concurrent", "of threads that sent or received at the same time"}};

json asked(const std::string& question) {
    const CommandOutcome outcome = run_tactus(question);
    INFO(question << ": " << outcome.errors);
    REQUIRE(!outcome.output.empty());
    return json::parse(outcome.output);
}

Counts counts_of(const json& messages, const json& unmatched) {
    Counts counts{.messages = messages.get<std::uint64_t>(), .unmatched = {}};
    for (const auto& [reason, count] : unmatched.items())
        if (count != 0) counts.unmatched[reason] = count.get<std::uint64_t>();
    return counts;
}

Counts by_report(const std::string& trace) {
    const json clock = asked("report --json " + trace)["clock"];
    return counts_of(clock["messages"], clock["unmatched"]);
}

Counts by_clocks(const std::string& trace) {
    const json reversed = asked("clocks --json " + trace)["reversed"];
    return counts_of(reversed["pairs"], reversed["unpaired_by_reason"]);
}

// "app.csv: not in it: 3 messages of ranks ..., without arrows; 2 messages ..."
std::map<std::string, std::uint64_t> not_said(const std::string& errors) {
    std::map<std::string, std::uint64_t> counts;
    for (const auto& [reason, meaning] : meanings) {
        const std::size_t at = errors.find(" messages " + meaning);
        if (at == std::string::npos) continue;
        const std::size_t begin = errors.find_last_of(" ", at - 1) + 1;
        counts[reason] = std::stoull(errors.substr(begin, at - begin));
    }
    return counts;
}

std::string content(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

Counts by_csv(const std::string& trace, const std::string& out) {
    const CommandOutcome outcome = run_tactus("export --csv=messages " + trace + " " + out);
    return {lines_in(content(out)).size() - 1, not_said(outcome.errors)}; // without the line of column names
}

std::uint64_t varint(const std::string& bytes, std::size_t& at) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at < bytes.size(); shift += 7) {
        const auto byte = static_cast<std::uint8_t>(bytes[at++]);
        value |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) break;
    }
    return value;
}

// Calls `take(number of the field, bytes of the field)` for each field of a protobuf message.
template <class Take> void each_field(const std::string& bytes, const Take& take) {
    for (std::size_t at = 0; at < bytes.size();) {
        const std::uint64_t key = varint(bytes, at);
        const std::size_t begin = at;
        switch (key & 7) {
        case 0:
            (void)varint(bytes, at);
            take(key >> 3, bytes.substr(begin, at - begin));
            break;
        case 1:
            take(key >> 3, bytes.substr(at, 8));
            at += 8;
            break;
        default: {
            const std::size_t size = varint(bytes, at);
            take(key >> 3, bytes.substr(at, size));
            at += size;
        }
        }
    }
}

// The arrows that begin, and end, in the format of https://perfetto.dev.
Counts by_perfetto(const std::string& trace, const std::string& out) {
    const CommandOutcome outcome = run_tactus("export --perfetto " + trace + " " + out);
    INFO(outcome.errors);
    CHECK(outcome.status == 0);
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    each_field(content(out), [&](std::uint64_t, const std::string& packet) {
        each_field(packet, [&](std::uint64_t in_packet, const std::string& event) {
            constexpr std::uint64_t track_event = 11;
            if (in_packet == track_event)
                each_field(event, [&](std::uint64_t field, const std::string&) {
                    begin += field == 47 ? 1 : 0; // flow_ids
                    end += field == 48 ? 1 : 0;   // terminating_flow_ids
                });
        });
    });
    CHECK(begin == end);
    return {end, not_said(outcome.errors)};
}

std::uint64_t by_view(const std::string& trace) {
    std::uint64_t messages = 0;
    const json timeline = asked("timeline --json --rows threads " + trace);
    for (const json& link : timeline["messages"]["all"]) messages += link["count"].get<std::uint64_t>();
    return messages;
}

// Reads the archive as another tool would: the archive is imported as a trace. It cannot have messages that belong to
// no communicator of the trace; a property of the archive has their number.
Counts by_otf2(const std::string& trace, const std::string& folder) {
    REQUIRE(run_tactus("export --otf2 " + trace + " " + folder).status == 0);
    REQUIRE(run_tactus("import --otf2 " + folder + "/traces.otf2 " + folder + ".tactus").status == 0);
    return by_clocks(folder + ".tactus");
}

// Adds odd messages, at times on each rank that are later than everything else.
class Odd {
  public:
    explicit Odd(std::vector<MadeRank>& ranks) : ranks_{ranks} {
        for (const MadeRank& rank : ranks)
            for (const MadeLane& lane : rank.lanes)
                for (const MadeRecord& made : lane.records) now_ = std::max(now_, made.record.leave - made_start);
        now_ += 1000;
    }

    void message(Function function, std::uint32_t rank, std::int32_t peer, std::int32_t tag, std::uint32_t lane = 0,
                 std::uint32_t comm = 1) {
        while (ranks_[rank].lanes.size() <= lane)
            ranks_[rank].lanes.push_back(
                {.number = static_cast<std::uint32_t>(ranks_[rank].lanes.size()), .records = {}});
        MadeRecord made = made_message(function, now_, now_ + 10, peer, tag, 8);
        made.record.what.comm = comm;
        ranks_[rank].lanes[lane].records.push_back(std::move(made));
        now_ += 20;
    }

    // Sends of this rank to the peer that were not recorded.
    void not_recorded(std::uint32_t rank, std::int32_t peer) {
        MadeRecord made = made_call(Function{}, now_, now_ + 10);
        made.record.what.kind = Kind::loss;
        made.record.what.type = static_cast<std::uint32_t>(Loss::switched_off);
        made.words.resize(NotRecorded::words);
        NotRecorded{.comm = 1, .peer = peer, .direction = Direction::sent, .count = 1}.put(made.words.data());
        ranks_[rank].lanes[0].records.push_back(std::move(made));
        now_ += 20;
    }

  private:
    std::vector<MadeRank>& ranks_;
    Ticks now_ = 0;
};

} // namespace

TEST_CASE("every command counts the same messages", "[otf2]") {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        RandomRun run = random_run(seed, 1e4);
        Odd odd{run.ranks};
        odd.message(Function::Send, 0, 0, 91); // to itself
        odd.message(Function::Recv, 0, 0, 91);
        odd.message(Function::Send, 0, 0, 91, 1); // from its other thread, in the same channel
        odd.message(Function::Recv, 0, 0, 91);
        odd.message(Function::Send, 1, 1, 96); // to itself, in the same thread
        odd.message(Function::Recv, 1, 1, 96);
        odd.message(Function::Send, 1, 0, 92);        // never received
        odd.message(Function::Recv, 1, 0, 93);        // never sent
        odd.message(Function::Send, 1, 0, 94, 0, 77); // in an unknown communicator
        for (const std::uint32_t lane : {0U, 1U}) {   // from two threads
            odd.message(Function::Send, 0, 1, 95, lane);
            odd.message(Function::Recv, 1, 0, 95);
        }
        const bool says_all = seed % 3 == 0; // whether an archive can tell all of it
        if (seed % 3 == 1) odd.not_recorded(1, 0);
        if (seed % 3 == 2)
            run.ranks[1].definitions.totals[0].lost[static_cast<std::size_t>(Loss::block_not_written)] = 9;
        const TestFolder folder;
        const std::string trace = (folder.path() / "app.tactus").string();
        write_trace(trace, run.ranks);
        REQUIRE(run_tactus("finish " + trace).status == 0);
        const Counts counts = by_clocks(trace);
        INFO("seed " << seed << ": " << counts);
        CHECK(counts.unmatched.contains("outside"));
        CHECK(counts.unmatched.contains("concurrent"));
        CHECK(counts.unmatched.size() >= 3);
        CHECK(by_report(trace) == counts);
        CHECK(by_csv(trace, (folder.path() / "app.csv").string()) == counts);
        CHECK(by_perfetto(trace, (folder.path() / "app.perfetto").string()) == counts);
        CHECK(by_view(trace) == counts.messages);
        if (!says_all) continue;
        Counts of_archive = counts;
        of_archive.unmatched.erase("outside");
        const std::string archive = (folder.path() / "archive").string();
        CHECK(by_otf2(trace, archive) == of_archive);
        CHECK(content(archive + "/traces.otf2").find("TACTUS::UNMATCHED::OUTSIDE") != std::string::npos);
    }
}

// A trace of a program that really ran: the tutorial's sample.
TEST_CASE("every command counts the messages of the tutorial's trace", "[otf2]") {
    const TestFolder folder;
    const std::string trace = (folder.path() / "heat.tactus").string();
    std::filesystem::copy(std::filesystem::path{TACTUS_SOURCE} / "docs/tutorial/heat.tactus", trace,
                          std::filesystem::copy_options::recursive);
    const Counts all{.messages = 120, .unmatched = {}};
    CHECK(by_clocks(trace) == all);
    CHECK(by_report(trace) == all);
    CHECK(by_csv(trace, (folder.path() / "app.csv").string()) == all);
    CHECK(by_perfetto(trace, (folder.path() / "app.perfetto").string()) == all);
    CHECK(by_view(trace) == all.messages);
    CHECK(by_otf2(trace, (folder.path() / "archive").string()) == all);
}

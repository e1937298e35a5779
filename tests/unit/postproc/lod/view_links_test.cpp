// Compares the messages, waits and collectives of pictures with what the simulation knows: for each pair of slots, all
// that begin in the first and end in the second.
#include "clocksync/trace_clocks.hpp"
#include "postproc/finish/store.hpp"
#include "postproc/replay/wire.hpp"
#include "postproc/view/view.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/random_run.hpp"
#include "tests/unit/made/run_tactus.hpp"
#include "tests/unit/postproc/lod/known_links.hpp"
#include "tests/unit/postproc/lod/links_by_rule.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

namespace tactus {
namespace {

ViewRequest random_request(std::mt19937_64& random, const TimeLine& time_line) {
    const auto below = [&](GlobalTime end) {
        return static_cast<GlobalTime>(random() % static_cast<std::uint64_t>(end));
    };
    const GlobalTime all = time_line.end() - time_line.begin();
    ViewRequest request;
    request.from = time_line.begin() - all / 8 + below(all);
    request.to = request.from + 1 + below(std::max<GlobalTime>(2, all >> below(10)));
    request.pixels = 1 + static_cast<std::uint32_t>(below(200));
    request.rows.resize(1 + static_cast<std::size_t>(below(8)));
    for (std::size_t line = 0; line < time_line.lines().size(); ++line)
        if (below(5) > 0)
            request.rows[static_cast<std::size_t>(below(static_cast<GlobalTime>(request.rows.size())))].lines.push_back(
                line);
    request.most_links = 1 + static_cast<std::size_t>(below(GlobalTime{1} << below(12)));
    return request;
}

// The sums that a picture must have in slots of that width.
std::vector<LinkSum> expected(const KnownLinks& known, LinkKind kind, const ViewRequest& request, const View& view,
                              const TimeLine& time_line, unsigned width_bits) {
    std::map<std::uint64_t, std::size_t> row_of;
    for (std::size_t row = 0; row < request.rows.size(); ++row)
        for (const std::size_t line : request.rows[row].lines)
            row_of.emplace(time_line.rank_of(time_line.lines()[line]), row);
    const std::int64_t first = view.from() >> width_bits;
    const std::int64_t last = (view.to() - 1) >> width_bits;
    Links shown;
    for (Link link : known.of(kind)) {
        const std::int64_t begin = std::min(link.from, link.to) >> width_bits;
        const std::int64_t end = std::max(link.from, link.to) >> width_bits;
        if (begin > last || end < first) continue;
        if (kind != LinkKind::collective) {
            if (!row_of.contains(link.source)) continue;
            link.source = row_of[link.source];
        }
        if (kind == LinkKind::message) {
            if (!row_of.contains(link.target)) continue;
            link.target = row_of[link.target];
        }
        shown.push_back(link);
    }
    if (kind != LinkKind::collective) return by_rule(shown, kind, width_bits);
    // One sum for all collectives that begin in the same slot.
    std::vector<LinkSum> sums;
    for (Link& link : shown) link.target = 0;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        LinkSum sum = sum_of_one(shown[i], width_bits);
        sum.to_slot = sum.from_slot;
        sums.push_back(sum);
    }
    std::sort(sums.begin(), sums.end(), [](const LinkSum& a, const LinkSum& b) { return a.key() < b.key(); });
    std::vector<LinkSum> added;
    for (const LinkSum& part : sums) {
        if (added.empty() || added.back().key() != part.key()) {
            added.push_back(part);
            continue;
        }
        LinkSum& sum = added.back();
        ++sum.count;
        sum.amount += part.amount;
        sum.from = std::min(sum.from, part.from);
        sum.to = std::max(sum.to, part.to);
        if (sum.about != part.about) sum.about.reset();
        if (sum.what != part.what) sum.what.reset();
    }
    return added;
}

// Sends do not wait in the simulation, and it does not know the kinds of other waits.
std::vector<LinkSum> without_kinds(const std::vector<LinkSum>& sums) {
    LinkMap some{LinkKind::wait};
    for (LinkSum sum : sums) {
        if (sum.target == static_cast<std::uint64_t>(WaitKind::late_receiver)) continue;
        sum.target = 0;
        some.add(sum);
    }
    return some.take();
}

std::size_t compare(const RandomRun& run, const Trace& trace, std::uint64_t seed) {
    const KnownLinks known{trace, run};
    const FunctionNames names{trace};
    const TimeLine time_line{trace};
    std::mt19937_64 random{seed};
    std::size_t compared = 0;
    for (int query = 0; query < 6; ++query) {
        const ViewRequest request = random_request(random, time_line);
        const View got = view(time_line, names, request, 1 + static_cast<unsigned>(query % 3));
        for (const LinkKind kind : {LinkKind::message, LinkKind::wait, LinkKind::collective}) {
            INFO("seed " << seed << " query " << query << " kind " << static_cast<int>(kind));
            LinksShown shown = got.links[static_cast<std::size_t>(kind)];
            CHECK(shown.width_bits >= got.width_bits);
            // Narrower slots would be too many.
            const auto at_width = [&](unsigned width_bits) {
                return expected(known, kind, request, got, time_line, width_bits);
            };
            if (kind != LinkKind::wait && shown.width_bits > got.width_bits)
                CHECK(at_width(shown.width_bits - 1).size() > request.most_links);
            if (kind == LinkKind::collective)
                for (LinkSum& sum : shown.sums) sum.amount = 0;
            if (kind == LinkKind::wait) shown.sums = without_kinds(shown.sums);
            REQUIRE(text_of(shown.sums) == text_of(at_width(shown.width_bits)));
            compared += shown.sums.size();
        }
    }
    CHECK(time_line.problems().empty());
    return compared;
}

void finish_it(const std::string& path) {
    const auto trace = Trace::open(path);
    REQUIRE(trace);
    LonelyWire wire;
    const Finished finished = finish(*trace, wire, {}, [](const char*) {});
    REQUIRE(finished.done);
    for (std::size_t i = 0; i < trace->ranks.size(); ++i)
        REQUIRE(append_to(trace->ranks[i], index_for(trace->ranks[i], finished, i).blocks,
                          news_for(trace->ranks[i], finished, i, i == 0).value_or(Definitions{})));
}

struct Written {
    TestFolder folder;
    std::string path{(folder.path() / "app.tactus").string()};
    RandomRun run;
    Written(std::uint64_t seed, double wrong_ns, std::uint32_t times_longer = 1)
        : run{random_run(seed, wrong_ns, times_longer)} {
        write_trace(path, run.ranks);
    }
    [[nodiscard]] Trace open(Fit fit = {}) const {
        auto trace = Trace::open(path);
        REQUIRE(trace);
        put_on_one_clock(*trace, fit == Fit{} ? std::nullopt : std::optional{fit});
        return std::move(*trace);
    }
    [[nodiscard]] bool has_cache() const { return std::filesystem::exists(path + "/cache"); }
};

} // namespace

TEST_CASE("a view has the messages, waits and collectives of its slots", "[lod]") {
    std::size_t compared = 0;
    for (std::uint64_t seed = 1; seed <= seeds(90); ++seed) {
        const Written made{seed, seed % 2 == 0 ? 0 : 3000.0};
        finish_it(made.path);
        compared += compare(made.run, made.open(), seed);
        CHECK(!made.has_cache());
    }
    CHECK(compared > 50 * seeds(90));
}

TEST_CASE("by other clocks messages are found when they are asked for first", "[lod]") {
    for (std::uint64_t seed = 100; seed < 100 + seeds(10); ++seed) {
        const Written made{seed, 3000};
        compare(made.run, made.open(), seed);
        CHECK(made.has_cache());
        finish_it(made.path);
        std::filesystem::remove_all(made.path + "/cache");
        for (int again = 0; again < 2; ++again) compare(made.run, made.open(Fit::raw), seed);
        CHECK(made.has_cache());
    }
    const Written nowhere{120, 3000};
    std::ofstream{nowhere.path + "/cache"} << "no folder";
    compare(nowhere.run, nowhere.open(), 120);
}

TEST_CASE("single messages of long runs are gathered when a window is narrow", "[lod][large]") {
    std::size_t narrower = 0;
    for (std::uint64_t seed = 200; seed < 206; ++seed) {
        const Written made{seed, seed % 2 == 0 ? 0 : 3000.0, 60};
        finish_it(made.path);
        const Trace trace = made.open();
        const FunctionNames names{trace};
        const TimeLine time_line{trace};
        ViewRequest request{
            .from = time_line.begin(), .to = time_line.end(), .pixels = 1024, .rows = {}, .most_links = SIZE_MAX};
        request.from += (request.to - request.from) / 2;
        request.to = request.from + (request.to - request.from) / 2000;
        for (std::size_t line = 0; line < time_line.lines().size(); ++line) request.rows.push_back({"", {line}});
        request.gather_links = false;
        const View wide = view(time_line, names, request);
        CHECK(!made.has_cache());
        request.gather_links = true;
        const View narrow = view(time_line, names, request);
        CHECK(narrow.links[0].width_bits == narrow.width_bits);
        if (wide.links[0].width_bits > wide.width_bits) {
            ++narrower;
            CHECK(made.has_cache());
            CHECK(narrow.links[0].sums.size() > wide.links[0].sums.size());
        }
        for (int again = 0; again < 2; ++again) compare(made.run, made.open(), seed);
    }
    CHECK(narrower >= 3);
    const Written nowhere{210, 3000, 60};
    finish_it(nowhere.path);
    std::ofstream{nowhere.path + "/cache"} << "no folder";
    compare(nowhere.run, nowhere.open(), 210);
}

// Every rank sends to every rank at once, again and again. Then this happens twice with a quiet time in between. Of the
// slots that are kept, a few contain both bursts, and a wider slot may have both in one sum.
TEST_CASE("what a quiet window shows depends neither on what is beside it nor on what is gathered", "[lod][large]") {
    constexpr std::uint32_t members = 24;
    std::vector<Ticks> bursts;
    for (Ticks i = 1; i <= 100; ++i) bursts.push_back(100'000 * i);
    std::vector<std::pair<Ticks, Ticks>> quiet;
    for (Ticks i = 1; i <= 24; ++i) {
        const Ticks begin = 41'234'567 * i;
        quiet.emplace_back(begin + 50'000, begin + 500'000 * i);
        bursts.insert(bursts.end(), {begin, quiet.back().second + 50'000});
    }
    std::vector<MadeRank> ranks = made_ranks(members);
    for (std::uint32_t rank = 0; rank < members; ++rank) {
        MadeLane& lane = ranks[rank].lanes.emplace_back();
        for (const Ticks burst : bursts)
            for (const bool receives : {false, true})
                for (std::uint32_t step = 1; step < members; ++step) {
                    const Ticks at = burst + (receives ? 1000 : 0) + 10 * step;
                    const auto peer = static_cast<std::int32_t>((rank + (receives ? members - step : step)) % members);
                    lane.records.push_back(
                        made_message(receives ? Function::Recv : Function::Send, at, at + 5, peer, 1, 8));
                    lane.records.back().record.what.comm = 1;
                }
    }
    const TestFolder folder;
    const std::string path = (folder.path() / "app.tactus").string();
    write_trace(path, ranks);
    finish_it(path);
    const auto trace = Trace::open(path);
    REQUIRE(trace);
    const FunctionNames names{*trace};
    for (const auto& [begin, end] : quiet) {
        const ProcessClock& clock = trace->ranks.front().clock();
        ViewRequest request{.from = clock.at(made_start + begin),
                            .to = clock.at(made_start + end),
                            .pixels = 1000,
                            .rows = {},
                            .most_links = 800};
        std::filesystem::remove_all(path + "/cache");
        const TimeLine time_line{*trace};
        for (std::size_t line = 0; line < time_line.lines().size(); ++line) request.rows.push_back({"", {line}});
        const LinksShown asked_first = view(time_line, names, request).links[0];
        CHECK(asked_first.sums.empty());
        request.to += (request.to - request.from) / 8; // includes what follows, which fits into some slots
        std::filesystem::remove_all(path + "/cache");
        const TimeLine fresh{*trace};
        const LinksShown before = view(fresh, names, request).links[0];
        fresh.links().gather_all();
        const LinksShown behind = view(fresh, names, request).links[0];
        CHECK(before.width_bits == behind.width_bits);
        CHECK(before.sums == behind.sums);
    }
}

TEST_CASE("tactus timeline says for programs who sent, waited and met", "[lod]") {
    const Written made{7, 0};
    finish_it(made.path);
    const CommandOutcome done = run_tactus("timeline " + made.path + " --json --pixels 64");
    REQUIRE(done.status == 0);
    const auto json = nlohmann::json::parse(done.output);
    const KnownLinks known{made.open(), made.run};
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    for (const auto& message : json["messages"]["all"]) {
        messages += message["count"].get<std::uint64_t>();
        bytes += message["bytes"].get<std::uint64_t>();
        CHECK(message["communicator"] == "MPI_COMM_WORLD");
        CHECK(message["received_s"] > message["sent_s"]);
        CHECK(message["from_row"] < json["rows"].size());
    }
    CHECK(messages == known.of(LinkKind::message).size());
    CHECK(bytes == 5000 * messages);
    std::uint64_t collectives = 0;
    for (const auto& collective : json["collectives"]["all"]) collectives += collective["count"].get<std::uint64_t>();
    CHECK(collectives == known.of(LinkKind::collective).size());
    double waited = 0;
    for (const auto& wait : json["waits"]["all"])
        if (wait["kind"] != "late_receiver") waited += wait["waited_s"].get<double>();
    double expected_s = 0;
    for (const Link& wait : known.of(LinkKind::wait)) expected_s += 1e-9 * to_ns(static_cast<GlobalTime>(wait.amount));
    CHECK(waited == Approx(expected_s));
    CHECK(json["messages"]["slot_s"] >= json["slot_s"]);
    const auto none = nlohmann::json::parse(run_tactus("timeline " + made.path + " --json --messages 0").output);
    CHECK(!none.contains("messages"));
}

TEST_CASE("messages are between threads", "[lod]") {
    // Thread 1 of rank 0 sends, and thread 0 of rank 1 receives: the rows of threads show it.
    std::vector<MadeRank> ranks = made_ranks(2);
    for (MadeRank& rank : ranks) {
        rank.lanes.resize(2);
        rank.definitions.comms.front().name = "Zell\xe4"; // not valid UTF-8
        for (std::uint32_t lane = 0; lane < 2; ++lane) rank.lanes[lane].number = lane;
    }
    const auto add = [&](std::uint32_t rank, std::uint32_t lane, MadeRecord record) {
        record.record.what.comm = 1;
        ranks[rank].lanes[lane].records.push_back(std::move(record));
    };
    for (std::uint32_t rank = 0; rank < 2; ++rank)
        for (std::uint32_t lane = 0; lane < 2; ++lane) add(rank, lane, made_call(Function::Comm_rank, 10, 20 + lane));
    add(0, 1, made_message(Function::Send, 1000, 1100, 1, 7, 48));
    add(1, 0, made_message(Function::Recv, 500, 2000, 0, 7, 48));
    const TestFolder folder;
    const std::string path = (folder.path() / "app.tactus").string();
    write_trace(path, ranks);
    finish_it(path);
    const auto json = nlohmann::json::parse(run_tactus("timeline " + path + " --json --rows threads").output);
    REQUIRE(json["messages"]["all"].size() == 1);
    const auto& message = json["messages"]["all"][0];
    CHECK(json["rows"][message["from_row"].get<std::size_t>()]["name"] == "rank 0 thread 1");
    CHECK(json["rows"][message["to_row"].get<std::size_t>()]["name"] == "rank 1");
    CHECK(message["communicator"].get<std::string>().starts_with("Zell"));
    CHECK(message["bytes"] == 48);
    CHECK(message["tag"] == 7);
    REQUIRE(json["waits"]["all"].size() == 1);
    const auto& wait = json["waits"]["all"][0];
    CHECK(json["rows"][wait["row"].get<std::size_t>()]["name"] == "rank 1");
    CHECK(wait["kind"] == "late_sender");
    CHECK(wait["for_rank"] == 0);
    CHECK(wait["function"] == "MPI_Recv");
    CHECK(wait["waited_s"].get<double>() == Approx(500e-9));
}

} // namespace tactus

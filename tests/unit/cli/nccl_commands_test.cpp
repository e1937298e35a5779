// NCCL's operations as the commands report and dump show them.
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/made_nccl.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

using namespace tactus;
using nlohmann::json;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Two ranks. The second is 500 us late to a large AllReduce. Of a second, small AllReduce little is known.
std::string late_rank(const TestFolder& folder, bool measured = true) {
    std::vector<MadeRank> ranks = made_nccl_ranks(2, measured);
    for (std::uint32_t i = 0; i < 2; ++i) {
        const Ticks late = i * Ticks{500'000};
        ranks[i].lanes = {
            {.number = 2,
             .records = {made_nccl({.sequence = 0, .start = 100'000 + late, .end = 1'100'000, .bytes = 1 << 20}),
                         made_nccl({.sequence = 1,
                                    .start = 1'200'000,
                                    .end = 1'200'100,
                                    .bytes = 1024,
                                    .span = NcclSpan::enqueue_only,
                                    .flags = 0})}}};
    }
    const std::string path = (folder.path() / "app.tactus").string();
    write_trace(path, ranks);
    return path;
}

} // namespace

TEST_CASE("a report tells of NCCL what is known", "[nccl]") {
    const TestFolder folder;
    const std::string path = late_rank(folder);
    const CommandOutcome text = run_tactus("report " + path);
    CHECK(text.status == 0);
    CHECK(has(text.output, "NCCL operations"));
    CHECK(has(text.output, "full 2, partial 0, proxy 0, enqueue-only 2"));
    CHECK(has(text.output, "4 of 4 matched across ranks, in 2 operations, 0 of them with a rank missing"));
    CHECK(has(text.output,
              "times of the GPUs are right within 0.010 us on their rank, the ranks' clocks within 0.005 us"));

    const json report = json::parse(run_tactus("report --json " + path).output);
    const json& nccl = report.at("nccl");
    CHECK(nccl.at("late")[0].at("rank") == 1);
    CHECK(nccl.at("late")[0].at("caused_s").get<double>() == Approx(500e-6));
    CHECK(nccl.at("waits")[0].at("rank") == 0);
    CHECK(nccl.at("waits")[0].at("causer") == 1);
    CHECK(nccl.at("operations")[0].at("least_bytes") == 1024);
    CHECK(nccl.at("operations")[0].at("with_waits").at("algbw_gbs").is_null());
    CHECK(nccl.at("operations")[1].at("from_last_arrival").at("busbw_gbs").get<double>() ==
          Approx((1 << 20) / 500'000.0));

    const std::string page = (folder.path() / "report.html").string();
    CHECK(run_tactus("report --html=" + page + " " + path).status == 0);
    std::ifstream file{page};
    const std::string html{std::istreambuf_iterator<char>{file}, {}};
    CHECK(has(html, "<h2>NCCL operations</h2>"));
    CHECK(has(html, "<h2>NCCL: who came last</h2>"));
}

TEST_CASE("who came last is not for certain by clocks that were never compared", "[nccl]") {
    const TestFolder folder;
    const std::string path = late_rank(folder, false);
    CHECK(has(run_tactus("report " + path).output, "the ranks' clocks were never compared"));
    const json nccl = json::parse(run_tactus("report --json " + path).output).at("nccl");
    CHECK(nccl.at("late")[0].at("certain") == 0);
    CHECK(nccl.at("clock_within_ns").is_null());
    CHECK(nccl.at("operations")[1].at("from_last_arrival").at("busbw_gbs").is_null());
}

TEST_CASE("NCCL's lanes change nothing else that a report says", "[nccl]") {
    const auto reported = [](bool nccl) {
        const TestFolder folder;
        const std::string path = (folder.path() / "app.tactus").string();
        auto ranks = made_ranks(2);
        for (std::uint32_t i = 0; i < 2; ++i) {
            const Ticks late = i * Ticks{200'000};
            ranks[i].lanes = {{.number = 1,
                               .records = {made_call(Function::Init, 1000, 2000),
                                           made_message(Function::Barrier, 100'000 + late, 400'000, peer::none, 0, 0),
                                           made_call(Function::Finalize, 500'000, 600'000)}}};
            if (!nccl) continue;
            ranks[i].definitions.symbols = made_nccl_ranks(2)[i].definitions.symbols;
            ranks[i].definitions.nccl_comms = made_nccl_ranks(2)[i].definitions.nccl_comms;
            const std::vector<MadeRecord> records = {made_nccl({.start = 3000, .end = 900'000})};
            ranks[i].lanes.insert(ranks[i].lanes.begin(), {.number = 0, .records = records});
            ranks[i].lanes.push_back({.number = 2, .records = records});
        }
        write_trace(path, ranks);
        CHECK(run_tactus("finish " + path).status == 0);
        json all = json::parse(run_tactus("report --json --latency 0us " + path).output);
        CHECK(all.contains("nccl") == nccl);
        all.erase("nccl");
        all.erase("trace");
        return all;
    };
    const json with = reported(true);
    const json without = reported(false);
    CHECK(with.at("ranks")[0].at("threads") == 1);
    CHECK(!with.at("efficiency").is_null());
    CHECK(with.at("waited_s").get<double>() > 0);
    for (const auto& [key, value] : without.items()) {
        INFO(key);
        CHECK(with.at(key) == value);
    }
}

TEST_CASE("without NCCL a report says nothing of it", "[nccl]") {
    const TestFolder folder;
    const std::string path = (folder.path() / "app.tactus").string();
    auto ranks = made_ranks(2);
    ranks[0].lanes = {{.records = {made_call(Function::Barrier, 1000, 2000)}}};
    write_trace(path, ranks);
    CHECK(!has(run_tactus("report " + path).output, "NCCL"));
    CHECK(!json::parse(run_tactus("report --json " + path).output).contains("nccl"));
}

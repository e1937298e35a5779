// Runs of a month and of twenty years at 3 GHz. A double cannot hold their ticks exactly, but no tick may be lost.
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/hostile_file.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

using namespace tactus;

namespace {

constexpr Ticks per_second = 3'000'000'000;
constexpr Ticks day = 86'400 * per_second;

// One call of a second at the start, and one at `end`, where there also is an anchor.
std::string written(const TestFolder& folder, Ticks end, Ticks start = 1'000'000'000) {
    Header header = made_ranks(1).front().header;
    header.start.tick = start;
    HostileFile file{header};
    for (std::uint64_t i = 0; i < 2; ++i) { // one block each
        Record record;
        record.enter = start + i * end;
        record.leave = record.enter + per_second;
        record.what.function = Function::Barrier;
        record.what.comm = 1;
        file.add_records({record}, 0, i);
    }
    Definitions later;
    const auto ns = static_cast<std::int64_t>(end / 3);
    later.anchors = {{start + end, header.start.monotonic_ns + ns, header.start.realtime_ns + ns}};
    later.comms = made_ranks(1).front().definitions.comms;
    later.totals = {Totals{}};
    file.add_definitions(later);
    file.close_index();
    return file.write(folder.path());
}

nlohmann::json json_of(const std::string& command, const std::string& trace) {
    const CommandOutcome outcome = run_tactus(command + " --json " + trace);
    INFO(outcome.errors);
    CHECK(outcome.status == 0);
    return nlohmann::json::parse(outcome.output);
}

} // namespace

TEST_CASE("records 31 days and 20 years apart") {
    // The machine was just started, or its counter is about to turn negative or to wrap.
    for (const Ticks start : {Ticks{1'000'000'000}, (Ticks{1} << 63) - day, ~Ticks{0} - 40 * day}) {
        for (const Ticks days : {Ticks{31}, Ticks{20 * 365}}) {
            if (start + days * day < start) continue; // no known clock wraps within a run
            const TestFolder folder;
            const std::string trace = written(folder, days * day, start);
            INFO("from tick " << start << ", " << days << " days");
            const auto file = RankFile::open(trace + "/ranks/000/rank-000000.trace");
            REQUIRE(file);
            REQUIRE(file->blocks().size() == 2);
            const auto last = file->read(file->blocks()[1]);
            REQUIRE(last);
            CHECK(last->records[0].enter == start + days * day); // exactly this tick
            CHECK(last->records[0].leave == start + days * day + per_second);

            const double wall = static_cast<double>(days) * 86'400 + 1;
            CHECK(json_of("info", trace)["wall_s"].get<double>() == Approx(wall).epsilon(1e-12));
            const auto report = json_of("report", trace);
            CHECK(report["wall_s"].get<double>() == Approx(wall).epsilon(1e-12));
            CHECK(report["mpi_s"].get<double>() == Approx(2).epsilon(1e-9));
            CHECK(report["functions"][0]["max_s"].get<double>() == Approx(1).epsilon(1e-9));

            const std::string seconds = std::to_string(days * 86'400);
            const auto lines = lines_in(run_tactus("dump " + trace).output);
            REQUIRE(lines.size() == 2);
            CHECK(lines[0].rfind("0.000000000 ", 0) == 0);
            CHECK(lines[1].rfind(seconds + ".000000", 0) == 0); // a double is less exact after twenty years
            const auto part = [&](const std::string& window) {
                return lines_in(run_tactus("dump " + window + " " + trace).output);
            };
            CHECK(part("--from 2") == std::vector{lines[1]});
            CHECK(part("--to " + std::to_string(days * 86'400 - 1)) == std::vector{lines[0]});
            CHECK(part("--from 2 --to " + std::to_string(days * 86'400 - 1)).empty());
            CHECK(part("--from " + std::to_string(days * 86'400 + 2)).empty());
        }
    }
}

TEST_CASE("one block whose records lie twenty years apart") {
    std::vector<Record> records;
    for (Ticks i = 0; i < 20; ++i) {
        Record record;
        record.enter = 5 + i * 365 * day;
        record.leave = record.enter + (i % 2 == 0 ? 1 : 300 * day);
        record.what.function = Function::Barrier;
        records.push_back(record);
    }
    BlockEncoder encoder{records.size()};
    Bytes block(encoder.most_bytes());
    encoder.encode(records, {}, block.data());
    BlockHeader header;
    std::memcpy(static_cast<void*>(&header), block.data(), sizeof header);
    const auto content = unpack_block(header, {block.data() + sizeof header, header.stored_size});
    REQUIRE(content);
    const auto back = decode_records(header, *content);
    REQUIRE(back);
    REQUIRE(back->records.size() == records.size());
    CHECK(header.last == records.back().leave);
    for (std::size_t i = 0; i < records.size(); ++i) {
        CHECK(back->records[i].enter == records[i].enter);
        CHECK(back->records[i].leave == records[i].leave);
    }
}

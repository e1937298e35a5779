// Exports and imports without MPI: the order of steps for any blocks, random runs exported and imported again, bytes of
// collectives, and the encodings.
#include "postproc/export/collective_block.hpp"
#include "postproc/export/otf2_export.hpp"
#include "postproc/export/otf2_import.hpp"
#include "postproc/export/protobuf.hpp"
#include "postproc/export/steps.hpp"
#include "postproc/profile/moved.hpp"
#include "postproc/profile/profile.hpp"
#include "postproc/replay/messages.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/random_run.hpp"
#include "tests/unit/made/run_tactus.hpp"
#include "trace/sample.hpp"
#include "trace/shapes.hpp"

#include <fstream>
#include <random>

using namespace tactus;

namespace {

Trace opened(const std::filesystem::path& path) {
    auto trace = Trace::open(path.string());
    if (!trace) throw std::runtime_error{trace.error().line()};
    return std::move(*trace);
}

std::string read(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

// Nested regions and calls in the order in which their records are stored; `expected` has their beginnings and ends in
// the order of time.
struct Nested {
    std::vector<MadeRecord> records;
    std::vector<std::string> expected;
};

class Nesting {
  public:
    explicit Nesting(std::uint64_t seed) : random_{seed} {}

    Nested make() {
        for (int i = 0; i < 20; ++i) span(0);
        return std::move(made_);
    }

  private:
    void span(int depth) {
        const bool region = depth < 6 && random_() % 3 != 0;
        const std::uint32_t number = next_++;
        MadeRecord made = made_call(Function::Barrier, now_ += 1 + random_() % 3, 0);
        made.record.what.bytes = number;
        if (region) made.record.what.kind = Kind::region;
        made_.expected.push_back("+" + std::to_string(number));
        for (std::uint64_t i = random_() % 4; region && i > 0; --i) span(depth + 1);
        made.record.leave = made_start + (now_ += 1 + random_() % 3);
        made_.expected.push_back("-" + std::to_string(number));
        made_.records.push_back(made);
    }

    std::mt19937_64 random_;
    Ticks now_ = 100;
    std::uint32_t next_ = 0;
    Nested made_;
};

std::vector<std::string> steps_of(const Trace& trace) {
    std::vector<std::string> steps;
    std::vector<Error> unreadable;
    std::uint64_t last = 0;
    const StepClock clock{begin_of(trace), nullptr};
    for_each_step(
        trace.ranks[0], clock,
        [&](const ExportStep& step) {
            CHECK(step.time >= last);
            last = step.time;
            if (step.kind != StepKind::instant)
                steps.push_back((step.kind == StepKind::enter ? "+" : "-") + std::to_string(step.record->what.bytes));
        },
        unreadable);
    CHECK(unreadable.empty());
    return steps;
}

} // namespace

TEST_CASE("steps come in their order whatever the blocks are") {
    for (std::uint64_t seed = 1; seed <= seeds(20); ++seed) {
        const Nested nested = Nesting{seed}.make();
        for (const std::size_t records_a_block : {1, 2, 3, 7, 1000}) {
            auto ranks = made_ranks(1);
            ranks[0].definitions.symbols = {{.number = 1, .name = "any"}};
            ranks[0].lanes = {{.records = nested.records, .records_a_block = records_a_block}};
            const TestFolder folder;
            write_trace(folder.path() / "app.tactus", ranks);
            REQUIRE(steps_of(opened(folder.path() / "app.tactus")) == nested.expected);
        }
    }
}

TEST_CASE("random runs are the same archive when they come back from one", "[otf2]") {
    for (std::uint64_t seed = 1; seed <= seeds(25); ++seed) {
        const RandomRun run = random_run(seed, seed % 2 == 0 ? 0 : 1e5);
        const TestFolder folder;
        write_trace(folder.path() / "app.tactus", run.ranks);
        const Trace trace = opened(folder.path() / "app.tactus");
        const std::string first = (folder.path() / "first").string();
        const std::string second = (folder.path() / "second").string();
        const auto exported = export_otf2(trace, StepClock{begin_of(trace), nullptr}, first);
        REQUIRE(exported);
        CHECK(exported->unreadable.empty());
        const auto imported = import_otf2(first, (folder.path() / "back.tactus").string(), ArchiveClocks::ranks);
        REQUIRE(imported);
        const Trace back = opened(folder.path() / "back.tactus");
        CHECK(back.problems.empty());
        const auto again = export_otf2(back, StepClock{begin_of(back), nullptr}, second);
        REQUIRE(again);
        CHECK(again->events == exported->events);
        for (const auto& file : std::filesystem::directory_iterator{folder.path() / "first" / "traces"})
            if (file.path().extension() == ".evt")
                CHECK(read(file.path()) == read(folder.path() / "second" / "traces" / file.path().filename()));
        CHECK(read(folder.path() / "first" / "traces.def") == read(folder.path() / "second" / "traces.def"));
        const Profile ours = make_profile(trace);
        const Profile theirs = make_profile(back);
        CHECK(ours.all.calls == theirs.all.calls);
        CHECK(ours.all.sent_bytes == theirs.all.sent_bytes);
        CHECK(ours.all.received_bytes == theirs.all.received_bytes);
        CHECK(for_each_message(trace, [](const Message&) {}).matched ==
              for_each_message(back, [](const Message&) {}).matched);
    }
}

TEST_CASE("what the operating system counted is in an archive, and comes back", "[otf2]") {
    constexpr Ticks ms = 1'000'000;
    auto ranks = made_ranks(1);
    ranks[0].lanes = {
        {.records = {made_call(Function::Init, 0, 1 * ms),
                     made_stretch(101 * ms, {.length = 100 * ms, .ran_ns = 80 * ms, .minor_faults = 50}),
                     made_call(Function::Wtime, 101 * ms + 10, 102 * ms),
                     // The system is asked here. Of 120 ms off a core, in 200 ms, 60 were without one.
                     made_stretch(201 * ms, {.length = 100 * ms, .ran_ns = 0, .waited_ns = 60 * ms}),
                     made_stretch(301 * ms, {.length = 100 * ms, .ran_ns = 90 * ms}),
                     made_stretch(401 * ms, {.length = 100 * ms, .ran_ns = 50 * ms, .waited_ns = 900 * ms})}}};
    const TestFolder folder;
    write_trace(folder.path() / "app.tactus", ranks);
    const Trace trace = opened(folder.path() / "app.tactus");
    const std::string first = (folder.path() / "first").string();
    const std::string second = (folder.path() / "second").string();
    const auto exported = export_otf2(trace, StepClock{begin_of(trace), nullptr}, first);
    REQUIRE(exported);
    CHECK(exported->events == 4 + 10);
    CHECK(exported->not_said.line() == "");
    REQUIRE(import_otf2(first, (folder.path() / "back.tactus").string(), ArchiveClocks::ranks));
    const Trace back = opened(folder.path() / "back.tactus");
    std::vector<std::string> values;
    const auto take = [&](std::uint32_t, const Record& record, Words) {
        if (record.what.kind != Kind::counter) return;
        for (const Counter& counter : back.ranks[0].definitions().counters)
            if (counter.number == record.what.type)
                values.push_back(counter.name + " " +
                                 std::to_string(std::lround(value_of(counter, record.what.bytes))) + counter.unit);
    };
    REQUIRE(back.ranks[0].for_each_record(take));
    CHECK(values == std::vector<std::string>{"on a core 80%", "page faults 500/s", "on a core 0%", "page faults 0/s",
                                             "without a core 30%", "on a core 90%", "page faults 0/s", "on a core 50%",
                                             "page faults 0/s", "without a core 30%"});
    const auto again = export_otf2(back, StepClock{begin_of(back), nullptr}, second);
    REQUIRE(again);
    for (const char* const file : {"traces/0.evt", "traces.def"})
        CHECK(read(folder.path() / "first" / file) == read(folder.path() / "second" / file));
}

TEST_CASE("the bytes of a collective say what its ranks put in") {
    std::mt19937_64 random{7};
    const auto up_to = [&](std::uint64_t most) { return random() % (most + 1); };
    for (std::size_t i = 0; i < function_count; ++i) {
        const auto function = static_cast<Function>(i);
        if (!is_collective(function) || pattern_of(shape_of(function)) == Pattern::neighbors) continue;
        for (int round = 0; round < 30; ++round) {
            Comm comm{.number = 3,
                      .my_rank = 0,
                      .members = {{0, static_cast<std::int64_t>(1 + up_to(6)), 1}},
                      .remote = {},
                      .name = {}};
            comm.my_rank = static_cast<std::uint32_t>(up_to(comm.size() - 1));
            const bool inter = up_to(3) == 0;
            if (inter) comm.remote = {{10, static_cast<std::int64_t>(1 + up_to(4)), 1}};
            const CommOf comm_of = [&](std::uint32_t) { return &comm; };
            MadeRecord made = made_call(function, 1, 2);
            made.record.what.comm = 3;
            made.record.what.peer =
                inter && up_to(1) == 0 ? peer::root : static_cast<std::int32_t>(up_to(comm.size() - 1));
            const std::uint64_t others = inter ? static_cast<std::uint64_t>(comm.remote[0].count) : comm.size() - 1;
            const bool reduces = shape_of(function) == Shape::reduce_scatter;
            const std::uint64_t received = others == 0 ? 0 : up_to(1000);
            CollectiveBlock block = collective_block(function, comm, made.record.what.peer, others * up_to(1000),
                                                     reduces ? received : others * received);
            made.record.what.bytes = block.bytes;
            const Moved moved = bytes_moved(made.record, block.words, comm_of);
            block = collective_block(function, comm, made.record.what.peer, moved.sent, moved.received);
            made.record.what.bytes = block.bytes;
            const Moved again = bytes_moved(made.record, block.words, comm_of);
            INFO(name_of(function) << " of " << comm.size() << " ranks, " << (inter ? "inter" : "intra"));
            CHECK(again.sent == moved.sent);
            CHECK(again.received == moved.received);
        }
    }
}

TEST_CASE("fields of protocol buffers") {
    Protobuf inner;
    inner.number(1, 300);
    Protobuf outer;
    outer.message(60, inner).text(2, "ab").fixed64(47, 0x0102030405060708);
    CHECK(outer.bytes() == std::string{"\xe2\x03\x03\x08\xac\x02\x12\x02"
                                       "ab\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01"});
}

TEST_CASE("fields of tables are quoted where they need it", "[libdw]") {
    auto ranks = made_ranks(1);
    ranks[0].definitions.symbols = {{.number = 1, .name = "a, \"b\"\nc"}};
    ranks[0].definitions.counters = {
        {.number = 1, .name = "solver:speed", .unit = "m/s", .type = CounterType::floating}};
    ranks[0].lanes = {{.records = made_application_records()}};
    const TestFolder folder;
    write_trace(folder.path() / "app.tactus", ranks);
    const CommandOutcome outcome = run_tactus("export --csv=events " + (folder.path() / "app.tactus").string() + " -");
    CHECK(outcome.status == 0);
    CHECK(outcome.errors.empty());
    CHECK(outcome.output.find(",region,\"a, \"\"b\"\"\nc\",0.000011000000,0.000014000000,") != std::string::npos);
    CHECK(outcome.output.find(",counter,solver:speed,0.000013500000,0.000013500000,0,1,,,,,,0.5,") !=
          std::string::npos);
    CHECK(outcome.output.find(",comment,half way!,") != std::string::npos);
    CHECK(outcome.output.find(",call,MPI_Barrier,0.000012000000,0.000013000000,") != std::string::npos);
}

TEST_CASE("what an archive cannot say is told", "[otf2]") {
    auto ranks = made_ranks(1);
    MadeRecord loss = made_call(Function{}, 30'000, 31'000);
    loss.record.what.kind = Kind::loss;
    loss.record.what.bytes = 12;
    ranks[0].lanes = {{.records = {made_message(Function::Probe, 1000, 2000, 0, 1, 8), loss}},
                      {.number = sampled::lane,
                       .records = {made_path(1, 1, 0, 0x1000), made_sample(2, 0, 0x1000, 1, sampled::on_core),
                                   made_sample(3, 0, 0x1000, 1, sampled::call_ends)}}};
    const TestFolder folder;
    write_trace(folder.path() / "app.tactus", ranks);
    const std::string trace = (folder.path() / "app.tactus").string();
    const std::string out = (folder.path() / "out").string();
    const CommandOutcome outcome = run_tactus("export --otf2 " + trace + " " + out);
    CHECK(outcome.status == 0);
    CHECK(lines_in(outcome.errors) ==
          std::vector<std::string>{"tactus: " + out +
                                   ": not in it: 12 calls that were not recorded; 1 probes without what they found; 2 "
                                   "samples, which OTF2 has only in place of calls"});
}

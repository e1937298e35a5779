// Kernels that CUPTI reports find their launches, in any order, and become records.
#include "collector/nccl/kernel_join.hpp"
#include "postproc/nccl/summary.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/made_nccl.hpp"
#include "tests/unit/made/run_tactus.hpp"
#include "tests/unit/nccl/nccl_driver.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

namespace {

using namespace tactus;
using namespace tactus::nccl;
namespace event = nccl::event;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Token launch_token(unsigned ring, std::uint64_t number) {
    return Token::of(ring, number, static_cast<unsigned>(std::countr_zero(event::kernel_launch)), false);
}

LaunchMark mark(std::uint64_t number) { return LaunchMark::of(launch_token(2, number), 7); }

GpuKernel ran(std::uint32_t number, Ticks start, Ticks stop) {
    return {.number = number, .device = 0, .stream = 13, .start = start, .stop = stop, .name = "k", .mark = {}};
}

TEST_CASE("a launch's mark says which launch it is, and whose", "[nccl]") {
    for (const unsigned ring : {0U, 63U, 254U})
        for (const std::uint64_t number : {std::uint64_t{1}, std::uint64_t{1} << 42})
            for (const std::uint32_t context : {0U, Contexts::most - 1}) {
                const Token token = launch_token(ring, number);
                const LaunchMark mark = LaunchMark::of(token, context);
                CHECK(mark.bits != 0);
                CHECK(mark.launch().bits == token.bits);
                CHECK(mark.context() == context);
            }
}

TEST_CASE("a kernel is joined to its launch, whichever is told first", "[nccl]") {
    KernelJoin join;
    join.ran(ran(1, 500, 600));
    join.ran(ran(9, 100, 200)); // a kernel of the application
    CHECK(join.take_joined().empty());
    join.marked(1, mark(11));
    join.called(1, 400);
    join.marked(2, mark(12));
    join.called(2, 450);
    join.ran(ran(2, 460, 480));
    const auto joined = join.take_joined();
    REQUIRE(joined.size() == 2); // sorted by their ends
    CHECK(joined[0].number == 2);
    CHECK(joined[0].mark.bits == mark(12).bits);
    CHECK(joined[0].name == "k");
    CHECK(joined[1].number == 1);
    CHECK(joined[1].mark.bits == mark(11).bits);
    CHECK(joined[1].moved == 0);
    CHECK(join.take_joined().empty());
}

TEST_CASE("a kernel begins where it was launched, or its times cannot be", "[nccl]") {
    constexpr Ticks launch = 10'000'000;
    constexpr Ticks most = KernelJoin::most_moved;
    KernelJoin join;
    const auto told = [&](Ticks start, Ticks stop) {
        join.marked(1, mark(11));
        join.called(1, launch);
        join.ran(ran(1, start, stop));
        return join.take_joined();
    };
    for (const auto& [start, stop] : {std::pair<Ticks, Ticks>{launch + 1, 0}, // CUPTI has not seen its end
                                      {0, 0},
                                      {launch + 2, launch + 1},
                                      {launch - most - 1, launch + 1}})
        CHECK(told(start, stop).empty());
    const auto early = told(launch - most, launch - 5);
    REQUIRE(early.size() == 1);
    CHECK(early[0].start == launch);
    CHECK(early[0].stop == launch + most - 5);
    CHECK(early[0].moved == most);
    CHECK(told(launch, launch).size() == 1);
    join.marked(2, mark(12)); // its call was not reported
    join.ran(ran(2, 10, 20));
    CHECK(join.take_joined().size() == 1);
}

TEST_CASE("memory of launches and kernels is bounded", "[nccl]") {
    constexpr auto most = static_cast<std::uint32_t>(KernelJoin::most_waiting);
    KernelJoin join;
    for (std::uint32_t i = 0; i <= most; ++i) join.marked(i, mark(i + 1));
    for (std::uint32_t i = 0; i < most; ++i) join.ran(ran(1'000'000 + i, 10, 20)); // kernels of the application
    join.ran(ran(0, 10, 20));                                                      // its mark was dropped to make room
    join.ran(ran(1, 10, 20));
    auto joined = join.take_joined();
    REQUIRE(joined.size() == 1);
    CHECK(joined[0].number == 1);
    join.marked(1'000'000, mark(99)); // its kernel was dropped to make room
    join.marked(1'000'000 + most - 1, mark(98));
    joined = join.take_joined();
    REQUIRE(joined.size() == 1);
    CHECK(joined[0].number == 1'000'000 + most - 1);
}

TEST_CASE("kernels stand in a row for each stream, and name the launch that their operation names", "[nccl]") {
    Driver nccl;
    const auto at = static_cast<Ticks>(nccl.whole_all_reduce(5000));
    const std::vector<Stored> launches = nccl.rows.of(NcclKind::kernel_launch);
    const std::vector<Stored> operations = nccl.rows.of(NcclKind::coll);
    REQUIRE(launches.size() == 1);
    REQUIRE(operations.size() == 1);
    CHECK(operations[0].work.parent == launches[0].work.handle);

    const Token launch{static_cast<std::uint64_t>(launches[0].work.handle)};
    GpuKernel kernel{.number = 1,
                     .device = 2,
                     .stream = 13,
                     .start = at - 300,
                     .stop = at + 5400,
                     .name = "_Z33ncclDevKernel_AllReduce_Sum_bf16_Pv",
                     .mark = LaunchMark::of(launch, 0)};
    nccl.kernel(kernel);
    kernel.name = "not mangled";
    kernel.start = at + 5399; // off by rounding, so it is cut
    kernel.stop = at + 6000;
    kernel.moved = 70;
    nccl.kernel(kernel);
    kernel.start = at + 3000; // both run, so it is not drawn
    kernel.stop = at + 7000;
    nccl.kernel(kernel);
    kernel.start = at + 6500; // the same
    kernel.stop = at + 7500;
    nccl.kernel(kernel);
    kernel.start = at + 10'000;
    kernel.stop = at + 11'000;
    nccl.kernel(kernel);
    kernel.stream = 14;
    kernel.start = at;
    nccl.kernel(kernel);
    const std::vector<Stored> kernels = nccl.rows.of(NcclKind::kernel);
    REQUIRE(kernels.size() == 6);
    CHECK(nccl.rows.name_of(kernels[0]) == "NCCL:ncclDevKernel_AllReduce_Sum_bf16_");
    CHECK(nccl.rows.name_of(kernels[1]) == "NCCL:not mangled");
    CHECK(kernels[0].record.enter == at - 300);
    CHECK(kernels[0].record.leave == at + 5400);
    CHECK(kernels[0].work.parent == launches[0].work.handle);
    CHECK(kernels[0].work.comm == 1);
    CHECK(kernels[0].work.within_ns == 0);
    CHECK(kernels[1].record.enter == at + 5400);
    CHECK(kernels[1].record.leave == at + 6000);
    CHECK(kernels[1].work.within_ns == 71);
    CHECK(kernels[2].record.enter == at + 3000);
    CHECK(nccl.rows.names[kernels[0].row] == "GPU 2 stream 13 (CUPTI)");
    CHECK(nccl.rows.names[kernels[5].row] == "GPU 2 stream 14 (CUPTI)");
    std::vector<bool> drawn;
    for (const Stored& stored : kernels) drawn.push_back(stored.tag.has(NcclTag::drawn));
    CHECK(drawn == std::vector{true, true, false, true, true, true});
}

TEST_CASE("launches without kernels are counted, but those of graphs", "[nccl]") {
    Driver nccl;
    CHECK(nccl.without_kernel() == 0);
    static_cast<void>(nccl.all_reduce(0));
    static_cast<void>(nccl.all_reduce(1));
    nccl::Event captured;
    captured.tick = nccl.tick;
    captured.moment = Moment::start;
    captured.id = Token::of(0, 1'000'000, static_cast<unsigned>(std::countr_zero(event::kernel_launch)), true).bits;
    nccl.take(captured);
    CHECK(nccl.without_kernel() == 2);
    nccl.kernel({.number = 1,
                 .device = 0,
                 .stream = 1,
                 .start = 1000,
                 .stop = 2000,
                 .name = "k",
                 .mark = LaunchMark::of(launch_token(0, 3), 0)});
    CHECK(nccl.without_kernel() == 1);
}

TEST_CASE("a kernel's time is compared with its operation's, or its group's", "[nccl]") {
    std::vector<MadeRank> ranks = made_nccl_ranks(1);
    ranks[0].definitions.symbols.push_back({.number = first_nccl_symbol + 5, .name = "NCCL:ncclDevKernel"});
    constexpr auto kernel = static_cast<MadeFunction>(first_nccl_symbol + 5);
    const std::vector<MadeNccl> records = {
        {.start = 1000, .end = 2000, .parent = 21},
        {.function = MadeFunction::Send, .start = 3000, .end = 3500, .kind = NcclKind::p2p, .flags = 0, .parent = 22},
        {.function = MadeFunction::Send, .start = 3000, .end = 4000, .kind = NcclKind::group, .parent = 22},
        {.function = kernel, .start = 900, .end = 2900, .kind = NcclKind::kernel, .parent = 21},
        {.function = kernel, .start = 3000, .end = 5000, .kind = NcclKind::kernel, .parent = 22},
        {.function = kernel, .start = 6000, .end = 7000, .kind = NcclKind::kernel, .parent = 23}};
    ranks[0].lanes = {{.number = 3, .records = {}}, {.number = 4, .records = {}}};
    for (const MadeNccl& record : records)
        ranks[0].lanes[record.kind == NcclKind::kernel ? 1 : 0].records.push_back(made_nccl(record));
    const TestFolder folder;
    const std::string path = (folder.path() / "app.tactus").string();
    write_trace(path, ranks);
    const auto trace = Trace::open(path);
    REQUIRE(trace);
    const NcclSummary summary = summarize_nccl(*trace);
    CHECK(summary.parts == 3);
    REQUIRE(summary.kernels.size() == 1);
    const NcclKernelClass& kernel_class = summary.kernels[0];
    CHECK(kernel_class.name == "ncclDevKernel");
    CHECK(kernel_class.length.count == 3);
    CHECK(kernel_class.length.total_ns == 5000);
    CHECK(kernel_class.joined == 2);
    CHECK(kernel_class.worked_share() == 0.5);

    CHECK(has(run_tactus("report " + path).output,
              "ncclDevKernel      3  0.000005    1.00    1.67    2.00       2      50.00"));
    const auto report = nlohmann::json::parse(run_tactus("report --json " + path).output);
    const auto& told = report.at("nccl").at("kernels").at(0);
    CHECK(told.at("name") == "ncclDevKernel");
    CHECK(told.at("count") == 3);
    CHECK(told.at("joined") == 2);
    CHECK(told.at("working_share") == 0.5);
    const std::string page = (folder.path() / "report.html").string();
    CHECK(run_tactus("report --html=" + page + " " + path).status == 0);
    std::ifstream file{page};
    CHECK(has({std::istreambuf_iterator<char>{file}, {}}, "kernels by CUPTI"));
    CHECK(has(run_tactus("dump " + path).output, "NCCL kernel ncclDevKernel"));
    const std::string table = run_tactus("export --csv=nccl " + path + " -").output;
    CHECK(has(table, ",ncclDevKernel,2.0000000000000003e-06\n"));
}

} // namespace

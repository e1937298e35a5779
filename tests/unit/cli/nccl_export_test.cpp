// NCCL's operations in the lines of a dump, and in the formats of other tools.
#include "postproc/export/otf2_export.hpp"
#include "postproc/export/otf2_import.hpp"
#include "postproc/export/steps.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/made_nccl.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <fstream>

using namespace tactus;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string read(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

// Two ranks with an AllReduce that is drawn on their rows, and with one of which only the start is known.
std::string made(const TestFolder& folder) {
    std::vector<MadeRank> ranks = made_nccl_ranks(2);
    for (std::uint32_t i = 0; i < 2; ++i)
        ranks[i].lanes = {{.number = 2,
                           .records = {made_nccl({.sequence = 0, .start = 1000 + 500 * i, .end = 9000, .bytes = 4096}),
                                       made_nccl({.function = MadeFunction::AllGather,
                                                  .sequence = 7,
                                                  .start = 20'000,
                                                  .end = 20'010,
                                                  .span = NcclSpan::enqueue_only,
                                                  .flags = 0})}}};
    const std::string path = (folder.path() / "app.tactus").string();
    write_trace(path, ranks);
    return path;
}

} // namespace

TEST_CASE("a dumped line says what NCCL did", "[nccl]") {
    const TestFolder folder;
    const std::string path = made(folder);
    for (const char* options : {"", "--events "}) {
        const CommandOutcome outcome = run_tactus("dump " + std::string{options} + path);
        CHECK(outcome.status == 0);
        const std::vector<std::string> lines = lines_in(outcome.output);
        REQUIRE(lines.size() == 4);
        CHECK(lines[0] == "0.000001000 rank 0 lane 2  NCCL coll AllReduce        8.000 us  comm world seq 0 bytes 4096 "
                          "handle 1 full channels 0/0/4 within 10 ns");
        CHECK(has(lines[2], "NCCL coll AllGather "));
        CHECK(has(lines[2], "seq 7"));
        CHECK(has(lines[2], "enqueue-only"));
    }
}

TEST_CASE("a table has NCCL's operations and their waits", "[nccl]") {
    const TestFolder folder;
    const std::string path = made(folder);
    const std::vector<std::string> lines = lines_in(run_tactus("export --csv=nccl " + path + " -").output);
    REQUIRE(lines.size() == 5);
    CHECK(lines[1] == "0,2,AllReduce,coll,world,0x63,0,2,0,0,0.000001000000,0.000009000000,8.000000000000001e-06,4096,,"
                      "4,full,0,0,0,0,0,1,10,5,2,1,5.000000000000001e-07,,");
    CHECK(has(lines[2], ",enqueue-only,"));
    CHECK(lines[2].ends_with(",2,,,,")); // matched, but without times
    const std::string all = (folder.path() / "csv").string();
    CHECK(run_tactus("export --csv " + path + " " + all).status == 0);
    CHECK(std::filesystem::exists(all + "/nccl.csv"));
}

TEST_CASE("without NCCL there is no table of it among all", "[nccl]") {
    const TestFolder folder;
    const std::string path = (folder.path() / "app.tactus").string();
    auto ranks = made_ranks(1);
    ranks[0].lanes = {{.records = {made_call(Function::Barrier, 1000, 2000)}}};
    write_trace(path, ranks);
    const std::string all = (folder.path() / "csv").string();
    CHECK(run_tactus("export --csv " + path + " " + all).status == 0);
    CHECK(!std::filesystem::exists(all + "/nccl.csv"));
}

TEST_CASE("what is on its row is a slice, what is not is none", "[nccl]") {
    const TestFolder folder;
    const std::string path = made(folder);
    const std::string out = (folder.path() / "out.pftrace").string();
    const CommandOutcome outcome = run_tactus("export --perfetto " + path + " " + out);
    CHECK(outcome.status == 0);
    CHECK(outcome.output == out + ": 4 events\n"); // a beginning and an end on each of two ranks
    CHECK(has(outcome.errors, "2 operations of NCCL whose times are not known"));
    const std::string bytes = read(out);
    for (const char* text : {"NCCL:AllReduce", "completeness", "full", "sequence", "communicator", "world"})
        CHECK(has(bytes, text));
    CHECK(!has(bytes, "AllGather"));
}

TEST_CASE("an archive has NCCL's operations as regions", "[nccl][otf2]") {
    const TestFolder folder;
    const std::string out = (folder.path() / "archive").string();
    const CommandOutcome outcome = run_tactus("export --otf2 " + made(folder) + " " + out);
    CHECK(outcome.status == 0);
    CHECK(outcome.output == out + ": 4 events\n");
    CHECK(has(outcome.errors, "2 operations of NCCL whose times are not known"));
    CHECK(has(read(std::filesystem::path{out} / "traces.def"), "NCCL:AllReduce"));
    const std::string back = (folder.path() / "back.tactus").string();
    REQUIRE(run_tactus("import --otf2 " + out + " " + back).status == 0);
    const std::vector<std::string> lines = lines_in(run_tactus("dump " + back).output);
    REQUIRE(lines.size() == 2);
    CHECK(has(lines[0], "region NCCL:AllReduce"));
    CHECK(has(lines[0], " 8.000 us"));
}

// Whatever is wrong with a trace or a command line, the command prints one clear line that names it, and exits with the
// documented status.
#include "cli/viewer/drawing.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include "tests/unit/made/catch.hpp"
#include "trace/block.hpp"
#include "trace/rank_file.hpp"

#include <cstring>
#include <fstream>
#include <unistd.h>

using namespace tactus;
namespace fs = std::filesystem;

namespace {

// A trace of two ranks with records in several blocks, in its own folder.
struct Fixture {
    TestFolder folder;
    std::vector<std::string> files;

    explicit Fixture(std::uint64_t job = 77, bool closed = true) {
        auto ranks = made_ranks(2, job);
        for (MadeRank& rank : ranks) {
            rank.closed = closed;
            rank.lanes = {{.number = 0, .records = {}, .records_a_block = 4}};
            for (Ticks i = 0; i < 20; ++i)
                rank.lanes[0].records.push_back(made_call(Function::Comm_rank, 100 * i, 100 * i + 10));
        }
        files = write_trace(path(), ranks);
    }
    [[nodiscard]] std::string path() const { return (folder.path() / "app.tactus").string(); }
};

void overwrite(const std::string& file, std::uint64_t offset, const void* bytes, std::size_t size) {
    std::fstream stream{file, std::ios::in | std::ios::out | std::ios::binary};
    stream.seekp(static_cast<std::streamoff>(offset));
    stream.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
}

void check_one_line(const std::string& arguments, int status, const std::vector<std::string>& mentions) {
    const CommandOutcome outcome = run_tactus(arguments);
    INFO("tactus " << arguments << "\n" << outcome.errors);
    CHECK(outcome.status == status);
    const auto lines = lines_in(outcome.errors);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].rfind("tactus: ", 0) == 0);
    for (const std::string& mention : mentions) CHECK_THAT(lines[0], Contains(mention));
}

std::uint64_t third_block(const std::string& path) {
    const auto file = RankFile::open(path);
    return file->blocks().at(2).offset;
}

} // namespace

TEST_CASE("a sound trace: nothing on standard error, status 0") {
    const Fixture trace;
    for (const char* command : {"info ", "info --json ", "report ", "report --json ", "dump ", "where "}) {
        const CommandOutcome outcome = run_tactus(command + trace.path());
        INFO(command);
        CHECK(outcome.errors.empty());
        CHECK(outcome.status == 0);
        CHECK(!outcome.output.empty());
    }
}

TEST_CASE("no such directory, a file, a directory that is no trace") {
    const TestFolder folder;
    std::ofstream{folder.path() / "file"} << "text\n";
    for (const char* command : {"info ", "report ", "dump ", "where "}) {
        check_one_line(command + (folder.path() / "none.tactus").string(), 1,
                       {"none.tactus", "No such file", "NAME.tactus"});
        check_one_line(command + (folder.path() / "file").string(), 1, {"file", "is not a directory"});
        check_one_line(command + folder.path().string(), 1, {folder.path().string(), "is not a trace"});
    }
}

TEST_CASE("something else in place of a rank file") {
    const Fixture trace;
    std::ofstream{trace.files[1]} << std::string(500, 'x');
    check_one_line("dump " + trace.path(), 1, {trace.files[1], "byte 0", "not a rank file"});
}

TEST_CASE("a cut rank file is named, and what is left of it is shown") {
    const Fixture trace;
    const std::uint64_t cut = third_block(trace.files[1]) + 10;
    fs::resize_file(trace.files[1], cut);
    const CommandOutcome outcome = run_tactus("dump " + trace.path());
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.errors, Contains(trace.files[1]));
    CHECK(lines_in(outcome.output).size() == 20 + 8);
    const CommandOutcome report = run_tactus("report " + trace.path());
    CHECK(report.status == 1);
    CHECK(report.errors.empty()); // a report for people lists problems at its end
    CHECK_THAT(report.output, Contains("Problems") && Contains(trace.files[1]));
}

TEST_CASE("a changed byte in a block: the block is named and passed over") {
    const Fixture trace;
    const std::uint64_t block = third_block(trace.files[0]);
    overwrite(trace.files[0], block + sizeof(BlockHeader) + 3, "\xff\xff", 2);
    check_one_line("dump " + trace.path(), 1, {trace.files[0], "byte " + std::to_string(block), "checksum"});
    CHECK(lines_in(run_tactus("dump " + trace.path()).output).size() == 40 - 4);
    check_one_line("report --json " + trace.path(), 1, {trace.files[0], "checksum"});
}

TEST_CASE("a trace of a newer tactus") {
    const Fixture trace;
    const std::uint16_t version = 9;
    for (const std::string& file : trace.files)
        overwrite(file, offsetof(BlockHeader, version), &version, sizeof version);
    check_one_line("info " + trace.path(), 1, {trace.files[0], "version 9", "newer"});
}

TEST_CASE("a rank file of another run is left out and named") {
    const Fixture trace;
    const Fixture other{78};
    fs::copy_file(other.files[1], trace.files[1], fs::copy_options::overwrite_existing);
    check_one_line("dump " + trace.path(), 1, {trace.files[1], "another run"});
    CHECK(lines_in(run_tactus("dump " + trace.path()).output).size() == 20);
}

TEST_CASE("a missing rank file") {
    const Fixture trace;
    fs::remove(trace.files[1]);
    check_one_line("report --json " + trace.path(), 1, {trace.files[1], "rank files are missing"});
    CHECK_THAT(run_tactus("info --json " + trace.path()).output, Contains("\"finished\": false"));
}

TEST_CASE("no permission to read") {
    if (geteuid() == 0) return; // root may do everything
    const Fixture trace;
    fs::permissions(trace.files[1], fs::perms::none);
    check_one_line("dump " + trace.path(), 1, {trace.files[1], "Permission denied"});
}

TEST_CASE("output that cannot be written") {
    auto ranks = made_ranks(1);
    ranks[0].lanes = {{}};
    for (Ticks i = 0; i < 2000; ++i) // more text than a buffer of standard output holds
        ranks[0].lanes[0].records.push_back(made_call(Function::Comm_rank, 100 * i, 100 * i + 10));
    const TestFolder folder;
    write_trace(folder.path() / "app.tactus", ranks);
    for (const char* command : {"info ", "report --json ", "dump "}) {
        const CommandOutcome outcome = run_tactus(command + (folder.path() / "app.tactus").string() + " >/dev/full");
        INFO(command << outcome.errors);
        CHECK(outcome.status == 1);
        CHECK(lines_in(outcome.errors).size() == 1);
        CHECK_THAT(outcome.errors, Contains("No space left on device"));
    }
}

TEST_CASE("wrong command lines") {
    const Fixture trace;
    check_one_line("frobnicate x", 2, {"unknown command 'frobnicate'"});
    check_one_line("reprot x", 2, {"unknown command 'reprot'; did you mean report?"});
    check_one_line("report --frobnicate " + trace.path(), 2, {"--frobnicate", "tactus report --help"});
    check_one_line("report --jsn " + trace.path(), 2, {"did you mean --json?"});
    check_one_line("run -o", 2, {"--output needs a value"});
    check_one_line("report --from x " + trace.path(), 2, {"'x' is no value for --from"});
    check_one_line("report", 2, {"TRACE"});
    check_one_line("dump --rank x " + trace.path(), 2, {"--rank"});
    check_one_line("dump --rank 7 " + trace.path(), 2, {"--rank 7", "first 0, last 1"});
    check_one_line("dump --function Sned " + trace.path(), 2, {"'Sned'", "MPI_Send"});
    check_one_line("dump --from 2 --to 1 " + trace.path(), 2, {"--to"});
    check_one_line("run", 2, {"nothing to run"});
    check_one_line("run --", 2, {"nothing to run"});
    check_one_line("run --mpi mpich --", 2, {"nothing to run"});
    check_one_line("run --frobnicate mpirun", 2, {"--frobnicate", "tactus run --help"});
    check_one_line("run --mpi lam mpirun -n 2 ./app", 2, {"--mpi", "openmpi", "mpich"});
}

TEST_CASE("help and version are found under their usual names") {
    const CommandOutcome bare = run_tactus("");
    CHECK(bare.status == 2);
    CHECK(bare.output.empty());
    CHECK_THAT(bare.errors, Contains("Subcommands:"));
    CHECK(run_tactus("help").output == run_tactus("--help").output);
    CHECK(run_tactus("help report").output == run_tactus("report --help").output);
    CHECK_THAT(run_tactus("help").output, !Contains("TEXT") && !Contains("FLOAT"));
    for (const char* words : {"version", "-V", "--version"})
        CHECK_THAT(run_tactus(words).output, StartsWith("tactus "));
}

TEST_CASE("a trace is found without the end of its name") {
    const TestFolder folder;
    const std::string path = (folder.path() / "app.stf").string();
    write_trace(path + ".tactus", made_ranks(1));
    CHECK_THAT(run_tactus("info " + path).output, Contains("app.stf.tactus"));
    std::ofstream{path} << "a program of that name";
    const CommandOutcome outcome = run_tactus("info " + path);
    CHECK_THAT(outcome.output, Contains("app.stf.tactus"));
    CHECK(run_tactus("diff " + path + " " + path).errors.find("No such file") == std::string::npos);
}

TEST_CASE("names in a trace cannot command the terminal") {
    auto ranks = made_ranks(1);
    ranks[0].header.program = "/bin/\x1b[2Japp";
    ranks[0].header.host = "no\nde";
    ranks[0].lanes = {{.records = {made_call(Function::Comm_rank, 0, 10)}}};
    const TestFolder folder;
    write_trace(folder.path() / "app.tactus", ranks);
    for (const char* command : {"info ", "report ", "info --json ", "report --json "}) {
        const std::string output = run_tactus(command + (folder.path() / "app.tactus").string()).output;
        INFO(command);
        CHECK(!output.empty());
        CHECK(output.find('\x1b') == std::string::npos);
    }
}
TEST_CASE("a trace without records: every command says that there is nothing, and ends well") {
    const TestFolder folder;
    const std::string path = (folder.path() / "app.tactus").string();
    const std::string picture = (folder.path() / "picture").string();
    write_trace(path, made_ranks(2));
    const std::string nothing = "tactus: " + path + ": the trace has no records, so there is nothing to show\n";
    for (const std::string window : {"", " --from 0.5", " --from 1 --to 2"}) {
        const CommandOutcome text = run_tactus("timeline " + path + window);
        CHECK(text.status == 0);
        CHECK(text.errors == nothing);
        CHECK(text.output.empty());
    }
    const CommandOutcome json = run_tactus("timeline --json " + path);
    CHECK(json.status == 0);
    CHECK(json.errors == nothing);
    CHECK_THAT(json.output, Contains("\"rows\": []"));
    for (const char* words : {"info ", "report ", "report --json ", "dump ", "clocks ", "where ", "recover "})
        CHECK(run_tactus(words + path).status == 0);
    if (!can_draw()) return;
    const CommandOutcome svg = run_tactus("view --svg " + picture + " " + path);
    CHECK(svg.status == 0);
    CHECK(svg.errors == nothing);
    CHECK(fs::file_size(picture) > 100);
    CHECK(run_tactus("report --html " + picture + " " + path).status == 0);

    // Records that take no time are something, although the run is no longer than an instant.
    std::vector<MadeRank> ranks = made_ranks(1);
    ranks[0].lanes = {{.records = {made_call(Function::Initialized, 5, 5)}}};
    write_trace(path, ranks);
    const CommandOutcome instant = run_tactus("timeline " + path);
    CHECK(instant.status == 0);
    CHECK(instant.errors.empty());
    CHECK_THAT(instant.output, Contains("slots of"));
    CHECK(run_tactus("view --svg " + picture + " " + path).status == 0);
}

TEST_CASE("a report says which processes are missing, and quotes the command that it suggests") {
    const TestFolder folder;
    const std::string path = (folder.path() / "two words.tactus").string();
    std::vector<MadeRank> ranks = made_ranks(1);
    ranks[0].lanes = {{.records = {made_call(Function::Comm_get_parent, 0, 10)}}};
    write_trace(path, ranks);
    const std::string plain = run_tactus("report '" + path + "'").output;
    CHECK_THAT(plain, Contains("`tactus finish '" + path + "'` finds them"));
    CHECK_THAT(plain, !Contains("Spawned"));
    for (const Function function : {Function::Comm_spawn, Function::Comm_spawn_multiple}) {
        ranks[0].lanes = {{.records = {made_call(function, 0, 10)}}};
        write_trace(path, ranks);
        CHECK_THAT(run_tactus("report '" + path + "'").output,
                   Contains("Spawned") && Contains("was called: the processes that it started are not in this trace"));
    }
}

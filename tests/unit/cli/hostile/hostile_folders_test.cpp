// Trace directories that contain something else where files are expected, and names and strings that would control a
// terminal.
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/hostile_file.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

using namespace tactus;
namespace fs = std::filesystem;

namespace {

// A sound trace of two ranks.
struct Sound {
    TestFolder folder;
    fs::path trace = folder.path() / "app.tactus";
    std::vector<std::string> files;

    Sound() {
        auto ranks = made_ranks(2);
        for (MadeRank& rank : ranks) rank.lanes = {{.records = {made_call(Function::Comm_rank, 0, 10)}}};
        files = write_trace(trace, ranks);
    }
    void replace_second_by_link_to(const fs::path& target) const {
        fs::remove(files[1]);
        fs::create_symlink(target, files[1]);
    }
};

bool is_harmless_text(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if ((c < 0x20 && c != '\n') || c == 0x7f) return false;
        if (c == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0) return false; // C1, as UTF-8
        if (c == 0x9b && static_cast<unsigned char>(text[i - 1]) < 0x80) return false; // and as a single byte
    }
    return true;
}

const std::string evil = "a\x1b[2J\x1b]0;x\a\nb\r\x7f\x80\x9b"
                         "31m\xc2\x9b"
                         "2J\xe2\x80\xae"
                         "c\xff\xfe\xed\xa0\x80\"\\";

} // namespace

TEST_CASE("links, devices, pipes and folders in place of a rank file", "[hostile]") {
    const Sound trace;
    const std::string name = "rank-000001.trace: ";
    trace.replace_second_by_link_to("/dev/zero");
    check_survives(trace.trace, 1, name + "is not a regular file");
    trace.replace_second_by_link_to("/dev/null");
    check_survives(trace.trace, 1, name + "is not a regular file");
    trace.replace_second_by_link_to("rank-000001.trace");
    check_survives(trace.trace, 1, name + "cannot be opened: Too many levels of symbolic links");
    trace.replace_second_by_link_to("/no/such/file");
    check_survives(trace.trace, 1, name + "cannot be opened");
    trace.replace_second_by_link_to("rank-000000.trace");
    check_survives(trace.trace, 1, name + "this file belongs to another run or rank");
    fs::remove(trace.files[1]);
    REQUIRE(mkfifo(trace.files[1].c_str(), 0600) == 0);
    check_survives(trace.trace, 1, name + "is not a regular file");
    fs::remove(trace.files[1]);
    fs::create_directory(trace.files[1]);
    check_survives(trace.trace, 1, name + "is not a regular file");
    fs::remove(trace.files[1]);
    std::ofstream{trace.files[1]};
    check_survives(trace.trace, 1, name);
}

TEST_CASE("links in place of folders", "[hostile]") {
    const Sound trace;
    fs::remove_all(trace.trace / "ranks/000");
    fs::create_symlink("000", trace.trace / "ranks/000");
    check_survives(trace.trace, 1, "ranks/000: cannot be listed: Too many levels of symbolic links");
    fs::remove(trace.trace / "ranks/000");
    fs::create_symlink("..", trace.trace / "ranks/000");
    check_survives(trace.trace, 1, "has no rank file");
    fs::remove_all(trace.trace / "ranks");
    fs::create_symlink("/", trace.trace / "ranks");
    check_survives(trace.trace, 1, "has no rank file");
    fs::remove(trace.trace / "ranks");
    fs::create_symlink("ranks", trace.trace / "ranks");
    check_survives(trace.trace, 1, "is not a trace");
}

TEST_CASE("odd names beside the rank files", "[hostile]") {
    const Sound trace;
    const fs::path folder = trace.trace / "ranks/000";
    for (const std::string& name : {std::string{"new\nline"}, "\x1b[2J" + evil.substr(0, 5), std::string{"\xff\xfe"},
                                    std::string(255, 'x'), std::string{"rank-000001.trace.kept"}})
        std::ofstream{folder / name};
    fs::create_directories(folder / "deep/deeper/rank-000005.trace");
    check_survives(trace.trace, 0, "");
    for (const std::string& name : {std::string{"rank-99999999999.trace"}, std::string{"rank-1.trace"},
                                    std::string{"rank-001000.trace"}, "rank-\x1b[2J\xff" + std::string{"\n.trace"}}) {
        std::ofstream{folder / name};
        check_survives(trace.trace, 1, "is no name of a rank's file in this folder");
        CHECK(is_harmless_text(run_tactus("info " + trace.trace.string()).output));
        fs::remove(folder / name);
    }
}

TEST_CASE("module paths of a trace that would make a report wait", "[hostile]") {
    const TestFolder folder;
    const std::string pipe = (folder.path() / "pipe").string();
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    auto ranks = made_ranks(1);
    ranks[0].definitions.modules = {{.begin = 0, .end = ~std::uint64_t{0}, .base = 0, .path = pipe, .build_id = {}}};
    MadeRecord made = made_call(Function::Comm_rank, 0, 10);
    made.record.what.place = 4096;
    ranks[0].lanes = {{.records = {made}}};
    write_trace(folder.path() / "app.tactus", ranks);
    check_survives((folder.path() / "app.tactus").string(), 0, "");
}

TEST_CASE("strings of a trace never command the terminal and are always JSON", "[hostile]") {
    auto ranks = made_ranks(1);
    Header& header = ranks[0].header;
    for (std::string* text : {&header.program, &header.host, &header.mpi, &header.tactus, &header.run}) *text = evil;
    Definitions& known = ranks[0].definitions;
    known.comms.push_back({.number = 3, .identity = 9, .members = {{0, 1, 1}}, .remote = {}, .name = evil});
    known.symbols = {{1, evil, false, 1, 1}};
    known.counters = {{.number = 1, .name = evil, .unit = evil}};
    known.scls = {{1, evil, 12}};
    known.threads = {{0, 7, evil}};
    known.modules = {{.begin = 0, .end = ~std::uint64_t{0}, .base = 0, .path = evil, .build_id = evil}};
    std::vector<MadeRecord> records = made_application_records();
    append_text(records.back().words = {}, evil);
    records.back().record.what.bytes = evil.size();
    MadeRecord sent = made_message(Function::Send, 30'000, 30'010, 0, 1, 8);
    sent.record.what.comm = 3;
    sent.record.what.place = 4096;
    records.push_back(sent);
    ranks[0].lanes = {{.records = records}};
    const TestFolder folder;
    const std::string trace = (folder.path() / "app.tactus").string();
    write_trace(trace, ranks);
    for (const char* command : {"info ", "report ", "dump ", "dump --events "}) {
        const CommandOutcome outcome = run_tactus(command + trace);
        INFO(command << outcome.output << outcome.errors);
        CHECK(outcome.status == 0);
        CHECK(outcome.output.size() > 50);
        CHECK(is_harmless_text(outcome.output + outcome.errors));
    }
    for (const char* command : {"info --json ", "report --json "}) {
        const CommandOutcome outcome = run_tactus(command + trace);
        CHECK(outcome.status == 0);
        CHECK(is_harmless_text(outcome.output));
        CHECK(nlohmann::json::accept(outcome.output));
    }
}

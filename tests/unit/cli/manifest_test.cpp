// The manifest: it is written and read back, rejected field by field, and compared with the rank files by `tactus
// info`.
#include "cli/manifest.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

using namespace tactus;
namespace fs = std::filesystem;

namespace {

Manifest sample() {
    Manifest manifest = manifest_of(made_ranks(4).front().header);
    manifest.calls = ~std::uint64_t{0};
    manifest.losses = named_losses(std::vector<std::uint64_t>{5, 0, 1});
    return manifest;
}

std::string complaint(const std::string& text) {
    const auto manifest = parse_manifest(text, "manifest.json");
    return manifest ? "none" : manifest.error().line();
}

// The sample with one field replaced by some JSON, or removed.
std::string with(const std::string& field, const std::string& value) {
    auto json = nlohmann::json::parse(manifest_text(sample()));
    if (value.empty())
        json.erase(field);
    else
        json[field] = nlohmann::json::parse(value);
    return json.dump();
}

// A trace of two ranks with five calls each.
struct Made {
    TestFolder folder;
    std::string trace = (folder.path() / "app.tactus").string();
    std::string path = trace + "/manifest.json";
    std::vector<std::string> files;

    Made() {
        auto ranks = made_ranks(2);
        for (MadeRank& rank : ranks)
            rank.lanes = {{.records = std::vector<MadeRecord>(5, made_call(Function::Comm_rank, 0, 10))}};
        files = write_trace(trace, ranks);
    }
    [[nodiscard]] CommandOutcome info() const { return run_tactus("info --json " + trace); }
    [[nodiscard]] std::string word() const { return nlohmann::json::parse(info().output)["manifest"]; }
};

} // namespace

TEST_CASE("a manifest comes back as it was written") {
    Manifest manifest = sample();
    manifest.program = "/opt/\"a\\b\"\n\x1b[2J\xc3\xa9";
    const auto again = parse_manifest(manifest_text(manifest), "manifest.json");
    REQUIRE(again);
    CHECK(manifest_text(*again) == manifest_text(manifest));
    CHECK(again->program == manifest.program);
    CHECK(again->job == "77");
    CHECK(again->calls == ~std::uint64_t{0});
    REQUIRE(again->losses.size() == 3);
    CHECK(again->losses[0].count + again->losses[2].count == 6);
    manifest.program = "\xff\xfe"
                       "app"; // not valid text, but the file is valid JSON
    CHECK(parse_manifest(manifest_text(manifest), "manifest.json"));
    CHECK(parse_manifest(with("something_new", "{\"a\": [1]}"), "manifest.json"));
}

TEST_CASE("a manifest that is none is refused by file and field") {
    for (const std::string text : {"", "[]", "1", "\"x\"", "{", "{\"format\": 1,}", "\xff", "{}}"})
        CHECK_THAT(complaint(text), Contains("manifest.json: is not a JSON object") || Contains("'format' is missing"));
    for (const char* opening : {"[", "{\"a\":"}) {
        std::string deep;
        for (int i = 0; i < 100'000; ++i) deep += opening;
        CHECK_THAT(complaint(deep), Contains("is not a JSON object"));
    }
    for (const char* field : {"job", "run", "program", "mpi", "ranks", "calls", "records", "bytes", "losses", "format"})
        CHECK_THAT(complaint(with(field, "")), Contains(std::string{"field '"} + field + "' is missing"));
    for (const char* field : {"ranks", "calls", "records", "bytes", "format"})
        for (const char* value : {"-1", "1.5", "1e3", "\"4\"", "null", "[1]", "18446744073709551616", "true"})
            CHECK_THAT(complaint(with(field, value)),
                       Contains(std::string{"field '"} + field + "' is not a whole number"));
    CHECK_THAT(complaint(with("ranks", "4294967296")), Contains("0 to 4294967295"));
    CHECK_THAT(complaint(with("ranks", "0")), Contains("'ranks' is 0"));
    CHECK_THAT(complaint(with("job", "77")), Contains("'job' is not a string"));
    for (const char* job : {"\"\"", "\"-1\"", "\"0x10\"", "\"123456789012345678901\""})
        CHECK_THAT(complaint(with("job", job)), Contains("'job' is not a decimal number"));
    CHECK_THAT(complaint(with("program", '"' + std::string(5000, 'x') + '"')), Contains("more than 4096"));
    CHECK_THAT(complaint(with("losses", "[1]")), Contains("'losses' is not an object"));
    CHECK_THAT(complaint(with("losses", "{\"gone\": -1}")), Contains("'losses.gone' is not a whole number"));
    CHECK_THAT(complaint(with("format", "2")), Contains("written by a newer tactus"));
    CHECK_THAT(complaint("{\"format\": 99}"), Contains("written by a newer tactus"));
}

TEST_CASE("info: a manifest that agrees, none, one that contradicts") {
    const Made made;
    CHECK(made.word() == "agrees");
    CHECK(made.info().status == 0);
    auto manifest = *read_manifest(made.trace);
    REQUIRE(manifest);
    CHECK(manifest->calls == 10);
    const auto changed = [&](auto change) {
        Manifest other = *manifest;
        change(other);
        REQUIRE(write_manifest(made.trace, other));
        const CommandOutcome outcome = made.info();
        CHECK(outcome.status == 1);
        CHECK(made.word() == "contradicts");
        CHECK(lines_in(outcome.errors).size() == 1);
        return outcome.errors;
    };
    CHECK_THAT(changed([](Manifest& m) { m.job = "78"; }), Contains("manifest.json: says job 78, the rank files 77"));
    CHECK_THAT(changed([](Manifest& m) { m.ranks = 3; }), Contains("says ranks 3, the rank files 2"));
    CHECK_THAT(changed([](Manifest& m) { ++m.calls; }), Contains("says calls 11, the rank files 10"));
    CHECK_THAT(changed([](Manifest& m) { --m.records; }), Contains("says records 9, the rank files 10"));
    CHECK_THAT(changed([](Manifest& m) { m.bytes = 1; }), Contains("says bytes 1, the rank files "));
    // Calls that could not be written are counted, but are in no file.
    manifest->calls += 7;
    manifest->losses[0].count = 7;
    REQUIRE(write_manifest(made.trace, *manifest));
    CHECK(made.word() == "agrees");
    fs::remove(made.path);
    CHECK(made.word() == "none");
    CHECK(made.info().status == 0);
    CHECK_THAT(run_tactus("info " + made.trace).output, Contains("not every rank reached the end together"));
}

TEST_CASE("info: something else in place of the manifest") {
    const Made made;
    const auto check = [&](const std::string& reason) {
        CHECK(made.word() == "unreadable");
        CHECK(made.info().status == 1);
        CHECK_THAT(made.info().errors, Contains("manifest.json: ") && Contains(reason));
        fs::remove(made.path);
    };
    std::ofstream{made.path} << "{\"format\": 9}";
    check("written by a newer tactus");
    std::ofstream{made.path} << std::string((1 << 20) + 1, ' ');
    check("a manifest at most 1048576");
    std::ofstream{made.path} << std::string(1 << 20, '[');
    check("is not a JSON object");
    REQUIRE(mkfifo(made.path.c_str(), 0600) == 0);
    check("is not a regular file");
    fs::create_directory(made.path);
    check("is not a regular file");
    for (const char* target : {"manifest.json", "/dev/zero", "/etc/passwd", "/nowhere"}) {
        fs::create_symlink(target, made.path);
        check("is a symbolic link");
    }
}

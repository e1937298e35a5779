// The option grammar, varints, JSON and paged lists.
#include "base/bytes.hpp"
#include "base/grammar.hpp"
#include "base/json.hpp"
#include "base/options/options.hpp"
#include "base/paged_list.hpp"
#include "base/ticks.hpp"
#include "base/utf8.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/test_folder.hpp"

#include <fstream>
#include <random>
#include <sys/resource.h>

using namespace tactus;

TEST_CASE("times are sums of numbers with units") {
    CHECK(*parse_time("1m+30s") == 90'000'000'000);
    CHECK(*parse_time("5c") == 5'000);
    CHECK(*parse_time("2.5l") == 2'500'000);
    CHECK(*parse_time("1w") == 604'800'000'000'000);
    CHECK(*parse_time("3") == 3'000'000'000);
    for (const char* wrong : {"", "s", "1x", "1m+", "1m30s", "+1s", "1e400s", "99999999999999w"}) {
        INFO(wrong);
        CHECK_FALSE(parse_time(wrong));
    }
}

TEST_CASE("sizes are numbers with units of 1024") {
    CHECK(*parse_bytes("64KB") == 65536);
    CHECK(*parse_bytes("3mb") == 3 << 20);
    CHECK(*parse_bytes("12") == 12);
    for (const char* wrong : {"", "KB", "1TB", "-1", "99999999999999999999GB", "20000000000GB", "1.5KB"}) {
        INFO(wrong);
        CHECK_FALSE(parse_bytes(wrong));
    }
}

TEST_CASE("booleans are on and off in any case") {
    for (const char* yes : {"on", "ON", "true", "Yes", "1", ""}) CHECK(*parse_bool(yes));
    for (const char* no : {"off", "False", "no", "0"}) CHECK_FALSE(*parse_bool(no));
    CHECK_FALSE(parse_bool("maybe"));
}

TEST_CASE("varints come back, and are never read past their end") {
    std::mt19937_64 random{1};
    Bytes bytes;
    std::vector<std::uint64_t> values = {0, 1, 127, 128, ~std::uint64_t{0}};
    for (int i = 0; i < 1000; ++i) values.push_back(random() >> (random() % 64));
    for (const auto value : values) append_varint(bytes, value);
    ByteReader in{bytes};
    for (const auto value : values) CHECK(in.varint() == value);
    CHECK(in.ok());
    CHECK(in.varint() == 0);
    CHECK_FALSE(in.ok());
    const Bytes endless(11, 0xff);
    ByteReader bad{endless};
    bad.varint();
    CHECK_FALSE(bad.ok());
    for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN, INT64_MAX})
        CHECK(unzigzag(zigzag(value)) == value);
}

TEST_CASE("JSON is quoted and nested as it must be") {
    Json json;
    json.open().field("a", 1).open_list("b").close().field("c", "x\"\\\n").close();
    CHECK(json.text() == "{\n  \"a\": 1,\n  \"b\": [],\n  \"c\": \"x\\\"\\\\\\u000a\"\n}\n");
}

TEST_CASE("bytes that are no characters never get into JSON") {
    Json json;
    json.open().field("a", "\xff\xc3\xa9\xc3\x9b\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80\xe2\x82").close();
    const std::string none = "\xef\xbf\xbd";
    std::string expected = none + "\xc3\xa9\xc3\x9b";
    // A surrogate, a code that is too large, a form that is too long, and one that is cut off.
    for (int i = 0; i < 3 + 4 + 2 + 2; ++i) expected += none;
    CHECK(json.text() == "{\n  \"a\": \"" + expected + "\"\n}\n");
    CHECK(first_character("\xf0\x9f\x98\x80").code == 0x1f600);
    for (const char32_t code : {0x1b, 0x7f, 0x9b, 0x2028, 0x202e, 0x2066}) CHECK(!is_harmless(code));
    for (const char32_t code : {0x20, 0xe9, 0x20ac, 0x1f600}) CHECK(is_harmless(code));
}

TEST_CASE("defaults are valid, options come from file and environment, mistakes are named") {
    for (const OptionRow& row : option_table)
        if (!row.initial.empty()) CHECK(check_option(row.kind, row.initial));
    TestFolder folder;
    const std::string path = folder.path() / "vt.conf";
    std::ofstream{path} << "# comment\nlogfile-name \"a b\" # more\nVERBOSE\ninit-timeout 1m+30s\nNONSENSE 3\n";
    const std::string config = "VT_CONFIG=" + path;
    const char* environment[] = {"HOME=/",          config.c_str(), "VT_INIT_TIMEOUT=soon", "VT_LOGFILE_NAMES=x",
                                 "VT_TACTUS_RUN=1", nullptr};
    const Options options = Options::read(environment);
    CHECK(options.text(Option::logfile_name) == "a b");
    CHECK(options.on(Option::verbose));
    CHECK(options.nanoseconds(Option::init_timeout) == 90'000'000'000);
    REQUIRE(options.complaints().size() == 3);
    CHECK(options.complaints()[0].find("VT_NONSENSE") == 0);
    CHECK(options.complaints()[1].find("'soon' is not a time") != std::string::npos);
    CHECK(options.complaints()[2].find("did you mean VT_LOGFILE_NAME?") != std::string::npos);
}

TEST_CASE("anchors order ticks and clocks alike") {
    const Anchor a = read_anchor();
    const Anchor b = read_anchor();
    CHECK(b.tick > a.tick);
    CHECK(b.monotonic_ns >= a.monotonic_ns);
}

namespace {
std::size_t open_files() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator{"/proc/self/fd"}) ++count;
    return count;
}
} // namespace

TEST_CASE("a paged list is a list, in memory and in a file", "[base]") {
    const TestFolder folder;
    const std::string path = folder.path().string();
    for (const PagingTo& to : {PagingTo{}, PagingTo{path.c_str(), 16384}}) {
        PagedList<std::uint64_t> list{to};
        constexpr std::uint64_t many = 100'000;
        for (std::uint64_t i = 0; i < many; ++i) REQUIRE(list.push_back(i * i));
        const std::size_t open_before = open_files();
        list.close();
        CHECK(open_before - open_files() == (to.folder != nullptr ? 1 : 0));
        CHECK(std::filesystem::is_empty(folder.path()));
        std::uint64_t seen = 0;
        for (const std::uint64_t item : list) {
            REQUIRE(item == seen * seen);
            ++seen;
        }
        CHECK(seen == many);
        for (std::uint64_t i = many; i-- > 0;) { // backward, with changes
            list[i] += 1;
            list.pass(i);
        }
        list.erase_if([](std::uint64_t item) { return item % 2 == 0; });
        CHECK(list.size() == many / 2);
        CHECK(list.front() == 1);
        CHECK(list.back() == (many - 2) * (many - 2) + 1);
        PagedList<std::uint64_t> other = std::move(list);
        CHECK(other[1] == 5);
    }
}

TEST_CASE("a paged list without room says so", "[base]") {
    PagedList<std::uint64_t> list{{"/nowhere at all", 8192}};
    std::uint64_t taken = 0;
    while (taken < 100'000 && list.push_back(taken)) ++taken;
    CHECK(errno == ENOENT);
    REQUIRE(taken == 1024); // as many as memory had room for
    CHECK(list.back() == 1023);
}

TEST_CASE("a paged list beyond what a file may have says so, and ends nothing", "[base]") {
    const TestFolder folder;
    const std::string path = folder.path().string();
    // The file of 64 KiB cannot grow, and in the second case the first one of 16 KiB cannot be made.
    for (const auto& [limit, room] : {std::pair{100'000, 8192}, std::pair{10'000, 1024}}) {
        const std::size_t open_before = open_files();
        PagedList<std::uint64_t> list{{path.c_str(), 8192}};
        rlimit all{};
        getrlimit(RLIMIT_FSIZE, &all);
        const rlimit little{.rlim_cur = static_cast<rlim_t>(limit), .rlim_max = all.rlim_max};
        setrlimit(RLIMIT_FSIZE, &little);
        std::uint64_t taken = 0;
        while (taken < 100'000 && list.push_back(taken)) ++taken;
        const int reason = errno;
        setrlimit(RLIMIT_FSIZE, &all);
        CHECK(reason == EFBIG);
        CHECK(taken == static_cast<std::uint64_t>(room));
        for (; taken < 100'000; ++taken) REQUIRE(list.push_back(taken)); // there is room again
        list.close();
        for (std::uint64_t i = 0; i < taken; ++i) REQUIRE(list[i] == i);
        CHECK(open_files() == open_before);
    }
}

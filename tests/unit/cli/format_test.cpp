// Numbers and tables as people see them, and where the trace of a run is looked for.
#include "cli/find_traces.hpp"
#include "cli/format.hpp"
#include "cli/source_lines.hpp"
#include "cli/table.hpp"
#include "cli/trace_folder.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"

#include <cstdlib>
#include <dlfcn.h>

using namespace tactus;

TEST_CASE("numbers with units") {
    CHECK(duration_text(12.3456) == "12.346 s");
    CHECK(duration_text(0) == "0.000 s");
    CHECK(duration_text(0.0012345) == "1.234 ms");
    CHECK(duration_text(1.5e-6) == "1.500 us");
    CHECK(duration_text(2e-9) == "0.002 us");
    CHECK(count_text(0) == "0");
    CHECK(count_text(999) == "999");
    CHECK(count_text(1000) == "1 000");
    CHECK(count_text(1234567) == "1 234 567");
    CHECK(bytes_text(1023) == "1023 B");
    CHECK(bytes_text(1536) == "1.5 KiB");
    CHECK(bytes_text(std::uint64_t{5} << 30) == "5.0 GiB");
    CHECK(percent_text(0.1234) == "12.3 %");
    CHECK(plural(1, "rank", "ranks") == "1 rank");
    CHECK(plural(4096, "rank", "ranks") == "4 096 ranks");
    CHECK(utc_text(1'709'210'096'000'000'000) == "2024-02-29 12:34:56 UTC");
}

TEST_CASE("tables are as wide as their widest cell") {
    Table table{{{"name", Table::Align::left}, {"calls"}}};
    table.row({"MPI_Send", "5"});
    table.row({"é", "12 345"});
    CHECK(table.text() == "  name       calls\n"
                          "  MPI_Send       5\n"
                          "  é         12 345\n");
}

TEST_CASE("the trace of a run is found by the run's token") {
    const TestFolder folder;
    auto ranks = made_ranks(1);
    ranks[0].header.run = "00112233aabbccdd";
    write_trace(folder.path() / "app.tactus", ranks);
    ranks[0].header.run = "other";
    write_trace(folder.path() / "app-1.tactus", ranks);
    std::filesystem::create_directory(folder.path() / "empty.tactus");
    const auto found = find_traces(folder.path(), "00112233aabbccdd");
    REQUIRE(found.size() == 1);
    CHECK(found[0] == (folder.path() / "app.tactus").string());
    CHECK(find_traces(folder.path(), "ffff").empty());
    CHECK(find_traces(folder.path() / "nowhere", "ffff").empty());
    CHECK(new_run_token().size() == 16);
    CHECK(new_run_token() != new_run_token());
}

TEST_CASE("the folder of the trace: configuration file, command line, current folder") {
    const auto prefix_in = [](const std::string& text) { return option_in_config(text, "LOGFILE_PREFIX"); };
    CHECK(prefix_in("# comment\nLOGFILE-PREFIX /data/a\n") == "/data/a");
    CHECK(prefix_in("logfile_prefix \"/data/with blank\" # why\n") == "/data/with blank");
    CHECK(prefix_in("VT_LOGFILE_PREFIX /data/b\r\nLOGFILE-PREFIX /data/c # last wins\n") == "/data/c");
    CHECK(prefix_in("#LOGFILE-PREFIX /data/a\nLOGFILE-NAME x\n").empty());
    for (const char* variable : {"VT_LOGFILE_PREFIX", "VT_LOGFILE_NAME", "VT_CONFIG"}) unsetenv(variable);
    const std::string here = std::filesystem::current_path();
    CHECK(choose_trace_folder({"mpirun", "./app"}).path == here);
    CHECK(choose_trace_folder({"mpirun", "./app"}).prefix == here);
    const TraceFolder said = choose_trace_folder({"mpirun", "-x", "VT_LOGFILE_PREFIX=/data/d", "./app"});
    CHECK(said.path == "/data/d");
    CHECK(said.prefix.empty());
    setenv("VT_LOGFILE_NAME", "runs/first", 1);
    CHECK(choose_trace_folder({"mpirun", "./app"}).path == here + "/runs");
    setenv("VT_LOGFILE_NAME", "/data/first", 1);
    CHECK(choose_trace_folder({"mpirun", "./app"}).path == "/data");
    unsetenv("VT_LOGFILE_NAME");
}

namespace {

// The address of the call of this function.
[[gnu::noinline]] std::uint64_t return_address() {
    return reinterpret_cast<std::uint64_t>(__builtin_extract_return_addr(__builtin_return_address(0)));
}

} // namespace

TEST_CASE("call places: source lines of this very program, offsets where they cannot be known", "[libdw]") {
    SourceLines lines;
    const Place nowhere{"", "", 0x1234};
    CHECK(lines.text(nowhere) == "0x1234");
    const Place missing{"/no/such/libgone.so", "", 0x40};
    CHECK(lines.text(missing) == "libgone.so+0x40");
    REQUIRE(lines.untrusted().size() == 1);
    CHECK(lines.untrusted()[0].find("/no/such/libgone.so") == 0);
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    Dl_info module{};
    std::uint64_t (*volatile call)() = return_address; // called as the MPI is: not by an address in this file
    const std::uint64_t address = call();
    const int line = __LINE__ - 1;
    REQUIRE(dladdr(reinterpret_cast<void*>(address), &module) != 0);
    const Place here{self, "", address - reinterpret_cast<std::uint64_t>(module.dli_fbase)};
    CHECK(SourceLines{}.text(here) == "format_test.cpp:" + std::to_string(line));
    const Place rebuilt{self, "00ff", 0x40};
    CHECK(lines.text(rebuilt).find("+0x40") != std::string::npos);
    REQUIRE(lines.untrusted().size() == 2);
    CHECK(lines.untrusted()[1].find("rebuilt") != std::string::npos);
}

TEST_CASE("a table and a text fit into the terminal") {
    Table table{{{"call place", Table::Align::left}, {"calls"}, {"in", Table::Align::left}}};
    table.row({"a_very_long_name_of_a_file_in_the_program.cpp:1234", "1 000", "a::function::of::some::class"});
    table.row({"b.cpp:7", "2", "\u00e4\u00f6\u00fc"});
    for (const std::size_t width : {40U, 60U, 200U}) {
        const std::string text = table.text(width);
        INFO(text);
        for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
            CHECK(columns_of(std::string_view{text}.substr(begin, text.find('\n', begin) - begin)) <= width);
        CHECK((text.find("...") != std::string::npos) == (width < 100));
        CHECK(text.find("1 000") != std::string::npos);
        CHECK(text.find(":1234") != std::string::npos);
    }
    CHECK(wrapped("one two  three", 9, 2) == "  one two\n  three\n");
    CHECK(wrapped("one two three", 0, 2) == "  one two three\n");
    CHECK(wrapped("unbreakable", 4) == "unbreakable\n");
}

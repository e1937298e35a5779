// Configurations for Intel's collector: what tactus takes from each, and what it says.
#include "base/nearest.hpp"
#include "base/options/filter.hpp"
#include "base/options/intel_options.hpp"
#include "base/options/options.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/test_folder.hpp"

#include <fstream>
#include <string>
#include <vector>

using namespace tactus;

namespace {

Options of_file(const std::string& text) {
    const TestFolder folder;
    const std::string path = folder.path() / "vt.conf";
    std::ofstream{path} << text;
    const std::string config = "VT_CONFIG=" + path;
    const char* const environment[] = {config.c_str(), nullptr};
    return Options::read(environment);
}

Options of_environment(const std::vector<std::string>& variables) {
    std::vector<const char*> environment;
    for (const std::string& variable : variables) environment.push_back(variable.c_str());
    environment.push_back(nullptr);
    return Options::read(environment.data());
}

bool says(const Options& options, const std::string& text) {
    for (const std::string& complaint : options.complaints())
        if (complaint.find(text) != std::string::npos) return true;
    return false;
}

const OptionValue* kept(const std::vector<OptionValue>& all, const std::string& name) {
    for (const OptionValue& value : all)
        if (value.name == name) return &value;
    return nullptr;
}

} // namespace

TEST_CASE("Intel's options are known, and a file with all their defaults says nothing") {
    std::string defaults;
    for (const IntelOption& option : intel_options) {
        CHECK(intel_option(option.name) == &option);
        CHECK_FALSE(option.words.empty());
        bool ours = false;
        for (const OptionRow& row : option_table) ours = ours || row.name == option.name;
        CHECK(ours == (option.answer == IntelAnswer::same));
        if (option.answer == IntelAnswer::later && !option.initial.empty())
            CHECK(check_intel_value(option.value, option.initial));
        if (!option.initial.empty()) {
            std::string name{option.name};
            for (char& c : name) c = c == '_' ? '-' : c;
            defaults += name + " " + std::string{option.initial} + "\n";
        }
    }
    CHECK(of_file(defaults).complaints().empty());
    CHECK(intel_option("NONE") == nullptr);
}

TEST_CASE("variables of Intel's environment are no options") {
    const Options options = of_environment({"VT_ROOT=/opt/itac", "VT_LIB_DIR=/opt/itac/lib",
                                            "VT_SLIB_DIR=/opt/itac/slib", "VT_ADD_LIBS=-ldwarf -lelf", "VT_MPI=impi4"});
    CHECK(options.complaints().empty());
}

TEST_CASE("options with the same answer share a line") {
    const Options options =
        of_file("MEM-BLOCKSIZE 128KB\nMEM-MAXBLOCKS 8192\nFLUSH-PID off\nLOGFILE-FORMAT STFSINGLE\n");
    REQUIRE(options.complaints().size() == 2);
    CHECK(says(options, "VT_MEM_BLOCKSIZE, VT_MEM_MAXBLOCKS, VT_FLUSH_PID: tactus needs none of these"));
    CHECK(says(options, "VT_LOGFILE_FORMAT: a trace of tactus is a folder"));
    CHECK(says(of_file("ALTSTACK on\n"), "VT_ALTSTACK: tactus needs no such option"));
}

TEST_CASE("options of a later version are checked and kept in the trace") {
    const Options options = of_file("CHECK ** OFF\nCHECK LOCAL:** ON\nDEADLOCK-TIMEOUT 10s\n"
                                    "COUNTER PAPI_TOT_CYC ON\n");
    const std::vector<OptionValue> all = options.all();
    REQUIRE(kept(all, "CHECK") != nullptr);
    CHECK(kept(all, "CHECK")->value == "** OFF; LOCAL:** ON");
    CHECK(all.size() == option_table.size() + 2);
    CHECK(options.complaints().size() == 2);
    CHECK(options.text(Option::counter) == "PAPI_TOT_CYC on");
    CHECK(says(of_file("OS-COUNTER-DELAY 5s\n"), "VT_OS_COUNTER_DELAY: each thread reads its counters itself"));
    CHECK(says(options, "VT_CHECK: tactus does not check for errors in this version"));
    const Options wrong = of_file("DEADLOCK-WARNING soon\nCHECK LOCAL:**\nCHECK-MAX-ERRORS many\n");
    CHECK(wrong.all().size() == option_table.size());
    CHECK(wrong.complaints().size() == 3);
}

TEST_CASE("levels of the call stack are in Intel's form, or all") {
    CHECK(of_file("").levels_of_calls() == all_levels);
    CHECK(of_file("PCTRACE on\n").levels_of_calls() == only_the_call);
    CHECK(of_file("PCTRACE off\n").levels_of_calls() == CallLevels{});
    CHECK(of_file("PCTRACE 5\n").levels_of_calls() == CallLevels{.skip = 0, .count = 5});
    CHECK(of_file("PCTRACE 2:3\n").levels_of_calls() == CallLevels{.skip = 2, .count = 3});
    const Options wrong = of_file("PCTRACE 99\n");
    CHECK(says(wrong, "VT_PCTRACE from the file"));
    CHECK(says(wrong, "'99' is not all, on, off, or how many levels"));
    CHECK(wrong.levels_of_calls() == all_levels);
    CHECK(of_file("PCTRACE-FAST on\n").complaints().empty());
    CHECK(says(of_file("PCTRACE-FAST off\n"), "VT_PCTRACE_FAST: tactus needs no such option"));
}

TEST_CASE("Intel's forms of values are taken") {
    CHECK(of_file("VERBOSE 3\n").on(Option::verbose));
    CHECK_FALSE(of_file("VERBOSE 0\n").on(Option::verbose));
    CHECK(of_file("VERBOSE\n").on(Option::verbose));
    CHECK(says(of_file("VERBOSE 5\n"), "'5' is not on, off, or a level from 0 to 4"));
    CHECK(says(of_file("LOGFILE-NAME\n"), "VT_LOGFILE_NAME from the file"));
    CHECK(of_environment({"VT_LOGFILE_NAME="}).complaints().empty()); // the same as when it is not set
    const Options off = of_environment({"VT_PROCESS=OFF"});
    CHECK(off.complaints().empty());
    CHECK(state_of_process(off, 0, 4) == ProcessState::off);
    CHECK(state_of_process(off, 3, 4) == ProcessState::off);
    CHECK(of_file("CURRENT-DIR \"My Directory/tracing\"\n").text(Option::current_dir) == "My Directory/tracing");
    const Options folded = of_file("STATE Application:* FOLD\n");
    CHECK(says(folded, "asks to fold functions"));
    CHECK(Filter::read(folded).records("Application", "main"));
    CHECK(says(of_file("STATISTICS ON\nPROCESS 0:N OFF\n"), "VT_STATISTICS: `tactus report` adds up the records"));
}

TEST_CASE("a wrong name gets the option that was meant, and no other") {
    CHECK(says(of_environment({"VT_LOGFILE_NAMES=x"}), "did you mean VT_LOGFILE_NAME?"));
    CHECK(says(of_environment({"VT_TMIER=x"}), "did you mean VT_TIMER?"));
    for (const char* const other : {"VT_LOGFILE_SOMETHING=x", "VT_FLUSH_ALL=1", "VT_SYNC_ALWAYS=1", "VT_X=1"})
        CHECK(says(of_environment({other}), "`tactus options` lists those there are"));
    CHECK(nearest("reprot", {"report", "recover"}) == "report");
    CHECK(nearest("halo", {"report", "recover"}).empty());
}

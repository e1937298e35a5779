// What is recorded: rules for functions, ranks and time windows, from a file and the environment.
#include "base/options/filter.hpp"
#include "base/options/pattern.hpp"
#include "base/options/time_windows.hpp"

#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"

#include <fstream>

using namespace tactus;

namespace {

Options options_of(const std::vector<std::string>& variables) {
    std::vector<const char*> environment;
    environment.reserve(variables.size() + 1);
    for (const std::string& variable : variables) environment.push_back(variable.c_str());
    environment.push_back(nullptr);
    return Options::read(environment.data());
}

// Options from the lines of a VT_CONFIG file, and then from the environment.
Options options_of(const std::string& file, std::vector<std::string> variables) {
    const TestFolder folder;
    const std::string path = folder.path() / "vt.conf";
    std::ofstream{path} << file;
    variables.push_back("VT_CONFIG=" + path);
    return options_of(variables);
}

// One letter for each rank: (o)n, o(f)f, (n)o, (d)iscard.
std::string states(const std::string& rules, std::uint64_t ranks) {
    const Options options = options_of({"VT_PROCESS=" + rules});
    std::string letters;
    for (std::uint64_t rank = 0; rank < ranks; ++rank)
        letters += "ofnd"[static_cast<std::size_t>(state_of_process(options, rank, ranks))];
    return letters;
}

std::string only_complaint(const std::string& variable) {
    const Options options = options_of({variable});
    INFO(variable);
    REQUIRE(options.complaints().size() == 1);
    return options.complaints().front();
}

} // namespace

TEST_CASE("patterns: stars stop at a colon, double stars do not") {
    struct Row {
        const char* pattern;
        const char* name;
        bool matches;
    };
    for (const auto& [pattern, name, expected] : {Row{"MPI:*", "MPI:MPI_Send", true},
                                                  Row{"MPI:*send", "MPI:MPI_Isend", true},
                                                  Row{"mpi:*SEND", "MPI:MPI_Send", true},
                                                  Row{"MPI:*send", "MPI:MPI_Sendrecv", false},
                                                  Row{"MPI:*send*", "MPI:MPI_Sendrecv", true},
                                                  Row{"MPI:MPI_Send", "MPI:MPI_Send", true},
                                                  Row{"MPI:MPI_Send", "MPI:MPI_Sen", false},
                                                  Row{"*", "MPI:MPI_Send", false},
                                                  Row{"*:*", "A:B:c", false},
                                                  Row{"*:*:*", "A:B:c", true},
                                                  Row{"**", "A:B:c", true},
                                                  Row{"**send*", "A:B:resend_all", true},
                                                  Row{"**:*send*", "A:B:resend_all", true},
                                                  Row{"**:c", "A:B:c", true},
                                                  Row{"**:c", "c", false},
                                                  Row{"***", "A:B", true},
                                                  Row{"A?B", "A:B", false},
                                                  Row{"A?B", "AxB", true},
                                                  Row{"A?B", "AB", false},
                                                  Row{"MPI:MPI_[IS]send", "MPI:MPI_Isend", true},
                                                  Row{"MPI:MPI_[IS]send", "MPI:MPI_Bsend", false},
                                                  Row{"MPI:MPI_[a-i]*", "MPI:MPI_Bcast", true},
                                                  Row{"MPI:MPI_[a-i]*", "MPI:MPI_Send", false},
                                                  Row{"MPI:MPI_[!is]send", "MPI:MPI_Bsend", true},
                                                  Row{"MPI:MPI_[^is]send", "MPI:MPI_Isend", false},
                                                  Row{"A[!b]C", "A:C", false},
                                                  Row{"A[:]C", "A:C", true},
                                                  Row{"a[]]b", "a]b", true},
                                                  Row{"a[a-]b", "a-b", true},
                                                  Row{"a[", "a[", false},
                                                  Row{"", "", true},
                                                  Row{"", "a", false},
                                                  Row{"**", "", true},
                                                  Row{"?", "", false}}) {
        INFO(pattern << " and " << name);
        CHECK(matches(pattern, name) == expected);
    }
    CHECK_FALSE(well_formed("MPI:[ab"));
    CHECK_FALSE(well_formed("MPI:[]"));
    CHECK(well_formed("MPI:[]a]*"));
}

TEST_CASE("a pattern of many stars takes no time") {
    std::string pattern;
    for (int i = 0; i < 100; ++i) pattern += "**a";
    CHECK_FALSE(matches(pattern + "b", std::string(1000, 'a')));
    CHECK(matches(pattern, std::string(1000, 'a')));
}

TEST_CASE("without rules everything is recorded, everywhere, always") {
    const Options options = options_of({});
    CHECK(Filter::read(options).records("MPI", "MPI_Send"));
    CHECK(state_of_process(options, 3, 4) == ProcessState::on);
    CHECK(TimeWindows::read(options).at(5).on);
    CHECK(TimeWindows::read(options).at(5).until == TimeWindows::never);
}

TEST_CASE("the last rule that matches a function holds") {
    const Options options = options_of("ACTIVITY MPI OFF\nSTATE MPI:*send ON\nSYMBOL MPI_Bsend off\n", {});
    CHECK(options.complaints().empty());
    const Filter filter = Filter::read(options);
    CHECK(filter.records("MPI", "MPI_Isend"));
    CHECK_FALSE(filter.records("MPI", "MPI_Recv"));
    CHECK_FALSE(filter.records("MPI", "MPI_Bsend"));
    CHECK(filter.records("Application", "solve"));
    CHECK(options.text(Option::state) == "MPI:* off; MPI:*send on; **:MPI_Bsend off");
    const Filter reversed = Filter::read(options_of("STATE MPI:*send ON\nACTIVITY MPI OFF\n", {}));
    CHECK_FALSE(reversed.records("MPI", "MPI_Isend"));
}

TEST_CASE("rules of the environment follow those of the file, by the names of their variables") {
    const Options options = options_of("vt_symbol MPI_Send off # why\nSTATE \"MPI:*recv off\"\n",
                                       {"VT_SYMBOL=MPI_*send off", "VT_STATE=MPI:*send on;\n MPI:MPI_Test off ;",
                                        "VT_ACTIVITY=my** off", "VT_PROCESS=0 off"});
    CHECK(options.complaints().empty());
    CHECK(options.text(Option::state) == "**:MPI_Send off; MPI:*recv off; my**:* off; MPI:*send on; MPI:MPI_Test off; "
                                         "**:MPI_*send off");
    const OptionValue state = options.all()[static_cast<std::size_t>(Option::state)];
    CHECK_THAT(state.origin, StartsWith("file ") && EndsWith("vt.conf, environment"));
    CHECK(options.text(Option::process) == "0 off");
    const Options again = options_of({"VT_STATE=" + state.value});
    CHECK(again.text(Option::state) == state.value);
}

TEST_CASE("a line of the file may be long, and names with blanks are quoted") {
    std::string line = "STATE ";
    for (int i = 0; i < 1000; ++i) line += "MPI:MPI_Nothing" + std::to_string(i) + " off; ";
    const Options options = options_of(line + "\"my class:a; b #1\" off\n", {});
    CHECK(options.complaints().empty());
    CHECK_FALSE(Filter::read(options).records("My Class", "A; B #1"));
    CHECK(Filter::read(options).records("my class", "a"));
}

TEST_CASE("bad rules are named and left out, good ones beside them stay") {
    const Options options = options_of({"VT_STATE=MPI:*send; MPI:*recv off; MPI:* maybe"});
    REQUIRE(options.complaints().size() == 2);
    CHECK(options.complaints()[0] == "VT_STATE from the environment: 'MPI:*send' is not a pattern (in quotes where it "
                                     "has blanks) and on or off, such as MPI:MPI_Send off; rule ignored");
    CHECK_THAT(options.complaints()[1], Contains("'MPI:* maybe' is not a pattern"));
    CHECK(options.text(Option::state) == "MPI:*recv off");
    CHECK_THAT(only_complaint("VT_STATE=MPI:[ab off"), Contains("'[' without its ']'"));
    CHECK_THAT(only_complaint("VT_STATE=MPI_Send off"), Contains("names no class") && Contains("MPI:MPI_Send"));
    for (const char* wrong :
         {"\"\" off", "off", "MPI:a b off", "\"MPI:* off", "MPI:\"a\"b off", "MPI:* 16", "MPI:* 1:2:3", "MPI:* -1"})
        CHECK_THAT(only_complaint("VT_STATE=" + std::string{wrong}), Contains("rule ignored"));
}

TEST_CASE("call stack levels mean on, and it is said that the levels are not") {
    for (const char* as_on : {"1", "0:1", "true", "On"}) {
        const Options options = options_of({"VT_SYMBOL=MPI_Bcast " + std::string{as_on}});
        CHECK(options.complaints().empty());
        CHECK(options.text(Option::state) == "**:MPI_Bcast on");
    }
    for (const char* levels : {"0", "3", "0:0", "2:15"}) {
        const std::string variable = "VT_SYMBOL=MPI_Bcast " + std::string{levels};
        CHECK_THAT(only_complaint(variable), Contains("levels of the call stack") && Contains("taken as on"));
        CHECK(options_of({variable}).text(Option::state) == "**:MPI_Bcast on");
    }
}

TEST_CASE("ranks: lists of triplets, the last rule that names a rank holds") {
    CHECK(states("0:N off; 1:N:2 on", 5) == "fofof");
    CHECK(states("0:N:2 off", 4) == "fofo");
    CHECK(states("0:N:3, 1 no", 7) == "nnonoon");
    CHECK(states(" 2 : 3 discard\n3", 5) == "oodoo");
    CHECK(states("N off", 3) == "oof");
    CHECK(states("n OFF", 3) == "oof");
    CHECK(states("5:9 off", 3) == "ooo");
    CHECK(states("2:N off", 2) == "oo");
    CHECK(states("N:N off;0,0:1 FALSE; 1 true", 1) == "f");
    const Options options = options_of("PROCESS 0:N OFF\nPROCESS 1:N:2 ON\n", {"VT_PROCESS=3 no"});
    CHECK(options.text(Option::process) == "0:N OFF; 1:N:2 ON; 3 no");
    CHECK(state_of_process(options, 3, 4) == ProcessState::no);
}

TEST_CASE("bad lists of ranks are named and left out") {
    for (const char* wrong : {"maybe", "0:N maybe", "3:1 off", "0:N:0 off", "0:1:2:3 off", "0,,1 off", "-1 off",
                              "0:N: off", "N:3 off", "18446744073709551615 off", "a off", "\"0:N\" off"}) {
        CHECK_THAT(only_complaint("VT_PROCESS=" + std::string{wrong}),
                   Contains("FIRST:LAST:STEP") && Contains("rule ignored"));
        CHECK(states(wrong, 3) == "ooo");
    }
    CHECK_THAT(only_complaint("VT_PROCESS=0 discard"),
               Contains("statistics without records") && Contains("taken as no"));
    CHECK(options_of({"VT_PROCESS= ; ;"}).complaints().empty());
}

TEST_CASE("time windows are sorted and merged, and say when they change") {
    constexpr std::int64_t second = 1'000'000'000;
    const Options options = options_of({"VT_TIME_WINDOWS=420:720, 0:1,1:1.5 ,7m+30s:8m"});
    CHECK(options.complaints().empty());
    const TimeWindows windows = TimeWindows::read(options);
    const auto check = [&](std::int64_t at, bool on, std::int64_t until) {
        INFO(at);
        CHECK(windows.at(at).on == on);
        CHECK(windows.at(at).until == until);
    };
    check(-5, false, 0);
    check(0, true, 3 * second / 2);
    check(second, true, 3 * second / 2);
    check(3 * second / 2 - 1, true, 3 * second / 2);
    check(3 * second / 2, false, 420 * second);
    check(480 * second, true, 720 * second);
    check(720 * second, false, TimeWindows::never);
    CHECK(options_of("TIME-WINDOWS 0:1, 420:720 # seconds\n", {}).text(Option::time_windows) == "0:1, 420:720");
}

TEST_CASE("bad time windows are named, and everything is recorded") {
    for (const char* wrong : {"1", "1:", ":1", "1:1", "2:1", "-1:1", "0:1,", "0:1;2:3", "0:x", "0:1:2", ",", "nan:1"}) {
        const std::string variable = "VT_TIME_WINDOWS=" + std::string{wrong};
        CHECK_THAT(only_complaint(variable), Contains("is not a window BEGIN:END") && Contains("using the default"));
        CHECK(TimeWindows::read(options_of({variable})).at(0).on);
    }
    CHECK(TimeWindows::read(options_of({"VT_TIME_WINDOWS="})).at(0).until == TimeWindows::never);
}

namespace {

std::string counted(const std::string& rules) {
    std::string names;
    for (const CountedEvent* const event : events_to_count(options_of({"VT_COUNTER=" + rules})))
        names += (names.empty() ? "" : " ") + std::string{event->name};
    return names;
}

} // namespace

TEST_CASE("counters: those of the processor are off unless a rule switches them on, by either name") {
    CHECK(counted("").empty());
    CHECK(counted("cycles on; Instructions ON") == "cycles instructions");
    CHECK(counted("PAPI_TOT_CYC on; PAPI_L3_TCM on") == "cycles cache_misses");
    CHECK(counted("*_misses on; PAPI_BR_MSP off") == "cache_misses"); // the last rule that matches one of its names
    CHECK(counted("* off").empty());
    CHECK(counted("** on").find("page_faults") != std::string::npos);
}

TEST_CASE("counters: those of the program are on unless a rule switches them off") {
    const CounterRules rules = CounterRules::read(options_of({"VT_COUNTER=solver:* off; solver:residual on"}));
    CHECK(rules.records({"solver:residual"}, true));
    CHECK_FALSE(rules.records({"solver:cells"}, true));
    CHECK(rules.records({"memory"}, true));
}

TEST_CASE("counters: rules that ask for something in vain are told") {
    const auto complaints = [](const std::string& rules) { return options_of({"VT_COUNTER=" + rules}).complaints(); };
    CHECK(complaints("cycles on; cpu_usr off; mine off; m* on").empty());
    REQUIRE(complaints("cpu_usr on").size() == 1);
    CHECK_THAT(complaints("cpu_usr on")[0], Contains("is a counter of a host"));
    REQUIRE(complaints("cylces on").size() == 1);
    CHECK_THAT(complaints("cylces on")[0], Contains("is none of the counters of the processor"));
    CHECK(complaints("a\"b on").size() == 1);
    CHECK(complaints("\"\" on").size() == 1);
    REQUIRE(complaints("cycles").size() == 1);
    CHECK_THAT(complaints("cycles")[0], Contains("'cycles' is not a pattern"));
}

// Who made the calls at a place, when functions that only pass calls on are passed over.
#include "cli/report/callers.hpp"

#include "cli/kept_names.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/test_folder.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

using namespace tactus;
using Time = Callers::Time;

namespace {

// A program whose places have names. Its places are offsets in one file, or in others.
class Program {
  public:
    Place at(std::uint64_t offset, const std::string& function, const std::string& file,
             const std::string& module = "app") {
        names_.push_back({{"module", module},
                          {"build_id", ""},
                          {"offset", offset},
                          {"function", function},
                          {"file", file},
                          {"line", offset}});
        return {.module = module, .build_id = {}, .offset = offset};
    }
    void calls(Function function, const Place& place) {
        profile.places.push_back({.function = function, .name = {}, .place = place, .stats = {}});
    }
    // Numbers of samples when calls ended, and when they began.
    void sampled(std::uint32_t rank, const Place& place, const std::vector<Place>& callers, int inside,
                 int before = 0) {
        while (profile.ranks.size() <= rank)
            profile.ranks.push_back({.rank = static_cast<std::uint32_t>(profile.ranks.size()), .host = {}, .mpi = {}});
        CallPath path{.place = place, .callers = callers};
        for (int i = 0; i < inside; ++i) path.inside.add(0.1);
        for (int i = 0; i < before; ++i) path.before.add(0.1);
        profile.ranks[rank].samples.calls.push_back(path);
    }
    std::string text(const Place& place, Time time = Time::inside, std::optional<std::uint32_t> rank = {}) {
        std::ofstream{folder_.path() / kept_names_file} << nlohmann::json{{"version", 1}, {"places", names_}};
        SourceLines lines{folder_.path().string()};
        return Callers{profile, lines}.text(place, time, rank);
    }

    Profile profile;

  private:
    TestFolder folder_;
    nlohmann::json names_ = nlohmann::json::array();
};

} // namespace

TEST_CASE("callers: a function that three others call passes calls on") {
    Program program;
    const Place send = program.at(10, "send_all", "a.c");
    const Place main = program.at(50, "main", "a.c");
    const Place step = program.at(20, "step", "a.c");
    program.calls(Function::Send, send);
    program.calls(Function::Recv, program.at(60, "other", "b.c"));
    program.sampled(0, send, {step, main}, 194);
    program.sampled(0, send, {program.at(30, "start", "a.c"), main}, 2);
    CHECK(program.text(send).empty()); // two: it may be a part of the program like any other
    program.sampled(1, send, {program.at(40, "write", "a.c"), main}, 9);
    CHECK(program.text(send) == ", called by step (a.c:20)");
    CHECK(program.text(send, Time::inside, 1) == ", called by write (a.c:40)"); // on that rank
    CHECK(program.text(step).empty());
}

TEST_CASE("callers: a share has an interval, and no function is named that does not stand out") {
    Program program;
    const Place send = program.at(10, "send_all", "a.c");
    const Place step = program.at(20, "step", "a.c");
    const Place start = program.at(30, "start", "a.c");
    program.calls(Function::Send, send);
    program.sampled(0, send, {step}, 70, 10);
    program.sampled(0, send, {start}, 29, 11);
    program.sampled(0, send, {program.at(40, "write", "a.c")}, 1);
    CHECK(program.text(send) == ", called by step (a.c:20) for 70.0 % of the sampled time in it (between 60 and 78)");
    CHECK(program.text(send, Time::before) == ", called by at least 2 functions, one of them start (a.c:30)");
}

TEST_CASE("callers: a function that calls itself has no more callers for that") {
    Program program;
    const Place send = program.at(10, "cycle", "mg.c");
    const Place self = program.at(15, "cycle", "mg.c");
    program.calls(Function::Send, send);
    program.calls(Function::Recv, program.at(60, "other", "b.c"));
    program.sampled(0, send, {self, program.at(20, "solve", "mg.c")}, 50);
    program.sampled(0, send, {self, program.at(30, "main", "mg.c")}, 50);
    CHECK(program.text(send).empty());
}

TEST_CASE("callers: one long sample is not many") {
    Program program;
    const Place send = program.at(10, "send_all", "a.c");
    for (const std::uint64_t caller : {20, 30, 40})
        program.sampled(0, send, {program.at(caller, "f" + std::to_string(caller), "a.c")}, 1);
    program.profile.ranks[0].samples.calls[0].inside.add(1000);
    program.calls(Function::Send, send);
    CHECK(program.text(send).empty());
}

TEST_CASE("callers: few samples name nobody") {
    Program program;
    const Place send = program.at(10, "send_all", "a.c");
    for (const std::uint64_t caller : {20, 30, 40})
        program.sampled(0, send, {program.at(caller, "f" + std::to_string(caller), "a.c")}, 1);
    program.calls(Function::Send, send);
    CHECK(program.text(send).empty());
}

TEST_CASE("callers: a source file in which all calls are made is passed over, however deep") {
    Program program;
    const Place reduce = program.at(10, "reduce", "mp.f90");
    const Place sum = program.at(20, "mp_sum", "mp.f90");
    const Place main = program.at(50, "MAIN__", "pw.f90");
    program.calls(Function::Allreduce, reduce);
    program.calls(Function::Bcast, program.at(30, "mp_bcast", "mp.f90"));
    program.calls(Function::Init, main); // as nearly every program does
    program.calls(Function::Comm_rank, main);
    program.sampled(0, reduce, {sum, program.at(40, "solve", "scf.f90"), main}, 95);
    program.sampled(0, reduce, {sum, program.at(45, "start", "pw.f90"), main}, 5);
    CHECK(program.text(reduce) == ", called by solve (scf.f90:40)");
    program.calls(Function::Send, program.at(47, "solve", "scf.f90"));
    CHECK(program.text(reduce).empty()); // the program makes calls itself, too
}

TEST_CASE("callers: a program in one file below main is no wrapper") {
    Program program;
    const Place send = program.at(10, "exchange", "heat.c");
    program.calls(Function::Send, send);
    program.sampled(0, send, {program.at(20, "run", "heat.c"), program.at(50, "main", "main.c")}, 50);
    CHECK(program.text(send).empty());
    program.sampled(0, send, {program.at(30, "end", "heat.c"), program.at(40, "driver", "driver.c")}, 1);
    CHECK(program.text(send) == ", called by main (main.c:50)"); // a library with several users
}

TEST_CASE("callers: known libraries are passed over, and main never is") {
    Program program;
    const Place norm = program.at(10, "VecNorm_MPI", "pvec2.c", "/usr/lib/libpetsc_real.so.3.18");
    const Place outer = program.at(20, "VecNorm", "rvector.c", "/usr/lib/libpetsc_real.so.3.18");
    const Place main = program.at(50, "main", "ex.c");
    program.calls(Function::Allreduce, norm);
    program.sampled(0, norm, {outer, main}, 50);
    CHECK(program.text(norm) == ", called by main (ex.c:50)");
    const Place python = program.at(60, "_PyEval_EvalFrameDefault", "ceval.c", "/usr/lib/libc.so.6");
    program.sampled(1, norm, {outer, python}, 50);
    CHECK(program.text(norm, Time::inside, 1).empty()); // a library of the system is no part of the program
}

TEST_CASE("callers: paths of all ranks are one list") {
    Program program;
    const Place send = program.at(10, "send_all", "a.c");
    const Place step = program.at(20, "step", "a.c");
    program.sampled(0, send, {}, 1, 20);
    program.sampled(0, send, {step}, 3);
    program.sampled(1, send, {step}, 4);
    program.sampled(1, step, {}, 0, 9); // only before calls
    SourceLines lines;
    const std::vector<ShownPath> paths = Callers{program.profile, lines}.paths();
    REQUIRE(paths.size() == 2);
    CHECK(paths[0].callers == std::vector{step});
    CHECK(paths[0].inside.samples == 7);
    CHECK(paths[0].inside.seconds == Approx(0.7));
}

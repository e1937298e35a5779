// Measures how well and how quickly a made trace (bench/made_run.hpp) is corrected. bench/correction runs it.
//
//   correction accuracy TRACE    errors of all times against the truth in the headers, for each way of correction
//   correction speed TRACE       cost of reading and replaying in this process
#include "bench/correction_accuracy.hpp"
#include "bench/correction_speed.hpp"

#include "clocksync/trace_clocks.hpp"

#include <cstdio>
#include <string_view>

using namespace tactus;

int main(int argc, char** argv) {
    const std::string_view what = argc == 3 ? argv[1] : "";
    if (what != "accuracy" && what != "speed") {
        std::fprintf(stderr, "correction accuracy|speed TRACE\n");
        return 2;
    }
    auto trace = Trace::open(argv[2]);
    if (!trace) {
        std::fprintf(stderr, "%s\n", trace.error().line().c_str());
        return 1;
    }
    put_on_one_clock(*trace, {});
    what == "accuracy" ? print_accuracy(*trace) : print_speed(*trace);
    return 0;
}

#include "postproc/finish/finish_options.hpp"

#include "base/grammar.hpp"

namespace tactus {

FinishOptions finish_options(const Options& options) {
    const auto units = [&](Option option) { return time_of_ns(static_cast<double>(options.nanoseconds(option))); };
    FinishOptions wanted;
    wanted.eclc.mu = units(Option::eclc_mu); // 0 for "measured"
    wanted.measure_links = equal_ignoring_case(options.text(Option::eclc_mu), "measured");
    wanted.eclc.delta = units(Option::eclc_delta); // 0 for "tick"
    wanted.eclc.epsilon = units(Option::eclc_epsilon);
    wanted.eclc.slope = options.share(Option::eclc_slope).value_or(wanted.eclc.slope);
    wanted.eclc.iterate = equal_ignoring_case(options.text(Option::eclc_gamma), "iterate");
    if (const auto gamma = options.share(Option::eclc_gamma)) wanted.decay = 1 - *gamma;
    if (options.text(Option::eclc) == "2007") {
        wanted.decay = 0.01;
        wanted.eclc.delta = time_of_ns(1);
        wanted.eclc.mu = time_of_ns(1000);
    } else {
        wanted.correct = options.on(Option::eclc);
    }
    wanted.waits = options.on(Option::waits);
    wanted.compensate = options.on(Option::compensate);
    return wanted;
}

} // namespace tactus

#include "postproc/compensate/record_costs.hpp"

#include "trace/shapes.hpp"

namespace tactus {
namespace {

CallCosts costs_of(const RankFile& file) {
    const Definitions& definitions = file.definitions();
    if (!definitions.costs.empty()) return definitions.costs.back();
    return {.call = 1e-3 * file.header().overhead_ps_per_call};
}

} // namespace

RecordCosts::RecordCosts(const RankFile& file) : costs_{costs_of(file)} {
    for (const Totals& totals : file.definitions().totals) {
        if (totals.records > 0)
            sealing_ = 1e9 * file.seconds(totals.sealing + totals.stalled) / static_cast<double>(totals.records);
        // This overhead is measured while it occurs, so the measured cost of a call does not contain it.
        if (totals.calls > 0)
            costs_.call += 1e9 * file.seconds(totals.test_overhead) / static_cast<double>(totals.calls);
    }
}

bool RecordCosts::is_bare(std::uint64_t bytes) const { return costs_.carries && bytes > costs_.most_headed; }

double RecordCosts::carried(std::uint64_t bytes) const {
    if (!costs_.carries) return 0;
    return bytes <= costs_.most_copied ? costs_.copied_byte * static_cast<double>(bytes) : costs_.datatype;
}

// A receive with more room than the largest message with a header first saves the part of its buffer that such a
// message could overwrite.
double RecordCosts::taken_in(std::uint64_t bytes) const {
    return is_bare(bytes) ? costs_.copied_byte * static_cast<double>(costs_.most_headed) : carried(bytes);
}

double RecordCosts::before(const Record& record, std::uint64_t sealed) const {
    const double sealing = sealing_ * static_cast<double>(sealed);
    return record.what.kind == Kind::call ? costs_.call + sealing : sealing;
}

double RecordCosts::before_work(const Record& record, Words words) const {
    const Signature& what = record.what;
    const Mode mode = mode_of(what.function);
    if (what.kind != Kind::call || mode == Mode::persistent) return 0;
    const Shape shape = shape_of(what.function);
    if (shape == Shape::local) return 0;
    if (is_send(shape) && is_bare(what.bytes)) return 0;
    if (is_send(shape)) return (mode == Mode::blocking ? costs_.send : costs_.begin_send) + carried(what.bytes);
    if (mode == Mode::starting && (shape == Shape::receive || shape == Shape::matched_receive))
        return costs_.begin_receive;
    return costs_.begin_send * static_cast<double>(starts_of(record, words).size());
}

double RecordCosts::inside(const Record& record) const {
    if (!record.what.has(flag::repeated) || record.request < 2) return 0;
    const auto after_first = static_cast<double>(record.request - 1);
    if (found_nothing(record.what)) return costs_.call * after_first;
    return costs_.call + costs_.repeated * (after_first - 1); // the second call finds out that it is equal
}

double RecordCosts::after(const Record& record, Words words) const {
    const Signature& what = record.what;
    const bool of_application = what.kind == Kind::region || what.kind == Kind::counter || what.kind == Kind::comment;
    if (of_application) return costs_.call;
    if (what.kind != Kind::call || what.has(flag::repeated)) return 0;
    const Shape shape = shape_of(what.function);
    if (shape == Shape::local) return 0;
    const bool receives = shape == Shape::receive || shape == Shape::matched_receive || shape == Shape::sendrecv;
    if (receives && mode_of(what.function) == Mode::blocking) return costs_.receive + taken_in(what.bytes);
    if (!completes_requests(shape)) return 0;
    double cost = 0;
    for (const Completion& done : completions_of(record, words))
        cost += costs_.complete + (done.received ? taken_in(done.bytes) : 0);
    return cost;
}

} // namespace tactus

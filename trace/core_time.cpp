#include "trace/core_time.hpp"

namespace tactus {

CoreTime& CoreTime::operator+=(const CoreTime& more) {
    ran_s += more.ran_s;
    waited_s += more.waited_s;
    asleep_s += more.asleep_s;
    off_core_s += more.off_core_s;
    system_s += more.system_s;
    page_faults += more.page_faults;
    major_faults += more.major_faults;
    counts += more.counts;
    return *this;
}

CoreTime& CoreTime::operator-=(const CoreTime& less) { return *this += less.times(-1); }

CoreTime CoreTime::times(double factor) const {
    return {.ran_s = factor * ran_s,
            .waited_s = factor * waited_s,
            .asleep_s = factor * asleep_s,
            .off_core_s = factor * off_core_s,
            .system_s = factor * system_s,
            .page_faults = factor * page_faults,
            .major_faults = factor * major_faults,
            .counts = counts.times(factor)};
}

CoreTime core_time(const Stretch& stretch, double length_s) {
    CoreTime time;
    time.ran_s = std::min(1e-9 * static_cast<double>(stretch.ran_ns), length_s);
    time.off_core_s = length_s - time.ran_s;
    time.system_s = std::min(1e-9 * static_cast<double>(stretch.system_ns), time.ran_s);
    time.page_faults = static_cast<double>(stretch.minor_faults + stretch.major_faults);
    time.major_faults = static_cast<double>(stretch.major_faults);
    return time;
}

} // namespace tactus

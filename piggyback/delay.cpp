#include "piggyback/delay.hpp"

#include <algorithm>

namespace tactus {

double delay_after_message(double delay, double sender_delay, double lateness) {
    return delay + std::max(0.0, lateness) - std::max(0.0, lateness + delay - sender_delay);
}

double delay_after_messages(double delay, double enter, double arrived, double undelayed) {
    return std::max(enter, arrived) - std::max(enter - delay, undelayed);
}

double delay_after_wait(double delay, double sender_delay, double waited) {
    return waited > 0 ? delay_after_message(delay, sender_delay, waited) : delay;
}

} // namespace tactus

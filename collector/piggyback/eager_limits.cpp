#include "collector/piggyback/eager_limits.hpp"

#include "collector/piggyback/header.hpp"
#include "collector/session.hpp"
#include "mpi_kind.hpp"

#include <cstdlib>
#include <iterator>
#include <optional>

namespace tactus {
namespace {

// As both write them: digits, and perhaps k, m or g.
std::optional<unsigned long long> bytes_of(const char* text) {
    char* end = nullptr;
    const unsigned long long number = std::strtoull(text, &end, 10);
    if (end == text) return {};
    unsigned shift = 0;
    if (*end == 'k' || *end == 'K') shift = 10;
    if (*end == 'm' || *end == 'M') shift = 20;
    if (*end == 'g' || *end == 'G') shift = 30;
    if (end[shift != 0 ? 1 : 0] != '\0') return {};
    return number << shift;
}

} // namespace

RaisedEagerLimits::RaisedEagerLimits() {
    static_assert(std::size(eager_limits) <= most);
    if (session == nullptr || session->options.piggyback() == Piggyback::off) return;
    for (std::size_t i = 0; i < std::size(eager_limits); ++i) {
        const char* const now = std::getenv(eager_limits[i].variable);
        const auto bytes = now != nullptr ? bytes_of(now) : std::optional{eager_limits[i].initial};
        if (!bytes || *bytes == 0) continue; // nothing is known of it
        was_[i] = {.changed = true, .set = now != nullptr, .value = now != nullptr ? now : ""};
        setenv(eager_limits[i].variable, std::to_string(*bytes + header_bytes).c_str(), 1);
    }
}

void RaisedEagerLimits::restore() {
    for (std::size_t i = 0; i < std::size(eager_limits); ++i) {
        if (!was_[i].changed) continue;
        if (was_[i].set)
            setenv(eager_limits[i].variable, was_[i].value.c_str(), 1);
        else
            unsetenv(eager_limits[i].variable);
    }
}

} // namespace tactus

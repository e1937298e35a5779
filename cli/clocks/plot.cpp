#include "cli/clocks/plot.hpp"

#include "cli/messages.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tactus {
namespace {

constexpr double farthest = 1e5; // pixels; anything farther away is outside of the clip path anyway

double pixel(double value) { return std::isfinite(value) ? std::clamp(value, -farthest, farthest) : 0; }

// Writes a number with as many decimals as distinguish it from the next tick, with thin spaces between thousands and
// with a true minus sign.
std::string tick_text(double value, double step) {
    if (value == 0) return "0";
    if (std::abs(value) >= 1e7 || step < 1e-6) return fmt::format("{:g}", value);
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
    for (auto at = static_cast<std::ptrdiff_t>(std::min(text.find('.'), text.size())) - 3; at > 0; at -= 3)
        text.insert(static_cast<std::size_t>(at), "\u2009");
    return (value < 0 ? "\u2212" : "") + text;
}

double step_of(const std::vector<double>& numbers) { return numbers.size() < 2 ? 1 : numbers[1] - numbers[0]; }

} // namespace

std::string xml_text(const std::string& text) {
    std::string safe;
    for (const char c : printable(text)) {
        if (c == '&')
            safe += "&amp;";
        else if (c == '<')
            safe += "&lt;";
        else if (c == '>')
            safe += "&gt;";
        else
            safe += c;
    }
    // U+FFFE and U+FFFF are valid in UTF-8 but not in XML.
    for (const char* const odd : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
        for (std::size_t at = safe.find(odd); at != std::string::npos; at = safe.find(odd)) safe.replace(at, 3, "?");
    return safe;
}

void Range::reach(double value) {
    if (!std::isfinite(value)) return;
    low = empty ? value : std::min(low, value);
    high = empty ? value : std::max(high, value);
    empty = false;
}

Range Range::with_margin(double share) const {
    const double smallest = std::max(1e-9, 1e-9 * std::max(std::abs(low), std::abs(high)));
    const double margin = width() > smallest ? share * width() : std::max(smallest, 1.0);
    return {.low = low - margin, .high = high + margin, .empty = false};
}

std::vector<double> round_numbers(const Range& range, std::size_t wanted) {
    const double rough = range.width() / static_cast<double>(wanted);
    if (!(rough > 0) || !std::isfinite(rough)) return {};
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double share = rough / power;
    const double step = power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
    std::vector<double> numbers;
    const double first = std::ceil(range.low / step);
    for (std::size_t i = 0; i < 4 * wanted; ++i) {
        const double number = (first + static_cast<double>(i)) * step;
        if (number > range.high) break;
        numbers.push_back(number);
    }
    return numbers;
}

NsUnit unit_for(double largest_ns) {
    if (largest_ns < 500) return {"ns", 1};
    if (largest_ns < 2e7) return {"\u00b5s", 1e3};
    if (largest_ns < 2e9) return {"ms", 1e6};
    return {"s", 1e9};
}

Spot Panel::spot(double x, double y) const {
    return {pixel(frame_.left + (x - x_.low) / x_.width() * frame_.width),
            pixel(frame_.top + (y_.high - y) / y_.width() * frame_.height)};
}

Spot Panel::kept_inside(Spot spot) const {
    return {std::clamp(spot.x, frame_.left, frame_.left + frame_.width),
            std::clamp(spot.y, frame_.top, frame_.top + frame_.height)};
}

std::string Panel::x_ticks() const {
    std::string svg;
    const auto numbers = round_numbers(x_, 8);
    const double bottom = frame_.top + frame_.height;
    for (const double number : numbers) {
        const double x = spot(number, 0).x;
        svg += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}V{:.1f}"/>)", x, frame_.top, bottom);
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x, bottom + 18,
                           tick_text(number, step_of(numbers)));
    }
    return svg;
}

std::string Panel::y_ticks() const {
    std::string svg;
    const auto numbers = round_numbers(y_, 6);
    for (const double number : numbers) {
        const double y = spot(0, number).y;
        svg += fmt::format(R"(<path class="{}" d="M{:.1f} {:.1f}H{:.1f}"/>)", number == 0 ? "zero" : "grid",
                           frame_.left, y, frame_.left + frame_.width);
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", frame_.left - 8, y + 4,
                           tick_text(number, step_of(numbers)));
    }
    return svg;
}

std::string Panel::axes(int number, const Labels& labels) const {
    const double bottom = frame_.top + frame_.height;
    const double middle = frame_.top + frame_.height / 2;
    const std::string box = fmt::format(R"(x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}")", frame_.left,
                                        frame_.top, frame_.width, frame_.height);
    return fmt::format("<clipPath id=\"panel{}\"><rect {}/></clipPath>\n", number, box) + x_ticks() + y_ticks() +
           fmt::format("<rect class=\"frame\" {}/>\n", box) +
           fmt::format("<text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", frame_.left, frame_.top - 10,
                       xml_text(labels.title)) +
           fmt::format("<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       frame_.left + frame_.width / 2, bottom + 40, xml_text(labels.x)) +
           fmt::format("<text class=\"label\" x=\"22\" y=\"{0:.1f}\" text-anchor=\"middle\" "
                       "transform=\"rotate(-90 22 {0:.1f})\">{1}</text>\n",
                       middle, xml_text(labels.y));
}

std::string points_text(const std::vector<Spot>& spots) {
    std::string text;
    for (const Spot& spot : spots) text += fmt::format("{}{:.2f},{:.2f}", text.empty() ? "" : " ", spot.x, spot.y);
    return text;
}

} // namespace tactus

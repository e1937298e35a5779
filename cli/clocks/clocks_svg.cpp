// The drawing of the clocks. The upper panel shows how far each clock was ahead of global time. The lower panel shows
// the same without the clock's straight line, with half-widths and with what each round measured.
//
//   +------------------------------+  rank 1, node2
//   | own time minus global time   |  rank 2, node3
//   +------------------------------+
//   | minus its straight line      |  . round   o rejected
//   +------------------------------+
#include "cli/clocks/clocks.hpp"
#include "cli/clocks/clocks_curves.hpp"
#include "cli/clocks/plot.hpp"
#include "cli/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace tactus {
namespace {

constexpr Panel::Frame upper{92, 84, 740, 260};
constexpr Panel::Frame lower{92, 424, 740, 300};
constexpr double legend_x = 856;
constexpr double width = 1060;
constexpr double height = 790;
constexpr std::size_t most_dots = 400; // dots for the rounds of one clock

// The colors of Okabe and Ito (2008), which color-blind people can distinguish, and more, all for a white background.
constexpr std::array colors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
                               "#8c564b", "#5e3c99", "#666600", "#b2182b", "#1b7837", "#333333"};

constexpr const char* drawing_style = R"(<style>
text{font-family:"DejaVu Sans",Helvetica,Arial,sans-serif;font-size:12px;fill:#333}
.head{font-size:17px;font-weight:bold;fill:#111}.title{font-size:13px;font-weight:bold;fill:#222}.label{font-size:13px}
.grid{stroke:#e6e6e6;stroke-width:1}.zero{stroke:#999;stroke-width:1}.frame{fill:none;stroke:#555;stroke-width:1}
polyline{fill:none;stroke-linejoin:round}.other{stroke:#999;stroke-width:.8;stroke-opacity:.45}.shown{stroke-width:1.8}
.band{stroke:none}.bar{stroke-width:1;fill:none}
</style>
)";

using Curves = std::vector<ClockCurve>;
using Value = double CurvePoint::*; // what a panel shows

// Returns all curves, or if there are more than colors, those that bend most.
std::vector<const ClockCurve*> colored(const Curves& curves) {
    std::vector<const ClockCurve*> chosen;
    chosen.reserve(curves.size());
    for (const ClockCurve& curve : curves) chosen.push_back(&curve);
    if (chosen.size() <= colors.size()) return chosen;
    std::stable_sort(chosen.begin(), chosen.end(),
                     [](const auto* a, const auto* b) { return a->most_bend_ns() > b->most_bend_ns(); });
    chosen.resize(colors.size());
    std::sort(chosen.begin(), chosen.end(), [](const auto* a, const auto* b) { return a->rank < b->rank; });
    return chosen;
}

Range times_of(const Curves& curves) {
    Range range;
    for (const ClockCurve& curve : curves)
        for (const CurvePoint& point : curve.points) range.reach(point.time_s);
    return range.with_margin(0.02);
}

// Returns the median half-width. The panel has no room for more, because the wide ends of a clock that was measured
// only once would make everything else too small to see.
double usual_width_ns(const ClockCurve& curve) {
    std::vector<double> widths;
    widths.reserve(curve.points.size());
    for (const CurvePoint& point : curve.points) widths.push_back(point.half_width_ns);
    const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
    std::nth_element(widths.begin(), middle, widths.end());
    return *middle;
}

Range values_of(const Curves& curves, Value value, bool with_widths) {
    Range range;
    const auto reach = [&](const CurvePoint& point, double width_ns) {
        range.reach(point.*value - (with_widths ? width_ns : 0));
        range.reach(point.*value + (with_widths ? width_ns : 0));
    };
    for (const ClockCurve& curve : curves) {
        const double usual_ns = usual_width_ns(curve);
        for (const CurvePoint& point : curve.points) reach(point, usual_ns);
        for (const CurvePoint& round : curve.rounds)
            if (!round.rejected) reach(round, round.half_width_ns);
    }
    return range.with_margin(0.06);
}

class ClocksDrawing {
  public:
    ClocksDrawing(const Trace& trace, const ClocksFacts& facts)
        : trace_{trace}, facts_{facts}, curves_{clock_curves(trace, facts)}, colored_{colored(curves_)} {}

    std::string text() {
        svg_ = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                           "viewBox=\"0 0 {0} {1}\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
                           width, height);
        svg_ += drawing_style;
        put_head();
        put_panel(
            {1, upper, &CurvePoint::ahead_ns, "Clocks against global time", "own time \u2212 global time", false});
        put_panel({2, lower, &CurvePoint::bend_ns, "The same without each clock's straight line",
                   "deviation from the line", true});
        put_legend();
        put_key(lower.top + 8);
        return svg_ + "</svg>\n";
    }

  private:
    struct Content {
        int number;
        Panel::Frame frame;
        Value value;
        const char* title;
        const char* label;
        bool with_widths;
    };

    void put_text(const char* how, double x, double y, const std::string& text) {
        svg_ += fmt::format("<text{} x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", how, x, y, xml_text(text));
    }

    void put_head() {
        put_text(" class=\"head\"", upper.left, 30, "Clocks of " + file_name(trace_.ranks.front().header().program));
        const std::size_t shared = facts_.ranks.size() - curves_.size();
        std::string text =
            plural(facts_.ranks.size(), "rank", "ranks") + ", " + plural(curves_.size(), "clock", "clocks");
        if (shared > 0) text += fmt::format(" ({} on another rank's)", plural(shared, "rank", "ranks"));
        text += facts_.measured ? fmt::format("; fit {}; global time is rank 0's clock",
                                              fit_names[static_cast<std::size_t>(facts_.fit)])
                                : "; no clock was measured: these are the hosts' dates";
        put_text("", upper.left, 52, text);
    }

    void put_panel(const Content& content) {
        const Range range = values_of(curves_, content.value, content.with_widths);
        const NsUnit unit = unit_for(std::max(std::abs(range.low), std::abs(range.high)));
        const Range scaled{.low = range.low / unit.ns, .high = range.high / unit.ns, .empty = false};
        const Panel panel{content.frame, times_of(curves_), scaled};
        svg_ += panel.axes(content.number, {content.title, "global time since the start (s)",
                                            fmt::format("{} ({})", content.label, unit.name)});
        svg_ += fmt::format("<g clip-path=\"url(#panel{})\">\n", content.number);
        const auto spot = [&](const CurvePoint& point, double plus_ns) {
            return panel.spot(point.time_s, (point.*content.value + plus_ns) / unit.ns);
        };
        for (const ClockCurve& curve : curves_)
            if (std::find(colored_.begin(), colored_.end(), &curve) == colored_.end())
                put_line(curve, "class=\"other\"", spot);
        if (content.with_widths)
            for (std::size_t i = 0; i < colored_.size(); ++i) put_band(*colored_[i], colors[i], spot);
        for (std::size_t i = 0; i < colored_.size(); ++i)
            put_line(*colored_[i], fmt::format("class=\"shown\" stroke=\"{}\"", colors[i]), spot);
        svg_ += "</g>\n";
        for (std::size_t i = 0; i < colored_.size(); ++i)
            put_rounds(*colored_[i], colors[i], content.with_widths, panel, spot);
    }

    void put_line(const ClockCurve& curve, const std::string& how, const auto& spot) {
        std::vector<Spot> spots;
        spots.reserve(curve.points.size());
        for (const CurvePoint& point : curve.points) spots.push_back(spot(point, 0));
        svg_ += fmt::format("<polyline {} points=\"{}\"/>\n", how, points_text(spots));
    }

    void put_band(const ClockCurve& curve, const char* color, const auto& spot) {
        if (!curve.known || curve.rounds.empty()) return;
        // Many bands on top of each other must not hide the grid.
        const double opacity = std::clamp(0.8 / static_cast<double>(colored_.size()), 0.05, 0.16);
        std::vector<Spot> spots;
        spots.reserve(2 * curve.points.size());
        for (const CurvePoint& point : curve.points) spots.push_back(spot(point, point.half_width_ns));
        for (auto point = curve.points.rbegin(); point != curve.points.rend(); ++point)
            spots.push_back(spot(*point, -point->half_width_ns));
        svg_ += fmt::format("<polygon class=\"band\" fill=\"{}\" fill-opacity=\"{:.2f}\" points=\"{}\"/>\n", color,
                            opacity, points_text(spots));
    }

    // Rounds that lie outside of the panel, as rejected rounds may, are drawn at its edge.
    void put_rounds(const ClockCurve& curve, const char* color, bool with_bars, const Panel& panel, const auto& spot) {
        const std::size_t every = curve.rounds.size() / most_dots + 1;
        const double radius = curve.rounds.size() > 60 ? 1.6 : 3;
        for (std::size_t i = 0; i < curve.rounds.size(); i += every) {
            const CurvePoint& round = curve.rounds[i];
            const Spot at = panel.kept_inside(spot(round, 0));
            if (with_bars && !round.rejected)
                put_bar(at.x, panel.kept_inside(spot(round, round.half_width_ns)).y,
                        panel.kept_inside(spot(round, -round.half_width_ns)).y, color);
            put_dot(at, radius, color, round.rejected);
        }
    }

    void put_bar(double x, double top, double bottom, const char* color) {
        svg_ += fmt::format("<path class=\"bar\" stroke=\"{0}\" d=\"M{1:.1f} {2:.1f}V{3:.1f}M{4:.1f} {2:.1f}h6M{4:.1f} "
                            "{3:.1f}h6\"/>\n",
                            color, x, top, bottom, x - 3);
    }

    void put_dot(Spot at, double radius, const char* color, bool open) {
        svg_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" {}=\"{}\"/>\n", at.x, at.y, radius,
                            open ? "fill=\"#fff\" stroke-width=\"1.3\" stroke" : "fill", color);
    }

    void put_legend() {
        double y = upper.top + 8;
        const auto entry = [&](const char* color, const std::string& text) {
            svg_ += fmt::format("<path stroke=\"{}\" stroke-width=\"2.5\" d=\"M{:.1f} {:.1f}h22\"/>\n", color, legend_x,
                                y - 4);
            put_text("", legend_x + 30, y, text);
            y += 20;
        };
        constexpr std::size_t most = 24;
        for (std::size_t i = 0; i < colored_.size(); ++i) {
            const std::string& name = colored_[i]->name;
            entry(colors[i], name.size() <= most ? name : name.substr(0, most - 2) + "..");
        }
        if (curves_.size() == colored_.size()) return;
        entry("#bbb", fmt::format("{} more clocks", count_text(curves_.size() - colored_.size())));
        put_text("", legend_x + 30, y - 4, "(colored: bend most)");
    }

    void put_key(double y) {
        constexpr const char* gray = "#555";
        const double x = legend_x + 11;
        put_bar(x, y - 12, y + 4, gray);
        put_dot({x, y - 4}, 3, gray, false);
        put_text("", legend_x + 30, y, "round, half-width");
        put_dot({x, y + 20}, 3, gray, true);
        put_text("", legend_x + 30, y + 24, "rejected round");
        svg_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"22\" height=\"12\" fill=\"{}\" "
                            "fill-opacity=\".18\"/>\n",
                            legend_x, y + 38, gray);
        put_text("", legend_x + 30, y + 48, "half-width of the map");
    }

    const Trace& trace_;
    const ClocksFacts& facts_;
    Curves curves_;
    std::vector<const ClockCurve*> colored_;
    std::string svg_;
};

} // namespace

std::string clocks_svg(const Trace& trace, const ClocksFacts& facts) { return ClocksDrawing{trace, facts}.text(); }

} // namespace tactus

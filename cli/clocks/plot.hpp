// A panel of an SVG drawing: its axes with ticks and units, and the places of values inside of it. The SVG needs no
// other file. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tactus {

// Escapes text for XML.
std::string xml_text(const std::string& text);

struct Range {
    double low = 0;
    double high = 0;
    bool empty = true;
    [[nodiscard]] double width() const { return high - low; }
    // Extends the range to `value`, unless that is not finite.
    void reach(double value);
    // Returns a range that is wider at each end by this share of its width. The result is never empty.
    [[nodiscard]] Range with_margin(double share) const;
};

// Returns about `wanted` multiples of 1, 2 or 5 times a power of ten inside the range.
std::vector<double> round_numbers(const Range& range, std::size_t wanted);

// The unit for an axis whose largest value is `largest_ns`.
struct NsUnit {
    const char* name;
    double ns;
};
NsUnit unit_for(double largest_ns);

struct Spot {
    double x = 0; // in pixels
    double y = 0;
};

class Panel {
  public:
    struct Frame {
        double left, top, width, height;
    };
    Panel(Frame frame, Range x, Range y) : frame_{frame}, x_{x}, y_{y} {}

    [[nodiscard]] Spot spot(double x, double y) const;
    [[nodiscard]] Spot kept_inside(Spot spot) const;
    struct Labels {
        std::string title, x, y;
    };
    // Returns the SVG of frame, grid, numbers and labels. `number` is part of the name of the panel's clip path.
    [[nodiscard]] std::string axes(int number, const Labels& labels) const;

  private:
    [[nodiscard]] std::string x_ticks() const;
    [[nodiscard]] std::string y_ticks() const;

    Frame frame_;
    Range x_;
    Range y_;
};

// Returns text such as "12.50,7.25 13.00,7.00" for polylines and polygons.
std::string points_text(const std::vector<Spot>& spots);

} // namespace tactus

// A panel of a drawing in SVG: axes with ticks and units, and where things lie inside. Pure text; nothing of it needs
// another file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tactus {

// Text as XML may contain it.
std::string xml_text(const std::string& text);

struct Range {
    double low = 0;
    double high = 0;
    bool empty = true;
    [[nodiscard]] double width() const { return high - low; }
    // Leaves out what is not finite.
    void reach(double value);
    // Never empty, and a little wider than what it holds.
    [[nodiscard]] Range with_margin(double share) const;
};

// Multiples of 1, 2 or 5 times a power of ten inside the range, about as many as wanted.
std::vector<double> round_numbers(const Range& range, std::size_t wanted);

// The unit in which numbers as large as this are written.
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
    // Frame, grid and numbers; `number` names the panel's clip path.
    [[nodiscard]] std::string axes(int number, const Labels& labels) const;

  private:
    [[nodiscard]] std::string x_ticks() const;
    [[nodiscard]] std::string y_ticks() const;

    Frame frame_;
    Range x_;
    Range y_;
};

// "12.50,7.25 13.00,7.00", for polylines and polygons.
std::string points_text(const std::vector<Spot>& spots);

} // namespace tactus

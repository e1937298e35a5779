// A view as a picture, as `tactus view --svg` and the like make it: rows over time, messages, waits,
// collectives, the critical path, and what the colors mean. Drawn by cairo, the same in each format.
#pragma once

#include "base/result.hpp"
#include "cli/viewer/picture.hpp"
#include "postproc/waits/causes.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

enum class DrawingFormat : std::uint8_t { svg, png, pdf };

struct Drawing {
    std::string title;
    DrawingFormat format = DrawingFormat::svg;
    double width = 1200;         // pixels, or points
    std::vector<PathPiece> path; // the critical path; none: it is not drawn
};

// False: tactus was built without cairo, and draw() says so.
bool can_draw();
// How wide the rows themselves are then, beside their names: what a view of it asks for as its pixels.
std::uint32_t pixels_of(const Drawing& drawing, const std::vector<ViewRow>& rows);
// The bytes of the file.
Result<std::string> draw(const Pictured& pictured, const Drawing& drawing);

} // namespace tactus

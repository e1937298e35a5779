// A drawing of a view, as `tactus view --svg`, --png and --pdf make it: rows over time, messages, waits, collectives,
// the critical path, and a legend of the colors. Cairo draws the same in each format.
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
    double width = 1200;         // pixels, or points in a PDF
    std::vector<PathPiece> path; // the critical path; not drawn if empty
};

// Returns false if tactus was built without cairo. Then draw() returns an error.
bool can_draw();
// Returns the width of the rows without their names, in pixels. A view for this drawing must ask for so many pixels.
std::uint32_t pixels_of(const Drawing& drawing, const std::vector<ViewRow>& rows);
// Returns the bytes of the file.
Result<std::string> draw(const Pictured& pictured, const Drawing& drawing);

} // namespace tactus

// The drawing functions of a tactus that was built without the cairo library.
#include "cli/viewer/drawing.hpp"

namespace tactus {

bool can_draw() { return false; }

std::uint32_t pixels_of(const Drawing& drawing, const std::vector<ViewRow>& /*rows*/) {
    return static_cast<std::uint32_t>(drawing.width);
}

Result<std::string> draw(const Pictured& /*pictured*/, const Drawing& /*drawing*/) {
    return Error{.what = "this tactus was built without cairo, which draws pictures",
                 .advice = "build it again where that library is, Debian's libcairo2-dev"};
}

} // namespace tactus

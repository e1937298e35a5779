// A color for each function, by its kind. The hues of kinds can be distinguished by color-blind people (after Okabe and
// Ito), and their lightness differs, too. Within a kind there are a few shades. The same name has the same color in
// every picture. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tactus {

struct Color {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
    bool operator==(const Color&) const = default;
};

enum class Theme : std::uint8_t { light, dark };

Color color_of(std::string_view function, Theme theme = Theme::light);
// Returns the color for text on this color.
Color ink_on(Color color);
std::string hex(Color color); // such as "#d0d9cc"

} // namespace tactus

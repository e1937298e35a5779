// A color for each function, by what kind it is: hues that the color-blind tell apart (after Okabe and Ito),
// lightness that differs between kinds, a few shades within a kind. The same name has the same color in every picture.
// Pure.
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
// Of what is written on it.
Color ink_on(Color color);
std::string hex(Color color); // "#d0d9cc"

} // namespace tactus

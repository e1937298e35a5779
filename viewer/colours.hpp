// A colour for each function, by what kind it is: hues that the colour-blind tell apart (after Okabe and Ito),
// lightness that differs between kinds, a few shades within a kind. The same name has the same colour in every picture.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tactus {

struct Colour {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
    bool operator==(const Colour&) const = default;
};

enum class Theme : std::uint8_t { light, dark };

Colour colour_of(std::string_view function, Theme theme = Theme::light);
// Of what is written on it.
Colour ink_on(Colour colour);
std::string hex(Colour colour); // "#d0d9cc"

} // namespace tactus

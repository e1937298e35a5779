#include "cli/viewer/colors.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <span>
#include <utility>

namespace tactus {
namespace {

struct Shade {
    double hue = 0;        // degrees
    double saturation = 0; // percent
    double lightness = 0;
};

constexpr Shade of_messages[] = {{206, 85, 38}, {200, 80, 58}, {216, 62, 50},
                                 {208, 72, 70}, {222, 55, 36}, {196, 70, 44}};
constexpr Shade of_waiting[] = {{16, 88, 46}, {22, 92, 62}, {8, 68, 40}, {14, 85, 72}};
constexpr Shade of_collectives[] = {{42, 95, 48}, {48, 92, 64}, {36, 90, 40}, {52, 85, 50}, {38, 82, 72}, {45, 70, 34}};
constexpr Shade of_windows[] = {{322, 48, 58}, {316, 42, 42}, {328, 62, 74}, {310, 36, 54}};
constexpr Shade of_files[] = {{28, 45, 30}, {32, 38, 44}, {24, 50, 22}};
constexpr Shade of_regions[] = {{164, 92, 31}, {150, 48, 48}, {172, 52, 40}, {140, 38, 60},
                                {160, 45, 66}, {178, 60, 28}, {128, 34, 42}};
constexpr Shade of_others[] = {{262, 24, 58}, {254, 22, 70}, {270, 26, 46}, {246, 20, 52}};

struct Special {
    std::string_view name;
    Shade light;
    Shade dark;
};
constexpr Special specials[] = {{"(application)", {110, 14, 83}, {130, 9, 31}},
                                {"(not recorded)", {220, 14, 93}, {220, 8, 20}},
                                {"(tracer)", {280, 8, 62}, {280, 8, 48}}};

// The most frequent functions have shades that differ much from each other.
constexpr std::pair<std::string_view, std::size_t> chosen[] = {
    {"MPI_Send", 0},      {"MPI_Recv", 1},    {"MPI_Isend", 2},    {"MPI_Irecv", 3},      {"MPI_Sendrecv", 4},
    {"MPI_Start", 5},     {"MPI_Waitall", 0}, {"MPI_Wait", 1},     {"MPI_Waitany", 2},    {"MPI_Test", 3},
    {"MPI_Allreduce", 0}, {"MPI_Bcast", 1},   {"MPI_Barrier", 2},  {"MPI_Reduce", 3},     {"MPI_Alltoall", 4},
    {"MPI_Allgather", 5}, {"MPI_Init", 0},    {"MPI_Finalize", 1}, {"MPI_Init_thread", 0}};

bool begins_with(std::string_view name, std::initializer_list<std::string_view> prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view word) { return name.starts_with(word); });
}

std::span<const Shade> shades_of(std::string_view function) {
    if (!function.starts_with("MPI_")) return of_regions;
    std::string name; // in lower case, without "MPI_"
    for (const char letter : function.substr(4))
        name += static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter);
    if (name.starts_with("file_")) return of_files;
    if (begins_with(name, {"win_", "put", "rput", "get_accumulate", "rget", "accumulate", "raccumulate", "fetch_and_op",
                           "compare_and"}) ||
        name == "get")
        return of_windows;
    if (begins_with(name, {"wait", "test", "iprobe", "improbe", "probe", "mprobe", "parrived"})) return of_waiting;
    if (begins_with(name, {"send", "recv", "isend", "irecv", "bsend", "rsend", "ssend", "ibsend", "irsend", "issend",
                           "mrecv", "imrecv", "sendrecv", "isendrecv", "start", "pready", "psend", "precv"}))
        return of_messages;
    const std::string_view plain = name.starts_with('i') ? std::string_view{name}.substr(1) : std::string_view{name};
    if (begins_with(plain, {"barrier", "bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce",
                            "scan", "exscan", "neighbor"}))
        return of_collectives;
    return of_others;
}

std::uint32_t hash_of(std::string_view text) {
    std::uint32_t hash = 2166136261U; // FNV-1a
    for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
    return hash;
}

// https://www.w3.org/TR/css-color-3/#hsl-color
Color rgb_of(const Shade& shade) {
    const double lightness = shade.lightness / 100;
    const double reach = shade.saturation / 100 * std::min(lightness, 1 - lightness);
    const auto part = [&](double n) {
        const double k = std::fmod(n + shade.hue / 30, 12);
        return static_cast<std::uint8_t>(
            std::lround(255 * (lightness - reach * std::max(-1.0, std::min({k - 3, 9 - k, 1.0})))));
    };
    return {part(0), part(8), part(4)};
}

} // namespace

Color color_of(std::string_view function, Theme theme) {
    for (const Special& special : specials)
        if (function == special.name) return rgb_of(theme == Theme::light ? special.light : special.dark);
    if (function.starts_with('(')) return rgb_of(theme == Theme::light ? specials[0].light : specials[0].dark);
    const std::span<const Shade> shades = shades_of(function);
    for (const auto& [name, shade] : chosen)
        if (function == name) return rgb_of(shades[shade % shades.size()]);
    return rgb_of(shades[hash_of(function) % shades.size()]);
}

Color ink_on(Color color) {
    const double brightness = 0.299 * color.red + 0.587 * color.green + 0.114 * color.blue; // ITU-R BT.601
    return brightness > 140 ? Color{16, 20, 27} : Color{255, 255, 255};
}

std::string hex(Color color) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "#";
    for (const std::uint8_t part : {color.red, color.green, color.blue}) {
        text += digits[part >> 4];
        text += digits[part & 15];
    }
    return text;
}

} // namespace tactus

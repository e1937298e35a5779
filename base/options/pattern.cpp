#include "base/options/pattern.hpp"

#include "base/grammar.hpp"

#include <optional>
#include <vector>

namespace tactus {
namespace {

constexpr char separator = ':';

// A part of a pattern; it says which characters may be at its place in the name.
struct Piece {
    enum class Kind { literal, any, set, text, text_with_colons } kind;
    std::string_view characters; // the literal, or the text between the brackets of a set
};

bool set_takes(std::string_view set, char c) {
    const bool negated = set.starts_with('!') || set.starts_with('^');
    if (negated) set.remove_prefix(1);
    bool found = false;
    for (std::size_t i = 0; i < set.size(); ++i) {
        const bool range = i + 2 < set.size() && set[i + 1] == '-';
        const char last = range ? set[i + 2] : set[i];
        found = found || (lower(set[i]) <= lower(c) && lower(c) <= lower(last));
        if (range) i += 2;
    }
    return negated ? !found && c != separator : found;
}

bool takes(const Piece& piece, char c) {
    switch (piece.kind) {
    case Piece::Kind::literal:
        return lower(piece.characters.front()) == lower(c);
    case Piece::Kind::set:
        return set_takes(piece.characters, c);
    case Piece::Kind::any:
    case Piece::Kind::text:
        return c != separator;
    case Piece::Kind::text_with_colons:
        return true;
    }
    return false;
}

// Takes the first piece off the pattern; nothing for a '[' without its ']'. A ']' right after the '[' belongs to the
// set, as in a shell.
std::optional<Piece> next_piece(std::string_view& pattern) {
    Piece piece{Piece::Kind::literal, pattern.substr(0, 1)};
    std::size_t size = 1;
    if (pattern.starts_with("**")) {
        piece.kind = Piece::Kind::text_with_colons;
        size = 2;
    } else if (pattern.starts_with('*')) {
        piece.kind = Piece::Kind::text;
    } else if (pattern.starts_with('?')) {
        piece.kind = Piece::Kind::any;
    } else if (pattern.starts_with('[')) {
        const bool negated = pattern.starts_with("[!") || pattern.starts_with("[^");
        const std::size_t end = pattern.find(']', negated ? 3 : 2);
        if (end == std::string_view::npos) return {};
        piece = {Piece::Kind::set, pattern.substr(1, end - 1)};
        size = end + 1;
    }
    pattern.remove_prefix(size);
    return piece;
}

} // namespace

bool well_formed(std::string_view pattern) {
    while (!pattern.empty())
        if (!next_piece(pattern)) return false;
    return true;
}

// `taken` marks all lengths of the name that the pattern so far can match, so that many stars cost no more than many
// letters.
bool matches(std::string_view pattern, std::string_view name) {
    std::vector<bool> taken(name.size() + 1);
    taken[0] = true;
    while (!pattern.empty()) {
        const auto piece = next_piece(pattern);
        if (!piece) return false;
        const bool repeats = piece->kind == Piece::Kind::text || piece->kind == Piece::Kind::text_with_colons;
        std::vector<bool> next(taken.size());
        next[0] = repeats && taken[0];
        for (std::size_t i = 1; i < taken.size(); ++i)
            next[i] = (repeats && taken[i]) || ((repeats ? next[i - 1] : taken[i - 1]) && takes(*piece, name[i - 1]));
        taken.swap(next);
    }
    return taken.back();
}

} // namespace tactus

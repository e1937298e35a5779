#include "postproc/lod/links.hpp"

#include "postproc/lod/columns.hpp"
#include "postproc/lod/plan.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tactus {
namespace {

// Adds `more` to a sum with the same key.
void add_to(LinkSum& sum, const LinkSum& more, LinkKind kind) {
    sum.count += more.count;
    sum.amount += more.amount;
    if (kind == LinkKind::message) {
        sum.from += more.from;
        sum.to += more.to;
    } else {
        sum.from = std::min(sum.from, more.from);
        sum.to = std::max(sum.to, more.to);
    }
    if (sum.about != more.about) sum.about.reset();
    if (sum.what != more.what) sum.what.reset();
}

} // namespace

LinkSum sum_of_one(const Link& link, unsigned width_bits) {
    return {.from_slot = link.from >> width_bits,
            .to_slot = link.to >> width_bits,
            .source = link.source,
            .target = link.target,
            .count = 1,
            .amount = link.amount,
            .from = link.from,
            .to = link.to,
            .about = link.about,
            .what = link.what};
}

std::size_t LinkMap::find(const LinkSum& sum) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t number :
         {static_cast<std::uint64_t>(sum.from_slot), static_cast<std::uint64_t>(sum.to_slot), sum.source, sum.target}) {
        hash = (hash ^ number) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32;
    }
    std::size_t at = hash & (table_.size() - 1);
    while (table_[at] != 0 && sums_[table_[at] - 1].key() != sum.key()) at = (at + 1) & (table_.size() - 1);
    return at;
}

void LinkMap::grow() {
    constexpr std::size_t least = 16;
    table_.assign(std::max(least, 2 * table_.size()), 0);
    for (std::uint32_t i = 0; i < sums_.size(); ++i) table_[find(sums_[i])] = i + 1;
}

void LinkMap::add(const LinkSum& sum) {
    if (last_ < sums_.size() && sums_[last_].key() == sum.key()) return add_to(sums_[last_], sum, kind_);
    if (2 * sums_.size() >= table_.size()) grow();
    std::uint32_t& place = table_[find(sum)];
    if (place != 0) {
        last_ = place - 1;
        return add_to(sums_[last_], sum, kind_);
    }
    last_ = sums_.size();
    sums_.push_back(sum);
    place = static_cast<std::uint32_t>(sums_.size());
}

void LinkMap::widen(unsigned wider) {
    const std::vector<LinkSum> finer = std::exchange(sums_, {});
    std::fill(table_.begin(), table_.end(), 0);
    for (LinkSum sum : finer) {
        sum.from_slot >>= wider;
        sum.to_slot >>= wider;
        add(sum);
    }
}

std::vector<LinkSum> LinkMap::take() {
    table_ = {};
    std::sort(sums_.begin(), sums_.end(), [](const LinkSum& a, const LinkSum& b) { return a.key() < b.key(); });
    return std::exchange(sums_, {});
}

std::vector<LinkSum> widened(std::vector<LinkSum> sums, LinkKind kind, unsigned wider) {
    for (LinkSum& sum : sums) {
        sum.from_slot >>= wider;
        sum.to_slot >>= wider;
    }
    const auto before = [](const LinkSum& a, const LinkSum& b) { return a.key() < b.key(); };
    std::sort(sums.begin(), sums.end(), before);
    std::size_t kept = 0;
    for (std::size_t i = 1; i < sums.size(); ++i) {
        if (before(sums[kept], sums[i]))
            sums[++kept] = sums[i];
        else
            add_to(sums[kept], sums[i], kind);
    }
    if (!sums.empty()) sums.resize(kept + 1);
    return sums;
}

void LinkSums::add(const Link& link) {
    first_ = std::min({first_, link.from, link.to});
    last_ = std::max({last_, link.from, link.to});
    sums_.add(sum_of_one(link, width_bits_));
    if (sums_.size() >= enough_) widen();
}

// Until there are at most so many sums as are wanted.
void LinkSums::widen() {
    for (; sums_.size() > most_ && !is_widest(first_, last_, width_bits_); width_bits_ += level_bits)
        sums_.widen(level_bits);
    enough_ = 2 * std::max(most_, sums_.size());
}

namespace {

// Of the levels with wider slots, up to `widest_bits`, the narrowest that has at most half as many sums; none if none
// has.
std::optional<LinkLevel> halved(const LinkLevel& level, LinkKind kind, unsigned widest_bits) {
    std::optional<LinkLevel> found;
    unsigned too_few = 0; // steps that leave too many sums
    for (unsigned enough = (widest_bits - level.width_bits) / level_bits + 1; too_few + 1 < enough;) {
        const unsigned steps = (too_few + enough) / 2;
        std::vector<LinkSum> sums = widened(level.sums, kind, steps * level_bits);
        if (2 * sums.size() > level.sums.size()) {
            too_few = steps;
        } else {
            enough = steps;
            found = {level.width_bits + steps * level_bits, std::move(sums)};
        }
    }
    return found;
}

} // namespace

std::vector<LinkLevel> LinkSums::take() {
    constexpr std::size_t few = 64;
    widen();
    unsigned widest_bits = width_bits_;
    while (!is_widest(first_, last_, widest_bits)) widest_bits += level_bits;
    std::vector<LinkLevel> levels;
    levels.push_back({width_bits_, sums_.take()});
    while (levels.back().sums.size() > few) {
        std::optional<LinkLevel> wider = halved(levels.back(), kind_, widest_bits);
        if (!wider) break;
        levels.push_back(std::move(*wider));
    }
    return levels;
}

LinkPieces::LinkPieces(const Widths& widths, TakePiece take) : take_{std::move(take)}, open_(widths.size()) {
    constexpr std::size_t all_at_once = 1 << 18; // about so many sums of a level may be open, in all ranks together
    longest_ = std::clamp<std::size_t>(all_at_once / std::max<std::size_t>(widths.size(), 1), 128, 1024);
    for (std::size_t rank = 0; rank < widths.size(); ++rank)
        for (const LinkKind kind : {LinkKind::message, LinkKind::wait, LinkKind::collective})
            for (const unsigned width_bits : widths[rank][static_cast<std::size_t>(kind)])
                levels(rank, kind).push_back({width_bits, LinkMap{kind}});
}

void LinkPieces::add(std::size_t rank, LinkKind kind, const Link& link) {
    if (levels(rank, kind).empty()) return;
    levels(rank, kind).front().sums.add(sum_of_one(link, levels(rank, kind).front().width_bits));
    end_if_long(rank, kind, 0);
}

void LinkPieces::finish() {
    for (std::size_t rank = 0; rank < open_.size(); ++rank)
        for (const LinkKind kind : {LinkKind::message, LinkKind::wait, LinkKind::collective})
            for (std::size_t level = 0; level < levels(rank, kind).size(); ++level) end(rank, kind, level);
}

void LinkPieces::end_if_long(std::size_t rank, LinkKind kind, std::size_t level) {
    if (levels(rank, kind)[level].sums.size() >= longest_) end(rank, kind, level);
}

// Hands out a piece, and adds it to the level above.
void LinkPieces::end(std::size_t rank, LinkKind kind, std::size_t level) {
    Level& open = levels(rank, kind)[level];
    const LinkLevel piece{open.width_bits, open.sums.take()};
    if (piece.sums.empty()) return;
    take_(rank, kind, piece);
    if (level + 1 == levels(rank, kind).size()) return;
    Level& above = levels(rank, kind)[level + 1];
    for (LinkSum sum : piece.sums) {
        sum.from_slot >>= above.width_bits - open.width_bits;
        sum.to_slot >>= above.width_bits - open.width_bits;
        above.sums.add(sum);
    }
    end_if_long(rank, kind, level + 1);
}

namespace {

enum LinkColumn : std::size_t { places, parties, counts, amounts, begins, ends, abouts, whats, link_columns };

// Stores a number that is mostly the same as in the sum before, and may be unknown.
class Repeated {
  public:
    void write(Bytes& to, const std::optional<std::uint64_t>& value) {
        append_varint(to, value == last_ ? 0 : value ? 2 : 1);
        if (value && value != last_) append_varint(to, *value);
        last_ = value;
    }
    std::optional<std::uint64_t> read(ByteReader& from) {
        const std::uint64_t how = from.varint();
        if (how > 2) from.fail();
        if (how == 1) last_.reset();
        if (how == 2) last_ = from.varint();
        return last_;
    }

  private:
    std::optional<std::uint64_t> last_ = 0;
};

__extension__ typedef unsigned __int128 WideBits;

// Stores 126 bits in two varints: the low 63 bits, and the high ones only if they are not 0.
void append_sum(Bytes& to, SumOfTimes sum) {
    const auto whole = static_cast<WideBits>(sum);
    append_varint(to, static_cast<std::uint64_t>(whole) << 1 | (whole >> 63 != 0 ? 1 : 0));
    if (whole >> 63 != 0) append_varint(to, static_cast<std::uint64_t>(whole >> 63));
}
SumOfTimes read_sum(ByteReader& from) {
    const std::uint64_t low = from.varint();
    auto whole = static_cast<WideBits>(low >> 1);
    if ((low & 1) != 0) whole |= static_cast<WideBits>(from.varint()) << 63;
    return static_cast<SumOfTimes>(whole);
}

// How many times are added up in `from` and `to`: only messages have sums.
SumOfTimes added_up(const LinkSum& sum, LinkKind kind) {
    return kind == LinkKind::message ? static_cast<SumOfTimes>(sum.count) : 1;
}
SumOfTimes begin_of(std::int64_t slot, unsigned width_bits) {
    return static_cast<SumOfTimes>(slot) * (static_cast<SumOfTimes>(1) << width_bits);
}

} // namespace

Bytes encode(std::span<const LinkSum> sums, LinkKind kind, unsigned width_bits) {
    std::array<Bytes, link_columns> columns;
    std::int64_t last_slot = 0;
    Repeated source;
    Repeated target;
    Repeated about;
    Repeated what;
    for (const LinkSum& sum : sums) {
        append_varint(columns[places], static_cast<std::uint64_t>(sum.from_slot - last_slot));
        append_varint(columns[places], zigzag(sum.to_slot - sum.from_slot));
        last_slot = sum.from_slot;
        source.write(columns[parties], sum.source);
        target.write(columns[parties], sum.target);
        append_varint(columns[counts], sum.count);
        append_varint(columns[amounts], sum.amount);
        append_sum(columns[begins], sum.from - added_up(sum, kind) * begin_of(sum.from_slot, width_bits));
        append_sum(columns[ends], sum.to - added_up(sum, kind) * begin_of(sum.to_slot, width_bits));
        about.write(columns[abouts], sum.about);
        what.write(columns[whats], sum.what);
    }
    Bytes bytes;
    append_varint(bytes, sums.size());
    append_columns(bytes, columns);
    return bytes;
}

Result<std::vector<LinkSum>> decode_links(ByteView bytes, LinkKind kind, unsigned width_bits) {
    const Error wrong{"the columns of sums of messages, waits or collectives contradict each other"};
    ByteReader in{bytes};
    const std::uint64_t count = in.varint();
    const auto views = take_columns<link_columns>(in);
    if (!views || count > (*views)[counts].size() || width_bits > most_width_bits) return wrong;
    std::vector<ByteReader> columns{views->begin(), views->end()};
    const std::int64_t most_slot = within_reach(std::numeric_limits<GlobalTime>::max()) >> width_bits;
    std::vector<LinkSum> sums;
    sums.reserve(count);
    std::int64_t slot = within_reach(std::numeric_limits<GlobalTime>::min()) >> width_bits;
    Repeated source;
    Repeated target;
    Repeated about;
    Repeated what;
    for (std::uint64_t i = 0; i < count; ++i) {
        LinkSum sum;
        const auto since = static_cast<std::int64_t>(columns[places].varint());
        const std::int64_t length = columns[places].signed_varint();
        if (__builtin_add_overflow(i == 0 ? 0 : slot, since, &sum.from_slot) ||
            __builtin_add_overflow(sum.from_slot, length, &sum.to_slot) || sum.from_slot < slot ||
            sum.from_slot > most_slot || sum.to_slot > most_slot ||
            sum.to_slot < within_reach(std::numeric_limits<GlobalTime>::min()) >> width_bits)
            return wrong;
        slot = sum.from_slot;
        const auto both = std::pair{source.read(columns[parties]), target.read(columns[parties])};
        sum.count = columns[counts].varint();
        if (!both.first || !both.second || sum.count == 0 || sum.count > std::uint64_t{1} << 40) return wrong;
        sum.source = *both.first;
        sum.target = *both.second;
        sum.amount = columns[amounts].varint();
        const SumOfTimes all = added_up(sum, kind);
        const SumOfTimes from = read_sum(columns[begins]); // counted from the begin of the slot, as is `to`
        const SumOfTimes to = read_sum(columns[ends]);
        const SumOfTimes end = all * begin_of(1, width_bits);
        if (from < 0 || from >= end || to < 0 || to >= end) return wrong;
        sum.from = from + all * begin_of(sum.from_slot, width_bits);
        sum.to = to + all * begin_of(sum.to_slot, width_bits);
        sum.about = about.read(columns[abouts]);
        if (const auto number = what.read(columns[whats])) sum.what = static_cast<std::uint32_t>(*number);
        sums.push_back(sum);
    }
    if (!std::all_of(columns.begin(), columns.end(), [](const ByteReader& column) { return column.ok(); }))
        return wrong;
    return sums;
}

} // namespace tactus

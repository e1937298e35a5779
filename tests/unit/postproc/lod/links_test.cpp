// Links are added up at all widths, and written as bytes and read back.
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/test_folder.hpp"
#include "tests/unit/postproc/lod/links_by_rule.hpp"

#include <algorithm>
#include <map>
#include <random>

namespace tactus {
namespace {

Links random_links(std::mt19937_64& random, std::size_t count) {
    const auto below = [&](std::uint64_t end) { return random() % end; };
    const std::uint64_t most = std::uint64_t{1} << (8 + below(40));
    Links links;
    for (std::size_t i = 0; i < count; ++i) {
        Link& link = links.emplace_back();
        link.from = static_cast<GlobalTime>(below(most)) - static_cast<GlobalTime>(most / 4);
        link.to =
            link.from + static_cast<GlobalTime>(below(most >> below(20) | 1)) - static_cast<GlobalTime>(below(30));
        link.source = thread_of(static_cast<std::uint32_t>(below(3)), 0);
        link.target = thread_of(static_cast<std::uint32_t>(below(3)), static_cast<std::uint32_t>(below(2)));
        link.amount = below(1000);
        link.about = random() >> (below(2) * 63);
        link.what = static_cast<std::uint32_t>(below(2));
    }
    return links;
}

} // namespace

TEST_CASE("links that are alike are added up, whatever the width and the order", "[lod]") {
    for (std::uint64_t seed = 1; seed <= seeds(200); ++seed) {
        std::mt19937_64 random{seed};
        Links links = random_links(random, 1 + random() % 300);
        const std::size_t most = 1 + random() % 100;
        GlobalTime first = links.front().from;
        GlobalTime last = first;
        for (const Link& link : links) {
            first = std::min({first, link.from, link.to});
            last = std::max({last, link.from, link.to});
        }
        for (const LinkKind kind : {LinkKind::message, LinkKind::wait}) {
            const auto take = [&] {
                LinkSums sums{kind, most};
                for (const Link& link : links) sums.add(link);
                return sums.take();
            };
            const std::vector<LinkLevel> levels = take();
            // The narrowest slots, from this width on, that are the widest or leave so few sums.
            const auto width_with = [&](unsigned width_bits, std::size_t sums) {
                while ((last - first) >> width_bits >= 8 && by_rule(links, kind, width_bits).size() > sums)
                    width_bits += 2;
                return width_bits;
            };
            unsigned expected = width_with(0, most);
            for (const LinkLevel& level : levels) {
                INFO("seed " << seed << " kind " << static_cast<int>(kind) << " width 2^" << level.width_bits);
                CHECK(level.width_bits == expected);
                expected = width_with(level.width_bits, level.sums.size() / 2);
                const bool is_last =
                    level.sums.size() <= 64 || by_rule(links, kind, expected).size() > level.sums.size() / 2;
                CHECK(is_last == (&level == &levels.back()));
                REQUIRE(text_of(level.sums) == text_of(by_rule(links, kind, level.width_bits)));
                const auto back = decode_links(encode(level.sums, kind, level.width_bits), kind, level.width_bits);
                REQUIRE(back);
                CHECK(*back == level.sums);
            }
            std::shuffle(links.begin(), links.end(), random);
            const std::vector<LinkLevel> again = take();
            REQUIRE(again.size() == levels.size());
            for (std::size_t i = 0; i < levels.size(); ++i) CHECK(again[i].sums == levels[i].sums);
        }
    }
}

TEST_CASE("each level of many links has at most half of the sums of the one before", "[lod]") {
    std::mt19937_64 random{1};
    Links links;
    for (GlobalTime i = 0; i < 30'000; ++i) {
        const GlobalTime from = i * 1000 + static_cast<GlobalTime>(random() % 1000);
        links.push_back({.from = from, .to = from + 10, .source = 1, .target = 2, .amount = 8});
    }
    LinkSums sums{LinkKind::message, 1000};
    for (const Link& link : links) sums.add(link);
    const std::vector<LinkLevel> levels = sums.take();
    REQUIRE(levels.size() >= 3);
    CHECK(levels.front().sums.size() <= 1000);
    for (std::size_t i = 1; i < levels.size(); ++i) {
        CHECK(levels[i].sums.size() <= levels[i - 1].sums.size() / 2);
        CHECK(by_rule(links, LinkKind::message, levels[i].width_bits - 2).size() > levels[i - 1].sums.size() / 2);
        CHECK(text_of(levels[i].sums) == text_of(by_rule(links, LinkKind::message, levels[i].width_bits)));
    }
    CHECK(levels.back().sums.size() <= 64);
    CHECK(sums.take().front().sums.empty()); // nothing is left
}

TEST_CASE("links come in pieces at every level that is wanted", "[lod]") {
    for (std::uint64_t seed = 1; seed <= seeds(40); ++seed) {
        std::mt19937_64 random{seed};
        LinkPieces::Widths widths(3);
        for (auto& kinds : widths) kinds[0] = {0, 5, 8 + static_cast<unsigned>(random() % 20)};
        widths[1][1] = {3};
        std::map<std::tuple<std::size_t, LinkKind, unsigned>, LinkMap> added;
        LinkPieces pieces{
            widths, [&](std::size_t rank, LinkKind kind, const LinkLevel& piece) {
                CHECK(piece.sums.size() <= 1024);
                CHECK(std::is_sorted(piece.sums.begin(), piece.sums.end(),
                                     [](const LinkSum& a, const LinkSum& b) { return a.key() < b.key(); }));
                LinkMap& all = added.try_emplace({rank, kind, piece.width_bits}, LinkMap{kind}).first->second;
                for (const LinkSum& sum : piece.sums) all.add(sum);
            }};
        std::map<std::pair<std::size_t, LinkKind>, Links> given;
        for (const Link& link : random_links(random, random() % 6000)) {
            const std::size_t rank = random() % 3;
            const auto kind = static_cast<LinkKind>(random() % 2);
            pieces.add(rank, kind, link);
            given[{rank, kind}].push_back(link);
        }
        pieces.finish();
        std::size_t levels = 0;
        for (const auto& [which, links] : given)
            for (const unsigned width_bits : widths[which.first][static_cast<std::size_t>(which.second)]) {
                ++levels;
                REQUIRE(text_of(added.at({which.first, which.second, width_bits}).take()) ==
                        text_of(by_rule(links, which.second, width_bits)));
            }
        CHECK(levels == added.size());
    }
}

TEST_CASE("damaged sums of links are refused, or sane", "[lod]") {
    std::mt19937_64 random{1};
    std::size_t refused = 0;
    for (int i = 0; i < 2000; ++i) {
        LinkSums sums{LinkKind::message, 40};
        for (const Link& link : random_links(random, 50)) sums.add(link);
        const LinkLevel level = sums.take().front();
        Bytes bytes = encode(level.sums, LinkKind::message, level.width_bits);
        bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        const auto back = decode_links(bytes, LinkKind::message, level.width_bits);
        if (!back) ++refused;
        for (const LinkSum& sum : back ? *back : std::vector<LinkSum>{}) {
            CHECK(sum.mean_from() >> level.width_bits == sum.from_slot);
            CHECK(sum.mean_to() >> level.width_bits == sum.to_slot);
        }
    }
    CHECK(refused > 100);
}

} // namespace tactus

#include "tests/unit/postproc/lod/links_by_rule.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tactus {

std::string text_of(const std::vector<LinkSum>& sums) {
    std::string text;
    for (const LinkSum& sum : sums) {
        text += std::to_string(sum.from_slot) + ".." + std::to_string(sum.to_slot) + " " + std::to_string(sum.source) +
                ">" + std::to_string(sum.target) + " " + std::to_string(sum.count) + " x " +
                std::to_string(sum.amount) + " from " + std::to_string(sum.mean_from()) + " to " +
                std::to_string(sum.mean_to()) + " about " + (sum.about ? std::to_string(*sum.about) : "mixed") + " " +
                (sum.what ? std::to_string(*sum.what) : "mixed") + "\n";
    }
    return text;
}

std::vector<LinkSum> by_rule(const Links& links, LinkKind kind, unsigned width_bits) {
    std::map<std::tuple<std::int64_t, std::int64_t, std::uint64_t, std::uint64_t>, std::vector<const Link*>> alike;
    for (const Link& link : links)
        alike[{link.from >> width_bits, link.to >> width_bits, link.source, link.target}].push_back(&link);
    std::vector<LinkSum> sums;
    for (const auto& [place, all] : alike) {
        LinkSum& sum = sums.emplace_back();
        std::tie(sum.from_slot, sum.to_slot, sum.source, sum.target) = place;
        sum.count = all.size();
        sum.about = all.front()->about;
        sum.what = all.front()->what;
        const bool means = kind == LinkKind::message;
        for (const Link* link : all) {
            sum.amount += link->amount;
            sum.from = link == all.front() ? link->from
                       : means             ? sum.from + link->from
                                           : std::min<SumOfTimes>(sum.from, link->from);
            sum.to = link == all.front() ? link->to
                     : means             ? sum.to + link->to
                                         : std::max<SumOfTimes>(sum.to, link->to);
            if (link->about != all.front()->about) sum.about.reset();
            if (link->what != all.front()->what) sum.what.reset();
        }
    }
    return sums;
}

} // namespace tactus

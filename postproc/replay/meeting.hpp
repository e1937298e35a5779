// One collective while its members come: what each gives, and what each takes from the others. Pure.
#pragma once

#include "postproc/replay/agree.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tactus {

// `Rule::stronger(a, b)` is what both together demand.
template <class Note, class Rule> class Meeting {
  public:
    struct Member {
        Note note{};
        bool gives = false;
        bool takes = false;
        std::vector<std::uint32_t> list; // members it takes from; empty: all
    };

    explicit Meeting(std::size_t size) : members_(size) {}
    // True when it was the last one.
    bool come(std::uint32_t member, Member one) {
        if (member < members_.size()) members_[member] = std::move(one);
        return ++came_ == members_.size();
    }

    // Calls `answer(member, note)` for each that takes, with nullptr when nobody gave. `reversed`: time runs backward.
    template <class Answer> void end(const OwnedCircle& circle, bool reversed, const Answer& answer) const {
        const auto size = static_cast<std::uint32_t>(members_.size());
        const bool two_sided = circle.first < size;
        const bool lower = circle.taking == Taking::lower;
        // Of those behind each, in front of it, and of each group of an intercommunicator.
        std::vector<Sum> behind(size + 1);
        for (std::uint32_t i = size; i-- > 0;) {
            behind[i] = behind[i + 1];
            behind[i].add(members_[i]);
        }
        Sum front;
        Sum first_group;
        for (std::uint32_t i = 0; i < circle.first && i < size; ++i) first_group.add(members_[i]);
        Sum second_group;
        for (std::uint32_t i = circle.first; i < size; ++i) second_group.add(members_[i]);
        for (std::uint32_t i = 0; i < size; ++i) {
            const Member& member = members_[i];
            Sum all;
            if (!member.list.empty()) {
                for (const std::uint32_t other : member.list)
                    if (other < size && other != i) all.add(members_[other]);
            } else if (two_sided) {
                all = i < circle.first ? second_group : first_group;
            } else {
                if (!lower || !reversed) all.add(front);
                if (!lower || reversed) all.add(behind[i + 1]);
            }
            if (member.takes) answer(i, all.any ? &all.note : nullptr);
            front.add(member);
        }
    }

  private:
    struct Sum {
        Note note{};
        bool any = false;
        void add(const Member& one) {
            if (one.gives) add(Sum{one.note, true});
        }
        void add(const Sum& other) {
            if (!other.any) return;
            note = any ? Rule::stronger(note, other.note) : other.note;
            any = true;
        }
    };

    std::vector<Member> members_;
    std::size_t came_ = 0;
};

} // namespace tactus

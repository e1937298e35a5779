// Collectives while their members arrive: combines what the members give into what each of them takes. Pure.
#pragma once

#include "postproc/replay/channels.hpp"
#include "postproc/replay/match_events.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace tactus {

// `Rule::stronger(a, b)` returns a note that demands what both demand.
template <class Note, class Rule> class Meeting {
  public:
    struct Member {
        Note note{};
        bool gives = false;
        bool takes = false;
        std::vector<std::uint32_t> list; // members it takes from; empty: all that the group's TakesFrom says
    };

    Meeting() = default;
    explicit Meeting(std::size_t size) { begin(size); }

    // Forgets everything, and waits for so many members.
    void begin(std::size_t size) {
        members_.clear();
        members_.resize(size);
        waits_.assign(size, {});
        fronts_.clear();
        front_ = {};
        groups_ = {};
        came_of_ = {};
        front_end_ = 0;
        came_ = 0;
    }

    // Takes the arrival of a member. Calls `answer(member, note)` for each member that takes, with nullptr when nobody
    // gave. A member is answered as soon as those that it takes from are here, since it may leave before the others
    // arrive (MPI-4.0, 6.1). With `reversed` time runs backward; then all are answered after the last arrival. Returns
    // true when this member was the last.
    template <class Answer>
    bool enter(const OwnedCollectiveGroup& group, bool reversed, std::uint32_t member, Member arrived,
               const Answer& answer) {
        if (member < members_.size() && !waits_[member].here) {
            members_[member] = std::move(arrived);
            waits_[member].here = true;
            if (!reversed) answer_early(group, member, answer);
        }
        if (++came_ < members_.size()) return false;
        end(group, reversed, answer);
        return true;
    }

  private:
    static constexpr std::uint32_t nobody = UINT32_MAX;
    struct Wait {
        bool here = false;
        bool answered = false;
        std::uint32_t first_watcher = nobody; // the first of the members that wait for this member
        std::uint32_t next_watcher = nobody;  // the next of the members that wait for the same member as this one
        std::size_t there = 0;                // how many of its list are known to be here, from the first on
    };

    // The first member that `member` takes from and that is not here yet; nobody: all are here.
    [[nodiscard]] std::uint32_t missing(std::uint32_t member) {
        const std::vector<std::uint32_t>& list = members_[member].list;
        if (list.empty()) return front_end_ < member ? front_end_ : nobody;
        for (std::size_t& i = waits_[member].there; i < list.size(); ++i)
            if (list[i] < waits_.size() && list[i] != member && !waits_[list[i]].here) return list[i];
        return nobody;
    }

    template <class Answer>
    void answer_early(const OwnedCollectiveGroup& group, std::uint32_t came, const Answer& answer) {
        if (group.takes_from == TakesFrom::lower)
            for (; front_end_ < members_.size() && waits_[front_end_].here; ++front_end_) {
                fronts_.push_back(front_);
                front_.add(members_[front_end_]);
            }
        if (group.first < members_.size()) note_group(group, came, answer);
        std::uint32_t next = std::exchange(waits_[came].first_watcher, nobody);
        for (std::uint32_t member = came; member != nobody;) {
            try_answer(group, member, answer);
            member = next;
            if (member != nobody) next = waits_[member].next_watcher;
        }
    }

    // In an intercommunicator, a member that takes from a whole group is answered when all of that group are here.
    template <class Answer>
    void note_group(const OwnedCollectiveGroup& group, std::uint32_t came, const Answer& answer) {
        const bool second = came >= group.first;
        groups_[second].add(members_[came]);
        const auto size = static_cast<std::uint32_t>(members_.size());
        if (++came_of_[second] < (second ? size - group.first : group.first)) return;
        const std::uint32_t begin = second ? 0 : group.first;
        const std::uint32_t end = second ? group.first : size;
        for (std::uint32_t i = begin; i < end; ++i)
            if (waits_[i].here && members_[i].list.empty()) try_answer(group, i, answer);
    }

    template <class Answer>
    void try_answer(const OwnedCollectiveGroup& group, std::uint32_t member, const Answer& answer) {
        const auto size = static_cast<std::uint32_t>(members_.size());
        const Member& taker = members_[member];
        Wait& wait = waits_[member];
        if (!taker.takes || wait.answered) return;
        Sum all;
        if (taker.list.empty() && group.first < size) {
            const bool other = member < group.first;
            if (came_of_[other] < (other ? size - group.first : group.first)) return;
            all = groups_[other];
        } else if (taker.list.empty() && group.takes_from != TakesFrom::lower) {
            return; // it takes from everybody, so end() answers it
        } else if (const std::uint32_t away = missing(member); away != nobody) {
            wait.next_watcher = std::exchange(waits_[away].first_watcher, member);
            return;
        } else if (taker.list.empty()) {
            all = fronts_[member];
        } else {
            for (const std::uint32_t other : taker.list)
                if (other < size && other != member) all.add(members_[other]);
        }
        wait.answered = true;
        answer(member, all.any ? &all.note : nullptr);
    }

    template <class Answer> void end(const OwnedCollectiveGroup& group, bool reversed, const Answer& answer) {
        const auto size = static_cast<std::uint32_t>(members_.size());
        const bool two_sided = group.first < size;
        const bool lower = group.takes_from == TakesFrom::lower;
        // The sums of all members after each member, of all before it, and of each group of an intercommunicator.
        behind_.assign(size + 1, {});
        for (std::uint32_t i = size; i-- > 0;) {
            behind_[i] = behind_[i + 1];
            behind_[i].add(members_[i]);
        }
        Sum front;
        Sum first_group;
        for (std::uint32_t i = 0; two_sided && i < group.first; ++i) first_group.add(members_[i]);
        Sum second_group;
        for (std::uint32_t i = group.first; i < size; ++i) second_group.add(members_[i]);
        for (std::uint32_t i = 0; i < size; ++i) {
            const Member& member = members_[i];
            Sum all;
            if (!member.list.empty()) {
                for (const std::uint32_t other : member.list)
                    if (other < size && other != i) all.add(members_[other]);
            } else if (two_sided) {
                all = i < group.first ? second_group : first_group;
            } else {
                if (!lower || !reversed) all.add(front);
                if (!lower || reversed) all.add(behind_[i + 1]);
            }
            if (member.takes && !waits_[i].answered) answer(i, all.any ? &all.note : nullptr);
            front.add(member);
        }
    }

    struct Sum {
        Note note{};
        bool any = false;
        void add(const Member& member) {
            if (member.gives) add(Sum{member.note, true});
        }
        void add(const Sum& other) {
            if (!other.any) return;
            note = any ? Rule::stronger(note, other.note) : other.note;
            any = true;
        }
    };

    std::vector<Member> members_;
    std::vector<Wait> waits_;
    std::vector<Sum> fronts_; // TakesFrom::lower, by member: the sum of all before it, for the first front_end_ members
    Sum front_;               // the sum of the first front_end_ members
    std::vector<Sum> behind_; // used by end()
    std::array<Sum, 2> groups_;              // the sum of each group of an intercommunicator
    std::array<std::uint32_t, 2> came_of_{}; // how many members of each group are here
    std::uint32_t front_end_ = 0;            // all members before this one are here
    std::size_t came_ = 0;
};

// The collectives of a process that have begun and not ended. The memory of one with few members is used again.
template <class Note, class Rule> class Meetings {
  public:
    // The collective of this order in this group, of so many members. The reference is valid until the next call.
    Meeting<Note, Rule>& of(std::uint32_t group, std::uint32_t order, std::size_t members) {
        const auto [open, fresh] = open_.try_emplace(key(group, order), 0);
        if (!fresh) return meetings_[open->second];
        if (free_.empty()) {
            free_.push_back(meetings_.size());
            meetings_.emplace_back();
        }
        open.value() = free_.back();
        free_.pop_back();
        meetings_[open->second].begin(members);
        return meetings_[open->second];
    }
    void end(std::uint32_t group, std::uint32_t order, std::size_t members) {
        constexpr std::size_t few = 64;
        const auto open = open_.find(key(group, order));
        if (members > few) meetings_[open->second] = {};
        free_.push_back(open->second);
        open_.erase(open);
    }

  private:
    static std::uint64_t key(std::uint32_t group, std::uint32_t order) { return std::uint64_t{group} << 32 | order; }

    std::vector<Meeting<Note, Rule>> meetings_;
    std::vector<std::size_t> free_; // indices in meetings_
    ByNumber<std::size_t> open_;    // by key()
};

} // namespace tactus

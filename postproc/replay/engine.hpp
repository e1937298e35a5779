// Plays the events of ranks in an order in which nothing is taken before it was given. Time runs forward, or backward:
// then receives give and sends take. A worklist runs each rank until something it needs is missing. The result depends
// neither on the order in which ranks run, nor on the number of processes.
//
// A visitor says what a note contains, and what becomes of it:
//   struct Visitor {
//       static constexpr bool independent = ...;           // what give() returns does not depend on what was taken
//       using Note = ...;                                  // trivially copyable
//       static Note stronger(const Note&, const Note&);    // demands what both demand; associative, commutative
//       Note give(std::size_t rank, Event&);               // `rank`: index in `ranks`
//       void take(std::size_t rank, Event&, const Note&);
//       void pass(std::size_t rank, Event&);               // an event that takes nothing
//   };
// Each event of a rank is visited once, in order (backward: in reverse order). An independent visitor makes ranks wait
// for each other far less: its give() is called earlier, in the same order, and pass() later for the same event.
//
// Ranks whose next event is early go first, so that few notes are given but not yet taken.
#pragma once

#include "postproc/replay/match_events.hpp"
#include "postproc/replay/meeting.hpp"
#include "postproc/replay/queue.hpp"
#include "postproc/replay/rank_events.hpp"
#include "postproc/replay/wire.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <optional>
#include <queue>
#include <tsl/robin_map.h>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus {

enum class Way : std::uint8_t { forward, backward };

template <class Visitor, Way way = Way::forward> class Engine {
  public:
    using Note = typename Visitor::Note;
    static_assert(std::is_trivially_copyable_v<Note>);

    Engine(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire, Visitor& visitor)
        : matched_{matched}, wire_{wire}, visitor_{visitor} {
        std::uint32_t groups_owned = 0; // by the ranks so far
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            players_.push_back({.events = &ranks[i],
                                .channels = std::vector<Queue<Note>>(ranks[i].channels.size()),
                                .groups = std::vector<Queue<Word>>(ranks[i].groups.size()),
                                .first_owned = groups_owned});
            groups_owned += static_cast<std::uint32_t>(matched.owned[i].size());
            index_[ranks[i].rank] = i;
        }
        for (Player& player : players_)
            for (const Channel& channel : player.events->channels) player.peers.push_back(index_of(channel.peer));
        constexpr std::size_t most = 1 << 17; // about so many notes of this process may be given and not yet taken
        if (!wire.alone() && !players_.empty()) ahead_ = std::max<std::size_t>(most / players_.size(), 64);
    }

    // Collective over the wire. When all remaining events wait in circles, the earliest goes on without what it waits
    // for; returns how many did. When the wire is out of time, run() stops, and what was played means nothing.
    std::uint64_t run() {
        for (std::size_t i = 0; i < players_.size(); ++i) make_ready(i);
        while (true) {
            play_what_can();
            if (!wire_.alone() && take_letters(true)) continue;
            // No note is under way any more, and all processes are here.
            if (wire_.out_of_time()) return released_;
            if (Visitor::independent && give_further()) continue;
            if (!release_earliest()) return released_;
        }
    }

  private:
    static constexpr std::size_t slice = 1024; // events that a rank plays before earlier ranks have their turn
    static constexpr std::size_t elsewhere = SIZE_MAX;

    struct Word {
        Note note{};
        bool any = false;
    };

    enum class Kind : std::uint8_t { message, entry, answer };
    struct Letter {
        std::uint32_t to = 0; // rank
        Kind kind{};
        bool gives = false; // in an answer: some member gave
        bool takes = false;
        std::uint32_t queue = 0; // channel or group of `to`; in an entry the group's index with the owner
        std::uint32_t order = 0;
        std::uint32_t member = 0;
        std::uint32_t listed = 0; // members whose numbers follow the letter
        Note note{};
    };

    struct Player {
        RankEvents* events = nullptr;
        std::vector<Queue<Note>> channels;
        std::vector<std::size_t> peers = {}; // by channel: index of the rank at its other end
        std::vector<Queue<Word>> groups;
        std::uint32_t first_owned = 0; // number of the first group that this rank owns, among those of the process
        std::size_t done = 0;          // events played
        std::size_t given = 0;         // with an independent visitor: events whose notes were given
        std::size_t may_give = 0;      // events that may be given, however few were played
        bool queued = false;
        bool waits = false; // for what its next event takes
        bool waits_for_message = false;
        std::uint32_t waits_at = 0; // index of that channel or group

        [[nodiscard]] bool over() const { return done >= events->events.size(); }
        [[nodiscard]] Event& at(std::size_t i) const {
            return way == Way::forward ? events->events[i] : events->events[events->events.size() - 1 - i];
        }
        [[nodiscard]] Event& next() const { return at(done); }
    };

    // The time of the rank's next event; the event to be played earlier has the smaller time, also backward.
    static GlobalTime time_of(const Player& player) {
        const GlobalTime time = player.next().stamp;
        return way == Way::forward ? time : -time;
    }

    static bool gives(Role role) {
        return way == Way::forward ? role == Role::send || role == Role::enter_give
                                   : role == Role::receive || role == Role::exit_take;
    }
    static bool takes(Role role) {
        return way == Way::forward ? role == Role::receive || role == Role::exit_take
                                   : role == Role::send || role == Role::enter_give;
    }
    // True for the first to be played of a collective's two events.
    static bool opens(Role role) { return way == Way::forward ? is_enter(role) : is_exit(role); }

    static std::uint32_t in_order(std::uint32_t order, std::uint32_t count) {
        return way == Way::forward ? order : count - 1 - order;
    }

    void make_ready(std::size_t index) {
        Player& player = players_[index];
        if (player.over() || std::exchange(player.queued, true)) return;
        ready_.push({time_of(player), index});
    }

    void play_what_can() {
        std::size_t turns = 0;
        if (wire_.is_late()) ready_ = {};
        while (!ready_.empty()) {
            const std::size_t index = ready_.top().index;
            ready_.pop();
            players_[index].queued = false;
            play(index);
            if (wire_.alone() || ++turns % 16 != 0) continue;
            take_letters(false);
            if (wire_.is_late()) ready_ = {};
        }
    }

    static void wait(Player& player) {
        player.waits = true;
        player.waits_for_message = is_message(player.next().role());
        player.waits_at = player.next().index();
    }

    void play(std::size_t index) {
        Player& player = players_[index];
        player.waits = false;
        for (std::size_t i = 0; i < slice; ++i) {
            if (player.over()) return;
            if (!step(index, player, false)) return wait(player);
        }
        make_ready(index);
    }

    // Plays the next event. False: what it takes has not come. `alone`: it goes on without that.
    bool step(std::size_t index, Player& player, bool alone) {
        if constexpr (Visitor::independent) give_ahead(index, player);
        Event& event = player.next();
        const Role role = event.role();
        if (gives(role) || (!is_message(role) && opens(role))) {
            if constexpr (Visitor::independent)
                visitor_.pass(index, event);
            else
                give(index, player, event);
        } else if (!take(index, player, event, alone)) {
            return false;
        }
        ++player.done;
        player.events->events.pass(way == Way::forward ? player.done : player.events->events.size() - player.done);
        return true;
    }

    void give_ahead(std::size_t index, Player& player) {
        const std::size_t end = std::min(player.events->events.size(), std::max(player.done + ahead_, player.may_give));
        for (; player.given < end; ++player.given) {
            Event& event = player.at(player.given);
            if (gives(event.role()) || (!is_message(event.role()) && opens(event.role()))) give(index, player, event);
        }
    }

    // Sends the note of an event that gives, or that opens a collective to which it gives nothing.
    void give(std::size_t index, Player& player, Event& event) {
        const bool any = gives(event.role());
        Note note{};
        if (any)
            note = visitor_.give(index, event);
        else if constexpr (!Visitor::independent)
            visitor_.pass(index, event);
        if (is_message(event.role())) {
            const Channel& channel = player.events->channels[event.index()];
            put_message(channel, player.peers[event.index()], in_order(event.order, channel.count), note);
        } else {
            const CollectiveGroup& group = player.events->groups[event.index()];
            enter_group(player, group, in_order(event.order, group.count), event, any, note);
        }
    }

    bool take(std::size_t index, Player& player, Event& event, bool alone) {
        if (!takes(event.role())) {
            visitor_.pass(index, event);
            return true;
        }
        const auto take_from = [&](auto& queue, std::uint32_t order, auto&& note_in) {
            const auto* const came = queue.find(order);
            if (came == nullptr && !alone) return false;
            if (const Note* const note = came != nullptr ? note_in(*came) : nullptr; note != nullptr)
                visitor_.take(index, event, *note);
            else
                visitor_.pass(index, event);
            queue.drop(order);
            return true;
        };
        if (is_message(event.role()))
            return take_from(player.channels[event.index()],
                             in_order(event.order, player.events->channels[event.index()].count),
                             [](const Note& note) { return &note; });
        return take_from(player.groups[event.index()],
                         in_order(event.order, player.events->groups[event.index()].count),
                         [](const Word& word) { return word.any ? &word.note : nullptr; });
    }

    [[nodiscard]] std::size_t index_of(std::uint32_t rank) const {
        const auto known = index_.find(rank);
        return known == index_.end() ? elsewhere : known->second;
    }

    void put_message(const Channel& channel, std::size_t peer, std::uint32_t order, const Note& note) {
        if (peer != elsewhere) return take_message(peer, channel.other, order, note);
        Letter letter{.to = channel.peer, .kind = Kind::message, .queue = channel.other, .order = order, .note = note};
        wire_.post(letter.to, &letter, sizeof letter);
    }

    void take_message(std::size_t index, std::uint32_t channel, std::uint32_t order, const Note& note) {
        Player& player = players_[index];
        player.channels[channel].put(order, note);
        if (player.waits && player.waits_for_message && player.waits_at == channel) make_ready(index);
    }

    void enter_group(const Player& player, const CollectiveGroup& group, std::uint32_t order, const Event& event,
                     bool gives, const Note& note) {
        const Partners partners = Partners::from(event.number);
        const std::vector<std::uint32_t>& list = player.events->lists[partners.list];
        Letter letter{.to = group.owner,
                      .kind = Kind::entry,
                      .gives = gives,
                      .takes = partners.any,
                      .queue = group.owners,
                      .order = order,
                      .member = group.member,
                      .listed = static_cast<std::uint32_t>(list.size()),
                      .note = note};
        if (wire_.plays(group.owner)) return take_entry(letter, list);
        std::vector<std::uint8_t> bytes(sizeof letter + list.size() * sizeof(std::uint32_t));
        std::memcpy(bytes.data(), static_cast<const void*>(&letter), sizeof letter);
        if (!list.empty()) std::memcpy(bytes.data() + sizeof letter, list.data(), list.size() * sizeof(std::uint32_t));
        wire_.post(letter.to, bytes.data(), bytes.size());
    }

    void take_entry(const Letter& letter, const std::vector<std::uint32_t>& list) {
        const std::size_t index = index_.at(letter.to);
        const OwnedCollectiveGroup& group = matched_.owned[index][letter.queue];
        const std::uint32_t number = players_[index].first_owned + letter.queue;
        Meeting<Note, Visitor>& meeting = meetings_.of(number, letter.order, group.members.size());
        const auto tell = [&](std::uint32_t member, const Note* note) {
            const OwnedCollectiveGroup::Member& who = group.members[member];
            answer(who.rank, who.group, letter.order, note);
        };
        const bool over = meeting.enter(group, way == Way::backward, letter.member,
                                        {letter.note, letter.gives, letter.takes, list}, tell);
        if (over) meetings_.end(number, letter.order, group.members.size());
    }

    void answer(std::uint32_t rank, std::uint32_t group, std::uint32_t order, const Note* note) {
        const Word word{note != nullptr ? *note : Note{}, note != nullptr};
        if (wire_.plays(rank)) return take_answer(rank, group, order, word);
        Letter letter{
            .to = rank, .kind = Kind::answer, .gives = word.any, .queue = group, .order = order, .note = word.note};
        wire_.post(rank, &letter, sizeof letter);
    }

    void take_answer(std::uint32_t rank, std::uint32_t group, std::uint32_t order, const Word& word) {
        const std::size_t index = index_.at(rank);
        Player& player = players_[index];
        player.groups[group].put(order, word);
        if (player.waits && !player.waits_for_message && player.waits_at == group) make_ready(index);
    }

    // Handles what came over the wire. False: nothing came, and with `wait` nothing will come any more.
    bool take_letters(bool wait) {
        letters_.clear();
        const bool more = wire_.collect(letters_, wait);
        std::vector<std::uint32_t> list;
        for (std::size_t at = 0; at + sizeof(Letter) <= letters_.size();) {
            Letter letter;
            std::memcpy(static_cast<void*>(&letter), letters_.data() + at, sizeof letter);
            at += sizeof letter;
            list.resize(letter.listed);
            if (letter.listed > 0)
                std::memcpy(list.data(), letters_.data() + at, letter.listed * sizeof(std::uint32_t));
            at += letter.listed * sizeof(std::uint32_t);
            switch (letter.kind) {
            case Kind::message:
                take_message(index_.at(letter.to), letter.queue, letter.order, letter.note);
                break;
            case Kind::entry:
                take_entry(letter, list);
                break;
            case Kind::answer:
                take_answer(letter.to, letter.queue, letter.order, {letter.note, letter.gives});
                break;
            }
        }
        return more;
    }

    // Independent visitors: ranks that wait in a circle do so only because notes are not given far enough ahead. Lets
    // all give further. False: all is given.
    bool give_further() {
        std::vector<std::int64_t> any{0};
        for (std::size_t i = 0; i < players_.size(); ++i) {
            Player& player = players_[i];
            if (player.over() || player.given >= player.events->events.size()) continue;
            any[0] = 1;
            player.may_give = player.given + std::max<std::size_t>(ahead_, slice);
            make_ready(i);
        }
        wire_.find_most(any);
        return any[0] > 0;
    }

    // Plays the earliest event of all ranks without what it takes. False: no process has an event left.
    bool release_earliest() {
        std::size_t earliest = players_.size();
        for (std::size_t i = 0; i < players_.size(); ++i)
            if (!players_[i].over() &&
                (earliest == players_.size() || time_of(players_[i]) < time_of(players_[earliest])))
                earliest = i;
        constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
        const bool any = earliest < players_.size();
        // The greatest of the negated times is the earliest event; among equal ones the lowest rank goes first.
        std::vector<std::int64_t> times{any ? -time_of(players_[earliest]) : least};
        wire_.find_most(times);
        if (times[0] == least) return false;
        const bool among = any && -time_of(players_[earliest]) == times[0];
        std::vector<std::int64_t> ranks{among ? -static_cast<std::int64_t>(players_[earliest].events->rank) : least};
        wire_.find_most(ranks);
        ++released_;
        if (among && ranks[0] == -static_cast<std::int64_t>(players_[earliest].events->rank)) {
            step(earliest, players_[earliest], true);
            make_ready(earliest);
        }
        return true;
    }

    struct Ready {
        GlobalTime time;
        std::size_t index;
        bool operator<(const Ready& other) const { // puts the earliest on top of the priority queue
            return time != other.time ? time > other.time : index > other.index;
        }
    };

    const MatchedEvents& matched_;
    ReplayWire& wire_;
    Visitor& visitor_;
    std::vector<Player> players_;
    Meetings<Note, Visitor> meetings_;                 // of the groups that ranks of this process own
    tsl::robin_map<std::uint32_t, std::size_t> index_; // by rank
    std::priority_queue<Ready> ready_;
    std::size_t ahead_ = 1;
    std::vector<std::uint8_t> letters_;
    std::uint64_t released_ = 0;
};

} // namespace tactus

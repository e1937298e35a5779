#include "postproc/replay/order_events.hpp"

#include <algorithm>
#include <span>

namespace tactus {
namespace {

class OrderEvents {
  public:
    OrderEvents(RankEvents& out, std::uint64_t calls, const PagingTo& paging)
        : out_{out}, calls_{calls}, paging_{paging} {}

    bool run() {
        if (!put_in_order()) return false;
        number_collectives();
        number_messages();
        return true;
    }

  private:
    bool put_in_order() {
        const auto rank_of = [](Role role) {
            return role == Role::exit                                                         ? 2
                   : role >= Role::receive && role != Role::enter && role != Role::enter_give ? 0
                                                                                              : 1;
        };
        const auto before = [&](const Event& a, const Event& b) {
            const std::pair ranks{rank_of(a.role()), rank_of(b.role())};
            return a.tick != b.tick              ? a.tick < b.tick
                   : ranks.first != ranks.second ? ranks.first < ranks.second
                                                 : a.order < b.order;
        };
        Event* const first = out_.events.data();
        Event* const end = first + out_.events.size();
        bool sorted = true;
        const Event* last = first;
        for (const Event& event : out_.events) {
            sorted = sorted && !before(event, *last);
            last = &event;
        }
        if (!sorted) std::sort(first, end, before);
        out_.events.close();
        if (!sorted && !out_.origins.empty() && !put_origins_in_order()) return false;
        out_.origins.close();
        return true;
    }

    bool put_origins_in_order() {
        PagedList<EventOrigin> read = std::move(out_.origins);
        out_.origins = PagedList<EventOrigin>{paging_};
        for (const Event& event : out_.events)
            if (!out_.origins.push_back(read[event.order])) return false;
        return true;
    }

    // The k-th collective of a rank is the k-th of every other member, since all make them in the same order (MPI-4.0,
    // 6.14).
    void number_collectives() {
        if (calls_ == 0) return;
        std::vector<std::uint32_t> order_of_call(calls_);
        std::vector<std::uint32_t> made(out_.groups.size());
        for (Event& event : out_.events)
            if (is_enter(event.role()))
                event.order = order_of_call[static_cast<std::size_t>(event.stamp)] = made[event.index()]++;
        for (Event& event : out_.events)
            if (is_exit(event.role())) event.order = order_of_call[static_cast<std::size_t>(event.stamp)];
    }

    // The k-th message sent on a channel goes to its k-th posted receive (MPI-4.0, 3.5), whichever completes first.
    void number_messages() {
        std::vector<Ticks> last_post(out_.channels.size(), 0);
        std::vector<std::uint64_t> last_number(out_.channels.size(), 0);
        std::vector<bool> unordered(out_.channels.size(), false);
        for (Channel& channel : out_.channels) channel.count = 0;
        for (Event& event : out_.events) {
            if (!is_message(event.role())) continue;
            const std::uint32_t index = event.index();
            Channel& channel = out_.channels[index];
            if (event.role() == Role::send) {
                event.order = channel.count++;
                continue;
            }
            const auto post = static_cast<Ticks>(event.stamp);
            if (event.role() == Role::probe || post <= last_post[index]) unordered[index] = true;
            last_post[index] = post;
            event.order = channel.count++;
            note_number(channel, last_number[index], event);
        }
        if (std::find(unordered.begin(), unordered.end(), true) != unordered.end()) number_by_post(unordered);
        if (out_.origins.empty()) return;
        for (Event& event : out_.events) // stamps the leave of its receive, which take_origin() set where it was probed
            if (event.role() == Role::receive) event.stamp = std::max(event.stamp, static_cast<GlobalTime>(event.tick));
    }

    static void note_number(Channel& channel, std::uint64_t& last, const Event& event) {
        if (event.number != 0) channel.any_named = true;
        if (event.number != 0 && event.number <= last) channel.overtaken = true;
        last = std::max(last, event.number);
    }

    // Numbers channels whose receives were not posted in the order of their completion, or that have probes. A message
    // that was probed for is received by the first probe that found it, if that ended before the receive.
    void number_by_post(const std::vector<bool>& wanted) {
        std::vector<std::uint32_t> list;
        for (std::uint32_t i = 0; i < out_.events.size(); ++i) {
            const Role role = out_.events[i].role();
            if ((role == Role::receive || role == Role::probe) && wanted[out_.events[i].index()]) list.push_back(i);
        }
        const auto key = [&](std::uint32_t i) { return std::pair{out_.events[i].index(), out_.events[i].stamp}; };
        std::stable_sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
        for (std::size_t first = 0; first < list.size();) {
            std::size_t last = first;
            const std::uint32_t index = out_.events[list[first]].index();
            while (last < list.size() && out_.events[list[last]].index() == index) ++last;
            number_channel(out_.channels[index], {list.data() + first, last - first});
            first = last;
        }
    }

    void number_channel(Channel& channel, std::span<const std::uint32_t> list) {
        channel.count = 0;
        channel.any_named = false;
        channel.overtaken = false;
        std::uint64_t last = 0;
        Event* probed = nullptr; // the first probe that found the next message
        for (const std::uint32_t i : list) {
            Event& event = out_.events[i];
            if (event.role() == Role::probe) {
                if (probed == nullptr) probed = &event;
                if (probed != &event) event.set(Role::none, 0);
                continue;
            }
            note_number(channel, last, event);
            event.order = channel.count++;
            if (probed != nullptr && probed->tick < event.tick) {
                probed->order = event.order;
                probed->number = event.number;
                probed->set(Role::receive, event.index());
                event.set(Role::none, 0);
                if (!out_.origins.empty()) take_origin(*probed, event);
            }
            if (probed != nullptr && probed->role() == Role::probe) probed->set(Role::none, 0);
            probed = nullptr;
        }
        if (probed != nullptr) probed->set(Role::none, 0); // it was never received
    }

    void take_origin(Event& probed, const Event& received) {
        const Event* const first = out_.events.data();
        out_.origins[static_cast<std::size_t>(&probed - first)] =
            out_.origins[static_cast<std::size_t>(&received - first)];
        probed.stamp = static_cast<GlobalTime>(received.tick);
    }

    RankEvents& out_;
    std::uint64_t calls_;
    const PagingTo& paging_;
};

} // namespace

bool order_events(RankEvents& rank, std::uint64_t collectives, const PagingTo& paging) {
    return OrderEvents{rank, collectives, paging}.run();
}

} // namespace tactus

#include "tests/unit/made/random_run.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <tuple>

namespace tactus {
namespace {

class Simulation {
  public:
    Simulation(std::uint64_t seed, double wrong_ns) : random_{seed}, size_{up_to(2, 7)}, now_(size_, 1000) {
        run_.ranks = made_ranks(size_);
        for (std::uint32_t rank = 0; rank < size_; ++rank) {
            run_.ranks[rank].lanes.resize(1);
            run_.ranks[rank].lanes[0].records_a_block = up_to(3, 400);
            const double share = 1.0 / (1 << up_to(0, 3));
            clocks_.push_back({wrong_ns * (uniform() - 0.5) * 2, wrong_ns * share * (uniform() - 0.5) * 1e-5,
                               wrong_ns * share * uniform(), 2e4 + uniform() * 2e5});
        }
        add_halves();
    }

    RandomRun run(std::uint32_t times_longer) {
        const std::uint32_t steps = times_longer * up_to(20, 400);
        for (std::uint32_t i = 0; i < steps; ++i) step();
        end_requests();
        return std::move(run_);
    }

  private:
    struct Clock {
        double offset = 0;
        double drift = 0;
        double wave = 0;
        double period = 1;
        // The tick at `ns` after the start, as made_call() takes it.
        [[nodiscard]] Ticks at(std::int64_t ns) const {
            const auto t = static_cast<double>(ns);
            const double slow = std::min(wave, 0.1 * period); // so that it never runs back
            const double shown = 1e6 + t + offset + drift * t + slow * std::sin(t / period);
            return 4 * static_cast<Ticks>(std::llround(shown)); // there are several ticks between any two moments
        }
    };
    using Channel = std::tuple<std::uint32_t, std::uint32_t, std::int32_t>; // sender, receiver, tag
    struct Sent {
        Ticks enter = 0;
        std::int64_t arrives = 0;
    };
    struct Messages {
        std::vector<Sent> sent;
        std::size_t posted = 0;
    };
    struct Request {
        std::uint64_t number = 0;
        Channel channel;
        std::size_t which = 0;
    };

    std::uint32_t up_to(std::uint32_t from, std::uint32_t to) {
        return std::uniform_int_distribution<std::uint32_t>{from, to}(random_);
    }
    double uniform() { return std::uniform_real_distribution<double>{0, 1}(random_); }
    bool now_and_then(double share) { return uniform() < share; }

    Ticks pass(std::uint32_t rank, std::int64_t ns) {
        now_[rank] += std::max<std::int64_t>(ns, 5);
        return clocks_[rank].at(now_[rank]);
    }
    std::int64_t some_ns() { return 5 + static_cast<std::int64_t>(std::exp(uniform() * 7)); }

    void add(std::uint32_t rank, MadeRecord made, std::uint32_t comm = 1) {
        made.record.what.comm = comm;
        run_.ranks[rank].lanes[0].records.push_back(std::move(made));
    }

    // Adds the even ranks, the odd ranks, and an intercommunicator between them.
    void add_halves() {
        for (std::uint32_t rank = 0; rank < size_; ++rank) {
            const std::uint32_t half = rank % 2;
            const auto members = [&](std::uint32_t which) {
                return std::vector<RankRun>{{which, (size_ + 1 - which) / 2, 2}};
            };
            Comm own;
            own.number = 3;
            own.identity = 1000 + half;
            own.my_rank = rank / 2;
            own.members = members(half);
            Comm between = own;
            between.number = 4;
            between.identity = 2000;
            between.remote = members(1 - half);
            run_.ranks[rank].definitions.comms.push_back(own);
            run_.ranks[rank].definitions.comms.push_back(between);
        }
    }

    void step() {
        const std::uint32_t rank = up_to(0, size_ - 1);
        now_[rank] += some_ns();
        const double what = uniform();
        if (what < 0.35)
            send(rank);
        else if (what < 0.5)
            receive(rank);
        else if (what < 0.65)
            post(rank);
        else if (what < 0.85)
            wait(rank);
        else if (what < 0.95)
            gather(1, all());
        else if (what < 0.98)
            gather(3, half(up_to(0, 1)));
        else
            barrier_between();
    }

    // --- messages

    void send(std::uint32_t rank) {
        const std::uint32_t to = (rank + up_to(1, size_ - 1)) % size_;
        const auto tag = static_cast<std::int32_t>(up_to(0, 1));
        const bool begun = now_and_then(0.3);
        const Ticks enter = pass(rank, some_ns());
        messages_[{rank, to, tag}].sent.push_back({enter, now_[rank] + some_ns()});
        const Ticks leave = pass(rank, some_ns());
        MadeRecord made = made_message(begun ? Function::Isend : Function::Send, enter, leave,
                                       static_cast<std::int32_t>(to), tag, 5000);
        if (begun) {
            made.record.request = next_request_++;
            made.record.what.flags = flag::starts;
        }
        add(rank, made);
    }

    // A channel into this rank in which more messages were sent than receives posted.
    std::optional<Channel> waiting_for(std::uint32_t rank) {
        std::vector<Channel> some;
        for (const auto& [channel, messages] : messages_)
            if (std::get<1>(channel) == rank && messages.sent.size() > messages.posted) some.push_back(channel);
        if (some.empty()) return {};
        return some[up_to(0, static_cast<std::uint32_t>(some.size() - 1))];
    }

    Ticks take(std::uint32_t rank, const Sent& sent) {
        now_[rank] = std::max(now_[rank] + some_ns(), sent.arrives);
        return clocks_[rank].at(now_[rank]);
    }

    void need(std::uint32_t giver, Ticks given, std::uint32_t taker, Ticks taken) {
        run_.needs.push_back({giver, made_start + given, taker, made_start + taken});
    }
    void need(const Channel& channel, const Sent& sent, Ticks taken, bool known = false) {
        const auto [from, to, tag] = channel;
        need(from, sent.enter, to, taken);
        run_.needs.back().known = known;
        if (!known) run_.messages.push_back({from, made_start + sent.enter, to, made_start + taken, tag});
    }

    void receive(std::uint32_t rank) {
        const auto channel = waiting_for(rank);
        if (!channel) return;
        Messages& messages = messages_[*channel];
        const Sent sent = messages.sent[messages.posted++];
        const auto from = static_cast<std::int32_t>(std::get<0>(*channel));
        const bool probed = now_and_then(0.2);
        if (probed) {
            const Ticks enter = pass(rank, some_ns());
            const Ticks leave = take(rank, sent);
            add(rank, made_message(Function::Probe, enter, leave, from, std::get<2>(*channel), 5000));
            need(*channel, sent, leave);
        }
        const Ticks enter = pass(rank, some_ns());
        const Ticks leave = take(rank, sent);
        add(rank, made_message(Function::Recv, enter, leave, from, std::get<2>(*channel), 5000));
        need(*channel, sent, leave, probed);
    }

    void post(std::uint32_t rank) {
        if (size_ < 2) return;
        const std::uint32_t from = (rank + up_to(1, size_ - 1)) % size_;
        const Channel channel{from, rank, static_cast<std::int32_t>(up_to(0, 1))};
        const Ticks enter = pass(rank, some_ns());
        const Ticks leave = pass(rank, some_ns());
        MadeRecord made =
            made_message(Function::Irecv, enter, leave, static_cast<std::int32_t>(from), std::get<2>(channel), 0);
        made.record.request = next_request_;
        made.record.what.flags = flag::starts;
        if (now_and_then(0.5)) {
            made.record.what.peer = peer::any;
            made.record.what.flags |= flag::any_source;
        }
        add(rank, made);
        requests_[rank].push_back({next_request_++, channel, messages_[channel].posted++});
    }

    // Completes, with one call, some requests whose messages are there, in any order.
    void wait(std::uint32_t rank) {
        std::vector<Request>& open = requests_[rank];
        std::vector<Request> ready;
        std::shuffle(open.begin(), open.end(), random_);
        for (const Request& request : open)
            if (messages_[request.channel].sent.size() > request.which && ready.size() < 3) ready.push_back(request);
        if (!ready.empty()) complete(rank, ready);
    }

    void complete(std::uint32_t rank, const std::vector<Request>& ready) {
        const Ticks enter = pass(rank, some_ns());
        Ticks leave = 0;
        MadeRecord made = made_call(ready.size() == 1 ? Function::Wait : Function::Waitall, enter, enter);
        for (const Request& request : ready) leave = take(rank, messages_[request.channel].sent[request.which]);
        for (const Request& request : ready) {
            need(request.channel, messages_[request.channel].sent[request.which], leave);
            const auto from = static_cast<std::int32_t>(std::get<0>(request.channel));
            if (ready.size() == 1) {
                made = made_message(Function::Wait, enter, leave, from, std::get<2>(request.channel), 5000);
                made.record.request = request.number;
                made.record.what.flags = flag::completes;
            } else {
                const Completion done{request.number, true, 5000, from, std::get<2>(request.channel)};
                std::int64_t words[Completion::most_words];
                made.words.insert(made.words.end(), words, words + done.put(words));
            }
            std::erase_if(requests_[rank], [&](const Request& open) { return open.number == request.number; });
        }
        made.record.leave = made_start + leave;
        add(rank, made, 0);
    }

    void end_requests() {
        for (std::uint32_t rank = 0; rank < size_; ++rank) {
            // What nobody has sent yet is sent now.
            for (const Request& request : std::vector<Request>{requests_[rank]})
                while (messages_[request.channel].sent.size() <= request.which) {
                    const auto [from, to, tag] = request.channel;
                    const Ticks enter = pass(from, some_ns());
                    messages_[request.channel].sent.push_back({enter, now_[from] + some_ns()});
                    add(from, made_message(Function::Send, enter, pass(from, some_ns()), static_cast<std::int32_t>(to),
                                           tag, 5000));
                }
            while (!requests_[rank].empty()) complete(rank, {requests_[rank].front()});
            while (waiting_for(rank)) receive(rank);
        }
    }

    // --- collectives

    std::vector<std::uint32_t> all() const {
        std::vector<std::uint32_t> members;
        for (std::uint32_t i = 0; i < size_; ++i) members.push_back(i);
        return members;
    }
    std::vector<std::uint32_t> half(std::uint32_t which) const {
        std::vector<std::uint32_t> members;
        for (std::uint32_t i = which; i < size_; i += 2) members.push_back(i);
        return members;
    }

    using Gives = std::vector<std::vector<bool>>; // by giver and taker
    void leave_all(const std::vector<std::uint32_t>& members, const std::vector<MadeRecord>& made, const Gives& gives,
                   std::uint32_t comm) {
        const std::size_t size = members.size();
        MadeCollective& whole = run_.collectives.emplace_back();
        whole.comm = comm == 1 ? 1 : comm == 4 ? 2000 : 1000 + members[0] % 2;
        whole.function = made[0].record.what.function;
        for (const MadeRecord& member : made)
            if (member.record.what.peer >= 0)
                whole.root = members[static_cast<std::size_t>(member.record.what.peer)] + 1;
        std::vector<Ticks> enters;
        std::vector<std::int64_t> entered;
        for (std::size_t i = 0; i < size; ++i) {
            enters.push_back(pass(members[i], some_ns()));
            entered.push_back(now_[members[i]]);
        }
        for (std::size_t i = 0; i < size; ++i) {
            std::int64_t ready = now_[members[i]] + some_ns();
            for (std::size_t j = 0; j < size; ++j)
                if (gives[j][i] && i != j) ready = std::max(ready, entered[j] + some_ns());
            now_[members[i]] = ready;
            MadeRecord member = made[i];
            const Ticks leave = clocks_[members[i]].at(ready);
            member.record.enter = made_start + enters[i];
            member.record.leave = made_start + leave;
            whole.members.push_back({members[i], member.record.enter, member.record.leave});
            for (std::size_t j = 0; j < size; ++j)
                if (gives[j][i] && i != j) need(members[j], enters[j], members[i], leave);
            add(members[i], member, comm);
        }
    }

    static void put_vector(MadeRecord& made, const std::vector<std::uint64_t>& bytes) {
        made.words.push_back(static_cast<std::int64_t>(2 * bytes.size()));
        for (const std::uint64_t count : bytes) made.words.push_back(static_cast<std::int64_t>(count));
    }

    void gather(std::uint32_t comm, const std::vector<std::uint32_t>& members) {
        const std::size_t size = members.size();
        const std::size_t root = up_to(0, static_cast<std::uint32_t>(size - 1));
        const std::uint64_t bytes = now_and_then(0.2) ? 0 : 8;
        Gives gives(size, std::vector<bool>(size, false));
        std::vector<MadeRecord> made;
        const auto fill = [&](const auto& rule) {
            for (std::size_t i = 0; i < size; ++i)
                for (std::size_t j = 0; j < size; ++j) gives[i][j] = rule(i, j);
        };
        const std::uint32_t kind = up_to(0, 8);
        constexpr Function functions[] = {Function::Barrier,   Function::Bcast,    Function::Reduce,
                                          Function::Allreduce, Function::Scan,     Function::Alltoallv,
                                          Function::Gatherv,   Function::Scatterv, Function::Reduce_scatter};
        std::vector<std::vector<std::uint64_t>> counts(size, std::vector<std::uint64_t>(size));
        const double share = up_to(0, 2) * 0.5;
        for (auto& row : counts)
            for (auto& count : row) count = now_and_then(share) ? 0 : 8;
        for (std::size_t i = 0; i < size; ++i) {
            MadeRecord member = made_call(functions[kind], 1, 2);
            member.record.what.bytes = kind == 0 ? 0 : bytes;
            const bool rooted = kind == 1 || kind == 2 || kind == 6 || kind == 7;
            member.record.what.peer = rooted ? static_cast<std::int32_t>(root) : peer::none;
            made.push_back(member);
        }
        switch (kind) {
        case 0:
            fill([](std::size_t, std::size_t) { return true; });
            break;
        case 1:
            fill([&](std::size_t i, std::size_t) { return i == root && bytes > 0; });
            break;
        case 2:
            fill([&](std::size_t, std::size_t j) { return j == root && bytes > 0; });
            break;
        case 3:
            fill([&](std::size_t, std::size_t) { return bytes > 0; });
            break;
        case 4:
            fill([&](std::size_t i, std::size_t j) { return i < j && bytes > 0; });
            break;
        case 5:
            for (std::size_t i = 0; i < size; ++i) {
                std::vector<std::uint64_t> received;
                for (std::size_t j = 0; j < size; ++j) received.push_back(counts[j][i]);
                put_vector(made[i], counts[i]);
                put_vector(made[i], received);
            }
            fill([&](std::size_t i, std::size_t j) { return counts[i][j] > 0; });
            break;
        case 6:
        case 7:
            for (std::size_t i = 0; i < size; ++i) made[i].record.what.bytes = counts[0][i];
            put_vector(made[root], counts[0]);
            fill([&](std::size_t i, std::size_t j) {
                return kind == 6 ? j == root && counts[0][i] > 0 : i == root && counts[0][j] > 0;
            });
            break;
        default:
            for (std::size_t i = 0; i < size; ++i) put_vector(made[i], counts[0]);
            fill([&](std::size_t, std::size_t j) { return counts[0][j] > 0; });
        }
        leave_all(members, made, gives, comm);
    }

    void barrier_between() {
        const std::vector<std::uint32_t> members = all();
        Gives gives(size_, std::vector<bool>(size_));
        for (std::size_t i = 0; i < size_; ++i)
            for (std::size_t j = 0; j < size_; ++j) gives[i][j] = i % 2 != j % 2;
        leave_all(members, std::vector<MadeRecord>(size_, made_call(Function::Barrier, 1, 2)), gives, 4);
    }

    std::mt19937_64 random_;
    std::uint32_t size_;
    std::vector<std::int64_t> now_; // true time of each rank, in ns
    std::vector<Clock> clocks_;
    std::map<Channel, Messages> messages_;
    std::map<std::uint32_t, std::vector<Request>> requests_;
    std::uint64_t next_request_ = 1;
    RandomRun run_;
};

} // namespace

RandomRun random_run(std::uint64_t seed, double wrong_ns, std::uint32_t times_longer) {
    return Simulation{seed, wrong_ns}.run(times_longer);
}

} // namespace tactus

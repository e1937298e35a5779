#include "bench/made_run.hpp"

#include "bench/made_rank_file.hpp"
#include "trace/manifest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <memory>

namespace tactus {
namespace {

constexpr auto pattern_names = std::to_array<std::string_view>({"line", "grid", "ring"});
constexpr std::uint64_t job = 0x7ac7;
constexpr double ms = 1e6;
constexpr double round_ns = 20 * ms; // more than a round takes
constexpr double init_ns = 100 * ms; // time of the first clock measurement; each level of the tree is 1 ms later

// A rank to which a rank sends, with the tag for that direction. In each step it also receives a message with this tag,
// from its neighbor in the opposite direction.
struct Neighbor {
    std::uint32_t rank = 0;
    std::int32_t tag = 0;       // the direction
    std::uint32_t opposite = 0; // index of the neighbor in the opposite direction
};

struct Player {
    double now = 0; // nanoseconds since made_run_start
    std::uint64_t requests = 0;
    std::uint32_t host = 0;
    std::vector<Neighbor> neighbors;
    std::vector<double> arrives; // by neighbor: when the message of this step arrives
    std::unique_ptr<MadeRankFile> file;
};

class Simulation {
  public:
    Simulation(const MadeRun& run, const std::string& trace)
        : run_{run}, trace_{trace}, random_{run.seed}, blocks_{slots_for(run.ranks)}, begin_ns_{init_ns + round_ns +
                                                                                                run.idle_seconds * 1e9},
          players_(run.ranks) {
        for (std::uint32_t host = 0; host * std::uint64_t{run.ranks_a_host} < run.ranks; ++host)
            clocks_.push_back(made_clock(run.profile, run.seed, host, run.seconds));
        for (std::uint32_t rank = 0; rank < run.ranks; ++rank) {
            players_[rank].host = rank / run.ranks_a_host;
            players_[rank].now = begin_ns_;
            meet_neighbors(rank);
        }
    }

    Result<MadeTotals> make() {
        for (std::uint32_t rank = 0; rank < players_.size(); ++rank)
            if (auto opened = open(rank); !opened) return opened.error();
        const auto records_a_step = static_cast<double>(run_.pattern == MadePattern::ring ? 2 : 2 * directions() + 1) +
                                    (run_.steps_a_reduction > 0 ? 1.0 / run_.steps_a_reduction : 0);
        const auto steps = static_cast<std::uint64_t>(static_cast<double>(run_.records_a_rank) / records_a_step);
        const double step_ns = run_.seconds * 1e9 / static_cast<double>(std::max<std::uint64_t>(steps, 1));
        for (std::uint64_t step = 0; step < steps; ++step) play(step, step_ns);
        return close();
    }

  private:
    static std::size_t slots_for(std::uint32_t ranks) { return std::clamp<std::size_t>((1 << 21) / ranks, 512, 8192); }

    // --- neighbors and hosts

    [[nodiscard]] std::uint32_t directions() const {
        return static_cast<std::uint32_t>(players_.front().neighbors.size());
    }

    void meet_neighbors(std::uint32_t rank) {
        const std::uint32_t ranks = run_.ranks;
        if (run_.pattern != MadePattern::grid) return meet(rank, {(rank + 1) % ranks, (rank + ranks - 1) % ranks});
        std::uint32_t width = 1;
        for (std::uint32_t w = 1; w * w <= ranks; ++w)
            if (ranks % w == 0) width = w;
        const std::uint32_t height = ranks / width;
        const std::uint32_t x = rank % width;
        const std::uint32_t y = rank / width;
        const auto at = [&](std::uint32_t column, std::uint32_t row) { return row % height * width + column % width; };
        if (width == 1) return meet(rank, {at(x, y + 1), at(x, y + height - 1)});
        meet(rank, {at(x + 1, y), at(x + width - 1, y), at(x, y + 1), at(x, y + height - 1)});
    }

    // `others` are pairs of neighbors in opposite directions.
    void meet(std::uint32_t rank, std::initializer_list<std::uint32_t> others) {
        Player& player = players_[rank];
        for (const std::uint32_t other : others) {
            const auto direction = static_cast<std::uint32_t>(player.neighbors.size());
            player.neighbors.push_back({other, static_cast<std::int32_t>(direction), direction ^ 1U});
        }
        player.arrives.resize(player.neighbors.size());
    }

    [[nodiscard]] bool leads(std::uint32_t rank) const { return rank % run_.ranks_a_host == 0; }

    // --- the steps, each for all ranks

    void play(std::uint64_t step, double step_ns) {
        const double begin = begin_ns_ + step_ns * static_cast<double>(step);
        for (Player& player : players_)
            player.now = std::max(player.now, begin) + step_ns * (0.2 + 0.4 * uniform(random_));
        if (run_.pattern == MadePattern::ring) {
            for (Player& player : players_) send(player, 0, Function::Send);
            for (Player& player : players_) receive(player);
        } else {
            for (Player& player : players_) exchange(player);
            for (Player& player : players_) wait_for_all(player);
        }
        if (run_.steps_a_reduction > 0 && step % run_.steps_a_reduction == 0) reduce();
    }

    void exchange(Player& player) {
        for (const Neighbor& neighbor : player.neighbors) {
            const double enter = pass(player, 80);
            Record post = message(Function::Irecv, player.neighbors[neighbor.opposite].rank, neighbor.tag, 0);
            begin_request(player, post);
            add(player, post, enter, pass(player, 60));
        }
        for (std::uint32_t direction = 0; direction < player.neighbors.size(); ++direction)
            send(player, direction, Function::Isend);
    }

    void send(Player& player, std::uint32_t direction, Function function) {
        const Neighbor& neighbor = player.neighbors[direction];
        const double enter = pass(player, 80);
        Player& other = players_[neighbor.rank];
        const bool near = other.host == player.host;
        other.arrives[neighbor.opposite] = enter + (near ? 300 : 1000) + exponential(random_, near ? 100 : 400);
        Record record = message(function, neighbor.rank, neighbor.tag, message_bytes);
        if (function == Function::Isend) begin_request(player, record);
        add(player, record, enter, pass(player, 250));
    }

    void receive(Player& player) {
        const Neighbor& from = player.neighbors[1];
        const double enter = pass(player, 80);
        const double leave = std::max(pass(player, 80), player.arrives[1]);
        player.now = leave;
        add(player, message(Function::Recv, from.rank, 0, message_bytes), enter, leave);
    }

    void wait_for_all(Player& player) {
        const double enter = pass(player, 80);
        double leave = pass(player, 120);
        for (const double arrives : player.arrives) leave = std::max(leave, arrives);
        player.now = leave;
        words_.clear();
        const std::uint64_t count = player.neighbors.size();
        std::uint64_t request = player.requests - 2 * count;
        for (const Neighbor& neighbor : player.neighbors)
            complete({.request = request++,
                      .received = true,
                      .bytes = message_bytes,
                      .source = static_cast<std::int32_t>(player.neighbors[neighbor.opposite].rank),
                      .tag = neighbor.tag});
        for (std::uint64_t i = 0; i < count; ++i) complete({.request = request++});
        Record record = call(Function::Waitall);
        add(player, record, enter, leave, words_);
    }

    void complete(const Completion& done) {
        const std::size_t size = words_.size();
        words_.resize(size + Completion::most_words);
        words_.resize(size + done.put(words_.data() + size));
    }

    void reduce() {
        enters_.clear();
        double last = 0;
        for (Player& player : players_) last = std::max(last, enters_.emplace_back(pass(player, 80)));
        const double rounds = std::ceil(std::log2(static_cast<double>(players_.size())));
        for (std::size_t i = 0; i < players_.size(); ++i) {
            players_[i].now = last + 1000 * rounds + exponential(random_, 500);
            Record record = call(Function::Allreduce);
            record.what.comm = 1;
            record.what.bytes = 8;
            record.what.type = 1;
            add(players_[i], record, enters_[i], players_[i].now);
        }
    }

    // --- records

    static constexpr std::uint64_t message_bytes = 8192;

    double pass(Player& player, double mean_ns) {
        return player.now += mean_ns * 0.7 + exponential(random_, mean_ns * 0.3);
    }

    static Record call(Function function) {
        Record record;
        record.what.function = function;
        record.what.place = 0x400000 + 16 * static_cast<std::uint64_t>(function);
        return record;
    }

    static Record message(Function function, std::uint32_t peer, std::int32_t tag, std::uint64_t bytes) {
        Record record = call(function);
        record.what.comm = 1;
        record.what.peer = static_cast<std::int32_t>(peer);
        record.what.tag = tag;
        record.what.bytes = bytes;
        record.what.type = 1;
        return record;
    }

    static void begin_request(Player& player, Record& record) {
        record.what.flags = flag::starts;
        record.request = player.requests++;
    }

    void add(Player& player, Record record, double enter, double leave, Words words = {}) {
        const MadeClock& clock = clocks_[player.host];
        record.enter = clock.shown(enter);
        record.leave = clock.shown(leave);
        player.file->add(record, words);
    }

    // --- files

    [[nodiscard]] Anchor anchor(std::uint32_t host, double true_ns) const {
        constexpr std::int64_t date_ns = 1'700'000'000'000'000'000;
        const Ticks tick = clocks_[host].shown(true_ns);
        const auto shown = static_cast<std::int64_t>(tick);
        return {tick, shown, date_ns + shown};
    }

    Header header_of(std::uint32_t rank) const {
        const std::uint32_t host = players_[rank].host;
        Header header;
        header.job = job;
        header.rank = rank;
        header.ranks = run_.ranks;
        header.host = "host" + std::to_string(host);
        header.boot_id = header.host;
        header.program = "made_run";
        header.mpi = "simulated";
        header.timer = Timer::monotonic;
        header.start = anchor(host, 0);
        header.schema = schema();
        header.test_clock = clocks_[host].wrong();
        return header;
    }

    Outcome open(std::uint32_t rank) {
        const std::filesystem::path path = trace_ + "/" + rank_file_name(rank);
        std::error_code failed;
        std::filesystem::create_directories(path.parent_path(), failed);
        if (failed) return Error{.what = failed.message(), .file = path.parent_path().string()};
        players_[rank].file = std::make_unique<MadeRankFile>(blocks_, job);
        return players_[rank].file->open(path.string(), header_of(rank));
    }

    // The leaders form a binomial tree. Each is measured against the leader of the host whose number lacks the lowest
    // bit.
    [[nodiscard]] ClockPlace place_of(std::uint32_t rank) const {
        const std::uint32_t host = players_[rank].host;
        const std::uint32_t master = host & (host - 1);
        const auto level = static_cast<std::uint32_t>(std::popcount(host));
        if (!leads(rank)) return {ClockRelation::shared, host * run_.ranks_a_host, level};
        if (host == 0) return {.relation = ClockRelation::reference};
        return {ClockRelation::measured, master * run_.ranks_a_host, level};
    }

    void measure(Definitions& closing, std::uint32_t rank, double true_ns, RoundReason reason) {
        const ClockPlace& place = closing.clock_places.front();
        if (place.relation != ClockRelation::measured) return;
        const MadeClock& master = clocks_[players_[place.master].host];
        SyncRound round = made_round(clocks_[players_[rank].host], master, true_ns + ms * place.level, random_);
        round.reason = reason;
        round.number = static_cast<std::uint32_t>(closing.sync_rounds.size());
        round.master = place.master;
        closing.sync_rounds.push_back(std::move(round));
    }

    Definitions closing_of(std::uint32_t rank, double end_ns) {
        Definitions closing;
        closing.comms = {{.number = 1,
                          .identity = 1,
                          .my_rank = rank,
                          .members = {{0, run_.ranks, 1}},
                          .remote = {},
                          .name = "MPI_COMM_WORLD"},
                         {.number = 2,
                          .identity = 2 + rank,
                          .my_rank = 0,
                          .members = {{rank, 1, 1}},
                          .remote = {},
                          .name = "MPI_COMM_SELF"}};
        closing.datatypes = {{.number = 1, .name = "MPI_BYTE", .size = 1}};
        closing.clock_places = {place_of(rank)};
        measure(closing, rank, init_ns, RoundReason::init);
        measure(closing, rank, end_ns, RoundReason::finalize);
        closing.anchors = {anchor(players_[rank].host, end_ns + 2 * round_ns)};
        return closing;
    }

    Result<MadeTotals> close() {
        double end_ns = 0;
        for (const Player& player : players_) end_ns = std::max(end_ns, player.now);
        MadeTotals totals;
        for (std::uint32_t rank = 0; rank < players_.size(); ++rank) {
            MadeRankFile& file = *players_[rank].file;
            if (!file.close(closing_of(rank, end_ns + run_.idle_seconds * 1e9)))
                return Error{.what = "cannot be written", .file = trace_ + "/" + rank_file_name(rank)};
            totals.records += file.records();
            totals.bytes += file.bytes();
        }
        Manifest manifest = manifest_of(header_of(0));
        manifest.calls = manifest.records = totals.records;
        manifest.bytes = totals.bytes;
        manifest.losses = named_losses(std::vector<std::uint64_t>(loss_count));
        if (auto written = write_manifest(trace_, manifest); !written) return written.error();
        return totals;
    }

    const MadeRun& run_;
    const std::string& trace_;
    std::mt19937_64 random_;
    MadeBlocks blocks_;
    double begin_ns_;               // of the first step
    std::vector<MadeClock> clocks_; // by host
    std::vector<Player> players_;
    std::vector<std::int64_t> words_;
    std::vector<double> enters_;
};

} // namespace

std::optional<MadePattern> made_pattern(std::string_view name) {
    const auto found = std::find(pattern_names.begin(), pattern_names.end(), name);
    if (found == pattern_names.end()) return {};
    return static_cast<MadePattern>(found - pattern_names.begin());
}

Result<MadeTotals> make_run(const MadeRun& run, const std::string& trace) { return Simulation{run, trace}.make(); }

} // namespace tactus

// What tactus view returns: who may ask, pictures as the page reads them, single calls, drawings, and the report as a
// page.
#include "cli/report/report_html.hpp"
#include "cli/viewer/axis.hpp"
#include "cli/viewer/colors.hpp"
#include "cli/viewer/drawing.hpp"
#include "cli/viewer/question.hpp"
#include "cli/viewer/thread_calls.hpp"
#include "cli/viewer/who_asks.hpp"
#include "postproc/view/rows.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

namespace tactus {
namespace {

constexpr const char* token = "0123456789abcdef0123456789abcdef";

int asked(Asking asking, std::string_view* rest = nullptr) {
    std::string_view behind;
    const int status = may_ask(asking, token, behind);
    if (rest != nullptr) *rest = behind;
    return status;
}
Asking by_page(std::string_view path) { return {"GET", path, "127.0.0.1:4000", {}, {}}; }

// Ranks with calls and a region of random lengths.
struct Made {
    struct Call {
        std::size_t line = 0;
        Ticks enter = 0;
        Ticks leave = 0;
        std::string function;
    };
    TestFolder folder;
    std::string path{(folder.path() / "app.tactus").string()};
    std::vector<Call> calls;

    explicit Made(std::uint64_t seed) {
        std::mt19937_64 random{seed};
        const auto below = [&](std::uint64_t end) { return random() % end; };
        std::vector<MadeRank> ranks = made_ranks(3);
        for (std::uint32_t rank = 0; rank < 3; ++rank) {
            ranks[rank].definitions.symbols = {{.number = 7, .name = "app:<solve> & \xff"}};
            MadeLane& lane = ranks[rank].lanes.emplace_back();
            lane.records_a_block = 1 + below(20);
            Ticks at = 0;
            for (int i = 0; i < 300; ++i) {
                const Ticks outer = at += 1 + below(50);
                const Function function = std::array{Function::Send, Function::Barrier, Function::Sendrecv}[below(3)];
                const Ticks enter = at += 1 + below(50);
                lane.records.push_back(made_call(function, enter, at += 1 + below(300)));
                calls.push_back({rank, enter, at,
                                 "MPI_" + std::string{functions[static_cast<std::size_t>(function)].name}.substr(4)});
                if (below(4) != 0) continue;
                MadeRecord region = made_call(Function::Barrier, outer, at += 1 + below(50));
                region.record.what = {};
                region.record.what.kind = Kind::region;
                region.record.what.type = 7;
                lane.records.push_back(region);
                calls.push_back({rank, outer, at, ranks[rank].definitions.symbols.front().name});
            }
        }
        write_trace(path, ranks);
    }
};

// The columns of a picture, as the page finds them.
struct Read {
    nlohmann::json head;
    std::string bytes;
    std::map<std::string, std::size_t> begins;

    explicit Read(std::string of) : bytes{std::move(of)} {
        std::uint32_t length = 0;
        std::memcpy(&length, bytes.data(), sizeof length);
        head = nlohmann::json::parse(bytes.substr(4, length));
        std::size_t at = (4 + length + 7) / 8 * 8;
        const std::map<std::string, std::size_t> sizes{
            {"Uint8Array", 1}, {"Uint16Array", 2}, {"Uint32Array", 4}, {"Float32Array", 4}, {"Float64Array", 8}};
        for (const auto& array : head["arrays"]) {
            begins[array["name"]] = at;
            at += (array["length"].get<std::size_t>() * sizes.at(array["type"]) + 7) / 8 * 8;
        }
        CHECK(at == bytes.size());
    }
    template <class Number> [[nodiscard]] Number number(const std::string& name, std::size_t i) const {
        Number value{};
        std::memcpy(&value, bytes.data() + begins.at(name) + i * sizeof value, sizeof value);
        return value;
    }
};

} // namespace

TEST_CASE("only who knows the token, from this machine's own page, gets an answer", "[viewer]") {
    const std::string page = std::string{"/"} + token + "/";
    std::string_view rest;
    CHECK(asked(by_page(page), &rest) == 200);
    CHECK(rest.empty());
    const std::string traces = page + "api/traces";
    CHECK(asked(by_page(traces), &rest) == 200);
    CHECK(rest == "api/traces");
    for (const std::string& path : {std::string{"/"}, std::string{}, std::string{"/x/api/traces"},
                                    page.substr(0, page.size() - 1), "/" + page, page.substr(0, 20) + "/"})
        CHECK(asked(by_page(path)) == 403);
    Asking asking = by_page(page);
    for (const char* host : {"localhost:8000", "[::1]:9", "127.0.0.1", "localhost"}) {
        asking.host = host;
        CHECK(asked(asking) == 200);
    }
    for (const char* host :
         {"evil.example", "127.0.0.1.evil.example:4000", "", "localhost.evil.example", "[::1].evil:1"}) {
        asking.host = host;
        CHECK(asked(asking) == 403);
    }
    asking = by_page(page);
    for (const char* origin : {"http://evil.example", "http://127.0.0.1:4001", "null", "https://127.0.0.1:4000"}) {
        asking.origin = origin;
        CHECK(asked(asking) == 403);
    }
    asking.origin = "http://127.0.0.1:4000";
    CHECK(asked(asking) == 200);
    asking.fetch_site = "cross-site";
    CHECK(asked(asking) == 403);
    asking.fetch_site = "same-origin";
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get"}) {
        asking.method = method;
        CHECK(asked(asking) == 405);
    }
    CHECK(random_token()->size() == 32);
    CHECK(*random_token() != *random_token());
}

TEST_CASE("numbers that the page says are numbers, or errors", "[viewer]") {
    const Question question{{{"from", "1.5"},
                             {"to", "nan"},
                             {"pixels", "7"},
                             {"rows", "-1"},
                             {"group", "0"},
                             {"group", "1"},
                             {"x", "1e999"},
                             {"y", "2s"}}};
    CHECK(**question.number("from") == 1.5);
    CHECK(!question.number("none")->has_value());
    for (const char* name : {"to", "rows", "x", "y"}) CHECK(!question.count(name, 0, 100));
    for (const char* name : {"to", "x", "y"}) CHECK(!question.number(name));
    CHECK(*question.count("pixels", 1, 7) == 7);
    CHECK(!question.count("pixels", 1, 6));
    CHECK(*question.count("none", 3, 7) == 3);
    CHECK(question.all("group") == std::vector<std::string>{"0", "1"});
    CHECK(refused(400, "\xff").body.find("error") != std::string::npos);
}

TEST_CASE("a picture has what the view has", "[viewer]") {
    const Made made{1};
    const auto trace = Trace::open(made.path);
    REQUIRE(trace);
    const FunctionNames names{*trace};
    const FunctionTable table{names};
    const TimeLine time_line{*trace};
    ViewRequest request{.from = time_line.begin(),
                        .to = time_line.end(),
                        .pixels = 200,
                        .rows = rows_by(*trace, time_line, RowsBy::processes)};
    request.rows.push_back({"all", {0, 1, 2}});
    const View seen = view(time_line, names, request);
    const Read read{picture_bytes({*trace, time_line, names, table, request, seen})};
    CHECK(read.head["slots"] == seen.slots);
    CHECK(read.head["rows"].size() == 4);
    CHECK(read.head["row_lines"][3] == nlohmann::json{0, 1, 2});
    std::size_t i = 0;
    std::size_t span = 0;
    for (std::size_t row = 0; row < seen.rows.size(); ++row) {
        CHECK(read.number<std::uint32_t>("row_begin", row) == i);
        for (const FunctionSlot& slot : seen.rows[row]) {
            CHECK(read.number<std::uint16_t>("first", i) == slot.first);
            CHECK(read.number<std::uint16_t>("last", i) == slot.last);
            CHECK(table.names()[read.number<std::uint16_t>("function", i)] == names.name(slot.function));
            CHECK(read.number<std::uint8_t>("share", i) ==
                  Approx(255.0 * static_cast<double>(slot.time) / static_cast<double>(slot.busy)).margin(0.51));
            CHECK(read.number<std::uint8_t>("is_span", i) == (slot.span ? 1 : 0));
            if (slot.span) {
                CHECK(read.number<double>("span_end", span) - read.number<double>("span_begin", span) ==
                      Approx(1e-9 * to_ns(slot.span->length())));
                CHECK(read.number<std::uint32_t>("span_thread", span) == slot.line);
                ++span;
            }
            ++i;
        }
    }
    double total = 0;
    for (std::size_t k = 0; k < read.number<std::uint32_t>("total_begin", seen.slots); ++k)
        total += read.number<float>("total_s", k);
    double expected = 0;
    for (const auto& slot : seen.totals)
        for (const SlotEntry& entry : slot) expected += 1e-9 * to_ns(entry.time);
    CHECK(total == Approx(expected).epsilon(1e-4));
}

TEST_CASE("single calls are those of the thread in the window", "[viewer]") {
    const Made made{2};
    const auto trace = Trace::open(made.path);
    REQUIRE(trace);
    const TimeLine time_line{*trace};
    std::mt19937_64 random{2};
    for (int query = 0; query < 100; ++query) {
        const std::size_t line = random() % 3;
        const ProcessClock& clock = *time_line.lines()[line].clock;
        const Ticks from = made_start + random() % 80'000;
        const Ticks to = from + 1 + random() % 3000;
        std::multiset<std::pair<GlobalTime, std::string>> expected;
        for (const Made::Call& call : made.calls)
            if (call.line == line && made_start + call.leave > from && made_start + call.enter < to)
                expected.insert({clock.at(made_start + call.enter), call.function});
        const ThreadCalls found = calls_between(time_line, line, clock.at(from), clock.at(to), 1000);
        std::multiset<std::pair<GlobalTime, std::string>> shown;
        for (const ThreadCall& call : found.calls) shown.insert({call.begin, call.function});
        CHECK(shown == expected);
        CHECK(std::is_sorted(found.calls.begin(), found.calls.end(),
                             [](const ThreadCall& a, const ThreadCall& b) { return a.begin < b.begin; }));
        if (expected.size() > 2) CHECK(calls_between(time_line, line, clock.at(from), clock.at(to), 2).more);
    }
}

TEST_CASE("what is looked for is the next, or the last, of all threads", "[viewer]") {
    const Made made{3};
    const auto trace = Trace::open(made.path);
    REQUIRE(trace);
    const TimeLine time_line{*trace};
    SourceLines places;
    std::mt19937_64 random{3};
    std::size_t none = 0;
    for (int query = 0; query < 400; ++query) {
        Wanted wanted{.text = std::array<const char*, 5>{"send", "MPI_Send", "SOLVE", "", "Nothing"}[random() % 5]};
        wanted.exact = wanted.text == "MPI_Send";
        if (wanted.text.empty() || random() % 3 == 0) wanted.line = random() % 3;
        wanted.behind = random() % 2 == 0;
        wanted.time = time_line.lines()[0].clock->at(made_start + random() % 90'000);
        if (random() % 2 == 0) { // exactly where a call begins
            const Made::Call& call = made.calls[random() % made.calls.size()];
            wanted.time = time_line.lines()[call.line].clock->at(made_start + call.enter);
        }
        std::optional<GlobalTime> best;
        for (const Made::Call& call : made.calls) {
            const GlobalTime begin = time_line.lines()[call.line].clock->at(made_start + call.enter);
            std::string name = call.function;
            std::string text = wanted.text;
            if (!wanted.exact)
                for (std::string* letters : {&name, &text})
                    std::transform(letters->begin(), letters->end(), letters->begin(),
                                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
            const bool matches = wanted.exact ? name == text : name.find(text) != std::string::npos;
            if (!matches || (wanted.line && *wanted.line != call.line)) continue;
            if (wanted.behind ? begin > wanted.time && (!best || begin < *best)
                              : begin < wanted.time && (!best || begin > *best))
                best = begin;
        }
        const auto found = find_call(time_line, wanted, places);
        INFO("query " << query << " '" << wanted.text << "'");
        REQUIRE(found.has_value() == best.has_value());
        if (found) CHECK(found->begin == *best);
        none += found ? 0 : 1;
    }
    CHECK(none > 20);
    CHECK(none < 300);
}

TEST_CASE("a drawing is a file of its kind, and names in it are text", "[viewer][cairo]") {
    const Made made{4};
    for (const auto& [option, begin] :
         {std::pair{"svg", "<?xml"}, std::pair{"png", "\x89PNG"}, std::pair{"pdf", "%PDF"}}) {
        const std::string file = (made.folder.path() / option).string();
        const CommandOutcome done = run_tactus(std::string{"view --"} + option + " " + file + " --path " + made.path);
        CHECK(done.status == 0);
        CHECK(done.output.empty());
        std::ifstream in{file, std::ios::binary};
        std::string content{std::istreambuf_iterator<char>{in}, {}};
        CHECK(content.starts_with(begin));
        CHECK(content.find("<solve>") == std::string::npos);
    }
    CHECK(run_tactus("view --width 500 " + made.path).status == 2);
    CHECK(run_tactus("view --svg /nonexistent/x.svg " + made.path).status == 1);
    CHECK(run_tactus("view --svg x.svg " + made.path + " " + made.path).status == 2);
}

TEST_CASE("a drawing has room for its rows' names, up to a fifth of it", "[viewer][cairo]") {
    const auto wide = [](std::size_t longest) {
        return pixels_of({}, {{.name = "rank 0", .lines = {}}, {.name = std::string(longest, 'n'), .lines = {}}});
    };
    CHECK(wide(0) == 1066);
    CHECK(wide(15) == wide(0));
    CHECK(wide(30) < wide(15));
    CHECK(wide(1000) == 946);
}

TEST_CASE("a report as a page has its tables and its drawing, and names are text", "[viewer][cairo]") {
    const Made made{5};
    const std::string file = (made.folder.path() / "report.html").string();
    CHECK(run_tactus("report --html " + file + " " + made.path).status == 0);
    std::ifstream in{file};
    const std::string page{std::istreambuf_iterator<char>{in}, {}};
    CHECK(page.starts_with("<!DOCTYPE html>"));
    CHECK(page.find("<svg") != std::string::npos);
    CHECK(page.find("&lt;solve&gt; &amp;") != std::string::npos);
    CHECK(page.find("<solve>") == std::string::npos);
    CHECK(page.find("MPI_Sendrecv") != std::string::npos);
    for (const char* outside : {"src=", "href=\"http", "@import", "<script"})
        CHECK(page.find(outside) == std::string::npos);
    CHECK(run_tactus("report --html /nonexistent/x " + made.path).status == 1);
}

TEST_CASE("an axis has round times in its window, not too near each other", "[viewer]") {
    for (const auto& [from, to] : {std::pair{0.0, 1.0}, std::pair{-0.5, 0.25}, std::pair{1.2345678, 1.2345679},
                                   std::pair{0.0, 90000.0}, std::pair{3e-6, 9e-6}}) {
        const Axis axis = axis_between(from, to, 1000);
        CHECK(axis.marks.size() >= 3);
        CHECK(axis.marks.size() <= 12);
        std::set<std::string> texts;
        for (const Axis::Mark& mark : axis.marks) {
            CHECK(mark.time_s >= from - 1e-12);
            CHECK(mark.time_s <= to + 1e-12);
            texts.insert(mark.text);
        }
        CHECK(texts.size() == axis.marks.size());
    }
}

TEST_CASE("functions have colors by their kind, the same each time", "[viewer]") {
    CHECK(color_of("MPI_Send") == color_of("MPI_Send"));
    std::set<std::string> often;
    for (const char* name : {"MPI_Send", "MPI_Recv", "MPI_Wait", "MPI_Waitall", "MPI_Allreduce", "MPI_Barrier",
                             "(application)", "app:solve"})
        often.insert(hex(color_of(name)));
    CHECK(often.size() == 8);
    CHECK(hex({255, 0, 16}) == "#ff0010");
    CHECK(color_of("(application)", Theme::dark) != color_of("(application)", Theme::light));
    CHECK(ink_on({255, 255, 255}) != ink_on({0, 0, 0}));
}

} // namespace tactus

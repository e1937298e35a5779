// What a Perfetto file has of threads: what the operating system counted for them, and samples. The file is decoded by
// the rules of protocol buffers (protobuf.dev, "Encoding") and Perfetto's field numbers, which stand here once more.
#include "postproc/export/perfetto.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "trace/sample.hpp"

#include <bit>
#include <cstring>
#include <fstream>
#include <map>

using namespace tactus;

namespace {

constexpr Ticks ms = 1'000'000;

// A message in which fields are looked up by number.
struct Fields {
    std::multimap<std::uint64_t, std::uint64_t> numbers;
    std::multimap<std::uint64_t, std::string> texts;

    explicit Fields(const std::string& bytes) {
        for (std::size_t at = 0; at < bytes.size();) {
            const std::uint64_t key = varint(bytes, at);
            switch (key & 7) {
            case 0:
                numbers.emplace(key >> 3, varint(bytes, at));
                break;
            case 1: {
                std::uint64_t value = 0;
                std::memcpy(&value, bytes.data() + at, sizeof value);
                numbers.emplace(key >> 3, value);
                at += sizeof value;
                break;
            }
            case 2: {
                const std::uint64_t size = varint(bytes, at);
                texts.emplace(key >> 3, bytes.substr(at, size));
                at += size;
                break;
            }
            default:
                FAIL("no field of type " << (key & 7) << " is written");
            }
        }
    }
    [[nodiscard]] std::uint64_t number(std::uint64_t field) const {
        REQUIRE(numbers.count(field) == 1);
        return numbers.find(field)->second;
    }
    [[nodiscard]] std::string text(std::uint64_t field) const {
        REQUIRE(texts.count(field) == 1);
        return texts.find(field)->second;
    }
    [[nodiscard]] std::vector<std::string> all(std::uint64_t field) const {
        std::vector<std::string> found;
        for (auto [one, end] = texts.equal_range(field); one != end; ++one) found.push_back(one->second);
        return found;
    }

  private:
    static std::uint64_t varint(const std::string& bytes, std::size_t& at) {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = static_cast<std::uint8_t>(bytes.at(at++));
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80) return value;
        }
    }
};

struct ReadPerfetto {
    std::vector<std::string> values;  // of counters, in the order of the file: "TRACK ms: value"
    std::vector<std::string> samples; // "TID ms: outermost;...;innermost", and "!" where callers are missing
    std::map<std::uint64_t, std::string> threads; // names by tid

    explicit ReadPerfetto(const std::string& bytes) {
        for (const std::string& one : Fields{bytes}.all(1)) read(Fields{one});
    }

  private:
    void read(const Fields& packet) {
        for (const std::string& track : packet.all(60)) describe(Fields{track});
        for (const std::string& more : packet.all(12)) learn(Fields{more}, names_[packet.number(10)]);
        const auto at = [&] { return std::to_string(packet.number(8) / ms); };
        for (const std::string& bytes : packet.all(11)) {
            const Fields event{bytes};
            if (event.number(9) != 4 || !tracks_.contains(event.number(11))) continue;
            values.push_back(tracks_[event.number(11)] + " " + at() + ": " +
                             std::to_string(std::lround(std::bit_cast<double>(event.number(44)))));
        }
        for (const std::string& bytes : packet.all(66)) {
            const Fields sample{bytes};
            const Names& names = names_[packet.number(10)];
            std::string text = std::to_string(sample.number(3)) + " " + at() + ":";
            for (const std::uint64_t frame : names.stacks.at(sample.number(4))) text += " " + names.frames.at(frame);
            samples.push_back(text + (sample.numbers.contains(16) ? " !" : ""));
        }
    }
    struct Names {
        std::map<std::uint64_t, std::string> functions;
        std::map<std::uint64_t, std::string> paths;
        std::map<std::uint64_t, std::string> mappings;
        std::map<std::uint64_t, std::string> frames;
        std::map<std::uint64_t, std::vector<std::uint64_t>> stacks;
    };
    void describe(const Fields& track) {
        if (!track.all(8).empty()) tracks_[track.number(1)] = track.text(2);
        for (const std::string& bytes : track.all(4)) {
            const Fields thread{bytes};
            threads[thread.number(2)] = thread.text(5);
        }
    }
    static void learn(const Fields& more, Names& names) {
        const auto each = [&](std::uint64_t list, const auto& take) {
            for (const std::string& bytes : more.all(list)) take(Fields{bytes});
        };
        each(5, [&](const Fields& one) { names.functions[one.number(1)] = one.text(2); });
        each(17, [&](const Fields& one) { names.paths[one.number(1)] = one.text(2); });
        each(19, [&](const Fields& one) { names.mappings[one.number(1)] = names.paths.at(one.number(7)); });
        each(6, [&](const Fields& one) {
            names.frames[one.number(1)] = names.functions.at(one.number(2)) + "@" + names.mappings.at(one.number(3)) +
                                          "+" + std::to_string(one.number(4));
        });
        each(7, [&](const Fields& one) {
            auto& stack = names.stacks[one.number(1)];
            for (auto [frame, end] = one.numbers.equal_range(2); frame != end; ++frame) stack.push_back(frame->second);
        });
    }
    std::map<std::uint64_t, std::string> tracks_;
    std::map<std::uint64_t, Names> names_; // by packet sequence
};

struct PerfettoOfMade {
    Exported exported;
    ReadPerfetto read{{}};

    PerfettoOfMade(const std::vector<MadeRecord>& thread, const std::vector<MadeRecord>& sampled) {
        const TestFolder folder;
        auto ranks = made_ranks(1);
        ranks[0].definitions.modules = {{0x1000, 0x2000, 0x1000, "/opt/app/solve", "ab"}};
        ranks[0].lanes = {{.records = thread, .records_a_block = 2}, {.number = sampled::lane, .records = sampled}};
        write_trace(folder.path() / "app.tactus", ranks);
        const auto trace = Trace::open((folder.path() / "app.tactus").string());
        REQUIRE(trace);
        const PlaceNames names{.place = [](const Place& place) { return "at " + std::to_string(place.offset); },
                               .function =
                                   [](const Place& place) {
                                       if (!place.function.empty()) return place.function;
                                       return place.offset == 0x30 ? std::string{} : "f" + std::to_string(place.offset);
                                   },
                               .system_call = [](std::int32_t number) { return "call" + std::to_string(number); }};
        const std::string path = (folder.path() / "out").string();
        auto done = export_perfetto(*trace, StepClock{begin_of(*trace), nullptr}, path, names);
        REQUIRE(done);
        exported = std::move(*done);
        std::ifstream in{path, std::ios::binary};
        read = ReadPerfetto{{std::istreambuf_iterator<char>{in}, {}}};
    }
};

} // namespace

TEST_CASE("perfetto: what the operating system counted is on tracks of the thread") {
    const PerfettoOfMade made{{made_call(Function::Init, 0, 1 * ms),
                               // The system is asked at the second stretch. Of 120 ms off a core 60 were without one.
                               made_stretch(101 * ms, {.length = 100 * ms, .ran_ns = 80 * ms, .minor_faults = 50}),
                               made_stretch(201 * ms, {.length = 100 * ms, .ran_ns = 0, .waited_ns = 60 * ms}),
                               made_stretch(301 * ms, {.length = 100 * ms, .ran_ns = 90 * ms})},
                              {}};
    CHECK(made.read.values == std::vector<std::string>{"on a core 1: 80", "without a core 1: 10", "page faults 1: 500",
                                                       "on a core 101: 0", "without a core 101: 50",
                                                       "page faults 101: 0", "on a core 201: 90",
                                                       "without a core 201: 0", "on a core 301: 0"});
    CHECK(made.exported.events == 2 + made.read.values.size());
    CHECK(made.exported.not_said.empty());
}

TEST_CASE("perfetto: samples have their thread and the functions that it was in") {
    const std::uint64_t line = sampled::script_places + 5;
    MadeRecord cut = made_sample(40 * ms, 0, 0x1010, 0, sampled::on_core);
    cut.record.what.flags |= flag::unfinished;
    MadeRecord other = made_sample(50 * ms, 0, 0x1010, 0, 7);
    other.record.what.type = 0; // a thread without a lane
    other.record.what.tag = 4711;
    const PerfettoOfMade made{
        {made_call(Function::Init, 0, 1 * ms)},
        {made_path(1, 1, 0, 0x1030), made_path(2, 2, 1, 0x1020), made_script(3, line, 12, "step", "/home/me/solve.py"),
         made_sample(10 * ms, 0, 0x1010, 2, sampled::on_core), made_sample(20 * ms, 0, 0x1010, 2, 3, "data.h5"),
         made_sample(30 * ms, 0, line, 1, sampled::in_python), cut, other,
         made_sample(60 * ms, 0, 0x1010, 2, sampled::call_ends), made_sample(70 * ms, 0, 0x1010, 2, sampled::on_core)}};
    const std::string stack = "at 48@opt/app/solve+48 f32@opt/app/solve+32 f16@opt/app/solve+16";
    REQUIRE(made.read.samples.size() == 6);
    CHECK(made.read.samples[0] == "1 10: " + stack);
    CHECK(made.read.samples[1] == "1 20: " + stack + " blocked in call3 (data.h5)@kernel+1");
    CHECK(made.read.samples[2] == "1 30: at 48@opt/app/solve+48 step@home/me/solve.py+12");
    CHECK(made.read.samples[3] == "1 40: f16@opt/app/solve+16 !");
    CHECK(made.read.samples[5] == "1 70: " + stack);
    const std::uint64_t tid = std::stoull(made.read.samples[4]);
    CHECK(made.read.samples[4] == std::to_string(tid) + " 50: f16@opt/app/solve+16 blocked in call7@kernel+2");
    CHECK(made.read.threads ==
          std::map<std::uint64_t, std::string>{{1, "main thread"}, {tid, "thread without calls (4711)"}});
    CHECK(made.exported.events == 2 + made.read.samples.size());
    CHECK(made.exported.not_said.line() == "1 samples of who made calls, which are not taken evenly");
}

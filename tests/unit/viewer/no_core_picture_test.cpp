// Time without a core in what `tactus view` returns: the columns of a picture, and drawings.
#include "cli/viewer/picture.hpp"
#include "postproc/view/rows.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tactus {
namespace {

constexpr Ticks ms = 1'000'000;

// Two ranks that compute for 100 ms; rank 1 has no core for this share of it.
std::string write_two_ranks(const TestFolder& folder, double share) {
    std::vector<MadeRank> ranks = made_ranks(2);
    for (const std::size_t rank : {0U, 1U}) {
        constexpr std::int64_t length_ns = 100 * ms;
        const auto waited = static_cast<std::int64_t>(rank == 1 ? share * 100 * ms : 0);
        ranks[rank].lanes = {
            {.records = {
                 made_call(Function::Init, 0, 10),
                 made_stretch(100 * ms, {.length = 100 * ms, .ran_ns = length_ns - waited, .waited_ns = waited}),
                 made_call(Function::Finalize, 100 * ms + 10, 100 * ms + 20)}}};
    }
    std::string path = (folder.path() / "app.tactus").string();
    write_trace(path, ranks);
    return path;
}

std::string drawn(double share) {
    const TestFolder folder;
    const std::string file = (folder.path() / "drawing.svg").string();
    CHECK(run_tactus("view --svg " + file + " " + write_two_ranks(folder, share)).status == 0);
    std::ifstream in{file, std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    std::erase(text, ' ');
    return text;
}

} // namespace

TEST_CASE("a picture has the slots without a core", "[viewer]") {
    const TestFolder folder;
    const auto trace = Trace::open(write_two_ranks(folder, 0.6));
    REQUIRE(trace);
    const FunctionNames names{*trace};
    const FunctionTable table{names};
    const TimeLine time_line{*trace};
    const ViewRequest request{.from = time_line.begin(),
                              .to = time_line.end(),
                              .pixels = 64,
                              .rows = rows_by(*trace, time_line, RowsBy::processes)};
    const View seen = view(time_line, names, request);
    const std::string bytes = picture_bytes({*trace, time_line, names, table, request, seen});
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    const auto head = nlohmann::json::parse(bytes.substr(4, length));
    REQUIRE(head["arrays"].size() > 3);
    const auto& arrays = head["arrays"];
    const std::size_t count = seen.no_core[1].size();
    REQUIRE(count > 20);
    CHECK(seen.no_core[0].empty());
    CHECK(arrays[arrays.size() - 3] ==
          nlohmann::json{{"name", "no_core_begin"}, {"type", "Uint32Array"}, {"length", 3}});
    CHECK(arrays[arrays.size() - 2]["length"] == count);
    // The arrays are the last ones, each filled up to 8 bytes.
    const auto filled = [](std::size_t size) { return (size + 7) / 8 * 8; };
    const std::size_t shares = bytes.size() - filled(count);
    const std::size_t slots = shares - filled(2 * count);
    std::uint32_t begins[3];
    std::memcpy(begins, bytes.data() + slots - 16, sizeof begins);
    CHECK(std::vector<std::uint32_t>(begins, begins + 3) ==
          std::vector<std::uint32_t>{0, 0, static_cast<std::uint32_t>(count)});
    for (std::size_t i = 0; i < count; ++i) {
        std::uint16_t slot = 0;
        std::memcpy(&slot, bytes.data() + slots + 2 * i, sizeof slot);
        CHECK(slot == seen.no_core[1][i].slot);
        CHECK(static_cast<std::uint8_t>(bytes[shares + i]) == Approx(255 * seen.no_core[1][i].share).margin(0.51));
    }
    // Within the stretch the share is that of the whole stretch.
    CHECK(seen.no_core[1][count / 2].share == Approx(0.6).margin(1e-4));
}

TEST_CASE("a drawing is hatched where a thread had no core for a quarter of the time", "[viewer][cairo]") {
    const std::string hatching = "rgb(78.431373%,18.823529%,12.54902%)"; // as cairo writes the color
    CHECK(drawn(0.6).find(hatching) != std::string::npos);
    CHECK(drawn(0.3).find(hatching) != std::string::npos);
    CHECK(drawn(0.2).find(hatching) == std::string::npos);
}

} // namespace tactus

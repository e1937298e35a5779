#include "tests/unit/postproc/waits/made_by_hand.hpp"

#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/run_tactus.hpp"

namespace tactus {

RunByHand::RunByHand(std::uint32_t size) : ranks{made_ranks(size)} {
    for (std::uint32_t rank = 0; rank < size; ++rank) {
        ranks[rank].lanes.resize(1);
        add(rank, made_call(Function::Init, 0, 100));
    }
}

void RunByHand::add(std::uint32_t rank, MadeRecord made) {
    made.record.what.comm = 1;
    ranks[rank].lanes[0].records.push_back(std::move(made));
}

std::string RunByHand::write(const TestFolder& folder) const {
    std::string path = (folder.path() / "app.tactus").string();
    write_trace(path, ranks);
    return path;
}

RunWaits RunByHand::waits() const {
    const TestFolder folder;
    const std::string path = write(folder);
    REQUIRE(run_tactus("finish " + path).status == 0);
    const auto trace = Trace::open(path);
    REQUIRE(trace);
    const auto found = waits_of(*trace, {});
    REQUIRE(found);
    return *found;
}

std::string late_sender(const TestFolder& folder) {
    RunByHand run{2};
    run.add(0, made_message(Function::Recv, 10'100, 70'600, 1, 7, 8));
    run.add(1, made_message(Function::Send, 70'100, 70'500, 0, 7, 8));
    for (std::uint32_t rank = 0; rank < 2; ++rank) run.add(rank, made_call(Function::Finalize, 100'100, 100'200));
    return run.write(folder);
}

std::string chain(const TestFolder& folder) {
    RunByHand run{3};
    run.add(0, made_message(Function::Send, 60'100, 60'200, 1, 7, 8));
    run.add(1, made_message(Function::Recv, 10'100, 60'600, 0, 7, 8));
    run.add(1, made_message(Function::Send, 70'100, 70'200, 2, 7, 1000));
    run.add(2, made_message(Function::Recv, 20'100, 70'600, 1, 7, 1000));
    run.add(0, made_call(Function::Finalize, 80'100, 80'200));
    run.add(1, made_call(Function::Finalize, 80'100, 80'200));
    run.add(2, made_call(Function::Finalize, 90'100, 90'200));
    return run.write(folder);
}

} // namespace tactus

#include "storm.hpp"

#include <algorithm>

namespace tactus::fake_nccl {

StormTimes run_storm(Library& library, const Storm& storm) {
    std::vector<std::unique_ptr<Communicator>> comms;
    for (std::size_t i = 0; i < storm.threads; ++i) {
        CommunicatorOptions options = storm.comm;
        options.id += i;
        options.paced = false;
        comms.push_back(std::make_unique<Communicator>(library, options));
    }
    std::vector<StormTimes> ended(storm.threads); // these are points in time, not durations
    const std::int64_t began_ns = host_now_ns();
    std::vector<std::thread> users;
    for (std::size_t user = 0; user < storm.threads; ++user)
        users.emplace_back([&storm, &comm = *comms[user], &end = ended[user]] {
            for (std::size_t i = 0; i < storm.operations; ++i) {
                comm.all_reduce(1, Datatype::float32);
                if (storm.pause.count() > 0) std::this_thread::sleep_for(storm.pause);
            }
            end.calls_ns = host_now_ns();
            comm.finalize();
            end.all_ns = host_now_ns();
        });
    for (std::thread& user : users) user.join();
    StormTimes times;
    for (const StormTimes& end : ended) {
        times.calls_ns = std::max(times.calls_ns, end.calls_ns - began_ns);
        times.all_ns = std::max(times.all_ns, end.all_ns - began_ns);
    }
    for (const auto& comm : comms) comm->destroy();
    return times;
}

} // namespace tactus::fake_nccl

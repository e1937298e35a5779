#include "collector/nccl/collector_rows.hpp"

#include "base/version.hpp"

#include <cstring>
#include <dlfcn.h>

namespace tactus::nccl {

const LaneService* lane_service() {
    for (const char* const collector : {"libtactus-openmpi.so", "libtactus-mpich.so", "libtactus-abi.so"}) {
        void* const library = dlopen(collector, RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr) continue;
        const auto get = reinterpret_cast<GetLaneService>(dlsym(library, lane_service_name));
        const LaneService* const service = get != nullptr ? get() : nullptr;
        dlclose(library); // it was preloaded, and stays
        if (service != nullptr && std::strcmp(service->version, release()) == 0) return service;
    }
    return nullptr;
}

TraceRows::Row CollectorRows::add(const std::string& name) {
    Lane* const lane = service_.make_lane();
    if (lane == nullptr) return no_row;
    Definitions more;
    more.threads.push_back({.number = service_.number_of(lane), .name = name});
    service_.define(more);
    lanes_.push_back(lane);
    return static_cast<Row>(lanes_.size() - 1);
}

} // namespace tactus::nccl

#include "truth.hpp"

#include <fstream>

namespace tactus::fake_nccl {
namespace {

const char* name_of(What what) {
    switch (what) {
    case What::coll:
        return "coll";
    case What::p2p:
        return "p2p";
    case What::api:
        return "api";
    }
    return "";
}

std::string member(const char* name, const char* value) { return std::string{", \""} + name + "\": \"" + value + "\""; }

std::string member(const char* name, std::int64_t value) {
    return std::string{", \""} + name + "\": " + std::to_string(value);
}

} // namespace

std::string TruthRecord::json() const {
    const Stamp start = first_.or_else(facts_.kernel_start), stop = last_.or_else(facts_.kernel_stop);
    return std::string{"{\"what\": \""} + name_of(facts_.what) + "\"" +
           member("comm", std::to_string(facts_.comm).c_str()) + member("rank", facts_.rank) +
           member("nranks", facts_.ranks) + member("func", facts_.func) + member("seq", facts_.sequence) +
           member("bytes", static_cast<std::int64_t>(facts_.bytes)) + member("channels", facts_.channels) +
           member("peer", facts_.peer) + member("algo", facts_.algo) + member("proto", facts_.proto) +
           member("datatype", facts_.datatype) + member("gpu_start_ns", start.gpu_ns) +
           member("gpu_stop_ns", stop.gpu_ns) + member("host_start_ns", start.host_ns) +
           member("host_stop_ns", stop.host_ns) + member("ran_start_ns", facts_.ran_start_ns) +
           member("ran_stop_ns", facts_.ran_stop_ns) + member("kernel_channels_reported", channels_reported_.load()) +
           member("lost_starts", lost_starts_.load()) + member("overruns", overruns_.load()) + "}";
}

TruthRecord* Truth::add(const TruthFacts& facts) {
    operations_.fetch_add(1, std::memory_order_relaxed);
    if (!kept_) return nullptr;
    const std::scoped_lock lock{mutex_};
    return &records_.emplace_back(facts);
}

bool Truth::write(const std::string& path) const {
    std::ofstream file{path};
    const std::scoped_lock lock{mutex_};
    for (const TruthRecord& record : records_) file << record.json() << '\n';
    return file.good();
}

} // namespace tactus::fake_nccl

// Keeps one object for every thread that ever counted.
#include "counts.hpp"

#include <vector>

namespace tactus::fake_nccl {
namespace {

struct Registry {
    std::mutex mutex;
    std::deque<ThreadCounts> threads;
};

Registry& registry() {
    static Registry* const instance = new Registry; // never freed: threads may count until the process is gone
    return *instance;
}

std::vector<std::uint64_t> flat(const auto& counts, auto&& value) {
    std::vector<std::uint64_t> values;
    counts.each([&](const auto& number) { values.push_back(value(number)); });
    return values;
}

void add_flat(Totals& sum, const std::vector<std::uint64_t>& values) {
    auto next = values.begin();
    sum.each([&](std::uint64_t& number) { number += *next++; });
}

void list(std::string& text, const char* what, const auto& values, auto&& name) {
    text += std::string{", \""} + what + "\": {";
    const char* separator = "";
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == 0) continue;
        text += separator + ("\"" + name(i)) + "\": " + std::to_string(values[i]);
        separator = ", ";
    }
    text += "}";
}

} // namespace

ThreadCounts& counts() {
    thread_local ThreadCounts* mine = nullptr;
    if (mine == nullptr) [[unlikely]] {
        Registry& all = registry();
        const std::scoped_lock lock{all.mutex};
        mine = &all.threads.emplace_back();
    }
    return *mine;
}

Totals total_counts() {
    Totals totals;
    Registry& all = registry();
    const std::scoped_lock lock{all.mutex};
    for (const ThreadCounts& thread : all.threads)
        add_flat(totals, flat(thread, [](const Tally& t) { return t.value(); }));
    return totals;
}

void add(Totals& sum, const Totals& other) {
    add_flat(sum, flat(other, [](std::uint64_t value) { return value; }));
}

const char* event_name(std::size_t bit) {
    static constexpr std::array names{"Group",     "Coll",         "P2p",       "ProxyOp",  "ProxyStep",
                                      "ProxyCtrl", "KernelCh",     "NetPlugin", "GroupApi", "CollApi",
                                      "P2pApi",    "KernelLaunch", "CeColl",    "CeSync",   "CeBatch"};
    return bit < names.size() ? names[bit] : "unknown";
}

std::string json_of(const Totals& totals) {
    std::string text = "\"callbacks\": {\"init\": " + std::to_string(totals.init) +
                       ", \"finalize\": " + std::to_string(totals.finalize);
    list(text, "start", totals.start, [](std::size_t bit) { return std::string{event_name(bit)}; });
    list(text, "stop", totals.stop, [](std::size_t bit) { return std::string{event_name(bit)}; });
    list(text, "state", totals.state,
         [](std::size_t state) { return state + 1 == counted_states ? "unknown" : std::to_string(state); });
    text += "}, \"invalid\": " + std::to_string(totals.invalid);
    text += ", \"null_handle\": " + std::to_string(totals.null_handle);
    text += ", \"null_context\": " + std::to_string(totals.null_context);
    text += ", \"after_finalize\": " + std::to_string(totals.after_finalize);
    text += ", \"dropped\": " + std::to_string(totals.dropped);
    text += ", \"init_errors\": " + std::to_string(totals.init_errors);
    return text;
}

} // namespace tactus::fake_nccl

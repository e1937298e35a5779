#include "cli/viewer/timeline_text.hpp"

#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/table.hpp"
#include "postproc/waits/run_waits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tactus {
namespace {

using Object = nlohmann::ordered_json;

double seconds(const ViewedTrace& viewed, GlobalTime time) { return 1e-9 * ns_from(viewed.trace.zero, time); }
double length_s(GlobalTime time) { return 1e-9 * to_ns(time); }

// Returns the functions of all rows with their times, most time first.
std::vector<SlotEntry> functions_of(const View& view) {
    std::map<std::uint32_t, GlobalTime> times;
    for (const auto& slot : view.totals)
        for (const SlotEntry& entry : slot) times[entry.function] += entry.time;
    std::vector<SlotEntry> all;
    for (const auto& [function, time] : times) all.push_back({function, time, 0});
    std::stable_sort(all.begin(), all.end(), [](const SlotEntry& a, const SlotEntry& b) { return a.time > b.time; });
    return all;
}

// The application, the tracer and times that were not recorded have fixed signs. MPI functions and regions get
// letters, most time first, as long as there are letters.
std::map<std::uint32_t, char> letters_for(const std::vector<SlotEntry>& functions) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    std::map<std::uint32_t, char> chosen = {
        {span_function::application, '.'}, {span_function::tracer, '!'}, {span_function::not_recorded, '~'}};
    std::size_t next = 0;
    for (const SlotEntry& entry : functions)
        if (!chosen.contains(entry.function)) chosen[entry.function] = next < letters.size() ? letters[next++] : '?';
    return chosen;
}

std::string row_text(const std::vector<FunctionSlot>& slots, std::size_t width,
                     const std::map<std::uint32_t, char>& letters) {
    std::string text(width, ' ');
    for (const FunctionSlot& slot : slots)
        std::fill(text.begin() + slot.first, text.begin() + slot.last + 1, letters.at(slot.function));
    return text;
}

Object slot_json(const ViewedTrace& viewed, const FunctionSlot& slot, std::size_t function) {
    Object json = {{"first", slot.first},
                   {"last", slot.last},
                   {"function", function},
                   {"time_s", length_s(slot.time)},
                   {"busy_s", length_s(slot.busy)}};
    if (!slot.span) return json;
    const Line& line = viewed.time_line.lines()[slot.line];
    json["span"] = {{"begin_s", seconds(viewed, slot.span->begin)},
                    {"end_s", seconds(viewed, slot.span->end)},
                    {"rank", viewed.trace.ranks[line.rank].header().rank},
                    {"thread", line.lane}};
    return json;
}

// Names of communicators by identity.
using CommNames = std::map<std::uint64_t, std::string>;
CommNames names_of_comms(const Trace& trace) {
    CommNames names;
    for (const RankFile& file : trace.ranks)
        for (const Comm& comm : file.definitions().comms) names.emplace(comm.identity, printable(comm.name));
    return names;
}
Object name_of(const CommNames& comms, std::uint64_t identity) {
    const auto known = comms.find(identity);
    return known == comms.end() ? "" : known->second;
}

Object or_mixed(const auto& value) { return value ? Object(*value) : Object("mixed"); }
Object function_or_mixed(const ViewedTrace& viewed, const std::optional<std::uint32_t>& function) {
    return function ? Object(viewed.names.name(span_function::of(static_cast<Function>(*function)))) : Object("mixed");
}

Object message_json(const ViewedTrace& viewed, const CommNames& comms, const LinkSum& sum) {
    Object json = {{"from_row", sum.source},
                   {"to_row", sum.target},
                   {"count", sum.count},
                   {"sent_s", seconds(viewed, sum.mean_from())},
                   {"received_s", seconds(viewed, sum.mean_to())},
                   {"bytes", sum.amount}};
    json["tag"] = sum.what ? Object(static_cast<std::int32_t>(*sum.what)) : Object("mixed");
    json["communicator"] = sum.about ? name_of(comms, *sum.about) : Object("mixed");
    json["communicator_id"] = or_mixed(sum.about);
    return json;
}

Object wait_json(const ViewedTrace& viewed, const CommNames&, const LinkSum& sum) {
    const bool known = sum.target < wait_names.size();
    return {{"row", sum.source},
            {"kind", known ? wait_names[sum.target].key : "unknown"},
            {"count", sum.count},
            {"begin_s", seconds(viewed, sum.first())},
            {"end_s", seconds(viewed, sum.last())},
            {"waited_s", length_s(static_cast<GlobalTime>(sum.amount))},
            {"function", function_or_mixed(viewed, sum.what)},
            {"for_rank", or_mixed(sum.about)}};
}

Object collective_json(const ViewedTrace& viewed, const CommNames& comms, const LinkSum& sum) {
    Object root = or_mixed(sum.about);
    if (sum.about) root = *sum.about == 0 ? Object(nullptr) : Object(*sum.about - 1);
    return {{"communicator", name_of(comms, sum.source)},
            {"communicator_id", sum.source},
            {"count", sum.count},
            {"begin_s", seconds(viewed, sum.first())},
            {"end_s", seconds(viewed, sum.last())},
            {"bytes", sum.amount},
            {"operation", function_or_mixed(viewed, sum.what)},
            {"root", std::move(root)}};
}

// The result has its own `slot_s`, because slots of links may be wider than slots of functions.
template <class Json>
Object links_json(const ViewedTrace& viewed, const CommNames& comms, LinkKind kind, const Json& json_of) {
    const LinksShown& shown = viewed.view.links[static_cast<std::size_t>(kind)];
    Object all = Object::array();
    for (const LinkSum& sum : shown.sums) all.push_back(json_of(viewed, comms, sum));
    return {{"slot_s", length_s(GlobalTime{1} << shown.width_bits)}, {"all", std::move(all)}};
}

Object counters_json(const ViewedTrace& viewed) {
    const CountersShown& shown = viewed.view.counters;
    Object names = Object::array();
    for (const CounterName& counter_name : shown.names)
        names.push_back({{"name", printable(counter_name.name)}, {"unit", printable(counter_name.unit)}});
    Object all = Object::array();
    for (const CounterSum& sum : shown.sums)
        all.push_back({{"row", sum.row},
                       {"counter", sum.counter},
                       {"begin_s", seconds(viewed, sum.slot << shown.width_bits)},
                       {"count", sum.count},
                       {"least", sum.least},
                       {"greatest", sum.greatest},
                       {"last", sum.last},
                       {"last_s", seconds(viewed, sum.last_at)}});
    return {
        {"slot_s", length_s(GlobalTime{1} << shown.width_bits)}, {"names", std::move(names)}, {"all", std::move(all)}};
}

} // namespace

std::string timeline_text(const ViewedTrace& viewed) {
    const View& view = viewed.view;
    const std::vector<SlotEntry> shown = functions_of(view);
    const auto letters = letters_for(shown);
    std::size_t widest = 0;
    for (const ViewRow& row : viewed.request.rows) widest = std::max(widest, row.name.size());
    std::string text =
        fmt::format("{:.6f} s to {:.6f} s, {} slots of {} (asked for {})\n\n", seconds(viewed, view.from()),
                    seconds(viewed, view.to()), view.slots, duration_text(length_s(GlobalTime{1} << view.width_bits)),
                    duration_text(length_s(view.wanted)));
    for (std::size_t i = 0; i < view.rows.size(); ++i)
        text += fmt::format("  {:<{}} |{}|\n", printable(viewed.request.rows[i].name), widest,
                            row_text(view.rows[i], view.slots, letters));
    GlobalTime all = 0;
    for (const SlotEntry& entry : shown) all += entry.time;
    Table table{{{"", Table::Align::left}, {"function", Table::Align::left}, {"time"}, {"share"}}};
    for (const SlotEntry& entry : shown)
        table.row({std::string(1, letters.at(entry.function)), printable(viewed.names.name(entry.function)),
                   duration_text(length_s(entry.time)),
                   fmt::format("{:.1f} %", 100 * static_cast<double>(entry.time) / static_cast<double>(all))});
    return text + (table.empty() ? "" : "\n" + table.text());
}

Object timeline_json(const ViewedTrace& viewed) {
    const View& view = viewed.view;
    std::map<std::uint32_t, std::size_t> places;
    Object names = Object::array();
    for (const SlotEntry& entry : functions_of(view)) {
        places[entry.function] = names.size();
        names.push_back({{"name", printable(viewed.names.name(entry.function))}, {"time_s", length_s(entry.time)}});
    }
    Object rows = Object::array();
    for (std::size_t i = 0; i < view.rows.size(); ++i) {
        Object slots = Object::array();
        for (const FunctionSlot& slot : view.rows[i])
            slots.push_back(slot_json(viewed, slot, places.at(slot.function)));
        Object without_core = Object::array();
        for (const NoCoreSlot& slot : view.no_core[i])
            without_core.push_back({{"slot", slot.slot}, {"share", slot.share}});
        rows.push_back({{"name", printable(viewed.request.rows[i].name)},
                        {"threads", viewed.request.rows[i].lines.size()},
                        {"slots", std::move(slots)},
                        {"without_core", std::move(without_core)}});
    }
    Object totals = Object::array();
    for (const auto& slot : view.totals) {
        Object entries = Object::array();
        for (const SlotEntry& entry : slot)
            entries.push_back({{"function", places.at(entry.function)}, {"time_s", length_s(entry.time)}});
        totals.push_back(std::move(entries));
    }
    Object json = {{"from_s", seconds(viewed, view.from())},
                   {"to_s", seconds(viewed, view.to())},
                   {"slot_s", length_s(GlobalTime{1} << view.width_bits)},
                   {"wanted_slot_s", length_s(view.wanted)},
                   {"slots", view.slots},
                   {"functions", std::move(names)},
                   {"rows", std::move(rows)},
                   {"totals", std::move(totals)}};
    if (viewed.request.most_values > 0) json["counters"] = counters_json(viewed);
    if (viewed.request.most_links == 0) return json;
    const CommNames comms = names_of_comms(viewed.trace);
    json["messages"] = links_json(viewed, comms, LinkKind::message, message_json);
    json["waits"] = links_json(viewed, comms, LinkKind::wait, wait_json);
    json["collectives"] = links_json(viewed, comms, LinkKind::collective, collective_json);
    return json;
}

} // namespace tactus

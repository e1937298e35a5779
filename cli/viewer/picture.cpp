#include "cli/viewer/picture.hpp"

#include "cli/viewer/columns.hpp"
#include "postproc/waits/run_waits.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace tactus {
namespace {

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::uint8_t part_of_255(GlobalTime part, double whole) {
    if (whole <= 0) return 0;
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(static_cast<double>(part) / whole, 0.0, 1.0)));
}

double length_s(GlobalTime time) { return 1e-9 * to_ns(time); }

// The JSON text before the columns.
class Head {
  public:
    explicit Head(const Pictured& pictured) : of_{pictured} {
        for (const RankFile& file : of_.trace.ranks)
            for (const Comm& comm : file.definitions().comms) comms_.emplace(comm.identity, quoted(comm.name));
    }

    std::string text(const NumberColumns& columns) {
        const View& view = of_.view;
        put("{{\"from_s\":{},\"to_s\":{},\"slot_s\":{},\"wanted_slot_s\":{},\"slots\":{},\"first_row\":{}",
            seconds(view.from()), seconds(view.to()), length_s(GlobalTime{1} << view.width_bits), length_s(view.wanted),
            view.slots, of_.first_row);
        if (of_.gathering) put(",\"gathering\":true");
        put(",\"rows\":[");
        list(of_.request.rows, [&](const ViewRow& row) { put("{}", quoted(row.name)); });
        put("],\"row_threads\":[");
        list(of_.request.rows, [&](const ViewRow& row) { put("{}", row.lines.size()); });
        put("],\"row_lines\":[");
        list(of_.request.rows, [&](const ViewRow& row) {
            put("[");
            list(row.lines, [&](std::size_t line) { put("{}", line); });
            put("]");
        });
        put("]");
        if (of_.request.most_links > 0) {
            links("messages", LinkKind::message, [&](const LinkSum& sum) { message(sum); });
            links("waits", LinkKind::wait, [&](const LinkSum& sum) { wait(sum); });
            links("collectives", LinkKind::collective, [&](const LinkSum& sum) { collective(sum); });
        }
        if (of_.request.most_values > 0) counters();
        put(",\"arrays\":[");
        list(columns.all(), [&](const NumberColumn& column) {
            put("{{\"name\":\"{}\",\"type\":\"{}\",\"length\":{}}}", column.name, column.type, column.length);
        });
        put("]}}");
        return std::move(text_);
    }

  private:
    template <class... Values> void put(fmt::format_string<Values...> form, Values&&... values) {
        fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
    }
    template <class List, class Put> void list(const List& all, const Put& put_one) {
        bool first = true;
        for (const auto& element : all) {
            if (!first) text_ += ',';
            first = false;
            put_one(element);
        }
    }
    [[nodiscard]] double seconds(GlobalTime time) const { return 1e-9 * ns_from(of_.trace.zero, time); }
    [[nodiscard]] std::string comm(std::uint64_t identity) const {
        const auto known = comms_.find(identity);
        return known == comms_.end() ? "\"\"" : known->second;
    }
    static std::string number_or_mixed(const std::optional<std::int64_t>& number) {
        return number ? std::to_string(*number) : "\"mixed\"";
    }
    std::string function_or_mixed(const std::optional<std::uint64_t>& function) const {
        return function ? quoted(of_.names.name(span_function::of(static_cast<Function>(*function)))) : "\"mixed\"";
    }

    template <class Put> void links(const char* name, LinkKind kind, const Put& put_one) {
        const LinksShown& shown = of_.view.links[static_cast<std::size_t>(kind)];
        put(",\"{}\":{{\"slot_s\":{},\"all\":[", name, length_s(GlobalTime{1} << shown.width_bits));
        list(shown.sums, put_one);
        put("]}}");
    }
    void message(const LinkSum& sum) {
        std::optional<std::int64_t> tag;
        if (sum.what) tag = static_cast<std::int32_t>(*sum.what);
        put("[{},{},{},{},{},{},{},{}]", sum.source, sum.target, sum.count, seconds(sum.mean_from()),
            seconds(sum.mean_to()), sum.amount, number_or_mixed(tag), sum.about ? comm(*sum.about) : "\"mixed\"");
    }
    void wait(const LinkSum& sum) {
        std::optional<std::int64_t> causer;
        if (sum.about) causer = static_cast<std::int64_t>(*sum.about);
        put("[{},\"{}\",{},{},{},{},{},{}]", sum.source,
            sum.target < wait_names.size() ? wait_names[sum.target].key : "unknown", sum.count, seconds(sum.first()),
            seconds(sum.last()), length_s(static_cast<GlobalTime>(sum.amount)), function_or_mixed(sum.what),
            number_or_mixed(causer));
    }
    void collective(const LinkSum& sum) {
        std::string root = "\"mixed\"";
        if (sum.about) root = *sum.about == 0 ? "null" : std::to_string(*sum.about - 1);
        put("[{},{},{},{},{},{},{}]", comm(sum.source), sum.count, seconds(sum.first()), seconds(sum.last()),
            sum.amount, function_or_mixed(sum.what), root);
    }
    // JSON has no infinity.
    static std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }
    void counters() {
        const CountersShown& shown = of_.view.counters;
        put(",\"counters\":{{\"slot_s\":{},\"names\":[", length_s(GlobalTime{1} << shown.width_bits));
        list(shown.names, [&](const CounterName& counter_name) {
            put("{{\"name\":{},\"unit\":{}}}", quoted(counter_name.name), quoted(counter_name.unit));
        });
        put("],\"all\":[");
        list(shown.sums, [&](const CounterSum& sum) {
            put("[{},{},{},{},{},{},{}]", sum.row, sum.counter, seconds(sum.slot << shown.width_bits), sum.count,
                number(sum.least), number(sum.greatest), number(sum.last));
        });
        put("]}}");
    }

    const Pictured& of_;
    std::map<std::uint64_t, std::string> comms_; // quoted names of communicators, by identity
    std::string text_;
};

// The slots of all rows, as one column for each member.
class SlotColumns {
  public:
    explicit SlotColumns(const Pictured& of) : of_{of} {
        std::size_t all = 0;
        for (const auto& row : of.view.rows) all += row.size();
        for (std::vector<std::uint16_t>* const column : {&first_, &last_, &function_}) column->reserve(all);
        for (std::vector<std::uint8_t>* const column : {&share_, &busy_, &is_span_}) column->reserve(all);
        for (std::size_t row = 0; row < of.view.rows.size(); ++row) {
            const auto threads = static_cast<double>(of.request.rows[row].lines.size());
            for (const FunctionSlot& slot : of.view.rows[row]) add(slot, threads);
            row_begin_.push_back(static_cast<std::uint32_t>(first_.size()));
        }
    }

    void put(NumberColumns& columns) const {
        columns.add("row_begin", row_begin_);
        columns.add("first", first_);
        columns.add("last", last_);
        columns.add("function", function_);
        columns.add("share", share_);
        columns.add("busy", busy_);
        columns.add("is_span", is_span_);
        columns.add("span_begin", span_begin_);
        columns.add("span_end", span_end_);
        columns.add("span_thread", span_thread_);
    }

  private:
    void add(const FunctionSlot& slot, double threads) {
        first_.push_back(static_cast<std::uint16_t>(slot.first));
        last_.push_back(static_cast<std::uint16_t>(slot.last));
        function_.push_back(of_.functions.index_of(slot.function));
        share_.push_back(part_of_255(slot.time, static_cast<double>(slot.busy)));
        const auto length = static_cast<double>((GlobalTime{slot.last} - slot.first + 1) << of_.view.width_bits);
        busy_.push_back(part_of_255(slot.busy, length * threads));
        is_span_.push_back(slot.span ? 1 : 0);
        if (!slot.span) return;
        span_begin_.push_back(1e-9 * ns_from(of_.trace.zero, slot.span->begin));
        span_end_.push_back(1e-9 * ns_from(of_.trace.zero, slot.span->end));
        span_thread_.push_back(static_cast<std::uint32_t>(slot.line));
    }

    const Pictured& of_;
    std::vector<std::uint32_t> row_begin_{0};
    std::vector<std::uint16_t> first_;
    std::vector<std::uint16_t> last_;
    std::vector<std::uint16_t> function_;
    std::vector<std::uint8_t> share_;
    std::vector<std::uint8_t> busy_;
    std::vector<std::uint8_t> is_span_;
    std::vector<double> span_begin_;
    std::vector<double> span_end_;
    std::vector<std::uint32_t> span_thread_;
};

void put_totals(const Pictured& of, NumberColumns& columns) {
    std::vector<std::uint32_t> begin{0};
    std::vector<std::uint16_t> function;
    std::vector<float> time_s;
    for (const std::vector<SlotEntry>& slot : of.view.totals) {
        for (const SlotEntry& entry : slot) {
            function.push_back(of.functions.index_of(entry.function));
            time_s.push_back(static_cast<float>(length_s(entry.time)));
        }
        begin.push_back(static_cast<std::uint32_t>(function.size()));
    }
    columns.add("total_begin", begin);
    columns.add("total_function", function);
    columns.add("total_s", time_s);
}

void put_no_core(const Pictured& of, NumberColumns& columns) {
    std::vector<std::uint32_t> begin{0};
    std::vector<std::uint16_t> slots;
    std::vector<std::uint8_t> shares;
    for (const std::vector<NoCoreSlot>& row : of.view.no_core) {
        for (const NoCoreSlot& slot : row) {
            slots.push_back(static_cast<std::uint16_t>(slot.slot));
            shares.push_back(static_cast<std::uint8_t>(std::lround(255 * slot.share)));
        }
        begin.push_back(static_cast<std::uint32_t>(slots.size()));
    }
    columns.add("no_core_begin", begin);
    columns.add("no_core_slot", slots);
    columns.add("no_core_share", shares);
}

} // namespace

FunctionTable::FunctionTable(const FunctionNames& names) {
    constexpr std::size_t most = 1U << 16;
    for (std::uint32_t number = 0; number < span_function::first_mpi + function_count; ++number)
        names_.push_back(names.name(number));
    for (std::size_t i = 0; i < names.symbols() && names_.size() + 1 < most; ++i)
        names_.push_back(names.name(span_function::of_symbol(static_cast<std::uint32_t>(i))));
    names_.emplace_back("(others)");
}

std::uint16_t FunctionTable::index_of(std::uint32_t number) const {
    std::size_t index = number;
    if (number >= span_function::first_symbol)
        index = span_function::first_mpi + function_count + (number - span_function::first_symbol);
    return static_cast<std::uint16_t>(std::min(index, names_.size() - 1));
}

std::string picture_bytes(const Pictured& pictured) {
    NumberColumns columns;
    SlotColumns{pictured}.put(columns);
    put_totals(pictured, columns);
    put_no_core(pictured, columns);
    return columns.behind(Head{pictured}.text(columns));
}

} // namespace tactus

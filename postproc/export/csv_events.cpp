#include "postproc/export/csv_events.hpp"

#include "postproc/export/csv_row.hpp"
#include "postproc/profile/moved.hpp"
#include "postproc/replay/messages.hpp"
#include "trace/defined.hpp"
#include "trace/shapes.hpp"
#include "trace/words.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace tactus {
namespace {

std::string comm_label(const Comm& comm) {
    if (!comm.name.empty()) return comm.name;
    if (comm.number == 1) return "MPI_COMM_WORLD";
    if (comm.number == 2) return "MPI_COMM_SELF";
    return "#" + std::to_string(comm.number);
}

class EventRows {
  public:
    EventRows(const RankFile& file, const StepClock& clock, const PlaceText& place_text, CsvRows& rows)
        : file_{file}, clock_{clock}, place_text_{place_text}, rows_{rows} {}

    // Puts one row for each record, at the step where the record begins.
    void at(const ExportStep& step) {
        const Record& record = *step.record;
        if (step.kind == StepKind::leave) return;
        if (record.what.kind == Kind::call) return call(step);
        if (record.what.kind == Kind::region) return region(step);
        if (record.what.kind == Kind::counter) return counter(step);
        if (record.what.kind == Kind::comment) return comment(step);
    }

  private:
    void begin(const ExportStep& step, const char* kind, std::string_view name) {
        const Record& record = *step.record;
        const DelayLine* delay = clock_.delay_of(file_.header().rank, step.lane);
        const std::uint64_t end =
            step.kind == StepKind::enter ? std::max(step.time, clock_.at(file_, delay, record.leave)) : step.time;
        const bool call = record.what.kind == Kind::call;
        rows_.number(file_.header().rank).number(step.lane).text(kind).text(name).seconds(step.time).seconds(end);
        rows_.number(file_.seconds(call ? inside_of(record) : record.leave - record.enter));
        rows_.number(call ? calls_of(record) : 1);
    }

    void end(const Record& record) {
        const bool call = record.what.kind == Kind::call;
        rows_.number(call && record.what.has(flag::failed)).number(record.what.has(flag::unfinished));
        rows_.number(call && record.what.has(flag::nested)).text(place(record.what));
        rows_.end();
    }

    void call(const ExportStep& step) {
        const Record& record = *step.record;
        const Signature& what = record.what;
        begin(step, "call", name_of(what.function));
        const Comm* comm = file_.comm(what.comm);
        comm != nullptr ? rows_.text(comm_label(*comm)) : rows_.none();
        const bool of_window_or_file =
            shape_of(what.function) >= Shape::window_make && shape_of(what.function) <= Shape::file;
        const std::int64_t peer = comm != nullptr && what.peer >= 0 ? comm->world_rank(what.peer) : what.peer;
        peer >= 0 ? rows_.number(peer) : rows_.none();
        what.peer >= 0 && !of_window_or_file && pattern_of(shape_of(what.function)) == Pattern::none
            ? rows_.number(what.tag)
            : rows_.none();
        const Moved moved = bytes_moved(record, step.words, [&](std::uint32_t number) { return file_.comm(number); });
        rows_.number(moved.sent).number(moved.received).none();
        end(record);
    }

    void region(const ExportStep& step) {
        const Symbol* symbol = defined(file_.definitions().symbols, step.record->what.type);
        begin(step, symbol != nullptr && symbol->scope ? "scope" : "region",
              symbol != nullptr ? symbol->name : "#" + std::to_string(step.record->what.type));
        rows_.none().none().none().none().none().none();
        end(*step.record);
    }

    void counter(const ExportStep& step) {
        const Signature& what = step.record->what;
        const Counter* counter = defined(file_.definitions().counters, what.type);
        begin(step, "counter", counter != nullptr ? counter->name : "#" + std::to_string(what.type));
        rows_.none().none().none().none().none();
        if (counter != nullptr && counter->type == CounterType::floating)
            rows_.number(value_of(*counter, what.bytes));
        else
            rows_.number(static_cast<std::int64_t>(what.bytes));
        end(*step.record);
    }

    void comment(const ExportStep& step) {
        begin(step, "comment", text_in(step.words, step.record->what.bytes));
        rows_.none().none().none().none().none().none();
        end(*step.record);
    }

    std::string_view place(const Signature& what) {
        const bool named = what.kind != Kind::call && what.tag != 0;
        const std::uint64_t key = named ? static_cast<std::uint32_t>(what.tag) : what.place;
        if (key == 0) return {};
        const auto [known, is_new] = (named ? locations_ : places_).try_emplace(key);
        if (!is_new) return known->second;
        if (!named) return known->second = place_text_(place_of(what.place, file_.definitions().modules));
        if (const Scl* scl = defined(file_.definitions().scls, static_cast<std::uint32_t>(key)))
            known->second = scl->file + ":" + std::to_string(scl->line);
        return known->second;
    }

    const RankFile& file_;
    const StepClock& clock_;
    const PlaceText& place_text_;
    CsvRows& rows_;
    std::unordered_map<std::uint64_t, std::string> places_;    // by address
    std::unordered_map<std::uint64_t, std::string> locations_; // by number; named by the application
};

std::map<std::uint64_t, std::string> labels_of_comms(const Trace& trace) {
    std::map<std::uint64_t, std::string> labels;
    for (const RankFile& file : trace.ranks)
        for (const Comm& comm : file.definitions().comms) labels.try_emplace(comm.identity, comm_label(comm));
    return labels;
}

const RankFile* file_of(const Trace& trace, std::uint32_t rank) {
    const auto found = std::lower_bound(trace.ranks.begin(), trace.ranks.end(), rank,
                                        [](const RankFile& file, std::uint32_t r) { return file.header().rank < r; });
    return found != trace.ranks.end() && found->header().rank == rank ? &*found : nullptr;
}

} // namespace

void put_csv_events(const Trace& trace, const StepClock& clock, const PlaceText& place_text, OutputFile& out,
                    Exported& exported) {
    CsvRows rows{out,
                 "rank,thread,kind,name,begin_s,end_s,duration_s,calls,comm,peer,tag,sent_bytes,received_bytes,value,"
                 "failed,unfinished,nested,place"};
    for (const RankFile& file : trace.ranks) {
        EventRows events{file, clock, place_text, rows};
        if (!out.good()) break;
        for_each_step(
            file, clock, [&](const ExportStep& step) { events.at(step); }, exported.unreadable);
    }
    exported.events += rows.rows();
}

void put_csv_messages(const Trace& trace, const StepClock& clock, OutputFile& out, Exported& exported) {
    CsvRows rows{out, "sender,sender_thread,receiver,receiver_thread,sent_s,received_s,bytes,tag,comm"};
    const std::map<std::uint64_t, std::string> labels = labels_of_comms(trace);
    const auto time_of = [&](const MessageEnd& end) {
        const RankFile* file = file_of(trace, end.rank);
        return file != nullptr ? clock.at(*file, clock.delay_of(end.rank, end.lane), end.tick) : 0;
    };
    const MessageCounts counts = for_each_message(trace, [&](const Message& message) {
        rows.number(message.sent.rank)
            .number(message.sent.lane)
            .number(message.received.rank)
            .number(message.received.lane);
        rows.seconds(time_of(message.sent))
            .seconds(time_of(message.received))
            .number(message.bytes)
            .number(message.tag);
        const auto label = labels.find(message.comm);
        label != labels.end() ? rows.text(label->second) : rows.none();
        rows.end();
    });
    exported.events += rows.rows();
    for (std::size_t i = 0; i < unmatched_count; ++i)
        exported.not_said.add(std::string{"messages "} + unmatched_meanings[i], counts.unmatched[i]);
    for (const Error& error : counts.unreadable) keep_error(exported.unreadable, error);
}

} // namespace tactus

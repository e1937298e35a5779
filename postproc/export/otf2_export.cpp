#include "postproc/export/otf2_export.hpp"

#include "postproc/export/new_output.hpp"
#include "postproc/export/otf2_events.hpp"
#include "postproc/replay/event.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

namespace tactus {
namespace {

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }

// OTF2 keeps all events of a location in memory until the location is closed, unless it is refused memory: then it
// writes them to the file.
constexpr std::size_t most_chunks = 8;
struct Chunks {
    std::vector<std::unique_ptr<std::uint8_t[]>> all;
};

void* allocate_chunk(void*, OTF2_FileType, OTF2_LocationRef, void** of_buffer, std::uint64_t size) {
    if (*of_buffer == nullptr) *of_buffer = std::make_unique<Chunks>().release();
    auto& chunks = static_cast<Chunks*>(*of_buffer)->all;
    if (chunks.size() == most_chunks) return nullptr;
    return chunks.emplace_back(std::make_unique<std::uint8_t[]>(size)).get();
}

void free_chunks(void*, OTF2_FileType, OTF2_LocationRef, void** of_buffer, bool final) {
    auto* chunks = static_cast<Chunks*>(*of_buffer);
    if (chunks == nullptr) return;
    chunks->all.clear();
    if (!final) return;
    const std::unique_ptr<Chunks> last{chunks};
    *of_buffer = nullptr;
}

struct CloseArchive {
    void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
};
using Archive = std::unique_ptr<OTF2_Archive, CloseArchive>;

constexpr std::uint64_t event_chunk = 1 << 20;
constexpr std::uint64_t definition_chunk = 4 << 20;

Archive open_archive(const std::string& folder, Otf2Errors& errors) {
    Archive archive{OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, event_chunk, definition_chunk,
                                      OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)};
    if (!archive) return archive;
    static const OTF2_FlushCallbacks flush = {flush_always, nullptr};
    errors.check(OTF2_Archive_SetFlushCallbacks(archive.get(), &flush, nullptr));
    static const OTF2_MemoryCallbacks memory = {allocate_chunk, free_chunks};
    errors.check(OTF2_Archive_SetMemoryCallbacks(archive.get(), &memory, nullptr));
    errors.check(OTF2_Archive_SetSerialCollectiveCallbacks(archive.get()));
    return archive;
}

void describe(OTF2_Archive* archive, const Trace& trace, Otf2Errors& errors) {
    const Header& header = trace.ranks.front().header();
    errors.check(OTF2_Archive_SetCreator(archive, "tactus"));
    errors.check(OTF2_Archive_SetDescription(archive, header.program.c_str()));
    errors.check(OTF2_Archive_SetProperty(archive, "TACTUS::PROGRAM", header.program.c_str(), true));
    // OTF2 takes an empty value for the removal of the property, and fails because there is none.
    if (!header.mpi.empty()) errors.check(OTF2_Archive_SetProperty(archive, "TACTUS::MPI", header.mpi.c_str(), true));
}

// Messages without a counterpart are exported as events like all others. Only these properties tell how many there are
// of which kind.
void describe_messages(OTF2_Archive* archive, const Trace& trace, Otf2Errors& errors) {
    const auto set = [&](const std::string& name, std::uint64_t count) {
        errors.check(OTF2_Archive_SetProperty(archive, name.c_str(), std::to_string(count).c_str(), true));
    };
    for (const RankFile& file : trace.ranks) {
        if (file.definitions().clock_quality.empty()) continue;
        const ClockQuality& quality = file.definitions().clock_quality.back();
        set("TACTUS::MESSAGES", quality.messages);
        for (std::size_t i = 0; i < std::min(quality.unmatched.size(), unmatched_count); ++i)
            if (quality.unmatched[i] > 0)
                set(std::string{"TACTUS::UNMATCHED::"} + unmatched_names[i], quality.unmatched[i]);
        return;
    }
}

// A rank without a file becomes a location without events, so that all ranks keep their numbers.
void write_empty(OTF2_Archive* archive, std::uint32_t rank, Otf2Definitions& definitions, Otf2Errors& errors) {
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, otf2_location(rank, 0));
    if (writer == nullptr) return;
    errors.check(OTF2_Archive_CloseEvtWriter(archive, writer));
    definitions.add_location(rank, 0, 0);
}

void write_local_definitions(OTF2_Archive* archive, const Otf2Definitions& definitions, Otf2Errors& errors) {
    errors.check(OTF2_Archive_OpenDefFiles(archive));
    definitions.for_each_location([&](std::uint64_t location) {
        OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive, location);
        if (writer != nullptr) errors.check(OTF2_Archive_CloseDefWriter(archive, writer));
    });
    errors.check(OTF2_Archive_CloseDefFiles(archive));
}

class Writing {
  public:
    Writing(const Trace& trace, const StepClock& clock, OTF2_Archive* archive, Otf2Errors& errors)
        : trace_{trace}, clock_{clock}, archive_{archive}, errors_{errors}, definitions_{trace}, markers_{archive,
                                                                                                          errors} {}

    Exported write() {
        errors_.check(OTF2_Archive_OpenEvtFiles(archive_));
        auto file = trace_.ranks.begin();
        for (std::uint32_t rank = 0; rank < definitions_.ranks() && !errors_.any(); ++rank) {
            if (file == trace_.ranks.end() || file->header().rank != rank)
                write_empty(archive_, rank, definitions_, errors_);
            else
                write_rank(*file++);
        }
        errors_.check(OTF2_Archive_CloseEvtFiles(archive_));
        markers_.close();
        write_local_definitions(archive_, definitions_, errors_);
        write_global_definitions();
        out_.not_said = definitions_.not_said();
        return std::move(out_);
    }

  private:
    void write_rank(const RankFile& file) {
        Otf2RankEvents events{archive_, file, definitions_, markers_, errors_};
        for_each_step(
            file, clock_,
            [&](const ExportStep& step) {
                last_ = std::max(last_, step.time);
                if (!errors_.any()) events.at(step);
            },
            out_.unreadable);
        events.close();
        out_.events += events.events();
        LaneWalk samples{file, samples_of(file)};
        while (samples.next())
            if (samples.record().what.kind == Kind::sample)
                definitions_.not_said().add("samples, which OTF2 has only in place of calls");
        for (const Error& error : samples.unreadable()) keep_error(out_.unreadable, error);
    }

    void write_global_definitions() {
        OTF2_GlobalDefWriter* writer = OTF2_Archive_GetGlobalDefWriter(archive_);
        if (writer == nullptr) return errors_.failed(OTF2_ERROR_MEM_ALLOC_FAILED);
        const auto since = static_cast<std::int64_t>(to_ns(clock_.begin()));
        const auto realtime = static_cast<std::uint64_t>(trace_.origin_realtime_ns() + since);
        errors_.check(OTF2_GlobalDefWriter_WriteClockProperties(writer, otf2_ticks_a_second, 0, last_ + 1, realtime));
        definitions_.write(writer, errors_);
        errors_.check(OTF2_Archive_CloseGlobalDefWriter(archive_, writer));
    }

    const Trace& trace_;
    const StepClock& clock_;
    OTF2_Archive* archive_;
    Otf2Errors& errors_;
    Otf2Definitions definitions_;
    Otf2Markers markers_;
    Exported out_;
    std::uint64_t last_ = 0;
};

} // namespace

Result<Exported> export_otf2(const Trace& trace, const StepClock& clock, const std::string& folder) {
    auto output = NewOutput::folder(folder);
    if (!output) return output.error();
    Otf2Errors errors;
    Archive archive = open_archive(folder, errors);
    if (!archive) return errors.error(folder);
    describe(archive.get(), trace, errors);
    describe_messages(archive.get(), trace, errors);
    Exported out = Writing{trace, clock, archive.get(), errors}.write();
    errors.check(OTF2_Archive_Close(archive.release()));
    if (errors.any()) return errors.error(folder, "is the disk full?");
    output->keep();
    return out;
}

} // namespace tactus

// One rank of a Perfetto trace, which has its own packet sequence. A name is written once, and then used by number.
#pragma once

#include "postproc/export/flows.hpp"
#include "postproc/export/not_said.hpp"
#include "postproc/export/output_file.hpp"
#include "postproc/export/perfetto_packets.hpp"
#include "postproc/export/perfetto_threads.hpp"
#include "postproc/export/protobuf.hpp"
#include "postproc/export/steps.hpp"

#include <map>
#include <set>
#include <string>
#include <unordered_map>

namespace tactus {

class PerfettoRank {
  public:
    // `threads` takes what concerns the threads themselves.
    PerfettoRank(const RankFile& file, const Flows& flows, PerfettoThreads& threads, OutputFile& out,
                 NotSaid& not_said);

    void at(const ExportStep& step);
    [[nodiscard]] std::uint64_t events() const { return events_; }

  private:
    void describe_process();
    void describe_thread(std::uint32_t lane);
    std::uint64_t counter_track(const Counter& counter);
    void enter(const ExportStep& step);
    void leave(const ExportStep& step);
    void receipts(const ExportStep& step);
    void counter(const ExportStep& step);
    void note(const ExportStep& step);
    void annotate_call(const Record& record, Words words);
    void annotate_nccl(const Record& record, Words words);
    void annotate(const char* name, std::uint64_t value);
    void annotate_signed(const char* name, std::int64_t value);
    void annotate_text(const char* name, const std::string& value);
    std::uint64_t interned(std::uint32_t list, const std::string& name);
    std::uint64_t annotation_name(const char* name);
    std::uint64_t category(Kind kind);
    std::uint64_t name_of_function(Function function);
    std::uint64_t track_of(const ExportStep& step);
    void put_event(std::uint64_t time);
    [[nodiscard]] const Symbol* symbol_of(const Record& region) const;

    const RankFile& file_;
    const Flows& flows_;
    PerfettoThreads& of_threads_;
    PerfettoPackets packets_;
    NotSaid& not_said_;
    std::uint32_t rank_;
    std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> names_; // by list and name
    std::unordered_map<std::uint32_t, std::uint64_t> of_function_;
    std::unordered_map<const void*, std::uint64_t> of_annotation_; // by address of the string literal
    std::unordered_map<std::uint32_t, std::uint64_t> counter_tracks_;
    std::unordered_map<std::uint32_t, std::uint64_t> scope_tracks_;
    std::uint64_t mpi_category_ = 0; // numbers of names; 0: not written yet
    std::uint64_t own_category_ = 0;
    std::uint64_t nccl_category_ = 0;
    std::uint64_t received_name_ = 0;
    std::set<std::uint32_t> threads_;
    std::uint32_t lane_ = 0; // of the current step
    std::uint64_t events_ = 0;
    Protobuf event_;
    Protobuf part_;
};

} // namespace tactus

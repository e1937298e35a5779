// What a rank file holds besides its records: header, communicators, datatypes, modules, losses, totals. Each struct
// lists its fields once, and the writer, the reader, `tactus dump` and the schema in the file walk them.
#pragma once

#include "base/options/option_value.hpp"
#include "base/os_facts.hpp"
#include "base/ticks.hpp"
#include "trace/compensated_rows.hpp"
#include "trace/loss.hpp"
#include "trace/nccl.hpp"
#include "trace/record.hpp"
#include "trace/shift_map.hpp"
#include "trace/symbols.hpp"
#include "trace/sync_round.hpp"
#include "trace/time_map.hpp"
#include "trace/wait_rows.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

constexpr std::uint32_t format_version = 1;

struct SchemaEntry {
    std::string name;    // name of a struct, or number of a column
    std::string content; // "name:type ..." of a struct, or the coding of a column
    static constexpr void fields(auto& self, auto&& field) {
        field("name", self.name);
        field("content", self.content);
    }
};

// For tests: how VT_TEST_CLOCK made this rank's clocks wrong. At the true tick t they were ahead by D(ns) nanoseconds,
// with ns = (t - origin) x ns_per_tick and D as in base/options/clock_error.hpp. Without a function they were right.
struct TestClock {
    std::string function; // "offset=1ms,ppm=20"
    Ticks origin = 0;
    double ns_per_tick = 1;
    static constexpr void fields(auto& self, auto&& field) {
        field("function", self.function);
        field("origin", self.origin);
        field("ns_per_tick", self.ns_per_tick);
    }
};

// The first block of a rank file.
struct Header {
    std::uint64_t job = 0; // a random number, the same on every rank of a run
    std::uint32_t rank = 0;
    std::uint32_t ranks = 0;
    std::string host;
    std::string boot_id;
    std::uint64_t pid = 0;
    std::string program;
    std::string mpi;    // "Open MPI 4.1.4"
    std::string tactus; // version of tactus that wrote the file
    std::string run;    // token of the `tactus run` that started it; empty when there was none
    Timer timer = Timer::tsc;
    Anchor start;
    std::uint32_t overhead_ps_per_call = 0; // one recorded local call minus the same call unrecorded, in picoseconds
    std::string lane_directory;             // of this rank's lanes while it runs; empty when they are in private memory
    std::vector<OptionValue> options;
    std::vector<SchemaEntry> schema;
    TestClock test_clock;
    Ticks timer_resolution = 1; // no time stamp is more exact
    Ticks ticks_per_stamp = 1;  // of an imported archive: ticks within a multiple of this are the same stamp

    static constexpr void fields(auto& self, auto&& field) {
        field("job", self.job);
        field("rank", self.rank);
        field("ranks", self.ranks);
        field("host", self.host);
        field("boot_id", self.boot_id);
        field("pid", self.pid);
        field("program", self.program);
        field("mpi", self.mpi);
        field("tactus", self.tactus);
        field("run", self.run);
        field("timer", self.timer);
        field("start", self.start);
        field("overhead_ps_per_call", self.overhead_ps_per_call);
        field("lane_directory", self.lane_directory);
        field("options", self.options);
        field("schema", self.schema);
        field("test_clock", self.test_clock);
        field("timer_resolution", self.timer_resolution);
        field("ticks_per_stamp", self.ticks_per_stamp);
    }
};

// The `count` ranks first, first + stride, ...
struct RankRun {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t stride = 1;
    static constexpr void fields(auto& self, auto&& field) {
        field("first", self.first);
        field("count", self.count);
        field("stride", self.stride);
    }
};
// Gives the same ranks, in the same order, as runs. A negative rank becomes a run by itself.
std::vector<RankRun> runs_of(std::span<const std::int32_t> ranks);
// Appends the number of runs, then first, count and stride of each.
void append_runs(std::vector<std::int64_t>& words, const std::vector<RankRun>& runs);
// Takes runs off the front of `words`, as append_runs() put them there. False when the words are cut or make no sense.
bool take_runs(std::span<const std::int64_t>& words, std::vector<RankRun>& runs);

// The numbers of the predefined communicators.
inline constexpr std::uint32_t number_of_world = 1;
inline constexpr std::uint32_t number_of_self = 2;

// A communicator as one of its members sees it. Members are ranks in MPI_COMM_WORLD, or -1 for a process outside it.
struct Comm {
    std::uint32_t number = 0;   // in this rank's records; 1 = MPI_COMM_WORLD, 2 = MPI_COMM_SELF
    std::uint64_t identity = 0; // the same on all members, and on no other communicator of the run
    Function made_by{};         // MPI_Comm_split and so on; meaningless for predefined communicators
    std::uint32_t parent = 0;   // number of the communicator that it was made from; 0: none
    std::uint32_t my_rank = 0;
    std::vector<RankRun> members;
    std::vector<RankRun> remote; // of an intercommunicator
    std::string name;
    // The neighbors in a communicator with a topology: ranks in it, in the order of neighborhood collectives.
    std::vector<RankRun> sources = {};
    std::vector<RankRun> destinations = {};

    [[nodiscard]] std::uint64_t size() const;
    // Gives the rank in MPI_COMM_WORLD of the member that records call `rank` (in an intercommunicator, a member of the
    // remote group); -1 when there is none.
    [[nodiscard]] std::int64_t world_rank(std::int64_t rank) const;

    static constexpr void fields(auto& self, auto&& field) {
        field("number", self.number);
        field("identity", self.identity);
        field("made_by", self.made_by);
        field("parent", self.parent);
        field("my_rank", self.my_rank);
        field("members", self.members);
        field("remote", self.remote);
        field("name", self.name);
        field("sources", self.sources);
        field("destinations", self.destinations);
    }
};
// These give the words of a Kind::comm record, and read them; false when they are cut or make no sense.
std::vector<std::int64_t> to_words(const Comm& comm);
bool from_words(std::span<const std::int64_t> words, Comm& comm);

// A window or a file.
struct SharedObject {
    std::uint32_t number = 0;   // the tag of its calls in this rank's records
    std::uint64_t identity = 0; // the same on all members, and on no other object of its kind in the run
    Function made_by{};         // MPI_Win_create, MPI_File_open and so on
    std::uint32_t comm = 0;     // number of its communicator
    std::string name;           // for a file, its path
    static constexpr void fields(auto& self, auto&& field) {
        field("number", self.number);
        field("identity", self.identity);
        field("made_by", self.made_by);
        field("comm", self.comm);
        field("name", self.name);
    }
};
// These give the words of a Kind::window or Kind::file record, and read them; false when they are cut.
std::vector<std::int64_t> to_words(const SharedObject& object);
bool from_words(std::span<const std::int64_t> words, SharedObject& object);

struct Datatype {
    std::uint32_t number = 0;
    std::string name; // "MPI_DOUBLE"
    std::uint64_t size = 0;
    static constexpr void fields(auto& self, auto&& field) {
        field("number", self.number);
        field("name", self.name);
        field("size", self.size);
    }
};

// A mapped program or library, for turning call places into source lines.
struct Module {
    std::uint64_t begin = 0; // the call places that it covers in the process
    std::uint64_t end = 0;
    std::uint64_t base = 0; // subtracted from a call place, it gives the address in the file
    std::string path;
    std::string build_id; // hexadecimal; empty when the file has none
    static constexpr void fields(auto& self, auto&& field) {
        field("begin", self.begin);
        field("end", self.end);
        field("base", self.base);
        field("path", self.path);
        field("build_id", self.build_id);
    }
};

// How the process came to close its file.
enum class Ending : std::uint8_t {
    finalize,
    exit,
    abort,
    signal,   // SIGTERM
    recovered // the process did not close it; `tactus recover` did
};

inline constexpr auto ending_names =
    std::to_array<const char*>({"MPI_Finalize", "exit", "MPI_Abort", "SIGTERM", "killed, recovered"});

// Why messages carry no header. The reason is the same on all ranks.
enum class NothingCarried : std::uint8_t { asked, sessions, device_buffers, unknown_mpi };
inline constexpr auto nothing_carried_names = std::to_array<const char*>(
    {"VT_PIGGYBACK is off on some rank", "the program uses MPI sessions", "the MPI takes buffers of devices",
     "it is not known how the MPI reports truncated messages"});

// What recording a call costs the process, in nanoseconds, measured when the process started. `call` is the cost of
// every call; the others are what some calls cost in addition.
struct CallCosts {
    double call = 0;
    double send = 0; // a blocking send
    double receive = 0;
    double begin_send = 0; // a send that begins a request
    double begin_receive = 0;
    double complete = 0; // each request that is completed
    double copied_byte = 0;
    double datatype = 0;           // making and freeing the datatype for a message that is not copied
    std::uint64_t most_copied = 0; // bytes of the largest message that is copied together with its header; 0: none is
    bool carries = false;          // messages carry a header
    NothingCarried reason{};       // why they carry none
    // The bytes of the largest message that carries a header.
    std::uint64_t most_headed = ~std::uint64_t{0};
    double receiving = 0; // the whole time of a receive, recording included, when its message has already arrived
    double tick = 1;      // the approximate length of a tick
    double repeated = 0;  // a call of a local function that is added to the record before it
    static constexpr void fields(auto& self, auto&& field) {
        field("call", self.call);
        field("send", self.send);
        field("receive", self.receive);
        field("begin_send", self.begin_send);
        field("begin_receive", self.begin_receive);
        field("complete", self.complete);
        field("copied_byte", self.copied_byte);
        field("datatype", self.datatype);
        field("most_copied", self.most_copied);
        field("carries", self.carries);
        field("reason", self.reason);
        field("most_headed", self.most_headed);
        field("receiving", self.receiving);
        field("tick", self.tick);
        field("repeated", self.repeated);
    }
};

// How a receive found out what its messages changed in its thread's delay.
enum class DelayBasis : std::uint8_t {
    clocks, // by the signed rule, since its clock and the senders' agree
    wait,   // by the unsigned rule, since it waited for the messages
    nothing // it did not wait, and the clocks do not say how early the messages arrived: nothing was changed
};
constexpr std::size_t delay_bases = 3;

// Counters of one rank, as they stood when its file was closed.
struct Totals {
    Ending ending{};
    std::uint64_t calls = 0;
    std::uint64_t records = 0;
    std::uint64_t lanes = 0;
    std::uint64_t blocks = 0;
    std::uint64_t comms = 0; // communicators defined in the records; the first of them are repeated in the definitions
    Ticks sealing = 0;       // encoding and compressing, in the threads that made the calls
    Ticks stalled = 0;       // waiting for a write, or writing, in such a thread
    Ticks writing = 0;       // in the background thread
    Ticks starting = 0;      // our part of MPI_Init
    Ticks finishing = 0;     // our part of MPI_Finalize, up to this point
    Ticks measuring = 0;     // rounds of clock measurements between MPI_Init and MPI_Finalize
    std::vector<std::uint64_t> lost;   // indexed by Loss
    Ticks reading = 0;                 // asking what the operating system counts, in the threads that made the calls
    Ticks test_overhead = 0;           // spent for VT_TEST_OVERHEAD
    std::vector<std::uint64_t> delays; // calls that received headers, indexed by DelayBasis; empty: there were none

    static constexpr void fields(auto& self, auto&& field) {
        field("ending", self.ending);
        field("calls", self.calls);
        field("records", self.records);
        field("comms", self.comms);
        field("lanes", self.lanes);
        field("blocks", self.blocks);
        field("sealing", self.sealing);
        field("stalled", self.stalled);
        field("writing", self.writing);
        field("starting", self.starting);
        field("finishing", self.finishing);
        field("lost", self.lost);
        field("measuring", self.measuring);
        field("delays", self.delays);
        field("test_overhead", self.test_overhead);
        field("reading", self.reading);
    }
};

// How good the clock of the whole trace is, and what was done to make it so. It covers all ranks and is stored in the
// file of the lowest rank. Times are in units of global time.
struct ClockQuality {
    std::uint64_t messages = 0;    // messages of which both sides are known
    std::uint64_t collectives = 0; // calls of ranks, ends of epochs, partitioned messages received
    // The number of messages that arrive before they were sent, and of members that leave a collective before those
    // they needed entered it: by the hosts' dates, by the measured clocks, with the refinement, and after the
    // correction.
    std::uint64_t reversed_raw = 0;
    std::uint64_t reversed_fitted = 0;
    std::uint64_t reversed_refined = 0;
    std::uint64_t reversed_corrected = 0;
    // The rest describes the correction.
    std::uint64_t passes = 0;
    std::uint64_t jumps = 0; // events that were moved because of what they received
    GlobalTime largest_jump = 0;
    GlobalTime largest_move = 0;          // of any event
    std::uint64_t intervals = 0;          // intervals between two events of a rank
    std::uint64_t changed = 0;            // those that changed by more than 1 %
    double steepest = 0;                  // largest slope by which time was stretched
    double decay = 0;                     // 1 - gamma
    std::uint64_t released = 0;           // events that waited for each other in a circle
    std::vector<std::uint64_t> unmatched; // messages by reason; then, if there are any, collectives and similar events
    static constexpr void fields(auto& self, auto&& field) {
        field("messages", self.messages);
        field("collectives", self.collectives);
        field("reversed_raw", self.reversed_raw);
        field("reversed_fitted", self.reversed_fitted);
        field("reversed_refined", self.reversed_refined);
        field("reversed_corrected", self.reversed_corrected);
        field("passes", self.passes);
        field("jumps", self.jumps);
        field("largest_jump", self.largest_jump);
        field("largest_move", self.largest_move);
        field("intervals", self.intervals);
        field("changed", self.changed);
        field("steepest", self.steepest);
        field("decay", self.decay);
        field("released", self.released);
        field("unmatched", self.unmatched);
    }
};

// What looking at the threads came to, in one process.
struct Sampling {
    std::int64_t period_ns = 0;   // time of a thread on a core between two samples; 0: only calls are sampled
    std::uint64_t threads = 0;    // which the kernel sampled
    std::int64_t refused = 0;     // errno, where the kernel refused to sample a thread; 0: it never did
    std::uint64_t samples = 0;    // of threads on a core
    std::uint64_t lost = 0;       // of those, where there was no room
    std::uint64_t blocked = 0;    // samples of threads that were blocked
    std::uint64_t incomplete = 0; // of these two, those of which not all callers are known
    std::uint64_t calls = 0;      // samples of calls: who made them
    std::uint64_t calls_lost = 0; // of those, where there was no room or the callers are not known
    std::uint64_t memory = 0;     // bytes that all this took of the process
    std::uint64_t python = 0; // 0: there was no interpreter; 1: its functions were read; 2: its version is not known
    std::int64_t stacks_refused = 0; // errno, where the kernel does not let the process copy stacks of its own
    static constexpr void fields(auto& self, auto&& field) {
        field("period_ns", self.period_ns);
        field("threads", self.threads);
        field("refused", self.refused);
        field("samples", self.samples);
        field("lost", self.lost);
        field("blocked", self.blocked);
        field("incomplete", self.incomplete);
        field("calls", self.calls);
        field("calls_lost", self.calls_lost);
        field("memory", self.memory);
        field("python", self.python);
        field("stacks_refused", self.stacks_refused);
    }
};

// A counter of the processor or the system that is in the stretches of a process, in the order of their words. The list
// is written when recording begins, and again when the file is closed in order: then the later one holds.
struct ProcessorCounter {
    std::string name;         // as VT_COUNTER has it
    std::int64_t refused = 0; // errno, where the kernel refused it to the thread that called MPI_Init; 0: it did not
    // How much of the time of threads on a core it was counted in, in thousandths. What is missing is estimated.
    std::uint64_t counted = 1000;
    static constexpr void fields(auto& self, auto&& field) {
        field("name", self.name);
        field("refused", self.refused);
        field("counted", self.counted);
    }
};

// The content of a definitions block. One is written at the start (datatypes, the modules that name MPI), one every
// minute (an anchor), and one at the end (everything but the datatypes and the modules that are written already).
// Where two define the same number, the later definition holds.
struct Definitions {
    std::vector<Comm> comms;
    std::vector<Datatype> datatypes;
    std::vector<Module> modules;
    std::vector<Anchor> anchors;
    std::vector<Totals> totals; // one if the file was closed in order, else none
    std::vector<SharedObject> windows;
    std::vector<SharedObject> files;
    std::vector<Symbol> symbols;
    std::vector<Counter> counters;
    std::vector<Scl> scls;
    std::vector<ThreadName> threads;
    std::vector<ClockPlace> clock_places; // at most one
    std::vector<SyncRound> sync_rounds;
    std::vector<TimeMap> time_maps;    // the last one holds
    std::vector<CallCosts> costs;      // at most one
    std::vector<ShiftMap> refinements; // the last one holds, here and for corrections; both belong to the last time map
    std::vector<ShiftMap> corrections;
    std::vector<ClockQuality> clock_quality; // the last one holds
    std::vector<RankWaits> waits;            // the last one holds
    std::vector<NcclComm> nccl_comms;
    std::vector<CompensatedRank> compensated;         // the last one holds; it belongs to the last time map
    std::vector<Machine> machines;                    // at most one
    std::vector<OsReading> os_readings;               // one when recording began, one when the file was closed in order
    std::vector<Sampling> sampling;                   // one when the file was closed, if threads were looked at
    std::vector<ProcessorCounter> processor_counters; // the last list holds
    static constexpr void fields(auto& self, auto&& field) {
        field("comms", self.comms);
        field("datatypes", self.datatypes);
        field("modules", self.modules);
        field("anchors", self.anchors);
        field("totals", self.totals);
        field("windows", self.windows);
        field("files", self.files);
        field("symbols", self.symbols);
        field("counters", self.counters);
        field("scls", self.scls);
        field("threads", self.threads);
        field("clock_places", self.clock_places);
        field("sync_rounds", self.sync_rounds);
        field("time_maps", self.time_maps);
        field("costs", self.costs);
        field("refinements", self.refinements);
        field("corrections", self.corrections);
        field("clock_quality", self.clock_quality);
        field("waits", self.waits);
        field("nccl_comms", self.nccl_comms);
        field("compensated", self.compensated);
        field("machines", self.machines);
        field("os_readings", self.os_readings);
        field("sampling", self.sampling);
        field("processor_counters", self.processor_counters);
    }
};

// The schema of this version: every struct above and every column of a record block.
std::vector<SchemaEntry> schema();

} // namespace tactus

// What every rank's NCCL did, read from a trace: one part an operation and member of its communicator, by the clock of
// the whole trace. One thread.
//
// Members are those of NCCL's communicators: a process with several GPUs is several of them. A communicator is known by
// its id and by how many of that id its member had before, since an id may be used again.
//
// Memory: 112 bytes an operation of a rank, 40 a kernel.
#pragma once

#include "base/result.hpp"
#include "trace/nccl.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

struct NcclCommunicator {
    std::uint64_t id = 0;   // 0: NCCL does not say, so that nothing in it can be matched
    std::uint32_t turn = 0; // how many of that id there were before
    std::uint32_t ranks = 0;
    std::string name;
};

// A rank's part of an operation.
struct NcclPart {
    std::uint32_t rank = 0; // of the run
    std::uint32_t lane = 0;
    std::uint32_t comm = 0; // in NcclParts
    std::uint32_t member = 0;
    std::uint32_t function = 0; // in NcclParts
    NcclTag tag;
    std::int32_t peer = peer::none;
    std::uint32_t kernel = no_kernel; // that did it, in NcclParts: known where CUPTI told of it
    std::int64_t sequence = 0;
    std::int64_t handle = 0; // in its process
    std::uint64_t bytes = 0;
    std::uint64_t channels = 0;
    Ticks enter = 0;
    Ticks leave = 0;
    GlobalTime start = 0;
    GlobalTime end = 0;
    double gpu_within_ns = 0;   // from the GPU's clock to the rank's ticks
    double clock_within_ns = 0; // from the rank's ticks to global time; infinite: not known

    static constexpr std::uint32_t no_kernel = ~std::uint32_t{0};
    // When its kernels began is known; of what the proxy thread alone saw it is not.
    [[nodiscard]] bool is_timed() const { return tag.span == NcclSpan::full || tag.span == NcclSpan::partial; }
    [[nodiscard]] double within_ns() const { return gpu_within_ns + clock_within_ns; }
    [[nodiscard]] double length_ns() const { return ns_from(start, end); }
};

// A kernel that CUPTI told of.
struct NcclKernel {
    std::uint32_t function = 0; // in NcclParts: its name
    GlobalTime end = 0;
    double length_ns = 0;
    double worked_ns = 0; // of that, what the operation, or the group of operations, took from its first channel's
                          // start to its last one's end
    bool joined = false;  // to one that says so
};

// Work that proxy threads did for other processes (PXN).
struct NcclForeign {
    std::uint64_t joined = 0; // to the operation it was done for
    std::uint64_t unjoined = 0;
};

struct NcclParts {
    std::vector<std::string> functions; // "AllReduce"
    std::vector<NcclCommunicator> comms;
    std::vector<NcclPart> parts;     // by rank, lane and leave
    std::vector<NcclKernel> kernels; // by rank
    NcclForeign foreign;
    std::vector<Error> unreadable;
};

// From the definitions alone.
bool has_nccl(const Trace& trace);

NcclParts read_nccl(const Trace& trace);

// The name of a record's symbol without "NCCL:".
std::string nccl_function(const RankFile& file, std::uint32_t symbol);
// A communicator by the number that records use; nullptr when it is not defined.
const NcclComm* nccl_comm(const RankFile& file, std::int64_t number);

} // namespace tactus

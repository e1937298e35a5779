// What NCCL did on every rank, read from a trace: a part for each operation and each member of its communicator, on the
// clock of the whole trace. One thread.
//
// Members are those of NCCL's communicators: a process with several GPUs is several members. An id may be used again,
// so a communicator is known by its id and by how many communicators of that id its member had had before.
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
    std::uint64_t id = 0;   // 0: NCCL does not tell, so that nothing in it can be matched
    std::uint32_t turn = 0; // how many communicators of that id there were before
    std::uint32_t ranks = 0;
    std::string name;
};

// The part that one member has in an operation.
struct NcclPart {
    std::uint32_t rank = 0; // of the run
    std::uint32_t lane = 0;
    std::uint32_t comm = 0; // index in NcclParts
    std::uint32_t member = 0;
    std::uint32_t function = 0; // index in NcclParts
    NcclTag tag;
    std::int32_t peer = peer::none;
    // The kernel that did it, as index in NcclParts. It is known where CUPTI reported the kernel.
    std::uint32_t kernel = no_kernel;
    std::int64_t sequence = 0;
    std::int64_t handle = 0; // identifies it within its process
    std::uint64_t bytes = 0;
    std::uint64_t channels = 0;
    Ticks enter = 0;
    Ticks leave = 0;
    GlobalTime start = 0;
    GlobalTime end = 0;
    double gpu_within_ns = 0;   // uncertainty between the GPU's clock and the rank's ticks
    double clock_within_ns = 0; // uncertainty between the rank's ticks and global time; infinite: unknown

    static constexpr std::uint32_t no_kernel = ~std::uint32_t{0};
    // Whether it is known when its kernels began. It is not where only the proxy thread saw the operation.
    [[nodiscard]] bool is_timed() const { return tag.span == NcclSpan::full || tag.span == NcclSpan::partial; }
    [[nodiscard]] double within_ns() const { return gpu_within_ns + clock_within_ns; }
    [[nodiscard]] double length_ns() const { return ns_from(start, end); }
};

// A kernel that CUPTI reported.
struct NcclKernel {
    std::uint32_t function = 0; // index in NcclParts of its name
    GlobalTime end = 0;
    double length_ns = 0;
    // How much of that the operation, or the group of operations, worked: from its first channel's start to its
    // last channel's end.
    double worked_ns = 0;
    bool joined = false; // there is an operation that says when it worked
};

// Work that proxy threads did for other processes (PXN).
struct NcclForeign {
    std::uint64_t joined = 0; // their operations were found
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

// Looks at definitions only.
bool has_nccl(const Trace& trace);

// Reads the records of all ranks. Blocks that cannot be read are skipped, and listed in `unreadable`.
NcclParts read_nccl(const Trace& trace);

// The name of a record's symbol, without "NCCL:".
std::string nccl_function(const RankFile& file, std::uint32_t symbol);
// The communicator that a record names by number, or nullptr if it is not defined.
const NcclComm* nccl_comm(const RankFile& file, std::int64_t number);

} // namespace tactus

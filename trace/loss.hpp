// What a trace says is missing.
#pragma once

#include "base/in_step.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace tactus {

// The kinds of data that may not have been kept. Each has one row here and one line in every report.
enum class Loss : std::uint8_t {
    block_not_written, // records of blocks that the file system refused
    lane_unprotected,  // lanes in private memory: their last records would not survive a kill
    late_thread,       // threads whose records were not available when the trace was closed without MPI_Finalize
    unknown_handle,    // completions of requests that the tracer had not seen begin
    nested_too_deep,   // calls made in callbacks of calls made in callbacks ...
    switched_off,      // calls that VT_traceoff, MPI_Pcontrol or a filter kept out of the trace
    inside_call,       // regions, counter values and comments from a callback inside an MPI call
    region_too_deep,   // regions nested deeper than the tracer keeps
    no_memory,         // calls of threads that got no lane
    not_recovered,     // blocks and lanes that `tactus recover` did not find, or found damaged
    nccl_dropped,      // callbacks of NCCL for which there was no room
    nccl_invalid,      // callbacks of NCCL about something that had ended, or was never begun
    nccl_kernels,      // launches of NCCL for which CUPTI did not report the kernels, or not their times
    vt_refused,        // calls of VT.h that did nothing
    vt_no_location,    // source locations that VT.h named and nobody had defined
    vt_unsupported,    // calls of VT.h that succeed and that a trace has no record for
};
struct LossText {
    Loss loss;
    const char* name;
    const char* meaning;
};
inline constexpr LossText losses[] = {
    {Loss::block_not_written, "block_not_written", "records in blocks that could not be written"},
    {Loss::lane_unprotected, "lane_unprotected", "lanes in private memory, which do not survive a kill"},
    {Loss::late_thread, "late_thread",
     "threads that ran when exit, abort or a signal closed the trace, and whose last records are missing"},
    {Loss::unknown_handle, "unknown_handle", "completions of requests whose start was not seen"},
    {Loss::nested_too_deep, "nested_too_deep", "calls made in callbacks of calls made in callbacks, deeper than four"},
    {Loss::switched_off, "switched_off", "calls not recorded because VT_traceoff, MPI_Pcontrol or a filter said so"},
    {Loss::inside_call, "inside_call",
     "regions, counter values and comments of VT.h from inside an MPI call (a callback)"},
    {Loss::region_too_deep, "region_too_deep", "regions and scopes of VT.h nested deeper than 65,536"},
    {Loss::no_memory, "no_memory", "calls of threads for which memory was refused"},
    {Loss::not_recovered, "not_recovered", "blocks and lanes of a killed run that could not be recovered"},
    {Loss::nccl_dropped, "nccl_dropped",
     "callbacks of NCCL that came faster than they could be taken, or for more than there is room for"},
    {Loss::nccl_invalid, "nccl_invalid",
     "callbacks of NCCL about something that had ended or was never begun, which were passed over"},
    {Loss::nccl_kernels, "nccl_kernels", "kernels of NCCL that CUPTI did not tell of, or without their times"},
    {Loss::vt_refused, "vt_refused",
     "calls of VT.h that did nothing: before MPI_Init, with a handle that nobody had defined, or with nothing to end"},
    {Loss::vt_no_location, "vt_no_location", "source locations named in calls of VT.h that nobody had defined"},
    {Loss::vt_unsupported, "vt_unsupported",
     "calls of VT.h that this version takes and does not record, such as VT_log_sendmsg"},
};
static_assert(in_step(losses, &LossText::loss));
constexpr std::size_t loss_count = std::size(losses);

} // namespace tactus

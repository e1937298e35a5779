// What samples say of the functions of the program, as text.
#pragma once

#include "cli/report/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

// A function of the program, of all ranks and threads together.
struct SampledFunction {
    std::string name;          // or its file and an offset, where the name is not known
    std::string place;         // file and line of most of its samples
    std::uint64_t on_core = 0; // samples
    std::uint64_t blocked = 0;
};
// Most samples first. Samples in MPI are left out; those outside of all files of the program have a row of their own.
std::vector<SampledFunction> sampled_functions(Report& report);

// Where a rank was that came late, by the samples that were blocked or on a core: " in relax (heat.c:31)", " in read of
// mesh.h5 (load_mesh, io.c:88)". What the ranks that wait did in the same time is taken off, function by function
// (Boehme et al., ICPP 2010). Empty when too few samples are left, or none of the functions stands out.
std::string sampled_text(const WaitRoot& root, bool blocked, SourceLines& lines);
// The name of that function alone; empty when there is none.
std::string late_function(const WaitRoot& root, bool blocked, SourceLines& lines);

// Returns text such as "3 threads wait for locks for 71.0 % of their time outside MPI (6.2 s), most in
// pthread_mutex_lock in work (lock.c:12)"; empty if that is too little to be named. Other threads than those that make
// calls count, too.
std::string lock_text(Report& report);

// How long a thread was on a core outside of MPI, by its samples.
double on_core_s(const RankSamples& samples, const SampledThread& thread);

// The name of the function that a blocked place called, without what the C library puts around it:
// "pthread_mutex_lock".
std::string called_name(const SampledPlace& what, SourceLines& lines);

// "read", "futex"; "system call 451" when its name is not known here.
std::string system_call_name(std::int32_t number);

void print_sampled_functions(Report& report);
void print_call_paths(Report& report);

} // namespace tactus

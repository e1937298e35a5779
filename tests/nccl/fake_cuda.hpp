// What the fake CUPTI (fake_cupti.cpp) exports besides CUPTI's functions: launches of CUDA, which it then reports. They
// are looked up by name, as "fake_cuda_launch" and "fake_cuda_ran".
#pragma once

#include <cstdint>

extern "C" {
// Stands for a call of CUDA by which the calling thread launches a kernel of that (mangled) name. Returns its
// correlation id.
using FakeCudaLaunch = std::uint32_t (*)(const char* kernel, std::uint32_t device, std::uint32_t stream);
// Says when the kernel runs, by CLOCK_MONOTONIC. It may be called before the kernel has run.
using FakeCudaRan = void (*)(std::uint32_t launch, std::int64_t start_ns, std::int64_t stop_ns);
}

// What the fake CUPTI (fake_cupti.cpp) has besides CUPTI's functions: CUDA's launches, which it then tells of. Looked
// up by name, as "fake_cuda_launch" and "fake_cuda_ran".
#pragma once

#include <cstdint>

extern "C" {
// A call of CUDA that launches a kernel of that (mangled) name, by the calling thread. Gives its correlation id.
using FakeCudaLaunch = std::uint32_t (*)(const char* kernel, std::uint32_t device, std::uint32_t stream);
// When it runs, by CLOCK_MONOTONIC; may be said before it has.
using FakeCudaRan = void (*)(std::uint32_t launch, std::int64_t start_ns, std::int64_t stop_ns);
}

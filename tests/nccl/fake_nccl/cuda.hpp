// Launches of kernels, where the process has a CUDA: the library that FAKE_CUPTI names (fake_cupti.cpp), loaded as a
// program's CUDA brings CUPTI. Without it nothing is launched.
#pragma once

#include "tests/nccl/fake_cuda.hpp"

#include <string>

namespace tactus::fake_nccl {

class Cuda {
  public:
    Cuda();

    // Gives its number; 0: there is no CUDA. `function`: what it is called in the program.
    [[nodiscard]] std::uint32_t launch(const std::string& function, std::uint32_t device, std::uint32_t stream) const;
    void ran(std::uint32_t launch, std::int64_t start_ns, std::int64_t stop_ns) const;

  private:
    FakeCudaLaunch launch_ = nullptr;
    FakeCudaRan ran_ = nullptr;
};

} // namespace tactus::fake_nccl

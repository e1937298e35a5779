// Launches kernels if the process has a CUDA. CUDA is the library that FAKE_CUPTI names (fake_cupti.cpp); it is loaded
// as a program's CUDA loads CUPTI. Without it nothing is launched.
#pragma once

#include "tests/nccl/fake_cuda.hpp"

#include <string>

namespace tactus::fake_nccl {

class Cuda {
  public:
    Cuda();

    // Returns the number of the launch, or 0 if there is no CUDA. `function` is the kernel's name in the program.
    [[nodiscard]] std::uint32_t launch(const std::string& function, std::uint32_t device, std::uint32_t stream) const;
    void ran(std::uint32_t launch, std::int64_t start_ns, std::int64_t stop_ns) const;

  private:
    FakeCudaLaunch launch_ = nullptr;
    FakeCudaRan ran_ = nullptr;
};

} // namespace tactus::fake_nccl

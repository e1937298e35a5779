#include "cuda.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace tactus::fake_nccl {

Cuda::Cuda() {
    const char* const path = std::getenv("FAKE_CUPTI");
    if (path == nullptr) return;
    void* const library = dlopen(path, RTLD_NOW | RTLD_GLOBAL); // never closed
    if (library == nullptr) {
        std::fprintf(stderr, "fake NCCL: %s\n", dlerror());
        std::exit(2);
    }
    launch_ = reinterpret_cast<FakeCudaLaunch>(dlsym(library, "fake_cuda_launch"));
    ran_ = reinterpret_cast<FakeCudaRan>(dlsym(library, "fake_cuda_ran"));
}

std::uint32_t Cuda::launch(const std::string& function, std::uint32_t device, std::uint32_t stream) const {
    if (launch_ == nullptr) return 0;
    const std::string mangled = "_Z" + std::to_string(function.size()) + function + "Pv";
    return launch_(mangled.c_str(), device, stream);
}

void Cuda::ran(std::uint32_t launch, std::int64_t start_ns, std::int64_t stop_ns) const {
    if (launch != 0) ran_(launch, start_ns, stop_ns);
}

} // namespace tactus::fake_nccl

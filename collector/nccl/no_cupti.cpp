// Built where there is no CUPTI.
#include "collector/nccl/kernels.hpp"

namespace tactus::nccl::kernels {

Outcome begin() {
    return Error{.what = "tactus was built without CUPTI",
                 .advice = "build it where CUDA's toolkit is, with -DTACTUS_CUPTI=DIRECTORY if it is not found"};
}
void launch_begins(LaunchMark) {}
void launch_ends() {}
void flush() {}
void take(Assembly&) {}
void end() {}
void let_go() {}

} // namespace tactus::nccl::kernels

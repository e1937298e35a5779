// What the VT_ options say of finishing a trace.
#pragma once

#include "base/options/options.hpp"
#include "postproc/finish/finish.hpp"

namespace tactus {

FinishOptions finish_options(const Options& options);

} // namespace tactus

// Translates the VT_ options that concern the finishing of a trace.
#pragma once

#include "base/options/options.hpp"
#include "postproc/finish/finish.hpp"

namespace tactus {

FinishOptions finish_options(const Options& options);

} // namespace tactus

// Source lines around a call place, for the page of `tactus view`: of files that the trace's debug information named,
// no others.
#pragma once

#include "cli/viewer/question.hpp"
#include "cli/viewer/served_trace.hpp"

namespace tactus {

Answer source_answer(ServedTrace& served, const Question& question);

} // namespace tactus

// Answers the page of `tactus view` with source lines around a call place. Only files that the debug information of the
// traced program names are read.
#pragma once

#include "cli/viewer/question.hpp"
#include "cli/viewer/served_trace.hpp"

namespace tactus {

Answer source_answer(ServedTrace& served, const Question& question);

} // namespace tactus

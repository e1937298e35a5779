// The answers of `tactus view` to its page (docs/viewer.md).
#pragma once

#include "cli/viewer/page_server.hpp"
#include "cli/viewer/served_trace.hpp"

#include <memory>
#include <vector>

namespace tactus {

using ServedTraces = std::vector<std::unique_ptr<ServedTrace>>;

// `traces` must outlive the server.
void give_answers(PageServer& server, const ServedTraces& traces);

} // namespace tactus

// A view of a trace as text, with one letter for each slot, and as JSON. Pure functions.
#pragma once

#include "postproc/view/view.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace tactus {

struct ViewedTrace {
    const Trace& trace;
    const TimeLine& time_line;
    const FunctionNames& names;
    const ViewRequest& request;
    const View& view;
};

std::string timeline_text(const ViewedTrace& viewed);
nlohmann::ordered_json timeline_json(const ViewedTrace& viewed);

} // namespace tactus

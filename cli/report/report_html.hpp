// A report as a single HTML page that needs no other file: its tables, and a drawing of the run. Pure function.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tactus {

struct ReportPage {
    const nlohmann::ordered_json& report; // the output of --json
    std::string title;
    std::string svg; // drawing of the run; may be empty
};
std::string report_html(const ReportPage& page);

} // namespace tactus

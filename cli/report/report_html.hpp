// A report as one page of HTML that needs nothing else: its tables, and a drawing of the run. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tactus {

struct ReportPage {
    const nlohmann::ordered_json& report; // as --json
    std::string title;
    std::string svg; // of the run; empty: none
};
std::string report_html(const ReportPage& page);

} // namespace tactus

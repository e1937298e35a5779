// One effective option, as it is also written into the trace's header.
#pragma once

#include <string>

namespace tactus {

struct OptionValue {
    std::string name; // "LOGFILE_NAME"
    std::string value;
    std::string origin; // "default", "environment", or the file it came from
    static constexpr void fields(auto& self, auto&& field) {
        field("name", self.name);
        field("value", self.value);
        field("origin", self.origin);
    }
};

} // namespace tactus

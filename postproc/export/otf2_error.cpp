#include "postproc/export/otf2_error.hpp"

#include <cstdarg>
#include <cstdio>

namespace tactus {

Otf2Errors::Otf2Errors() { OTF2_Error_RegisterCallback(take, this); }
Otf2Errors::~Otf2Errors() { OTF2_Error_RegisterCallback(nullptr, nullptr); }

void Otf2Errors::failed(OTF2_ErrorCode code) {
    if (first_ == OTF2_SUCCESS) first_ = code;
}

OTF2_ErrorCode Otf2Errors::take(void* self, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                                const char* format, va_list arguments) {
    auto& errors = *static_cast<Otf2Errors*>(self);
    if (code == OTF2_WARNING || code == OTF2_DEPRECATED || code == OTF2_SUCCESS) return code;
    if (errors.said_.empty() && format != nullptr) {
        char text[512];
        std::vsnprintf(text, sizeof text, format, arguments);
        errors.said_ = text;
    }
    errors.failed(code);
    return code;
}

Error Otf2Errors::error(const std::string& file, const std::string& advice) const {
    std::string what = OTF2_Error_GetDescription(first_);
    if (!said_.empty()) what += ": " + said_;
    for (char& c : what)
        if (c == '\n' || c == '\r') c = ' ';
    while (!what.empty() && (what.back() == '.' || what.back() == ' ')) what.pop_back();
    return {.what = "OTF2 says: " + what, .file = file, .advice = advice};
}

} // namespace tactus

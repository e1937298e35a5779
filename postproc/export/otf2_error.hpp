// OTF2 reports what went wrong through a callback; without one it prints to standard error. This keeps the first error,
// and makes an Error of it. One thread.
#pragma once

#include "base/result.hpp"

#include <otf2/otf2.h>
#include <string>

namespace tactus {

class Otf2Errors {
  public:
    Otf2Errors();
    ~Otf2Errors();
    Otf2Errors(const Otf2Errors&) = delete;
    Otf2Errors& operator=(const Otf2Errors&) = delete;

    // Remembers the first code that is not OTF2_SUCCESS.
    void check(OTF2_ErrorCode code) {
        if (code != OTF2_SUCCESS) [[unlikely]]
            failed(code);
    }
    void failed(OTF2_ErrorCode code);
    [[nodiscard]] bool any() const { return first_ != OTF2_SUCCESS; }
    [[nodiscard]] Error error(const std::string& file, const std::string& advice = {}) const;

  private:
    static OTF2_ErrorCode take(void* self, const char* file, std::uint64_t line, const char* function,
                               OTF2_ErrorCode code, const char* format, va_list arguments);
    OTF2_ErrorCode first_ = OTF2_SUCCESS;
    std::string said_;
};

} // namespace tactus

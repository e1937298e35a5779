// Writes comments of VT.h as markers of an OTF2 archive. The file is made with the first of them. One thread.
#pragma once

#include "postproc/export/otf2_error.hpp"

#include <cstdint>
#include <otf2/otf2.h>
#include <string>

namespace tactus {

class Otf2Markers {
  public:
    Otf2Markers(OTF2_Archive* archive, Otf2Errors& errors) : archive_{archive}, errors_{errors} {}
    // Adds a comment at `time`, in ticks of the archive, to a location.
    void comment(std::uint64_t time, std::uint64_t location, const std::string& text);
    void close();

  private:
    OTF2_Archive* archive_;
    Otf2Errors& errors_;
    OTF2_MarkerWriter* writer_ = nullptr;
};

} // namespace tactus

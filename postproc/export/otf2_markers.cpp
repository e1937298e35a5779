#include "postproc/export/otf2_markers.hpp"

namespace tactus {

void Otf2Markers::comment(std::uint64_t time, std::uint64_t location, const std::string& text) {
    if (writer_ == nullptr) {
        writer_ = OTF2_Archive_GetMarkerWriter(archive_);
        if (writer_ == nullptr) return errors_.failed(OTF2_ERROR_MEM_ALLOC_FAILED);
        errors_.check(OTF2_MarkerWriter_WriteDefMarker(writer_, 0, "tactus", "comment", OTF2_SEVERITY_NONE));
    }
    errors_.check(
        OTF2_MarkerWriter_WriteMarker(writer_, time, 0, 0, OTF2_MARKER_SCOPE_LOCATION, location, text.c_str()));
}

void Otf2Markers::close() {
    if (writer_ != nullptr) errors_.check(OTF2_Archive_CloseMarkerWriter(archive_, writer_));
    writer_ = nullptr;
}

} // namespace tactus

// Stands in for the OTF2 export and import where tactus was built without the OTF2 library.
#include "postproc/export/otf2_export.hpp"
#include "postproc/export/otf2_import.hpp"

namespace tactus {
namespace {

Error no_otf2() {
    return {.what = "this tactus was built without OTF2",
            .advice = "build it again where the OTF2 library is, Debian's libopen-trace-format2-dev"};
}

} // namespace

Result<Exported> export_otf2(const Trace& /*trace*/, const StepClock& /*clock*/, const std::string& /*folder*/) {
    return no_otf2();
}

Result<Imported> import_otf2(const std::string& /*archive*/, const std::string& /*trace*/, ArchiveClocks /*clocks*/) {
    return no_otf2();
}

} // namespace tactus

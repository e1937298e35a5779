// Callbacks for the events of an OTF2 archive: their memory, and those for kinds that a trace has no record for.
#pragma once

#include <memory>
#include <otf2/otf2.h>

namespace tactus {

using Otf2Callbacks = std::unique_ptr<OTF2_EvtReaderCallbacks, void (*)(OTF2_EvtReaderCallbacks*)>;

inline Otf2Callbacks new_otf2_callbacks() { return {OTF2_EvtReaderCallbacks_New(), OTF2_EvtReaderCallbacks_Delete}; }

// Sets the callbacks of all kinds of events that are not imported. They count them by kind, for the Otf2Lane that OTF2
// passes them as their data.
void count_other_events(OTF2_EvtReaderCallbacks* callbacks);

} // namespace tactus

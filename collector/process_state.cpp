#include "collector/process_state.hpp"

#include "collector/comms.hpp"
#include "collector/requests.hpp"
#include "collector/shared_objects.hpp"
#include "collector/vt/names.hpp"

namespace tactus {

constinit Session* session = nullptr;

constinit Comms comms;
constinit SharedObjects windows;
constinit SharedObjects files;
constinit RequestTables requests;
constinit Requests matched_messages;
constinit VtNames vt_names;

constinit std::atomic<bool> selective{false};
constinit std::atomic<bool> clocks_are_periodic{false};
constinit std::atomic<bool> freed_receives{false};

} // namespace tactus

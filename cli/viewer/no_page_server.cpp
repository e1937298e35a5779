// The page server of a tactus that was built without the cpp-httplib library: listen() returns an error.
#include "cli/viewer/page_server.hpp"

namespace tactus {

struct PageServer::Serving {};

PageServer::PageServer(std::chrono::milliseconds /*most_waiting*/) {}
PageServer::~PageServer() = default;
void PageServer::give(const std::string& /*name*/, Giver /*giver*/) {}
Outcome PageServer::listen(std::uint16_t /*port*/) {
    return Error{.what = "this tactus was built without cpp-httplib, which serves the page",
                 .advice = "build it again where that library is, Debian's libcpp-httplib-dev"};
}
std::string PageServer::address() const { return {}; }
std::uint16_t PageServer::port() const { return 0; }
void PageServer::serve() {}
void PageServer::stop() {}

} // namespace tactus

// The page's server under load: a client that gets no turn in time is told so, and is answered later.
#include "cli/viewer/page_server.hpp"
#include "tests/unit/made/catch.hpp"

#include <httplib.h>
#include <latch>
#include <thread>
#include <vector>

namespace tactus {
namespace {

class Served {
  public:
    explicit Served(PageServer& server) : server_{server} {
        REQUIRE(server.listen(0));
        serving_ = std::thread{[&] { server_.serve(); }};
    }
    ~Served() {
        server_.stop();
        serving_.join();
    }
    [[nodiscard]] int status_of(const std::string& question) const {
        httplib::Client client{"127.0.0.1", server_.port()};
        client.set_read_timeout(30);
        const std::string address = server_.address();
        const auto path = address.substr(address.rfind('/', address.size() - 2));
        const auto answer = client.Get(path + "api/" + question);
        return answer ? answer->status : -1;
    }

  private:
    PageServer& server_;
    std::thread serving_;
};

} // namespace

TEST_CASE("who has no turn in time is told to come again", "[viewer]") {
    PageServer server{std::chrono::milliseconds{50}};
    std::latch all_begun{PageServer::most_answers};
    std::latch may_end{1};
    server.give("slow", [&](const Question&) -> Answer {
        all_begun.count_down();
        may_end.wait();
        return {};
    });
    server.give("quick", [](const Question&) -> Answer { return {}; });
    const Served served{server};
    CHECK(served.status_of("quick") == 200);
    std::vector<std::thread> clients;
    std::vector<int> statuses(PageServer::most_answers);
    for (int& status : statuses) clients.emplace_back([&] { status = served.status_of("slow"); });
    all_begun.wait();
    CHECK(served.status_of("quick") == 503);
    may_end.count_down();
    for (std::thread& client : clients) client.join();
    CHECK(statuses == std::vector<int>(PageServer::most_answers, 200));
    CHECK(served.status_of("quick") == 200);
}

} // namespace tactus

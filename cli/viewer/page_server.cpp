#include "cli/viewer/page_server.hpp"

#include "cli/viewer/page_files.hpp"
#include "cli/viewer/who_asks.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <httplib.h>
#include <map>
#include <semaphore>

namespace tactus {
namespace {

constexpr std::size_t most_connections = 64;
constexpr std::size_t most_request_bytes = 8192;

std::optional<std::string> header_of(const httplib::Request& request, const char* name) {
    if (!request.has_header(name)) return {};
    return request.get_header_value(name);
}

void put(httplib::Response& response, Answer&& answer) {
    response.status = answer.status;
    response.set_content(std::move(answer.body), answer.type);
}

httplib::Headers headers_of_all() {
    return {{"Content-Security-Policy",
             "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
             "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
            {"X-Content-Type-Options", "nosniff"},
            {"Referrer-Policy", "no-referrer"},
            {"Cross-Origin-Resource-Policy", "same-origin"},
            {"Cross-Origin-Opener-Policy", "same-origin"},
            {"Cache-Control", "no-store"}};
}

} // namespace

struct PageServer::Serving {
    httplib::Server server;
    std::map<std::string, Giver, std::less<>> givers;
    std::counting_semaphore<most_answers> room{most_answers};
    std::chrono::milliseconds most_waiting;
    std::string token = {};
    int port = 0;

    explicit Serving(std::chrono::milliseconds waiting) : most_waiting{waiting} {}

    // Handles every request, whatever its method.
    void take(const httplib::Request& request, httplib::Response& response) {
        const std::string host = request.get_header_value("Host");
        const auto origin = header_of(request, "Origin");
        const auto site = header_of(request, "Sec-Fetch-Site");
        std::string_view rest;
        const int status = may_ask({.method = request.method,
                                    .path = request.path,
                                    .host = host,
                                    .origin = origin ? std::optional<std::string_view>{*origin} : std::nullopt,
                                    .fetch_site = site ? std::optional<std::string_view>{*site} : std::nullopt},
                                   token, rest);
        if (status != 200)
            return put(response,
                       refused(status, status == 405
                                           ? "only GET and HEAD are answered"
                                           : "this is not for you: the address that tactus view printed is needed"));
        constexpr std::string_view api = "api/";
        if (rest.starts_with(api)) return answer(rest.substr(api.size()), request, response);
        const auto files = page_files();
        const auto file =
            rest.empty() ? files.begin() : std::find_if(files.begin(), files.end(), [&](const PageFile& page_file) {
                return page_file.name == rest;
            });
        if (file == files.end()) return put(response, refused(404, "there is no such page"));
        response.set_content(file->content.data(), file->content.size(), std::string{file->type});
        response.status = 200;
    }

    void answer(std::string_view name, const httplib::Request& request, httplib::Response& response) {
        const auto giver = givers.find(name);
        if (giver == givers.end()) return put(response, refused(404, "nothing of that name can be asked"));
        if (!room.try_acquire_for(most_waiting))
            return put(response, refused(503, "too much is asked at once; try again"));
        struct Leave {
            std::counting_semaphore<most_answers>& room;
            ~Leave() { room.release(); }
        } const leave{room};
        put(response, giver->second({{request.params.begin(), request.params.end()}}));
    }
};

PageServer::PageServer(std::chrono::milliseconds most_waiting) : serving_{std::make_unique<Serving>(most_waiting)} {
    httplib::Server& server = serving_->server;
    server.new_task_queue = [] { return new httplib::ThreadPool{most_connections}; };
    server.set_payload_max_length(most_request_bytes);
    server.set_keep_alive_max_count(10'000);
    server.set_keep_alive_timeout(2);
    server.set_tcp_nodelay(true);
    server.set_default_headers(headers_of_all());
    server.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
        serving_->take(request, response);
        return httplib::Server::HandlerResponse::Handled;
    });
    server.set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
        put(response, refused(500, "this could not be answered; memory may be short"));
    });
}

PageServer::~PageServer() = default;

void PageServer::give(const std::string& name, Giver giver) { serving_->givers[name] = std::move(giver); }

Outcome PageServer::listen(std::uint16_t port) {
    const auto token = random_token();
    if (!token) return Error{.what = "the system gives no random numbers for the address"};
    serving_->token = *token;
    constexpr const char* here = "127.0.0.1";
    errno = 0;
    if (port != 0)
        serving_->port = serving_->server.bind_to_port(here, port) ? port : -1;
    else
        serving_->port = serving_->server.bind_to_any_port(here);
    if (serving_->port > 0) return Done{};
    return Error{.what = "port " + std::to_string(port) + " cannot be used: " + std::strerror(errno),
                 .advice = "without --port a free one is found"};
}

std::uint16_t PageServer::port() const { return static_cast<std::uint16_t>(serving_->port); }

std::string PageServer::address() const {
    return "http://127.0.0.1:" + std::to_string(serving_->port) + "/" + serving_->token + "/";
}

void PageServer::serve() { serving_->server.listen_after_bind(); }
void PageServer::stop() { serving_->server.stop(); }

} // namespace tactus

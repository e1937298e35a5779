// The local web server of `tactus view`: the page, which is in the program, and answers to what the page asks. Who may
// ask, and how much at once, docs/viewer.md says.
#pragma once

#include "base/result.hpp"
#include "cli/viewer/question.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace tactus {

class PageServer {
  public:
    // Called by many threads at once. What it throws becomes an answer with status 500.
    using Giver = std::function<Answer(const Question&)>;

    static constexpr std::ptrdiff_t most_answers = 8; // in the making at once
    // What is asked beyond them has so long to wait for its turn.
    explicit PageServer(std::chrono::milliseconds most_waiting = std::chrono::seconds{10});
    ~PageServer();
    PageServer(const PageServer&) = delete;
    PageServer& operator=(const PageServer&) = delete;

    // `api/NAME`. Before serve().
    void give(const std::string& name, Giver giver);
    // On 127.0.0.1; port 0: any that is free.
    Outcome listen(std::uint16_t port);
    [[nodiscard]] std::string address() const; // with the token
    [[nodiscard]] std::uint16_t port() const;
    // Until stop(), which another thread may call.
    void serve();
    void stop();

  private:
    struct Serving;
    std::unique_ptr<Serving> serving_;
};

} // namespace tactus

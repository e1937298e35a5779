// The local web server of `tactus view`. It serves the page, whose files are embedded in the program, and answers the
// questions of the page. docs/viewer.md says who may ask, and how many questions at once.
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
    // Many threads call it at the same time. An exception becomes an answer with status 500.
    using Giver = std::function<Answer(const Question&)>;

    static constexpr std::ptrdiff_t most_answers = 8; // that are computed at the same time
    // A question beyond these waits for its turn, and is refused after `most_waiting`.
    explicit PageServer(std::chrono::milliseconds most_waiting = std::chrono::seconds{10});
    ~PageServer();
    PageServer(const PageServer&) = delete;
    PageServer& operator=(const PageServer&) = delete;

    // Sets what answers `api/NAME`. To be called before serve().
    void give(const std::string& name, Giver giver);
    // Listens on 127.0.0.1. With port 0 it takes any free port.
    Outcome listen(std::uint16_t port);
    [[nodiscard]] std::string address() const; // with the token
    [[nodiscard]] std::uint16_t port() const;
    // Serves until another thread calls stop().
    void serve();
    void stop();

  private:
    struct Serving;
    std::unique_ptr<Serving> serving_;
};

} // namespace tactus

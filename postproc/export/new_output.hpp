// A file or folder that did not exist before and is taken away again unless it was finished: no export leaves half of
// one behind, or writes over what somebody needs. Offline; one thread.
#pragma once

#include "base/result.hpp"

#include <string>
#include <utility>

namespace tactus {

class NewOutput {
  public:
    static Result<NewOutput> folder(const std::string& path);
    // Of a name that does not exist; who writes it makes it.
    static Result<NewOutput> file(const std::string& path);
    NewOutput(NewOutput&& other) noexcept : path_{std::exchange(other.path_, {})} {}
    NewOutput& operator=(NewOutput&&) = delete;
    NewOutput(const NewOutput&) = delete;
    NewOutput& operator=(const NewOutput&) = delete;
    ~NewOutput();

    void keep() { path_.clear(); }

  private:
    explicit NewOutput(std::string path) : path_{std::move(path)} {}
    std::string path_;
};

} // namespace tactus

// A file or folder that did not exist before, and that is removed again unless keep() is called. So no export leaves
// half a result, or overwrites what somebody needs. Offline; one thread.
#pragma once

#include "base/result.hpp"

#include <string>
#include <utility>

namespace tactus {

class NewOutput {
  public:
    // Makes the folder. Fails if something of that name exists.
    static Result<NewOutput> folder(const std::string& path);
    // Makes an empty file of a name that must not exist yet. The caller writes into it.
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

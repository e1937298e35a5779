// Call places to source lines, from the debug information of the program's files as they lie here now. A file whose
// build id is not the one the trace names was rebuilt since: it is named once and not asked. Answers are kept; one
// thread.
#pragma once

#include "postproc/profile/places.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tactus {

struct SourceLine {
    std::string function; // demangled; empty when there is no symbol
    std::string file;     // as the compiler noted it; empty when there is no debug information
    int line = 0;

    [[nodiscard]] bool known() const { return line > 0; }
};

class SourceLines {
  public:
    SourceLines();
    ~SourceLines();
    SourceLines(const SourceLines&) = delete;
    SourceLines& operator=(const SourceLines&) = delete;

    const SourceLine& find(const Place& place);
    // "pair.cpp:123", else "liblammps.so.0+0x1f20 (Comm::exchange)", else "liblammps.so.0+0x1f20", else
    // "0x7f0012345678".
    std::string text(const Place& place);
    // Files that could not be used, a line each.
    [[nodiscard]] const std::vector<std::string>& untrusted() const { return untrusted_; }

  private:
    class File;
    File* open(const Place& place);

    std::map<std::string, std::unique_ptr<File>> files_; // by path; null when it cannot be used
    std::map<Place, SourceLine> known_;
    std::vector<std::string> untrusted_;
};

} // namespace tactus

// Translates call places into source lines: by the names that the trace keeps (kept_names.hpp), else by the debug
// information of the program's files on this machine. A file whose build id differs from the one in the trace was
// rebuilt since. Such a file is named once and not used. Answers are cached. Each object is for one thread.
#pragma once

#include "postproc/profile/places.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tactus {

struct SourceLine {
    std::string function; // demangled; empty when there is no symbol
    std::string through;  // a function called here that ended by a jump to the MPI; its line is not known
    std::string file;     // as the compiler recorded it; empty when there is no debug information
    int line = 0;

    [[nodiscard]] bool known() const { return line > 0; }
};

class SourceLines {
  public:
    // Takes the names that a trace keeps, if one is given.
    explicit SourceLines(const std::string& trace = {});
    ~SourceLines();
    SourceLines(const SourceLines&) = delete;
    SourceLines& operator=(const SourceLines&) = delete;

    const SourceLine& find(const Place& place);
    // Returns the best of these that is known: "pair.cpp:123", "pair.cpp:123 (through send_halo)",
    // "liblammps.so.0+0x1f20 (Comm::exchange)", "liblammps.so.0+0x1f20", "0x7f0012345678".
    std::string text(const Place& place);
    // The same of a place that calls a function of the program, without what is known of how that reached the MPI.
    std::string caller_text(const Place& place);
    // One line for each file that could not be used, the file of the kept names among them.
    [[nodiscard]] const std::vector<std::string>& untrusted() const { return untrusted_; }

  private:
    class File;
    void take_kept_names(const std::string& trace); // in kept_names.cpp
    File* open(const Place& place);

    std::map<std::string, std::unique_ptr<File>> files_; // by path; null when the file cannot be used
    std::map<Place, SourceLine> known_;                  // those that the trace keeps, and those found
    std::vector<std::string> untrusted_;
};

} // namespace tactus

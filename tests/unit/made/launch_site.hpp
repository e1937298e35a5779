// For tests of command lines of `tactus run`: a folder with stand-ins for launchers and programs, and short ways to
// write a line and to read what became of it.
#pragma once

#include "cli/launch/plan.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/elf_bytes.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace tactus {
namespace fs = std::filesystem;

inline Arguments split(const std::string& line) {
    std::istringstream in{line};
    Arguments arguments;
    for (std::string word; in >> word;) arguments.push_back(word);
    return arguments;
}

inline std::string join(const Arguments& arguments) {
    std::string line;
    for (const std::string& word : arguments) line += (line.empty() ? "" : " ") + word;
    return line;
}

inline void write_file(const fs::path& file, const std::string& text, bool executable = true) {
    std::ofstream{file, std::ios::binary} << text;
    fs::permissions(file, executable ? fs::perms::owner_all : fs::perms::owner_read | fs::perms::owner_write);
}

// A folder with stand-ins for launchers, for an Open MPI and an MPICH whose mpirun are links, and for programs: `lmp`
// needs Open MPI, `NPmpich2` MPICH. PATH is this folder and the system's.
class Site {
  public:
    Site() {
        std::string name = (fs::temp_directory_path() / "tactus-launch-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        root_ = fs::canonical(name);
        for (const char* folder : {"bin", "work", "ompi", "five", "mpich", "intel", "pals", "lib"})
            fs::create_directory(root_ / folder);
        for (const char* script :
             {"bin/srun", "bin/aprun", "bin/flux", "bin/jsrun", "bin/mpirun.openmpi", "bin/mpirun.mpich", "bin/script",
              "pals/mpiexec", "pals/palstat", "work/app", "ompi/orterun", "mpich/mpiexec.hydra"})
            write_file(root_ / script, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        write_file(root_ / "bin/lmp", elf_bytes({"libmpi.so.40"}));
        write_file(root_ / "bin/NPmpich2", elf_bytes({"libmpich.so.12"}));
        write_file(root_ / "intel/mpirun", "#!/bin/sh\nexec mpiexec.hydra \"$@\"\n");
        write_file(root_ / "intel/mpiexec.hydra", "#!/bin/sh\n");
        write_file(root_ / "five/mpirun", std::string{"\177ELF\0/usr/bin/prterun\0", 22}); // as of Open MPI 5
        write_file(root_ / "five/mpiexec.hydra", "#!/bin/sh\n");
        fs::create_symlink("orterun", root_ / "ompi/mpirun");
        fs::create_symlink("mpiexec.hydra", root_ / "mpich/mpirun");
        write_file(root_ / "lib/libtactus-openmpi.so", "");
        write_file(root_ / "lib/libtactus-mpich.so", "");
        write_file(root_ / "lib/libtactus-abi.so", "");
        write_file(root_ / "lib/libnccl-profiler-tactus.so", "");
        path_before_ = std::getenv("PATH");
        ::setenv("PATH", ((root_ / "bin").string() + ":/usr/bin:/bin").c_str(), 1);
    }
    ~Site() {
        ::setenv("PATH", path_before_.c_str(), 1);
        fs::remove_all(root_);
    }
    Site(const Site&) = delete;
    Site& operator=(const Site&) = delete;
    [[nodiscard]] std::string at(const std::string& name) const { return (root_ / name).string(); }

    [[nodiscard]] LaunchRequest request(const std::string& line) const {
        return {.argv = split(line), .library_directory = root_ / "lib", .preload = ""};
    }

  private:
    fs::path root_;
    std::string path_before_;
};

// The arguments that parse_command_line takes for programs, or "error: ..." with the whole line that a user would see.
inline std::string programs(const std::string& line) {
    const Arguments argv = split(line);
    const auto parsed = parse_command_line(argv);
    if (!parsed) return "error: " + parsed.error().line();
    Arguments found;
    for (const ProgramPart& part : parsed->parts) found.push_back(argv[part.begin] + "@" + std::to_string(part.begin));
    return join(found);
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace tactus

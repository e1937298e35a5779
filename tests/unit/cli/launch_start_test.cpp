// `tactus run`: which MPI real and made-up ELF files need, in which order the loader searches, and how the command is
// run.
#include "cli/launch/elf.hpp"
#include "cli/launch/execute.hpp"
#include "cli/launch/no_trace.hpp"
#include "cli/launch/plan.hpp"
#include "cli/launch/rights.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/elf_bytes.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tactus;
namespace fs = std::filesystem;

namespace {

class Folder {
  public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "tactus-start-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        root_ = fs::canonical(name);
    }
    ~Folder() { fs::remove_all(root_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string at(const std::string& name) const { return (root_ / name).string(); }
    void write(const std::string& name, const std::string& bytes) const {
        fs::create_directories(fs::path{at(name)}.parent_path());
        std::ofstream{at(name), std::ios::binary} << bytes;
        fs::permissions(at(name), fs::perms::owner_all);
    }
    [[nodiscard]] std::string read(const std::string& name) const {
        std::ifstream in{at(name), std::ios::binary};
        return {std::istreambuf_iterator<char>{in}, {}};
    }

  private:
    fs::path root_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string describe(const MpiNeed& need) {
    switch (need.kind) {
    case MpiNeed::Kind::none:
        return "none";
    case MpiNeed::Kind::one:
        return std::string{mpi_word(need.mpi)} + " by " + need.because;
    case MpiNeed::Kind::foreign:
        return "foreign " + need.because;
    case MpiNeed::Kind::built_in:
        return "built in";
    case MpiNeed::Kind::script:
        return "script";
    case MpiNeed::Kind::unreadable:
        return "unreadable";
    }
    return {};
}

// The bytes of a cache as ldconfig writes it.
std::string cache_bytes(const std::vector<std::pair<std::string, std::string>>& libraries) {
    std::string bytes = "glibc-ld.so.cache1.1";
    const auto number = [](std::string& to, std::size_t value) { append(to, static_cast<std::uint32_t>(value)); };
    std::string names;
    std::string table;
    const std::size_t names_at = 48 + libraries.size() * 24;
    for (const auto& [name, path] : libraries) {
        append(table, std::int32_t{0x303});
        number(table, names_at + names.size());
        names += name + '\0';
        number(table, names_at + names.size());
        names += path + '\0';
        number(table, 0);
        append(table, std::uint64_t{0});
    }
    number(bytes, libraries.size());
    number(bytes, names.size());
    bytes.resize(48, '\0');
    return bytes + table + names;
}

// Waits for the child's file `ready`, lets `act` do something to the child, and returns its exit code, or -1 if it
// hangs.
int code_of(pid_t child, const fs::path& ready, const std::function<void()>& act) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{5};
    const auto in_time = [&] { return std::chrono::steady_clock::now() < deadline; };
    const auto nap = [] { std::this_thread::sleep_for(std::chrono::milliseconds{5}); };
    while (!fs::exists(ready) && in_time()) nap();
    act();
    int status = 0;
    while (in_time()) {
        if (::waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
        nap();
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return -1;
}

// A script that waits for a signal, and exits a little later with 40 + how often it came. It is in Perl, because a
// shell runs its trap only once for two signals that arrive together.
std::string counting_script(const std::string& signal, const std::string& ready) {
    return "#!/usr/bin/perl\nmy $n = 0; $SIG{" + signal + "} = sub { ++$n };\nopen(my $f, '>', '" + ready +
           "'); close($f);\nfor (1 .. 3000) { last if $n; select(undef, undef, undef, 0.02) }\n"
           "select(undef, undef, undef, 0.02) for 1 .. 10;\nexit(40 + $n);\n";
}

} // namespace

TEST_CASE("launch elf: real programs") {
    const bool has_lammps = fs::exists("/usr/bin/lmp"); // tools/install --test brings each with its MPI
    const bool has_netpipe = fs::exists("/usr/bin/NPmpich2");
    if (has_lammps) CHECK(describe(find_mpi_need("/usr/bin/lmp")) == "openmpi by libmpi.so.40");
    if (has_netpipe) CHECK(describe(find_mpi_need("/usr/bin/NPmpich2")) == "mpich by libmpich.so.12");
    CHECK(describe(find_mpi_need("/bin/true")) == "none");
    CHECK(describe(find_mpi_need("/no/such/program")) == "unreadable");
    CHECK(describe(find_mpi_need("/tmp")) == "unreadable");
    const Folder folder;
    folder.write("script", "#!/bin/sh\necho hello\n");
    folder.write("empty", "");
    CHECK(describe(find_mpi_need(folder.at("script"))) == "script");
    CHECK(describe(find_mpi_need(folder.at("empty"))) == "script");
    // The MPI is only needed by another library, which the machine's cache finds: an embedding program loads LAMMPS
    // like this.
    folder.write("embeds", elf_bytes({"libc.so.6", "liblammps.so.0"}));
    if (has_lammps) CHECK(describe(find_mpi_need(folder.at("embeds"))) == "openmpi by libmpi.so.40");
}

TEST_CASE("launch elf: names of MPI libraries") {
    const auto kind = classify_soname;
    for (const char* name : {"libmpi.so.40", "libmpi.so.20", "libmpi_mpifh.so.40", "libmpi_cxx.so.40"})
        CHECK(kind(name) == SonameKind::openmpi);
    for (const char* name :
         {"libmpich.so.12", "libmpichfort.so.12", "libmpi.so.12", "libmpifort.so.12", "libmpi_cray.so.12"})
        CHECK(kind(name) == SonameKind::mpich);
    CHECK(kind("libmpi_abi.so.1") == SonameKind::abi);
    CHECK(kind("libmpi_abi.so.1.0.0") == SonameKind::abi);
    for (const char* name : {"libmpi_abi.so.0", "libmpi.so.1"}) CHECK(kind(name) == SonameKind::foreign);
    for (const char* name : {"libmpdec.so.3", "libmpc.so.3", "libc.so.6", "libmpi", "libmpi_other.so.3"})
        CHECK(kind(name) == SonameKind::other);
}

TEST_CASE("launch elf: libraries are found where the loader would find them") {
    const Folder folder;
    const LibraryPlaces nothing;
    const auto need = [&](const std::string& file, const LibraryPlaces& places) {
        return describe(find_mpi_need(folder.at(file), places));
    };
    folder.write("lib/libouter.so", elf_bytes({"libinner.so"}));
    folder.write("lib/libinner.so", elf_bytes({"libmpi.so.40"}));
    folder.write("other/libouter.so", elf_bytes({"libmpich.so.12"}));

    folder.write("bin/rpath", elf_bytes({"libouter.so"}, {.rpath = "/nowhere:$ORIGIN/../lib"}));
    CHECK(need("bin/rpath", nothing) == "openmpi by libmpi.so.40");
    folder.write("bin/runpath", elf_bytes({"libouter.so"}, {.runpath = "${ORIGIN}/../lib"}));
    CHECK(need("bin/runpath", nothing) == "none"); // a RUNPATH does not apply to what libouter.so needs
    folder.write("bin/plain", elf_bytes({"libouter.so"}));
    CHECK(need("bin/plain", nothing) == "none");

    const LibraryPlaces by_variable{.library_path = {folder.at("other")}, .cache = {}, .defaults = {}};
    // RPATH is searched before LD_LIBRARY_PATH, RUNPATH after it.
    CHECK(need("bin/rpath", by_variable) == "openmpi by libmpi.so.40");
    CHECK(need("bin/runpath", by_variable) == "mpich by libmpich.so.12");
    const auto cache = LibraryCache::parse(cache_bytes({{"libouter.so", folder.at("other/libouter.so")}}));
    CHECK(need("bin/plain", {.library_path = {}, .cache = cache, .defaults = {}}) == "mpich by libmpich.so.12");
    CHECK(need("bin/plain", {.library_path = {}, .cache = {}, .defaults = {folder.at("lib")}}) ==
          "openmpi by libmpi.so.40");

    folder.write("other/libouter.so",
                 elf_bytes({"libmpich.so.12"}, {}, other_machine)); // a library for another machine is skipped
    CHECK(need("bin/plain", {.library_path = {folder.at("other"), folder.at("lib")}, .cache = {}, .defaults = {}}) ==
          "openmpi by libmpi.so.40");
    folder.write("bin/absolute", elf_bytes({folder.at("lib/libinner.so"), "libmpich.so.12"}));
    CHECK(need("bin/absolute", nothing) == "mpich by libmpich.so.12"); // breadth first, like the loader
    folder.write("bin/abi", elf_bytes({"libmpi_abi.so.0"}));
    CHECK(need("bin/abi", nothing) == "foreign libmpi_abi.so.0");
    folder.write("bin/abi", elf_bytes({"libmpi_abi.so.1"}));
    CHECK(need("bin/abi", nothing) == "abi by libmpi_abi.so.1");
    folder.write("old/libmpi.so.12", elf_bytes({"libopen-pal.so.13"}));
    folder.write("bin/old", elf_bytes({"libmpi.so.12"}, {.rpath = "$ORIGIN/../old"}));
    CHECK(need("bin/old", nothing) == "openmpi by libmpi.so.12");
    folder.write("bin/new", elf_bytes({"libmpi.so.12"}));
    CHECK(need("bin/new", nothing) == "mpich by libmpi.so.12");
}

TEST_CASE("launch elf: the address sanitizer's runtime is found wherever it is needed") {
    const Folder folder;
    const LibraryPlaces places{.library_path = {folder.at("lib")}, .cache = {}, .defaults = {}};
    const auto sanitized = [&](const Arguments& needed) {
        folder.write("program", elf_bytes(needed));
        return find_mpi_need(folder.at("program"), places).address_sanitizer;
    };
    folder.write("lib/libsolver.so", elf_bytes({"libasan.so.8"}));
    folder.write("lib/libmpi.so.40", elf_bytes({"libopen-pal.so.40"}));
    folder.write("lib/libopen-pal.so.40", elf_bytes({"libasan.so.6"}));
    CHECK(sanitized({"libasan.so.8", "libc.so.6"}));
    CHECK(sanitized({"libclang_rt.asan-x86_64.so"}));
    CHECK(sanitized({"libsolver.so"}));
    CHECK(sanitized({"libmpi.so.40", "libc.so.6"})); // behind the MPI
    CHECK(sanitized({"libmpich.so.12", "libsolver.so"}));
    CHECK_FALSE(sanitized({"libmpich.so.12", "libtsan.so.2", "libubsan.so.1"})); // these ask for no place
    CHECK(describe(find_mpi_need(folder.at("program"), places)) == "mpich by libmpich.so.12");
}

TEST_CASE("launch start: a program with rights of its own runs untraced, and the line says so") {
    const Folder folder;
    fs::copy_file("/bin/true", folder.at("program"));
    CHECK(gained_rights(folder.at("program")).empty());
    if (::getuid() != 0 || ::chown(folder.at("program").c_str(), 65534, 65534) != 0) {
        CHECK(has(gained_rights("/bin/su"), "setuid")); // the one setuid program that every system has
        return;
    }
    CHECK(gained_rights(folder.at("program")).empty()); // another's, but without a bit
    for (const auto& [bits, word] : {std::pair{04755, "setuid"}, {02755, "setgid"}}) {
        REQUIRE(::chmod(folder.at("program").c_str(), static_cast<mode_t>(bits)) == 0);
        const auto plan = plan_launch({.argv = {folder.at("program")}, .library_directory = "/no"});
        REQUIRE(plan);
        CHECK_FALSE(plan->traced);
        CHECK(plan->command == Arguments{folder.at("program")});
        CHECK(has(plan->note, "rights that you do not have (" + std::string{word}));
        CHECK(has(plan->note, "runs untraced"));
        CHECK(has(suspect(plan->command, plan->parts), word)); // where --mpi insisted
    }
    REQUIRE(::chmod(folder.at("program").c_str(), 02745) == 0);
    CHECK(gained_rights(folder.at("program")).empty()); // the group may not execute it
    REQUIRE(::chmod(folder.at("program").c_str(), 04755) == 0);
    REQUIRE(::chown(folder.at("program").c_str(), 0, 0) == 0);
    CHECK(gained_rights(folder.at("program")).empty()); // the user's own rights
}

TEST_CASE("launch elf: a file or cache cut or damaged anywhere gives an answer") {
    const Folder folder;
    const std::string whole = elf_bytes({"libmpi.so.40"});
    const auto need_of = [&](const std::string& bytes) {
        std::ofstream{folder.at("file"), std::ios::binary} << bytes;
        return describe(find_mpi_need(folder.at("file"), {}));
    };
    CHECK(need_of(whole) == "openmpi by libmpi.so.40");
    for (std::size_t size = 4; size < whole.size(); ++size) {
        const std::string found = need_of(whole.substr(0, size));
        INFO(size);
        if (size < sizeof(Elf64_Ehdr))
            CHECK(found == "unreadable");
        else
            CHECK((found == "unreadable" || found == "none" || found.starts_with("openmpi by libmpi.so")));
    }
    for (std::size_t at = 4; at < whole.size(); ++at) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ 0x5a);
        CHECK_FALSE(need_of(bytes).empty());
    }
    const std::string cache = cache_bytes({{"liba.so", "/x/liba.so"}, {"liba.so", "/y/liba.so"}});
    CHECK(LibraryCache::parse(cache).paths("liba.so") == Arguments{"/x/liba.so", "/y/liba.so"});
    CHECK(LibraryCache::parse("ld.so-1.7.0 old table " + cache).paths("liba.so").size() == 2);
    for (std::size_t size = 0; size < 48 + 48; ++size) CHECK(LibraryCache::parse(cache.substr(0, size)).empty());
    CHECK_FALSE(LibraryCache::read("/etc/ld.so.cache").paths("libc.so.6").empty());
}

TEST_CASE("launch start: the ranks see the environment and their arguments, the launcher does not") {
    const Folder folder;
    folder.write("srun", "#!/bin/sh\n{ echo \"${LD_PRELOAD-unset} ${VT_MARK-unset}\"; printf '%s\\n' \"$@\"; } > " +
                             folder.at("seen") + "\nwhile [ \"$1\" != /usr/bin/env ]; do shift; done\nexec \"$@\"\n");
    folder.write("program", "#!/bin/sh\necho \"$VT_MARK $LD_PRELOAD $*\" > " + folder.at("ran") + "\nexit 7\n");
    fs::create_directory(folder.at("lib")); // any library that can be loaded will do
    fs::create_symlink(LibraryCache::read("/etc/ld.so.cache").paths("libm.so.6").front(),
                       folder.at("lib/libtactus-mpich.so"));
    const LaunchRequest request{.argv = {folder.at("srun"), "-n4", "-J", "two words", folder.at("program"), "a b", "c"},
                                .library_directory = folder.at("lib"),
                                .forced = Mpi::mpich,
                                .environment = {{"VT_MARK", "x y"}},
                                .preload = ""};
    const auto plan = plan_launch(request);
    REQUIRE(plan);
    CHECK(execute(plan->command).code == 7);
    const std::string library = folder.at("lib/libtactus-mpich.so");
    CHECK(folder.read("seen") == "unset unset\n-n4\n-J\ntwo words\n/usr/bin/env\nVT_MARK=x y\n"
                                 "ASAN_OPTIONS=verify_asan_link_order=0\nLD_PRELOAD=" +
                                     library + "\n" + folder.at("program") + "\na b\nc\n");
    CHECK(folder.read("ran") == "x y " + library + " a b c\n");
}

TEST_CASE("launch start: the end of the command is told as a shell would") {
    CHECK(execute({"true"}).code == 0);
    const Ended slow = execute({"/bin/sh", "-c", "sleep 0.1; exit 3"});
    CHECK(slow.code == 3);
    CHECK(slow.signal == 0);
    CHECK(slow.wall_seconds >= 0.1);
    CHECK(slow.wall_seconds < 20);
    const Ended killed = execute({"/bin/sh", "-c", "kill -KILL $$"});
    CHECK(killed.code == 128 + SIGKILL);
    CHECK(killed.signal == SIGKILL);
    const Ended missing = execute({"no-such-command"});
    CHECK(missing.code == 127);
    CHECK(missing.problem.starts_with("no-such-command: command not found"));
    CHECK(execute({"/etc/passwd"}).code == 126);
    CHECK_FALSE(execute({"/etc/passwd"}).problem.empty());
    const auto plan = plan_launch({.argv = {"no-such-command", "x"}, .library_directory = "/no"});
    REQUIRE(plan);
    CHECK(execute(plan->command).code == 127);
}

TEST_CASE("launch start: a signal sent to tactus run reaches the command once") {
    for (const auto& [name, number] :
         {std::pair{"INT", SIGINT}, {"TERM", SIGTERM}, {"HUP", SIGHUP}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}}) {
        const Folder folder;
        folder.write("script", counting_script(name, folder.at("ready")));
        const pid_t child = ::fork();
        if (child == 0) ::_exit(execute({folder.at("script")}).code);
        INFO(name);
        CHECK(code_of(child, folder.at("ready"), [&, signal = number] { ::kill(child, signal); }) == 41);
    }
}

TEST_CASE("launch start: the terminal's Ctrl-C is not delivered twice") {
    const Folder folder;
    folder.write("script", counting_script("INT", folder.at("ready")));
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) ::_exit(execute({folder.at("script")}).code);
    REQUIRE(child > 0);
    CHECK(code_of(child, folder.at("ready"), [&] { REQUIRE(::write(terminal, "\x03", 1) == 1); }) == 41);
    ::close(terminal);
}

TEST_CASE("launch start: a signal that is ignored stays ignored, and handlers are put back") {
    const Folder folder;
    folder.write("script", "#!/bin/sh\n: > " + folder.at("ready") + "\nkill -HUP $$\nexit 5\n");
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGHUP, SIG_IGN);
        // Some programs start us like this; the end of the command must be noticed even so.
        ::signal(SIGCHLD, SIG_IGN);
        const auto handler = [](int signal) { // only queried: a signal may still arrive
            struct sigaction now = {};
            ::sigaction(signal, nullptr, &now);
            return now.sa_handler;
        };
        const auto before = handler(SIGTERM);
        const int code = execute({folder.at("script")}).code;
        ::_exit(handler(SIGHUP) == SIG_IGN && handler(SIGTERM) == before ? code : 99);
    }
    CHECK(code_of(child, folder.at("ready"), [&] { ::kill(child, SIGHUP); }) == 5);
}

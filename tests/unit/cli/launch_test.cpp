// What `tactus run` decides before it starts anything: launchers, where their programs begin, which library, which
// environment.
#include "cli/launch/launcher.hpp"
#include "cli/launch/no_trace.hpp"
#include "cli/launch/plan.hpp"
#include "cli/launch/search.hpp"
#include "tests/unit/made/catch.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace tactus;
namespace fs = std::filesystem;

namespace {

Arguments split(const std::string& line) {
    std::istringstream in{line};
    Arguments arguments;
    for (std::string word; in >> word;) arguments.push_back(word);
    return arguments;
}

std::string join(const Arguments& arguments) {
    std::string line;
    for (const std::string& word : arguments) line += (line.empty() ? "" : " ") + word;
    return line;
}

void write_file(const fs::path& file, const std::string& text, bool executable = true) {
    std::ofstream{file, std::ios::binary} << text;
    fs::permissions(file, executable ? fs::perms::owner_all : fs::perms::owner_read | fs::perms::owner_write);
}

// A folder with stand-ins for srun, for an Open MPI and an MPICH whose mpirun are links, and for programs. PATH is this
// folder and the system's.
class Site {
  public:
    Site() {
        std::string name = (fs::temp_directory_path() / "tactus-launch-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        root_ = fs::canonical(name);
        for (const char* folder : {"bin", "work", "ompi", "mpich", "intel", "lib"})
            fs::create_directory(root_ / folder);
        for (const char* script : {"bin/srun", "bin/script", "work/app", "ompi/orterun", "mpich/mpiexec.hydra"})
            write_file(root_ / script, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        write_file(root_ / "intel/mpirun", "#!/bin/sh\nexec mpiexec.hydra \"$@\"\n");
        write_file(root_ / "intel/mpiexec.hydra", "#!/bin/sh\n");
        fs::create_symlink("orterun", root_ / "ompi/mpirun");
        fs::create_symlink("mpiexec.hydra", root_ / "mpich/mpirun");
        write_file(root_ / "lib/libtactus-openmpi.so", "");
        write_file(root_ / "lib/libtactus-mpich.so", "");
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
std::string programs(const std::string& line) {
    const Arguments argv = split(line);
    const auto parsed = parse_command_line(argv);
    if (!parsed) return "error: " + parsed.error().line();
    Arguments found;
    for (const ProgramPart& part : parsed->parts) found.push_back(argv[part.begin] + "@" + std::to_string(part.begin));
    return join(found);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("launch: with --nccl programs get NCCL's plugin, with an MPI and without") {
    const Site site;
    const std::string plugin = "NCCL_PROFILER_PLUGIN=" + site.at("lib/libnccl-profiler-tactus.so") + " ";
    LaunchRequest request = site.request("mpirun.mpich NPmpich2");
    request.nccl = true;
    const auto with_mpi = plan_launch(request);
    REQUIRE(with_mpi);
    CHECK(has(join(with_mpi->command), plugin));
    CHECK(has(join(with_mpi->command), "LD_PRELOAD=" + site.at("lib/libtactus-mpich.so") + " "));
    CHECK(with_mpi->note.empty());

    LaunchRequest script = site.request("script");
    CHECK_FALSE(plan_launch(script)); // its MPI cannot be determined
    script.nccl = true;
    ::setenv("NCCL_PROFILER_PLUGIN", "other", 1);
    const auto alone = plan_launch(script);
    ::unsetenv("NCCL_PROFILER_PLUGIN");
    REQUIRE(alone);
    CHECK(alone->traced);
    CHECK(has(join(alone->command), plugin));
    CHECK_FALSE(has(join(alone->command), "LD_PRELOAD="));
    CHECK(has(alone->note, "NCCL alone is recorded"));
    CHECK(has(alone->note, "NCCL_PROFILER_PLUGIN=other is not used"));

    fs::remove(site.at("lib/libnccl-profiler-tactus.so"));
    CHECK(has(plan_launch(script).error().line(), "libnccl-profiler-tactus.so"));
}

} // namespace

TEST_CASE("launch: launchers are recognized by name, by link and by neighbors") {
    const Site site;
    const auto kind = [](const std::string& word) { return recognize_launcher(word, std::nullopt)->kind; };
    for (const char* name : {"mpirun.openmpi", "mpiexec.openmpi", "orterun", "prterun", "/opt/x/bin/orterun"})
        CHECK(kind(name) == LauncherKind::openmpi);
    for (const char* name : {"mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra"})
        CHECK(kind(name) == LauncherKind::hydra);
    CHECK(kind(site.at("ompi/mpirun")) == LauncherKind::openmpi);
    CHECK(kind(site.at("mpich/mpirun")) == LauncherKind::hydra);
    CHECK(kind(site.at("intel/mpirun")) == LauncherKind::hydra);
    CHECK(kind("srun") == LauncherKind::srun);
    CHECK(kind("/bin/true") == LauncherKind::none);
    CHECK(kind(site.at("work/app")) == LauncherKind::none);
    CHECK(recognize_launcher("orterun", std::nullopt)->mpi == Mpi::openmpi);
    CHECK(recognize_launcher("mpiexec.hydra", std::nullopt)->mpi == Mpi::mpich);
    CHECK_FALSE(recognize_launcher("srun", std::nullopt)->mpi);
}

TEST_CASE("launch: an mpirun that nothing identifies asks, and --mpi settles it") {
    const Site site;
    write_file(site.at("work/mpirun"), "#!/bin/sh\n");
    const auto unknown = recognize_launcher(site.at("work/mpirun"), std::nullopt);
    REQUIRE_FALSE(unknown);
    CHECK(has(unknown.error().line(), site.at("work/mpirun")));
    CHECK(has(unknown.error().line(), "--mpi openmpi|mpich"));
    CHECK(recognize_launcher(site.at("work/mpirun"), Mpi::mpich)->kind == LauncherKind::hydra);
    CHECK(recognize_launcher(site.at("work/mpirun"), Mpi::openmpi)->kind == LauncherKind::openmpi);
}

TEST_CASE("launch: Open MPI's options") {
    CHECK(programs("orterun ./app") == "./app@1");
    CHECK(programs("orterun -n 4 ./app -n 7") == "./app@3");
    CHECK(programs("orterun --mca btl self,vader -x FOO -np 2 --bind-to core --oversubscribe app") == "app@11");
    CHECK(programs("orterun -mca a b -gmca c d --allow-run-as-root app x") == "app@8");
    CHECK(programs("prterun --np=4 --map-by=core app") == "app@3");
    CHECK(programs("prterun -n4 app") == "app@2");
    CHECK(programs("orterun -n 2 -- app") == "app@4");
    CHECK(programs("orterun -n 1 ./a x : -n 2 --host h ./b y : ./c") == "./a@3 ./b@10 ./c@13");
}

TEST_CASE("launch: Hydra's options") {
    CHECK(programs("mpiexec.hydra -genv A B -n 2 -env C D ./app -env") == "./app@9");
    CHECK(programs("mpiexec.hydra -genv A=B -n 2 -env C=D ./app") == "./app@7");
    CHECK(programs("mpirun.mpich -hosts a,b -ppn 2 -l -print-all-exitcodes -bind-to core ./app") == "./app@9");
    CHECK(programs("mpirun.mpich -np=2 --prepend-rank ./app") == "./app@3");
    CHECK(programs("mpiexec.hydra -genv A 1 -genvlist B,C -n 3 -wdir /tmp ./app") == "./app@10");
    CHECK(programs("mpiexec.hydra -n 1 ./a : -n 2 -wdir /tmp ./b") == "./a@3 ./b@9");
}

TEST_CASE("launch: srun's options") {
    CHECK(programs("srun -n4 ./app -n 1") == "./app@2");
    CHECK(programs("srun -n 4 -N2 -lu -c 2 ./app") == "./app@7");
    CHECK(programs("srun -ln4 ./app") == "./app@2");
    CHECK(programs("srun -ln 4 ./app") == "./app@3");
    CHECK(programs("srun -vvv -K ./app") == "./app@3");
    CHECK(programs("srun -K1 -I30 ./app") == "./app@3");
    CHECK(programs("srun --ntasks=4 --mpi pmix --cpu-bind=cores --exclusive --label ./app") == "./app@7");
    CHECK(programs("srun --exclusive=user --nice -p debug -- ./app") == "./app@6");
    CHECK(programs("srun --part debug --ntasks-per-n 2 --unbuf ./app") == "./app@6");
    CHECK(programs("srun -n 1 ./a x : -n 2 ./b") == "./a@3 ./b@8");
    CHECK(programs("srun --oom-kill-step --overlap --pty ./app") == "./app@4"); // their values only behind '='
    CHECK(programs("srun --oom-kill-step=1 --tasks-per-node 2 --cpu_bind cores ./app") == "./app@6");
}

TEST_CASE("launch: options of Open MPI 5, of newer versions of Hydra, and of Intel's") {
    CHECK(programs("orterun --set-envar A=1 --pset p --map-by node --output-proctable ./app") == "./app@8");
    CHECK(programs("orterun --runtime-options x -n 2 --stop-on-exec ./app") == "./app@6");
    CHECK(programs("mpiexec.hydra -rankmap 0 -g 2 -report-bindings ./app") == "./app@6");
    CHECK(programs("mpiexec.hydra -gtool x:0 -ordered-output -s all -machine f ./app") == "./app@8");
}

TEST_CASE("launch: an option that no table has takes a value unless a program or an option follows") {
    const Site site;
    CHECK(programs("orterun --brand-new 4 ./app") == "./app@3");
    CHECK(programs("orterun --brand-new --newer " + site.at("work/app")) == site.at("work/app") + "@3");
    CHECK(programs("orterun --brand-new=4 ./app") == "./app@2");
    CHECK(programs("mpiexec.hydra -brand-new script") == "script@2");
    CHECK(programs("srun --brand-new 4 ./app") == "./app@3");
    CHECK(programs("srun --brand-new " + site.at("work") + " ./app") == "./app@3"); // a folder is no program
}

TEST_CASE("launch: what cannot be wrapped is refused with what to write") {
    const auto refused = [](const std::string& line, const std::string& what, const std::string& advice) {
        const std::string text = programs(line);
        INFO(text);
        CHECK(text.starts_with("error: "));
        CHECK(has(text, what));
        CHECK(has(text, advice));
        CHECK_FALSE(has(text, "\n"));
    };
    refused("srun -n 2 --multi-prog silly.conf", "--multi-prog", "between the parts");
    refused("srun --bcast=/tmp/x ./app", "--bcast", "sbcast");
    refused("mpiexec.hydra -configfile file", "--configfile", "between the parts");
    refused("orterun --app file", "--app", "between the parts");
    refused("orterun -s -n 2 ./app", "orterun: -s would copy", "leave the option out");
    refused("orterun -n 4", "no program", "tactus run mpirun -n 4 ./app");
    refused("srun -n 4", "no program", "tactus run srun -n 4 ./app");
    refused("orterun -n 1 ./a : -n 1", "no program", "tactus run");
    refused("orterun -n", "-n lacks its value", "PROGRAM");
    refused("orterun --mca a", "lacks its value", "PROGRAM");
}

TEST_CASE("launch: the environment stands before each program and nowhere else") {
    const Arguments argv = split("orterun -n 1 ./a x : -n 2 ./b y z");
    const auto line = parse_command_line(argv);
    REQUIRE(line);
    CHECK(join(insert_environment(argv, line->parts, {{"VT_A", "1"}, {"VT_B", "2"}}, "/l.so", "")) ==
          "orterun -n 1 /usr/bin/env VT_A=1 VT_B=2 LD_PRELOAD=/l.so ./a x : "
          "-n 2 /usr/bin/env VT_A=1 VT_B=2 LD_PRELOAD=/l.so ./b y z");
    const Arguments own = split("mpiexec.hydra -genv VT_A 5 -n 1 ./a : -env VT_B=6 ./b"); // the user's settings win
    CHECK(join(insert_environment(own, parse_command_line(own)->parts, {{"VT_A", "1"}, {"VT_B", "2"}}, "/l.so", "")) ==
          "mpiexec.hydra -genv VT_A 5 -n 1 /usr/bin/env VT_B=2 LD_PRELOAD=/l.so ./a : "
          "-env VT_B=6 /usr/bin/env LD_PRELOAD=/l.so ./b");
    const Arguments alone = split("/bin/true -n 3");
    CHECK(join(insert_environment(alone, parse_command_line(alone)->parts, {}, "/l.so", "/mine.so")) ==
          "/usr/bin/env LD_PRELOAD=/l.so:/mine.so /bin/true -n 3");
}

TEST_CASE("launch: an LD_PRELOAD of the user's is kept behind ours, a sanitizer's before") {
    CHECK(join_preload("/l.so", "") == "/l.so");
    CHECK(join_preload("/l.so", "/a.so:/b.so") == "/l.so:/a.so:/b.so");
    CHECK(join_preload("/l.so", "/x/libasan.so.8") == "/x/libasan.so.8:/l.so");
    CHECK(join_preload("/l.so", "/x/libasan.so.8:libubsan.so.1 /b.so") == "/x/libasan.so.8:libubsan.so.1 /l.so:/b.so");

    const auto preload_of = [](const std::string& text) {
        const Arguments argv = split(text);
        std::string found;
        for (const std::string& word :
             insert_environment(argv, parse_command_line(argv)->parts, {}, "/l.so", "/inherited.so"))
            if (word.starts_with("LD_PRELOAD=/l.so")) found += word.substr(16) + "|";
        return found;
    };
    CHECK(preload_of("orterun ./app") == ":/inherited.so|");
    CHECK(preload_of("orterun -x LD_PRELOAD=/mine.so ./app : ./b") == ":/mine.so|:/inherited.so|");
    CHECK(preload_of("orterun -x LD_PRELOAD ./app") == ":/inherited.so|");
    CHECK(preload_of("mpiexec.hydra -genv LD_PRELOAD /mine.so ./a : -env LD_PRELOAD=/b.so ./b") == ":/mine.so|:/b.so|");
    CHECK(preload_of("mpiexec.hydra -genvnone -n 1 ./a") == "|");
    CHECK(preload_of("srun --export=ALL,LD_PRELOAD=/mine.so ./a") == ":/mine.so|");
    CHECK(preload_of("srun --export=NONE ./a : ./b") == "|:/inherited.so|");
}

TEST_CASE("launch: an env on the line is gone behind, so that what it does to LD_PRELOAD takes nothing away") {
    const auto wrapped = [](const std::string& text) {
        const Arguments argv = split(text);
        return join(insert_environment(argv, parse_command_line(argv)->parts, {{"VT_A", "1"}}, "/l.so", "/in.so"));
    };
    const std::string ours = "/usr/bin/env VT_A=1 LD_PRELOAD=/l.so";
    CHECK(wrapped("orterun env LD_PRELOAD=/x.so ./a : ./b") ==
          "orterun env LD_PRELOAD=/x.so " + ours + ":/x.so ./a : " + ours + ":/in.so ./b");
    CHECK(wrapped("srun -n 2 /usr/bin/env A=b env -C /tmp -u LD_PRELOAD ./a -u x") ==
          "srun -n 2 /usr/bin/env A=b env -C /tmp -u LD_PRELOAD " + ours + " ./a -u x");
    for (const char* words : {"-i", "-", "--ignore-environment", "-iv", "-uLD_PRELOAD", "--unset=LD_PRELOAD", "-iu A",
                              "-- LD_PRELOAD=", "--debug -i B=c"})
        CHECK(wrapped(std::string{"env "} + words + " ./a") == "env " + std::string{words} + " " + ours + " ./a");
    // The user's setting wins.
    CHECK(wrapped("env VT_A=2 ./a") == "env VT_A=2 /usr/bin/env LD_PRELOAD=/l.so:/in.so ./a");
    CHECK(wrapped("env -i VT_B=2 env -u VT_A ./a") == "env -i VT_B=2 env -u VT_A /usr/bin/env LD_PRELOAD=/l.so ./a");
    CHECK(wrapped("orterun -x LD_PRELOAD=/y.so env A=b ./a") ==
          "orterun -x LD_PRELOAD=/y.so env A=b " + ours + ":/y.so ./a");
    // Where no program can be seen behind it, the variables are for the `env` itself.
    for (const char* words : {"env", "env A=b", "env -S ./a", "env --what ./a", "env -u"})
        CHECK(wrapped(words) == ours + ":/in.so " + words);
}

TEST_CASE("launch: the MPI of a program behind an env is found") {
    const Site site;
    const auto planned = [&](const std::string& line) { return plan_launch(site.request(line)); };
    CHECK(planned("env A=b NPmpich2")->mpi == Mpi::mpich);
    CHECK(planned("srun env A=b lmp")->mpi == Mpi::openmpi);
    write_file(site.at("work/NPmpich2"), "#!/bin/sh\n");
    CHECK_FALSE(planned("env PATH=" + site.at("work") + " NPmpich2")); // another program: a script
    CHECK_FALSE(planned("env -C " + site.at("work") + " ./app"));
    CHECK(has(planned("orterun env A=b NPmpich2")->note, "NPmpich2 needs MPICH"));
}

TEST_CASE("launch: the address sanitizer is told that another library comes first, where it may be there") {
    const Site site;
    const auto option = [&](const std::string& line) {
        const auto plan = plan_launch(site.request(line));
        REQUIRE(plan);
        std::string found;
        for (const std::string& word : plan->command)
            if (word.starts_with("ASAN_OPTIONS=verify")) found += word.substr(13) + "|";
        return found;
    };
    const char* const before = std::getenv("ASAN_OPTIONS");
    const std::string kept = before != nullptr ? before : "";
    ::unsetenv("ASAN_OPTIONS");
    CHECK(option("orterun lmp").empty()); // needs an MPI and no sanitizer
    CHECK(option("orterun lmp : script") == "verify_asan_link_order=0|");
    CHECK(option("orterun -x ASAN_OPTIONS=a=1 script : env ASAN_OPTIONS=b=2 script") ==
          "verify_asan_link_order=0:a=1|verify_asan_link_order=0:b=2|");
    ::setenv("ASAN_OPTIONS", "c=3", 1);
    CHECK(option("orterun script : env -i script") == "verify_asan_link_order=0:c=3|verify_asan_link_order=0|");
    if (before != nullptr)
        ::setenv("ASAN_OPTIONS", kept.c_str(), 1);
    else
        ::unsetenv("ASAN_OPTIONS");
}

TEST_CASE("launch: after a run without a trace the line names what mentions LD_PRELOAD") {
    const Site site;
    const auto suspected = [&](const Arguments& argv) { return suspect(argv, parse_command_line(argv)->parts); };
    write_file(site.at("work/sets"), "#!/bin/sh\nexport LD_PRELOAD=/x.so\n./app\n");
    write_file(site.at("work/options"), "#!/bin/sh\nASAN_OPTIONS=x ./app\n");
    write_file(site.at("work/data"), std::string{"LD_PRELOAD\0", 11});
    CHECK(has(suspected({"orterun", site.at("work/sets")}), "work/sets mentions LD_PRELOAD"));
    CHECK(has(suspected({"orterun", "script", ":", "/bin/sh", site.at("work/sets")}), "work/sets mentions LD_PRELOAD"));
    CHECK(has(suspected({"orterun", "/bin/sh", "-c", "LD_PRELOAD= ./app"}), "'LD_PRELOAD= ./app' mentions"));
    CHECK(has(suspected({"orterun", site.at("work/options")}), "mentions ASAN_OPTIONS"));
    CHECK(suspected({"orterun", "script"}).empty());
    CHECK(suspected({"orterun", "/bin/sh", site.at("work/data")}).empty()); // no script
    CHECK(suspected({"orterun", "lmp", site.at("work/sets")}).empty());     // input of an MPI program
    CHECK(suspected({"orterun", "./not-here"}).empty());
}

TEST_CASE("launch: a bare name that only the launcher would find is given in full") {
    const Site site;
    const auto program = [](const std::string& line) { return parse_command_line(split(line))->parts.front().program; };
    const std::string work = site.at("work");
    CHECK(program("orterun --path " + work + " app") == site.at("work/app"));
    CHECK(program("orterun -wdir " + work + " app") == site.at("work/app"));
    CHECK(program("srun -D " + work + " app") == site.at("work/app"));
    CHECK(program("mpiexec.hydra -wdir " + work + " app") == "app"); // Hydra does not find it, either
    CHECK(program("orterun script") == "script");
    CHECK(parse_command_line(split("mpiexec.hydra -wdir " + work + " ./app"))->parts.front().file ==
          fs::path{work} / "./app");
}

TEST_CASE("launch: the library follows the program, then the launcher") {
    const Site site;
    const auto planned = [&](const std::string& line) { return plan_launch(site.request(line)); };
    CHECK(join(planned("/usr/bin/lmp -in x")->command) ==
          "/usr/bin/env LD_PRELOAD=" + site.at("lib/libtactus-openmpi.so") + " /usr/bin/lmp -in x");
    CHECK(planned("orterun -n 2 lmp")->mpi == Mpi::openmpi);
    CHECK(planned("mpirun.mpich -n 2 NPmpich2")->mpi == Mpi::mpich);
    CHECK(planned("srun -n 2 NPmpich2")->mpi == Mpi::mpich);
    CHECK(planned("srun lmp : script")->mpi == Mpi::openmpi);
    CHECK(planned(site.at("ompi/mpirun") + " script")->mpi == Mpi::openmpi);
    CHECK(planned(site.at("mpich/mpirun") + " /bin/sh -c true")->mpi == Mpi::mpich);
    CHECK(planned(site.at("mpich/mpirun") + " ./not-here")->mpi == Mpi::mpich);
    CHECK(planned("orterun lmp")->traced);
    CHECK(planned("orterun lmp")->note.empty());
}

TEST_CASE("launch: what does not fit runs untraced, unchanged, with one line that says so") {
    const Site site;
    const auto untraced = [&](const std::string& line, const std::string& why) {
        const auto plan = plan_launch(site.request(line));
        REQUIRE(plan);
        INFO(plan->note);
        CHECK_FALSE(plan->traced);
        CHECK(join(plan->command) == line);
        CHECK(has(plan->note, why));
        CHECK(has(plan->note, "runs untraced"));
    };
    untraced("orterun -n 2 NPmpich2", "NPmpich2 needs MPICH (libmpich.so.12), but orterun is Open MPI's");
    untraced("mpirun.mpich lmp", "lmp needs Open MPI");
    untraced("orterun script : NPmpich2", "needs MPICH");
    untraced("srun lmp : NPmpich2", "lmp needs Open MPI and NPmpich2 needs MPICH");
    untraced("/bin/true", "linked with no MPI");
}

TEST_CASE("launch: where the MPI cannot be told, --mpi is asked for and obeyed") {
    const Site site;
    for (const char* line : {"srun -n 2 script", "srun -n 2 /bin/true", "srun ./not-here", "script"}) {
        const auto plan = plan_launch(site.request(line));
        REQUIRE_FALSE(plan);
        CHECK(has(plan.error().line(), "cannot tell which MPI"));
        CHECK(has(plan.error().line(), "tactus run --mpi openmpi|mpich|abi"));
        LaunchRequest request = site.request(line);
        request.forced = Mpi::mpich;
        CHECK(has(join(plan_launch(request)->command), "LD_PRELOAD=" + site.at("lib/libtactus-mpich.so") + " "));
    }
}

TEST_CASE("launch: libraries are looked for in ../lib and beside the command, and missed by name") {
    const Site site;
    CHECK(*find_library_directory(site.at("bin/tactus")) == fs::path{site.at("lib")});
    CHECK(*find_library_directory(site.at("lib/tactus")) == fs::path{site.at("lib")});
    const auto nowhere = find_library_directory("/proc/self/tactus");
    REQUIRE_FALSE(nowhere);
    CHECK(has(nowhere.error().line(), "libtactus-openmpi.so"));
    fs::remove(site.at("lib/libtactus-mpich.so"));
    const auto plan = plan_launch(site.request("mpirun.mpich NPmpich2"));
    REQUIRE_FALSE(plan);
    CHECK(plan.error().file == site.at("lib/libtactus-mpich.so"));
    LaunchRequest blank = site.request("orterun lmp");
    blank.library_directory = site.at("with blank");
    fs::create_directory(blank.library_directory);
    write_file(site.at("with blank/libtactus-openmpi.so"), "");
    CHECK(has(plan_launch(blank).error().line(), "blank"));
    write_file(site.at("work/a=b"), "#!/bin/sh\n");
    CHECK(has(plan_launch(site.request("orterun " + site.at("work/a=b"))).error().line(), "'='"));
    CHECK(has(plan_launch(site.request("")).error().line(), "no program"));
}

// What `tactus run` decides before it starts anything: launchers, programs, which library, and what is refused.
#include "cli/launch/launcher.hpp"
#include "cli/launch/no_trace.hpp"
#include "cli/launch/plan.hpp"
#include "tests/unit/made/launch_site.hpp"

using namespace tactus;

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

TEST_CASE("launch: launchers are recognized by name, by link and by neighbors") {
    const Site site;
    const auto kind = [](const std::string& word) { return recognize_launcher(word, std::nullopt)->kind; };
    for (const char* name :
         {"mpirun.openmpi", "mpiexec.openmpi", "mpirun.openmpi", "prterun", "/opt/x/bin/mpirun.openmpi"})
        CHECK(kind(name) == LauncherKind::openmpi);
    for (const char* name : {"mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra"})
        CHECK(kind(name) == LauncherKind::hydra);
    CHECK(kind(site.at("ompi/mpirun")) == LauncherKind::openmpi);
    CHECK(kind(site.at("mpich/mpirun")) == LauncherKind::hydra);
    CHECK(kind(site.at("intel/mpirun")) == LauncherKind::hydra);
    CHECK(kind("srun") == LauncherKind::srun);
    CHECK(kind("palsrun") == LauncherKind::pals);
    CHECK(kind("aprun") == LauncherKind::aprun);
    CHECK(kind("jsrun") == LauncherKind::jsrun);
    CHECK(kind("lrun") == LauncherKind::lrun);
    CHECK(kind(site.at("five/mpirun")) == LauncherKind::openmpi); // also beside an MPICH
    CHECK(kind(site.at("pals/mpiexec")) == LauncherKind::pals);
    CHECK(kind("/bin/true") == LauncherKind::none);
    CHECK(kind(site.at("work/app")) == LauncherKind::none);
    CHECK(recognize_launcher("mpirun.openmpi", std::nullopt)->mpi == Mpi::openmpi);
    CHECK(recognize_launcher("mpiexec.hydra", std::nullopt)->mpi == Mpi::mpich);
    CHECK_FALSE(recognize_launcher("srun", std::nullopt)->mpi);
    const auto flux = [](const std::string& line) { return parse_command_line(split(line))->launcher.kind; };
    CHECK(flux("flux run ./app") == LauncherKind::flux);
    CHECK(flux("flux submit ./app") == LauncherKind::flux);
    CHECK(flux("flux mini run ./app") == LauncherKind::flux);
    for (const char* line : {"flux", "flux alloc -n 4 ./app", "flux batch script", "flux mini"})
        CHECK(flux(line) == LauncherKind::none);
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

TEST_CASE("launch: what cannot be wrapped is refused with what to write") {
    const auto refused = [](const std::string& line, const std::string& what, const std::string& advice) {
        const std::string text = programs(line);
        INFO(text);
        CHECK(text.starts_with("error: "));
        CHECK(has(text, what));
        CHECK(has(text, advice));
        CHECK_FALSE(has(text, "\n"));
    };
    refused("mpiexec.hydra -configfile file", "--configfile", "between the parts");
    refused("mpirun.openmpi --app file", "--app", "between the parts");
    refused("aprun --configfile file", "--configfile", "between the parts");
    refused("jsrun -f file", "jsrun: -f names", "between the parts");
    refused("mpirun.openmpi -n 4", "no program", "tactus run mpirun -n 4 ./app");
    refused("srun -n 4", "no program", "tactus run srun -n 4 ./app");
    refused("jsrun --nrs 4", "no program", "tactus run jsrun -n 4 ./app");
    refused("flux run -n4", "no program", "tactus run flux run -n 4 ./app");
    refused("mpirun.openmpi -n 1 ./a : -n 1", "no program", "tactus run");
    refused("mpirun.openmpi -n", "-n lacks its value", "PROGRAM");
    refused("mpirun.openmpi --mca a", "lacks its value", "PROGRAM");
}

TEST_CASE("launch: the MPI of a program behind an env is found") {
    const Site site;
    const auto planned = [&](const std::string& line) { return plan_launch(site.request(line)); };
    CHECK(planned("env A=b NPmpich2")->mpi == Mpi::mpich);
    CHECK(planned("srun env A=b lmp")->mpi == Mpi::openmpi);
    write_file(site.at("work/NPmpich2"), "#!/bin/sh\n");
    CHECK_FALSE(planned("env PATH=" + site.at("work") + " NPmpich2")); // another program: a script
    CHECK_FALSE(planned("env -C " + site.at("work") + " ./app"));
    CHECK(has(planned("mpirun.openmpi env A=b NPmpich2")->note, "NPmpich2 needs MPICH"));
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
    CHECK(option("mpirun.openmpi lmp").empty()); // needs an MPI and no sanitizer
    CHECK(option("mpirun.openmpi lmp : script") == "verify_asan_link_order=0|");
    CHECK(option("mpirun.openmpi -x ASAN_OPTIONS=a=1 script : env ASAN_OPTIONS=b=2 script") ==
          "verify_asan_link_order=0:a=1|verify_asan_link_order=0:b=2|");
    ::setenv("ASAN_OPTIONS", "c=3", 1);
    CHECK(option("mpirun.openmpi script : env -i script") == "verify_asan_link_order=0:c=3|verify_asan_link_order=0|");
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
    CHECK(has(suspected({"mpirun.openmpi", site.at("work/sets")}), "work/sets mentions LD_PRELOAD"));
    CHECK(has(suspected({"mpirun.openmpi", "script", ":", "/bin/sh", site.at("work/sets")}),
              "work/sets mentions LD_PRELOAD"));
    CHECK(has(suspected({"mpirun.openmpi", "/bin/sh", "-c", "LD_PRELOAD= ./app"}), "'LD_PRELOAD= ./app' mentions"));
    CHECK(has(suspected({"mpirun.openmpi", site.at("work/options")}), "mentions ASAN_OPTIONS"));
    CHECK(suspected({"mpirun.openmpi", "script"}).empty());
    CHECK(suspected({"mpirun.openmpi", "/bin/sh", site.at("work/data")}).empty()); // no script
    CHECK(suspected({"mpirun.openmpi", "lmp", site.at("work/sets")}).empty());     // input of an MPI program
    CHECK(suspected({"mpirun.openmpi", "./not-here"}).empty());
}

TEST_CASE("launch: a bare name that only the launcher would find is given in full") {
    const Site site;
    const auto program = [](const std::string& line) { return parse_command_line(split(line))->parts.front().program; };
    const std::string work = site.at("work");
    CHECK(program("mpirun.openmpi --path " + work + " app") == site.at("work/app"));
    CHECK(program("mpirun.openmpi -wdir " + work + " app") == site.at("work/app"));
    CHECK(program("srun -D " + work + " app") == site.at("work/app"));
    CHECK(program("mpiexec.hydra -wdir " + work + " app") == "app"); // Hydra does not find it, either
    CHECK(program("mpirun.openmpi script") == "script");
    CHECK(parse_command_line(split("mpiexec.hydra -wdir " + work + " ./app"))->parts.front().file ==
          fs::path{work} / "./app");
}

TEST_CASE("launch: the library follows the program, then the launcher") {
    const Site site;
    const auto planned = [&](const std::string& line) { return plan_launch(site.request(line)); };
    CHECK(join(planned("lmp -in x")->command) ==
          "/usr/bin/env LD_PRELOAD=" + site.at("lib/libtactus-openmpi.so") + " lmp -in x");
    CHECK(planned("mpirun.openmpi -n 2 lmp")->mpi == Mpi::openmpi);
    CHECK(planned("mpirun.mpich -n 2 NPmpich2")->mpi == Mpi::mpich);
    CHECK(planned("srun -n 2 NPmpich2")->mpi == Mpi::mpich);
    CHECK(planned("srun lmp : script")->mpi == Mpi::openmpi);
    CHECK(planned("flux run -n2 lmp")->mpi == Mpi::openmpi);
    CHECK(planned("jsrun -n2 NPmpich2")->mpi == Mpi::mpich);
    CHECK(planned("aprun -b -e LD_PRELOAD=/mine.so lmp")->traced);
    write_file(site.at("work/both.conf"), "# ranks program\n0-1 NPmpich2 x\n\n2 \\\n script\n", false);
    const auto both = planned("srun -n 3 --multi-prog " + site.at("work/both.conf"));
    CHECK(both->mpi == Mpi::mpich);
    CHECK(both->parts.size() == 2);
    CHECK(both->parts.back().program == "script");
    CHECK(both->parts.back().file == fs::path{site.at("bin/script")});
    write_file(site.at("work/env.conf"), "* env A=b lmp\n", false);
    CHECK(planned("srun --multi-prog " + site.at("work/env.conf"))->mpi == Mpi::openmpi);
    CHECK(planned(site.at("ompi/mpirun") + " script")->mpi == Mpi::openmpi);
    CHECK(planned(site.at("mpich/mpirun") + " /bin/sh -c true")->mpi == Mpi::mpich);
    CHECK(planned(site.at("mpich/mpirun") + " ./not-here")->mpi == Mpi::mpich);
    CHECK(planned("mpirun.openmpi lmp")->traced);
    CHECK(planned("mpirun.openmpi lmp")->note.empty());
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
    untraced("mpirun.openmpi -n 2 NPmpich2", "NPmpich2 needs MPICH (libmpich.so.12), but mpirun.openmpi is Open MPI's");
    untraced("mpirun.mpich lmp", "lmp needs Open MPI");
    untraced("mpirun.openmpi script : NPmpich2", "needs MPICH");
    untraced("srun lmp : NPmpich2", "lmp needs Open MPI and NPmpich2 needs MPICH");
    untraced("/bin/true", "linked with no MPI");
    untraced("mpirun.openmpi -s -x LD_PRELOAD=/mine.so lmp",
             "mpirun.openmpi copies lmp to the nodes, so that only its option -x");
    untraced("aprun -e LD_PRELOAD=/mine.so lmp", "only its option -e");
}

TEST_CASE("launch: where the MPI cannot be told, --mpi is asked for and obeyed") {
    const Site site;
    for (const char* line : {"srun -n 2 script", "srun -n 2 /bin/true", "srun ./not-here", "script",
                             "aprun -n 2 script", "srun --multi-prog ./not-here"}) {
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
    LaunchRequest blank = site.request("mpirun.openmpi lmp");
    blank.library_directory = site.at("with blank");
    fs::create_directory(blank.library_directory);
    write_file(site.at("with blank/libtactus-openmpi.so"), "");
    CHECK(has(plan_launch(blank).error().line(), "blank"));
    write_file(site.at("work/a=b"), "#!/bin/sh\n");
    CHECK(has(plan_launch(site.request("mpirun.openmpi " + site.at("work/a=b"))).error().line(), "'='"));
    CHECK(has(plan_launch(site.request("")).error().line(), "no program"));
}

TEST_CASE("launch plan: either launcher starts programs of the standard ABI") {
    const Site site;
    for (const char* launcher : {"ompi/mpirun", "mpich/mpirun"}) {
        LaunchRequest request = site.request(site.at(launcher) + " -n 2 " + site.at("work/app"));
        request.forced = Mpi::abi;
        const auto plan = plan_launch(request);
        REQUIRE(plan);
        CHECK(plan->library == site.at("lib/libtactus-abi.so"));
        CHECK(plan->note.empty());
    }
    write_file(site.at("work/mpirun"), "#!/bin/sh\n"); // whose options are not known
    CHECK_FALSE(recognize_launcher(site.at("work/mpirun"), Mpi::abi));
}

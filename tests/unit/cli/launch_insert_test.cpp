// How the environment of the library comes into a command line.
#include "cli/launch/insert.hpp"
#include "tests/unit/made/launch_site.hpp"

using namespace tactus;

TEST_CASE("launch: the environment stands before each program and nowhere else") {
    const Arguments argv = split("orterun -n 1 ./a x : -n 2 ./b y z");
    const auto line = parse_command_line(argv);
    REQUIRE(line);
    CHECK(join(insert_environment(argv, *line, {{"VT_A", "1"}, {"VT_B", "2"}}, "/l.so", "")) ==
          "orterun -n 1 /usr/bin/env VT_A=1 VT_B=2 LD_PRELOAD=/l.so ./a x : "
          "-n 2 /usr/bin/env VT_A=1 VT_B=2 LD_PRELOAD=/l.so ./b y z");
    const Arguments own = split("mpiexec.hydra -genv VT_A 5 -n 1 ./a : -env VT_B=6 ./b"); // the user's settings win
    CHECK(join(insert_environment(own, *parse_command_line(own), {{"VT_A", "1"}, {"VT_B", "2"}}, "/l.so", "")) ==
          "mpiexec.hydra -genv VT_A 5 -n 1 /usr/bin/env VT_B=2 LD_PRELOAD=/l.so ./a : "
          "-env VT_B=6 /usr/bin/env LD_PRELOAD=/l.so ./b");
    const Arguments alone = split("/bin/true -n 3");
    CHECK(join(insert_environment(alone, *parse_command_line(alone), {}, "/l.so", "/mine.so")) ==
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
             insert_environment(argv, *parse_command_line(argv), {}, "/l.so", "/inherited.so"))
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
        return join(insert_environment(argv, *parse_command_line(argv), {{"VT_A", "1"}}, "/l.so", "/in.so"));
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

namespace {

std::string inserted(const std::string& text, bool address_sanitizer = false) {
    const Arguments argv = split(text);
    auto line = parse_command_line(argv);
    REQUIRE(line);
    for (ProgramPart& part : line->parts) part.address_sanitizer = address_sanitizer;
    return join(insert_environment(argv, *line, {{"VT_A", "1"}, {"VT_B", "x,y"}}, "/l.so", "/in.so"));
}

} // namespace

TEST_CASE("launch: where a launcher copies the program, its own option has the variables") {
    const std::string env = "/usr/bin/env VT_A=1 VT_B=x,y LD_PRELOAD=/l.so:/in.so ";
    CHECK(inserted("aprun -n 2 ./a x : ./b") == "aprun -n 2 -e VT_A=1 -e VT_B=x,y -e LD_PRELOAD=/l.so:/in.so ./a x : "
                                                "-e VT_A=1 -e VT_B=x,y -e LD_PRELOAD=/l.so:/in.so ./b");
    CHECK(inserted("palsrun -n 2 --env VT_A=5 -- ./a") ==
          "palsrun -n 2 --env VT_A=5 --env VT_B=x,y --env LD_PRELOAD=/l.so:/in.so -- ./a");
    CHECK(inserted("orterun --preload-binary ./a : ./b") ==
          "orterun --preload-binary -x VT_A=1 -x VT_B=x,y -x LD_PRELOAD=/l.so:/in.so ./a : " + env + "./b");
    CHECK(inserted("aprun -b ./a") == "aprun -b " + env + "./a");
    CHECK(inserted("palsrun --no-transfer ./a") == "palsrun --no-transfer " + env + "./a");
    // The user's `env` is what would be copied.
    CHECK(inserted("aprun env A=b ./a") == "aprun env A=b " + env + "./a");
    CHECK(inserted("flux run -n2 ./a") == "flux run -n2 " + env + "./a");
    CHECK(inserted("mpirun_rsh -np 2 h1 A=b VT_A=4 ./a") ==
          "mpirun_rsh -np 2 h1 A=b VT_A=4 /usr/bin/env VT_B=x,y LD_PRELOAD=/l.so:/in.so ./a");
    CHECK(inserted("jsrun -n2 ./a") == "jsrun -n2 " + env + "./a");
}

TEST_CASE("launch: with --bcast and --multi-prog the variables are in srun's list") {
    const Site site;
    const std::string ours = "LD_PRELOAD=/l.so:/in.so,VT_A=1,'VT_B=x,y'";
    CHECK(inserted("srun --bcast -n 2 ./a") == "srun --bcast -n 2 --export=ALL," + ours + " ./a");
    CHECK(inserted("srun --bcast=/tmp/x ./a : ./b") ==
          "srun --bcast=/tmp/x --export=ALL," + ours +
              " ./a : /usr/bin/env VT_A=1 VT_B=x,y LD_PRELOAD=/l.so:/in.so ./b");
    CHECK(inserted("srun --bcast --export=NONE ./a") ==
          "srun --bcast --export=NONE --export=LD_PRELOAD=/l.so,VT_A=1,'VT_B=x,y' ./a");
    CHECK(inserted("srun --bcast --export=ALL,LD_PRELOAD=/m.so,C,'D=1,2',VT_A=7 ./a") ==
          "srun --bcast --export=ALL,LD_PRELOAD=/m.so,C,'D=1,2',VT_A=7 "
          "--export=ALL,C,'D=1,2',LD_PRELOAD=/l.so:/m.so,VT_A=7,'VT_B=x,y' ./a");
    CHECK(inserted("srun --bcast ./a", true) ==
          "srun --bcast --export=ALL,ASAN_OPTIONS=verify_asan_link_order=0," + ours + " ./a");
    write_file(site.at("work/two.conf"), "0 ./a\n1 ./b\n", false);
    const std::string file = site.at("work/two.conf");
    CHECK(inserted("srun -n2 --multi-prog " + file) == "srun -n2 --multi-prog --export=ALL," + ours + " " + file);
}

TEST_CASE("launch: what srun takes from its environment is kept") {
    ::setenv("SLURM_EXPORT_ENV", "NONE", 1);
    ::setenv("SLURM_BCAST", "/tmp/x", 1);
    CHECK(inserted("srun ./a") == "srun --export=LD_PRELOAD=/l.so,VT_A=1,'VT_B=x,y' ./a");
    ::setenv("SRUN_EXPORT_ENV", "ALL,VT_A=3", 1);
    CHECK(inserted("srun ./a") == "srun --export=ALL,LD_PRELOAD=/l.so:/in.so,VT_A=3,'VT_B=x,y' ./a");
    for (const char* const name : {"SLURM_EXPORT_ENV", "SLURM_BCAST", "SRUN_EXPORT_ENV"}) ::unsetenv(name);
    CHECK(inserted("srun ./a") == "srun /usr/bin/env VT_A=1 VT_B=x,y LD_PRELOAD=/l.so:/in.so ./a");
}

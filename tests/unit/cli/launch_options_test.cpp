// Where the program begins behind the options of each launcher.
#include "cli/launch/launcher.hpp"
#include "tests/unit/made/launch_site.hpp"

using namespace tactus;

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

TEST_CASE("launch: options of PALS") {
    CHECK(programs("palsrun -n 4 -ppn 2 --cpu-bind depth -d 2 ./app -n 1") == "./app@9");
    CHECK(programs("palsrun --np 4 --ppn=2 --env A=b --no-transfer -l ./app") == "./app@8");
    CHECK(programs("palsrun --env A=b --envnone --wdir /tmp ./app") == "./app@6");
    CHECK(programs("palsrun -n 1 ./a : --np 2 --genv A=b ./b x") == "./a@3 ./b@9");
}

TEST_CASE("launch: options of aprun, of ALPS and of PALS") {
    CHECK(programs("aprun -n 4 -N 2 -d 2 -cc depth -j 1 -ss ./app -n 1") == "./app@12");
    CHECK(programs("aprun -n4 -N2 -m700mhs -e A=b -q ./app") == "./app@7");
    CHECK(programs("aprun -B -cp 0 -L 1-3 -b -T ./app") == "./app@8");
    CHECK(programs("aprun -n 1 ./a : -n 2 -sn 1 ./b") == "./a@3 ./b@9");
    CHECK(programs("aprun --cpu-bind none --line-buffer ./app") == "./app@4");
}

TEST_CASE("launch: options of flux") {
    CHECK(programs("flux run -n 4 -N2 -o cpu-affinity=per-task ./app -n 1") == "./app@7");
    CHECK(programs("flux run --ntasks=4 --nodes 2 --exclusive --env A=b -lu ./app") == "./app@9");
    CHECK(programs("flux submit --nt 4 --setattr a=b --watch ./app") == "./app@7"); // abbreviated
    CHECK(programs("flux run -xn 4 -vv ./app : ./b") == "./app@5");                 // The ':' is an argument.
    CHECK(programs("flux mini run -n4 -- ./app") == "./app@5");
}

TEST_CASE("launch: options of jsrun and lrun") {
    CHECK(programs("jsrun -n 4 -a1 -c 7 -g 1 --bind packed:7 -d packed -E A=b ./app") == "./app@14");
    CHECK(programs("jsrun --nrs=2 --tasks_per_rs 2 --smpiargs -gpu -i ./app") == "./app@7");
    CHECK(programs("jsrun -n1 -a2 ./a : -n 1 ./b") == "./a@3 ./b@7");
    CHECK(programs("lrun -n4 -N2 -T2 --smt=4 --pack --mpibind=off -v ./app -n 1") == "./app@8");
    CHECK(programs("lrun -1 -p4 ./not-here") == "./not-here@3");
    CHECK(programs("lrun -p4 --nolbind -bpacked:2 -dpacked --smpiargs=-gpu ./not-here") == "./not-here@6");
    CHECK(programs("lrun -n 4 ./app") == "./app@3");
}

TEST_CASE("launch: options of mpirun_rsh, and variables behind them") {
    CHECK(programs("mpirun_rsh -np 4 -hostfile hosts -export A=b C=d ./app E=f") == "./app@8");
    CHECK(programs("mpirun_rsh --n 2 -ssh h1 h2 A=b ./app x") == "./app@7");
    CHECK(programs("mpirun_rsh --n 2 -ssh h1 h2 cat x") == "cat@6");
    CHECK(programs("mpirun_rsh -np 2 A=b ./app : ./b") == "./app@4"); // The ':' is an argument.
    CHECK(parse_command_line(split("mpirun_rsh A=b ./app"))->parts.front().surroundings.variables.at("A") == "b");
}

TEST_CASE("launch: parts of a heterogeneous job and files of programs of srun") {
    const Site site;
    CHECK(programs("srun --het-group=0,1 -n2 ./app") == "./app@3");
    CHECK(programs("srun --het-group 0 -n1 ./a : --het-group=1 ./b") == "./a@4 ./b@7");
    write_file(site.at("work/two.conf"), "0 ./a x\n1-2 ./b\n", false);
    const std::string file = site.at("work/two.conf");
    CHECK(programs("srun -n 3 --multi-prog " + file) == file + "@4 " + file + "@4");
    CHECK(programs("srun -n 3 --multi " + file) == file + "@4 " + file + "@4");
}

"""Launchers that these tests cannot have: aprun, PALS, flux, jsrun, lrun, srun, mpirun_rsh, Intel's, and Open MPI 5's.

Each reads its options as strictly as the real one, by the tables of its help or of sites' guides, copies programs where
the real one does, sets the variables that its ranks have, and starts the ranks by an MPI's own launcher of this
machine. `install` makes commands of them. Two variables tell them the rest: FAKE_MPI, whose ranks to start, and
FAKE_NODE, the folder that stands for a node's memory, into which programs are copied.

Usage (by itself only): fake_launcher.py RANKS, where RANKS lists what each rank becomes, in JSON.
"""
import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import launchers  # noqa: E402

pals_values = ("n np N ppn d depth c cpu-bind mem-bind gpu-bind e env genv hostfile hosts wdir pmi umask rlimits "
               "configfile")
pals_switches = ("l label line-buffer q quiet v b no-transfer genvall envall genvnone envnone abort-on-failure "
                 "no-abort-on-failure")


class Fake:
    """`values` are options that take a word, `switches` take none, and `attached` only a value behind a '='."""

    def __init__(self, values, switches, attached="", letters=False, parts=True, copies=False, words=1):
        self.values, self.switches, self.attached = values.split(), switches.split(), attached.split()
        self.letters = letters  # may share one dash, and long options have two
        self.parts, self.copies, self.words = parts, copies, words


fakes = {
    "aprun": Fake("a cc cp d D e F L m j n N p r R S sl sn t", "b B C q ss T", copies=True),
    "palsrun": Fake(pals_values, pals_switches, copies=True),
    "mpiexec": Fake(pals_values, pals_switches, copies=True),
    "flux": Fake("B bank q queue t time-limit urgency job-name o setopt S setattr add-file dependency requires "
                 "begin-time env env-remove env-file rlimit input output error cwd flags signal taskmap N nodes n "
                 "ntasks c cores-per-task g gpus-per-task cores tasks-per-node tasks-per-core gpus-per-node wait-event "
                 "log log-stderr cc bcc",
                 "u unbuffered l label-io dry-run quiet x exclusive v verbose wait watch progress jps",
                 letters=True, parts=False, words=2),
    "jsrun": Fake("n nrs p np a tasks_per_rs c cpu_per_rs g gpu_per_rs r rs_per_host m memory_per_rs l "
                  "latency_priority d launch_distribution b bind E env D env_eval h chdir o stdio_stdout k "
                  "stdio_stderr e stdio_mode U erf_input f appfile M smpiargs X exit_on_error",
                  "i immediate v V", letters=True),
    "lrun": Fake("n N p T c g W M X", "1 2 h v adv_map pack", "smt threads mpibind", parts=False),
    "srun": Fake("n ntasks N nodes c cpus-per-task p partition A account t time w nodelist D chdir J job-name mpi "
                 "cpu-bind mem-bind distribution ntasks-per-node tasks-per-node export het-group gres",
                 "l label u unbuffered O overcommit Q quiet v verbose multi-prog exact whole",
                 "bcast K kill-on-bad-exit exclusive overlap pty oom-kill-step nice compress", letters=True),
    "mpirun_rsh": Fake("np n ppn hostfile launcher spawnfile config dpmspawn sg env",
                       "debug xterm show rsh ssh help v tv legacy startedByTv dpm fastssh export export-all",
                       parts=False),
    "mpiexec.hydra": Fake("n np g genv env genvlist envlist host hosts hostfile machinefile machine f ppn perhost wdir "
                          "path bind-to map-by bootstrap bootstrap-exec launcher iface gtool gtoolfile rankmap s "
                          "prepend-pattern usize",
                          "genvall genvnone envall envnone l prepend-rank ordered-output silent-abort nolocal ilp64 "
                          "print-all-exitcodes hybrid-hosts report-bindings t trace tv check_mpi verbose v"),
    "prterun": Fake("n np x bind-to bindto map-by mapby wdir wd path host add-host add-hostfile set-envar unset-envar "
                    "prepend-envar append-envar pset runtime-options timeout output-directory keepalive",
                    "allow-run-as-root s preload-binary hetero-nodes no-ready-msg stop-on-exec uniform-nodes p "
                    "report-bindings", "fwd-environment output-proctable stop-in-app"),
}


def reject(name, why):
    sys.exit(f"{name}: {why}")


def read_options(name, words):
    """Takes the options from the beginning of `words`, and returns them by their names, with lists of their values."""
    fake, found = fakes[name], {}
    while words and words[0].startswith("-") and words[0] != "-":
        word = words.pop(0)
        if word == "--":
            break
        if fake.letters and not word.startswith("--"):
            read_letters(name, word[1:], words, found)
            continue
        option, equals, value = word.lstrip("-").partition("=")
        if option not in fake.values + fake.switches + fake.attached:
            if option[1:].isdigit() and option[0] in fake.values:  # -n4
                found.setdefault(option[0], []).append(option[1:])
                continue
            reject(name, f"unrecognized option '{word}'")
        if option in fake.values and not equals:
            if name == "lrun" or not words:
                reject(name, f"option '{word}' requires an argument")  # lrun takes no blanks
            value = words.pop(0)
            if name == "mpiexec.hydra" and option in ("genv", "env") and "=" not in value:
                value += "=" + words.pop(0)
        if option in fake.switches and equals:
            reject(name, f"option '{word}' doesn't allow an argument")
        found.setdefault(option, []).append(value)
    return found


def read_letters(name, letters, words, found):
    fake = fakes[name]
    for i, letter in enumerate(letters):
        if letter not in fake.values + fake.switches + fake.attached:
            reject(name, f"invalid option -- '{letter}'")
        if letter in fake.switches:
            found.setdefault(letter, []).append("")
            continue
        rest = letters[i + 1:]
        if letter in fake.values and not rest and not words:
            reject(name, f"option requires an argument -- '{letter}'")
        found.setdefault(letter, []).append(words.pop(0) if letter in fake.values and not rest else rest)
        return


def first(options, *names, otherwise=None):
    return next((options[name][-1] for name in names if name in options), otherwise)


def split_export(text):
    """Splits srun's list as Slurm does: an entry that is quoted as a whole loses its quotes."""
    entries, entry, quote = [], "", ""
    for letter in text:
        if letter in "'\"" and quote in ("", letter):
            quote = "" if quote else letter
        if letter == "," and not quote:
            entries.append(entry)
            entry = ""
        else:
            entry += letter
    return [entry[1:-1] if entry[:1] in ("'", '"') and entry[-1] == entry[0] else entry for entry in [*entries, entry]]


def variables_of(name, options):
    """Returns what the options set, and whether the ranks get the launcher's own variables."""
    if name == "srun":
        entries = split_export(first(options, "export", otherwise="ALL"))
        inherits = "ALL" in entries
    else:
        entries = [value for option in {"flux": ("env",), "jsrun": ("E", "env"), "prterun": ("x",)}.get(
            name, ("e", "env", "genv")) for value in options.get(option, [])]
        inherits = not {"envnone", "genvnone"} & set(options)
    return dict(entry.split("=", 1) for entry in entries if "=" in entry), inherits


def copies(name, options):
    if name in ("srun", "prterun"):
        return bool({"bcast", "s", "preload-binary"} & set(options))
    return fakes[name].copies and not {"b", "no-transfer"} & set(options)


def programs_of_file(path, count):
    """Reads the file of srun's --multi-prog: the number of ranks and the words of each program."""
    for line in pathlib.Path(path).read_text().splitlines():
        ranks, *program = line.split()
        low, _, high = ("0-" + str(count - 1) if ranks == "*" else ranks).partition("-")
        yield int(high or low) - int(low) + 1, program


def read_part(name, words):
    """Reads one part of the line, and yields what its ranks become and how many they are."""
    options = read_options(name, words)
    if not words:
        reject(name, "no executable specified")
    count = int(first(options, "n", "np", "ntasks", "nrs", "p", otherwise="1"))
    count *= int(first(options, "a", "tasks_per_rs", otherwise="1")) if name == "jsrun" else 1
    variables, inherits = variables_of(name, options)
    if name == "mpirun_rsh":
        del words[:0 if "hostfile" in options else count]  # the hosts
        while "=" in words[0]:
            variables.update([words.pop(0).split("=", 1)])
        words[0] = shutil.which(words[0]) or "./" + words[0]
    in_file = list(programs_of_file(words[0], count)) if "multi-prog" in options else [(count, words)]
    for ranks, program in in_file:
        if copies(name, options):
            node = pathlib.Path(os.environ["FAKE_NODE"])
            program = [shutil.copy(shutil.which(program[0]) or reject(name, f"no {program[0]}"), node), *program[1:]]
        yield ranks, {"name": name, "variables": variables, "inherits": inherits, "program": program,
                      "folder": first(options, "wdir", "wd", "D", "chdir", "cwd", "h", otherwise=".")}


def main(name, words):
    """Is the launcher of this name."""
    fake = fakes[name]
    if fake.words == 2 and words.pop(0) not in ("run", "submit"):
        reject(name, "no such command")
    parts = [[]]
    for word in words:
        if word == ":" and fake.parts:
            parts.append([])
        else:
            parts[-1].append(word)
    read = [part for one in parts for part in read_part(name, one)]
    ranks = [part for count, part in read for _ in range(count)]
    line = launchers.command(os.environ["FAKE_MPI"], len(ranks), [sys.executable, __file__, json.dumps(ranks)])
    os.execvp(line[0], line)


def variables_of_rank(name, rank, size):
    """Returns what the real launcher tells a rank, beside what its MPI asks for."""
    if name == "srun":
        return {"SLURM_STEP_ID": 0, "SLURM_PROCID": rank, "SLURM_LOCALID": rank, "SLURM_STEP_NUM_TASKS": size,
                "SLURM_NTASKS": size}
    return {"aprun": {"ALPS_APP_PE": rank}, "flux": {"FLUX_TASK_RANK": rank, "FLUX_TASK_LOCAL_ID": rank,
                                                     "FLUX_JOB_SIZE": size},
            "jsrun": {"JSM_NAMESPACE_RANK": rank, "JSM_NAMESPACE_SIZE": size},
            "lrun": {"JSM_NAMESPACE_RANK": rank, "JSM_NAMESPACE_SIZE": size},
            "mpirun_rsh": {"MV2_COMM_WORLD_RANK": rank, "MV2_COMM_WORLD_SIZE": size},
            "prterun": {}, "mpiexec.hydra": {}}.get(name, {"PALS_RANKID": rank, "PALS_LOCAL_RANKID": rank})


def become(ranks):
    """Is a rank, until it is its program."""
    rank = next(int(os.environ[name]) for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK") if name in os.environ)
    part = ranks[rank]
    needed = ("HOME", "PATH", "PMI", "PMIX_", "OMPI_", "HYD", "MPI")
    environment = {name: value for name, value in os.environ.items() if part["inherits"] or name.startswith(needed)}
    for name, value in variables_of_rank(part["name"], rank, len(ranks)).items():
        environment[name] = str(value)
    environment.update(part["variables"])
    os.chdir(part["folder"])
    os.execvpe(part["program"][0], part["program"], environment)


def install(folder):
    """Puts commands of all fake launchers into `folder`. Open MPI 5's mpirun executes prterun, and Intel's is a script
    around mpiexec.hydra. PALS's mpiexec is told by a command beside it."""
    own_folders = {"prterun": "five", "mpiexec.hydra": "intel"}
    for place in own_folders.values():
        (folder / place).mkdir()
    for name in fakes:
        path = folder / own_folders.get(name, ".") / name
        path.write_text(f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n"
                        f"import fake_launcher\nfake_launcher.main({name!r}, sys.argv[1:])\n")
        path.chmod(0o755)
    scripts = {"palstat": ""}
    scripts |= {f"{place}/mpirun": f'exec {folder}/{place}/{name} "$@"' for name, place in own_folders.items()}
    for name, text in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)


if __name__ == "__main__":
    become(json.loads(sys.argv[1]))

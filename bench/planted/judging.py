"""What must be named of each planted problem, and how far a screen and a report name it.

The tables come first. README.md says what is counted.
"""
import pathlib
import re
from dataclasses import dataclass

here = pathlib.Path(__file__).resolve().parent

# What the screen must say of each kind of problem, in any of these words.
kinds = {
    "late sender": r"sends? late|late sender",
    "late receiver": r"receives? late|late receiver",
    "longer": r"\bbusy\b|computes? \S+ (times )?as long|comes last|longer than the other",
    "moves": r"in turn|moves from rank to rank|alternat|every rank|all ranks alike",
    "takes turns": r"takes? turns|one (after|at a time)|in turn|\bserial(ly|ized)\b",
    "many small": r"calls of \d+ B\b|messages of \d+ B\b|(\d{1,3}[ ,]){2}\d{3} calls|\bsmall (messages|calls)",
    "order": r"\b(fixed|wrong|other|another) order|in order|MPI_ANY_SOURCE|already (there|arrived|sent)",
    "call itself": r"without waiting|itself|not overlapped",
    "polls": r"\bpoll|MPI_Iprobe|loops? of tests",
    "one core": r"on core \d+ only|the same core|share (a|one) core",
    "foreign": r"(another|other|foreign) (program|process)|\brank 1\b.{0,80}\b(no|without a) core",
    "memory": r"page faults?|system time|\bmemory\b",
    "late start": r"started .* (after|later)|starts? late",
    "lock": r"\block\b|\bmutex|threads? (wait|are blocked|is blocked)|\d threads at a time",
}


@dataclass(frozen=True)
class Problem:
    """`ranks` is any of those that may be named, and empty where none is to blame. Where `placed`, one of the source
    lines must be named that are marked with "here". `mpi` is set where the program exists for one MPI only."""
    source: str
    kind: str
    size: int = 2
    forms: tuple = ("sleep", "compute")
    ranks: tuple = ()
    placed: bool = True
    function: str = ""
    mpi: str = ""

    def name(self):
        return pathlib.Path(self.source).stem


problems = [
    Problem("late_sender.c", "late sender", ranks=(1,), function="prepare"),
    Problem("late_sender.py", "late sender", ranks=(1,), function="prepare", mpi="openmpi"),
    Problem("late_receiver.c", "late receiver", ranks=(1,), function="analyze"),
    Problem("master.cpp", "late sender", size=3, ranks=(0,), function="choose_task"),
    Problem("half_slow.f90", "longer", size=4, ranks=(2, 3), function="relax"),
    Problem("write_at_end.c", "longer", ranks=(0,), function="write_result"),
    Problem("one_function.cpp", "longer", ranks=(1,), function="assemble"),
    Problem("moving.c", "moves", function="refine"),
    Problem("barrier.c", "moves"),
    Problem("write_in_turn.c", "takes turns", function="write_part"),
    Problem("small_messages.c", "many small", forms=("",)),
    Problem("fixed_order.c", "order", size=3, ranks=(0, 1)),
    Problem("comm_split.c", "call itself", forms=("",)),
    Problem("waitall.c", "call itself", forms=("",)),
    Problem("polling.c", "polls", ranks=(0,), function="prepare_task"),
    Problem("small_allreduces.c", "many small", forms=("",)),
    Problem("one_core.c", "one core", forms=("",), ranks=(0, 1), placed=False),
    Problem("foreign_program.c", "foreign", forms=("",), ranks=(1,)),
    Problem("page_faults.c", "memory", forms=("",), ranks=(1,), function="fill_buffer"),
    Problem("slow_start.c", "late start", ranks=(1,), placed=False),
    Problem("lock.c", "lock", forms=("",), function="add_to_table"),
]
# Programs without a problem, and their numbers of ranks.
healthy = {"halo.c": 2, "rare_allreduce.c": 2, "overlap.c": 2, "no_mpi.c": 2, "openmp.c": 1, "collect.c": 2,
           "hidden_sum.c": 2, "neighbors.cpp": 2, "windows.c": 2, "checkpoint.c": 2}

# These lines of a screen, and of the head of a report, are about the run and its trace, or have figures without a
# cause.
not_judged = {"efficiency", "time", "clock", "wall time", "calls", "overhead", "dropped", "trace", "next", "function"}
alarm = 5  # percent of time; what takes less may be named in a healthy program
start_and_end = r"MPI_Init|MPI_Finalize|start"  # They take much of a short run.
table_rows = 3  # of each table of the report are judged: those with most time


@dataclass
class Score:
    """How much of a problem is named, and which facts are not."""
    points: float
    missing: list

    def without_function(self):
        """Returns the points if the function need not be named."""
        return 1 if self.missing == ["function"] else self.points

    def text(self):
        return f"{self.points:g} ({', '.join(self.missing) or 'nothing'} missing)"


def sentences_of_screen(screen):
    """Returns what the screen says, without its table: lists of a label and a text."""
    sentences = []
    for line in screen.splitlines():
        if found := re.match(r"  (root cause|wall time|\S+) +(.*)", line):
            sentences.append(list(found.groups()))
        elif line.startswith("   ") and sentences:
            sentences[-1][1] += " " + line.strip()
    return [(label, text) for label, text in sentences if label not in not_judged and not label.startswith("MPI_")]


def lines_of_report(report):
    """Returns what the report says first: the sentences of its head, and of each table the rows with most time."""
    head, *sections = report.split("\n\n")
    sentences = [line for line in head.splitlines()[2:] if re.split(":| \\d", line)[0] not in not_judged]
    return sentences, [row for section in sections for row in section.splitlines()[2:2 + table_rows]]


def marked_places(source):
    lines = source.read_text(encoding="utf-8").splitlines()
    return [f"{source.name}:{i}" for i, line in enumerate(lines, 1) if re.search(r"(/\*|//|#|!) here", line)]


def names_rank(text, rank):
    """Whether a rank is named as one that others wait for, and not as one that waits itself ("on rank 0, for ...")."""
    return re.search(rf"(?<!\bon )(?<!\bafter )\branks? (\d+(,| and) )*{rank}\b", text) is not None


def score(problem, sentences, rows=(), causers=()):
    """Judges the sentences of a screen, or those of a report with its rows and the ranks that its JSON blames."""
    said = "\n".join(sentences)
    text = "\n".join([said, *rows])
    source = here / "problems" / problem.source
    words = text.replace(source.stem, "")  # The name of a file does not tell what is wrong.
    known = {
        "kind": re.search(kinds[problem.kind], words),
        "rank": not problem.ranks or any(names_rank(said, rank) or rank in causers for rank in problem.ranks),
        "place": not problem.placed or any(re.search(re.escape(at) + r"\b", text) for at in marked_places(source)),
        "function": not problem.function or re.search(rf"(?<![a-zA-Z0-9]){problem.function}(?![a-zA-Z0-9])", text),
    }
    missing = [fact for fact in known if not known[fact]]
    located = problem.placed and known["rank"] and known["place"]
    return Score(1 if not missing else 0.5 if located else 0, missing)


def score_screen(problem, screen):
    return score(problem, [text for _, text in sentences_of_screen(screen)])


def score_report(problem, report, facts):
    """`facts` is the report's JSON."""
    sentences, rows = lines_of_report(report)
    first = [*facts.get("waits", [])[:1], *facts.get("wait_roots", [])[:1]]
    return score(problem, sentences, rows, {entry.get("causer", entry.get("rank")) for entry in first})


def is_all_clear(screen):
    """Whether the screen says that there is nothing to be named."""
    said = dict(sentences_of_screen(screen))
    return re.match("no |nothing ", said.get("finding", "")) is not None and "cores" not in said


def alarms(screen):
    """Returns the sentences that name something that takes much of the time of a healthy program."""
    found = []
    for label, text in sentences_of_screen(screen):
        share = re.search(r"([\d.]+) %", text)
        if share and float(share.group(1)) >= alarm and not re.search(start_and_end, text):
            found.append(f"{label}: {text}")
    return found

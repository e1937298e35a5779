#!/usr/bin/env python3
"""What no linter of a language knows: lines of at most 120 columns, American spelling, names that are gone or taken.
Usage: lint_text.py, at the root of a checkout; prints what is wrong and exits with 1 if anything is."""
import io
import pathlib
import re
import subprocess
import sys
import tokenize

root = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(root / "tests" / "rules"))
from cpp_tokens import tokens  # noqa: E402

columns = 120
# Made by a program, like what commands print of the golden traces, or inputs of fuzzers; a picture's path is one line.
unlimited = re.compile(r"tests/fuzz/corpus/|tests/golden/.*-\w+\.(json|txt)$|docs/(options|mpi-coverage)\.md$"
                       r"|\.(png|svg|trace)$")
not_text = re.compile(r"\.(png|trace)$|tests/fuzz/corpus/")

# How such words begin; MPI itself says "cancelled". Words that are stored in traces or printed as keys stay as they
# are.
british = (
    "analys(e|er|ers|ed|es|ing)", "armour", "artefact", "behaviour", "catalogue", "centre", "colour", "customis",
    "defence", "favour", "finalis", "fulfil", "grey", "honour", "initialis", "judgement", "labell(ed|ing)", "licence",
    "maximis", "metre", "minimis", "modell(ed|ing)", "neighbour", "normalis", "optimis", "organis", "parallelis",
    "programme", "recognis", "serialis", "summaris", "synchronis", "travell(ed|ing)", "utilis", "visualis", "whilst",
)
kept = {"serialisation", "labelledby"}  # a key of `tactus report --json`, an attribute of HTML
not_british = re.compile(r"optimis(t|m)|fulfill|programme[dr]|parallelism|organism", re.I)
spelling = re.compile(r"(?<![a-z])(" + "|".join(british) + r")\w*", re.I)

# Words that no identifier and no file name has any more, and whole names that are gone. Comments and strings, and with
# them keys of JSON and columns of CSV, may have them.
gone_words = {"apart", "awkward", "cargo", "carrying", "circle", "described", "gathered", "landing", "mended", "parcel",
              "seldom"}
gone_names = {"Agree", "Kept", "KnownWithin", "Numbering", "RowSums", "Taking", "blocks_beside", "clock_leads",
              "numbering", "repeat_wide_ones", "take_envelope", "BlocksBeside"}
gone_files = gone_words | {"agree", "blocks_beside", "costs", "finishing", "kept", "numbering", "parts", "start",
                           "stop"}
but_called_so = {"tests/fortran/start.F90"}  # the Fortran programs are named after chapters of the standard
code = re.compile(r"\.(cpp|hpp|c|h|cc|js|mjs)$")


def words_of(name):
    """The words of an identifier, also without the s of a plural."""
    words = {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}
    return words | {word.removesuffix("s") for word in words}


def is_gone(name):
    return bool(words_of(name) & gone_words) or name.rstrip("_") in gone_names


def identifiers(name, text):
    """Pairs (identifier, line) of a file in C, C++, JavaScript or Python."""
    if code.search(name):
        if name.endswith(("js", "mjs")):
            text = re.sub(r"`[^`]*`", lambda found: '""' + "\n" * found.group().count("\n"), text)
        yield from ((word, line) for word, line in tokens(text) if word[0].isalpha() or word[0] == "_")
    elif name.endswith(".py") or text.startswith("#!/usr/bin/env python3"):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                yield token.string, token.start[0]


def long_lines(name, text):
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        markdown = name.endswith(".md")
        fenced ^= markdown and line.lstrip().startswith("```")
        table = markdown and line.lstrip().startswith("|")
        if len(line) > columns and not table and not fenced:
            yield f"{name}:{number}: {len(line)} columns"


def misspelled(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        for found in spelling.finditer(line):
            word = found.group()
            if word.lower() not in kept and not not_british.match(word):
                yield f"{name}:{number}: {word} is British spelling"


def main():
    problems, files = [], 0
    listed = subprocess.run(["git", "ls-files"], cwd=root, check=True, capture_output=True, text=True)
    for name in listed.stdout.splitlines():
        path = root / name
        if not path.is_file():
            continue
        if path.stem in gone_files and name not in but_called_so:
            problems.append(f"{name}: files are not called {path.stem} any more")
        if path.suffix == ".py" and path.stem in sys.stdlib_module_names:
            problems.append(f"{name}: scripts beside it would import it in place of Python's own module {path.stem}")
        if not_text.search(name):
            continue
        files += 1
        text = path.read_text(encoding="utf-8")
        if not unlimited.search(name):
            problems += long_lines(name, text)
        if name != "tools/lint_text.py":
            problems += misspelled(name, text)
            problems += sorted({f"{name}:{line}: the name {word} is gone"
                                for word, line in identifiers(name, text) if is_gone(word)})
    print("\n".join(problems) or f"{files} files keep to {columns} columns, American spelling and the names of today")
    sys.exit(bool(problems))


main()

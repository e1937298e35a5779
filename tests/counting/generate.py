#!/usr/bin/env python3
"""Writes the source of the counting library of one MPI: generate.py HEADER.i LIBRARY.so OUTPUT.c

HEADER.i is that MPI's preprocessed mpi.h, LIBRARY.so its libmpi. A function gets a wrapper when the header declares
it and the library exports it. Nothing here comes from the collector's table: the two are compared with each other, so
they must not share a source.
"""
import pathlib
import re
import subprocess
import sys

PROLOGUE = pathlib.Path(__file__).with_name("prologue.c.in")


def without_attributes(text):
    """Drops every __attribute__((...)), whose parentheses nest."""
    out, at = [], 0
    for match in re.finditer(r"__attribute__\s*\(", text):
        if match.start() < at:
            continue
        out.append(text[at:match.start()])
        at = closing(text, match.end() - 1)
    return "".join(out) + text[at:]


def closing(text, opening):
    """The place just after the parenthesis that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    raise ValueError(f"parenthesis at {opening} never closes")


def split_parameters(text):
    """Splits at the commas outside of parentheses."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    parts.append(text[start:].strip())
    return [] if parts in (["void"], [""]) else parts


def named(parameter, index):
    """The parameter's declaration and its name; one without a name in the header gets `a<index>`."""
    pointer = re.search(r"\(\s*\*+\s*(\w+)\s*\)", parameter)
    if pointer:
        return parameter, pointer.group(1)
    last = re.fullmatch(r"(.*[\s*])(\w+)\s*((?:\[[^\]]*\]\s*)*)", parameter, re.S)
    if last and re.sub(r"\b(const|struct|unsigned)\b", "", last.group(1)).strip():
        return parameter, last.group(2)
    if "[" in parameter:
        base, brackets = parameter.split("[", 1)
        return f"{base} a{index}[{brackets}", f"a{index}"
    return f"{parameter} a{index}", f"a{index}"


def declarations(header):
    """(return type, name, parameters) of every MPI_ function the header declares, in its order, once."""
    text = without_attributes(re.sub(r"^\s*#.*$", "", header, flags=re.M))
    seen = set()
    for match in re.finditer(r"(?:^|[;{}])\s*(?:extern\s+)?([A-Za-z_][\w\s]*?[\s*]+)(MPI_\w+)\s*\(", text):
        returns, name = match.group(1).strip(), match.group(2)
        end = closing(text, match.end() - 1)
        if returns.startswith("typedef") or name in seen or not re.match(r"\s*;", text[end:end + 200]):
            continue
        seen.add(name)
        yield returns, name, split_parameters(text[match.end():end - 1])


def exported(library):
    """The function names the library really has."""
    table = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    rows = (line.split() for line in table.splitlines())
    return {row[-1].split("@")[0] for row in rows if row[-2] in "TWi"}


# What a wrapper does at its end. A run ends in MPI_Finalize, or with its last session where there is no MPI_Init.
LAST = {"MPI_Init": "    has_world = 1;\n", "MPI_Init_thread": "    has_world = 1;\n",
        "MPI_Finalize": "    write_counts();\n",
        "MPI_Session_init": "    atomic_fetch_add(&sessions, 1);\n",
        "MPI_Session_finalize": "    if (atomic_fetch_sub(&sessions, 1) == 1 && !has_world)\n        write_counts();\n"}


def wrapper(index, returns, name, parameters):
    variadic = parameters and parameters[-1] == "..."
    pairs = [named(text, at) for at, text in enumerate(parameters[:-1] if variadic else parameters)]
    declared = ", ".join([text for text, _ in pairs] + (["..."] if variadic else [])) or "void"
    passed = ", ".join(word for _, word in pairs)
    last = LAST.get(name, "")
    return (f"{returns} {name}({declared}) {{\n    enter({index}, __builtin_return_address(0));\n"
            f"    __typeof__(&{name}) next = (__typeof__(&{name}))following({index});\n"
            f"    {returns} returned = next({passed});\n    leave();\n{last}    return returned;\n}}\n")


def main():
    header, library, output = sys.argv[1:]
    names = exported(library)
    rows = [row for row in declarations(pathlib.Path(header).read_text(encoding="utf-8"))
            if row[1] in names]
    listed = ", ".join(f'"{name}"' for _, name, _ in rows)
    if not any(name == "MPI_Finalize" for _, name, _ in rows):
        sys.exit(f"generate.py: no MPI_Finalize in both {header} and {library}: wrong header or wrong library")
    text = PROLOGUE.read_text(encoding="utf-8").replace("@NAMES@", listed).replace("@COUNT@", str(len(rows)))
    text += "\n".join(wrapper(index, *row) for index, row in enumerate(rows))
    pathlib.Path(output).write_text(text, encoding="utf-8")
    print(f"{output}: {len(rows)} functions")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Reads functions.txt, and writes the C++ form of it: the Function enumeration and its table. Usage: functions.py TABLE
OUTPUT."""
import re
import sys


def read_table(path):
    """List of (name, shape, [kinds]) in the order that numbers the functions."""
    rows = []
    with open(path) as table:
        for line in table:
            words = line.split("#")[0].split()
            if words:
                rows.append((words[0], words[1], words[2:]))
    names = [name for name, _, _ in rows]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        sys.exit(f"{path}: more than one row for {', '.join(sorted(twice))}")
    return rows


def mode_of(name, kinds):
    """Whether a call does its work, starts it, or prepares it to be started any number of times."""
    if "request" not in kinds:
        return "blocking"
    return "persistent" if re.search(r"_init(_c)?$", name) else "starting"


def main():
    table, output = sys.argv[1:]
    rows = read_table(table)
    with open(output, "w") as out:
        print("// Made from trace/functions.txt when tactus is built.", file=out)
        print("enum class Function : std::uint16_t {", file=out)
        for name, _, _ in rows:
            print(f"    {name},", file=out)
        print("};", file=out)
        print(f"inline constexpr std::array<FunctionInfo, {len(rows)}> functions = {{{{", file=out)
        for name, shape, kinds in rows:
            print(f'    {{"MPI_{name}", Shape::{shape}, Mode::{mode_of(name, kinds)}}},', file=out)
        print("}};", file=out)


if __name__ == "__main__":
    main()

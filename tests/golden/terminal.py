#!/usr/bin/env python3
"""What commands print to a terminal goes through a pager, and fits into the terminal's width.
Usage: terminal.py --tactus COMMAND"""
import argparse
import fcntl
import os
import pathlib
import pty
import struct
import subprocess
import sys
import termios

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
from harness import expect  # noqa: E402

columns = 120


def kept():
    """Returns the environment without what decides about width and pager."""
    return {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "PAGER", "TACTUS_PAGER")}


def in_terminal(words, pager, stdin=None):
    """Runs a command in a terminal, or with another standard input. Returns its status and the lines it printed."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {**kept(), **pager}
    with subprocess.Popen(words, stdin=stdin or theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the terminal's other side is closed
                break
            if not part:
                break
            parts.append(part)
        status = process.wait(timeout=60)
    os.close(ours)
    return status, b"".join(parts).decode().replace("\r", "").splitlines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tactus", required=True)
    tactus = parser.parse_args().tactus
    trace = here.parent / "compat" / "0.1" / "finished.tactus"
    report = [tactus, "report", str(trace)]
    mark = "page: "
    through = "sed 's/^/page: /'"

    status, plain = in_terminal(report, {"PAGER": "cat"})
    expect(status == 0 and len(plain) > 20 and not any(line.startswith(mark) for line in plain), f"no pager: {plain}")
    status, paged = in_terminal(report, {"PAGER": "false", "TACTUS_PAGER": through})
    expect((status, paged) == (0, [mark + line for line in plain]), f"{status} {paged}")
    expect(in_terminal(report, {"PAGER": through}) == (0, paged), "PAGER")
    expect(in_terminal(report, {"PAGER": "no-such-pager -x"}) == (0, plain), "a pager that is not installed")
    with open(os.devnull, "rb") as nothing:  # nobody could press a key
        expect(in_terminal(report, {"PAGER": through}, nothing) == (0, plain), "without a keyboard")
    expect(in_terminal(report, {"PAGER": ""}) == (0, plain), "an empty name")
    rows = [line for line in plain if line.startswith("  ") and "MPI_" in line]
    expect(rows and all(len(line) <= columns for line in rows), f"tables fit into {columns} columns: {rows}")
    status, missing = in_terminal([tactus, "report", "missing.tactus"], {"PAGER": through})
    expect(status == 1 and "No such file" in missing[0], f"{status} {missing}")
    piped = subprocess.run(report, env={**kept(), "PAGER": through}, capture_output=True, text=True, check=True)
    expect(mark not in piped.stdout, "output that does not go to a terminal has no pager")
    expect(any(len(line) > columns for line in piped.stdout.splitlines()), "it has long lines")
    print("commands use pagers as they should")


main()

#!/usr/bin/env python3
"""What `cmake --install` installs must run, be small, and have its debug information in a separate component.
Usage: installed.py BUILD_FOLDER"""
import pathlib
import subprocess
import sys
import tempfile

MOST_BYTES = 21_000_000  # three libraries of 3.5 MB that are preloaded, the command, and the plugin for NCCL


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def sections(file):
    return run("readelf", "--sections", "--wide", file)


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder)
        run("cmake", "--install", sys.argv[1], "--prefix", prefix)
        size = sum(file.stat().st_size for file in prefix.rglob("*")
                   if file.is_file() and not file.is_symlink())
        if size > MOST_BYTES:
            problems.append(f"{size} bytes are installed, more than {MOST_BYTES}")
        if not run(prefix / "bin/tactus", "--version").startswith("tactus "):
            problems.append("the installed command does not say its version")
        linked = [prefix / "bin/tactus", *(file for file in prefix.glob("lib/*.so") if not file.is_symlink())]
        problems += [f"{file.name} has debug information" for file in linked if ".debug_info" in sections(file)]
        run("cmake", "--install", sys.argv[1], "--prefix", prefix, "--component", "debug")
        for file in linked:
            beside = file.parent / ".debug" / f"{file.name}.debug"
            if not beside.is_file() or ".gnu_debuglink" not in sections(file):
                problems.append(f"the debug information of {file.name} is not found beside it")
    print("\n".join(problems) or f"{size} bytes are installed, debug information not counted")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

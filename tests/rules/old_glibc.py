#!/usr/bin/env python3
"""Tests that libraries that are loaded into programs ask for no symbol newer than glibc 2.28, and that one which is
linked as they are can throw exceptions: old_glibc.py THROWS LIBRARY..."""
import ctypes
import pathlib
import re
import subprocess
import sys

NEWEST = (2, 28)


def needs(library):
    """The names of glibc that the library asks for, with their versions."""
    table = subprocess.run(["objdump", "-T", library], text=True, stdout=subprocess.PIPE, check=True).stdout
    return [(name, tuple(int(part) for part in version.split(".")))
            for version, name in re.findall(r"\*UND\*\s+\S+\s+\(?GLIBC_([0-9.]+)\)?\s+(\S+)", table)]


def main():
    throws = ctypes.CDLL(sys.argv[1])
    throws.refused.restype = ctypes.c_bool
    failed = throws.caught() != 7 or not throws.refused()
    print("exceptions are not caught" if failed else "exceptions are caught")
    for library in sys.argv[1:]:
        asked = needs(library)
        newer = [f"{name} of glibc {'.'.join(map(str, version))}" for name, version in asked if version > NEWEST]
        failed = failed or not asked or bool(newer)
        print(f"{pathlib.Path(library).name}: {', '.join(newer) or f'{len(asked)} names, none newer than 2.28'}")
    sys.exit(failed or len(sys.argv) < 3)


if __name__ == "__main__":
    main()

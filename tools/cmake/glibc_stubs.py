#!/usr/bin/env python3
"""Makes libraries to link with in place of libc and libm, which have no names newer than those of glibc 2.28.

Usage: glibc_stubs.py --cc COMPILER --nm NM --out DIR

A name that has several versions gets the newest of those. So what is linked with them also runs with an older C library
than the one here, and what needs a newer name does not link.
"""
import argparse
import pathlib
import re
import subprocess

NEWEST = (2, 28)


def run(words):
    return subprocess.run([str(word) for word in words], text=True, stdout=subprocess.PIPE, check=True).stdout


def number_of(version):
    return tuple(int(part) for part in version.removeprefix("GLIBC_").split("."))


def names_of(nm, library):
    """Returns {name: (version, whether it is data)}, of names that have an old version."""
    names = {}
    for line in run([nm, "-D", "--with-symbol-versions", "--defined-only", library]).splitlines():
        match = re.fullmatch(r"\w+ (\w) (\w+)@{1,2}(GLIBC_[0-9.]+)", line)
        if not match or match[1] == "A" or number_of(match[3]) > NEWEST:
            continue
        known = names.get(match[2])
        if known is None or number_of(known[0]) < number_of(match[3]):
            names[match[2]] = (match[3], match[1] in "BDGRSV")
    return names


def make(cc, nm, library, out):
    names = names_of(nm, library)
    if not names:
        raise SystemExit(f"glibc_stubs.py: {library} has no names of glibc")
    lines, script, before = [], [], ""
    for version in sorted({version for version, _ in names.values()}, key=number_of):
        of_version = sorted(name for name, (each, _) in names.items() if each == version)
        script.append(f"{version} {{ global: {' '.join(name + ';' for name in of_version)} "
                      f"{'' if before else 'local: *; '}}}{before};")
        before = f" {version}"
    for name, (_, is_data) in sorted(names.items()):
        lines.append(f".globl {name}\n.type {name}, %{'object' if is_data else 'function'}\n.size {name}, 8\n"
                     f"{name}: .quad 0")
    source, map_file = out / f"{library.name}.s", out / f"{library.name}.map"
    source.write_text(".data\n" + "\n".join(lines) + '\n.section .note.GNU-stack, "", %progbits\n')
    map_file.write_text("\n".join(script) + "\n")
    run([cc, "-shared", "-nostdlib", f"-Wl,-soname,{library.name}", f"-Wl,--version-script={map_file}", source, "-o",
         out / library.name])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name in ("libc.so.6", "libm.so.6"):
        make(options.cc, options.nm, pathlib.Path(run([options.cc, f"-print-file-name={name}"]).strip()), options.out)


if __name__ == "__main__":
    main()

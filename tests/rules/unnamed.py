#!/usr/bin/env python3
"""A name in an unnamed namespace must be unique in its library, and a type there may not have the name of a type in a
header that the source may include. So the sources of a library can be compiled as one (preset demo).
Usage: unnamed.py ROOT"""
import collections
import pathlib
import re
import subprocess
import sys

from layers_file import read_layers

SERVER = {"axis", "colors", "drawing", "page_server", "picture", "question", "who_asks"}
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\} // namespace\n", re.S | re.M)
TYPE = re.compile(r"(?:enum class|enum|class|struct|using) (\w+)\b")
TYPE_OF_HEADER = re.compile(r"^(?:enum class|class|struct|using) (\w+)\b[^;(]*(?:\{|=)", re.M)
VALUE = re.compile(r"(?:constexpr|const|constinit|thread_local|std::atomic\S*) [^(=]*?(\w+)(?:\[\w*\])?\s*(?:=|\{|;)")
FUNCTION = re.compile(r"(?!template|return|using)[\w:][\w:<>*&, ]*?[ *&](\w+)\(([^)]*)")


def library_of(file):
    """Returns the library of the file, or None if its names meet no others."""
    folder, stem = file.parent.as_posix(), file.stem
    if file.parts[0] in ("api", "bench", "docs", "tests", "tools") or stem in ("main", "wire_plugin"):
        return None
    if stem.startswith("no_"):  # it replaces another file
        return None
    if folder.startswith("collector/nccl"):
        return folder
    if file.parts[0] == "collector" or folder == "piggyback/mpi":
        return "collector"
    if folder == "cli/launch" or (folder == "cli/viewer" and stem in SERVER):
        return folder
    return file.parts[0] if file.parts[0] in ("base", "cli") else folder


def names_in(text):
    """Yields each name with the line that defines it; a function's name includes the types of its parameters."""
    for block in UNNAMED.findall(text):
        for line in block.splitlines():
            if found := TYPE.match(line) or VALUE.match(line):
                yield found[1], line
            elif found := FUNCTION.match(line):
                yield f"{found[1]}({re.sub(r' *[A-Za-z_0-9]+(,|$)', r'#', found[2])})", line


def files_of(root, pattern):
    listed = subprocess.run(["git", "-C", root, "ls-files", pattern], check=True, capture_output=True, text=True).stdout
    return [file for file in map(pathlib.Path, listed.split()) if (root / file).exists()]


def may_include(file, header, allowed):
    room = max((folder for folder in allowed if file.as_posix().startswith(folder + "/")), key=len)
    return any(header.as_posix().startswith(folder + "/") for folder in [room, *allowed[room]])


def main():
    root = pathlib.Path(sys.argv[1])
    cmake = "".join(file.read_text() for file in root.glob("postproc/*/CMakeLists.txt"))
    alone = set(" ".join(re.findall(r"\((.*) PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON", cmake)).split())
    allowed, _, _ = read_layers(root)
    headers = files_of(root, "*.hpp")
    public = collections.defaultdict(set)
    for header in headers:
        for name in TYPE_OF_HEADER.findall((root / header).read_text()):
            public[name].add(header)
    places = collections.defaultdict(dict)
    for file in files_of(root, "*.cpp"):
        library = library_of(file)
        if library is None or file.name in alone:
            continue
        for name, line in names_in((root / file).read_text()):
            places[library, name][file] = line
    problems = []
    for (_, name), found in places.items():
        same_alias = all(line.startswith("using ") for line in found.values()) and len(set(found.values())) == 1
        if len(found) > 1 and not same_alias:
            problems.append(f"{name} is in unnamed namespaces of {', '.join(map(str, found))}, which are one library")
        problems += [f"{name} of {file} is in {header}, too" for file in found for header in public.get(name, [])
                     if may_include(file, header, allowed)]
    print("\n".join(problems) or "the sources of each library can be compiled as one")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

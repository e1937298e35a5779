#!/usr/bin/env python3
"""Puts the page's files into C++.   embed.py FOLDER OUT.cpp     FOLDER/files.txt names them, the first is what is asked
for without a name."""
import pathlib
import sys

types = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8",
         ".svg": "image/svg+xml", ".png": "image/png", ".txt": "text/plain; charset=utf-8"}


def literal(content):
    """Lines of a string literal; octal, so that no digit behind can belong to it."""
    rows = (content[i:i + 64] for i in range(0, len(content), 64))
    return "\n".join('    "' + "".join(f"\\{byte:03o}" if byte < 32 or byte > 126 or chr(byte) in '\\"?' else chr(byte)
                                       for byte in row) + '"' for row in rows) or '    ""'


def main(folder, out):
    folder = pathlib.Path(folder)
    names = folder.joinpath("files.txt").read_text().split()
    entries = []
    for name in names:
        content = folder.joinpath(name).read_bytes()
        entries.append(f'{{"{name}", "{types[pathlib.Path(name).suffix]}", {{\n{literal(content)},\n '
                       f'   {len(content)}}}}}')
    pathlib.Path(out).write_text('#include "cli/viewer/page_files.hpp"\n\nnamespace tactus {\nnamespace {\n\nconstexpr '
                                 'PageFile files[] = {'
                                 + ", ".join(entries) + "};\n\n} // namespace\n\n"
                                 "std::span<const PageFile> page_files() { return files; }\n\n} // namespace tactus\n")


main(*sys.argv[1:])

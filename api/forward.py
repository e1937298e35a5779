#!/usr/bin/env python3
"""Makes the parts of libVT.a that let a preloaded collector in. Functions inside a program hide those of a preloaded
library, so each function of libVT.a jumps to an address that the start of the program may change (forward.c).
Usage: forward.py NULL.C renames.h > forward.S"""
import pathlib
import re
import sys

JUMP = {"x86_64": ["endbr64", "jmp *tactus_target_{0}(%rip)"],
        "aarch64": ["bti c", "adrp x16, tactus_target_{0}", "ldr x16, [x16, :lo12:tactus_target_{0}]", "br x16"]}


def functions(source):
    """Returns the names of the functions that the source defines for programs."""
    found = re.findall(r"^(?:int|void|double) (\w+)\(", source, re.M)
    if len(found) < 50 or len(set(found)) != len(found):
        sys.exit(f"forward.py: found {len(found)} functions")
    return found


def main():
    names = functions(pathlib.Path(sys.argv[1]).read_text())
    pathlib.Path(sys.argv[2]).write_text("".join(f"#define {name} tactus_null_{name}\n" for name in names))
    print("    .text")
    for name in names:
        print(f"    .globl {name}\n    .type {name}, %function\n{name}:")
        for i, (processor, lines) in enumerate(JUMP.items()):
            print(f"#{'el' if i else ''}if defined __{processor}__")
            print("".join(f"    {line.format(name)}\n" for line in lines), end="")
        print(f"#endif\n    .size {name}, . - {name}")
    print('    .section .rodata\n' + "".join(f'tactus_text_{name}: .asciz "{name}"\n' for name in names), end="")
    print('    .section .data.rel, "aw"\n    .balign 8\n    .globl tactus_forwarded\n    .hidden tactus_forwarded')
    print("tactus_forwarded:")  # struct Forwarded of forward.c
    for name in names:
        print(f"    .quad tactus_text_{name}\ntactus_target_{name}: .quad tactus_null_{name}")
    # The address of the constructor makes the linker take it from the archive.
    print('    .quad 0, tactus_find_collector\n    .section .note.GNU-stack, "", %progbits')


main()

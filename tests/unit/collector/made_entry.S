// One exported name, as entries.gen.S has them, for entry_test.cpp.
#include "entry.S"
.cfi_startproc
entry 0, made_entry
.cfi_endproc

    .data
    .balign 8
    .globl tactus_entries
    .type tactus_entries, %object
    .size tactus_entries, 8
tactus_entries:
    .quad first_0

    .section .note.GNU-stack, "", %progbits

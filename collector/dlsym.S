// dlsym and dlvsym (x86-64), in front of the C library's. A program that takes MPI functions from a handle (ctypes,
// Julia, Rust) gets the exported names of this library instead, so that its calls are recorded and its messages are
// read like all others. Every other question goes on to the C library with the caller's return address in place, since
// RTLD_NEXT and RTLD_DEFAULT depend on the caller.

.macro in_front_of name
    .text
    .balign 16
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
    endbr64
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    pushq %rdx
    .cfi_adjust_cfa_offset 8
    movq 24(%rsp), %rdx             // the caller
    call tactus_answer_dlsym        // (handle, name, caller); it finds the next functions, too
    popq %rdx
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    testq %rax, %rax
    je 1f
    ret
1:  jmpq *tactus_next_\name(%rip)
    .cfi_endproc
    .size \name, . - \name
.endm

in_front_of dlsym
in_front_of dlvsym

    .section .note.GNU-stack, "", @progbits

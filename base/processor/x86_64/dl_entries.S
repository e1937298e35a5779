// dlopen, dlsym and dlvsym (x86-64), in front of the C library's. Their answers depend on the caller (its run path,
// what RTLD_NEXT and RTLD_DEFAULT mean to it). So questions go on to the C library with the caller's return address in
// place.

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
.endm

.macro go_on_to name
    popq %rdx
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
    testq %rax, %rax
    je 1f
    cmpq $-1, %rax                  // not_found in dlsym.cpp
    jne 2f
    xorl %eax, %eax
2:  ret
1:  jmpq *tactus_next_\name(%rip)
    .cfi_endproc
    .size \name, . - \name
.endm

// A library that is opened with RTLD_DEEPBIND is led to the wrappers later (deep_binding.hpp).
in_front_of dlopen
    call tactus_before_dlopen       // (file, mode); it finds the next dlopen, too
    xorl %eax, %eax
go_on_to dlopen

// A program that takes MPI functions from a handle (ctypes, Julia, Rust) gets the exported names of this library
// instead, so that its calls are recorded and its messages are read like all others.
.macro answer name
in_front_of \name
    movq 24(%rsp), %rdx             // the caller
    call tactus_answer_\name        // (handle, name, caller); it finds the next functions, too
go_on_to \name
.endm

answer dlsym
answer dlvsym

    .section .note.GNU-stack, "", @progbits

// dlopen, dlsym and dlvsym (64-bit ARM), in front of the C library's. Their answers depend on the caller (its run path,
// what RTLD_NEXT and RTLD_DEFAULT mean to it). So questions go on to the C library with the caller's return address in
// place.

.macro in_front_of name
    .text
    .balign 16
    .globl \name
    .type \name, %function
\name:
    .cfi_startproc
    hint #34                        // bti c
    stp x29, x30, [sp, #-48]!
    .cfi_def_cfa_offset 48
    .cfi_offset x29, -48
    .cfi_offset x30, -40
    mov x29, sp
    stp x0, x1, [sp, #16]
    str x2, [sp, #32]
.endm

.macro go_on_to name
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldr x2, [sp, #32]
    ldp x29, x30, [sp], #48
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    cbz x16, 1f
    cmn x16, #1                     // not_found in dlsym.cpp
    csel x0, xzr, x16, eq
    ret
1:  adrp x16, tactus_next_\name
    add x16, x16, :lo12:tactus_next_\name
    ldar x16, [x16]
    br x16
    .cfi_endproc
    .size \name, . - \name
.endm

// A library that is opened with RTLD_DEEPBIND is led to the wrappers later (deep_binding.hpp).
in_front_of dlopen
    bl tactus_before_dlopen         // (file, mode); it finds the next dlopen, too
    mov x0, xzr
go_on_to dlopen

// A program that takes MPI functions from a handle (ctypes, Julia, Rust) gets the exported names of this library
// instead, so that its calls are recorded and its messages are read like all others.
.macro answer name
in_front_of \name
    mov x2, x30                     // the caller
    bl tactus_answer_\name          // (handle, name, caller); it finds the next functions, too
go_on_to \name
.endm

answer dlsym
answer dlvsym

    .section .note.GNU-stack, "", %progbits

// The exported MPI_* and mpi_* names (x86-64). Each jumps through tactus_entries, so that
//  - the first call of the process sets the collector up, with every argument register kept, and then goes on as
//    if nothing had happened;
//  - a program of another MPI, or one the collector gives up on, reaches its own MPI with nothing in between;
//  - the wrapper sees the application's return address.
// entries.gen.S includes this file. It has an `entry NUMBER, NAME` for each function, and an alias for each other
// spelling in Fortran. One description for unwinders (.cfi_startproc) covers all entries, which leave the stack alone.

.macro entry index, name
    .text
    .balign 16
    .globl \name
    .type \name, @function
\name:
    endbr64
    jmpq *(tactus_entries + 8 * \index)(%rip)
    .size \name, . - \name
first_\index:
    pushq $\index
    jmp first_call
.endm

.macro alias name, other
    .globl \other
    .type \other, @function
    .set \other, \name
.endm

    .text
    .balign 16
    .type first_call, @function
first_call:                         // on the stack: the function's number, the caller's return address
    .cfi_startproc
    .cfi_def_cfa_offset 16
    pushq %rbp
    .cfi_def_cfa_offset 24
    .cfi_offset %rbp, -24
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    subq $192, %rsp
    andq $-16, %rsp
    movq %rdi, 0(%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    movq %rax, 48(%rsp)             // al: number of vector registers of a variadic call
    movaps %xmm0, 64(%rsp)
    movaps %xmm1, 80(%rsp)
    movaps %xmm2, 96(%rsp)
    movaps %xmm3, 112(%rsp)
    movaps %xmm4, 128(%rsp)
    movaps %xmm5, 144(%rsp)
    movaps %xmm6, 160(%rsp)
    movaps %xmm7, 176(%rsp)
    movq 8(%rbp), %rdi
    call tactus_set_up
    movq 0(%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rcx
    movq 32(%rsp), %r8
    movq 40(%rsp), %r9
    movq 48(%rsp), %rax
    movaps 64(%rsp), %xmm0
    movaps 80(%rsp), %xmm1
    movaps 96(%rsp), %xmm2
    movaps 112(%rsp), %xmm3
    movaps 128(%rsp), %xmm4
    movaps 144(%rsp), %xmm5
    movaps 160(%rsp), %xmm6
    movaps 176(%rsp), %xmm7
    leave
    .cfi_def_cfa %rsp, 16
    popq %r11
    .cfi_def_cfa_offset 8
    leaq tactus_entries(%rip), %r10
    jmpq *(%r10, %r11, 8)
    .cfi_endproc
    .size first_call, . - first_call

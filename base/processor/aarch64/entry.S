// The exported MPI_* and mpi_* names (64-bit ARM). Each jumps through tactus_entries, so that
//  - the first call of the process sets the collector up, with every argument register kept, and then goes on as
//    if nothing had happened;
//  - a program of another MPI, or one the collector gives up on, reaches its own MPI with nothing in between;
//  - the wrapper sees the application's return address.
// entries.gen.S includes this file. It has an `entry NUMBER, NAME` for each function, and an alias for each other
// spelling in Fortran. One description for unwinders (.cfi_startproc) covers all entries, which leave the stack alone.
//
// The address is loaded with acquire (ldar). A thread that did not set the collector up may see the new address, and
// without it could still read what the set-up wrote before it as it was earlier.

.macro entry index, name
    .text
    .balign 16
    .globl \name
    .type \name, %function
\name:
    hint #34                        // bti c: a place that may be called through a pointer
    adrp x16, tactus_entries + 8 * \index
    add x16, x16, :lo12:tactus_entries + 8 * \index
    ldar x16, [x16]
    br x16
    .size \name, . - \name
first_\index:
    hint #34
    mov w17, #\index
    b first_call
.endm

.macro alias name, other
    .globl \other
    .type \other, %function
    .set \other, \name
.endm

    .text
    .balign 16
    .type first_call, %function
first_call:                         // in x17: the function's number
    .cfi_startproc
    stp x29, x30, [sp, #-224]!
    .cfi_def_cfa_offset 224
    .cfi_offset x29, -224
    .cfi_offset x30, -216
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    stp x8, x17, [sp, #80]          // x8: where a result in memory goes
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
    mov x0, x17
    bl tactus_set_up
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldp x8, x17, [sp, #80]
    ldp q0, q1, [sp, #96]
    ldp q2, q3, [sp, #128]
    ldp q4, q5, [sp, #160]
    ldp q6, q7, [sp, #192]
    ldp x29, x30, [sp], #224
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    adrp x16, tactus_entries
    add x16, x16, :lo12:tactus_entries
    add x16, x16, x17, lsl #3
    ldar x16, [x16]
    br x16
    .cfi_endproc
    .size first_call, . - first_call

// Finds calls whose caller is not on the stack. A function that ends with a call (`return MPI_Send(...)`) is left by a
// jump, so the return address of that call lies in the function's own caller. The instruction before the return address
// then calls that function and not the MPI. The debug information says where it jumps.
#pragma once

#include <elfutils/libdwfl.h>
#include <optional>
#include <string>

namespace tactus {

struct TailCall {
    std::string through;          // the symbol of the function that was called, and left by a jump
    std::optional<Dwarf_Addr> at; // the address behind the jump to the MPI, as the module has it; only if there is one
};

// `address` is a return address by the addresses of libdwfl. Returns nothing for an ordinary call, and for code that
// this does not know (calls through pointers, other processors than x86-64 and 64-bit ARM).
std::optional<TailCall> tail_call(Dwfl_Module* module, Dwarf_Addr address);

} // namespace tactus

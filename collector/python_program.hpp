// Finds the Python interpreter that this process runs a program with, if there is one.
#pragma once

#include "sampling/frame_rules.hpp"
#include "sampling/python.hpp"

#include <optional>

namespace tactus {

struct PythonProgram {
    Python python;
    Mapped interpreter; // the code of the file that has it, by addresses
};

// Nothing where no interpreter is mapped, or one of a version that sampling/python.hpp does not know. Takes the dynamic
// linker's lock.
std::optional<PythonProgram> find_python();

} // namespace tactus

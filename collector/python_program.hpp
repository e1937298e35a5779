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

struct PythonSearch {
    bool any = false;                        // an interpreter is mapped
    std::optional<PythonProgram> known = {}; // nothing where sampling/python.hpp does not know its version
};
// Takes the dynamic linker's lock.
PythonSearch find_python();

} // namespace tactus

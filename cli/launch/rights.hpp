// Which programs the kernel starts with rights that this user does not have. The dynamic linker ignores and removes
// LD_PRELOAD in them (AT_SECURE in ld.so(8)), so that nothing can be preloaded into them.
#pragma once

#include <filesystem>
#include <string>

namespace tactus {

// Returns why nothing can be preloaded into the program, as the end of a sentence that begins with its name, or an
// empty text if it gets no other rights.
[[nodiscard]] std::string gained_rights(const std::filesystem::path& program);

} // namespace tactus

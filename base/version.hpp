// Which tactus this is. version.gen.cpp is written by tools/cmake/version.cmake at each build, and compiled when it
// changed.
#pragma once

namespace tactus {

// Version and commit, "0.2.0 (1a2b3c4d5e)"; the commit has "-dirty" behind it where files differed from it, and is
// "unknown" where the sources are no git checkout.
const char* version();
// The version alone, "0.2.0": what of ours goes together in one process.
const char* release();

} // namespace tactus

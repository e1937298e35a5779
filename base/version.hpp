// The version of this tactus. tools/cmake/version.cmake writes version.gen.cpp at each build, and it is compiled when
// it has changed.
#pragma once

namespace tactus {

// Version and commit, such as "0.2.0 (1a2b3c4d5e)". The commit ends in "-dirty" where files differed from it, and is
// "unknown" where the sources are not a git checkout.
const char* version();
// The version alone, such as "0.2.0". Parts of tactus work together in one process when they agree in it.
const char* release();

} // namespace tactus

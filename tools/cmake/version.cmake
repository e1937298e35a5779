# Writes OUTPUT, version.gen.cpp, with the version and the commit of SOURCE; leaves it as it is when it says so already.
# A checkout of something else around SOURCE does not count.
set(commit unknown)
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=10 OUTPUT_VARIABLE described
    RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(commit ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[#include "base/version.hpp"

namespace tactus {
const char* version() { return "@VERSION@ (@commit@)"; }
const char* release() { return "@VERSION@"; }
} // namespace tactus
]] @ONLY)

# What was compiled once, also in another checkout, is not compiled again, where ccache is installed.
find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()

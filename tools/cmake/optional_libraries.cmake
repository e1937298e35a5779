# Parts that tactus can do without. What is not here is left out, and CMake says once at its end what that is; the
# command says so where somebody asks for it. TACTUS_WITHOUT leaves a part out though it is here.
set(TACTUS_WITHOUT "" CACHE STRING "parts to leave out, of: openmpi mpich otf2 cairo httplib libdw cupti")
find_package(PkgConfig REQUIRED)

function(tactus_left_out what packages)
  set(line "${what}")
  if(packages)
    string(APPEND line " (Debian's ${packages})")
  endif()
  set_property(GLOBAL APPEND PROPERTY tactus_left_out "${line}")
endfunction()

# tactus_find_part(otf2 MODULE otf2 PACKAGE libopen-trace-format2-dev FOR "tactus export --otf2"): PkgConfig::otf2, and
# otf2_FOUND everywhere.
function(tactus_find_part name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODULE;PACKAGE;FOR" "")
  set(found FALSE)
  if(NOT name IN_LIST TACTUS_WITHOUT)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${arg_MODULE})
    set(found ${${name}_FOUND})
  endif()
  if(NOT found)
    tactus_left_out("${arg_FOR}" ${arg_PACKAGE})
  endif()
  set(tactus_has_${name} ${found} PARENT_SCOPE)
endfunction()

function(tactus_say_what_is_left_out)
  get_property(lines GLOBAL PROPERTY tactus_left_out)
  foreach(line IN LISTS lines)
    message(STATUS "tactus is built without ${line}")
  endforeach()
endfunction()

tactus_find_part(otf2 MODULE otf2 PACKAGE libopen-trace-format2-dev FOR "tactus export --otf2 and tactus import")
tactus_find_part(cairo MODULE cairo PACKAGE libcairo2-dev FOR "tactus view --svg, --png and --pdf")
tactus_find_part(httplib MODULE cpp-httplib PACKAGE libcpp-httplib-dev FOR "the page of tactus view")
# Its header may call OpenSSL by itself, as that of 0.18 does, and its package does not say so.
if(tactus_has_httplib AND "${httplib_CFLAGS}" MATCHES "OPENSSL")
  pkg_check_modules(crypto QUIET libcrypto)
  if(crypto_FOUND)
    target_link_libraries(PkgConfig::httplib INTERFACE -Wl,--push-state,--as-needed ${crypto_LINK_LIBRARIES}
                          -Wl,--pop-state)
  endif()
endif()
tactus_find_part(libdw MODULE libdw PACKAGE libdw-dev FOR "source lines of call places")

# Warnings and flags that every target of ours shares. A product and a sum are rounded one after the other, also on
# processors that could do both at once, so that a trace reads the same on all of them.
add_library(tactus_flags INTERFACE)
target_compile_options(tactus_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wno-psabi $<$<COMPILE_LANGUAGE:CXX>:-Wconversion> -Werror -fvisibility=hidden
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -ffunction-sections -fdata-sections -ffp-contract=off)
# What nothing uses is left out. Code and constants may share a page, which makes a file some kilobytes smaller.
target_link_options(tactus_flags INTERFACE -Wl,--gc-sections -Wl,-z,noseparate-code)
target_include_directories(tactus_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${processor_folder})

# Several sources compiled as one take about half of the time. Two of these warnings look at the limits of files, the
# third depends on what is inlined; the presets dev and release have them all, as errors.
if(CMAKE_UNITY_BUILD)
  target_compile_options(tactus_flags INTERFACE -Wno-shadow
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
# Who only uses tactus may have a compiler that warns of more than ours.
if(NOT TACTUS_TESTS)
  target_compile_options(tactus_flags INTERFACE -Wno-error)
endif()

# The parts that also live inside the traced application: no exceptions, no RTTI.
add_library(tactus_embedded INTERFACE)
target_link_libraries(tactus_embedded INTERFACE tactus_flags)
target_compile_options(tactus_embedded INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>
  -ftls-model=initial-exec)

if(sanitized) # sanitized code makes GCC 12 see uninitialized values in libstdc++ itself
  target_compile_options(tactus_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
if(TACTUS_ASAN)
  target_compile_options(tactus_flags INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer
    -fno-sanitize-recover=undefined)
  target_link_options(tactus_flags INTERFACE -fsanitize=address,undefined)
endif()
if(TACTUS_FUZZ) # so that the fuzzers see which way the input takes in the libraries
  target_compile_options(tactus_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(TACTUS_TSAN)
  # The sanitizer does not know fences. Those here order atomic accesses with what another process reads.
  target_compile_options(tactus_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
  target_link_options(tactus_flags INTERFACE -fsanitize=thread)
endif()

# What the embedded parts switch off. Linked last, so that these flags come behind theirs.
add_library(tactus_exceptions INTERFACE)
target_compile_options(tactus_exceptions INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fexceptions -frtti>)
if(TACTUS_ASAN)
  # Objects made in the embedded parts carry no type information for this check to read.
  target_compile_options(tactus_exceptions INTERFACE -fno-sanitize=vptr)
endif()

# Sources whose speed does not matter are compiled to be small. CMake compiles no source that has options of its own
# together with others, so this is not done where several sources are compiled as one.
function(tactus_for_size)
  if(NOT CMAKE_UNITY_BUILD)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:RelWithDebInfo,Release>:-Os>)
  endif()
endfunction()

# Which targets each test needs, so that `tools/test NAME` builds these and no more: written as
# ${CMAKE_BINARY_DIR}/test_targets.json when everything is configured. A test that says nothing needs all.
#
#   test_needs(test target...)
function(test_needs test)
  list(JOIN ARGN "\", \"" targets)
  set_property(GLOBAL APPEND PROPERTY tactus_test_needs "  \"${test}\": [\"${targets}\"]")
endfunction()

function(write_test_targets)
  get_property(lines GLOBAL PROPERTY tactus_test_needs)
  list(JOIN lines ",\n" lines)
  file(WRITE ${CMAKE_BINARY_DIR}/test_targets.json "{\n${lines}\n}\n")
endfunction()
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL write_test_targets)

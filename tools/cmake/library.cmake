# tactus_library(NAME USES LIBRARY... [FOLDERS FOLDER...] [WITHOUT FILE...] [PRIVATE LIBRARY...])
#
# The static library tactus_NAME of all sources that lie here, and in the folders of it that are named, but not those
# after WITHOUT: each is in one list, that of the folder. It links the tactus_LIBRARYs after USES, which whoever uses it
# then has, too; after PRIVATE come libraries of others that only its own sources need.
function(tactus_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES;FOLDERS;WITHOUT;PRIVATE")
  set(patterns *.cpp)
  foreach(folder IN LISTS arg_FOLDERS)
    list(APPEND patterns ${folder}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${patterns})
  list(REMOVE_ITEM sources ${arg_WITHOUT})
  list(TRANSFORM arg_USES PREPEND tactus_)
  add_library(tactus_${name} STATIC ${sources})
  target_link_libraries(tactus_${name} PUBLIC ${arg_USES} PRIVATE ${arg_PRIVATE})
endfunction()

# tactus_part(NAME PART FILE LIBRARY): the source FILE and the library it needs, or where tactus is built without that
# part no_FILE, which says so.
function(tactus_part name part file library)
  if(tactus_has_${part})
    target_sources(tactus_${name} PRIVATE ${file})
    target_link_libraries(tactus_${name} PRIVATE ${library})
  else()
    target_sources(tactus_${name} PRIVATE no_${file})
  endif()
endfunction()

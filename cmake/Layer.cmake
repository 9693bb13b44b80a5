# What most files include is parsed once for all layers: two seconds less for each of them. Not where each file is looked
# at alone: there its own includes have to do.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "// A place for the precompiled header.\n")
add_library(makegood_headers OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
target_link_libraries(makegood_headers PRIVATE makegood_compile fmt::fmt Threads::Threads)
target_precompile_headers(makegood_headers PRIVATE
  <algorithm> <array> <atomic> <charconv> <chrono> <condition_variable> <cstdint> <deque> <functional> <iterator> <limits> <map>
  <memory> <mutex> <optional> <ranges> <set> <span> <stop_token> <string> <string_view> <thread> <utility> <variant> <vector>
  <fmt/format.h>)

# makegood_layer(NAME SOURCES... [LINK LIBRARIES...]): one folder of src/ as an object library.
# A layer sees include/ and src/; who may include whom is checked by tools/tidy.py.
function(makegood_layer name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(makegood_${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(makegood_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(makegood_${name} PRIVATE makegood_compile fmt::fmt Threads::Threads ${ARG_LINK})
  # Small files spend their time on the standard headers; a dozen at once take a fifth of it.
  set_target_properties(makegood_${name} PROPERTIES UNITY_BUILD ${MAKEGOOD_UNITY} UNITY_BUILD_BATCH_SIZE 40)
  if(MAKEGOOD_UNITY)
    target_precompile_headers(makegood_${name} REUSE_FROM makegood_headers)
  endif()
endfunction()

# makegood_program(NAME SOURCES... [LINK LIBRARIES...]): a program in build/<preset>/bin.
function(makegood_program name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE makegood_compile makegood fmt::fmt ${ARG_LINK})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${MAKEGOOD_UNITY} UNITY_BUILD_BATCH_SIZE 40)
endfunction()

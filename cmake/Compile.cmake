# makegood_compile: C++23, warnings are errors, hardening, sanitizers. Every target of ours links it privately.
find_program(CCACHE ccache)
if(CCACHE)
  # Without this it leaves out everything that uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET default)

add_library(makegood_compile INTERFACE)
target_compile_features(makegood_compile INTERFACE cxx_std_23)
target_compile_options(makegood_compile INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wswitch-enum
  -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Werror>
  # GCC 12 sees ghosts in its own headers and in RapidJSON with these two.
  -Wno-maybe-uninitialized -Wno-restrict
  -fno-omit-frame-pointer)
# Assertions of the standard library stay on in release: they cost little and stop a bug before it loses data.
target_compile_definitions(makegood_compile INTERFACE _GLIBCXX_ASSERTIONS)
include(CheckPIESupported)
check_pie_supported()

if(MAKEGOOD_SANITIZE)
  # Without optimisation: with it, GCC takes four times as long over the checks of UBSan (28 s instead of 7 s for a chapter
  # of the conformance suite).
  target_compile_options(makegood_compile INTERFACE -fsanitize=${MAKEGOOD_SANITIZE} -fno-sanitize-recover=all)
  # These builds are made for the tests, from nothing, by whoever checks a change: they have to be quick. Together an
  # eighth less: the compiler collects its garbage rarely (a gigabyte instead of 0.7), and std::move is not a call.
  target_compile_options(makegood_compile INTERFACE
    "SHELL:--param ggc-min-expand=400" "SHELL:--param ggc-min-heapsize=1000000")
  if(MAKEGOOD_UNITY)  # Otherwise clang-tidy reads the flags, and does not know this one.
    target_compile_options(makegood_compile INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffold-simple-inlines>)
  endif()
  if(MAKEGOOD_SANITIZE MATCHES "address")
    # AddressSanitizer sees what these three would, where it happens; without them a build takes a fifth less. Checks that
    # are calls instead of code at each place take an eighth less.
    target_compile_options(makegood_compile INTERFACE -fno-sanitize=null,alignment,object-size
      "SHELL:--param asan-instrumentation-with-call-threshold=0")
  endif()
  target_link_options(makegood_compile INTERFACE -fsanitize=${MAKEGOOD_SANITIZE})
  if(MAKEGOOD_SANITIZE MATCHES "address")
    # The tests start the program two thousand times, and each time 360,000 addresses would have to be told where they are.
    set(CMAKE_CXX_LINK_PIE_SUPPORTED OFF)
    target_link_options(makegood_compile INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  endif()
  # 50 programs: 0.4 s for each instead of 2.9.
  find_program(MOLD mold)
  if(MOLD)
    target_link_options(makegood_compile INTERFACE -fuse-ld=mold)
  endif()
else()
  target_compile_options(makegood_compile INTERFACE -fstack-protector-strong)
  target_link_options(makegood_compile INTERFACE -Wl,-z,relro,-z,now)
  target_compile_definitions(makegood_compile INTERFACE $<$<CONFIG:Release>:_FORTIFY_SOURCE=3>)
endif()

# makegood_unchecked: for what nobody runs with sanitizers. Linked last, so that its flags are.
add_library(makegood_unchecked INTERFACE)
if(MAKEGOOD_SANITIZE)
  target_compile_options(makegood_unchecked INTERFACE -fno-sanitize=all)
endif()

# What `cmake --install` lays down: the libraries with its public headers, the CMake package, the pkg-config file, the
# program with its systemd unit, the license. Layers are object libraries inside the library and are not exported.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/makegood)
set(package_build_dir ${CMAKE_BINARY_DIR}/package)

install(TARGETS makegood EXPORT makegoodTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# A header whose part was not built is not installed either.
set(headers_left_out "")
foreach(feature_and_header IN ITEMS sqlite:sqlite.h sqlite:sqlite.hpp sqlite:sqlite_idempotency.hpp sqlite:sqlite_saga.hpp postgres:postgres.hpp postgres:postgres_idempotency.hpp postgres:postgres_saga.hpp http:http.hpp http:brokers.hpp telemetry:telemetry.hpp)
  string(REPLACE ":" ";" pair ${feature_and_header})
  list(POP_FRONT pair feature header)
  if(NOT feature IN_LIST makegood_features)
    list(APPEND headers_left_out PATTERN ${header} EXCLUDE)
  endif()
endforeach()
if(NOT makegood_brokers)
  list(APPEND headers_left_out PATTERN brokers.hpp EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/makegood DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${headers_left_out})
if(TARGET makegood_telemetry)
  install(TARGETS makegood_telemetry EXPORT makegoodTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(EXPORT makegoodTargets NAMESPACE makegood:: DESTINATION ${package_dir})

# A static library leaves its own libraries to be found by whoever links it; a shared one brings them along.
get_target_property(MAKEGOOD_LIBRARY_TYPE makegood TYPE)
set(MAKEGOOD_FEATURES ${makegood_features})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/makegoodConfig.cmake.in
  ${package_build_dir}/makegoodConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${package_build_dir}/makegoodConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${package_build_dir}/makegoodConfig.cmake ${package_build_dir}/makegoodConfigVersion.cmake
  DESTINATION ${package_dir})

# The prefix is told relative to the file, so that the installed tree can be moved.
file(RELATIVE_PATH MAKEGOOD_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(MAKEGOOD_PC_LIBRARIES "-lfmt -pthread")
foreach(feature_and_flags IN ITEMS "sqlite:-lsqlite3" "postgres:-lpq" "http:-lcurl -lcares -lcrypto" "kafka:-lrdkafka" "seal:-lcrypto")
  string(REPLACE ":" ";" pair ${feature_and_flags})
  list(POP_FRONT pair feature flags)
  if(feature IN_LIST makegood_features)
    string(PREPEND MAKEGOOD_PC_LIBRARIES "${flags} ")
  endif()
endforeach()
if(makegood_brokers)
  string(PREPEND MAKEGOOD_PC_LIBRARIES "-lssl ")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/makegood.pc.in ${package_build_dir}/makegood.pc @ONLY)
install(FILES ${package_build_dir}/makegood.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET makegood_cli)
  set_target_properties(makegood_cli PROPERTIES INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
  install(TARGETS makegood_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # The unit names the program where it will be.
  file(READ ${PROJECT_SOURCE_DIR}/packaging/makegood.service unit)
  string(REPLACE /usr/bin/makegood ${CMAKE_INSTALL_FULL_BINDIR}/makegood unit "${unit}")
  file(CONFIGURE OUTPUT ${package_build_dir}/makegood.service CONTENT "${unit}" @ONLY)
  install(FILES ${package_build_dir}/makegood.service DESTINATION lib/systemd/system)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/makegood.sysusers DESTINATION lib/sysusers.d RENAME makegood.conf)
endif()

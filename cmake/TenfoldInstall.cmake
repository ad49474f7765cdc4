# Installs the library, its headers and the CMake package tenfold (target tenfold::tenfold).

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tenfold)

install(TARGETS tenfold EXPORT tenfold_targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tenfold TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
install(EXPORT tenfold_targets FILE tenfold-targets.cmake NAMESPACE tenfold::
        DESTINATION ${package_folder})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tenfold-config.cmake.in
  ${PROJECT_BINARY_DIR}/tenfold-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tenfold-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tenfold-config.cmake
              ${PROJECT_BINARY_DIR}/tenfold-config-version.cmake DESTINATION ${package_folder})

# find_package(cardan) for programs that use the library.
include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY CARDAN_LIBRARIES)
install(TARGETS ${libraries} cardan_klu EXPORT cardan-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT cardan-targets NAMESPACE cardan:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cardan)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/cardan DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS cardan_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cardan-config.cmake.in ${PROJECT_BINARY_DIR}/cardan-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cardan)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cardan-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cardan-config.cmake ${PROJECT_BINARY_DIR}/cardan-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cardan)

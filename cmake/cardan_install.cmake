# find_package(cardan) for programs that use the library.
include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY CARDAN_LIBRARIES)
install(TARGETS ${libraries} cardan_klu EXPORT cardan-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT cardan-targets NAMESPACE cardan:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cardan)

# What is offered to other programs (docs/user-guide/cpp.md). It is installed with what it includes; all other headers stay here.
set(public_headers
    cardan.h                       # models, runs, simulations: nothing is stored
    session/session.h              # runs as the command line makes them: stored, with report, resumed
    session/memory_run.h session/sweep_session.h session/sweep_page.h session/verify.h session/method_reference.h session/mobility_json.h session/parameter_ranking.h
    model/analysis_type.h study/sweep_statistics.h study/comparison_report.h report/report.h results/run_reader.h results/manifest.h results/json.h io/schema.h
    io/export.h io/export_vtk.h netcdf/netcdf.h  # stored runs for other programs
    formulation/mechanism_equations.h formulation/explicit/partition.h  # equations of a compiled mechanism
    ode/integrator.h ode/registry.h ode/method_options.h ode/second_order/second_order.h)  # integrators for equations of one's own

# cardan_headers_used(out header...): these and all that they include, below cardan/.
function(cardan_headers_used out)
  set(found "")
  set(open ${ARGN})
  while(open)
    list(POP_FRONT open header)
    if(header IN_LIST found)
      continue()
    endif()
    list(APPEND found ${header})
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cardan/${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/cardan/${header} lines REGEX "^#include \"cardan/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"cardan/([^\"]+)\".*" "\\1" used "${line}")
      list(APPEND open ${used})
    endforeach()
  endwhile()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

cardan_headers_used(headers ${public_headers})
foreach(header IN LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/cardan/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cardan/${folder})
endforeach()

# One target for cardan/cardan.h. A program that stores nothing does not load what only stores need.
add_library(cardan INTERFACE)
add_library(cardan::cardan ALIAS cardan)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/whole/cardan)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/cardan/cardan.h ${PROJECT_BINARY_DIR}/include/whole/cardan/cardan.h SYMBOLIC)
target_include_directories(cardan INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include/whole>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(cardan INTERFACE cardan_analysis cardan_io)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  target_link_options(cardan INTERFACE LINKER:--as-needed)
endif()
install(TARGETS cardan EXPORT cardan-targets)

install(TARGETS cardan_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cardan-config.cmake.in ${PROJECT_BINARY_DIR}/cardan-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cardan)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cardan-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cardan-config.cmake ${PROJECT_BINARY_DIR}/cardan-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cardan)

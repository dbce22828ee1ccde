# Embeds the built viewer (viewer/) into the results library, so that reports carry it. Without Node the program still builds,
# and its reports say what is missing.
option(CARDAN_VIEWER "Build the report viewer (needs Node 18 or newer, and npm)" ON)
find_program(CARDAN_NODE NAMES node nodejs)
find_program(CARDAN_NPM NAMES npm)

set(viewer ${PROJECT_SOURCE_DIR}/viewer)
set(viewer_page ${PROJECT_BINARY_DIR}/viewer/viewer_page.cpp)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/viewer)

if(CARDAN_VIEWER AND CARDAN_NODE AND CARDAN_NPM)
  file(GLOB_RECURSE viewer_sources CONFIGURE_DEPENDS ${viewer}/src/*)
  add_custom_command(
    OUTPUT ${viewer_page}
    COMMAND ${CMAKE_COMMAND} -DNODE=${CARDAN_NODE} -DNPM=${CARDAN_NPM} -DVIEWER=${viewer} -DPAGE=${viewer_page}
            -P ${PROJECT_SOURCE_DIR}/cmake/viewer_page.cmake
    DEPENDS ${viewer_sources} ${viewer}/build.mjs ${viewer}/package-lock.json ${PROJECT_SOURCE_DIR}/cmake/viewer_page.cmake
    COMMENT "Building the viewer"
    VERBATIM)
else()
  message(STATUS "No Node.js, or CARDAN_VIEWER is off: reports will have no plots and no animation")
  file(GENERATE OUTPUT ${viewer_page} INPUT ${PROJECT_SOURCE_DIR}/cmake/viewer_absent.cpp.in)
endif()
target_sources(cardan_results PRIVATE ${viewer_page})

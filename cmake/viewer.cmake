# Embeds the viewer's page into the report library, so that reports carry it. A built page is kept in viewer/page/, with the
# checksums of the sources that it was made from; where those have changed, it is built anew, which needs Node.
option(CARDAN_VIEWER "Put the viewer into reports" ON)
find_program(CARDAN_NODE NAMES node nodejs)
find_program(CARDAN_NPM NAMES npm)

set(viewer ${PROJECT_SOURCE_DIR}/viewer)
set(page ${viewer}/page/viewer.html)
set(viewer_page ${PROJECT_BINARY_DIR}/viewer/viewer_page.cpp)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/viewer)

file(GLOB_RECURSE viewer_sources CONFIGURE_DEPENDS RELATIVE ${viewer} ${viewer}/src/*)
list(APPEND viewer_sources build.mjs package-lock.json)
list(SORT viewer_sources)
set(checksums "")
foreach(source IN LISTS viewer_sources)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${viewer}/${source})
  file(SHA256 ${viewer}/${source} checksum)
  string(APPEND checksums "${checksum}  ${source}\n")
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${viewer}/page/sources.sha256)
file(READ ${viewer}/page/sources.sha256 kept_checksums)

if(NOT CARDAN_VIEWER)
  message(STATUS "CARDAN_VIEWER is off: reports will have no plots and no animation")
  file(GENERATE OUTPUT ${viewer_page} INPUT ${PROJECT_SOURCE_DIR}/cmake/viewer_absent.cpp.in)
else()
  if(NOT checksums STREQUAL kept_checksums)
    if(CARDAN_NODE AND CARDAN_NPM)
      set(page ${PROJECT_BINARY_DIR}/viewer/viewer.html)
      list(TRANSFORM viewer_sources PREPEND ${viewer}/)
      add_custom_command(
        OUTPUT ${page}
        COMMAND ${CMAKE_COMMAND} -DNODE=${CARDAN_NODE} -DNPM=${CARDAN_NPM} -DVIEWER=${viewer} -DPAGE=${page}
                -P ${PROJECT_SOURCE_DIR}/cmake/viewer_build.cmake
        DEPENDS ${viewer_sources} ${PROJECT_SOURCE_DIR}/cmake/viewer_build.cmake
        COMMENT "Building the viewer, whose sources have changed"
        VERBATIM)
    else()
      message(WARNING "The viewer's sources have changed, and there is no Node.js to build them: reports carry the page that was "
                      "kept (viewer/page)")
    endif()
  endif()
  add_custom_command(
    OUTPUT ${viewer_page}
    COMMAND ${CMAKE_COMMAND} -DPAGE=${page} -DSOURCE=${viewer_page} -P ${PROJECT_SOURCE_DIR}/cmake/viewer_page.cmake
    DEPENDS ${page} ${PROJECT_SOURCE_DIR}/cmake/viewer_page.cmake
    COMMENT "Embedding the viewer's page"
    VERBATIM)
endif()
# A string of 0.7 MB is no company for other sources.
set_source_files_properties(${viewer_page} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
target_sources(cardan_report PRIVATE ${viewer_page})

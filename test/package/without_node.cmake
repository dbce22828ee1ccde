# The program builds where there is no Node.js: configured as if there were none, the source that stands for the viewer's page is
# made, says that there is no page, and compiles. cmake -DSOURCE=... -DPLACE=... -P without_node.cmake
file(REMOVE_RECURSE ${PLACE})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${PLACE} -G Ninja -DCMAKE_BUILD_TYPE=Release -DCARDAN_BUILD_TESTS=OFF
                        -DCARDAN_NODE= -DCARDAN_NPM=
                RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(failed)
  message(FATAL_ERROR "it does not configure:\n${output}")
endif()
if(NOT output MATCHES "No Node.js")
  message(FATAL_ERROR "it does not say what is missing:\n${output}")
endif()
file(READ ${PLACE}/viewer/viewer_page.cpp source)
if(NOT source MATCHES "viewer_page" OR source MATCHES "<html")
  message(FATAL_ERROR "the page that stands in is not there:\n${source}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${PLACE} --target CMakeFiles/cardan_results.dir/viewer/viewer_page.cpp.o
                RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(failed)
  message(FATAL_ERROR "it does not compile:\n${output}")
endif()
file(REMOVE_RECURSE ${PLACE})

# The program builds where there is no Node.js: configured as if there were none, it carries the page that is kept, whole.
# It is configured as bin/bench does, whose programs are there.
# cmake -DSOURCE=... -DPLACE=... -P without_node.cmake
file(REMOVE_RECURSE ${PLACE})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${PLACE} -G Ninja -DCMAKE_BUILD_TYPE=Release -DCARDAN_BUILD_TESTS=OFF
                        -DCARDAN_NODE= -DCARDAN_NPM= -DCARDAN_BUILD_BENCH=ON
                RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(failed)
  message(FATAL_ERROR "it does not configure:\n${output}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${PLACE} --target help OUTPUT_VARIABLE targets)
if(NOT targets MATCHES "run_case: phony")
  message(FATAL_ERROR "there is no program run_case for bin/bench")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${PLACE} --target CMakeFiles/cardan_report.dir/viewer/viewer_page.cpp.o
                RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(failed)
  message(FATAL_ERROR "it does not compile:\n${output}")
endif()
file(READ ${SOURCE}/viewer/page/viewer.html page)
file(READ ${PLACE}/viewer/viewer_page.cpp embedded)
string(REPLACE ")viewer_page\"\n    R\"viewer_page(" "" embedded "${embedded}")
string(FIND "${embedded}" "${page}" found)
if(found EQUAL -1)
  message(FATAL_ERROR "the page that the program carries is not the one that is kept")
endif()
file(REMOVE_RECURSE ${PLACE})

# Run by the build: packages of the viewer once (npm ci, no install scripts, no browsers), then the page as C++ source.
# A machine that cannot fetch them gets the source without a page, and a warning.
set(installed ${VIEWER}/node_modules/.package-lock.json)
if(NOT EXISTS ${installed} OR ${VIEWER}/package-lock.json IS_NEWER_THAN ${installed})
  file(LOCK ${VIEWER}/node_modules.lock GUARD PROCESS TIMEOUT 600)
  if(NOT EXISTS ${installed} OR ${VIEWER}/package-lock.json IS_NEWER_THAN ${installed})
    execute_process(COMMAND ${CMAKE_COMMAND} -E env PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 ${NPM} ci --no-progress --loglevel=error
                    WORKING_DIRECTORY ${VIEWER} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(EXISTS ${installed})
      file(TOUCH ${installed})
    endif()
  endif()
endif()
if(NOT failed)
  execute_process(COMMAND ${NODE} build.mjs --out=${PAGE}.parts --cpp=${PAGE}
                  WORKING_DIRECTORY ${VIEWER} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
endif()
if(failed)
  message(WARNING "The viewer was not built; reports will have no plots and no animation.\n${output}")
  configure_file(${CMAKE_CURRENT_LIST_DIR}/viewer_absent.cpp.in ${PAGE} COPYONLY)
endif()

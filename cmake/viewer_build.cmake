# Run by the build where the viewer's sources differ from those of the kept page: packages of the viewer once (npm ci, no install
# scripts, no browsers), then the page.
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
  get_filename_component(place ${PAGE} DIRECTORY)
  execute_process(COMMAND ${NODE} build.mjs --out=${place}
                  WORKING_DIRECTORY ${VIEWER} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
endif()
if(failed)
  message(FATAL_ERROR "The viewer was not built:\n${output}")
endif()

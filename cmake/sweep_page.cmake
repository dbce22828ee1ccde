# Embeds the page of a sweep into the session library.
set(sweep_page ${PROJECT_SOURCE_DIR}/cardan/session/sweep_page.html)
set(sweep_page_source ${PROJECT_BINARY_DIR}/sweep_page_text.cpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sweep_page})
file(READ ${sweep_page} content)
set(source_text "// Made by CMake.\n#include \"cardan/session/sweep_page.h\"\nnamespace cardan {\nstd::string_view sweep_page_text() {\n  return R\"cardan(${content})cardan\";\n}\n}\n")
file(CONFIGURE OUTPUT ${sweep_page_source} CONTENT "@source_text@" @ONLY)
target_sources(cardan_session PRIVATE ${sweep_page_source})
set_source_files_properties(${sweep_page_source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

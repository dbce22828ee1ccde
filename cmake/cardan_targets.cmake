# Helpers that keep one target per folder and let a target see only the headers of what it links.
include(GNUInstallDirs)

# Compiling again what has not changed is left to ccache where there is one.
find_program(CARDAN_CCACHE ccache)
if(PROJECT_IS_TOP_LEVEL AND CARDAN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CARDAN_CCACHE})
endif()

add_library(cardan_options INTERFACE)
target_compile_features(cardan_options INTERFACE cxx_std_20)
target_compile_options(cardan_options INTERFACE -Wall -Wextra -Wshadow -Wno-psabi -ffp-contract=off
                       $<$<BOOL:${CARDAN_WERROR}>:-Werror>)
target_compile_definitions(cardan_options INTERFACE $<$<BOOL:${CARDAN_CHECKED}>:CARDAN_CHECKED>)

# The one source that tells the program's version.
set_source_files_properties(${PROJECT_SOURCE_DIR}/cardan/results/manifest.cpp PROPERTIES
                            COMPILE_DEFINITIONS CARDAN_VERSION="${PROJECT_VERSION}")

# KLU has no CMake package in Debian 12.
add_library(cardan_klu INTERFACE)
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse REQUIRED)
target_include_directories(cardan_klu SYSTEM INTERFACE $<BUILD_INTERFACE:${KLU_INCLUDE_DIR}>)
target_link_libraries(cardan_klu INTERFACE klu btf amd colamd suitesparseconfig)

# cardan_library(name dependency...): the folder cardan/<name> as target cardan::<name>. Its headers are
# reached through a link of its own, so a folder that is not linked cannot be included.
function(cardan_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cardan/${name}/*.cpp)
  set(view ${PROJECT_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${view}/cardan)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/cardan/${name} ${view}/cardan/${name} SYMBOLIC)
  if(sources)
    add_library(cardan_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(cardan_${name} PRIVATE $<BUILD_INTERFACE:cardan_options>)
    set_target_properties(cardan_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  else()
    add_library(cardan_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(cardan::${name} ALIAS cardan_${name})
  set_target_properties(cardan_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(cardan_${name} ${scope} cxx_std_20)
  target_include_directories(cardan_${name} ${scope} $<BUILD_INTERFACE:${view}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(cardan_${name} ${scope} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY CARDAN_LIBRARIES cardan_${name})
endfunction()

# cardan_test(name dependency...): all of test/<name>/*.cpp as one program, one ctest entry per test.
function(cardan_test name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE cardan_options ${ARGN} GTest::gtest_main)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(test_${name} PRIVATE CARDAN_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             CARDAN_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_test(NAME ${name} COMMAND test_${name} --gtest_brief=1)
endfunction()

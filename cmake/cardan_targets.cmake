# Helpers that keep one target per folder and let a target see only the headers of what it links.
include(GNUInstallDirs)
include(join_sources)

# Compiling again what has not changed is left to ccache where there is one.
find_program(CARDAN_CCACHE ccache)
if(PROJECT_IS_TOP_LEVEL AND CARDAN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CARDAN_CCACHE})
endif()

add_library(cardan_options INTERFACE)
target_compile_features(cardan_options INTERFACE cxx_std_20)
target_compile_options(cardan_options INTERFACE -Wall -Wextra -Wshadow -Wno-psabi -ffp-contract=off
                       $<$<BOOL:${CARDAN_WERROR}>:-Werror>)
if(CMAKE_UNITY_BUILD)
  target_compile_options(cardan_options INTERFACE -Wno-shadow)  # of a name in a source that stands before
endif()
target_compile_definitions(cardan_options INTERFACE $<$<BOOL:${CARDAN_CHECKED}>:CARDAN_CHECKED>)

# The one source that tells the program's version.
set_source_files_properties(${PROJECT_SOURCE_DIR}/cardan/results/version.cpp PROPERTIES
                            COMPILE_DEFINITIONS CARDAN_VERSION="${PROJECT_VERSION}")

# KLU has no CMake package in Debian 12.
add_library(cardan_klu INTERFACE)
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse REQUIRED)
target_include_directories(cardan_klu SYSTEM INTERFACE $<BUILD_INTERFACE:${KLU_INCLUDE_DIR}>)
target_link_libraries(cardan_klu INTERFACE klu btf amd colamd suitesparseconfig)

# Headers that nearly every source reads, compiled once. They are a matter of speed only: every file still includes what it uses.
# Text is what reads, writes and prints (model, results, io, apps): nothing there is hot, so it may be compiled with fewer
# optimizations (CARDAN_TEXT_OPTIONS) where building matters more. GCC takes the level from the precompiled header, so it has its own.
option(CARDAN_PRECOMPILE "Precompile the headers used most" ON)
set(CARDAN_TEXT_OPTIONS "" CACHE STRING "Compiler options for what only reads, writes and prints")
# Tests are compiled more often than they run, and what they run is in the library.
set(CARDAN_TEST_OPTIONS "-O1" CACHE STRING "Compiler options of the tests")
set(CARDAN_COMMON_HEADERS <algorithm> <array> <cmath> <functional> <map> <memory> <optional> <span> <string> <string_view>
                          <variant> <vector> <fmt/format.h> <Eigen/Core> <Eigen/Geometry> <Eigen/LU>)
set(CARDAN_TEXT_HEADERS ${CARDAN_COMMON_HEADERS} <filesystem> <nlohmann/json.hpp>)

# cardan_common_headers(name position-independent library... HEADERS header... OPTIONS option...): a target whose precompiled
# headers others reuse. Those must be compiled alike, so there are two for the library and one for the tests.
function(cardan_common_headers name position_independent)
  cmake_parse_arguments(PARSE_ARGV 2 given "" "" "HEADERS;OPTIONS")
  if(NOT CARDAN_PRECOMPILE)
    return()
  endif()
  file(WRITE ${PROJECT_BINARY_DIR}/${name}.cpp "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/${name}.cpp)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ${position_independent})
  target_link_libraries(${name} PRIVATE cardan_options fmt::fmt Eigen3::Eigen ${given_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE ${given_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${given_HEADERS})
endfunction()

# The target compiles with these headers, and text with its options.
function(cardan_reuse_headers target name)
  if(name STREQUAL "cardan_text_headers")
    target_compile_options(${target} PRIVATE ${CARDAN_TEXT_OPTIONS})
  elseif(name STREQUAL "cardan_test_headers")
    target_compile_options(${target} PRIVATE ${CARDAN_TEST_OPTIONS})
  endif()
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# cardan_library(name dependency... PRIVATE dependency... STORE source... TEXT): the folder cardan/<name> as target cardan::<name>.
# Its headers are reached through a link of its own, so a folder that is not linked cannot be included.
#   PRIVATE what its headers do not need
#   STORE   sources that need the run store: joined among themselves only, so that a program that stores nothing is not linked to it
#   TEXT    nothing in it is hot (see above)
function(cardan_library name)
  cmake_parse_arguments(PARSE_ARGV 1 given "TEXT" "" "PRIVATE;STORE")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cardan/${name}/*.cpp)
  set(view ${PROJECT_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${view}/cardan)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/cardan/${name} ${view}/cardan/${name} SYMBOLIC)
  if(sources)
    add_library(cardan_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(cardan_${name} PRIVATE $<BUILD_INTERFACE:cardan_options>)
    set_target_properties(cardan_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    if(given_TEXT)
      cardan_reuse_headers(cardan_${name} cardan_text_headers)
    else()
      cardan_reuse_headers(cardan_${name} cardan_headers)
    endif()
    if(CMAKE_UNITY_BUILD)
      # At the end of the file, when it is known which sources stay alone.
      cmake_language(EVAL CODE "cmake_language(DEFER CALL cardan_join_sources cardan_${name} 10 APART ${given_STORE})")
    endif()
  else()
    add_library(cardan_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(cardan::${name} ALIAS cardan_${name})
  set_target_properties(cardan_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(cardan_${name} ${scope} cxx_std_20)
  target_include_directories(cardan_${name} ${scope} $<BUILD_INTERFACE:${view}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(cardan_${name} ${scope} ${given_UNPARSED_ARGUMENTS})
  if(given_PRIVATE)
    target_link_libraries(cardan_${name} PRIVATE ${given_PRIVATE})
  endif()
  set_property(GLOBAL APPEND PROPERTY CARDAN_LIBRARIES cardan_${name})
endfunction()

# cardan_test(name dependency... [PARTS n]): all of test/<name>/*.cpp as one program and one entry of ctest, or n entries that share the
# tests between processors, each with its own place for temporary files.
function(cardan_test name)
  cmake_parse_arguments(PARSE_ARGV 1 given "" PARTS "")
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE cardan_options ${given_UNPARSED_ARGUMENTS} cardan_test_places GTest::gtest_main)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  if(CMAKE_UNITY_BUILD)
    cardan_join_sources(test_${name} 8)  # tests of one folder use the same short names
  endif()
  cardan_reuse_headers(test_${name} cardan_test_headers)
  # GCC 12 sees std::string out of bounds where there is nothing, once its header is precompiled.
  target_compile_options(test_${name} PRIVATE -Wno-array-bounds -Wno-restrict
                         -Wno-stringop-overflow -Wno-stringop-overread)
  if(NOT given_PARTS)
    add_test(NAME ${name} COMMAND test_${name} --gtest_brief=1)
    return()
  endif()
  math(EXPR last "${given_PARTS} - 1")
  foreach(part RANGE ${last})
    set(place ${PROJECT_BINARY_DIR}/temporary/${name}_${part})
    file(MAKE_DIRECTORY ${place})
    add_test(NAME ${name}_${part} COMMAND test_${name} --gtest_brief=1)
    set_tests_properties(${name}_${part} PROPERTIES COST 1000 ENVIRONMENT
                         "GTEST_TOTAL_SHARDS=${given_PARTS};GTEST_SHARD_INDEX=${part};TEST_TMPDIR=${place}/")
  endforeach()
endfunction()

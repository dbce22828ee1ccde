#pragma once
// Small mechanisms for tests, written as a user would.
#include <string>

#include <gtest/gtest.h>

#include "cardan/io/read_model.h"
#include "cardan/system/system.h"
#include "test/places.h"

namespace cardan::test {

inline Model model_of(const std::string& text) {
  auto read = read_model_text(text, "test.toml");
  if (!read) {
    for (const auto& d : read.why()) ADD_FAILURE() << to_text(d);
    return {};
  }
  return std::move(read).value();
}

inline Model model_file(const std::string& name) {
  auto read = read_model(std::string(test::source_dir) + "/models/" + name + "/model.toml");
  if (!read) {
    for (const auto& d : read.why()) ADD_FAILURE() << to_text(d);
    return {};
  }
  return std::move(read).value();
}

inline System system_of(const Model& model) {
  auto compiled = compile(model);
  if (!compiled) {
    for (const auto& d : compiled.why()) ADD_FAILURE() << to_text(d);
    return {};
  }
  return std::move(compiled).value();
}

// Crank and coupler on a rocker; ground length, angles and lengths as in a drawing.
inline std::string four_bar(double ground, double coupler, const std::string& more = "") {
  return "gravity = [0, -9.81]\n"
         "[[body]]\nname='crank'\nfrom=[0,0]\nto=[0,1]\nmass=1\n"
         "[[body]]\nname='coupler'\nfrom=[0,1]\nto=[" +
         std::to_string(coupler) +
         ",1]\nmass=1\n"
         "[[body]]\nname='rocker'\nfrom=[" +
         std::to_string(ground) + ",0]\nto=[" + std::to_string(coupler) +
         ",1]\nmass=1\n"
         "[[joint]]\ntype='revolute'\nname='A'\nbetween=['ground','crank']\nat=[0,0]\n"
         "[[joint]]\ntype='revolute'\nname='B'\nbetween=['crank','coupler']\nat=[0,1]\n"
         "[[joint]]\ntype='revolute'\nname='C'\nbetween=['coupler','rocker']\nat=[" +
         std::to_string(coupler) +
         ",1]\n"
         "[[joint]]\ntype='revolute'\nname='D'\nbetween=['ground','rocker']\nat=[" +
         std::to_string(ground) + ",0]\n" + more;
}

// A chain of n bars of 0.1 m hanging from the ground, released from the horizontal.
inline std::string chain(int n) {
  return "gravity = [0, -9.81]\n"
         "[[repeat]]\ncount = " +
         std::to_string(n) +
         "\nindex = 'i'\n"
         "[[repeat.body]]\nname='link{i}'\nfrom=['0.1*i', 0]\nto=['0.1*(i+1)', 0]\nmass=0.2\n"
         "[[repeat]]\ncount = " +
         std::to_string(n - 1) +
         "\nindex = 'i'\nfirst = 1\n"
         "[[repeat.joint]]\ntype='revolute'\nname='pin{i}'\nbetween=['link{i-1}','link{i}']\nat=['"
         "0.1*i', 0]\n"
         "[[joint]]\ntype='revolute'\nname='pin0'\nbetween=['ground','link0']\nat=[0,0]\n";
}

}  // namespace cardan::test

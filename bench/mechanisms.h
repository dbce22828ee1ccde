#pragma once
// The mechanisms that are measured.
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "cardan/io/read_model.h"

namespace cardan::bench {

template <class T> T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(to_text(result.why().front()));
  return std::move(result).value();
}

// A hanging chain of n bars of 0.1 m in the plane, drawn along the horizontal.
inline Model chain(int n) {
  return value_of(read_model_text(
      fmt::format("gravity = [0, -9.81]\n"
                  "[[repeat]]\ncount = {}\nindex = 'i'\n"
                  "[[repeat.body]]\nname = 'link{{i}}'\nfrom = ['0.1*i', 0]\n"
                  "to = ['0.1*(i+1)', 0]\nmass = 0.2\n"
                  "[[repeat]]\ncount = {}\nindex = 'i'\nfirst = 1\n"
                  "[[repeat.joint]]\ntype = 'revolute'\nname = 'pin{{i}}'\n"
                  "between = ['link{{i-1}}', 'link{{i}}']\nat = ['0.1*i', 0]\n"
                  "[[joint]]\ntype = 'revolute'\nname = 'pin0'\nbetween = ['ground', 'link0']\n"
                  "at = [0, 0]\n"
                  "[[analysis]]\ntype = 'dynamic'\nuntil = '1 us'\n",
                  n,
                  n - 1),
      "chain.toml"));
}

// The same in space with joints of a type, spherical or revolute (about y).
inline Model spatial_chain(const std::string& type, int n) {
  const std::string axis = type == "revolute" ? "axis = [0, 1, 0]\n" : "";
  return value_of(read_model_text(
      fmt::format("space = 'spatial'\ngravity = [0, 0, -9.81]\n"
                  "[[repeat]]\ncount = {0}\nindex = 'i'\n"
                  "[[repeat.body]]\nname = 'link{{i}}'\nat = ['0.1*i + 0.05', 0, 0]\n"
                  "mass = 0.2\ninertia = [1e-4, 2e-4, 2e-4]\n"
                  "[[repeat]]\ncount = {1}\nindex = 'i'\nfirst = 1\n"
                  "[[repeat.joint]]\ntype = '{2}'\nname = 'joint{{i}}'\n"
                  "between = ['link{{i-1}}', 'link{{i}}']\nat = ['0.1*i', 0, 0]\n{3}"
                  "[[joint]]\ntype = '{2}'\nname = 'joint0'\nbetween = ['ground', 'link0']\n"
                  "at = [0, 0, 0]\n{3}"
                  "[[analysis]]\ntype = 'dynamic'\nuntil = '1 us'\n",
                  n,
                  n - 1,
                  type,
                  axis),
      "chain.toml"));
}

// An example of models/.
inline Model example(const std::string& name) {
  return value_of(read_model(std::string(CARDAN_MODELS) + "/" + name + "/model.toml"));
}

}  // namespace cardan::bench
